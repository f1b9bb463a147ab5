/* SPDX-License-Identifier: Apache-2.0 */
/* Finds rows of a score file by the hashes of their names. The rows are hashed while the file is
 * read, then sorted; a lookup is a binary search. A list of fetched pages may have other spellings
 * than the scores: the rules of the store's profile turn them into names first. */
#include "formats/score/row_table.h"

#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "engine/base/memory.h"
#include "formats/pages/name_lines.h"
#include "formats/pages/page_names.h"
#include "formats/stream/time_text.h"

struct entry {
    XXH128_hash_t hash;
    uint32_t row;
};

struct mr_row_table {
    const struct mr_context *context;
    struct mr_score_file *file;
    struct entry *entries; /* [n], ascending by hash, then row */
    uint64_t n, room;
};

static int compare(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    const int order = XXH128_cmp(&a->hash, &b->hash);
    return order != 0 ? order : (a->row > b->row) - (a->row < b->row);
}

static enum mr_status add_row(void *data, struct mr_output *output, uint64_t row, const char *name,
                              size_t name_bytes, uint64_t *escaped, struct mr_error *err)
{
    struct mr_row_table *table = data;

    (void)output;
    (void)escaped;
    if (table->n == table->room) {
        void *grown = table->entries;
        const uint64_t room = table->room == 0 ? 4096 : table->room + table->room / 2;
        const enum mr_status status = mr_memory_resize(table->context->memory, "names of scores",
                                                       &grown, room * sizeof *table->entries, err);
        if (status != MR_OK) {
            return status;
        }
        table->entries = grown;
        table->room = room;
    }
    if (row >= UINT32_MAX) {
        return mr_error_set(err, MR_ERROR_INPUT, "more than 4294967295 pages");
    }
    table->entries[table->n++] =
        (struct entry){.hash = XXH3_128bits(name, name_bytes), .row = (uint32_t)row};
    return MR_OK;
}

enum mr_status mr_row_table_open(const struct mr_context *context, struct mr_score_file *file,
                                 struct mr_row_table **out, struct mr_error *err)
{
    struct mr_row_table *table = calloc(1, sizeof *table);

    *out = NULL;
    if (table == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for names of scores");
    }
    table->context = context;
    table->file = file;
    const enum mr_status status = mr_score_file_visit(file, add_row, table, err);
    if (status != MR_OK) {
        mr_row_table_close(table);
        return status;
    }
    if (table->n > 0) {
        qsort(table->entries, table->n, sizeof *table->entries, compare);
    }
    *out = table;
    return MR_OK;
}

void mr_row_table_close(struct mr_row_table *table)
{
    if (table != NULL) {
        mr_memory_free(table->context->memory, table->entries);
        free(table);
    }
}

bool mr_row_table_find(const struct mr_row_table *table, const char *name, size_t name_bytes,
                       uint32_t *row)
{
    const XXH128_hash_t hash = XXH3_128bits(name, name_bytes);
    uint64_t low = 0, high = table->n;

    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (XXH128_cmp(&table->entries[middle].hash, &hash) < 0) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low == table->n || !XXH128_isEqual(table->entries[low].hash, hash)) {
        return false;
    }
    *row = table->entries[low].row;
    return true;
}

/* ---- Lists ---- */

struct reader {
    const struct mr_row_table *table;
    struct mr_name_lines lines;
    struct mr_page_names *finder;
    const struct mr_canonical *canonical;
    uint8_t *marked;
    uint32_t *times;
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
    if (reader->canonical->profile == MR_CANONICAL_NONE || bytes > MR_NAME_MAX_BYTES) {
        return false;
    }
    bytes = mr_canonical_name(reader->canonical, name, bytes, reader->name);
    return mr_row_table_find(reader->table, reader->name, bytes, row);
}

static enum mr_status visit_row(void *data, struct mr_output *output, uint64_t row,
                                const char *name, size_t name_bytes, uint64_t *escaped,
                                struct mr_error *err)
{
    struct reader *reader = data;

    (void)output, (void)escaped;
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

static enum mr_status take_row(void *data, const struct mr_page_name *name, uint32_t row,
                               uint64_t n_pages, struct mr_error *err)
{
    struct reader *reader = data;

    (void)n_pages, (void)err;
    reader->marked[row / 8] |= (uint8_t)(1u << row % 8);
    if (reader->times != NULL && name->weight > reader->times[row]) {
        reader->times[row] = (uint32_t)name->weight;
    }
    return MR_OK;
}

static enum mr_status take_unknown(void *data, const struct mr_page_name *name,
                                   struct mr_error *err)
{
    struct reader *reader = data;
    return mr_name_lines_unknown(&reader->lines, name->name, name->bytes, name->line, err);
}

static enum mr_status take_line(void *data, const struct mr_name_line *line, struct mr_error *err)
{
    struct reader *reader = data;
    const char *at = line->at;
    struct mr_page_name name = {.name = line->name,
                                .bytes = line->name_bytes,
                                .line = mr_name_lines_number(&reader->lines)};
    size_t bytes = 0;

    reader->lines.names++;
    if (reader->times != NULL &&
        (reader->lines.log == MR_FETCH_LOG_NONE || line->bytes > line->name_bytes)) {
        const char *time = mr_lines_field(&at, line->text + line->bytes, &bytes);
        if (time == NULL || !mr_time_parse(time, bytes, &name.weight)) {
            return mr_name_lines_bad(&reader->lines, line, MR_TIME_EXPECTED, err);
        }
    }
    return mr_page_names_add(reader->finder, &name, err);
}

enum mr_status mr_row_table_read(const struct mr_row_table *table, struct mr_input *input,
                                 const struct mr_canonical *canonical, uint64_t max_unknown,
                                 uint8_t *marked, uint32_t *times, struct mr_error *err)
{
    struct reader *reader = calloc(1, sizeof *reader);

    if (reader == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a list of pages");
    }
    const struct mr_page_source source = {.data = reader, .find = find_row, .walk = walk_rows};
    *reader = (struct reader){
        .table = table,
        .lines = {.context = table->context,
                  .input = input,
                  .wanted = times != NULL ? MR_FETCH_WANTS_TIMES : MR_FETCH_WANTS_FETCHED,
                  .max_unknown = max_unknown},
        .canonical = canonical,
        .marked = marked,
        .times = times};
    enum mr_status status = mr_page_names_open_source(table->context, &source, canonical, take_row,
                                                      take_unknown, reader, &reader->finder, err);
    if (status == MR_OK) {
        reader->lines.what = mr_page_names_what(reader->finder);
        status = mr_name_lines_read(&reader->lines, take_line, reader, err);
    }
    if (status == MR_OK) {
        status = mr_page_names_finish(reader->finder, err);
    }
    if (status == MR_OK) {
        status = mr_name_lines_end(&reader->lines, NULL, err);
    }
    mr_page_names_close(reader->finder);
    free(reader);
    return status;
}
