/* SPDX-License-Identifier: Apache-2.0 */
/* millrace pagerank: scores with a certificate. Runs the solver of algorithms/pagerank with the
 * hooks of pagerank_run.c. The checkpoint is removed last. */
#include <math.h>

#include "algorithms/base/relaxation.h"
#include "cli/graph/best_pages.h"
#include "cli/program/meta.h"
#include "cli/ranking/heritrix.h"
#include "library/bound.h"

/* The data of one run. */
struct pagerank {
    struct mr_heritrix heritrix;
    struct mr_vertex_weights weights;
    struct mr_pagerank_options options;
    struct mr_pagerank_result result;
    struct mr_pagerank_run run;
    struct mr_score_column column;
    struct mr_score_stream stream;
};

static const struct mr_pagerank_flags *flags_of(const struct mr_run *run)
{
    return (const struct mr_pagerank_flags *)run->flags;
}

/* ---- Options ---- */

static void set_options(struct mr_run *run)
{
    const struct mr_pagerank_flags *flags = flags_of(run);
    const struct mr_columns_flags *columns = &run->flags->columns;
    struct pagerank *pagerank = run->data;
    struct mr_pagerank_options *options = &pagerank->options;

    *options = flags->solver;
    /* What lists the best pages, and a second list, want all scores at hand. */
    options->may_stream = run->flags->fetch.next == 0 && !run->flags->common.json &&
                          (columns->output == NULL || columns->top == 0) &&
                          !mr_best_pages_wanted(columns->output, columns->top);
    if (options->heritrix) {
        /* the score of dangling pages goes to the dummy page of Heritrix, so no page gets it */
        options->dangling = MR_DANGLING_NONE;
        options->iterations = options->iterations > 0       ? options->iterations
                              : !(options->tolerance > 0.0) ? MR_HERITRIX_ROUNDS
                              : options->max_passes > 0     ? options->max_passes
                                                            : MR_PAGERANK_MAX_PASSES;
    }
}

static enum mr_status check(struct mr_run *run, struct mr_error *err)
{
    const struct mr_pagerank_flags *flags = flags_of(run);
    const struct mr_pagerank_options *solver = &flags->solver;

    if (flags->teleport != NULL && flags->seeds.n > 0) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--teleport and --seeds exclude each other; give one of them");
    }
    if (solver->iterations > 0 && (solver->tolerance > 0.0 || solver->max_passes > 0)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--iterations makes exactly so many rounds; leave out --tolerance and "
                            "--max-passes");
    }
    if (flags->heritrix_file != NULL && !solver->heritrix) {
        return mr_error_set(err, MR_ERROR_USAGE, "--heritrix-file needs --heritrix");
    }
    const enum mr_status status = solver->heritrix ? mr_heritrix_check(flags, err) : MR_OK;
    if (solver->heritrix) {
        run->import.ignores_weights = "--heritrix counts links";
    }
    set_options(run);
    return status == MR_OK ? mr_pagerank_run_check(flags, err) : status;
}

/* ---- Estimate ---- */

static void estimate_memory(struct mr_run *run, uint64_t beside, struct mr_estimate *estimate)
{
    const struct pagerank *pagerank = run->data;
    const struct mr_pagerank_options *options = &pagerank->options;
    struct mr_pagerank_options full = *options;
    struct mr_store *store = mr_run_links(run);
    const uint64_t sweeps = options->iterations > 0 ? 0
                            : options->inner > 0    ? options->inner
                                                 : mr_relaxation_sweeps(mr_store_get_info(store));
    const uint64_t pinned = options->no_pinning ? 0 : mr_pass_pinned_memory(store, sweeps > 0);

    full.acceleration = full.acceleration == MR_ACCELERATION_AUTO ? 5 : full.acceleration;
    const uint64_t wanted = mr_rank_minimum_memory(store, &full, 0) + beside + pinned;
    estimate->least_bytes = mr_rank_minimum_memory(store, options, 0) + beside;
    estimate->memory_bytes =
        mr_max_u64(estimate->least_bytes, mr_min_u64(wanted, run->session->memory_limit));
}

static double passes(const struct mr_run *run)
{
    const struct pagerank *pagerank = run->data;
    const struct mr_pagerank_options *options = &pagerank->options;

    return options->iterations > 0 && !(options->tolerance > 0.0)
               ? (double)options->iterations + 1.0
               : mr_solver_passes(options);
}

/* ---- The run ---- */

static enum mr_status prepare(struct mr_run *run, struct mr_error *err)
{
    const struct mr_pagerank_flags *flags = flags_of(run);
    struct pagerank *pagerank = run->data;
    enum mr_status status =
        flags->teleport != NULL
            ? mr_run_read_pages(run, &flags->teleport, 1, true, &pagerank->weights, err)
            : mr_run_read_pages(run, flags->seeds.items, flags->seeds.n, false, &pagerank->weights,
                                err);

    if (status == MR_OK && flags->solver.heritrix) {
        status = mr_heritrix_open(run->session, &run->graph, run->parsed, &pagerank->heritrix, err);
        run->ranked =
            pagerank->heritrix.graph.store != NULL ? &pagerank->heritrix.graph : &run->graph;
    }
    if (pagerank->weights.n_entries > 0) {
        pagerank->options.teleport = pagerank->weights.entries;
        pagerank->options.n_teleport = pagerank->weights.n_entries;
    }
    return status;
}

static enum mr_status stream_score(void *data, uint64_t vertex, double *score, struct mr_error *err)
{
    return mr_rank_stream_score(data, vertex, score, err);
}

static void set_columns(struct mr_run *run)
{
    struct pagerank *pagerank = run->data;
    const struct mr_pagerank_result *result = &pagerank->result;
    const enum mr_score_type type =
        result->precision == MR_PRECISION_SINGLE ? MR_SCORES_FLOAT : MR_SCORES_DOUBLE;

    pagerank->column = (struct mr_score_column){
        .name = run->ranker->columns[0], .type = type, .values = result->scores};
    pagerank->stream = (struct mr_score_stream){
        .name = pagerank->column.name, .type = type, .score = stream_score, .data = result->stream};
    run->columns =
        (struct mr_columns){.columns = &pagerank->column,
                            .n_columns = 1,
                            .stream = result->stream != NULL ? &pagerank->stream : NULL,
                            .bound = isfinite(result->error_bound) ? result->error_bound : -1.0};
}

static enum mr_status rank(struct mr_run *run, struct mr_error *err)
{
    struct pagerank *pagerank = run->data;
    struct mr_pagerank_options *options = &pagerank->options;
    struct mr_session *session = run->session;

    enum mr_status status =
        mr_pagerank_run_open(&pagerank->run, session, flags_of(run), run->ranked, options, err);
    session->meter.goal = mr_rank_tolerance(options);
    session->meter.rounds = options->tolerance > 0.0 ? 0 : options->iterations;
    if (status == MR_OK) {
        status = mr_pagerank(&session->context, mr_run_links(run), options, &pagerank->result, err);
    }
    mr_pagerank_run_end(&pagerank->run);
    options->start = NULL;
    options->hooks = NULL;
    set_columns(run);
    return status;
}

/* Writes whether the aim of --until is proven; an empty text without --until. */
static void until_text(const struct pagerank *pagerank, char *text, size_t text_bytes)
{
    const struct mr_pagerank_options *options = &pagerank->options;
    const struct mr_pagerank_result *result = &pagerank->result;
    const unsigned long long count = options->until_count;
    const unsigned long long ties = result->until_ties, close = result->until_close;

    text[0] = '\0';
    if (options->until == MR_UNTIL_ORDER && result->proven_until) {
        (void)snprintf(text, text_bytes, "order of the best %llu proven, %llu ties; ", count, ties);
    } else if (options->until == MR_UNTIL_ORDER) {
        (void)snprintf(text, text_bytes,
                       "order of the best %llu not proven, %llu of them too close to the next; ",
                       count, close);
    } else if (options->until == MR_UNTIL_LEVELS) {
        (void)snprintf(text, text_bytes,
                       "at most %.2g of the pages can be on another of %llu levels; ",
                       result->until_share, count);
    }
}

static void report(const struct mr_run *run)
{
    const struct pagerank *pagerank = run->data;
    const struct mr_pagerank_result *result = &pagerank->result;
    char bound[32], until[160], tolerance[48] = "";

    (void)mr_bound_text(result->error_bound, bound);
    if (pagerank->options.iterations > 0) {
        mr_session_say(run->session, "error bound %s after %llu iterations, %.1f s", bound,
                       (unsigned long long)result->iterations, run->seconds);
    } else if (result->converged) {
        until_text(pagerank, until, sizeof until);
        if (!result->proven_until) {
            (void)snprintf(tolerance, sizeof tolerance, " (tolerance %g)", result->tolerance);
        }
        mr_session_say(run->session, "%serror bound %s%s after %llu pass%s, %.1f s", until, bound,
                       tolerance, (unsigned long long)result->passes,
                       result->passes == 1 ? "" : "es", run->seconds);
    }
}

static void describe(const struct mr_run *run, struct mr_json *json)
{
    const struct mr_pagerank_flags *flags = flags_of(run);
    const struct pagerank *pagerank = run->data;
    const struct mr_pagerank_options *options = &pagerank->options;
    const struct mr_pagerank_result *result = &pagerank->result;

    mr_json_text(json, "algorithm", "pagerank");
    mr_solver_describe(json, options);
    mr_json_real(json, "tolerance", result->tolerance);
    mr_json_count(json, "iterations", result->iterations);
    if (options->heritrix) {
        mr_json_flag(json, "heritrix", true);
        mr_json_count(json, "pages_left_out", pagerank->heritrix.n_pages);
        mr_json_count(json, "self_loops_left_out", pagerank->heritrix.n_self_loops);
    }
    mr_json_flag(json, "weights", run->flags->weights);
    mr_json_text(json, "teleport", flags->teleport);
    mr_json_texts_given(json, "seeds", flags->seeds.items, flags->seeds.n);
    if (options->n_teleport > 0) {
        mr_json_count(json, "teleport_vertices", options->n_teleport);
        mr_json_count(json, "teleport_unknown", pagerank->weights.unknown);
    }
    mr_json_count(json, "inner", result->inner);
    mr_json_count(json, "acceleration", result->acceleration);
    mr_json_count(json, "wave", result->wave);
    mr_json_real(json, "relaxation", result->relaxation);
    if (options->until != MR_UNTIL_TOLERANCE) {
        mr_json_flag(json, "proven_until", result->proven_until);
    }
    if (options->until == MR_UNTIL_ORDER) {
        mr_json_count(json, "until_order", options->until_count);
        mr_json_count(json, "until_ties", result->until_ties);
        mr_json_count(json, "until_close", result->until_close);
    } else if (options->until == MR_UNTIL_LEVELS) {
        mr_json_count(json, "until_levels", options->until_count);
        mr_json_real(json, "until_share", result->until_share);
    }
    mr_json_text(json, "start", flags->start);
    mr_json_flag(json, "resumed", pagerank->run.resumes);
    mr_json_flag(json, "converged", result->converged);
    mr_json_flag(json, "normalised", result->normalised);
    mr_json_real(json, "error_bound", result->error_bound);
    mr_json_real(json, "residual", result->residual);
    mr_json_real(json, "rounding_bound", result->rounding_bound);
    mr_json_real(json, "score_sum", result->normalised ? 1 : result->score_sum);
    mr_json_real(json, "unnormalised_sum", result->score_sum);
    mr_json_count(json, "passes", result->passes);
    mr_meta_figures(json, &result->figures);
}

static enum mr_status write_before(struct mr_run *run, struct mr_error *err)
{
    const struct mr_pagerank_flags *flags = flags_of(run);
    const struct pagerank *pagerank = run->data;

    return flags->heritrix_file == NULL
               ? MR_OK
               : mr_heritrix_write(run->session, run->ranked, &pagerank->column,
                                   flags->heritrix_file, run->flags->common.force, err);
}

static enum mr_status end(struct mr_run *run, enum mr_status status, struct mr_error *err)
{
    struct pagerank *pagerank = run->data;

    status = mr_pagerank_run_close(&pagerank->run, status, err);
    mr_pagerank_result_free(&pagerank->result);
    mr_vertex_weights_free(&pagerank->weights);
    mr_heritrix_close(run->session, &pagerank->heritrix);
    return status;
}

/* ---- The command ---- */

static const char *const column_names[] = {"score"};
static const struct mr_ranker ranker = {.data_bytes = sizeof(struct pagerank),
                                        .columns = column_names,
                                        .n_columns = 1,
                                        .check = check,
                                        .estimate = estimate_memory,
                                        .passes = passes,
                                        .prepare = prepare,
                                        .rank = rank,
                                        .report = report,
                                        .describe = describe,
                                        .write_before = write_before,
                                        .end = end};

const struct mr_command mr_command_pagerank = {
    .name = "pagerank",
    .summary = "rank pages by PageRank, with a proven error bound",
    .usage = "pagerank STORE|INPUT... [-o FILE] [OPTIONS]",
    .text = "Computes PageRank. Every pass reads the links from disk, and memory holds little more "
            "than one number per page. The result has a certificate: a bound on the sum of the "
            "errors of all scores, computed from the scores themselves. With --teleport or --seeds "
            "it is personalised PageRank. An input that is not a store is first built into a "
            "temporary store.",
    .examples = "  millrace pagerank web.mill -o scores.tsv --top 10\n"
                "  millrace pagerank links.txt.gz --tolerance 1e-12 > scores.tsv\n"
                "  millrace pagerank web.mill --seeds trusted.txt -o trust.tsv.zst\n",
    .groups = {MR_SOLVER_GROUP,
               {.title = "Teleport, start and end", .options = mr_pagerank_options, .base = 0},
               MR_OUTPUT_GROUP,
               MR_IMPORT_GROUP,
               MR_FETCH_GROUP,
               MR_COMMON_GROUP},
    MR_RANKING_COMMAND(mr_pagerank_flag_defaults, ranker),
    .list_files = mr_pagerank_list_files,
};
