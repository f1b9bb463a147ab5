/* Tables with a header: CSV, TSV or ';'-separated, the ends of an edge in columns that are called
 *
 *     source, src, from, u, start        target, dst, dest, destination, to, v, end
 *     weight, w, value                   the weight of the edge
 *
 * in either case. A field may be in double quotes, a quote in it doubled. Ids are numbers where those
 * of the first row are, else names. Other columns are ignored. Source: RFC 4180; the names are those
 * that cuGraph, Gephi, NetworkX and igraph write. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/graph/edge_batch.h"
#include "formats/graph/graph_reader.h"
#include "formats/stream/decimal.h"
#include "formats/stream/lines.h"

enum { MAX_COLUMNS = 64 };

struct csv_reader {
    struct mr_graph_request request;
    struct mr_lines *lines;
    char separator;
    int source, target, weight; /* columns; -1: none */
    bool names;
    char *field; /* [MR_LINE_MAX_BYTES]: one that had quotes in it */
    struct mr_edge_batch batch;
};

static const char *const sources[] = {
    "source",   "src",       "from",       "u",      "start", "source_id", "src_id", "from_id",
    "start_id", ":START_ID", "FromNodeId", "node_1", "node1", "id_1",      "id1",    NULL};
static const char *const targets[] = {"target",    "dst",         "to",    "v",      "end",
                                      "target_id", "dst_id",      "to_id", "end_id", ":END_ID",
                                      "ToNodeId",  "node_2",      "node2", "id_2",   "id2",
                                      "dest",      "destination", NULL};
static const char *const weights[] = {"weight", "w", "value", NULL};

static bool is_one_of(const char *text, size_t bytes, const char *const *names)
{
    for (; *names != NULL; names++) {
        if (strlen(*names) == bytes && strncasecmp(text, *names, bytes) == 0) {
            return true;
        }
    }
    return false;
}

/* The field at `*at`, blanks and quotes around it left out; `*at` moves behind its separator, or to
 * NULL at the end of the line. With doubled quotes in it, it is `raw`. False: quotes do not match. */
static bool take_field(const char **at, const char *end, char separator, const char **text,
                       size_t *bytes, bool *raw)
{
    const char *p = *at;

    *raw = false;
    while (p < end && *p == ' ') {
        p++;
    }
    const bool quoted = p < end && *p == '"';
    const char *start = p += quoted;
    while (p < end && (quoted ? *p != '"' || (p + 1 < end && p[1] == '"') : *p != separator)) {
        *raw |= quoted && *p == '"';
        p += quoted && *p == '"' ? 2 : 1;
    }
    const char *stop = p;
    if (quoted && p++ >= end) {
        return false;
    }
    while (!quoted && stop > start && stop[-1] == ' ') {
        stop--;
    }
    while (quoted && p < end && *p == ' ') {
        p++;
    }
    if (p < end && *p != separator) {
        return false;
    }
    *text = start;
    *bytes = (size_t)(stop - start);
    *at = p < end ? p + 1 : NULL;
    return true;
}

/* Columns of source, target and weight in a header line; false when it names no source and target. */
static bool parse_header(const char *line, const char *end, char separator, int columns[3])
{
    const char *at = line;

    columns[0] = columns[1] = columns[2] = -1;
    for (int i = 0; at != NULL && i < MAX_COLUMNS; i++) {
        const char *text;
        size_t bytes;
        bool raw;

        if (!take_field(&at, end, separator, &text, &bytes, &raw)) {
            return false;
        }
        const char *const *const names[3] = {sources, targets, weights};
        for (int k = 0; k < 3; k++) {
            if (columns[k] < 0 && is_one_of(text, bytes, names[k])) {
                columns[k] = i;
                break;
            }
        }
    }
    return columns[0] >= 0 && columns[1] >= 0;
}

static char find_header(const char *data, size_t bytes, int columns[3])
{
    static const char separators[] = ",\t; ";

    if (bytes >= 3 && memcmp(data, "\xef\xbb\xbf", 3) == 0) {
        data += 3;
        bytes -= 3;
    }
    const char *stop = bytes == 0 ? NULL : memchr(data, '\n', bytes);
    const char *end = stop == NULL ? data + bytes : stop;
    end -= end > data && end[-1] == '\r';
    for (const char *separator = separators; *separator != '\0'; separator++) {
        if (parse_header(data, end, *separator, columns)) {
            return *separator;
        }
    }
    return '\0';
}

static bool detect(const struct mr_graph_probe *probe)
{
    int columns[3];
    return find_header(probe->data, probe->bytes, columns) != '\0';
}

static void close_csv(void *data)
{
    struct csv_reader *reader = data;
    if (reader != NULL) {
        mr_lines_close(reader->lines);
        free(reader->field);
        free(reader);
    }
}

static bool all_digits(const char *text, size_t bytes)
{
    uint64_t number;
    const char *at = text;
    return mr_decimal_parse(&at, text + bytes, &number) == MR_DECIMAL_OK && at == text + bytes &&
           number != UINT64_MAX;
}

/* Source, target and weight of a row, by the columns of the header; NULL where there are too few. */
struct row {
    const char *text[3];
    size_t bytes[3];
    bool raw[3];
};

static const char *split(const struct csv_reader *reader, const char *line, const char *end,
                         struct row *row)
{
    const int columns[3] = {reader->source, reader->target, reader->weight};
    const char *at = line;

    *row = (struct row){0};
    for (int i = 0; at != NULL; i++) {
        const char *text;
        size_t bytes;
        bool raw;

        if (!take_field(&at, end, reader->separator, &text, &bytes, &raw)) {
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

static enum mr_status open_csv(const struct mr_graph_request *request, struct mr_graph_head *head,
                               void **out, struct mr_error *err)
{
    struct csv_reader *reader = calloc(1, sizeof *reader);
    const char *data, *line;
    size_t bytes;
    int columns[3] = {-1, -1, -1};

    *out = NULL;
    if (reader == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a reader");
    }
    reader->request = *request;
    reader->field = malloc(MR_LINE_MAX_BYTES);
    enum mr_status status = reader->field != NULL
                                ? mr_input_peek(request->input, &data, &bytes, err)
                                : mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a line");
    if (status == MR_OK) {
        reader->separator = find_header(data, bytes, columns);
        if (reader->separator == '\0') {
            status =
                mr_error_line(err, MR_ERROR_INPUT, mr_input_name(request->input), 1,
                              "the header names no source and target columns; call them source "
                              "and target, src and dst, or from and to");
        }
    }
    if (status == MR_OK) {
        struct row row = {0};
        reader->source = columns[0];
        reader->target = columns[1];
        reader->weight = columns[2];
        const char *first = memchr(data, '\n', bytes);
        if (first != NULL && ++first < data + bytes) {
            const char *stop = memchr(first, '\n', (size_t)(data + bytes - first));
            const char *end = stop == NULL ? data + bytes : stop;
            end -= end > first && end[-1] == '\r';
            reader->names =
                split(reader, first, end, &row) == NULL &&
                !(all_digits(row.text[0], row.bytes[0]) && all_digits(row.text[1], row.bytes[1]));
        }
        status = mr_lines_open(request->context, request->input, &reader->lines, err);
    }
    if (status == MR_OK) {
        status = mr_lines_next(reader->lines, &line, &bytes, err); /* the header */
    }
    if (status != MR_OK) {
        close_csv(reader);
        return status;
    }
    *head = (struct mr_graph_head){.ids = reader->names ? MR_IDS_TEXT : MR_IDS_SPARSE,
                                   .weighted = reader->weight >= 0};
    *out = reader;
    return MR_OK;
}

static enum mr_status bad_row(struct csv_reader *reader, const char *reason, struct mr_error *err)
{
    const struct mr_edge_text_options *text = reader->request.text;
    const char *name = mr_input_name(reader->request.input);
    const uint64_t bad = ++reader->request.summary->bad_lines;

    if (text->bad_lines == MR_BAD_LINES_FAIL) {
        return mr_error_line(err, MR_ERROR_INPUT, name, mr_lines_number(reader->lines),
                             "%s; skip such lines with --bad-lines skip", reason);
    }
    return text->max_bad > 0 && bad > text->max_bad
               ? mr_error_line(err, MR_ERROR_INPUT, name, mr_lines_number(reader->lines),
                               "%s, and so the input has more than %llu bad lines", reason,
                               (unsigned long long)text->max_bad)
               : MR_OK;
}

/* The id of an end: a number, or the number the sink gives to the name. NULL, or what is wrong. */
static const char *take_id(struct csv_reader *reader, const struct mr_graph_sink *sink,
                           const struct row *row, int k, uint64_t *id, enum mr_status *status,
                           struct mr_error *err)
{
    const char *text = row->text[k];
    size_t bytes = row->bytes[k];

    if (!reader->names) {
        const char *at = text;
        return mr_decimal_parse(&at, text + bytes, id) != MR_DECIMAL_OK || at != text + bytes ||
                       *id == UINT64_MAX
                   ? "a vertex is no number"
                   : NULL;
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
    if (bytes > MR_NAME_MAX_BYTES) {
        return "a name is longer than 65536 bytes";
    }
    *status = sink->name(sink->data, text, bytes, id, err);
    return *status == MR_OK && *id == UINT64_MAX ? "a name is not in the vertex list" : NULL;
}

static enum mr_status read_row(struct csv_reader *reader, const struct mr_graph_sink *sink,
                               const char *line, size_t bytes, struct mr_error *err)
{
    struct row row;
    uint64_t ids[2] = {0, 0};
    double weight = 1;
    enum mr_status status = MR_OK;
    const char *reason = split(reader, line, line + bytes, &row);

    if (reason == NULL && reader->batch.weights) {
        char number[64], *end = number;
        (void)snprintf(number, sizeof number, "%.*s", (int)(row.bytes[2] < 63 ? row.bytes[2] : 63),
                       row.text[2] == NULL ? "" : row.text[2]);
        weight = strtod(number, &end);
        if (end == number || *end != '\0') {
            reason = reader->request.weights == MR_WEIGHTS_MUST
                         ? "the weight is missing or no number"
                         : "the weight is missing or no number; --no-weights reads past weights";
        } else if (mr_graph_refuses_weight(&reader->request, weight)) {
            reason = MR_GRAPH_WEIGHT_REASON;
        }
    }
    for (int k = 0; k < 2 && reason == NULL && status == MR_OK; k++) {
        reason = take_id(reader, sink, &row, k, &ids[k], &status, err);
    }
    if (status != MR_OK) {
        return status;
    }
    return reason != NULL ? bad_row(reader, reason, err)
                          : mr_edge_batch_add(&reader->batch, ids[0], ids[1], (float)weight, err);
}

static enum mr_status read_csv(void *data, const struct mr_graph_sink *sink, struct mr_error *err)
{
    struct csv_reader *reader = data;
    enum mr_status status = MR_OK;
    const char *line;
    size_t bytes;

    reader->batch.request = &reader->request;
    reader->batch.sink = sink;
    reader->batch.weights = reader->request.weights && reader->weight >= 0;
    for (;;) {
        status = mr_lines_next(reader->lines, &line, &bytes, err);
        if (status != MR_OK || line == NULL) {
            break;
        }
        if (bytes > 0) {
            status = read_row(reader, sink, line, bytes, err);
        }
        if (status != MR_OK) {
            break;
        }
    }
    return status == MR_OK ? mr_edge_batch_flush(&reader->batch, err) : status;
}

const struct mr_graph_format mr_format_csv = {.name = "csv",
                                              .title = "a table with a header",
                                              .detect = detect,
                                              .open = open_csv,
                                              .read = read_csv,
                                              .close = close_csv};
