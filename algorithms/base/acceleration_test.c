/* SPDX-License-Identifier: Apache-2.0 */
/* Anderson acceleration on linear problems of which the solution is known. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "algorithms/base/acceleration.h"
#include "engine/base/memory.h"

enum { N = 300000, PART = 100000, PARTS = 3 };

/* G(x) = s + D (x - s) + c s <x - s>: diagonal, with one coupled slow mode; s > 0 is the
 * solution. */
static void apply(const double *solution, const double *x, double *g)
{
    double mean = 0;
    for (size_t i = 0; i < N; i++) {
        mean += x[i] - solution[i];
    }
    mean /= N;
    for (size_t i = 0; i < N; i++) {
        g[i] = solution[i] + (i % 3 == 0 ? 0.9 : -0.7) * (x[i] - solution[i]) * 0.5 + 0.3 * mean;
    }
}

static double distance(const double *a, const double *b)
{
    double sum = 0;
    for (size_t i = 0; i < N; i++) {
        sum += fabs(a[i] - b[i]);
    }
    return sum;
}

/* Iterate `rounds` times with the given depth (0: plain); returns the final distance. */
static double iterate(unsigned threads, unsigned depth, unsigned rounds, unsigned restart_at,
                      const double *solution, double *x)
{
    struct mr_context context = {.threads = threads};
    struct mr_acceleration *a = NULL;
    double *g = malloc(N * sizeof *g);
    uint32_t *weight = malloc(N * sizeof *weight);
    assert_int_equal(mr_memory_create(UINT64_MAX, &context.memory, NULL), MR_OK);
    if (depth > 0) {
        assert_int_equal(mr_acceleration_create(&context, depth, N, PARTS, false, &a, NULL), MR_OK);
    }
    for (size_t i = 0; i < N; i++) {
        x[i] = 1;
        weight[i] = (uint32_t)(i % 4);
    }
    for (unsigned round = 0; round < rounds; round++) {
        apply(solution, x, g);
        for (size_t i = 0; i < N && depth > 0; i++) {
            mr_acceleration_difference(a)[i] = (float)(g[i] - x[i]);
        }
        for (uint32_t part = 0; part < PARTS && depth > 0; part++) {
            mr_acceleration_observe(a, part, part * PART, PART, weight + part * PART);
        }
        memcpy(x, g, N * sizeof *x);
        if (depth > 0 && round == restart_at) {
            mr_acceleration_restart(a);
        }
        if (depth > 0) {
            mr_acceleration_step(a, x);
        }
    }
    mr_acceleration_destroy(a);
    mr_memory_destroy(context.memory);
    free(g);
    free(weight);
    return distance(x, solution);
}

static void make_solution(double *solution)
{
    for (size_t i = 0; i < N; i++) {
        solution[i] = 1e-3 * (double)(i % 17);
    }
}

static void test_it_converges_far_faster_than_the_plain_iteration(void **unused)
{
    (void)unused;
    double *solution = malloc(N * sizeof *solution), *x = malloc(N * sizeof *x);
    make_solution(solution);
    const double plain = iterate(1, 0, 14, UINT32_MAX, solution, x);
    double before = plain;
    for (unsigned depth = 1; depth <= 3; depth++) {
        const double error = iterate(2, depth, 14, UINT32_MAX, solution, x);
        assert_true(error < 0.2 * before);
        before = error;
    }
    assert_true(before < 1e-6 * plain);
    assert_true(iterate(2, 2, 14, 5, solution, x) < 0.05 * plain);
    free(solution);
    free(x);
}

static void test_the_same_bits_for_any_threads_and_nothing_negative(void **unused)
{
    (void)unused;
    double *solution = malloc(N * sizeof *solution), *first = malloc(N * sizeof *first);
    double *x = malloc(N * sizeof *x);
    make_solution(solution);
    (void)iterate(1, 2, 9, UINT32_MAX, solution, first);
    for (size_t i = 0; i < N; i++) {
        assert_true(first[i] >= 0);
    }
    for (unsigned threads = 2; threads <= 8; threads += 3) {
        (void)iterate(threads, 2, 9, UINT32_MAX, solution, x);
        assert_memory_equal(first, x, N * sizeof *x);
    }
    free(solution);
    free(first);
    free(x);
}

static void test_a_fixed_point_stays(void **unused)
{
    (void)unused;
    struct mr_context context = {.threads = 2};
    struct mr_acceleration *a;
    double x[3] = {0.25, 0, 1};
    const double expected[3] = {0.25, 0, 1};
    const uint32_t weight[3] = {1, 0, 7};
    assert_int_equal(mr_memory_create(UINT64_MAX, &context.memory, NULL), MR_OK);
    assert_int_equal(mr_acceleration_create(&context, 2, 3, 1, false, &a, NULL), MR_OK);
    for (unsigned round = 0; round < 5; round++) {
        mr_acceleration_observe(a, 0, 0, 3, weight); /* the difference is 0 */
        mr_acceleration_step(a, x);
        assert_memory_equal(x, expected, sizeof x);
    }
    mr_acceleration_destroy(a);
    mr_memory_destroy(context.memory);
}

static void test_too_little_memory_names_the_flag(void **unused)
{
    (void)unused;
    struct mr_context context = {.threads = 1};
    struct mr_acceleration *a;
    struct mr_error error = {0};
    assert_int_equal(mr_memory_create(MR_MEMORY_FLOOR_BYTES, &context.memory, NULL), MR_OK);
    assert_int_equal(mr_acceleration_create(&context, 8, 1 << 20, 16, false, &a, &error),
                     MR_ERROR_BUDGET);
    assert_non_null(strstr(error.message, "--acceleration"));
    mr_memory_destroy(context.memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_it_converges_far_faster_than_the_plain_iteration),
        cmocka_unit_test(test_the_same_bits_for_any_threads_and_nothing_negative),
        cmocka_unit_test(test_a_fixed_point_stays),
        cmocka_unit_test(test_too_little_memory_names_the_flag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
