/* SPDX-License-Identifier: Apache-2.0 */
/* The join of scores against a loop over the lines. The names are a fake: vertex v is "v" and its
 * number, and has the spelling "V" and its number. A lookup also knows "x" and the number, which no
 * walk shows: a spelling that only its canonical form leads to. */
#include "formats/score/score_join.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/test_streams.h"

enum { N = 1000, LINES = 5000 };

struct mr_names {
    unsigned lookups, walks;
};

struct mr_name_cursor {
    uint32_t next;
    char name[16], spelling[16];
};

enum mr_status mr_name_cursor_open(struct mr_names *names, uint32_t first,
                                   struct mr_name_cursor **out, struct mr_error *err)
{
    (void)err;
    names->walks++;
    *out = calloc(1, sizeof **out);
    assert_non_null(*out);
    (*out)->next = first;
    return MR_OK;
}

enum mr_status mr_name_cursor_next(struct mr_name_cursor *cursor, const char **name,
                                   size_t *name_bytes, struct mr_error *err)
{
    (void)err;
    assert_true(cursor->next < N);
    (void)snprintf(cursor->name, sizeof cursor->name, "v%u", cursor->next);
    (void)snprintf(cursor->spelling, sizeof cursor->spelling, "V%u", cursor->next++);
    *name = cursor->name;
    *name_bytes = strlen(*name);
    return MR_OK;
}

const char *mr_name_cursor_spellings(const struct mr_name_cursor *cursor, size_t *bytes)
{
    *bytes = strlen(cursor->spelling);
    return cursor->spelling;
}

const char *mr_name_next_spelling(const char **at, size_t *bytes, size_t *spelling_bytes)
{
    *spelling_bytes = *bytes;
    *bytes = 0;
    return *spelling_bytes > 0 ? *at : NULL;
}

uint32_t mr_name_cursor_vertex(const struct mr_name_cursor *cursor)
{
    return cursor->next - 1;
}

void mr_name_cursor_close(struct mr_name_cursor *cursor)
{
    free(cursor);
}

static bool find(const char *name, uint32_t *vertex)
{
    *vertex = name[0] == 'u' ? N : (uint32_t)strtoul(name + 1, NULL, 10);
    return *vertex < N;
}

enum mr_status mr_names_find(struct mr_names *names, const char *name, size_t name_bytes,
                             uint32_t *vertex, bool *found, struct mr_error *err)
{
    char text[16];

    (void)err;
    names->lookups++;
    (void)snprintf(text, sizeof text, "%.*s", (int)name_bytes, name);
    *found = find(text, vertex);
    return MR_OK;
}

struct outcome {
    double scores[N];
    uint64_t n_unknown;
    struct mr_names names;
};

/* Lines of names in any order; `kinds` are their first letters. */
static void join(struct test_context *test, unsigned n_lines, const char *kinds,
                 uint64_t memory_bytes, struct outcome *expected, struct outcome *actual)
{
    struct mr_score_join *join = NULL;
    uint64_t seed = 3;

    *expected = (struct outcome){0};
    *actual = (struct outcome){0};
    assert_int_equal(mr_score_join_create(&test->context, &actual->names, N, memory_bytes,
                                          actual->scores, &join, NULL),
                     MR_OK);
    for (unsigned i = 1; i <= n_lines; i++) {
        const uint64_t random = test_random(&seed);
        char name[16];
        uint32_t vertex;
        const int bytes = snprintf(name, sizeof name, "%c%u", kinds[random % strlen(kinds)],
                                   (unsigned)(random >> 32) % N);
        if (find(name, &vertex)) {
            expected->scores[vertex] = i;
        } else {
            expected->n_unknown++;
        }
        assert_int_equal(mr_score_join_add(join, name, (size_t)bytes, i, NULL), MR_OK);
    }
    assert_int_equal(mr_score_join_finish(join, &actual->n_unknown, NULL), MR_OK);
    mr_score_join_destroy(join);
    assert_memory_equal(actual->scores, expected->scores, sizeof expected->scores);
    assert_int_equal(actual->n_unknown, expected->n_unknown);
}

static void the_last_score_of_any_spelling_stays(void **state)
{
    static const uint64_t batches[] = {0, 1, 100000};
    struct outcome expected, actual;

    for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
        join(*state, LINES, "vVxu", batches[i], &expected, &actual);
        assert_true(expected.n_unknown > LINES / 5);
    }
}

static void names_are_walked_over_and_not_looked_up(void **state)
{
    struct outcome expected, actual;

    join(*state, LINES, "vV", 0, &expected, &actual);
    assert_int_equal(actual.names.walks, 1);
    assert_int_equal(actual.names.lookups, 0);
    join(*state, LINES, "vV", 1, &expected, &actual);
    assert_true(actual.names.walks > 1);
    assert_int_equal(actual.names.lookups, 0);
}

static void few_lines_are_looked_up(void **state)
{
    struct outcome expected, actual;

    join(*state, 3, "v", 0, &expected, &actual);
    assert_int_equal(actual.names.walks, 0);
    assert_int_equal(actual.names.lookups, 3);
    join(*state, 0, "v", 0, &expected, &actual);
    assert_int_equal(actual.names.lookups, 0);
}

static int set_up(void **state)
{
    struct test_context *test = calloc(1, sizeof *test);
    *state = test;
    return test_context_make(test, 64u << 20);
}

static int tear_down(void **state)
{
    test_context_remove(*state);
    free(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_score_of_any_spelling_stays),
        cmocka_unit_test(names_are_walked_over_and_not_looked_up),
        cmocka_unit_test(few_lines_are_looked_up),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
