/* SPDX-License-Identifier: Apache-2.0 */
/* Prints what a run of `millrace opic` found, and writes its scores, metadata, lists and state.
 * cmd_opic.c calls these functions after the sweeps. The state is written last, so that a failed
 * run can be repeated. */
#include <math.h>

#include "cli/graph/best_pages.h"
#include "cli/opic/opic_job.h"
#include "cli/program/bound.h"
#include "cli/program/meta.h"
#include "formats/score/scores.h"
#include "formats/stream/output.h"

static const char *bound_name(enum mr_opic_bound kind)
{
    return kind == MR_OPIC_DISTANCE       ? "distance"
           : kind == MR_OPIC_STATIONARITY ? "stationarity"
                                          : "none";
}

void mr_opic_report(const struct mr_opic_job *job)
{
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
                       (unsigned long long)result->sweeps, plural, job->seconds);
    } else if (result->converged) {
        mr_session_say(job->session, "error bound %s%s%s after %llu sweep%s, %.1f s", bound,
                       result->bound_kind == MR_OPIC_STATIONARITY ? " on stationarity" : "",
                       result->measured ? " (measured)" : "", (unsigned long long)result->sweeps,
                       plural, job->seconds);
    }
}

static enum mr_status write_column(const struct mr_opic_job *job, const char *path,
                                   const char *name, const double *values, uint64_t top,
                                   bool is_for_fetching, struct mr_error *err)
{
    const struct mr_opic_flags *flags = job->flags;
    const bool all = flags->columns == 1 && !is_for_fetching;
    struct mr_opic_columns more = {0};
    enum mr_status status = all ? mr_opic_fill_columns(job, &more, err) : MR_OK;
    const struct mr_score_column columns[] = {
        {.name = "cash", .type = MR_SCORES_DOUBLE, .values = more.cash},
        {.name = "history", .type = MR_SCORES_DOUBLE, .values = more.history},
        {.name = "last_visit", .type = MR_SCORES_DOUBLE, .values = more.last},
        {.name = name, .type = MR_SCORES_DOUBLE, .values = values}};
    const struct mr_scores_options options = {.struct_size = sizeof options,
                                              .force = flags->common.force,
                                              .header = flags->header,
                                              .only_top = top > 0,
                                              .top = top,
                                              .top_column = all ? 3 : 0,
                                              .originals = is_for_fetching};
    struct mr_scores_summary summary = {0};
    char count[32];

    mr_session_leave_terminal(job->session, path);
    if (status == MR_OK) {
        status =
            mr_scores_write(&job->session->context, path, job->graph.names, job->info->n_vertices,
                            all ? columns : &columns[3], all ? 4 : 1, &options, &summary, err);
    }
    mr_opic_columns_free(job, &more);
    if (status == MR_OK && summary.escaped > 0) {
        mr_session_say(job->session, "note: %s names had control bytes; written as \\xNN",
                       mr_count_text(summary.escaped, count));
    }
    return status;
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
    mr_json_text(json, "new_pages", options->new_pages_at_zero ? "zero" : "average");
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
    mr_json_real(json, "seconds", job->seconds);
}

static struct mr_json describe(const struct mr_opic_job *job)
{
    const char *path = job->graph.temporary != NULL ? NULL : job->parsed->operands[0];
    struct mr_json json = mr_json_create();

    mr_meta_store(&json, path, job->info);
    if (path == NULL) {
        mr_json_texts(&json, "inputs", job->parsed->operands, job->parsed->n_operands);
    }
    add_parameters(&json, job);
    add_merge(&json, job);
    add_solution(&json, job);
    mr_meta_figures(&json, &job->result.figures);
    mr_meta_run(&json, job->session);
    return json;
}

static enum mr_status print_next(const struct mr_opic_job *job, struct mr_error *err)
{
    const bool again = job->flags->revisit;
    uint64_t n_pages;
    const double *cash =
        again ? mr_opic_refetch(job->opic, &n_pages) : mr_opic_unfetched(job->opic, &n_pages);
    const uint64_t top = job->flags->next < n_pages ? job->flags->next : n_pages;

    if (top == 0) {
        mr_session_say(job->session, "note: %s; --next has none to print",
                       again ? "no page is fetched" : "all pages are fetched");
        return MR_OK;
    }
    return write_column(job, NULL, "cash", cash, top, true, err);
}

/* --score-columns all has more than a table of the best pages shows. */
static bool shows_best(const struct mr_opic_flags *flags)
{
    return flags->columns == 0 && flags->next == 0 &&
           mr_best_pages_wanted(flags->output, flags->top, flags->common.json);
}

/* Writes the files. The scores come after the files about them. The state comes last: until then
 * the whole run can be repeated. */
static enum mr_status write_files(struct mr_opic_job *job, bool prints_all,
                                  const struct mr_json *json, struct mr_error *err)
{
    const struct mr_opic_flags *flags = job->flags;
    enum mr_status status = MR_OK;

    if (flags->names != NULL) {
        status = mr_scores_write_names(&job->session->context, flags->names, job->graph.names,
                                       job->info->n_vertices, flags->common.force, NULL, err);
    }
    if (status == MR_OK) {
        status = mr_meta_write(job->session, json, flags->output, err);
    }
    if (status == MR_OK && (flags->output != NULL || prints_all)) {
        status =
            write_column(job, flags->output, "score", mr_opic_scores(job->opic), 0, false, err);
    }
    return status == MR_OK ? mr_opic_save_state(job, err) : status;
}

/* Writes one thing to standard output: the JSON, pages to fetch, the best pages, or nothing where
 * write_files() has written all scores to it. A terminal gets the best pages as a table. */
static enum mr_status write_standard_output(struct mr_opic_job *job, const struct mr_json *json,
                                            struct mr_error *err)
{
    const struct mr_opic_flags *flags = job->flags;
    const struct mr_opic_result *result = &job->result;
    const struct mr_score_column scores = {
        .name = "score", .type = MR_SCORES_DOUBLE, .values = mr_opic_scores(job->opic)};
    const bool is_proven = result->bound_kind == MR_OPIC_DISTANCE && isfinite(result->error_bound);
    const struct mr_best_pages best = {.graph = &job->graph,
                                       .columns = &scores,
                                       .n_columns = 1,
                                       .bound = is_proven ? result->error_bound : -1.0,
                                       .k = flags->top > 0 || flags->common.json ? flags->top
                                                                                 : MR_BEST_PAGES};

    if (flags->common.json) {
        return mr_best_pages_json(job->session, &best, json, err);
    }
    if (flags->top > 0) {
        return write_column(job, NULL, "score", scores.values, flags->top, false, err);
    }
    if (flags->next > 0) {
        return print_next(job, err);
    }
    return shows_best(flags) ? mr_best_pages_print(job->session, &best, err) : MR_OK;
}

enum mr_status mr_opic_write_results(struct mr_opic_job *job, struct mr_error *err)
{
    const struct mr_opic_flags *flags = job->flags;
    struct mr_json json = describe(job);
    const bool prints_all = flags->output == NULL && flags->top == 0 && flags->next == 0 &&
                            !flags->common.json && !shows_best(flags);

    mr_session_publish_together(job->session);
    enum mr_status status = write_files(job, prints_all, &json, err);
    if (status == MR_OK) {
        status = write_standard_output(job, &json, err);
    }
    mr_json_destroy(&json);
    return mr_session_publish(job->session, status, err);
}
