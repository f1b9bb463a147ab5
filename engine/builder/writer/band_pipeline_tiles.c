/* SPDX-License-Identifier: Apache-2.0 */
/* Passes the edges of one band to its band writers, tile by tile. On the way it counts in-degrees,
 * separates edges by class, and adds up strengths. It also checks how many bytes wait, so that they
 * stay within the limit of the slot. */
#include <assert.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/builder/writer/band_pipeline_internal.h"

/* A thread that has the turn writes when this many bytes wait, so that one write has about a
 * MiB. */
#define TAKE_BYTES ((uint64_t)1 << 20)

/* Keep the waiting bytes below their limit: write them if the band has the turn, else wait for the
 * turn once the limit is reached. */
static enum mr_status drain(struct piece_work *work, uint32_t band, struct mr_band_writer *writer,
                            struct mr_band_writer *weighted, struct mr_error *err)
{
    struct mr_band_pipeline *pipeline = work->pipeline;
    uint64_t pending = mr_band_writer_pending_bytes(writer);
    if (weighted != NULL) {
        pending = mr_max_u64(pending, mr_band_writer_pending_bytes(weighted));
    }
    if (pending < mr_min_u64(TAKE_BYTES, pipeline->pending_bytes - pipeline->burst_bytes)) {
        return MR_OK;
    }
    if (!mr_pipeline_is_turn_of(work, band)) {
        if (pending < pipeline->pending_bytes - pipeline->burst_bytes) {
            return MR_OK;
        }
        if (!mr_pipeline_await_turn(work, band)) {
            return MR_OK; /* another thread failed and recorded it; the loops end */
        }
    }
    enum mr_status status = mr_store_writer_add_blocks(pipeline->store, writer, err);
    if (status == MR_OK && weighted != NULL) {
        status =
            mr_store_writer_add_blocks(mr_store_writer_weights(pipeline->store), weighted, err);
    }
    return status;
}

/* Returns false when a degree overflows. */
static bool count_targets(const uint32_t *restrict keys, uint32_t n_keys, uint32_t mask,
                          uint32_t *restrict degrees)
{
    bool overflowed = false;
    for (uint32_t i = 0; i < n_keys; i++) {
        overflowed |= ++degrees[keys[i] & mask] == 0;
    }
    return !overflowed;
}

static void add_strengths(const uint32_t *restrict keys, const float *restrict weights,
                          uint32_t n_keys, uint32_t mask, double *restrict strengths)
{
    for (uint32_t i = 0; i < n_keys; i++) {
        strengths[keys[i] & mask] += (double)weights[i];
    }
}

/* Find the next edges of a tile, at most n_left. `at` is the position of the first one in its
 * bucket. Without weights these are all edges that lie together in memory; with weights, up to
 * BATCH_KEYS edges, copied. Returns their keys, and sets `*weights` (or NULL) and the number of
 * edges. */
static const uint32_t *next_links(const struct piece_work *work, struct pipeline_slot *slot,
                                  const struct mr_edge_bucket *bucket, uint32_t at, uint32_t n_left,
                                  const float **weights, uint32_t *n_links)
{
    uint32_t n;
    *weights = NULL;
    if (slot->weighted == NULL) {
        const uint32_t *keys = mr_sorted_piece_keys(work->sorted, bucket, at, &n);
        *n_links = n < n_left ? n : n_left;
        return keys;
    }
    *n_links = n_left < BATCH_KEYS ? n_left : BATCH_KEYS;
    for (uint32_t done = 0; done < *n_links; done += n) {
        const uint32_t *keys = mr_sorted_piece_keys(work->sorted, bucket, at + done, &n);
        n = n < *n_links - done ? n : *n_links - done;
        memcpy(slot->batch->keys + done, keys, n * sizeof *keys);
        memcpy(slot->batch->weights + done,
               mr_sorted_piece_weights(work->sorted, bucket, at + done), n * sizeof **weights);
    }
    *weights = slot->batch->weights;
    return slot->batch->keys;
}

/* Copy the keys of external edges to split[0..] and those of internal edges to split[BATCH_KEYS..],
 * in order; `n` gets the two numbers. Also counts the degrees of internal edges. These do not
 * overflow, since the degrees of all edges do not. The additions to out_degrees are atomic: other
 * bands may have edges from the same sources. */
static void split_classes(const struct mr_band_pipeline *pipeline, uint32_t band,
                          const struct pipeline_slot *slot, uint32_t stripe, const uint32_t *keys,
                          uint32_t n_keys, uint32_t n[MR_CLASSES_MAX])
{
    const unsigned band_bits = pipeline->grid->band_bits;
    const uint32_t mask = ((uint32_t)1 << band_bits) - 1;
    const uint64_t first_source = (uint64_t)stripe << pipeline->grid->stripe_bits;
    const uint32_t *sources = pipeline->groups + first_source;
    const uint32_t *targets = pipeline->groups + ((uint64_t)band << band_bits);
    uint32_t *out_degrees = pipeline->internal_out + first_source;
    uint32_t *in_degrees = slot->in_degrees + mr_pipeline_band_width(pipeline);

    n[MR_LINK_EXTERNAL] = n[MR_LINK_INTERNAL] = 0;
    for (uint32_t i = 0; i < n_keys; i++) {
        const uint32_t source = keys[i] >> band_bits, target = keys[i] & mask;
        const unsigned c = sources[source] == targets[target] ? MR_LINK_INTERNAL : MR_LINK_EXTERNAL;
        slot->split[c * BATCH_KEYS + n[c]++] = keys[i];
        if (c == MR_LINK_INTERNAL) {
            in_degrees[target]++;
            (void)__atomic_fetch_add(&out_degrees[source], 1, __ATOMIC_RELAXED);
        }
    }
}

static enum mr_status encode_class(struct piece_work *work, uint32_t band,
                                   struct mr_band_writer *writer, uint32_t stripe,
                                   const uint32_t *keys, uint32_t n_keys, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    if (n_keys > 0) {
        status = mr_band_writer_add(writer, stripe, keys, n_keys, err);
    }
    return status == MR_OK ? drain(work, band, writer, NULL, err) : status;
}

/* The keys of the tile are those of `bucket` from position `at` on. */
static enum mr_status encode_tile(struct piece_work *work, uint32_t band,
                                  struct pipeline_slot *slot, uint32_t stripe,
                                  const struct mr_edge_bucket *bucket, uint32_t at, uint32_t n_keys,
                                  struct mr_error *err)
{
    uint32_t mask = ((uint32_t)1 << work->pipeline->grid->band_bits) - 1;
    for (uint32_t done = 0; done < n_keys && !mr_team_failed(work->team);) {
        uint32_t batch;
        const float *weights;
        const uint32_t *keys =
            next_links(work, slot, bucket, at + done, n_keys - done, &weights, &batch);
        if (!count_targets(keys, batch, mask, slot->in_degrees)) {
            return mr_error_set(err, MR_ERROR_INPUT,
                                "a page has more than 4294967295 in-links, counting duplicates; "
                                "merge them");
        }
        enum mr_status status = MR_OK;
        if (work->pipeline->groups == NULL) {
            status = mr_band_writer_add(slot->writers[0], stripe, keys, batch, err);
            if (status == MR_OK && slot->weighted != NULL) {
                add_strengths(keys, weights, batch, mask, slot->in_strengths);
                status =
                    mr_band_writer_add_weighted(slot->weighted, stripe, keys, weights, batch, err);
            }
            if (status == MR_OK) {
                status = drain(work, band, slot->writers[0], slot->weighted, err);
            }
        } else {
            uint32_t n[MR_CLASSES_MAX];
            assert(batch <= BATCH_KEYS);
            split_classes(work->pipeline, band, slot, stripe, keys, batch, n);
            for (unsigned c = 0; c < MR_CLASSES_MAX && status == MR_OK; c++) {
                status = encode_class(work, band, slot->writers[c], stripe,
                                      slot->split + c * BATCH_KEYS, n[c], err);
            }
        }
        if (status != MR_OK) {
            return status;
        }
        done += batch;
    }
    return MR_OK;
}

/* Index of the first bucket of the piece whose band is not below `band`. */
static uint64_t find_bucket(const struct mr_sorted_piece *sorted, uint32_t band)
{
    uint64_t low = 0, high = sorted->piece->n_buckets;
    MR_FIND_FIRST(low, high, middle, sorted->buckets[middle].band < band);
    return low;
}

enum mr_status mr_pipeline_encode_band(struct piece_work *work, uint32_t band,
                                       struct pipeline_slot *slot, uint64_t *n_edges,
                                       struct mr_error *err)
{
    const struct mr_sorted_piece *sorted = work->sorted;
    uint64_t end = find_bucket(sorted, band + 1);
    for (uint64_t b = find_bucket(sorted, band); b < end; b++) {
        const struct mr_edge_bucket *bucket = &sorted->buckets[b];
        const struct mr_tile_run *run = sorted->runs + bucket->first_run;
        uint32_t at = 0;
        for (uint32_t i = 0; i < bucket->n_runs; i++, run++) {
            uint32_t stripe = mr_edge_grid_stripe(work->pipeline->grid, band, run->order);
            enum mr_status status =
                encode_tile(work, band, slot, stripe, bucket, at, run->n_keys, err);
            if (status != MR_OK) {
                return status;
            }
            at += run->n_keys;
        }
        *n_edges += bucket->n_edges;
    }
    return MR_OK;
}
