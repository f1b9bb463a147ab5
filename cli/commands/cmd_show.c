/* SPDX-License-Identifier: Apache-2.0 */
/* millrace show: prints what a store says about one page, or its links. With a score file it also
 * ranks the page: it walks all names and counts the better pages. */
#include <string.h>

#include "cli/graph/graph.h"
#include "cli/program/command.h"
#include "cli/program/meta.h"
#include "cli/program/option_table.h"
#include "engine/base/memory.h"
#include "formats/stream/double_text.h"
#include "formats/url/host.h"
#include "millrace/query.h"

struct show_flags {
    struct mr_common_flags common;
    const char *scores;
    const char *column;
    uint64_t levels;
    bool links_in, links_out;
    struct mr_rows_flags rows;
    bool weights;
    uint64_t top, offset;
};

static const struct show_flags defaults = {.common = MR_COMMON_DEFAULTS, .levels = 5, .top = 100};

#define FIELD(name) offsetof(struct show_flags, name)
static const struct mr_option show_options[] = {
    {"scores", 0, MR_OPTION_TEXT, FIELD(scores), "FILE", .file = MR_FILE_READ,
     .help = "Also print score, rank, level and rank in the host, by the scores in FILE; of links "
             "the score of each page, best first. FILE must come from a ranking of "
             "this store.",
     .often = true},
    MR_COLUMN_OPTION(FIELD(column)),
    {"levels", 0, MR_OPTION_COUNT, FIELD(levels), "N", .least = 1, .most = 126,
     .help =
         "Number of levels with equally many pages each, as in 'millrace precedence'. Default 5.",
     .often = true},
    {0}};

static const struct mr_option links_options[] = {
    {"links-in", 0, MR_OPTION_FLAG, FIELD(links_in),
     .also = "inlinks in-links backlinks incoming in",
     .help = "Print the pages that link to the page, one on each line, and nothing else. With "
             "--links-out both directions, with \"out\" or \"in\" before each name.",
     .often = true},
    {"links-out", 0, MR_OPTION_FLAG, FIELD(links_out), .also = "outlinks out-links outgoing out",
     .help = "Print the pages that the page links to.", .often = true},
    {"weights", 0, MR_OPTION_FLAG, FIELD(weights),
     .help = "Print a tab and the weight of the link after each name.",
     .needs = {{.names = "links-in|links-out"}}},
    {"top", 'n', MR_OPTION_COUNT, FIELD(top), "K", .alias = "limit", .least = 0, .most = UINT64_MAX,
     .help = "Print at most K names for each direction; with 0 only the counts. Default 100.",
     .often = true},
    MR_ROWS_OPTIONS(FIELD(rows), .needs = {{.names = "links-in|links-out"}},
                    .excludes = {{.names = "json"}}),
    {"offset", 0, MR_OPTION_COUNT, FIELD(offset), "N", .least = 0, .most = UINT64_MAX,
     .help = "Skip the first N names."},
    {0}};
#undef FIELD

enum { DIRECTION, NAME, WEIGHT, SCORE, N_COLUMNS };

struct shown_page {
    struct mr_session *session;
    const struct show_flags *flags;
    struct mr_graph graph;
    uint32_t vertex;
    char host[MR_HOST_MAX_BYTES];
    struct mr_vertex_facts facts;
    /* With scores only. Ranks count from 1. If scores are equal, the earlier name is better. */
    double *scores; /* [n_vertices] */
    double score;
    uint64_t n_pages, rank, level, host_pages, host_rank;
    struct mr_json json; /* with --json */
    struct mr_row_column columns[N_COLUMNS]; /* of links; not with --json */
    struct mr_row_writer rows;
};

/* ---- Rank ---- */

/* A mr_name_take: counts better pages, among all pages and in the host of the page. */
static enum mr_status compare(void *data, const struct mr_name_cursor *cursor, uint64_t at,
                              const char *name, size_t name_bytes, struct mr_error *err)
{
    struct shown_page *page = data;
    char host[MR_HOST_MAX_BYTES];
    const double score = page->scores[mr_name_cursor_vertex(cursor)];
    const size_t bytes =
        mr_host_of_name(&page->graph.canonical, name, name_bytes, host, sizeof host);
    const bool same_host = strlen(page->host) == bytes && memcmp(host, page->host, bytes) == 0;
    const bool better = score > page->score || (score == page->score && at < page->facts.position);

    (void)err;
    page->rank += better;
    page->host_pages += same_host;
    page->host_rank += same_host && better;
    return MR_OK;
}

/* Returns the level of the page with this rank, by the same quantiles as mr_precedence_levels. */
static uint64_t level_of(uint64_t rank, uint64_t n, uint64_t n_levels)
{
    uint64_t level = 1;
    while (level < n_levels) {
        const uint64_t rest = n % n_levels * level;
        const uint64_t end = n / n_levels * level + (2 * rest + n_levels) / (2 * n_levels);
        if (rank <= end) {
            break;
        }
        level++;
    }
    return level;
}

static enum mr_status find_rank(struct shown_page *page, struct mr_error *err)
{
    const uint64_t n = mr_store_get_info(page->graph.store)->n_vertices;

    page->score = page->scores[page->vertex];
    page->rank = page->host_rank = 1;
    page->n_pages = n;
    const enum mr_status status =
        mr_names_walk(&page->session->context, page->graph.names, n, NULL, compare, page, err);
    page->level = level_of(page->rank, page->n_pages, page->flags->levels);
    return status;
}

static enum mr_status read_scores(struct shown_page *page, struct mr_error *err)
{
    const char *path = page->flags->scores;
    const enum mr_status status =
        mr_query_scores(page->session, &page->graph, path, page->flags->column, &page->scores, err);

    return status == MR_OK ? mr_meta_check_store(&page->session->context, path,
                                                 mr_store_get_info(page->graph.store),
                                                 mr_store_path(page->graph.store), err)
                           : status;
}

/* ---- Links ---- */

/* The order of links by the score of the other page, best first, equal ones by name. */
static int compare_links(const void *left, const void *right, void *data)
{
    const struct mr_vertex_edge *a = left, *b = right;
    const double *scores = data;

    return scores[a->vertex] != scores[b->vertex]
               ? (scores[a->vertex] < scores[b->vertex]) * 2 - 1
               : (a->position > b->position) - (a->position < b->position);
}

static double score_of(const struct shown_page *page, const struct mr_vertex_edge *link)
{
    return page->scores != NULL ? page->scores[link->vertex] : 0;
}

static enum mr_status print_link(struct shown_page *page, const struct mr_vertex_edge *link,
                                 bool is_in, struct mr_error *err)
{
    struct mr_cell cells[N_COLUMNS] = {
        [DIRECTION] = {.text = is_in ? "in" : "out", .bytes = is_in ? 2 : 3},
        [WEIGHT] = {.real = (double)link->weight},
        [SCORE] = {.real = score_of(page, link)}};
    const enum mr_status status =
        mr_names_get(page->graph.names, link->vertex, &cells[NAME].text, &cells[NAME].bytes, err);

    return status == MR_OK ? mr_row_writer_add(&page->rows, cells, err) : status;
}

static enum mr_status open_rows(struct shown_page *page, struct mr_error *err)
{
    const struct show_flags *flags = page->flags;
    const struct mr_row_column columns[N_COLUMNS] = {
        [DIRECTION] = {"direction", MR_CELL_LABEL, flags->links_in != flags->links_out},
        [NAME] = {"name", MR_CELL_NAME, false},
        [WEIGHT] = {"weight", MR_CELL_SINGLE, !flags->weights},
        [SCORE] = {"score", MR_CELL_REAL, flags->scores == NULL}};

    memcpy(page->columns, columns, sizeof columns);
    page->rows = (struct mr_row_writer){.columns = page->columns, .n_columns = N_COLUMNS};
    return mr_session_open_rows(page->session, &flags->rows, &page->rows, err);
}

/* Adds `links` [n] to the JSON. */
static enum mr_status list_links(struct shown_page *page, const struct mr_vertex_edge *links,
                                 uint64_t n, bool is_in, struct mr_error *err)
{
    const bool has_weights = page->flags->weights, has_scores = page->scores != NULL;
    json_t *names = json_array(), *weights = json_array(), *scores = json_array();
    enum mr_status status = MR_OK;

    for (uint64_t i = 0; i < n && status == MR_OK; i++) {
        const char *name = NULL;
        size_t bytes = 0;
        status = mr_names_get(page->graph.names, links[i].vertex, &name, &bytes, err);
        page->json.failed |=
            (status == MR_OK && json_array_append_new(names, mr_json_string(name, bytes)) != 0) |
            (json_array_append_new(weights, json_real((double)links[i].weight)) != 0) |
            (json_array_append_new(scores, json_real(score_of(page, &links[i]))) != 0);
    }
    mr_json_add(&page->json, is_in ? "in" : "out", names);
    if (has_weights) {
        mr_json_add(&page->json, is_in ? "in_weights" : "out_weights", json_incref(weights));
    }
    if (has_scores) {
        mr_json_add(&page->json, is_in ? "in_scores" : "out_scores", json_incref(scores));
    }
    json_decref(weights);
    json_decref(scores);
    return status;
}

static enum mr_status show_links(struct shown_page *page, bool is_in, struct mr_error *err)
{
    const struct show_flags *flags = page->flags;
    const struct mr_graph *graph = &page->graph;
    struct mr_vertex_edges links;
    char total[64], from[32], to[32];

    enum mr_status status =
        mr_vertex_list_edges(&page->session->context, graph->store, graph->weighted, graph->names,
                             page->vertex, is_in, &links, err);
    const uint64_t n = links.n_items;
    if (n > 0 && page->scores != NULL) {
        qsort_r(links.items, n, sizeof *links.items, compare_links, page->scores);
    }
    const uint64_t first = flags->offset < n ? flags->offset : n;
    const uint64_t end = n - first < flags->top ? n : first + flags->top;
    if (status == MR_OK && flags->common.json) {
        status = list_links(page, links.items + first, end - first, is_in, err);
    }
    for (uint64_t i = first; i < end && status == MR_OK && !flags->common.json; i++) {
        status = print_link(page, &links.items[i], is_in, err);
    }
    mr_vertex_edges_free(&links);
    if (status == MR_OK && end > first) {
        mr_session_say(page->session, "%s %s; %s to %s shown%s", mr_count_of_text(n, "link", total),
                       is_in ? "in" : "out", mr_count_text(first + 1, from), mr_count_text(end, to),
                       end < n ? ", --offset for more" : "");
    } else if (status == MR_OK) {
        mr_session_say(page->session, "%s %s", mr_count_of_text(n, "link", total),
                       is_in ? "in" : "out");
    }
    return status;
}

/* ---- Output ---- */

static void print_text(const char *label, const char *text, size_t bytes)
{
    printf("%-12s", label);
    mr_print_name(stdout, text, bytes);
    (void)putchar('\n');
}

static void print_lines(const struct shown_page *page, const char *name, size_t name_bytes,
                        const char *spellings, size_t spellings_bytes)
{
    const char *spelling;
    size_t bytes;
    char of[32], rank[32];

    print_text("name", name, name_bytes);
    while ((spelling = mr_name_next_spelling(&spellings, &spellings_bytes, &bytes)) != NULL) {
        print_text("spelling", spelling, bytes);
    }
    printf("%-12s%u\n", "vertex", page->facts.position);
    print_text("host", page->host, strlen(page->host));
    printf("%-12s%u\n%-12s%u\n", "links out", page->facts.out_degree, "links in",
           page->facts.in_degree);
    if (page->facts.n_fetches > 0) {
        char first[32], last[32];
        printf("%-12s%u\n%-12s%s\n%-12s%s\n", "fetches", page->facts.n_fetches, "first fetch",
               mr_time_text(page->facts.first_fetch, first), "last fetch",
               mr_time_text(page->facts.last_fetch, last));
        if (page->facts.n_compared > 0) {
            printf("%-12s%u of %u compared fetches\n", "changes", page->facts.n_changes,
                   page->facts.n_compared);
        }
    }
    if (page->facts.is_gone) {
        printf("%-12syes\n", "gone");
    }
    if (page->flags->scores != NULL) {
        char score[MR_DOUBLE_TEXT_BYTES];
        printf("%-12s%.*s\n", "score", (int)mr_double_shortest(page->score, score), score);
        printf("%-12s%s of %s\n", "rank", mr_count_text(page->rank, rank),
               mr_count_text(page->n_pages, of));
        printf("%-12s%llu of %llu\n", "level", (unsigned long long)page->level,
               (unsigned long long)page->flags->levels);
        printf("%-12s%s of %s\n", "in its host", mr_count_text(page->host_rank, rank),
               mr_count_text(page->host_pages, of));
    }
}

static void add_facts(struct shown_page *page, const char *name, size_t name_bytes,
                      const char *spellings, size_t spellings_bytes)
{
    struct mr_json *json = &page->json;
    json_t *list = json_array();
    const char *spelling;
    size_t bytes;

    mr_json_add(json, "name", mr_json_string(name, name_bytes));
    while ((spelling = mr_name_next_spelling(&spellings, &spellings_bytes, &bytes)) != NULL) {
        json->failed |= json_array_append_new(list, mr_json_string(spelling, bytes)) != 0;
    }
    mr_json_add(json, "spellings", list);
    mr_json_count(json, "vertex", page->facts.position);
    mr_json_text(json, "host", page->host);
    mr_json_count(json, "links_out", page->facts.out_degree);
    mr_json_count(json, "links_in", page->facts.in_degree);
    if (page->facts.n_fetches > 0) {
        char first[32], last[32];
        mr_json_count(json, "fetches", page->facts.n_fetches);
        mr_json_text(json, "first_fetch", mr_time_text(page->facts.first_fetch, first));
        mr_json_text(json, "last_fetch", mr_time_text(page->facts.last_fetch, last));
        mr_json_count(json, "compared", page->facts.n_compared);
        mr_json_count(json, "changes", page->facts.n_changes);
    }
    if (page->facts.is_gone) {
        mr_json_flag(json, "gone", true);
    }
    if (page->flags->scores != NULL) {
        mr_json_real(json, "score", page->score);
        mr_json_count(json, "rank", page->rank);
        mr_json_count(json, "pages", page->n_pages);
        mr_json_count(json, "level", page->level);
        mr_json_count(json, "rank_in_host", page->host_rank);
        mr_json_count(json, "pages_in_host", page->host_pages);
    }
}

/* What the store says about the page, without its links. */
static enum mr_status show_facts(struct shown_page *page, struct mr_error *err)
{
    struct mr_names *names = page->graph.names;
    const char *name = NULL;
    size_t bytes = 0, spellings_bytes = 0;

    page->facts.struct_size = sizeof page->facts;
    enum mr_status status = mr_vertex_describe(&page->session->context, page->graph.store, names,
                                               page->vertex, &page->facts, err);
    if (status == MR_OK) {
        status = mr_names_get(names, page->vertex, &name, &bytes, err);
    }
    if (status == MR_OK) {
        bytes = mr_host_of_name(&page->graph.canonical, name, bytes, page->host, sizeof page->host);
        page->host[bytes] = '\0';
        status = page->flags->scores != NULL ? find_rank(page, err) : MR_OK;
    }
    if (status == MR_OK) {
        status = mr_names_get(names, page->vertex, &name, &bytes, err);
    }
    if (status != MR_OK) {
        return status;
    }
    const char *spellings = mr_names_spellings(names, &spellings_bytes);
    if (page->flags->common.json) {
        add_facts(page, name, bytes, spellings, spellings_bytes);
    } else {
        print_lines(page, name, bytes, spellings, spellings_bytes);
    }
    return MR_OK;
}

static enum mr_status show(struct shown_page *page, const char *wanted, struct mr_error *err)
{
    const struct show_flags *flags = page->flags;
    const bool has_links = flags->links_in || flags->links_out;

    enum mr_status status = mr_query_vertex(&page->graph, wanted, &page->vertex, err);
    if (status == MR_OK && flags->weights) {
        status = mr_graph_open_weights(page->session, &page->graph, err);
    }
    if (status == MR_OK && flags->scores != NULL) {
        status = read_scores(page, err);
    }
    if (status == MR_OK && (!has_links || flags->common.json)) {
        status = show_facts(page, err);
    }
    if (status == MR_OK && has_links && !flags->common.json) {
        status = open_rows(page, err);
    }
    if (status == MR_OK && flags->links_out) {
        status = show_links(page, false, err);
    }
    if (status == MR_OK && flags->links_in) {
        status = show_links(page, true, err);
    }
    if (status == MR_OK && flags->common.json) {
        status = mr_json_print_and_destroy(&page->json, err);
    }
    return mr_row_writer_end(&page->rows, status, err);
}

static enum mr_status run_show(struct mr_session *session, const void *data,
                               const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct show_flags *flags = data;
    struct shown_page page = {.session = session, .flags = flags};

    enum mr_status status = mr_session_check_rows(&flags->rows, err);
    if (status == MR_OK && flags->common.estimate) {
        return mr_graph_estimate(session, parsed->operands[0],
                                 flags->scores != NULL ? sizeof *page.scores : 0, 0, err);
    }
    if (status == MR_OK) {
        status = mr_graph_open_at(session, parsed->operands[0], &page.graph, err);
    }
    if (status == MR_OK) {
        page.json = mr_json_create();
        status = show(&page, parsed->operands[1], err);
        mr_json_destroy(&page.json);
    }
    mr_memory_free(session->context.memory, page.scores);
    mr_graph_close(session, &page.graph);
    return status;
}

const struct mr_command mr_command_show = {
    .name = "show",
    .summary = "print what a store says about one page, or its links",
    .usage = "show STORE NAME [OPTIONS]",
    .text = "Prints the name of a page, its spellings, number, host and numbers of links, and its "
            "first and last fetch, fetches and changes if the store knows them. With scores it "
            "also prints the rank among all pages and among the pages of its host. "
            "--links-in and --links-out print the names of the pages that link to it and that it "
            "links to, in the order of the names or of --scores, and how many there are. NAME may "
            "be any spelling of the page if the store was built with a profile.",
    .examples = "  millrace show web.mill https://example.com/ --scores ranks.tsv\n"
                "  millrace show web.mill https://example.com/ --links-in --scores "
                "ranks.tsv\n",
    .groups = {{.title = "What to show", .options = show_options, .base = 0},
               {.title = "Links", .options = links_options, .base = 0},
               MR_COMMON_GROUP},
    .store_first = true,
    .min_operands = 2,
    .max_operands = 2,
    .operand_files = MR_OPERANDS_FIRST,
    .operands = "a store and the name of a page",
    MR_COMMAND_RUNS(defaults, run_show),
};
