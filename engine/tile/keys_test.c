/* SPDX-License-Identifier: Apache-2.0 */
/* Compares every decoder with the numbers that were encoded, and the decoders with each other on
 * damaged streams. */
#include <stdlib.h>
#include <string.h>

#include "engine/tile/keys.h"

#include "tests/support/test.h"

static uint64_t state = 88172645463325252u;

static uint32_t random32(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

/* Make differences of random lengths: mostly short, as in tiles, up to the full 32 bits. */
static void random_keys(uint32_t *keys, size_t n, unsigned mix)
{
    uint32_t key = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned bits = random32() % (mix == 0 ? 7 : mix == 1 ? 16 : 33);
        key += bits == 0 ? 0 : random32() >> (32 - bits);
        keys[i] = key;
    }
}

static void test_every_decoder_restores_the_keys(void **unused)
{
    (void)unused;
    enum { MAX = 5000 };
    uint32_t *keys = malloc(MAX * sizeof *keys);
    uint32_t *decoded = malloc((MAX + MR_KEYS_SLACK_KEYS) * sizeof *decoded);
    uint8_t *stream = malloc(MAX * MR_LEB_MAX_BYTES + MR_KEYS_SLACK_BYTES);
    for (unsigned round = 0; round < 300; round++) {
        size_t n = round < 100 ? round : random32() % MAX;
        random_keys(keys, n, round % 3);
        uint8_t *end = mr_keys_encode(keys, n, 0, stream);
        memset(end, 0x80 | (int)round, MR_KEYS_SLACK_BYTES);
        mr_keys_decoder decode;
        const char *name;
        for (unsigned d = 0; (decode = mr_keys_decoder_at(d, &name)) != NULL; d++) {
            assert_ptr_equal(decode(stream, end, 0, decoded, n), end);
            assert_memory_equal(decoded, keys, n * sizeof *keys);
            /* in two calls, as a tile is decoded batch by batch */
            size_t half = n / 3;
            const uint8_t *middle = decode(stream, end, 0, decoded, half);
            assert_non_null(middle);
            uint32_t previous = half == 0 ? 0 : decoded[half - 1];
            assert_ptr_equal(decode(middle, end, previous, decoded, n - half), end);
            assert_memory_equal(decoded, keys + half, (n - half) * sizeof *keys);
        }
    }
    free(keys);
    free(decoded);
    free(stream);
}

static void test_decoders_agree_on_garbage_and_never_pass_the_end(void **unused)
{
    (void)unused;
    enum { BYTES = 400 };
    uint8_t stream[BYTES + MR_KEYS_SLACK_BYTES];
    uint32_t first[BYTES + MR_KEYS_SLACK_KEYS], other[BYTES + MR_KEYS_SLACK_KEYS];
    for (unsigned round = 0; round < 20000; round++) {
        size_t bytes = random32() % BYTES;
        for (size_t i = 0; i < sizeof stream; i++) {
            stream[i] =
                (uint8_t)(random32() % (round % 4 + 1) == 0 ? random32() : random32() & 0x7f);
        }
        size_t n = random32() % (bytes + 2);
        const uint8_t *a = mr_keys_decoder_at(0, NULL)(stream, stream + bytes, 7, first, n);
        assert_true(a == NULL || a <= stream + bytes);
        mr_keys_decoder decode;
        for (unsigned d = 1; (decode = mr_keys_decoder_at(d, NULL)) != NULL; d++) {
            assert_ptr_equal(decode(stream, stream + bytes, 7, other, n), a);
            if (a != NULL) {
                assert_memory_equal(first, other, n * sizeof *first);
            }
        }
    }
}

static void test_known_bytes(void **unused)
{
    (void)unused;
    const uint32_t keys[] = {0, 127, 255, 16639, UINT32_MAX};
    const uint8_t expected[] = {0x00, 0x7f, 0x80, 0x01, 0x80, 0x80,
                                0x01, 0x80, 0xfe, 0xfe, 0xff, 0x0f};
    uint8_t stream[sizeof keys / sizeof keys[0] * MR_LEB_MAX_BYTES];
    uint8_t *end = mr_keys_encode(keys, 5, 0, stream);
    assert_int_equal(end - stream, sizeof expected);
    assert_memory_equal(stream, expected, sizeof expected);
}

static void test_single_numbers(void **unused)
{
    (void)unused;
    const uint64_t values[] = {0, 1, 127, 128, 16383, 16384, UINT32_MAX, UINT64_MAX};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        uint8_t bytes[10];
        uint8_t *end = mr_leb_put(bytes, values[i]);
        uint64_t value = 1;
        assert_ptr_equal(mr_leb_get(bytes, end, &value), end);
        assert_true(value == values[i]);
        assert_null(mr_leb_get(bytes, end - 1, &value));
    }
    const uint8_t too_big[] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
    uint64_t value;
    assert_null(mr_leb_get(too_big, too_big + sizeof too_big, &value));
}

TEST_MAIN(cmocka_unit_test(test_every_decoder_restores_the_keys),
          cmocka_unit_test(test_decoders_agree_on_garbage_and_never_pass_the_end),
          cmocka_unit_test(test_known_bytes), cmocka_unit_test(test_single_numbers))
