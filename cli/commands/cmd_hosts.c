/* SPDX-License-Identifier: Apache-2.0 */
/* millrace hosts: prints the sums of mr_store_sum_hosts, the best first from memory, or host by
 * host as they come. */
#include <stdlib.h>
#include <string.h>

#include "cli/graph/best_pages.h"
#include "cli/graph/graph.h"
#include "cli/program/command.h"
#include "cli/program/meta.h"
#include "cli/program/option_table.h"
#include "engine/base/memory.h"
#include "millrace/query.h"

struct hosts_flags {
    struct mr_common_flags common;
    struct mr_rows_flags rows;
    const char *scores;
    const char *column;
    int by; /* index into "host|domain" */
    int sort; /* enum sort_key */
    uint64_t top; /* 0: all */
    bool internal;
};

enum { DECIMALS = 9 }; /* of scores on a terminal where nothing is proven */

enum sort_key { BY_NAME, BY_PAGES, BY_OUT, BY_IN, BY_INTERNAL, BY_SCORE, NOT_SAID };
enum { BEST_HOSTS = 20 }; /* how many a terminal shows */

static const struct hosts_flags defaults = {.common = MR_COMMON_DEFAULTS, .sort = NOT_SAID};

#define FIELD(name) offsetof(struct hosts_flags, name)
static const struct mr_option hosts_options[] = {
    {"by", 0, MR_OPTION_CHOICE, FIELD(by), .choices = "host|domain",
     .help = "Sum up by host or registered domain; domains are those of the public suffix list. "
             "Default host.",
     .often = true},
    {"internal", 0, MR_OPTION_FLAG, FIELD(internal),
     .help = "Also count the links that stay inside. Needs a pass over the links.", .often = true},
    {"scores", 0, MR_OPTION_TEXT, FIELD(scores), "FILE", .file = MR_FILE_READ,
     .help =
         "Also print the sum of the scores in FILE. FILE must come from a ranking of this store.",
     .often = true},
    MR_COLUMN_OPTION(FIELD(column)),
    {"sort", 0, MR_OPTION_CHOICE, FIELD(sort), .choices = "name|pages|out|in|internal|score",
     .help =
         "Order of the lines, the largest first: by pages, links out, links in, links inside or "
         "score; equal ones by name. name needs no memory. Default: score, or pages without "
         "--scores.",
     .needs = {{.names = "scores", .value = "score"}, {.names = "internal", .value = "internal"}},
     .often = true},
    {"top", 'n', MR_OPTION_COUNT, FIELD(top), "K", .alias = "limit", .least = 1, .most = UINT32_MAX,
     .help = "Print the first K lines of this order only. Default: all; on a terminal 20, unless "
             "--sort is given.",
     .often = true},
    MR_ROWS_OPTIONS(FIELD(rows)),
    {0}};
#undef FIELD

struct host_row {
    struct mr_host_sums sums;
    char *host; /* of the sums, owned by struct hosts_table */
    uint64_t number; /* of the host in the order of the names */
    double key; /* what is sorted by, the largest first; equal ones by number */
};

enum { HOST, PAGES, LINKS_OUT, LINKS_IN, INTERNAL, SCORE, N_COLUMNS };
static const struct mr_row_column all_columns[N_COLUMNS] = {
    [HOST] = {"host", MR_CELL_NAME, false},
    [PAGES] = {"pages", MR_CELL_COUNT, false},
    [LINKS_OUT] = {"links_out", MR_CELL_COUNT, false},
    [LINKS_IN] = {"links_in", MR_CELL_COUNT, false},
    [INTERNAL] = {"internal", MR_CELL_COUNT, false},
    [SCORE] = {"score", MR_CELL_REAL, false}};

struct hosts_table {
    struct mr_session *session;
    const struct hosts_flags *flags;
    struct mr_graph graph;
    double *scores; /* [n_vertices], with --scores only */
    struct mr_row_column columns[N_COLUMNS];
    struct mr_row_writer rows;
    uint64_t n_hosts;
    enum sort_key sort;
    /* Rows that are kept for sorting, unless sorted by name */
    struct host_row *kept; /* [n_kept] */
    uint64_t n_kept, room;
    uint64_t n_sorted; /* the first ones, which are in order */
    uint64_t most; /* how many to keep; memory may hold twice as many */
    int decimals; /* of scores on a terminal: those that are proven */
};

/* ---- Rows for sorting ----
 *
 * With --top K they are sorted and cut to K whenever there are 2 K, and rows behind these K are
 * left out from then on. */

/* Does `a` come after `b`? */
static bool comes_after(const struct host_row *a, const struct host_row *b)
{
    return a->key < b->key || (!(a->key > b->key) && a->number > b->number);
}

static int compare_rows(const void *left, const void *right)
{
    return (int)comes_after(left, right) - (int)comes_after(right, left);
}

enum { ALLOCATED = 24 }; /* bytes beside those of a name that the allocator takes, about */

static void free_host(struct hosts_table *table, struct host_row *row)
{
    mr_memory_discharge(table->session->context.memory, "names of hosts",
                        strlen(row->host) + ALLOCATED);
    free(row->host);
}

/* Puts the rows in order, and drops those behind the first `most`. */
static void sort_rows(struct hosts_table *table)
{
    if (table->n_kept > 0) {
        qsort(table->kept, table->n_kept, sizeof *table->kept, compare_rows);
    }
    while (table->n_kept > table->most) {
        free_host(table, &table->kept[--table->n_kept]);
    }
    table->n_sorted = table->n_kept;
}

/* Keeps a copy of the row if it is among the first `most` so far. Error: BUDGET. */
static enum mr_status keep_rows(struct hosts_table *table, const struct host_row *row,
                                struct mr_error *err)
{
    if (table->n_kept / 2 >= table->most) {
        sort_rows(table);
    }
    if (table->n_sorted > 0 && comes_after(row, &table->kept[table->n_sorted - 1])) {
        return MR_OK;
    }
    enum mr_status status = mr_memory_grow(table->session->context.memory, "hosts to sort",
                                           table->n_kept + 1, &table->kept, &table->room, err);
    if (status == MR_OK) {
        status = mr_memory_charge(table->session->context.memory, "names of hosts",
                                  strlen(row->sums.host) + ALLOCATED, err);
    }
    if (status != MR_OK) {
        return status;
    }
    struct host_row copy = *row;
    copy.sums.host = copy.host = strdup(row->sums.host);
    if (copy.host == NULL) {
        mr_memory_discharge(table->session->context.memory, "names of hosts",
                            strlen(row->sums.host) + ALLOCATED);
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for hosts");
    }
    table->kept[table->n_kept++] = copy;
    return MR_OK;
}

static void free_rows(struct hosts_table *table)
{
    for (uint64_t i = 0; i < table->n_kept; i++) {
        free_host(table, &table->kept[i]);
    }
    mr_memory_free(table->session->context.memory, table->kept);
}

/* ---- Printing ---- */

static enum mr_status print_row(struct hosts_table *table, const struct mr_host_sums *row,
                                struct mr_error *err)
{
    char score[400];
    const char *host = row->host[0] != '\0' ? row->host : "-";
    const struct mr_cell cells[N_COLUMNS] = {[HOST] = {.text = host, .bytes = strlen(host)},
                                             [PAGES] = {.count = row->n_vertices},
                                             [LINKS_OUT] = {.count = row->out_degree},
                                             [LINKS_IN] = {.count = row->in_degree},
                                             [INTERNAL] = {.count = row->n_internal},
                                             [SCORE] = {.text = score, .real = row->score}};
    (void)snprintf(score, sizeof score, "%.*f", table->decimals, row->score);
    return mr_row_writer_add(&table->rows, cells, err);
}

static enum mr_status print_kept(struct hosts_table *table, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    sort_rows(table);
    for (uint64_t i = 0; i < table->n_kept && status == MR_OK; i++) {
        status = print_row(table, &table->kept[i].sums, err);
    }
    return status;
}

/* A mr_host_callback. */
static enum mr_status take_host(void *data, const struct mr_host_sums *sums, struct mr_error *err)
{
    struct hosts_table *table = data;
    const double keys[] = {0,
                           (double)sums->n_vertices,
                           (double)sums->out_degree,
                           (double)sums->in_degree,
                           (double)sums->n_internal,
                           sums->score};
    const struct host_row row = {
        .sums = *sums, .number = table->n_hosts++, .key = keys[table->sort]};

    return table->sort == BY_NAME ? print_row(table, sums, err) : keep_rows(table, &row, err);
}

static enum mr_status print_all(struct hosts_table *table, struct mr_error *err)
{
    const struct hosts_flags *flags = table->flags;
    char hosts[64];
    enum mr_status status = mr_store_sum_hosts(
        &table->session->context, table->graph.store, table->graph.names,
        (enum mr_fold_by)flags->by, flags->internal, table->scores, take_host, table, err);

    if (status == MR_OK) {
        status = print_kept(table, err);
    }
    if (status == MR_OK) {
        const bool is_cut =
            table->most == BEST_HOSTS && table->n_hosts > BEST_HOSTS && flags->top == 0;
        mr_session_say(table->session, "%s%s",
                       mr_count_of_text(table->n_hosts, flags->by == 0 ? "host" : "domain", hosts),
                       is_cut ? ", of which these are the first; --sort, -o FILE and a pipe get all"
                              : "");
    }
    return status;
}

static enum mr_status prepare(struct hosts_table *table, const char *path, struct mr_error *err)
{
    struct mr_session *session = table->session;
    const struct hosts_flags *flags = table->flags;
    enum mr_status status = mr_graph_open_at(session, path, &table->graph, err);

    if (status == MR_OK && flags->scores != NULL) {
        status = mr_query_scores(session, &table->graph, flags->scores, flags->column,
                                 &table->scores, err);
    }
    memcpy(table->columns, all_columns, sizeof all_columns);
    table->columns[HOST].name = flags->by == 0 ? "host" : "domain";
    table->columns[INTERNAL].absent = !flags->internal;
    table->columns[SCORE].absent = flags->scores == NULL;
    table->rows = (struct mr_row_writer){.columns = table->columns, .n_columns = N_COLUMNS};
    return status == MR_OK ? mr_session_open_rows(session, &flags->rows, &table->rows, err)
                           : status;
}

static enum mr_status run_hosts(struct mr_session *session, const void *data,
                                const struct mr_parsed *parsed, struct mr_error *err)
{
    const struct hosts_flags *flags = data;
    struct hosts_table table = {.session = session, .flags = flags};

    if (flags->common.json) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "hosts has no --json, because it prints lines; say -o FILE.jsonl");
    }
    if (flags->common.estimate) {
        /* without the hosts whose pages do not follow each other: their number is not known */
        return mr_graph_estimate(session, parsed->operands[0], flags->internal ? 22 : 10,
                                 flags->internal, err);
    }
    const bool is_read = mr_session_is_read(&flags->rows);
    const bool best = is_read && flags->sort == NOT_SAID && flags->top == 0;
    table.most = best ? BEST_HOSTS : flags->top > 0 ? flags->top : UINT64_MAX;
    table.sort = flags->sort != NOT_SAID ? (enum sort_key)flags->sort
                 : flags->scores != NULL ? BY_SCORE
                                         : BY_PAGES;
    if (is_read && flags->scores != NULL) {
        const double bound = mr_bound_beside(&session->context, flags->scores);
        table.decimals = bound > 0.0 ? mr_proven_decimals(bound) : DECIMALS;
    }
    enum mr_status status = mr_session_check_rows(&flags->rows, err);
    if (status == MR_OK) {
        status = prepare(&table, parsed->operands[0], err);
    }
    if (status == MR_OK) {
        status = print_all(&table, err);
    }
    if (status == MR_OK && flags->scores != NULL) {
        status =
            mr_meta_check_store(&session->context, flags->scores,
                                mr_store_get_info(table.graph.store), parsed->operands[0], err);
    }
    status = mr_row_writer_end(&table.rows, status, err);
    free_rows(&table);
    mr_memory_free(session->context.memory, table.scores);
    mr_graph_close(session, &table.graph);
    return status;
}

const struct mr_command mr_command_hosts = {
    .name = "hosts",
    .summary = "sum up pages, links and scores by host",
    .usage = "hosts STORE [OPTIONS]",
    .text =
        "Prints a line for each host of a store, the best first: host, pages, links from its "
        "pages, "
        "links to its pages, links inside, sum of scores, with tabs between. Pages whose names "
        "have "
        "no host are summed up as \"-\". Takes 10 bytes of memory for each page, up to 22 with "
        "--internal, and some 100 for each host, but with --sort name. A host whose pages do not "
        "follow each other, such as a host with several ports, takes up to 200 bytes more; "
        "--estimate does not count those of hosts.",
    .examples = "  millrace hosts web.mill --by domain --internal --header\n"
                "  millrace hosts web.mill --scores ranks.tsv --top 20\n",
    .groups = {{.title = "What to show", .options = hosts_options, .base = 0},
               MR_COMMON_GROUP_WITHOUT("json")},
    .min_operands = 1,
    .max_operands = 1,
    .operands = "a store",
    MR_COMMAND_RUNS(defaults, run_hosts),
};
