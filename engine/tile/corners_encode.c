/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes a part of a tile as a corner tile (corners.h). The writer of a band asks for each part
 * and takes keys where this declines. Steps: look at a sample; order the edges by rows; write each
 * row as entries; sort the entries of each stream; write the bytes. Each step can stop early, so
 * that a part that stays keys costs little. */
#include "engine/tile/corners_encode.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/sort.h"

/* A run of at least this many columns is written as its two ends: three columns then take two
 * entries, not three. A run of two columns would take as many entries and more bytes. */
enum { RUN_MIN = 3 };

/* The sample: this many edges are looked at first, and this many of them must have a neighbour to
 * the left or above to make the rest worth the work. */
enum { SAMPLES = 128, SAMPLES_WITH_NEIGHBOUR = SAMPLES / 4 };

_Static_assert((1u << 20) / 8 + 64 < MR_CORNERS_PART_MAX_BYTES, "restarts and header always fit");

/* More entries would hardly fit a block; the caller then tries halves. */
enum { ENTRIES_MAX = MR_CORNERS_LINKS_MAX / 2 };
_Static_assert(ENTRIES_MAX * sizeof(uint32_t) <= MR_CORNERS_LINKS_MAX * sizeof(uint16_t),
               "sorted entries fit where the columns were");
_Static_assert(MR_CORNERS_PART_MAX_BYTES <= ENTRIES_MAX, "the part fits where the streams were");

struct mr_corners_encoder {
    const struct mr_context *context;
    struct mr_corners_shape shape;

    /* The edges by rows: the columns of row r are columns[starts[r] .. starts[r + 1] - 1],
     * ascending. */
    uint32_t *starts; /* [2^band_bits + 2] */
    uint16_t *columns; /* [MR_CORNERS_LINKS_MAX] */

    /* Entries in the order of rows, then sorted stream by stream in the memory of the columns.
     * There is at most one entry per edge: a row afresh takes no more, and a difference is only
     * used where it takes fewer. */
    uint32_t *keys; /* [ENTRIES_MAX] */
    uint8_t *streams; /* [ENTRIES_MAX]; after sorting, the part's bytes */
    uint32_t *sorted; /* [ENTRIES_MAX] */
    uint32_t n_entries;
    uint32_t n_by_stream[MR_CORNER_STREAMS];

    /* Columns that a row has and the row above lacks, and the other way round. */
    uint16_t *gained, *lost; /* [2^stripe_bits] */
    uint8_t *restarts; /* [2^band_bits / 8] */
};

enum mr_status mr_corners_encoder_create(const struct mr_context *context,
                                         const struct mr_corners_shape *shape,
                                         struct mr_corners_encoder **out, struct mr_error *err)
{
    struct mr_corners_encoder *encoder = calloc(1, sizeof *encoder);
    if (encoder == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for an encoder");
    }
    encoder->context = context;
    encoder->shape = *shape;
    const uint64_t n_rows = (uint64_t)1 << shape->band_bits;
    const uint64_t n_columns = (uint64_t)1 << shape->stripe_bits;
    const uint64_t bytes = (n_rows + 2) * 4 + ENTRIES_MAX * (4 + 1) + MR_CORNERS_LINKS_MAX * 2 +
                           2 * n_columns * 2 + n_rows / 8;
    void *memory = NULL;
    enum mr_status status = mr_memory_alloc(context->memory, "corner tiles", bytes, &memory, err);
    if (status != MR_OK) {
        free(encoder);
        return status;
    }
    encoder->starts = memory;
    encoder->keys = encoder->starts + n_rows + 2;
    encoder->sorted = encoder->keys + ENTRIES_MAX;
    encoder->columns = (uint16_t *)encoder->sorted;
    encoder->gained = encoder->columns + MR_CORNERS_LINKS_MAX;
    encoder->lost = encoder->gained + n_columns;
    encoder->streams = (uint8_t *)(encoder->lost + n_columns);
    encoder->restarts = encoder->streams + ENTRIES_MAX;
    *out = encoder;
    return MR_OK;
}

void mr_corners_encoder_destroy(struct mr_corners_encoder *encoder)
{
    if (encoder != NULL) {
        mr_memory_free(encoder->context->memory, encoder->starts);
        free(encoder);
    }
}

/* ---- Is it worth while? ---- */

static bool contains(const uint32_t *keys, uint32_t n_keys, uint32_t key)
{
    uint32_t low = 0, high = n_keys;
    MR_FIND_FIRST(low, high, middle, keys[middle] < key);
    return low < n_keys && keys[low] == key;
}

/* Can there be few enough entries? Decides before the edges are ordered by rows. */
static bool looks_promising(const struct mr_corners_encoder *encoder, const uint32_t *keys,
                            uint32_t n_keys)
{
    const uint32_t column = (uint32_t)1 << encoder->shape.band_bits;
    const uint64_t n_columns = (uint64_t)1 << encoder->shape.stripe_bits;
    unsigned n_with_neighbour = 0;
    if (mr_cost_of_keys(n_keys) <= mr_cost_of_corners(0, 0, n_columns)) {
        return false;
    }
    for (unsigned i = 0; i < SAMPLES; i++) {
        const uint32_t at = (uint32_t)((uint64_t)n_keys * i / SAMPLES);
        const bool above = at > 0 && keys[at - 1] == keys[at] - 1;
        n_with_neighbour += above || (keys[at] >= column && contains(keys, at, keys[at] - column));
    }
    return n_with_neighbour >= SAMPLES_WITH_NEIGHBOUR;
}

/* ---- Edges by rows ---- */

/* Order the edges by rows. `*first`, `*end`: the rows that have edges. False where an edge is
 * repeated. */
static bool order_by_rows(struct mr_corners_encoder *encoder, const uint32_t *keys, uint32_t n_keys,
                          uint32_t *first, uint32_t *end)
{
    const unsigned bits = encoder->shape.band_bits;
    const uint32_t mask = ((uint32_t)1 << bits) - 1;
    uint32_t *starts = encoder->starts, lowest = UINT32_MAX, highest = 0;
    for (uint32_t i = 0; i < n_keys; i++) {
        const uint32_t row = keys[i] & mask;
        lowest = row < lowest ? row : lowest;
        highest = row > highest ? row : highest;
    }
    /* counts are stored two entries higher, so that after both passes row r begins at starts[r] */
    memset(starts + lowest, 0, (highest - lowest + 3) * sizeof *starts);
    uint32_t n_repeated = 0;
    for (uint32_t i = 0; i < n_keys; i++) {
        starts[(keys[i] & mask) + 2]++;
        n_repeated += i > 0 && keys[i] == keys[i - 1];
    }
    for (uint32_t row = lowest; row <= highest; row++) {
        starts[row + 2] += starts[row + 1];
    }
    for (uint32_t i = 0; i < n_keys; i++) {
        encoder->columns[starts[(keys[i] & mask) + 1]++] = (uint16_t)(keys[i] >> bits);
    }
    *first = lowest;
    *end = highest + 1;
    return n_repeated == 0;
}

/* ---- Rows to entries ---- */

/* The end of the run that begins at `i`. */
static uint32_t run_end(const uint16_t *columns, uint32_t n, uint32_t i)
{
    for (i++; i < n && columns[i] == columns[i - 1] + 1; i++) {
    }
    return i;
}

static uint32_t count_entries(const uint16_t *columns, uint32_t n)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < n;) {
        const uint32_t end = run_end(columns, n, i);
        count += end - i < RUN_MIN ? end - i : columns[i] > 0 ? 2 : 1;
        i = end;
    }
    return count;
}

static void put_entry(struct mr_corners_encoder *encoder, unsigned stream, uint32_t row,
                      uint32_t column)
{
    encoder->keys[encoder->n_entries] = mr_corner_key(encoder->shape.band_bits, row, column);
    encoder->streams[encoder->n_entries++] = (uint8_t)stream;
    encoder->n_by_stream[stream]++;
}

/* `subtract` is 0 or 1: the streams come in pairs. */
static void put_entries(struct mr_corners_encoder *encoder, const uint16_t *columns, uint32_t n,
                        uint32_t row, unsigned subtract)
{
    for (uint32_t i = 0; i < n;) {
        const uint32_t end = run_end(columns, n, i);
        if (end - i >= RUN_MIN) {
            put_entry(encoder, MR_CORNER_ADD_THROUGH + subtract, row, columns[end - 1]);
            if (columns[i] > 0) {
                put_entry(encoder, MR_CORNER_SUBTRACT_THROUGH - subtract, row, columns[i] - 1u);
            }
        } else {
            for (uint32_t k = i; k < end; k++) {
                put_entry(encoder, MR_CORNER_ADD + subtract, row, columns[k]);
            }
        }
        i = end;
    }
}

/* Find the columns that `row` has and `above` lacks, and the other way round. */
static void compare(struct mr_corners_encoder *encoder, const uint16_t *row, uint32_t n_row,
                    const uint16_t *above, uint32_t n_above, uint32_t *n_gained, uint32_t *n_lost)
{
    uint16_t *gained = encoder->gained, *lost = encoder->lost;
    uint32_t i = 0, j = 0;
    while (i < n_row && j < n_above) {
        const uint16_t a = row[i], b = above[j];
        *gained = a;
        *lost = b;
        gained += a < b;
        lost += b < a;
        i += a <= b;
        j += b <= a;
    }
    memcpy(gained, row + i, (n_row - i) * sizeof *row);
    memcpy(lost, above + j, (n_above - j) * sizeof *above);
    *n_gained = (uint32_t)(gained - encoder->gained) + n_row - i;
    *n_lost = (uint32_t)(lost - encoder->lost) + n_above - j;
}

/* Write one row: its difference from the row above, or the row afresh where that is not longer. */
static void put_row(struct mr_corners_encoder *encoder, uint32_t row, uint32_t n_above,
                    uint8_t *restarts)
{
    const uint16_t *columns = encoder->columns + encoder->starts[row];
    const uint32_t n = encoder->starts[row + 1] - encoder->starts[row];
    uint32_t n_gained, n_lost;
    if (n > 0 && n_above > 0) {
        if (n == n_above && memcmp(columns, columns - n, n * sizeof *columns) == 0) {
            return;
        }
        compare(encoder, columns, n, columns - n_above, n_above, &n_gained, &n_lost);
        if (count_entries(encoder->gained, n_gained) + count_entries(encoder->lost, n_lost) <
            count_entries(columns, n)) {
            put_entries(encoder, encoder->gained, n_gained, row, 0);
            put_entries(encoder, encoder->lost, n_lost, row, 1);
            return;
        }
    }
    *restarts |= (uint8_t)((n_above > 0) << (row & 7));
    put_entries(encoder, columns, n, row, 0);
}

/* Write all rows. False when there are more entries than there is room for. */
static bool put_rows(struct mr_corners_encoder *encoder, uint32_t first, uint32_t end)
{
    encoder->n_entries = 0;
    memset(encoder->n_by_stream, 0, sizeof encoder->n_by_stream);
    memset(encoder->restarts + first / 8, 0, (end + 7) / 8 - first / 8);
    uint32_t n_above = 0;
    for (uint32_t row = first; row < end; row++) {
        const uint32_t n = encoder->starts[row + 1] - encoder->starts[row];
        if (n > ENTRIES_MAX - encoder->n_entries) {
            return false;
        }
        put_row(encoder, row, n_above, &encoder->restarts[row / 8]);
        n_above = n;
    }
    if (end % 8 != 0) { /* the rows that fill the last byte are empty */
        encoder->restarts[end / 8] |= (uint8_t)(1u << (end & 7));
    }
    return true;
}

/* ---- Entries to bytes ---- */

/* Encode `keys[n]`, the first relative to 0. Returns the end, or NULL when they do not fit. */
static uint8_t *put_stream(const uint32_t *keys, uint32_t n, uint8_t *out, const uint8_t *end)
{
    enum { PIECE = 1024 };
    uint8_t piece[PIECE * MR_LEB_MAX_BYTES];
    uint32_t previous = 0;
    while (n > 0) {
        const uint32_t count = n < PIECE ? n : PIECE;
        const size_t bytes = (size_t)(mr_keys_encode(keys, count, previous, piece) - piece);
        if (bytes > (size_t)(end - out)) {
            return NULL;
        }
        memcpy(out, piece, bytes);
        out += bytes;
        previous = keys[count - 1];
        keys += count;
        n -= count;
    }
    return out;
}

/* Write the part at encoder->streams. Returns its end, or NULL when it does not fit. */
static uint8_t *put_part(struct mr_corners_encoder *encoder, uint32_t first, uint32_t end)
{
    const uint32_t first_group = first / 8, n_groups = (end + 7) / 8 - first_group;
    uint32_t *streams[MR_CORNER_STREAMS], *next = encoder->sorted;
    for (unsigned i = 0; i < MR_CORNER_STREAMS; i++) {
        streams[i] = next;
        next += encoder->n_by_stream[i];
    }
    for (uint32_t i = 0; i < encoder->n_entries; i++) {
        *streams[encoder->streams[i]]++ = encoder->keys[i];
    }
    uint8_t *out = encoder->streams;
    const uint8_t *limit = out + MR_CORNERS_PART_MAX_BYTES; /* header and restarts fit */
    out = mr_leb_put(out, first_group);
    out = mr_leb_put(out, n_groups);
    for (unsigned i = 0; i < MR_CORNER_STREAMS; i++) {
        out = mr_leb_put(out, encoder->n_by_stream[i]);
    }
    memcpy(out, encoder->restarts + first_group, n_groups);
    out += n_groups;
    for (unsigned i = 0; i < MR_CORNER_STREAMS && out != NULL; i++) {
        const uint32_t n = encoder->n_by_stream[i];
        /* the entries have been copied, so their memory is free for sorting */
        out = put_stream(mr_sort_u32(streams[i] - n, encoder->keys, n), n, out, limit);
    }
    return out;
}

enum mr_corners_result mr_corners_encode(struct mr_corners_encoder *encoder, const uint32_t *keys,
                                         uint32_t n_keys, bool always, struct mr_corners_part *part)
{
    uint32_t first, end;
    if (!always && !looks_promising(encoder, keys, n_keys)) {
        return MR_CORNERS_SLOWER;
    }
    if (!order_by_rows(encoder, keys, n_keys, &first, &end)) {
        return MR_CORNERS_SLOWER;
    }
    const uint32_t n_groups = (end + 7) / 8 - first / 8;
    if (n_groups > n_keys) {
        return MR_CORNERS_SLOWER;
    }
    if (!put_rows(encoder, first, end)) {
        return MR_CORNERS_TOO_LARGE;
    }
    const uint64_t cost = mr_cost_of_corners(encoder->n_entries, 8 * (uint64_t)n_groups,
                                             (uint64_t)1 << encoder->shape.stripe_bits);
    if (!always && cost >= mr_cost_of_keys(n_keys)) {
        return MR_CORNERS_SLOWER;
    }
    const uint8_t *after = put_part(encoder, first, end);
    if (after == NULL) {
        return MR_CORNERS_TOO_LARGE;
    }
    *part = (struct mr_corners_part){
        .bytes = encoder->streams,
        .n_bytes = (uint32_t)(after - encoder->streams),
        .n_entries = encoder->n_entries,
        .n_rows = 8 * n_groups,
    };
    return MR_CORNERS_DONE;
}
