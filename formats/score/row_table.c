/* SPDX-License-Identifier: Apache-2.0 */
/* Finds rows of a score file by the hashes of their names. The rows are hashed while the file is
 * read. A list of fetched pages may have other spellings
 * than the scores: the rules of the store's profile turn them into names first. */
#include "formats/score/precedence_file.h"

#include <stdlib.h>

#include "engine/base/hash_set.h"

struct mr_row_table {
    const struct mr_context *context;
    struct mr_score_file *file;
    struct mr_hash_set rows; /* numbered as they come */
    uint64_t n;
};

/* A mr_score_row_take. */
static enum mr_status add_row(void *data, uint64_t row, const char *name, size_t name_bytes,
                              struct mr_error *err)
{
    struct mr_row_table *table = data;

    if (row < table->n) { /* the caller says that the file has changed if it has other rows */
        uint32_t first;
        const enum mr_status status =
            mr_hash_set_add(&table->rows, XXH3_128bits(name, name_bytes), &first, err);
        if (status != MR_OK) {
            return status;
        }
        if (first != row) {
            mr_hash_set_skip(&table->rows);
        }
    }
    return MR_OK;
}

enum mr_status mr_row_table_open(const struct mr_context *context, struct mr_score_file *file,
                                 struct mr_row_table **out, struct mr_error *err)
{
    struct mr_row_table *table = calloc(1, sizeof *table);

    *out = table;
    if (table == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for names of scores");
    }
    table->context = context;
    table->file = file;
    (void)mr_score_file_scores(file, &table->n);
    table->rows = (struct mr_hash_set){.memory = context->memory, .name = "names of scores"};
    enum mr_status status = mr_hash_set_reserve(&table->rows, table->n, err);
    if (status == MR_OK) {
        status = mr_score_file_visit(file, add_row, table, err);
    }
    return status;
}

void mr_row_table_close(struct mr_row_table *table)
{
    if (table != NULL) {
        mr_hash_set_free(&table->rows);
        free(table);
    }
}

bool mr_row_table_find(const struct mr_row_table *table, const char *name, size_t name_bytes,
                       uint32_t *row)
{
    *row = mr_hash_set_find(&table->rows, XXH3_128bits(name, name_bytes));
    return *row != MR_HASH_SET_NONE;
}

/* ---- Lists ---- */

struct rows_reader {
    const struct mr_row_table *table;
    const struct mr_canonical *canonical;
    mr_page_visit visit; /* of the walk over the rows */
    void *visit_data;
    char name[MR_NAME_MAX_BYTES];
};

static bool find_row(void *data, const char *name, size_t bytes, uint32_t *row)
{
    struct rows_reader *reader = data;

    if (mr_row_table_find(reader->table, name, bytes, row)) {
        return true;
    }
    if (reader->canonical->reversed_hosts || bytes > MR_NAME_MAX_BYTES) {
        return false;
    }
    bytes = mr_canonical_name(reader->canonical, name, bytes, reader->name);
    return mr_row_table_find(reader->table, reader->name, bytes, row);
}

/* A mr_score_row_take. */
static enum mr_status visit_row(void *data, uint64_t row, const char *name, size_t name_bytes,
                                struct mr_error *err)
{
    struct rows_reader *reader = data;
    return reader->visit(reader->visit_data, name, name_bytes, (uint32_t)row, err);
}

static enum mr_status walk_rows(void *data, mr_page_visit visit, void *visit_data,
                                struct mr_error *err)
{
    struct rows_reader *reader = data;

    reader->visit = visit;
    reader->visit_data = visit_data;
    return mr_score_file_visit(reader->table->file, visit_row, reader, err);
}

enum mr_status mr_row_table_read(const struct mr_row_table *table, const char *const *files,
                                 size_t n_files, const struct mr_canonical *canonical,
                                 const struct mr_page_marks *marks, struct mr_error *err)
{
    struct rows_reader *reader = calloc(1, sizeof *reader);

    if (reader == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a list of pages");
    }
    const struct mr_page_source source = {.data = reader, .find = find_row, .walk = walk_rows};
    struct mr_page_marks rows = *marks;
    rows.context = table->context;
    rows.place = (struct mr_page_place){.source = &source, .canonical = canonical};
    rows.n_pages = table->n;
    *reader = (struct rows_reader){.table = table, .canonical = canonical};
    const enum mr_status status = mr_page_marks_read(&rows, files, n_files, err);
    free(reader);
    return status;
}
