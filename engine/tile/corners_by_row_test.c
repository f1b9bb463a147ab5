/* SPDX-License-Identifier: Apache-2.0 */
/* Corner tiles by row have the links that they have by source, also where bytes are damaged. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/tile/corners_by_row.h"
#include "engine/tile/corners_encode.h"
#include "engine/tile/corners_expand.h"
#include "tests/support/test.h"
#include "tests/support/test_context.h"
#include "tests/support/test_dir.h"

enum { BAND_BITS = 9, STRIPE_BITS = 8, ROWS = 1 << BAND_BITS, COLUMNS = 1 << STRIPE_BITS };

TEST_RANDOM(0x2545f4914f6cdd1d)

struct fixture {
    struct mr_context context;
    struct mr_corners_encoder *encoder;
    struct mr_corners_expander *expander;
    struct mr_corners_by_row *by_row;
    uint32_t *keys; /* [ROWS * COLUMNS] by source, ascending */
    uint32_t n_keys;
    uint8_t *part; /* with what a decoder may read beyond */
    uint32_t part_bytes;
    uint8_t seen[ROWS][COLUMNS];
    uint16_t *sources;
};

static void open_fixture(struct fixture *f)
{
    const struct mr_corners_shape shape = {.band_bits = BAND_BITS, .stripe_bits = STRIPE_BITS};
    memset(f, 0, sizeof *f);
    assert_true(test_context_open(&f->context, UINT64_MAX, 1));
    struct mr_memory *memory = f->context.memory;
    assert_int_equal(mr_corners_encoder_create(&f->context, &shape, &f->encoder, NULL), MR_OK);
    assert_int_equal(mr_corners_expander_create(memory, &shape, &f->expander, NULL), MR_OK);
    const uint64_t held = mr_memory_available(memory);
    assert_int_equal(mr_corners_by_row_create(memory, &shape, &f->by_row, NULL), MR_OK);
    assert_int_equal(held - mr_memory_available(memory), mr_corners_by_row_memory(&shape));
    f->keys = malloc(MR_CORNERS_LINKS_MAX * sizeof *f->keys);
    f->sources = malloc(mr_corners_by_row_room(MR_CORNERS_LINKS_MAX) * sizeof *f->sources);
    f->part = malloc(MR_BLOCK_RAW_MAX_BYTES + MR_KEYS_SLACK_BYTES);
}

static void close_fixture(struct fixture *f)
{
    mr_corners_encoder_destroy(f->encoder);
    mr_corners_expander_destroy(f->expander);
    mr_corners_by_row_destroy(f->by_row);
    free(f->keys);
    free(f->part);
    free(f->sources);
    test_context_close(&f->context);
}

/* Makes rows that differ from the row above in a few columns and runs. Some rows are new, and some
 * have no links. */
static bool encode(struct fixture *f)
{
    const uint32_t first = 8 * random_below(20), n_rows = 1 + random_below(60),
                   n_columns = 1 + random_below(COLUMNS);
    struct mr_corners_part part;
    memset(f->seen, 0, sizeof f->seen);
    for (uint32_t r = first; r < first + n_rows; r++) {
        if (r > first && random_below(8) != 0) {
            memcpy(f->seen[r], f->seen[r - 1], COLUMNS);
        }
        /* clang 14 forgets f->keys here. NOLINTNEXTLINE(clang-analyzer-unix.Malloc) */
        for (uint32_t change = random_below(4); change > 0 && random_below(10) != 0; change--) {
            const uint32_t c = random_below(n_columns),
                           n = random_below(3) == 0 ? 1 + random_below(n_columns - c) : 1;
            memset(f->seen[r] + c, random_below(3) != 0, n);
        }
    }
    f->n_keys = 0;
    for (uint32_t c = 0; c < COLUMNS; c++) {
        for (uint32_t r = 0; r < ROWS; r++) {
            if (f->seen[r][c] != 0) {
                f->keys[f->n_keys++] = c << BAND_BITS | r;
            }
        }
    }
    if (f->n_keys < 60 ||
        mr_corners_encode(f->encoder, f->keys, f->n_keys, true, &part) != MR_CORNERS_DONE) {
        return false;
    }
    memcpy(f->part, part.bytes, part.n_bytes);
    f->part_bytes = part.n_bytes;
    return true;
}

/* Take the links of all rows out of `seen`; false where the part is refused. The band's first
 * vertex is the stripe's. */
static bool take_rows(struct fixture *f, uint32_t n_links, uint32_t n_bytes)
{
    struct mr_part_rows rows;
    uint32_t first = 0, n = 0;
    if (mr_corners_make_rows(f->by_row, n_links, f->part, n_bytes, 0, ROWS, f->sources, &rows) !=
        NULL) {
        return false;
    }
    assert_true(rows.first_row + rows.n_rows <= ROWS);
    for (uint32_t r = 0; r < rows.n_rows; r++) {
        const uint32_t row = rows.first_row + r;
        for (uint32_t i = first; i < rows.ends[r]; i++, n++) {
            assert_true(f->sources[i] < COLUMNS && f->sources[i] != row);
            f->seen[row][f->sources[i]] ^= 1;
        }
        if ((rows.self_links[r / 64] >> r % 64 & 1) != 0) {
            f->seen[row][row] ^= 1;
            n++;
        }
        first = rows.ends[r];
    }
    assert_int_equal(n, n_links);
    return true;
}

static bool is_empty(const struct fixture *f)
{
    static const uint8_t none[ROWS][COLUMNS];
    return memcmp(f->seen, none, sizeof none) == 0;
}

static void test_rows_are_those_that_were_encoded(void **unused)
{
    (void)unused;
    struct fixture f;
    unsigned n_done = 0;
    open_fixture(&f);
    while (n_done < 500) {
        if (!encode(&f)) {
            continue;
        }
        n_done++;
        assert_true(take_rows(&f, f.n_keys, f.part_bytes));
        assert_true(is_empty(&f));
        assert_false(take_rows(&f, f.n_keys + 1, f.part_bytes));
        assert_false(take_rows(&f, f.n_keys - 1, f.part_bytes));
    }
    close_fixture(&f);
}

/* The other reader of such parts is the oracle: both refuse the same parts, and find the same links
 * in all others. */
static void test_damaged_parts(void **unused)
{
    (void)unused;
    struct fixture f;
    unsigned n_good = 0, n_bad = 0;
    open_fixture(&f);
    for (unsigned round = 0; round < 4000; round++) {
        if (!encode(&f)) {
            continue;
        }
        uint32_t n_links = f.n_keys, n_bytes = f.part_bytes;
        memset(f.part + n_bytes, (int)random_below(256), MR_KEYS_SLACK_BYTES);
        switch (round % 4) {
        case 0:
            f.part[random_below(n_bytes)] ^= (uint8_t)(1u << random_below(8));
            break;
        case 1:
            f.part[random_below(n_bytes)] = (uint8_t)random_below(256);
            break;
        case 2:
            n_bytes = random_below(n_bytes);
            break;
        default:
            for (uint32_t i = 0; i < n_bytes; i++) {
                f.part[i] = (uint8_t)(random_below(4) == 0 ? random_below(256) : random_below(6));
            }
            n_links = 1 + random_below(2000);
            break;
        }
        memset(f.seen, 0, sizeof f.seen);
        const bool is_good =
            mr_corners_expand(f.expander, n_links, f.part, n_bytes, f.keys) == NULL;
        assert_int_equal(take_rows(&f, n_links, n_bytes), is_good);
        if (is_good) {
            for (uint32_t i = 0; i < n_links; i++) {
                f.seen[f.keys[i] & (ROWS - 1)][f.keys[i] >> BAND_BITS] ^= 1;
            }
            assert_true(is_empty(&f));
        }
        n_good += is_good;
        n_bad += !is_good;
    }
    assert_true(n_good > 20 && n_bad > 10 * n_good);
    close_fixture(&f);
}

TEST_MAIN(cmocka_unit_test(test_rows_are_those_that_were_encoded),
          cmocka_unit_test(test_damaged_parts))
