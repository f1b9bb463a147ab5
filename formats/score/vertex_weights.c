/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a file of names and weights into a sorted list of vertices and weights: teleports, seeds,
 * times. page_names.h finds the vertices; then a radix sort orders the entries by vertex and a
 * merge adds the weights of the same vertex. The sort is stable, because a sum of doubles depends
 * on its order. */
#include "formats/score/vertex_weights.h"

#include <math.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "formats/pages/name_lines.h"
#include "formats/pages/page_names.h"
#include "formats/score/row_forecast.h"

enum {
    RADIX_BITS = 11, /* three rounds for 32 bits; the counts take 8 KiB */
};

static const char array_name[] = "vertex weights";
#define ENTRY_BYTES sizeof(struct mr_vertex_weight)
#define ENTRIES_ARRAY                                                                              \
    {                                                                                              \
        .name = array_name, .item_bytes = ENTRY_BYTES, .later_row_bytes = ENTRY_BYTES              \
    }

struct reader {
    struct mr_name_lines lines; /* first */
    const struct mr_context *context;
    bool has_noted_more; /* that lines have fields that are not read */
    enum mr_list_kind kind;
    struct mr_vertex_weights *out;
    struct mr_row_array array; /* of the entries; sorting takes as much again */
};

static enum mr_status add_entry(struct reader *reader, uint32_t vertex, double weight,
                                struct mr_error *err)
{
    struct mr_vertex_weights *out = reader->out;
    if (out->n_entries == reader->array.room) {
        const struct mr_row_place place = {.input = reader->lines.input,
                                           .n_rows = mr_max_u64(out->lines, out->n_entries),
                                           .pending_bytes = mr_name_lines_pending(&reader->lines)};
        const enum mr_status status =
            mr_row_array_grow(reader->context->memory, &place, &reader->array, &out->entries, err);
        if (status != MR_OK) {
            return status;
        }
    }
    out->entries[out->n_entries++] = (struct mr_vertex_weight){vertex, weight};
    return MR_OK;
}

/* Pages of a host or a domain share its weight. Without weights all pages count alike. */
static enum mr_status take_share(void *data, const struct mr_page_name *name, uint32_t vertex,
                                 uint64_t n_pages, struct mr_error *err)
{
    const bool shares = ((struct reader *)data)->kind == MR_LIST_WEIGHTS;
    return add_entry(data, vertex, shares ? name->weight / (double)n_pages : name->weight, err);
}

static enum mr_status take_row(void *data, const struct mr_row *row, struct mr_error *err)
{
    struct reader *reader = data;
    const bool is_log = reader->lines.log != MR_FETCH_LOG_NONE;
    const unsigned value = reader->kind == MR_LIST_INTERVALS;

    if (reader->kind >= MR_LIST_TIMES && row->n_values <= value) {
        reader->lines.n_timeless += is_log;
        return value == 1 && row->has_more
                   ? mr_name_lines_bad(&reader->lines, row, "the interval is no number", err)
                   : MR_OK;
    }
    if (row->has_more && !reader->has_noted_more && !reader->lines.is_quiet) {
        reader->has_noted_more = true;
        mr_context_note(reader->lines.context, "%s:%llu: only %s of each line is read",
                        mr_input_name(reader->lines.input), (unsigned long long)row->line,
                        reader->kind != MR_LIST_NAMES ? "a name and its value" : "the name");
    }
    reader->out->lines++;
    reader->lines.names++;
    const struct mr_page_name name = {.name = row->name,
                                      .bytes = row->name_bytes,
                                      .line = row->line,
                                      .weight =
                                          reader->kind == MR_LIST_NAMES ? 1 : row->values[value]};
    return mr_page_names_add(reader->lines.finder, &name, err);
}

/* One round of a stable sort by RADIX_BITS of the vertex. The order of equal vertices must be the
 * order of the file, because sums of doubles depend on it. */
static void sort_round(const struct mr_vertex_weight *from, struct mr_vertex_weight *to, uint64_t n,
                       unsigned shift)
{
    const uint32_t mask = (1u << RADIX_BITS) - 1;
    uint64_t next[1u << RADIX_BITS] = {0};
    uint64_t sum = 0;

    for (uint64_t i = 0; i < n; i++) {
        next[from[i].vertex >> shift & mask]++;
    }
    for (uint32_t digit = 0; digit <= mask; digit++) {
        uint64_t count = next[digit];
        next[digit] = sum;
        sum += count;
    }
    for (uint64_t i = 0; i < n; i++) {
        to[next[from[i].vertex >> shift & mask]++] = from[i];
    }
}

static enum mr_status sort_entries(struct reader *reader, struct mr_error *err)
{
    struct mr_vertex_weights *out = reader->out;
    struct mr_memory *memory = reader->context->memory;
    uint64_t n = out->n_entries;
    struct mr_vertex_weight *from = out->entries, *to = NULL;
    enum mr_status status = mr_memory_array(memory, array_name, n, &to, err);

    if (status != MR_OK) {
        return status;
    }
    for (unsigned shift = 0; shift < 32; shift += RADIX_BITS) {
        sort_round(from, to, n, shift);
        struct mr_vertex_weight *swap = from;
        from = to;
        to = swap;
    }
    out->entries = from;
    mr_memory_free(memory, to);
    return MR_OK;
}

/* Merges entries of the same vertex: their weights add, or the largest counts. Of a list without
 * weights all pages are alike, however often a crawl.log has them. */
static enum mr_status merge_entries(struct reader *reader, const char *file, struct mr_error *err)
{
    struct mr_vertex_weights *out = reader->out;
    const bool adds = reader->kind == MR_LIST_WEIGHTS;
    uint64_t kept = 0;
    double sum = 0;

    for (uint64_t i = 0; i < out->n_entries; i++) {
        if (kept > 0 && out->entries[kept - 1].vertex == out->entries[i].vertex) {
            double *weight = &out->entries[kept - 1].weight;
            *weight =
                adds ? *weight + out->entries[i].weight : fmax(*weight, out->entries[i].weight);
        } else {
            out->entries[kept++] = out->entries[i];
        }
        sum += out->entries[i].weight;
    }
    out->duplicates = out->n_entries - kept;
    out->n_entries = kept;
    if (!isfinite(sum)) {
        return mr_error_file(err, MR_ERROR_INPUT, file, 0,
                             "the weights add up to more than a double can hold; scale them down");
    }
    if (sum <= 0 && reader->kind < MR_LIST_TIMES) {
        return mr_error_file(err, MR_ERROR_INPUT, file, 0,
                             "no vertex of the store has a weight above 0; at least one must");
    }
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
    struct reader reader = {.context = context, .kind = kind, .out = out, .array = ENTRIES_ARRAY};
    enum mr_status status = MR_OK;

    *out = (struct mr_vertex_weights){.memory = context->memory};
    for (size_t i = 0; i < n_files && status == MR_OK; i++) {
        reader.lines = (struct mr_name_lines){.context = context,
                                              .wanted = wanted[kind],
                                              .is_quiet = kind == MR_LIST_INTERVALS,
                                              .drops_timeless = true,
                                              .max_unknown = max_unknown};
        status = mr_name_lines_read(&reader.lines, files[i], &place, take_row, take_share, err);
        out->unknown += reader.lines.unknown;
    }
    if (status == MR_OK && out->n_entries > 0) {
        status = sort_entries(&reader, err);
    }
    if (status == MR_OK) {
        status = merge_entries(&reader, files[0], err);
    }
    if (status != MR_OK) {
        mr_vertex_weights_free(out);
    }
    return status;
}

static enum mr_status ignore_unknown(void *data, const struct mr_page_name *name,
                                     struct mr_error *err)
{
    (void)data, (void)name, (void)err;
    return MR_OK;
}

enum mr_status mr_vertex_weights_of_name(const struct mr_context *context, const char *name,
                                         struct mr_names *names, const struct mr_store_info *info,
                                         struct mr_vertex_weights *out, struct mr_error *err)
{
    const struct mr_page_name seed = {.name = name, .bytes = strlen(name), .weight = 1};
    struct reader reader = {.context = context, .out = out, .array = ENTRIES_ARRAY};

    *out = (struct mr_vertex_weights){.memory = context->memory};
    enum mr_status status = mr_page_names_open(context, names, info, take_share, ignore_unknown,
                                               &reader, &reader.lines.finder, err);
    if (status == MR_OK) {
        status = mr_page_names_add(reader.lines.finder, &seed, err);
    }
    if (status == MR_OK) {
        status = mr_page_names_finish(reader.lines.finder, err);
    }
    mr_page_names_close(reader.lines.finder);
    if (status == MR_OK && out->n_entries > 0) {
        status = sort_entries(&reader, err);
    }
    if (status != MR_OK) {
        mr_vertex_weights_free(out);
    }
    return status;
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
