/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the pass share. Internal to the engine.
 *
 * The work of a pass is a sequence of units: the segments of each band, the last one of a band with
 * the band's degrees added. Bands are in store order, in a relaxing run in that of its waves.
 * Workers claim units in order, ahead of the one they compute, so that its blocks are already on
 * their way.
 *
 *     pass.c          open, run, close; memory
 *     pin.c           what stays in memory
 *     kept.c          the pass that an open store keeps
 *     units.c         what the units of a band are
 *     order.c         who may start what: claims, waves, accumulators, segment sums
 *     worker.c        one thread: blocks in, kernels
 *     items.c         what a unit reads, and reads ahead
 *     band.c          the end of a band
 *     classes.c       links that count for less than one
 */
#ifndef MR_ENGINE_PASS_INTERNAL_H
#define MR_ENGINE_PASS_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/base/clock.h"
#include "engine/pass/pass.h"
#include "engine/store/block.h"
#include "engine/tile/apply.h"
#include "engine/tile/keys.h"
#include "engine/tile/rows.h"

/* Accumulators that only the lowest unfinished unit may take; see order.c. */
#define MR_ACCUMULATORS_KEPT 2u

/* Units that a worker holds: the one it computes, the next one, and while blocks come from disk as
 * many as fill its queue. With two in all, threads had 17 to 34 reads in flight over kron-22, whose
 * units are 17 blocks, and two to four over a crawl, however deep their queues. */
enum { CLAIMS_NEAR = 2, CLAIMS_AHEAD = 16 };

struct pass_unit {
    uint32_t band;
    uint32_t place; /* of the band, in the order of the run */
    uint32_t segment; /* 0-based in its band, those of the diagonal counted on */
    bool is_last; /* of its band */
};

/* A band between its first unit's start and its end. */
struct band_state {
    uint32_t n_segments; /* units of the band, at least 1 */
    uint32_t next_merge; /* segments before this one are in `sum` */
    bool merging; /* a thread is adding to `sum` outside the lock */
    void *sum; /* accumulator; NULL before the first merge */
    struct band_end *end; /* NULL before the last unit is complete */
    void **completed; /* [most_units]: accumulators waiting to be merged */
};

/* Everything under `lock`, but for what says otherwise. */
struct pass_order {
    pthread_mutex_t lock;
    pthread_cond_t changed;

    /* Bands by their places in the order of the run: the next unit to be claimed; those before
     * done_bands are finished. */
    uint32_t claim_band, claim_segment;
    uint32_t done_bands;
    bool *finished; /* [n_states] by place modulo n_states */
    struct band_state *states; /* [n_states] likewise */
    uint32_t n_states;
    uint32_t most_units; /* of any band */

    void **free_accumulators; /* stack */
    unsigned n_free;

    /* Places [wave_first, wave_end) may start; wave_done of them are finished. When all are, the
     * workers of a relaxing run add their steps to x, piece by piece, and the next wave begins. In
     * other runs one wave has all bands. */
    uint32_t wave_first, wave_end, wave_done;
    uint64_t next_piece, n_pieces, pieces_done;

    enum mr_status status; /* the first failure; stops everybody */
    struct mr_error error;
    atomic_bool stop; /* status != MR_OK, read without the lock */
};

/* What the end of a band needs besides the sums. The worker of the band's last unit reads it. The
 * worker that completes the sums finishes the band, so that nobody waits for earlier segments. */
struct band_end {
    uint32_t band, place;
    bool is_taken; /* from the start of the last unit until the band is finished; under the lock */
    struct mr_rows_room *rows; /* of the diagonal; NULL where no run sweeps, or all rows are kept */
    uint32_t *out_degree, *in_degree;
    double *out_strength, *in_strength; /* NULL where links have no weights */
};

#define MR_BAND_ENDS 2u /* per worker; one is enough for a lone one */

struct pass_worker {
    struct mr_pass *pass;
    struct mr_queue *queue; /* NULL: a pass that was kept has all in memory */
    struct mr_block_codec *codec;
    uint8_t *scratch; /* decompressed payload */
    struct mr_tile_applier *applier;
    struct band_end ends[MR_BAND_ENDS];
    unsigned n_ends;
    struct mr_rows_builder *rows; /* NULL where no run sweeps */
    double *relaxed; /* [1 << band_bits]: new values of a band; NULL where no run relaxes */
    double *gain; /* [1 << band_bits] */
    double *class_sum; /* accumulator of links that do not count 1; NULL where all do */
    double class_weight; /* what those in class_sum count; 0: there are none */
    uint64_t edge_visits, bytes_read, degree_bytes_read, blocks_skipped, wait_ns, idle_ns;
    /* of this run: the degrees that were decoded, and their sums modulo 2^32: in and out */
    uint64_t n_degrees[2];
    uint32_t degree_sums[2];
    uint64_t left_ns; /* when it had no more to do */
};

/* The tiles of a block of links, decoded: mr_decoded_head. */
struct decoded_block {
    const uint8_t *tiles;
    uint64_t n_bytes;
};

struct mr_pass {
    struct mr_kept kept; /* by the store, from when it is closed until one is opened again */
    struct mr_context made_for; /* then: a copy of the context */
    uint64_t bytes; /* of memory; 0: not all is made yet */
    struct mr_pass_figures opened; /* as they were when it was made */
    const struct mr_context *context;
    struct mr_store *store;
    const struct mr_store_info *info;
    const struct mr_band_entry *bands;
    const struct mr_block_entry *links, *degrees;
    struct mr_pass_options options;
    uint64_t band_width;
    const double *class_weights, *out_strengths; /* the store's; NULL where links count alike */
    double weight_scale; /* what a weight counts: 1, unless options.scales_weights */

    unsigned n_workers;
    unsigned n_running; /* threads of the current run */
    struct pass_worker *workers;
    uint8_t *accumulator_memory; /* theirs, and the totals of the workers */
    void **accumulators;
    unsigned n_accumulators;
    struct pass_order order;

    /* The ends, as numbers of blocks, of all but the last segment of each diagonal that is applied
     * once (units.c). Those of `band` begin at first_cut[band]. */
    uint64_t *cuts; /* [first_cut[n_bands]] */
    uint32_t *first_cut; /* [n_bands + 1] */

    uint8_t *pinned_links; /* the first bytes of the file of links */
    uint64_t pinned_blocks;
    struct decoded_block *decoded; /* [n_blocks], all links in decoded_memory; NULL: as above */
    uint8_t *decoded_memory;
    uint8_t *pinned_degrees; /* all of the file of degrees, or NULL */
    /* [n_bands << band_bits]: decoded, where everything is pinned and there is room; or NULL */
    uint32_t *out_degrees;
    /* [n_bands]: of diagonals, decoded to stay; n_vertices 0: this band's are not. NULL:
     * none */
    struct mr_rows *rows;
    uint8_t *row_memory;

    const struct mr_pass_task *run; /* the current one */
    uint32_t end_band; /* of the run; it begins with run->first_band */
    uint64_t vertex_bytes; /* of a vertex's value */
    uint32_t *active_before; /* [stripes + 1]: active stripes before each; NULL: none is skipped */
    struct mr_pass_figures figures;
};

/* The band at a place of the current run. */
static inline uint32_t mr_pass_band_of(const struct mr_pass *pass, uint32_t place)
{
    const uint32_t first = pass->run->first_band;
    return pass->run->relax
               ? first + mr_pass_band_at(pass->end_band - first, pass->run->wave, place - first)
               : place;
}

/* Are rows of this band swept in the current run? */
static inline bool mr_pass_sweeps(const struct mr_pass *pass, uint32_t band)
{
    return pass->run != NULL && pass->run->relax && pass->run->sweeps > 0 &&
           mr_rows_fit(pass->info, &pass->bands[band]);
}

/* Are they in memory? */
static inline bool mr_pass_keeps_rows(const struct mr_pass *pass, uint32_t band)
{
    return pass->rows != NULL && pass->rows[band].n_vertices > 0;
}

/* Where the out-degrees of the band of `end` are. */
static inline uint32_t *mr_out_degrees_of(const struct mr_pass *pass, const struct band_end *end)
{
    return pass->out_degrees == NULL
               ? end->out_degree
               : pass->out_degrees + ((size_t)end->band << pass->info->band_bits);
}

/* kept.c */
/* The pass that the store keeps, if it is as one that is opened now; or NULL. */
struct mr_pass *mr_pass_take_kept(const struct mr_context *context, struct mr_store *store,
                                  const struct mr_pass_options *options);
/* False: it is not kept, and is to be destroyed. */
bool mr_pass_keep(struct mr_pass *pass);

/* pin.c */
/* Keep in memory what fits into `available` bytes, and where all links do, decoded out-degrees.
 * Errors: as the blocks are. */
enum mr_status mr_pin(struct mr_pass *pass, uint64_t available,
                      struct mr_error *err) MR_WARN_UNUSED;
void mr_pin_destroy(struct mr_pass *pass);

/* units.c */
enum mr_status mr_units_create(struct mr_pass *pass, struct mr_error *err) MR_WARN_UNUSED;
void mr_units_destroy(struct mr_pass *pass);
/* Units of a band in the current run, or of any where there is none. At least 1. */
uint32_t mr_units_of(const struct mr_pass *pass, uint32_t band);
/* The off-diagonal blocks [first, end) of a unit, and those of the diagonal. */
void mr_unit_links(const struct mr_pass *pass, const struct pass_unit *unit, uint64_t *first,
                   uint64_t *end);
void mr_unit_diagonal(const struct mr_pass *pass, const struct pass_unit *unit, uint64_t *first,
                      uint64_t *end);

/* order.c */
enum mr_status mr_order_create(struct mr_pass *pass, uint32_t n_states,
                               struct mr_error *err) MR_WARN_UNUSED;
void mr_order_destroy(struct mr_pass *pass);
void mr_order_reset(struct mr_pass *pass);
/* The next unit, for a worker that holds n_held. False if none is left, or if another worker should
 * take it. */
bool mr_order_claim(struct mr_pass *pass, unsigned n_held, struct pass_unit *unit);
/* Wait until `unit` may start. Hands out a zeroed accumulator and, with the last unit of a band,
 * the band's end. In a relaxing run, a waiting worker helps to end the wave. False if the pass
 * stops. */
bool mr_order_start(struct pass_worker *worker, const struct pass_unit *unit, void **accumulator,
                    struct band_end **end);
/* The segment's accumulator is complete; it is merged in segment order. `end`: with the last unit.
 * True if the band is complete now: the caller then finishes `*done`, with `*sum`. */
bool mr_order_complete(struct mr_pass *pass, const struct pass_unit *unit, void *accumulator,
                       struct band_end *end, struct band_end **done, void **sum);
/* The band is done. */
void mr_order_finish(struct mr_pass *pass, struct band_end *end);
/* Relaxing, no more units: help to end waves until the pass is over. */
void mr_order_help_until_over(struct pass_worker *worker);
/* Record the first failure and stop everybody. */
void mr_order_fail(struct mr_pass *pass, enum mr_status status, const struct mr_error *error);

/* classes.c */
/* The accumulator for the links of `block` when those of its unit go to `accumulator`. */
void *mr_class_target(struct pass_worker *worker, const struct mr_block_entry *block,
                      void *accumulator);
/* Add what is still by itself: before the accumulator is looked at. */
void mr_class_flush(struct pass_worker *worker, void *accumulator);

/* band.c */
/* All of the sums of the band are there: relax it, and hand it to the algorithm. */
void mr_band_finish(struct pass_worker *worker, struct band_end *end, void *sum);
/* x += its steps, for vertices [first, end) of the band at a place of a wave that is done. */
void mr_band_take_steps(const struct mr_pass *pass, uint32_t place, uint64_t first, uint64_t end);

/* worker.c */
void mr_worker_run(struct pass_worker *worker);
/* A verified block of degrees, to the arrays of its band. `strengths` if links have weights; else
 * NULL. */
enum mr_status mr_worker_degrees(struct pass_worker *worker, const struct mr_block_header *header,
                                 const uint8_t *raw, const struct mr_block_entry *entry,
                                 uint32_t *degrees, double *strengths,
                                 struct mr_error *err) MR_WARN_UNUSED;
/* Collect the links of a block of the diagonal, for the rows of its band. */
enum mr_status mr_worker_collect(struct pass_worker *worker, uint32_t band,
                                 struct mr_tile_cursor *cursor, struct mr_error *err);

/* ---- items.c: what a unit reads, in order, and the claims ahead that keep its queue full. The
 * reading and the computing side walk the same sequence of items, each with its own cursor. ---- */

/* What a unit reads, in order: its segment's blocks, then with the last unit of a band the blocks
 * of the diagonal and the degrees asked for. */
enum item_kind { ITEM_LINKS, ITEM_DIAGONAL, ITEM_OUT_DEGREES, ITEM_IN_DEGREES, N_ITEM_KINDS };

struct item {
    enum item_kind kind;
    const struct mr_block_entry *entry;
    const uint8_t *pinned; /* NULL: from the queue */
    uint64_t n_bytes; /* there */
    bool is_decoded; /* pinned as tiles that are decoded already */
};

struct item_cursor {
    enum item_kind kind;
    uint64_t next; /* block in its file */
    uint64_t n_idle; /* blocks passed over so far */
    bool is_started;
};

struct claim {
    struct pass_unit unit;
    struct item_cursor read; /* pushed to the queue so far */
};

/* A pass begins with so many reads in flight per thread, and with each block that arrives there may
 * be one more, as far as the queue goes. Disks may say in bursts that reads are done: with all of a
 * small store asked for at once its first blocks come late. cnr-2000, 1.2 MB: cold passes take 7%
 * less, of keys alone, 4 MB, 16%; kron-22, 287 MB: no difference. */
enum { READS_AT_FIRST = 2 };

/* The units this worker holds: claim[0] is computed, the others only read. */
struct claims {
    struct claim claim[CLAIMS_AHEAD];
    unsigned count;
    unsigned reading; /* index of the one whose blocks are pushed next; count: none left to push */
    bool exhausted;
    unsigned window; /* reads in flight at most, never fewer than there are; see READS_AT_FIRST */
};

/* The next item of `unit`, or false. Blocks that are idle in this run are passed over. */
bool mr_items_next(const struct mr_pass *pass, const struct pass_unit *unit,
                   struct item_cursor *cursor, struct item *item);

/* The file of an item, and the graph it belongs to. */
struct mr_block_location mr_item_location(const struct mr_pass *pass, const struct item *item);

/* Keep the queue full: push the blocks of the units held, claiming ahead when they run out. */
enum mr_status mr_items_read(struct pass_worker *worker, struct claims *claims,
                             struct mr_error *err) MR_WARN_UNUSED;

/* Bytes of an item, verified and decompressed, until the next is opened; of decoded links the tiles
 * (mr_decoded_head), header->raw_bytes is then not set. Waits for the disk. Errors: CORRUPT,
 * RUNTIME, INTERRUPTED. */
enum mr_status mr_items_open(struct pass_worker *worker, struct claims *claims,
                             const struct item *item, uint32_t band, struct mr_block_header *header,
                             const uint8_t **raw, struct mr_error *err) MR_WARN_UNUSED;

/* Where the item behind `cursor` is or will be, in the unit that is computed or in the one claimed
 * next; false: nobody knows. */
bool mr_items_ahead(const struct pass_worker *worker, const struct claims *claims,
                    struct item_cursor cursor, struct item *item);

#endif
