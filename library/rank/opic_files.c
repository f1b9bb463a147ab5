/* SPDX-License-Identifier: Apache-2.0 */
/* Reads and writes the state of OPIC, and makes the store of the edges inside hosts. Names in a
 * state have the order of a key function, which formats/url knows by its number, and hosts are of
 * formats, too; algorithms must not use formats. */
#include "library/rank/opic_run.h"

#include <stdio.h>
#include <stdlib.h>

#include "engine/base/count_text.h"
#include "engine/base/memory.h"
#include "engine/builder/build.h"
#include "engine/io/io.h"
#include "engine/scan/edges.h"
#include "formats/pages/page_list.h"
#include "formats/url/surt.h"

/* ---- The state ---- */

enum mr_status mr_opic_state_check(const struct mr_context *context, const char *path,
                                   struct mr_error *err)
{
    struct mr_name_table_reader *reader = NULL;
    const enum mr_status status =
        mr_io_exists(path) ? mr_name_table_open(context, path, &mr_opic_state, &reader, err)
                           : MR_OK;

    mr_name_table_close(reader);
    return status;
}

enum mr_status mr_opic_state_load(const struct mr_context *context, struct mr_opic *opic,
                                  const char *path, struct mr_names *names,
                                  const struct mr_store_info *info, struct mr_opic_merge *merge,
                                  bool *found, struct mr_error *err)
{
    struct mr_name_table_reader *reader = NULL;

    *found = mr_io_exists(path);
    if (!*found) {
        return MR_OK;
    }
    enum mr_status status = mr_name_table_open(context, path, &mr_opic_state, &reader, err);
    if (status == MR_OK) {
        status =
            mr_opic_load(opic, reader, names, mr_name_key_of(info->name_key_number), merge, err);
    }
    mr_name_table_close(reader);
    return status;
}

enum mr_status mr_opic_state_list(const struct mr_context *context, const char *path,
                                  struct mr_row_writer *rows, struct mr_error *err)
{
    struct mr_name_table_reader *reader = NULL;
    const char *name;
    const uint8_t *row;
    size_t bytes;

    enum mr_status status = mr_name_table_open(context, path, &mr_opic_state, &reader, err);
    while (status == MR_OK) {
        struct mr_opic_page page;
        bool visited, has_times;
        status = mr_name_table_next(reader, &name, &bytes, &row, err);
        if (status != MR_OK || row == NULL) {
            break;
        }
        status =
            mr_opic_page_of_row(mr_name_table_head(reader), row, &page, &visited, &has_times, err);
        const struct mr_cell cells[] = {{.text = name, .bytes = bytes},
                                        {.real = page.cash},
                                        {.real = page.history},
                                        {.real = page.last},
                                        {.count = visited}};
        status = status == MR_OK ? mr_row_writer_add(rows, cells, err) : status;
    }
    mr_name_table_close(reader);
    return status;
}

enum mr_status mr_opic_state_save(const struct mr_context *context, const struct mr_opic *opic,
                                  const char *path, struct mr_names *names,
                                  const struct mr_store_info *info, struct mr_error *err)
{
    uint8_t head[MR_OPIC_HEAD_BYTES];

    mr_opic_describe(opic, head);
    return mr_name_table_write(context, path, names, info, &mr_opic_state, head, mr_opic_fill_row,
                               opic, err);
}

/* ---- Edges inside hosts ---- */

struct divider {
    struct mr_build *build;
    const uint64_t *host_of; /* NULL: all edges are internal */
    bool ignore_self_loops;
    uint64_t n_internal;
};

static enum mr_status take_internal(void *data, const uint32_t (*pairs)[2], const float *weights,
                                    size_t n_pairs, struct mr_error *err)
{
    struct divider *divider = data;
    struct mr_edge edges[MR_EDGES_BATCH];
    size_t n = 0;

    (void)weights;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t source = pairs[i][0], target = pairs[i][1];
        if ((divider->host_of == NULL || divider->host_of[source] == divider->host_of[target]) &&
            !(divider->ignore_self_loops && source == target)) {
            edges[n++] = (struct mr_edge){source, target};
        }
    }
    divider->n_internal += n;
    return mr_build_edges(divider->build, 0, edges, NULL, n, err);
}

/* Builds a store of the edges of `source`: all of them, or with host_of those inside a host. */
static enum mr_status build_internal(const struct mr_context *context, struct mr_store *source,
                                     struct divider *divider, struct mr_opic_internal *internal,
                                     struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(source);
    const struct mr_build_options options = {.ids = MR_IDS_DENSE,
                                             .n_vertices = info->n_vertices,
                                             .keep_duplicates = info->duplicates_kept,
                                             .force = true};
    char *path = NULL;

    enum mr_status status = mr_workspace_open(context, &internal->workspace, err);
    if (status == MR_OK &&
        asprintf(&path, "%s/internal.mill", mr_workspace_path(internal->workspace)) < 0) {
        path = NULL;
        status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a path");
    }
    if (status == MR_OK) {
        status = mr_build_create(context, path, &options, &divider->build, err);
    }
    if (status == MR_OK) {
        status = mr_edges_read(context, source, NULL, take_internal, divider, err);
    }
    status = mr_build_finish(divider->build, status, NULL, err);
    if (status == MR_OK) {
        status = mr_store_open(context, path, &internal->store, err);
    }
    free(path);
    return status;
}

/* Opens the internal edges of a store with classes. */
static enum mr_status take_class(const struct mr_context *context, struct mr_store *all,
                                 struct divider *divider, struct mr_opic_internal *internal,
                                 struct mr_error *err)
{
    struct mr_store *store = NULL;
    char links[32];
    enum mr_status status =
        mr_store_open_classes(context, mr_store_path(all), 1u << MR_LINK_INTERNAL, &store, err);

    if (status != MR_OK) {
        return status;
    }
    if (divider->ignore_self_loops) {
        status = build_internal(context, store, divider, internal, err);
        mr_store_close(store);
    } else {
        internal->store = store;
        divider->n_internal = mr_store_get_info(store)->n_edges;
    }
    if (status == MR_OK) {
        mr_context_note(context, "%s of the links are internal by %s, as in the store",
                        mr_count_text(divider->n_internal, links),
                        mr_store_get_info(all)->class_rule == MR_CLASSES_BY_HOST
                            ? "host"
                            : "registered domain");
    }
    return status;
}

/* Finds the internal edges by the hosts of all names. */
static enum mr_status divide_by_host(const struct mr_context *context, struct mr_store *store,
                                     struct mr_names *names, struct divider *divider,
                                     struct mr_opic_internal *internal, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    uint64_t *host_of = NULL;
    char links[32];
    enum mr_status status =
        mr_memory_array(context->memory, "hosts of pages", info->n_vertices + 1, &host_of, err);

    if (status == MR_OK) {
        status = mr_hosts_find(context, names, info, false, host_of, err);
    }
    if (status == MR_OK) {
        divider->host_of = host_of;
        status = build_internal(context, store, divider, internal, err);
    }
    if (status == MR_OK) {
        mr_context_note(context, "%s of the links are inside a host",
                        mr_count_text(divider->n_internal, links));
    }
    mr_memory_free(context->memory, host_of);
    return status;
}

/* Are the internal edges a class that can be read as it is? */
static bool has_class(const struct mr_store_info *info)
{
    return info->n_classes == MR_CLASSES_MAX && info->classes == MR_CLASSES_ALL;
}

/* The builder sorts the edges of a cell together. A cell has at most those of a band. */
uint64_t mr_opic_internal_memory(struct mr_store *store, bool ignore_self_loops)
{
    enum { BUILD_BYTES = 4 << 20, EDGE_BYTES = 16 };
    const struct mr_store_info *info = mr_store_get_info(store);
    const struct mr_band_entry *bands = mr_store_bands(store);
    uint64_t most = 0;

    if (has_class(info) && !ignore_self_loops) {
        return 0;
    }
    for (uint64_t b = 0; b < info->n_bands; b++) {
        most = mr_max_u64(most, bands[b].n_edges);
    }
    return (has_class(info) ? 0 : (info->n_vertices + 1) * sizeof(uint64_t)) +
           mr_edges_reader_memory(info) + BUILD_BYTES + EDGE_BYTES * most;
}

enum mr_status mr_opic_internal_open(const struct mr_context *context, struct mr_store *store,
                                     struct mr_names *names, bool ignore_self_loops,
                                     struct mr_opic_internal *internal, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    struct divider divider = {.ignore_self_loops = ignore_self_loops};

    return has_class(info) ? take_class(context, store, &divider, internal, err)
                           : divide_by_host(context, store, names, &divider, internal, err);
}

void mr_opic_internal_close(struct mr_opic_internal *internal)
{
    mr_store_close(internal->store);
    mr_workspace_close(internal->workspace);
    *internal = (struct mr_opic_internal){0};
}
