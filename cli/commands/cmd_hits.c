/* SPDX-License-Identifier: Apache-2.0 */
/* millrace hits: hubs and authorities. Opens the graph and its reverse, reads the files of the
 * options, runs algorithms/hits, and writes two columns. With --query it first builds a store of
 * the base set, so that the solver always ranks a whole store. */
#include <assert.h>
#include <math.h>

#include "algorithms/base/relaxation.h"
#include "algorithms/hits/base_set.h"
#include "algorithms/hits/hits.h"
#include "cli/program/meta.h"
#include "cli/ranking/ranker.h"
#include "engine/base/memory.h"
#include "engine/builder/subgraph.h"
#include "engine/builder/transpose.h"
#include "engine/io/workspace.h"

static_assert((int)MR_HITS_L1 == 0 && (int)MR_HITS_L2 == 1 && (int)MR_HITS_MAX == 2,
              "--norm's choices are in the order of enum mr_hits_norm");

static const char norm_choices[] = "l1|l2|max";
static const char *const norm_names[] = {"l1", "l2", "max"};
static const char *const column_names[] = {"hub", "authority"};

struct hits_flags {
    struct mr_ranking_flags ranking;
    struct mr_hits_options solver;
    const char *transpose;
    const char *page_scores;
    const char *start;
    const char *query;
    uint64_t in_links;
};

static const struct hits_flags defaults = {.ranking = MR_RANKING_DEFAULTS,
                                           .solver = {.struct_size = sizeof defaults.solver},
                                           .in_links = 50};

#define FIELD(name) offsetof(struct hits_flags, name)
static const struct mr_option hits_options[] = {
    {"reverse", 0, MR_OPTION_TEXT, FIELD(transpose), "STORE", .file = MR_FILE_READ,
     .help = "The reverse of the store, made by 'millrace transpose'. Default: a temporary one, "
             "unless the store is undirected."},
    {"page-scores", 0, MR_OPTION_TEXT, FIELD(page_scores), "FILE", .file = MR_FILE_READ,
     .help =
         "Relevance of the pages, such as from a text classifier: lines NAME SCORE. The authority "
         "of a page flows back to the pages that link to it in proportion to its relevance. Pages "
         "that are not in FILE have relevance 0. Default: all pages have the same relevance."},
    {"query", 0, MR_OPTION_TEXT, FIELD(query), "FILE", .file = MR_FILE_READ,
     .help = "Rank only the pages in FILE (such as the results of a search, one name per line), "
             "the pages that they link to, pages that link to them, and the links among all of "
             "these: Kleinberg's base set."},
    {"in-links", 0, MR_OPTION_COUNT, FIELD(in_links), "D", .least = 0, .most = UINT64_MAX,
     .help = "With --query: at most D pages that link to each listed page, the first ones in the "
             "order of the store. 0 means all. Default 50."},
    MR_MAX_UNKNOWN_OPTION(FIELD(ranking.max_unknown), "names in --page-scores or --query"),
    {"norm", 0, MR_OPTION_CHOICE, FIELD(solver.norm), .choices = norm_choices,
     .help = "What is scaled to 1 in each vector: the sum (l1), the length (l2) or the largest "
             "score (max). Changes are measured in the same norm. Default l1."},
    MR_TOLERANCE_OPTION(FIELD(solver.tolerance),
                        "Stop when a round changes neither vector by more than T. Default 1e-9."),
    {"max-rounds", 0, MR_OPTION_NUMBER, FIELD(solver.max_rounds), "N", .least = 1,
     .most = UINT32_MAX,
     .help = "Stop after N rounds of two passes each, with exit code 6 and the scores so far. "
             "Default 10000."},
    {"start", 0, MR_OPTION_TEXT, FIELD(start), "FILE", .file = MR_FILE_READ,
     .help = "Start from the hubs of an earlier result (its first score column). Pages that are "
             "not in FILE start from the mean. Default: all hubs equal."},
    {"acceleration", 0, MR_OPTION_OR_NONE, FIELD(solver.acceleration), "M", .least = 0, .most = 16,
     .help = "Number of vectors of the Lanczos acceleration, 2 to 16; each needs 4 bytes per page. "
             "0 means plain power iteration. Default: 6, or fewer where --memory has "
             "no room for them."},
    {"probe", 0, MR_OPTION_OR_NONE, FIELD(solver.probe), "N", .least = 0, .most = 10000,
     .help = "Use at most N rounds to find the second eigenvalue, which tells how well the vectors "
             "are determined. 0 skips it. Default 30."},
    MR_NO_PIN_OPTION(FIELD(solver.no_pinning)),
    {0}};
#undef FIELD

/* The data of one run. */
struct hits {
    struct mr_graph part; /* the base set of --query; zeroed without it */
    struct mr_reverse reverse;
    struct mr_vertex_weights relevance, start;
    uint64_t n_roots, unknown_roots;
    struct mr_hits_options options;
    struct mr_hits_result result;
    struct mr_score_column columns[2];
};

static const struct hits_flags *flags_of(const struct mr_run *run)
{
    return (const struct hits_flags *)run->flags;
}

/* ---- The graph ---- */

/* Makes a temporary store of the base set of --query. */
static enum mr_status open_base_set(struct mr_run *run, struct mr_error *err)
{
    const struct hits_flags *flags = flags_of(run);
    struct hits *hits = run->data;
    struct mr_session *session = run->session;
    const struct mr_context *context = &session->context;
    const struct mr_store_info *info = mr_run_info(run);
    const uint64_t most = flags->in_links == 0 ? MR_BASE_SET_ALL : flags->in_links;
    struct mr_vertex_weights roots = {0};
    struct mr_vertex_set members = {0};
    struct mr_build_summary summary;
    char n_roots[32], n_pages[32], n_links[32];

    enum mr_status status = mr_run_read_pages(run, &flags->query, 1, false, &roots, err);
    if (status == MR_OK) {
        status = mr_vertex_set_create(context, info->n_vertices, &members, err);
    }
    if (status == MR_OK) {
        status = mr_base_set(context, run->graph.store, roots.entries, roots.n_entries, most,
                             &members, err);
    }
    if (status == MR_OK) {
        status = mr_session_temporary(session, "query", &hits->part.temporary, err);
    }
    if (status == MR_OK) {
        status = mr_subgraph(context, run->graph.store, &members, false, hits->part.temporary,
                             &summary, err);
    }
    if (status == MR_OK) {
        mr_session_say(session, "pages of the query: %s, with their neighbours: %s; links: %s",
                       mr_count_text(roots.n_entries, n_roots),
                       mr_count_text(summary.vertices, n_pages),
                       mr_count_text(summary.edges, n_links));
        status = mr_graph_open_at(session, hits->part.temporary, &hits->part, err);
    }
    if (status == MR_OK && run->flags->weights) {
        status = mr_graph_open_weights(session, &hits->part, err);
    }
    hits->n_roots = roots.n_entries;
    hits->unknown_roots = roots.unknown;
    run->ranked = &hits->part;
    mr_vertex_set_destroy(&members);
    mr_vertex_weights_free(&roots);
    return status;
}

/* Opens the store of --reverse, with its weights where those of the graph are open. */
static enum mr_status open_given(struct mr_run *run, struct mr_error *err)
{
    const struct mr_context *context = &run->session->context;
    struct hits *hits = run->data;
    struct mr_store *plain = NULL;

    enum mr_status status = mr_store_open(context, flags_of(run)->transpose, &plain, err);
    if (status == MR_OK && run->flags->weights) {
        status = mr_store_open_weights(context, plain, &hits->reverse.store, err);
        mr_store_close(plain);
    } else {
        hits->reverse.store = plain;
    }
    return status == MR_OK
               ? mr_hits_check_transpose(context, mr_run_links(run), hits->reverse.store, err)
               : status;
}

/* The reverse takes long to make: refuses before what cannot be ranked. */
static enum mr_status open_reverse(struct mr_run *run, struct mr_error *err)
{
    const struct hits_flags *flags = flags_of(run);
    const struct mr_context *context = &run->session->context;
    const struct mr_store_info *info = mr_run_info(run);
    struct hits *hits = run->data;

    const enum mr_status status = mr_ranking_require(
        context, info, mr_hits_minimum_memory(info, &hits->options) - info->index_bytes, err);
    /* The reverse is made before the ranking takes anything. */
    mr_memory_expect_more(context->memory, 0);
    if (status != MR_OK || flags->transpose != NULL) {
        return status == MR_OK ? open_given(run, err) : status;
    }
    if (!info->undirected && flags->query == NULL) {
        mr_session_say(run->session,
                       "note: no --reverse STORE; making a temporary reverse in %s ('millrace "
                       "transpose' makes one to keep)",
                       mr_workspace_parent(context));
    }
    return mr_reverse_make(context, mr_run_links(run), &hits->reverse, err);
}

/* ---- The run ---- */

static enum mr_status check(struct mr_run *run, struct mr_error *err)
{
    const struct hits_flags *flags = flags_of(run);
    struct hits *hits = run->data;

    hits->options = flags->solver;
    if (flags->query != NULL && flags->transpose != NULL) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--query ranks a part of the graph and makes the reverse itself; leave "
                            "out --reverse");
    }
    if (flags->query == NULL && flags->in_links != defaults.in_links) {
        return mr_error_set(err, MR_ERROR_USAGE, "--in-links needs --query FILE");
    }
    if (flags->solver.acceleration == 1) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--acceleration 1: one vector does not accelerate; say 0, or 2 to 16");
    }
    return MR_OK;
}

static void estimate_memory(struct mr_run *run, uint64_t beside, struct mr_estimate *estimate)
{
    struct hits *hits = run->data;
    const struct mr_store_info *info = mr_store_get_info(mr_run_links(run));

    if (flags_of(run)->transpose == NULL) {
        *estimate = mr_build_estimate(run->session, info->n_edges, false);
    }
    /* The reverse holds as much. */
    estimate->least_bytes = mr_hits_minimum_memory(info, &hits->options) + 2 * beside;
    estimate->memory_bytes = mr_max_u64(estimate->least_bytes, estimate->memory_bytes);
}

static enum mr_status read_lists(struct mr_run *run, struct mr_error *err)
{
    const struct hits_flags *flags = flags_of(run);
    const struct mr_context *context = &run->session->context;
    struct hits *hits = run->data;
    struct mr_hits_options *options = &hits->options;
    struct mr_names *names = run->ranked->names;
    /* A file about the whole graph names many pages that the part does not have. */
    const uint64_t max_unknown = flags->query != NULL ? UINT64_MAX : run->flags->max_unknown;
    enum mr_status status = MR_OK;

    if (flags->page_scores != NULL) {
        status = mr_vertex_weights_load(context, flags->page_scores, names, true, max_unknown,
                                        &hits->relevance, err);
    }
    if (status == MR_OK && flags->start != NULL) {
        status = mr_vertex_weights_load(context, flags->start, names, true, UINT64_MAX,
                                        &hits->start, err);
    }
    if (status == MR_OK && flags->start != NULL) {
        status = mr_meta_check_store(&run->session->context, flags->start, mr_run_info(run),
                                     "the graph", err);
    }
    options->relevance = hits->relevance.n_entries > 0 ? hits->relevance.entries : NULL;
    options->n_relevance = hits->relevance.n_entries;
    options->start = hits->start.n_entries > 0 ? hits->start.entries : NULL;
    options->n_start = hits->start.n_entries;
    return status;
}

static enum mr_status prepare(struct mr_run *run, struct mr_error *err)
{
    enum mr_status status = flags_of(run)->query != NULL ? open_base_set(run, err) : MR_OK;

    if (status == MR_OK) {
        status = read_lists(run, err);
    }
    return status == MR_OK ? open_reverse(run, err) : status;
}

static enum mr_status rank(struct mr_run *run, struct mr_error *err)
{
    struct hits *hits = run->data;
    struct mr_hits_options *options = &hits->options;

    run->session->meter.goal = options->tolerance > 0 ? options->tolerance : 1e-9;
    const enum mr_status status = mr_hits(&run->session->context, mr_run_links(run),
                                          hits->reverse.store, options, &hits->result, err);
    const double *const values[2] = {hits->result.hubs, hits->result.authorities};
    for (int i = 0; i < 2; i++) {
        hits->columns[i] = (struct mr_score_column){
            .name = column_names[i], .type = MR_SCORES_DOUBLE, .values = values[i]};
    }
    run->columns.columns = hits->columns;
    run->columns.n_columns = 2;
    return status;
}

/* ---- Results ---- */

static void report(const struct mr_run *run)
{
    const struct hits *hits = run->data;
    const struct mr_hits_result *result = &hits->result;
    struct mr_session *session = run->session;
    const char *norm = norm_names[hits->options.norm];

    if (result->converged) {
        mr_session_say(session,
                       "the last of %u rounds changed hubs by %.1e, authorities by %.1e "
                       "(%s, tolerance %g), %u passes, %.1f s",
                       result->rounds, result->hub_change, result->authority_change, norm,
                       result->tolerance, result->passes, run->seconds);
    }
    if (result->eigenvalue > 0 && result->depends_on_start) {
        mr_session_say(session,
                       "warning: the two largest eigenvalues seem equal (ratio %.7g): parts of the "
                       "graph share the first rank, and their shares depend on the start",
                       result->separation);
    } else if (!isnan(result->separation)) {
        mr_session_say(session, "second eigenvalue %.4g of the first; hubs are off by about %.1e",
                       result->separation, result->error_estimate);
    }
}

static void describe(const struct mr_run *run, struct mr_json *json)
{
    const struct hits_flags *flags = flags_of(run);
    const struct hits *hits = run->data;
    const struct mr_hits_result *result = &hits->result;

    mr_json_text(json, "algorithm", "hits");
    mr_json_flag(json, "weights", run->flags->weights);
    mr_json_text(json, "norm", norm_names[hits->options.norm]);
    mr_json_real(json, "tolerance", result->tolerance);
    mr_json_text(json, "transpose", flags->transpose);
    mr_json_text(json, "page_scores", flags->page_scores);
    if (flags->page_scores != NULL) {
        mr_json_count(json, "page_scores_vertices", hits->relevance.n_entries);
        mr_json_count(json, "page_scores_unknown", hits->relevance.unknown);
    }
    mr_json_text(json, "start", flags->start);
    if (flags->start != NULL) {
        mr_json_count(json, "start_vertices", hits->start.n_entries);
        mr_json_count(json, "start_unknown", hits->start.unknown);
    }
    mr_json_text(json, "query", flags->query);
    if (flags->query != NULL) {
        mr_json_count(json, "in_links", flags->in_links);
        mr_json_count(json, "query_vertices", hits->n_roots);
        mr_json_count(json, "query_unknown", hits->unknown_roots);
        mr_json_count(json, "base_set_vertices", mr_run_info(run)->n_vertices);
        mr_json_count(json, "base_set_edges", mr_run_info(run)->n_edges);
    }
    mr_json_count(json, "acceleration", result->acceleration);
    mr_json_flag(json, "converged", result->converged);
    mr_json_real(json, "hub_change", result->hub_change);
    mr_json_real(json, "authority_change", result->authority_change);
    mr_json_real(json, "eigenvalue", result->eigenvalue);
    mr_json_real(json, "second_eigenvalue", result->second_eigenvalue);
    mr_json_real(json, "separation", result->separation);
    mr_json_real(json, "error_estimate", result->error_estimate);
    mr_json_flag(json, "depends_on_start", result->depends_on_start);
    mr_json_count(json, "rounds", result->rounds);
    mr_json_count(json, "probe_rounds", result->probe_rounds);
    mr_json_count(json, "passes", result->passes);
    mr_meta_figures(json, &result->figures);
}

static enum mr_status end(struct mr_run *run, enum mr_status status, struct mr_error *err)
{
    struct hits *hits = run->data;

    (void)err;
    mr_hits_result_free(&hits->result);
    mr_vertex_weights_free(&hits->start);
    mr_vertex_weights_free(&hits->relevance);
    mr_reverse_close(&hits->reverse);
    mr_graph_close(run->session, &hits->part);
    return status;
}

/* ---- The command ---- */

static const struct mr_ranker ranker = {.data_bytes = sizeof(struct hits),
                                        .columns = column_names,
                                        .n_columns = 2,
                                        .check = check,
                                        .estimate = estimate_memory,
                                        /* Web graphs need about 30 rounds to reach 1e-9, with the
                                         * probe. */
                                        .n_passes = 60,
                                        .prepare = prepare,
                                        .rank = rank,
                                        .report = report,
                                        .describe = describe,
                                        .end = end};

const struct mr_command mr_command_hits = {
    .name = "hits",
    .summary = "rank pages as hubs and authorities (HITS)",
    .usage = "hits STORE|INPUT... [-o FILE] [OPTIONS]",
    .text =
        "Computes HITS: a good hub links to good authorities, and good hubs link to a good "
        "authority. Lines are NAME, hub, authority, with tabs between. Every round reads the links "
        "twice, forwards and backwards, and needs the reverse of the store for that. The command "
        "tells how far apart the two largest eigenvalues are, and warns when the scores depend on "
        "the start. An input that is not a store is first built into a temporary store.",
    .examples = "  millrace hits web.mill --reverse web-reversed.mill -o hits.tsv --top 10\n"
                "  millrace hits web.mill --page-scores relevance.tsv -o hits.tsv.zst\n"
                "  millrace hits web.mill --query found.txt --top 20 --by hub\n",
    .groups = {{.title = "Ranking", .options = hits_options, .base = 0},
               MR_LINKS_GROUP(MR_ALL_LINKS),
               MR_OUTPUT_GROUP,
               MR_IMPORT_GROUP,
               MR_FETCH_GROUP,
               MR_COMMON_GROUP},
    MR_RANKING_COMMAND(defaults, ranker),
    .list_files = mr_ranker_list_files,
};
