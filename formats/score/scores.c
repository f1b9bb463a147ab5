/* SPDX-License-Identifier: Apache-2.0 */
/* Writes scores, the last step of the algorithms' commands. Threads make the rows, each with a
 * cursor over the names, in the order of the names (output_parts.c). The best K are looked up; if
 * they are many, their names are read in order and wait for their places in a temporary file
 * (line_order.h). NumPy arrays take the values as they are, or through a batch where vertices have
 * another order. */
#include "formats/score/scores.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/sized_struct.h"
#include "engine/names/names.h"
#include "formats/stream/line_order.h"
#include "formats/stream/output.h"
#include "formats/table/row_writer.h"
#include "formats/table/table.h"

enum {
    ROWS_PER_REPORT = 1 << 16,
    ROWS_PER_PART = MR_LINE_RUN, /* of rows that threads write */
    VALUES_PER_PART = 1 << 17, /* of an .npy */
    ROWS_PER_LOOKUP = 64, /* reading so many names in order takes less than a look-up */
    NAME_BYTES = 64, /* of a name, about */
    NAME_READER_BYTES = 2 << 20, /* of names that are read in their order, and looked up */
    NPY_ALIGN = 64,
    N_KEPT = 1 << 13, /* names of labels, */
    KEPT_BYTES = 500, /* of so many bytes */
    NPY_PREFIX_BYTES = 10 /* magic, version, length of the header */
};

#define NO_URL "has lines SCORE<TAB>URL, and %s is no URL; name a file of lines with tabs (.tsv)"

/* ---- Rows ---- */

/* Names of vertices that are labels. A label is mostly that of the rows around it or of the largest
 * component, so a small table of names, 4 MiB, spares nearly all look-ups. */
struct label_names {
    struct mr_name_cursor *cursor;
    struct kept_name {
        uint32_t vertex;
        uint32_t bytes; /* 0: empty */
        char text[KEPT_BYTES];
    } kept[N_KEPT]; /* by the low bits of the vertex */
};

struct rows {
    const struct mr_context *context;
    const char *path;
    struct mr_names *names;
    uint64_t n_vertices;
    const uint8_t *chosen; /* a bit per vertex; NULL: all */
    const uint32_t *positions; /* of sorted rows, whose names are looked up; with */
    const double *scores; /* by position */
    struct mr_line_order *order; /* of sorted rows, whose names wait in it */
    struct mr_row_writer writer;
    /* [1 + n_columns], the name and the values; of a score_uri.txt the score and the name */
    struct mr_row_column *row_columns;
    bool is_uri;
    const struct mr_score_column *columns;
    unsigned n_columns;
    const struct mr_score_stream *stream; /* of the only column; or NULL */
    unsigned known_column; /* whose value in the row that is written is `known`; n_columns: none */
    double known;
    bool has_vertices; /* a column has, */
    struct label_names *labels; /* so that whoever writes rows has these */
};

static bool is_uri_path(const char *path)
{
    return path != NULL && mr_output_has_suffix(path, "score_uri.txt");
}

/* The value of column `i` in the row of `vertex`. */
static double value_at(const struct rows *rows, unsigned i, uint64_t vertex)
{
    return i == rows->known_column ? rows->known : mr_score_at(&rows->columns[i], vertex);
}

/* Make the value of a row, if it comes from a stream. */
static enum mr_status begin_row(struct rows *rows, uint64_t vertex, struct mr_error *err)
{
    return rows->stream == NULL
               ? MR_OK
               : rows->stream->score(rows->stream->data, vertex, &rows->known, err);
}

static enum mr_status open_label_names(struct rows *rows, struct mr_error *err)
{
    rows->labels = NULL;
    if (!rows->has_vertices) {
        return MR_OK;
    }
    const enum mr_status status =
        mr_memory_array(rows->context->memory, "names of labels", 1, &rows->labels, err);
    return status == MR_OK ? mr_name_cursor_open(rows->names, 0, &rows->labels->cursor, err)
                           : status;
}

static void close_label_names(struct rows *rows)
{
    if (rows->labels != NULL) {
        mr_name_cursor_close(rows->labels->cursor);
        mr_memory_free(rows->context->memory, rows->labels);
        rows->labels = NULL;
    }
}

/* `name` is that of the vertex. */
static enum mr_status take_label(const struct rows *rows, const struct mr_score_column *column,
                                 uint64_t vertex, const struct mr_cell *name, struct mr_cell *cell,
                                 struct mr_error *err)
{
    if (column->type == MR_SCORES_WORD) {
        cell->text = column->words[((const uint8_t *)column->values)[vertex]];
        cell->bytes = strlen(cell->text);
        return MR_OK;
    }
    const uint32_t label = ((const uint32_t *)column->values)[vertex];
    struct label_names *labels = rows->labels;
    struct kept_name *kept = &labels->kept[label % N_KEPT];
    if (label == vertex) {
        *cell = *name;
        return MR_OK;
    }
    if (kept->bytes > 0 && kept->vertex == label) {
        cell->text = kept->text;
        cell->bytes = kept->bytes;
        return MR_OK;
    }
    uint32_t position = 0;
    enum mr_status status = mr_names_position(rows->names, label, &position, err);
    if (status == MR_OK) {
        mr_name_cursor_seek(labels->cursor, position);
        status = mr_name_cursor_next(labels->cursor, &cell->text, &cell->bytes, err);
    }
    if (status == MR_OK && cell->bytes <= KEPT_BYTES) {
        memcpy(kept->text, cell->text, cell->bytes);
        kept->vertex = label;
        kept->bytes = (uint32_t)cell->bytes;
    }
    return status;
}

static bool is_url(const char *name, size_t bytes)
{
    return mr_table_is_url(&(struct mr_table_field){.text = name, .bytes = bytes});
}

/* Column `i` of the row of `vertex`; the name is written beside it. */
static enum mr_status write_value(struct rows *rows, unsigned i, uint64_t vertex,
                                  const struct mr_cell *name, struct mr_error *err)
{
    struct mr_cell cell = {0};
    enum mr_status status = MR_OK;

    if (mr_score_is_label(&rows->columns[i])) {
        status = take_label(rows, &rows->columns[i], vertex, name, &cell, err);
    } else {
        cell.real = value_at(rows, i, vertex);
    }
    return status == MR_OK ? mr_row_writer_cell(&rows->writer, i + !rows->is_uri, &cell, err)
                           : status;
}

/* Readers of score_uri.txt know the order of the columns by the URL. */
static enum mr_status write_row(struct rows *rows, uint64_t vertex, const char *name,
                                size_t name_bytes, struct mr_error *err)
{
    const struct mr_cell name_cell = {.text = name, .bytes = name_bytes};
    char quote[MR_LINES_QUOTE_BYTES];

    if (rows->is_uri && !is_url(name, name_bytes)) {
        return mr_error_file(err, MR_ERROR_INPUT, rows->path, 0, NO_URL,
                             mr_lines_quote(name, name_bytes, quote));
    }
    enum mr_status status = rows->is_uri ? write_value(rows, 0, vertex, &name_cell, err) : MR_OK;
    if (status == MR_OK) {
        status = mr_row_writer_cell(&rows->writer, rows->is_uri, &name_cell, err);
    }
    for (unsigned i = 0; status == MR_OK && i < rows->n_columns && !rows->is_uri; i++) {
        status = write_value(rows, i, vertex, &name_cell, err);
    }
    return status == MR_OK ? mr_row_writer_next(&rows->writer, err) : status;
}

/* Floats are written as doubles: read as a double, the text then gives the very value that was
 * certified. */
static enum mr_status open_columns(struct rows *rows, struct mr_error *err)
{
    const bool are_numbers = rows->names == NULL || mr_names_are_numbers(rows->names);

    rows->row_columns = calloc(rows->n_columns + 1, sizeof *rows->row_columns);
    if (rows->row_columns == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the columns of scores");
    }
    rows->row_columns[rows->is_uri] =
        (struct mr_row_column){"name", are_numbers ? MR_CELL_ID : MR_CELL_NAME, false};
    for (unsigned i = 0; i < rows->n_columns; i++) {
        struct mr_row_column *column = &rows->row_columns[i + !rows->is_uri];
        column->name = rows->columns[i].name;
        column->type = mr_score_is_label(&rows->columns[i]) ? MR_CELL_LABEL : MR_CELL_REAL;
        if (are_numbers && rows->columns[i].type == MR_SCORES_VERTEX) {
            column->type = MR_CELL_ID;
        }
    }
    rows->writer.columns = rows->row_columns;
    rows->writer.n_columns = rows->n_columns + 1;
    return MR_OK;
}

/* What one of several threads has. */
struct rows_worker {
    struct rows rows; /* a copy, with an output of its own */
    struct mr_name_cursor *cursor; /* NULL: of sorted rows */
    struct mr_place_reader reader;
};

static enum mr_status open_worker(void *data, void **out, struct mr_error *err)
{
    const struct rows *rows = data;
    struct rows_worker *worker = calloc(1, sizeof *worker);
    if (worker == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the rows of scores");
    }
    worker->rows = *rows;
    worker->rows.writer.n_rows = worker->rows.writer.n_escaped = 0;
    enum mr_status status = open_label_names(&worker->rows, err);
    if (status == MR_OK && rows->order == NULL) {
        status = mr_name_cursor_open(rows->names, 0, &worker->cursor, err);
    }
    if (status != MR_OK) {
        close_label_names(&worker->rows);
        free(worker);
        return status;
    }
    *out = worker;
    return MR_OK;
}

static void close_worker(void *data, void *opened)
{
    struct rows *rows = data;
    struct rows_worker *worker = opened;
    rows->writer.n_rows += worker->rows.writer.n_rows;
    rows->writer.n_escaped += worker->rows.writer.n_escaped;
    if (rows->order != NULL) {
        mr_place_reader_free(rows->order, &worker->reader);
    }
    mr_name_cursor_close(worker->cursor);
    close_label_names(&worker->rows);
    free(worker);
}

static enum mr_status write_rows(void *opened, struct mr_output *output, uint64_t first,
                                 uint64_t end, struct mr_error *err)
{
    struct rows_worker *worker = opened;
    struct rows *rows = &worker->rows;
    enum mr_status status = MR_OK;
    const char *name;
    size_t name_bytes;

    rows->writer.output = output;
    mr_name_cursor_seek(worker->cursor, first);
    for (uint64_t position = first; status == MR_OK && position < end; position++) {
        status = mr_name_cursor_next(worker->cursor, &name, &name_bytes, err);
        if (status == MR_OK && name == NULL) {
            status =
                mr_error_set(err, MR_ERROR_CORRUPT, "the store has names for %llu of %llu vertices",
                             (unsigned long long)position, (unsigned long long)rows->n_vertices);
        }
        if (status == MR_OK &&
            mr_score_is_chosen(rows->chosen, mr_name_cursor_vertex(worker->cursor))) {
            const uint32_t vertex = mr_name_cursor_vertex(worker->cursor);
            status = begin_row(rows, vertex, err);
            if (status == MR_OK) {
                status = write_row(rows, vertex, name, name_bytes, err);
            }
        }
    }
    return status;
}

/* A stream is read in the order of the rows, and rows of a JSON array differ from the first one. */
static enum mr_status write_all(struct rows *rows, struct mr_error *err)
{
    const struct mr_output_rows all = {.n_rows = rows->n_vertices,
                                       .rows_per_part = ROWS_PER_PART,
                                       .one_by_one = rows->stream != NULL ||
                                                     rows->writer.form == MR_ROWS_JSON,
                                       .data = rows,
                                       .open = open_worker,
                                       .close = close_worker,
                                       .write = write_rows};
    return mr_output_write_rows(rows->writer.output, &all, err);
}

/* ---- Sorted rows ----
 *
 * Names that are numbers are made for each row. Others are read in their order, and wait with the
 * vertex and its score at the places of their rows. */

enum { AHEAD = 16 }; /* rows whose scores are on their way */
#define NO_PLACE UINT32_MAX

static enum mr_status write_positions(void *opened, struct mr_output *output, uint64_t first,
                                      uint64_t end, struct mr_error *err)
{
    struct rows_worker *worker = opened;
    struct rows *rows = &worker->rows;
    enum mr_status status = MR_OK;

    rows->writer.output = output;
    for (uint64_t place = first; status == MR_OK && place < end; place++) {
        const char *name;
        size_t bytes;
        __builtin_prefetch(&rows->scores[rows->positions[mr_min_u64(place + AHEAD, end - 1)]]);
        mr_name_cursor_seek(worker->cursor, rows->positions[place]);
        status = mr_name_cursor_next(worker->cursor, &name, &bytes, err);
        if (status == MR_OK) {
            rows->known = rows->scores[rows->positions[place]];
            status = write_row(rows, mr_name_cursor_vertex(worker->cursor), name, bytes, err);
        }
    }
    return status;
}

struct waiting_row {
    double score;
    uint32_t vertex;
    char name[MR_NAME_MAX_BYTES];
};

struct sorted {
    struct mr_line_order *order;
    const double *scores; /* [n_vertices], by position */
    const uint32_t *places; /* [n_vertices], by position */
    struct waiting_row row;
};

static enum mr_status give_place(void *data, const struct mr_name_cursor *cursor, uint64_t position,
                                 const char *name, size_t name_bytes, struct mr_error *err)
{
    struct sorted *sorted = data;
    if (sorted->places[position] == NO_PLACE) {
        return MR_OK;
    }
    sorted->row.score = sorted->scores[position];
    sorted->row.vertex = mr_name_cursor_vertex(cursor);
    memcpy(sorted->row.name, name, name_bytes);
    return mr_line_order_add(sorted->order, sorted->places[position], (const char *)&sorted->row,
                             offsetof(struct waiting_row, name) + name_bytes, err);
}

static enum mr_status write_places(void *opened, struct mr_output *output, uint64_t first,
                                   uint64_t end, struct mr_error *err)
{
    enum { HEAD = offsetof(struct waiting_row, name) };
    struct rows_worker *worker = opened;
    struct mr_line_order *order = worker->rows.order;
    enum mr_status status = MR_OK;

    worker->rows.writer.output = output;
    for (uint64_t place = first; status == MR_OK && place < end; place++) {
        const char *row;
        size_t bytes;
        uint32_t vertex;
        status = mr_line_order_get(order, &worker->reader, (uint32_t)place, &row, &bytes, err);
        if (status == MR_OK) {
            memcpy(&worker->rows.known, row, sizeof worker->rows.known);
            memcpy(&vertex, row + offsetof(struct waiting_row, vertex), sizeof vertex);
            status = write_row(&worker->rows, vertex, row + HEAD, bytes - HEAD, err);
        }
    }
    return status;
}

/* ---- The best K ---- */

/* Writes best[k] by looking the names up, one by one. */
static enum mr_status write_looked_up(const struct mr_context *context, struct rows *rows,
                                      const struct mr_best_score *best, uint64_t k, bool originals,
                                      struct mr_error *err)
{
    enum mr_status status = MR_OK;
    const char *name;
    size_t name_bytes;

    for (uint64_t i = 0; status == MR_OK && i < k; i++) {
        if (i % ROWS_PER_REPORT == 0) {
            status = mr_context_report(context, "write", "rows", i, k, err);
        }
        if (status == MR_OK) {
            status = mr_names_get(rows->names, best[i].vertex, &name, &name_bytes, err);
        }
        if (status == MR_OK && originals) {
            size_t bytes = 0;
            const char *spellings = mr_names_spellings(rows->names, &bytes);
            if (bytes > 0) {
                name = mr_name_next_spelling(&spellings, &bytes, &name_bytes);
            }
        }
        if (status == MR_OK) {
            rows->known = best[i].score;
            status = write_row(rows, best[i].vertex, name, name_bytes, err);
        }
    }
    return status;
}

/* Reads the names of the rows at `positions` [k] in their order. */
static enum mr_status order_names(const struct mr_context *context, struct rows *rows,
                                  const uint32_t *positions, uint64_t k, const double *scores,
                                  struct mr_error *err)
{
    const uint64_t n_vertices = rows->n_vertices;
    struct sorted *sorted = calloc(1, sizeof *sorted);
    uint32_t *places = NULL;

    if (sorted == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for sorted rows");
    }
    enum mr_status status =
        mr_memory_array(context->memory, "places of sorted rows", n_vertices, &places, err);
    if (status == MR_OK) {
        memset(places, 0xff, n_vertices * sizeof *places); /* NO_PLACE */
        for (uint64_t i = 0; i < k; i++) {
            places[positions[i]] = (uint32_t)i;
        }
        status = mr_line_order_open(context, k, NAME_BYTES, &rows->order, err);
    }
    if (status == MR_OK) {
        *sorted = (struct sorted){.order = rows->order, .scores = scores, .places = places};
        status = mr_names_walk(context, rows->names, n_vertices, "sort", give_place, sorted, err);
    }
    mr_memory_free(context->memory, places);
    free(sorted);
    return status;
}

/* Writes the best k of the chosen, in at most 24 bytes for each vertex and what the lines take. */
static enum mr_status write_sorted(const struct mr_context *context, struct rows *rows,
                                   const struct mr_score_stream *stream, uint64_t k,
                                   struct mr_error *err)
{
    struct mr_memory *memory = context->memory;
    const bool waits = mr_names_walk_length(rows->names) != UINT64_MAX;
    double *scores = NULL;
    uint32_t *positions = NULL;

    enum mr_status status =
        mr_memory_array(memory, "scores of sorted rows", rows->n_vertices, &scores, err);
    if (status == MR_OK) {
        status = mr_scores_order(context, stream, rows->names, rows->n_vertices, rows->chosen,
                                 scores, &positions, &k, err);
    }
    if (status == MR_OK && waits) {
        status = order_names(context, rows, positions, k, scores, err);
        mr_memory_free(memory, positions);
        mr_memory_free(memory, scores);
        positions = NULL;
        scores = NULL;
    }
    if (status == MR_OK) {
        const struct mr_output_rows all = {
            .n_rows = k,
            .rows_per_part = ROWS_PER_PART,
            .one_by_one = rows->writer.form == MR_ROWS_JSON ||
                          (waits && mr_line_order_run(rows->order) > ROWS_PER_PART),
            .data = rows,
            .open = open_worker,
            .close = close_worker,
            .write = waits ? write_places : write_positions};
        rows->positions = positions;
        rows->scores = scores;
        status = mr_output_write_rows(rows->writer.output, &all, err);
    }
    mr_line_order_close(rows->order);
    mr_memory_free(memory, positions);
    mr_memory_free(memory, scores);
    return status;
}

static enum mr_status write_top(const struct mr_context *context, struct rows *rows,
                                const struct mr_scores_options *options, struct mr_error *err)
{
    const uint64_t n_vertices = rows->n_vertices;
    const struct mr_score_stream stream =
        rows->stream != NULL ? *rows->stream
                             : mr_score_stream_of(&rows->columns[options->top_column]);
    uint64_t k = mr_min_u64(options->top, n_vertices);
    struct mr_best_score *best = NULL;

    if (!options->originals && k > 0 && k >= n_vertices / ROWS_PER_LOOKUP) {
        return write_sorted(context, rows, &stream, k, err);
    }
    enum mr_status status = open_label_names(rows, err);
    if (status == MR_OK) {
        status = mr_memory_array(context->memory, "best scores", k, &best, err);
    }
    if (status == MR_OK) {
        status =
            mr_scores_best_of_stream(&stream, rows->names, n_vertices, rows->chosen, best, &k, err);
    }
    if (status == MR_OK) {
        status = write_looked_up(context, rows, best, k, options->originals, err);
    }
    mr_memory_free(context->memory, best);
    close_label_names(rows);
    return status;
}

/* ---- NumPy ---- */

enum mr_status mr_scores_npy_header(struct mr_output *output, const char *type, uint64_t n_rows,
                                    uint64_t n_columns, struct mr_error *err)
{
    static const uint8_t magic[8] = {0x93, 'N', 'U', 'M', 'P', 'Y', 1, 0};
    uint8_t header[8 * NPY_ALIGN];
    char columns[32] = "";

    memcpy(header, magic, sizeof magic);
    if (n_columns > 1) {
        (void)snprintf(columns, sizeof columns, " %llu", (unsigned long long)n_columns);
    }
    int text_bytes =
        snprintf((char *)header + NPY_PREFIX_BYTES, sizeof header - NPY_PREFIX_BYTES,
                 "{'descr': %s, 'fortran_order': %s, 'shape': (%llu,%s), }", type,
                 n_columns > 1 ? "True" : "False", (unsigned long long)n_rows, columns);
    size_t used = NPY_PREFIX_BYTES + (size_t)text_bytes;
    size_t bytes = (size_t)mr_round_up(used + 1, NPY_ALIGN);
    memset(header + used, ' ', bytes - used);
    header[bytes - 1] = '\n';
    mr_put_u16(header + 8, (uint16_t)(bytes - NPY_PREFIX_BYTES));
    return mr_output_write(output, header, bytes, err);
}

enum mr_status mr_scores_npy_begin(struct mr_output *output, enum mr_score_type type,
                                   uint64_t n_vertices, uint64_t n_columns, struct mr_error *err)
{
    const char order = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? '<' : '>';
    char text[8];

    (void)snprintf(text, sizeof text, "'%cf%d'", order, type == MR_SCORES_DOUBLE ? 8 : 4);
    return mr_scores_npy_header(output, text, n_vertices, n_columns, err);
}

/* Writes a column of a stream in the order of the positions. */
static enum mr_status write_stream(struct rows *rows, unsigned column, struct mr_error *err)
{
    const bool is_double = rows->columns[column].type == MR_SCORES_DOUBLE;
    const size_t bytes = is_double ? sizeof(double) : sizeof(float);
    char batch[1024 * sizeof(double)];
    enum mr_status status = MR_OK;

    for (uint64_t first = 0; first < rows->n_vertices && status == MR_OK; first += 1024) {
        const uint64_t n = mr_min_u64(1024, rows->n_vertices - first);
        for (uint64_t i = 0; i < n && status == MR_OK; i++) {
            uint32_t vertex = 0;
            status = mr_names_vertex(rows->names, (uint32_t)(first + i), &vertex, err);
            if (status == MR_OK) {
                status = begin_row(rows, vertex, err);
            }
            const double value = status == MR_OK ? value_at(rows, column, vertex) : 0;
            const float single = (float)value;
            memcpy(batch + i * bytes, is_double ? (const void *)&value : &single, bytes);
        }
        if (status == MR_OK) {
            status = mr_output_write(rows->writer.output, batch, n * bytes, err);
        }
    }
    return status;
}

/* Columns side by side that become columns one after the other, in the order of the positions. */
struct npy_columns {
    struct mr_names *names;
    const uint8_t *values;
    uint64_t n_vertices;
    size_t bytes, row_bytes; /* of a value, of a row */
};

static enum mr_status take_columns(void *data, void **worker, struct mr_error *err)
{
    (void)err;
    *worker = data;
    return MR_OK;
}

static enum mr_status write_values(void *worker, struct mr_output *output, uint64_t first,
                                   uint64_t end, struct mr_error *err)
{
    const struct npy_columns *columns = worker;
    const size_t bytes = columns->bytes;
    uint8_t copy[1024 * sizeof(double)];
    enum mr_status status = MR_OK;
    uint64_t column = first / columns->n_vertices, v = first % columns->n_vertices;

    while (first < end && status == MR_OK) {
        const uint64_t n = mr_min_u64(mr_min_u64(end - first, columns->n_vertices - v), 1024);
        for (uint64_t i = 0; i < n && status == MR_OK; i++) {
            uint32_t vertex = 0;
            status = mr_names_vertex(columns->names, (uint32_t)(v + i), &vertex, err);
            memcpy(copy + i * bytes, columns->values + vertex * columns->row_bytes + column * bytes,
                   bytes);
        }
        status = status == MR_OK ? mr_output_write(output, copy, n * bytes, err) : status;
        first += n;
        v += n;
        column += v == columns->n_vertices;
        v = v == columns->n_vertices ? 0 : v;
    }
    return status;
}

enum mr_status mr_scores_npy_columns(struct mr_output *output, enum mr_score_type type,
                                     struct mr_names *names, uint64_t n_vertices,
                                     const void *values, unsigned width, unsigned n,
                                     struct mr_error *err)
{
    const size_t bytes = type == MR_SCORES_DOUBLE ? sizeof(double) : sizeof(float);
    struct npy_columns columns = {names, values, n_vertices, bytes, width * bytes};
    const struct mr_output_rows all = {.n_rows = n_vertices * n,
                                       .rows_per_part = VALUES_PER_PART,
                                       .data = &columns,
                                       .open = take_columns,
                                       .write = write_values};

    return mr_output_write_rows(output, &all, err);
}

static enum mr_status write_npy(struct rows *rows, struct mr_error *err)
{
    struct mr_names *names = rows->names;
    const uint64_t n_vertices = rows->n_vertices;
    const enum mr_score_type type = rows->columns[0].type;
    enum mr_status status =
        mr_scores_npy_begin(rows->writer.output, type, n_vertices, rows->n_columns, err);

    for (unsigned i = 0; status == MR_OK && i < rows->n_columns; i++) {
        const void *values = rows->columns[i].values;
        const size_t bytes = (size_t)n_vertices * (type == MR_SCORES_DOUBLE ? 8 : 4);
        status = rows->stream != NULL ? write_stream(rows, i, err)
                 : names != NULL && mr_names_are_ordered(names)
                     ? mr_scores_npy_columns(rows->writer.output, type, names, n_vertices, values,
                                             1, 1, err)
                     : mr_output_write(rows->writer.output, values, bytes, err);
        rows->writer.n_rows = n_vertices;
    }
    return status;
}

static enum mr_status check_npy(const char *path, const struct mr_score_column *columns,
                                unsigned n_columns, const struct mr_scores_options *options,
                                struct mr_error *err)
{
    if (options->chosen != NULL) {
        return mr_error_file(err, MR_ERROR_USAGE, path, 0,
                             "a .npy has a row for each page, so it cannot hold only some; name "
                             "another file");
    }
    if (options->only_top || options->only_names) {
        return mr_error_file(err, MR_ERROR_USAGE, path, 0,
                             "the best pages first need names, which a .npy cannot hold; name "
                             "another file");
    }
    for (unsigned i = 1; i < n_columns; i++) {
        if (columns[i].type != columns[0].type) {
            return mr_error_file(err, MR_ERROR_USAGE, path, 0,
                                 "columns of different types do not fit one .npy");
        }
    }
    return MR_OK;
}

/* ---- Files ---- */

enum mr_status mr_scores_check_labels(const char *path, struct mr_error *err)
{
    return !is_uri_path(path) && (path == NULL || !mr_output_has_suffix(path, ".npy"))
               ? MR_OK
               : mr_error_file(err, MR_ERROR_USAGE, path, 0,
                               "has numbers only, and these columns have names; name a file of "
                               "lines (.tsv), .csv, .jsonl or .json");
}

static enum mr_status check_labels(struct rows *rows, struct mr_error *err)
{
    bool has_labels = false;

    for (unsigned i = 0; i < rows->n_columns; i++) {
        has_labels |= mr_score_is_label(&rows->columns[i]);
        rows->has_vertices |= rows->columns[i].type == MR_SCORES_VERTEX;
    }
    return has_labels ? mr_scores_check_labels(rows->path, err) : MR_OK;
}

enum mr_status mr_scores_check_uri(const char *path, unsigned n_columns, struct mr_names *names,
                                   uint64_t n_vertices, struct mr_error *err)
{
    char quote[MR_LINES_QUOTE_BYTES];
    const char *name = "0";
    size_t bytes = 1;

    if (!is_uri_path(path)) {
        return MR_OK;
    }
    if (n_columns > 1) {
        return mr_error_file(err, MR_ERROR_USAGE, path, 0,
                             "has lines SCORE<TAB>URL, and there are %u scores; name a file of "
                             "lines with tabs (.tsv)",
                             n_columns);
    }
    enum mr_status status = MR_OK;
    if (names != NULL && n_vertices > 0) {
        status = mr_names_get(names, 0, &name, &bytes, err);
    }
    return status != MR_OK || n_vertices == 0 || is_url(name, bytes)
               ? status
               : mr_error_file(err, MR_ERROR_USAGE, path, 0, NO_URL,
                               mr_lines_quote(name, bytes, quote));
}

enum mr_status mr_scores_check_lines_path(const char *path, struct mr_error *err)
{
    return mr_row_form_of(path) == MR_ROWS_TSV &&
                   (path == NULL || !mr_output_has_suffix(path, ".npy"))
               ? mr_row_form_check(path, false, err)
               : mr_error_file(err, MR_ERROR_USAGE, path, 0,
                               "is written as plain lines, whatever its suffix; name a file of "
                               "lines (.txt, .tsv), with .gz or .zst behind it to compress");
}

uint64_t mr_scores_write_memory(const char *path, bool has_labels)
{
    return NAME_READER_BYTES + mr_output_memory(path) +
           (has_labels ? sizeof(struct label_names) : 0);
}

static enum mr_status close_rows(struct rows *rows, struct mr_scores_summary *summary,
                                 enum mr_status status, struct mr_error *err)
{
    free(rows->row_columns);
    if (status == MR_OK && summary != NULL) {
        *summary = (struct mr_scores_summary){rows->writer.n_rows, rows->writer.n_escaped};
    }
    return mr_row_writer_end(&rows->writer, status, err);
}

static enum mr_status write_columns(const struct mr_context *context, const char *path,
                                    struct mr_names *names, uint64_t n_vertices,
                                    const struct mr_score_column *columns, unsigned n_columns,
                                    const struct mr_score_stream *stream,
                                    const struct mr_scores_options *options,
                                    struct mr_scores_summary *summary, struct mr_error *err)
{
    struct mr_scores_options taken = MR_SCORES_OPTIONS_INIT;
    struct rows rows = {.context = context,
                        .path = path,
                        .names = names,
                        .n_vertices = n_vertices,
                        .columns = columns,
                        .n_columns = n_columns,
                        .stream = stream};
    bool npy = path != NULL && mr_output_has_suffix(path, ".npy");
    enum mr_status status = mr_sized_copy(options, &taken, sizeof taken, err);

    assert(n_columns > 0);
    options = &taken;
    rows.chosen = options->chosen;
    if (status == MR_OK && options->only_top && options->top_column >= n_columns) {
        status = mr_error_set(err, MR_ERROR_USAGE, "top_column %u of %u columns, counted from 0",
                              options->top_column, n_columns);
    }
    if (status == MR_OK) {
        status = mr_row_form_check(path, true, err);
    }
    if (status == MR_OK && !options->only_names) {
        status = mr_scores_check_uri(path, n_columns, names, n_vertices, err);
    }
    if (status == MR_OK && npy) {
        status = check_npy(path, columns, n_columns, options, err);
    }
    rows.n_columns = options->only_names ? 0 : n_columns;
    rows.known_column = stream != NULL ? 0 : options->only_top ? options->top_column : n_columns;
    rows.is_uri = is_uri_path(path) && rows.n_columns > 0;
    if (status == MR_OK) {
        status = check_labels(&rows, err);
    }
    if (status == MR_OK) {
        status = open_columns(&rows, err);
    }
    rows.writer.metadata = options->metadata;
    /* Beside a column of another name, readers would ask which one has the scores. */
    rows.writer.bound =
        rows.n_columns == 1 && strcmp(columns->name, "score") == 0 ? options->error_bound : 0;
    if (status == MR_OK) {
        status = npy ? mr_output_open(context, path, options->force, &rows.writer.output, err)
                     : mr_row_writer_open(&rows.writer, context, path, options->force,
                                          options->header, options->mark, err);
    }
    if (status == MR_OK) {
        status = npy                 ? write_npy(&rows, err)
                 : options->only_top ? write_top(context, &rows, options, err)
                                     : write_all(&rows, err);
    }
    return close_rows(&rows, summary, status, err);
}

enum mr_status mr_scores_write(const struct mr_context *context, const char *path,
                               struct mr_names *names, uint64_t n_vertices,
                               const struct mr_score_column *columns, unsigned n_columns,
                               const struct mr_scores_options *options,
                               struct mr_scores_summary *summary, struct mr_error *err)
{
    return write_columns(context, path, names, n_vertices, columns, n_columns, NULL, options,
                         summary, err);
}

enum mr_status mr_scores_write_stream(const struct mr_context *context, const char *path,
                                      struct mr_names *names, uint64_t n_vertices,
                                      const struct mr_score_stream *stream,
                                      const struct mr_scores_options *options,
                                      struct mr_scores_summary *summary, struct mr_error *err)
{
    const struct mr_score_column column = {.name = stream->name, .type = stream->type};
    return write_columns(context, path, names, n_vertices, &column, 1, stream, options, summary,
                         err);
}

enum mr_status mr_scores_write_names(const struct mr_context *context, const char *path,
                                     struct mr_names *names, uint64_t n_vertices, bool force,
                                     struct mr_scores_summary *summary, struct mr_error *err)
{
    struct rows rows = {.context = context, .names = names, .n_vertices = n_vertices};
    enum mr_status status = open_columns(&rows, err);

    if (status == MR_OK) {
        status = mr_output_open(context, path, force, &rows.writer.output, err);
    }
    if (status == MR_OK) {
        status = write_all(&rows, err);
    }
    return close_rows(&rows, summary, status, err);
}
