/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of corner tiles (corners_by_row.h). A row is the row above it with a few changes. So one row
 * is kept, 16 bits a source. It is changed where it lies, and each row is a copy of it. First the
 * entries of the part are sorted by row. */
#include "engine/tile/corners_by_row.h"

#include <string.h>
#if defined(__SSE2__)
#include <emmintrin.h>
#endif

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

/* Sources that are copied at a time; those that are searched one after the other; those behind a
 * row that are read and written. */
enum { COPY_STEP = 32, FEW = 64, ROW_SLACK = 3 * COPY_STEP };

struct mr_corners_by_row {
    struct mr_memory *memory;
    struct mr_corners_shape shape;
    uint32_t *keys; /* [ENTRIES_MAX + slack], as decoded */
    uint32_t *entries; /* [ENTRIES_MAX]: by row, then by stream; source << 2 | stream */
    uint32_t *entry_ends; /* [2^band_bits]: of a row's entries */
    uint32_t *ends; /* [2^band_bits]: of a row's sources */
    uint64_t *self_links; /* [2^band_bits / 64 or more] */
    uint16_t *row; /* [2^stripe_bits + ROW_SLACK] */
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
           (((uint64_t)1 << shape->stripe_bits) + ROW_SLACK) * sizeof(uint16_t);
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
    by_row->row = (uint16_t *)(by_row->ends + n_rows_of(shape));
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

/* A row that is being made. Once its sources are taken out it may have `room` of them. */
struct row {
    uint16_t *at;
    uint32_t n, room;
};

/* The number of sources of the row before `source`. */
static inline uint32_t find(const struct row *row, uint32_t source)
{
    uint32_t first = 0, n = row->n;
    while (n > FEW) { /* the answer is first to first + n */
        const uint32_t half = n / 2;
        first += row->at[first + half - 1] < source ? half : 0;
        n -= half;
    }
#if defined(__SSE2__)
    const __m128i wanted = _mm_set1_epi16((short)source), zero = _mm_setzero_si128();
    for (uint32_t i = 0; i < n; i += 8) {
        const __m128i some = _mm_loadu_si128((const __m128i *)(row->at + first + i));
        const __m128i missing = _mm_cmpeq_epi16(_mm_subs_epu16(wanted, some), zero);
        const unsigned not_before = (unsigned)_mm_movemask_epi8(missing);
        if (not_before != 0) {
            const uint32_t found = i + (uint32_t)__builtin_ctz(not_before) / 2;
            return first + (found < n ? found : n);
        }
    }
#else
    for (uint32_t i = 0; i < n; i++) {
        if (row->at[first + i] >= source) {
            return first + i;
        }
    }
#endif
    return first + n;
}

/* The sources from `from` on go to `to`. */
static inline void shift(struct row *row, uint32_t to, uint32_t from)
{
    const uint32_t n = row->n - from;
    if (n <= COPY_STEP) {
        uint16_t some[COPY_STEP];
        memcpy(some, row->at + from, sizeof some);
        memcpy(row->at + to, some, sizeof some);
    } else {
        memmove(row->at + to, row->at + from, n * sizeof *row->at);
    }
    row->n = to + n;
}

static inline bool take(struct row *row, uint32_t source)
{
    const uint32_t i = find(row, source);
    if (i == row->n || row->at[i] != source) {
        return false;
    }
    shift(row, i, i + 1);
    return true;
}

/* `source` becomes the i-th one. */
static inline void insert(struct row *row, uint32_t i, uint32_t source)
{
    shift(row, i + 1, i);
    row->at[i] = (uint16_t)source;
}

static inline bool add(struct row *row, uint32_t source)
{
    const uint32_t i = find(row, source);
    if (row->n >= row->room || (i < row->n && row->at[i] == source)) {
        return false;
    }
    insert(row, i, source);
    return true;
}

/* Sources [first, end), all of which the row must have. */
static bool take_run(struct row *row, uint32_t first, uint32_t end)
{
    const uint32_t i = find(row, first), n = end - first;
    if (n > row->n - i || row->at[i] != first || row->at[i + n - 1] != end - 1) {
        return false;
    }
    shift(row, i, i + n);
    return true;
}

/* Sources [first, end), none of which the row may have. */
static bool add_run(struct row *row, uint32_t first, uint32_t end)
{
    const uint32_t i = find(row, first), n = end - first;
    if (row->n > row->room || n > row->room - row->n || (i < row->n && row->at[i] < end)) {
        return false;
    }
    shift(row, i + n, i);
    for (uint32_t k = 0; k < n; k++) {
        row->at[i + k] = (uint16_t)(first + k);
    }
    return true;
}

/* Runs of sources are differences of sums through two of them. */
struct through {
    const uint32_t *plus, *minus, *end; /* plus ends where minus begins */
    uint32_t first_source;
};

/* The next run, [*first, *end), and how often it is added: 1, or -1 where it is taken. 0: there are
 * no more runs, or something is wrong (*is_bad). Each source between two sums is added the same
 * number of times. `*level` begins with the number of all sums that are added, less the others. */
static int next_run(struct through *through, const uint32_t *plus_end, ptrdiff_t *level,
                    uint32_t *first, uint32_t *end, bool *is_bad)
{
    uint32_t begin = *end;
    while (through->plus < plus_end || through->minus < through->end) {
        const bool is_plus = through->minus == through->end ||
                             (through->plus < plus_end &&
                              *through->plus >> STREAM_BITS <= *through->minus >> STREAM_BITS);
        const uint32_t next = ((is_plus ? *through->plus++ : *through->minus++) >> STREAM_BITS) + 1;
        const ptrdiff_t times = *level;
        *level -= is_plus ? 1 : -1;
        if (next > begin) {
            *first = begin;
            *end = begin = next;
            if (times < -1 || times > 1) {
                *is_bad = true;
                return 0;
            }
            if (times != 0) {
                return (int)times;
            }
        }
    }
    return 0;
}

/* Takes the row's runs (`wanted` -1), or adds them (1). */
static bool change_runs(struct row *row, const struct through *all, int wanted)
{
    struct through left = *all;
    const uint32_t *plus_end = all->minus;
    ptrdiff_t level = (plus_end - all->plus) - (all->end - all->minus);
    uint32_t first = 0, end = all->first_source;
    bool is_bad = false;
    int times;
    while ((times = next_run(&left, plus_end, &level, &first, &end, &is_bad)) != 0) {
        if (times == wanted &&
            !(wanted > 0 ? add_run(row, first, end) : take_run(row, first, end))) {
            return false;
        }
    }
    return !is_bad;
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

/* Makes the row from the one above. What is taken must be there, what is added must not. */
static bool change(struct row *row, uint32_t *at, uint32_t *end, uint32_t first_source)
{
    const uint32_t mask = MR_CORNER_STREAMS - 1;
    struct through through = {.first_source = first_source};
    const bool has_runs =
        (*at & mask) == MR_CORNER_ADD_THROUGH || (*at & mask) == MR_CORNER_SUBTRACT_THROUGH;
    if (has_runs) {
        through.plus = at;
        through.minus = at = sort_stream(at, end, MR_CORNER_ADD_THROUGH);
        through.end = at = sort_stream(at, end, MR_CORNER_SUBTRACT_THROUGH);
        if (!change_runs(row, &through, -1)) {
            return false;
        }
    }
    for (; at < end && (*at & mask) == MR_CORNER_SUBTRACT; at++) {
        if (!take(row, *at >> STREAM_BITS)) {
            return false;
        }
    }
    for (; at < end; at++) {
        if (!add(row, *at >> STREAM_BITS)) {
            return false;
        }
    }
    return !has_runs || change_runs(row, &through, 1);
}

/* ---- A part ---- */

/* Writes the row without its i-th source, or whole where `leave_out` is 0. Returns how many sources
 * that are. */
static inline uint32_t write_row(const struct row *row, uint32_t i, uint32_t leave_out,
                                 uint16_t *to)
{
    for (uint32_t k = 0; k < row->n; k += COPY_STEP) {
        memcpy(to + k, row->at + k, COPY_STEP * sizeof *to);
    }
    for (uint32_t k = i; leave_out != 0 && k < row->n; k += COPY_STEP) {
        memcpy(to + k, row->at + k + 1, COPY_STEP * sizeof *to);
    }
    return row->n - leave_out;
}

static const char *make_rows(struct mr_corners_by_row *by_row, const struct mr_corners *corners,
                             uint32_t n_links, uint32_t first_source, uint32_t n_vertices,
                             uint16_t *sources)
{
    struct row row = {.at = by_row->row};
    uint32_t left = n_links, n_written = 0;
    for (uint32_t r = 0; r < corners->n_rows; r++) {
        uint32_t *at = by_row->entries + (r == 0 ? 0 : by_row->entry_ends[r - 1]);
        uint32_t *end = by_row->entries + by_row->entry_ends[r];
        const uint32_t target = corners->first_row + r;
        if ((corners->restarts[r / 8] >> r % 8 & 1) != 0) {
            row.n = 0;
        }
        row.room = left;
        if (at < end && !change(&row, at, end, first_source)) {
            return bad_links;
        }
        if (row.n > left) {
            return bad_number;
        }
        if (target >= n_vertices && row.n > 0) {
            return bad_band;
        }
        left -= row.n;
        const uint32_t i = find(&row, target);
        const uint32_t has_self_link = i < row.n && row.at[i] == target;
        by_row->self_links[r / 64] |= (uint64_t)has_self_link << r % 64;
        n_written += write_row(&row, i, has_self_link, sources + n_written);
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
