/* SPDX-License-Identifier: Apache-2.0 */
/* Finds rows of a score file by the hashes of their names. The rows are hashed while the file is
 * read, and found through a table of slots. A list of fetched pages may have other spellings
 * than the scores: the rules of the store's profile turn them into names first. */
#include "formats/score/row_table.h"

#include <stdlib.h>

#include <xxhash.h>

#include "engine/base/memory.h"

struct mr_row_table {
    const struct mr_context *context;
    struct mr_score_file *file;
    XXH128_hash_t *hashes; /* [n], by row */
    uint32_t *slots; /* [n_slots]: rows, counted from 1; 0: the slot is free */
    uint64_t n, n_slots; /* n_slots is a power of two, and a quarter of the slots are free */
};

/* The slot of the first row with this hash, or the free slot where it belongs. */
static uint32_t *find(const struct mr_row_table *table, XXH128_hash_t hash)
{
    uint64_t at = hash.low64 & (table->n_slots - 1);

    while (table->slots[at] != 0 && !XXH128_isEqual(table->hashes[table->slots[at] - 1], hash)) {
        at = (at + 1) & (table->n_slots - 1);
    }
    return &table->slots[at];
}

/* A mr_score_row_take. */
static enum mr_status add_row(void *data, uint64_t row, const char *name, size_t name_bytes,
                              struct mr_error *err)
{
    struct mr_row_table *table = data;

    (void)err;
    if (row < table->n) { /* the caller says that the file has changed if it has other rows */
        table->hashes[row] = XXH3_128bits(name, name_bytes);
        uint32_t *slot = find(table, table->hashes[row]);
        *slot = *slot == 0 ? (uint32_t)row + 1 : *slot;
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
    table->n_slots = 64;
    while (3 * table->n_slots < 4 * table->n) {
        table->n_slots *= 2;
    }
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("names of scores", table->n + 1, &table->hashes),
        MR_WANTED("names of scores", table->n_slots, &table->slots),
    };
    enum mr_status status = table->n < UINT32_MAX
                                ? mr_memory_arrays(context->memory, arrays, err)
                                : mr_error_set(err, MR_ERROR_INPUT, "more than 4294967295 pages");
    if (status == MR_OK) {
        status = mr_score_file_visit(file, add_row, table, err);
    }
    return status;
}

void mr_row_table_close(struct mr_row_table *table)
{
    if (table != NULL) {
        mr_memory_free(table->context->memory, table->slots);
        mr_memory_free(table->context->memory, table->hashes);
        free(table);
    }
}

bool mr_row_table_find(const struct mr_row_table *table, const char *name, size_t name_bytes,
                       uint32_t *row)
{
    const uint32_t number = *find(table, XXH3_128bits(name, name_bytes));

    if (number != 0) {
        *row = number - 1;
    }
    return number != 0;
}

/* ---- Lists ---- */

struct reader {
    const struct mr_row_table *table;
    const struct mr_canonical *canonical;
    mr_page_visit visit; /* of the walk over the rows */
    void *visit_data;
    char name[MR_NAME_MAX_BYTES];
};

static bool find_row(void *data, const char *name, size_t bytes, uint32_t *row)
{
    struct reader *reader = data;

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
    struct reader *reader = data;
    return reader->visit(reader->visit_data, name, name_bytes, (uint32_t)row, err);
}

static enum mr_status walk_rows(void *data, mr_page_visit visit, void *visit_data,
                                struct mr_error *err)
{
    struct reader *reader = data;

    reader->visit = visit;
    reader->visit_data = visit_data;
    return mr_score_file_visit(reader->table->file, visit_row, reader, err);
}

enum mr_status mr_row_table_read(const struct mr_row_table *table, const char *const *files,
                                 size_t n_files, const struct mr_canonical *canonical,
                                 const struct mr_page_marks *marks, struct mr_error *err)
{
    struct reader *reader = calloc(1, sizeof *reader);

    if (reader == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a list of pages");
    }
    const struct mr_page_source source = {.data = reader, .find = find_row, .walk = walk_rows};
    struct mr_page_marks rows = *marks;
    rows.context = table->context;
    rows.source = &source;
    rows.canonical = canonical;
    rows.n_pages = table->n;
    *reader = (struct reader){.table = table, .canonical = canonical};
    const enum mr_status status = mr_page_marks_read(&rows, files, n_files, err);
    free(reader);
    return status;
}
