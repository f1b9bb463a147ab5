/* SPDX-License-Identifier: Apache-2.0 */
/* millrace hits: hubs and authorities. Opens the graph and its reverse, reads the files of the
 * options, runs algorithms/hits, and writes two columns. With --query it first builds a store of
 * the base set, so that the solver always ranks a whole store. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/base/relaxation.h"
#include "algorithms/hits/base_set.h"
#include "algorithms/hits/hits.h"
#include "cli/graph/columns.h"
#include "cli/graph/reverse.h"
#include "cli/program/command.h"
#include "cli/program/meta.h"
#include "cli/program/option_table.h"
#include "engine/base/clock.h"
#include "engine/base/memory.h"
#include "engine/build/subgraph.h"
#include "engine/io/io.h"
#include "formats/graph_format.h"
#include "formats/score/vertex_weights.h"
#include "formats/url/surt.h"

#define BY_RULE UINT64_MAX

static_assert((int)MR_HITS_L1 == 0 && (int)MR_HITS_L2 == 1 && (int)MR_HITS_MAX == 2,
              "--norm's choices are in the order of enum mr_hits_norm");

static const char norm_choices[] = "l1|l2|max";
static const char *const norm_names[] = {"l1", "l2", "max"};
static const char *const column_names[] = {"hub", "authority"};

struct hits_flags {
    struct mr_common_flags common;
    struct mr_import_flags import;
    struct mr_columns_flags columns;
    const char *transpose;
    const char *page_scores;
    const char *start;
    const char *query;
    uint64_t in_links;
    uint64_t max_unknown;
    int norm; /* enum mr_hits_norm */
    double tolerance; /* 0: not given */
    uint64_t max_rounds; /* 0: not given */
    uint64_t acceleration; /* vectors, or BY_RULE */
    uint64_t probe; /* rounds, or BY_RULE */
    bool no_pin;
    bool weights;
};

static const struct hits_flags defaults = {.common = MR_COMMON_DEFAULTS,
                                           .import = MR_IMPORT_DEFAULTS,
                                           .max_unknown = MR_MAX_UNKNOWN_DEFAULT,
                                           .in_links = 50,
                                           .acceleration = BY_RULE,
                                           .probe = BY_RULE};

#define FIELD(name) offsetof(struct hits_flags, name)
static const struct mr_option hits_options[] = {
    MR_RANK_WEIGHTS_OPTION(FIELD(weights)),
    MR_LINKS_OPTION(FIELD(import.links.links)),
    MR_LARGEST_OPTION(FIELD(import.largest)),
    {.name = "reverse",
     .type = MR_OPTION_TEXT,
     .offset = FIELD(transpose),
     .value = "STORE",
     .file = MR_FILE_READ,
     .help = "The reverse of the store, made by 'millrace transpose'. Default: a temporary one, "
             "unless the store is undirected."},
    {.name = "page-scores",
     .type = MR_OPTION_TEXT,
     .offset = FIELD(page_scores),
     .value = "FILE",
     .file = MR_FILE_READ,
     .help =
         "Relevance of the pages, such as from a text classifier: lines NAME SCORE. The authority "
         "of a page flows back to the pages that link to it in proportion to its relevance. Pages "
         "that are not in FILE have relevance 0. Default: all pages have the same relevance."},
    {.name = "query",
     .type = MR_OPTION_TEXT,
     .offset = FIELD(query),
     .value = "FILE",
     .file = MR_FILE_READ,
     .help = "Rank only the pages in FILE (such as the results of a search, one name per line), "
             "the pages that they link to, pages that link to them, and the links among all of "
             "these: Kleinberg's base set."},
    {.name = "in-links",
     .type = MR_OPTION_COUNT,
     .offset = FIELD(in_links),
     .value = "D",
     .least = 0,
     .most = UINT64_MAX,
     .help = "With --query: at most D pages that link to each listed page, the first ones in the "
             "order of the store. 0 means all. Default 50."},
    MR_MAX_UNKNOWN_OPTION(FIELD(max_unknown), "names in --page-scores or --query"),
    {.name = "norm",
     .type = MR_OPTION_CHOICE,
     .offset = FIELD(norm),
     .choices = norm_choices,
     .help = "What is scaled to 1 in each vector: the sum (l1), the length (l2) or the largest "
             "score (max). Changes are measured in the same norm. Default l1."},
    MR_TOLERANCE_OPTION(FIELD(tolerance),
                        "Stop when a round changes neither vector by more than T. Default 1e-9."),
    {.name = "max-rounds",
     .type = MR_OPTION_COUNT,
     .offset = FIELD(max_rounds),
     .value = "N",
     .least = 1,
     .most = UINT32_MAX,
     .help = "Stop after N rounds of two passes each, with exit code 6 and the scores so far. "
             "Default 10000."},
    {.name = "start",
     .type = MR_OPTION_TEXT,
     .offset = FIELD(start),
     .value = "FILE",
     .file = MR_FILE_READ,
     .help = "Start from the hubs of an earlier result (its first score column). Pages that are "
             "not in FILE start from the mean. Default: all hubs equal."},
    {.name = "acceleration",
     .type = MR_OPTION_COUNT,
     .offset = FIELD(acceleration),
     .value = "M",
     .least = 0,
     .most = 16,
     .help = "Number of vectors of the Lanczos acceleration, 2 to 16; each needs 4 bytes per page. "
             "0 means plain power iteration. Default: 6, or fewer where --memory has "
             "no room for them."},
    {.name = "probe",
     .type = MR_OPTION_COUNT,
     .offset = FIELD(probe),
     .value = "N",
     .least = 0,
     .most = 10000,
     .help = "Use at most N rounds to find the second eigenvalue, which tells how well the vectors "
             "are determined. 0 skips it. Default 30."},
    MR_NO_PIN_OPTION(FIELD(no_pin)),
    {0}};
#undef FIELD

/* All data of one ranking. */
struct ranking {
    struct mr_session *session;
    const struct hits_flags *flags;
    const struct mr_parsed *parsed;
    struct mr_graph whole; /* the graph of the operands */
    struct mr_graph part; /* the base set of --query; zeroed without it */
    const struct mr_graph *graph; /* the graph to rank: one of the two */
    struct mr_reverse reverse;
    struct mr_vertex_weights relevance, start;
    uint64_t n_roots, unknown_roots;
    struct mr_hits_options options;
    struct mr_hits_result result;
    struct mr_fetch_plan plan;
    double seconds;
};

/* ---- The graph ---- */

/* Makes a temporary store of the base set of --query. */
static enum mr_status open_base_set(struct ranking *ranking, struct mr_error *err)
{
    const struct hits_flags *flags = ranking->flags;
    struct mr_session *session = ranking->session;
    const struct mr_context *context = &session->context;
    const struct mr_store_info *info = mr_store_get_info(ranking->whole.store);
    const mr_name_key key = mr_name_key_of(info->name_key_number);
    const uint64_t most = flags->in_links == 0 ? MR_BASE_SET_ALL : flags->in_links;
    struct mr_vertex_weights roots = {0};
    struct mr_vertex_set members = {0};
    struct mr_build_summary summary;
    char n_roots[32], n_pages[32], n_links[32];

    enum mr_status status =
        mr_vertex_weights_open(&session->context, &flags->query, 1, ranking->whole.names, info,
                               false, flags->max_unknown, &roots, err);
    if (status == MR_OK) {
        status = mr_vertex_set_create(context, info->n_vertices, &members, err);
    }
    if (status == MR_OK) {
        status = mr_base_set(context, ranking->whole.store, roots.entries, roots.n_entries, most,
                             &members, err);
    }
    if (status == MR_OK) {
        status = mr_session_temporary(session, "query", &ranking->part.temporary, err);
    }
    if (status == MR_OK) {
        status = mr_subgraph(context, ranking->whole.store, ranking->whole.names, key, &members,
                             false, ranking->part.temporary, &summary, err);
    }
    if (status == MR_OK) {
        mr_session_say(session, "pages of the query: %s, with their neighbours: %s; links: %s",
                       mr_count_text(roots.n_entries, n_roots),
                       mr_count_text(summary.vertices, n_pages),
                       mr_count_text(summary.edges, n_links));
        status = mr_graph_open_at(session, ranking->part.temporary, &ranking->part, err);
    }
    if (status == MR_OK && flags->weights) {
        status = mr_graph_open_weights(session, &ranking->part, err);
    }
    ranking->n_roots = roots.n_entries;
    ranking->unknown_roots = roots.unknown;
    mr_vertex_set_destroy(&members);
    mr_vertex_weights_free(&roots);
    return status;
}

static enum mr_status open_graph(struct ranking *ranking, struct mr_error *err)
{
    const struct hits_flags *flags = ranking->flags;
    struct mr_session *session = ranking->session;
    enum { IMPORT_GROUP = 2 }; /* in mr_command_hits.groups */

    struct mr_import_flags import = flags->import;

    import.weights = flags->weights ? MR_WEIGHTS_MUST : MR_WEIGHTS_NONE;
    enum mr_status status =
        mr_graph_open(session, &import, ranking->parsed->first_given[IMPORT_GROUP], ranking->parsed,
                      &ranking->whole, err);
    ranking->graph = &ranking->whole;
    if (status == MR_OK && flags->query != NULL) {
        status = open_base_set(ranking, err);
        ranking->graph = &ranking->part;
    }
    if (status != MR_OK) {
        return status;
    }
    /* The reverse takes long to make: refuse what cannot be ranked before. */
    const struct mr_store_info *info = mr_store_get_info(ranking->graph->store);
    const uint64_t least = mr_hits_minimum_memory(info, &ranking->options) - info->index_bytes;
    status = mr_ranking_require(&session->context, info, least, err);
    if (status != MR_OK) {
        return status;
    }
    return mr_reverse_open(session, ranking->graph, flags->transpose, flags->query != NULL,
                           &ranking->reverse, err);
}

/* ---- Options ---- */

static enum mr_status check_flags(const struct ranking *ranking, struct mr_error *err)
{
    const struct hits_flags *flags = ranking->flags;

    if (flags->query != NULL && flags->transpose != NULL) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--query ranks a part of the graph and makes the reverse itself; leave "
                            "out --reverse");
    }
    if (flags->query == NULL && flags->in_links != defaults.in_links) {
        return mr_error_set(err, MR_ERROR_USAGE, "--in-links needs --query FILE");
    }
    if (flags->acceleration == 1) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "--acceleration 1: one vector does not accelerate; say 0, or 2 to 16");
    }
    return mr_columns_check(ranking->session, &flags->columns, column_names, 2, err);
}

static void set_options(struct ranking *ranking)
{
    const struct hits_flags *flags = ranking->flags;
    struct mr_hits_options *options = &ranking->options;

    mr_hits_defaults(options);
    options->tolerance = flags->tolerance;
    options->max_rounds = (unsigned)flags->max_rounds;
    options->norm = (enum mr_hits_norm)flags->norm;
    if (flags->acceleration != BY_RULE) {
        options->acceleration =
            flags->acceleration == 0 ? MR_HITS_ACCELERATION_NONE : (int)flags->acceleration;
    }
    if (flags->probe != BY_RULE) {
        options->probe = flags->probe == 0 ? MR_HITS_PROBE_NONE : (int)flags->probe;
    }
    if (ranking->relevance.n_entries > 0) {
        options->relevance = ranking->relevance.entries;
        options->n_relevance = ranking->relevance.n_entries;
    }
    if (ranking->start.n_entries > 0) {
        options->start = ranking->start.entries;
        options->n_start = ranking->start.n_entries;
    }
    options->backend = ranking->session->backend;
    options->no_pinning = flags->no_pin;
}

static enum mr_status read_weights(struct ranking *ranking, struct mr_error *err)
{
    const struct hits_flags *flags = ranking->flags;
    struct mr_names *names = ranking->graph->names;
    /* A file about the whole graph names many pages that the part does not have. */
    const uint64_t max_unknown = flags->query != NULL ? UINT64_MAX : flags->max_unknown;
    enum mr_status status = MR_OK;

    if (flags->page_scores != NULL) {
        status = mr_vertex_weights_load(&ranking->session->context, flags->page_scores, names, true,
                                        max_unknown, &ranking->relevance, err);
    }
    if (status == MR_OK && flags->start != NULL) {
        status = mr_vertex_weights_load(&ranking->session->context, flags->start, names, true,
                                        UINT64_MAX, &ranking->start, err);
    }
    if (status == MR_OK && flags->start != NULL) {
        status = mr_meta_check_store(ranking->session, flags->start,
                                     mr_store_get_info(ranking->graph->store), "the graph", err);
    }
    return status;
}

static enum mr_status estimate(struct ranking *ranking, struct mr_error *err)
{
    struct mr_session *session = ranking->session;
    struct mr_estimate result = {0};
    uint64_t edges = 0;
    enum mr_status status;

    set_options(ranking);
    /* 30 rounds: web graphs need about that many to reach 1e-9, with the probe */
    result.passes = 60;
    if (mr_graph_is_store(ranking->parsed)) {
        struct mr_import_flags import = ranking->flags->import;
        struct mr_graph graph;
        uint64_t beside = 0;
        import.weights = ranking->flags->weights ? MR_WEIGHTS_MUST : MR_WEIGHTS_NONE;
        status = mr_graph_open_to_estimate(session, ranking->parsed->operands[0], &import, &graph,
                                           &beside, err);
        if (status != MR_OK) {
            mr_graph_close(session, &graph);
            return status;
        }
        const struct mr_store_info *info = mr_store_get_info(mr_graph_links(&graph));
        edges = info->n_edges;
        if (ranking->flags->transpose == NULL) {
            result = mr_build_estimate(session, edges, false);
            result.passes = 60;
        }
        /* The reverse holds as much. */
        const uint64_t least = mr_hits_minimum_memory(info, &ranking->options) + 2 * beside;
        result.memory_bytes = least > result.memory_bytes ? least : result.memory_bytes;
        result.least_bytes = least;
        mr_graph_close(session, &graph);
    } else {
        status = mr_import_guess_edges(session, ranking->parsed->operands,
                                       ranking->parsed->n_operands, &edges, err);
        result = mr_build_estimate(session, edges, ranking->flags->import.undirected);
        result.passes = 60;
    }
    return status == MR_OK ? mr_session_estimate(session, &result, err) : status;
}

/* ---- Results ---- */

static void report(const struct ranking *ranking)
{
    const struct mr_hits_result *result = &ranking->result;
    struct mr_session *session = ranking->session;
    const char *norm = norm_names[ranking->options.norm];

    if (result->converged) {
        mr_session_say(session,
                       "the last of %u rounds changed hubs by %.1e, authorities by %.1e "
                       "(%s, tolerance %g), %u passes, %.1f s",
                       result->rounds, result->hub_change, result->authority_change, norm,
                       result->tolerance, result->passes, ranking->seconds);
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

/* Adds the given parameters and the results. */
static void add_solution(struct mr_json *json, const struct ranking *ranking)
{
    const struct hits_flags *flags = ranking->flags;
    const struct mr_hits_result *result = &ranking->result;

    mr_json_text(json, "algorithm", "hits");
    mr_json_text(json, "norm", norm_names[ranking->options.norm]);
    mr_json_real(json, "tolerance", result->tolerance);
    mr_json_text(json, "transpose", flags->transpose);
    mr_json_text(json, "page_scores", flags->page_scores);
    if (flags->page_scores != NULL) {
        mr_json_count(json, "page_scores_vertices", ranking->relevance.n_entries);
        mr_json_count(json, "page_scores_unknown", ranking->relevance.unknown);
    }
    mr_json_text(json, "start", flags->start);
    if (flags->start != NULL) {
        mr_json_count(json, "start_vertices", ranking->start.n_entries);
        mr_json_count(json, "start_unknown", ranking->start.unknown);
    }
    mr_json_text(json, "query", flags->query);
    if (flags->query != NULL) {
        mr_json_count(json, "in_links", flags->in_links);
        mr_json_count(json, "query_vertices", ranking->n_roots);
        mr_json_count(json, "query_unknown", ranking->unknown_roots);
        mr_json_count(json, "base_set_vertices",
                      mr_store_get_info(ranking->graph->store)->n_vertices);
        mr_json_count(json, "base_set_edges", mr_store_get_info(ranking->graph->store)->n_edges);
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
    mr_json_real(json, "seconds", ranking->seconds);
}

static enum mr_status write_results(const struct ranking *ranking, struct mr_error *err)
{
    const struct mr_hits_result *result = &ranking->result;
    const struct mr_score_column columns[2] = {
        {.name = column_names[0], .type = MR_SCORES_DOUBLE, .values = result->hubs},
        {.name = column_names[1], .type = MR_SCORES_DOUBLE, .values = result->authorities}};
    const char *path = ranking->whole.temporary != NULL ? NULL : ranking->parsed->operands[0];
    struct mr_json json = mr_json_create();

    mr_meta_store(&json, path, mr_store_get_info(ranking->whole.store));
    mr_json_flag(&json, "weights", ranking->flags->weights);
    if (path == NULL) {
        mr_json_texts(&json, "inputs", ranking->parsed->operands, ranking->parsed->n_operands);
    }
    add_solution(&json, ranking);
    mr_meta_figures(&json, &result->figures);
    mr_meta_run(&json, ranking->session);
    const enum mr_status status =
        mr_columns_write(ranking->session, ranking->graph, &ranking->flags->columns, &ranking->plan,
                         columns, 2, &json, err);
    mr_json_destroy(&json);
    return status;
}

/* ---- The command ---- */

static enum mr_status rank(struct ranking *ranking, struct mr_error *err)
{
    struct mr_session *session = ranking->session;
    const double began = mr_now();

    set_options(ranking);
    session->meter.goal = ranking->options.tolerance > 0 ? ranking->options.tolerance : 1e-9;
    const enum mr_status status =
        mr_hits(&session->context, mr_graph_links(ranking->graph), ranking->reverse.store,
                &ranking->options, &ranking->result, err);
    session->meter.goal = 0.0;
    ranking->seconds = mr_now() - began;
    return status;
}

static enum mr_status list_files(const void *data, const struct mr_parsed *parsed,
                                 struct mr_files *files, struct mr_error *err)
{
    const struct hits_flags *flags = data;

    (void)parsed;
    (void)err;
    mr_fetch_list_files(&flags->columns.fetch, files);
    return MR_OK;
}

static enum mr_status run(struct mr_session *session, const void *data,
                          const struct mr_parsed *parsed, struct mr_error *err)
{
    struct ranking ranking = {.session = session, .flags = data, .parsed = parsed};

    enum mr_status status = check_flags(&ranking, err);
    if (status != MR_OK) {
        return status;
    }
    if (ranking.flags->common.estimate) {
        return estimate(&ranking, err);
    }
    set_options(&ranking);
    status = open_graph(&ranking, err);
    if (status == MR_OK) {
        status = read_weights(&ranking, err);
    }
    if (status == MR_OK) {
        status = mr_fetch_plan_open(session, &ranking.flags->columns.fetch, ranking.graph,
                                    ranking.flags->max_unknown, &ranking.plan, err);
    }
    if (status == MR_OK) {
        status = rank(&ranking, err);
        if (status == MR_OK || status == MR_NOT_CONVERGED) {
            /* Vectors that did not converge are written as well. A failure to write is then the
             * graver error. */
            struct mr_error write_error = {0};
            report(&ranking);
            enum mr_status write_status = write_results(&ranking, &write_error);
            if (write_status != MR_OK) {
                status = write_status;
                *err = write_error;
            }
        }
    }
    mr_hits_result_free(&ranking.result);
    mr_fetch_plan_close(&ranking.plan);
    mr_vertex_weights_free(&ranking.start);
    mr_vertex_weights_free(&ranking.relevance);
    mr_reverse_close(session, &ranking.reverse);
    mr_graph_close(session, &ranking.part);
    mr_graph_close(session, &ranking.whole);
    return status;
}

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
               {.title = "Output",
                .options = mr_columns_options,
                .base = offsetof(struct hits_flags, columns)},
               {.title = "For an input that is not a store",
                .options = mr_import_options,
                .topic = "inputs",
                .base = offsetof(struct hits_flags, import)},
               {.title = "Pages to fetch",
                .options = mr_fetch_options,
                .base = offsetof(struct hits_flags, columns.fetch)},
               MR_COMMON_GROUP},
    .defaults = &defaults,
    .flags_bytes = sizeof defaults,
    .min_operands = 1,
    .max_operands = SIZE_MAX,
    .operands = "a store or an input file (- for standard input)",
    .list_files = list_files,
    .run = run,
};
