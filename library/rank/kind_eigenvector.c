/* SPDX-License-Identifier: Apache-2.0 */
/* Eigenvector centrality (Bonacich 1972): the vector of the largest eigenvalue of the links. */
#include <assert.h>
#include <stdio.h>

#include "algorithms/spectral/spectral.h"
#include "library/rank/kinds.h"

static_assert(sizeof(enum mr_spectral_norm) == sizeof(int) && (int)MR_SPECTRAL_MAX == 2,
              "the choices of norm are in the order of enum mr_spectral_norm");

static void plan(const struct mr_ranking_job *job, struct mr_rank_costs *plan)
{
    plan->least_bytes = mr_spectral_least_memory(job->info);
    plan->memory_bytes = job->store != NULL ? mr_spectral_memory(job->store) : 0;
    plan->passes = 60;
}

static enum mr_status run_eigenvector(struct mr_ranking_job *job, struct mr_error *err)
{
    struct mr_eigenvector_result *result = job->figures;
    const enum mr_status status =
        mr_eigenvector(job->context, job->store, job->options, result, err);

    if (status == MR_OK || status == MR_NOT_CONVERGED) {
        mr_ranking_add(job->ranking, "score", MR_SCORES_DOUBLE, result->scores);
    }
    return status;
}

static void say(const void *figures, char *text, size_t text_bytes)
{
    const struct mr_eigenvector_result *result = figures;

    (void)snprintf(text, text_bytes,
                   "eigenvalue %.6g: the last of %llu passes changed the scores by %.1e",
                   result->eigenvalue, (unsigned long long)result->passes, result->change);
}

#define OPTION(name) offsetof(struct mr_eigenvector_options, name)
#define FIGURE(name) offsetof(struct mr_eigenvector_result, name)
const struct mr_ranking_kind mr_kind_eigenvector = {
    .name = "eigenvector",
    .summary = "rank pages by eigenvector centrality",
    .text =
        "Computes eigenvector centrality: the score of a page is the sum of the scores of the "
        "pages that link to it, divided by the largest eigenvalue of the links. Unlike PageRank "
        "it neither divides by the links of a page nor teleports, so the part of the graph "
        "with the most links among each other, and what it links to, have nearly all of the "
        "score. With weights a link counts its weight.",
    .examples = "  millrace eigenvector web.mill -o eigenvector.tsv --top 10\n",
    .columns = (const struct mr_rank_column[]){{.name = "score"}, {0}},
    .takes_weights = true,
    .options =
        (const struct mr_rank_option[]){
            {"tolerance", MR_RANK_REAL, OPTION(tolerance), "T",
             "Stop when a pass changes the scores by at most T. Their sum is 1. Default 1e-9.",
             .also = "tol eps epsilon threshold", .usual = 1e-9, .most = 1, .above_least = true,
             .often = true},
            MR_MAX_PASSES_OPTION(OPTION(max_passes)),
            {"norm", MR_RANK_CHOICE, OPTION(norm),
             .help =
                 "What is scaled to 1: the sum (l1), the length (l2) or the largest score (max). "
                 "Default l1.",
             .choices = "l1|l2|max"},
            {0}},
    .figures =
        (const struct mr_rank_figure[]){
            {"tolerance", MR_RANK_REAL, FIGURE(tolerance), .help = "of the change in a pass"},
            {"converged", MR_RANK_FLAG, FIGURE(converged),
             .help = "whether the change reached the tolerance"},
            {"change", MR_RANK_REAL, FIGURE(change),
             .help = "of the scores in the last pass, in the 1-norm"},
            {"eigenvalue", MR_RANK_REAL, FIGURE(eigenvalue), .help = "the largest of the links"},
            {"passes", MR_RANK_COUNT, FIGURE(passes), .help = "passes over the links"},
            MR_PASS_FIGURES(FIGURE(figures)),
            {0}},
    .work = &(const struct mr_ranking_work){.options_bytes = sizeof(struct mr_eigenvector_options),
                                            .figures_bytes = sizeof(struct mr_eigenvector_result),
                                            .plan = plan,
                                            .run = run_eigenvector,
                                            .say = say},
};
