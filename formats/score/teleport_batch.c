/* SPDX-License-Identifier: Apache-2.0 */
/* Reads many teleport vectors from one file, for personalised PageRank of many vectors at once.
 * Lines may come in any order, so all of them are collected as entries, sorted by vector and
 * vertex, and merged. Sums depend on the order of their terms; entries therefore carry their
 * number, and equal pages stay in file order. */
#include "formats/score/teleport_batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/hash_set.h"
#include "engine/base/memory.h"
#include "formats/pages/name_lines.h"
#include "formats/pages/page_names.h"
#include "formats/score/row_forecast.h"

enum { FIRST_VECTORS = 64 };

static const char array_name[] = "teleport vectors";

struct entry {
    uint64_t order; /* 24 bits of vector, 40 bits of entry: equal pages stay in file order */
    double weight;
    uint32_t vertex;
};

enum { LINE_BITS = 40, VECTOR_BITS = 24 };

struct reader {
    struct mr_name_lines lines; /* first */
    const struct mr_context *context;
    const char *file; /* its name, for messages */
    struct mr_teleport_batch *out;
    struct entry *entries;
    uint64_t n_entries;
    struct mr_row_array array; /* of the entries */
    uint64_t room_names;
    struct mr_hash_set vectors;
};

/* ---- Names of vectors ---- */

static enum mr_status out_of_memory(struct mr_error *err)
{
    return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the names of teleport vectors");
}

/* Makes room for one more name. Vectors are few compared with pages, so their names are not charged
 * to the budget. */
static enum mr_status grow_names(struct reader *reader, struct mr_error *err)
{
    struct mr_teleport_batch *out = reader->out;
    const uint64_t room = reader->room_names == 0 ? FIRST_VECTORS : 2 * reader->room_names;
    char **names = realloc(out->names, room * sizeof *names);

    if (names == NULL) {
        return out_of_memory(err);
    }
    out->names = names;
    reader->room_names = room;
    return MR_OK;
}

static enum mr_status find_vector(struct reader *reader, const char *name, size_t name_bytes,
                                  uint64_t *vector, struct mr_error *err)
{
    struct mr_teleport_batch *out = reader->out;
    uint32_t number = 0;
    enum mr_status status =
        mr_hash_set_add(&reader->vectors, XXH3_128bits(name, name_bytes), &number, err);

    *vector = number;
    if (status == MR_OK && number == out->n_vectors && out->n_vectors == reader->room_names) {
        status = grow_names(reader, err);
    }
    if (status != MR_OK || number < out->n_vectors) {
        return status;
    }
    if (out->n_vectors >> VECTOR_BITS != 0) {
        return mr_error_file(err, MR_ERROR_INPUT, reader->file, 0,
                             "more than 16777216 vectors; split the file");
    }
    out->names[out->n_vectors] = strndup(name, name_bytes);
    return out->names[out->n_vectors++] != NULL ? MR_OK : out_of_memory(err);
}

/* ---- Lines ---- */

static enum mr_status add_entry(struct reader *reader, uint64_t vector, uint32_t vertex,
                                double weight, struct mr_error *err)
{
    if (reader->n_entries == reader->array.room) {
        const struct mr_row_place place = {.input = reader->lines.input,
                                           .n_rows =
                                               mr_max_u64(reader->out->lines, reader->n_entries),
                                           .pending_bytes = mr_name_lines_pending(&reader->lines)};
        const enum mr_status status = mr_row_array_grow(reader->context->memory, &place,
                                                        &reader->array, &reader->entries, err);
        if (status != MR_OK) {
            return status;
        }
    }
    reader->entries[reader->n_entries] = (struct entry){
        .order = vector << LINE_BITS | reader->n_entries, .weight = weight, .vertex = vertex};
    reader->n_entries++;
    return MR_OK;
}

/* A page of a host or a domain gets an equal share of its weight. */
static enum mr_status take_share(void *data, const struct mr_page_name *name, uint32_t vertex,
                                 uint64_t n_pages, struct mr_error *err)
{
    return add_entry(data, name->tag, vertex, name->weight / (double)n_pages, err);
}

static enum mr_status take_row(void *data, const struct mr_row *row, struct mr_error *err)
{
    struct reader *reader = data;
    uint64_t vector = 0;

    if (row->has_more) {
        return mr_name_lines_bad(&reader->lines, row,
                                 "more fields; lines are VECTOR<TAB>PAGE<TAB>WEIGHT", err);
    }
    reader->out->lines++;
    reader->lines.names++;
    const enum mr_status status = find_vector(reader, row->group, row->group_bytes, &vector, err);
    const struct mr_page_name name = {.name = row->name,
                                      .bytes = row->name_bytes,
                                      .line = row->line,
                                      .tag = vector,
                                      .weight = row->n_values > 0 ? row->values[0] : 1};
    return status == MR_OK ? mr_page_names_add(reader->lines.finder, &name, err) : status;
}

/* ---- Vectors ---- */

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    const uint64_t vector_x = x->order >> LINE_BITS, vector_y = y->order >> LINE_BITS;

    if (vector_x != vector_y) {
        return vector_x < vector_y ? -1 : 1;
    }
    if (x->vertex != y->vertex) {
        return x->vertex < y->vertex ? -1 : 1;
    }
    return (x->order > y->order) - (x->order < y->order);
}

/* Copies the sorted entries to `out` and adds the weights of the same page. */
static enum mr_status merge_entries(struct reader *reader, struct mr_error *err)
{
    struct mr_teleport_batch *out = reader->out;
    uint64_t i = 0;

    for (uint64_t vector = 0; vector < out->n_vectors; vector++) {
        const uint64_t first = out->n_entries;
        double sum = 0;
        for (; i < reader->n_entries && reader->entries[i].order >> LINE_BITS == vector; i++) {
            const struct entry *entry = &reader->entries[i];
            if (out->n_entries > first &&
                out->entries[out->n_entries - 1].vertex == entry->vertex) {
                out->entries[out->n_entries - 1].weight += entry->weight;
                out->duplicates++;
            } else {
                out->entries[out->n_entries++] =
                    (struct mr_vertex_weight){entry->vertex, entry->weight};
            }
            sum += entry->weight;
        }
        out->ends[vector] = out->n_entries;
        if (!(sum > 0) || isinf(sum)) {
            char quote[MR_LINES_QUOTE_BYTES];
            const char *name = out->names[vector];
            return mr_error_file(err, MR_ERROR_INPUT, reader->file, 0, "vector %s: %s",
                                 mr_lines_quote(name, strlen(name), quote),
                                 sum > 0 ? "its weights add up to more than a double can hold; "
                                           "scale them down"
                                         : "no vertex of the store has a weight above 0; at least "
                                           "one must");
        }
    }
    return MR_OK;
}

static enum mr_status make_vectors(struct reader *reader, struct mr_error *err)
{
    struct mr_teleport_batch *out = reader->out;

    if (out->n_vectors == 0) {
        return mr_error_file(err, MR_ERROR_INPUT, reader->file, 0,
                             "no vectors; lines are VECTOR<TAB>PAGE<TAB>WEIGHT");
    }
    if (reader->n_entries > 0) {
        qsort(reader->entries, reader->n_entries, sizeof *reader->entries, compare_entries);
    }
    out->ends = calloc(out->n_vectors, sizeof *out->ends);
    if (out->ends == NULL) {
        return out_of_memory(err);
    }
    const enum mr_status status = mr_memory_array(reader->context->memory, array_name,
                                                  reader->n_entries + 1, &out->entries, err);
    return status == MR_OK ? merge_entries(reader, err) : status;
}

enum mr_status mr_teleport_batch_read(const struct mr_context *context, const char *path,
                                      struct mr_names *names, const struct mr_store_info *info,
                                      uint64_t max_unknown, struct mr_teleport_batch *out,
                                      struct mr_error *err)
{
    const struct mr_page_place place = {.names = names, .info = info};
    struct reader reader = {.context = context,
                            .lines = {.context = context,
                                      .wanted = MR_FETCH_WANTS_WEIGHTS,
                                      .has_groups = true,
                                      .max_unknown = max_unknown},
                            .file = strcmp(path, "-") == 0 ? "standard input" : path,
                            .out = out,
                            .vectors = {.memory = context->memory, .name = array_name},
                            .array = {.name = array_name,
                                      .item_bytes = sizeof(struct entry),
                                      .later_row_bytes = sizeof *out->entries}};

    *out = (struct mr_teleport_batch){.memory = context->memory};
    enum mr_status status =
        mr_name_lines_read(&reader.lines, path, &place, take_row, take_share, err);
    out->unknown = reader.lines.unknown;
    if (status == MR_OK) {
        status = make_vectors(&reader, err);
    }
    mr_memory_free(context->memory, reader.entries);
    mr_hash_set_free(&reader.vectors);
    if (status != MR_OK) {
        mr_teleport_batch_free(out);
    }
    return status;
}

void mr_teleport_batch_free(struct mr_teleport_batch *batch)
{
    for (uint64_t i = 0; i < batch->n_vectors; i++) {
        free(batch->names[i]);
    }
    free(batch->names);
    free(batch->ends);
    if (batch->memory != NULL) {
        mr_memory_free(batch->memory, batch->entries);
    }
    *batch = (struct mr_teleport_batch){0};
}
