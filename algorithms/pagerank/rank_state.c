/* SPDX-License-Identifier: Apache-2.0 */
/* The state between two passes, for checkpoints: saving it, and going on from it. */
#include "algorithms/pagerank/solver.h"

#include <math.h>

/* The progress, the vector, and what the acceleration remembers. Nothing else outlives a pass. */
static unsigned list_parts(struct mr_rank_solver *solver, struct mr_state_part *parts)
{
    const uint64_t value_bytes = mr_rank_value_bytes(solver->options);
    unsigned n = 0;
    parts[n++] = (struct mr_state_part){&solver->progress, sizeof solver->progress};
    parts[n++] = (struct mr_state_part){solver->slots.x, mr_rank_length(solver) * value_bytes};
    if (solver->slots.acceleration != NULL) {
        struct mr_state_part *coefficients = &parts[n++], *vectors = &parts[n++];
        float *floats;
        mr_acceleration_state(solver->slots.acceleration, &coefficients->bytes,
                              &coefficients->n_bytes, &floats, &vectors->n_bytes);
        vectors->bytes = floats;
    }
    return n;
}

enum mr_status mr_rank_save(struct mr_rank_solver *solver, struct mr_error *err)
{
    const struct mr_pagerank_hooks *hooks = solver->options->hooks;
    struct mr_state_part parts[MR_PAGERANK_STATE_PARTS];
    if (hooks == NULL || hooks->save == NULL) {
        return MR_OK;
    }
    const struct mr_pass_figures before = solver->progress.figures;
    solver->progress.figures = mr_rank_figures(solver);
    solver->progress.sums = solver->slots.slots[0].sums;
    const enum mr_status status = hooks->save(hooks->data, parts, list_parts(solver, parts), err);
    solver->progress.figures = before;
    return status;
}

enum mr_status mr_rank_restore(struct mr_rank_solver *solver, struct mr_error *err)
{
    const struct mr_pagerank_hooks *hooks = solver->options->hooks;
    struct mr_state_part parts[MR_PAGERANK_STATE_PARTS];
    const enum mr_status status =
        hooks->restore(hooks->data, parts, list_parts(solver, parts), err);
    solver->slots.slots[0].sums = solver->progress.sums;
    if (status == MR_OK && solver->slots.acceleration != NULL &&
        !mr_acceleration_is_sound(solver->slots.acceleration)) {
        return mr_error_set(err, MR_ERROR_CORRUPT, "the saved state is none of this solver");
    }
    return status;
}
