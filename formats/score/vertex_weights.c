/* SPDX-License-Identifier: Apache-2.0 */
/* Reads files of names and weights into sorted lists of vertices and weights: teleports, seeds,
 * times, and batches of named teleport vectors. page_names.h finds the vertices; then a radix sort
 * orders the entries by vector and vertex, and a merge adds the weights of the same vertex. The
 * sort is stable, because a sum of doubles depends on its order. */
#include "formats/score/vertex_weights.h"

#include <assert.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/hash_set.h"
#include "engine/base/memory.h"
#include "formats/pages/name_lines.h"
#include "formats/pages/page_names.h"
#include "formats/score/row_forecast.h"

enum {
    RADIX_BITS = 11, /* three rounds for 32 bits; the counts take 16 KiB */
    NOTED_EMPTY = 5
};

static const char array_name[] = "vertex weights";

/* A struct mr_vertex_weight with a vector in its padding. */
struct vector_entry {
    uint32_t vertex, vector;
    double weight;
};
static_assert(sizeof(struct vector_entry) == sizeof(struct mr_vertex_weight) &&
                  offsetof(struct vector_entry, weight) ==
                      offsetof(struct mr_vertex_weight, weight),
              "entries become weights where they are");

struct weights_reader {
    struct mr_name_lines lines; /* first */
    const struct mr_context *context;
    bool has_noted_more; /* that lines have fields that are not read */
    enum mr_list_kind kind;
    uint64_t n_lines, duplicates, unknown;
    struct vector_entry *entries; /* [n_entries] */
    uint64_t n_entries;
    struct mr_row_array array; /* of the entries; sorting takes as much again */
    struct mr_hash_set vectors; /* of a batch: their names */
    char **names; /* [vectors.n] of [room_names]; few compared with pages, and not charged */
    uint64_t *firsts; /* [vectors.n] of [room_names]: their first lines */
    struct mr_rank_vector *made; /* [vectors.n] */
    uint64_t room_names, n_empty;
    bool may_be_empty; /* vectors */
};

static struct weights_reader begin(const struct mr_context *context, enum mr_list_kind kind)
{
    return (struct weights_reader){.context = context,
                                   .kind = kind,
                                   .vectors = {.memory = context->memory, .name = array_name},
                                   .array = {.name = array_name,
                                             .item_bytes = sizeof(struct vector_entry),
                                             .later_row_bytes = sizeof(struct vector_entry)}};
}

static enum mr_status add_entry(struct weights_reader *reader, uint64_t vector, uint32_t vertex,
                                double weight, struct mr_error *err)
{
    if (reader->n_entries == reader->array.room) {
        const uint64_t n_rows =
            mr_row_forecast(reader->lines.input, mr_max_u64(reader->n_lines, reader->n_entries),
                            mr_name_lines_place(&reader->lines));
        const enum mr_status status = mr_row_array_grow(reader->context->memory, n_rows,
                                                        &reader->array, &reader->entries, err);
        if (status != MR_OK) {
            return status;
        }
    }
    reader->entries[reader->n_entries++] =
        (struct vector_entry){.vertex = vertex, .vector = (uint32_t)vector, .weight = weight};
    return MR_OK;
}

/* Pages of a host or a domain share its weight. Without weights all pages count alike. */
static enum mr_status take_share(void *data, const struct mr_row *name, uint32_t vertex,
                                 uint64_t n_pages, struct mr_error *err)
{
    const bool shares = ((struct weights_reader *)data)->kind == MR_LIST_WEIGHTS;
    return add_entry(data, name->tag, vertex,
                     shares ? name->values[0] / (double)n_pages : name->values[0], err);
}

/* ---- Rows ---- */

/* The number of the vector that a row of a batch is of. A row without a group is one by itself. */
static enum mr_status find_vector(struct weights_reader *reader, const struct mr_row *row,
                                  uint64_t *vector, struct mr_error *err)
{
    const uint64_t n = reader->vectors.n;
    const char *name = row->group != NULL ? row->group : row->name;
    const size_t bytes = row->group != NULL ? row->group_bytes : row->name_bytes;
    uint32_t number = 0;
    const enum mr_status status = mr_hash_set_add(
        &reader->vectors, XXH3_128bits_withSeed(name, bytes, row->group != NULL ? 0 : row->line),
        &number, err);

    *vector = number;
    if (status != MR_OK || number < n) {
        return status;
    }
    if (n == reader->room_names) {
        const uint64_t room = 2 * n + 64;
        char **names = realloc(reader->names, room * sizeof *names);
        uint64_t *firsts = realloc(reader->firsts, room * sizeof *firsts);
        reader->names = names != NULL ? names : reader->names;
        reader->firsts = firsts != NULL ? firsts : reader->firsts;
        reader->room_names = names != NULL && firsts != NULL ? room : n;
    }
    char *copy = n < reader->room_names ? strndup(name, bytes) : NULL;
    if (copy == NULL) {
        reader->vectors.n = n;
        return mr_error_set(err, MR_ERROR_BUDGET,
                            "out of memory for the names of teleport vectors");
    }
    reader->names[n] = copy;
    reader->firsts[n] = row->line;
    return MR_OK;
}

static enum mr_status take_row(void *data, const struct mr_row *row, struct mr_error *err)
{
    struct weights_reader *reader = data;
    const bool is_log = reader->lines.log != MR_FETCH_LOG_NONE;
    const unsigned value = reader->kind == MR_LIST_INTERVALS;
    uint64_t vector = 0;

    if (reader->kind >= MR_LIST_TIMES && row->n_values <= value) {
        reader->lines.n_timeless += is_log;
        return value == 1 && row->has_more
                   ? mr_name_lines_bad(&reader->lines, row, "the interval is no number", err)
                   : MR_OK;
    }
    if (row->has_more && reader->lines.has_groups) {
        return mr_name_lines_bad(&reader->lines, row,
                                 "more fields; lines are VECTOR<TAB>PAGE<TAB>WEIGHT", err);
    }
    if (row->has_more && !reader->has_noted_more && !reader->lines.is_quiet) {
        reader->has_noted_more = true;
        mr_context_note(reader->lines.context, "%s:%llu: only %s of each line is read",
                        mr_input_name(reader->lines.input), (unsigned long long)row->line,
                        reader->kind != MR_LIST_NAMES ? "a name and its value" : "the name");
    }
    reader->n_lines++;
    reader->lines.names++;
    const enum mr_status status =
        reader->lines.has_groups ? find_vector(reader, row, &vector, err) : MR_OK;
    struct mr_row name = *row;
    name.tag = vector;
    name.values[0] = reader->kind == MR_LIST_NAMES || row->n_values == 0 ? 1 : row->values[value];
    return status == MR_OK ? mr_page_names_add(reader->lines.finder, &name, err) : status;
}

/* ---- Entries ---- */

/* One round of a stable sort by RADIX_BITS of the vertex or of the vector. The order of equal
 * vertices must be the order of the file, because sums of doubles depend on it. */
static void sort_round(const struct vector_entry *from, struct vector_entry *to, uint64_t n,
                       bool by_vector, unsigned shift)
{
    const uint32_t mask = (1u << RADIX_BITS) - 1;
    uint64_t next[1u << RADIX_BITS] = {0};
    uint64_t sum = 0;

    for (uint64_t i = 0; i < n; i++) {
        next[(by_vector ? from[i].vector : from[i].vertex) >> shift & mask]++;
    }
    for (uint32_t digit = 0; digit <= mask; digit++) {
        uint64_t count = next[digit];
        next[digit] = sum;
        sum += count;
    }
    for (uint64_t i = 0; i < n; i++) {
        to[next[(by_vector ? from[i].vector : from[i].vertex) >> shift & mask]++] = from[i];
    }
}

static enum mr_status sort_entries(struct weights_reader *reader, struct mr_error *err)
{
    struct mr_memory *memory = reader->context->memory;
    uint64_t n = reader->n_entries;
    struct vector_entry *to = NULL;
    enum mr_status status = n > 0 ? mr_memory_array(memory, array_name, n, &to, err) : MR_OK;

    for (unsigned shift = 0; shift < 64 && n > 0 && status == MR_OK; shift += RADIX_BITS) {
        struct vector_entry *const from = reader->entries;
        const bool by_vector = shift > 32;
        if (by_vector && reader->vectors.n <= (uint64_t)1 << (shift - 33)) {
            break;
        }
        sort_round(from, to, n, by_vector, by_vector ? shift - 33 : shift);
        reader->entries = to;
        to = from;
    }
    mr_memory_free(memory, to);
    return status;
}

/* Checks the sum of the weights of a vector. */
static enum mr_status check_sum(const struct weights_reader *reader, const char *file,
                                uint64_t vector, double sum, struct mr_error *err)
{
    char quote[MR_LINES_QUOTE_BYTES] = "";
    const char *name = reader->vectors.n > 0 ? reader->names[vector] : NULL;

    if (isfinite(sum) && (sum > 0 || reader->kind >= MR_LIST_TIMES || reader->may_be_empty)) {
        return MR_OK;
    }
    if (name != NULL) {
        (void)mr_lines_quote(name, strlen(name), quote);
    }
    return mr_error_file(err, MR_ERROR_INPUT, strcmp(file, "-") == 0 ? "standard input" : file, 0,
                         "%s%s%s%s", name != NULL ? "vector " : "", quote, name != NULL ? ": " : "",
                         isfinite(sum) ? "names no page with a weight above 0; at least "
                                         "one must"
                                       : "the weights add up to more than a double can hold; "
                                         "scale them down");
}

static void note_empty(struct weights_reader *reader, const char *file, uint64_t vector)
{
    char quote[MR_LINES_QUOTE_BYTES];

    if (++reader->n_empty <= NOTED_EMPTY) {
        mr_context_note(reader->context,
                        "%s:%llu: %s has no page of the store with a weight above 0%s", file,
                        (unsigned long long)reader->firsts[vector],
                        mr_lines_quote(reader->names[vector], strlen(reader->names[vector]), quote),
                        reader->n_empty < NOTED_EMPTY ? "" : "; further ones are only counted");
    }
}

/* Merges entries of the same vertex: their weights add, or the largest counts. Of a list without
 * weights all pages are alike, however often a crawl.log has them. */
static enum mr_status merge_entries(struct weights_reader *reader, const char *file,
                                    struct mr_error *err)
{
    struct vector_entry *entries = reader->entries;
    const bool adds = reader->kind == MR_LIST_WEIGHTS;
    uint64_t kept = 0, i = 0, vector = 0;
    enum mr_status status = MR_OK;

    do {
        const uint64_t first = kept;
        double sum = 0;
        for (; i < reader->n_entries && entries[i].vector == vector; i++) {
            if (kept > first && entries[kept - 1].vertex == entries[i].vertex) {
                double *weight = &entries[kept - 1].weight;
                *weight = adds ? *weight + entries[i].weight : fmax(*weight, entries[i].weight);
            } else {
                entries[kept++] = entries[i];
            }
            sum += entries[i].weight;
        }
        if (reader->may_be_empty && !(sum > 0)) {
            note_empty(reader, file, vector);
        }
        if (reader->made != NULL) {
            reader->made[vector] = (struct mr_rank_vector){
                reader->names[vector], (struct mr_vertex_weight *)(void *)(entries + first),
                kept - first};
        }
        status = check_sum(reader, file, vector, sum, err);
    } while (status == MR_OK && ++vector < reader->vectors.n);
    reader->duplicates = reader->n_entries - kept;
    reader->n_entries = kept;
    return status;
}

/* ---- Files ---- */

/* Reads the files and sorts their entries. */
static enum mr_status read_files(struct weights_reader *reader, const char *const *files,
                                 size_t n_files, const struct mr_page_place *place,
                                 const struct mr_name_lines *lines, struct mr_error *err)
{
    reader->lines = *lines;
    const enum mr_status status =
        mr_name_lines_read(&reader->lines, files, n_files, place, take_row, take_share, err);
    reader->unknown = reader->lines.all_unknown;
    return status == MR_OK ? sort_entries(reader, err) : status;
}

/* Gives the entries to `out`, or frees them. */
static enum mr_status end(struct weights_reader *reader, struct mr_vertex_weights *out,
                          enum mr_status status)
{
    mr_hash_set_free(&reader->vectors);
    if (status != MR_OK) {
        mr_memory_free(reader->context->memory, reader->entries);
        *out = (struct mr_vertex_weights){0};
        return status;
    }
    *out = (struct mr_vertex_weights){.entries = (struct mr_vertex_weight *)(void *)reader->entries,
                                      .n_entries = reader->n_entries,
                                      .lines = reader->n_lines,
                                      .duplicates = reader->duplicates,
                                      .unknown = reader->unknown,
                                      .memory = reader->context->memory};
    return MR_OK;
}

enum mr_status mr_vertex_weights_read(const struct mr_context *context, const char *const *files,
                                      size_t n_files, struct mr_names *names,
                                      const struct mr_store_info *info, enum mr_list_kind kind,
                                      uint64_t max_unknown, struct mr_vertex_weights *out,
                                      struct mr_error *err)
{
    static const enum mr_fetch_wanted wanted[] = {MR_FETCH_WANTS_PAGES, MR_FETCH_WANTS_WEIGHTS,
                                                  MR_FETCH_WANTS_TIMES, MR_FETCH_WANTS_TIMES};
    const struct mr_page_place place = {.names = names, .info = info};
    const struct mr_name_lines lines = {.context = context,
                                        .wanted = wanted[kind],
                                        .is_quiet = kind == MR_LIST_INTERVALS,
                                        .drops_timeless = true,
                                        .max_unknown = max_unknown};
    struct weights_reader reader = begin(context, kind);
    enum mr_status status = read_files(&reader, files, n_files, &place, &lines, err);

    if (status == MR_OK) {
        status = merge_entries(&reader, files[0], err);
    }
    return end(&reader, out, status);
}

static enum mr_status ignore_unknown(void *data, const struct mr_row *name, struct mr_error *err)
{
    (void)data, (void)name, (void)err;
    return MR_OK;
}

enum mr_status mr_vertex_weights_of_name(const struct mr_context *context, const char *name,
                                         struct mr_names *names, const struct mr_store_info *info,
                                         struct mr_vertex_weights *out, struct mr_error *err)
{
    const struct mr_page_place place = {.names = names, .info = info};
    const struct mr_row seed = {.name = name, .name_bytes = strlen(name), .values = {1}};
    struct weights_reader reader = begin(context, MR_LIST_NAMES);
    enum mr_status status = mr_page_names_open(context, &place, take_share, ignore_unknown, &reader,
                                               &reader.lines.finder, err);
    if (status == MR_OK) {
        status = mr_page_names_add(reader.lines.finder, &seed, err);
    }
    if (status == MR_OK) {
        status = mr_page_names_finish(reader.lines.finder, err);
    }
    mr_page_names_close(reader.lines.finder);
    if (status == MR_OK) {
        status = sort_entries(&reader, err);
    }
    return end(&reader, out, status);
}

enum mr_status mr_vertex_weights_load(const struct mr_context *context, const char *path,
                                      struct mr_names *names, bool weighted, uint64_t max_unknown,
                                      struct mr_vertex_weights *out, struct mr_error *err)
{
    return mr_vertex_weights_read(context, &path, 1, names, NULL,
                                  weighted ? MR_LIST_WEIGHTS : MR_LIST_NAMES, max_unknown, out,
                                  err);
}

void mr_vertex_weights_free(struct mr_vertex_weights *weights)
{
    if (weights->memory != NULL) {
        mr_memory_free(weights->memory, weights->entries);
    }
    *weights = (struct mr_vertex_weights){0};
}

/* ---- Batches ---- */

enum mr_status mr_teleport_batch_read(const struct mr_context *context, const char *path,
                                      struct mr_names *names, const struct mr_store_info *info,
                                      bool of_each, uint64_t max_unknown,
                                      struct mr_teleport_batch *out, struct mr_error *err)
{
    const struct mr_page_place place = {.names = names, .info = info};
    const struct mr_name_lines lines = {.context = context,
                                        .wanted = MR_FETCH_WANTS_WEIGHTS,
                                        .has_groups = true,
                                        .may_lack_groups = of_each,
                                        .max_unknown = max_unknown};
    struct weights_reader reader = begin(context, MR_LIST_WEIGHTS);
    const char *file = strcmp(path, "-") == 0 ? "standard input" : path;
    reader.may_be_empty = of_each;
    enum mr_status status = read_files(&reader, &path, 1, &place, &lines, err);

    if (status == MR_OK && reader.vectors.n == 0) {
        status = mr_error_file(err, MR_ERROR_INPUT, file, 0,
                               of_each ? "no pages; lines are PAGE or SET<TAB>PAGE<TAB>WEIGHT"
                                       : "no vectors; lines are VECTOR<TAB>PAGE<TAB>WEIGHT");
    }
    if (status == MR_OK) {
        reader.made = calloc(reader.vectors.n, sizeof *reader.made);
        status = reader.made != NULL
                     ? merge_entries(&reader, file, err)
                     : mr_error_set(err, MR_ERROR_BUDGET, "out of memory for teleport vectors");
    }
    if (status == MR_OK && reader.n_empty == reader.vectors.n) {
        status = mr_error_file(err, MR_ERROR_INPUT, file, 0,
                               "no line has a page of the store with a weight above 0; compare the "
                               "spelling of the names with 'millrace find'");
    }
    *out = (struct mr_teleport_batch){.n_vectors = reader.vectors.n,
                                      .n_empty = reader.n_empty,
                                      .names = reader.names,
                                      .lines = reader.firsts,
                                      .vectors = reader.made};
    status = end(&reader, &out->weights, status);
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
    free(batch->lines);
    free(batch->vectors);
    mr_vertex_weights_free(&batch->weights);
    *batch = (struct mr_teleport_batch){0};
}
