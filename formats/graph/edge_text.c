/* SPDX-License-Identifier: Apache-2.0 */
/* Reads edge lists of numbers and vertex lists of numbers or names into a builder. A kernel takes
 * plain lines of two numbers, which are nearly all lines of a real file (link_rows.h). Every other
 * line goes through the careful functions, which also word the messages. */
#include "formats/graph/edge_text.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/decimal.h"
#include "formats/graph/edge_lines.h"
#include "formats/graph/link_rows.h"
#include "formats/stream/name_text.h"

/* ---- Numbers ---- */

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
                        uint64_t *value, char reason[MR_REASON_BYTES])
{
    const char *p = *at;
    const char *problem = NULL;

    if (ends_row(p, end)) {
        (void)snprintf(reason, MR_REASON_BYTES, "no %s field", which);
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
        (void)snprintf(reason, MR_REASON_BYTES, "the %s field %s", which, problem);
        return false;
    }
    *at = skip_separator(p, end);
    return true;
}

/* Takes both ends of the edge at `at`. If there is none, `reason` says why. */
static bool take_ends(const struct mr_line_reader *lines, const char *at, const char *end,
                      uint64_t ids[2], bool *is_longer, char reason[MR_REASON_BYTES])
{
    const bool may_be_padded = !lines->request.text->is_guessed;
    const bool is_good = take_number(&at, end, "first", may_be_padded, &ids[0], reason) &&
                         take_number(&at, end, "second", may_be_padded, &ids[1], reason);

    *is_longer = is_good && !ends_row(at, end);
    for (unsigned k = 0; is_good && k < 2; k++) {
        if (!mr_build_knows(lines->batch.sink->lines, ids[k])) {
            (void)mr_line_reader_unknown(lines, ids[k], reason);
            return false;
        }
    }
    return is_good;
}

/* A mr_link_rows_take. */
static bool take_edge(const struct mr_line_reader *lines, struct mr_link_rows *rows, unsigned row,
                      const char *line, const char *end)
{
    char reason[MR_REASON_BYTES];

    rows->weights[row] = 1;
    line = skip_blanks(line, end);
    return !ends_row(line, end) &&
           take_ends(lines, line, end, rows->ids[row], &rows->is_longer[row], reason);
}

/* A mr_line_handler of the lines that are no edges. */
static enum mr_status take_odd_line(struct mr_line_reader *lines, const char *line, const char *end,
                                    struct mr_error *err)
{
    const char *at = skip_blanks(line, end);
    char reason[MR_REASON_BYTES] = "";
    uint64_t ids[2];
    bool is_longer;

    if (ends_row(at, end)) {
        lines->request.summary->blank += at == end;
        lines->request.summary->comments += at < end;
        return MR_OK;
    }
    (void)take_ends(lines, at, end, ids, &is_longer, reason);
    return mr_line_reader_bad(lines, line, end, reason, err);
}

/* Refuses an input if some lines have more than two numbers and some have not: the others may be
 * neighbours. `edges` and `longer` are the counts of the inputs before. */
static enum mr_status check_even(const struct mr_graph_request *request, uint64_t edges,
                                 uint64_t longer, struct mr_error *err)
{
    edges = request->summary->edges - edges;
    longer = request->summary->extra_columns - longer;
    return longer == 0 || longer >= edges || !request->text->is_guessed
               ? MR_OK
               : mr_error_file(err, MR_ERROR_INPUT, mr_input_name(request->input), 0,
                               "%llu of %llu lines have more than two numbers, which may be "
                               "neighbours; --format adjacency takes a page and all that it links "
                               "to, --columns 1,2 the first two",
                               (unsigned long long)longer, (unsigned long long)edges);
}

enum mr_status mr_edge_text_read(struct mr_line_reader *reader, struct mr_error *err)
{
    const struct mr_graph_request *request = &reader->request;
    const uint64_t edges = request->summary->edges, longer = request->summary->extra_columns;
    enum mr_status status = mr_line_reader_begin(reader, take_odd_line, err);

    reader->notes_skipped = true;
    if (status == MR_OK) {
        status = mr_link_rows_read(reader, false, take_edge, MR_PLAIN_LINKS, err);
    }
    return status == MR_OK ? check_even(request, edges + reader->batch.n, longer, err) : status;
}

/* ---- Vertex lists ---- */

struct list_reader {
    struct mr_line_reader lines; /* first */
    struct mr_build *build;
    char name[MR_LINE_MAX_BYTES]; /* without its codes */
};

/* A mr_line_handler. A line of a vertex list has the grammar of lists (mr_lines_name). */
static enum mr_status take_name(struct mr_line_reader *lines, const char *line, const char *end,
                                struct mr_error *err)
{
    struct list_reader *reader = (struct list_reader *)lines;
    struct mr_edge_text_summary *summary = lines->request.summary;
    const bool comment = mr_lines_is_comment(line, (size_t)(end - line));
    const char *rest;
    size_t bytes;
    uint64_t id;
    const char *name = comment ? NULL : mr_lines_name(line, end, false, &bytes, &rest);

    summary->comments += comment;
    if (name == NULL) {
        summary->blank += !comment;
        return MR_OK;
    }
    if (bytes == 0 || bytes > MR_NAME_MAX_BYTES) {
        return mr_line_reader_bad(lines, line, end,
                                  bytes == 0 ? "no name before the tab" : MR_NAME_IS_LONG, err);
    }
    if (memchr(name, '\\', bytes) != NULL) {
        bytes = mr_name_unescape(name, bytes, reader->name);
        name = reader->name;
    }
    summary->extra_columns += skip_blanks(rest, end) < end;
    summary->vertices++;
    return mr_build_name(reader->build, name, bytes, &id, err);
}

/* A mr_line_handler. */
static enum mr_status take_vertex(struct mr_line_reader *lines, const char *line, const char *end,
                                  struct mr_error *err)
{
    struct mr_edge_text_summary *summary = lines->request.summary;
    const char *at = skip_blanks(line, end);
    char reason[MR_REASON_BYTES];
    uint64_t id;

    if (ends_row(at, end)) {
        summary->blank += at == end;
        summary->comments += at < end;
        return MR_OK;
    }
    if (!take_number(&at, end, "first", !lines->request.text->is_guessed, &id, reason)) {
        return mr_line_reader_bad(lines, line, end, reason, err);
    }
    summary->extra_columns += !ends_row(at, end);
    summary->vertices++;
    return mr_build_vertex(((struct list_reader *)lines)->build, id, err);
}

enum mr_status mr_vertex_list_read(const struct mr_context *context, struct mr_input *input,
                                   struct mr_build *build,
                                   const struct mr_edge_text_options *options,
                                   struct mr_edge_text_summary *summary, struct mr_error *err)
{
    struct list_reader *reader = calloc(1, sizeof *reader);

    assert(options->ids != MR_IDS_DENSE);
    if (reader == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a reader");
    }
    reader->build = build;
    reader->lines.notes_skipped = true;
    reader->lines.request = (struct mr_graph_request){
        .context = context, .input = input, .text = options, .summary = summary};
    enum mr_status status = mr_line_reader_begin(
        &reader->lines, options->ids == MR_IDS_TEXT ? take_name : take_vertex, err);
    if (status == MR_OK) {
        status = mr_line_reader_read(reader, err);
    }
    mr_line_reader_close(reader);
    free(reader);
    return status;
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
    char reason[MR_REASON_BYTES];
    unsigned n = 0;
    while (n < n_fields && take_number(&row, end, which[n], true, &numbers[n], reason)) {
        n++;
    }
    return n;
}

unsigned mr_edge_text_fields(const char *at, const char *end, bool *is_list)
{
    unsigned n = 0, n_commas = 0;

    *is_list = false;
    while (at < end && *at != '#' && *at != '%') {
        if (*at == ' ' || *at == '\t' || *at == ',') {
            *is_list |= *at == ',' && n == 2 && n_commas == 0;
            n_commas += *at == ',';
            at++;
            continue;
        }
        n++; /* in a third field a comma may stand for a point */
        const char *const stops = n > 2 && n_commas == 0 ? " \t#%" : " \t#%,";
        for (; at < end && (*at == '\0' || strchr(stops, *at) == NULL); at++) {
        }
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
