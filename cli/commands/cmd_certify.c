/* SPDX-License-Identifier: Apache-2.0 */
/* millrace certify: proves how far scores from any program are from the exact PageRank of a graph,
 * or measures how far harmonic centralities are from the exact ones. library/rank/certify_scores.c
 * does it; this file has the flags, and prints. */
#include <math.h>

#include "algorithms/pagerank/pagerank.h"
#include "cli/graph/graph.h"
#include "cli/program/command.h"
#include "cli/program/meta.h"
#include "cli/program/option_table.h"
#include "engine/base/clock.h"
#include "engine/base/memory.h"
#include "formats/stream/double_text.h"

struct certify_flags {
    struct mr_common_flags common;
    const char *graph;
    const char *column;
    double damping;
    uint64_t top;
    uint64_t max_unknown;
    bool weights;
    const char *teleport;
    int dangling; /* 0 teleport, 1 uniform, 2 none, which scaled scores do not show */
    bool harmonic;
    uint64_t sample;
    uint64_t seed;
    double relative_error;
};

static const struct certify_flags defaults = {.common = MR_COMMON_DEFAULTS,
                                              .damping = 0.85,
                                              .top = 100,
                                              .sample = 64,
                                              .seed = 1,
                                              .relative_error = NAN};

#define FIELD(name) offsetof(struct certify_flags, name)
static const struct mr_option certify_options[] = {
    {"graph", 0, MR_OPTION_TEXT, FIELD(graph), "STORE", .file = MR_FILE_READ,
     .help = "The graph that the scores are of; the same as a STORE without --graph.",
     .often = true},
    MR_DAMPING_OPTION(FIELD(damping)),
    {"top", 'n', MR_OPTION_COUNT, FIELD(top), "K", .alias = "limit", .least = 1, .most = UINT32_MAX,
     .help = "Prove as many as possible of the K best pages. Default 100.", .often = true},
    MR_COLUMN_OPTION(FIELD(column)),
    {"weights", 0, MR_OPTION_FLAG, FIELD(weights),
     .help = "The exact ranking is the one with the weights of links. Default: all links have the "
             "same weight.",
     .often = true},
    {"max-unknown", 0, MR_OPTION_COUNT, FIELD(max_unknown), "N", .most = UINT64_MAX,
     .help = "Leave up to N names out that the graph does not have. Default 0."},
    {"teleport", 0, MR_OPTION_TEXT, FIELD(teleport), "FILE", .file = MR_FILE_READ,
     .help = "The exact ranking teleports to the pages in FILE, in proportion to their weights: "
             "lines NAME<TAB>WEIGHT; pages without links link to all by the same weights. "
             "Default: to all pages evenly.",
     .often = true},
    {"dangling", 0, MR_OPTION_CHOICE, FIELD(dangling), .choices = "teleport|uniform|none",
     .help =
         "Where the score of pages without links goes in the exact ranking: to the pages of the "
         "teleport, or to all pages evenly. none gives the same as teleport, because scores are "
         "divided by their sum. Default teleport."},
    {0}};

static const struct mr_option harmonic_options[] = {
    {"harmonic", 0, MR_OPTION_FLAG, FIELD(harmonic),
     .help = "The scores are harmonic centralities: search from a sample of pages, and print how "
             "many scores are within the stated error of the exact value.",
     .excludes = {{.names = "teleport|weights|dangling", .why = "counts links"}}, .often = true},
    {"sample", 0, MR_OPTION_COUNT, FIELD(sample), "K", .least = 1, .most = MR_HARMONIC_SAMPLE_MAX,
     .help = "How many pages to search from. Default 64.", .needs = {{.names = "harmonic"}}},
    {"random-seed", 0, MR_OPTION_COUNT, FIELD(seed), "N", .most = UINT64_MAX,
     .help = "Draw another sample. Default 1.", .needs = {{.names = "harmonic"}}},
    {"relative-error", 0, MR_OPTION_REAL, FIELD(relative_error), "E",
     .range = {.least = 0.0, .most = 1.0},
     .help = "The stated standard deviation. Default: that of SCORES.meta.json.",
     .needs = {{.names = "harmonic"}}},
    {0}};
#undef FIELD

/* A bound above 2 proves nothing, because two rankings are never further apart. */
static enum mr_status check_bound(struct mr_session *session, const char *path,
                                  const struct mr_certify_figures *proof, uint64_t n_pages,
                                  struct mr_error *err)
{
    const uint64_t n_without = n_pages - proof->n_found;

    if (proof->error_bound <= 2) {
        return MR_OK;
    }
    if (n_without == 0) {
        mr_session_say(session, "note: a bound above 2 proves nothing; are the scores of another "
                                "graph, --damping, --teleport, --weights or --column?");
        return MR_OK;
    }
    return mr_error_file(err, MR_ERROR_INPUT, path, 0,
                         "%llu of the %llu pages have no score, and nothing can be proven of the "
                         "others; if ranks are in parts, name their directory",
                         (unsigned long long)n_without, (unsigned long long)n_pages);
}

static void print_text(const struct mr_certify_figures *proof, uint64_t n_pages)
{
    char a[32], b[32], bound[32], left_out[64], sum[MR_DOUBLE_TEXT_BYTES];

    printf("%-16s %s of %s have a score\n", "pages", mr_count_text(proof->n_found, a),
           mr_count_text(n_pages, b));
    if (proof->n_unknown > 0) {
        printf("%-16s %s of no page of the graph\n", "left out",
               mr_count_of_text(proof->n_unknown, "name", left_out));
    }
    printf("%-16s %.*s, scaled to 1\n", "sum of scores",
           (int)mr_double_shortest(proof->score_sum, sum), sum);
    printf("%-16s at most %s (L1), of it rounding ", "error",
           mr_bound_text(proof->error_bound, bound));
    printf("%s\n", mr_bound_text(proof->rounding_bound, bound));
    printf("%-16s %s of the %s best are surely among the %s best\n", "best",
           mr_count_text(proof->top_proven, a), mr_count_text(proof->top, b), b);
    printf("%-16s the first %s are surely in their exact order\n", "order",
           mr_count_text(proof->order_proven, a));
}

static enum mr_status print_json(struct mr_session *session, const struct mr_certify_figures *proof,
                                 const struct certify_flags *flags, const struct mr_graph *graph,
                                 const char *path, double seconds, struct mr_error *err)
{
    struct mr_json json = mr_json_create();

    mr_json_text(&json, "scores", path);
    mr_meta_store(&json, flags->graph, mr_store_get_info(graph->store));
    mr_json_real(&json, "damping", flags->damping);
    mr_json_flag(&json, "weights", flags->weights);
    mr_json_text(&json, "teleport", flags->teleport);
    mr_json_text(&json, "dangling", mr_dangling_words[flags->dangling]);
    mr_json_count(&json, "pages_with_score", proof->n_found);
    mr_json_count(&json, "unknown_names", proof->n_unknown);
    mr_json_real(&json, "score_sum", proof->score_sum);
    mr_json_real(&json, "error_bound", proof->error_bound);
    mr_json_real(&json, "rounding_bound", proof->rounding_bound);
    mr_json_real(&json, "residual", proof->residual);
    mr_json_count(&json, "top", proof->top);
    mr_json_count(&json, "top_proven", proof->top_proven);
    mr_json_count(&json, "order_proven", proof->order_proven);
    mr_json_real(&json, "seconds", seconds);
    mr_meta_run(&json, session);
    return mr_json_print_and_destroy(&json, err);
}

static enum mr_status certify(struct mr_session *session, const struct certify_flags *flags,
                              const char *path, const struct mr_graph *graph, struct mr_error *err)
{
    const struct mr_scores_side scores = {.path = path, .column = flags->column};
    struct mr_certify_options options = {.struct_size = sizeof options,
                                         .damping = flags->damping,
                                         .top = flags->top,
                                         .is_uniform = flags->dangling == MR_DANGLING_UNIFORM,
                                         .max_unknown = flags->max_unknown};
    const uint64_t n_pages = mr_store_get_info(graph->store)->n_vertices;
    const double began = mr_now();
    struct mr_vertex_weights teleport = {0};
    struct mr_certify_figures proof = {.struct_size = sizeof proof};
    enum mr_status status = MR_OK;

    if (flags->teleport != NULL) {
        status = mr_vertex_weights_load(&session->context, flags->teleport, graph->names, true,
                                        flags->max_unknown, &teleport, err);
    }
    if (status == MR_OK) {
        options.teleport = teleport.entries;
        options.n_teleport = teleport.n_entries;
        status = mr_scores_certify(&session->context, mr_graph_links(graph), graph->names, &scores,
                                   &options, &proof, err);
    }
    if (status == MR_OK) {
        status = check_bound(session, path, &proof, n_pages, err);
    }
    if (status == MR_OK) {
        mr_session_leave_terminal(session, NULL);
        if (flags->common.json) {
            status = print_json(session, &proof, flags, graph, path, mr_now() - began, err);
        } else {
            print_text(&proof, n_pages);
        }
    }
    mr_vertex_weights_free(&teleport);
    return status;
}

/* ---- Harmonic centrality ---- */

static enum mr_status find_stated_error(struct mr_session *session,
                                        const struct certify_flags *flags, const char *path,
                                        double *stated, struct mr_error *err)
{
    *stated = flags->relative_error;
    if (!isnan(*stated)) {
        return MR_OK;
    }
    json_t *meta = NULL;
    const enum mr_status status = mr_meta_read(&session->context, path, &meta, err);
    if (status != MR_OK) {
        return status;
    }
    const json_t *value = json_object_get(meta, "relative_error");
    const bool found = json_is_number(value);
    *stated = json_number_value(value);
    json_decref(meta);
    return found ? MR_OK
                 : mr_error_file(err, MR_ERROR_USAGE, path, 0,
                                 "has no .meta.json with a relative_error; say --relative-error E, "
                                 "for HyperBall 1.04/sqrt(registers): 0.0325 for --log2m 10");
}

static enum mr_status print_findings(const struct mr_graph *graph, double stated,
                                     const struct mr_certify_harmonic_figures *found,
                                     struct mr_error *err)
{
    static const double expected[] = {68.3, 95.4, 99.7};
    const uint64_t within[] = {found->within_1, found->within_2, found->within_3};
    const char *name = NULL;
    size_t bytes = 0;
    char a[64], b[32];

    printf("%-16s %s of %s pages, searched in breadth; no page reaches %s of them\n", "sample",
           mr_count_text(found->sample, a),
           mr_count_text(mr_store_get_info(graph->store)->n_vertices, b),
           mr_count_text(found->n_unreached, (char[32]){0}));
    printf("%-16s %.3g, one standard deviation\n", "stated error", stated);
    for (int k = 0; k < 3; k++) {
        printf("within %-9d %s, %.1f%%; of independent errors %.1f%% are\n", k + 1,
               mr_count_of_text(within[k], "page", a),
               100 * (double)within[k] / (double)found->sample, expected[k]);
    }
    printf("%-16s %.3g on average, %.3g with its sign\n", "error", found->mean_error,
           found->mean_signed_error);
    const enum mr_status status =
        mr_names_get(graph->names, found->largest_vertex, &name, &bytes, err);
    if (status == MR_OK) {
        printf("%-16s %.3g, of ", "largest", found->largest_error);
        mr_print_name(stdout, name, bytes);
        (void)putchar('\n');
    }
    return status;
}

static enum mr_status findings_json(struct mr_session *session, const struct mr_graph *graph,
                                    const char *path, double stated,
                                    const struct mr_certify_harmonic_figures *found, double seconds,
                                    struct mr_error *err)
{
    struct mr_json json = mr_json_create();

    mr_json_text(&json, "scores", path);
    mr_meta_store(&json, mr_store_path(graph->store), mr_store_get_info(graph->store));
    mr_json_count(&json, "sample", found->sample);
    mr_json_count(&json, "sample_unreached", found->n_unreached);
    mr_json_real(&json, "relative_error", stated);
    mr_json_count(&json, "within_1", found->within_1);
    mr_json_count(&json, "within_2", found->within_2);
    mr_json_count(&json, "within_3", found->within_3);
    mr_json_real(&json, "mean_error", found->mean_error);
    mr_json_real(&json, "mean_signed_error", found->mean_signed_error);
    mr_json_real(&json, "largest_error", found->largest_error);
    mr_json_real(&json, "seconds", seconds);
    mr_meta_run(&json, session);
    return mr_json_print_and_destroy(&json, err);
}

static enum mr_status certify_harmonic(struct mr_session *session,
                                       const struct certify_flags *flags, const char *path,
                                       const struct mr_graph *graph, struct mr_error *err)
{
    struct mr_certify_harmonic_figures found = {.struct_size = sizeof found};
    const struct mr_scores_side scores = {.path = path, .column = flags->column};
    const double began = mr_now();
    double stated = 0;

    enum mr_status status = find_stated_error(session, flags, path, &stated, err);
    if (status == MR_OK) {
        status = mr_scores_certify_harmonic(&session->context, graph->store, graph->names, &scores,
                                            flags->max_unknown, stated, flags->sample, flags->seed,
                                            &found, err);
    }
    if (status == MR_OK) {
        mr_session_leave_terminal(session, NULL);
        status = flags->common.json
                     ? findings_json(session, graph, path, stated, &found, mr_now() - began, err)
                     : print_findings(graph, stated, &found, err);
    }
    return status;
}

/* ---- The command ---- */

static enum mr_status run_certify(struct mr_session *session, const void *data,
                                  const struct mr_parsed *parsed, struct mr_error *err)
{
    struct certify_flags own = *(const struct certify_flags *)data;
    const struct certify_flags *flags = &own;
    /* The store comes first; without one the operands are as the usage says. */
    const bool is_first = parsed->n_operands > 1 && mr_store_probe(parsed->operands[0]);
    const char *scores = parsed->operands[is_first];
    struct mr_graph graph = {0};

    if (own.graph != NULL && parsed->n_operands > 1) {
        return mr_error_set(err, MR_ERROR_USAGE, "%s: one argument too many beside --graph %s",
                            parsed->operands[1], own.graph);
    }
    own.graph = parsed->n_operands > 1 ? parsed->operands[!is_first] : own.graph;
    if (own.graph == NULL) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "certify: needs scores and their graph: certify SCORES STORE");
    }
    if (flags->damping <= 0) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--damping 0: every ranking would be 1/n; choose a number above 0");
    }
    enum mr_status status = mr_graph_open_at(session, flags->graph, &graph, err);
    if (status == MR_OK && flags->weights) {
        status = mr_graph_open_weights(session, &graph, err);
    }
    if (status == MR_OK && flags->common.estimate) {
        const struct mr_store_info *info = mr_store_get_info(mr_graph_links(&graph));
        const struct mr_pass_options options = {.no_pinning = true};
        const struct mr_rank_costs estimate = {
            .memory_bytes = MR_MEMORY_FLOOR_BYTES + mr_pass_vector_length(info) * sizeof(double) +
                            mr_pass_minimum_memory(info, &options),
            .passes = 1};
        status = mr_session_estimate(session, &estimate, err);
    } else if (status == MR_OK) {
        status = flags->harmonic ? certify_harmonic(session, flags, scores, &graph, err)
                                 : certify(session, flags, scores, &graph, err);
    }
    mr_graph_close(session, &graph);
    return status;
}

const struct mr_command mr_command_certify = {
    .name = "certify",
    .summary = "prove how exact scores of any program are",
    .usage = "certify SCORES STORE [OPTIONS]",
    .text = "Reads scores that any program made, scales them to the sum 1, and proves in one pass "
            "over the links how far they are from the exact PageRank of the graph: the sum of the "
            "errors of all pages is at most the printed bound. Rounding of this computation is "
            "part of it. Pages are matched by name, rows of an .npy by position; a page without a "
            "score has 0. The bound then proves pages to be among the best, and in order.",
    .examples = "  millrace certify ranks.tsv web.mill\n"
                "  millrace certify ranks.txt.gz hosts.mill --column '#pr_val' --json\n"
                "  millrace certify ranks.txt.gz hosts.mill --harmonic \\\n"
                "      --column '#harmonicc_val' --relative-error 0.0325\n",
    .groups = {{.title = "Certifying", .options = certify_options, .base = 0},
               {.title = "Harmonic centrality", .options = harmonic_options, .base = 0},
               MR_COMMON_GROUP},
    .store_first = true,
    .min_operands = 1,
    .max_operands = 2,
    .operands = "a file of scores, or the directory of its parts, and a store",
    MR_COMMAND_RUNS(defaults, run_certify),
};
