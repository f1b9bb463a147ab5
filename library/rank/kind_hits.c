/* SPDX-License-Identifier: Apache-2.0 */
/* HITS (Kleinberg 1999), with page scores as in Aduana. */
#include "algorithms/hits/hits.h"

#include <assert.h>
#include <math.h>
#include <stdio.h>

#include "engine/base/bytes.h"
#include "engine/base/count_text.h"
#include "engine/base/memory.h"
#include "engine/builder/build.h"
#include "library/rank/kinds.h"

enum {
    SORTED_EDGE_BYTES = 12, /* of memory, in a build */
    REVERSE = 1 /* the bit of the first row in job->given */
};

struct hits_options {
    struct mr_store *reverse;
    struct mr_rank_array page_scores, start;
    double tolerance;
    uint64_t max_rounds, acceleration, probe;
    int norm;
    bool no_pin;
};

struct hits_figures {
    struct mr_hits_result result; /* its vectors are those of the ranking */
    int norm;
};

static_assert((int)MR_HITS_L1 == 0 && (int)MR_HITS_L2 == 1 && (int)MR_HITS_MAX == 2,
              "the choices of norm are in the order of enum mr_hits_norm");
static const char *const norms[] = {"l1", "l2", "max"};

static struct mr_hits_options taken(const struct hits_options *given)
{
    return (struct mr_hits_options){
        .tolerance = given->tolerance,
        .max_rounds = given->max_rounds,
        .acceleration = given->acceleration,
        .probe = given->probe,
        .norm = (enum mr_hits_norm)given->norm,
        .no_pinning = given->no_pin,
        .relevance = given->page_scores.items,
        .n_relevance = given->page_scores.n,
        .start = given->start.items,
    };
}

/* Web graphs need about 30 rounds to reach 1e-9, with the probe. */
static void plan(const struct mr_ranking_job *job, struct mr_rank_costs *plan)
{
    const struct mr_store_info *info = job->info;
    const struct hits_options *given = job->options;
    const struct mr_hits_options options = taken(given);
    const uint64_t held = MR_MEMORY_RESERVE_BYTES + info->index_bytes;

    plan->least_bytes = mr_rank_least_memory(job, mr_hits_minimum_memory(info, &options) - held,
                                             mr_hits_result_memory(info));
    plan->memory_bytes = plan->least_bytes;
    if (!info->undirected && (job->given & REVERSE) == 0) {
        plan->memory_bytes = mr_max_u64(plan->least_bytes,
                                        MR_MEMORY_FLOOR_BYTES + SORTED_EDGE_BYTES * info->n_edges);
        plan->temporary_bytes =
            mr_build_temporary_bytes(job->context, MR_IDS_SPARSE, info->n_edges, false);
    }
    plan->passes = 60;
    plan->goal = given->tolerance;
}

/* ---- The run ---- */

/* The public figures that no row has. */
static void take_figures(const struct mr_hits_result *result, struct mr_ranking_figures *figures)
{
    figures->change = fmax(result->hub_change, result->authority_change);
    figures->rounds = result->rounds;
    if (isfinite(result->error_estimate)) {
        figures->bound_kind = MR_BOUND_ESTIMATE;
        figures->error_bound = result->error_estimate;
    }
}

static enum mr_status check_reverse(const struct mr_ranking_job *job, struct mr_store *reverse,
                                    struct mr_error *err)
{
    if (reverse == NULL) {
        return MR_OK;
    }
    if (reverse == job->store && !job->info->undirected) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "the store is its own reverse only where links go both ways");
    }
    return reverse == job->store ? MR_OK
                                 : mr_hits_check_transpose(job->context, job->store, reverse, err);
}

static enum mr_status run_hits(struct mr_ranking_job *job, struct mr_error *err)
{
    const struct hits_options *given = job->options;
    const struct mr_hits_options options = taken(given);
    struct hits_figures *figures = job->figures;
    struct mr_hits_result *result = &figures->result;

    enum mr_status status = check_reverse(job, given->reverse, err);
    if (status == MR_OK) {
        status = mr_hits(job->context, job->store, given->reverse, &options, result, err);
    }
    if (status == MR_OK || status == MR_NOT_CONVERGED) {
        figures->norm = given->norm;
        mr_ranking_add(job->ranking, "hub", MR_SCORES_DOUBLE, result->hubs);
        mr_ranking_add(job->ranking, "authority", MR_SCORES_DOUBLE, result->authorities);
        take_figures(result, &job->ranking->figures);
    }
    return status;
}

static void say(const void *data, char *text, size_t text_bytes)
{
    const struct hits_figures *figures = data;
    const struct mr_hits_result *result = &figures->result;
    char passes[64];
    size_t used = 0;

    if (result->converged) {
        used = (size_t)snprintf(text, text_bytes,
                                "the last of %llu rounds changed hubs by %.1e, authorities by %.1e "
                                "(%s, tolerance %g), %s",
                                (unsigned long long)result->rounds, result->hub_change,
                                result->authority_change, norms[figures->norm], result->tolerance,
                                mr_count_of_text(result->passes, "pass", passes));
    }
    if (result->eigenvalue > 0 && result->depends_on_start) {
        (void)snprintf(text + used, text_bytes - used,
                       "\nwarning: the two largest eigenvalues seem equal (ratio %.7g): parts of "
                       "the graph share the first rank, and their shares depend on the start",
                       result->separation);
    } else if (!isnan(result->separation)) {
        char distance[64] = "how far the hubs are off takes a higher --probe";
        if (!isnan(result->error_estimate)) {
            (void)snprintf(distance, sizeof distance, "hubs are off by about %.1e",
                           result->error_estimate);
        }
        (void)snprintf(text + used, text_bytes - used, "\nsecond eigenvalue %.4g of the first; %s",
                       result->separation, distance);
    }
}

#define OPTION(name) offsetof(struct hits_options, name)
#define FIGURE(name) offsetof(struct hits_figures, result.name)
const struct mr_ranking_kind mr_kind_hits = {
    .name = "hits",
    .summary = "rank pages as hubs and authorities (HITS)",
    .text = "Computes HITS: a good hub links to good authorities, and good hubs link to a good "
            "authority. Every round reads the links twice, forwards and backwards, and needs the "
            "reverse of the store for that. The result tells how far apart the two largest "
            "eigenvalues are, and whether the scores depend on the start. With weights a link "
            "counts its weight.",
    .examples = "  millrace hits web.mill --reverse web-reversed.mill -o hits.tsv --top 10\n"
                "  millrace hits web.mill --page-scores relevance.tsv -o hits.tsv.zst\n"
                "  millrace hits web.mill --query found.txt --top 20 --by hub\n",
    .columns = (const struct mr_rank_column[]){{.name = "hub"}, {.name = "authority"}, {0}},
    .takes_weights = true,
    .options =
        (const struct mr_rank_option[]){
            {"reverse", MR_RANK_STORE, OPTION(reverse), "STORE",
             .help = "The reverse of the store, made by 'millrace transpose'. Default: a temporary "
                     "one, unless the store is undirected.",
             .often = true},
            {"page-scores", MR_RANK_WEIGHTS, OPTION(page_scores), "FILE",
             .help = "Relevance of the pages, such as from a text classifier: lines NAME SCORE. "
                     "The authority of a page flows back to the pages that link to it in "
                     "proportion to its relevance. Pages that are not in FILE have relevance 0. "
                     "Default: all pages have the same relevance.",
             .often = true},
            {"norm", MR_RANK_CHOICE, OPTION(norm), .choices = "l1|l2|max",
             .help = "What is scaled to 1 in each vector: the sum (l1), the length (l2) or the "
                     "largest score (max). Changes are measured in the same norm. Default l1."},
            {"tolerance", MR_RANK_REAL, OPTION(tolerance), "T",
             "Stop when a round changes no vector by more than T. Default 1e-9.",
             .also = "tol eps epsilon threshold", .usual = 1e-9, .most = (double)INFINITY,
             .above_least = true, .below_most = true, .often = true},
            {"max-rounds", MR_RANK_COUNT, OPTION(max_rounds), "N",
             "Stop after N rounds of two passes each, with exit code 6 and the scores so far. "
             "Default 10000.",
             .usual = 10000, .least = 1, .most = UINT32_MAX},
            {"start", MR_RANK_REALS, OPTION(start), "FILE", .choices = "1",
             .help = "Start from the hubs of an earlier result (its first score column). Pages "
                     "that are not in FILE start from the mean. Default: all hubs equal."},
            {"acceleration", MR_RANK_COUNT, OPTION(acceleration), "M",
             "Number of vectors of the Lanczos acceleration, 2 to 16; each needs 4 bytes per page. "
             "0 means plain power iteration. Default: 6, or fewer where --memory has no room for "
             "them.",
             .usual = MR_HITS_AUTO, .most = 16},
            {"probe", MR_RANK_COUNT, OPTION(probe), "N",
             "Use at most N rounds to find the second eigenvalue, which tells how well the vectors "
             "are determined. 0 skips it. Default 30.",
             .usual = 30, .most = 10000},
            {"no-pin", MR_RANK_FLAG, OPTION(no_pin),
             .help = "Keep no links in memory. Read all links in every pass. For measurements."},
            {0}},
    .figures =
        (const struct mr_rank_figure[]){
            {"tolerance", MR_RANK_REAL, FIGURE(tolerance), .help = "of the changes"},
            {"acceleration", MR_RANK_COUNT, FIGURE(acceleration),
             .help = "vectors of the acceleration"},
            {"converged", MR_RANK_FLAG, FIGURE(converged),
             .help = "whether the last changes are below the tolerance"},
            {"hub_change", MR_RANK_REAL, FIGURE(hub_change),
             .help = "change of the hubs in the last round"},
            {"authority_change", MR_RANK_REAL, FIGURE(authority_change),
             .help = "that of the authorities"},
            {"eigenvalue", MR_RANK_REAL, FIGURE(eigenvalue), .help = "the largest"},
            {"second_eigenvalue", MR_RANK_REAL, FIGURE(second_eigenvalue), .help = "the next one"},
            {"separation", MR_RANK_REAL, FIGURE(separation),
             .help = "the second divided by the first"},
            {"error_estimate", MR_RANK_REAL, FIGURE(error_estimate),
             .help = "estimated error of the hubs; not proven"},
            {"depends_on_start", MR_RANK_FLAG, FIGURE(depends_on_start),
             .help = "whether other starts give other scores"},
            {"rounds", MR_RANK_COUNT, FIGURE(rounds), .help = "rounds to the result"},
            {"probe_rounds", MR_RANK_COUNT, FIGURE(probe_rounds),
             .help = "rounds that looked for the second eigenvalue"},
            {"passes", MR_RANK_COUNT, FIGURE(passes), .help = "passes over the links"},
            MR_PASS_FIGURES(FIGURE(figures)),
            {0}},
    .work = &(const struct mr_ranking_work){.options_bytes = sizeof(struct hits_options),
                                            .figures_bytes = sizeof(struct hits_figures),
                                            .plan = plan,
                                            .run = run_hits,
                                            .say = say},
};
