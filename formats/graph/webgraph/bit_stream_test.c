/* SPDX-License-Identifier: Apache-2.0 */
/* Codes against their definitions, written out bit by bit in both orders. */
#include "formats/graph/webgraph/bit_stream.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "tests/support/test_streams.h"

enum { MAX_BITS = 1 << 22 };

static struct test_context test;

static int setup(void **state)
{
    (void)state;
    return test_context_make(&test, UINT64_MAX);
}

static int teardown(void **state)
{
    (void)state;
    test_context_remove(&test);
    return 0;
}

/* Bits in the order of the stream. */
struct sketch {
    uint8_t *bits; /* [MAX_BITS] */
    size_t n;
};

static void bit(struct sketch *sketch, unsigned value)
{
    assert_true(sketch->n < MAX_BITS);
    sketch->bits[sketch->n++] = (uint8_t)value;
}

/* Writes `n` bits of a number: highest first, or lowest first in a little-endian stream. */
static void bits_of(struct sketch *sketch, uint64_t value, unsigned n, bool little)
{
    for (unsigned i = 0; i < n; i++) {
        bit(sketch, value >> (little ? i : n - 1 - i) & 1);
    }
}

static void unary(struct sketch *sketch, uint64_t value)
{
    while (value-- > 0) {
        bit(sketch, 0);
    }
    bit(sketch, 1);
}

static unsigned floor_log2(uint64_t value)
{
    unsigned result = 0;
    while (value >>= 1) {
        result++;
    }
    return result;
}

static void gamma_code(struct sketch *sketch, uint64_t value, bool little)
{
    const unsigned length = floor_log2(value + 1);
    unary(sketch, length);
    bits_of(sketch, (value + 1) ^ (uint64_t)1 << length, length, little);
}

/* Writes numbers below `bound` in minimal binary. */
static void minimal(struct sketch *sketch, uint64_t value, uint64_t bound, bool little)
{
    const unsigned length = floor_log2(bound);
    const uint64_t limit = ((uint64_t)2 << length) - bound;
    if (value < limit) {
        bits_of(sketch, value, length, little);
    } else {
        bits_of(sketch, (value + limit) >> 1, length, little);
        bit(sketch, (value + limit) & 1);
    }
}

static void omega_blocks(struct sketch *sketch, uint64_t value, bool little)
{
    if (value > 1) {
        const unsigned length = floor_log2(value);
        omega_blocks(sketch, length, little);
        bit(sketch, 1); /* the leading one comes first in both orders */
        bits_of(sketch, value ^ (uint64_t)1 << length, length, little);
    }
}

static void code(struct sketch *sketch, struct mr_code code, uint64_t value, bool little)
{
    unsigned length = floor_log2(value + 1);
    switch (code.kind) {
    case MR_CODE_UNARY:
        unary(sketch, value);
        break;
    case MR_CODE_GAMMA:
        gamma_code(sketch, value, little);
        break;
    case MR_CODE_DELTA:
        gamma_code(sketch, length, little);
        bits_of(sketch, (value + 1) ^ (uint64_t)1 << length, length, little);
        break;
    case MR_CODE_ZETA:
        length /= code.k;
        unary(sketch, length);
        minimal(sketch, value + 1 - ((uint64_t)1 << length * code.k),
                ((uint64_t)1 << (length + 1) * code.k) - ((uint64_t)1 << length * code.k), little);
        break;
    case MR_CODE_GOLOMB:
        unary(sketch, value / code.k);
        minimal(sketch, value % code.k, code.k, little);
        break;
    case MR_CODE_NIBBLE: {
        const unsigned groups = value == 0 ? 1 : floor_log2(value) / 3 + 1;
        for (unsigned i = groups; i-- > 0;) {
            bit(sketch, i == 0);
            bits_of(sketch, value >> 3 * i & 7, 3, little);
        }
        break;
    }
    case MR_CODE_OMEGA:
        omega_blocks(sketch, value + 1, little);
        bit(sketch, 0);
        break;
    case MR_CODE_PI:
        unary(sketch, length >> code.k);
        bits_of(sketch, length & ((1u << code.k) - 1), code.k, little);
        bits_of(sketch, (value + 1) ^ (uint64_t)1 << length, length, little);
        break;
    }
}

static struct mr_file *write_sketch(const struct sketch *sketch, bool little)
{
    const size_t bytes = (sketch->n + 7) / 8;
    uint8_t *data = calloc(bytes + 1, 1);
    struct mr_file *file = NULL;

    for (size_t i = 0; i < sketch->n; i++) {
        data[i / 8] |= (uint8_t)(sketch->bits[i] << (little ? i % 8 : 7 - i % 8));
    }
    const char *path = test_context_file(&test, "bits", data, bytes);
    free(data);
    assert_int_equal(mr_file_open(test.context.io, path, MR_OPEN_READ, &file, &test.err), MR_OK);
    return file;
}

static uint64_t value_at(size_t i, bool small)
{
    static uint64_t state = 88172645463325252u;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    const unsigned width = small ? (unsigned)(state % 7) : (unsigned)(state % 41);
    return i < 300 ? i : (state >> 20) & (((uint64_t)1 << width) - 1);
}

/* Reads each code alone, short and long values, over a stream of several buffers. */
static void every_code_in_both_orders(void **state)
{
    static const struct mr_code codes[] = {
        {MR_CODE_UNARY, 0},    {MR_CODE_GAMMA, 0},  {MR_CODE_DELTA, 0},  {MR_CODE_ZETA, 1},
        {MR_CODE_ZETA, 2},     {MR_CODE_ZETA, 3},   {MR_CODE_ZETA, 4},   {MR_CODE_ZETA, 5},
        {MR_CODE_ZETA, 6},     {MR_CODE_ZETA, 7},   {MR_CODE_GOLOMB, 3}, {MR_CODE_GOLOMB, 8},
        {MR_CODE_GOLOMB, 100}, {MR_CODE_NIBBLE, 0}, {MR_CODE_OMEGA, 0},  {MR_CODE_PI, 1},
        {MR_CODE_PI, 2},       {MR_CODE_PI, 3},     {MR_CODE_PI, 4}};
    enum { N = 60000 };
    uint64_t *values = malloc(N * sizeof *values);
    struct sketch sketch = {.bits = malloc(MAX_BITS)};

    (void)state;
    for (size_t c = 0; c < 2 * sizeof codes / sizeof codes[0]; c++) {
        const struct mr_code kind = codes[c / 2];
        const bool little = c % 2 == 1;
        struct mr_bits bits;
        size_t n = 0;

        sketch.n = 0;
        for (; n < N && sketch.n + 4096 < MAX_BITS; n++) {
            values[n] = value_at(n, kind.kind == MR_CODE_UNARY || kind.kind == MR_CODE_GOLOMB);
            code(&sketch, kind, values[n], little);
        }
        struct mr_file *file = write_sketch(&sketch, little);
        assert_int_equal(mr_bits_open(&bits, &test.context, file, little, &test.err), MR_OK);
        for (size_t i = 0; i < n; i++) {
            const uint64_t value =
                little ? mr_bits_code(&bits, kind, true) : mr_bits_code(&bits, kind, false);
            if (value != values[i]) {
                fail_msg("code %d %u, value %zu: %llu instead of %llu", kind.kind, kind.k, i,
                         (unsigned long long)value, (unsigned long long)values[i]);
            }
        }
        assert_int_equal(mr_bits_position(&bits), sketch.n);
        assert_false(bits.over);
        mr_bits_close(&bits);
        mr_file_abandon(file);
    }
    free(sketch.bits);
    free(values);
}

/* Published codewords: from the tests of dsi-bitstream for omega and pi, and of WebGraph for
 * zeta. */
static void published_codewords(void **state)
{
    static const struct {
        struct mr_code code;
        uint64_t value;
        const char *bits;
    } words[] = {{{MR_CODE_OMEGA, 0}, 0, "0"},
                 {{MR_CODE_OMEGA, 0}, 3, "101000"},
                 {{MR_CODE_OMEGA, 0}, 99, "1011011001000"},
                 {{MR_CODE_PI, 2}, 20, "01000101"},
                 {{MR_CODE_PI, 3}, 7, "1011000"},
                 {{MR_CODE_ZETA, 3}, 0, "100"},
                 {{MR_CODE_ZETA, 3}, 1, "1010"},
                 {{MR_CODE_ZETA, 3}, 6, "1111"},
                 {{MR_CODE_ZETA, 3}, 7, "0100000"},
                 {{MR_CODE_GAMMA, 0}, 4, "00101"},
                 {{MR_CODE_DELTA, 0}, 4, "01101"},
                 {{MR_CODE_NIBBLE, 0}, 8, "00011000"}};

    (void)state;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        uint8_t data[64];
        struct sketch sketch = {.bits = data};
        struct mr_bits bits;
        for (const char *p = words[i].bits; *p != '\0'; p++) {
            bit(&sketch, *p == '1');
        }
        struct mr_file *file = write_sketch(&sketch, false);
        assert_int_equal(mr_bits_open(&bits, &test.context, file, false, &test.err), MR_OK);
        assert_int_equal(mr_bits_code(&bits, words[i].code, false), words[i].value);
        assert_int_equal(mr_bits_position(&bits), sketch.n);
        mr_bits_close(&bits);
        mr_file_abandon(file);
    }
}

/* Every read after the end ends, and sets `over`. */
static void beyond_the_end(void **state)
{
    uint8_t data[64];
    struct sketch sketch = {.bits = data};
    struct mr_bits bits;

    (void)state;
    unary(&sketch, 9);
    struct mr_file *file = write_sketch(&sketch, false);
    assert_int_equal(mr_bits_open(&bits, &test.context, file, false, &test.err), MR_OK);
    assert_int_equal(mr_bits_unary(&bits, false), 9);
    for (unsigned i = 0; i < 1000; i++) {
        (void)mr_bits_gamma(&bits, false);
    }
    assert_true(bits.over);
    mr_bits_seek(&bits, 3);
    assert_false(bits.over);
    assert_int_equal(mr_bits_unary(&bits, false), 6);
    mr_bits_seek(&bits, 1u << 30);
    (void)mr_bits_gamma(&bits, false);
    assert_true(bits.over);
    mr_bits_close(&bits);
    mr_file_abandon(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_code_in_both_orders, setup, teardown),
        cmocka_unit_test_setup_teardown(published_codewords, setup, teardown),
        cmocka_unit_test_setup_teardown(beyond_the_end, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
