/* SPDX-License-Identifier: Apache-2.0 */
/* Reads Matrix Market: "%%MatrixMarket matrix coordinate real general", comments, "rows cols
 * entries", then "row col [value [imaginary]]", counted from 1. Entry (i, j) is the edge i -> j.
 * All max(rows, cols) vertices exist. `symmetric`, `skew-symmetric` and `hermitian` store one
 * triangle; the reader adds the other and does not double the diagonal. `array` matrices list all
 * values column by column; values that are not zero are edges.
 *
 * A file without the header line is coordinate real general, or an array if its first line has two
 * numbers. Weights are the value, the real part of complex entries, and 1 in a pattern. Source:
 * Boisvert, Pozo, Remington, "The Matrix Market exchange formats" (1996). */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "engine/base/bytes.h"
#include "formats/graph/edge_batch.h"
#include "formats/graph/graph_reader.h"
#include "formats/stream/output.h"
#include "formats/table/tokens.h"

enum field { REAL, INTEGER, COMPLEX, PATTERN };
enum symmetry { GENERAL, SYMMETRIC, SKEW, HERMITIAN };
static const char *const symmetries[] = {"general", "symmetric", "skew-symmetric", "hermitian"};

/* Some programs write one % less. */
static const char banner[] = "%%MatrixMarket";

static bool has_banner(const char *text, size_t bytes)
{
    return (bytes >= sizeof banner - 1 && strncasecmp(text, banner, sizeof banner - 1) == 0) ||
           (bytes >= sizeof banner - 2 && strncasecmp(text, banner + 1, sizeof banner - 2) == 0);
}

struct matrix_reader {
    struct mr_graph_request request;
    struct mr_edge_batch batch;
    struct mr_tokens *tokens;
    enum field field;
    enum symmetry symmetry;
    bool array;
    uint64_t rows, columns, entries;
    uint64_t row, column; /* of the entry before, with its value: */
    double value;
};

static bool detect(const struct mr_graph_probe *probe)
{
    return has_banner(probe->data, probe->bytes) || mr_output_has_suffix(probe->path, ".mtx");
}

/* Finds the next token among `words[n_words]`, the words that are allowed here. */
static enum mr_status take_word(struct matrix_reader *reader, const char *what,
                                const char *const *words, size_t n_words, unsigned *index,
                                struct mr_error *err)
{
    struct mr_token token;
    const enum mr_status status = mr_tokens_next(reader->tokens, &token, err);

    if (status != MR_OK) {
        return status;
    }
    for (size_t i = 0; i < n_words; i++) {
        if (mr_token_is(&token, words[i])) {
            *index = (unsigned)i;
            return MR_OK;
        }
    }
    char list[128] = "";
    for (size_t i = 0; i < n_words; i++) {
        const size_t used = strlen(list);
        (void)snprintf(list + used, sizeof list - used, "%s%s",
                       i == 0            ? ""
                       : i + 1 < n_words ? ", "
                                         : " or ",
                       words[i]);
    }
    return mr_tokens_error(reader->tokens, &token, err, "the header's %s must be %s", what, list);
}

static enum mr_status take_header(struct matrix_reader *reader, struct mr_error *err)
{
    static const char *const objects[] = {"matrix"};
    static const char *const layouts[] = {"coordinate", "array"};
    static const char *const fields[] = {"real", "integer", "complex", "pattern"};
    unsigned object, layout = 0, field = 0, symmetry = 0;

    enum mr_status status = take_word(reader, "object", objects, 1, &object, err);
    if (status == MR_OK) {
        status = take_word(reader, "layout", layouts, 2, &layout, err);
    }
    if (status == MR_OK) {
        status = take_word(reader, "field", fields, 4, &field, err);
    }
    if (status == MR_OK) {
        status = take_word(reader, "symmetry", symmetries, 4, &symmetry, err);
    }
    if (status != MR_OK) {
        return status;
    }
    reader->array = layout == 1;
    reader->field = (enum field)field;
    reader->symmetry = (enum symmetry)symmetry;
    if (reader->field == PATTERN && reader->array) {
        return mr_tokens_error(reader->tokens, NULL, err,
                               "an array cannot be a pattern; a pattern is of layout coordinate");
    }
    if ((reader->symmetry == HERMITIAN && reader->field != COMPLEX) ||
        (reader->symmetry == SKEW && reader->field == PATTERN)) {
        return mr_tokens_error(reader->tokens, NULL, err, "a %s matrix cannot be %s", fields[field],
                               symmetries[symmetry]);
    }
    return mr_tokens_skip_line(reader->tokens, err);
}

/* Takes the next token that is not in a comment and not a line end. */
static enum mr_status next_entry(struct matrix_reader *reader, struct mr_token *token,
                                 struct mr_error *err)
{
    for (;;) {
        enum mr_status status = mr_tokens_next(reader->tokens, token, err);

        if (status != MR_OK || token->kind == MR_TOKEN_END) {
            return status;
        }
        if (token->kind == MR_TOKEN_LINE) {
            continue;
        }
        if (token->text[0] != '%') {
            return MR_OK;
        }
        status = mr_tokens_skip_line(reader->tokens, err);
        if (status != MR_OK) {
            return status;
        }
    }
}

static enum mr_status end_line(struct matrix_reader *reader, struct mr_error *err)
{
    struct mr_token token;
    const enum mr_status status = mr_tokens_next(reader->tokens, &token, err);

    return status == MR_OK && token.kind >= MR_TOKEN_NUMBER
               ? mr_tokens_error(reader->tokens, &token, err, "more than the line should hold")
               : status;
}

/* Takes "rows columns entries", or "rows columns" in an array. `token` is the first of them. */
static enum mr_status take_sizes(struct matrix_reader *reader, struct mr_token *token, bool header,
                                 struct mr_error *err)
{
    uint64_t sizes[3] = {0};
    unsigned n = 0;
    enum mr_status status = MR_OK;

    while (status == MR_OK && token->kind >= MR_TOKEN_NUMBER && n < 3) {
        if (token->kind != MR_TOKEN_NUMBER) {
            return mr_tokens_error(reader->tokens, token, err, "is no size of a matrix");
        }
        sizes[n++] = token->number;
        status = mr_tokens_next(reader->tokens, token, err);
    }
    if (status != MR_OK) {
        return status;
    }
    reader->array = header ? reader->array : n == 2;
    if (token->kind >= MR_TOKEN_NUMBER || n != (reader->array ? 2 : 3)) {
        return mr_tokens_error(reader->tokens, NULL, err, "here must stand the numbers of rows%s",
                               reader->array ? " and columns" : ", columns and entries");
    }
    reader->rows = sizes[0];
    reader->columns = sizes[1];
    if (reader->symmetry != GENERAL && reader->rows != reader->columns) {
        return mr_tokens_error(reader->tokens, NULL, err,
                               "a matrix of %llu rows and %llu columns cannot be symmetric",
                               (unsigned long long)sizes[0], (unsigned long long)sizes[1]);
    }
    if (reader->array && mr_mul_overflows(sizes[0], sizes[1], &sizes[2])) {
        sizes[2] = UINT64_MAX;
    }
    if (reader->array && reader->symmetry != GENERAL) {
        /* One triangle, in a skew matrix without the diagonal. n^2 does not overflow, or the check
         * below refuses the matrix. */
        sizes[2] = sizes[2] / 2 + (reader->symmetry == SKEW ? 0 : (sizes[0] + 1) / 2);
        sizes[2] -= reader->symmetry == SKEW ? sizes[0] / 2 : 0;
    }
    reader->entries = sizes[2];
    /* An entry takes at least two bytes. */
    if (reader->entries / 2 > mr_tokens_left(reader->tokens)) {
        return mr_tokens_error(reader->tokens, NULL, err,
                               "%llu entries do not fit into the rest of the file",
                               (unsigned long long)reader->entries);
    }
    return MR_OK;
}

static void close_matrix(void *data)
{
    struct matrix_reader *reader = data;
    mr_tokens_close(reader->tokens);
}

/* Complex values have no order, so they are no weights. */
static bool has_weights(const struct matrix_reader *reader)
{
    return reader->field == REAL || reader->field == INTEGER;
}

static enum mr_status open_matrix(void *data, struct mr_graph_head *head, struct mr_error *err)
{
    struct matrix_reader *reader = data;
    const struct mr_graph_request *request = &reader->request;
    struct mr_token token = {0};

    enum mr_status status = mr_tokens_open(request->context, request->input, &reader->tokens, err);
    if (status == MR_OK) {
        status = mr_tokens_next(reader->tokens, &token, err);
    }
    const bool header =
        status == MR_OK && token.kind == MR_TOKEN_WORD && has_banner(token.text, token.bytes);
    if (header) {
        status = take_header(reader, err);
    }
    if (status == MR_OK && (header || token.kind < MR_TOKEN_NUMBER || token.text[0] == '%')) {
        if (token.kind >= MR_TOKEN_NUMBER) {
            status = mr_tokens_skip_line(reader->tokens, err);
        }
        if (status == MR_OK) {
            status = next_entry(reader, &token, err);
        }
    }
    if (status == MR_OK) {
        status = take_sizes(reader, &token, header, err);
    }
    *head = (struct mr_graph_head){.ids = MR_IDS_DENSE,
                                   .n_vertices = mr_max_u64(reader->rows, reader->columns),
                                   .n_edges = reader->entries,
                                   .weighted = has_weights(reader),
                                   .both_ways = reader->symmetry == GENERAL || request->directed
                                                    ? NULL
                                                    : symmetries[reader->symmetry],
                                   .mirrors = true};
    return status;
}

static enum mr_status take_index(struct matrix_reader *reader, const struct mr_token *token,
                                 const char *what, uint64_t limit, uint64_t *index,
                                 struct mr_error *err)
{
    if (token->kind < MR_TOKEN_NUMBER) {
        return mr_tokens_error(reader->tokens, NULL, err, "the entry has no %s", what);
    }
    if (token->kind != MR_TOKEN_NUMBER || token->number == 0 || token->number > limit) {
        return mr_tokens_error(reader->tokens, token, err, "the %s must be from 1 to %llu", what,
                               (unsigned long long)limit);
    }
    *index = token->number - 1;
    return MR_OK;
}

/* Takes the value at `first`. The other tokens of the value are still on the line. */
static enum mr_status take_value(struct matrix_reader *reader, const struct mr_token *first,
                                 double *value, bool *zero, struct mr_error *err)
{
    struct mr_token token = *first;
    double imaginary = 0;

    *value = 1;
    if (reader->field == PATTERN) {
        *zero = false;
        return MR_OK;
    }
    if (token.kind < MR_TOKEN_NUMBER) {
        return mr_tokens_error(reader->tokens, NULL, err, "the entry has no value");
    }
    if (!mr_token_real(&token, value)) {
        return mr_tokens_error(reader->tokens, &token, err, "the value is no number");
    }
    if (reader->field == COMPLEX) {
        const enum mr_status status = mr_tokens_next(reader->tokens, &token, err);
        if (status != MR_OK) {
            return status;
        }
        if (token.kind < MR_TOKEN_NUMBER || !mr_token_real(&token, &imaginary)) {
            return mr_tokens_error(reader->tokens, &token, err,
                                   "the imaginary part is missing or no number");
        }
    }
    *zero = *value == 0 && imaginary == 0;
    return MR_OK;
}

static enum mr_status add_entry(struct matrix_reader *reader, uint64_t row, uint64_t column,
                                double value, struct mr_error *err)
{
    const double mirrored = reader->symmetry == SKEW ? -value : value;

    if (reader->batch.weights && mr_graph_refuses_weight(&reader->request, fmin(value, mirrored))) {
        return mr_tokens_error(reader->tokens, NULL, err, "%s",
                               mr_graph_weight_reason(fmin(value, mirrored)));
    }
    enum mr_status status = mr_edge_batch_add(&reader->batch, row, column, value, err);
    if (status == MR_OK && reader->symmetry != GENERAL && row != column &&
        !reader->request.directed) {
        status = mr_edge_batch_add(&reader->batch, column, row, mirrored, err);
    }
    return status;
}

/* Refuses an entry that comes twice in a row with two values. The builder decides about repeated
 * entries of patterns and counts (--duplicates). */
static enum mr_status check_repeated(struct matrix_reader *reader, uint64_t row, uint64_t column,
                                     double value, struct mr_error *err)
{
    const bool repeated = row == reader->row && column == reader->column &&
                          value != reader->value && !reader->request.merges;

    reader->row = row;
    reader->column = column;
    reader->value = value;
    return repeated && (reader->field == REAL || reader->field == COMPLEX)
               ? mr_tokens_error(reader->tokens, NULL, err,
                                 "entry %llu %llu has two values; if they are links to be "
                                 "merged, say --duplicates merge",
                                 (unsigned long long)row + 1, (unsigned long long)column + 1)
               : MR_OK;
}

static enum mr_status read_coordinates(struct matrix_reader *reader, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    reader->row = UINT64_MAX;
    for (uint64_t i = 0; i < reader->entries && status == MR_OK; i++) {
        struct mr_token token;
        uint64_t row = 0, column = 0;
        double value = 1;
        bool zero = false;

        status = next_entry(reader, &token, err);
        if (status == MR_OK && token.kind == MR_TOKEN_END) {
            return mr_tokens_error(reader->tokens, NULL, err,
                                   "the file ends after %llu of %llu entries",
                                   (unsigned long long)i, (unsigned long long)reader->entries);
        }
        if (status == MR_OK) {
            status = take_index(reader, &token, "row", reader->rows, &row, err);
        }
        if (status == MR_OK) {
            status = mr_tokens_next(reader->tokens, &token, err);
        }
        if (status == MR_OK) {
            status = take_index(reader, &token, "column", reader->columns, &column, err);
        }
        if (status == MR_OK && reader->field != PATTERN) {
            status = mr_tokens_next(reader->tokens, &token, err);
        }
        if (status == MR_OK) {
            status = take_value(reader, &token, &value, &zero, err);
        }
        if (status == MR_OK) {
            status = check_repeated(reader, row, column, value, err);
        }
        if (status == MR_OK) {
            status = add_entry(reader, row, column, value, err);
        }
        if (status == MR_OK) {
            status = end_line(reader, err);
        }
    }
    return status;
}

/* Reads all values, column by column; a column may take several lines. */
static enum mr_status read_array(struct matrix_reader *reader, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    /* Without entries, the number of columns may be anything. */
    const uint64_t n_columns = reader->entries == 0 ? 0 : reader->columns;

    for (uint64_t column = 0; column < n_columns; column++) {
        uint64_t row = reader->symmetry == GENERAL ? 0 : column + (reader->symmetry == SKEW);

        for (; row < reader->rows; row++) {
            struct mr_token token;
            double value;
            bool zero = false;

            status = next_entry(reader, &token, err);
            if (status == MR_OK && token.kind == MR_TOKEN_END) {
                return mr_tokens_error(
                    reader->tokens, NULL, err, "the file ends in column %llu of %llu",
                    (unsigned long long)column + 1, (unsigned long long)reader->columns);
            }
            if (status == MR_OK) {
                status = take_value(reader, &token, &value, &zero, err);
            }
            if (status == MR_OK && !zero) {
                status = add_entry(reader, row, column, value, err);
            }
            if (status == MR_OK) {
                status = end_line(reader, err);
            }
            if (status != MR_OK) {
                return status;
            }
        }
    }
    return status;
}

static enum mr_status read_matrix(void *data, struct mr_error *err)
{
    struct matrix_reader *reader = data;
    struct mr_token token;

    enum mr_status status = reader->array ? read_array(reader, err) : read_coordinates(reader, err);
    if (status == MR_OK) {
        status = next_entry(reader, &token, err);
    }
    if (status == MR_OK && token.kind != MR_TOKEN_END) {
        return mr_tokens_error(reader->tokens, &token, err, "more than the %llu entries announced",
                               (unsigned long long)reader->entries);
    }
    return status;
}

const struct mr_graph_format mr_format_matrix_market = {.name = "mtx",
                                                        .mark = "mtx",
                                                        .title = "Matrix Market",
                                                        .detect = detect,
                                                        .reader_bytes =
                                                            MR_READER_BYTES(struct matrix_reader),
                                                        .open = open_matrix,
                                                        .read = read_matrix,
                                                        .close = close_matrix};
