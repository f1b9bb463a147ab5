/* SPDX-License-Identifier: Apache-2.0 */
/* Reads tables: CSV, TSV or ';'-separated. With a header, the names of the columns show the ends of
 * an edge:
 *
 *     source, src, from, u, start, ...    target, dst, dest, destination, to, v, end, ...
 *     weight, w, value                    the weight of the edge
 *
 * in upper or lower case. A column "url" or "page" is the source where there is a column such as
 * "link", and the target where there is a column such as "referrer". Comments and blank lines may
 * stand before the header. A comment is never a header: "# source target" over "1 2 5" says nothing
 * about columns. Without a header the first two columns are source and target. Every line must then
 * have the same number of fields, and none of these two may have a blank in it, unless there are
 * two columns of names such as Marie Curie, with a tab between or in a file that is called .csv.
 * formats/graph/edge_text.h reads lines with blanks between their columns, and lines of numbers.
 *
 * A field may be in double quotes, with each quote in it doubled. Ids are numbers if those of the
 * first row are numbers, otherwise names. Other columns are ignored. Source: RFC 4180; the names
 * are those that cuGraph, Gephi, NetworkX, igraph and crawlers write. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/graph/csv_edges.h"
#include "formats/graph/graph_reader.h"
#include "formats/graph/line_reader.h"
#include "formats/graph/text_look.h"
#include "formats/stream/csv_field.h"
#include "formats/stream/decimal.h"

enum { MAX_COLUMNS = 64, LOOK_ROWS = 1000 };

/* What the beginning of a table shows. */
struct table {
    char separator; /* '\0': it is no table */
    unsigned n_before; /* lines before the first row, the header among them */
    int columns[3]; /* of source, target and weight; -1: none */
    const char *row; /* after these lines */
};

struct csv_reader {
    struct mr_line_reader lines;
    struct table table;
    bool names;
    char field[MR_NAME_MAX_BYTES]; /* the text of a field that had quotes in it */
};

static const char *const sources[] = {
    "source",   "src",       "from",       "u",        "start",    "source_id", "src_id",
    "from_id",  "start_id",  ":START_ID",  "node_1",   "node1",    "id_1",      "id1",
    "from_url", "FromUrl",   "FromNodeId", "url_from", "src_url",  "srcUrl",    "source_url",
    "referrer", "SourceUrl", "referer",    "Url From", "From URL", NULL};
static const char *const targets[] = {
    "target",   "dst",     "to",       "v",          "end",       "target_id", "dst_id",
    "to_id",    "end_id",  "dest",     "node_2",     "node2",     "id_2",      "id2",
    "to_url",   ":END_ID", "ToUrl",    "url_to",     "ToNodeId",  "dst_url",   "dstUrl",
    "link",     "outlink", "href",     "target_url", "TargetUrl", "Url To",    "destination",
    "dest_url", "To URL",  "link_url", NULL};
static const char *const weights[] = {"weight", "w", "value", NULL};
/* A column of these names is the source or the target, whichever is missing. */
static const char *const pages[] = {"url", "uri", "page", "page_url", NULL};

static bool is_one_of(const char *text, size_t bytes, const char *const *names)
{
    for (; *names != NULL; names++) {
        if (strlen(*names) == bytes && strncasecmp(text, *names, bytes) == 0) {
            return true;
        }
    }
    return false;
}

/* Finds the columns of source, target and weight in a header line. Returns false if the line names
 * no source and target. */
static bool parse_header(const char *line, const char *end, char separator, int columns[3])
{
    const char *const *const names[3] = {sources, targets, weights};
    const char *at = line;
    int page = -1;

    columns[0] = columns[1] = columns[2] = -1;
    for (int i = 0; at != NULL && i < MAX_COLUMNS; i++) {
        const char *text;
        size_t bytes;
        bool raw;

        if (!mr_csv_field(&at, end, separator, &text, &bytes, &raw)) {
            return false;
        }
        for (int k = 0; k < 3; k++) {
            if (columns[k] < 0 && is_one_of(text, bytes, names[k])) {
                columns[k] = i;
                break;
            }
        }
        page = page < 0 && is_one_of(text, bytes, pages) ? i : page;
    }
    if (columns[0] < 0) {
        columns[0] = page;
    } else if (columns[1] < 0) {
        columns[1] = page;
    }
    return columns[0] >= 0 && columns[1] >= 0;
}

/* ---- What is it? ---- */

static bool is_comment(const char *line, const char *end)
{
    return line < end && (*line == '#' || *line == '%');
}

/* Takes the line at `*at`, without its end; `*at` moves behind it. Returns false when there is
 * none. */
static bool next_line(const char **at, const char *all_end, const char **line, const char **end)
{
    if (*at >= all_end) {
        return false;
    }
    const char *stop = memchr(*at, '\n', (size_t)(all_end - *at));
    *line = *at;
    *end = stop != NULL ? stop : all_end;
    *end -= *end > *line && (*end)[-1] == '\r';
    *at = stop != NULL ? stop + 1 : all_end;
    return true;
}

static struct table find_header(const char *data, size_t bytes)
{
    static const char separators[] = ",\t; ";
    const char *at = data, *const all_end = data + bytes, *line, *end;
    struct table table = {.separator = '\0'};

    at += bytes >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    while (next_line(&at, all_end, &line, &end)) {
        table.n_before++;
        if (line == end || is_comment(line, end)) {
            continue;
        }
        for (const char *separator = separators; *separator != '\0'; separator++) {
            if (parse_header(line, end, *separator, table.columns)) {
                table.separator = *separator;
                table.row = at;
                return table;
            }
        }
        break;
    }
    return table;
}

/* The number of fields in a row; 0 where its first two cannot be ends in a table without a
 * header. */
static unsigned count_fields(const char *line, const char *end, char separator, bool *quoted)
{
    unsigned n = 0;

    *quoted = line < end && *line == '"';
    for (const char *at = line; at != NULL; n++) {
        const char *text;
        size_t bytes;
        bool raw;
        const char *begin = at;
        if (!mr_csv_field(&at, end, separator, &text, &bytes, &raw) ||
            (n < 2 && (bytes == 0 || memchr(text, ' ', bytes) != NULL ||
                       memchr(text, '\t', bytes) != NULL || *begin == '\t'))) {
            return 0;
        }
    }
    return n;
}

static bool is_bare(const char *data, size_t bytes, char separator)
{
    const char *at = data, *const all_end = data + bytes, *line, *end;
    unsigned n_fields = 0;
    bool all_quoted = true;

    at += bytes >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    for (unsigned rows = 0; rows < LOOK_ROWS && next_line(&at, all_end, &line, &end);) {
        if (line == end || is_comment(line, end)) {
            continue;
        }
        if (at == all_end && bytes == MR_INPUT_PEEK_BYTES && n_fields > 0) {
            break; /* the line may be incomplete */
        }
        bool quoted;
        const unsigned n = count_fields(line, end, separator, &quoted);
        if (n < 2 || (n_fields > 0 && n != n_fields)) {
            return false;
        }
        n_fields = n;
        all_quoted &= quoted;
        rows++;
    }
    /* formats/graph/edge_text.h reads tables with tabs and without quotes faster. */
    return n_fields >= 2 && (separator != '\t' || all_quoted);
}

char mr_csv_bare_separator(const char *data, size_t bytes)
{
    static const char separators[] = ",;\t";

    if (mr_edge_text_detect(data, bytes, 2) != MR_IDS_TEXT) {
        return '\0';
    }
    for (const char *separator = separators; *separator != '\0'; separator++) {
        if (is_bare(data, bytes, *separator)) {
            return *separator;
        }
    }
    return '\0';
}

/* May the field be a name of several words, such as Marie Curie? No number is one, and no words
 * with a dot, slash or colon inside, as URLs and hosts have them: such a field may be two names. */
static bool is_name_of_words(const char *text, size_t bytes, bool *has_blank)
{
    bool blank = false, inner = false, digit = false, other = false;

    for (size_t i = 0; i < bytes; i++) {
        blank |= text[i] == ' ';
        digit |= text[i] >= '0' && text[i] <= '9';
        other |= strchr("0123456789.+-eE ", text[i]) == NULL;
        inner |= strchr("./:", text[i]) != NULL && i + 1 < bytes && text[i + 1] != ' ';
    }
    *has_blank |= blank;
    return bytes > 0 && (other || !digit) && !(blank && inner);
}

/* Has each row two names, and some name more than one word? Words between blanks would make other
 * links of such rows. */
static bool has_names_of_words(const char *data, size_t bytes, char separator)
{
    const char *at = data, *const all_end = data + bytes, *line, *end;
    bool has_blank = false;

    at += bytes >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    for (unsigned rows = 0; rows < LOOK_ROWS && next_line(&at, all_end, &line, &end);) {
        const char *field = line, *text;
        size_t text_bytes;
        unsigned n = 0;
        bool raw;
        if (line == end || is_comment(line, end)) {
            continue;
        }
        if (at == all_end && bytes == MR_INPUT_PEEK_BYTES && rows > 0) {
            break; /* the line may be incomplete */
        }
        for (; field != NULL && n < 3; n++) {
            if (!mr_csv_field(&field, end, separator, &text, &text_bytes, &raw) ||
                !is_name_of_words(text, text_bytes, &has_blank)) {
                return false;
            }
        }
        if (n != 2) {
            return false;
        }
        rows++;
    }
    return has_blank;
}

static bool has_csv_suffix(const char *path)
{
    const char *const suffix = strcasestr(path, ".csv");
    return suffix != NULL && (suffix[4] == '\0' || strcasecmp(suffix + 4, ".gz") == 0 ||
                              strcasecmp(suffix + 4, ".zst") == 0);
}

/* The separator of a table of names of several words without a header; '\0': it is none. Text that
 * is no table has commas, too, so these count where the user says that it is a table. */
static char find_words_separator(const char *data, size_t bytes, bool is_table)
{
    for (const char *separator = is_table ? "\t,;" : "\t"; *separator != '\0'; separator++) {
        if (has_names_of_words(data, bytes, *separator)) {
            return *separator;
        }
    }
    return '\0';
}

static bool detect(const struct mr_graph_probe *probe)
{
    return find_header(probe->data, probe->bytes).separator != '\0' ||
           mr_csv_bare_separator(probe->data, probe->bytes) != '\0' ||
           find_words_separator(probe->data, probe->bytes, has_csv_suffix(probe->path)) != '\0';
}

/* ---- Rows ---- */

static bool all_digits(const char *text, size_t bytes)
{
    uint64_t number;
    const char *at = text;
    return mr_decimal_parse(&at, text + bytes, &number) == MR_DECIMAL_OK && at == text + bytes &&
           number != UINT64_MAX;
}

/* Source, target and weight of a row, by the columns of the header. NULL where the row has too few
 * fields. */
struct row {
    const char *text[3];
    size_t bytes[3];
    bool raw[3];
};

static const char *split(const struct csv_reader *reader, const char *line, const char *end,
                         struct row *row)
{
    const int *columns = reader->table.columns;
    const char *at = line;

    *row = (struct row){0};
    for (int i = 0; at != NULL; i++) {
        const char *text;
        size_t bytes;
        bool raw;

        if (!mr_csv_field(&at, end, reader->table.separator, &text, &bytes, &raw)) {
            return "its quotes do not match";
        }
        for (int k = 0; k < 3; k++) {
            if (columns[k] == i) {
                row->text[k] = text;
                row->bytes[k] = bytes;
                row->raw[k] = raw;
            }
        }
    }
    if (row->text[0] == NULL || row->text[1] == NULL || row->bytes[0] == 0 || row->bytes[1] == 0) {
        return "no source or no target";
    }
    return NULL;
}

/* Takes the id of an end: a number, or the number that the sink gives to the name. Returns NULL, or
 * what is wrong. */
static const char *take_id(struct csv_reader *reader, const struct row *row, int k, uint64_t *id,
                           enum mr_status *status, struct mr_error *err)
{
    const struct mr_graph_sink *sink = reader->lines.batch.sink;
    const char *text = row->text[k];
    size_t bytes = row->bytes[k];

    if (!reader->names) {
        const char *at = text;
        return mr_decimal_parse(&at, text + bytes, id) != MR_DECIMAL_OK || at != text + bytes ||
                       *id == UINT64_MAX
                   ? "a vertex is no number"
                   : NULL;
    }
    if (bytes > MR_NAME_MAX_BYTES) {
        return "a name is longer than 65536 bytes";
    }
    if (row->raw[k]) {
        size_t n = 0;
        for (size_t i = 0; i < bytes; i++) {
            reader->field[n++] = text[i];
            i += text[i] == '"';
        }
        text = reader->field;
        bytes = n;
    }
    *status = sink->name(sink->data, text, bytes, id, err);
    return *status == MR_OK && *id == UINT64_MAX ? "a name is not in the vertex list" : NULL;
}

/* Takes the weight of a row. Returns NULL, or what is wrong. */
static const char *take_weight(const struct csv_reader *reader, const struct row *row,
                               double *weight)
{
    const struct mr_graph_request *request = &reader->lines.request;
    char number[64], *end = number;

    (void)snprintf(number, sizeof number, "%.*s", (int)(row->bytes[2] < 63 ? row->bytes[2] : 63),
                   row->text[2] == NULL ? "" : row->text[2]);
    *weight = strtod(number, &end);
    if (end == number || *end != '\0') {
        return request->weights == MR_WEIGHTS_MUST
                   ? "the weight is missing or no number"
                   : "the weight is missing or no number; --no-weights reads past weights";
    }
    return mr_graph_refuses_weight(request, *weight) ? MR_GRAPH_WEIGHT_REASON : NULL;
}

static enum mr_status csv_line(struct mr_line_reader *lines, const char *line, const char *end,
                               struct mr_error *err)
{
    struct csv_reader *reader = (struct csv_reader *)lines;
    struct row row;
    uint64_t ids[2] = {0, 0};
    double weight = 1;
    enum mr_status status = MR_OK;

    if (line == end || (*line == '#' && (line + 1 == end || line[1] == ' '))) {
        lines->request.summary->blank += line == end;
        lines->request.summary->comments += line < end;
        return MR_OK;
    }
    const char *reason = split(reader, line, end, &row);
    if (reason == NULL && lines->batch.weights) {
        reason = take_weight(reader, &row, &weight);
    }
    for (int k = 0; k < 2 && reason == NULL && status == MR_OK; k++) {
        reason = take_id(reader, &row, k, &ids[k], &status, err);
    }
    if (status != MR_OK) {
        return status;
    }
    return reason != NULL ? mr_line_reader_bad(lines, line, end, reason, err)
                          : mr_edge_batch_add(&lines->batch, ids[0], ids[1], (float)weight, err);
}

/* Are the ends of the first row names? */
static bool has_names(const struct csv_reader *reader, const char *data, const char *all_end)
{
    const char *line, *end;
    struct row row;

    while (next_line(&data, all_end, &line, &end)) {
        if (line < end && !is_comment(line, end)) {
            return split(reader, line, end, &row) == NULL &&
                   !(all_digits(row.text[0], row.bytes[0]) &&
                     all_digits(row.text[1], row.bytes[1]));
        }
    }
    return false;
}

/* Describes the table by its header, or by its rows where it has none. */
static enum mr_status find_table(const struct mr_graph_request *request, const char *data,
                                 size_t bytes, struct table *table, struct mr_error *err)
{
    const char *name = mr_input_name(request->input);

    *table = find_header(data, bytes);
    if (table->separator != '\0') {
        return MR_OK;
    }
    *table = (struct table){
        .separator = mr_csv_bare_separator(data, bytes), .columns = {0, 1, -1}, .row = data};
    if (table->separator == '\0') {
        table->separator = find_words_separator(data, bytes, true);
    }
    return table->separator != '\0'
               ? mr_text_look(name, data, bytes, table->separator, err)
               : mr_error_line(err, MR_ERROR_INPUT, name, 1,
                               "the header names no source and target columns; call them source "
                               "and target, src and dst, or from and to");
}

static enum mr_status open_csv(const struct mr_graph_request *request, struct mr_graph_head *head,
                               void **out, struct mr_error *err)
{
    struct csv_reader *reader = NULL;
    struct table table;
    const char *data, *line;
    size_t bytes;
    void *opened = NULL;

    *out = NULL;
    enum mr_status status = mr_input_peek(request->input, &data, &bytes, err);
    if (status == MR_OK) {
        status = find_table(request, data, bytes, &table, err);
    }
    if (status == MR_OK) {
        status = mr_line_reader_open(request, sizeof *reader, csv_line, &opened, err);
    }
    if (status != MR_OK) {
        return status;
    }
    reader = opened;
    reader->table = table;
    reader->names = has_names(reader, table.row, data + bytes);
    *head = (struct mr_graph_head){.ids = reader->names ? MR_IDS_TEXT : MR_IDS_SPARSE,
                                   .weighted = table.columns[2] >= 0};
    for (unsigned i = 0; i < table.n_before && status == MR_OK; i++) {
        status = mr_lines_next(reader->lines.lines, &line, &bytes, err);
    }
    if (status != MR_OK) {
        mr_line_reader_close(reader);
        return status;
    }
    *out = reader;
    return MR_OK;
}

static enum mr_status read_csv(void *data, const struct mr_graph_sink *sink, struct mr_error *err)
{
    struct csv_reader *reader = data;
    const struct mr_graph_request *request = &reader->lines.request;

    if (reader->table.n_before == 0) {
        mr_context_note(request->context,
                        "%s has no header; its first column is read as source, the second as "
                        "target; if the target comes first, say --columns target-source",
                        mr_input_name(request->input));
    }
    return mr_line_reader_run(&reader->lines, sink,
                              request->weights && reader->table.columns[2] >= 0, err);
}

const struct mr_graph_format mr_format_csv = {.name = "csv",
                                              .title = "a table",
                                              .detect = detect,
                                              .open = open_csv,
                                              .read = read_csv,
                                              .close = mr_line_reader_close};
