/* What a thread needs for the band it encodes: writers, degrees, and room for blocks that wait for their turn. */
#include <assert.h>
#include <string.h>

#include "engine/base/format.h"
#include "engine/base/memory.h"
#include "engine/build/writer/band_feed_internal.h"

/* A band writer keeps waiting blocks in an array that grows as mr_band_writer_next_capacity says, until
 * this size; with one of those sizes as a bound nothing of it is unused. */
#define MAX_PENDING_BYTES ((uint64_t)64 << 20)

/* What comes between two looks at what waits: a block, and room for one more; where links wait for the
 * choice of their encoding, all of those. As keys 2^19 links have 1.31 MB at most, since the differences
 * add up to 2^32: six blocks and one that was begun. As corners 1.7 MB and the restarts of eight parts. */
static uint64_t burst_bytes(const struct mr_band_shape *shape)
{
    const uint64_t block = MR_BLOCK_MAX_BYTES;
    return shape->encoding == MR_ENCODING_KEYS ? 2 * block
                                               : 9 * block + ((uint64_t)1 << shape->band_bits);
}

static enum mr_status make_slot(struct mr_band_feed *feed, const struct mr_band_shape *shape,
                                struct feed_slot *slot, struct mr_error *err)
{
    void *pointer = NULL;
    struct mr_memory *memory = feed->context->memory;
    enum mr_status status = MR_OK;
    for (unsigned i = 0; i < feed->n_classes && status == MR_OK; i++) {
        struct mr_band_shape of_class = *shape;
        of_class.link_class = i;
        status = mr_band_writer_create(feed->context, &of_class, &slot->writers[i], err);
    }
    if (status == MR_OK) {
        status = mr_memory_alloc(memory, "in-degrees",
                                 feed->n_classes * mr_feed_band_width(feed) * sizeof(uint32_t),
                                 &pointer, err);
        slot->in_degrees = pointer;
    }
    if (status == MR_OK && feed->classes != NULL) {
        status = mr_memory_alloc(memory, "links of a class",
                                 sizeof(uint32_t) * MR_CLASSES_MAX * BATCH_KEYS, &pointer, err);
        slot->split = pointer;
    }
    if (status == MR_OK && shape->has_weights) {
        const struct mr_band_shape weighted = mr_band_shape_weighted(shape);
        status = mr_band_writer_create(feed->context, &weighted, &slot->weighted, err);
        if (status == MR_OK) {
            status = mr_memory_alloc(memory, "in-strengths",
                                     mr_feed_band_width(feed) * sizeof(double), &pointer, err);
            slot->in_strengths = status == MR_OK ? pointer : NULL;
        }
        if (status == MR_OK) {
            status = mr_memory_alloc(feed->context->memory, "links with weights",
                                     sizeof *slot->batch, &pointer, err);
            slot->batch = status == MR_OK ? pointer : NULL;
        }
    }
    if (status == MR_OK && feed->base != NULL) {
        status = mr_degree_reader_open(feed->context, feed->base, &slot->before, err);
    }
    feed->n_slots++; /* also a half-made one, for destroy */
    return status;
}

enum mr_status mr_feed_slots_create(struct mr_band_feed *feed, const struct mr_band_shape *shape,
                                    struct mr_error *err)
{
    struct mr_memory *memory = feed->context->memory;
    uint64_t available = mr_memory_available(memory), n_slots = 1;
    uint64_t min_pending = 0;
    feed->burst_bytes = burst_bytes(shape);
    feed->n_sets = shape->has_weights ? 2 : 1;
    while (min_pending <= feed->burst_bytes) {
        min_pending = mr_band_writer_next_capacity(min_pending);
    }
    for (uint64_t i = 0; i < n_slots; i++) {
        enum mr_status status = make_slot(feed, shape, &feed->slots[i], err);
        if (status != MR_OK) {
            return status;
        }
        feed->free_slots[feed->n_free++] = &feed->slots[i];
        if (i == 0) { /* now that it is known what one takes */
            uint64_t taken = available - mr_memory_available(memory) +
                             feed->n_sets * feed->n_classes * (min_pending + PENDING_EXTRA_BYTES);
            n_slots = mr_min_u64(feed->context->threads, available / 4 / taken);
        }
    }
    uint64_t share =
        mr_memory_available(memory) / 8 / feed->n_slots / feed->n_sets / feed->n_classes;
    feed->pending_bytes = min_pending;
    while (feed->pending_bytes < MAX_PENDING_BYTES &&
           mr_band_writer_next_capacity(feed->pending_bytes) <= share) {
        feed->pending_bytes = mr_band_writer_next_capacity(feed->pending_bytes);
    }
    return MR_OK;
}

void mr_feed_slots_destroy(struct mr_band_feed *feed)
{
    for (unsigned i = 0; i < feed->n_slots; i++) {
        mr_memory_free(feed->context->memory, feed->slots[i].batch);
        mr_memory_free(feed->context->memory, feed->slots[i].in_strengths);
        mr_band_writer_destroy(feed->slots[i].weighted);
        mr_memory_free(feed->context->memory, feed->slots[i].split);
        mr_memory_free(feed->context->memory, feed->slots[i].in_degrees);
        mr_degree_reader_close(feed->slots[i].before);
        for (unsigned k = 0; k < MR_CLASSES_MAX; k++) {
            mr_band_writer_destroy(feed->slots[i].writers[k]);
        }
    }
}

struct feed_slot *mr_feed_slot_take(struct mr_band_feed *feed)
{
    (void)pthread_mutex_lock(&feed->mutex);
    assert(feed->n_free > 0);
    struct feed_slot *slot = feed->free_slots[--feed->n_free];
    (void)pthread_mutex_unlock(&feed->mutex);
    return slot;
}

void mr_feed_slot_give(struct mr_band_feed *feed, struct feed_slot *slot)
{
    (void)pthread_mutex_lock(&feed->mutex);
    feed->free_slots[feed->n_free++] = slot;
    (void)pthread_mutex_unlock(&feed->mutex);
}

enum mr_status mr_feed_slot_begin(const struct mr_band_feed *feed, uint32_t band,
                                  struct feed_slot *slot, struct mr_error *err)
{
    memset(slot->in_degrees, 0,
           feed->n_classes * mr_feed_band_width(feed) * sizeof *slot->in_degrees);
    for (unsigned c = 0; c < feed->n_classes; c++) {
        mr_band_writer_begin(slot->writers[c], band);
    }
    if (slot->weighted != NULL) {
        memset(slot->in_strengths, 0, mr_feed_band_width(feed) * sizeof *slot->in_strengths);
        mr_band_writer_begin(slot->weighted, band);
    }
    return feed->base != NULL && band < mr_store_info(feed->base)->n_bands
               ? mr_degree_reader_band(slot->before, MR_DEGREES_IN, band, slot->in_degrees, err)
               : MR_OK;
}

enum mr_status mr_feed_slot_end(struct mr_band_feed *feed, uint32_t band, struct feed_slot *slot,
                                struct mr_error *err)
{
    const uint32_t width = mr_edge_grid_width(feed->grid, band);
    uint32_t *all = slot->in_degrees, *internal = all + mr_feed_band_width(feed);
    enum mr_status status = MR_OK;
    for (unsigned c = 0; c < feed->n_classes && status == MR_OK; c++) {
        status = mr_store_writer_end_band(feed->store, slot->writers[c], err);
    }
    if (status == MR_OK) {
        status = mr_store_writer_in_degrees(feed->store, 0, band, all, width, err);
    }
    if (status == MR_OK && slot->weighted != NULL) {
        struct mr_store_writer *weights = mr_store_writer_weights(feed->store);
        status = mr_store_writer_end_band(weights, slot->weighted, err);
        if (status == MR_OK) {
            status =
                mr_store_writer_in_strengths(weights, band, all, slot->in_strengths, width, err);
        }
    }
    if (status != MR_OK || feed->classes == NULL) {
        return status;
    }
    for (uint32_t i = 0; i < width; i++) {
        all[i] -= internal[i];
    }
    status = mr_store_writer_in_degrees(feed->store, 1 + MR_LINK_EXTERNAL, band, all, width, err);
    return status == MR_OK ? mr_store_writer_in_degrees(feed->store, 1 + MR_LINK_INTERNAL, band,
                                                        internal, width, err)
                           : status;
}
