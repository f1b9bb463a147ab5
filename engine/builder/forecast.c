/* SPDX-License-Identifier: Apache-2.0 */
/* What the rest of a build takes, so that an error about the budget asks once for all of it. The
 * build has three stages after the edges are numbered: the names are written, the encoder is made,
 * and the edges are sorted. What an encoder takes is known from measurements, rounded up;
 * tests/cli/limits_test.sh tries the sizes that errors ask for.
 *
 * The edges in memory go to disk if the encoder has no room beside them. */
#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/builder/internal.h"
#include "engine/names/name_writer.h"
#include "engine/store/block.h"

/* The least that the encoder of a shape takes. */
/* The buffers of a band writer, which chooses an encoding if `chooses`, for each class of edges and
 * for weights. `*working` gets them with encoded blocks that wait. */
static uint64_t encoder_of(const struct mr_band_shape *shape, bool chooses, bool has_classes,
                           uint64_t *working)
{
    const uint64_t kibi = 1024, width = (uint64_t)1 << shape->band_bits,
                   n_classes = has_classes ? MR_CLASSES_MAX : 1,
                   n_sets = n_classes + (shape->has_weights ? 1 : 0),
                   writer = (chooses ? 5632 * kibi + 8 * width : 640 * kibi + 4 * width),
                   waiting = (chooses ? 2560 * kibi + 2 * width : 1536 * kibi);
    const uint64_t made = n_classes * writer + n_sets * mr_block_codec_bytes(shape->zstd_level) +
                          (shape->has_weights ? 1152 * kibi + 8 * width : 0);
    *working = made + n_sets * waiting;
    return made;
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
static uint64_t most_of_stages(const struct mr_build *build, uint64_t n_vertices,
                               uint64_t numbers_bytes)
{
    struct mr_band_shape shape = build->shape;
    uint64_t working;

    shape.has_weights = build->options.weights;
    const bool has_classes = build->options.name_group != NULL;
    const uint64_t list = (n_vertices + 1) * sizeof(uint32_t), writer = writer_bytes(build);
    const uint64_t names =
        build->options.ids == MR_IDS_TEXT || build->names.kind != MR_NAMES_IDENTITY
            ? numbers_bytes + mr_names_writer_bytes() + (has_classes ? 2 * list : 0)
            : 0;
    const uint64_t classes = has_classes ? 2 * list : 0;
    const uint64_t degrees = list + (build->options.weights ? 2 * list : 0);
    const uint64_t made =
        encoder_of(&shape, shape.encoding != MR_ENCODING_KEYS, has_classes, &working);
    return writer + mr_max_u64(names, mr_max_u64(numbers_bytes + classes + made,
                                                 classes + degrees + working));
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

/* Says what the stages need, and writes the edges that are in memory to disk if they are in the
 * way.
 */
static enum mr_status make_room(struct mr_build *build, uint64_t needed, struct mr_error *err)
{
    struct mr_memory *memory = build->context->memory;
    const uint64_t resident = mr_spool_figures_of(build->spool).resident_bytes,
                   available = mr_memory_available(memory) + mr_numbering_bytes(build->numbering);

    mr_memory_foresee(memory, mr_memory_limit(memory) - available - resident + needed);
    return needed > available && resident > 0 ? mr_spool_evict(build->spool, err) : MR_OK;
}

enum mr_status mr_build_foresee(struct mr_build *build, struct mr_error *err)
{
    struct mr_names_forecast names;

    if (build->options.ids == MR_IDS_DENSE) {
        foresee_dense(build);
    }
    if (!mr_numbering_foresee(build->numbering, &names)) {
        return MR_OK;
    }
    build->shape.band_bits = build->shape.stripe_bits = 16;
    build->shape.zstd_level = build->options.zstd_level;
    return make_room(build,
                     mr_max_u64(names.numbers_bytes + names.merge_bytes,
                                most_of_stages(build, names.n_vertices, names.numbers_bytes)),
                     err);
}

enum mr_status mr_build_make_room(struct mr_build *build, struct mr_error *err)
{
    return make_room(
        build, most_of_stages(build, build->grid.n_vertices, mr_numbering_bytes(build->numbering)),
        err);
}
