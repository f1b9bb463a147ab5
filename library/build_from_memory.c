/* SPDX-License-Identifier: Apache-2.0 */
/* Builds stores from edges in memory: from arrays, or from a callback, which a stream of tables is,
 * too (build_from_arrow.c). Both push batches of edges into the builder (engine/builder) and finish
 * in the same way. build_from_files.c is the counterpart for files; it uses the same options and
 * names. */
#include <inttypes.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/base/sized_struct.h"
#include "library/build_internal.h"
#include "library/import/build_names.h"

enum { BATCH_EDGES = 4096 };

struct source {
    const struct mr_context *context;
    struct mr_store_build_options options;
    struct mr_build_names names;
    struct mr_build *build;
    bool has_weights;
};

enum mr_status mr_store_build_copy_options(const struct mr_store_build_options *given,
                                           struct mr_store_build_options *options,
                                           struct mr_error *err)
{
    *options = (struct mr_store_build_options)MR_STORE_BUILD_OPTIONS_INIT;
    const enum mr_status status = mr_sized_copy(given, options, sizeof *options, err);
    if (status != MR_OK) {
        return status;
    }
    if ((unsigned)options->class_rule > MR_CLASSES_BY_DOMAIN ||
        (unsigned)options->weights > MR_WEIGHTS_IGNORED ||
        (unsigned)options->encoding > MR_ENCODING_CORNERS) {
        return mr_error_set(
            err, MR_ERROR_USAGE, "no such class_rule, use of weights or encoding: %d, %d, %d",
            (int)options->class_rule, (int)options->weights, (int)options->encoding);
    }
    return MR_OK;
}

static enum mr_status refuse_file_options(const struct mr_store_build_options *options,
                                          struct mr_error *err)
{
    if (options->format != NULL || options->columns != NULL || options->vertex_list != NULL ||
        options->skip_bad_lines || options->max_bad_lines != 0 || options->directed ||
        options->encoding != MR_ENCODING_AUTO) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "format, columns, vertex_list, bad lines, directed and encoding are "
                            "for mr_store_build_files alone");
    }
    return MR_OK;
}

/* Begin a build with ids of kind `ids`. `listed`: the caller declares the names before the first
 * edge. */
static enum mr_status begin(struct source *source, const char *path,
                            const struct mr_store_build_options *given, enum mr_id_kind ids,
                            bool listed, bool has_weights, struct mr_error *err)
{
    const struct mr_store_build_options *o = &source->options;

    source->options = *given;
    enum mr_status status = refuse_file_options(o, err);
    if (status == MR_OK && ids == MR_IDS_TEXT && o->n_vertices > 0) {
        status = mr_error_set(err, MR_ERROR_USAGE,
                              "n_vertices is for numbered pages, and these have names");
    }
    if (status == MR_OK) {
        status = mr_profile_choose(o->profile, o->profile_rules, &source->names.canonical, err);
    }
    if (status != MR_OK) {
        return status;
    }
    source->has_weights = has_weights;
    struct mr_build_options options = {
        .ids = ids == MR_IDS_SPARSE && o->n_vertices > 0 ? MR_IDS_DENSE : ids,
        .n_vertices = o->n_vertices,
        .lists_names = listed,
        .undirected = o->undirected,
        .keep_duplicates = o->keep_duplicates,
        .drop_self_loops = o->drop_self_loops,
        .transpose = o->transpose,
        .weights = has_weights,
        .force = o->force,
        .zstd_level = o->zstd_level,
        .core_first = ids == MR_IDS_TEXT, /* vertices that are numbers keep their order */
    };
    status = mr_build_names_open(&source->names, o->profile, o->class_rule, &options, err);
    return status == MR_OK ? mr_build_create(source->context, path, &options, &source->build, err)
                           : status;
}

static enum mr_status check_edge(const struct source *source, const struct mr_edge *edge,
                                 const float *weight, uint64_t number, struct mr_error *err)
{
    const uint64_t ids[2] = {edge->source, edge->target};

    for (unsigned i = 0; i < 2; i++) {
        if (!mr_build_knows(source->build, ids[i])) {
            return mr_error_set(err, MR_ERROR_INPUT,
                                "link %" PRIu64 ": %" PRIu64 " is no page; n_vertices is %" PRIu64,
                                number, ids[i], source->options.n_vertices);
        }
    }
    if (weight != NULL && !mr_weight_is_good(*weight)) {
        return mr_error_set(err, MR_ERROR_INPUT,
                            "link %" PRIu64
                            ": the weight is %g; it must be finite and at least 1.2e-38",
                            number, (double)*weight);
    }
    return MR_OK;
}

/* Push a batch of edges. `first` is the index of its first edge, for messages. */
static enum mr_status push(struct source *source, const struct mr_edge *edges, const float *weights,
                           size_t n_edges, uint64_t first, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    for (size_t i = 0; i < n_edges && status == MR_OK; i++) {
        status =
            check_edge(source, &edges[i], weights == NULL ? NULL : &weights[i], first + i, err);
    }
    if (status != MR_OK) {
        return status;
    }
    return mr_build_edges(source->build, 0, edges, weights, n_edges, err);
}

/* Push the edges of `next` until it has none, and publish the store. If `status` or a later one is
 * not MR_OK, abandon the build. */
static enum mr_status build_all(struct source *source, mr_edge_callback next, void *next_data,
                                enum mr_status status, struct mr_store_build_figures *figures,
                                struct mr_error *err)
{
    struct mr_store_build_figures summary;
    struct mr_edge edges[BATCH_EDGES];
    float weights[BATCH_EDGES];
    uint64_t n_before = 0;
    size_t n = 1;

    while (status == MR_OK && n > 0) {
        /* cppcheck-suppress legacyUninitvar ; the callback fills them */
        float *wanted = source->has_weights ? weights : NULL;
        n = 0;
        status = next(next_data, edges, wanted, BATCH_EDGES, &n, err);
        if (status == MR_OK && n > BATCH_EDGES) {
            status = mr_error_set(err, MR_ERROR_USAGE, "the callback gave %zu links of at most %d",
                                  n, (int)BATCH_EDGES);
        }
        if (status == MR_OK) {
            status = push(source, edges, wanted, n, n_before, err);
            n_before += n;
        }
    }
    status = mr_build_finish(source->build, status, &summary, err);
    if (status == MR_OK) {
        mr_sized_give(&summary, sizeof summary, figures);
    }
    mr_build_names_close(&source->names);
    return status;
}

/* ---- Arrays ---- */

/* Intern `names[n_names]`, and save the builder's ids of them. */
static enum mr_status declare_names(struct source *source, const struct mr_memory_edges *arrays,
                                    uint64_t **ids, struct mr_error *err)
{
    enum mr_status status =
        mr_memory_array(source->context->memory, "ids of names", arrays->n_names + 1, ids, err);

    for (uint64_t i = 0; i < arrays->n_names && status == MR_OK; i++) {
        const char *name = arrays->names[i];
        const size_t name_bytes = name != NULL ? strlen(name) : 0;
        if (name_bytes == 0 || name_bytes > MR_NAME_MAX_BYTES || strchr(name, '\n') != NULL) {
            status = mr_error_set(err, MR_ERROR_INPUT,
                                  "name %" PRIu64 " is empty, longer than 65536 bytes or has a "
                                  "line feed in it",
                                  i);
        } else {
            status = mr_build_name(source->build, name, name_bytes, &(*ids)[i], err);
        }
    }
    return status == MR_OK ? mr_build_freeze(source->build, err) : status;
}

/* The edges of arrays, batch by batch. */
struct array_feed {
    const struct mr_memory_edges *arrays;
    struct mr_memory *memory;
    uint64_t *ids; /* with names, the builder's id of each name, until the last edge; else NULL */
    uint64_t at; /* the next edge */
};

static enum mr_status next_of_arrays(void *data, struct mr_edge *edges, float *weights,
                                     size_t capacity, size_t *n_edges, struct mr_error *err)
{
    struct array_feed *feed = data;
    const struct mr_memory_edges *arrays = feed->arrays;
    const uint64_t *ids = feed->ids;
    const uint64_t left = arrays->n_edges - feed->at;

    if (left == 0) { /* sorting needs the memory */
        mr_memory_free(feed->memory, feed->ids);
        feed->ids = NULL;
    }
    *n_edges = left < capacity ? (size_t)left : capacity;
    for (size_t i = 0; i < *n_edges; i++, feed->at++) {
        const uint64_t source = arrays->sources[feed->at], target = arrays->targets[feed->at];
        if (ids == NULL) {
            edges[i] = (struct mr_edge){source, target};
        } else if (source < arrays->n_names && target < arrays->n_names) {
            edges[i] = (struct mr_edge){ids[source], ids[target]};
        } else {
            return mr_error_set(err, MR_ERROR_INPUT,
                                "link %" PRIu64 " is from %" PRIu64 " to %" PRIu64 ", and there "
                                "are %" PRIu64 " names, counted from 0",
                                feed->at, source, target, arrays->n_names);
        }
        if (weights != NULL) {
            weights[i] = arrays->weights[feed->at];
        }
    }
    return MR_OK;
}

enum mr_status mr_store_build_arrays(const struct mr_context *context, const char *path,
                                     const struct mr_memory_edges *arrays,
                                     const struct mr_store_build_options *options,
                                     struct mr_store_build_figures *figures, struct mr_error *err)
{
    struct source source = {.context = context};
    struct array_feed feed = {.arrays = arrays, .memory = context->memory};
    const bool has_names = arrays->names != NULL;

    if (arrays->n_edges > 0 && (arrays->sources == NULL || arrays->targets == NULL)) {
        return mr_error_set(err, MR_ERROR_USAGE, "links without sources or targets");
    }
    if (arrays->n_names > 0 && !has_names) {
        return mr_error_set(err, MR_ERROR_USAGE, "n_names without names");
    }
    enum mr_status status = begin(&source, path, options, has_names ? MR_IDS_TEXT : MR_IDS_SPARSE,
                                  has_names, arrays->weights != NULL, err);
    if (status == MR_OK && has_names) {
        status = declare_names(&source, arrays, &feed.ids, err);
    }
    if (status == MR_OK) {
        status = mr_build_expect(source.build, arrays->n_edges, false, err);
    }
    status = build_all(&source, next_of_arrays, &feed, status, figures, err);
    mr_memory_free(context->memory, feed.ids);
    return status;
}

/* ---- Callbacks ---- */

enum mr_status mr_store_build_next(const struct mr_context *context, const char *path,
                                   mr_edge_callback next, void *next_data, struct mr_build **named,
                                   const struct mr_store_build_options *options,
                                   struct mr_store_build_figures *figures, struct mr_error *err)
{
    struct source source = {.context = context};

    enum mr_status status =
        begin(&source, path, options, named != NULL ? MR_IDS_TEXT : MR_IDS_SPARSE, false,
              options->weights == MR_WEIGHTS_REQUIRED, err);
    if (named != NULL) {
        *named = source.build;
    }
    return build_all(&source, next, next_data, status, figures, err);
}
