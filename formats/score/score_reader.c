/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the rows of score files, for all commands that take scores as text. The first line decides
 * which field is the name and which is the score; all later lines are split the same way. Names do
 * not stay in memory, except for hashes of the first ones, which detect files that are lists of
 * links. */
#include "formats/score/score_reader.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "engine/base/decimal.h"
#include "engine/base/memory.h"
#include "formats/score/score_table.h"
#include "formats/stream/name_text.h"
#include "formats/table/double_text.h"
#include "formats/table/lines.h"

enum { LIST_BYTES = 256, SEEN_NAMES = 1 << 14, SEEN_SLOTS = 2 * SEEN_NAMES };

struct mr_score_reader {
    struct mr_input *input;
    struct mr_score_lines *lines;
    const struct mr_context *context;
    unsigned name_field; /* from 0 */
    unsigned column; /* field of the score, from 0 */
    uint64_t *seen; /* [SEEN_SLOTS] hashes of the first names, open addressing; 0: free */
    unsigned n_seen;
    bool is_heritrix; /* PAGE, SCORE, O:...: "dummy" is no page */
    const char *first; /* the first line, read to find the column; NULL once a caller got it */
    size_t first_bytes;
    char name[MR_LINE_MAX_BYTES]; /* the latest name that had codes */
};

/* Field `index` of a line, from 0; NULL when there are fewer. */
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

/* The length of a word like "nutch.score=" before a value; 0 when there is none. */
static size_t key_bytes(const char *field, size_t bytes)
{
    size_t n = 0;
    while (n < bytes && ((field[n] >= 'a' && field[n] <= 'z') || field[n] == '.')) {
        n++;
    }
    return n > 0 && n < bytes && field[n] == '=' ? n + 1 : 0;
}

static bool is_value(const char *field, size_t bytes, double *value)
{
    const size_t key = key_bytes(field, bytes);
    return mr_double_read(field + key, bytes - key, value);
}

/* ---- Which column ---- */

static bool begins_like_header(const char *line, size_t bytes)
{
    size_t name_bytes = 0;
    const char *name = field_at(line, bytes, 0, &name_bytes);
    return name_bytes > 0 && (name[0] == '#' || (name_bytes == 4 && memcmp(name, "name", 4) == 0));
}

/* Lists the score columns of a header, for a message. */
static const char *list_columns(const char *line, size_t bytes, unsigned name_field,
                                char list[LIST_BYTES])
{
    unsigned n = count_columns(line, bytes);
    size_t used = 0;

    list[0] = '\0';
    for (unsigned i = name_field == 0 ? 1 : 0; i <= n && used < LIST_BYTES - 1; i++) {
        size_t field_bytes = 0;
        if (i == name_field) {
            continue;
        }
        const char *field = field_at(line, bytes, i, &field_bytes);
        char quote[MR_LINES_QUOTE_BYTES];
        int wrote = snprintf(list + used, LIST_BYTES - used, "%s%s", used > 0 ? ", " : "",
                             mr_lines_quote(field, field_bytes, quote));
        used += (size_t)wrote;
    }
    return list;
}

/* The number of the field that the header calls `wanted`, searched from field `first` on; UINT_MAX
 * when there is none. Common Crawl puts a '#' before each name. */
static unsigned find_column(const char *line, size_t bytes, unsigned first, const char *wanted)
{
    unsigned n = count_columns(line, bytes);
    for (unsigned i = first; i <= n; i++) {
        size_t field_bytes = 0;
        const char *field = field_at(line, bytes, i, &field_bytes);
        if (field_bytes > 0 && field[0] == '#' && wanted[0] != '#') {
            field++;
            field_bytes--;
        }
        if (field_bytes == strlen(wanted) && memcmp(field, wanted, field_bytes) == 0) {
            return i;
        }
    }
    return UINT_MAX;
}

/* Is it a line of the file that Heritrix's PageRank passes from round to round: PAGE, SCORE, O:...
 */
static bool is_heritrix(const char *line, size_t bytes)
{
    size_t field_bytes = 0;
    const char *links = field_at(line, bytes, 2, &field_bytes);
    return links != NULL && field_bytes >= 2 && memcmp(links, "O:", 2) == 0;
}

static bool is_dummy(const char *line, size_t bytes)
{
    return bytes > 6 && memcmp(line, "dummy\t", 6) == 0;
}

static enum mr_status choose_column(struct mr_score_reader *reader, const char *column,
                                    struct mr_error *err)
{
    const char *file = mr_input_name(reader->input);
    const char *line = reader->first;
    size_t bytes = reader->first_bytes, field_bytes = 0;
    unsigned n = count_columns(line, bytes);
    char list[LIST_BYTES];
    const struct mr_score_columns *columns = mr_score_lines_columns(reader->lines);
    const bool is_header = columns->has_header || begins_like_header(line, bytes);
    uint64_t number = n;
    double value;

    if (n == 0) {
        const bool is_table = memchr(line, ',', bytes) != NULL || memchr(line, ';', bytes) != NULL;
        return mr_error_line(err, MR_ERROR_INPUT, file, 1, "%s; lines are NAME<TAB>SCORE",
                             is_table ? "no table: the lines have different numbers of columns, or "
                                        "quotes that do not match"
                                      : "no tab, so no score");
    }
    reader->name_field = columns->name;
    const char *second = field_at(line, bytes, 1, &field_bytes);
    const unsigned host = is_header ? find_column(line, bytes, 0, "#host_rev") : UINT_MAX;
    if (host != UINT_MAX) {
        reader->name_field = host;
        column = column != NULL ? column : "#pr_val";
    } else if (column == NULL && (key_bytes(second, field_bytes) > 0 || is_heritrix(line, bytes))) {
        number = 1;
    }
    reader->is_heritrix = is_heritrix(line, bytes);
    const bool by_number =
        column == NULL || mr_decimal_whole(column, column + strlen(column), &number);
    if (column == NULL && columns->score != MR_SCORE_LAST) {
        number = columns->score + (columns->score < columns->name);
    }
    if (!by_number) {
        if (!is_header) {
            return mr_error_line(err, MR_ERROR_INPUT, file, 1,
                                 "no header to name a column \"%s\"; give its number, 1..%u",
                                 column, n);
        }
        reader->column = find_column(line, bytes, reader->name_field == 0 ? 1 : 0, column);
        if (reader->column == UINT_MAX || reader->column == reader->name_field) {
            return mr_error_line(err, MR_ERROR_INPUT, file, 1, "no column \"%s\"; choose one of %s",
                                 column, list_columns(line, bytes, reader->name_field, list));
        }
        reader->first = NULL;
        return MR_OK;
    }
    if (number < 1 || number > n) {
        return mr_error_line(err, MR_ERROR_INPUT, file, 1,
                             "no score column %llu; the line has %u, choose 1..%u",
                             (unsigned long long)number, n, n);
    }
    reader->column = (unsigned)number - (number <= reader->name_field ? 1 : 0);
    const char *field = field_at(line, bytes, reader->column, &field_bytes);
    if (is_header && !is_value(field, field_bytes, &value)) {
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

    *out = reader;
    if (reader == NULL) {
        return mr_error_file(err, MR_ERROR_BUDGET, mr_input_name(input), ENOMEM, "cannot read");
    }
    reader->context = context;
    reader->input = input;
    status = mr_score_lines_open(context, input, &reader->lines, err);
    if (status == MR_OK) {
        status = mr_memory_array(context->memory, "first names", SEEN_SLOTS, &reader->seen, err);
    }
    if (status == MR_OK) {
        status = mr_score_lines_next(reader->lines, &reader->first, &reader->first_bytes, err);
    }
    if (status == MR_OK && reader->first != NULL) {
        status = choose_column(reader, column, err);
    }
    return status;
}

size_t mr_score_reader_pending(const struct mr_score_reader *reader)
{
    return mr_lines_pending(mr_score_lines_source(reader->lines));
}

void mr_score_reader_close(struct mr_score_reader *reader)
{
    if (reader != NULL) {
        mr_memory_free(reader->context->memory, reader->seen);
        mr_score_lines_close(reader->lines);
        free(reader);
    }
}

static enum mr_status bad_row(const struct mr_score_reader *reader, const char *line, size_t bytes,
                              const char *reason, struct mr_error *err)
{
    char quote[MR_LINES_QUOTE_BYTES];
    return mr_error_line(err, MR_ERROR_INPUT, mr_input_name(reader->input),
                         mr_lines_number(mr_score_lines_source(reader->lines)),
                         "%s: %s; lines are NAME<TAB>SCORE, the score a finite number",
                         mr_lines_quote(line, bytes, quote), reason);
}

/* Was the name there already? Remembers it as long as there is room. */
static bool was_seen(struct mr_score_reader *reader, const char *name, size_t bytes)
{
    if (reader->n_seen == SEEN_NAMES) {
        return false;
    }
    const uint64_t hash = XXH3_64bits(name, bytes) | 1;
    uint64_t at = hash >> 1 & (SEEN_SLOTS - 1);
    while (reader->seen[at] != 0 && reader->seen[at] != hash) {
        at = (at + 1) & (SEEN_SLOTS - 1);
    }
    const bool was = reader->seen[at] == hash;
    reader->seen[at] = hash;
    reader->n_seen++;
    return was;
}

enum mr_status mr_score_reader_next(struct mr_score_reader *reader, const char **name,
                                    size_t *name_bytes, double *score, struct mr_error *err)
{
    const char *line = reader->first;
    size_t bytes = reader->first_bytes, field_bytes = 0;

    *name = NULL;
    *name_bytes = 0;
    reader->first = NULL;
    while (line == NULL || (reader->is_heritrix && is_dummy(line, bytes))) {
        const enum mr_status status = mr_score_lines_next(reader->lines, &line, &bytes, err);
        if (status != MR_OK || line == NULL) {
            return status;
        }
    }
    const char *field = field_at(line, bytes, reader->column, &field_bytes);
    const char *found = field_at(line, bytes, reader->name_field, name_bytes);
    if (field == NULL || found == NULL) {
        return bad_row(reader, line, bytes, "too few columns", err);
    }
    if (!is_value(field, field_bytes, score)) {
        return bad_row(reader, line, bytes, "the score is no number", err);
    }
    if (*name_bytes == 0) {
        return bad_row(reader, line, bytes, "the name is empty", err);
    }
    if (was_seen(reader, found, *name_bytes)) {
        char quote[MR_LINES_QUOTE_BYTES];
        return mr_error_line(err, MR_ERROR_INPUT, mr_input_name(reader->input),
                             mr_lines_number(mr_score_lines_source(reader->lines)),
                             "%s has a score already; a file may name a page once, a list of links "
                             "is no file of scores",
                             mr_lines_quote(found, *name_bytes, quote));
    }
    *name = found;
    if (memchr(found, '\\', *name_bytes) != NULL) {
        *name_bytes = mr_name_unescape(found, *name_bytes, reader->name);
        *name = reader->name;
    }
    return MR_OK;
}

uint64_t mr_score_reader_line(const struct mr_score_reader *reader)
{
    return mr_lines_number(mr_score_lines_source(reader->lines));
}
