/* SPDX-License-Identifier: Apache-2.0 */
/* Fetch facts: joined ones against sets of times, and rows of several blocks read back. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "engine/store/fetch_facts.h"
#include "engine/store/store.h"
#include "tests/support/test_context.h"
#include "tests/support/test_dir.h"
#include "tests/support/test_graph.h"
#include "tests/support/test_store.h"

static bool same(const struct mr_fetch_facts *a, const struct mr_fetch_facts *b)
{
    return a->position == b->position && a->first == b->first && a->last == b->last &&
           a->fetches == b->fetches && a->compared == b->compared && a->changes == b->changes;
}

static struct mr_fetch_facts of_set(unsigned times)
{
    struct mr_fetch_facts row = {.position = 7};
    for (uint32_t t = 0; t < 8; t++) {
        if ((times >> t & 1) != 0) {
            row.first = row.first == 0 ? t + 1 : row.first;
            row.last = t + 1;
            row.fetches++;
        }
    }
    return row;
}

/* All pairs of sets of 8 times: the first and last are exact. The number of fetches is that of the
 * union where nothing lies between the times of the other, and never more than it. */
static void test_joined_facts_are_those_of_both_sets(void **state)
{
    (void)state;
    for (unsigned a = 1; a < 256; a++) {
        for (unsigned b = 1; b < 256; b++) {
            struct mr_fetch_facts joined = of_set(a), other = of_set(b);
            const struct mr_fetch_facts wanted = of_set(a | b), first = joined;
            const bool follows = joined.last <= other.first || other.last <= joined.first;

            mr_fetch_facts_join(&joined, &other);
            assert_int_equal(joined.first, wanted.first);
            assert_int_equal(joined.last, wanted.last);
            assert_true(joined.fetches <= wanted.fetches);
            assert_true(joined.fetches >= first.fetches && joined.fetches >= other.fetches);
            assert_true(joined.fetches > 1 || joined.first == joined.last);
            assert_true(!follows || joined.fetches == wanted.fetches);
            assert_true((a | b) != a || joined.fetches == first.fetches);
            mr_fetch_facts_join(&joined, &other); /* again: nothing changes */
            assert_true(joined.fetches <= wanted.fetches);
            mr_fetch_facts_join(&other, &first);
            assert_true(other.first == wanted.first && other.last == wanted.last);
        }
    }
}

static void test_counts_stop(void **state)
{
    struct mr_fetch_facts a = {1, 5, 9, UINT16_MAX - 1, UINT16_MAX - 2, 9};
    const struct mr_fetch_facts b = {1, 10, 12, 60000, 59999, 59999};

    (void)state;
    mr_fetch_facts_join(&a, &b);
    assert_int_equal(a.fetches, UINT16_MAX);
    assert_int_equal(a.compared, UINT16_MAX - 1);
    assert_int_equal(a.changes, 60008);
    mr_fetch_facts_join(&a, &b);
    assert_int_equal(a.fetches, UINT16_MAX);
    assert_int_equal(a.changes, UINT16_MAX - 1);
}

static void test_rows_are_read_back_and_found(void **state)
{
    enum { N = 2 * MR_FETCH_FACTS_BLOCK_ROWS + 5, STEP = 3 };
    const uint64_t counts[] = {1, MR_FETCH_FACTS_BLOCK_ROWS, MR_FETCH_FACTS_BLOCK_ROWS + 1, N};
    struct mr_fetch_facts *rows = calloc(N, sizeof *rows);
    struct mr_context context;

    (void)state;
    assert_non_null(rows);
    assert_true(test_context_open(&context, UINT64_MAX, 1));
    for (uint32_t i = 0; i < N; i++) {
        rows[i] = (struct mr_fetch_facts){STEP * i + 1, i + 1, i + 2 + i % 9, 4, 3, i % 4};
    }
    for (size_t k = 0; k < sizeof counts / sizeof counts[0]; k++) {
        const struct test_store_options options = {.n_vertices = STEP * N + 2,
                                                   .band_bits = 20,
                                                   .stripe_bits = 12,
                                                   .graph_id = 7,
                                                   .facts = rows,
                                                   .n_facts = counts[k]};
        struct test_edge edge = {1, 2};
        size_t n_edges = 1;
        struct test_dir dir;
        struct mr_store *store = NULL;
        struct mr_fetch_facts_reader *reader = NULL;
        struct mr_fetch_facts row;
        bool is_over = false;

        assert_true(test_dir_make(&dir, NULL));
        assert_int_equal(test_store_write(&context, dir.path, &options, &edge, &n_edges), MR_OK);
        assert_int_equal(mr_store_open(&context, dir.path, &store, NULL), MR_OK);
        assert_int_equal(mr_store_get_info(store)->n_facts, counts[k]);
        assert_int_equal(mr_store_get_info(store)->format_version, 5);
        assert_int_equal(mr_fetch_facts_open(&context, store, &reader, NULL), MR_OK);
        for (uint64_t i = 0; i <= counts[k]; i++) {
            assert_int_equal(mr_fetch_facts_read(reader, &row, &is_over, NULL), MR_OK);
            assert_int_equal(is_over, i == counts[k]);
            assert_true(is_over || same(&row, &rows[i]));
        }
        assert_true(mr_fetch_facts_id(reader) == mr_store_get_info(store)->facts_id);
        uint64_t random = k;
        for (unsigned i = 0; i < 3000; i++) {
            const uint32_t at = i < 9 ? i : (uint32_t)(test_random(&random) % (STEP * N + 2));
            const bool is_there = at % STEP == 1 && at / STEP < counts[k];
            assert_int_equal(mr_fetch_facts_find(reader, at, &row, NULL), MR_OK);
            assert_int_equal(row.fetches, is_there ? 4 : 0); /* 0: none */
            assert_true(!is_there || same(&row, &rows[at / STEP]));
        }
        mr_fetch_facts_close(reader);
        mr_store_close(store);
        test_dir_remove(&dir);
    }
    test_context_close(&context);
    free(rows);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_joined_facts_are_those_of_both_sets),
        cmocka_unit_test(test_counts_stop),
        cmocka_unit_test(test_rows_are_read_back_and_found),
    };
    return cmocka_run_group_tests_name("fetch facts", tests, NULL, NULL);
}
