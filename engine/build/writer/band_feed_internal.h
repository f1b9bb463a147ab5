/* What the parts of the feed share. Internal to the engine.
 *
 *     band_feed.c         bands in turn: who encodes which, and when it is written
 *     band_feed_slots.c   what a thread needs for a band, and how much of it the memory allows
 *     band_feed_tiles.c   the links of a band, tile by tile, to its writers
 */
#ifndef MR_ENGINE_BUILD_WRITER_BAND_FEED_INTERNAL_H
#define MR_ENGINE_BUILD_WRITER_BAND_FEED_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/base/bytes.h"
#include "engine/base/team.h"
#include "engine/build/writer/band_feed.h"
#include "engine/scan/degree_reader.h"

/* For the array's descriptions of its blocks. */
#define PENDING_EXTRA_BYTES ((uint64_t)64 << 10)

/* Keys are given to a band writer as they lie together, 128 at most: they seal one block at most, so that
 * what waits is looked at often enough. Links with weights go to their writer so many at a time from the
 * beginning of each tile: how it writes them depends on what it gets together. */
enum { BATCH_KEYS = 16384 };

struct feed_batch {
    uint32_t keys[BATCH_KEYS];
    float weights[BATCH_KEYS];
};

struct feed_slot {
    struct mr_band_writer *writers[MR_CLASSES_MAX]; /* of each class */
    struct mr_degree_reader *before; /* in-degrees go on from these; or NULL */
    uint32_t *in_degrees; /* [vertices of a band]; with classes then those of internal links */
    uint32_t *split; /* with classes: [2 * BATCH_KEYS], external and internal keys of a batch */
    struct mr_band_writer *weighted; /* of the weighted set, NULL without weights */
    double *in_strengths; /* likewise; [vertices of a band] */
    struct feed_batch *batch; /* likewise */
};

struct mr_band_feed {
    const struct mr_context *context;
    struct mr_store_writer *store;
    struct mr_store *base; /* or NULL */
    const struct mr_edge_grid *grid;
    const struct mr_feed_classes *classes; /* or NULL */
    unsigned n_classes;
    struct feed_slot *slots; /* [n_slots] */
    unsigned n_slots;
    unsigned n_sets; /* of links: 1, or 2 with weights */
    uint64_t pending_bytes; /* room for one writer's waiting blocks */
    uint64_t burst_bytes; /* of it for those that come at once */
    uint64_t n_edges_done; /* for progress; guarded by the turn */
    struct feed_slot *carried; /* of the band that the last piece left unfinished, or NULL */

    pthread_mutex_t mutex; /* guards what follows; `turn` is read without it, too */
    pthread_cond_t turned;
    bool has_mutex, has_condition;
    _Atomic uint32_t turn; /* the first band not yet written completely */
    struct feed_slot **free_slots;
    unsigned n_free;
};

struct feeding {
    struct mr_band_feed *feed;
    const struct mr_edge_plan *plan;
    const struct mr_sorted_piece *sorted;
    struct mr_team team;
    uint32_t first_band, end_band;
    bool begins, completes;
    struct feed_slot *carried; /* of the first band, unless it begins here */
};

/* Vertices of a band, at most. */
static inline uint64_t mr_feed_band_width(const struct mr_band_feed *feed)
{
    return mr_max_u64(1, mr_min_u64(feed->grid->n_vertices, (uint64_t)1 << feed->grid->band_bits));
}

/* ---- Turns: the store takes bands in order ---- */

static inline bool mr_feed_is_turn_of(struct mr_band_feed *feed, uint32_t band)
{
    return atomic_load_explicit(&feed->turn, memory_order_acquire) == band;
}

/* Wait until the band may be written. False when somebody failed meanwhile. Never deadlocks: bands are handed out in order, so the one whose turn it is has a thread, and that one
 * does not wait. */
static inline bool mr_feed_wait_for_turn(struct mr_band_feed *feed, const struct mr_team *team,
                                         uint32_t band)
{
    (void)pthread_mutex_lock(&feed->mutex);
    while (!mr_feed_is_turn_of(feed, band) && !mr_team_failed(team)) {
        (void)pthread_cond_wait(&feed->turned, &feed->mutex);
    }
    (void)pthread_mutex_unlock(&feed->mutex);
    return !mr_team_failed(team);
}

/* band_feed_slots.c */
/* One slot per thread, or as many as a quarter of the memory left allows, and the room for what waits. */
enum mr_status mr_feed_slots_create(struct mr_band_feed *feed, const struct mr_band_shape *shape,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_feed_slots_destroy(struct mr_band_feed *feed);
struct feed_slot *mr_feed_slot_take(struct mr_band_feed *feed);
void mr_feed_slot_give(struct mr_band_feed *feed, struct feed_slot *slot);
/* A slot for a band that begins. */
enum mr_status mr_feed_slot_begin(const struct mr_band_feed *feed, uint32_t band,
                                  struct feed_slot *slot, struct mr_error *err) MR_WARN_UNUSED;
/* Blocks and in-degrees of a band that is complete, into the store; the turn is the band's. */
enum mr_status mr_feed_slot_end(struct mr_band_feed *feed, uint32_t band, struct feed_slot *slot,
                                struct mr_error *err) MR_WARN_UNUSED;

/* band_feed_tiles.c */
/* What the piece has of a band, to the slot's writers; `*n_edges` counts on. */
enum mr_status mr_feed_band_links(struct feeding *feeding, uint32_t band, struct feed_slot *slot,
                                  uint64_t *n_edges, struct mr_error *err) MR_WARN_UNUSED;

#endif
