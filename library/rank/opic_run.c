/* SPDX-License-Identifier: Apache-2.0 */
/* A run of the kind "opic": lists of fetched pages, a state to go on from, the sweeps, columns and
 * figures; and what a run leaves, from which the next state and the pages to fetch come. */
#include "library/rank/opic_run.h"

#include <math.h>
#include <stdlib.h>

#include "engine/base/count_text.h"
#include "formats/pages/page_list.h"

/* What a run holds to its end. */
struct opic_run {
    struct mr_ranking_job job;
    struct mr_opic_options options;
    struct mr_opic *opic;
    struct mr_opic_internal internal;
    struct mr_page_list fetched;
    const char *state; /* NULL: none */
};

/* With the rule "links", pages with fetch facts are fetched, too. */
static enum mr_status add_facts(struct opic_run *run, struct mr_error *err)
{
    const struct mr_ranking_job *job = &run->job;
    struct mr_opic_options *options = &run->options;

    if (options->fetched_rule != MR_OPIC_FETCHED_LINKS || job->info->n_facts == 0 ||
        job->names == NULL) {
        return MR_OK;
    }
    const enum mr_status status =
        mr_page_list_add_facts(job->context, job->store, job->names, options->fetched,
                               options->n_fetched, &run->fetched, err);
    options->fetched = run->fetched.pages;
    options->n_fetched = run->fetched.n_pages;
    return status;
}

static void note_merge(const struct mr_context *context, const char *state,
                       const struct mr_opic_merge *merge)
{
    char kept[64], added[32], vanished[32];

    if (merge->added == 0 && merge->vanished == 0) {
        mr_context_note(context, "%s: %s, %s", state, mr_count_of_text(merge->kept, "page", kept),
                        merge->unchanged ? "graph and parameters unchanged"
                                         : "links or parameters changed");
    } else {
        mr_context_note(context,
                        "%s: %s of before, %s new (paid %.2g of the cash), %s gone (gave back "
                        "%.2g)",
                        state, mr_count_of_text(merge->kept, "page", kept),
                        mr_count_text(merge->added, added), merge->added_cash,
                        mr_count_text(merge->vanished, vanished), merge->vanished_cash);
    }
    if (merge->other_clock) {
        mr_context_note(context,
                        "%s: its visits have times in other units; all pages count as visited now",
                        state);
    }
}

static enum mr_status load(struct opic_run *run, struct mr_opic_figures *figures,
                           struct mr_error *err)
{
    const struct mr_ranking_job *job = &run->job;

    if (run->state == NULL) {
        return MR_OK;
    }
    const enum mr_status status =
        mr_opic_state_load(job->context, run->opic, run->state, job->names, job->info,
                           &figures->merge, &figures->continued, err);
    if (status == MR_OK && figures->continued) {
        note_merge(job->context, run->state, &figures->merge);
    }
    return status;
}

static void fill_figures(const struct opic_run *run, struct mr_opic_figures *figures)
{
    const struct mr_opic_options *options = &run->options;
    const struct mr_opic_result *result = &figures->result;
    struct mr_ranking_figures *common = &run->job.ranking->figures;

    figures->method = options->drain;
    figures->policy = options->n_times > 0 ? MR_OPIC_RANDOM + 1 : (int)options->policy;
    figures->visits_per_sweep = options->visits;
    figures->payout = (int)options->payout;
    figures->fetched = (int)options->fetched_rule;
    figures->window = options->window;
    figures->window_intervals =
        options->window_intervals > 0 ? options->window_intervals : (double)NAN;
    figures->new_pages = mr_opic_new_get_average(options);
    figures->tolerance = options->tolerance;
    figures->bound_kind = (int)result->bound_kind;
    figures->error_bound = isfinite(result->error_bound) ? result->error_bound : (double)NAN;
    figures->stationarity = isfinite(result->stationarity) ? result->stationarity : (double)NAN;
    common->rounds = result->sweeps;
    if (result->bound_kind == MR_OPIC_STATIONARITY) {
        common->bound_kind = MR_BOUND_STATIONARITY;
    }
}

/* Memory: 24 bytes per page if all columns are wanted. */
static enum mr_status add_columns(const struct opic_run *run, bool all, struct mr_error *err)
{
    static const char *const names[] = {"cash", "history", "last_visit"};
    struct mr_ranking *ranking = run->job.ranking;
    double *columns[3] = {NULL};
    enum mr_status status = MR_OK;

    for (int i = 0; all && i < 3 && status == MR_OK; i++) {
        status = mr_ranking_add_zeros(ranking, names[i], &columns[i], err);
    }
    for (uint64_t v = 0; columns[2] != NULL && status == MR_OK && v < run->job.info->n_vertices;
         v++) {
        const struct mr_opic_page page = mr_opic_get_page(run->opic, v);
        columns[0][v] = page.cash;
        columns[1][v] = page.history;
        columns[2][v] = page.last;
    }
    if (status == MR_OK) {
        mr_ranking_add(ranking, "score", MR_SCORES_DOUBLE, mr_opic_give_scores(run->opic));
    }
    return status;
}

/* The cash of pages that are not fetched keeps the bound up. */
static void note_bound(const struct opic_run *run, const struct mr_opic_result *result)
{
    const struct mr_opic_options *options = &run->options;
    char bound[32], tolerance[32];

    if (result->converged && result->bound_kind == MR_OPIC_DISTANCE && options->cash_left > 0.0 &&
        options->tolerance > 0.0 && result->error_bound > options->tolerance) {
        mr_context_note(run->job.context,
                        "the scores may differ by %s in sum, more than the tolerance %s: the cash "
                        "is on pages that are not fetched, so the bound falls no further; "
                        "--fetched all has scores near PageRank",
                        mr_bound_text(result->error_bound, bound),
                        mr_bound_text(options->tolerance, tolerance));
    }
}

enum mr_status mr_opic_rank(struct mr_ranking_job *job, const struct mr_opic_options *options,
                            const char *state, bool all_columns, struct mr_error *err)
{
    struct mr_opic_figures *figures = job->figures;
    struct opic_run *run = calloc(1, sizeof *run);

    if (run == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a ranking");
    }
    job->ranking->held = run;
    *run = (struct opic_run){.job = *job, .options = *options, .state = state};
    if (job->names == NULL && (state != NULL || mr_opic_weighs(options))) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "a state and weights of links inside hosts need the names of the "
                            "store");
    }
    enum mr_status status = add_facts(run, err);
    if (status == MR_OK && mr_opic_weighs(&run->options)) {
        status = mr_opic_internal_open(job->context, job->store, job->names,
                                       run->options.ignore_self_loops, &run->internal, err);
        run->options.internal = run->internal.store;
    }
    if (status == MR_OK) {
        status = mr_opic_create(job->context, job->store, &run->options, &run->opic, err);
    }
    if (status == MR_OK) {
        status = load(run, figures, err);
    }
    if (status == MR_OK) {
        status = mr_opic_run(run->opic, &figures->result, err);
    }
    if (status == MR_OK || status == MR_NOT_CONVERGED) {
        struct mr_error later = {0};
        fill_figures(run, figures);
        note_bound(run, &figures->result);
        const enum mr_status added = add_columns(run, all_columns, &later);
        if (added != MR_OK) { /* worse than a missed tolerance */
            if (err != NULL) {
                *err = later;
            }
            status = added;
        }
    }
    return status;
}

enum mr_status mr_opic_keep(const void *held, struct mr_error *err)
{
    const struct opic_run *run = held;
    const struct mr_ranking_job *job = &run->job;

    return run->state == NULL ? MR_OK
                              : mr_opic_state_save(job->context, run->opic, run->state, job->names,
                                                   job->info, err);
}

const double *mr_opic_next(const void *held, bool again)
{
    const struct opic_run *run = held;
    uint64_t n_pages = 0;

    return again ? mr_opic_refetch(run->opic, &n_pages) : mr_opic_unfetched(run->opic, &n_pages);
}

void mr_opic_release(void *held)
{
    struct opic_run *run = held;

    mr_opic_destroy(run->opic);
    mr_opic_internal_close(&run->internal);
    mr_page_list_free(&run->fetched);
    free(run);
}
