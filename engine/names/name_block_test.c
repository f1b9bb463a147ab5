/* SPDX-License-Identifier: Apache-2.0 */
/* Tests blocks and indexes of names made by hand: invalid ones are refused without access out of
 * bounds. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/names/name_block.h"
#include "tests/support/test.h"

/* Entries made by hand: invalid ones are refused without reading or writing out of bounds. */
static void test_hostile_entries_are_refused(void **unused)
{
    (void)unused;
    static const struct {
        const char *bytes;
        size_t n_bytes;
        uint32_t before;
        bool good;
    } cases[] = {
        {"\0\3abc", 5, 0, true},
        {"\2\1x", 3, 2, true},
        {"\2\0", 2, 2, true},
        {"\0\0", 2, 2, false}, /* an empty name */
        {"\3\1x", 3, 2, false}, /* shares more bytes than the previous name has */
        {"\0\4abc", 5, 0, false}, /* ends beyond the block */
        {"\0", 1, 0, false}, /* has no length */
        {"", 0, 0, false}, /* has no bytes */
        {"\0\x80", 2, 0, false}, /* a number without its end */
        {"\1\x80\x80\x04", 4, 1, false}, /* shares 65,536 bytes more than one */
        {"\0\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11, 0, false}, /* 2^64 - 1 */
        {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\1x", 12, 2, false},
    };
    char *name = malloc(MR_NAME_MAX_BYTES);

    memset(name, 'n', MR_NAME_MAX_BYTES);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint8_t *exact = malloc(cases[i].n_bytes + 1); /* for the address sanitizer */
        uint32_t name_bytes = cases[i].before;

        memcpy(exact + 1, cases[i].bytes, cases[i].n_bytes);
        const uint8_t *end = exact + 1 + cases[i].n_bytes;
        const uint8_t *at = mr_name_get(exact + 1, end, name, &name_bytes);
        assert_ptr_equal(at, cases[i].good ? end : NULL);
        assert_true(cases[i].good || name_bytes == cases[i].before);
        free(exact);
    }
    free(name);
}

/* Change each byte of an index of names: the index is refused, or it still leads to names. */
static void test_hostile_indexes_do_no_harm(void **unused)
{
    (void)unused;
    enum { N_BLOCKS = 40 };
    char *name = malloc(MR_NAME_MAX_BYTES);
    uint8_t index_bytes[2048], *at = index_bytes;
    uint64_t offsets[3] = {0}, n_bytes;
    char before[16] = "";

    for (uint32_t i = 0; i < N_BLOCKS; i++) {
        char text[16];
        int length = snprintf(text, sizeof text, "site%u/page", i);

        if (i % MR_NAME_INDEX_GROUP == 0) {
            offsets[i / MR_NAME_INDEX_GROUP] = (uint64_t)(at - index_bytes);
            before[0] = '\0';
        }
        at = mr_name_put(before, (uint32_t)strlen(before), text, (uint32_t)length, at);
        memcpy(before, text, sizeof before);
    }
    for (unsigned i = 0; i < 3; i++, at += 8) {
        mr_put_u64(at, offsets[i]);
    }
    n_bytes = (uint64_t)(at - index_bytes);
    for (uint64_t cut = 0; cut <= n_bytes; cut++) {
        uint8_t *exact = malloc(cut + 1);
        struct mr_name_index index;
        enum mr_status status;

        memcpy(exact, index_bytes, cut);
        status = mr_name_index_open(&index, MR_NAMES_TEXT, exact, cut, N_BLOCKS, "x", name, NULL);
        assert_int_equal(status, cut == n_bytes ? MR_OK : MR_ERROR_CORRUPT);
        free(exact);
    }
    for (uint64_t bit = 0; bit < 8 * n_bytes; bit++) {
        struct mr_name_index index;

        index_bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
        if (mr_name_index_open(&index, MR_NAMES_TEXT, index_bytes, n_bytes, N_BLOCKS, "x", name,
                               NULL) == MR_OK) {
            for (uint32_t i = 0; i < N_BLOCKS; i++) {
                assert_in_range(mr_name_index_text(&index, i, name), 1, MR_NAME_MAX_BYTES);
            }
        }
        index_bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    }
    free(name);
}

TEST_MAIN(cmocka_unit_test(test_hostile_entries_are_refused),
          cmocka_unit_test(test_hostile_indexes_do_no_harm))
