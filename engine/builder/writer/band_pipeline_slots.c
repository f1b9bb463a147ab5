/* SPDX-License-Identifier: Apache-2.0 */
/* Slots of the band pipeline. A slot holds what a thread needs to encode one band: writers,
 * degrees, and room for blocks that wait for their turn. The memory left decides how many slots
 * there are, and how many bytes may wait in each. The bytes of the store do not depend on
 * either. */
#include <assert.h>
#include <string.h>

#include "engine/base/format.h"
#include "engine/base/memory.h"
#include "engine/builder/writer/band_pipeline_internal.h"

/* The most bytes that wait in one writer. A band writer keeps waiting blocks in an array that grows
 * as mr_band_writer_next_capacity says. The bound is one of those sizes, so no part of the array
 * stays unused. */
#define MAX_PENDING_BYTES ((uint64_t)64 << 20)

/* The most bytes that a writer may add between two checks of the waiting bytes. With keys: one
 * block, and room for one more. Otherwise edges wait until the writer chooses their encoding, and
 * all of them may come at once. 2^19 edges as keys take at most 1.31 MB, since the differences add
 * up to 2^32: six blocks and one that was begun. As corners they take 1.7 MB and the restarts of
 * eight parts. */
static uint64_t burst_bytes(const struct mr_band_shape *shape)
{
    const uint64_t block = MR_BLOCK_MAX_BYTES;
    return shape->encoding == MR_ENCODING_KEYS ? 2 * block
                                               : 9 * block + ((uint64_t)1 << shape->band_bits);
}

static enum mr_status make_slot(struct mr_band_pipeline *pipeline,
                                const struct mr_band_shape *shape, struct pipeline_slot *slot,
                                struct mr_error *err)
{
    const uint64_t width = mr_pipeline_band_width(pipeline);
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("in-degrees", pipeline->n_classes * width, &slot->in_degrees),
        MR_WANTED("links of a class",
                  pipeline->groups != NULL ? (uint64_t)MR_CLASSES_MAX * BATCH_KEYS : 0,
                  &slot->split),
        MR_WANTED("in-strengths", shape->has_weights ? width : 0, &slot->in_strengths),
        MR_WANTED("links with weights", shape->has_weights, &slot->batch),
    };
    enum mr_status status = MR_OK;
    for (unsigned i = 0; i < pipeline->n_classes && status == MR_OK; i++) {
        struct mr_band_shape of_class = *shape;
        of_class.link_class = i;
        status = mr_band_writer_create(pipeline->context, &of_class, &slot->writers[i], err);
    }
    if (status == MR_OK) {
        status = mr_memory_arrays(pipeline->context->memory, arrays, err);
    }
    if (status == MR_OK && shape->has_weights) {
        const struct mr_band_shape weighted = mr_band_shape_weighted(shape);
        status = mr_band_writer_create(pipeline->context, &weighted, &slot->weighted, err);
    }
    pipeline->n_slots++; /* counts a half-made slot too, so that destroy frees it */
    return status;
}

enum mr_status mr_pipeline_slots_create(struct mr_band_pipeline *pipeline,
                                        const struct mr_band_shape *shape, struct mr_error *err)
{
    struct mr_memory *memory = pipeline->context->memory;
    uint64_t available = mr_memory_available(memory), n_slots = 1;
    uint64_t min_pending = 0;
    pipeline->burst_bytes = burst_bytes(shape);
    pipeline->n_sets = shape->has_weights ? 2 : 1;
    while (min_pending <= pipeline->burst_bytes) {
        min_pending = mr_band_writer_next_capacity(min_pending);
    }
    for (uint64_t i = 0; i < n_slots; i++) {
        enum mr_status status = make_slot(pipeline, shape, &pipeline->slots[i], err);
        if (status != MR_OK) {
            return status;
        }
        pipeline->free_slots[pipeline->n_free++] = &pipeline->slots[i];
        if (i == 0) { /* the first slot shows how much memory a slot takes */
            uint64_t taken =
                available - mr_memory_available(memory) +
                pipeline->n_sets * pipeline->n_classes * (min_pending + PENDING_EXTRA_BYTES);
            pipeline->slot_bytes = taken;
            pipeline->available_bytes = available;
            n_slots = mr_min_u64(pipeline->context->threads, available / 4 / taken);
        }
    }
    uint64_t share = mr_memory_available(memory) / 8 / pipeline->n_slots / pipeline->n_sets /
                     pipeline->n_classes;
    pipeline->pending_bytes = min_pending;
    while (pipeline->pending_bytes < MAX_PENDING_BYTES &&
           mr_band_writer_next_capacity(pipeline->pending_bytes) <= share) {
        pipeline->pending_bytes = mr_band_writer_next_capacity(pipeline->pending_bytes);
    }
    return MR_OK;
}

void mr_pipeline_slots_destroy(struct mr_band_pipeline *pipeline)
{
    for (unsigned i = 0; i < pipeline->n_slots; i++) {
        mr_memory_free(pipeline->context->memory, pipeline->slots[i].batch);
        mr_memory_free(pipeline->context->memory, pipeline->slots[i].in_strengths);
        mr_band_writer_destroy(pipeline->slots[i].weighted);
        mr_memory_free(pipeline->context->memory, pipeline->slots[i].split);
        mr_memory_free(pipeline->context->memory, pipeline->slots[i].in_degrees);
        for (unsigned k = 0; k < MR_CLASSES_MAX; k++) {
            mr_band_writer_destroy(pipeline->slots[i].writers[k]);
        }
    }
}

struct pipeline_slot *mr_pipeline_slot_take(struct mr_band_pipeline *pipeline)
{
    (void)pthread_mutex_lock(&pipeline->mutex);
    assert(pipeline->n_free > 0);
    struct pipeline_slot *slot = pipeline->free_slots[--pipeline->n_free];
    (void)pthread_mutex_unlock(&pipeline->mutex);
    return slot;
}

void mr_pipeline_slot_give(struct mr_band_pipeline *pipeline, struct pipeline_slot *slot)
{
    (void)pthread_mutex_lock(&pipeline->mutex);
    pipeline->free_slots[pipeline->n_free++] = slot;
    (void)pthread_mutex_unlock(&pipeline->mutex);
}

void mr_pipeline_slot_begin(const struct mr_band_pipeline *pipeline, uint32_t band,
                            struct pipeline_slot *slot)
{
    memset(slot->in_degrees, 0,
           pipeline->n_classes * mr_pipeline_band_width(pipeline) * sizeof *slot->in_degrees);
    for (unsigned c = 0; c < pipeline->n_classes; c++) {
        mr_band_writer_begin(slot->writers[c], band);
    }
    if (slot->weighted != NULL) {
        memset(slot->in_strengths, 0,
               mr_pipeline_band_width(pipeline) * sizeof *slot->in_strengths);
        mr_band_writer_begin(slot->weighted, band);
    }
}

enum mr_status mr_pipeline_slot_end(struct mr_band_pipeline *pipeline, uint32_t band,
                                    struct pipeline_slot *slot, struct mr_error *err)
{
    const uint32_t width = mr_edge_grid_width(pipeline->grid, band);
    uint32_t *all = slot->in_degrees, *internal = all + mr_pipeline_band_width(pipeline);
    enum mr_status status = MR_OK;
    for (unsigned c = 0; c < pipeline->n_classes && status == MR_OK; c++) {
        status = mr_store_writer_end_band(pipeline->store, slot->writers[c], err);
    }
    if (status == MR_OK) {
        status = mr_store_writer_in_degrees(pipeline->store, 0, band, all, NULL, width, err);
    }
    if (status == MR_OK && slot->weighted != NULL) {
        struct mr_store_writer *weights = mr_store_writer_weights(pipeline->store);
        status = mr_store_writer_end_band(weights, slot->weighted, err);
        if (status == MR_OK) {
            status =
                mr_store_writer_in_degrees(weights, 0, band, all, slot->in_strengths, width, err);
        }
    }
    if (status != MR_OK || pipeline->groups == NULL) {
        return status;
    }
    for (uint32_t i = 0; i < width; i++) {
        all[i] -= internal[i];
    }
    status = mr_store_writer_in_degrees(pipeline->store, 1 + MR_LINK_EXTERNAL, band, all, NULL,
                                        width, err);
    return status == MR_OK ? mr_store_writer_in_degrees(pipeline->store, 1 + MR_LINK_INTERNAL, band,
                                                        internal, NULL, width, err)
                           : status;
}
