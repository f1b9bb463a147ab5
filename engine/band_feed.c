#include "engine/band_feed.h"

#include <assert.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "engine/bytes.h"
#include "engine/degree_reader.h"
#include "engine/format.h"
#include "engine/memory.h"
#include "engine/team.h"

/* Blocks taken together: writes of a MiB. */
#define TAKE_BYTES ((uint64_t)1 << 20)

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

/* For the array's descriptions of its blocks. */
#define PENDING_EXTRA_BYTES ((uint64_t)64 << 10)

/* Keys are given to a band writer as they lie together, 128 at most: they seal one block at most, so that
 * what waits is looked at often enough. Links with weights go to their writer so many at a time from the beginning of each tile: how it writes
 * them depends on what it gets together. */
enum { BATCH_KEYS = 16384 };

struct batch {
    uint32_t keys[BATCH_KEYS];
    float weights[BATCH_KEYS];
};

struct slot {
    struct mr_band_writer *writers[MR_CLASSES_MAX]; /* of each class */
    struct mr_degree_reader *before; /* in-degrees go on from these; or NULL */
    uint32_t *in_degrees; /* [vertices of a band]; with classes then those of internal links */
    uint32_t *split; /* with classes: [2 * BATCH_KEYS], external and internal keys of a batch */
    struct mr_band_writer *weighted; /* of the weighted set, NULL without weights */
    double *in_strengths; /* likewise; [vertices of a band] */
    struct batch *batch; /* likewise */
};

struct mr_band_feed {
    const struct mr_context *context;
    struct mr_store_writer *store;
    struct mr_store *base; /* or NULL */
    const struct mr_edge_grid *grid;
    const struct mr_feed_classes *classes; /* or NULL */
    unsigned n_classes;
    struct slot *slots; /* [n_slots] */
    unsigned n_slots;
    unsigned n_sets; /* of links: 1, or 2 with weights */
    uint64_t pending_bytes; /* room for one writer's waiting blocks */
    uint64_t burst_bytes; /* of it for those that come at once */
    uint64_t n_edges_done; /* for progress; guarded by the turn */
    struct slot *carried; /* of the band that the last piece left unfinished, or NULL */

    pthread_mutex_t mutex; /* guards what follows; `turn` is read without it, too */
    pthread_cond_t turned;
    bool has_mutex, has_condition;
    _Atomic uint32_t turn; /* the first band not yet written completely */
    struct slot **free_slots;
    unsigned n_free;
};

/* ---- Making it ---- */

/* Vertices of a band, at most. */
static uint64_t band_width(const struct mr_band_feed *feed)
{
    return mr_max_u64(1, mr_min_u64(feed->grid->n_vertices, (uint64_t)1 << feed->grid->band_bits));
}

static enum mr_status make_slot(struct mr_band_feed *feed, const struct mr_band_shape *shape,
                                struct slot *slot, struct mr_error *err)
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
        status =
            mr_memory_alloc(memory, "in-degrees",
                            feed->n_classes * band_width(feed) * sizeof(uint32_t), &pointer, err);
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
            status = mr_memory_alloc(memory, "in-strengths", band_width(feed) * sizeof(double),
                                     &pointer, err);
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

static enum mr_status make_slots(struct mr_band_feed *feed, const struct mr_band_shape *shape,
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

enum mr_status mr_band_feed_create(const struct mr_context *context, struct mr_store_writer *store,
                                   const struct mr_band_shape *shape,
                                   const struct mr_edge_grid *grid,
                                   const struct mr_feed_classes *classes, struct mr_store *base,
                                   struct mr_band_feed **out, struct mr_error *err)
{
    *out = NULL;
    struct mr_band_feed *feed = calloc(1, sizeof *feed);
    if (feed == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for encoding");
    }
    enum mr_status status = MR_OK;
    feed->context = context;
    feed->store = store;
    feed->base = base;
    feed->grid = grid;
    feed->classes = classes;
    feed->n_classes = classes != NULL ? MR_CLASSES_MAX : 1;
    feed->slots = calloc(context->threads, sizeof *feed->slots);
    feed->free_slots = calloc(context->threads, sizeof(struct slot *));
    feed->has_mutex = pthread_mutex_init(&feed->mutex, NULL) == 0;
    feed->has_condition = pthread_cond_init(&feed->turned, NULL) == 0;
    if (feed->slots == NULL || feed->free_slots == NULL || !feed->has_mutex ||
        !feed->has_condition) {
        status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for encoding");
    }
    if (status == MR_OK) {
        status = make_slots(feed, shape, err);
    }
    if (status != MR_OK) {
        mr_band_feed_destroy(feed);
        return status;
    }
    *out = feed;
    return MR_OK;
}

void mr_band_feed_destroy(struct mr_band_feed *feed)
{
    if (feed == NULL) {
        return;
    }
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
    if (feed->has_condition) {
        (void)pthread_cond_destroy(&feed->turned);
    }
    if (feed->has_mutex) {
        (void)pthread_mutex_destroy(&feed->mutex);
    }
    free(feed->free_slots);
    free(feed->slots);
    free(feed);
}

uint64_t mr_band_feed_pending_bytes(const struct mr_band_feed *feed)
{
    return (uint64_t)feed->n_slots * feed->n_sets * feed->n_classes *
           (feed->pending_bytes + PENDING_EXTRA_BYTES);
}

/* ---- Turns: the store takes bands in order ---- */

static bool is_turn_of(struct mr_band_feed *feed, uint32_t band)
{
    return atomic_load_explicit(&feed->turn, memory_order_acquire) == band;
}

/* False when somebody failed meanwhile. Never deadlocks: bands are handed out in order, so the one
 * whose turn it is has a thread, and that one does not wait. */
static bool wait_for_turn(struct mr_band_feed *feed, const struct mr_team *team, uint32_t band)
{
    (void)pthread_mutex_lock(&feed->mutex);
    while (!is_turn_of(feed, band) && !mr_team_failed(team)) {
        (void)pthread_cond_wait(&feed->turned, &feed->mutex);
    }
    (void)pthread_mutex_unlock(&feed->mutex);
    return !mr_team_failed(team);
}

static void pass_turn(struct mr_band_feed *feed, uint32_t next)
{
    (void)pthread_mutex_lock(&feed->mutex);
    atomic_store_explicit(&feed->turn, next, memory_order_release);
    (void)pthread_cond_broadcast(&feed->turned);
    (void)pthread_mutex_unlock(&feed->mutex);
}

static struct slot *take_slot(struct mr_band_feed *feed)
{
    (void)pthread_mutex_lock(&feed->mutex);
    assert(feed->n_free > 0);
    struct slot *slot = feed->free_slots[--feed->n_free];
    (void)pthread_mutex_unlock(&feed->mutex);
    return slot;
}

static void give_slot(struct mr_band_feed *feed, struct slot *slot)
{
    (void)pthread_mutex_lock(&feed->mutex);
    feed->free_slots[feed->n_free++] = slot;
    (void)pthread_mutex_unlock(&feed->mutex);
}

/* ---- Encoding ---- */

struct feeding {
    struct mr_band_feed *feed;
    const struct mr_edge_plan *plan;
    const struct mr_sorted_piece *sorted;
    struct mr_team team;
    uint32_t first_band, end_band;
    bool begins, completes;
    struct slot *carried; /* of the first band, unless it begins here */
};

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
    if (!is_turn_of(feed, band)) {
        if (pending < feed->pending_bytes - feed->burst_bytes) {
            return MR_OK;
        }
        if (!wait_for_turn(feed, &feeding->team, band)) {
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
static const uint32_t *next_links(const struct feeding *feeding, struct slot *slot,
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
static void split_classes(const struct mr_band_feed *feed, uint32_t band, const struct slot *slot,
                          uint32_t stripe, const uint32_t *keys, uint32_t n_keys,
                          uint32_t n[MR_CLASSES_MAX])
{
    const unsigned band_bits = feed->grid->band_bits;
    const uint32_t mask = ((uint32_t)1 << band_bits) - 1;
    const uint64_t first_source = (uint64_t)stripe << feed->grid->stripe_bits;
    const uint32_t *sources = feed->classes->groups + first_source;
    const uint32_t *targets = feed->classes->groups + ((uint64_t)band << band_bits);
    uint32_t *out_degrees = feed->classes->out_degrees + first_source;
    uint32_t *in_degrees = slot->in_degrees + band_width(feed);

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
static enum mr_status feed_tile(struct feeding *feeding, uint32_t band, struct slot *slot,
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

static enum mr_status feed_buckets(struct feeding *feeding, uint32_t band, struct slot *slot,
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

/* Whoever has the turn reports: one thread at a time. */
static void report(struct feeding *feeding, uint64_t n_edges)
{
    struct mr_band_feed *feed = feeding->feed;
    const struct mr_context *context = feed->context;
    const struct mr_edge_piece *last = &feeding->plan->pieces[feeding->plan->n_pieces - 1];
    feed->n_edges_done += n_edges;
    if (context->progress == NULL) {
        return;
    }
    const struct mr_progress progress = {
        .stage = "encode",
        .done = feed->n_edges_done,
        .total = last->first_edge + last->n_edges,
        .unit = "edges",
        .edges = feed->n_edges_done,
        .error_bound = -1,
    };
    context->progress(context->progress_data, &progress);
}

/* Blocks and in-degrees of a band that is complete, into the store; the turn is the band's. */
static enum mr_status end_band(struct mr_band_feed *feed, uint32_t band, struct slot *slot,
                               struct mr_error *err)
{
    const uint32_t width = mr_edge_grid_width(feed->grid, band);
    uint32_t *all = slot->in_degrees, *internal = all + band_width(feed);
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

/* A slot for a band that begins. */
static enum mr_status begin_band(const struct mr_band_feed *feed, uint32_t band, struct slot *slot,
                                 struct mr_error *err)
{
    memset(slot->in_degrees, 0, feed->n_classes * band_width(feed) * sizeof *slot->in_degrees);
    for (unsigned c = 0; c < feed->n_classes; c++) {
        mr_band_writer_begin(slot->writers[c], band);
    }
    if (slot->weighted != NULL) {
        memset(slot->in_strengths, 0, band_width(feed) * sizeof *slot->in_strengths);
        mr_band_writer_begin(slot->weighted, band);
    }
    return feed->base != NULL && band < mr_store_info(feed->base)->n_bands
               ? mr_degree_reader_band(slot->before, MR_DEGREES_IN, band, slot->in_degrees, err)
               : MR_OK;
}

static enum mr_status feed_band(struct feeding *feeding, uint32_t band, struct mr_error *err)
{
    struct mr_band_feed *feed = feeding->feed;
    bool is_carried = band == feeding->first_band && !feeding->begins;
    bool goes_on = band + 1 == feeding->end_band && !feeding->completes;
    struct slot *slot = is_carried ? feeding->carried : take_slot(feed);
    uint64_t n_edges = 0;

    enum mr_status status = is_carried ? MR_OK : begin_band(feed, band, slot, err);
    if (status == MR_OK) {
        status = feed_buckets(feeding, band, slot, &n_edges, err);
    }
    if (status == MR_OK && goes_on) {
        feed->carried = slot; /* for the next piece */
        if (wait_for_turn(feed, &feeding->team, band)) {
            report(feeding, n_edges);
        }
        return MR_OK;
    }
    for (unsigned c = 0; c < feed->n_classes && status == MR_OK; c++) {
        status = mr_band_writer_end(slot->writers[c], err);
    }
    if (status == MR_OK && slot->weighted != NULL) {
        status = mr_band_writer_end(slot->weighted, err);
    }
    if (status == MR_OK && wait_for_turn(feed, &feeding->team, band)) {
        status = end_band(feed, band, slot, err);
        if (status == MR_OK) {
            report(feeding, n_edges);
            pass_turn(feed, band + 1);
        }
    }
    give_slot(feed, slot);
    return status;
}

enum mr_status mr_band_feed_piece(struct mr_band_feed *feed, const struct mr_edge_plan *plan,
                                  const struct mr_sorted_piece *sorted, struct mr_error *err)
{
    struct feeding feeding = {
        .feed = feed, .plan = plan, .sorted = sorted, .carried = feed->carried};
    mr_edge_plan_bands(plan, sorted->piece, &feeding.first_band, &feeding.end_band, &feeding.begins,
                       &feeding.completes);
    enum mr_status status =
        mr_team_begin(&feeding.team, feed->context, feeding.end_band - feeding.first_band, err);
    if (status != MR_OK) {
        return status;
    }
#pragma omp parallel num_threads((int)feed->n_slots)
    {
        struct mr_error error = {.status = MR_OK};
        uint64_t job;
        while (mr_team_next(&feeding.team, &job)) {
            enum mr_status failure =
                feed_band(&feeding, feeding.first_band + (uint32_t)job, &error);
            if (failure != MR_OK) {
                mr_team_fail(&feeding.team, failure, &error);
            }
        }
        if (mr_team_failed(&feeding.team)) { /* wake those who wait for a turn that never comes */
            (void)pthread_mutex_lock(&feed->mutex);
            (void)pthread_cond_broadcast(&feed->turned);
            (void)pthread_mutex_unlock(&feed->mutex);
        }
    }
    return mr_team_end(&feeding.team, err);
}
