/* The links of a band, tile by tile, to its writers: counted, told apart by class, with their weights. */
#include <assert.h>
#include <string.h>

#include "engine/build/writer/band_feed_internal.h"

/* Blocks taken together: writes of a MiB. */
#define TAKE_BYTES ((uint64_t)1 << 20)

/* Keep what waits within bounds: write it where the band may, else wait until it may. */
static enum mr_status drain(struct feeding *feeding, uint32_t band, struct mr_band_writer *writer,
                            struct mr_band_writer *weighted, struct mr_error *err)
{
    struct mr_band_feed *feed = feeding->feed;
    uint64_t pending = mr_band_writer_pending_bytes(writer);
    if (weighted != NULL) {
        pending = mr_max_u64(pending, mr_band_writer_pending_bytes(weighted));
    }
    if (pending < mr_min_u64(TAKE_BYTES, feed->pending_bytes - feed->burst_bytes)) {
        return MR_OK;
    }
    if (!mr_feed_is_turn_of(feed, band)) {
        if (pending < feed->pending_bytes - feed->burst_bytes) {
            return MR_OK;
        }
        if (!mr_feed_wait_for_turn(feed, &feeding->team, band)) {
            return MR_OK; /* the failure is recorded, and the loop ends with it */
        }
    }
    enum mr_status status = mr_store_writer_take(feed->store, writer, err);
    if (status == MR_OK && weighted != NULL) {
        status = mr_store_writer_take(mr_store_writer_weights(feed->store), weighted, err);
    }
    return status;
}

/* False when a degree overflows. */
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

/* Links of a tile, from the one at `at` of its bucket on, up to n_left of them: all that lie together, or,
 * with weights, BATCH_KEYS. Returns their keys, `*weights`, or NULL, and how many there are. */
static const uint32_t *next_links(const struct feeding *feeding, struct feed_slot *slot,
                                  const struct mr_edge_bucket *bucket, uint32_t at, uint32_t n_left,
                                  const float **weights, uint32_t *n_links)
{
    uint32_t n;
    *weights = NULL;
    if (slot->weighted == NULL) {
        const uint32_t *keys = mr_sorted_piece_keys(feeding->sorted, bucket, at, &n);
        *n_links = n < n_left ? n : n_left;
        return keys;
    }
    *n_links = n_left < BATCH_KEYS ? n_left : BATCH_KEYS;
    for (uint32_t done = 0; done < *n_links; done += n) {
        const uint32_t *keys = mr_sorted_piece_keys(feeding->sorted, bucket, at + done, &n);
        n = n < *n_links - done ? n : *n_links - done;
        memcpy(slot->batch->keys + done, keys, n * sizeof *keys);
        memcpy(slot->batch->weights + done,
               mr_sorted_piece_weights(feeding->sorted, bucket, at + done), n * sizeof **weights);
    }
    *weights = slot->batch->weights;
    return slot->batch->keys;
}

/* The keys of external links to split[0..], those of internal ones to split[BATCH_KEYS..], in their order;
 * `n` gets how many there are. Degrees of internal links are counted: a part of what all links have, they
 * do not overflow. Other bands may have links from the same sources. */
static void split_classes(const struct mr_band_feed *feed, uint32_t band,
                          const struct feed_slot *slot, uint32_t stripe, const uint32_t *keys,
                          uint32_t n_keys, uint32_t n[MR_CLASSES_MAX])
{
    const unsigned band_bits = feed->grid->band_bits;
    const uint32_t mask = ((uint32_t)1 << band_bits) - 1;
    const uint64_t first_source = (uint64_t)stripe << feed->grid->stripe_bits;
    const uint32_t *sources = feed->classes->groups + first_source;
    const uint32_t *targets = feed->classes->groups + ((uint64_t)band << band_bits);
    uint32_t *out_degrees = feed->classes->out_degrees + first_source;
    uint32_t *in_degrees = slot->in_degrees + mr_feed_band_width(feed);

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

static enum mr_status feed_class(struct feeding *feeding, uint32_t band,
                                 struct mr_band_writer *writer, uint32_t stripe,
                                 const uint32_t *keys, uint32_t n_keys, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    if (n_keys > 0) {
        status = mr_band_writer_add(writer, stripe, keys, n_keys, err);
    }
    return status == MR_OK ? drain(feeding, band, writer, NULL, err) : status;
}

/* A tile's keys are those of `bucket` from the one at `at` on. */
static enum mr_status feed_tile(struct feeding *feeding, uint32_t band, struct feed_slot *slot,
                                uint32_t stripe, const struct mr_edge_bucket *bucket, uint32_t at,
                                uint32_t n_keys, struct mr_error *err)
{
    uint32_t mask = ((uint32_t)1 << feeding->feed->grid->band_bits) - 1;
    for (uint32_t done = 0; done < n_keys && !mr_team_failed(&feeding->team);) {
        uint32_t batch;
        const float *weights;
        const uint32_t *keys =
            next_links(feeding, slot, bucket, at + done, n_keys - done, &weights, &batch);
        if (!count_targets(keys, batch, mask, slot->in_degrees)) {
            return mr_error_set(err, MR_ERROR_INPUT,
                                "a vertex has more than 4294967295 in-links, counting duplicates; "
                                "merge them");
        }
        enum mr_status status = MR_OK;
        if (feeding->feed->classes == NULL) {
            status = mr_band_writer_add(slot->writers[0], stripe, keys, batch, err);
            if (status == MR_OK && slot->weighted != NULL) {
                add_strengths(keys, weights, batch, mask, slot->in_strengths);
                status =
                    mr_band_writer_add_weighted(slot->weighted, stripe, keys, weights, batch, err);
            }
            if (status == MR_OK) {
                status = drain(feeding, band, slot->writers[0], slot->weighted, err);
            }
        } else {
            uint32_t n[MR_CLASSES_MAX];
            assert(batch <= BATCH_KEYS);
            split_classes(feeding->feed, band, slot, stripe, keys, batch, n);
            for (unsigned c = 0; c < MR_CLASSES_MAX && status == MR_OK; c++) {
                status = feed_class(feeding, band, slot->writers[c], stripe,
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

/* The first bucket of the piece whose band is at least `band`. */
static uint64_t find_bucket(const struct mr_sorted_piece *sorted, uint32_t band)
{
    uint64_t low = 0, high = sorted->piece->n_buckets;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (sorted->buckets[middle].band < band) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

enum mr_status mr_feed_band_links(struct feeding *feeding, uint32_t band, struct feed_slot *slot,
                                  uint64_t *n_edges, struct mr_error *err)
{
    const struct mr_sorted_piece *sorted = feeding->sorted;
    uint64_t end = find_bucket(sorted, band + 1);
    for (uint64_t b = find_bucket(sorted, band); b < end; b++) {
        const struct mr_edge_bucket *bucket = &sorted->buckets[b];
        const struct mr_tile_run *run = sorted->runs + bucket->first_run;
        uint32_t at = 0;
        for (uint32_t i = 0; i < bucket->n_runs; i++, run++) {
            uint32_t stripe = mr_edge_grid_stripe(feeding->feed->grid, band, run->order);
            enum mr_status status =
                feed_tile(feeding, band, slot, stripe, bucket, at, run->n_keys, err);
            if (status != MR_OK) {
                return status;
            }
            at += run->n_keys;
        }
        *n_edges += bucket->n_edges;
    }
    return MR_OK;
}
