/* SPDX-License-Identifier: Apache-2.0 */
/* Inside algorithms/harmonic. The map:
 *
 *   harmonic.c  slices: sets of all vertices, distance by distance
 *   of_pages.c  exact values of a few vertices
 *   tally.c     what the slices add at each distance, on disk; estimates at the end */
#ifndef MR_ALGORITHMS_HARMONIC_INTERNAL_H
#define MR_ALGORITHMS_HARMONIC_INTERNAL_H

#include "algorithms/harmonic/harmonic.h"
#include "engine/base/memory.h"

/* The value of registers M_1 ... M_k: the sum of 2^(34 - M_i), and from bit 49 on the number of
 * registers that are 0. Values of slices add up to that of the whole counter: 2^14 registers of 0
 * have the sum 2^48 and the number 2^14. */
enum { MR_HARMONIC_MOST_RANK = 34, MR_HARMONIC_ZEROS_SHIFT = 49 };

/* The value of one register. */
static inline uint64_t mr_harmonic_value(uint8_t rank)
{
    return ((uint64_t)1 << (MR_HARMONIC_MOST_RANK - rank)) +
           ((uint64_t)(rank == 0) << MR_HARMONIC_ZEROS_SHIFT);
}

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
enum mr_status mr_harmonic_tally_finish(struct mr_harmonic_tally *tally, unsigned log2m,
                                        struct mr_harmonic *result,
                                        struct mr_error *err) MR_WARN_UNUSED;

#endif
