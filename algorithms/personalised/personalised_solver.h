/* SPDX-License-Identifier: Apache-2.0 */
/* Personalised PageRank and its files:
 *
 *     personalised.c        options, memory, width; batches of vectors; mr_personalised
 *     personalised_solve.c  one batch: passes, certificates, when each vector stops
 *
 * What a pass does is in algorithms/pagerank. Internal to algorithms. */
#ifndef MR_ALGORITHMS_PERSONALISED_PERSONALISED_SOLVER_H
#define MR_ALGORITHMS_PERSONALISED_PERSONALISED_SOLVER_H

#include "algorithms/pagerank/solver.h"
#include "algorithms/personalised/personalised.h"

/* Where one vector stands, besides its slot. */
struct mr_slot_progress {
    struct mr_personalised_vector *outcome; /* NULL: an empty slot */
    bool is_final; /* certified, or given up */
    double foretold, ratio, best, last_change;
    uint64_t pause, harms; /* as in pagerank/solver.h */
    unsigned failures;
};

struct mr_batch_solver {
    struct mr_rank_solver rank;
    struct mr_personalised_result *result;
    struct mr_slot_progress progress[MR_RANK_MAX_WIDTH];
    bool may_spread; /* one sparse vector */
    unsigned max_passes;
    unsigned n_passes; /* of this batch */
};

/* From the start vectors to a certificate, or to where no certificate comes, of each. */
enum mr_status mr_batch_solve(struct mr_batch_solver *solver, struct mr_error *err) MR_WARN_UNUSED;

#endif
