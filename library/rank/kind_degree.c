/* SPDX-License-Identifier: Apache-2.0 */
/* Degrees: the links from and to every page, or the sums of their weights. */
#include "algorithms/hits/salsa.h"
#include "library/rank/kinds.h"

static void plan(const struct mr_ranking_job *job, struct mr_rank_costs *plan)
{
    plan->least_bytes =
        mr_rank_least_memory(job, mr_degree_memory(job->info), mr_degree_result_memory(job->info));
    plan->memory_bytes = plan->least_bytes;
}

static enum mr_status run_degree(struct mr_ranking_job *job, struct mr_error *err)
{
    struct mr_salsa_result *result = job->figures;
    const enum mr_status status = mr_degree_rank(job->context, job->store, result, err);

    if (status == MR_OK) {
        mr_ranking_add(job->ranking, "out", MR_SCORES_DOUBLE, result->hubs);
        mr_ranking_add(job->ranking, "in", MR_SCORES_DOUBLE, result->authorities);
    }
    return status;
}

#define FIELD(name) offsetof(struct mr_salsa_result, name)
const struct mr_ranking_kind mr_kind_degree = {
    .name = "degree",
    .summary = "count the links from and to every page",
    .text = "Counts the links from and to every page. This is the cheapest ranking, for "
            "comparisons with others. With weights it adds them up. It reads no links.",
    .examples = "  millrace degree web.mill -o degrees.tsv --top 10 --by in\n",
    .columns = (const struct mr_rank_column[]){{.name = "out"}, {.name = "in"}, {0}},
    .takes_weights = true,
    .options = (const struct mr_rank_option[]){{0}},
    .figures = (const struct mr_rank_figure[]){{"hubs", MR_RANK_COUNT, FIELD(n_hubs),
                                                .help = "pages with links"},
                                               {"authorities", MR_RANK_COUNT, FIELD(n_authorities),
                                                .help = "pages with links to them"},
                                               {0}},
    .work = &(const struct mr_ranking_work){.figures_bytes = sizeof(struct mr_salsa_result),
                                            .plan = plan,
                                            .run = run_degree},
};
