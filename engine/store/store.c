/* SPDX-License-Identifier: Apache-2.0 */
/* Opening a store: its manifest, index and files. Everything that reads a store opens it here
 * first. The size of every file is verified on opening, the content of every block when it is
 * read. */
#include "engine/store/store.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/io/io.h"
#include "engine/store/column.h"
#include "engine/store/index.h"

#define DAMAGED "; the store is damaged: build it again"

struct mr_store {
    struct mr_memory *memory;
    char *path;
    bool is_weighted; /* true: the files of the weighted set in `path` */
    struct mr_index index;
    struct mr_store_info info; /* until all is open, the figures of the manifest alone */
    struct mr_file *files[MR_N_FILES]; /* NULL: there is none, or its class is not opened */
    double *out_strengths; /* [n_vertices] */
    _Atomic(struct mr_kept *) kept;
};

struct mr_kept *mr_store_keep(struct mr_store *store, struct mr_kept *kept)
{
    return atomic_exchange(&store->kept, kept);
}

static void drop_kept(struct mr_store *store)
{
    struct mr_kept *kept = mr_store_keep(store, NULL);
    if (kept != NULL) {
        kept->destroy(kept);
    }
}

void mr_store_close(struct mr_store *store)
{
    if (store == NULL) {
        return;
    }
    drop_kept(store);
    for (unsigned i = 0; i < MR_N_FILES; i++) {
        mr_file_abandon(store->files[i]);
    }
    mr_index_free(store->memory, &store->index);
    mr_memory_free(store->memory, store->out_strengths);
    free(store->path);
    free(store);
}

const double *mr_store_class_weights(const struct mr_store *store, const double **out_strengths)
{
    *out_strengths = store->out_strengths;
    return store->info.weighs_classes ? store->info.class_weights : NULL;
}

void mr_store_set_class_weights(struct mr_store *store, const double weights[MR_CLASSES_MAX],
                                double *strengths)
{
    drop_kept(store);
    memcpy(store->info.class_weights, weights, sizeof store->info.class_weights);
    mr_memory_free(store->memory, store->out_strengths);
    store->out_strengths = strengths;
    store->info.weighs_classes = true;
}

static enum mr_status read_manifest(const struct mr_context *context, struct mr_store *store,
                                    struct mr_error *err)
{
    char path[4096];
    uint8_t bytes[MR_MANIFEST_BYTES];
    struct mr_file *file = NULL;
    uint64_t n_bytes = 0;
    enum mr_status status = mr_store_file_path(store->path, store->is_weighted, MR_FILE_MANIFEST,
                                               path, sizeof path, err);
    if (status == MR_OK) {
        status = mr_store_require(store->path, err);
    }
    if (status == MR_OK) {
        status = mr_file_open(context->io, path, MR_OPEN_READ, &file, err);
    }
    if (status == MR_OK) {
        status = mr_file_size(file, &n_bytes, err);
    }
    if (status == MR_OK) {
        status = mr_file_read(file, bytes, n_bytes < sizeof bytes ? n_bytes : sizeof bytes, 0, err);
    }
    if (status == MR_OK) {
        status = mr_manifest_parse(bytes, n_bytes, path, &store->info, err);
    }
    mr_file_abandon(file);
    return status;
}

/* Opens a data file and compares its size with the stated one, so that every truncation is
 * detected. */
static enum mr_status open_data(const struct mr_context *context, struct mr_store *store,
                                enum mr_store_file which, uint64_t stated_bytes,
                                struct mr_error *err)
{
    const bool is_aligned =
        which == MR_FILE_LINKS || which == MR_FILE_INTERNAL_LINKS || which == MR_FILE_DEGREES;
    struct mr_file **file = &store->files[which];
    char path[4096];
    enum mr_status status =
        mr_store_file_path(store->path, store->is_weighted, which, path, sizeof path, err);
    if (status != MR_OK) {
        return status;
    }
    if (!mr_io_exists(path)) {
        return mr_error_file(err, MR_ERROR_CORRUPT, path, 0,
                             "is missing; the store is damaged: build it again");
    }
    uint64_t n_bytes = 0;
    status = mr_file_open(context->io, path, MR_OPEN_READ | (is_aligned ? MR_OPEN_DIRECT : 0), file,
                          err);
    if (status == MR_OK) {
        status = mr_file_size(*file, &n_bytes, err);
    }
    if (status == MR_OK && n_bytes != stated_bytes) {
        status = mr_error_file(err, MR_ERROR_CORRUPT, path, 0,
                               "has %llu bytes where the manifest says %llu; the store is damaged: "
                               "build it again",
                               (unsigned long long)n_bytes, (unsigned long long)stated_bytes);
    }
    return status;
}

/* Reads the index file. `*bytes` is charged to the budget; the caller frees it, also after a
 * failure. */
static enum mr_status read_index_bytes(const struct mr_context *context, struct mr_store *store,
                                       void **bytes, struct mr_error *err)
{
    const uint64_t n_bytes = store->info.index_bytes;
    enum mr_status status = open_data(context, store, MR_FILE_INDEX, n_bytes, err);
    struct mr_file *file = store->files[MR_FILE_INDEX];
    *bytes = NULL;
    if (status == MR_OK && n_bytes == 0) {
        status = mr_error_file(err, MR_ERROR_CORRUPT, mr_file_path(file), 0, "is empty");
    }
    if (status == MR_OK) {
        status = mr_memory_alloc(context->memory, "store index", n_bytes, bytes, err);
    }
    if (status == MR_OK) {
        status = mr_file_read(file, *bytes, n_bytes, 0, err);
    }
    return status;
}

static enum mr_status read_index(const struct mr_context *context, struct mr_store *store,
                                 uint32_t classes, struct mr_error *err)
{
    void *bytes = NULL;
    enum mr_status status = read_index_bytes(context, store, &bytes, err);
    if (status == MR_OK) {
        status =
            mr_index_parse(context->memory, &store->info, classes, bytes, store->info.index_bytes,
                           mr_file_path(store->files[MR_FILE_INDEX]), &store->index, err);
    }
    mr_memory_free(context->memory, bytes);
    mr_file_abandon(store->files[MR_FILE_INDEX]);
    store->files[MR_FILE_INDEX] = NULL;
    return status;
}

/* Adds the figures that follow from the manifest and the index. Those of edges and degrees become
 * the ones of the opened classes. */
static void complete_info(struct mr_store_info *info, const struct mr_index *index)
{
    info->bytes = MR_MANIFEST_BYTES + info->index_bytes + info->links_bytes + info->degrees_bytes +
                  info->names_bytes + mr_column_file_bytes(info, MR_FILE_ORDER) +
                  mr_column_file_bytes(info, MR_FILE_FACTS);
    mr_figures_state(mr_links_fields, &index->total, info);
    mr_figures_state(mr_degree_fields, &index->facts, info);
    info->degrees_bytes = index->degrees_bytes;
    info->n_segments = index->n_segments;
    info->n_source_bands = (uint32_t)mr_max_u64(
        mr_div_up(info->n_sources, (uint64_t)1 << info->band_bits), info->n_vertices > 0);
    for (uint32_t b = 0; b < info->n_bands; b++) {
        info->n_diagonal_edges += index->bands[b].n_diagonal_edges;
        info->n_core_edges += b < info->n_source_bands ? index->bands[b].n_edges : 0;
    }
}

/* Opens the files of the opened parts, of degrees and of names. */
static enum mr_status open_files(const struct mr_context *context, struct mr_store *store,
                                 uint32_t classes, struct mr_error *err)
{
    const struct mr_store_info *m = &store->info;
    const struct mr_index *index = &store->index;
    enum mr_status status = open_data(context, store, MR_FILE_DEGREES, m->degrees_bytes, err);
    for (uint32_t i = 0; i < index->n_parts && status == MR_OK; i++) {
        if (classes == MR_CLASSES_ALL || (classes >> i & 1) != 0) {
            status = open_data(context, store, mr_links_file(i), index->parts[i].file_bytes, err);
        }
    }
    for (enum mr_store_file file = MR_FILE_ORDER; file <= MR_FILE_FACTS; file++) {
        const uint64_t n_bytes = mr_column_file_bytes(m, file);
        if (status == MR_OK && n_bytes > 0) {
            status = open_data(context, store, file, n_bytes, err);
        }
    }
    if (status == MR_OK && m->name_kind != MR_NAMES_IDENTITY) {
        status = open_data(context, store, MR_FILE_NAMES, m->names_bytes, err);
    }
    return status;
}

/* Checks that a store is no weighted set, and that a weighted set belongs to the store `plain`: its
 * manifest has the checksum that `plain` states, and its shape is the same. */
static enum mr_status check_kind(const struct mr_store *store, const struct mr_store *plain,
                                 struct mr_error *err)
{
    const struct mr_store_info *m = &store->info;
    const struct mr_store_info *p = plain == NULL ? NULL : &plain->info;
    if (m->is_weighted != store->is_weighted ||
        (p != NULL &&
         (m->store_id != p->weights_id || m->n_vertices != p->n_vertices ||
          m->n_edges != p->n_edges || m->n_sources != p->n_sources || m->n_classes != 1 ||
          m->band_bits != p->band_bits || m->stripe_bits != p->stripe_bits))) {
        return mr_error_file(err, MR_ERROR_CORRUPT, store->path, 0,
                             "its links with weights are not those of the store; the store is "
                             "damaged: build it again");
    }
    return MR_OK;
}

/* Opens the store as the manifest describes it at this moment; `*store_id` gets the manifest's id.
 * `plain` is NULL, or the store whose weighted set is opened. */
static enum mr_status open_once(const struct mr_context *context, const char *path,
                                uint32_t classes, const struct mr_store *plain, uint64_t *store_id,
                                struct mr_store **out, struct mr_error *err)
{
    struct mr_store *store = calloc(1, sizeof *store);
    if (store == NULL || (store->path = strdup(path)) == NULL) {
        free(store);
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a store");
    }
    store->memory = context->memory;
    store->is_weighted = plain != NULL;
    enum mr_status status = read_manifest(context, store, err);
    *store_id = store->info.store_id;
    if (status == MR_OK) {
        status = check_kind(store, plain, err);
    }
    const uint32_t n_classes = store->info.n_classes;
    if (status == MR_OK && classes >> n_classes != 0) {
        status = mr_error_file(err, MR_ERROR_USAGE, path, 0,
                               "has no such class of links; build it again with --classes host, or "
                               "with --classes domain");
    }
    if (status == MR_OK && classes == ((uint32_t)1 << n_classes) - 1) {
        classes = MR_CLASSES_ALL;
    }
    if (status == MR_OK) {
        status = read_index(context, store, classes, err);
    }
    if (status == MR_OK) {
        status = open_files(context, store, classes, err);
    }
    if (status != MR_OK) {
        mr_store_close(store);
        return status;
    }
    complete_info(&store->info, &store->index);
    store->info.classes = classes;
    *out = store;
    return MR_OK;
}

/* True if the manifest no longer has this id. */
static bool has_changed(const struct mr_context *context, const char *path, uint64_t store_id)
{
    struct mr_store now = {.path = strdup(path)};
    const bool changed = now.path != NULL && read_manifest(context, &now, NULL) == MR_OK &&
                         now.info.store_id != store_id;
    free(now.path);
    return changed;
}

/* Between reading the manifest and opening the files, a writer may publish another store. The store
 * is then not damaged, and opening starts again. */
enum { OPEN_TRIES = 50 };

static enum mr_status open_set(const struct mr_context *context, const char *path, uint32_t classes,
                               const struct mr_store *plain, struct mr_store **out,
                               struct mr_error *err)
{
    *out = NULL;
    for (unsigned i = 1;; i++) {
        struct mr_error reason = {.status = MR_OK};
        uint64_t store_id = 0;
        const enum mr_status status =
            open_once(context, path, classes, plain, &store_id, out, &reason);
        if (status == MR_OK) {
            return status;
        }
        /* A weighted set belongs to the open store: do not try again. */
        if (i == OPEN_TRIES || store_id == 0 || plain != NULL ||
            !has_changed(context, path, store_id)) {
            if (err != NULL && err->status == MR_OK) {
                *err = reason;
            }
            return status;
        }
    }
}

enum mr_status mr_store_open_classes(const struct mr_context *context, const char *path,
                                     uint32_t classes, struct mr_store **out, struct mr_error *err)
{
    return open_set(context, path, classes, NULL, out, err);
}

enum mr_status mr_store_open(const struct mr_context *context, const char *path,
                             struct mr_store **out, struct mr_error *err)
{
    return open_set(context, path, MR_CLASSES_ALL, NULL, out, err);
}

enum mr_status mr_store_open_weights(const struct mr_context *context, const struct mr_store *store,
                                     struct mr_store **out, struct mr_error *err)
{
    *out = NULL;
    if (!store->info.has_weights) {
        return mr_error_file(err, MR_ERROR_INPUT, store->path, 0,
                             "has no weights; build it again from an input that has some, with "
                             "--weights%s",
                             store->info.n_classes > 1 ? " and without --classes" : "");
    }
    return open_set(context, store->path, MR_CLASSES_ALL, store, out, err);
}

bool mr_store_probe(const char *path)
{
    char manifest[4096];
    struct mr_error ignored = {0};
    return mr_store_file_path(path, false, MR_FILE_MANIFEST, manifest, sizeof manifest, &ignored) ==
               MR_OK &&
           mr_io_exists(manifest);
}

enum mr_status mr_store_require(const char *path, struct mr_error *err)
{
    char manifest[4096];
    struct stat info;
    enum mr_status status =
        mr_store_file_path(path, false, MR_FILE_MANIFEST, manifest, sizeof manifest, err);
    if (status != MR_OK || lstat(manifest, &info) == 0) {
        return status;
    }
    if (errno == ENOENT || errno == ENOTDIR) {
        if (!mr_io_exists(path)) {
            (void)snprintf(manifest, sizeof manifest, "%s.mill", path);
            return mr_store_probe(manifest)
                       ? mr_error_file(err, MR_ERROR_INPUT, path, 0,
                                       "no such store; did you mean %s?", manifest)
                       : mr_error_file(err, MR_ERROR_INPUT, path, 0,
                                       "no such store; check the name");
        }
        return mr_error_file(err, MR_ERROR_INPUT, path, 0,
                             "is not a store; make one with: millrace build -o NAME.mill INPUT");
    }
    return mr_error_file(err, MR_ERROR_RUNTIME, path, errno, "cannot look into it");
}

const struct mr_store_info *mr_store_get_info(const struct mr_store *store)
{
    return &store->info;
}

struct mr_memory *mr_store_memory(const struct mr_store *store)
{
    return store->memory;
}

const char *mr_store_path(const struct mr_store *store)
{
    return store->path;
}

const struct mr_band_entry *mr_store_bands(const struct mr_store *store)
{
    return store->index.bands;
}

const struct mr_block_entry *mr_store_link_blocks(const struct mr_store *store)
{
    return store->index.link_blocks;
}

const struct mr_block_entry *mr_store_degree_blocks(const struct mr_store *store, uint64_t *count)
{
    *count = store->index.n_degree_blocks;
    return store->index.degree_blocks;
}

const struct mr_block_entry *mr_store_name_blocks(const struct mr_store *store, uint64_t *count)
{
    *count = store->index.n_name_blocks;
    return store->index.name_blocks;
}

const uint64_t *mr_store_segment_ends(const struct mr_store *store)
{
    return store->index.segment_ends;
}

const struct mr_links_part *mr_store_parts(const struct mr_store *store)
{
    return store->index.parts;
}

struct mr_block_location mr_store_location(const struct mr_store *store, enum mr_store_file which)
{
    return (struct mr_block_location){store->files[which], store->info.graph_id};
}

struct mr_block_location mr_store_links_location(const struct mr_store *store,
                                                 const struct mr_block_entry *entry)
{
    return mr_store_location(store, mr_links_file(entry->link_class));
}

const struct mr_index *mr_store_index(const struct mr_store *store)
{
    return &store->index;
}
