#include "engine/build/link_feed.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/scan/edges.h"
#include "engine/store/vertex_order.h"

struct feed {
    const struct mr_context *context;
    struct mr_build *build;
    const uint32_t *vertices; /* of the source being read */
    struct mr_progress progress;
    struct mr_edge edges[MR_EDGES_BATCH];
};

static enum mr_status hand_over(void *data, const uint32_t (*pairs)[2], const float *weights,
                                size_t n_pairs, struct mr_error *err)
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
    return weights == NULL
               ? mr_build_edges(feed->build, feed->edges, n_pairs, err)
               : mr_build_weighted_edges(feed->build, 0, feed->edges, weights, n_pairs, err);
}

static enum mr_status feed_source(struct feed *feed, const struct mr_link_source *source,
                                  struct mr_error *err)
{
    struct mr_store *weighted = NULL;
    enum mr_status status = MR_OK;

    feed->vertices = source->vertices;
    if (mr_build_has_weights(feed->build)) {
        status = mr_store_open_weights(feed->context, source->store, &weighted, err);
    }
    if (status == MR_OK) {
        status = mr_edges_read_either(feed->context, source->store, weighted, hand_over, feed, err);
    }
    mr_store_close(weighted);
    return status;
}

static enum mr_status feed_links(const struct mr_context *context,
                                 const struct mr_link_source *sources, unsigned n_sources,
                                 uint64_t n_edges, struct mr_build *build, struct mr_error *err)
{
    struct feed *feed = calloc(1, sizeof *feed);
    enum mr_status status = MR_OK;

    if (feed == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for reading links");
    }
    feed->context = context;
    feed->build = build;
    feed->progress =
        (struct mr_progress){.stage = "read", .total = n_edges, .unit = "edges", .error_bound = -1};
    for (unsigned i = 0; i < n_sources && status == MR_OK; i++) {
        status = feed_source(feed, &sources[i], err);
    }
    free(feed);
    return status;
}

enum mr_status mr_build_of_links(const struct mr_context *context, const char *path,
                                 const struct mr_build_options *options,
                                 const struct mr_build_change *change,
                                 const struct mr_link_source *sources, unsigned n_sources,
                                 struct mr_build_summary *summary, struct mr_error *err)
{
    struct mr_build *build = NULL;
    uint64_t n_edges = 0;

    for (unsigned i = 0; i < n_sources; i++) {
        n_edges += mr_store_info(sources[i].store)->n_edges;
    }
    enum mr_status status = mr_build_create_change(context, path, options, change, &build, err);
    if (status != MR_OK) {
        return status;
    }
    status = mr_build_expect(build, n_edges, false, err);
    if (status == MR_OK) {
        status = feed_links(context, sources, n_sources, n_edges, build, err);
    }
    if (status != MR_OK) {
        mr_build_abandon(build);
        return status;
    }
    return mr_build_finish(build, summary, err);
}

enum mr_status mr_places_of_links(const struct mr_context *context, struct mr_store *store,
                                  const uint32_t *moved, uint32_t **vertices, struct mr_error *err)
{
    const uint64_t n_vertices = mr_store_info(store)->n_vertices;
    void *copy = NULL;
    enum mr_status status = MR_OK;

    *vertices = NULL;
    if (mr_store_info(store)->order_id != 0) {
        status = mr_vertex_order_load(context, store, MR_ORDER_PLACES, vertices, err);
        for (uint64_t i = 0; status == MR_OK && moved != NULL && i < n_vertices; i++) {
            (*vertices)[i] = moved[(*vertices)[i]];
        }
        return status;
    }
    if (moved != NULL) {
        status = mr_memory_alloc(context->memory, "places of vertices",
                                 (n_vertices + 1) * sizeof *moved, &copy, err);
        if (status == MR_OK) {
            memcpy(copy, moved, n_vertices * sizeof *moved);
            *vertices = copy;
        }
    }
    return status;
}
