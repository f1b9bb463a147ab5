/* SPDX-License-Identifier: Apache-2.0 */
/* millrace show: prints what a store says about one page. With a score file it also ranks the
 * page: it reads the score of the page, then walks all names and scores and counts the better
 * pages. So it needs no sorted copy of the scores. */
#include <string.h>

#include "cli/graph/query.h"
#include "cli/graph/score_rows.h"
#include "cli/program/command.h"
#include "cli/program/meta.h"
#include "cli/program/option_table.h"
#include "engine/base/memory.h"
#include "engine/scan/neighbours.h"
#include "formats/url/host.h"

struct show_flags {
    struct mr_common_flags common;
    const char *scores;
    const char *column;
    uint64_t levels;
};

static const struct show_flags defaults = {.common = MR_COMMON_DEFAULTS, .levels = 5};

#define FIELD(name) offsetof(struct show_flags, name)
static const struct mr_option show_options[] = {
    {"scores", 0, MR_OPTION_TEXT, FIELD(scores), "FILE", .file = MR_FILE_READ,
     .help = "Also print the score, the rank, the level and the rank in its host, by the scores in "
             "FILE. FILE must come from a ranking of this store."},
    MR_COLUMN_OPTION(FIELD(column)),
    {"levels", 0, MR_OPTION_COUNT, FIELD(levels), "N", .least = 1, .most = 126,
     .help =
         "Number of levels with equally many pages each, as in 'millrace precedence'. Default 5."},
    {0}};
#undef FIELD

enum { VERTICES_PER_POLL = 1 << 16 };

struct page {
    struct mr_session *session;
    const struct show_flags *flags;
    struct mr_graph graph;
    uint32_t vertex, position;
    char host[MR_HOST_MAX_BYTES];
    struct mr_degrees degrees;
    /* With scores only. Ranks count from 1. If scores are equal, the earlier name is better. */
    double score;
    uint64_t n_pages, rank, level, host_pages, host_rank;
};

/* ---- Rank ---- */

/* Counts of better and worse pages, among all pages and in the host of the page. */
struct tally {
    struct mr_score_rows rows;
    uint64_t better, worse, host_better, host_pages;
};

static enum mr_status read_own_score(struct page *page, struct mr_error *err)
{
    struct mr_score_rows rows = {0};
    struct mr_name_cursor *cursor = NULL;
    bool found = false;
    enum mr_status status =
        mr_score_rows_open(page->session, page->flags->scores, page->flags->column, &rows, err);

    if (status == MR_OK) {
        status = mr_name_cursor_open(page->graph.names, 0, &cursor, err);
    }
    for (uint64_t position = 0; status == MR_OK && position <= page->position; position++) {
        const char *name = NULL;
        size_t name_bytes = 0;
        status = mr_name_cursor_next(cursor, &name, &name_bytes, err);
        if (status == MR_OK) {
            status = mr_score_rows_next(&rows, name, name_bytes, &page->score, &found, err);
        }
    }
    mr_name_cursor_close(cursor);
    mr_score_rows_close(&rows);
    if (status == MR_OK && !found) {
        status = mr_error_file(
            err, MR_ERROR_INPUT, page->flags->scores, 0,
            "has no score for this page; use scores from a ranking of this store, without --top");
    }
    return status;
}

static void compare(const struct page *page, struct tally *tally, uint64_t at, double score,
                    const char *name, size_t name_bytes)
{
    char host[MR_HOST_MAX_BYTES];
    const size_t bytes =
        mr_host_of_name(&page->graph.canonical, name, name_bytes, host, sizeof host);
    const bool same_host = strlen(page->host) == bytes && memcmp(host, page->host, bytes) == 0;
    const bool better = score > page->score || (score == page->score && at < page->position);

    tally->better += better;
    tally->worse += !better;
    tally->host_pages += same_host;
    tally->host_better += same_host && better;
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

static enum mr_status find_rank(struct page *page, struct mr_error *err)
{
    const uint64_t n_vertices = mr_store_get_info(page->graph.store)->n_vertices;
    struct mr_name_cursor *cursor = NULL;
    struct tally tally = {.better = 0};
    enum mr_status status = mr_score_rows_open(page->session, page->flags->scores,
                                               page->flags->column, &tally.rows, err);

    if (status == MR_OK) {
        status = mr_name_cursor_open(page->graph.names, 0, &cursor, err);
    }
    for (uint64_t vertex = 0; status == MR_OK && vertex < n_vertices; vertex++) {
        const char *name = NULL;
        size_t name_bytes = 0;
        double score = 0.0;
        bool found = false;

        status =
            vertex % VERTICES_PER_POLL == 0 ? mr_context_poll(&page->session->context, err) : MR_OK;
        if (status == MR_OK) {
            status = mr_name_cursor_next(cursor, &name, &name_bytes, err);
        }
        if (status == MR_OK) {
            status = mr_score_rows_next(&tally.rows, name, name_bytes, &score, &found, err);
        }
        if (status == MR_OK && found) {
            compare(page, &tally, vertex, score, name, name_bytes);
        }
    }
    if (status == MR_OK) {
        status = mr_score_rows_end(&tally.rows, n_vertices, err);
    }
    mr_name_cursor_close(cursor);
    mr_score_rows_close(&tally.rows);
    page->n_pages = tally.better + tally.worse;
    page->rank = tally.better + 1;
    page->level = level_of(page->rank, page->n_pages, page->flags->levels);
    page->host_pages = tally.host_pages;
    page->host_rank = tally.host_better + 1;
    return status;
}

/* ---- Output ---- */

static void print_text(const char *label, const char *text, size_t bytes)
{
    printf("%-12s", label);
    mr_print_name(stdout, text, bytes);
    (void)putchar('\n');
}

static void print_lines(const struct page *page, const char *name, size_t name_bytes,
                        const char *spellings, size_t spellings_bytes)
{
    const char *spelling;
    size_t bytes;
    char of[32], rank[32];

    print_text("name", name, name_bytes);
    while ((spelling = mr_name_next_spelling(&spellings, &spellings_bytes, &bytes)) != NULL) {
        print_text("spelling", spelling, bytes);
    }
    printf("%-12s%u\n", "vertex", page->position);
    print_text("host", page->host, strlen(page->host));
    printf("%-12s%u\n%-12s%u\n", "links out", page->degrees.out, "links in", page->degrees.in);
    if (page->flags->scores != NULL) {
        printf("%-12s%.17g\n", "score", page->score);
        printf("%-12s%s of %s\n", "rank", mr_count_text(page->rank, rank),
               mr_count_text(page->n_pages, of));
        printf("%-12s%llu of %llu\n", "level", (unsigned long long)page->level,
               (unsigned long long)page->flags->levels);
        printf("%-12s%s of %s\n", "in its host", mr_count_text(page->host_rank, rank),
               mr_count_text(page->host_pages, of));
    }
}

static enum mr_status print_json(const struct page *page, const char *name, size_t name_bytes,
                                 const char *spellings, size_t spellings_bytes,
                                 struct mr_error *err)
{
    struct mr_json json = mr_json_create();
    json_t *list = json_array();
    const char *spelling;
    size_t bytes;

    mr_json_add(&json, "name", mr_json_string(name, name_bytes));
    while ((spelling = mr_name_next_spelling(&spellings, &spellings_bytes, &bytes)) != NULL) {
        json.failed |= json_array_append_new(list, mr_json_string(spelling, bytes)) != 0;
    }
    mr_json_add(&json, "spellings", list);
    mr_json_count(&json, "vertex", page->position);
    mr_json_text(&json, "host", page->host);
    mr_json_count(&json, "links_out", page->degrees.out);
    mr_json_count(&json, "links_in", page->degrees.in);
    if (page->flags->scores != NULL) {
        mr_json_real(&json, "score", page->score);
        mr_json_count(&json, "rank", page->rank);
        mr_json_count(&json, "pages", page->n_pages);
        mr_json_count(&json, "level", page->level);
        mr_json_count(&json, "rank_in_host", page->host_rank);
        mr_json_count(&json, "pages_in_host", page->host_pages);
    }
    const enum mr_status status = mr_json_print(&json, stdout, err);
    mr_json_destroy(&json);
    return status;
}

static enum mr_status show(struct page *page, const char *wanted, struct mr_error *err)
{
    const char *name = NULL, *spellings;
    size_t name_bytes = 0, spellings_bytes;
    enum mr_status status = mr_query_vertex(&page->graph, wanted, &page->vertex, err);

    if (status == MR_OK) {
        status = mr_names_position(page->graph.names, page->vertex, &page->position, err);
    }
    if (status == MR_OK) {
        status = mr_vertex_degrees(&page->session->context, page->graph.store, page->vertex,
                                   &page->degrees, err);
    }
    if (status == MR_OK) {
        status = mr_names_get(page->graph.names, page->vertex, &name, &name_bytes, err);
    }
    if (status != MR_OK) {
        return status;
    }
    const size_t host_bytes =
        mr_host_of_name(&page->graph.canonical, name, name_bytes, page->host, sizeof page->host);
    page->host[host_bytes] = '\0';
    if (page->flags->scores != NULL) {
        status = read_own_score(page, err);
        status = status == MR_OK ? find_rank(page, err) : status;
        if (status == MR_OK) {
            status = mr_meta_check_store(page->session, page->flags->scores,
                                         mr_store_get_info(page->graph.store),
                                         mr_store_path(page->graph.store), err);
        }
    }
    if (status != MR_OK) {
        return status;
    }
    spellings = mr_names_spellings(page->graph.names, &spellings_bytes);
    if (page->flags->common.json) {
        return print_json(page, name, name_bytes, spellings, spellings_bytes, err);
    }
    print_lines(page, name, name_bytes, spellings, spellings_bytes);
    return MR_OK;
}

static enum mr_status run(struct mr_session *session, const void *data,
                          const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct show_flags *flags = data;
    struct page page = {.session = session, .flags = flags};

    if (flags->common.estimate) {
        const struct mr_estimate estimate = {.memory_bytes = MR_MEMORY_FLOOR_BYTES};
        return mr_session_estimate(session, &estimate, err);
    }
    enum mr_status status = mr_query_open(session, parsed->operands[0], &page.graph, err);
    if (status == MR_OK) {
        status = show(&page, parsed->operands[1], err);
    }
    mr_graph_close(session, &page.graph);
    return status;
}

const struct mr_command mr_command_show = {
    .name = "show",
    .summary = "print what a store says about one page",
    .usage = "show STORE NAME [OPTIONS]",
    .text = "Prints the name of a page, its spellings, number, host and numbers of links. With "
            "scores it also prints the rank among all pages and among the pages of its host.",
    .examples = "  millrace show web.mill https://example.com/ --scores ranks.tsv\n",
    .groups = {{.title = "What to show", .options = show_options, .base = 0},
               MR_COMMON_GROUP_WITHOUT("force")},
    .defaults = &defaults,
    .flags_bytes = sizeof defaults,
    .min_operands = 2,
    .max_operands = 2,
    .operand_files = MR_OPERANDS_FIRST,
    .operands = "a store and the name of a page",
    .run = run,
};
