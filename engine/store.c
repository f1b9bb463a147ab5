#include "engine/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/io.h"
#include "engine/manifest.h"
#include "engine/memory.h"

struct mr_store {
    struct mr_memory *memory;
    char *path;
    struct mr_manifest manifest;
    struct mr_index index;
    struct mr_store_info info;
    struct mr_file *links, *degrees, *names;
};

void mr_store_close(struct mr_store *store)
{
    if (store == NULL) {
        return;
    }
    mr_file_abandon(store->links);
    mr_file_abandon(store->degrees);
    mr_file_abandon(store->names);
    mr_index_free(store->memory, &store->index);
    free(store->path);
    free(store);
}

static enum mr_status read_manifest(const struct mr_context *context, struct mr_store *store,
                                    struct mr_error *err)
{
    char path[4096];
    uint8_t bytes[MR_MANIFEST_BYTES];
    struct mr_file *file = NULL;
    uint64_t n_bytes = 0;
    enum mr_status status =
        mr_store_file_path(store->path, MR_FILE_MANIFEST, path, sizeof path, err);
    if (status == MR_OK && !mr_store_probe(store->path)) {
        return mr_error_file(err, MR_ERROR_INPUT, store->path, 0,
                             "is not a store; make one with: millrace build -o NAME.mill INPUT");
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
        status = mr_manifest_parse(bytes, n_bytes, path, &store->manifest, err);
    }
    mr_file_abandon(file);
    return status;
}

/* Open a data file and hold its size against the manifest, so that no truncation goes unseen. */
static enum mr_status open_data(const struct mr_context *context, struct mr_store *store,
                                enum mr_store_file which, unsigned flags, struct mr_file **file,
                                struct mr_error *err)
{
    char path[4096];
    enum mr_status status = mr_store_file_path(store->path, which, path, sizeof path, err);
    if (status != MR_OK) {
        return status;
    }
    if (!mr_io_exists(path)) {
        return mr_error_file(err, MR_ERROR_CORRUPT, path, 0,
                             "is missing; the store is damaged: build it again");
    }
    uint64_t n_bytes = 0;
    status = mr_file_open(context->io, path, MR_OPEN_READ | flags, file, err);
    if (status == MR_OK) {
        status = mr_file_size(*file, &n_bytes, err);
    }
    if (status == MR_OK && n_bytes != store->manifest.file_bytes[which]) {
        status = mr_error_file(err, MR_ERROR_CORRUPT, path, 0,
                               "has %llu bytes where the manifest says %llu; the store is damaged: "
                               "build it again",
                               (unsigned long long)n_bytes,
                               (unsigned long long)store->manifest.file_bytes[which]);
    }
    return status;
}

static enum mr_status read_index(const struct mr_context *context, struct mr_store *store,
                                 struct mr_error *err)
{
    struct mr_file *file = NULL;
    void *bytes = NULL;
    uint64_t n_bytes = store->manifest.file_bytes[MR_FILE_INDEX];
    enum mr_status status = open_data(context, store, MR_FILE_INDEX, 0, &file, err);
    if (status == MR_OK && n_bytes == 0) {
        status = mr_error_file(err, MR_ERROR_CORRUPT, mr_file_path(file), 0, "is empty");
    }
    if (status == MR_OK) {
        status = mr_memory_alloc(context->memory, "store index", n_bytes, &bytes, err);
    }
    if (status == MR_OK) {
        status = mr_file_read(file, bytes, n_bytes, 0, err);
    }
    if (status == MR_OK) {
        status = mr_index_parse(context->memory, &store->manifest, bytes, n_bytes,
                                mr_file_path(file), &store->index, err);
    }
    mr_memory_free(context->memory, bytes);
    mr_file_abandon(file);
    return status;
}

enum mr_status mr_store_open(const struct mr_context *context, const char *path,
                             struct mr_store **out, struct mr_error *err)
{
    struct mr_store *store = calloc(1, sizeof *store);
    if (store == NULL || (store->path = strdup(path)) == NULL) {
        free(store);
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a store");
    }
    store->memory = context->memory;
    enum mr_status status = read_manifest(context, store, err);
    if (status == MR_OK) {
        status = read_index(context, store, err);
    }
    if (status == MR_OK) {
        status = open_data(context, store, MR_FILE_LINKS, MR_OPEN_DIRECT, &store->links, err);
    }
    if (status == MR_OK) {
        status = open_data(context, store, MR_FILE_DEGREES, MR_OPEN_DIRECT, &store->degrees, err);
    }
    if (status == MR_OK && store->manifest.name_kind != MR_NAMES_IDENTITY) {
        status = open_data(context, store, MR_FILE_NAMES, 0, &store->names, err);
    }
    if (status != MR_OK) {
        mr_store_close(store);
        return status;
    }
    mr_manifest_info(&store->manifest, &store->index, &store->info);
    *out = store;
    return MR_OK;
}

bool mr_store_probe(const char *path)
{
    char manifest[4096];
    struct mr_error ignored = {0};
    return mr_store_file_path(path, MR_FILE_MANIFEST, manifest, sizeof manifest, &ignored) ==
               MR_OK &&
           mr_io_exists(manifest);
}

const struct mr_store_info *mr_store_info(const struct mr_store *store)
{
    return &store->info;
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

const uint8_t *mr_store_name_index(const struct mr_store *store, uint64_t *bytes)
{
    *bytes = store->index.names_bytes;
    return store->index.names;
}

struct mr_file *mr_store_links_file(const struct mr_store *store)
{
    return store->links;
}

struct mr_file *mr_store_degrees_file(const struct mr_store *store)
{
    return store->degrees;
}

struct mr_file *mr_store_names_file(const struct mr_store *store)
{
    return store->names;
}
