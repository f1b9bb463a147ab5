/* SPDX-License-Identifier: Apache-2.0 */
/* Anderson acceleration: linear problems of which the solution is known, the same bits on any
 * threads and from any loops. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/base/acceleration.h"
#include "engine/base/memory.h"
#include "tests/support/test.h"

enum { N = 9000, PART = 3000, PARTS = 3, ROUNDS = 12 };

/* G(x) = s + D (x - s) + c <x - s>: diagonal, with one coupled slow mode that differs by problem.
 */
static double solution_of(size_t i, unsigned problem)
{
    return 1.0 / (double)(1 + (i * (problem + 1)) % 97);
}

static void apply(const double *x, double *g, unsigned problem)
{
    double mean = 0;
    for (size_t i = 0; i < N; i++) {
        mean += x[i] - solution_of(i, problem);
    }
    mean /= N;
    for (size_t i = 0; i < N; i++) {
        const double s = solution_of(i, problem);
        g[i] = s + (i % 3 == 0 ? 0.9 : -0.7) * (x[i] - s) * 0.5 + (0.3 + 0.02 * problem) * mean;
    }
}

/* In pieces of 512 values, as solvers do. */
static void observe_part(struct mr_acceleration *a, uint32_t part, const double *weight)
{
    struct mr_acceleration_sums sums;
    const uint32_t piece = MR_ACCELERATION_PIECE;
    memset(&sums, 0, sizeof sums);
    for (uint32_t done = 0; done < PART; done += piece) {
        const uint32_t n = PART - done < piece ? PART - done : piece, first = part * PART + done;
        mr_acceleration_observe(a, first, n, weight + first, &sums);
    }
    mr_acceleration_add_part(a, part, &sums);
}

/* From 1. Forgets its steps before the round `restarts_at`. Leaves x. */
static void iterate(unsigned threads, unsigned depth, unsigned problem, unsigned restarts_at,
                    bool single, double *x)
{
    struct mr_context context = {.threads = threads};
    struct mr_acceleration *a = NULL;
    double *g = malloc(N * sizeof *g), weight[N];
    float *narrow = malloc(N * sizeof *narrow);
    assert_int_equal(mr_memory_create(UINT64_MAX, &context.memory, NULL), MR_OK);
    if (depth > 0) {
        assert_int_equal(mr_acceleration_create(&context, depth, false, N, PARTS, single, &a, NULL),
                         MR_OK);
    }
    for (size_t i = 0; i < N; i++) {
        x[i] = 1;
        weight[i] = (double)(1 + i % 4);
    }
    for (unsigned round = 0; round < ROUNDS; round++) {
        if (depth > 0 && round == restarts_at) {
            mr_acceleration_restart(a);
        }
        apply(x, g, problem);
        for (size_t i = 0; i < N && depth > 0; i++) {
            g[i] = single ? (double)(float)g[i] : g[i];
            mr_acceleration_difference(a)[i] = (float)(g[i] - x[i]);
        }
        for (uint32_t part = 0; part < PARTS && depth > 0; part++) {
            observe_part(a, part, weight);
        }
        for (size_t i = 0; i < N; i++) {
            x[i] = g[i];
            narrow[i] = (float)g[i];
        }
        if (depth > 0) {
            mr_acceleration_step(a, single ? (void *)narrow : (void *)x, N);
        }
        for (size_t i = 0; i < N && single; i++) {
            x[i] = (double)narrow[i];
        }
    }
    mr_acceleration_destroy(a);
    mr_memory_destroy(context.memory);
    free(narrow);
    free(g);
}

static double distance(const double *x, unsigned problem)
{
    double sum = 0;
    for (size_t i = 0; i < N; i++) {
        sum += fabs(x[i] - solution_of(i, problem));
    }
    return sum;
}

static void accelerates(void **unused)
{
    double *plain = malloc(N * sizeof *plain), *x = malloc(N * sizeof *x);
    (void)unused;
    for (unsigned problem = 0; problem < 8; problem++) {
        iterate(2, 0, problem, ROUNDS, false, plain);
        for (unsigned depth = 1; depth <= MR_ACCELERATION_MAX_DEPTH; depth++) {
            iterate(2, depth, problem, ROUNDS, false, x);
            assert_true(distance(x, problem) < 0.05 * distance(plain, problem));
            iterate(2, depth, problem, 3, depth % 2 == 0, x);
            assert_true(distance(x, problem) < 0.05 * distance(plain, problem));
        }
    }
    free(x);
    free(plain);
}

/* ---- The loops ---- */

static uint64_t state = 88172645463325252;

static double random_value(void)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (double)(state >> 11) * 0x1p-53;
}

static void loops_agree(bool is_single, unsigned n_slots)
{
    enum { MOST = 61 };
    static double degree[MOST], old[MOST], x[2][MOST];
    static float old_narrow[MOST], f[MOST], narrow[2][MOST];
    static uint16_t df[2][3][MOST], dg[2][3][MOST];
    static struct mr_acceleration_sums sums[2];
    const struct mr_acceleration_loops *const loops[2] = {&mr_acceleration_loops_portable,
                                                          mr_acceleration_loops_best()};
    memset(sums, 0, sizeof sums);
    for (size_t i = 0; i < MOST; i++) {
        old[i] = random_value();
        old_narrow[i] = (float)old[i];
        f[i] = (float)(random_value() - 0.5);
        for (unsigned k = 0; k < 3; k++) {
            df[0][k][i] = df[1][k][i] = mr_half_of((float)(random_value() - 0.5));
            dg[0][k][i] = dg[1][k][i] = mr_half_of((float)(random_value() - 0.5));
        }
    }
    for (size_t i = 0; i < MOST; i++) {
        degree[i] = 1 + (double)(i % 7);
    }
    for (unsigned c = 0; c < 2; c++) {
        struct mr_acceleration_piece piece = {.n = MOST,
                                              .n_slots = n_slots,
                                              .f = f,
                                              .newest_df = df[c][0],
                                              .newest_dg = dg[c][0],
                                              .weight = degree,
                                              .sums = &sums[c]};
        struct mr_acceleration_scan scan = {.x = is_single ? (void *)narrow[c] : (void *)x[c],
                                            .is_single = is_single,
                                            .n_slots = n_slots,
                                            .f = f,
                                            .next_df = df[c][n_slots - 1],
                                            .next_dg = dg[c][n_slots - 1]};
        for (unsigned k = 0; k < n_slots; k++) {
            piece.df[k] = df[c][k];
            scan.dg[k] = dg[c][k];
            scan.gamma[k] = 0.25 * k - 1;
        }
        loops[c]->observe(&piece);
        memcpy(x[c], old, sizeof old);
        memcpy(narrow[c], old_narrow, sizeof old_narrow);
        loops[c]->step(&scan, 0, MOST);
    }
    assert_memory_equal(df[0], df[1], sizeof df[0]);
    assert_memory_equal(dg[0], dg[1], sizeof dg[0]);
    assert_memory_equal(x[0], x[1], sizeof x[0]);
    assert_memory_equal(narrow[0], narrow[1], sizeof narrow[0]);
    assert_memory_equal(&sums[0], &sums[1], sizeof sums[0]);
}

static void all_loops_give_the_same_bits(void **unused)
{
    (void)unused;
    for (unsigned n_slots = 1; n_slots <= 3; n_slots++) {
        loops_agree(false, n_slots);
        loops_agree(true, n_slots);
    }
}

/* To nearest, ties to the even one of two halves. */
static void halves_are_rounded_to_nearest(void **unused)
{
    (void)unused;
    const float values[] = {0, 1, -1, 1.0078125F, 0.1F, -3e-20F, 1e-40F, 1.00390625F, 1.01171875F};
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        const float value = values[i], half = mr_half_value(mr_half_of(value));
        assert_true(fabsf(half - value) <= fmaxf(fabsf(value) * 0x1p-8F, 0x1p-134F));
        assert_int_equal(mr_half_of(half), mr_half_of(value));
    }
    assert_true(mr_half_value(mr_half_of(1.00390625F)) == 1);
    assert_true(mr_half_value(mr_half_of(1.01171875F)) == 1.015625F);
}

static void a_fixed_point_stays(void **unused)
{
    (void)unused;
    struct mr_context context = {.threads = 2};
    struct mr_acceleration *a;
    struct mr_acceleration_sums sums;
    double x[3] = {0.25, 0, 1};
    const double expected[3] = {0.25, 0, 1}, weight[3] = {1, 1, 7};
    assert_int_equal(mr_memory_create(UINT64_MAX, &context.memory, NULL), MR_OK);
    assert_int_equal(mr_acceleration_create(&context, 2, false, 3, 1, false, &a, NULL), MR_OK);
    for (unsigned round = 0; round < 5; round++) {
        memset(&sums, 0, sizeof sums);
        mr_acceleration_observe(a, 0, 3, weight, &sums); /* the difference is 0 */
        mr_acceleration_add_part(a, 0, &sums);
        mr_acceleration_step(a, x, 3);
        assert_memory_equal(x, expected, sizeof x);
    }
    mr_acceleration_destroy(a);
    mr_memory_destroy(context.memory);
}

/* Several threads have several chunks of a step. */
static void any_threads_give_the_same_bits_and_nothing_negative(void **unused)
{
    (void)unused;
    double *first = malloc(N * sizeof *first), *x = malloc(N * sizeof *x);
    iterate(1, 2, 3, ROUNDS, false, first);
    for (size_t i = 0; i < N; i++) {
        assert_true(first[i] >= 0);
    }
    for (unsigned threads = 2; threads <= 8; threads += 3) {
        iterate(threads, 2, 3, ROUNDS, false, x);
        assert_memory_equal(first, x, N * sizeof *x);
    }
    free(first);
    free(x);
}

/* The bytes of what is held are charged as announced. */
static void memory_is_what_was_announced(void **unused)
{
    (void)unused;
    struct mr_context context = {.threads = 1};
    struct mr_acceleration *a;
    struct mr_error error = {0};
    assert_int_equal(mr_memory_create(MR_MEMORY_FLOOR_BYTES, &context.memory, NULL), MR_OK);
    assert_int_equal(mr_acceleration_create(&context, 8, false, 1 << 20, 16, false, &a, &error),
                     MR_ERROR_BUDGET);
    assert_non_null(strstr(error.message, "--acceleration"));
    mr_acceleration_destroy(a);
    mr_memory_destroy(context.memory);
    assert_int_equal(mr_acceleration_memory(5, false, 1000, 10), 1000 * 24 + 10 * 2 * 8 * 8);
    assert_int_equal(mr_acceleration_memory(5, true, 1000, 10), 1000 * 44 + 10 * 2 * 8 * 8);
    assert_int_equal(mr_acceleration_memory(0, true, 1000, 10), 0);
}

TEST_MAIN(cmocka_unit_test(accelerates), cmocka_unit_test(all_loops_give_the_same_bits),
          cmocka_unit_test(halves_are_rounded_to_nearest), cmocka_unit_test(a_fixed_point_stays),
          cmocka_unit_test(any_threads_give_the_same_bits_and_nothing_negative),
          cmocka_unit_test(memory_is_what_was_announced))
