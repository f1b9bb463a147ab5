/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of corner tiles (corners_by_row.h). First the entries of the part are sorted by row. A row
 * is the row above it with a few changes. So one row is kept, 16 bits a source, with the position
 * of each source in it. It is changed where it lies, and each row that is written is a copy of it.
 */
#include "engine/tile/corners_by_row.h"

#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/sort.h"
#include "engine/tile/key_kernels.h"

/* An entry takes at least one byte. */
enum { ENTRIES_MAX = MR_BLOCK_RAW_MAX_BYTES, STREAM_BITS = 2 };
_Static_assert(MR_CORNER_STREAMS == 1 << STREAM_BITS, "entries name their stream");

/* The streams in the order in which a row takes them. */
static const enum mr_corner_stream order_of_streams[MR_CORNER_STREAMS] = {
    MR_CORNER_ADD_THROUGH, MR_CORNER_SUBTRACT_THROUGH, MR_CORNER_SUBTRACT, MR_CORNER_ADD};

enum { COPY_STEP = 32 }; /* sources that are copied at a time */

struct mr_corners_by_row {
    struct mr_memory *memory;
    struct mr_corners_shape shape;
    uint32_t *keys; /* [ENTRIES_MAX + slack], as decoded */
    uint32_t *entries; /* [ENTRIES_MAX]: by row, then by stream; source << 2 | stream */
    uint32_t *entry_ends; /* [2^band_bits]: of a row's entries */
    uint32_t *ends; /* [2^band_bits]: of a row's sources */
    uint64_t *self_links; /* [2^band_bits / 64 or more] */
    uint16_t *row; /* [2^stripe_bits + COPY_STEP] */
    uint16_t *position; /* [2^band_bits]: of a source in the row */
};

static const char bad_links[] = "the entries of a corner tile do not make up links";
static const char bad_number[] = "a corner tile has more or fewer links than it says";
static const char bad_band[] = "a corner tile has links outside of its band";

/* ---- Setting up ---- */

static uint64_t n_rows_of(const struct mr_corners_shape *shape)
{
    return (uint64_t)1 << shape->band_bits;
}

static uint64_t bytes_of(const struct mr_corners_shape *shape)
{
    return sizeof(struct mr_corners_by_row) +
           (mr_div_up(n_rows_of(shape), 64) + 1) * sizeof(uint64_t) +
           (2 * (uint64_t)ENTRIES_MAX + MR_KEYS_SLACK_KEYS + 2 * n_rows_of(shape)) *
               sizeof(uint32_t) +
           (((uint64_t)1 << shape->stripe_bits) + COPY_STEP + n_rows_of(shape)) * sizeof(uint16_t);
}

uint64_t mr_corners_by_row_room(uint64_t n_links)
{
    return n_links + 2 * (uint64_t)COPY_STEP;
}

uint64_t mr_corners_by_row_memory(const struct mr_corners_shape *shape)
{
    return mr_round_up(bytes_of(shape), 4096);
}

enum mr_status mr_corners_by_row_create(struct mr_memory *memory,
                                        const struct mr_corners_shape *shape,
                                        struct mr_corners_by_row **out, struct mr_error *err)
{
    void *pointer = NULL;
    enum mr_status status =
        mr_memory_alloc(memory, "rows of corner tiles", bytes_of(shape), &pointer, err);
    if (status != MR_OK) {
        return status;
    }
    struct mr_corners_by_row *by_row = pointer;
    by_row->memory = memory;
    by_row->shape = *shape;
    by_row->self_links = (uint64_t *)(by_row + 1);
    by_row->keys = (uint32_t *)(by_row->self_links + mr_div_up(n_rows_of(shape), 64) + 1);
    by_row->entries = by_row->keys + ENTRIES_MAX + MR_KEYS_SLACK_KEYS;
    by_row->entry_ends = by_row->entries + ENTRIES_MAX;
    by_row->ends = by_row->entry_ends + n_rows_of(shape);
    by_row->position = (uint16_t *)(by_row->ends + n_rows_of(shape));
    by_row->row = by_row->position + n_rows_of(shape);
    memset(by_row->position, 0, n_rows_of(shape) * sizeof *by_row->position);
    *out = by_row;
    return MR_OK;
}

void mr_corners_by_row_destroy(struct mr_corners_by_row *by_row)
{
    if (by_row != NULL) {
        mr_memory_free(by_row->memory, by_row);
    }
}

/* ---- Entries by row ---- */

/* Where the keys of each stream begin. */
static void find_streams(const struct mr_corners *corners, uint32_t *keys,
                         uint32_t *first[MR_CORNER_STREAMS])
{
    for (unsigned stream = 0; stream < MR_CORNER_STREAMS; stream++) {
        first[stream] = keys;
        keys += corners->n_entries[stream];
    }
}

/* False when an entry's source is not in the band. */
static bool sort_entries(struct mr_corners_by_row *by_row, const struct mr_corners *corners,
                         uint32_t first_source, uint32_t n_vertices)
{
    const unsigned bits = by_row->shape.band_bits;
    const uint32_t rows = ((uint32_t)1 << bits) - 1, first_row = corners->first_row;
    uint32_t *ends = by_row->entry_ends, *first[MR_CORNER_STREAMS], sum = 0, highest = 0;

    memset(ends, 0, corners->n_rows * sizeof *ends);
    for (uint32_t i = 0; i < corners->n_all_entries; i++) {
        ends[(by_row->keys[i] & rows) - first_row]++;
    }
    for (uint32_t r = 0; r < corners->n_rows; r++) {
        const uint32_t n = ends[r];
        ends[r] = sum;
        sum += n;
    }
    find_streams(corners, by_row->keys, first);
    for (unsigned s = 0; s < MR_CORNER_STREAMS; s++) {
        const enum mr_corner_stream stream = order_of_streams[s];
        for (uint32_t i = 0; i < corners->n_entries[stream]; i++) {
            const uint32_t key = first[stream][i], column = key >> bits;
            highest = column > highest ? column : highest;
            by_row->entries[ends[(key & rows) - first_row]++] =
                (first_source + column) << STREAM_BITS | stream;
        }
    }
    return corners->n_all_entries == 0 || highest < n_vertices - first_source;
}

/* ---- A row ---- */

/* A row that is being made. at[0 .. n) are its sources in no order. Source s is among them where
 * position[s] is below n and at[position[s]] is s (Briggs and Torczon 1993). So a source is found,
 * added or taken in a few instructions, whatever the length of the row, and a row begins afresh
 * with n = 0. */
struct row {
    uint16_t *at, *position;
    uint32_t n;
};

/* Adds a source that the row must not have, or takes one that it must have: the same steps for
 * both, since a branch would go wrong every other time. */
static inline bool toggle(struct row *row, uint32_t source, bool adds)
{
    const uint32_t at = row->position[source], n = row->n;
    const bool is_there = at < n && row->at[at] == source;
    const uint32_t to = adds ? n : at, moved = adds ? source : row->at[(int64_t)n - 1];
    row->at[to] = (uint16_t)moved;
    row->position[moved] = (uint16_t)to;
    row->n = adds ? n + 1 : n - 1;
    return is_there != adds;
}

/* Runs of sources are differences of sums through two of them: plus[0 .. n_plus) are added and
 * minus[0 .. n_minus) subtracted, both ascending. Each source between two sums is added the same
 * number of times, which is 1, 0, or -1 where it is taken. */
static inline bool toggle_runs(struct row *row, const uint32_t *plus, ptrdiff_t n_plus,
                               const uint32_t *minus, ptrdiff_t n_minus, uint32_t first_source)
{
    const uint32_t *plus_end = plus + n_plus, *minus_end = minus + n_minus;
    ptrdiff_t times = n_plus - n_minus;
    uint32_t source = first_source;
    bool is_sound = true;
    while ((plus < plus_end || minus < minus_end) && is_sound) {
        const bool is_plus = minus == minus_end ||
                             (plus < plus_end && *plus >> STREAM_BITS <= *minus >> STREAM_BITS);
        const uint32_t end = ((is_plus ? *plus++ : *minus++) >> STREAM_BITS) + 1;
        is_sound = (times >= -1 && times <= 1) || end <= source;
        for (; times != 0 && source < end && is_sound; source++) {
            is_sound = toggle(row, source, times > 0);
        }
        source = end > source ? end : source;
        times -= is_plus ? 1 : -1;
    }
    return is_sound;
}

/* Of entries [at, end), those of one stream come first. Returns where they end. They ascend, but
 * for columns that the stripe does not have: these were masked (mr_corners_decode). */
static uint32_t *sort_stream(uint32_t *at, uint32_t *end, enum mr_corner_stream stream)
{
    const uint32_t mask = MR_CORNER_STREAMS - 1;
    bool is_sorted = true;
    uint32_t *found = at;
    for (; found < end && (*found & mask) == (uint32_t)stream; found++) {
        is_sorted &= found == at || found[-1] <= *found;
    }
    if (!is_sorted) {
        mr_sort_u32_in_place(at, (size_t)(found - at));
    }
    return found;
}

/* Makes the row from the one above. What is taken must be there, what is added must not. A source
 * is in one entry or run of a row at the most, so that their order does not matter. */
static inline bool change(struct row *row, uint32_t *at, uint32_t *end, uint32_t first_source)
{
    const uint32_t mask = MR_CORNER_STREAMS - 1;
    if ((*at & mask) >= MR_CORNER_ADD_THROUGH) {
        uint32_t *minus = sort_stream(at, end, MR_CORNER_ADD_THROUGH);
        uint32_t *singles = sort_stream(minus, end, MR_CORNER_SUBTRACT_THROUGH);
        if (!toggle_runs(row, at, minus - at, minus, singles - minus, first_source)) {
            return false;
        }
        at = singles;
    }
    bool is_sound = true;
    for (; at < end && is_sound; at++) {
        is_sound = toggle(row, *at >> STREAM_BITS, (*at & mask) == MR_CORNER_ADD);
    }
    return is_sound;
}

/* ---- A part ---- */

/* Writes the row, but for `target`. Returns how many sources these are. */
static inline uint32_t write_row(const struct row *row, uint32_t target, uint16_t *to)
{
    for (uint32_t k = 0; k < row->n; k += COPY_STEP) {
        memcpy(to + k, row->at + k, COPY_STEP * sizeof *to);
    }
    const uint32_t i = row->position[target];
    if (i < row->n && row->at[i] == target) {
        to[i] = row->at[row->n - 1];
        return row->n - 1;
    }
    return row->n;
}

static const char *make_rows(struct mr_corners_by_row *by_row, const struct mr_corners *corners,
                             uint32_t n_links, uint32_t first_source, uint32_t n_vertices,
                             uint16_t *sources)
{
    struct row row = {.at = by_row->row, .position = by_row->position};
    uint32_t *at = by_row->entries;
    uint32_t left = n_links, n_written = 0;
    for (uint32_t r = 0; r < corners->n_rows; r++) {
        uint32_t *end = by_row->entries + by_row->entry_ends[r];
        const uint32_t target = corners->first_row + r;
        const bool is_afresh = corners->restarts[r / 8] >> r % 8 & 1;
        row.n = is_afresh ? 0 : row.n;
        if (at < end && !change(&row, at, end, first_source)) {
            return bad_links;
        }
        at = end;
        if (row.n > left) {
            return bad_number;
        }
        if (target >= n_vertices && row.n > 0) {
            return bad_band;
        }
        left -= row.n;
        const uint32_t n = write_row(&row, target, sources + n_written);
        by_row->self_links[r / 64] |= (uint64_t)(row.n - n) << r % 64;
        n_written += n;
        by_row->ends[r] = n_written;
    }
    return left > 0 ? bad_number : NULL;
}

const char *mr_corners_make_rows(struct mr_corners_by_row *by_row, uint32_t n_links,
                                 const uint8_t *data, uint32_t data_bytes, uint32_t first_source,
                                 uint32_t n_vertices, uint16_t *sources, struct mr_part_rows *rows)
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
    if (!sort_entries(by_row, &corners, first_source, n_vertices)) {
        return bad_band;
    }
    memset(by_row->self_links, 0, mr_div_up(corners.n_rows, 64) * sizeof *by_row->self_links);
    *rows = (struct mr_part_rows){.first_row = corners.first_row,
                                  .n_rows = corners.n_rows,
                                  .ends = by_row->ends,
                                  .self_links = by_row->self_links};
    return make_rows(by_row, &corners, n_links, first_source, n_vertices, sources);
}
