/* SPDX-License-Identifier: Apache-2.0 */
/* SALSA (Lempel, Moran 2001): the limit of the random walk, from degrees and connected parts,
 * without iterations. */
#include "algorithms/hits/salsa.h"

#include <stdio.h>

#include "engine/base/count_text.h"
#include "library/rank/kinds.h"

static void plan(const struct mr_ranking_job *job, struct mr_rank_costs *plan)
{
    plan->least_bytes =
        mr_rank_least_memory(job, mr_salsa_memory(job->info), mr_degree_result_memory(job->info));
    plan->memory_bytes = plan->least_bytes;
    plan->passes = 1;
}

static enum mr_status run_salsa(struct mr_ranking_job *job, struct mr_error *err)
{
    struct mr_salsa_result *result = job->figures;
    const enum mr_status status = mr_salsa(job->context, job->store, result, err);

    if (status == MR_OK) {
        mr_ranking_add(job->ranking, "hub", MR_SCORES_DOUBLE, result->hubs);
        mr_ranking_add(job->ranking, "authority", MR_SCORES_DOUBLE, result->authorities);
        result->passes = 1;
    }
    return status;
}

static void say(const void *figures, char *text, size_t text_bytes)
{
    const struct mr_salsa_result *result = figures;
    char hubs[32], authorities[32], parts[32];

    (void)snprintf(text, text_bytes, "hubs: %s, authorities: %s, connected parts: %s",
                   mr_count_text(result->n_hubs, hubs),
                   mr_count_text(result->n_authorities, authorities),
                   mr_count_text(result->n_parts, parts));
}

#define FIELD(name) offsetof(struct mr_salsa_result, name)
const struct mr_ranking_kind mr_kind_salsa = {
    .name = "salsa",
    .summary = "rank pages as hubs and authorities by a random walk (SALSA)",
    .text = "Computes SALSA: how often a random walk, which follows links forwards and backwards "
            "in turn, meets a page as a hub and as an authority. It computes the limit of the walk "
            "exactly from degrees and connected parts, in one pass over the links. With weights "
            "the walk takes the links of a page in proportion to their weights.",
    .examples = "  millrace salsa web.mill -o salsa.tsv --top 10\n",
    .columns = (const struct mr_rank_column[]){{.name = "hub"}, {.name = "authority"}, {0}},
    .takes_weights = true,
    .options = (const struct mr_rank_option[]){{0}},
    .figures =
        (const struct mr_rank_figure[]){
            {"hubs", MR_RANK_COUNT, FIELD(n_hubs), .help = "pages with links"},
            {"authorities", MR_RANK_COUNT, FIELD(n_authorities),
             .help = "pages with links to them"},
            {"parts", MR_RANK_COUNT, FIELD(n_parts),
             .help = "connected parts of the graph of hubs and authorities"},
            {"largest_part_hubs", MR_RANK_COUNT, FIELD(largest_hubs),
             .help = "hubs of the largest part"},
            {"largest_part_authorities", MR_RANK_COUNT, FIELD(largest_authorities),
             .help = "authorities of the largest part"},
            {"passes", MR_RANK_COUNT, FIELD(passes), .help = "passes over the links"},
            {0}},
    .work = &(const struct mr_ranking_work){.figures_bytes = sizeof(struct mr_salsa_result),
                                            .plan = plan,
                                            .run = run_salsa,
                                            .say = say},
};
