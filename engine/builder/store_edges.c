/* SPDX-License-Identifier: Apache-2.0 */
/* Copies the edges of existing stores into the build of a new one. Each store is read once, by
 * several threads, and its vertices are renumbered on the way. The builder then treats the edges
 * like those of any input: their order changes nothing. Edges with weights are read by one
 * thread. */
#include "engine/builder/store_edges.h"

#include <omp.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/sort.h"
#include "engine/scan/edges.h"
#include "engine/store/core_map.h"

enum { EDGES_AT_A_TIME = 512 };

struct edge_copy {
    const struct mr_context *context;
    struct mr_build *build;
    const struct mr_edge_source *source; /* that is being read */
    struct mr_progress progress; /* of edges with weights; a team reports its own */
};

static bool is_left_out(const struct mr_edge_source *source, const uint32_t pair[2])
{
    const uint64_t key = (uint64_t)pair[0] << 32 | pair[1];
    const uint64_t at = mr_find_u64(source->without, source->n_without, key);
    return at < source->n_without && source->without[at] == key;
}

/* Fills `edges` and `kept` [n_pairs] with the edges that the build takes, with their vertices
 * there, and their weights. `weights` is NULL if edges have none. Returns how many. */
static size_t renumber(const struct mr_edge_source *source, const uint32_t (*pairs)[2],
                       const float *weights, size_t n_pairs, struct mr_edge *edges, float *kept)
{
    const uint32_t *vertices = source->vertices;
    const unsigned giver = mr_edge_giver(source->store);

    size_t n = 0;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t from = vertices == NULL ? pairs[i][0] : vertices[pairs[i][0]];
        const uint32_t to = vertices == NULL ? pairs[i][1] : vertices[pairs[i][1]];
        const bool stays =
            from != MR_LEFT_OUT && to != MR_LEFT_OUT && (from != to || !source->drops_self_loops) &&
            (source->old == NULL || !mr_vertex_set_has(source->old, pairs[i][giver])) &&
            (source->n_without == 0 || !is_left_out(source, pairs[i]));
        edges[n] = (struct mr_edge){from, to};
        kept[n] = weights == NULL ? 1 : weights[i];
        n += stays;
    }
    return n;
}

static enum mr_status add_edges(const struct edge_copy *copy, unsigned worker,
                                const uint32_t (*pairs)[2], const float *weights, size_t n_pairs,
                                struct mr_error *err)
{
    struct mr_edge edges[EDGES_AT_A_TIME];
    float kept[EDGES_AT_A_TIME];
    enum mr_status status = MR_OK;

    for (size_t first = 0, n; first < n_pairs && status == MR_OK; first += n) {
        n = mr_min_u64(n_pairs - first, EDGES_AT_A_TIME);
        const size_t n_kept = renumber(copy->source, pairs + first,
                                       weights == NULL ? NULL : weights + first, n, edges, kept);
        status =
            mr_build_edges(copy->build, worker, edges, weights == NULL ? NULL : kept, n_kept, err);
    }
    return status;
}

/* Any thread of a team calls it. */
static enum mr_status add_plain(void *data, const uint32_t (*pairs)[2], const float *weights,
                                size_t n_pairs, struct mr_error *err)
{
    return add_edges(data, (unsigned)omp_get_thread_num(), pairs, weights, n_pairs, err);
}

/* The thread that builds calls it. That thread may have any number in a team of the caller. */
static enum mr_status add_weighted(void *data, const uint32_t (*pairs)[2], const float *weights,
                                   size_t n_pairs, struct mr_error *err)
{
    struct edge_copy *copy = data;

    copy->progress.done += n_pairs;
    copy->progress.edges = copy->progress.done;
    if (copy->context->progress != NULL) {
        copy->context->progress(copy->context->progress_data, &copy->progress);
    }
    return add_edges(copy, 0, pairs, weights, n_pairs, err);
}

static enum mr_status copy_source(struct edge_copy *copy, const struct mr_edge_source *source,
                                  struct mr_error *err)
{
    struct mr_store *weighted = NULL;

    copy->source = source;
    if (!mr_build_has_weights(copy->build)) {
        return mr_edges_read(copy->context, source->store,
                             &(struct mr_scan){.by_team = true, .stage = "read"}, add_plain, copy,
                             err);
    }
    enum mr_status status = mr_store_open_weights(copy->context, source->store, &weighted, err);
    if (status == MR_OK) {
        status = mr_edges_read(copy->context, weighted, NULL, add_weighted, copy, err);
    }
    mr_store_close(weighted);
    return status;
}

static enum mr_status copy_edges(const struct mr_context *context,
                                 const struct mr_edge_source *sources, unsigned n_sources,
                                 uint64_t n_edges, struct mr_build *build, struct mr_error *err)
{
    struct edge_copy copy = {
        .context = context,
        .build = build,
        .progress = {.stage = "read", .total = n_edges, .unit = "edges", .error_bound = -1}};
    enum mr_status status = MR_OK;

    for (unsigned i = 0; i < n_sources && status == MR_OK; i++) {
        status = copy_source(&copy, &sources[i], err);
    }
    return status;
}

enum mr_status mr_build_from_stores(const struct mr_context *context, const char *path,
                                    const struct mr_build_options *options,
                                    const struct mr_build_change *change,
                                    const struct mr_edge_source *sources, unsigned n_sources,
                                    struct mr_store_build_figures *summary, struct mr_error *err)
{
    struct mr_build *build = NULL;
    uint64_t n_edges = 0;
    bool is_part = false;

    for (unsigned i = 0; i < n_sources; i++) {
        const struct mr_store_info *info = mr_store_get_info(sources[i].store);
        n_edges += info->n_edges;
        is_part |= info->n_vertices > options->n_vertices;
    }
    enum mr_status status = mr_build_create_change(context, path, options, change, &build, err);
    if (status == MR_OK) {
        status = mr_build_expect(build, n_edges, is_part, err);
    }
    if (status == MR_OK) {
        status = copy_edges(context, sources, n_sources, n_edges, build, err);
    }
    return mr_build_finish(build, status, summary, err);
}

enum mr_status mr_edge_source_vertices(const struct mr_context *context, struct mr_store *store,
                                       const uint32_t *moved, uint32_t **vertices,
                                       struct mr_error *err)
{
    const uint64_t n_vertices = mr_store_get_info(store)->n_vertices;
    const bool is_ordered = mr_store_get_info(store)->order_id != 0;
    enum mr_status status = is_ordered ? mr_core_map_load_positions(context, store, vertices, err)
                                       : mr_memory_array(context->memory, "positions of pages",
                                                         n_vertices + 1, vertices, err);

    for (uint64_t v = 0; status == MR_OK && v < n_vertices; v++) {
        const uint32_t position = is_ordered ? (*vertices)[v] : (uint32_t)v;
        (*vertices)[v] = moved != NULL ? moved[position] : position;
    }
    return status;
}
