/* SPDX-License-Identifier: Apache-2.0 */
/* Inside algorithms/harmonic. The map:
 *
 *   harmonic.c  slices: sets of all vertices; what they take
 *   distance.c  one distance of a slice
 *   link_lists.c  the links as lists in memory
 *   balls_loops*.c  unite sets, for each instruction set
 *   of_pages.c  exact values of a few vertices
 *   tally.c     what the slices add at each distance, on disk; estimates */
#ifndef MR_ALGORITHMS_HARMONIC_INTERNAL_H
#define MR_ALGORITHMS_HARMONIC_INTERNAL_H

#include "algorithms/base/sum.h"
#include "algorithms/harmonic/balls_loops.h"
#include "algorithms/harmonic/harmonic.h"
#include "engine/base/bytes.h"
#include "engine/base/memory.h"

/* The value of registers M_1 ... M_k: the sum of 2^(34 - M_i), and from bit 49 on the number of
 * registers that are 0. Values of slices add up to that of the whole counter: 2^14 registers of 0
 * have the sum 2^48 and the number 2^14. */
enum { MR_HARMONIC_MOST_RANK = 34, MR_HARMONIC_ZEROS_SHIFT = 49 };

/* The error of closeness, at most, in times that of a counter. Its sum of distances adds up
 * differences of counters, which loses digits. Measured: 0.8 to 1.6 (docs/harmonic.md). */
#define MR_HARMONIC_CLOSENESS_TIMES 2

/* The value of one register. */
static inline uint64_t mr_harmonic_value(uint8_t rank)
{
    return ((uint64_t)1 << (MR_HARMONIC_MOST_RANK - rank)) +
           ((uint64_t)(rank == 0) << MR_HARMONIC_ZEROS_SHIFT);
}

/* ---- Links in memory (link_lists.c) ---- */

struct mr_harmonic_search;
enum { MR_HARMONIC_LISTS_ARRAYS = 2 };
void mr_harmonic_lists_arrays(struct mr_harmonic_search *search,
                              struct mr_memory_wanted arrays[MR_HARMONIC_LISTS_ARRAYS]);
/* Reads the links twice. */
enum mr_status mr_harmonic_lists_read(struct mr_harmonic_search *search,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* ---- Estimates (tally.c) ---- */

/* The value of a vertex is `value` at `distance`: adds to its sums in `result`, whose log2m is set.
 * Returns by how much the estimate of its reach grows. Its closeness is a sum of distances until
 * the end. */
double mr_harmonic_take_value(struct mr_harmonic *result, uint64_t vertex, uint64_t value,
                              uint64_t distance);
/* pairs[n_distances]: sums of the growth at each distance. */
void mr_harmonic_finish_sums(struct mr_harmonic *result, const struct mr_sum *pairs);

/* Sums over slices: by how much the value of a vertex falls at each distance. */
struct mr_harmonic_tally;

enum mr_status mr_harmonic_tally_open(const struct mr_context *context,
                                      const struct mr_store_info *info,
                                      struct mr_harmonic_tally **out,
                                      struct mr_error *err) MR_WARN_UNUSED;
void mr_harmonic_tally_close(struct mr_harmonic_tally *tally);

/* Makes room for `distance`; before any thread adds to it. */
enum mr_status mr_harmonic_tally_reserve(struct mr_harmonic_tally *tally, uint64_t distance,
                                         struct mr_error *err) MR_WARN_UNUSED;

/* What fell in a band at a distance. */
struct mr_harmonic_fall {
    uint32_t vertex; /* in the band */
    uint32_t low, high; /* of the fall, so that an entry has 12 bytes */
};

/* Adds `falls` [n], ascending by vertex, for a band and a distance. Each slice does so at most
 * once. Threads may add for different bands at the same time. `before` and `after` have room for
 * all vertices of the band. */
enum mr_status mr_harmonic_tally_add(struct mr_harmonic_tally *tally, uint64_t distance,
                                     uint32_t band, const struct mr_harmonic_fall *falls,
                                     uint64_t n, struct mr_harmonic_fall *before,
                                     struct mr_harmonic_fall *after,
                                     struct mr_error *err) MR_WARN_UNUSED;

/* The arrays of a result, which has n_vertices and n_distances. */
enum { MR_HARMONIC_RESULT_ARRAYS = 4 };
void mr_harmonic_result_arrays(struct mr_harmonic *result,
                               struct mr_memory_wanted arrays[MR_HARMONIC_RESULT_ARRAYS]);

/* The memory of mr_harmonic_tally_finish beside these arrays, as far as the store says. */
uint64_t mr_harmonic_tally_finish_memory(const struct mr_store_info *info);

/* Turns the sums into the arrays of `result`, which are allocated here. */
enum mr_status mr_harmonic_tally_finish(struct mr_harmonic_tally *tally, struct mr_harmonic *result,
                                        struct mr_error *err) MR_WARN_UNUSED;

/* ---- A run (harmonic.c, distance.c) ---- */

typedef unsigned __int128 mr_harmonic_fixed; /* in units of 2^-64 */

enum { MR_HARMONIC_EXACT_SLICE_BYTES = 512 }; /* at the most: 4096 sources */

struct mr_harmonic_search {
    const struct mr_context *context;
    const struct mr_store_info *info;
    const struct mr_harmonic_options *options;
    struct mr_harmonic *result;
    struct mr_edges_team *team; /* reads the edges, or there are lists of sources: */
    uint64_t *starts; /* [n + 1] */
    uint32_t *list; /* [n_edges + MR_BALLS_AHEAD]: that of v from starts[v] to starts[v + 1] */
    unsigned range_bits; /* vertices of a range of lists that a thread unites */
    uint64_t edges_done; /* of lists, at this distance; for progress */
    unsigned n_workers;
    uint64_t available; /* of memory, for slices and lists */
    struct mr_names *names; /* NULL: positions are numbers */
    struct mr_harmonic_tally *tally; /* for several slices of registers */
    /* for one, which makes estimates at once: */
    double *gains; /* [n]: by how much estimates grow at this distance */
    struct mr_sum *estimated_pairs; /* [n_pairs]: at each distance */
    /* exact sums, [n] each: of 1/d, of d, of 1 */
    mr_harmonic_fixed *inverse;
    uint64_t *distances, *reach;
    uint64_t *exact_pairs; /* [n_pairs]: at each distance */
    uint64_t n_pairs;
    /* the slice */
    struct mr_balls balls;
    const struct mr_balls_loops *loops;
    uint64_t first; /* register or source that it begins with */
    unsigned used; /* registers in it */
    uint8_t *active, *activates; /* by stripe: has vertices that are `changed`, or in `changes` */
    struct mr_harmonic_fall *falls; /* [3 bands for each worker]: room for the tally */
    uint64_t distance;
    uint64_t n_changes; /* of sets, at this distance */
    bool is_least; /* take the least memory */
    enum mr_status status; /* the first failure of a callback without a status */
    struct mr_error error;
};

/* The most vertices of a band. */
static inline uint64_t mr_harmonic_band_width(const struct mr_store_info *info)
{
    return mr_min_u64(info->n_vertices, (uint64_t)1 << info->band_bits);
}

/* Begins distance 0 of a slice: nothing is changed. */
enum mr_status mr_harmonic_begin_distance(struct mr_harmonic_search *search,
                                          struct mr_error *err) MR_WARN_UNUSED;
/* Takes the marked sets of distance 0. */
enum mr_status mr_harmonic_settle_first(struct mr_harmonic_search *search,
                                        struct mr_error *err) MR_WARN_UNUSED;
/* Makes the sets of the next distance. */
enum mr_status mr_harmonic_next_distance(struct mr_harmonic_search *search,
                                         struct mr_error *err) MR_WARN_UNUSED;

#endif
