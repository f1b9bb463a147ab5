/* SPDX-License-Identifier: Apache-2.0 */
/* Katz centrality (Katz 1953), from all pages or from seeds, with a proven error. */
#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "algorithms/spectral/spectral.h"
#include "engine/base/count_text.h"
#include "library/rank/kinds.h"

static_assert(offsetof(struct mr_katz_options, n_seeds) - offsetof(struct mr_katz_options, seeds) ==
                  offsetof(struct mr_rank_array, n),
              "the seeds are a struct mr_rank_array");

static void plan(const struct mr_ranking_job *job, struct mr_rank_costs *plan)
{
    const struct mr_katz_options *options = job->options;

    plan->least_bytes = mr_spectral_least_memory(job->info);
    plan->memory_bytes = job->store != NULL ? mr_spectral_memory(job->store) : 0;
    plan->passes = ceil(log(options->tolerance) / log(0.5)); /* where walks halve with each link */
}

static enum mr_status run_katz(struct mr_ranking_job *job, struct mr_error *err)
{
    struct mr_katz_result *result = job->figures;
    const enum mr_status status = mr_katz(job->context, job->store, job->options, result, err);

    if (status == MR_OK || status == MR_NOT_CONVERGED) {
        mr_ranking_add(job->ranking, "score", MR_SCORES_DOUBLE, result->scores);
    }
    return status;
}

static void say(const void *figures, char *text, size_t text_bytes)
{
    const struct mr_katz_result *result = figures;
    char bound[32], passes[64];

    (void)snprintf(text, text_bytes, "attenuation %.4g: error bound %s of the sum after %s",
                   result->attenuation, mr_bound_text(result->error_bound, bound),
                   mr_count_of_text(result->passes, "pass", passes));
}

#define OPTION(name) offsetof(struct mr_katz_options, name)
#define FIGURE(name) offsetof(struct mr_katz_result, name)
const struct mr_ranking_kind mr_kind_katz = {
    .name = "katz",
    .summary = "rank pages by Katz centrality, with a proven error bound",
    .text =
        "Computes Katz centrality: how many walks along links lead to a page, where a walk of k "
        "links counts attenuation^k. All pages begin with 1; with seeds only these begin, with "
        "shares that add up to 1. Unlike PageRank it does not divide by the links of a page. "
        "The attenuation must be below 1 / the largest eigenvalue of the links; that it is, and "
        "the error bound, are proven from the scores themselves. With weights a link counts its "
        "weight.",
    .examples = "  millrace katz web.mill -o katz.tsv --top 10\n"
                "  millrace katz web.mill --attenuation 0.01 --seeds trusted.txt -o near.tsv\n",
    .columns = (const struct mr_rank_column[]){{.name = "score"}, {0}},
    .takes_weights = true,
    .options =
        (const struct mr_rank_option[]){
            {"attenuation", MR_RANK_REAL, OPTION(attenuation), "A",
             "What a walk loses with each link. Default: 0.85 divided by the largest number of "
             "links "
             "from a page, or to a page, whichever is less; with weights by their sum.",
             .also = "alpha decay beta", .most = (double)INFINITY, .above_least = true,
             .below_most = true, .often = true},
            {"tolerance", MR_RANK_REAL, OPTION(tolerance), "T",
             "Stop when the error is proven to be at most T, the sum of all scores' errors divided "
             "by the sum of the scores. Default 1e-9.",
             .also = "tol eps epsilon threshold", .usual = 1e-9, .most = 1, .above_least = true,
             .often = true},
            MR_MAX_PASSES_OPTION(OPTION(max_passes)),
            {"seeds", MR_RANK_PAGES, OPTION(seeds), "FILE",
             .help =
                 "Count only walks from the pages in FILE. One name per line: a page, a host or a "
                 "registered domain. Several --seeds add up. Default: from all pages.",
             .often = true},
            {0}},
    .figures =
        (const struct mr_rank_figure[]){
            {"attenuation", MR_RANK_REAL, FIGURE(attenuation), .help = "that was taken"},
            {"tolerance", MR_RANK_REAL, FIGURE(tolerance), .help = "of the error bound"},
            {"converged", MR_RANK_FLAG, FIGURE(converged),
             .help = "whether the bound reached the tolerance"},
            {"relative_bound", MR_RANK_REAL, FIGURE(error_bound),
             .help = "proven: the sum of all scores' errors, divided by the sum of the scores"},
            {"relative_error", MR_RANK_REAL, FIGURE(relative_error),
             .help = "proven of each single score, relative to it; not with seeds"},
            {"score_sum", MR_RANK_REAL, FIGURE(score_sum), .help = "sum of the scores"},
            {"passes", MR_RANK_COUNT, FIGURE(passes), .help = "passes over the links"},
            MR_PASS_FIGURES(FIGURE(figures)),
            {0}},
    .work = &(const struct mr_ranking_work){.options_bytes = sizeof(struct mr_katz_options),
                                            .figures_bytes = sizeof(struct mr_katz_result),
                                            .plan = plan,
                                            .run = run_katz,
                                            .say = say},
};
