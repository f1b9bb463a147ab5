/* Sweeps over the blocks of link_slices.h: one block after the other is solved by Gauss-Seidel, since what it needs
 * from elsewhere is done, so that its own last change bounds the residual of its rows. What a block has not come to is
 * left to another round over all of them. After every second sweep comes Anderson acceleration, of the block alone.
 *
 * Two threads may share a sweep: the rows of the block are cut into two halves of up to 8 chunks each, and chunk k of
 * one half is relaxed at the same time as chunk k of the other. Each half has values of its own of all rows. Before its
 * chunk k it takes over the other's chunk k - 2: so the order of everything is fixed, whoever does it, and who is behind
 * by a chunk keeps nobody waiting. (Of halves that tell each other only once a sweep web-NotreDame, as one block, needs
 * 58 sweeps instead of 52.) Where other programs keep one of the threads from running, the first goes on alone.
 * Internal to algorithms. */
#ifndef MR_ALGORITHMS_PAGERANK_BLOCK_SWEEPS_H
#define MR_ALGORITHMS_PAGERANK_BLOCK_SWEEPS_H

#include <stdatomic.h>

#include "algorithms/base/acceleration.h"
#include "algorithms/pagerank/link_slices.h"

enum {
    MR_SWEEP_HALVES = 2,
    MR_SWEEP_PHASES = 8,
    MR_SWEEP_CHUNKS = MR_SWEEP_HALVES * MR_SWEEP_PHASES
};

/* Set by the caller, up to `wanted`; vectors have n_rows + 1 entries, the last one 0. */
struct mr_block_sweeps {
    const struct mr_context *context; /* asked now and then whether to stop */
    const struct mr_link_slices *slices;
    /* Of MR_SWEEP_CHUNKS parts, as long as the longest block; NULL: none. */
    struct mr_acceleration *acceleration;
    double *base, *gain; /* value = base + gain * sum, links to itself solved for */
    double *start; /* base, and what comes from earlier blocks */
    uint32_t *weight; /* out-degrees; 1 of dangling rows, 0 of padding */
    double *value[MR_SWEEP_HALVES]; /* shares: the same in both before and after a block */
    double *before; /* when the acceleration was last applied; before a block, the values */
    double wanted; /* change of a block's last sweep, as a share of its mass */

    enum mr_status status; /* INTERRUPTED: the values are of no use */
    double began; /* seconds of omp_get_wtime */
    bool is_left_alone; /* the first thread waited too long for the other, and does the rest */
    struct mr_slices_sum done; /* of the last sweeps of the blocks so far */
    uint64_t n_visits; /* links applied */
    atomic_uint arrived; /* threads, at meetings so far */
    atomic_uint relaxed[MR_SWEEP_HALVES]; /* chunks so far */
    struct mr_slices_sum sums[2][MR_SWEEP_CHUNKS]; /* of sweeps of either parity */
};

/* One thread's part: all threads come to the same decisions, from the same numbers. */
struct mr_sweeper {
    struct mr_block_sweeps *sweeps;
    unsigned first, end; /* halves that are this thread's; none: it is done */
    unsigned n_threads, n_meetings;
    unsigned n_sweeps; /* of all blocks */
    unsigned n_relaxed; /* chunks of each half, before this sweep */
    double waited; /* seconds, beyond short looks */
    /* Of the block in work: */
    unsigned n_phases;
    uint32_t first_row;
    uint32_t chunk_ends[MR_SWEEP_CHUNKS + 1]; /* slices; of half h from MR_SWEEP_PHASES h on */
};

/* Nothing done yet. */
void mr_block_sweeps_begin(struct mr_block_sweeps *sweeps);

/* Thread `i` of `n`, 1 or 2. */
struct mr_sweeper mr_sweeper_of(struct mr_block_sweeps *sweeps, unsigned i, unsigned n);

/* Wait until all threads are here. */
void mr_sweeper_meet(struct mr_sweeper *me);

/* Sweep a block, by all threads, until it changes by no more than its share, no less is to be had, thousands of sweeps
 * are done, or `status` says that the run is to stop. Ends with a meeting of those that are not done. */
void mr_sweeper_solve(struct mr_sweeper *me, const struct mr_slice_block *block);

#endif
