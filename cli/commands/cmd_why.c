/* SPDX-License-Identifier: Apache-2.0 */
/* millrace why: where the score of a page comes from. mr_scores_explain does the work; this file
 * brings store, scores and the metadata beside them together, and prints shares: of a terminal the
 * digits that are proven, elsewhere rows with all digits and the bound of each. */
#include <math.h>
#include <string.h>

#include "cli/graph/best_pages.h"
#include "cli/graph/graph.h"
#include "cli/program/command.h"
#include "cli/program/meta.h"
#include "cli/program/option_table.h"
#include "engine/base/memory.h"

struct why_flags {
    struct mr_common_flags common;
    const char *column;
    int by;
    uint64_t top;
    struct mr_rows_flags rows;
};

static const struct why_flags defaults = {.common = MR_COMMON_DEFAULTS, .top = 20};

#define FIELD(name) offsetof(struct why_flags, name)
static const struct mr_option why_options[] = {
    {"top", 'n', MR_OPTION_COUNT, FIELD(top), "K", .alias = "limit", .least = 1, .most = UINT32_MAX,
     .help = "Print the K pages and hosts with the largest shares, and the others as one line. "
             "Default 20.",
     .often = true},
    {"by", 0, MR_OPTION_CHOICE, FIELD(by), .choices = "host|domain",
     .help = "Sum up by host or registered domain; domains are those of the public suffix list. "
             "Default host.",
     .often = true},
    MR_COLUMN_OPTION(FIELD(column)),
    MR_ROWS_OPTIONS(FIELD(rows), .excludes = {{.names = "json"}}),
    {0}};
#undef FIELD

enum { FROM, NAME, SHARE, BOUND, SCORE, LINKS, ALONE, PAGES, PERCENT, N_COLUMNS };
static const struct mr_row_column all_columns[N_COLUMNS] = {
    [FROM] = {"from", MR_CELL_LABEL, false},    [NAME] = {"name", MR_CELL_NAME, false},
    [SHARE] = {"share", MR_CELL_REAL, false},   [BOUND] = {"bound", MR_CELL_REAL, false},
    [SCORE] = {"score", MR_CELL_REAL, false},   [LINKS] = {"links", MR_CELL_COUNT, false},
    [ALONE] = {"alone", MR_CELL_REAL, false},   [PAGES] = {"pages", MR_CELL_COUNT, false},
    [PERCENT] = {"percent", MR_CELL_REAL, true}};

struct why_run {
    struct mr_session *session;
    const struct why_flags *flags;
    struct mr_graph graph;
    struct mr_why_options options;
    struct mr_why why;
    struct mr_json json; /* with --json */
    struct mr_row_column columns[N_COLUMNS]; /* on a terminal PERCENT for ALONE */
    struct mr_row_writer rows;
};

/* ---- Rows ---- */

static void add_json(struct why_run *run, const struct mr_cell cells[N_COLUMNS])
{
    struct mr_json row = mr_json_create();
    json_t *list = json_object_get(run->json.object, "shares");

    mr_json_cells(&row, run->columns, N_COLUMNS, cells);
    run->json.failed |= json_array_append_new(list, mr_json_finish(&row)) != 0;
}

static enum mr_status print_share(struct why_run *run, const char *from, const char *name,
                                  size_t bytes, const struct mr_why_share *share,
                                  struct mr_error *err)
{
    const double percent = run->why.score > 0 ? 100 * share->share / run->why.score : 0;
    char digits[400], bound[32], percents[32];
    const struct mr_cell cells[N_COLUMNS] = {
        [FROM] = {.text = from, .bytes = strlen(from)},
        [NAME] = {.text = name, .bytes = bytes},
        [SHARE] = {.text = digits, .real = share->share},
        [BOUND] = {.text = mr_bound_text(share->bound, bound), .real = share->bound},
        [SCORE] = {.real = share->score},
        [LINKS] = {.count = share->out_degree},
        [ALONE] = {.real = share->out_degree > 0 ? run->options.damping * share->score : 0},
        [PAGES] = {.count = share->n_vertices},
        [PERCENT] = {.text = percents, .real = percent}};

    (void)snprintf(digits, sizeof digits, "%.*f", mr_proven_decimals(share->bound), share->share);
    (void)snprintf(percents, sizeof percents, "%.1f%%", percent);

    if (run->flags->common.json) {
        add_json(run, cells);
        return MR_OK;
    }
    return mr_row_writer_add(&run->rows, cells, err);
}

/* A share without a name of its own, if it has pages. */
static enum mr_status print_other(struct why_run *run, const char *from,
                                  const struct mr_why_share *share, struct mr_error *err)
{
    return share->n_vertices > 0 ? print_share(run, from, "-", 1, share, err) : MR_OK;
}

static enum mr_status print_page(struct why_run *run, const char *from, uint32_t vertex,
                                 const struct mr_why_share *share, struct mr_error *err)
{
    const char *name = NULL;
    size_t bytes = 0;
    const enum mr_status status = mr_names_get(run->graph.names, vertex, &name, &bytes, err);

    return status == MR_OK ? print_share(run, from, name, bytes, share, err) : status;
}

static enum mr_status print_shares(struct why_run *run, uint32_t vertex, struct mr_error *err)
{
    const struct mr_why *why = &run->why;
    const struct mr_why_share all = {
        .share = why->score, .bound = run->options.error_bound, .score = why->score};

    enum mr_status status = print_page(run, "score", vertex, &all, err);
    if (status == MR_OK) {
        status = print_other(run, "teleport", &why->teleport, err);
    }
    if (status == MR_OK) {
        status = print_other(run, "dangling", &why->dangling, err);
    }
    for (uint64_t i = 0; i < why->n_listed && status == MR_OK; i++) {
        status = print_page(run, "page", why->vertices[i].vertex, &why->vertices[i], err);
    }
    if (status == MR_OK) {
        status = print_other(run, "pages", &why->others, err);
    }
    for (uint64_t i = 0; i < why->n_hosts && status == MR_OK; i++) {
        const char *host = *why->hosts[i].host != '\0' ? why->hosts[i].host : "-";
        status =
            print_share(run, i == 0 ? "own-host" : "host", host, strlen(host), &why->hosts[i], err);
    }
    return status == MR_OK ? print_other(run, "hosts", &why->other_hosts, err) : status;
}

/* ---- The run ---- */

static enum mr_status list_files(const void *data, const struct mr_parsed *parsed,
                                 struct mr_files *files, struct mr_error *err)
{
    (void)data;
    (void)err;
    mr_files_add(files, MR_FILE_READ, "SCORES", parsed->operands[1], NULL);
    return MR_OK;
}

static void say_summary(struct why_run *run)
{
    const struct mr_why *why = &run->why;
    const double percent = why->score > 0 ? 100 / why->score : 0;
    const char *const verb = why->links.n_vertices == 1 ? "links" : "link";
    char pages[64], bound[32];

    if (why->n_hosts == 0) {
        mr_session_say(run->session, "%s %s to it; each share is at most %s off",
                       mr_count_of_text(why->links.n_vertices, "page", pages), verb,
                       mr_bound_text(run->options.error_bound, bound));
        return;
    }
    mr_session_say(run->session,
                   "%s %s to it; %.1f%% of its score comes through its own host, %.1f%% "
                   "through the largest other one; each share is at most %s off",
                   mr_count_of_text(why->links.n_vertices, "page", pages), verb,
                   percent * why->hosts[0].share,
                   why->n_hosts > 1 ? percent * why->hosts[1].share : 0.0,
                   mr_bound_text(run->options.error_bound, bound));
}

static enum mr_status print_all(struct why_run *run, uint32_t vertex, struct mr_error *err)
{
    const struct why_flags *flags = run->flags;
    enum mr_status status = MR_OK;

    mr_session_leave_terminal(run->session, flags->rows.output);
    memcpy(run->columns, all_columns, sizeof all_columns);
    if (flags->common.json) {
        mr_json_real(&run->json, "damping", run->options.damping);
        mr_json_text(&run->json, "dangling", run->options.dangling);
        mr_json_real(&run->json, "error_bound", run->options.error_bound);
        mr_json_add(&run->json, "shares", json_array());
        status = print_shares(run, vertex, err);
        return status == MR_OK ? mr_json_print_and_destroy(&run->json, err) : status;
    }
    run->rows = (struct mr_row_writer){.columns = run->columns, .n_columns = N_COLUMNS};
    run->columns[PERCENT].absent = !mr_session_is_read(&flags->rows);
    run->columns[ALONE].absent = !run->columns[PERCENT].absent;
    status = mr_session_open_rows(run->session, &flags->rows, &run->rows, err);
    if (status == MR_OK) {
        status = print_shares(run, vertex, err);
    }
    status = mr_row_writer_end(&run->rows, status, err);
    if (status == MR_OK) {
        say_summary(run);
    }
    return status;
}

/* Opens the store with the links and weights that counted. */
static enum mr_status open_graph(struct why_run *run, const struct mr_parsed *parsed,
                                 const json_t *meta, struct mr_error *err)
{
    const char *links = json_string_value(json_object_get(meta, "links"));
    const struct mr_import_options import = {
        .weights =
            json_is_true(json_object_get(meta, "weights")) ? MR_WEIGHTS_MUST : MR_WEIGHTS_IF_GOOD};
    const struct mr_links_flags classes = {
        .links = links == NULL                    ? 0
                 : strcmp(links, "external") == 0 ? 1
                                                  : 2 * (*links == 'i'),
        .internal_weight = json_number_value(json_object_get(meta, "internal_weight")),
        .external_weight = json_number_value(json_object_get(meta, "external_weight"))};
    struct mr_parsed store = *parsed;

    store.n_operands = 1;
    return mr_graph_open(run->session, &import, &classes, &store, &run->graph, err);
}

static enum mr_status explain(struct why_run *run, const struct mr_parsed *parsed,
                              const json_t *meta, struct mr_error *err)
{
    const struct mr_context *context = &run->session->context;
    const char *path = parsed->operands[1];
    const char *column = run->flags->column;
    struct mr_vertex_weights teleport = {0};
    double *scores = NULL;
    uint32_t vertex = 0;

    enum mr_status status = mr_store_require(parsed->operands[0], err);
    if (status == MR_OK) {
        status = open_graph(run, parsed, meta, err);
    }
    if (status == MR_OK && run->flags->common.estimate) {
        const uint64_t n = mr_store_get_info(run->graph.store)->n_vertices;
        const struct mr_rank_costs estimate = {.memory_bytes =
                                                   MR_MEMORY_FLOOR_BYTES + n * sizeof *scores};
        status = mr_session_estimate(run->session, &estimate, err);
        goto out;
    }
    if (status == MR_OK) {
        status = mr_query_vertex(&run->graph, parsed->operands[2], &vertex, err);
    }
    if (status == MR_OK) {
        status = mr_explain_file(context, path, column, meta, mr_store_get_info(run->graph.store),
                                 run->graph.names, &run->options, &teleport, err);
    }
    if (status == MR_OK) {
        status = mr_query_scores(run->session, &run->graph, path, column, &scores, err);
    }
    if (status == MR_OK) {
        status = mr_scores_explain(context, mr_graph_links(&run->graph), run->graph.names, scores,
                                   &run->options, &vertex, 1, &run->why, err);
    }
    if (status == MR_OK) {
        status = print_all(run, vertex, err);
    }
out:
    mr_why_free(&run->why);
    mr_vertex_weights_free(&teleport);
    mr_memory_free(context->memory, scores);
    mr_graph_close(run->session, &run->graph);
    return status;
}

static enum mr_status run_why(struct mr_session *session, const void *data,
                              const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct why_flags *flags = data;
    struct why_run run = {.session = session, .flags = flags, .options = MR_WHY_OPTIONS_INIT};
    json_t *meta = NULL;

    run.options.by = (enum mr_fold_by)flags->by;
    run.options.top = flags->top;
    enum mr_status status = mr_session_check_rows(&flags->rows, err);
    if (status == MR_OK) {
        status = mr_meta_read(&session->context, parsed->operands[1], &meta, err);
    }
    if (status == MR_OK) {
        run.json = mr_json_create();
        status = explain(&run, parsed, meta, err);
        mr_json_destroy(&run.json);
    }
    json_decref(meta);
    return status;
}

const struct mr_command mr_command_why = {
    .name = "why",
    .summary = "explain where the score of a page comes from",
    .usage = "why STORE SCORES PAGE [OPTIONS]",
    .text = "Prints the shares that a score of pagerank, ppr or trustrank is the sum of: of the "
            "teleport, of pages without links (dangling), of each page that links to PAGE, the "
            "largest first, and those of pages summed up by host, that of PAGE first. A row has "
            "what it is, a name, the share, and how far it can be from the exact one at most; the "
            "score of the linking page, the number of links that it divides this among, what PAGE "
            "would have if that were its only link; and the number of pages. On a terminal shares "
            "have the digits that are proven. SCORES is a file of a ranking of STORE with its "
            ".meta.json; files of its teleport are read again.",
    .examples = "  millrace why web.mill ranks.tsv https://example.com/\n"
                "  millrace why web.mill ranks.tsv https://example.com/ --by domain -o why.csv\n",
    .groups = {{.title = "What to show", .options = why_options, .base = 0}, MR_COMMON_GROUP},
    .min_operands = 3,
    .max_operands = 3,
    .operand_files = MR_OPERANDS_FIRST,
    .store_first = true,
    .operands = "a store, a file of its scores and the name of a page",
    .list_files = list_files,
    MR_COMMAND_RUNS(defaults, run_why),
};
