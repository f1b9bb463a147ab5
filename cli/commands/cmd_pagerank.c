/* SPDX-License-Identifier: Apache-2.0 */
/* millrace pagerank: scores with a certificate. Checks the flags, opens the graph, runs the
 * solver of algorithms/pagerank with the hooks of pagerank_run.c, and writes scores and
 * metadata. Scores are published together with the files about them, and the checkpoint is
 * removed last. */
#include <assert.h>
#include <math.h>
#include <string.h>

#include "algorithms/base/relaxation.h"
#include "algorithms/pagerank/pagerank.h"
#include "cli/graph/best_pages.h"
#include "cli/graph/fetch_plan.h"
#include "cli/graph/graph.h"
#include "cli/program/bound.h"
#include "cli/program/command.h"
#include "cli/program/meta.h"
#include "cli/ranking/heritrix.h"
#include "cli/ranking/pagerank_flags.h"
#include "cli/ranking/pagerank_run.h"
#include "engine/base/clock.h"
#include "engine/base/memory.h"
#include "formats/graph_format.h"
#include "formats/score/scores.h"
#include "formats/score/vertex_weights.h"
#include "formats/stream/output.h"

static const char *const dangling_names[] = {"teleport", "uniform", "none"};

/* All data of one ranking. */
struct ranking {
    struct mr_session *session;
    const struct mr_pagerank_flags *flags;
    const struct mr_parsed *parsed;
    struct mr_graph graph; /* the graph of the operands */
    struct mr_heritrix heritrix;
    const struct mr_graph *ranked; /* the graph to rank: one of the two */
    struct mr_vertex_weights weights;
    struct mr_fetch_plan plan;
    struct mr_pagerank_options options;
    struct mr_pagerank_result result;
    struct mr_pagerank_run run;
    double seconds;
};

static enum mr_status check_flags(const struct ranking *ranking, struct mr_error *err)
{
    const struct mr_pagerank_flags *flags = ranking->flags;

    if (flags->teleport != NULL && flags->seeds.n > 0) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--teleport and --seeds exclude each other; give one of them");
    }
    if (flags->iterations > 0 && (flags->tolerance > 0.0 || flags->max_passes > 0)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--iterations makes exactly so many rounds; leave out --tolerance and "
                            "--max-passes");
    }
    if (flags->output != NULL && mr_is_standard_output(flags->output) &&
        (flags->top > 0 || flags->common.json)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "-o %s: --%s prints to standard output already; name a file",
                            flags->output, flags->top > 0 ? "top" : "json");
    }
    if (flags->names != NULL && mr_is_standard_output(flags->names)) {
        return mr_error_set(err, MR_ERROR_USAGE, "--names %s: needs a file of its own",
                            flags->names);
    }
    enum mr_status status =
        mr_fetch_check(&flags->fetch, flags->top > 0 || flags->common.json, flags->output, err);
    if (status == MR_OK && flags->heritrix_file != NULL && !flags->heritrix) {
        return mr_error_set(err, MR_ERROR_USAGE, "--heritrix-file needs --heritrix");
    }
    if (status == MR_OK && flags->heritrix) {
        status = mr_heritrix_check(flags, err);
    }
    if (status == MR_OK) {
        status = mr_pagerank_run_check(flags, err);
    }
    return status == MR_OK ? mr_session_check_scores(flags->output, flags->names, err) : status;
}

/* ---- The graph ---- */

static enum mr_status open_graph(struct ranking *ranking, const char *import_given,
                                 struct mr_error *err)
{
    const struct mr_pagerank_flags *flags = ranking->flags;
    struct mr_session *session = ranking->session;
    struct mr_import_flags import = flags->import;

    import.weights = flags->weights ? MR_WEIGHTS_MUST : MR_WEIGHTS_NONE;
    import.ignores_weights = flags->heritrix ? "--heritrix counts links" : NULL;
    if (flags->heritrix && import.duplicates < 0) {
        import.duplicates = 1;
    }
    enum mr_status status =
        mr_graph_open(session, &import, import_given, ranking->parsed, &ranking->graph, err);
    if (status == MR_OK && flags->heritrix) {
        status =
            mr_heritrix_open(session, &ranking->graph, ranking->parsed, &ranking->heritrix, err);
        ranking->ranked =
            ranking->heritrix.graph.store != NULL ? &ranking->heritrix.graph : &ranking->graph;
    }
    return status;
}

/* ---- Options of the solver ---- */

static enum mr_status read_weights(struct ranking *ranking, struct mr_error *err)
{
    const struct mr_pagerank_flags *flags = ranking->flags;
    const bool weighted = flags->teleport != NULL;

    return !weighted && flags->seeds.n == 0
               ? MR_OK
               : mr_vertex_weights_open(&ranking->session->context,
                                        weighted ? &flags->teleport : flags->seeds.items,
                                        weighted ? 1 : flags->seeds.n, ranking->graph.names,
                                        mr_store_get_info(ranking->graph.store), weighted,
                                        flags->max_unknown, &ranking->weights, err);
}

static void set_options(struct ranking *ranking)
{
    const struct mr_pagerank_flags *flags = ranking->flags;
    struct mr_pagerank_options *options = &ranking->options;

    mr_pagerank_defaults(options);
    options->struct_size = sizeof *options;
    options->damping = flags->damping;
    options->tolerance = flags->tolerance;
    options->iterations = (unsigned)flags->iterations;
    options->max_passes = (unsigned)flags->max_passes;
    options->inner = (unsigned)flags->inner;
    if (flags->acceleration != MR_PAGERANK_ACCELERATION_BY_RULE) {
        options->acceleration =
            flags->acceleration == 0 ? MR_ACCELERATION_NONE : (int)flags->acceleration;
    }
    options->dangling = (enum mr_dangling)flags->dangling;
    if (flags->heritrix) {
        options->heritrix = true;
        /* the score of dangling pages goes to the dummy page of Heritrix, so no page gets it */
        options->dangling = MR_DANGLING_NONE;
        options->iterations = options->iterations > 0   ? options->iterations
                              : !(flags->tolerance > 0) ? MR_HERITRIX_ROUNDS
                              : options->max_passes > 0 ? options->max_passes
                                                        : MR_PAGERANK_MAX_PASSES;
    }
    options->precision = (enum mr_precision)flags->precision;
    options->until = (enum mr_until)flags->until.kind;
    options->until_count = flags->until.count;
    options->until_share = flags->until.share;
    /* What lists the best pages, and a second list, want all scores at hand. */
    options->may_stream = flags->fetch.next == 0 && !flags->common.json &&
                          (flags->output == NULL || flags->top == 0) &&
                          !mr_best_pages_wanted(flags->output, flags->top, false);
    options->backend = ranking->session->backend;
    options->no_pinning = flags->no_pin;
    if (ranking->weights.n_entries > 0) {
        options->teleport = ranking->weights.entries;
        options->n_teleport = ranking->weights.n_entries;
    }
}

/* ---- Estimate ---- */

static double wanted_tolerance(const struct mr_pagerank_options *options)
{
    if (options->tolerance > 0.0) {
        return options->tolerance;
    }
    return options->precision == MR_PRECISION_SINGLE ? 1e-5 : 1e-9;
}

/* Estimates the passes to a tolerance: about 0.3 of those of the power iteration (web graphs take
 * 0.2 to 0.4 of them), and one for the certificate. */
static double guess_passes(const struct mr_pagerank_options *options)
{
    const double tolerance = wanted_tolerance(options);

    if (options->iterations > 0 && !(options->tolerance > 0.0)) {
        return options->iterations + 1.0;
    }
    if (!(options->damping > 0.0) || tolerance >= 1.0) {
        return 2.0;
    }
    return ceil(0.3 * log(tolerance) / log(options->damping)) + 1.0;
}

static enum mr_status estimate_store(struct ranking *ranking, struct mr_estimate *estimate,
                                     struct mr_error *err)
{
    struct mr_session *session = ranking->session;
    struct mr_import_flags import = ranking->flags->import;
    struct mr_graph graph;
    uint64_t beside = 0;

    import.weights = ranking->flags->weights ? MR_WEIGHTS_MUST : MR_WEIGHTS_NONE;
    const enum mr_status status = mr_graph_open_to_estimate(session, ranking->parsed->operands[0],
                                                            &import, &graph, &beside, err);
    if (status != MR_OK) {
        mr_graph_close(session, &graph);
        return status;
    }
    struct mr_store *store = mr_graph_links(&graph);
    const struct mr_store_info *info = mr_store_get_info(store);
    struct mr_pagerank_options full = ranking->options;
    full.acceleration = full.acceleration == 0 ? 5 : full.acceleration;
    const unsigned sweeps = ranking->options.iterations > 0 ? 0
                            : ranking->options.inner > 0    ? ranking->options.inner
                                                            : mr_relaxation_sweeps(info);
    const uint64_t least = mr_pagerank_minimum_memory(store, &ranking->options) + beside;
    const uint64_t pinned = ranking->flags->no_pin ? 0 : mr_pass_pinned_memory(store, sweeps > 0);
    const uint64_t wanted = mr_pagerank_minimum_memory(store, &full) + beside + pinned;
    const uint64_t most = wanted < session->memory_limit ? wanted : session->memory_limit;
    estimate->memory_bytes = least > most ? least : most;
    estimate->least_bytes = least;
    mr_graph_close(session, &graph);
    return MR_OK;
}

static enum mr_status estimate(struct ranking *ranking, struct mr_error *err)
{
    const struct mr_parsed *parsed = ranking->parsed;
    struct mr_session *session = ranking->session;
    struct mr_estimate result = {0};
    enum mr_status status;

    set_options(ranking);
    if (mr_graph_is_store(parsed)) {
        status = estimate_store(ranking, &result, err);
    } else {
        uint64_t edges = 0;
        status = mr_import_guess_edges(session, parsed->operands, parsed->n_operands, &edges, err);
        result = mr_build_estimate(session, edges, ranking->flags->import.undirected);
    }
    if (status != MR_OK) {
        return status;
    }
    result.passes = guess_passes(&ranking->options);
    return mr_session_estimate(session, &result, err);
}

/* ---- Results ---- */

/* Writes whether the aim of --until is proven; an empty text without --until. */
static void until_text(const struct ranking *ranking, char *text, size_t text_bytes)
{
    const struct mr_pagerank_options *options = &ranking->options;
    const struct mr_pagerank_result *result = &ranking->result;
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

static void report(const struct ranking *ranking)
{
    const struct mr_pagerank_result *result = &ranking->result;
    char bound[32], until[160], tolerance[48] = "";

    (void)mr_bound_text(result->error_bound, bound);
    if (ranking->options.iterations > 0) {
        mr_session_say(ranking->session, "error bound %s after %u iterations, %.1f s", bound,
                       result->iterations, ranking->seconds);
    } else if (result->converged) {
        until_text(ranking, until, sizeof until);
        if (!result->proven_until) {
            (void)snprintf(tolerance, sizeof tolerance, " (tolerance %g)", result->tolerance);
        }
        mr_session_say(ranking->session, "%serror bound %s%s after %u pass%s, %.1f s", until, bound,
                       tolerance, result->passes, result->passes == 1 ? "" : "es",
                       ranking->seconds);
    }
}

static struct mr_score_column score_column(const struct mr_pagerank_result *result)
{
    return (struct mr_score_column){
        .name = "score",
        .type = result->precision == MR_PRECISION_SINGLE ? MR_SCORES_FLOAT : MR_SCORES_DOUBLE,
        .values = result->scores};
}

static enum mr_status stream_score(void *data, uint64_t vertex, double *score, struct mr_error *err)
{
    return mr_rank_stream_score(data, vertex, score, err);
}

static enum mr_status write_scores(const struct ranking *ranking, const char *path, uint64_t top,
                                   struct mr_error *err)
{
    const struct mr_pagerank_flags *flags = ranking->flags;
    const struct mr_pagerank_result *result = &ranking->result;
    const struct mr_score_column column = score_column(result);
    const struct mr_score_stream stream = {
        .name = column.name, .type = column.type, .score = stream_score, .data = result->stream};
    const struct mr_context *context = &ranking->session->context;
    struct mr_names *names = ranking->ranked->names;
    const struct mr_scores_options options = {
        .struct_size = sizeof options,
        .force = flags->common.force,
        .header = flags->header,
        .only_top = top > 0,
        .top = top,
        .chosen = mr_fetch_plan_chosen(&flags->fetch, &ranking->plan)};
    struct mr_scores_summary summary = {0};
    char count[32];

    mr_session_leave_terminal(ranking->session, path);
    const enum mr_status status =
        result->stream != NULL ? mr_scores_write_stream(context, path, names, result->n_vertices,
                                                        &stream, &options, &summary, err)
                               : mr_scores_write(context, path, names, result->n_vertices, &column,
                                                 1, &options, &summary, err);
    if (status == MR_OK && summary.escaped > 0) {
        mr_session_say(ranking->session, "note: %s names had control bytes; written as \\xNN",
                       mr_count_text(summary.escaped, count));
    }
    return status;
}

/* Adds the given parameters and the results. */
static void add_solution(struct mr_json *json, const struct ranking *ranking)
{
    const struct mr_pagerank_options *options = &ranking->options;
    const struct mr_pagerank_result *result = &ranking->result;

    mr_json_text(json, "algorithm", "pagerank");
    mr_json_real(json, "damping", options->damping);
    mr_json_real(json, "tolerance", result->tolerance);
    mr_json_count(json, "iterations", result->iterations);
    mr_json_text(json, "dangling", dangling_names[options->dangling]);
    if (options->heritrix) {
        mr_json_flag(json, "heritrix", true);
        mr_json_count(json, "pages_left_out", ranking->heritrix.n_pages);
        mr_json_count(json, "self_loops_left_out", ranking->heritrix.n_self_loops);
    }
    mr_json_flag(json, "weights", ranking->flags->weights);
    mr_json_text(json, "teleport", ranking->flags->teleport);
    mr_json_texts_given(json, "seeds", ranking->flags->seeds.items, ranking->flags->seeds.n);
    if (options->n_teleport > 0) {
        mr_json_count(json, "teleport_vertices", options->n_teleport);
        mr_json_count(json, "teleport_unknown", ranking->weights.unknown);
    }
    mr_json_text(json, "precision", result->precision == MR_PRECISION_SINGLE ? "single" : "double");
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
    mr_json_text(json, "start", ranking->flags->start);
    mr_json_flag(json, "resumed", ranking->flags->resume);
    mr_json_flag(json, "converged", result->converged);
    mr_json_flag(json, "normalised", result->normalised);
    mr_json_real(json, "error_bound", result->error_bound);
    mr_json_real(json, "residual", result->residual);
    mr_json_real(json, "rounding_bound", result->rounding_bound);
    mr_json_real(json, "score_sum", result->normalised ? 1 : result->score_sum);
    mr_json_real(json, "unnormalised_sum", result->score_sum);
    mr_json_count(json, "passes", result->passes);
    mr_json_real(json, "seconds", ranking->seconds);
}

static struct mr_json describe(const struct ranking *ranking)
{
    const char *path = ranking->graph.temporary != NULL ? NULL : ranking->parsed->operands[0];
    struct mr_json json = mr_json_create();

    mr_meta_store(&json, path, mr_store_get_info(ranking->graph.store));
    if (path == NULL) {
        mr_json_texts(&json, "inputs", ranking->parsed->operands, ranking->parsed->n_operands);
    }
    add_solution(&json, ranking);
    mr_meta_figures(&json, &ranking->result.figures);
    mr_meta_run(&json, ranking->session);
    return json;
}

/* Writes one thing to standard output: the JSON, the best pages, or all scores. A terminal gets the
 * best pages as a table. */
static enum mr_status write_standard_output(const struct ranking *ranking,
                                            const struct mr_json *json, struct mr_error *err)
{
    const struct mr_pagerank_flags *flags = ranking->flags;

    const struct mr_score_column scores = score_column(&ranking->result);
    const struct mr_best_pages best = {
        .graph = ranking->ranked,
        .columns = &scores,
        .n_columns = 1,
        .bound = isfinite(ranking->result.error_bound) ? ranking->result.error_bound : -1.0,
        .chosen = mr_fetch_plan_chosen(&flags->fetch, &ranking->plan),
        .k = flags->top > 0 || flags->common.json ? flags->top : MR_BEST_PAGES};

    if (flags->common.json) {
        return mr_best_pages_json(ranking->session, &best, json, err);
    }
    if (flags->top > 0) {
        return write_scores(ranking, NULL, flags->top, err);
    }
    if (flags->fetch.next > 0) {
        const struct mr_score_column column = score_column(&ranking->result);
        return mr_fetch_plan_print(ranking->session, &flags->fetch, &ranking->plan,
                                   ranking->ranked->names, &column, flags->header, err);
    }
    if (mr_best_pages_wanted(flags->output, flags->top, false)) {
        return mr_best_pages_print(ranking->session, &best, err);
    }
    return flags->output == NULL ? write_scores(ranking, NULL, 0, err) : MR_OK;
}

static enum mr_status write_results(const struct ranking *ranking, struct mr_error *err)
{
    const struct mr_pagerank_flags *flags = ranking->flags;
    const struct mr_context *context = &ranking->session->context;
    struct mr_json json = describe(ranking);
    enum mr_status status = MR_OK;

    /* Publish the scores last: where they exist, the files about them exist as well. */
    mr_session_publish_together(ranking->session);
    if (flags->names != NULL) {
        status = mr_scores_write_names(context, flags->names, ranking->ranked->names,
                                       ranking->result.n_vertices, flags->common.force, NULL, err);
    }
    if (status == MR_OK && flags->heritrix_file != NULL) {
        status = mr_heritrix_write(ranking->session, ranking->ranked, &ranking->result,
                                   flags->heritrix_file, flags->common.force, err);
    }
    if (status == MR_OK) {
        status = mr_meta_write(ranking->session, &json, flags->output, err);
    }
    if (status == MR_OK && flags->output != NULL) {
        status = write_scores(ranking, flags->output, 0, err);
    }
    status = mr_session_publish(ranking->session, status, err);
    if (status == MR_OK) {
        status = write_standard_output(ranking, &json, err);
    }
    mr_json_destroy(&json);
    return status;
}

/* ---- The command ---- */

static enum mr_status rank(struct ranking *ranking, struct mr_error *err)
{
    struct mr_session *session = ranking->session;
    const double began = mr_now();

    set_options(ranking);
    enum mr_status status = mr_pagerank_run_open(&ranking->run, session, ranking->flags,
                                                 ranking->ranked, &ranking->options, err);
    session->meter.goal = wanted_tolerance(&ranking->options);
    session->meter.rounds = ranking->options.tolerance > 0.0 ? 0 : ranking->options.iterations;
    if (status == MR_OK) {
        status = mr_pagerank(&session->context, mr_graph_links(ranking->ranked), &ranking->options,
                             &ranking->result, err);
    }
    mr_pagerank_run_end(&ranking->run);
    ranking->options.start = NULL;
    ranking->options.hooks = NULL;
    session->meter.goal = 0.0;
    session->meter.rounds = 0;
    ranking->seconds = mr_now() - began;
    return status;
}

static enum mr_status run(struct mr_session *session, const void *data,
                          const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct mr_pagerank_flags *flags = data;
    struct ranking ranking = {.session = session, .flags = flags, .parsed = parsed};
    enum { IMPORT_GROUP = 2 }; /* in mr_command_pagerank.groups */

    enum mr_status status = check_flags(&ranking, err);
    if (status != MR_OK) {
        return status;
    }
    if (flags->common.estimate) {
        return estimate(&ranking, err);
    }
    ranking.ranked = &ranking.graph;
    status = open_graph(&ranking, parsed->first_given[IMPORT_GROUP], err);
    if (status != MR_OK) {
        goto out;
    }
    status = read_weights(&ranking, err);
    if (status == MR_OK) {
        status = mr_fetch_plan_open(session, &flags->fetch, ranking.ranked, flags->max_unknown,
                                    &ranking.plan, err);
    }
    if (status != MR_OK) {
        goto out;
    }
    status = rank(&ranking, err);
    if (status == MR_OK || status == MR_NOT_CONVERGED) {
        /* A vector that did not converge is written as well. A failure to write is then the
         * graver error. */
        struct mr_error write_error = {0};
        report(&ranking);
        enum mr_status write_status = write_results(&ranking, &write_error);
        if (write_status != MR_OK) {
            status = write_status;
            *err = write_error;
        }
    }
out:
    status = mr_pagerank_run_close(&ranking.run, status, err);
    mr_pagerank_result_free(&ranking.result);
    mr_vertex_weights_free(&ranking.weights);
    mr_fetch_plan_close(&ranking.plan);
    mr_heritrix_close(session, &ranking.heritrix);
    mr_graph_close(session, &ranking.graph);
    return status;
}

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
    .groups = {{.title = "Ranking", .options = mr_pagerank_ranking_options, .base = 0},
               {.title = "Output", .options = mr_pagerank_output_options, .base = 0},
               {.title = "For an input that is not a store",
                .options = mr_import_options,
                .topic = "inputs",
                .base = offsetof(struct mr_pagerank_flags, import)},
               {.title = "Pages to fetch",
                .options = mr_fetch_options,
                .base = offsetof(struct mr_pagerank_flags, fetch)},
               MR_COMMON_GROUP},
    .defaults = &mr_pagerank_flag_defaults,
    .flags_bytes = sizeof mr_pagerank_flag_defaults,
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .operands = "a store or an input file (- for standard input)",
    .list_files = mr_pagerank_list_files,
    .run = run,
};
