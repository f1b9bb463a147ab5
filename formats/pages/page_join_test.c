/* SPDX-License-Identifier: Apache-2.0 */
/* The join of names against a loop over the lines. The names are a fake: vertex v is "v" and its
 * number. Capital letters count as small ones, as spellings of a canonical name do; no page is
 * called
 * "-". */
#include "formats/pages/page_names.h"

#include <ctype.h>
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
    char name[16];
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
    (void)snprintf(cursor->name, sizeof cursor->name, "v%u", cursor->next);
    *name = cursor->next++ < N ? cursor->name : NULL;
    *name_bytes = strlen(cursor->name);
    return MR_OK;
}

uint32_t mr_name_cursor_vertex(const struct mr_name_cursor *cursor)
{
    return cursor->next - 1;
}

void mr_name_cursor_close(struct mr_name_cursor *cursor)
{
    free(cursor);
}

bool mr_names_form(const struct mr_names *names, const char **name, size_t *name_bytes,
                   char room[MR_NAME_MAX_BYTES])
{
    (void)names;
    memcpy(room, *name, *name_bytes);
    room[0] = (char)tolower((unsigned char)room[0]);
    *name = room;
    return room[0] != '-';
}

uint64_t mr_names_walk_length(const struct mr_names *names)
{
    (void)names;
    return N;
}

static bool find(const char *name, uint32_t *vertex)
{
    *vertex = tolower((unsigned char)name[0]) == 'v' ? (uint32_t)strtoul(name + 1, NULL, 10) : N;
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

/* A line has a name, and mostly another spelling, of another vertex. */
struct test_line {
    char name[16], other[16];
};

struct outcome {
    struct mr_names names;
    struct test_line lines[LINES];
    unsigned n_taken, n_found;
};

static enum mr_status take(void *data, const struct mr_row *name, uint32_t vertex, bool found,
                           struct mr_error *err)
{
    struct outcome *outcome = data;
    const unsigned i = outcome->n_taken++;
    const struct test_line *line = &outcome->lines[i];
    uint32_t expected;

    (void)err;
    assert_int_equal(name->name_bytes, strlen(line->name));
    assert_memory_equal(name->name, line->name, name->name_bytes);
    assert_int_equal(name->line, i + 1);
    assert_int_equal(name->tag, 2 * i);
    assert_true(name->values[0] == i / 4.0);
    assert_int_equal(found, find(line->name, &expected) || find(line->other, &expected));
    if (found) {
        assert_int_equal(vertex, expected);
        outcome->n_found++;
    }
    return MR_OK;
}

/* Lines of names in any order; `kinds` are their first letters. */
static void join(struct test_context *test, unsigned n_lines, const char *kinds,
                 uint64_t memory_bytes, struct outcome *outcome)
{
    struct mr_page_join *join = NULL;
    uint64_t seed = 3;

    *outcome = (struct outcome){0};
    assert_int_equal(mr_page_join_create(&test->context, &outcome->names, memory_bytes, take,
                                         outcome, &join, NULL),
                     MR_OK);
    for (unsigned i = 0; i < n_lines; i++) {
        struct test_line *line = &outcome->lines[i];
        const uint64_t random = test_random(&seed), more = test_random(&seed);
        (void)snprintf(line->name, sizeof line->name, "%c%u", kinds[random % strlen(kinds)],
                       (unsigned)(random >> 32) % N);
        if (more % 4 > 0) {
            (void)snprintf(line->other, sizeof line->other, "%c%u", kinds[more % strlen(kinds)],
                           (unsigned)(more >> 32) % N);
        }
        const struct mr_row name = {.name = line->name,
                                    .name_bytes = strlen(line->name),
                                    .line = i + 1,
                                    .tag = 2 * i,
                                    .values = {i / 4.0}};
        assert_int_equal(mr_page_join_add(join, &name, line->other, strlen(line->other), NULL),
                         MR_OK);
    }
    assert_int_equal(mr_page_join_finish(join, NULL), MR_OK);
    mr_page_join_destroy(join);
    assert_int_equal(outcome->n_taken, n_lines);
}

static void each_name_is_found_in_the_order_of_the_lines(void **state)
{
    static const uint64_t batches[] = {UINT64_MAX, 1, 100000};
    static struct outcome outcome;

    for (size_t i = 0; i < sizeof batches / sizeof batches[0]; i++) {
        join(*state, LINES, "vVu-", batches[i], &outcome);
        assert_in_range(outcome.n_found, LINES / 2, LINES - LINES / 10);
    }
}

static void names_are_walked_over_and_not_looked_up(void **state)
{
    static struct outcome outcome;

    join(*state, LINES, "vVu", UINT64_MAX, &outcome);
    assert_int_equal(outcome.names.walks, 1);
    assert_int_equal(outcome.names.lookups, 0);
    join(*state, LINES, "vVu", 1, &outcome);
    assert_true(outcome.names.walks > 1);
    assert_int_equal(outcome.names.lookups, 0);
}

static void few_lines_are_looked_up(void **state)
{
    static struct outcome outcome;

    join(*state, 3, "v", UINT64_MAX, &outcome);
    assert_int_equal(outcome.names.walks, 0);
    assert_int_equal(outcome.names.lookups, 3);
    join(*state, 0, "v", UINT64_MAX, &outcome);
    assert_int_equal(outcome.names.lookups, 0);
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
        cmocka_unit_test(each_name_is_found_in_the_order_of_the_lines),
        cmocka_unit_test(names_are_walked_over_and_not_looked_up),
        cmocka_unit_test(few_lines_are_looked_up),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
