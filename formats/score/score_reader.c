#include "formats/score/score_reader.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/stream/decimal.h"
#include "formats/stream/lines.h"

enum {
    NUMBER_BYTES = 512, /* "%f" of the smallest double has 326 digits at 17 significant ones */
    LIST_BYTES = 256
};

struct mr_score_reader {
    struct mr_input *input;
    struct mr_lines *lines;
    unsigned column; /* from 1: the field after that many tabs */
    const char *first; /* the first line, read to find the column and not given yet; or NULL */
    size_t first_bytes;
};

/* Field `index` of a line, 0 being the name; NULL when there are fewer. */
static const char *field_at(const char *line, size_t bytes, unsigned index, size_t *field_bytes)
{
    const char *end = line + bytes;
    const char *p = line;

    for (; index > 0; index--) {
        p = memchr(p, '\t', (size_t)(end - p));
        if (p == NULL) {
            return NULL;
        }
        p++;
    }
    const char *stop = memchr(p, '\t', (size_t)(end - p));
    *field_bytes = (size_t)((stop != NULL ? stop : end) - p);
    return p;
}

static unsigned count_columns(const char *line, size_t bytes)
{
    unsigned n = 0;
    for (size_t i = 0; i < bytes; i++) {
        n += line[i] == '\t';
    }
    return n;
}

bool mr_score_parse(const char *text, size_t bytes, double *value)
{
    char copy[NUMBER_BYTES];
    char *stop;

    if (bytes == 0 || bytes >= sizeof copy) {
        return false;
    }
    for (size_t i = 0; i < bytes; i++) {
        if (!((text[i] >= '0' && text[i] <= '9') || memchr("+-.eE", text[i], 5) != NULL)) {
            return false;
        }
    }
    memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    *value = strtod(copy, &stop);
    return stop == copy + bytes && isfinite(*value);
}

/* ---- Which column ---- */

static bool begins_like_header(const char *line, size_t bytes)
{
    size_t name_bytes = 0;
    const char *name = field_at(line, bytes, 0, &name_bytes);
    return name_bytes > 0 && (name[0] == '#' || (name_bytes == 4 && memcmp(name, "name", 4) == 0));
}

/* The score columns of a header, for a message. */
static const char *list_columns(const char *line, size_t bytes, char list[LIST_BYTES])
{
    unsigned n = count_columns(line, bytes);
    size_t used = 0;

    list[0] = '\0';
    for (unsigned i = 1; i <= n && used < LIST_BYTES - 1; i++) {
        size_t field_bytes = 0;
        const char *field = field_at(line, bytes, i, &field_bytes);
        char quote[MR_LINES_QUOTE_BYTES];
        int wrote = snprintf(list + used, LIST_BYTES - used, "%s%s", i > 1 ? ", " : "",
                             mr_lines_quote(field, field_bytes, quote));
        used += (size_t)wrote;
    }
    return list;
}

/* 0 when the header has no such name. */
static unsigned find_column(const char *line, size_t bytes, const char *wanted)
{
    unsigned n = count_columns(line, bytes);
    for (unsigned i = 1; i <= n; i++) {
        size_t field_bytes = 0;
        const char *field = field_at(line, bytes, i, &field_bytes);
        if (field_bytes == strlen(wanted) && memcmp(field, wanted, field_bytes) == 0) {
            return i;
        }
    }
    return 0;
}

static enum mr_status choose_column(struct mr_score_reader *reader, const char *column,
                                    struct mr_error *err)
{
    const char *file = mr_input_name(reader->input);
    const char *line = reader->first;
    const char *at = column;
    size_t bytes = reader->first_bytes, field_bytes = 0;
    unsigned n = count_columns(line, bytes);
    char list[LIST_BYTES];
    uint64_t number = n;
    double value;

    if (n == 0) {
        return mr_error_line(err, MR_ERROR_INPUT, file, 1,
                             "no tab, so no score; lines are NAME<TAB>SCORE");
    }
    bool by_number = column == NULL;
    if (column != NULL) {
        by_number =
            mr_decimal_parse(&at, column + strlen(column), &number) == MR_DECIMAL_OK && *at == '\0';
    }
    if (!by_number) {
        if (!begins_like_header(line, bytes)) {
            return mr_error_line(err, MR_ERROR_INPUT, file, 1,
                                 "no header to name a column \"%s\"; give its number, 1..%u",
                                 column, n);
        }
        reader->column = find_column(line, bytes, column);
        if (reader->column == 0) {
            return mr_error_line(err, MR_ERROR_INPUT, file, 1, "no column \"%s\"; choose one of %s",
                                 column, list_columns(line, bytes, list));
        }
        reader->first = NULL;
        return MR_OK;
    }
    if (number < 1 || number > n) {
        return mr_error_line(err, MR_ERROR_INPUT, file, 1,
                             "no score column %llu; the line has %u, choose 1..%u",
                             (unsigned long long)number, n, n);
    }
    reader->column = (unsigned)number;
    const char *field = field_at(line, bytes, reader->column, &field_bytes);
    if (begins_like_header(line, bytes) && !mr_score_parse(field, field_bytes, &value)) {
        reader->first = NULL;
    }
    return MR_OK;
}

/* ---- Rows ---- */

enum mr_status mr_score_reader_open(const struct mr_context *context, struct mr_input *input,
                                    const char *column, struct mr_score_reader **out,
                                    struct mr_error *err)
{
    struct mr_score_reader *reader = calloc(1, sizeof *reader);
    enum mr_status status;

    *out = NULL;
    if (reader == NULL) {
        return mr_error_file(err, MR_ERROR_BUDGET, mr_input_name(input), ENOMEM, "cannot read");
    }
    reader->input = input;
    status = mr_lines_open(context, input, &reader->lines, err);
    if (status == MR_OK) {
        status = mr_lines_next(reader->lines, &reader->first, &reader->first_bytes, err);
    }
    if (status == MR_OK && reader->first != NULL) {
        status = choose_column(reader, column, err);
    }
    if (status != MR_OK) {
        mr_score_reader_close(reader);
        return status;
    }
    *out = reader;
    return MR_OK;
}

void mr_score_reader_close(struct mr_score_reader *reader)
{
    if (reader != NULL) {
        mr_lines_close(reader->lines);
        free(reader);
    }
}

static enum mr_status bad_row(const struct mr_score_reader *reader, const char *line, size_t bytes,
                              const char *reason, struct mr_error *err)
{
    char quote[MR_LINES_QUOTE_BYTES];
    return mr_error_line(err, MR_ERROR_INPUT, mr_input_name(reader->input),
                         mr_lines_number(reader->lines),
                         "%s: %s; lines are NAME<TAB>SCORE, the score a finite number",
                         mr_lines_quote(line, bytes, quote), reason);
}

enum mr_status mr_score_reader_next(struct mr_score_reader *reader, const char **name,
                                    size_t *name_bytes, double *score, struct mr_error *err)
{
    const char *line = reader->first;
    size_t bytes = reader->first_bytes, field_bytes = 0;

    *name = NULL;
    *name_bytes = 0;
    reader->first = NULL;
    if (line == NULL) {
        enum mr_status status = mr_lines_next(reader->lines, &line, &bytes, err);
        if (status != MR_OK || line == NULL) {
            return status;
        }
    }
    const char *field = field_at(line, bytes, reader->column, &field_bytes);
    if (field == NULL) {
        return bad_row(reader, line, bytes, "too few columns", err);
    }
    if (!mr_score_parse(field, field_bytes, score)) {
        return bad_row(reader, line, bytes, "the score is no number", err);
    }
    const char *found = field_at(line, bytes, 0, name_bytes);
    if (*name_bytes == 0) {
        return bad_row(reader, line, bytes, "the name is empty", err);
    }
    *name = found;
    return MR_OK;
}

uint64_t mr_score_reader_line(const struct mr_score_reader *reader)
{
    return mr_lines_number(reader->lines);
}
