/* SPDX-License-Identifier: Apache-2.0 */
/* Fetch facts: joined ones against sets of times, and rows of several blocks read back. */
#include <stdlib.h>

#include "engine/store/column.h"
#include "engine/store/fetch_facts.h"
#include "engine/store/store.h"
#include "tests/support/test.h"
#include "tests/support/test_context.h"
#include "tests/support/test_dir.h"
#include "tests/support/test_graph.h"
#include "tests/support/test_store.h"

static bool same(const struct mr_fetch_facts *a, const struct mr_fetch_facts *b)
{
    return a->position == b->position && a->first == b->first && a->last == b->last &&
           a->fetches == b->fetches && a->compared == b->compared && a->changes == b->changes &&
           a->first_digest == b->first_digest && a->last_digest == b->last_digest &&
           a->gone == b->gone;
}

enum { TIMES = 8, A = 100, B = 200, NONE = MR_DIGEST_UNKNOWN, SAME = MR_DIGEST_SAME };

/* The digests at the times 1 to 8. In the first row all are known; a page without any; mixed. */
static const uint32_t contents[][TIMES] = {{A, B, B, A, A, A, B, A},
                                           {NONE, NONE, NONE, NONE, NONE, NONE, NONE, NONE},
                                           {A, NONE, B, A, NONE, NONE, A, B},
                                           {A, SAME, SAME, B, SAME, A, SAME, B},
                                           {SAME, SAME, A, A, NONE, SAME, B, SAME}};

/* The facts of a set of times: each fetch next to the one before. */
static struct mr_fetch_facts of_set(unsigned times, const uint32_t content[TIMES])
{
    struct mr_fetch_facts row = {.position = 7};
    for (uint32_t t = 0; t < TIMES; t++) {
        const uint32_t before = row.last_digest, digest = content[t];
        if ((times >> t & 1) == 0) {
            continue;
        }
        if (row.fetches++ == 0) {
            row.first = t + 1;
            row.last_digest = digest;
        }
        row.first_digest = row.fetches == 1 || before == SAME ? digest : row.first_digest;
        if (digest == SAME) { /* also the first: the fetch before it is not known here */
            row.compared++;
        } else if (digest >= A && before >= A) {
            row.compared++;
            row.changes += digest != before;
        }
        row.last_digest = digest == SAME ? row.last_digest : digest;
        row.last = t + 1;
    }
    row.compared -= row.last_digest == SAME;
    return row;
}

/* All pairs of sets of 8 times: the first and last are exact. The number of fetches is that of the
 * union where nothing lies between the times of the other, and never more than it. Sets that follow
 * each other give the facts of the union, whatever comes first. */
static void join_all(const uint32_t content[TIMES])
{
    for (unsigned a = 1; a < 256; a++) {
        for (unsigned b = 1; b < 256; b++) {
            struct mr_fetch_facts joined = of_set(a, content), other = of_set(b, content);
            const struct mr_fetch_facts wanted = of_set(a | b, content), first = joined;
            const bool apart = joined.last < other.first || other.last < joined.first;
            const bool follows = joined.last <= other.first || other.last <= joined.first;

            mr_fetch_facts_join(&joined, &other, MR_LINKS_UNSEEN);
            assert_int_equal(joined.first, wanted.first);
            assert_int_equal(joined.last, wanted.last);
            assert_true(joined.fetches <= wanted.fetches);
            assert_true(joined.fetches >= first.fetches && joined.fetches >= other.fetches);
            assert_true(joined.fetches > 1 || joined.first == joined.last);
            assert_true(joined.compared < joined.fetches && joined.changes <= joined.compared);
            assert_true(!follows || joined.fetches == wanted.fetches);
            assert_true(!apart || same(&joined, &wanted));
            assert_true((a | b) != a || joined.fetches == first.fetches);
            const unsigned between = (2u << (other.last - 1)) - (1u << (other.first - 1));
            assert_true((a & between) != b || same(&joined, &first)); /* an append once more */
            const struct mr_fetch_facts once = joined;
            mr_fetch_facts_join(&joined, &other, MR_LINKS_OTHER); /* again: nothing changes */
            assert_true(same(&joined, &once));
            mr_fetch_facts_join(&other, &first, MR_LINKS_UNSEEN);
            assert_true(other.first == wanted.first && other.last == wanted.last);
            assert_true(!apart || same(&other, &wanted));
        }
    }
}

static void test_joined_facts_are_those_of_both_sets(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof contents / sizeof contents[0]; i++) {
        join_all(contents[i]);
    }
}

/* One fetch, then another one or two: what the digests and the links show. */
static void test_a_change_of_links_or_of_the_digest_counts(void **state)
{
    static const struct {
        uint32_t digests[3]; /* of the first fetch, of the first and last of the others */
        unsigned n; /* others */
        enum mr_links_seen links;
        unsigned compared, changes; /* wanted */
    } cases[] = {
        {{A, A}, 1, MR_LINKS_UNSEEN, 1, 0},
        {{A, B}, 1, MR_LINKS_UNSEEN, 1, 1},
        {{A, A}, 1, MR_LINKS_SAME, 1, 0},
        {{A, A}, 1, MR_LINKS_OTHER, 1, 1},
        {{A, B}, 1, MR_LINKS_SAME, 1, 1},
        {{A, B}, 1, MR_LINKS_OTHER, 1, 1},
        {{A, NONE}, 1, MR_LINKS_UNSEEN, 0, 0},
        {{NONE, B}, 1, MR_LINKS_OTHER, 1, 1},
        {{NONE, NONE}, 1, MR_LINKS_SAME, 1, 0},
        {{NONE, SAME}, 1, MR_LINKS_UNSEEN, 1, 0},
        {{SAME, A}, 1, MR_LINKS_UNSEEN, 1, 0},
        {{A, SAME, B}, 2, MR_LINKS_UNSEEN, 2, 1},
        {{A, SAME, SAME}, 2, MR_LINKS_UNSEEN, 2, 0},
        {{A, SAME}, 1, MR_LINKS_OTHER, 1, 1},
        {{A, A, B}, 2, MR_LINKS_OTHER, 2, 1},
        {{A, B, A}, 2, MR_LINKS_SAME, 2, 2},
        {{A, B, B}, 2, MR_LINKS_OTHER, 2, 1},
        {{NONE, A, B}, 2, MR_LINKS_OTHER, 1, 1},
        {{NONE, A, A}, 2, MR_LINKS_OTHER, 2, 1},
        {{NONE, NONE, NONE}, 2, MR_LINKS_OTHER, 1, 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint32_t content[TIMES] = {cases[i].digests[0], cases[i].digests[1],
                                         cases[i].digests[2]};
        struct mr_fetch_facts row = of_set(1, content);
        const struct mr_fetch_facts others = of_set(cases[i].n == 1 ? 2 : 6, content);
        mr_fetch_facts_join(&row, &others, cases[i].links);
        if (row.compared != cases[i].compared || row.changes != cases[i].changes) {
            fail_msg("case %zu: %u compared, %u changes", i, row.compared, row.changes);
        }
    }
}

/* What is told last counts: a later fetch finds the page again. */
static void test_a_page_is_gone_until_it_is_fetched(void **state)
{
    const struct mr_fetch_facts gone = {.position = 7, .gone = true};
    struct mr_fetch_facts row = of_set(3, contents[0]), early = row, late = of_set(4, contents[0]);
    const struct mr_fetch_facts before = row;

    (void)state;
    mr_fetch_facts_join(&row, &gone, MR_LINKS_UNSEEN);
    assert_true(row.gone && row.fetches == before.fetches && row.last == before.last);
    mr_fetch_facts_join(&row, &early, MR_LINKS_UNSEEN);
    assert_true(row.gone);
    mr_fetch_facts_join(&row, &late, MR_LINKS_UNSEEN);
    assert_true(!row.gone && row.fetches == 3);
    row = gone;
    mr_fetch_facts_join(&row, &gone, MR_LINKS_UNSEEN);
    assert_true(same(&row, &gone));
    mr_fetch_facts_join(&row, &early, MR_LINKS_OTHER);
    assert_true(same(&row, &early));
}

/* The crawler said when the page is due again, which is not after the same time each time. */
static void test_a_fetch_that_is_due_is_the_last_one_known(void **state)
{
    const struct mr_fetch_facts a = of_set(9, contents[0]); /* at 1 and 4 */
    struct mr_fetch_facts due = {.first = 2, .last = 2, .fetches = 1, .last_digest = B}, row = a;

    (void)state;
    mr_fetch_facts_date(&due, &a);
    assert_int_equal(due.last, 2);
    due.first_digest = MR_DIGEST_NO_FETCH;
    mr_fetch_facts_date(&due, &a);
    mr_fetch_facts_join(&row, &due, MR_LINKS_UNSEEN);
    assert_true(same(&row, &a));
    due.first = due.last = 5;
    mr_fetch_facts_date(&due, &a);
    mr_fetch_facts_join(&row, &due, MR_LINKS_UNSEEN);
    assert_int_equal(row.fetches, a.fetches + 1);
}

static void test_counts_stop(void **state)
{
    struct mr_fetch_facts a = {1, 5, 9, UINT16_MAX - 1, UINT16_MAX - 2, 9, A, A, false};
    const struct mr_fetch_facts b = {1, 10, 12, 60000, 59999, 59999, B, A, false};

    (void)state;
    for (int i = 0; i < 2; i++) { /* the second time nothing changes */
        mr_fetch_facts_join(&a, &b, MR_LINKS_UNSEEN);
        assert_int_equal(a.fetches, UINT16_MAX);
        assert_int_equal(a.compared, UINT16_MAX - 1);
        assert_int_equal(a.changes, 60009);
    }
    mr_fetch_facts_add(&a, 13, B);
    assert_int_equal(a.fetches, UINT16_MAX);
    assert_int_equal(a.changes, 60010);
}

static void test_rows_are_read_back_and_found(void **state)
{
    enum { N = 2 * MR_FACTS_BLOCK_ROWS + 5, STEP = 3 };
    const uint64_t counts[] = {1, 1, MR_FACTS_BLOCK_ROWS, MR_FACTS_BLOCK_ROWS + 1, N, N};
    struct mr_fetch_facts *rows = calloc(N, sizeof *rows);
    struct mr_context context;

    (void)state;
    assert_non_null(rows);
    assert_true(test_context_open(&context, UINT64_MAX, 1));
    for (uint32_t i = 0; i < N; i++) {
        rows[i] =
            (struct mr_fetch_facts){STEP * i + 1, i + 1, i + 2 + i % 9, 4, 3, i % 4, 0, 0, false};
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

        for (uint32_t i = 0; i < N; i++) { /* with digests every other time */
            rows[i].first_digest = k % 2 == 0 ? 0 : i;
            rows[i].last_digest = k % 2 == 0 ? 0 : 3 * i + 7;
            rows[i].gone = k > 1 && i % 5 == 0;
        }
        assert_true(test_dir_make(&dir, NULL));
        assert_int_equal(test_store_write(&context, dir.path, &options, &edge, &n_edges), MR_OK);
        assert_int_equal(mr_store_open(&context, dir.path, &store, NULL), MR_OK);
        assert_int_equal(mr_store_get_info(store)->n_facts, counts[k]);
        assert_int_equal(mr_store_get_info(store)->format_version, k > 1 ? 6 : 5);
        assert_int_equal(mr_store_get_info(store)->has_gone, k > 1);
        assert_int_equal(mr_store_get_info(store)->has_digests, k % 2);
        assert_int_equal(mr_fetch_facts_open(&context, store, &reader, NULL), MR_OK);
        for (uint64_t i = 0; i <= counts[k]; i++) {
            assert_int_equal(mr_fetch_facts_read(reader, &row, &is_over, NULL), MR_OK);
            assert_int_equal(is_over, i == counts[k]);
            assert_true(is_over || same(&row, &rows[i]));
        }
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

TEST_MAIN(cmocka_unit_test(test_joined_facts_are_those_of_both_sets),
          cmocka_unit_test(test_a_change_of_links_or_of_the_digest_counts),
          cmocka_unit_test(test_a_page_is_gone_until_it_is_fetched),
          cmocka_unit_test(test_a_fetch_that_is_due_is_the_last_one_known),
          cmocka_unit_test(test_counts_stop), cmocka_unit_test(test_rows_are_read_back_and_found))
