/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that sets number ids as a sorted array does, in every representation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <omp.h>

#include "engine/base/bytes.h"
#include "engine/builder/vertices/id_set.h"
#include "tests/support/test_context.h"
#include "tests/support/test_dir.h"

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Shapes of ids: dense but for gaps, up to 2^32, up to 2^64, in clusters far apart, exactly
 * 0..n-1. */
enum shape { GAPS, NARROW, WIDE, CLUSTERS, IDENTITY, N_SHAPES };

static uint64_t random_id(uint64_t *seed, enum shape shape, size_t i, size_t n)
{
    uint64_t z = test_random(seed);
    switch (shape) {
    case GAPS:
        return z % (3 * n);
    case NARROW:
        return z >> 32;
    case WIDE:
        return i == 0 ? UINT64_MAX : i == 1 ? 0 : z;
    case CLUSTERS:
        return (z % 5) << 61 | (z >> 32) % 1000 << 20 | (z >> 42) % 16;
    case IDENTITY:
    default:
        return i;
    }
}

struct oracle {
    uint64_t *added, *ids; /* as added; ascending, each once */
    size_t n_added, n_ids;
};

static struct oracle make_oracle(enum shape shape, size_t n, uint64_t *seed)
{
    struct oracle oracle = {.n_added = n};
    oracle.added = malloc((n + 1) * sizeof *oracle.added);
    oracle.ids = malloc((n + 1) * sizeof *oracle.ids);
    for (size_t i = 0; i < n; i++) {
        oracle.ids[i] = oracle.added[i] = random_id(seed, shape, i, n);
    }
    qsort(oracle.ids, n, sizeof *oracle.ids, compare_u64);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || oracle.ids[i] != oracle.ids[i - 1]) {
            oracle.ids[oracle.n_ids++] = oracle.ids[i];
        }
    }
    return oracle;
}

static void free_oracle(struct oracle *oracle)
{
    free(oracle->added);
    free(oracle->ids);
}

static void check_lookups(const struct mr_id_set *set, const struct oracle *oracle, uint64_t *seed)
{
    uint64_t *found = malloc((oracle->n_ids + 1) * sizeof *found), cursor = 0;
    size_t n = 0, step;
    assert_int_equal(mr_id_set_count(set), oracle->n_ids);
    while (n < oracle->n_ids && (step = mr_id_set_next(set, &cursor, found + n, 77)) > 0) {
        n += step;
        assert_true(n <= oracle->n_ids);
        if (oracle->n_ids - n < 77) {
            n += mr_id_set_next(set, &cursor, found + n, oracle->n_ids - n);
            break;
        }
    }
    assert_int_equal(n, oracle->n_ids);
    assert_memory_equal(found, oracle->ids, n * sizeof *found);
    uint64_t past;
    assert_int_equal(mr_id_set_next(set, &cursor, &past, 1), 0);

    /* in place, as in the builder: vertices take the lower half of the ids' memory */
    uint32_t *vertices = (uint32_t *)found;
    assert_int_equal(mr_id_set_find_u64(set, found, n, vertices), n);
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(vertices[i], i);
    }
    for (int i = 0; i < 1000 && n > 0; i++) {
        uint64_t near = oracle->ids[test_random(seed) % n] + test_random(seed) % 3 - 1;
        const uint64_t probes[2] = {near, test_random(seed) >> (test_random(seed) % 64)};
        for (int p = 0; p < 2; p++) {
            uint32_t vertex = 0;
            const uint64_t *place = bsearch(&probes[p], oracle->ids, n, sizeof near, compare_u64);
            assert_int_equal(mr_id_set_find_u64(set, &probes[p], 1, &vertex), place != NULL);
            assert_true(place == NULL || vertex == (size_t)(place - oracle->ids));
            uint32_t narrow = (uint32_t)probes[p];
            if (narrow == probes[p]) {
                assert_int_equal(mr_id_set_find_u32(set, &narrow, 1, &vertex), place != NULL);
                assert_true(place == NULL || vertex == (size_t)(place - oracle->ids));
            }
        }
    }
    free(found);
}

/* Add narrow ids as a spool's chunks have them, and wide ids as they are. */
static enum mr_status add_part(struct mr_id_set *set, unsigned worker, const uint64_t *ids,
                               size_t n)
{
    uint32_t narrow[1000];
    uint64_t bits = 0;
    for (size_t i = 0; i < n; i++) {
        narrow[i] = (uint32_t)ids[i];
        bits |= ids[i];
    }
    return bits >> 32 == 0 ? mr_id_set_add_u32(set, worker, narrow, n, NULL)
                           : mr_id_set_add_u64(set, ids, n, NULL);
}

/* `announced`: call mr_id_set_expect after the first third, as after declared vertices; then three
 * threads add the rest. */
static void check(enum shape shape, size_t n, bool announced, uint64_t memory_bytes, uint64_t seed)
{
    struct mr_context context;
    struct mr_id_set *set;
    struct oracle oracle = make_oracle(shape, n, &seed);
    assert_true(test_context_open(&context, memory_bytes, 3));
    assert_int_equal(mr_id_set_create(&context, &set, NULL), MR_OK);
    size_t third = announced ? n / 3 : n;
    for (size_t i = 0; i < third; i++) {
        assert_int_equal(mr_id_set_add_u64(set, oracle.added + i, 1, NULL), MR_OK);
    }
    if (announced) {
        uint64_t max_id = n > 0 ? oracle.ids[oracle.n_ids - 1] : 0;
        assert_int_equal(mr_id_set_expect(set, max_id, n - third, 3, NULL), MR_OK);
#pragma omp parallel for num_threads(3)
        for (size_t i = third; i < n; i += 1000) {
            size_t part = n - i < 1000 ? n - i : 1000;
            enum mr_status status =
                add_part(set, (unsigned)omp_get_thread_num(), oracle.added + i, part);
            assert_int_equal(status, MR_OK);
        }
    }
    assert_int_equal(mr_id_set_seal(set, NULL), MR_OK);
    bool is_identity = oracle.n_ids == 0 || oracle.ids[oracle.n_ids - 1] == oracle.n_ids - 1;
    assert_int_equal(mr_id_set_is_identity(set), is_identity);
    assert_true(!is_identity || mr_id_set_bytes(set) == 0);
    check_lookups(set, &oracle, &seed);
    mr_id_set_destroy(set);
    test_context_close(&context);
    free_oracle(&oracle);
}

static void test_ids_are_numbered_in_order(void **unused)
{
    (void)unused;
    static const size_t sizes[] = {0, 1, 2, 10, 1000, 300000};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (int shape = 0; shape < N_SHAPES; shape++) {
            for (int announced = 0; announced < 2; announced++) {
                check((enum shape)shape, sizes[s], announced, UINT64_MAX, 1 + s);
                check((enum shape)shape, sizes[s], announced, MR_MEMORY_FLOOR_BYTES, 1 + s);
            }
        }
    }
}

static void test_narrow_ids_are_added(void **unused)
{
    (void)unused;
    for (int announced = 0; announced < 2; announced++) {
        struct mr_context context;
        struct mr_id_set *set;
        const uint32_t ids[5] = {7, 3, UINT32_MAX, 3, 0};
        uint32_t vertices[5];
        assert_true(test_context_open(&context, UINT64_MAX, 1));
        assert_int_equal(mr_id_set_create(&context, &set, NULL), MR_OK);
        if (announced) {
            assert_int_equal(mr_id_set_expect(set, UINT32_MAX, (uint64_t)1 << 40, 1, NULL), MR_OK);
        }
        assert_int_equal(mr_id_set_add_u32(set, 0, ids, 5, NULL), MR_OK);
        assert_int_equal(mr_id_set_seal(set, NULL), MR_OK);
        assert_int_equal(mr_id_set_count(set), 4);
        assert_int_equal(mr_id_set_find_u32(set, ids, 5, vertices), 5);
        assert_int_equal(vertices[0], 2);
        assert_int_equal(vertices[1], 1);
        assert_int_equal(vertices[2], 3);
        assert_int_equal(vertices[3], 1);
        assert_int_equal(vertices[4], 0);
        mr_id_set_destroy(set);
        test_context_close(&context);
    }
    mr_id_set_destroy(NULL);
}

static void test_too_little_memory_names_the_ids(void **unused)
{
    (void)unused;
    struct mr_context context;
    struct mr_id_set *set;
    struct mr_error err = {.status = MR_OK};
    enum mr_status status = MR_OK;
    uint64_t ids[1000], seed = 5;
    assert_true(test_context_open(&context, MR_MEMORY_FLOOR_BYTES, 1));
    assert_int_equal(mr_id_set_create(&context, &set, NULL), MR_OK);
    for (int round = 0; round < 5000 && status == MR_OK; round++) { /* 40 MB of ids */
        for (int i = 0; i < 1000; i++) {
            ids[i] = test_random(&seed);
        }
        status = mr_id_set_add_u64(set, ids, 1000, &err);
    }
    assert_int_equal(status, MR_ERROR_BUDGET);
    assert_non_null(strstr(err.message, "page ids"));
    mr_id_set_destroy(set);
    test_context_close(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ids_are_numbered_in_order),
        cmocka_unit_test(test_narrow_ids_are_added),
        cmocka_unit_test(test_too_little_memory_names_the_ids),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
