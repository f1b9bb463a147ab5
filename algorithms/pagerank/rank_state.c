/* SPDX-License-Identifier: Apache-2.0 */
/* The state between two passes, for checkpoints: saving it, and going on from it. */
#include "algorithms/pagerank/solver.h"

#include <string.h>

/* The progress, the vector, and what the acceleration remembers. Nothing else outlives a pass. */
static unsigned list_parts(struct mr_rank_solver *solver, struct mr_rank_saved *saved,
                           struct mr_checkpoint_part *parts)
{
    const uint64_t value_bytes = mr_rank_value_bytes(solver->options);
    unsigned n = 0;
    parts[n++] = (struct mr_checkpoint_part){saved, sizeof *saved};
    parts[n++] =
        (struct mr_checkpoint_part){solver->vector.x, mr_rank_length(solver) * value_bytes};
    if (solver->vector.acceleration != NULL) {
        struct mr_checkpoint_part *coefficients = &parts[n++], *vectors = &parts[n++];
        mr_acceleration_state(solver->vector.acceleration, &coefficients->bytes,
                              &coefficients->n_bytes, &vectors->bytes, &vectors->n_bytes);
    }
    return n;
}

enum mr_status mr_rank_save(struct mr_rank_solver *solver, struct mr_error *err)
{
    const struct mr_pagerank_hooks *hooks = solver->options->hooks;
    struct mr_checkpoint_part parts[MR_PAGERANK_STATE_PARTS];
    if (hooks == NULL || hooks->save == NULL) {
        return MR_OK;
    }
    struct mr_rank_saved saved;
    memset(&saved, 0, sizeof saved); /* what lies between its members, too */
    saved.n_passes = solver->n_passes;
    saved.progress = solver->progress;
    saved.sums = solver->vector.sums;
    saved.figures = mr_rank_figures(solver);
    return hooks->save(hooks->state_data, parts, list_parts(solver, &saved, parts), err);
}

enum mr_status mr_rank_restore(struct mr_rank_solver *solver, struct mr_error *err)
{
    const struct mr_pagerank_hooks *hooks = solver->options->hooks;
    struct mr_checkpoint_part parts[MR_PAGERANK_STATE_PARTS];
    struct mr_rank_saved saved = {0};
    const enum mr_status status =
        hooks->restore(hooks->state_data, parts, list_parts(solver, &saved, parts), err);
    solver->n_passes = saved.n_passes;
    solver->progress = saved.progress;
    solver->vector.sums = saved.sums;
    solver->before = saved.figures;
    if (status == MR_OK && solver->vector.acceleration != NULL &&
        !mr_acceleration_is_sound(solver->vector.acceleration)) {
        return mr_error_set(err, MR_ERROR_CORRUPT, "the saved state is none of this solver");
    }
    return status;
}
