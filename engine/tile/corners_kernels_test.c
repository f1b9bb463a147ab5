/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the loops over columns and rows of each instruction set with plain loops, bit by bit. */
#include <math.h>
#include <string.h>

#include "engine/base/random.h"
#include "engine/tile/corners_kernels.h"
#include "tests/support/test.h"

enum { N = 512, N_ROUNDS = 400 };

static uint64_t n_drawn;

static uint64_t random64(void)
{
    return mr_random_at(1, 0, n_drawn++);
}

static uint32_t below(uint32_t n)
{
    return mr_random_below(random64(), n);
}

/* Make values of one kind: zeros of both signs, subnormal numbers, numbers that vanish beside 1. */
static void make_values(unsigned round, double *x, float *narrow)
{
    for (size_t i = 0; i < N; i++) {
        const double u = 1 + (double)(random64() >> 11) * 0x1p-53;
        const int exponent = round % 4 == 0 ? 0 : -(int)below(round % 4 == 1 ? 40 : 149);
        const double size = below(5) == 0 ? 0 : ldexp(u, exponent);
        narrow[i] = (float)(round % 3 == 0 && below(4) == 0 ? -size : size);
        x[i] = round % 8 == 7 ? (double)narrow[i] * 0x1p-1000 : (double)narrow[i];
        x[i] += round % 2 == 0 ? 0 : x[i] * 0x1p-40 * u;
    }
}

static double plain_sum(const double *x, bool *has_negative)
{
    double lanes[8] = {0};
    *has_negative = false;
    for (size_t i = 0; i < N; i++) {
        lanes[i % 8] += fabs(x[i]);
        *has_negative = *has_negative || signbit(x[i]);
    }
    return mr_corners_join(lanes);
}

static void expect_values(const struct mr_corners_kernels *kernels, bool is_float,
                          const void *given, const double *x)
{
    static uint64_t through[N] __attribute__((aligned(64)));
    double quantum;
    bool has_negative, expected_negative;
    const double expected = plain_sum(x, &expected_negative);
    const double sum = is_float ? kernels->sum_float(given, N, &has_negative)
                                : kernels->sum_double(given, N, &has_negative);
    assert_memory_equal(&sum, &expected, sizeof sum);
    assert_int_equal(has_negative, expected_negative);
    const double scale = mr_corners_scale(sum, &quantum);
    const uint64_t total = is_float
                               ? kernels->prefix_float(given, N, has_negative, scale, through)
                               : kernels->prefix_double(given, N, has_negative, scale, through);
    uint64_t so_far = 0;
    for (size_t i = 0; i < N; i++) {
        so_far += (uint64_t)(int64_t)(scale * x[i]) + (x[i] > 0);
        assert_true(through[i] == so_far);
    }
    assert_true(total == so_far);
}

static void test_values_become_the_same_integers(void **unused)
{
    (void)unused;
    const struct mr_corners_kernels *kernels;
    for (unsigned k = 0; (kernels = mr_corners_kernels_at(k)) != NULL; k++) {
        for (unsigned round = 0; round < N_ROUNDS; round++) {
            double x[N], widened[N];
            float narrow[N];
            uint64_t words[N], through[N] __attribute__((aligned(64))), so_far = 0;
            make_values(round, x, narrow);
            for (size_t i = 0; i < N; i++) {
                widened[i] = (double)narrow[i];
                words[i] = random64();
            }
            expect_values(kernels, true, narrow, widened);
            expect_values(kernels, false, x, x);
            const uint64_t total = kernels->prefix_u64(words, N, through);
            for (size_t i = 0; i < N; i++) {
                so_far += words[i];
                assert_true(through[i] == so_far);
            }
            assert_true(total == so_far);
        }
    }
}

/* Make row sums and a total of all sizes; only a damaged part has some of them. */
static uint64_t expect_scan(const struct mr_corners_kernels *kernels, unsigned round)
{
    uint64_t sums[N], cleared[N] = {0}, words[N], expected_words[N], sum = 0;
    uint8_t restarts[N / 8];
    double rows[N], expected_rows[N];
    const unsigned shift = below(60);
    const uint64_t total = round % 5 == 0 ? UINT64_MAX : random64() >> below(40);
    const double quantum = ldexp(1, -(int)below(100));
    bool is_good = true;
    for (size_t i = 0; i < N; i++) {
        const uint64_t bits = random64();
        if (i % 8 == 0) {
            restarts[i / 8] = (uint8_t)(round % 3 == 0 ? 0 : bits >> 8 & bits >> 16 << round % 2);
        }
        sums[i] = round % 4 == 0 ? bits : (bits & 7) == 0 ? random64() >> shift : 0;
        rows[i] = expected_rows[i] = (double)below(1000) * 0x1p-20;
        words[i] = expected_words[i] = random64();
        sum = sums[i] + ((restarts[i / 8] >> i % 8 & 1) != 0 ? 0 : sum);
        is_good = is_good && sum <= total;
        expected_rows[i] += quantum * (double)(int64_t)sum;
        expected_words[i] += sum;
    }
    uint64_t again[N];
    memcpy(again, sums, sizeof sums);
    assert_int_equal(kernels->scan_double(restarts, N / 8, sums, total, quantum, rows), is_good);
    assert_memory_equal(rows, expected_rows, sizeof rows);
    assert_memory_equal(sums, cleared, sizeof sums);
    kernels->scan_u64(restarts, N / 8, again, words);
    assert_memory_equal(words, expected_words, sizeof words);
    assert_memory_equal(again, cleared, sizeof again);
    return is_good;
}

static void test_rows_are_scanned_alike(void **unused)
{
    (void)unused;
    const struct mr_corners_kernels *kernels;
    for (unsigned k = 0; (kernels = mr_corners_kernels_at(k)) != NULL; k++) {
        uint64_t n_good = 0;
        for (unsigned round = 0; round < N_ROUNDS; round++) {
            n_good += expect_scan(kernels, round);
        }
        assert_true(n_good > N_ROUNDS / 10 && n_good < N_ROUNDS * 9 / 10);
    }
}

TEST_MAIN(cmocka_unit_test(test_values_become_the_same_integers),
          cmocka_unit_test(test_rows_are_scanned_alike))
