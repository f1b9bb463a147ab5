/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/tile/corners_by_row.h"

#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/sort.h"
#include "engine/tile/key_kernels.h"

/* An entry has a byte at least. */
enum { ENTRIES_MAX = MR_BLOCK_RAW_MAX_BYTES, STREAM_BITS = 2 };
_Static_assert(MR_CORNER_STREAMS == 1 << STREAM_BITS, "entries name their stream");

/* Ascending columns. */
struct columns {
    uint32_t *at;
    uint32_t n;
};

struct mr_corners_by_row {
    struct mr_memory *memory;
    struct mr_corners_shape shape;
    uint32_t most_columns; /* of a row */
    uint32_t *keys; /* [ENTRIES_MAX + slack], as decoded */
    uint32_t *entries; /* [ENTRIES_MAX]: row by row, stream by stream, column << 2 | stream */
    uint32_t *ends; /* [2^band_bits]: of a row's entries */
    uint8_t *restarts; /* [2^band_bits / 8] */
    struct columns now, next; /* the row and room for the one below; [2 most_columns] each */
    struct columns added, taken; /* [most_columns] */
    /* The part. */
    uint32_t first_row, n_rows, n_links;
    uint32_t row, n_done; /* rows and links so far */
};

static const char bad_links[] = "the entries of a corner tile do not make up links";
static const char bad_number[] = "a corner tile has more or fewer links than it says";

/* ---- Setting up ---- */

static uint32_t most_columns(const struct mr_corners_shape *shape)
{
    return (uint32_t)mr_min_u64((uint64_t)1 << shape->stripe_bits, MR_CORNERS_LINKS_MAX);
}

static uint64_t n_words(const struct mr_corners_shape *shape)
{
    return 2 * (uint64_t)ENTRIES_MAX + MR_KEYS_SLACK_KEYS + ((uint64_t)1 << shape->band_bits) +
           6 * (uint64_t)most_columns(shape);
}

uint64_t mr_corners_by_row_memory(const struct mr_corners_shape *shape)
{
    return mr_round_up(sizeof(struct mr_corners_by_row) + n_words(shape) * sizeof(uint32_t) +
                           ((uint64_t)1 << shape->band_bits) / 8 + 1,
                       4096);
}

enum mr_status mr_corners_by_row_create(struct mr_memory *memory,
                                        const struct mr_corners_shape *shape,
                                        struct mr_corners_by_row **out, struct mr_error *err)
{
    void *pointer = NULL;
    enum mr_status status = mr_memory_alloc(memory, "rows of corner tiles",
                                            mr_corners_by_row_memory(shape), &pointer, err);
    if (status != MR_OK) {
        return status;
    }
    struct mr_corners_by_row *by_row = pointer;
    const uint32_t most = most_columns(shape);
    by_row->memory = memory;
    by_row->shape = *shape;
    by_row->most_columns = most;
    by_row->keys = (uint32_t *)(by_row + 1);
    by_row->entries = by_row->keys + ENTRIES_MAX + MR_KEYS_SLACK_KEYS;
    by_row->ends = by_row->entries + ENTRIES_MAX;
    by_row->now.at = by_row->ends + ((size_t)1 << shape->band_bits);
    by_row->next.at = by_row->now.at + 2 * (size_t)most;
    by_row->added.at = by_row->next.at + 2 * (size_t)most;
    by_row->taken.at = by_row->added.at + most;
    by_row->restarts = (uint8_t *)(by_row->taken.at + most);
    *out = by_row;
    return MR_OK;
}

void mr_corners_by_row_destroy(struct mr_corners_by_row *by_row)
{
    if (by_row != NULL) {
        mr_memory_free(by_row->memory, by_row);
    }
}

/* ---- A part ---- */

/* Entries by row; those of a row stay in order of streams, and of columns inside one. */
static void sort_entries(struct mr_corners_by_row *by_row, const struct mr_corners *corners)
{
    const unsigned bits = by_row->shape.band_bits;
    const uint32_t rows = ((uint32_t)1 << bits) - 1, first = corners->first_row;
    const uint32_t *keys = by_row->keys;
    uint32_t *ends = by_row->ends, sum = 0;

    memset(ends, 0, corners->n_rows * sizeof *ends);
    for (uint32_t i = 0; i < corners->n_all_entries; i++) {
        ends[(keys[i] & rows) - first]++;
    }
    for (uint32_t r = 0; r < corners->n_rows; r++) {
        const uint32_t n = ends[r];
        ends[r] = sum;
        sum += n;
    }
    for (uint32_t stream = 0; stream < MR_CORNER_STREAMS; stream++) {
        const uint32_t n = corners->n_entries[stream];
        for (uint32_t i = 0; i < n; i++) {
            by_row->entries[ends[(keys[i] & rows) - first]++] =
                keys[i] >> bits << STREAM_BITS | stream;
        }
        keys += n;
    }
}

const char *mr_corners_by_row_open(struct mr_corners_by_row *by_row, uint32_t n_links,
                                   const uint8_t *data, uint32_t data_bytes)
{
    struct mr_corners corners;

    if (data_bytes > MR_BLOCK_RAW_MAX_BYTES) {
        return "a corner tile is larger than a block";
    }
    const char *fault = mr_corners_open(&by_row->shape, n_links, data, data_bytes, &corners);
    if (fault == NULL) {
        fault = mr_corners_decode(&by_row->shape, &corners, mr_key_kernels_best(), by_row->keys);
    }
    if (fault != NULL) {
        return fault;
    }
    sort_entries(by_row, &corners);
    memcpy(by_row->restarts, corners.restarts, corners.n_rows / 8);
    by_row->first_row = corners.first_row;
    by_row->n_rows = corners.n_rows;
    by_row->n_links = n_links;
    by_row->row = by_row->n_done = 0;
    by_row->now.n = 0;
    return NULL;
}

/* ---- A row ---- */

/* Of a row's entries, those of one stream. */
struct entries {
    uint32_t *at, *end;
};

/* Ascending but for columns that the stripe does not have: these are masked (mr_corners_decode). */
static struct entries next_stream(struct entries *left, enum mr_corner_stream stream)
{
    struct entries found = {.at = left->at, .end = left->at};
    const uint32_t mask = MR_CORNER_STREAMS - 1;
    bool is_sorted = true;

    while (found.end < left->end && (*found.end & mask) == (uint32_t)stream) {
        is_sorted &= found.end == found.at || found.end[-1] <= *found.end;
        found.end++;
    }
    if (!is_sorted) {
        mr_sort_u32_in_place(found.at, (size_t)(found.end - found.at));
    }
    left->at = found.end;
    return found;
}

static bool put(struct columns *columns, uint32_t column)
{
    if (columns->n > 0 && columns->at[columns->n - 1] >= column) {
        return false;
    }
    columns->at[columns->n++] = column;
    return true;
}

/* Those single columns that come before `end`, then columns [first, end). */
static bool put_run(struct columns *columns, struct entries *singles, uint32_t first, uint32_t end,
                    uint32_t most)
{
    for (; singles->at < singles->end && *singles->at >> STREAM_BITS < end; singles->at++) {
        if (columns->n == most || !put(columns, *singles->at >> STREAM_BITS)) {
            return false;
        }
    }
    if (end - first > most - columns->n) {
        return false;
    }
    for (uint32_t column = first; column < end; column++) {
        if (!put(columns, column)) {
            return false;
        }
    }
    return true;
}

/* Collects what a row adds and takes. Runs are differences of sums through two columns. Each column
 * between two such columns is added the same number of times, which must be -1, 0 or 1. */
static bool collect(struct mr_corners_by_row *by_row, struct entries left)
{
    const uint32_t most = by_row->most_columns;
    struct columns *added = &by_row->added, *taken = &by_row->taken;
    struct entries add = next_stream(&left, MR_CORNER_ADD);
    struct entries take = next_stream(&left, MR_CORNER_SUBTRACT);
    struct entries plus = next_stream(&left, MR_CORNER_ADD_THROUGH);
    struct entries minus = next_stream(&left, MR_CORNER_SUBTRACT_THROUGH);
    ptrdiff_t level = (plus.end - plus.at) - (minus.end - minus.at);
    uint32_t first = 0;

    added->n = taken->n = 0;
    while (plus.at < plus.end || minus.at < minus.end) {
        const bool is_plus =
            minus.at == minus.end ||
            (plus.at < plus.end && *plus.at >> STREAM_BITS <= *minus.at >> STREAM_BITS);
        const uint32_t end = ((is_plus ? *plus.at++ : *minus.at++) >> STREAM_BITS) + 1;
        if ((end > first && (level < -1 || level > 1)) ||
            (end > first && level > 0 && !put_run(added, &add, first, end, most)) ||
            (end > first && level < 0 && !put_run(taken, &take, first, end, most))) {
            return false;
        }
        level -= is_plus ? 1 : -1;
        first = end;
    }
    return put_run(added, &add, UINT32_MAX, UINT32_MAX, most) &&
           put_run(taken, &take, UINT32_MAX, UINT32_MAX, most);
}

/* Makes the row from the row above it. A column that is taken must be in the row above; a column
 * that is added must not be in it. */
static bool merge(struct mr_corners_by_row *by_row)
{
    const struct columns now = by_row->now, added = by_row->added, taken = by_row->taken;
    uint32_t *out = by_row->next.at;
    uint32_t n = 0, a = 0, t = 0;

    for (uint32_t i = 0; i < now.n; i++) {
        const uint32_t column = now.at[i];
        while (a < added.n && added.at[a] < column) {
            out[n++] = added.at[a++];
        }
        if (t < taken.n && taken.at[t] == column) {
            t++;
        } else if (a < added.n && added.at[a] == column) {
            return false;
        } else {
            out[n++] = column;
        }
    }
    while (a < added.n) {
        out[n++] = added.at[a++];
    }
    by_row->now = (struct columns){.at = out, .n = n};
    by_row->next.at = now.at;
    return t == taken.n;
}

const char *mr_corners_by_row_next(struct mr_corners_by_row *by_row, struct mr_corners_row *row)
{
    row->n_columns = 0;
    while (row->n_columns == 0 && by_row->row < by_row->n_rows) {
        const uint32_t r = by_row->row++;
        const struct entries entries = {
            .at = by_row->entries + (r == 0 ? 0 : by_row->ends[r - 1]),
            .end = by_row->entries + by_row->ends[r],
        };
        if ((by_row->restarts[r / 8] >> r % 8 & 1) != 0) {
            by_row->now.n = 0;
        }
        if (entries.at < entries.end && !(collect(by_row, entries) && merge(by_row))) {
            return bad_links;
        }
        if (by_row->now.n > by_row->n_links - by_row->n_done) {
            return bad_number;
        }
        by_row->n_done += by_row->now.n;
        *row = (struct mr_corners_row){
            .row = by_row->first_row + r, .n_columns = by_row->now.n, .columns = by_row->now.at};
    }
    return row->n_columns == 0 && by_row->n_done < by_row->n_links ? bad_number : NULL;
}
