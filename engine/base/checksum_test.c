/* SPDX-License-Identifier: Apache-2.0 */
/* The checksum of every instruction set equals that of the xxHash library, for any length and
 * alignment. */

#include <xxhash.h>

#include "engine/base/checksum.h"

#include "tests/support/test.h"

static uint8_t bytes[(256 << 10) + 64];

static void check(size_t at, size_t n_bytes)
{
    const uint64_t expected = XXH3_64bits(bytes + at, n_bytes);
    assert_true(mr_checksum(bytes + at, n_bytes) == expected);
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        assert_true(mr_checksum_avx2(bytes + at, n_bytes) == expected);
    }
    if (__builtin_cpu_supports("avx512f")) {
        assert_true(mr_checksum_avx512(bytes + at, n_bytes) == expected);
    }
#endif
}

static void test_all_agree_with_the_library(void **unused)
{
    (void)unused;
    uint64_t state = 1;
    for (size_t i = 0; i < sizeof bytes; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        bytes[i] = (uint8_t)(state >> 56);
    }
    for (size_t n = 0; n < 3000; n++) {
        check(n % 64, n);
    }
    for (size_t n = 4096; n <= 256 << 10; n += 4096) {
        check(8, n - 8);
    }
}

static void test_values_of_the_format_document(void **unused)
{
    (void)unused;
    for (size_t i = 0; i < sizeof bytes; i++) {
        bytes[i] = (uint8_t)i;
    }
    assert_true(mr_checksum(bytes, 64) == 0x6187eb9089b0ed55u);
    assert_true(mr_checksum(bytes, 192) == 0x981eb7df4a4911d7u);
    assert_true(mr_checksum(bytes, 504) == 0x1364f2c110ba1ab4u);
    assert_true(mr_checksum(bytes, 4088) == 0x65f4adc8831043fdu);
}

TEST_MAIN(cmocka_unit_test(test_all_agree_with_the_library),
          cmocka_unit_test(test_values_of_the_format_document))
