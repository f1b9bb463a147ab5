/* SPDX-License-Identifier: Apache-2.0 */
/* Reads edge lists of numbers and vertex lists of numbers or names into a builder. Lines come in
 * chunks of 256 KiB. quick_edges takes plain lines of two numbers, which are nearly all lines of a
 * real file; it does not look for line ends in advance. Every other line goes through the careful
 * functions, which also word the messages. formats/graph/edge_text_team.c runs these functions on
 * several threads. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/decimal.h"
#include "formats/graph/edge_text_internal.h"
#include "formats/graph/link_columns.h"
#include "formats/stream/name_text.h"
#include "formats/table/lines.h"
#include "formats/table/table.h"

enum { REASON_BYTES = 192, NOTED_BAD_LINES = 3 };

/* Handles one line, [line, end) without its end. */
typedef enum mr_status (*line_function)(struct mr_edge_text_reader *reader, const char *line,
                                        const char *end, struct mr_error *err);

/* ---- Bad lines ---- */

static enum mr_status bad_line(struct mr_edge_text_reader *reader, const char *line,
                               const char *end, const char *reason, struct mr_error *err)
{
    const struct mr_edge_text_options *options = reader->options;
    const char *file = mr_input_name(reader->input);
    char quote[MR_LINES_QUOTE_BYTES];

    if (!mr_edge_text_await_turn(reader)) {
        return MR_OK; /* an error at an earlier line ends the run */
    }
    (void)mr_lines_quote(line, (size_t)(end - line), quote);
    reader->summary->bad_lines++;
    if (options->bad_lines == MR_BAD_LINES_FAIL) {
        return mr_error_line(err, MR_ERROR_INPUT, file, reader->line, "%s: %s; %s", quote, reason,
                             reader->nothing_good ? MR_ADVICE_ALL_BAD : MR_ADVICE_SKIP);
    }
    if (options->max_bad > 0 && reader->summary->bad_lines > options->max_bad) {
        return mr_error_line(err, MR_ERROR_INPUT, file, reader->line,
                             "%s: %s, and so the input has more than %llu bad lines; raise "
                             "--max-bad or mend the input",
                             quote, reason, (unsigned long long)options->max_bad);
    }
    if (reader->summary->bad_lines <= NOTED_BAD_LINES) {
        mr_context_note(reader->context, "%s:%llu: %s: %s; skipped", file,
                        (unsigned long long)reader->line, quote, reason);
    }
    return MR_OK;
}

/* May `id` be used? If not, `reason` says why. */
static bool check_id(const struct mr_edge_text_reader *reader, uint64_t id,
                     char reason[REASON_BYTES])
{
    if (id >= reader->limit && reader->options->ids == MR_IDS_DENSE) {
        (void)snprintf(reason, REASON_BYTES, "vertex %llu is not below --vertices %llu",
                       (unsigned long long)id, (unsigned long long)reader->limit);
        return false;
    }
    if (reader->ask && !mr_build_knows(reader->build, id)) {
        (void)snprintf(reason, REASON_BYTES, "vertex %llu is not in the vertex list",
                       (unsigned long long)id);
        return false;
    }
    return true;
}

/* ---- Edges out ---- */

/* Passes the batch to the builder. */
static enum mr_status flush(struct mr_edge_text_reader *reader, struct mr_error *err)
{
    size_t n = reader->n_batch;
    reader->n_batch = 0;
    reader->summary->edges += n;
    reader->edges += n;
    enum mr_status status =
        n == 0 ? MR_OK
               : mr_build_edges(reader->build, reader->chunk->worker, reader->batch, NULL, n, err);
    if (status == MR_OK && reader->options->mirrors) {
        size_t n_reverse = 0;
        for (size_t i = 0; i < n; i++) {
            const struct mr_edge edge = reader->batch[i];
            reader->batch[n_reverse] = (struct mr_edge){edge.target, edge.source};
            n_reverse += edge.source != edge.target;
        }
        status = mr_build_edges(reader->build, reader->chunk->worker, reader->batch, NULL,
                                n_reverse, err);
    }
    return status;
}

static enum mr_status add_edge(struct mr_edge_text_reader *reader, uint64_t first, uint64_t second,
                               struct mr_error *err)
{
    enum mr_status status = MR_OK;
    if (reader->n_batch == MR_EDGE_TEXT_BATCH) {
        status = flush(reader, err);
    }
    reader->batch[reader->n_batch++] =
        reader->swap ? (struct mr_edge){second, first} : (struct mr_edge){first, second};
    return status;
}

/* ---- Lines of numbers ---- */

static const char *skip_blanks(const char *p, const char *end)
{
    while (p < end && (*p == ' ' || *p == '\t')) {
        p++;
    }
    return p;
}

static bool ends_row(const char *p, const char *end)
{
    return p == end || *p == '#' || *p == '%';
}

/* Blanks with at most one comma among them. */
static const char *skip_separator(const char *p, const char *end)
{
    p = skip_blanks(p, end);
    return p < end && *p == ',' ? skip_blanks(p + 1, end) : p;
}

/* Takes the number at `*at`, which ends at a separator, a comment or the line end. If there is
 * none, `reason` says why. Zeros before a number may belong to a name, unless the user says that
 * the pages are numbers. */
static bool take_number(const char **at, const char *end, const char *which, bool may_be_padded,
                        uint64_t *value, char reason[REASON_BYTES])
{
    const char *p = *at;
    const char *problem = NULL;

    if (ends_row(p, end)) {
        (void)snprintf(reason, REASON_BYTES, "no %s field", which);
        return false;
    }
    switch (mr_decimal_parse(&p, end, value)) {
    case MR_DECIMAL_OK:
        problem = !(ends_row(p, end) || mr_edge_lines_separator(*p)) ? "is no number"
                  : !may_be_padded && mr_edge_lines_padded(*at, p)
                      ? "has zeros before its number: --format urls takes the ids as names, "
                        "--format edges as numbers"
                      : NULL;
        break;
    case MR_DECIMAL_TOO_LARGE:
        problem = "is not below 2^64";
        break;
    case MR_DECIMAL_NONE:
        problem = *p == '-' ? "is negative" : "is no number";
        break;
    }
    if (problem != NULL) {
        (void)snprintf(reason, REASON_BYTES, "the %s field %s", which, problem);
        return false;
    }
    *at = skip_separator(p, end);
    return true;
}

/* Is the line blank or only a comment? Counts it if so. */
static bool skip_number_line(struct mr_edge_text_reader *reader, const char *p, const char *end)
{
    bool blank = p == end, comment = !blank && ends_row(p, end);
    reader->summary->blank += blank;
    reader->summary->comments += comment;
    return blank || comment;
}

/* Takes both ends of the edge at `*at`, which moves behind them. If there is none, `reason` says
 * why. */
static bool take_ends(const struct mr_edge_text_reader *reader, const char **at, const char *end,
                      uint64_t *first, uint64_t *second, char reason[REASON_BYTES])
{
    const bool may_be_padded = !reader->options->is_guessed;
    return take_number(at, end, "first", may_be_padded, first, reason) &&
           take_number(at, end, "second", may_be_padded, second, reason) &&
           check_id(reader, *first, reason) && check_id(reader, *second, reason);
}

static enum mr_status number_edge(struct mr_edge_text_reader *reader, const char *line,
                                  const char *end, struct mr_error *err)
{
    const char *p = skip_blanks(line, end);
    char reason[REASON_BYTES];
    uint64_t first, second;

    if (skip_number_line(reader, p, end)) {
        return MR_OK;
    }
    if (!take_ends(reader, &p, end, &first, &second, reason)) {
        return bad_line(reader, line, end, reason, err);
    }
    reader->summary->extra_columns += !ends_row(p, end);
    return add_edge(reader, first, second, err);
}

static bool is_name_comment(const char *p, const char *end)
{
    return p < end && (*p == '#' || *p == '%') && (p + 1 == end || p[1] == ' ' || p[1] == '\t');
}

enum row_kind { ROW_GOOD, ROW_BAD, ROW_WITHOUT_VALUE, ROW_NONE };

/* Takes the ends of a row of a table that is no plain pair of numbers. If it is bad, `reason` says
 * why. NONE: a comment, a blank line or the header, which may come again. */
static enum row_kind take_row(const struct mr_edge_text_reader *reader, const char *line,
                              const char *end, uint64_t ids[2], char reason[REASON_BYTES])
{
    const struct mr_edge_text_table *table = reader->table;
    const char *problem = NULL;
    struct mr_table_row row;

    if (line == end || is_name_comment(line, end) ||
        ((size_t)(end - line) == table->header_bytes &&
         memcmp(line, table->header, table->header_bytes) == 0)) {
        return ROW_NONE;
    }
    if (!mr_table_split(line, end, table->separator, &row)) {
        problem = "its quotes do not match";
    } else if (row.n_fields < 2) {
        problem = "no source or no target";
    }
    for (unsigned i = 2; problem == NULL && i < row.n_fields; i++) {
        problem = i >= MR_TABLE_FIELDS || row.fields[i].bytes > 0 ? MR_TABLE_MORE_FIELDS : NULL;
    }
    if (problem == NULL && (mr_table_is_null(&row.fields[0]) || mr_table_is_null(&row.fields[1]))) {
        return ROW_WITHOUT_VALUE;
    }
    if (problem == NULL &&
        !(mr_column_whole(&row.fields[0], &ids[0]) && mr_column_whole(&row.fields[1], &ids[1]))) {
        problem = "a vertex is no number";
    }
    if (problem == NULL &&
        (mr_column_is_padded(&row.fields[0]) || mr_column_is_padded(&row.fields[1]))) {
        problem = MR_COLUMN_PADDED;
    }
    (void)snprintf(reason, REASON_BYTES, "%s", problem != NULL ? problem : "");
    return problem == NULL && check_id(reader, ids[0], reason) && check_id(reader, ids[1], reason)
               ? ROW_GOOD
               : ROW_BAD;
}

static enum mr_status table_edge(struct mr_edge_text_reader *reader, const char *line,
                                 const char *end, struct mr_error *err)
{
    char reason[REASON_BYTES];
    uint64_t ids[2];

    switch (take_row(reader, line, end, ids, reason)) {
    case ROW_GOOD:
        return add_edge(reader, ids[0], ids[1], err);
    case ROW_BAD:
        return bad_line(reader, line, end, reason, err);
    case ROW_WITHOUT_VALUE:
        reader->summary->no_values++;
        break;
    case ROW_NONE:
        reader->summary->blank += line == end;
        reader->summary->comments += line < end;
        break;
    }
    return MR_OK;
}

static enum mr_status number_vertex(struct mr_edge_text_reader *reader, const char *line,
                                    const char *end, struct mr_error *err)
{
    const char *p = skip_blanks(line, end);
    char reason[REASON_BYTES];
    uint64_t id;

    if (skip_number_line(reader, p, end)) {
        return MR_OK;
    }
    if (!take_number(&p, end, "first", !reader->options->is_guessed, &id, reason)) {
        return bad_line(reader, line, end, reason, err);
    }
    reader->summary->extra_columns += !ends_row(p, end);
    reader->summary->vertices++;
    return mr_build_vertex(reader->build, id, err);
}

/* Takes plain lines with known ids from `p` on, as long as they come and the batch has room.
 * Returns where it stopped: at the beginning of a line, or at `end`. */
static const char *quick_edges(struct mr_edge_text_reader *reader, const char *p, const char *end)
{
    const mr_edge_lines convert = reader->convert;
    /* Takes one line at a time, so that an unknown id can be reported with its line number. */
    const size_t at_most = reader->ask ? 1 : MR_EDGE_TEXT_BATCH;

    while (p < end && reader->n_batch < MR_EDGE_TEXT_BATCH) {
        struct mr_edge *edges = reader->batch + reader->n_batch;
        const char *line = p;
        const size_t n =
            convert(&p, end, edges, mr_min_u64(at_most, MR_EDGE_TEXT_BATCH - reader->n_batch),
                    reader->limit, reader->swap);
        if (n > 0 && reader->ask &&
            !(mr_build_knows(reader->build, edges->source) &&
              mr_build_knows(reader->build, edges->target))) {
            return line;
        }
        reader->n_batch += n;
        reader->line += n;
        reader->summary->lines += n;
        if (n == 0) {
            break;
        }
    }
    return p;
}

/* ---- Lists of names ---- */

/* A line of a vertex list has the grammar of lists (mr_lines_name). */
static enum mr_status name_vertex(struct mr_edge_text_reader *reader, const char *line,
                                  const char *end, struct mr_error *err)
{
    const bool comment = mr_lines_is_comment(line, (size_t)(end - line));
    const char *rest;
    char *plain = NULL;
    size_t name_bytes;
    uint64_t id;
    const char *name = comment ? NULL : mr_lines_name(line, end, false, &name_bytes, &rest);

    reader->summary->comments += comment;
    if (name == NULL) {
        reader->summary->blank += !comment;
        return MR_OK;
    }
    const char *problem = name_bytes == 0                  ? "no name before the tab"
                          : name_bytes > MR_NAME_MAX_BYTES ? MR_NAME_IS_LONG
                                                           : NULL;
    if (problem != NULL) {
        return bad_line(reader, line, end, problem, err);
    }
    if (memchr(name, '\\', name_bytes) != NULL) {
        plain = malloc(name_bytes);
        if (plain == NULL) {
            return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a name");
        }
        name_bytes = mr_name_unescape(name, name_bytes, plain);
        name = plain;
    }
    reader->summary->extra_columns += skip_blanks(rest, end) < end;
    reader->summary->vertices++;
    const enum mr_status status = mr_build_name(reader->build, name, name_bytes, &id, err);
    free(plain);
    return status;
}

/* ---- Is any line good? ---- */

static bool is_good(struct mr_edge_text_reader *reader, const char *line, const char *end,
                    bool is_list)
{
    const char *p = skip_blanks(line, end);
    char reason[REASON_BYTES];
    uint64_t first, second;

    if (reader->options->ids == MR_IDS_TEXT) {
        return p < end && !is_name_comment(p, end);
    }
    if (reader->table != NULL) {
        return take_row(reader, line, end, (uint64_t[2]){0}, reason) == ROW_GOOD;
    }
    return is_list ? take_number(&p, end, "first", true, &first, reason)
                   : take_ends(reader, &p, end, &first, &second, reason);
}

/* Finds out whether all lines at the beginning are bad. Then skipping bad lines does not help, and
 * the message must not advise it. */
static enum mr_status look_for_good(struct mr_edge_text_reader *reader, bool is_list,
                                    struct mr_error *err)
{
    const char *data;
    size_t bytes;
    unsigned n_lines = 0;

    if (reader->options->bad_lines == MR_BAD_LINES_SKIP) {
        return MR_OK;
    }
    const enum mr_status status = mr_input_peek(reader->input, &data, &bytes, err);
    for (const char *at = data, *end = data + bytes; status == MR_OK && at < end; n_lines++) {
        const char *stop = memchr(at, '\n', (size_t)(end - at));
        if (stop == NULL && n_lines > 0 && bytes == MR_INPUT_PEEK_BYTES) {
            break; /* the line may be incomplete */
        }
        stop = stop != NULL ? stop : end;
        const char *line = at, *line_end = stop;
        mr_lines_trim(&line, &line_end);
        if (is_good(reader, line, line_end, is_list)) {
            return MR_OK;
        }
        at = stop + 1;
    }
    reader->nothing_good = true;
    return status;
}

/* ---- All of an input ---- */

static enum mr_status read_chunk(struct mr_edge_text_reader *reader, const char *data,
                                 const char *end, line_function handle, struct mr_error *err)
{
    const bool quick = handle == number_edge || handle == table_edge;
    enum mr_status status = MR_OK;

    while (status == MR_OK && data < end) {
        if (quick) {
            data = quick_edges(reader, data, end);
            if (reader->n_batch == MR_EDGE_TEXT_BATCH) {
                status = flush(reader, err);
                continue;
            }
            if (data == end) {
                break;
            }
        }
        const char *stop = memchr(data, '\n', (size_t)(end - data));
        const char *line = data, *line_end = stop;
        mr_lines_trim(&line, &line_end);
        reader->line++;
        reader->summary->lines++;
        status = handle(reader, line, line_end, err);
        data = stop + 1;
    }
    return status;
}

/* Reads a chunk of lines of numbers; a mr_edge_text_parse. */
static enum mr_status read_numbers(struct mr_edge_text_reader *reader, const char *data,
                                   const char *end, struct mr_error *err)
{
    const line_function handle = reader->table != NULL ? table_edge : number_edge;
    const enum mr_status status = read_chunk(reader, data, end, handle, err);
    return status == MR_OK ? flush(reader, err) : status;
}

static enum mr_status read_vertex_names(struct mr_edge_text_reader *reader, const char *data,
                                        const char *end, struct mr_error *err)
{
    return read_chunk(reader, data, end, name_vertex, err);
}

static enum mr_status read_vertex_numbers(struct mr_edge_text_reader *reader, const char *data,
                                          const char *end, struct mr_error *err)
{
    return read_chunk(reader, data, end, number_vertex, err);
}

/* Refuses an input if some lines have more than two numbers and some have not: the others may be
 * neighbours. `edges` and `longer` are the counts of the inputs before. */
static enum mr_status check_even(const struct mr_edge_text_reader *reader, uint64_t edges,
                                 uint64_t longer, struct mr_error *err)
{
    edges = reader->summary->edges - edges;
    longer = reader->summary->extra_columns - longer;
    return longer == 0 || longer >= edges || !reader->options->is_guessed
               ? MR_OK
               : mr_error_file(err, MR_ERROR_INPUT, mr_input_name(reader->input), 0,
                               "%llu of %llu lines have more than two numbers, which may be "
                               "neighbours; --format adjacency takes a page and all that it links "
                               "to, --columns 1,2 the first two",
                               (unsigned long long)longer, (unsigned long long)edges);
}

enum mr_status mr_edge_text_read(const struct mr_context *context, struct mr_input *input,
                                 struct mr_build *build, const struct mr_edge_text_options *options,
                                 const struct mr_edge_text_table *table,
                                 struct mr_edge_text_summary *summary, struct mr_error *err)
{
    struct mr_edge_text_reader reader = {
        .table = table,
        .context = context,
        .input = input,
        .build = build,
        .options = options,
        .summary = summary,
        .limit = options->ids == MR_IDS_DENSE ? options->n_vertices : UINT64_MAX,
        .ask = options->ids == MR_IDS_SPARSE && mr_build_is_frozen(build),
        .swap = options->columns == MR_COLUMNS_TARGET_SOURCE,
        .convert = mr_edge_lines_best(),
    };
    const uint64_t edges = summary->edges, longer = summary->extra_columns;
    enum mr_status status = look_for_good(&reader, false, err);
    if (status != MR_OK) {
        return status;
    }
    status = mr_edge_text_read_by_team(&reader, read_numbers, mr_line_team_size(context), err);
    return status == MR_OK ? check_even(&reader, edges, longer, err) : status;
}

enum mr_status mr_vertex_list_read(const struct mr_context *context, struct mr_input *input,
                                   struct mr_build *build,
                                   const struct mr_edge_text_options *options,
                                   struct mr_edge_text_summary *summary, struct mr_error *err)
{
    assert(options->ids != MR_IDS_DENSE);
    struct mr_edge_text_reader reader = {
        .context = context,
        .input = input,
        .build = build,
        .options = options,
        .summary = summary,
        .limit = UINT64_MAX,
    };
    const enum mr_status status = look_for_good(&reader, true, err);
    return status == MR_OK
               ? mr_edge_text_read_by_team(
                     &reader, options->ids == MR_IDS_TEXT ? read_vertex_names : read_vertex_numbers,
                     1, err)
               : status;
}

/* ---- What is it? ---- */

/* Takes the next line that is neither blank nor a comment, without its end; `*data` moves behind
 * it. Returns false when there is none. */
static bool next_row(const char **data, const char *end, const char **row, const char **row_end)
{
    while (*data < end) {
        const char *stop = memchr(*data, '\n', (size_t)(end - *data)), *line = *data;
        *row_end = stop != NULL ? stop : end;
        mr_lines_trim(&line, row_end);
        *row = skip_blanks(line, *row_end);
        *data = stop != NULL ? stop + 1 : end;
        if (!ends_row(*row, *row_end)) {
            return true;
        }
    }
    return false;
}

/* How many of the first `n_fields` fields of a row, up to two, are numbers. */
static unsigned take_numbers(const char *row, const char *end, unsigned n_fields, uint64_t *numbers)
{
    static const char *const which[] = {"first", "second"};
    char reason[REASON_BYTES];
    unsigned n = 0;
    while (n < n_fields && take_number(&row, end, which[n], true, &numbers[n], reason)) {
        n++;
    }
    return n;
}

bool mr_edge_text_first_row(const char *data, size_t bytes, uint64_t row[2])
{
    const char *const end = data + bytes, *at = data, *line, *line_end;
    return next_row(&at, end, &line, &line_end) && take_numbers(line, line_end, 2, row) == 2;
}

enum mr_id_kind mr_edge_text_detect(const char *data, size_t bytes, unsigned n_fields)
{
    const char *const end = data + bytes, *at = data, *line, *line_end;
    unsigned seen = 0;

    assert(n_fields == 1 || n_fields == 2);
    for (; seen < 2 && next_row(&at, end, &line, &line_end); seen++) {
        uint64_t numbers[2];
        if (take_numbers(line, line_end, n_fields, numbers) == n_fields) {
            return MR_IDS_SPARSE;
        }
    }
    return seen == 0 ? MR_IDS_SPARSE : MR_IDS_TEXT;
}
