/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the kernels of every instruction set of this machine with the loop that defines them,
 * bit by bit. On damaged streams a kernel returns what the decoder returns and touches nothing
 * outside its arrays. */
#include <stdlib.h>
#include <string.h>

#include "engine/tile/key_kernels.h"

#include "tests/support/test.h"

enum { MAX_KEYS = 3000 };

static uint64_t state = 88172645463325252u;

static uint32_t random32(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)(state >> 16);
}

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Make ascending keys as tiles have them: clustered, spread out, or all over the 32 bits. */
static void make_keys(uint32_t *keys, size_t n_keys, unsigned bits)
{
    for (size_t i = 0; i < n_keys; i++) {
        keys[i] = random32() >> (32 - bits);
    }
    qsort(keys, n_keys, sizeof *keys, compare);
}

/* The definition, for all types. The values are whole numbers below 2^20 in every type,
 * but scaled, so that floating-point sums round and show their order. */
struct arrays {
    enum mr_value value;
    void *x, *sums, *expected;
    size_t n_x, n_sums; /* values */
};

static double value_of(const struct arrays *a, size_t i)
{
    return a->value == MR_VALUE_FLOAT ? (double)((float *)a->x)[i] : ((double *)a->x)[i];
}

static void apply_plainly(const struct arrays *a, const struct mr_kernel_shape *shape,
                          const uint32_t *keys, size_t n_keys)
{
    for (size_t i = 0; i < n_keys; i++) {
        const size_t target = keys[i] & shape->target_mask;
        const size_t source = (keys[i] >> shape->band_bits) & shape->source_mask;
        if (a->value == MR_VALUE_U64) {
            ((uint64_t *)a->expected)[target] += ((uint64_t *)a->x)[source];
        } else {
            ((double *)a->expected)[target] += value_of(a, source);
        }
    }
}

static struct arrays make_arrays(enum mr_value value, const struct mr_kernel_shape *shape)
{
    struct arrays a = {.value = value,
                       .n_x = (size_t)shape->source_mask + 1,
                       .n_sums = (size_t)shape->target_mask + 1};
    a.x = malloc(a.n_x * 8);
    a.sums = calloc(a.n_sums, 8);
    a.expected = calloc(a.n_sums, 8);
    for (size_t i = 0; i < a.n_x; i++) {
        const uint32_t v = random32() >> 12;
        if (value == MR_VALUE_FLOAT) {
            ((float *)a.x)[i] = (float)v / 3.0f;
        } else if (value == MR_VALUE_DOUBLE) {
            ((double *)a.x)[i] = (double)v / 3.0;
        } else {
            ((uint64_t *)a.x)[i] = (uint64_t)v << 32 | random32();
        }
    }
    return a;
}

static void free_arrays(struct arrays *a)
{
    free(a->x);
    free(a->sums);
    free(a->expected);
}

static void check_set(const struct mr_key_kernels *kernels, struct arrays *a,
                      const struct mr_kernel_shape *shape, const uint32_t *keys, size_t n_keys,
                      const uint8_t *stream, const uint8_t *end)
{
    const size_t bytes = a->n_sums * 8;
    memset(a->sums, 0, bytes);
    memset(a->expected, 0, bytes);
    apply_plainly(a, shape, keys, n_keys);
    assert_ptr_equal(kernels->add_stream[a->value](shape, stream, end, n_keys, a->x, a->sums), end);
    assert_memory_equal(a->sums, a->expected, bytes);
    apply_plainly(a, shape, keys, n_keys);
    kernels->add_keys[a->value](shape, keys, n_keys, a->x, a->sums);
    assert_memory_equal(a->sums, a->expected, bytes);
}

static void test_every_kernel_is_the_plain_loop(void **unused)
{
    (void)unused;
    static const unsigned bits[][2] = {{8, 8}, {12, 10}, {16, 16}, {9, 8}, {17, 15}};
    uint32_t *keys = malloc(MAX_KEYS * sizeof *keys);
    uint8_t *stream = malloc(MAX_KEYS * MR_LEB_MAX_BYTES + MR_KEYS_SLACK_BYTES);
    for (unsigned round = 0; round < 60; round++) {
        const unsigned b = bits[round % 5][0], s = bits[round % 5][1];
        const struct mr_kernel_shape shape = {
            .band_bits = b,
            .target_mask = (1u << b) - 1,
            .source_mask = (1u << s) - 1,
            .ahead = {{(const uint8_t *)keys, round % 3 == 0 ? 0 : 100}},
        };
        const size_t n_keys = round < 40 ? round : random32() % MAX_KEYS;
        make_keys(keys, n_keys, round % 4 == 0 ? b + 2 : b + s);
        uint8_t *end = mr_keys_encode(keys, n_keys, 0, stream);
        memset(end, 0xff, MR_KEYS_SLACK_BYTES);
        for (unsigned value = 0; value < 3; value++) {
            struct arrays a = make_arrays((enum mr_value)value, &shape);
            const struct mr_key_kernels *kernels;
            for (unsigned i = 0; (kernels = mr_key_kernels_at(i)) != NULL; i++) {
                check_set(kernels, &a, &shape, keys, n_keys, stream, end);
            }
            free_arrays(&a);
        }
    }
    free(keys);
    free(stream);
}

static void test_damaged_streams_end_where_the_decoder_ends(void **unused)
{
    (void)unused;
    enum { BYTES = 300 };
    const struct mr_kernel_shape shape = {
        .band_bits = 10, .target_mask = (1u << 10) - 1, .source_mask = (1u << 8) - 1};
    uint8_t *stream = malloc(BYTES + MR_KEYS_SLACK_BYTES);
    uint32_t decoded[BYTES + MR_KEYS_SLACK_KEYS];
    struct arrays a = make_arrays(MR_VALUE_DOUBLE, &shape);
    for (unsigned round = 0; round < 5000; round++) {
        const size_t bytes = random32() % BYTES, n_keys = random32() % (bytes + 2);
        for (size_t i = 0; i < BYTES + MR_KEYS_SLACK_BYTES; i++) {
            stream[i] =
                (uint8_t)(random32() % (round % 4 + 1) == 0 ? random32() : random32() & 0x7f);
        }
        const struct mr_key_kernels *kernels;
        for (unsigned i = 0; (kernels = mr_key_kernels_at(i)) != NULL; i++) {
            const uint8_t *end = kernels->decode(stream, stream + bytes, 0, decoded, n_keys);
            assert_ptr_equal(kernels->add_stream[MR_VALUE_DOUBLE](&shape, stream, stream + bytes,
                                                                  n_keys, a.x, a.sums),
                             end);
        }
    }
    free_arrays(&a);
    free(stream);
}

TEST_MAIN(cmocka_unit_test(test_every_kernel_is_the_plain_loop),
          cmocka_unit_test(test_damaged_streams_end_where_the_decoder_ends))
