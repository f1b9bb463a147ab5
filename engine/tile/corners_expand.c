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
    uint32_t *begins, *ends; /* [MR_CORNERS_LINKS_MAX]: keys of additions and subtractions */
    uint32_t *entries; /* [ENTRIES_MAX + slack] */
    uint32_t *restarts; /* [GROUPS_MAX + 1]: the first row from 8 * group on that starts afresh */
    uint32_t n_begins, n_ends;
};

/* Each entry takes at least one byte. */
enum { ENTRIES_MAX = MR_BLOCK_RAW_MAX_BYTES };
/* Each group of 8 rows takes a byte of the part. */
enum { GROUPS_MAX = MR_BLOCK_RAW_MAX_BYTES };

static const char bad_links[] = "the entries of a corner tile do not make up links";
static const char bad_number[] = "a corner tile has more or fewer links than it says";

static uint64_t bytes_of_buffers(void)
{
    return 4 *
           (2 * (uint64_t)MR_CORNERS_LINKS_MAX + ENTRIES_MAX + MR_KEYS_SLACK_KEYS + GROUPS_MAX + 1);
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
    expander->begins = (uint32_t *)(expander + 1);
    expander->ends = expander->begins + MR_CORNERS_LINKS_MAX;
    expander->entries = expander->ends + MR_CORNERS_LINKS_MAX;
    expander->restarts = expander->entries + ENTRIES_MAX + MR_KEYS_SLACK_KEYS;
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

/* A list of entries through some column, in ascending order of rows, then columns. */
struct through {
    const uint32_t *at, *end;
};

/* The row of the next entry; UINT64_MAX if there is none. */
static uint64_t next_row(const struct through *list, unsigned stripe_bits)
{
    return list->at < list->end ? *list->at >> stripe_bits : UINT64_MAX;
}

/* The entries of a row begin the list; returns the end of them. */
static const uint32_t *row_end(const struct through *list, unsigned stripe_bits, uint64_t row)
{
    const uint32_t *end = list->at;
    while (end < list->end && *end >> stripe_bits == row) {
        end++;
    }
    return end;
}

/* Apply the entries of a row through some column, in ascending order of columns, and take them off
 * both lists. */
static bool put_row(struct mr_corners_expander *expander, struct through *plus,
                    struct through *minus, uint64_t row, uint32_t n_links)
{
    const unsigned bits = expander->shape.stripe_bits;
    const uint32_t *plus_end = row_end(plus, bits, row), *minus_end = row_end(minus, bits, row);
    /* level of the columns up to the next entry's column */
    ptrdiff_t level = (plus_end - plus->at) - (minus_end - minus->at);
    uint32_t first = 0;
    while (plus->at < plus_end || minus->at < minus_end) {
        const bool adds =
            plus->at < plus_end && (minus->at == minus_end || *plus->at <= *minus->at);
        const uint32_t end = ((adds ? *plus->at : *minus->at) & (((uint32_t)1 << bits) - 1)) + 1;
        if (first < end && level != 0 &&
            (level < -1 || level > 1 ||
             !put_columns(expander, (uint32_t)row, first, end, level < 0, n_links))) {
            return false;
        }
        level -= adds ? 1 : -1;
        plus->at += adds;
        minus->at += !adds;
        first = end;
    }
    return true;
}

/* Sort entries through some column by rows, then columns. `temp` has room for `n`, too; the list is
 * in one of the two. */
static struct through sort_through(const struct mr_corners_shape *shape, uint32_t *entries,
                                   uint32_t n, uint32_t *temp)
{
    const uint32_t rows = ((uint32_t)1 << shape->band_bits) - 1;
    for (uint32_t i = 0; i < n; i++) {
        entries[i] = (entries[i] & rows) << shape->stripe_bits | entries[i] >> shape->band_bits;
    }
    const uint32_t *sorted = mr_sort_u32(entries, temp, n);
    return (struct through){sorted, sorted + n};
}

/* Sort keys in their own memory. */
static void sort_keys(uint32_t *keys, uint32_t n, uint32_t *temp)
{
    if (mr_sort_u32(keys, temp, n) == temp) {
        memcpy(keys, temp, n * sizeof *temp);
    }
}

/* Collect the additions and the subtractions of columns, each in order. `temp` [n_links]: there is
 * at most one entry per edge. */
static bool collect(struct mr_corners_expander *expander, const struct mr_corners *corners,
                    uint32_t n_links, uint32_t *temp)
{
    const unsigned bits = expander->shape.stripe_bits;
    const uint32_t n_add = corners->n_entries[MR_CORNER_ADD];
    const uint32_t n_subtract = corners->n_entries[MR_CORNER_SUBTRACT];
    const uint32_t n_plus = corners->n_entries[MR_CORNER_ADD_THROUGH];
    const uint32_t n_minus = corners->n_entries[MR_CORNER_SUBTRACT_THROUGH];
    uint32_t *singles = expander->entries, *through = singles + n_add + n_subtract;

    memcpy(expander->begins, singles, n_add * sizeof *singles); /* at most n_links */
    memcpy(expander->ends, singles + n_add, n_subtract * sizeof *singles);
    expander->n_begins = n_add;
    expander->n_ends = n_subtract;
    struct through plus = sort_through(&expander->shape, through, n_plus, temp);
    struct through minus = sort_through(&expander->shape, through + n_plus, n_minus, temp + n_plus);
    while (plus.at < plus.end || minus.at < minus.end) {
        const uint64_t row = mr_min_u64(next_row(&plus, bits), next_row(&minus, bits));
        if (!put_row(expander, &plus, &minus, row, n_links)) {
            return false;
        }
    }
    sort_keys(expander->begins, expander->n_begins, temp);
    sort_keys(expander->ends, expander->n_ends, temp);
    return true;
}

/* ---- Edges ---- */

/* Note for each group of 8 rows where the next row starts afresh, which may be n_rows. */
static void find_restarts(struct mr_corners_expander *expander, const struct mr_corners *corners)
{
    const uint32_t n_groups = corners->n_rows / 8;
    uint32_t next = corners->n_rows;
    expander->restarts[n_groups] = next;
    for (uint32_t group = n_groups; group-- > 0;) {
        const unsigned bits = corners->restarts[group];
        next = bits != 0 ? 8 * group + (uint32_t)__builtin_ctz(bits) : next;
        expander->restarts[group] = next;
    }
}

/* The first row after `row` (both counted from the part's first row) that starts afresh, or
 * n_rows. */
static uint32_t next_restart(const struct mr_corners_expander *expander,
                             const struct mr_corners *corners, uint32_t row)
{
    const uint32_t group = row / 8;
    const unsigned bits = corners->restarts[group] & (0xfeu << row % 8) & 0xff;
    /* no branch: the processor cannot predict in which group the row is */
    const uint32_t here = 8 * group + (uint32_t)__builtin_ctz(bits | 0x100);
    const uint32_t behind = expander->restarts[group + 1];
    return bits != 0 ? here : behind;
}

/* Write `n` consecutive keys. Most runs are short, so whole groups of 8 are written while there is
 * room. */
static void put_run(uint32_t *keys, uint32_t first, uint32_t n, uint32_t room)
{
    enum { STEP = 8 };
    if (room < n + STEP) {
        for (uint32_t i = 0; i < n; i++) {
            keys[i] = first + i;
        }
        return;
    }
    for (uint32_t i = 0; i < n; i += STEP) {
        for (uint32_t k = 0; k < STEP; k++) {
            keys[i + k] = first + i + k;
        }
    }
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
        uint64_t stop = (uint64_t)begin + next_restart(expander, corners, row) - row;
        if (begin < lowest || (end < ends_end && *end <= begin)) {
            return bad_links; /* a column is added twice, or subtracted without an addition */
        }
        if (end < ends_end && *end < stop) {
            stop = *end++;
        }
        if (stop - begin > n_links - n_done) {
            return bad_number;
        }
        put_run(keys + n_done, begin, (uint32_t)(stop - begin), n_links - n_done);
        n_done += (uint32_t)(stop - begin);
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
    if (fault == NULL) {
        find_restarts(expander, &corners);
    }
    return fault != NULL ? fault : put_links(expander, &corners, n_links, keys);
}
