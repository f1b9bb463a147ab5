/* SPDX-License-Identifier: Apache-2.0 */
/* What the rest of a build takes, so that an error about the budget asks once for all of it. The
 * build has three stages after the edges are numbered: the names are written, the encoder is made,
 * and the edges are sorted. The encoder is measured, not computed: it is made once for a budget
 * without a limit and freed again. That costs no memory, since nobody touches its pages.
 *
 * The edges in memory go to disk where the encoder has no room beside them. */
#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/build/internal.h"
#include "engine/names/name_writer.h"
#include "engine/store/block.h"

/* For small things that are open while an append sorts its edges again. */
#define APPEND_BYTES ((uint64_t)1 << 20)

/* The least that the encoder of a shape takes. */
struct encoder_bytes {
    uint64_t made; /* when it has been made */
    uint64_t working; /* with encoded blocks that wait */
};

/* What the encoder is made for. */
struct encoder_case {
    const struct mr_band_shape *shape;
    const struct mr_edge_grid *grid;
    bool has_classes;
    struct mr_store *base; /* the store that is appended to, or NULL */
    bool filters; /* removes the edges of `base` */
};

static enum mr_status make_encoder(const struct mr_context *context, const struct encoder_case *of,
                                   struct encoder_bytes *bytes, struct mr_error *err)
{
    const struct mr_pipeline_classes classes = {0};
    struct mr_band_pipeline *pipeline = NULL;
    struct mr_base_filter *filter = NULL;

    enum mr_status status =
        mr_band_pipeline_create(context, NULL, of->shape, of->grid,
                                of->has_classes ? &classes : NULL, of->base, &pipeline, err);
    if (status == MR_OK && of->filters) {
        status = mr_base_filter_create(context, of->base, &filter, err);
    }
    if (status == MR_OK) {
        bytes->made = mr_memory_peak(context->memory) - MR_MEMORY_RESERVE_BYTES;
        bytes->working = bytes->made + mr_band_pipeline_least_pending_bytes(pipeline);
    }
    mr_base_filter_destroy(filter);
    mr_band_pipeline_destroy(pipeline);
    return status;
}

static enum mr_status measure(const struct mr_context *context, const struct encoder_case *of,
                              struct encoder_bytes *bytes, struct mr_error *err)
{
    struct mr_context other = *context;

    other.threads = 1;
    enum mr_status status = mr_memory_create(UINT64_MAX, &other.memory, err);
    if (status == MR_OK) {
        status = make_encoder(&other, of, bytes, err);
        mr_memory_destroy(other.memory);
    }
    return status;
}

static enum mr_status measure_encoder(const struct mr_build *build, struct encoder_bytes *bytes,
                                      struct mr_error *err)
{
    const bool appends = build->change.appends;
    const struct encoder_case of = {.shape = &build->shape,
                                    .grid = &build->grid,
                                    .has_classes = build->options.name_group != NULL,
                                    .base = appends ? build->change.store : NULL,
                                    .filters = appends && !build->options.keep_duplicates};
    return measure(build->context, &of, bytes, err);
}

enum mr_status mr_build_expect_append(const struct mr_context *context, struct mr_store *store,
                                      struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    const struct mr_edge_grid grid =
        mr_edge_grid_make(info->n_vertices, info->band_bits, info->stripe_bits, 1);
    struct mr_band_shape shape = {.n_vertices = info->n_vertices,
                                  .band_bits = info->band_bits,
                                  .stripe_bits = info->stripe_bits,
                                  .encoding = MR_ENCODING_KEYS};
    struct encoder_bytes first = {0}, last = {0};

    enum mr_status status =
        measure(context, &(struct encoder_case){.shape = &shape, .grid = &grid}, &first, err);
    if (status == MR_OK) {
        shape.encoding = info->duplicates_kept ? MR_ENCODING_KEYS : MR_ENCODING_AUTO;
        const struct encoder_case of = {
            .shape = &shape, .grid = &grid, .base = store, .filters = !info->duplicates_kept};
        status = measure(context, &of, &last, err);
    }
    if (status == MR_OK) {
        mr_memory_expect_more(context->memory,
                              last.working - mr_min_u64(first.working, last.working) +
                                  info->n_vertices * sizeof(uint32_t) + APPEND_BYTES);
    }
    return status;
}

/* What the writer of a store takes beside the encoder. */
static uint64_t writer_bytes(const struct mr_build *build)
{
    const uint64_t sets = build->options.weights ? 2 : 1;
    return sets * (mr_block_codec_bytes(build->shape.zstd_level) + MR_BLOCK_RAW_MAX_BYTES +
                   MR_BLOCK_MAX_BYTES);
}

/* The most that the stages need at once, beside what other parts of the run hold. `numbers_bytes`:
 * of the numbering, which goes before the sort. */
static uint64_t most_of_stages(const struct mr_build *build, const struct encoder_bytes *encoder,
                               uint64_t n_vertices, uint64_t numbers_bytes)
{
    const bool has_classes = build->options.name_group != NULL;
    const uint64_t list = (n_vertices + 1) * sizeof(uint32_t), writer = writer_bytes(build);
    const uint64_t names =
        build->options.ids == MR_IDS_TEXT || build->names.n_parts > 0
            ? numbers_bytes + mr_names_writer_bytes() + (has_classes ? 2 * list : 0)
            : 0;
    const uint64_t classes = has_classes ? 2 * list : 0;
    const uint64_t degrees = list + (build->options.weights ? 2 * list : 0);
    return writer + mr_max_u64(names, mr_max_u64(numbers_bytes + classes + encoder->made,
                                                 classes + degrees + encoder->working));
}

/* Announced vertices have out-degrees, strengths and a place in the order. */
static void foresee_dense(const struct mr_build *build)
{
    struct mr_memory *memory = build->context->memory;
    const uint64_t n = build->options.n_vertices;
    const uint64_t resident = mr_spool_figures_of(build->spool).resident_bytes;

    mr_memory_foresee(
        memory, mr_memory_limit(memory) - mr_memory_available(memory) - resident +
                    n * (sizeof(uint32_t) + (build->options.weights ? sizeof(double) : 0)) + n / 4);
}

enum mr_status mr_build_foresee(struct mr_build *build, struct mr_error *err)
{
    struct mr_memory *memory = build->context->memory;
    struct mr_names_forecast names;
    struct encoder_bytes encoder = {0};

    if (build->options.ids == MR_IDS_DENSE) {
        foresee_dense(build);
    }
    if (!mr_numbering_foresee(build->numbering, &names)) {
        return MR_OK;
    }
    build->shape.band_bits = build->shape.stripe_bits = 16;
    build->shape.zstd_level = build->options.zstd_level;
    build->grid = mr_edge_grid_make(names.n_vertices, 16, 16, 1);
    const enum mr_status status = measure_encoder(build, &encoder, err);
    if (status == MR_OK) {
        const uint64_t others = mr_memory_limit(memory) - mr_memory_available(memory) -
                                mr_numbering_bytes(build->numbering);
        const uint64_t stages =
            most_of_stages(build, &encoder, names.n_vertices, names.numbers_bytes);
        mr_memory_foresee(memory,
                          others + mr_max_u64(names.numbers_bytes + names.merge_bytes, stages));
    }
    return status;
}

enum mr_status mr_build_make_room(struct mr_build *build, struct mr_error *err)
{
    struct mr_memory *memory = build->context->memory;
    struct encoder_bytes encoder = {0};

    const enum mr_status status = measure_encoder(build, &encoder, err);
    if (status != MR_OK) {
        return status;
    }
    const uint64_t numbers = mr_numbering_bytes(build->numbering),
                   resident = mr_spool_figures_of(build->spool).resident_bytes,
                   available = mr_memory_available(memory) + numbers,
                   needed = most_of_stages(build, &encoder, build->grid.n_vertices, numbers);
    mr_memory_foresee(memory, mr_memory_limit(memory) - available - resident + needed);
    return needed > available && resident > 0 ? mr_spool_evict(build->spool, err) : MR_OK;
}
