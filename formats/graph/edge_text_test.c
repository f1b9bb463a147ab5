/* SPDX-License-Identifier: Apache-2.0 */
/* Text edge lists and vertex lists. The builder is a fake: it remembers all it gets. */
#include "formats/graph/edge_text.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/graph/edge_batch.h"
#include "tests/support/test_streams.h"

extern const struct mr_graph_format mr_format_edges, mr_format_urls; /* line_formats.c */

enum { MAX_NAMES = 64 };

struct mr_build {
    struct mr_edge *edges;
    size_t n_edges;
    uint64_t n_vertices; /* DENSE */
    uint64_t vertices[MAX_NAMES];
    size_t n_declared;
    char *names[MAX_NAMES];
    size_t name_bytes[MAX_NAMES];
    size_t n_names;
    bool dense, frozen;
    enum mr_status refuses;
};

enum mr_status mr_build_vertex(struct mr_build *build, uint64_t id, struct mr_error *err)
{
    (void)err;
    build->vertices[build->n_declared++] = id;
    return MR_OK;
}

bool mr_build_is_frozen(const struct mr_build *build)
{
    return build->frozen;
}

bool mr_build_knows(const struct mr_build *build, uint64_t id)
{
    if (build->dense) {
        return id < build->n_vertices;
    }
    for (size_t i = 0; i < build->n_declared; i++) {
        if (build->vertices[i] == id) {
            return true;
        }
    }
    return !build->frozen;
}

enum mr_status mr_build_name(struct mr_build *build, const char *name, size_t name_bytes,
                             uint64_t *id, struct mr_error *err)
{
    (void)err;
    for (size_t i = 0; i < build->n_names; i++) {
        if (build->name_bytes[i] == name_bytes && memcmp(build->names[i], name, name_bytes) == 0) {
            *id = i;
            return MR_OK;
        }
    }
    *id = UINT64_MAX;
    if (!build->frozen) {
        assert_true(build->n_names < MAX_NAMES);
        char *copy = malloc(name_bytes + 1);
        assert_non_null(copy);
        memcpy(copy, name, name_bytes);
        copy[name_bytes] = '\0';
        build->names[build->n_names] = copy;
        build->name_bytes[build->n_names] = name_bytes;
        *id = build->n_names++;
    }
    return MR_OK;
}

/* The hash of the double says nothing, so that a name is known by its bytes. */
uint32_t mr_build_name_hash(const char *name, size_t name_bytes)
{
    (void)name;
    return (uint32_t)name_bytes;
}

enum mr_status mr_build_all_names(struct mr_build *build, const struct mr_name_ref *names, size_t n,
                                  uint64_t *ids, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    for (size_t i = 0; i < n && status == MR_OK; i++) {
        assert_int_equal(names[i].hash, names[i].name_bytes);
        status = mr_build_name(build, names[i].name, names[i].name_bytes, &ids[i], err);
    }
    return status;
}

enum mr_status mr_build_edges(struct mr_build *build, unsigned worker, const struct mr_edge *edges,
                              const float *weights, size_t n_edges, struct mr_error *err)
{
    static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    (void)worker;
    assert_null(weights);
    (void)pthread_mutex_lock(&mutex);
    const enum mr_status status = build->refuses;
    if (status == MR_OK) {
        build->edges = realloc(build->edges, (build->n_edges + n_edges) * sizeof *edges);
        assert_non_null(build->edges);
        memcpy(build->edges + build->n_edges, edges, n_edges * sizeof *edges);
        build->n_edges += n_edges;
    }
    (void)pthread_mutex_unlock(&mutex);
    return status == MR_OK ? MR_OK : mr_error_set(err, status, "no");
}

struct fixture {
    struct test_context test;
    struct mr_build build;
    struct mr_edge_text_options options;
    struct mr_edge_text_summary summary;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    *state = f;
    return test_context_make(&f->test, 64u << 20);
}

static void forget(struct fixture *f)
{
    for (size_t i = 0; i < f->build.n_names; i++) {
        free(f->build.names[i]);
    }
    free(f->build.edges);
    f->build = (struct mr_build){0};
    f->summary = (struct mr_edge_text_summary){0};
    f->test.notes[0] = '\0';
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    forget(f);
    test_context_remove(&f->test);
    free(f);
    return 0;
}

static enum mr_status add_edges(void *data, struct mr_edge *edges, const float *weights,
                                size_t n_edges, struct mr_error *err)
{
    return mr_build_edges(data, 0, edges, weights, n_edges, err);
}

/* Reads lines as mr_graph_reader_read does. */
static enum mr_status read_lines(struct fixture *f, struct mr_input *input)
{
    const struct mr_graph_format *format =
        f->options.ids == MR_IDS_TEXT ? &mr_format_urls : &mr_format_edges;
    const struct mr_graph_sink sink = {.data = &f->build, .edges = add_edges, .lines = &f->build};
    struct mr_graph_reader *reader = calloc(1, format->reader_bytes);

    assert_non_null(reader);
    reader->request = (struct mr_graph_request){.context = &f->test.context,
                                                .input = input,
                                                .text = &f->options,
                                                .summary = &f->summary,
                                                .format = format};
    reader->batch.request = &reader->request;
    reader->batch.sink = &sink;
    enum mr_status status = format->read(reader, &f->test.err);
    if (status == MR_OK && reader->batch.n > 0) {
        status = mr_edge_batch_flush(&reader->batch, &f->test.err);
    }
    format->close(reader);
    free(reader);
    return status;
}

static enum mr_status read_file(struct fixture *f, const char *data, size_t bytes, bool vertices)
{
    struct mr_input *input = NULL;
    const char *path = test_context_file(&f->test, "links.txt", data, bytes);
    assert_int_equal(mr_input_open(&f->test.context, path, &input, NULL), MR_OK);
    const enum mr_status status = vertices
                                      ? mr_vertex_list_read(&f->test.context, input, &f->build,
                                                            &f->options, &f->summary, &f->test.err)
                                      : read_lines(f, input);
    mr_input_close(input);
    return status;
}

static enum mr_status read_text(struct fixture *f, const char *text)
{
    return read_file(f, text, strlen(text), false);
}

/* "1>2 3>4" */
static void expect_edges(struct fixture *f, const char *expected)
{
    static char text[4096];
    size_t used = 0;
    text[0] = '\0';
    for (size_t i = 0; i < f->build.n_edges; i++) {
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%llu>%llu", i > 0 ? " " : "",
                                 (unsigned long long)f->build.edges[i].source,
                                 (unsigned long long)f->build.edges[i].target);
    }
    assert_string_equal(text, expected);
}

/* The same text gives the same numbers, whether lines are read fast or slowly. */
static void expect_counts(struct fixture *f, uint64_t lines, uint64_t comments, uint64_t blank,
                          uint64_t edges, uint64_t bad_lines, uint64_t extra_columns)
{
    assert_int_equal(f->summary.lines, lines);
    assert_int_equal(f->summary.comments, comments);
    assert_int_equal(f->summary.blank, blank);
    assert_int_equal(f->summary.edges, edges);
    assert_int_equal(f->summary.bad_lines, bad_lines);
    assert_int_equal(f->summary.extra_columns, extra_columns);
    assert_int_equal(lines, comments + blank + edges + f->summary.vertices + bad_lines);
}

static void numbers_are_read_in_every_layout(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(read_text(f, "# Nodes: 3\n% x\n1 2\n3\t4\r\n5,6\n 7  ,\t8 \n\n  \t\n\r\n"
                                  "9 10 0.5\n11 12#c\n13 14 # c\n  # c\n15,16,17\n18\t19"),
                     MR_OK);
    expect_edges(f, "1>2 3>4 5>6 7>8 9>10 11>12 13>14 15>16 18>19");
    expect_counts(f, 15, 3, 3, 9, 0, 2);
}

static void an_empty_input_has_no_edges(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(read_text(f, ""), MR_OK);
    assert_int_equal(read_text(f, "# nothing\n"), MR_OK);
    expect_edges(f, "");
    expect_counts(f, 1, 1, 0, 0, 0, 0);
}

static void a_byte_order_mark_is_skipped(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(read_text(f, "\xef\xbb\xbf"
                                  "1 2\n"),
                     MR_OK);
    expect_edges(f, "1>2");
}

static void all_of_64_bits_can_be_used(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(read_text(f, "18446744073709551615 0\n9999999999999999 10000000000000000\n"
                                  "00000000000000000000000007 99999999\n"),
                     MR_OK);
    expect_edges(f, "18446744073709551615>0 9999999999999999>10000000000000000 7>99999999");
}

static void bad_lines_stop_with_line_text_and_reason(void **state)
{
    static const struct {
        const char *text, *message;
    } cases[] = {
        {"1 2\n1\n", "links.txt:2: \"1\": no second field"},
        {"1 2\n3 4\n1 # 2\n", "links.txt:3: \"1 # 2\": no second field"},
        {"a 1\n", "links.txt:1: \"a 1\": the first field is no number"},
        {"1 2x\n", "links.txt:1: \"1 2x\": the second field is no number"},
        {"1 -2\n", "links.txt:1: \"1 -2\": the second field is negative"},
        {"1 +2\n", "links.txt:1: \"1 +2\": the second field is no number"},
        {"1.5 2\n", "links.txt:1: \"1.5 2\": the first field is no number"},
        {",1 2\n", "links.txt:1: \",1 2\": the first field is no number"},
        {"1,,2\n", "links.txt:1: \"1,,2\": the second field is no number"},
        {"18446744073709551616 1\n",
         "links.txt:1: \"18446744073709551616 1\": the first field is not below 2^64"},
        {"1 99999999999999999999999999\n", "links.txt:1: \"1 99999999999999999999999999\": the "
                                           "second field is not below 2^64"},
        {"\n\n\x01\x1b[31m\xff\n", "links.txt:3: \"\\x01\\x1b[31m\\xff\": the first field is no "
                                   "number"},
        {"1 2 3 4 5 6 7 8 9 ok\nx123456789012345678901234567890123456789012345678901234567890\n",
         "links.txt:2: \"x12345678901234567890123456789012345678901234567890123456789\"...: the "
         "first field is no number"},
    };
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char expected[512], text[512];
        (void)snprintf(expected, sizeof expected, "%s; skip such lines with --bad-lines skip",
                       cases[i].message);
        (void)snprintf(text, sizeof text, "%s\n7 8\n", cases[i].text);
        assert_int_equal(read_text(f, text), MR_ERROR_INPUT);
        assert_string_equal(test_context_error(&f->test), expected);
    }
    assert_int_equal(read_file(f, "1 2\0\n7 8\n", 9, false), MR_ERROR_INPUT);
    assert_string_equal(test_context_error(&f->test),
                        "links.txt:1: \"1 2\\x00\": the second field is no number; skip such lines "
                        "with --bad-lines skip");
}

static void nobody_is_told_to_skip_all_lines(void **state)
{
    struct fixture *f = *state;
    static const struct {
        enum mr_id_kind ids;
        const char *text, *message;
    } cases[] = {
        {MR_IDS_SPARSE, "# 1 2\na 1\n\nb 2\n",
         "links.txt:2: \"a 1\": the first field is no number"},
        {MR_IDS_DENSE, "10 1\n1 10\n",
         "links.txt:1: \"10 1\": vertex 10 is not below --vertices 10"},
        {MR_IDS_TEXT, "# x y\na\n% b c\nb\n", "links.txt:2: \"a\": no second field"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char expected[512];
        f->options.ids = cases[i].ids;
        f->options.n_vertices = f->build.n_vertices = 10;
        f->build.dense = cases[i].ids == MR_IDS_DENSE;
        (void)snprintf(expected, sizeof expected,
                       "%s; no line is any better: check the file and its --format",
                       cases[i].message);
        assert_int_equal(read_text(f, cases[i].text), MR_ERROR_INPUT);
        assert_string_equal(test_context_error(&f->test), expected);
    }
}

static void bad_lines_can_be_skipped_up_to_a_limit(void **state)
{
    struct fixture *f = *state;
    f->options.bad_lines = MR_BAD_LINES_SKIP;
    assert_int_equal(read_text(f, "src,dst\n1 2\nx\ny\nz\n3 4\n"), MR_OK);
    expect_edges(f, "1>2 3>4");
    expect_counts(f, 6, 0, 0, 2, 4, 0);
    assert_non_null(strstr(f->test.notes, "links.txt:1: \"src,dst\": the first field is no number; "
                                          "skipped\n"));
    assert_non_null(strstr(f->test.notes, ":4: \"y\""));
    assert_null(strstr(f->test.notes, ":5:"));
    f->options.max_bad = 4;
    assert_int_equal(read_text(f, "1 2\n"), MR_OK);
    assert_int_equal(read_text(f, "1 2\n?\n"), MR_ERROR_INPUT);
    assert_string_equal(test_context_error(&f->test),
                        "links.txt:2: \"?\": the first field is no number, and so the input has "
                        "more than 4 bad lines; raise --max-bad or mend the input");
}

static void dense_ids_are_below_their_number(void **state)
{
    struct fixture *f = *state;
    f->options.ids = MR_IDS_DENSE;
    f->options.n_vertices = f->build.n_vertices = 10;
    f->build.dense = true;
    assert_int_equal(read_text(f, "0 9\n 9 0\n"), MR_OK);
    expect_edges(f, "0>9 9>0");
    assert_int_equal(read_text(f, "0 9\n1 17\n"), MR_ERROR_INPUT);
    assert_string_equal(test_context_error(&f->test),
                        "links.txt:2: \"1 17\": vertex 17 is not below --vertices 10; skip such "
                        "lines with --bad-lines skip");
    assert_int_equal(read_text(f, " 10 9\n"), MR_ERROR_INPUT);
    assert_non_null(strstr(test_context_error(&f->test), "vertex 10 is not below --vertices 10"));
}

static void vertex_lists_declare_and_then_decide(void **state)
{
    struct fixture *f = *state;
    const char *list = "# ids\n5\n 7 \n\n9 x\n";
    assert_int_equal(read_file(f, list, strlen(list), true), MR_OK);
    assert_int_equal(f->build.n_declared, 3);
    assert_int_equal(f->build.vertices[2], 9);
    assert_int_equal(f->summary.vertices, 3);
    expect_counts(f, 5, 1, 1, 0, 0, 1);
    assert_int_equal(read_file(f, "1\nx\n", 4, true), MR_ERROR_INPUT);
    assert_string_equal(test_context_error(&f->test),
                        "links.txt:2: \"x\": the first field is no number; skip such lines with "
                        "--bad-lines skip");
    f->build.n_declared = 3;
    f->build.frozen = true;
    assert_int_equal(read_text(f, "5 7\n7 9\n5 17\n"), MR_ERROR_INPUT);
    assert_string_equal(test_context_error(&f->test),
                        "links.txt:3: \"5 17\": vertex 17 is not in the vertex list; skip such "
                        "lines with --bad-lines skip");
}

static void vertex_lists_of_names_have_whole_lines(void **state)
{
    struct fixture *f = *state;
    f->options.ids = MR_IDS_TEXT;
    const char *list = "# pages\nParis Hilton\n Rome \t2\n  \nhttp://a/ 2\n#a b\n% c\nd\\x01\n";
    static const char *const names[] = {"Paris Hilton", " Rome ", "http://a/",
                                        "#a b",         "% c",    "d\1"};
    assert_int_equal(read_file(f, list, strlen(list), true), MR_OK);
    assert_int_equal(f->build.n_names, 6);
    for (size_t i = 0; i < 6; i++) {
        assert_string_equal(f->build.names[i], names[i]);
    }
    expect_counts(f, 8, 1, 1, 0, 0, 2);
    assert_int_equal(read_file(f, "a\n\t2\n", 5, true), MR_ERROR_INPUT);
    assert_non_null(strstr(test_context_error(&f->test), "no name before the tab"));
}

static void names_are_read_as_they_are(void **state)
{
    struct fixture *f = *state;
    f->options.ids = MR_IDS_TEXT;
    assert_int_equal(read_text(f, "# comment\n#\n% from to\n#a b\nhttp://a/?x,y#z\thttp://b/%20\r\n"
                                  "  u   v  extra\n\n%a #b\n"),
                     MR_OK);
    expect_edges(f, "0>1 2>3 4>5 6>7");
    assert_string_equal(f->build.names[0], "#a");
    assert_string_equal(f->build.names[2], "http://a/?x,y#z");
    assert_string_equal(f->build.names[3], "http://b/%20");
    assert_string_equal(f->build.names[5], "v");
    assert_string_equal(f->build.names[6], "%a");
    assert_string_equal(f->build.names[7], "#b");
    expect_counts(f, 8, 3, 1, 4, 0, 1);
}

static void names_between_tabs_have_blanks(void **state)
{
    struct fixture *f = *state;
    f->options.ids = MR_IDS_TEXT;
    f->options.is_guessed = true;
    f->options.bad_lines = MR_BAD_LINES_SKIP;
    assert_int_equal(read_text(f, "New York\tParis, Texas\n# c\n a b \t#c d\r\nParis\t\\N\n\tx\n"
                                  "alone\na\tb\tc\n6\" disk\t\"Heroes\" (album)"),
                     MR_OK);
    expect_edges(f, "0>1 2>3 4>5");
    assert_string_equal(f->build.names[0], "New York");
    assert_string_equal(f->build.names[1], "Paris, Texas");
    assert_string_equal(f->build.names[2], " a b ");
    assert_string_equal(f->build.names[3], "#c d");
    assert_string_equal(f->build.names[4], "6\" disk");
    assert_string_equal(f->build.names[5], "\"Heroes\" (album)");
    assert_int_equal(f->summary.no_values, 2);
    assert_int_equal(f->summary.bad_lines, 2); /* one name, three */
    assert_int_equal(read_text(f, "a\tb\n\"a b\"\tc\n"), MR_OK);
    assert_int_equal(f->summary.bad_lines, 3); /* quotes around one */
}

static void bad_name_lines_leave_no_vertex(void **state)
{
    struct fixture *f = *state;
    f->options.ids = MR_IDS_TEXT;
    assert_int_equal(read_text(f, "a b\nlonely\n"), MR_ERROR_INPUT);
    assert_string_equal(test_context_error(&f->test),
                        "links.txt:2: \"lonely\": no second field; skip such lines with "
                        "--bad-lines skip");
    assert_int_equal(f->build.n_names, 2);
    char *line = malloc(70000);
    memset(line, 'x', 70000);
    memcpy(line, "short ", 6);
    assert_int_equal(read_file(f, line, 6 + 65537, false), MR_ERROR_INPUT);
    assert_non_null(strstr(test_context_error(&f->test), "a name is longer than 65536 bytes"));
    assert_int_equal(f->build.n_names, 2);
    assert_int_equal(read_file(f, line, 6 + 65536, false), MR_OK);
    assert_int_equal(f->build.n_names, 4);
    free(line);
    f->build.frozen = true;
    assert_int_equal(read_text(f, "a zz\na b\n"), MR_ERROR_INPUT);
    assert_string_equal(test_context_error(&f->test),
                        "links.txt:1: \"a zz\": the second name is not in the vertex list; skip "
                        "such lines with --bad-lines skip");
}

static void name_lists_intern(void **state)
{
    struct fixture *f = *state;
    f->options.ids = MR_IDS_TEXT;
    assert_int_equal(read_file(f, "# x\nb\na\n\0\n", 10, true), MR_OK);
    assert_int_equal(f->build.n_names, 3);
    assert_string_equal(f->build.names[1], "a");
    assert_int_equal(f->build.name_bytes[2], 1);
}

/* Reads random numbers that printf wrote: every length, every layout, many chunks and batches. */
static void large_files_give_what_was_printed(void **state)
{
    struct fixture *f = *state;
    const size_t n_lines = 200000;
    char *text = malloc(n_lines * 64);
    struct mr_edge *expected = malloc(n_lines * sizeof *expected);
    size_t used = 0, n_expected = 0;
    uint64_t seed = 42;
    for (size_t i = 0; i < n_lines; i++) {
        uint64_t u = test_random(&seed) >> test_random(&seed) % 64;
        uint64_t v = test_random(&seed) >> test_random(&seed) % 64;
        static const char *const separators[] = {" ", "\t", ",", " , ", "  "};
        static const char *const ends[] = {"\n", "\r\n", " \n", " 7\n", "#\n"};
        if (test_random(&seed) % 16 == 0) {
            used += (size_t)sprintf(text + used, "# %llu\n", (unsigned long long)u);
            continue;
        }
        used += (size_t)sprintf(text + used, "%llu%s%llu%s", (unsigned long long)u,
                                separators[test_random(&seed) % 5], (unsigned long long)v,
                                ends[test_random(&seed) % 20 % 5]);
        expected[n_expected++] = (struct mr_edge){u, v};
    }
    assert_int_equal(read_file(f, text, used, false), MR_OK);
    assert_int_equal(f->build.n_edges, n_expected);
    assert_memory_equal(f->build.edges, expected, n_expected * sizeof *expected);
    assert_int_equal(f->summary.lines, n_lines);
    assert_true(f->test.n_progress > 5);
    free(expected);
    free(text);
}

static void garbage_and_endless_lines_are_refused(void **state)
{
    struct fixture *f = *state;
    size_t bytes = 3 << 20;
    char *data = malloc(bytes);
    uint64_t seed = 5;
    memset(data, '7', bytes);
    memcpy(data, "1 2\n", 4);
    assert_int_equal(read_file(f, data, bytes, false), MR_ERROR_INPUT);
    assert_string_equal(test_context_error(&f->test),
                        "links.txt:2: the line is longer than 1048576 bytes; is this a text file?");
    f->options.bad_lines = MR_BAD_LINES_SKIP;
    for (int round = 0; round < 20; round++) {
        for (size_t i = 0; i < bytes; i += 8) {
            uint64_t r = test_random(&seed);
            memcpy(data + i, &r, 8);
        }
        f->options.ids = round % 2 == 0 ? MR_IDS_SPARSE : MR_IDS_TEXT;
        f->build.frozen = true; /* no new names are allowed */
        memcpy(data, "BZ", 2);
        assert_int_equal(read_file(f, data, 100000, false), MR_OK);
    }
    free(data);
}

static void the_builder_and_the_user_can_stop_it(void **state)
{
    struct fixture *f = *state;
    f->build.refuses = MR_ERROR_BUDGET;
    assert_int_equal(read_text(f, "1 2\n"), MR_ERROR_BUDGET);
    mr_error_clear(&f->test.err);
    f->build.refuses = MR_OK;
    volatile sig_atomic_t cancel = 1;
    f->test.context.cancel = &cancel;
    assert_int_equal(read_text(f, "1 2\n"), MR_INTERRUPTED);
}

static enum mr_id_kind detect(const char *text, unsigned n_fields)
{
    return mr_edge_text_detect(text, strlen(text), n_fields);
}

static void detection_looks_at_the_first_rows(void **state)
{
    (void)state;
    assert_int_equal(detect("", 2), MR_IDS_SPARSE);
    assert_int_equal(detect("# x\n% y\n\n1 2\n", 2), MR_IDS_SPARSE);
    assert_int_equal(detect("\xef\xbb\xbf"
                            "1,2\r\n",
                            2),
                     MR_IDS_SPARSE);
    assert_int_equal(detect("source,target\n1,2\n", 2), MR_IDS_SPARSE);
    assert_int_equal(detect("http://a http://b\nhttp://c http://d\n", 2), MR_IDS_TEXT);
    assert_int_equal(detect("1 http://b\n", 2), MR_IDS_TEXT);
    assert_int_equal(detect("1 2", 2), MR_IDS_SPARSE);
    assert_int_equal(detect("1", 2), MR_IDS_TEXT);
    assert_int_equal(detect("1", 1), MR_IDS_SPARSE);
    assert_int_equal(detect("a\nb\n", 1), MR_IDS_TEXT);
}

/* Makes many lines of every kind, about 14 bytes each. */
static char *make_lines(size_t n_lines, uint64_t seed, unsigned bad_in_1000, size_t *bytes)
{
    char *text = NULL;
    FILE *file = open_memstream(&text, bytes);
    for (size_t i = 0; i < n_lines; i++) {
        uint64_t a = test_random(&seed) >> (test_random(&seed) % 60), b = i;
        unsigned kind = (unsigned)(test_random(&seed) % 1000);
        if (kind < bad_in_1000) {
            (void)fprintf(file, "%llu x\n", (unsigned long long)a);
        } else if (kind > 995) {
            (void)fprintf(file, "# %llu\n", (unsigned long long)a);
        } else if (kind > 990) {
            (void)fprintf(file, " %llu , %llu 7 # c\r\n", (unsigned long long)a,
                          (unsigned long long)b);
        } else if (kind > 988) {
            (void)fprintf(file, "\n");
        } else {
            (void)fprintf(file, "%llu\t%llu\n", (unsigned long long)a, (unsigned long long)b);
        }
    }
    (void)fclose(file);
    return text;
}

static int compare_edges(const void *a, const void *b)
{
    const struct mr_edge *x = a, *y = b;
    if (x->target != y->target) {
        return x->target < y->target ? -1 : 1;
    }
    return (x->source > y->source) - (x->source < y->source);
}

/* Edges (apart from their order), counts, notes and the error must be those of one thread. */
static void read_on_threads(struct fixture *f, const char *text, size_t bytes)
{
    struct mr_edge *expected = NULL;
    struct mr_edge_text_summary summary = {0};
    size_t n_edges = 0;
    char error[1536] = "", notes[4096] = "";
    enum mr_status status = MR_OK;
    for (unsigned threads = 1; threads <= 5; threads += 2) {
        forget(f);
        f->test.context.threads = threads;
        const enum mr_status got = read_file(f, text, bytes, false);
        if (threads == 1) {
            status = got;
            n_edges = f->build.n_edges;
            summary = f->summary;
            expected = malloc((n_edges + 1) * sizeof *expected);
            assert_non_null(expected);
            if (n_edges > 0) {
                memcpy(expected, f->build.edges, n_edges * sizeof *expected);
            }
            (void)snprintf(error, sizeof error, "%s", test_context_error(&f->test));
            (void)snprintf(notes, sizeof notes, "%s", f->test.notes);
            continue;
        }
        assert_int_equal(got, status);
        assert_string_equal(test_context_error(&f->test), error);
        assert_string_equal(f->test.notes, notes);
        if (status == MR_OK) {
            assert_memory_equal(&f->summary, &summary, sizeof summary);
            assert_int_equal(f->build.n_edges, n_edges);
            if (n_edges > 0) {
                qsort(expected, n_edges, sizeof *expected, compare_edges);
                qsort(f->build.edges, n_edges, sizeof *expected, compare_edges);
                assert_memory_equal(f->build.edges, expected, n_edges * sizeof *expected);
            }
        }
    }
    free(expected);
    f->test.context.threads = 1;
}

static void threads_do_not_show(void **state)
{
    struct fixture *f = *state;
    for (unsigned seed = 1; seed <= 12; seed++) {
        size_t bytes = 0;
        char *text = make_lines(seed % 4 == 0 ? 100 : 150000, seed, seed % 3, &bytes);
        f->options.bad_lines = seed % 2 == 0 ? MR_BAD_LINES_SKIP : MR_BAD_LINES_FAIL;
        f->options.max_bad = seed % 4 == 2 ? 100 : 0;
        read_on_threads(f, text, bytes);
        free(text);
    }
}

/* Lines of a few names, which get their ids in the order of the input; `bad_in_1000` of them have
 * one name. */
static char *make_names(size_t n_lines, uint64_t seed, unsigned bad_in_1000, size_t *bytes)
{
    char *text = NULL;
    FILE *file = open_memstream(&text, bytes);
    for (size_t i = 0; i < n_lines; i++) {
        const unsigned a = (unsigned)(test_random(&seed) % (1 + i * MAX_NAMES / n_lines));
        const unsigned b = (unsigned)(test_random(&seed) % MAX_NAMES);
        const unsigned kind = (unsigned)(test_random(&seed) % 1000);
        const char *end = kind % 7 == 0 ? "\r\n" : kind % 5 == 0 ? "\tmore\n" : "\n";
        if (kind < bad_in_1000) {
            (void)fprintf(file, "  http://host%u.example/\n", a);
        } else if (kind > 990) {
            (void)fprintf(file, kind % 2 == 0 ? "# a comment\n" : "\n");
        } else {
            (void)fprintf(file, "http://host%u.example/  http://host%u.example/%s", a, b, end);
        }
    }
    (void)fclose(file);
    return text;
}

static void threads_do_not_show_in_names(void **state)
{
    struct fixture *f = *state;
    f->options.ids = MR_IDS_TEXT;
    for (unsigned seed = 1; seed <= 6; seed++) {
        size_t bytes = 0;
        char *text = make_names(seed == 4 ? 100 : 40000, seed, seed % 3, &bytes);
        f->options.bad_lines = seed % 2 == 0 ? MR_BAD_LINES_SKIP : MR_BAD_LINES_FAIL;
        f->options.max_bad = seed == 2 ? 20 : 0;
        read_on_threads(f, text, bytes);
        free(text);
    }
}

/* A chunk has many more of such lines than a batch, and threads read their chunks to the end when
 * the first line ends the run. */
static void threads_stop_in_the_middle_of_short_names(void **state)
{
    struct fixture *f = *state;
    const size_t n_lines = 1000000, bytes = 2 + 4 * n_lines;
    char *text = malloc(bytes);
    memcpy(text, "x\n", 2);
    for (size_t i = 0; i < n_lines; i++) {
        memcpy(text + 2 + 4 * i, "a b\n", 4);
    }
    f->options.ids = MR_IDS_TEXT;
    for (unsigned round = 0; round < 20; round++) {
        forget(f);
        f->test.context.threads = 8;
        assert_int_equal(read_file(f, text, bytes, false), MR_ERROR_INPUT);
        assert_string_equal(test_context_error(&f->test),
                            "links.txt:1: \"x\": no second field; " MR_ADVICE_SKIP);
        mr_error_clear(&f->test.err);
    }
    free(text);
    f->test.context.threads = 1;
}

/* An unreadable line is reported after the lines before it, with its line number. */
static void threads_report_what_cannot_be_read(void **state)
{
    struct fixture *f = *state;
    size_t bytes = 0, endless = (size_t)3 << 20;
    char *text = make_lines(100000, 5, 0, &bytes), *all = malloc(bytes + endless);
    size_t n_lines = 0;
    char expected[1536] = "";
    for (size_t i = 0; i < bytes; i++) {
        n_lines += text[i] == '\n';
    }
    memcpy(all, text, bytes);
    memset(all + bytes, '1', endless);
    (void)snprintf(expected, sizeof expected,
                   "links.txt:%zu: the line is longer than 1048576 bytes; is this a text file?",
                   n_lines + 1);
    for (unsigned threads = 1; threads <= 4; threads++) {
        forget(f);
        f->test.context.threads = threads;
        assert_int_equal(read_file(f, all, bytes + endless, false), MR_ERROR_INPUT);
        assert_string_equal(test_context_error(&f->test), expected);
    }
    for (unsigned threads = 1; threads <= 4; threads++) {
        forget(f);
        f->test.context.threads = threads;
        f->build.refuses = MR_ERROR_BUDGET;
        assert_int_equal(read_file(f, text, bytes, false), MR_ERROR_BUDGET);
        mr_error_clear(&f->test.err);
    }
    free(all);
    free(text);
    f->test.context.threads = 1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(numbers_are_read_in_every_layout, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_empty_input_has_no_edges, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_byte_order_mark_is_skipped, set_up, tear_down),
        cmocka_unit_test_setup_teardown(all_of_64_bits_can_be_used, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bad_lines_stop_with_line_text_and_reason, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(nobody_is_told_to_skip_all_lines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bad_lines_can_be_skipped_up_to_a_limit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(dense_ids_are_below_their_number, set_up, tear_down),
        cmocka_unit_test_setup_teardown(vertex_lists_declare_and_then_decide, set_up, tear_down),
        cmocka_unit_test_setup_teardown(vertex_lists_of_names_have_whole_lines, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_are_read_as_they_are, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_between_tabs_have_blanks, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bad_name_lines_leave_no_vertex, set_up, tear_down),
        cmocka_unit_test_setup_teardown(name_lists_intern, set_up, tear_down),
        cmocka_unit_test_setup_teardown(large_files_give_what_was_printed, set_up, tear_down),
        cmocka_unit_test_setup_teardown(garbage_and_endless_lines_are_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_builder_and_the_user_can_stop_it, set_up, tear_down),
        cmocka_unit_test_setup_teardown(threads_do_not_show, set_up, tear_down),
        cmocka_unit_test_setup_teardown(threads_do_not_show_in_names, set_up, tear_down),
        cmocka_unit_test_setup_teardown(threads_stop_in_the_middle_of_short_names, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(threads_report_what_cannot_be_read, set_up, tear_down),
        cmocka_unit_test(detection_looks_at_the_first_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
