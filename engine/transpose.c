#include "engine/transpose.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/edges.h"
#include "engine/memory.h"
#include "engine/vertex_order.h"

struct feed {
    const struct mr_context *context;
    struct mr_build *build;
    const uint32_t *places; /* that edges are handed over as; NULL: as they are */
    struct mr_progress progress;
    struct mr_edge edges[MR_EDGES_BATCH];
};

/* `weights` NULL where there are none. */
static enum mr_status hand_over(void *data, const uint32_t (*pairs)[2], const float *weights,
                                size_t n_pairs, struct mr_error *err)
{
    struct feed *feed = data;

    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t u = pairs[i][0], v = pairs[i][1];
        feed->edges[i] = feed->places == NULL ? (struct mr_edge){u, v}
                                              : (struct mr_edge){feed->places[u], feed->places[v]};
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

static enum mr_status read_links(const struct mr_context *context, struct mr_store *store,
                                 const uint32_t *places, struct mr_build *build,
                                 struct mr_error *err)
{
    struct feed *feed = calloc(1, sizeof *feed);

    if (feed == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a transpose");
    }
    feed->context = context;
    feed->build = build;
    feed->places = places;
    feed->progress = (struct mr_progress){.stage = "read",
                                          .total = mr_store_info(store)->n_edges,
                                          .unit = "edges",
                                          .error_bound = -1};
    struct mr_store *weighted = NULL;
    enum mr_status status = MR_OK;
    if (mr_build_has_weights(build)) {
        status = mr_store_open_weights(context, store, &weighted, err);
    }
    if (status == MR_OK) {
        status = mr_edges_read_either(context, store, weighted, hand_over, feed, err);
    }
    mr_store_close(weighted);
    free(feed);
    return status;
}

static enum mr_status build_like(const struct mr_context *context, struct mr_store *store,
                                 const char *path, const struct mr_build_options *options,
                                 const uint32_t *places, struct mr_build_summary *summary,
                                 struct mr_error *err)
{
    struct mr_build *build = NULL;
    enum mr_status status = mr_build_create(context, path, options, &build, err);

    if (status != MR_OK) {
        return status;
    }
    status = mr_build_expect(build, mr_store_info(store)->n_edges, false, err);
    if (status == MR_OK) {
        status = read_links(context, store, places, build, err);
    }
    if (status != MR_OK) {
        mr_build_abandon(build);
        return status;
    }
    return mr_build_finish(build, summary, err);
}

enum mr_status mr_transpose(const struct mr_context *context, struct mr_store *store,
                            const char *path, const struct mr_transpose_options *options,
                            struct mr_build_summary *summary, struct mr_error *err)
{
    assert(options->struct_size == sizeof *options);
    const struct mr_build_options build_options = {
        .struct_size = sizeof build_options,
        .ids = MR_IDS_DENSE,
        .n_vertices = mr_store_info(store)->n_vertices,
        .transpose = true,
        .like = store,
        .force = options->force,
        .zstd_level = options->zstd_level,
        .encoding = options->encoding,
        .weights = mr_store_info(store)->has_weights,
        .class_rule = options->class_rule,
        .name_group = options->name_group,
        .name_group_data = options->name_group_data,
    };
    return build_like(context, store, path, &build_options, NULL, summary, err);
}

enum mr_status mr_undo_order(const struct mr_context *context, struct mr_store *store,
                             const char *path, struct mr_error *err)
{
    const struct mr_build_options options = {
        .struct_size = sizeof options,
        .ids = MR_IDS_DENSE,
        .n_vertices = mr_store_info(store)->n_vertices,
        .like = store,
        .in_places = true,
        .force = true,
        .weights = mr_store_info(store)->has_weights,
    };
    uint32_t *places = NULL;
    enum mr_status status = mr_vertex_order_load(context, store, MR_ORDER_PLACES, &places, err);
    if (status == MR_OK) {
        status = build_like(context, store, path, &options, places, NULL, err);
    }
    mr_memory_free(context->memory, places);
    return status;
}
