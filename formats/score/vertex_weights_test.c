/* SPDX-License-Identifier: Apache-2.0 */
/* Teleports and seeds: weights, sums, bad lines. The names are a fake: the name of vertex v is "v"
 * and its number. */
#include "formats/score/vertex_weights.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/table/lines.h"
#include "formats/table/time_text.h"
#include "tests/support/test_streams.h"

enum mr_status mr_names_find(struct mr_names *names, const char *name, size_t name_bytes,
                             uint32_t *vertex, bool *found, struct mr_error *err)
{
    char copy[32] = "";
    (void)names, (void)err;
    *vertex = 0xdeadbeef;
    if (name_bytes < sizeof copy) {
        memcpy(copy, name, name_bytes);
    }
    *found = copy[0] == 'v';
    if (*found) {
        *vertex = (uint32_t)strtoul(copy + 1, NULL, 10);
    }
    return MR_OK;
}

enum mr_status mr_names_get(struct mr_names *names, uint32_t vertex, const char **name,
                            size_t *name_bytes, struct mr_error *err)
{
    (void)names, (void)vertex, (void)name, (void)name_bytes, (void)err;
    abort();
}

/* The names have no hosts, so nobody walks over them. */
enum mr_status mr_name_cursor_open(struct mr_names *names, uint32_t first,
                                   struct mr_name_cursor **out, struct mr_error *err)
{
    (void)names, (void)first, (void)out, (void)err;
    abort();
}

enum mr_status mr_name_cursor_next(struct mr_name_cursor *cursor, const char **name,
                                   size_t *name_bytes, struct mr_error *err)
{
    (void)cursor, (void)name, (void)name_bytes, (void)err;
    abort();
}

void mr_name_cursor_close(struct mr_name_cursor *cursor)
{
    (void)cursor;
    abort();
}

uint32_t mr_name_cursor_vertex(const struct mr_name_cursor *cursor)
{
    (void)cursor;
    abort();
}

struct fixture {
    struct test_context test;
    enum mr_list_kind kind;
    uint64_t max_unknown;
    struct mr_vertex_weights weights;
};

bool mr_names_form(const struct mr_names *names, const char **name, size_t *name_bytes,
                   char room[MR_NAME_MAX_BYTES])
{
    (void)names, (void)name, (void)name_bytes, (void)room;
    return true;
}

bool mr_names_are_numbers(const struct mr_names *names)
{
    (void)names;
    return true;
}

/* Each name is looked up. */
uint64_t mr_names_walk_length(const struct mr_names *names)
{
    (void)names;
    return UINT64_MAX;
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    *state = f;
    f->kind = MR_LIST_WEIGHTS;
    return test_context_make(&f->test, 64u << 20);
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    mr_vertex_weights_free(&f->weights);
    test_context_remove(&f->test);
    free(f);
    return 0;
}

static enum mr_status read_text(struct fixture *f, const char *text)
{
    const char *path = test_context_text(&f->test, "seeds.txt", text);
    mr_vertex_weights_free(&f->weights);
    return mr_vertex_weights_read(&f->test.context, &path, 1, NULL, NULL, f->kind, f->max_unknown,
                                  &f->weights, &f->test.err);
}

static void expect_weights(struct fixture *f, const char *expected)
{
    char text[1024] = "";
    size_t used = 0;
    for (uint64_t i = 0; i < f->weights.n_entries; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%u=%.17g", i > 0 ? " " : "",
                                 f->weights.entries[i].vertex, f->weights.entries[i].weight);
    }
    assert_string_equal(text, expected);
}

static void weights_are_sorted_and_added(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(read_text(f, "# seeds\n#\nv4000000000\t1\n\nv7\t0.5\r\nv70000\t2\t# extra\n"
                                  "v7\t0.25\nv0\t0\n"),
                     MR_OK);
    expect_weights(f, "0=0 7=0.75 70000=2 4000000000=1");
    assert_int_equal(f->weights.lines, 5);
    assert_int_equal(f->weights.duplicates, 1);
    assert_int_equal(f->weights.unknown, 0);
}

/* 1e16 + 1 is 1e16, and 1e16 + 2 is not: the sum shows the order. */
static void duplicates_add_in_file_order(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(read_text(f, "v1\t1\nv2\t1e16\nv1\t1\nv2\t1\nv1\t1e16\nv2\t1\n"), MR_OK);
    expect_weights(f, "1=10000000000000002 2=10000000000000000");
}

static void seeds_weigh_one(void **state)
{
    struct fixture *f = *state;
    f->kind = MR_LIST_NAMES;
    assert_int_equal(read_text(f, "v3\nv1\t# the second\nv3"), MR_OK); /* alike, as in a set */
    expect_weights(f, "1=1 3=1");
    assert_int_equal(f->weights.duplicates, 1);
}

static void many_entries_stay_sorted(void **state)
{
    struct fixture *f = *state;
    enum { N = 30000 };
    char *text = malloc(N * 24);
    size_t used = 0;
    uint64_t seed = 4;
    for (size_t i = 0; i < N; i++) {
        used += (size_t)sprintf(text + used, "v%u\t1\n", (unsigned)(test_random(&seed) >> 32));
    }
    assert_int_equal(read_text(f, text), MR_OK);
    double sum = 0;
    for (uint64_t i = 0; i < f->weights.n_entries; i++) {
        sum += f->weights.entries[i].weight;
        assert_true(i == 0 || f->weights.entries[i - 1].vertex < f->weights.entries[i].vertex);
    }
    assert_true(sum == N);
    assert_int_equal(f->weights.n_entries + f->weights.duplicates, N);
    free(text);
}

static void bad_weights_are_errors_with_their_line(void **state)
{
    static const char *const cases[][2] = {
        {"v1\t1\nv2\n", "seeds.txt:2: \"v2\": no weight; lines are NAME<TAB>WEIGHT, and a header "
                        "such as page,weight makes a table of them"},
        {"v1\t1\nv2\tx\n", "seeds.txt:2: \"v2\\x09x\": the weight is no finite number"},
        {"v1\tinf\n", "seeds.txt:1: \"v1\\x09inf\": the weight is no finite number"},
        {"v1\t-1\n", "seeds.txt:1: \"v1\\x09-1\": the weight is negative"},
        {"v1\t0\nv2\t0\n", "seeds.txt: names no page with a weight above 0; at least one must"},
        {"", "seeds.txt: names no page with a weight above 0; at least one must"},
        {"v1\t1e308\nv2\t1e308\n",
         "seeds.txt: the weights add up to more than a double can hold; scale them down"},
        {"v1 1\n", "seeds.txt:1: \"v1 1\": no weight; lines are NAME<TAB>WEIGHT, and a header such "
                   "as page,weight makes a table of them"},
        {"v1\t1\nx\t1\n", "seeds.txt:2: \"x\" is no page of the store (1 such names so far); allow "
                          "more with --max-unknown"},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(read_text(f, cases[i][0]), MR_ERROR_INPUT);
        assert_string_equal(test_context_error(&f->test), cases[i][1]);
        assert_null(f->weights.entries);
        assert_int_equal(f->weights.n_entries, 0);
    }
}

static void unknown_names_are_counted_and_the_first_noted(void **state)
{
    struct fixture *f = *state;
    f->max_unknown = 6;
    assert_int_equal(read_text(f, "a\t1\nb\t1\nc\t1\nv1\t1\nd\t1\ne\t1\nf\t1\n"), MR_OK);
    assert_int_equal(f->weights.unknown, 6);
    assert_int_equal(f->weights.lines, 7);
    expect_weights(f, "1=1");
    assert_string_equal(strrchr(f->test.notes, '/'),
                        "/seeds.txt: 6 of 7 names (85.7%) are no page of the store\n");
    f->max_unknown = MR_UNKNOWN_PERCENT(86);
    assert_int_equal(read_text(f, "a\t1\nb\t1\nc\t1\nv1\t1\nd\t1\ne\t1\nf\t1\n"), MR_OK);
    f->max_unknown = MR_UNKNOWN_PERCENT(85);
    assert_int_equal(read_text(f, "a\t1\nb\t1\nc\t1\nv1\t1\nd\t1\ne\t1\nf\t1\n"), MR_ERROR_INPUT);
}

static void of_times_the_latest_counts(void **state)
{
    struct fixture *f = *state;
    f->kind = MR_LIST_TIMES;
    assert_int_equal(read_text(f, "v1\t30\nv2\t1970-01-01T00:00:09\nv1\t70\t5\nv1\t50\n"), MR_OK);
    expect_weights(f, "1=70 2=9");
    assert_int_equal(f->weights.duplicates, 2);
    assert_int_equal(read_text(f, "v1\t3\nv2\tnow\n"), MR_ERROR_INPUT);
    assert_string_equal(test_context_error(&f->test),
                        "seeds.txt:2: \"v2\\x09now\": " MR_TIME_EXPECTED);
    assert_int_equal(read_text(f, "# nothing\n"), MR_OK);
    assert_int_equal(f->weights.n_entries, 0);
    f->kind = MR_LIST_INTERVALS;
    assert_int_equal(read_text(f, "v1\t30\nv2\t1\t7\nv2\t2\t3\n"), MR_OK);
    expect_weights(f, "2=7");
    assert_int_equal(read_text(f, "v1\t30\tdaily\n"), MR_ERROR_INPUT);
    assert_string_equal(test_context_error(&f->test),
                        "seeds.txt:1: \"v1\\x0930\\x09daily\": the interval is no number");
}

/* A name ends at a tab or at the end of its line; behind a URL a blank and a number will do. */
static void names_end_at_tabs(void **state)
{
    static const struct {
        const char *line, *name, *rest;
        bool is_word;
    } cases[] = {
        {"Paris Hilton", "Paris Hilton", "", false},
        {"Paris Hilton 0.5", "Paris Hilton 0.5", "", false},
        {"Paris Hilton\t0.5", "Paris Hilton", "\t0.5", false},
        {" a  b ", " a  b ", "", false},
        {" a \t1", " a ", "\t1", false},
        {"Apollo 13", "Apollo 13", "", false},
        {"7 0.5", "7", " 0.5", true},
        {" 7 ", "7", " ", true},
        {"7 x", "7 x", "", true},
        {"7 \t0.5", "7", " \t0.5", true},
        {"7 8\t0.5", "7 8", "\t0.5", true},
        {"http://a/ 2006-08-21", "http://a/", " 2006-08-21", false},
        {"http://a/ # home", "http://a/", " # home", false},
        {"http://a/b c", "http://a/b c", "", false},
        {"http://a/b -.5", "http://a/b", " -.5", false},
        {"\t1", "", "\t1", false},
        {"#a b", "#a b", "", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *rest = NULL, *line = cases[i].line;
        size_t bytes = 0;
        char name[32];
        const char *at = mr_lines_name(line, line + strlen(line), cases[i].is_word, &bytes, &rest);
        assert_non_null(at);
        (void)snprintf(name, sizeof name, "%.*s", (int)bytes, at);
        assert_string_equal(name, cases[i].name);
        assert_string_equal(rest, cases[i].rest);
    }
    size_t bytes;
    const char *rest, *blanks = "  ";
    assert_null(mr_lines_name(blanks, blanks + 2, false, &bytes, &rest));
    assert_true(mr_lines_is_comment("#", 1) && mr_lines_is_comment("# x", 3));
    assert_false(mr_lines_is_comment("#x", 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(weights_are_sorted_and_added, set_up, tear_down),
        cmocka_unit_test_setup_teardown(duplicates_add_in_file_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(seeds_weigh_one, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_entries_stay_sorted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bad_weights_are_errors_with_their_line, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unknown_names_are_counted_and_the_first_noted, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(of_times_the_latest_counts, set_up, tear_down),
        cmocka_unit_test(names_end_at_tabs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
