/* SPDX-License-Identifier: Apache-2.0 */
/* What a run of `millrace opic` found, for people, the metadata and --next. */
#include <math.h>

#include "cli/opic/opic_job.h"
#include "cli/program/meta.h"
#include "engine/base/memory.h"
#include "formats/pages/page_marks.h"
#include "library/bound.h"

static const char *bound_name(enum mr_opic_bound kind)
{
    return kind == MR_OPIC_DISTANCE       ? "distance"
           : kind == MR_OPIC_STATIONARITY ? "stationarity"
                                          : "none";
}

void mr_opic_report(const struct mr_run *run)
{
    const struct mr_opic_job *job = run->data;
    const struct mr_opic_result *result = &job->result;
    const char *plural = result->sweeps == 1 ? "" : "s";
    char bound[32];

    mr_session_say(job->session,
                   "|H| %.6g, cash moved %.3g in the last sweep, %.3g with the virtual page; the "
                   "cash adds up exactly",
                   result->history, result->moved, result->virtual_cash);
    (void)mr_bound_text(result->error_bound, bound);
    if (result->bound_kind == MR_OPIC_NO_BOUND) {
        mr_session_say(job->session, "no error bound with this window; %llu sweep%s, %.1f s",
                       (unsigned long long)result->sweeps, plural, run->seconds);
    } else if (result->converged) {
        mr_session_say(job->session, "error bound %s%s%s after %llu sweep%s, %.1f s", bound,
                       result->bound_kind == MR_OPIC_STATIONARITY ? " on stationarity" : "",
                       result->measured ? " (measured)" : "", (unsigned long long)result->sweeps,
                       plural, run->seconds);
    }
    if (result->converged && result->bound_kind == MR_OPIC_DISTANCE &&
        result->error_bound > job->options.tolerance && job->options.cash_left > 0.0 &&
        job->options.tolerance > 0.0) {
        char tolerance[32];
        (void)mr_bound_text(job->options.tolerance, tolerance);
        mr_session_say(job->session,
                       "note: the scores may differ by %s in sum, more than the tolerance %s: the "
                       "cash is on pages that are not fetched, so the bound falls no further; "
                       "--fetched all has scores near PageRank",
                       bound, tolerance);
    }
}

static void add_parameters(struct mr_json *json, const struct mr_opic_job *job)
{
    static const char *const policies[] = {"cyclic", "greedy", "random"};
    static const char *const payouts[] = {"all", "unvisited", "visited", "targets"};
    static const char *const fetched[] = {"all", "links", "list"};
    const struct mr_opic_options *options = &job->options;

    mr_json_text(json, "algorithm", "opic");
    mr_json_text(json, "method", options->drain ? "drain" : "opic");
    if (options->tax_one_link) {
        mr_json_text(json, "tax", "one-link");
    } else {
        mr_json_real(json, "tax", options->tax);
    }
    mr_json_text(json, "policy", job->flags->times.n > 0 ? "times" : policies[options->policy]);
    mr_json_count(json, "visits_per_sweep", options->visits);
    mr_json_count(json, "seed", options->seed);
    mr_json_text(json, "payout", payouts[options->payout]);
    mr_json_texts_given(json, "targets", job->flags->payout.files.items,
                        job->flags->payout.files.n);
    mr_json_text(json, "fetched", fetched[options->fetched_rule]);
    mr_json_text(json, "self_loops", options->ignore_self_loops ? "ignore" : "keep");
    mr_json_real(json, "internal_weight", options->internal_weight);
    mr_json_real(json, "external_weight", options->external_weight);
    mr_json_real(json, "window", options->window);
    if (job->flags->window.intervals > 0.0) {
        mr_json_real(json, "window_intervals", job->flags->window.intervals);
    }
    mr_json_texts_given(json, "times", job->flags->times.items, job->flags->times.n);
    mr_json_text(json, "new_pages", mr_opic_new_get_average(options) ? "average" : "zero");
    mr_json_real(json, "tolerance", options->tolerance);
    mr_json_text(json, "state", job->flags->state);
}

static void add_merge(struct mr_json *json, const struct mr_opic_job *job)
{
    const struct mr_opic_merge *merge = &job->merge;

    mr_json_flag(json, "continued", job->has_merged);
    if (!job->has_merged) {
        return;
    }
    mr_json_flag(json, "unchanged", merge->unchanged);
    mr_json_count(json, "pages_kept", merge->kept);
    mr_json_count(json, "pages_added", merge->added);
    mr_json_count(json, "pages_vanished", merge->vanished);
    mr_json_real(json, "added_cash", merge->added_cash);
    mr_json_real(json, "added_history", merge->added_history);
    mr_json_real(json, "vanished_cash", merge->vanished_cash);
}

static void add_solution(struct mr_json *json, const struct mr_opic_job *job)
{
    const struct mr_opic_result *result = &job->result;

    mr_json_flag(json, "converged", result->converged);
    mr_json_text(json, "bound", bound_name(result->bound_kind));
    if (isfinite(result->error_bound)) {
        mr_json_real(json, "error_bound", result->error_bound);
    }
    mr_json_flag(json, "measured", result->measured);
    if (isfinite(result->stationarity)) {
        mr_json_real(json, "stationarity_bound", result->stationarity);
    }
    mr_json_real(json, "history", result->history);
    mr_json_real(json, "moved", result->moved);
    mr_json_real(json, "cash_left", result->cash_left);
    mr_json_real(json, "virtual_cash", result->virtual_cash);
    mr_json_count(json, "cash_sum", result->cash_sum);
    mr_json_count(json, "sweeps", result->sweeps);
    mr_json_count(json, "visits", result->visits);
    mr_json_count(json, "total_sweeps", result->total_sweeps);
    mr_json_count(json, "total_visits", result->total_visits);
    mr_json_count(json, "pages_fetched", result->n_fetched);
    mr_json_count(json, "pages_visited", result->n_visited);
    mr_json_count(json, "passes", result->figures.passes);
    mr_json_count(json, "partial_passes", result->figures.partial_passes);
    mr_json_count(json, "blocks_skipped", result->figures.blocks_skipped);
}

void mr_opic_fill_json(const struct mr_run *run, struct mr_json *json)
{
    const struct mr_opic_job *job = run->data;

    add_parameters(json, job);
    add_merge(json, job);
    add_solution(json, job);
    mr_meta_figures(json, &job->result.figures);
}

/* Clears the bits of fetched pages that are gone, by the store and the files of --fetched and
 * --times. Their first reading gave the notes about them. */
static enum mr_status drop_gone(const struct mr_run *run, uint8_t *bits, struct mr_error *err)
{
    const struct mr_opic_job *job = run->data;
    const struct mr_graph *graph = run->ranked;
    const struct mr_texts *fetched = &job->flags->fetched.files, *timed = &job->flags->times;
    struct mr_context quiet = job->session->context;
    uint32_t *times = NULL;

    quiet.note = NULL;
    enum mr_status status =
        mr_memory_array(quiet.memory, "times of fetches", job->info->n_vertices + 1, &times, err);
    if (status == MR_OK) {
        status = mr_fetched_read(&quiet, graph->store, graph->names, fetched->items, fetched->n, 0,
                                 true, UINT64_MAX, bits, NULL, err);
    }
    if (status == MR_OK) {
        status = mr_fetched_read(&quiet, graph->store, graph->names, timed->items, timed->n, 0,
                                 true, UINT64_MAX, bits, times, err);
    }
    mr_memory_free(quiet.memory, times);
    return status;
}

enum mr_status mr_opic_print_next(struct mr_run *run, struct mr_error *err)
{
    const struct mr_opic_job *job = run->data;
    const struct mr_fetch_flags *fetch = &run->flags->fetch;
    struct mr_memory *memory = job->session->context.memory;
    const uint64_t n_vertices = job->info->n_vertices;
    uint8_t *bits = NULL;
    uint64_t n_pages = 0;
    const double *cash = fetch->revisit ? mr_opic_refetch(job->opic, &n_pages)
                                        : mr_opic_unfetched(job->opic, &n_pages);
    const struct mr_score_column column = {
        .name = "cash", .type = MR_SCORES_DOUBLE, .values = cash};

    enum mr_status status =
        mr_memory_array(memory, "pages to fetch", n_vertices / 8 + 1, &bits, err);
    for (uint64_t v = 0; status == MR_OK && v < n_vertices; v++) {
        bits[v / 8] |= (uint8_t)((cash[v] >= 0) << v % 8);
    }
    if (status == MR_OK) {
        status = fetch->revisit ? drop_gone(run, bits, err)
                                : mr_page_marks_gone(&job->session->context, run->ranked->store,
                                                     run->ranked->names, true, bits, err);
    }
    n_pages = 0;
    for (uint64_t v = 0; status == MR_OK && v < n_vertices; v++) {
        n_pages += mr_page_is_marked(bits, v);
    }
    if (status == MR_OK) {
        status = mr_fetch_list_print(job->session, fetch, run->ranked, &column, 1, bits, n_pages,
                                     run->flags->columns.header, err);
    }
    mr_memory_free(memory, bits);
    return status;
}
