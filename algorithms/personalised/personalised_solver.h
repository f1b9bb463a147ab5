/* SPDX-License-Identifier: Apache-2.0 */
/* Personalised PageRank and its files:
 *
 *     personalised.c        options, memory, width; batches of vectors; mr_personalised
 *     personalised_solve.c  one batch: passes, certificates, when each vector stops
 *     personalised_bands.c  one band of a pass
 *     personalised_update.c its relaxation
 *     personalised_walks.h  teleports to its vertices
 *
 * Internal to algorithms. */
#ifndef MR_ALGORITHMS_PERSONALISED_PERSONALISED_SOLVER_H
#define MR_ALGORITHMS_PERSONALISED_PERSONALISED_SOLVER_H

#include "algorithms/personalised/personalised_bands.h"

/* Where one vector stands, besides its slot. */
struct mr_slot_progress {
    struct mr_personalised_vector *outcome; /* NULL: an empty slot */
    bool is_final; /* certified, or given up */
    double foretold, ratio, best, last_change;
    uint64_t pause, harms; /* as in pagerank/solver.h */
    unsigned failures;
};

struct mr_slot_solver {
    const struct mr_context *context;
    struct mr_store *store;
    const struct mr_store_info *info;
    const struct mr_personalised_options *options;
    struct mr_personalised_result *result;
    struct mr_pass *pass;
    struct mr_slots slots;
    struct mr_slot_progress progress[MR_PERSONALISED_MAX_WIDTH];
    void *vectors[2]; /* x and next of the slots, in either order */
    uint8_t *active[2];
    float *steps; /* of a wave; NULL: the acceleration has room for all */
    bool may_spread; /* one sparse vector */
    double tolerance;
    unsigned max_passes;
    unsigned n_passes; /* of this batch */
};

static inline size_t mr_slot_value_bytes(const struct mr_personalised_options *options)
{
    return options->precision == MR_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
}

static inline enum mr_value mr_slot_value(const struct mr_personalised_options *options)
{
    return options->precision == MR_PRECISION_SINGLE ? MR_VALUE_FLOAT : MR_VALUE_DOUBLE;
}

/* Are there pages whose scores follow from those of the others? Passes read the bands that have
 * sources, and the solver keeps the values of these alone. */
static inline bool mr_slots_have_frontier(const struct mr_slot_solver *solver)
{
    return solver->info->n_source_bands < solver->info->n_bands;
}

/* Is the solution scaled to a sum of 1? */
static inline bool mr_slots_are_normalised(const struct mr_slot_solver *solver)
{
    return solver->options->dangling != MR_DANGLING_NONE;
}

/* One pass over the core, or one over its degrees alone, and its sums in each slot's. */
enum mr_status mr_slots_run(struct mr_slot_solver *solver, struct mr_pass_task *run,
                            mr_pass_callback callback, struct mr_error *err) MR_WARN_UNUSED;

/* One pass over the bands behind the core: their sums alone. */
enum mr_status mr_slots_run_frontier(struct mr_slot_solver *solver, struct mr_pass_task *run,
                                     mr_pass_callback callback,
                                     struct mr_error *err) MR_WARN_UNUSED;

/* From the start vectors to a certificate, or to where no certificate comes, of each. */
enum mr_status mr_slots_solve(struct mr_slot_solver *solver, struct mr_error *err) MR_WARN_UNUSED;

#endif
