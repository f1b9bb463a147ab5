/* SPDX-License-Identifier: Apache-2.0 */
/* Builds stores from tables in memory, as the stream interface of Apache Arrow hands them over:
 * batches of rows, whose columns are arrays of numbers or texts.
 *
 * The stream becomes a callback of edges (build_from_memory.c). The entrance of all edges in memory
 * is here, too. One batch is in memory at a time.
 * The producer is code of this process, and its pointers are trusted; types, lengths, nulls, signs
 * and indices of dictionaries are checked. Source: "The Arrow C data interface" and "The Arrow C
 * stream interface", version 1.4 of the columnar format. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/sized_struct.h"
#include "formats/graph/link_columns.h"
#include "library/build_internal.h"
#include "library/import/import_options.h"

enum {
    SOURCE,
    TARGET,
    WEIGHT,
    MAX_COLUMNS,
    INLINE_BYTES = 12,
    VIEW_BYTES = 16,
    DECIMAL_BYTES = 16
};

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
 * of texts, "vu" and "vz", are V here, and decimals of 128 bits, "d:PRECISION,SCALE", are d, those
 * without a fraction D. */
struct arrow_column {
    const char *name;
    unsigned place; /* among the columns of the table */
    char values, indices; /* formats; `indices` of a dictionary, else 0 */
    double unit; /* of a decimal */
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
    bool is_named; /* the columns: then floats may be ids, such as data frames make of integers */
    struct mr_build *build; /* with ends that are texts, which it gives ids */
    struct arrow_column columns[MAX_COLUMNS];
};

/* ---- Columns ---- */

/* The letter of a format. `*unit` gets the value of the last digit of a decimal. */
static char letter(const char *format, double *unit)
{
    int precision, scale, bits = 8 * DECIMAL_BYTES;

    *unit = 1;
    if (sscanf(format, "d:%d,%d,%d", &precision, &scale, &bits) >= 2 && bits == 8 * DECIMAL_BYTES) {
        *unit = pow(10, -scale);
        return scale == 0 ? 'D' : 'd';
    }
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
#define OTHERS   "fgdD" /* numbers that are whole or not */

/* What a format of Arrow is in words, for a message. */
static const char *words_of(const char *format)
{
    static const char *const words[][2] = {{"e", "half-precision floats"},
                                           {"b", "truth values"},
                                           {"n", "nulls"},
                                           {"z", "bytes"},
                                           {"w:", "bytes"},
                                           {"d:", "decimals of another width"},
                                           {"td", "dates"},
                                           {"t", "times"},
                                           {"+r", "runs"},
                                           {"+s", "structures"},
                                           {"+m", "maps"},
                                           {"+u", "unions"},
                                           {"+", "lists"}};

    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (strncmp(format, words[i][0], strlen(words[i][0])) == 0) {
            return words[i][1];
        }
    }
    return is_one_of(*format, "fg") ? "floats" : is_one_of(*format, "uUv") ? "texts" : "integers";
}

static enum mr_status take_column(struct arrow_column *column, const struct ArrowSchema *schema,
                                  const char *formats, const char *wanted, struct mr_error *err)
{
    const bool is_dictionary = schema->dictionary != NULL;
    const struct ArrowSchema *values = is_dictionary ? schema->dictionary : schema;

    column->name = schema->name != NULL ? schema->name : "";
    column->indices = is_dictionary ? letter(schema->format, &column->unit) : '\0';
    column->values = letter(values->format, &column->unit);
    const bool has_indices = !is_dictionary || is_one_of(column->indices, INTEGERS);
    if (is_dictionary && values->dictionary != NULL) { /* its format is that of its indices */
        return mr_error_set(err, MR_ERROR_INPUT,
                            "column \"%.64s\" is a dictionary whose values are a dictionary; cast "
                            "it to %s",
                            column->name, wanted);
    }
    if (!has_indices || !is_one_of(column->values, formats)) {
        return mr_error_set(err, MR_ERROR_INPUT, "column \"%.64s\" has %s; cast it to %s",
                            column->name, words_of((has_indices ? values : schema)->format),
                            wanted);
    }
    return MR_OK;
}

/* Which columns are the ends and the weight: those that the caller names, those whose names are
 * words for them, or the first ones of a table that has no others. */
static enum mr_status choose_columns(const struct mr_context *context, struct arrow_table *table,
                                     const struct mr_columns_wanted *wanted, struct mr_error *err)
{
    const struct ArrowSchema *schema = &table->schema;
    const bool is_weighted = table->n_columns > WEIGHT, is_swapped = wanted->order != 0;
    const int ordered[MAX_COLUMNS] = {is_swapped, !is_swapped, WEIGHT};
    int named[MAX_COLUMNS];
    struct mr_table_row header = {.n_fields = (unsigned)schema->n_children};

    for (unsigned i = 0; i < header.n_fields && i < MR_TABLE_FIELDS; i++) {
        const char *name = schema->children[i]->name != NULL ? schema->children[i]->name : "";
        header.fields[i] = (struct mr_table_field){.text = name, .bytes = strlen(name)};
    }
    table->is_named = (!wanted->is_said || wanted->names != NULL) &&
                      mr_columns_of_header(&header, wanted->names, named);
    if (wanted->names != NULL && !table->is_named) {
        return mr_error_set(err, MR_ERROR_INPUT, "the table has no columns %s", wanted->names);
    }
    if (table->is_named && is_weighted && named[WEIGHT] < 0 && schema->n_children == MAX_COLUMNS) {
        named[WEIGHT] = MAX_COLUMNS - named[SOURCE] - named[TARGET]; /* the one that is left */
    }
    if (!table->is_named ? schema->n_children != table->n_columns
                         : is_weighted && named[WEIGHT] < 0) {
        return mr_error_set(err, MR_ERROR_INPUT,
                            "the table has %" PRId64 " columns, and their names do not say which "
                            "are source%s target%s; name them: columns=\"SOURCE,TARGET%s\"",
                            schema->n_children, is_weighted ? "," : " and",
                            is_weighted ? " and weight" : "", is_weighted ? ",WEIGHT" : "");
    }
    for (unsigned i = 0; i < table->n_columns; i++) {
        const int place = table->is_named ? named[i] : ordered[i];
        if (place >= schema->n_children) {
            return mr_error_set(err, MR_ERROR_INPUT, "the table has no column %d", place + 1);
        }
        table->columns[i].place = (unsigned)place;
    }
    if (!table->is_named && !wanted->is_said) {
        mr_context_note(context,
                        "the table has no known names of columns; \"%.64s\" is read as source, "
                        "\"%.64s\" as target; if the target comes first, say --columns "
                        "target-source",
                        header.fields[table->columns[SOURCE].place].text,
                        header.fields[table->columns[TARGET].place].text);
    }
    return MR_OK;
}

static enum mr_status take_schema(const struct mr_context *context, struct arrow_table *table,
                                  const struct mr_columns_wanted *wanted, struct mr_error *err)
{
    struct ArrowSchema **children = table->schema.children;
    struct arrow_column *columns = table->columns;

    if (strcmp(table->schema.format, "+s") != 0 || table->schema.n_children > INT32_MAX) {
        return mr_error_set(err, MR_ERROR_INPUT, "it is an array of Arrow, not a table");
    }
    enum mr_status status = choose_columns(context, table, wanted, err);
    if (status == MR_OK) {
        status = take_column(&columns[SOURCE], children[columns[SOURCE].place],
                             table->is_named ? INTEGERS OTHERS TEXTS : INTEGERS "D" TEXTS,
                             "an integer or a text", err);
    }
    if (status == MR_OK) {
        const bool is_text = is_one_of(columns[SOURCE].values, TEXTS);
        status =
            take_column(&columns[TARGET], children[columns[TARGET].place],
                        is_text           ? TEXTS
                        : table->is_named ? INTEGERS OTHERS
                                          : INTEGERS "D",
                        is_text ? "a text, as the source is" : "an integer, as the source is", err);
    }
    if (status == MR_OK && table->n_columns > WEIGHT) {
        status = take_column(&columns[WEIGHT], children[columns[WEIGHT].place], INTEGERS OTHERS,
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

/* The lower and upper half of the decimal at `i`, in two's complement. */
static uint64_t lower_at(const void *data, int64_t i)
{
    return mr_get_u64((const uint8_t *)data + i * DECIMAL_BYTES);
}

static int64_t upper_at(const void *data, int64_t i)
{
    return (int64_t)mr_get_u64((const uint8_t *)data + i * DECIMAL_BYTES + DECIMAL_BYTES / 2);
}

/* A small decimal is exact. */
static double decimal_at(const void *data, int64_t i)
{
    const int64_t upper = upper_at(data, i), low = (int64_t)lower_at(data, i);
    return upper == (low < 0 ? -1 : 0) ? (double)low
                                       : (double)upper * 0x1p64 + (double)lower_at(data, i);
}

static double real_at(const void *data, const struct arrow_column *column, int64_t i)
{
    return column->values == 'f'             ? (double)((const float *)data)[i]
           : column->values == 'g'           ? ((const double *)data)[i]
           : is_one_of(column->values, "dD") ? decimal_at(data, i) * column->unit
           : is_one_of(column->values, SIGNED)
               ? (double)(int64_t)integer_at(data, column->values, i)
               : (double)integer_at(data, column->values, i);
}

/* The number of a page in a column of floats or decimals, such as data frames make of a column of
 * integers where one is missing. Returns NULL, or what is wrong with it. */
static const char *whole_at(const void *data, const struct arrow_column *column, int64_t i,
                            uint64_t *id)
{
    static const char none[] = "is no whole number from 0; leave out rows without a value, and "
                               "cast the column to an integer or a text";
    if (column->values == 'D') {
        *id = lower_at(data, i);
        return upper_at(data, i) == 0 && *id != UINT64_MAX ? NULL : none;
    }
    const double number = real_at(data, column, i);
    const double most = column->values == 'f' ? MR_SINGLE_WHOLE : MR_DOUBLE_WHOLE;
    if (number >= most && isfinite(number)) {
        return "is a float that stands for several whole numbers; make the column one of integers";
    }
    *id = number >= 0 && number < most ? (uint64_t)number : 0;
    return (double)*id == number ? NULL : none;
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
        if (is_one_of(column->values, OTHERS)) {
            const char *what = whole_at(array->buffers[1], column, at, id);
            return what == NULL ? MR_OK : refuse(table, column, what, err);
        }
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
        *weight = (float)real_at(array->buffers[1], column, at);
    }
    return status;
}

/* The builder's id of a text. A view is a length and 12 bytes: the text, or its first 4 bytes, a
 * buffer and an offset. */
static enum mr_status read_text(const struct arrow_table *table, const struct arrow_column *column,
                                uint64_t *id, struct mr_error *err)
{
    const struct ArrowArray *array;
    const char *text;
    size_t bytes;
    int64_t at;

    const enum mr_status status = locate(table, column, &array, &at, err);
    if (status != MR_OK) {
        return status;
    }
    if (column->values == 'V') {
        const uint8_t *view = (const uint8_t *)array->buffers[1] + at * VIEW_BYTES;
        bytes = mr_get_u32(view);
        text = bytes <= INLINE_BYTES
                   ? (const char *)view + 4
                   : (const char *)array->buffers[2 + mr_get_u32(view + 8)] + mr_get_u32(view + 12);
    } else {
        const char offsets = is_one_of(column->values, "uz") ? 'i' : 'l';
        const uint64_t from = integer_at(array->buffers[1], offsets, at);
        text = (const char *)array->buffers[2] + from;
        bytes = (size_t)(integer_at(array->buffers[1], offsets, at + 1) - from);
    }
    return bytes == 0 || bytes > MR_NAME_MAX_BYTES || memchr(text, '\n', bytes) != NULL
               ? mr_error_set(err, MR_ERROR_INPUT,
                              "link %" PRIu64 ": a name is empty, longer than 65536 bytes or has a "
                              "line feed in it",
                              table->n_before + (uint64_t)table->row)
               : mr_build_name(table->build, text, bytes, id, err);
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
    bool fits =
        batch->n_children == table->schema.n_children && batch->length >= 0 && batch->offset >= 0;

    for (unsigned i = 0; fits && i < table->n_columns; i++) {
        struct arrow_column *column = &table->columns[i];
        const struct ArrowArray *array = batch->children[column->place];
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
    enum mr_status (*const read)(const struct arrow_table *, const struct arrow_column *,
                                 uint64_t *, struct mr_error *) =
        table->build != NULL ? read_text : read_id;
    bool is_end;
    size_t n = 0;

    enum mr_status status = fill(table, &is_end, err);
    while (status == MR_OK && !is_end && n < capacity && table->row < table->batch.length) {
        status = read(table, &table->columns[SOURCE], &edges[n].source, err);
        if (status == MR_OK) {
            status = read(table, &table->columns[TARGET], &edges[n].target, err);
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

static enum mr_status build_stream(const struct mr_context *context, const char *path,
                                   struct ArrowArrayStream *stream,
                                   const struct mr_store_build_options *options,
                                   struct mr_store_build_figures *figures, struct mr_error *err)
{
    struct mr_store_build_options taken = *options;
    struct mr_columns_wanted wanted = {0};
    struct mr_error reason = {0};
    struct arrow_table table = {.stream = stream};
    enum mr_status status = MR_OK;

    if (taken.columns != NULL && mr_columns_choose(taken.columns, &wanted, &reason) != MR_OK) {
        status = mr_error_set(err, MR_ERROR_USAGE, "columns %s", reason.message);
    }
    taken.columns = NULL;
    if (status == MR_OK) {
        const bool names_weight =
            wanted.names != NULL && strchr(strchr(wanted.names, ',') + 1, ',') != NULL;
        taken.weights = names_weight ? MR_WEIGHTS_REQUIRED : taken.weights;
        table.n_columns = taken.weights == MR_WEIGHTS_REQUIRED ? MAX_COLUMNS : WEIGHT;
        const int failure = stream->get_schema(stream, &table.schema);
        if (failure != 0) {
            table.schema.release = NULL;
        }
        status = failure == 0 ? take_schema(context, &table, &wanted, err)
                              : stream_error(&table, failure, err);
    }
    if (status == MR_OK) {
        const bool is_text = is_one_of(table.columns[SOURCE].values, TEXTS);
        status = mr_store_build_next(context, path, next_edges, &table,
                                     is_text ? &table.build : NULL, &taken, figures, err);
    }
    release_batch(&table);
    if (table.schema.release != NULL) {
        table.schema.release(&table.schema);
    }
    return status;
}

enum mr_status mr_store_build_edges(const struct mr_context *context, const char *path,
                                    const struct mr_memory_edges *edges,
                                    const struct mr_store_build_options *options,
                                    struct mr_store_build_figures *figures, struct mr_error *err)
{
    struct mr_memory_edges taken = MR_MEMORY_EDGES_INIT;
    struct mr_store_build_options copy;

    enum mr_status status = mr_sized_copy(edges, &taken, sizeof taken, err);
    if (status != MR_OK) {
        return status;
    }
    if ((taken.stream != NULL) + (taken.next != NULL) +
            (taken.n_edges > 0 || taken.names != NULL || taken.sources != NULL) >
        1) {
        status = mr_error_set(err, MR_ERROR_USAGE,
                              "links in several forms; give arrays, a callback or a stream");
    }
    if (status == MR_OK) {
        status = mr_store_build_copy_options(options, &copy, err);
    }
    if (status == MR_OK) {
        status = taken.stream != NULL
                     ? build_stream(context, path, taken.stream, &copy, figures, err)
                 : taken.next != NULL
                     ? mr_store_build_next(context, path, taken.next, taken.next_data, NULL, &copy,
                                           figures, err)
                     : mr_store_build_arrays(context, path, &taken, &copy, figures, err);
    }
    if (taken.stream != NULL) {
        taken.stream->release(taken.stream);
    }
    return status;
}
