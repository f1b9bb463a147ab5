/* SPDX-License-Identifier: Apache-2.0 */
/* Builds stores from tables in memory, as the stream interface of Apache Arrow hands them over:
 * batches of rows, whose columns are arrays of numbers or texts.
 *
 * The stream becomes a callback of edges or of named edges (build_from_memory.c). One batch is in
 * memory at a time. The producer is code of this process, and its pointers are trusted; types,
 * lengths, nulls, signs and indices of dictionaries are checked. Source: "The Arrow C data
 * interface" and "The Arrow C stream interface", version 1.4 of the columnar format. */
#include <inttypes.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "library/build_internal.h"

enum { SOURCE, TARGET, WEIGHT, MAX_COLUMNS, INLINE_BYTES = 12, VIEW_BYTES = 16 };

struct ArrowSchema {
    const char *format, *name, *metadata;
    int64_t flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *schema);
    void *private_data;
};

struct ArrowArray {
    int64_t length, null_count, offset, n_buffers, n_children;
    const void **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *array);
    void *private_data;
};

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *stream, struct ArrowSchema *schema);
    int (*get_next)(struct ArrowArrayStream *stream, struct ArrowArray *array);
    const char *(*get_last_error)(struct ArrowArrayStream *stream);
    void (*release)(struct ArrowArrayStream *stream);
    void *private_data;
};

/* Formats are letters: c C s S i I l L are integers, f g floats, u U z Z texts with offsets. Views
 * of texts, "vu" and "vz", are V here. */
struct arrow_column {
    const char *name;
    char values, indices; /* formats; `indices` of a dictionary, else 0 */
    const struct ArrowArray *array; /* of the batch */
    bool is_plain; /* the batch has no nulls in it, and no dictionary */
};

struct arrow_table {
    struct ArrowArrayStream *stream;
    struct ArrowSchema schema;
    struct ArrowArray batch; /* `release` is NULL: none */
    int64_t row; /* of the batch, the next one */
    uint64_t n_before; /* rows of earlier batches */
    unsigned n_columns;
    struct arrow_column columns[MAX_COLUMNS];
};

/* ---- Columns ---- */

static char letter(const char *format)
{
    const bool is_view = strcmp(format, "vu") == 0 || strcmp(format, "vz") == 0;
    return is_view ? 'V' : format[0] != '\0' && format[1] == '\0' ? format[0] : '?';
}

static bool is_one_of(char format, const char *formats)
{
    return strchr(formats, format) != NULL;
}

#define INTEGERS "cCsSiIlL"
#define SIGNED   "csil"
#define TEXTS    "uUzZV"

static enum mr_status take_column(struct arrow_column *column, const struct ArrowSchema *schema,
                                  const char *formats, const char *wanted, struct mr_error *err)
{
    const bool is_dictionary = schema->dictionary != NULL;
    const struct ArrowSchema *values = is_dictionary ? schema->dictionary : schema;

    column->name = schema->name != NULL ? schema->name : "";
    column->indices = is_dictionary ? letter(schema->format) : '\0';
    column->values = letter(values->format);
    const bool has_indices = !is_dictionary || is_one_of(column->indices, INTEGERS);
    if (is_dictionary && values->dictionary != NULL) { /* its format is that of its indices */
        return mr_error_set(err, MR_ERROR_INPUT,
                            "column \"%.64s\" is a dictionary whose values are a dictionary; cast "
                            "it to %s",
                            column->name, wanted);
    }
    if (!has_indices || !is_one_of(column->values, formats)) {
        return mr_error_set(err, MR_ERROR_INPUT,
                            "column \"%.64s\" has Arrow's type \"%.32s\"; cast it to %s",
                            column->name, (has_indices ? values : schema)->format, wanted);
    }
    return MR_OK;
}

static enum mr_status take_schema(struct arrow_table *table, struct mr_error *err)
{
    const struct ArrowSchema *schema = &table->schema;
    const bool is_weighted = table->n_columns > WEIGHT;

    if (strcmp(schema->format, "+s") != 0 || schema->n_children != table->n_columns) {
        return mr_error_set(err, MR_ERROR_INPUT,
                            "the table has %" PRId64 " columns, not source, target%s; choose them",
                            schema->n_children, is_weighted ? ", weight" : "");
    }
    enum mr_status status = take_column(&table->columns[SOURCE], schema->children[SOURCE],
                                        INTEGERS TEXTS, "an integer or a text", err);
    const bool is_text = is_one_of(table->columns[SOURCE].values, TEXTS);
    if (status == MR_OK) {
        status = take_column(
            &table->columns[TARGET], schema->children[TARGET], is_text ? TEXTS : INTEGERS,
            is_text ? "a text, as the source is" : "an integer, as the source is", err);
    }
    if (status == MR_OK && is_weighted) {
        status = take_column(&table->columns[WEIGHT], schema->children[WEIGHT], INTEGERS "fg",
                             "a 32-bit or 64-bit float", err);
    }
    return status;
}

/* ---- Values ---- */

/* The integer at `i`; of a signed type, its two's complement in 64 bits. */
static uint64_t integer_at(const void *data, char format, int64_t i)
{
    switch (format) {
    case 'c':
        return (uint64_t)((const int8_t *)data)[i];
    case 'C':
        return ((const uint8_t *)data)[i];
    case 's':
        return (uint64_t)((const int16_t *)data)[i];
    case 'S':
        return ((const uint16_t *)data)[i];
    case 'i':
        return (uint64_t)((const int32_t *)data)[i];
    case 'I':
        return ((const uint32_t *)data)[i];
    default: /* l, L */
        return ((const uint64_t *)data)[i];
    }
}

static const uint8_t *validity(const struct ArrowArray *array)
{
    return array->null_count != 0 ? array->buffers[0] : NULL;
}

static bool is_null(const struct ArrowArray *array, int64_t i)
{
    const uint8_t *valid = validity(array);
    return valid != NULL && (valid[i >> 3] >> (i & 7) & 1) == 0;
}

static enum mr_status refuse(const struct arrow_table *table, const struct arrow_column *column,
                             const char *what, struct mr_error *err)
{
    return mr_error_set(err, MR_ERROR_INPUT, "row %" PRIu64 ": column \"%.64s\" %s",
                        table->n_before + (uint64_t)table->row, column->name, what);
}

/* The array that has the value of a row, and its index there. */
static inline enum mr_status locate(const struct arrow_table *table,
                                    const struct arrow_column *column,
                                    const struct ArrowArray **array, int64_t *at,
                                    struct mr_error *err)
{
    const int64_t in_batch = table->batch.offset + table->row;

    *array = column->array;
    *at = column->array->offset + in_batch;
    if (column->is_plain) {
        return MR_OK;
    }
    bool is_missing = is_null(&table->batch, in_batch) || is_null(*array, *at);
    if (!is_missing && column->indices != '\0') {
        const uint64_t index = integer_at((*array)->buffers[1], column->indices, *at);
        *array = column->array->dictionary;
        if (index >= (uint64_t)(*array)->length) {
            return refuse(table, column, "has an index that its dictionary lacks", err);
        }
        *at = (*array)->offset + (int64_t)index;
        is_missing = is_null(*array, *at);
    }
    return is_missing ? refuse(table, column, "is null; leave out rows without a value", err)
                      : MR_OK;
}

static enum mr_status read_id(const struct arrow_table *table, const struct arrow_column *column,
                              uint64_t *id, struct mr_error *err)
{
    const struct ArrowArray *array;
    int64_t at;

    enum mr_status status = locate(table, column, &array, &at, err);
    if (status == MR_OK) {
        *id = integer_at(array->buffers[1], column->values, at);
        if (*id >> 63 != 0 && is_one_of(column->values, SIGNED)) {
            status = refuse(table, column, "is negative; numbers of pages begin with 0", err);
        }
    }
    return status;
}

static enum mr_status read_weight(const struct arrow_table *table, float *weight,
                                  struct mr_error *err)
{
    const struct arrow_column *column = &table->columns[WEIGHT];
    const struct ArrowArray *array;
    int64_t at;

    if (table->n_columns <= WEIGHT) {
        return MR_OK;
    }
    const enum mr_status status = locate(table, column, &array, &at, err);
    if (status == MR_OK) {
        const void *data = array->buffers[1];
        *weight = column->values == 'f'   ? ((const float *)data)[at]
                  : column->values == 'g' ? (float)((const double *)data)[at]
                  : is_one_of(column->values, SIGNED)
                      ? (float)(int64_t)integer_at(data, column->values, at)
                      : (float)integer_at(data, column->values, at);
    }
    return status;
}

/* A view is a length and 12 bytes: the text, or its first 4 bytes, a buffer and an offset. */
static enum mr_status read_text(const struct arrow_table *table, const struct arrow_column *column,
                                const char **text, size_t *bytes, struct mr_error *err)
{
    const struct ArrowArray *array;
    int64_t at;

    const enum mr_status status = locate(table, column, &array, &at, err);
    if (status == MR_OK && column->values == 'V') {
        const uint8_t *view = (const uint8_t *)array->buffers[1] + at * VIEW_BYTES;
        *bytes = mr_get_u32(view);
        *text = *bytes <= INLINE_BYTES ? (const char *)view + 4
                                       : (const char *)array->buffers[2 + mr_get_u32(view + 8)] +
                                             mr_get_u32(view + 12);
    } else if (status == MR_OK) {
        const char offsets = is_one_of(column->values, "uz") ? 'i' : 'l';
        const uint64_t from = integer_at(array->buffers[1], offsets, at);
        *text = (const char *)array->buffers[2] + from;
        *bytes = (size_t)(integer_at(array->buffers[1], offsets, at + 1) - from);
    }
    return status;
}

/* ---- Batches ---- */

static enum mr_status stream_error(struct arrow_table *table, int os_errno, struct mr_error *err)
{
    const char *reason = table->stream->get_last_error(table->stream);
    return mr_error_set(err, MR_ERROR_INPUT, "the stream of the table failed: %.512s",
                        reason != NULL ? reason : strerror(os_errno));
}

static void release_batch(struct arrow_table *table)
{
    if (table->batch.release != NULL) {
        table->n_before += (uint64_t)table->batch.length;
        table->batch.release(&table->batch);
    }
    table->batch = (struct ArrowArray){0};
    table->row = 0;
}

static enum mr_status take_batch(struct arrow_table *table, struct mr_error *err)
{
    const struct ArrowArray *batch = &table->batch;
    bool fits = batch->n_children == table->n_columns && batch->length >= 0 && batch->offset >= 0;

    for (unsigned i = 0; fits && i < table->n_columns; i++) {
        struct arrow_column *column = &table->columns[i];
        const struct ArrowArray *array = batch->children[i];
        column->array = array;
        column->is_plain =
            validity(batch) == NULL && validity(array) == NULL && column->indices == '\0';
        fits = array->offset >= 0 && array->length - batch->offset >= batch->length &&
               (column->indices == '\0' || array->dictionary != NULL);
    }
    return fits ? MR_OK
                : mr_error_set(err, MR_ERROR_INPUT,
                               "the batch from row %" PRIu64 " on has too few columns or values; "
                               "the program that made the table has a fault",
                               table->n_before);
}

/* Have a batch with rows left. `*is_end`: there is none. */
static enum mr_status fill(struct arrow_table *table, bool *is_end, struct mr_error *err)
{
    *is_end = false;
    while (table->row >= table->batch.length) {
        release_batch(table);
        const int failure = table->stream->get_next(table->stream, &table->batch);
        if (failure != 0) {
            table->batch.release = NULL;
            return stream_error(table, failure, err);
        }
        if (table->batch.release == NULL) {
            *is_end = true;
            return MR_OK;
        }
        const enum mr_status status = take_batch(table, err);
        if (status != MR_OK) {
            return status;
        }
    }
    return MR_OK;
}

static enum mr_status next_edges(void *data, struct mr_edge *edges, float *weights, size_t capacity,
                                 size_t *n_edges, struct mr_error *err)
{
    struct arrow_table *table = data;
    bool is_end;
    size_t n = 0;

    enum mr_status status = fill(table, &is_end, err);
    while (status == MR_OK && !is_end && n < capacity && table->row < table->batch.length) {
        status = read_id(table, &table->columns[SOURCE], &edges[n].source, err);
        if (status == MR_OK) {
            status = read_id(table, &table->columns[TARGET], &edges[n].target, err);
        }
        if (status == MR_OK) {
            status = read_weight(table, weights != NULL ? &weights[n] : NULL, err);
        }
        table->row++;
        n++;
    }
    *n_edges = n;
    return status;
}

static enum mr_status next_named(void *data, struct mr_named_edge *edge, bool *is_end,
                                 struct mr_error *err)
{
    struct arrow_table *table = data;

    enum mr_status status = fill(table, is_end, err);
    if (status != MR_OK || *is_end) {
        return status;
    }
    status = read_text(table, &table->columns[SOURCE], &edge->source, &edge->source_bytes, err);
    if (status == MR_OK) {
        status = read_text(table, &table->columns[TARGET], &edge->target, &edge->target_bytes, err);
    }
    if (status == MR_OK) {
        status = read_weight(table, &edge->weight, err);
    }
    table->row++;
    return status;
}

enum mr_status mr_store_build_arrow(const struct mr_context *context, const char *path,
                                    struct ArrowArrayStream *stream,
                                    const struct mr_store_build_options *options,
                                    struct mr_store_build_figures *figures, struct mr_error *err)
{
    struct mr_store_build_options taken;
    struct arrow_table table = {.stream = stream};

    enum mr_status status = mr_store_build_copy_options(options, &taken, err);
    if (status == MR_OK) {
        table.n_columns = taken.weights == MR_WEIGHTS_REQUIRED ? MAX_COLUMNS : WEIGHT;
        const int failure = stream->get_schema(stream, &table.schema);
        if (failure != 0) {
            table.schema.release = NULL;
        }
        status = failure == 0 ? take_schema(&table, err) : stream_error(&table, failure, err);
    }
    if (status == MR_OK) {
        status =
            is_one_of(table.columns[SOURCE].values, TEXTS)
                ? mr_store_build_named(context, path, next_named, &table, options, figures, err)
                : mr_store_build_callback(context, path, next_edges, &table, options, figures, err);
    }
    release_batch(&table);
    if (table.schema.release != NULL) {
        table.schema.release(&table.schema);
    }
    stream->release(stream);
    return status;
}
