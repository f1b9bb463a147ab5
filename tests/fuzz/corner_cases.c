/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one fuzz input through every decoder of corner tiles and compares them with a slow decoder,
 * which is written from docs/store-format.md and shares no code with the engine. The fuzzer and
 * corpus_test both call it. */
#include "tests/fuzz/corner_cases.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/tile/corners_encode.h"
#include "engine/tile/corners_expand.h"
#include "engine/tile/corners_kernels.h"
#include "engine/tile/key_kernels.h"
#include "tests/support/test_context.h"

/* An entry takes at least one byte, so that no column of a row changes more often than this. */
enum { MAX_INPUT_BYTES = 16384 };

enum { N_SHAPES = 2, MAX_ROWS = 1 << 9, MAX_COLUMNS = 1 << 8, BITMAP_COLUMNS = 64 };

static const struct mr_corners_shape shapes[N_SHAPES] = {{8, 8}, {9, 8}};

/* Reused from input to input. */
struct tools {
    struct mr_context context;
    struct mr_corners_encoder *encoder[N_SHAPES];
    struct mr_corners_expander *expander[N_SHAPES];
    void *scratch[N_SHAPES];
};

static void check(bool is_right)
{
    if (!is_right) {
        abort();
    }
}

static size_t scratch_bytes(const struct mr_corners_shape *shape)
{
    return (size_t)((mr_corners_scratch_bytes(shape) + 63) / 64 * 64);
}

static struct tools *tools_of(unsigned s)
{
    static struct tools tools;
    if (tools.context.memory == NULL) {
        check(test_context_open(&tools.context, UINT64_MAX, 1));
    }
    if (tools.encoder[s] == NULL) {
        const size_t bytes = scratch_bytes(&shapes[s]);
        check(mr_corners_encoder_create(&tools.context, &shapes[s], &tools.encoder[s], NULL) ==
              MR_OK);
        check(mr_corners_expander_create(tools.context.memory, &shapes[s], &tools.expander[s],
                                         NULL) == MR_OK);
        tools.scratch[s] = aligned_alloc(64, bytes);
        check(tools.scratch[s] != NULL);
        memset(tools.scratch[s], 0, bytes);
    }
    return &tools;
}

/* ---- The independent decoder ---- */

struct slow {
    bool decodes; /* the numbers decode, and the rows are those of the part */
    bool is_ordered; /* decodes, and the keys are in order */
    /* is_ordered; no column of a row changes twice, and the results are zeros and ones */
    bool is_tile;
    bool is_binary; /* the results are zeros and ones, as many ones as there should be edges */
    uint32_t n_rows, n_columns;
    int16_t changes[MAX_ROWS][MAX_COLUMNS]; /* relative to the row above, or to zeros */
    uint8_t singles[MAX_ROWS][MAX_COLUMNS];
    bool restarts[MAX_ROWS];
    int links[MAX_ROWS][MAX_COLUMNS];
    /* arbitrary values; the results if they are zeros and ones: */
    double values[MAX_COLUMNS], total;
    double exact[MAX_ROWS], n_links[MAX_ROWS];
};

static bool slow_number(const uint8_t **at, const uint8_t *end, uint32_t *value)
{
    uint64_t result = 0;
    for (unsigned i = 0; i < 5 && *at < end; i++) {
        const uint8_t byte = *(*at)++;
        result |= (uint64_t)(byte & 127) << 7 * i;
        if (byte < 128) {
            *value = (uint32_t)result;
            return result <= UINT32_MAX;
        }
    }
    return false;
}

static void slow_entry(struct slow *slow, unsigned stream, uint32_t row, uint32_t column)
{
    const int sign = stream % 2 == 0 ? 1 : -1;
    const uint32_t first = stream < 2 ? column : 0;
    for (uint32_t c = first; c <= column; c++) {
        slow->changes[row][c] = (int16_t)(slow->changes[row][c] + sign);
    }
    if (stream < 2 && slow->singles[row][column] < 2) {
        slow->singles[row][column]++;
    }
}

/* row_sums[row]: the sum that the entries of this row alone give. */
static void slow_decode(struct slow *slow, const struct mr_corners_shape *shape, uint32_t n_links,
                        const uint8_t *data, size_t bytes, const uint64_t *x, uint64_t *row_sums)
{
    const uint32_t all_rows = (uint32_t)1 << shape->band_bits;
    const uint8_t *at = data, *end = data + bytes;
    uint32_t first, n_groups, n[4];
    memset(slow, 0, sizeof *slow);
    slow->n_columns = (uint32_t)1 << shape->stripe_bits;
    if (n_links < 1 || !slow_number(&at, end, &first) || !slow_number(&at, end, &n_groups) ||
        !slow_number(&at, end, &n[0]) || !slow_number(&at, end, &n[1]) ||
        !slow_number(&at, end, &n[2]) || !slow_number(&at, end, &n[3]) || n_groups < 1 ||
        n_groups > n_links || (uint64_t)n[0] + n[1] + n[2] + n[3] > n_links ||
        ((uint64_t)first + n_groups) * 8 > all_rows || n_groups > (size_t)(end - at)) {
        return;
    }
    slow->n_rows = all_rows;
    for (uint32_t r = 0; r < 8 * n_groups; r++) {
        slow->restarts[8 * first + r] = (at[r / 8] >> r % 8 & 1) != 0;
    }
    slow->restarts[8 * first] = true;
    if (first + n_groups < all_rows / 8) {
        slow->restarts[8 * (first + n_groups)] = true;
    }
    at += n_groups;
    bool is_ordered = true;
    for (unsigned stream = 0; stream < 4; stream++) {
        uint32_t key = 0;
        for (uint32_t i = 0; i < n[stream]; i++) {
            uint32_t difference;
            if (!slow_number(&at, end, &difference)) {
                return;
            }
            is_ordered &= i == 0 || (difference > 0 && key + difference > key);
            key += difference;
            const uint32_t row = key / 32 % all_rows;
            const uint32_t group = key / 32 / all_rows;
            is_ordered &= group < slow->n_columns / 32;
            const uint32_t column = (group * 32 + key % 32) % slow->n_columns;
            if (row < 8 * first || row >= 8 * (first + n_groups)) {
                return;
            }
            uint64_t amount = 0;
            for (uint32_t c = stream < 2 ? column : 0; c <= column; c++) {
                amount += x[c];
            }
            row_sums[row] += stream % 2 == 0 ? amount : -amount;
            slow_entry(slow, stream, row, column);
        }
    }
    slow->decodes = at == end;
    slow->is_ordered = is_ordered;
}

/* Compute the rows from their differences. */
static void slow_links(struct slow *slow, uint32_t n_links)
{
    uint64_t n_found = 0;
    bool is_binary = true, is_once = true;
    for (uint32_t r = 0; r < slow->n_rows; r++) {
        for (uint32_t c = 0; c < slow->n_columns; c++) {
            const int above = r > 0 && !slow->restarts[r] ? slow->links[r - 1][c] : 0;
            const int link = above + slow->changes[r][c];
            slow->links[r][c] = link;
            is_binary &= link == 0 || link == 1;
            is_once &=
                slow->singles[r][c] == 0 || (slow->singles[r][c] == 1 && slow->changes[r][c] != 0);
            n_found += link == 1;
        }
    }
    slow->is_binary = slow->decodes && is_binary && n_found == n_links;
    slow->is_tile = slow->is_binary && slow->is_ordered && is_once;
}

static void slow_sums(struct slow *slow)
{
    for (uint32_t c = 0; c < slow->n_columns; c++) {
        slow->values[c] = c % 5 == 1 ? 0 : ldexp((double)(1 + c % 7), -(int)(c % 11));
        slow->total += slow->values[c];
    }
    for (uint32_t r = 0; slow->is_binary && r < slow->n_rows; r++) {
        for (uint32_t c = 0; c < slow->n_columns; c++) {
            if (slow->links[r][c] != 0) {
                slow->exact[r] += slow->values[c];
                slow->n_links[r]++;
            }
        }
    }
}

/* ---- What is tested against it ---- */

static void test_expand(const struct slow *slow, const struct mr_corners_shape *shape,
                        struct mr_corners_expander *expander, uint32_t n_links, const uint8_t *part,
                        size_t bytes)
{
    uint32_t *keys = malloc((n_links + 1) * sizeof *keys);
    check(keys != NULL);
    const char *fault = mr_corners_expand(expander, n_links, part, (uint32_t)bytes, keys);
    check(fault == NULL || !slow->is_tile);
    check(fault != NULL || slow->is_binary);
    if (fault == NULL) {
        size_t n = 0;
        for (uint32_t c = 0; c < slow->n_columns; c++) {
            for (uint32_t r = 0; r < slow->n_rows; r++) {
                if (slow->links[r][c] == 1) {
                    check(n < n_links && keys[n++] == (c << shape->band_bits | r));
                }
            }
        }
        check(n == n_links);
    }
    free(keys);
}

struct kernels {
    const struct mr_key_kernels *keys;
    const struct mr_corners_kernels *corners;
};

static void check_clean(const struct mr_corners_scratch *scratch)
{
    for (size_t r = 0; r < (size_t)1 << scratch->shape.band_bits; r++) {
        check(scratch->sums[r] == 0);
    }
}

static void test_apply(const struct slow *slow, const struct mr_corners_shape *shape,
                       struct kernels kernels, const struct mr_corners *part, const uint64_t *x,
                       const uint64_t *row_sums, void *memory)
{
    static uint64_t sums[MAX_ROWS];
    static double found[MAX_ROWS];
    const uint32_t n_rows = (uint32_t)1 << shape->band_bits;
    struct mr_corners_scratch scratch;
    mr_corners_scratch_init(&scratch, shape, kernels.keys, kernels.corners, memory);
    mr_corners_prepare(&scratch, MR_VALUE_U64, x);
    memset(sums, 0, sizeof sums);
    check((mr_corners_apply(&scratch, part, sums) == NULL) == slow->decodes);
    check_clean(&scratch);
    uint64_t sum = 0;
    for (uint32_t r = 0; slow->decodes && r < n_rows; r++) {
        sum = (slow->restarts[r] ? 0 : sum) + row_sums[r];
        check(sums[r] == sum);
    }

    memset(found, 0, sizeof found);
    mr_corners_prepare(&scratch, MR_VALUE_DOUBLE, slow->values);
    const bool is_good = mr_corners_apply(&scratch, part, found) == NULL;
    check(is_good ? slow->decodes : !slow->is_binary);
    check_clean(&scratch);
    for (uint32_t r = 0; is_good && r < n_rows; r++) {
        const double exact = slow->exact[r];
        const double allowed =
            (slow->n_links[r] + 4) * MR_PASS_LINK_ERROR * slow->total + 1e-15 * exact;
        check(found[r] >= 0);
        check(!slow->is_binary ||
              (fabs(found[r] - exact) <= allowed && (found[r] == 0) == (exact == 0)));
    }
}

static void test_part(unsigned s, uint32_t n_links, const uint8_t *part, size_t bytes)
{
    static struct slow slow;
    static uint64_t x[MAX_COLUMNS], row_sums[MAX_ROWS];
    const struct mr_corners_shape *shape = &shapes[s];
    struct tools *tools = tools_of(s);
    for (size_t c = 0; c < MAX_COLUMNS; c++) {
        x[c] = (c + 1) * 0x9e3779b97f4a7c15u;
    }
    memset(row_sums, 0, sizeof row_sums);
    slow_decode(&slow, shape, n_links, part, bytes, x, row_sums);
    slow_links(&slow, n_links);
    slow_sums(&slow);
    test_expand(&slow, shape, tools->expander[s], n_links, part, bytes);

    struct mr_corners opened;
    const bool opens = mr_corners_open(shape, n_links, part, (uint32_t)bytes, &opened) == NULL;
    check(opens || !slow.decodes);
    for (unsigned i = 0; opens && mr_key_kernels_at(i) != NULL; i++) {
        for (unsigned j = 0; mr_corners_kernels_at(j) != NULL; j++) {
            const struct kernels kernels = {mr_key_kernels_at(i), mr_corners_kernels_at(j)};
            test_apply(&slow, shape, kernels, &opened, x, row_sums, tools->scratch[s]);
        }
    }
}

/* A copy with the bytes behind it that a decoder may read, and not one byte more. */
static uint8_t *copy_of(const uint8_t *data, size_t bytes)
{
    uint8_t *copy = malloc(bytes + MR_KEYS_SLACK_BYTES);
    check(copy != NULL);
    memcpy(copy, data, bytes);
    memset(copy + bytes, 0x81, MR_KEYS_SLACK_BYTES);
    return copy;
}

static void test_links(unsigned s, const uint8_t *data, size_t bytes)
{
    static uint32_t keys[BITMAP_COLUMNS * MAX_ROWS];
    const struct mr_corners_shape *shape = &shapes[s];
    const size_t n_changes = bytes > 0 ? data[0] : 0;
    if (bytes < 1 + 3 * n_changes) {
        return;
    }
    const uint8_t *changes = data + 1, *bitmap = changes + 3 * n_changes;
    const size_t n_bits = 8 * (size_t)(data + bytes - bitmap);
    uint32_t n_links = 0;
    for (uint32_t c = 0; c < BITMAP_COLUMNS; c++) {
        for (uint32_t r = 0; r < (uint32_t)1 << shape->band_bits; r++) {
            const size_t bit = (size_t)r * BITMAP_COLUMNS + c;
            if (bit < n_bits && (bitmap[bit / 8] >> bit % 8 & 1) != 0) {
                keys[n_links++] = c << shape->band_bits | r;
            }
        }
    }
    struct mr_corners_part part;
    if (n_links == 0 ||
        mr_corners_encode(tools_of(s)->encoder[s], keys, n_links, true, &part) != MR_CORNERS_DONE) {
        return;
    }
    uint8_t *copy = copy_of(part.bytes, part.n_bytes);
    for (size_t i = 0; i < n_changes; i++) {
        copy[(changes[3 * i] | (size_t)changes[3 * i + 1] << 8) % part.n_bytes] ^=
            changes[3 * i + 2];
    }
    if (n_changes == 0) {
        uint32_t *expanded = malloc(n_links * sizeof *expanded);
        check(expanded != NULL);
        check(mr_corners_expand(tools_of(s)->expander[s], n_links, copy, part.n_bytes, expanded) ==
              NULL);
        check(memcmp(expanded, keys, n_links * sizeof *keys) == 0);
        free(expanded);
    }
    test_part(s, n_links, copy, part.n_bytes);
    free(copy);
}

void fuzz_corners(const uint8_t *data, size_t bytes)
{
    if (bytes < 3 || bytes > MAX_INPUT_BYTES) {
        return;
    }
    const unsigned s = data[0] % N_SHAPES;
    if ((data[0] & 4) != 0) {
        test_links(s, data + 1, bytes - 1);
    } else {
        uint8_t *copy = copy_of(data + 3, bytes - 3);
        test_part(s, data[1] | (uint32_t)data[2] << 8, copy, bytes - 3);
        free(copy);
    }
}
