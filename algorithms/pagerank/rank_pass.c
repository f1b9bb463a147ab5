/* SPDX-License-Identifier: Apache-2.0 */
/* One pass of a PageRank solver and the terms it needs. solve.c relaxes with it, prove.c certifies
 * with it. */
#include "algorithms/pagerank/solver.h"

/* What each page has to begin with: 1 - 0.85 in binary is not the number that 0.15 is. */
#define HERITRIX_JUMP 0.15

enum mr_status mr_rank_run(struct mr_rank_solver *solver, struct mr_pass_task *run,
                           mr_pass_callback callback, struct mr_error *err)
{
    run->value =
        solver->options->precision == MR_PRECISION_SINGLE ? MR_VALUE_FLOAT : MR_VALUE_DOUBLE;
    run->x = solver->job.x;
    run->out_degrees = true;
    run->callback = callback;
    run->callback_data = &solver->job;
    run->end_band = solver->n_core_bands;
    const enum mr_status status = mr_pass_run(solver->pass, run, err);
    solver->progress.sums = mr_rank_add_up(solver->job.sums, solver->n_core_bands, 1);
    return status;
}

enum mr_status mr_rank_run_frontier(struct mr_rank_solver *solver, bool in_degrees,
                                    mr_pass_callback callback, struct mr_error *err)
{
    const uint32_t first = solver->n_core_bands, end = solver->info->n_bands;
    struct mr_pass_task run = {
        .value =
            solver->options->precision == MR_PRECISION_SINGLE ? MR_VALUE_FLOAT : MR_VALUE_DOUBLE,
        .x = solver->job.x,
        .in_degrees = in_degrees,
        .first_band = first,
        .end_band = end,
        .callback = callback,
        .callback_data = &solver->job,
    };
    const enum mr_status status = mr_pass_run(solver->pass, &run, err);
    solver->progress.sums = mr_rank_add_up(solver->job.sums + first, end - first, 1);
    return status;
}

enum mr_status mr_rank_run_degrees(struct mr_rank_solver *solver, mr_pass_callback callback,
                                   struct mr_error *err)
{
    struct mr_pass_task job = {.degrees_only = true};
    return mr_rank_run(solver, &job, callback, err);
}

void mr_rank_set_terms(struct mr_rank_solver *solver, bool fixed_scale)
{
    struct mr_rank_job *job = &solver->job;
    const double a = job->damping, mass = solver->progress.sums.mass,
                 dangling = solver->progress.sums.dangling;
    job->uniform_term = 0;
    if (solver->options->heritrix) {
        job->teleport_scale = HERITRIX_JUMP;
    } else if (solver->options->dangling == MR_DANGLING_NONE) {
        job->teleport_scale = 1 - a;
    } else if (mr_rank_has_frontier(solver)) { /* all scores add up to 1 */
        /* Relaxing, dangling mass has the frontier's as it follows from the terms before: 1 - S at
         * once would go too far, since a pass may answer with a / (1 - a) times as much. */
        const double spread = fixed_scale ? dangling : 1 - (mass - dangling);
        job->teleport_scale = 1 - a;
        job->uniform_term =
            mr_rank_spreads_dangling(solver) ? a * spread / (double)solver->info->n_vertices : 0;
    } else if (mr_rank_spreads_dangling(solver)) {
        job->teleport_scale = (1 - a) * mass;
        job->uniform_term = a * dangling / (double)solver->info->n_vertices;
    } else {
        job->teleport_scale = fixed_scale ? 1 - a : mass - a * (mass - dangling);
    }
}

struct mr_pass_figures mr_rank_figures(const struct mr_rank_solver *solver)
{
    const struct mr_pass_figures *before = &solver->progress.figures;
    struct mr_pass_figures figures = mr_pass_get_figures(solver->pass);
    figures.passes += before->passes;
    figures.edge_visits += before->edge_visits;
    figures.bytes_read += before->bytes_read;
    figures.degree_bytes_read += before->degree_bytes_read;
    figures.seconds += before->seconds;
    figures.wait_seconds += before->wait_seconds;
    return figures;
}
