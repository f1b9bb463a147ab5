/* SPDX-License-Identifier: Apache-2.0 */
/* Every sort against qsort, on inputs that reach each branch of the code. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/sort.h"
#include "tests/support/test.h"
#include "tests/support/test_dir.h"

/* Sizes on both sides of every threshold. */
static const size_t sizes[] = {0, 1, 2, 3, 39, 40, 41, 100, 255, 256, 2999, 3000, 3001, 70000};

enum { N_SIZES = sizeof sizes / sizeof sizes[0], MAX_SIZE = 70000, N_SHAPES = 8 };

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Shapes: all bits, few values, low bits only, high bits only, ascending, all equal, a few
 * ascending runs, and runs whose last ones are short. */
static uint64_t random_key(uint64_t *seed, unsigned shape, size_t i)
{
    uint64_t z = test_random(seed);
    const uint64_t keys[N_SHAPES] = {z,
                                     z % 7,
                                     z & 0xffff,
                                     z << 48 | z >> 61 << 31,
                                     i * 3,
                                     12345,
                                     i % 1001 * 70 + z % 60,
                                     i % 17001 * 5 + z % 5};
    return keys[shape];
}

static void test_numbers_are_sorted(void **unused)
{
    (void)unused;
    uint64_t *expected = malloc(MAX_SIZE * 8), *wide = malloc(MAX_SIZE * 8);
    uint64_t *in_place = malloc(MAX_SIZE * 8), *temp = malloc(MAX_SIZE * 8);
    uint32_t *narrow = malloc(MAX_SIZE * 4), *narrow_temp = malloc(MAX_SIZE * 4);
    uint64_t seed = 1;
    for (size_t s = 0; s < N_SIZES; s++) {
        for (unsigned shape = 0; shape < N_SHAPES; shape++) {
            size_t n = sizes[s];
            for (size_t i = 0; i < n; i++) {
                wide[i] = expected[i] = in_place[i] = random_key(&seed, shape, i);
            }
            qsort(expected, n, sizeof *expected, compare_u64);
            mr_sort_u64(wide, temp, n);
            assert_memory_equal(wide, expected, n * sizeof *wide);
            mr_sort_u64_in_place(in_place, n);
            assert_memory_equal(in_place, expected, n * sizeof *in_place);

            for (size_t i = 0; i < n; i++) {
                uint64_t key = random_key(&seed, shape, i);
                narrow[i] = (uint32_t)(key >> (shape == 3 ? 32 : 0));
                expected[i] = narrow[i];
            }
            qsort(expected, n, sizeof *expected, compare_u64);
            const uint32_t *sorted = mr_sort_u32(narrow, narrow_temp, n);
            assert_true(sorted == narrow || sorted == narrow_temp);
            for (size_t i = 0; i < n; i++) {
                assert_int_equal(sorted[i], expected[i]);
            }
        }
    }
    free(narrow_temp);
    free(narrow);
    free(temp);
    free(in_place);
    free(wide);
    free(expected);
}

static void test_repetitions_are_dropped(void **unused)
{
    (void)unused;
    uint32_t out[10];
    const uint32_t narrow[] = {0, 0, 1, 1, 1, 5, 7, 7, UINT32_MAX, UINT32_MAX};
    const uint32_t narrow_expected[] = {0, 1, 5, 7, UINT32_MAX};
    uint64_t wide[] = {3, 3, 3, UINT64_MAX};
    assert_int_equal(mr_unique_u32(narrow, 10, out), 5);
    assert_memory_equal(out, narrow_expected, sizeof narrow_expected);
    assert_int_equal(mr_unique_u32(narrow, 0, out), 0);
    assert_int_equal(mr_unique_u32(narrow, 1, out), 1);
    assert_int_equal(mr_unique_u64(wide, 4), 2);
    assert_int_equal(wide[0], 3);
    assert_true(wide[1] == UINT64_MAX);
    assert_int_equal(mr_unique_u64(wide, 0), 0);
}

/* Compares a bucket of `n` records over `span` tiles with sorted records. */
static void check_bucket(uint32_t n, uint32_t first_order, uint32_t span, uint32_t n_values,
                         bool merge, bool in_place, uint64_t *seed)
{
    enum { BLOCK = 37 };
    uint64_t *records = malloc((n + 1) * sizeof *records), *expected = malloc((n + 1) * 8);
    /* Sorting in place needs room for the keys alone. */
    uint64_t *scratch = malloc((in_place && span <= n ? n / 2 + 1 : n + 1) * sizeof *scratch);
    struct mr_record_block *blocks = malloc((n / BLOCK + 1) * sizeof *blocks);
    size_t n_blocks = 0;
    struct mr_tile_run *runs = malloc((mr_sort_bucket_runs(n, span) + 1) * sizeof *runs);
    for (uint32_t i = 0; i < n; i++) {
        uint64_t order = first_order + test_random(seed) % span;
        records[i] = expected[i] = order << 32 | (uint32_t)(test_random(seed) % n_values * 77777);
    }
    qsort(expected, n, sizeof *expected, compare_u64);
    size_t n_expected = merge ? mr_unique_u64(expected, n) : n;

    for (uint32_t i = 0; i < n; i += BLOCK) {
        uint32_t left = n - i;
        blocks[n_blocks++] = (struct mr_record_block){.records = records + i,
                                                      .n_records = left < BLOCK ? left : BLOCK};
    }
    uint32_t n_runs =
        mr_sort_bucket(blocks, n_blocks, n, first_order, span, merge, in_place, scratch, runs);
    const uint32_t *keys = mr_sorted_keys(scratch);
    size_t at = 0;
    for (uint32_t r = 0; r < n_runs; r++) {
        assert_true(runs[r].n_keys > 0);
        assert_true(r == 0 || runs[r].order > runs[r - 1].order);
        for (uint32_t i = 0; i < runs[r].n_keys; i++, at++) {
            assert_true(at < n_expected);
            assert_true(expected[at] == ((uint64_t)runs[r].order << 32 | keys[at]));
        }
    }
    assert_int_equal(at, n_expected);
    free(runs);
    free(blocks);
    free(scratch);
    free(expected);
    free(records);
}

static void test_buckets_become_tiles(void **unused)
{
    (void)unused;
    static const uint32_t spans[] = {1, 2, 17, 300, 5000, 100000};
    static const uint32_t counts[] = {0, 1, 5, 300, 20000};
    uint64_t seed = 2;
    for (size_t s = 0; s < sizeof spans / sizeof spans[0]; s++) {
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++) {
            for (int merge = 0; merge < 2; merge++) {
                check_bucket(counts[c], 0, spans[s], UINT32_MAX, merge, false, &seed);
                check_bucket(counts[c], 0, spans[s], UINT32_MAX, merge, true, &seed);
                check_bucket(counts[c], 123456, spans[s], 50, merge, merge, &seed);
            }
        }
    }
    check_bucket(1000, UINT32_MAX - 9, 10, 50, true, false, &seed);
}

TEST_MAIN(cmocka_unit_test(test_numbers_are_sorted), cmocka_unit_test(test_repetitions_are_dropped),
          cmocka_unit_test(test_buckets_become_tiles))
