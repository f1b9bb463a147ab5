/* SPDX-License-Identifier: Apache-2.0 */
/* Writes tables of degrees (release_files.h) while release_files.c walks over the names. Degrees
 * are read one row at a time; only the distributions and the rows of the top lists stay in
 * memory. */
#include "formats/release/release_files.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/base/sort.h"
#include "formats/table/npy_reader.h"

enum {
    TOP_ROWS = 10000, /* of a top list */
    TOP_ABOVE = 1000, /* its rows have more links */
    SMALL_DEGREES = 1 << 20 /* counted in an array; larger ones are few */
};

struct degree_row {
    uint64_t degree;
    char *line; /* owned, with its line end */
};

/* What is collected of one kind of degree. */
struct degree_kind {
    struct mr_release_rows rows;
    uint64_t *small; /* [SMALL_DEGREES]: pages with this degree */
    uint64_t *large; /* [n_large]: degrees above */
    uint64_t n_large, large_room;
    struct degree_row top[2 * TOP_ROWS];
    size_t n_top;
    uint64_t enough; /* rows with fewer links are not among the top any more */
};

struct mr_degree_tables {
    const struct mr_context *context;
    const struct mr_release_files *files;
    struct mr_degree_figures *figures;
    uint64_t row; /* the next one */
    struct mr_output *all;
    struct degree_kind kinds[MR_DEGREE_KINDS];
};

/* The names of the tables. */
static const char all_name[] = "outdegrees-indegrees";
static const char *const spread_names[MR_DEGREE_KINDS] = {"outdegree-distrib", "indegree-distrib"};
static const char *const top_names[MR_DEGREE_KINDS] = {"outdegrees-indegrees-topout",
                                                       "outdegrees-indegrees-topin"};

/* ---- Files ---- */

enum mr_status mr_release_file_open(const struct mr_context *context,
                                    const struct mr_release_files *files, const char *name,
                                    struct mr_output **out, struct mr_error *err)
{
    char *path = NULL;

    *out = NULL;
    if (asprintf(&path, "%s-%s.txt.gz", files->prefix, name) < 0) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a path");
    }
    const enum mr_status status = mr_output_open(context, path, true, out, err);
    free(path);
    return status;
}

enum mr_status mr_release_rows_open(const struct mr_context *context, const char *path,
                                    const char *column, uint64_t n, struct mr_release_rows *rows,
                                    struct mr_error *err)
{
    enum mr_status status = mr_input_open(context, path, &rows->input, err);

    if (status == MR_OK) {
        status = mr_npy_reader_open(context, rows->input, column, &rows->reader, err);
    }
    if (status == MR_OK && mr_npy_reader_rows(rows->reader) != n) {
        status = mr_error_file(err, MR_ERROR_INPUT, path, 0,
                               "has %" PRIu64 " rows for %" PRIu64 " names",
                               mr_npy_reader_rows(rows->reader), n);
    }
    return status;
}

void mr_release_rows_close(struct mr_release_rows *rows)
{
    mr_npy_reader_close(rows->reader);
    mr_input_close(rows->input);
}

/* ---- Begin and end ---- */

enum mr_status mr_degree_tables_open(const struct mr_context *context,
                                     const struct mr_release_files *files,
                                     struct mr_degree_figures figures[MR_DEGREE_KINDS],
                                     struct mr_degree_tables **out, struct mr_error *err)
{
    static const char *const columns[MR_DEGREE_KINDS] = {"1", "2"};
    struct mr_degree_tables *tables = calloc(1, sizeof *tables);
    enum mr_status status = MR_OK;

    *out = tables;
    if (tables == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for tables of degrees");
    }
    memset(figures, 0, MR_DEGREE_KINDS * sizeof *figures);
    tables->context = context;
    tables->files = files;
    tables->figures = figures;
    for (int i = 0; i < MR_DEGREE_KINDS && status == MR_OK; i++) {
        status = mr_release_rows_open(context, files->degrees, columns[i], files->n,
                                      &tables->kinds[i].rows, err);
        if (status == MR_OK) {
            status = mr_memory_array(context->memory, "distribution of degrees", SMALL_DEGREES,
                                     &tables->kinds[i].small, err);
        }
    }
    return status == MR_OK ? mr_release_file_open(context, files, all_name, &tables->all, err)
                           : status;
}

void mr_degree_tables_close(struct mr_degree_tables *tables)
{
    if (tables == NULL) {
        return;
    }
    for (int i = 0; i < MR_DEGREE_KINDS; i++) {
        struct degree_kind *kind = &tables->kinds[i];
        for (size_t k = 0; k < kind->n_top; k++) {
            free(kind->top[k].line);
        }
        mr_memory_free(tables->context->memory, kind->large);
        mr_memory_free(tables->context->memory, kind->small);
        mr_release_rows_close(&kind->rows);
    }
    mr_output_abandon(tables->all);
    free(tables);
}

static enum mr_status next_degree(struct mr_degree_tables *tables, struct degree_kind *kind,
                                  uint64_t *degree, struct mr_error *err)
{
    double value = 0;
    bool is_end = false;
    const enum mr_status status = mr_npy_reader_next(kind->rows.reader, &value, &is_end, err);

    if (status == MR_OK &&
        (is_end || value < 0 || value >= 0x1p53 || value != (double)(uint64_t)value)) {
        return mr_error_file(err, MR_ERROR_INPUT, tables->files->degrees, 0,
                             "has a value that is no degree");
    }
    *degree = (uint64_t)value;
    return status;
}

/* ---- Collecting ---- */

static enum mr_status count_degree(struct mr_degree_tables *tables, int which, uint64_t row,
                                   uint64_t degree, struct mr_error *err)
{
    struct degree_kind *kind = &tables->kinds[which];
    struct mr_degree_figures *figures = &tables->figures[which];

    if (row == 0 || degree < figures->least) {
        figures->least = degree;
        figures->least_at = row;
    }
    if (row == 0 || degree > figures->most) {
        figures->most = degree;
        figures->most_at = row;
    }
    figures->n_zero += degree == 0;
    figures->sum += degree;
    if (degree < SMALL_DEGREES) {
        kind->small[degree]++;
        return MR_OK;
    }
    const enum mr_status status =
        mr_memory_grow(tables->context->memory, "distribution of degrees", kind->n_large + 1,
                       &kind->large, &kind->large_room, err);
    if (status == MR_OK) {
        kind->large[kind->n_large++] = degree;
    }
    return status;
}

static int compare_rows(const void *one, const void *other)
{
    const struct degree_row *a = one, *b = other;
    return a->degree != b->degree ? (a->degree < b->degree ? 1 : -1) : strcmp(a->line, b->line);
}

static void cut_top(struct degree_kind *kind)
{
    qsort(kind->top, kind->n_top, sizeof kind->top[0], compare_rows);
    for (; kind->n_top > TOP_ROWS; kind->n_top--) {
        free(kind->top[kind->n_top - 1].line);
    }
    kind->enough = kind->n_top == TOP_ROWS ? kind->top[TOP_ROWS - 1].degree : 0;
}

/* Takes the line of a page if it may be among the top ones. */
static enum mr_status offer_row(struct degree_kind *kind, uint64_t degree,
                                const uint64_t degrees[MR_DEGREE_KINDS], const char *columns,
                                struct mr_error *err)
{
    struct degree_row *row = &kind->top[kind->n_top];

    if (degree <= TOP_ABOVE || degree < kind->enough) {
        return MR_OK;
    }
    row->degree = degree;
    if (asprintf(&row->line, "%" PRIu64 "\t%" PRIu64 "\t%s", degrees[MR_DEGREE_OUT],
                 degrees[MR_DEGREE_IN], columns) < 0) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a top list");
    }
    if (++kind->n_top == 2 * TOP_ROWS) {
        cut_top(kind);
    }
    return MR_OK;
}

enum mr_status mr_degree_tables_add(struct mr_degree_tables *tables, const char *columns,
                                    struct mr_error *err)
{
    uint64_t degrees[MR_DEGREE_KINDS] = {0};
    enum mr_status status = MR_OK;

    for (int i = 0; i < MR_DEGREE_KINDS && status == MR_OK; i++) {
        status = next_degree(tables, &tables->kinds[i], &degrees[i], err);
        if (status == MR_OK) {
            status = count_degree(tables, i, tables->row, degrees[i], err);
        }
    }
    tables->row++;
    for (int i = 0; i < MR_DEGREE_KINDS && status == MR_OK; i++) {
        status = offer_row(&tables->kinds[i], degrees[i], degrees, columns, err);
    }
    if (status == MR_OK) {
        status = mr_output_print(tables->all, err, "%" PRIu64 "\t%" PRIu64 "\t",
                                 degrees[MR_DEGREE_OUT], degrees[MR_DEGREE_IN]);
    }
    return status == MR_OK ? mr_output_write(tables->all, columns, strlen(columns), err) : status;
}

/* ---- Writing what was collected ---- */

static enum mr_status write_distribution(struct mr_degree_tables *tables, int which,
                                         struct mr_error *err)
{
    struct degree_kind *kind = &tables->kinds[which];
    struct mr_output *output = NULL;

    enum mr_status status =
        mr_release_file_open(tables->context, tables->files, spread_names[which], &output, err);
    if (status == MR_OK) {
        status = mr_output_print(output, err, "#arcs\t#nodes\n");
    }
    for (uint64_t i = 0; i < SMALL_DEGREES && status == MR_OK; i++) {
        if (kind->small[i] > 0) {
            status = mr_output_print(output, err, "%" PRIu64 "\t%" PRIu64 "\n", i, kind->small[i]);
        }
    }
    if (kind->n_large > 0) {
        mr_sort_u64_in_place(kind->large, kind->n_large);
    }
    for (uint64_t i = 0, end; i < kind->n_large && status == MR_OK; i = end) {
        for (end = i + 1; end < kind->n_large && kind->large[end] == kind->large[i];) {
            end++;
        }
        status =
            mr_output_print(output, err, "%" PRIu64 "\t%" PRIu64 "\n", kind->large[i], end - i);
    }
    return mr_output_end(output, status, err);
}

static enum mr_status write_top(struct mr_degree_tables *tables, int which, struct mr_error *err)
{
    const char *count_title = tables->files->count_title;
    struct degree_kind *kind = &tables->kinds[which];
    struct mr_output *output = NULL;

    cut_top(kind);
    enum mr_status status =
        mr_release_file_open(tables->context, tables->files, top_names[which], &output, err);
    if (status == MR_OK) {
        status = mr_output_print(output, err, "#outdegree\t#indegree\t%s%s%s\n",
                                 tables->files->name_title, count_title != NULL ? "\t" : "",
                                 count_title != NULL ? count_title : "");
    }
    for (size_t i = 0; i < kind->n_top && status == MR_OK; i++) {
        status = mr_output_write(output, kind->top[i].line, strlen(kind->top[i].line), err);
    }
    return mr_output_end(output, status, err);
}

enum mr_status mr_degree_tables_finish(struct mr_degree_tables *tables, struct mr_error *err)
{
    struct mr_output *all = tables->all;

    tables->all = NULL;
    enum mr_status status = mr_output_commit(all, err);
    for (int i = 0; i < MR_DEGREE_KINDS && status == MR_OK; i++) {
        status = write_top(tables, i, err);
        if (status == MR_OK) {
            status = write_distribution(tables, i, err);
        }
    }
    return status;
}
