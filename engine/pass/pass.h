/* SPDX-License-Identifier: Apache-2.0 */
/* The edge pass: one reading of all links, which carries every algorithm.
 *
 *     for each band:  acc[v] = sum of x[u] over the edges u -> v into the band;
 *                     the callback turns acc into whatever the algorithm wants
 *
 * Over a store that mr_store_open_weights opened, acc[v] is the sum of weight * x[u]. Values are
 * then float or double.
 *
 * Blocks stream from disk through one read queue per thread. A pinned prefix of them stays in
 * memory. Where memory has room, all links stay there decoded. There are two modes:
 *
 *     synchronous  x is constant during the pass. The callback may read acc and must not touch x.
 *     relaxing     Bands are cut into `wave` runs of the same length. The first wave has the first
 *                  band of each run, the second one the second, and so on, so that a band sees the
 *                  new values of its neighbour before it. All bands of a wave read the values from
 *                  before the wave, in any order and at the same time. The callback
 *                  leaves a band's steps, which are added to x when the wave is over. Inside a
 *                  band the links of the diagonal tile are swept row by row, each row from the
 *                  newest values of the band (engine/tile/rows.h). Waves and sweeps are part of
 *                  the arithmetic; the number of threads is not.
 *
 * The store fixes the order of all additions. The edges of a segment go to its accumulator in block
 * order; the accumulators of a band's segments are added in order. The diagonal tile goes to the
 * accumulator of the last off-diagonal segment. If it is applied once and has many links, the rest
 * of it has segments of its own. Where classes of links have weights, blocks in a row of a class
 * that does not count 1 have a sum of their own, which is added times the weight. So the same store
 * gives the same bits for any threads, memory and I/O back end. */
#ifndef MR_ENGINE_PASS_PASS_H
#define MR_ENGINE_PASS_PASS_H

#include "engine/base/value.h"
#include "engine/io/queue.h"
#include "engine/store/store.h"

struct mr_pass;

struct mr_pass_options {
    bool no_pinning; /* read every block from disk in every pass */
    /* Several passes will follow: where memory has room for all links at 4 bytes each (those in
     * corner tiles stay as they are), they are read, verified and decoded once, by all threads, and
     * stay decoded. The same sums. */
    bool decode_pinned;
    bool relaxes; /* runs may relax; else synchronous only */
    bool sweeps; /* and sweep rows */
    uint64_t leave_bytes; /* of the budget: left for what comes later, another pass for example */
    bool may_skip; /* runs may give active_stripes: 4 bytes per stripe */
    /* Values and steps are divided by strengths and kept as floats: weights and strengths near the
     * ends of a float are taken times a power of two (mr_pass_weight_scale). No product of a weight
     * or a strength is rounded by it. */
    bool scales_weights;
};

/* One band as a callback sees it. Arrays have n_vertices entries. */
struct mr_pass_band {
    uint32_t band;
    uint32_t first_vertex;
    uint32_t n_vertices;
    const uint32_t *out_degree; /* NULL unless asked for */
    const uint32_t *in_degree; /* NULL unless asked for */
    const double
        *out_strength; /* with out_degree, where links have weights: their sums; else NULL */
    const double *in_strength;
    const void *accumulator; /* double, or uint64_t with MR_VALUE_U64; NULL with degrees_only */
    const void *values; /* relaxing: the band's values in x; else NULL */
    const double *relaxed; /* relaxing: what they became; else NULL */
    float *steps; /* relaxing: the callback fills in what is to be added to values; else NULL */
};

/* Called from any thread, once per band; bands may run at the same time, so it writes only to what
 * belongs to the band. */
typedef void (*mr_pass_callback)(void *data, const struct mr_pass_band *band);

/* What a relaxation wants of a band: each of `sums` [n_vertices], which has the sum of the
 * values over links, becomes the new value with that sum, and new values grow by gain[v] for each
 * further unit of the sum; gain >= 0. */
typedef void (*mr_pass_terms)(void *data, const struct mr_pass_band *band, double *sums,
                              double *gain);

struct mr_pass_task {
    enum mr_value value;
    void *x; /* [mr_pass_vector_length]: padded; the padding must be 0 */
    bool out_degrees, in_degrees;
    bool degrees_only; /* stream the degrees past the callback; no links, no pass */
    /* Synchronous runs of a pass that may_skip: [mr_pass_stripes], not 0 where x has values other
     * than 0. A block of which no source is in such a stripe adds nothing, and is not read. NULL:
     * all. */
    const uint8_t *active_stripes;
    /* Only the bands from first_band to before end_band, and their links; 0 and 0: all. Sources are
     * in the first info->n_source_bands bands, so a run over these reads and makes all values that
     * a next run needs. */
    uint32_t first_band, end_band;
    bool relax; /* the mode; with it: */
    uint32_t
        wave; /* bands of a wave, at least 1; more than there are: all; the last may have fewer */
    /* Sweeps over the rows of diagonal tiles. 0: their links are added up with the others, from the
     * values before the wave; likewise where a tile has no rows (mr_rows_fit). */
    unsigned sweeps;
    mr_pass_terms terms; /* its data is the callback's */
    /* [mr_pass_vector_length], or [wave << band_bits] with steps_of_wave */
    float *steps;
    bool steps_of_wave;
    mr_pass_callback callback;
    void *callback_data;
};

/* Of n_bands bands in waves of `wave`, the one that comes after `place` others. The first runs have
 * a band more where the number does not divide. */
static inline uint32_t mr_pass_band_at(uint32_t n_bands, uint32_t wave, uint32_t place)
{
    if (wave >= n_bands) {
        return place;
    }
    const uint32_t length = n_bands / wave, n_longer = n_bands % wave, run = place % wave;
    return run * length + (run < n_longer ? run : n_longer) + place / wave;
}

/* What passes did so far, summed since mr_pass_open. */
struct mr_pass_figures {
    enum mr_queue_backend backend;
    bool direct, registered_buffers;
    uint64_t threads;
    uint64_t
        passes; /* complete readings of the links, or of those of the bands that have sources */
    uint64_t partial_passes; /* those of them that skipped a block */
    uint64_t blocks_skipped;
    uint64_t edge_visits; /* links applied, repeated sweeps of diagonal tiles included */
    uint64_t bytes_read; /* of the file of links, by passes */
    uint64_t degree_bytes_read; /* of the file of degrees, by passes */
    uint64_t pinned_bytes; /* of the file of links, read once at open */
    uint64_t decoded_bytes; /* of memory, that these take decoded; 0: they are kept as they are */
    uint64_t row_bytes; /* of memory, for rows of diagonal tiles that stay decoded */
    uint64_t pinned_degree_bytes;
    double seconds; /* inside mr_pass_run */
    double wait_seconds; /* summed over threads: waiting for the disk */
    double idle_seconds; /* summed over threads: waiting for one another */
};

/* Vertices an x vector must have room for in runs over the bands that have sources, or that do not
 * relax. */
static inline uint64_t mr_pass_source_length(const struct mr_store_info *info)
{
    return (uint64_t)info->n_source_bands << info->band_bits;
}

/* Vertices an x vector must have room for: n_vertices rounded up to whole bands, and room for what
 * a damaged key could reach. Use it for every vector a pass reads. */
static inline uint64_t mr_pass_vector_length(const struct mr_store_info *info)
{
    return (uint64_t)info->n_bands << info->band_bits;
}

/* Stripes of sources, 2^stripe_bits vertices each. */
static inline uint64_t mr_pass_stripes(const struct mr_store_info *info)
{
    return mr_pass_vector_length(info) >> info->stripe_bits;
}

/* Set up queues, buffers and the pinned prefix, from what the budget has left, and where that is
 * the whole file, decoded out-degrees, 4 bytes a vertex. With little memory the threads and the
 * depth of the queues shrink first. Errors: BUDGET naming what does not fit; of what is pinned
 * CORRUPT, RUNTIME, INTERRUPTED. */
enum mr_status mr_pass_open(const struct mr_context *context, struct mr_store *store,
                            const struct mr_pass_options *options, struct mr_pass **out,
                            struct mr_error *err) MR_WARN_UNUSED;

/* One pass over all links (over the degrees alone with degrees_only; the callback may then write
 * what it likes to its band's part of x). Time: E decoded once, bytes: links - pinned. Errors:
 * CORRUPT for a block that fails its checks (the vector x is then unspecified), INTERRUPTED,
 * RUNTIME. */
enum mr_status mr_pass_run(struct mr_pass *pass, const struct mr_pass_task *run,
                           struct mr_error *err) MR_WARN_UNUSED;

struct mr_pass_figures mr_pass_get_figures(const struct mr_pass *pass);
void mr_pass_close(struct mr_pass *pass);

/* Opens a pass that pins nothing, makes one run and closes it. `figures` may be NULL. Needs
 * mr_pass_minimum_memory. */
enum mr_status mr_pass_run_once(const struct mr_context *context, struct mr_store *store,
                                const struct mr_pass_task *task, struct mr_pass_figures *figures,
                                struct mr_error *err) MR_WARN_UNUSED;

/* What a pass over all links is predicted to take, picoseconds of one thread with everything in
 * memory: the model by which the builder chose encodings (engine/tile/corners_encode.h). */
void mr_pass_cost_of(const struct mr_store_info *info, uint64_t *keys_ps, uint64_t *corners_ps);

/* The diagonal of a band is cut into segments as its other blocks are: behind the last block of the
 * segment that begins with `first_block`, one of the diagonal's blocks or behind them. */
uint64_t mr_pass_diagonal_end(const struct mr_store *store, uint32_t band, uint64_t first_block);

/* The power of two that weights of a store are taken times in a pass that scales_weights. It is 1
 * for weights between 2^-32 and MR_PASS_WEIGHT_MOST, as nearly all are. If the least and the
 * largest weight differ by more than 2^157, the largest stays above MR_PASS_WEIGHT_MOST. */
#define MR_PASS_WEIGHT_MOST 0x1p32
double mr_pass_weight_scale(const struct mr_store_info *info);

/* Bytes that links, decoded where that is of use, and degrees take when all of them are kept in
 * memory, and with `sweeps` the rows of diagonal tiles; for estimates. */
uint64_t mr_pass_pinned_memory(struct mr_store *store, bool sweeps);

/* Bytes mr_pass_open needs at the least for one thread, pinned nothing; for estimates. */
uint64_t mr_pass_minimum_memory(const struct mr_store_info *info,
                                const struct mr_pass_options *options);

/* The same for `n_workers` threads and an open store, whose blocks and diagonals are known: one
 * thread needs at most as much as mr_pass_minimum_memory says. */
uint64_t mr_pass_least_memory(struct mr_store *store, const struct mr_pass_options *options,
                              unsigned n_workers);

/* ---- Links that count for less than others by their class, such as those inside a host: a page
 * hands on to what it links to in proportion to what the links count. ---- */

/* From now on a pass over `store`, opened with all of its classes, adds weight * x[source] for each
 * link, and its callbacks have out-strengths. `weights`, by class, are finite and above 0; only
 * their ratio matters: they are divided by the largest. Memory: 8 bytes per vertex, until the store
 * is closed. Time: the out-degrees are read twice. Errors: USAGE where the store has one class, or
 * not all of them are open. */
enum mr_status mr_store_weigh_classes(const struct mr_context *context, struct mr_store *store,
                                      const double weights[MR_CLASSES_MAX],
                                      struct mr_error *err) MR_WARN_UNUSED;

/* The name of the instructions that decode keys on this machine, "avx512-vbmi2" or "portable". */
const char *mr_pass_decoder_name(void);

#endif
