#include "engine/append.h"

#include <assert.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/build_parts.h"
#include "engine/edges.h"
#include "engine/format.h"
#include "engine/memory.h"
#include "engine/names_join.h"

struct mr_append {
    const struct mr_context *context;
    struct mr_publish *publish; /* holds the lock */
    struct mr_store *store;
    char *path;
    const char *delta_path; /* the publication's */
    double started;
};

/* ---- Files of other generations ---- */

/* Does the store have a file of this name? */
static bool is_file_of(const struct mr_store *store, const char *name)
{
    const struct mr_index *index = mr_store_index(store);
    const uint32_t generation = mr_store_info(store)->generation;
    char own[4096];
    bool found = false;

    found |= mr_store_file_path(".", false, MR_FILE_INDEX, generation, 0, own, sizeof own, NULL) ==
                 MR_OK &&
             strcmp(own + 2, name) == 0;
    found |= mr_store_file_path(".", false, MR_FILE_DEGREES, generation, 0, own, sizeof own,
                                NULL) == MR_OK &&
             strcmp(own + 2, name) == 0;
    for (uint32_t i = 0; i < index->n_parts && !found; i++) {
        found = mr_store_file_path(".", false, MR_FILE_LINKS, index->parts[i].generation,
                                   index->parts[i].link_class, own, sizeof own, NULL) == MR_OK &&
                strcmp(own + 2, name) == 0;
    }
    for (uint32_t i = 0; i < index->n_name_parts && !found; i++) {
        found = mr_store_file_path(".", false, MR_FILE_NAMES, index->name_parts[i].generation, 0,
                                   own, sizeof own, NULL) == MR_OK &&
                strcmp(own + 2, name) == 0;
    }
    return found;
}

/* Is it called like a file of some generation? */
static bool is_of_a_generation(const char *name)
{
    static const char *const prefixes[] = {MR_INDEX_PREFIX, MR_LINKS_PREFIX, MR_DEGREES_PREFIX,
                                           MR_NAMES_PREFIX};
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        const size_t bytes = strlen(prefixes[i]);
        if (strncmp(name, prefixes[i], bytes) == 0) {
            return name[bytes] != '\0' &&
                   strspn(name + bytes, "0123456789.") == strlen(name + bytes);
        }
    }
    return false;
}

/* Remove the files of generations that are no more, or never were: whoever reads one has it open. The store
 * is locked. Best effort. */
static void sweep(const struct mr_context *context, const struct mr_store *store)
{
    const char *directory = mr_store_path(store);
    DIR *listing = opendir(directory);

    if (listing == NULL) {
        return;
    }
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        char path[4096];
        if (!is_of_a_generation(entry->d_name) || is_file_of(store, entry->d_name)) {
            continue;
        }
        const int bytes = snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        if (bytes > 0 && bytes < (int)sizeof path) {
            enum mr_status ignored = mr_io_unlink(context->io, path, NULL);
            (void)ignored;
        }
    }
    (void)closedir(listing);
}

/* ---- Begin, end ---- */

void mr_append_abandon(struct mr_append *append)
{
    if (append != NULL) {
        mr_store_close(append->store);
        mr_publish_abandon(append->publish);
        free(append->path);
        free(append);
    }
}

/* What a store has to be to be written again. */
static enum mr_status open_locked(const struct mr_context *context, const char *path,
                                  struct mr_publish **publish, struct mr_store **store,
                                  struct mr_error *err)
{
    if (!mr_store_probe(path)) {
        return mr_error_file(err, MR_ERROR_INPUT, path, 0,
                             "is not a store; make one with: millrace build -o NAME.mill INPUT");
    }
    enum mr_status status =
        mr_publish_begin(context->io, path, MR_PUBLISH_DIRECTORY, true, publish, err);
    if (status == MR_OK) {
        status = mr_store_open(context, path, store, err);
    }
    if (status == MR_OK && mr_store_info(*store)->has_weights) {
        status = mr_error_file(err, MR_ERROR_USAGE, path, 0,
                               "has weights; these stores are built again from their input");
    }
    if (status == MR_OK && mr_store_info(*store)->n_classes > 1) {
        status =
            mr_error_file(err, MR_ERROR_USAGE, path, 0,
                          "has classes of links; these stores are built again from their input");
    }
    if (status == MR_OK && mr_store_info(*store)->order_id != 0) {
        status = mr_error_file(err, MR_ERROR_USAGE, path, 0,
                               "has its pages by degree (--order); these stores are built again "
                               "from their input");
    }
    return status;
}

enum mr_status mr_append_begin(const struct mr_context *context, const char *path,
                               struct mr_append **out, struct mr_error *err)
{
    struct mr_append *append = calloc(1, sizeof *append);

    *out = NULL;
    if (append == NULL || (append->path = realpath(path, NULL)) == NULL) {
        free(append);
        return mr_store_probe(path)
                   ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for an append")
                   : mr_error_file(err, MR_ERROR_INPUT, path, 0,
                                   "is not a store; make one with: millrace build -o NAME.mill "
                                   "INPUT");
    }
    append->context = context;
    append->started = mr_build_now();
    enum mr_status status =
        open_locked(context, append->path, &append->publish, &append->store, err);
    if (status == MR_OK && (mr_store_info(append->store)->n_parts >= MR_PARTS_MAX ||
                            mr_store_index(append->store)->n_name_parts + 2 > MR_PARTS_MAX)) {
        status = mr_error_file(err, MR_ERROR_USAGE, path, 0,
                               "has %u parts, as many as can be; fold them with millrace compact",
                               mr_store_info(append->store)->n_parts);
    }
    if (status == MR_OK) {
        sweep(context, append->store);
        status = mr_publish_beside(append->publish, &append->delta_path, err);
    }
    if (status != MR_OK) {
        mr_append_abandon(append);
        return status;
    }
    *out = append;
    return MR_OK;
}

const struct mr_store_info *mr_append_store(const struct mr_append *append)
{
    return mr_store_info(append->store);
}

const char *mr_append_delta_path(const struct mr_append *append)
{
    return append->delta_path;
}

/* ---- Links of one store into the build of another ---- */

struct feed {
    const struct mr_context *context;
    struct mr_build *build;
    const uint32_t *vertices; /* NULL: they keep their numbers */
    struct mr_progress progress;
    struct mr_edge edges[MR_EDGES_BATCH];
};

static enum mr_status hand_over(void *data, const uint32_t (*pairs)[2], size_t n_pairs,
                                struct mr_error *err)
{
    struct feed *feed = data;
    const uint32_t *vertices = feed->vertices;

    for (size_t i = 0; i < n_pairs; i++) {
        feed->edges[i] = vertices == NULL
                             ? (struct mr_edge){pairs[i][0], pairs[i][1]}
                             : (struct mr_edge){vertices[pairs[i][0]], vertices[pairs[i][1]]};
    }
    feed->progress.done += n_pairs;
    feed->progress.edges = feed->progress.done;
    if (feed->context->progress != NULL) {
        feed->context->progress(feed->context->progress_data, &feed->progress);
    }
    return mr_build_edges(feed->build, feed->edges, n_pairs, err);
}

static enum mr_status feed_links(const struct mr_context *context, struct mr_store *from,
                                 const uint32_t *vertices, struct mr_build *build,
                                 struct mr_error *err)
{
    struct feed *feed = calloc(1, sizeof *feed);

    if (feed == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for reading links");
    }
    feed->context = context;
    feed->build = build;
    feed->vertices = vertices;
    feed->progress = (struct mr_progress){
        .stage = "read", .total = mr_store_info(from)->n_edges, .unit = "edges", .error_bound = -1};
    const enum mr_status status = mr_edges_read(context, from, hand_over, feed, err);
    free(feed);
    return status;
}

/* Build `change`, with the links of `from`. */
static enum mr_status build_from(const struct mr_context *context, const char *path,
                                 const struct mr_build_options *options,
                                 const struct mr_build_change *change, struct mr_store *from,
                                 const uint32_t *vertices, struct mr_build_summary *summary,
                                 struct mr_error *err)
{
    struct mr_build *build = NULL;
    enum mr_status status = mr_build_create_change(context, path, options, change, &build, err);
    if (status != MR_OK) {
        return status;
    }
    status = feed_links(context, from, vertices, build, err);
    if (status != MR_OK) {
        mr_build_abandon(build);
        return status;
    }
    return mr_build_finish(build, summary, err);
}

/* ---- Append ---- */

/* The delta is in the scratch directory as the next generation's files; or nothing is new. */
static enum mr_status write_generation(struct mr_append *append, struct mr_store *delta,
                                       const struct mr_append_options *options,
                                       struct mr_append_summary *summary, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_info(append->store);
    struct mr_names_joined joined = {.vertices = NULL};
    enum mr_status status =
        mr_names_join(append->context, append->store, delta, options->name_key, &joined, err);
    if (status != MR_OK) {
        return status;
    }
    struct mr_names_new names = {
        .context = append->context, .store = append->store, .delta = delta, .joined = &joined};
    const struct mr_names_source source = mr_names_of_join(&names, info->generation + 1);
    const struct mr_build_options build_options = {
        .struct_size = sizeof build_options,
        .ids = MR_IDS_DENSE,
        .n_vertices = joined.n_vertices,
        .zstd_level = options->zstd_level,
        .encoding = options->encoding,
    };
    const struct mr_build_change change = {
        .store = append->store, .names = &source, .appends = true, .publish = append->publish};
    struct mr_build_summary built = {0};
    status = build_from(append->context, append->path, &build_options, &change, delta,
                        joined.vertices, &built, err);
    mr_memory_free(append->context->memory, joined.vertices);
    summary->n_links = mr_store_info(delta)->n_edges;
    summary->n_new_links = built.edges;
    summary->n_known = summary->n_links - built.edges;
    summary->n_new_vertices = joined.n_new;
    summary->n_spellings_lost = joined.n_lost;
    return status;
}

/* The store as it is now. */
static void describe(const struct mr_append *append, struct mr_append_summary *summary)
{
    const struct mr_store_info *info = mr_store_info(append->store);
    summary->vertices = info->n_vertices;
    summary->edges = info->n_edges;
    summary->dangling = info->n_dangling;
    summary->store_bytes = info->bytes;
    summary->generation = info->generation;
    summary->n_parts = info->n_parts;
    summary->seconds = mr_build_now() - append->started;
}

static enum mr_status publish(struct mr_append *append, struct mr_error *err)
{
    enum mr_status status = mr_context_poll(append->context, err);
    if (status == MR_OK) {
        status = mr_publish_commit_into(append->publish, err);
    }
    /* Also where it failed: files that were moved may be no generation's, or the new one's. */
    mr_store_close(append->store);
    append->store = NULL;
    const enum mr_status opened = mr_store_open(append->context, append->path, &append->store, err);
    if (opened == MR_OK) {
        sweep(append->context, append->store);
    }
    return status == MR_OK ? opened : status;
}

enum mr_status mr_append_finish(struct mr_append *append, const struct mr_append_options *options,
                                struct mr_append_summary *summary, struct mr_error *err)
{
    struct mr_append_summary ignored;
    struct mr_store *delta = NULL;

    assert(options->struct_size == sizeof *options);
    summary = summary != NULL ? summary : &ignored;
    *summary = (struct mr_append_summary){0};
    enum mr_status status = mr_store_open(append->context, append->delta_path, &delta, err);
    if (status == MR_OK) {
        status = write_generation(append, delta, options, summary, err);
    }
    mr_store_close(delta);
    if (status == MR_OK && summary->n_new_links + summary->n_new_vertices > 0) {
        status = publish(append, err);
    }
    if (status == MR_OK) {
        describe(append, summary);
    }
    mr_append_abandon(append);
    return status;
}

/* ---- Compact ---- */

enum mr_status mr_compact(const struct mr_context *context, const char *path,
                          const struct mr_append_options *options, struct mr_build_summary *summary,
                          struct mr_error *err)
{
    struct mr_publish *publish = NULL;
    struct mr_store *store = NULL;
    struct mr_names_merge *names = NULL;
    char *real_path = realpath(path, NULL);

    assert(options->struct_size == sizeof *options);
    enum mr_status status =
        open_locked(context, real_path != NULL ? real_path : path, &publish, &store, err);
    if (status == MR_OK) {
        status = mr_names_merge_create(context, store, options->name_key, &names, err);
    }
    if (status == MR_OK) {
        const struct mr_build_options build_options = {
            .struct_size = sizeof build_options,
            .ids = MR_IDS_DENSE,
            .n_vertices = mr_store_info(store)->n_vertices,
            .zstd_level = options->zstd_level,
            .encoding = options->encoding,
        };
        const struct mr_build_change change = {
            .store = store, .names = mr_names_merge_source(names), .publish = publish};
        status = build_from(context, real_path, &build_options, &change, store,
                            mr_names_merge_vertices(names), summary, err);
    }
    mr_names_merge_destroy(names);
    mr_store_close(store);
    if (status == MR_OK) {
        status = mr_publish_commit(publish, err);
    } else {
        mr_publish_abandon(publish);
    }
    free(real_path);
    return status;
}
