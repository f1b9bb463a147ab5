/* SPDX-License-Identifier: Apache-2.0 */
/* What is told of the passes of a ranking: the bytes that they want, and the bounds, to the
 * progress and the log. */
#include "algorithms/pagerank/solver.h"

uint64_t mr_rank_active_bytes(const struct mr_rank_solver *solver, const uint8_t *active)
{
    const struct mr_block_entry *blocks = mr_store_link_blocks(solver->store);
    const struct mr_band_entry *bands = mr_store_bands(solver->store);
    const uint64_t end = bands[solver->info->n_source_bands - 1].end_block;
    uint64_t bytes = 0;
    for (uint64_t i = 0; i < end; i++) {
        bool any = active == NULL;
        for (uint32_t s = blocks[i].first; !any && s <= blocks[i].last; s++) {
            any = active[s] != 0;
        }
        bytes += any ? blocks[i].stored_bytes : 0;
    }
    return bytes;
}

enum mr_status mr_rank_report(const struct mr_rank_solver *solver, double bound, bool is_certified,
                              struct mr_error *err)
{
    const struct mr_context *context = &solver->context;
    const struct mr_pagerank_hooks *hooks = solver->options->hooks;
    const struct mr_pass_figures figures = mr_rank_figures(solver);
    const struct mr_pagerank_step step = {.pass = (unsigned)figures.passes,
                                          .bound = bound,
                                          .certified = is_certified,
                                          .figures = figures};
    const uint64_t passes = figures.passes + figures.partial_passes;
    struct mr_progress progress = {
        .stage = "rank",
        .done = passes,
        .unit = "passes",
        .edges = figures.edge_visits,
        .bytes = figures.bytes_read + figures.degree_bytes_read,
        .passes = (unsigned)passes,
        .error_bound = bound,
    };
    if (context->progress != NULL) {
        context->progress(context->progress_data, &progress);
    }
    return hooks == NULL || hooks->step == NULL ? MR_OK : hooks->step(hooks->data, &step, err);
}
