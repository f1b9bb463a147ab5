/* SPDX-License-Identifier: Apache-2.0 */
/* Writes tables of degrees (degree_tables.h), for `release`. Names, degrees and counts are read
 * side by side, one row at a time; only the distributions and the rows of the top lists stay in
 * memory. */
#include "formats/release/degree_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/base/sort.h"
#include "formats/release/ranks_file.h"
#include "formats/stream/name_text.h"
#include "formats/stream/output.h"
#include "formats/table/npy_reader.h"

enum {
    ROWS_PER_REPORT = 1 << 16,
    TOP_ROWS = 10000, /* of a top list */
    TOP_ABOVE = 1000, /* its rows have more links */
    SMALL_DEGREES = 1 << 20 /* counted in an array; larger ones are few */
};

struct row {
    uint64_t degree;
    char *line; /* owned, with its line end */
};

/* What is collected of one kind of degree. */
struct kind {
    struct mr_input *input;
    struct mr_npy_reader *reader;
    uint64_t *small; /* [SMALL_DEGREES]: pages with this degree */
    uint64_t *large; /* [n_large]: degrees above */
    uint64_t n_large, large_room;
    struct row top[2 * TOP_ROWS];
    size_t n_top;
    uint64_t enough; /* rows with fewer links are not among the top any more */
};

struct tables {
    const struct mr_context *context;
    const struct mr_degree_tables_options *options;
    struct mr_degree_figures *figures;
    struct mr_counts *counts; /* NULL: none */
    struct mr_output *all;
    struct kind kinds[MR_DEGREE_KINDS];
};

static const char *const kind_names[MR_DEGREE_KINDS] = {"outdegree", "indegree"};
static const char *const top_names[MR_DEGREE_KINDS] = {"outdegrees-indegrees-topout",
                                                       "outdegrees-indegrees-topin"};

static enum mr_status open_table(const struct tables *tables, const char *name,
                                 struct mr_output **out, struct mr_error *err)
{
    char *path = NULL;

    *out = NULL;
    if (asprintf(&path, "%s-%s.txt.gz", tables->options->prefix, name) < 0) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a path");
    }
    const enum mr_status status =
        mr_output_open(tables->context, path, tables->options->force, out, err);
    free(path);
    return status;
}

static enum mr_status close_table(struct mr_output *output, enum mr_status status,
                                  struct mr_error *err)
{
    if (status == MR_OK) {
        return mr_output_commit(output, err);
    }
    mr_output_abandon(output);
    return status;
}

/* ---- Reading degrees ---- */

static enum mr_status open_kind(struct tables *tables, int which, struct mr_error *err)
{
    struct kind *kind = &tables->kinds[which];
    const char *const columns[MR_DEGREE_KINDS] = {"1", "2"};
    enum mr_status status =
        mr_input_open(tables->context, tables->options->degrees, &kind->input, err);

    if (status == MR_OK) {
        status =
            mr_npy_reader_open(tables->context, kind->input, columns[which], &kind->reader, err);
    }
    if (status == MR_OK && mr_npy_reader_rows(kind->reader) != tables->options->n) {
        status = mr_error_file(err, MR_ERROR_INPUT, tables->options->degrees, 0,
                               "has %" PRIu64 " rows for %" PRIu64 " names",
                               mr_npy_reader_rows(kind->reader), tables->options->n);
    }
    if (status == MR_OK) {
        status = mr_memory_array(tables->context->memory, "distribution of degrees", SMALL_DEGREES,
                                 &kind->small, err);
    }
    return status;
}

static void close_kind(struct tables *tables, struct kind *kind)
{
    for (size_t i = 0; i < kind->n_top; i++) {
        free(kind->top[i].line);
    }
    mr_memory_free(tables->context->memory, kind->large);
    mr_memory_free(tables->context->memory, kind->small);
    mr_npy_reader_close(kind->reader);
    mr_input_close(kind->input);
}

static enum mr_status next_degree(struct tables *tables, struct kind *kind, uint64_t *degree,
                                  struct mr_error *err)
{
    double value = 0;
    bool is_end = false;
    const enum mr_status status = mr_npy_reader_next(kind->reader, &value, &is_end, err);

    if (status == MR_OK &&
        (is_end || value < 0 || value >= 0x1p53 || value != (double)(uint64_t)value)) {
        return mr_error_file(err, MR_ERROR_INPUT, tables->options->degrees, 0,
                             "has a value that is no degree");
    }
    *degree = (uint64_t)value;
    return status;
}

/* ---- Collecting ---- */

static enum mr_status count_degree(struct tables *tables, int which, uint64_t row, uint64_t degree,
                                   struct mr_error *err)
{
    struct kind *kind = &tables->kinds[which];
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
    if (kind->n_large == kind->large_room) {
        void *large = kind->large;
        kind->large_room = 2 * kind->large_room + 1024;
        const enum mr_status status =
            mr_memory_resize(tables->context->memory, "distribution of degrees", &large,
                             kind->large_room * sizeof *kind->large, err);
        kind->large = large;
        if (status != MR_OK) {
            return status;
        }
    }
    kind->large[kind->n_large++] = degree;
    return MR_OK;
}

static int compare_rows(const void *one, const void *other)
{
    const struct row *a = one, *b = other;
    return a->degree != b->degree ? (a->degree < b->degree ? 1 : -1) : strcmp(a->line, b->line);
}

static void cut_top(struct kind *kind)
{
    qsort(kind->top, kind->n_top, sizeof kind->top[0], compare_rows);
    for (; kind->n_top > TOP_ROWS; kind->n_top--) {
        free(kind->top[kind->n_top - 1].line);
    }
    kind->enough = kind->n_top == TOP_ROWS ? kind->top[TOP_ROWS - 1].degree : 0;
}

static enum mr_status offer_row(struct kind *kind, uint64_t degree, const char *line,
                                struct mr_error *err)
{
    if (degree <= TOP_ABOVE || degree < kind->enough) {
        return MR_OK;
    }
    kind->top[kind->n_top] = (struct row){.degree = degree, .line = strdup(line)};
    if (kind->top[kind->n_top].line == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a top list");
    }
    if (++kind->n_top == 2 * TOP_ROWS) {
        cut_top(kind);
    }
    return MR_OK;
}

/* Writes the line of a page to `line`. */
static enum mr_status make_line(struct tables *tables, const uint64_t degrees[MR_DEGREE_KINDS],
                                const char *name, size_t name_bytes, char *line,
                                struct mr_error *err)
{
    uint64_t count = 0;
    enum mr_status status = MR_OK;

    size_t used = (size_t)sprintf(line, "%" PRIu64 "\t%" PRIu64 "\t", degrees[MR_DEGREE_OUT],
                                  degrees[MR_DEGREE_IN]);
    used += mr_name_escape(name, name_bytes, MR_NAME_LINE, line + used);
    if (tables->counts != NULL) {
        status = mr_counts_next(tables->counts, &count, err);
        if (status == MR_OK && count == UINT64_MAX) {
            status = mr_error_file(err, MR_ERROR_INPUT, tables->options->counts, 0,
                                   "ends before the names of the store");
        }
        used += (size_t)sprintf(line + used, "\t%" PRIu64, count);
    }
    line[used++] = '\n';
    line[used] = '\0';
    return status;
}

static enum mr_status take_row(struct tables *tables, uint64_t row, const char *name,
                               size_t name_bytes, char *line, struct mr_error *err)
{
    uint64_t degrees[MR_DEGREE_KINDS] = {0};
    enum mr_status status = MR_OK;

    for (int i = 0; i < MR_DEGREE_KINDS && status == MR_OK; i++) {
        status = next_degree(tables, &tables->kinds[i], &degrees[i], err);
        if (status == MR_OK) {
            status = count_degree(tables, i, row, degrees[i], err);
        }
    }
    if (status == MR_OK) {
        status = make_line(tables, degrees, name, name_bytes, line, err);
    }
    for (int i = 0; i < MR_DEGREE_KINDS && status == MR_OK; i++) {
        status = offer_row(&tables->kinds[i], degrees[i], line, err);
    }
    return status == MR_OK ? mr_output_write(tables->all, line, strlen(line), err) : status;
}

static enum mr_status report(const struct tables *tables, uint64_t done, struct mr_error *err)
{
    const struct mr_context *context = tables->context;

    if (context->progress != NULL) {
        const struct mr_progress progress = {.stage = "degrees",
                                             .done = done,
                                             .total = tables->options->n,
                                             .unit = "rows",
                                             .error_bound = -1};
        context->progress(context->progress_data, &progress);
    }
    return mr_context_poll(context, err);
}

static enum mr_status take_rows(struct tables *tables, struct mr_names *names, struct mr_error *err)
{
    struct mr_name_cursor *cursor = NULL;
    char *line = malloc(MR_NAME_CODE_BYTES * (size_t)MR_NAME_MAX_BYTES + 128);
    const char *name = NULL;
    size_t name_bytes = 0;
    enum mr_status status =
        line == NULL ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a line") : MR_OK;

    if (status == MR_OK && tables->options->n > 0) {
        status = mr_name_cursor_open(names, 0, &cursor, err);
    }
    for (uint64_t i = 0; status == MR_OK && i < tables->options->n; i++) {
        status = i % ROWS_PER_REPORT == 0 ? report(tables, i, err) : MR_OK;
        if (status == MR_OK) {
            status = mr_name_cursor_next(cursor, &name, &name_bytes, err);
        }
        if (status == MR_OK) {
            status = take_row(tables, i, name, name_bytes, line, err);
        }
    }
    mr_name_cursor_close(cursor);
    free(line);
    return status;
}

/* ---- Writing what was collected ---- */

static enum mr_status write_distribution(struct tables *tables, int which, struct mr_error *err)
{
    struct kind *kind = &tables->kinds[which];
    struct mr_output *output = NULL;
    char name[32];

    (void)snprintf(name, sizeof name, "%s-distrib", kind_names[which]);
    enum mr_status status = open_table(tables, name, &output, err);
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
    return close_table(output, status, err);
}

static enum mr_status write_top(struct tables *tables, int which, struct mr_error *err)
{
    const struct mr_degree_tables_options *options = tables->options;
    struct kind *kind = &tables->kinds[which];
    struct mr_output *output = NULL;

    cut_top(kind);
    enum mr_status status = open_table(tables, top_names[which], &output, err);
    if (status == MR_OK) {
        status = mr_output_print(output, err, "#outdegree\t#indegree\t%s%s%s\n",
                                 options->name_title != NULL ? options->name_title : "#host_rev",
                                 options->counts != NULL ? "\t" : "",
                                 options->counts != NULL ? options->count_title : "");
    }
    for (size_t i = 0; i < kind->n_top && status == MR_OK; i++) {
        status = mr_output_write(output, kind->top[i].line, strlen(kind->top[i].line), err);
    }
    return close_table(output, status, err);
}

enum mr_status mr_degree_tables_write(const struct mr_context *context, struct mr_names *names,
                                      const struct mr_degree_tables_options *options,
                                      struct mr_degree_figures figures[MR_DEGREE_KINDS],
                                      struct mr_error *err)
{
    struct tables *tables = calloc(1, sizeof *tables);
    enum mr_status status = MR_OK;

    memset(figures, 0, MR_DEGREE_KINDS * sizeof *figures);
    if (tables == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for tables of degrees");
    }
    tables->context = context;
    tables->options = options;
    tables->figures = figures;
    for (int i = 0; i < MR_DEGREE_KINDS && status == MR_OK; i++) {
        status = open_kind(tables, i, err);
    }
    if (status == MR_OK && options->counts != NULL) {
        status = mr_counts_open(context, options->counts, &tables->counts, err);
    }
    if (status == MR_OK) {
        status = open_table(tables, "outdegrees-indegrees", &tables->all, err);
    }
    if (status == MR_OK) {
        status = close_table(tables->all, take_rows(tables, names, err), err);
    }
    for (int i = 0; i < MR_DEGREE_KINDS && status == MR_OK; i++) {
        status = write_top(tables, i, err);
        if (status == MR_OK) {
            status = write_distribution(tables, i, err);
        }
    }
    mr_counts_close(tables->counts);
    for (int i = 0; i < MR_DEGREE_KINDS; i++) {
        close_kind(tables, &tables->kinds[i]);
    }
    free(tables);
    return status;
}
