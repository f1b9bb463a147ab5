/* SPDX-License-Identifier: Apache-2.0 */
/* Tiles of hand-made payloads: the cursor finds good ones and refuses everything else within
 * bounds. */
#include <stdlib.h>
#include <string.h>

#include "engine/tile/keys.h"
#include "engine/tile/tile.h"
#include "tests/support/test.h"

static const struct mr_store_info info = {
    .n_vertices = 1000 << 8, .band_bits = 8, .stripe_bits = 8};

/* Append a tile of `n` keys 0, 1, 2 ... */
static uint8_t *put_tile(uint8_t *out, uint32_t stripe, uint32_t n)
{
    out = mr_leb_put(out, stripe);
    out = mr_leb_put(out, MR_TILE_KEYS);
    out = mr_leb_put(out, n);
    out = mr_leb_put(out, n);
    memset(out, 1, n);
    out[0] = 0;
    return out + n;
}

/* Walk over all tiles of a copy that ends where its memory ends. Returns the status and counts the
 * tiles. */
static enum mr_status walk(const uint8_t *payload, size_t bytes, struct mr_block_header header,
                           unsigned *n_tiles, struct mr_error *err)
{
    uint8_t *exact = malloc(bytes + 1);
    struct mr_tile_cursor cursor;
    struct mr_tile tile;
    enum mr_status status;

    memcpy(exact + 1, payload, bytes);
    header.raw_bytes = (uint32_t)bytes;
    *n_tiles = 0;
    mr_tile_cursor_init(&cursor, &info, &header, exact + 1, "links", 4096);
    while ((status = mr_tile_next(&cursor, &tile, err)) == MR_OK && tile.n_entries > 0) {
        assert_in_range(tile.stripe, header.first, header.last);
        assert_true(tile.data >= exact + 1 && tile.data + tile.data_bytes <= exact + 1 + bytes);
        ++*n_tiles;
    }
    free(exact);
    return status;
}

static void test_tiles_are_found(void **unused)
{
    (void)unused;
    uint8_t payload[2000], *end = payload;
    const struct mr_block_header header = {.first = 3, .last = 999, .n_entries = 506};
    struct mr_error err = {0};
    unsigned n_tiles;

    end = put_tile(end, 3, 5);
    end = put_tile(end, 4, 1);
    end = put_tile(end, 999, 500);
    assert_int_equal(walk(payload, (size_t)(end - payload), header, &n_tiles, &err), MR_OK);
    assert_int_equal(n_tiles, 3);
}

static void expect_fault(const uint8_t *payload, size_t bytes, struct mr_block_header header,
                         const char *message)
{
    struct mr_error err = {0};
    unsigned n_tiles;

    assert_int_equal(walk(payload, bytes, header, &n_tiles, &err), MR_ERROR_CORRUPT);
    assert_int_equal(err.position, 4096);
    assert_string_equal(err.file, "links");
    if (strstr(err.message, message) == NULL) {
        fail_msg("\"%s\" instead of \"%s\"", err.message, message);
    }
}

static void test_what_does_not_add_up_is_refused(void **unused)
{
    (void)unused;
    uint8_t payload[64], *end = put_tile(put_tile(payload, 5, 2), 9, 3);
    size_t bytes = (size_t)(end - payload);
    const struct mr_block_header good = {.first = 5, .last = 9, .n_entries = 5};
    struct mr_block_header header;
    unsigned n_tiles;

    header = good, header.n_entries = 6;
    expect_fault(payload, bytes, header,
                 "at byte 13 of the block's payload the block's tiles have "
                 "fewer entries than its header says");
    header = good, header.n_entries = 4;
    expect_fault(payload, bytes, header, "more entries than its header says");
    header = good, header.last = 10;
    expect_fault(payload, bytes, header, "end before its last stripe");
    header = good, header.last = 8;
    expect_fault(payload, bytes, header, "stripe is out of order or outside");
    header = good, header.first = 4;
    expect_fault(payload, bytes, header, "stripe is out of order or outside");
    header = good, header.first = 6;
    expect_fault(payload, bytes, header, "stripe is out of order or outside");
    header = good, header.last = 1000;
    expect_fault(payload, bytes, header, "range of stripes is impossible");
    header = good, header.last = 4;
    expect_fault(payload, bytes, header, "range of stripes is impossible");
    expect_fault(payload, 0, good, "fewer entries");
    expect_fault(payload, bytes - 1, good, "ends beyond its block");
    expect_fault(payload, 8, good, "header is cut off");
    payload[1] = 4;
    expect_fault(payload, bytes, good, "encoding is unknown");
    payload[1] = 2;
    expect_fault(payload, bytes, good, "the tile has weights");
    payload[1] = 1;
    assert_int_equal(walk(payload, bytes, good, &n_tiles, NULL), MR_OK);
    payload[1] = 0, payload[2] = 0;
    expect_fault(payload, bytes, good, "number of entries is impossible");
    payload[2] = 3;
    expect_fault(payload, bytes, good, "number of entries is impossible");
    payload[2] = 2, payload[6] = 5;
    expect_fault(payload, bytes, good, "stripe is out of order or outside");
}

static void test_headers_above_32_bits_are_refused(void **unused)
{
    (void)unused;
    static const uint8_t large[] = {0x85, 0x80, 0x80, 0x80, 0x10, 0, 1, 1, 0};
    static const uint8_t endless[] = {0x85, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0, 0, 1, 1};
    const struct mr_block_header header = {.first = 5, .last = 5, .n_entries = 1};

    expect_fault(large, sizeof large, header, "above 32 bits");
    expect_fault(endless, sizeof endless, header, "above 32 bits");
}

/* Whatever one byte is changed to, the walk stays within bounds and ends. */
static void test_any_changed_byte_stays_within_bounds(void **unused)
{
    (void)unused;
    uint8_t payload[600], *end = put_tile(put_tile(put_tile(payload, 1, 7), 300, 260), 301, 9);
    const struct mr_block_header header = {.first = 1, .last = 301, .n_entries = 276};
    size_t bytes = (size_t)(end - payload);
    unsigned n_tiles;

    for (size_t i = 0; i < bytes; i++) {
        for (unsigned change = 1; change < 256; change++) {
            payload[i] ^= (uint8_t)change;
            enum mr_status status = walk(payload, bytes, header, &n_tiles, NULL);
            assert_true(status == MR_OK || status == MR_ERROR_CORRUPT);
            payload[i] ^= (uint8_t)change;
        }
        assert_int_equal(walk(payload, i, header, &n_tiles, NULL), MR_ERROR_CORRUPT);
    }
}

static void test_blocks_out_of_place_are_refused(void **unused)
{
    (void)unused;
    const struct mr_block_entry entry = {.offset = 8192,
                                         .stored_bytes = 4096,
                                         .raw_bytes = 100,
                                         .first = 1,
                                         .last = 2,
                                         .n_entries = 3,
                                         .number = 5};
    struct mr_block_entry next = entry;
    const struct mr_block_header good = {.stored_bytes = 4096,
                                         .raw_bytes = 100,
                                         .first = 1,
                                         .last = 2,
                                         .n_entries = 3,
                                         .band = 4,
                                         .number = 5};
    struct mr_block_header header = good;
    struct mr_error err = {0};

    assert_int_equal(mr_block_check_entry(&good, &entry, 4, "links", &err), MR_OK);
    next.number = 6;
    assert_int_equal(mr_block_check_entry(&good, &next, 4, "links", &err), MR_ERROR_CORRUPT);
    assert_non_null(strstr(err.message, "block 5 of band 4 in the place of block 6 of band 4"));
    assert_int_equal(err.position, 8192);
    assert_int_equal(mr_block_check_entry(&good, &entry, 3, "links", NULL), MR_ERROR_CORRUPT);
    header.first = 0;
    assert_int_equal(mr_block_check_entry(&header, &entry, 4, "links", NULL), MR_ERROR_CORRUPT);
    header = good, header.last = 3;
    assert_int_equal(mr_block_check_entry(&header, &entry, 4, "links", NULL), MR_ERROR_CORRUPT);
    header = good, header.n_entries = 2;
    assert_int_equal(mr_block_check_entry(&header, &entry, 4, "links", NULL), MR_ERROR_CORRUPT);
    header = good, header.raw_bytes = 99;
    assert_int_equal(mr_block_check_entry(&header, &entry, 4, "links", NULL), MR_ERROR_CORRUPT);
}

TEST_MAIN(cmocka_unit_test(test_tiles_are_found),
          cmocka_unit_test(test_what_does_not_add_up_is_refused),
          cmocka_unit_test(test_headers_above_32_bits_are_refused),
          cmocka_unit_test(test_any_changed_byte_stays_within_bounds),
          cmocka_unit_test(test_blocks_out_of_place_are_refused))
