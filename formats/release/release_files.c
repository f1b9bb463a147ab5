/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the files of a graph of a release: the last step of `release`. Two stable radix sorts give
 * the positions. Then the names are read once, in their order; each line of ranks goes to its place
 * in the order of harmonic centrality (line_order.h), and degree_tables.c writes the degrees. So
 * names are never in memory, and never looked up. */
#include "formats/release/release_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/names/names.h"
#include "formats/stream/double_text.h"
#include "formats/stream/line_order.h"
#include "formats/stream/name_text.h"
#include "formats/table/lines.h"
#include "formats/table/npy_reader.h"

enum {
    N_KEPT = 1 << 12,
    LINE_BYTES = 80, /* of an average line of Common Crawl, rounded up */
    LINE_ROOM = MR_NAME_CODE_BYTES * MR_NAME_MAX_BYTES + 256,
    DIGIT_BITS = 16
};

/* Texts of values: many pages share a value. */
struct kept_value {
    double value;
    uint32_t bytes; /* 0: empty */
    char text[MR_DOUBLE_TEXT_BYTES];
};

struct release_writer {
    const struct mr_context *context;
    const struct mr_release_files *files;
    struct mr_line_order *order;
    struct mr_degree_tables *degrees;
    struct mr_input *counts; /* NULL: there are none */
    struct mr_lines *count_lines;
    float *harmonic; /* [n] by position of the name */
    double *pagerank; /* [n] likewise */
    uint32_t *harmonic_places, *pagerank_places; /* [n] */
    struct kept_value *kept; /* [2 * N_KEPT]: floats, then doubles */
    char *line, *columns; /* [LINE_ROOM]: of ranks; the name and the count */
};

/* ---- What is read ---- */

/* Reads the values at `path` to `floats` or `doubles` [n]; the other one is NULL. */
static enum mr_status read_values(const struct release_writer *writer, const char *path,
                                  float *floats, double *doubles, struct mr_error *err)
{
    struct mr_release_rows rows = {0};
    enum mr_status status =
        mr_release_rows_open(writer->context, path, NULL, writer->files->n, &rows, err);

    for (uint64_t i = 0; status == MR_OK && i < writer->files->n; i++) {
        double value = 0;
        bool is_end = false;
        status = mr_npy_reader_next(rows.reader, &value, &is_end, err);
        if (status == MR_OK && !(value >= 0)) {
            status = mr_error_file(err, MR_ERROR_INPUT, path, 0,
                                   "the page at row %" PRIu64 " has a score below 0", i + 1);
        }
        if (floats != NULL) {
            floats[i] = (float)value;
        } else if (doubles != NULL) {
            doubles[i] = value;
        }
    }
    mr_release_rows_close(&rows);
    return status;
}

/* The count of the next page; UINT64_MAX: the file has ended. */
static enum mr_status next_count(const struct release_writer *writer, uint64_t *count,
                                 struct mr_error *err)
{
    const char *line = NULL;
    size_t bytes = 0, i;
    uint64_t value = 0;

    *count = UINT64_MAX;
    const enum mr_status status = mr_lines_next(writer->count_lines, &line, &bytes, err);
    if (status != MR_OK || line == NULL) {
        return status;
    }
    const char *tab = bytes > 0 ? memrchr(line, '\t', bytes) : NULL;
    const size_t first = tab == NULL ? bytes : (size_t)(tab + 1 - line);
    for (i = first; i < bytes && i < first + 18 && line[i] >= '0' && line[i] <= '9'; i++) {
        value = 10 * value + (uint64_t)(line[i] - '0');
    }
    if (i == first || i < bytes) {
        return mr_error_line(err, MR_ERROR_INPUT, writer->files->counts,
                             mr_lines_number(writer->count_lines), "is no NAME<TAB>COUNT");
    }
    *count = value;
    return MR_OK;
}

/* Checks that the file of counts has one for each name: `is_there` and no more afterwards. */
static enum mr_status check_count(const struct release_writer *writer, bool is_there, bool expected,
                                  struct mr_error *err)
{
    return is_there == expected
               ? MR_OK
               : mr_error_file(err, MR_ERROR_INPUT, writer->files->counts, 0, "%s",
                               expected ? "ends before the names of the store"
                                        : "has more lines than the store has names");
}

/* ---- Positions ---- */

/* Keys fall as values rise. Values are >= 0, so their bits have their order. */
static inline uint64_t key_of_float(const void *values, uint32_t i)
{
    uint32_t bits;
    memcpy(&bits, (const float *)values + i, sizeof bits);
    return (uint32_t)~bits;
}

static inline uint64_t key_of_double(const void *values, uint32_t i)
{
    uint64_t bits;
    memcpy(&bits, (const double *)values + i, sizeof bits);
    return ~bits;
}

/* One stable pass by the digit at `shift`: from[n] to to[n]. `from` NULL is 0 .. n - 1. */
static void sort_by_digit(const void *values, bool is_double, unsigned shift, uint64_t n,
                          const uint32_t *from, uint32_t *to, uint64_t *starts)
{
    const uint64_t mask = ((uint64_t)1 << DIGIT_BITS) - 1;
    uint64_t sum = 0;

    memset(starts, 0, sizeof *starts << DIGIT_BITS);
    for (uint64_t i = 0; i < n; i++) {
        const uint64_t key =
            is_double ? key_of_double(values, (uint32_t)i) : key_of_float(values, (uint32_t)i);
        starts[key >> shift & mask]++;
    }
    for (uint64_t digit = 0; digit <= mask; digit++) {
        const uint64_t count = starts[digit];
        starts[digit] = sum;
        sum += count;
    }
    for (uint64_t i = 0; i < n; i++) {
        const uint32_t item = from == NULL ? (uint32_t)i : from[i];
        const uint64_t key = is_double ? key_of_double(values, item) : key_of_float(values, item);
        to[starts[key >> shift & mask]++] = item;
    }
}

/* places[i]: how many come before i in the order of falling values; equal ones in their order. */
static enum mr_status find_places(const struct mr_context *context, const void *values,
                                  bool is_double, uint64_t n, uint32_t *places,
                                  struct mr_error *err)
{
    uint32_t *order = NULL;
    uint64_t *starts = NULL;
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("order of ranks", n, &order),
        MR_WANTED("digits of ranks", (uint64_t)1 << DIGIT_BITS, &starts),
    };
    enum mr_status status = mr_memory_arrays(context->memory, arrays, err);
    const unsigned bits = is_double ? 64 : 32;
    uint32_t *from = NULL, *to = order, *other = places;

    for (unsigned shift = 0; shift < bits && status == MR_OK && n > 0; shift += DIGIT_BITS) {
        status = mr_context_poll(context, err);
        if (status == MR_OK) {
            sort_by_digit(values, is_double, shift, n, from, to, starts);
            from = to;
            to = other;
            other = from;
        }
    }
    /* an even number of passes: the order is in `places`, its inverse goes there next */
    if (status == MR_OK && n > 0) {
        memcpy(order, places, n * sizeof *order);
        for (uint64_t i = 0; i < n; i++) {
            places[order[i]] = (uint32_t)i;
        }
    }
    mr_memory_free(context->memory, starts);
    mr_memory_free(context->memory, order);
    return status;
}

/* ---- Lines ---- */

static size_t put_value(struct release_writer *writer, double value, bool is_double, char *to)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    struct kept_value *kept =
        &writer->kept[(is_double ? N_KEPT : 0) + ((bits * 0x9e3779b97f4a7c15u) >> 32) % N_KEPT];

    if (kept->bytes == 0 || kept->value != value) {
        kept->value = value;
        kept->bytes = (uint32_t)(is_double ? mr_double_shortest(value, kept->text)
                                           : mr_single_shortest((float)value, kept->text));
    }
    memcpy(to, kept->text, kept->bytes);
    return kept->bytes;
}

/* A mr_name_take. */
static enum mr_status add_row(void *data, const struct mr_name_cursor *cursor, uint64_t i,
                              const char *name, size_t name_bytes, struct mr_error *err)
{
    struct release_writer *writer = data;
    char *line = writer->line, *columns = writer->columns;
    uint64_t count = 0;
    size_t n_columns = mr_name_escape(name, name_bytes, MR_NAME_LINE, columns);
    enum mr_status status = MR_OK;

    (void)cursor;
    if (writer->counts != NULL) {
        status = next_count(writer, &count, err);
        if (status == MR_OK) {
            status = check_count(writer, count != UINT64_MAX, true, err);
        }
        n_columns += (size_t)sprintf(columns + n_columns, "\t%" PRIu64, count);
    }
    columns[n_columns++] = '\n';
    columns[n_columns] = '\0';
    size_t used = (size_t)sprintf(line, "%" PRIu64 "\t", (uint64_t)writer->harmonic_places[i] + 1);
    used += put_value(writer, (double)writer->harmonic[i], false, line + used);
    used +=
        (size_t)sprintf(line + used, "\t%" PRIu64 "\t", (uint64_t)writer->pagerank_places[i] + 1);
    used += put_value(writer, writer->pagerank[i], true, line + used);
    line[used++] = '\t';
    memcpy(line + used, columns, n_columns);
    if (status == MR_OK) {
        status = mr_line_order_add(writer->order, writer->harmonic_places[i], line,
                                   used + n_columns, err);
    }
    return status == MR_OK ? mr_degree_tables_add(writer->degrees, columns, err) : status;
}

static enum mr_status write_ranks(struct release_writer *writer, struct mr_error *err)
{
    const struct mr_release_files *files = writer->files;
    struct mr_output *output = NULL;

    enum mr_status status = mr_release_file_open(writer->context, files, "ranks", &output, err);
    if (status == MR_OK) {
        status = mr_output_print(output, err,
                                 "#harmonicc_pos\t#harmonicc_val\t#pr_pos\t#pr_val\t%s%s%s\n",
                                 files->name_title, files->count_title != NULL ? "\t" : "",
                                 files->count_title != NULL ? files->count_title : "");
    }
    if (status == MR_OK) {
        status = mr_line_order_write(writer->order, output, err);
    }
    return mr_output_end(output, status, err);
}

/* The values, and the places by them. */
static enum mr_status read_scores(struct release_writer *writer, struct mr_error *err)
{
    const struct mr_release_files *files = writer->files;
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("harmonic centrality", files->n, &writer->harmonic),
        MR_WANTED("PageRank", files->n, &writer->pagerank),
        MR_WANTED("positions by harmonic centrality", files->n, &writer->harmonic_places),
        MR_WANTED("positions by PageRank", files->n, &writer->pagerank_places),
        MR_WANTED("texts of values", (uint64_t)2 * N_KEPT, &writer->kept),
        MR_WANTED("a line of ranks", LINE_ROOM, &writer->line),
        MR_WANTED("a line of ranks", LINE_ROOM, &writer->columns),
    };

    enum mr_status status = mr_memory_arrays(writer->context->memory, arrays, err);
    if (status == MR_OK) {
        status = read_values(writer, files->harmonic, writer->harmonic, NULL, err);
    }
    if (status == MR_OK) {
        status = read_values(writer, files->pagerank, NULL, writer->pagerank, err);
    }
    if (status == MR_OK) {
        status = find_places(writer->context, writer->harmonic, false, files->n,
                             writer->harmonic_places, err);
    }
    if (status == MR_OK) {
        status = find_places(writer->context, writer->pagerank, true, files->n,
                             writer->pagerank_places, err);
    }
    return status;
}

static enum mr_status write_all(struct release_writer *writer, struct mr_names *names,
                                struct mr_error *err)
{
    const struct mr_release_files *files = writer->files;
    uint64_t count = UINT64_MAX;

    enum mr_status status =
        mr_names_walk(writer->context, names, files->n, "write", add_row, writer, err);
    if (status == MR_OK && writer->counts != NULL) {
        status = next_count(writer, &count, err);
    }
    if (status == MR_OK) {
        status = check_count(writer, count != UINT64_MAX, false, err);
    }
    if (status == MR_OK) {
        status = mr_degree_tables_finish(writer->degrees, err);
    }
    return status == MR_OK ? write_ranks(writer, err) : status;
}

enum mr_status mr_release_files_write(const struct mr_context *context, struct mr_names *names,
                                      const struct mr_release_files *files,
                                      struct mr_degree_figures figures[MR_DEGREE_KINDS],
                                      struct mr_error *err)
{
    struct release_writer writer = {.context = context, .files = files};

    enum mr_status status = read_scores(&writer, err);
    if (status == MR_OK) {
        status = mr_degree_tables_open(context, files, figures, &writer.degrees, err);
    }
    if (status == MR_OK && files->count_title != NULL) {
        status = mr_input_open(context, files->counts, &writer.counts, err);
        if (status == MR_OK) {
            status = mr_lines_open(context, writer.counts, &writer.count_lines, err);
        }
    }
    if (status == MR_OK) {
        status = mr_line_order_open(context, files->n, LINE_BYTES, &writer.order, err);
    }
    if (status == MR_OK) {
        status = write_all(&writer, names, err);
    }
    mr_line_order_close(writer.order);
    mr_degree_tables_close(writer.degrees);
    mr_lines_close(writer.count_lines);
    mr_input_close(writer.counts);
    mr_memory_free(context->memory, writer.columns);
    mr_memory_free(context->memory, writer.line);
    mr_memory_free(context->memory, writer.kept);
    mr_memory_free(context->memory, writer.pagerank_places);
    mr_memory_free(context->memory, writer.harmonic_places);
    mr_memory_free(context->memory, writer.pagerank);
    mr_memory_free(context->memory, writer.harmonic);
    return status;
}

enum mr_status mr_release_lines(const struct mr_context *context, const char *path, uint64_t n,
                                void (*take)(const char *line, size_t bytes), struct mr_error *err)
{
    struct mr_input *input = NULL;
    struct mr_lines *lines = NULL;
    const char *line = NULL;
    size_t bytes = 0;

    enum mr_status status = mr_input_open(context, path, &input, err);
    if (status == MR_OK) {
        status = mr_lines_open(context, input, &lines, err);
    }
    for (uint64_t i = 0; i < n && status == MR_OK; i++) {
        status = mr_lines_next(lines, &line, &bytes, err);
        if (status != MR_OK || line == NULL) {
            break;
        }
        take(line, bytes);
    }
    mr_lines_close(lines);
    mr_input_close(input);
    return status;
}
