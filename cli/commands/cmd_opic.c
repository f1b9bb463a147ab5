/* SPDX-License-Identifier: Apache-2.0 */
/* millrace opic: importance by cash (OPIC), with a state that is saved between crawls. Checks
 * the flags, opens the graph, reads lists and state (opic_inputs.c), runs the sweeps of
 * algorithms/opic, and writes scores and state (opic_results.c). */
#include <math.h>
#include <string.h>

#include "algorithms/base/relaxation.h"
#include "cli/opic/opic_job.h"

#define DEFAULT_TOLERANCE_OPIC  0.01
#define DEFAULT_TOLERANCE_DRAIN 1e-9
#define DEFAULT_CASH_LEFT       0.01

static const char *const column_names[] = {"cash", "history", "last_visit", "score"};
enum { AUTO, OPIC, DRAIN }; /* --method */

/* ---- Flags ---- */

static bool has_limit(const struct mr_opic_flags *flags)
{
    return flags->tax.share > 0.0 && !flags->tax.one_link &&
           (flags->payout.choice == MR_OPIC_PAY_ALL || flags->payout.choice == MR_OPIC_PAY_TARGETS);
}

static bool stops_otherwise(const struct mr_opic_flags *flags)
{
    return flags->sweeps > 0 || flags->cash_left > 0.0 || flags->times.n > 0;
}

/* Where nothing is kept for a next run, draining gives the same scores in fewer sweeps. */
static bool drains(const struct mr_opic_flags *flags)
{
    const bool is_plain = flags->state == NULL && !(flags->window.value > 0.0) &&
                          !stops_otherwise(flags) && flags->policy == 0 &&
                          flags->visits.bytes == 0 && !(flags->visits.percent > 0.0);
    return flags->method == DRAIN || (flags->method == AUTO && is_plain && has_limit(flags));
}

static enum mr_status check_window(const struct mr_opic_flags *flags, struct mr_error *err)
{
    if (!(flags->window.value > 0.0)) {
        return MR_OK;
    }
    if (flags->window.is_time && flags->times.n == 0) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--window with a unit of time needs --times; without --times it is a "
                            "number, in units of the total cash moved");
    }
    if (!has_limit(flags) && !stops_otherwise(flags)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--window has no error bound with this payout or tax; say --sweeps N");
    }
    return flags->window.intervals > 0
               ? mr_page_list_refuse_pipes("--window with x", flags->times.items, flags->times.n,
                                           err)
               : MR_OK;
}

/* A link loses up to a unit of cash, 2^-62 of all, in each sweep. What is lost stays in the bound,
 * so that on large graphs no number of sweeps reaches 1e-9. */
static double drain_tolerance(const struct mr_store_info *info)
{
    const double lost = info == NULL ? 0.0 : 256.0 * 0x1p-62 * (double)info->n_edges;
    return fmax(DEFAULT_TOLERANCE_DRAIN, lost);
}

static void set_options(struct mr_opic_job *job)
{
    const struct mr_opic_flags *flags = job->flags;
    struct mr_opic_options *options = &job->options;
    const enum mr_opic_fetched fetched = mr_opic_fetched_rule(flags);

    *options = (struct mr_opic_options)MR_OPIC_OPTIONS_INIT;
    options->tax = flags->tax.share;
    options->tax_one_link = flags->tax.one_link;
    options->drain = drains(flags);
    options->policy = (enum mr_opic_policy)flags->policy;
    if ((flags->visits.bytes > 0 || flags->visits.percent > 0.0) && job->info != NULL) {
        options->visits = mr_opic_pages(flags->visits, job->info->n_vertices);
    }
    options->seed = flags->seed;
    options->payout = (enum mr_opic_payout)flags->payout.choice;
    options->targets = job->targets.pages;
    options->n_targets = job->targets.n_pages;
    options->fetched_rule = fetched;
    options->fetched = job->fetched.pages;
    options->n_fetched = job->fetched.n_pages;
    options->ignore_self_loops = flags->ignore_self_loops;
    options->internal = job->internal;
    options->internal_weight = flags->internal_weight;
    options->external_weight = flags->external_weight;
    options->window = flags->window.value;
    options->times = job->times.entries;
    options->n_times = job->times.n_entries;
    options->windows = job->windows.entries;
    options->n_windows = job->windows.n_entries;
    options->new_pages = (enum mr_opic_new_pages)flags->new_pages;
    options->sweeps = flags->sweeps;
    options->cash_left = flags->cash_left;
    options->tolerance = flags->tolerance;
    if (!(flags->tolerance > 0.0) && !stops_otherwise(flags)) {
        options->tolerance = drains(flags) ? drain_tolerance(job->info) : DEFAULT_TOLERANCE_OPIC;
        if ((options->window > 0.0 || flags->state != NULL) && fetched != MR_OPIC_FETCHED_ALL) {
            /* The cash ends up on pages that are not fetched. The flow then ends, and the window
             * with it, so the run stops by the cash that is left. */
            options->tolerance = options->window > 0.0 ? 0.0 : options->tolerance;
            options->cash_left =
                options->window > 0.0 ? DEFAULT_CASH_LEFT : MR_OPIC_STATE_CASH_LEFT;
        }
    }
    options->no_pinning = flags->no_pin;
}

static enum mr_status check(struct mr_run *run, struct mr_error *err)
{
    struct mr_opic_job *job = run->data;
    const struct mr_opic_flags *flags = (const struct mr_opic_flags *)run->flags;

    job->run = run;
    job->session = run->session;
    job->flags = flags;
    run->import.ignores_weights = "opic counts links, whatever they weigh";

    if (run->flags->fetch.retries > 0 && flags->fetched.files.n == 0) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--retries counts failures in --fetched FILE; name such a file");
    }
    if (drains(flags) && !has_limit(flags)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--method drain needs --tax above 0, and --payout all or targets:FILE");
    }
    if (flags->internal_weight + flags->external_weight <= 0.0) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--internal-weight and --external-weight must not both be 0");
    }
    enum mr_status status = check_window(flags, err);
    if (status == MR_OK && run->flags->fetch.revisit) { /* it looks for pages that are gone */
        status = mr_page_list_refuse_pipes("--revisit", flags->fetched.files.items,
                                           flags->fetched.files.n, err);
        status = status == MR_OK ? mr_page_list_refuse_pipes("--revisit", flags->times.items,
                                                             flags->times.n, err)
                                 : status;
    }
    if (status == MR_OK) {
        set_options(job);
        const unsigned first = flags->columns == 1 ? 0 : 3;
        status = mr_columns_expect(run, column_names + first, 4 - first, err);
    }
    return status == MR_OK && !run->flags->common.estimate ? mr_opic_check_state(job, err) : status;
}

/* ---- Estimate ---- */

static double passes(const struct mr_run *run)
{
    const struct mr_opic_job *job = run->data;
    const struct mr_opic_options *options = &job->options;
    const double tax = options->tax, damping = 1.0 - tax;
    double sweeps = 1.0;

    if (options->tolerance > 0.0 && options->drain) {
        sweeps = log(options->tolerance * tax / 2.0) / log(damping);
    } else if (options->tolerance > 0.0) {
        sweeps = 2.0 * damping / ((tax > 0.0 ? tax : 1.0) * options->tolerance);
    }
    return options->sweeps > 0 ? (double)options->sweeps : ceil(fmax(sweeps, 1.0));
}

static void estimate_memory(struct mr_run *run, uint64_t beside, struct mr_estimate *estimate)
{
    struct mr_opic_job *job = run->data;
    struct mr_store *store = run->graph.store;

    job->info = mr_store_get_info(store);
    set_options(job);
    const uint64_t pinned = job->flags->no_pin ? 0 : mr_pass_pinned_memory(store, false);
    const uint64_t least = mr_opic_minimum_memory(job->info, &job->options) + beside;
    estimate->least_bytes = least;
    estimate->memory_bytes =
        mr_max_u64(least, mr_min_u64(least + pinned, run->session->memory_limit));
    job->info = NULL;
}

/* ---- The run ---- */

static enum mr_status prepare(struct mr_run *run, struct mr_error *err)
{
    struct mr_opic_job *job = run->data;

    job->info = mr_run_info(run);
    job->names = run->graph.names;
    const enum mr_status status = mr_opic_read_lists(job, err);
    return status == MR_OK ? mr_opic_make_internal(job, err) : status;
}

static void set_columns(struct mr_run *run)
{
    struct mr_opic_job *job = run->data;
    const struct mr_opic_result *result = &job->result;
    const bool all = job->flags->columns == 1;
    const bool is_proven = result->bound_kind == MR_OPIC_DISTANCE && isfinite(result->error_bound);
    const double *const values[4] = {job->extra.cash, job->extra.history, job->extra.last,
                                     mr_opic_scores(job->opic)};

    for (int i = 0; i < 4; i++) {
        job->columns[i] = (struct mr_score_column){
            .name = column_names[i], .type = MR_SCORES_DOUBLE, .values = values[i]};
    }
    run->columns.columns = all ? job->columns : &job->columns[3];
    run->columns.n_columns = all ? 4 : 1;
    run->columns.bound = is_proven ? result->error_bound : -1.0;
}

static enum mr_status rank(struct mr_run *run, struct mr_error *err)
{
    struct mr_opic_job *job = run->data;
    struct mr_session *session = run->session;

    set_options(job);
    enum mr_status status =
        mr_opic_create(&session->context, run->graph.store, &job->options, &job->opic, err);
    if (status == MR_OK) {
        status = mr_opic_load_state(job, err);
    }
    if (status != MR_OK) {
        return status;
    }
    session->meter.goal = job->options.tolerance;
    session->meter.rounds = job->options.tolerance > 0.0 ? 0 : job->options.sweeps;
    status = mr_opic_run(job->opic, &job->result, err);
    if (job->flags->columns == 1 && (status == MR_OK || status == MR_NOT_CONVERGED)) {
        const enum mr_status filled = mr_opic_fill_extra(job, err);
        status = filled == MR_OK ? status : filled;
    }
    set_columns(run);
    return status;
}

/* The state comes last: until it is there the whole run can be repeated. */
static enum mr_status write_after(struct mr_run *run, struct mr_error *err)
{
    return mr_opic_save_state(run->data, err);
}

static enum mr_status end(struct mr_run *run, enum mr_status status, struct mr_error *err)
{
    struct mr_opic_job *job = run->data;

    (void)err;
    mr_opic_destroy(job->opic);
    if (job->session != NULL) {
        mr_opic_free_inputs(job);
    }
    return status;
}

/* ---- The command ---- */

static enum mr_status list_files(const void *data, const struct mr_parsed *parsed,
                                 struct mr_files *files, struct mr_error *err)
{
    const struct mr_opic_flags *flags = data;

    (void)parsed;
    (void)err;
    for (size_t i = 0; i < flags->payout.files.n; i++) {
        mr_files_add(files, MR_FILE_READ, "--payout", flags->payout.files.items[i], NULL);
    }
    for (size_t i = 0; i < flags->fetched.files.n; i++) {
        mr_files_add(files, MR_FILE_READ, "--fetched", flags->fetched.files.items[i], NULL);
    }
    return MR_OK;
}

static const struct mr_ranker ranker = {.data_bytes = sizeof(struct mr_opic_job),
                                        .check = check,
                                        .estimate = estimate_memory,
                                        .passes = passes,
                                        .prepare = prepare,
                                        .rank = rank,
                                        .report = mr_opic_report,
                                        .describe = mr_opic_fill_json,
                                        .write_after = write_after,
                                        .print_next = mr_opic_print_next,
                                        .end = end};

static enum mr_status run_opic(struct mr_session *session, const void *data,
                               const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct mr_opic_flags *flags = data;

    if (flags->dump_state != NULL) {
        return parsed->n_operands == 0
                   ? mr_opic_dump(session, flags, err)
                   : mr_error_set(err, MR_ERROR_USAGE,
                                  "--dump-state FILE writes a state and needs no graph; leave out "
                                  "%s",
                                  parsed->operands[0]);
    }
    if (parsed->n_operands == 0) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "opic: needs a store or an input file (- for standard input); "
                            "'millrace help opic' shows how");
    }
    return mr_ranker_run(session, flags, parsed, err);
}

const struct mr_command mr_command_opic = {
    .name = "opic",
    .summary = "rank pages by cash (OPIC), also from crawl to crawl",
    .usage = "opic STORE|INPUT... [-o FILE] [--state FILE] [OPTIONS]",
    .text = "Computes page importance with OPIC. Each page passes its cash to the pages that it "
            "links to. A virtual page, which links to all pages and gets a link from each, "
            "collects a tax and pays it out again. Cash is counted in whole units and adds up "
            "exactly. With --state the cash and history of a crawl are saved for the next crawl, "
            "and pages are matched by name. With --window only the recent past counts. Pages that "
            "were not fetched collect cash; --next prints the richest of them. See docs/opic.md.",
    .examples = "  millrace opic web.mill -o scores.tsv --method drain\n"
                "  millrace opic web.mill --state web.opic --window 4 --next 1000 > fetch.txt\n"
                "  millrace opic web.mill --fetched crawl.log --next 1000 > fetch.txt\n"
                "  millrace opic --dump-state web.opic --header > pages.tsv\n"
                "  millrace opic web.mill --payout targets:hosts.txt --top 20\n",
    .groups = {{.title = "Ranking", .options = mr_opic_ranking_options, .base = 0},
               {.title = "Between crawls", .options = mr_opic_crawl_options, .base = 0},
               {.title = "Lists of pages", .options = mr_opic_list_options, .base = 0},
               MR_OUTPUT_GROUP,
               MR_IMPORT_GROUP,
               MR_COMMON_GROUP},
    .min_operands = 0,
    .max_operands = SIZE_MAX,
    .operands = "a store or an input file (- for standard input)",
    .list_files = list_files,
    .ranker = &ranker,
    MR_COMMAND_RUNS(mr_opic_flag_defaults, run_opic),
};
