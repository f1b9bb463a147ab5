/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a corner tile back into a list of edges. Sweeps, export, queries and mr_check call it where
 * they need each edge, not sums. It sorts all additions and all subtractions and walks both lists
 * together. This costs more than applying a tile, but proves that the entries form exactly the
 * stated edges. */
#include "engine/tile/corners_expand.h"

#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/sort.h"
#include "engine/tile/key_kernels.h"

/* A column of the tile is a sequence of runs of rows. A run begins where the column is added. It
 * ends where the column is subtracted, where a row starts afresh, or with the part. As keys, a run
 * is a range of consecutive numbers. So additions and subtractions in order of columns, then rows,
 * give the edges in order. */
struct mr_corners_expander {
    struct mr_memory *memory;
    struct mr_corners_shape shape;
    uint64_t *through; /* [ENTRIES_MAX]: row << 32 | column << 1 | is_subtraction */
    uint32_t *entries; /* [ENTRIES_MAX + slack] */
    uint32_t *begins, *ends; /* [MR_CORNERS_LINKS_MAX]: keys of additions and subtractions */
    uint32_t n_begins, n_ends;
};

/* Each entry takes at least one byte. */
enum { ENTRIES_MAX = MR_BLOCK_RAW_MAX_BYTES };

static const char bad_links[] = "the entries of a corner tile do not make up links";
static const char bad_number[] = "a corner tile has more or fewer links than it says";

static uint64_t bytes_of_buffers(void)
{
    return ENTRIES_MAX * UINT64_C(8) + (ENTRIES_MAX + MR_KEYS_SLACK_KEYS) * UINT64_C(4) +
           2 * (uint64_t)MR_CORNERS_LINKS_MAX * 4;
}

uint64_t mr_corners_expander_memory(void)
{
    return mr_round_up(sizeof(struct mr_corners_expander) + bytes_of_buffers(), 4096);
}

enum mr_status mr_corners_expander_create(struct mr_memory *memory,
                                          const struct mr_corners_shape *shape,
                                          struct mr_corners_expander **out, struct mr_error *err)
{
    void *pointer = NULL;
    enum mr_status status =
        mr_memory_alloc(memory, "corner tiles",
                        sizeof(struct mr_corners_expander) + bytes_of_buffers(), &pointer, err);
    if (status != MR_OK) {
        return status;
    }
    struct mr_corners_expander *expander = pointer;
    expander->memory = memory;
    expander->shape = *shape;
    expander->through = (uint64_t *)(expander + 1);
    expander->begins = (uint32_t *)(expander->through + ENTRIES_MAX);
    expander->ends = expander->begins + MR_CORNERS_LINKS_MAX;
    expander->entries = expander->ends + MR_CORNERS_LINKS_MAX;
    *out = expander;
    return MR_OK;
}

void mr_corners_expander_destroy(struct mr_corners_expander *expander)
{
    if (expander != NULL) {
        mr_memory_free(expander->memory, expander);
    }
}

/* Record that columns [first, end) of a row are added or subtracted. False when that makes more
 * than `n_links`. */
static bool put_columns(struct mr_corners_expander *expander, uint32_t row, uint32_t first,
                        uint32_t end, bool subtract, uint32_t n_links)
{
    uint32_t *keys = subtract ? expander->ends : expander->begins;
    uint32_t *n = subtract ? &expander->n_ends : &expander->n_begins;
    if (end - first > n_links - *n) {
        return false;
    }
    for (uint32_t column = first; column < end; column++) {
        keys[(*n)++] = column << expander->shape.band_bits | row;
    }
    return true;
}

/* Apply one row's entries of columns through some column, in ascending order of columns. */
static bool put_row(struct mr_corners_expander *expander, const uint64_t *entries, size_t n,
                    uint32_t n_links)
{
    const uint32_t row = (uint32_t)(entries[0] >> 32);
    int level = 0; /* level of the columns up to the next entry's column */
    for (size_t i = 0; i < n; i++) {
        level += (entries[i] & 1) != 0 ? -1 : 1;
    }
    uint32_t first = 0;
    for (size_t i = 0; i < n; i++) {
        const uint32_t end = ((uint32_t)entries[i] >> 1) + 1;
        if (first < end && level != 0 &&
            (level < -1 || level > 1 ||
             !put_columns(expander, row, first, end, level < 0, n_links))) {
            return false;
        }
        level -= (entries[i] & 1) != 0 ? -1 : 1;
        first = end;
    }
    return true;
}

/* Collect the additions and the subtractions of columns, each in order. */
static bool collect(struct mr_corners_expander *expander, const struct mr_corners *corners,
                    uint32_t n_links, uint32_t *temp)
{
    const unsigned bits = expander->shape.band_bits;
    const uint32_t rows = ((uint32_t)1 << bits) - 1;
    const uint32_t n_add = corners->n_entries[MR_CORNER_ADD];
    const uint32_t n_subtract = corners->n_entries[MR_CORNER_SUBTRACT];
    const uint32_t n_plus = corners->n_entries[MR_CORNER_ADD_THROUGH];
    const uint32_t n_through = n_plus + corners->n_entries[MR_CORNER_SUBTRACT_THROUGH];
    const uint32_t *singles = expander->entries, *through = singles + n_add + n_subtract;

    memcpy(expander->begins, singles, n_add * sizeof *singles); /* at most n_links */
    memcpy(expander->ends, singles + n_add, n_subtract * sizeof *singles);
    expander->n_begins = n_add;
    expander->n_ends = n_subtract;
    for (uint32_t i = 0; i < n_through; i++) {
        expander->through[i] =
            (uint64_t)(through[i] & rows) << 32 | through[i] >> bits << 1 | (i >= n_plus);
    }
    mr_sort_u64_in_place(expander->through, n_through);
    for (uint32_t i = 0, end; i < n_through; i = end) {
        for (end = i + 1; end < n_through; end++) {
            if (expander->through[end] >> 32 != expander->through[i] >> 32) {
                break;
            }
        }
        if (!put_row(expander, expander->through + i, end - i, n_links)) {
            return false;
        }
    }
    uint32_t *begins = mr_sort_u32(expander->begins, temp, expander->n_begins);
    if (begins == temp) {
        memcpy(expander->begins, temp, expander->n_begins * sizeof *temp);
    }
    uint32_t *ends = mr_sort_u32(expander->ends, temp, expander->n_ends);
    if (ends == temp) {
        memcpy(expander->ends, temp, expander->n_ends * sizeof *temp);
    }
    return true;
}

/* The first row after `row` (both counted from the part's first row) that starts afresh, or
 * n_rows. */
static uint32_t next_restart(const struct mr_corners *corners, uint32_t row)
{
    const uint32_t n_bytes = corners->n_rows / 8;
    uint32_t byte = (row + 1) / 8;
    unsigned bits = byte < n_bytes ? corners->restarts[byte] & (0xffu << ((row + 1) % 8)) : 0;
    while ((bits & 0xff) == 0) {
        if (++byte >= n_bytes) {
            return corners->n_rows;
        }
        bits = corners->restarts[byte];
    }
    return 8 * byte + (uint32_t)__builtin_ctz(bits & 0xff);
}

/* Write the edges: each addition begins a run of rows, and every subtraction must end one. */
static const char *put_links(const struct mr_corners_expander *expander,
                             const struct mr_corners *corners, uint32_t n_links, uint32_t *keys)
{
    const uint32_t rows = ((uint32_t)1 << expander->shape.band_bits) - 1;
    const uint32_t *end = expander->ends, *ends_end = end + expander->n_ends;
    uint64_t lowest = 0; /* the next run begins here or later */
    uint32_t n_done = 0;
    for (uint32_t i = 0; i < expander->n_begins; i++) {
        const uint32_t begin = expander->begins[i];
        const uint32_t row = (begin & rows) - corners->first_row;
        uint64_t stop = (uint64_t)begin + next_restart(corners, row) - row;
        if (begin < lowest || (end < ends_end && *end <= begin)) {
            return bad_links; /* a column is added twice, or subtracted without an addition */
        }
        if (end < ends_end && *end < stop) {
            stop = *end++;
        }
        if (stop - begin > n_links - n_done) {
            return bad_number;
        }
        for (uint64_t key = begin; key < stop; key++) {
            keys[n_done++] = (uint32_t)key;
        }
        lowest = stop;
    }
    return end < ends_end ? bad_links : n_done < n_links ? bad_number : NULL;
}

const char *mr_corners_expand(struct mr_corners_expander *expander, uint32_t n_links,
                              const uint8_t *data, uint32_t data_bytes, uint32_t *keys)
{
    struct mr_corners corners;
    if (data_bytes > MR_BLOCK_RAW_MAX_BYTES) {
        return "a corner tile is larger than a block";
    }
    const char *fault = mr_corners_open(&expander->shape, n_links, data, data_bytes, &corners);
    if (fault == NULL) {
        fault =
            mr_corners_decode(&expander->shape, &corners, mr_key_kernels_best(), expander->entries);
    }
    if (fault == NULL && !collect(expander, &corners, n_links, keys)) {
        fault = bad_links;
    }
    return fault != NULL ? fault : put_links(expander, &corners, n_links, keys);
}
