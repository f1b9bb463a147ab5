/* SPDX-License-Identifier: Apache-2.0 */
/* Score files and arrays against expected bytes. The names are a fake: an array of strings. */
#include "formats/score/scores.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "formats/score/score_reader.h"
#include "tests/support/test_streams.h"

struct mr_names {
    const char *const *names; /* NULL: "v" and the number */
    const uint32_t *vertices; /* by position; NULL: vertex v is at position v */
    const char *const *spellings; /* [n], one of each vertex or NULL; NULL: no vertex has any */
    uint64_t n;
    bool are_read; /* they wait for their rows */
    uint32_t latest; /* the vertex that mr_names_get got last */
    char text[32];
};

struct mr_name_cursor {
    struct mr_names *names;
    uint64_t next;
    char text[32];
};

enum mr_status mr_names_get(struct mr_names *names, uint32_t vertex, const char **name,
                            size_t *name_bytes, struct mr_error *err)
{
    (void)err;
    (void)snprintf(names->text, sizeof names->text, "v%u", vertex);
    *name = names->names != NULL ? names->names[vertex] : names->text;
    *name_bytes = strlen(*name);
    names->latest = vertex;
    return MR_OK;
}

const char *mr_names_spellings(const struct mr_names *names, size_t *bytes)
{
    const char *spelling = names->spellings != NULL ? names->spellings[names->latest] : NULL;
    *bytes = spelling != NULL ? strlen(spelling) : 0;
    return spelling;
}

const char *mr_name_next_spelling(const char **at, size_t *bytes, size_t *spelling_bytes)
{
    *spelling_bytes = *bytes;
    *bytes = 0;
    return *spelling_bytes > 0 ? *at : NULL;
}

bool mr_names_are_numbers(const struct mr_names *names)
{
    return names == NULL;
}

bool mr_names_are_ordered(const struct mr_names *names)
{
    return names->vertices != NULL;
}

enum mr_status mr_names_vertex(struct mr_names *names, uint32_t position, uint32_t *vertex,
                               struct mr_error *err)
{
    (void)err;
    *vertex = names->vertices == NULL ? position : names->vertices[position];
    return MR_OK;
}

uint64_t mr_names_walk_length(const struct mr_names *names)
{
    return names->are_read ? names->n : UINT64_MAX;
}

enum mr_status mr_names_position(struct mr_names *names, uint32_t vertex, uint32_t *position,
                                 struct mr_error *err)
{
    (void)err;
    for (*position = 0; names->vertices != NULL && names->vertices[*position] != vertex;) {
        (*position)++;
    }
    *position = names->vertices == NULL ? vertex : *position;
    return MR_OK;
}

enum mr_status mr_name_cursor_open(struct mr_names *names, uint32_t first,
                                   struct mr_name_cursor **out, struct mr_error *err)
{
    (void)err;
    *out = malloc(sizeof **out);
    assert_non_null(*out);
    **out = (struct mr_name_cursor){.names = names, .next = first};
    return MR_OK;
}

enum mr_status mr_name_cursor_next(struct mr_name_cursor *cursor, const char **name,
                                   size_t *name_bytes, struct mr_error *err)
{
    const struct mr_names *names = cursor->names;
    (void)err;
    *name = NULL;
    if (cursor->next < names->n) {
        (void)snprintf(cursor->text, sizeof cursor->text, "v%u", (unsigned)cursor->next);
        *name = names->names != NULL ? names->names[cursor->next] : cursor->text;
        *name_bytes = strlen(*name);
        cursor->next++;
    }
    return MR_OK;
}

void mr_name_cursor_seek(struct mr_name_cursor *cursor, uint64_t position)
{
    cursor->next = position;
}

uint32_t mr_name_cursor_vertex(const struct mr_name_cursor *cursor)
{
    uint32_t vertex = 0;
    assert_int_equal(mr_names_vertex(cursor->names, (uint32_t)cursor->next - 1, &vertex, NULL),
                     MR_OK);
    return vertex;
}

void mr_name_cursor_close(struct mr_name_cursor *cursor)
{
    free(cursor);
}

struct fixture {
    struct test_context test;
    struct mr_names names;
    struct mr_scores_options options;
    struct mr_scores_summary summary;
    char path[PATH_MAX];
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    *state = f;
    f->options.struct_size = sizeof f->options;
    int failed = test_context_make(&f->test, 64u << 20);
    (void)test_dir_path(&f->test.dir, "scores.tsv", f->path);
    return failed;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    test_context_remove(&f->test);
    free(f);
    return 0;
}

static enum mr_status write_scores(struct fixture *f, const struct mr_score_column *columns,
                                   unsigned n_columns)
{
    return mr_scores_write(&f->test.context, f->path, &f->names, f->names.n, columns, n_columns,
                           &f->options, &f->summary, &f->test.err);
}

static void expect_file(struct fixture *f, const char *expected)
{
    assert_true(test_dir_equals(f->path, expected, strlen(expected)));
}

static void rows_come_in_vertex_order(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = {"http://a/", "b\tc\n", "#d"};
    static const double hubs[] = {0.1, 0, 1e-300};
    static const float authorities[] = {0.1f, -0.0f, 3};
    const struct mr_score_column columns[] = {{"hub", MR_SCORES_DOUBLE, hubs, NULL},
                                              {"authority", MR_SCORES_FLOAT, authorities, NULL}};
    f->names = (struct mr_names){.names = names, .n = 3};
    assert_int_equal(write_scores(f, columns, 2), MR_OK);
    expect_file(f, "http://a/\t0.1\t0.10000000149011612\n"
                   "b\\x09c\\x0a\t0\t-0\n"
                   "#d\t1e-300\t3\n");
    assert_int_equal(f->summary.rows, 3);
    assert_int_equal(f->summary.escaped, 1);
    f->options.force = f->options.header = true;
    assert_int_equal(write_scores(f, columns, 1), MR_OK);
    expect_file(f, "name\thub\nhttp://a/\t0.1\nb\\x09c\\x0a\t0\n#d\t1e-300\n");
    f->names.n = 0;
    assert_int_equal(write_scores(f, columns, 1), MR_OK);
    expect_file(f, "name\thub\n");
}

/* Labels of vertices are names: more of them than are kept, and twice the same. */
static void labels_are_names_and_words(void **state)
{
    struct fixture *f = *state;
    enum { N = 20000 };
    static uint32_t labels[N];
    static uint8_t parts[N];
    static const double scores[N] = {0.5, 2};
    static const char *const names[] = {"a\"", "b,\t", "c"}, *const words[] = {"core", "in"};
    struct mr_score_column columns[] = {{"label", MR_SCORES_VERTEX, labels, NULL},
                                        {"part", MR_SCORES_WORD, parts, words},
                                        {"score", MR_SCORES_DOUBLE, scores, NULL}};
    labels[0] = 2;
    labels[1] = labels[2] = parts[1] = 1;
    f->names = (struct mr_names){.names = names, .n = 3};
    f->options.force = f->options.header = true;
    assert_int_equal(write_scores(f, columns, 3), MR_OK);
    expect_file(f, "name\tlabel\tpart\tscore\na\"\tc\tcore\t0.5\nb,\\x09\tb,\\x09\tin\t2\n"
                   "c\tb,\\x09\tcore\t0\n");
    assert_int_equal(f->summary.escaped, 1);
    (void)test_dir_path(&f->test.dir, "labels.csv", f->path);
    assert_int_equal(write_scores(f, columns, 2), MR_OK);
    expect_file(f, "name,label,part\n\"a\"\"\",c,core\n\"b,\\x09\",\"b,\\x09\",in\n"
                   "c,\"b,\\x09\",core\n");
    (void)test_dir_path(&f->test.dir, "labels.jsonl", f->path);
    assert_int_equal(write_scores(f, columns, 2), MR_OK);
    expect_file(f, "{\"name\":\"a\\\"\",\"label\":\"c\",\"part\":\"core\"}\n"
                   "{\"name\":\"b,\\\\x09\",\"label\":\"b,\\\\x09\",\"part\":\"in\"}\n"
                   "{\"name\":\"c\",\"label\":\"b,\\\\x09\",\"part\":\"core\"}\n");
    for (int i = 0; i < 4; i++) { /* one of vertices, one of words, to each of two files */
        (void)test_dir_path(&f->test.dir, i < 2 ? "labels.npy" : "score_uri.txt", f->path);
        assert_int_equal(write_scores(f, &columns[i % 2], 1), MR_ERROR_USAGE);
    }
    (void)test_dir_path(&f->test.dir, "labels.tsv", f->path);
    f->names = (struct mr_names){.n = N};
    for (uint32_t v = 0; v < N; v++) {
        labels[v] = v % 3 == 0 ? (N - 1 - v) / 2 : N / 2;
    }
    assert_int_equal(write_scores(f, columns, 1), MR_OK);
    FILE *file = fopen(f->path, "r");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "name\tlabel\n"), 0);
    for (uint32_t v = 0; v < N; v++) {
        unsigned name, label;
        assert_int_equal(fscanf(file, "v%u\tv%u\n", &name, &label), 2);
        assert_true(name == v && label == labels[v]);
    }
    assert_int_equal(fclose(file), 0);
}

static void scores_read_back_to_the_same_bits(void **state)
{
    struct fixture *f = *state;
    enum { N = 20000 };
    double *scores = malloc(N * sizeof *scores);
    struct mr_input *input = NULL;
    struct mr_score_reader *reader = NULL;
    uint64_t seed = 7;
    for (size_t i = 0; i < N; i++) {
        do {
            uint64_t bits = test_random(&seed);
            memcpy(&scores[i], &bits, sizeof bits);
        } while (!isfinite(scores[i]));
    }
    const struct mr_score_column column = {"score", MR_SCORES_DOUBLE, scores, NULL};
    f->names.n = N;
    assert_int_equal(write_scores(f, &column, 1), MR_OK);
    assert_int_equal(mr_input_open(&f->test.context, f->path, &input, NULL), MR_OK);
    assert_int_equal(mr_score_reader_open(&f->test.context, input, NULL, 0, &reader, NULL), MR_OK);
    for (size_t i = 0; i < N; i++) {
        struct mr_row row;
        bool is_end;
        assert_int_equal(mr_score_reader_next(reader, &row, &is_end, NULL), MR_OK);
        assert_false(is_end);
        assert_memory_equal(row.values, &scores[i], sizeof scores[i]);
    }
    mr_score_reader_close(reader);
    mr_input_close(input);
    free(scores);
}

static void the_best_are_sorted_and_ties_go_by_vertex(void **state)
{
    struct fixture *f = *state;
    static const double scores[] = {0.5, 0.25, 0.5, 0, 0.75, 0.25};
    static const double others[] = {0, 1, 2, 3, 4, 5};
    const struct mr_score_column columns[] = {{"a", MR_SCORES_DOUBLE, scores, NULL},
                                              {"b", MR_SCORES_DOUBLE, others, NULL}};
    f->names.n = 6;
    f->options.force = f->options.only_top = true;
    f->options.top = 4;
    assert_int_equal(write_scores(f, columns, 1), MR_OK);
    expect_file(f, "v4\t0.75\nv0\t0.5\nv2\t0.5\nv1\t0.25\n");
    f->options.top = UINT64_MAX;
    f->options.top_column = 1;
    assert_int_equal(write_scores(f, columns, 2), MR_OK);
    expect_file(f, "v5\t0.25\t5\nv4\t0.75\t4\nv3\t0\t3\nv2\t0.5\t2\nv1\t0.25\t1\nv0\t0.5\t0\n");
    f->options.top = 0;
    assert_int_equal(write_scores(f, columns, 2), MR_OK);
    expect_file(f, "");
}

static void originals_are_the_first_spellings(void **state)
{
    struct fixture *f = *state;
    static const double scores[] = {1, 2, 3};
    static const char *const spellings[] = {"zero", NULL, "two"};
    const struct mr_score_column column = {"a", MR_SCORES_DOUBLE, scores, NULL};
    f->names.n = 3;
    f->names.spellings = spellings;
    f->options.force = f->options.only_top = true;
    f->options.top = 3;
    assert_int_equal(write_scores(f, &column, 1), MR_OK);
    expect_file(f, "v2\t3\nv1\t2\nv0\t1\n");
    f->options.originals = true;
    assert_int_equal(write_scores(f, &column, 1), MR_OK);
    expect_file(f, "two\t3\nv1\t2\nzero\t1\n");
}

/* Checks the heap against the definition of an order: the rank of a vertex is the number of better
 * ones. */
static void the_best_of_many_agree_with_counting(void **state)
{
    struct fixture *f = *state;
    enum { N = 3000 };
    static float scores[N];
    uint64_t seed = 1;
    for (size_t i = 0; i < N; i++) {
        scores[i] = (float)(test_random(&seed) % 500);
    }
    const struct mr_score_column column = {"score", MR_SCORES_FLOAT, scores, NULL};
    f->names.n = N;
    f->options.force = f->options.only_top = true;
    static const uint64_t tops[] = {1, 2, 3, 100, 2999, 3000};
    for (size_t t = 0; t < 6; t++) {
        char *expected = calloc(tops[t] + 1, 32), *all = calloc(tops[t] + 1, 32);
        size_t used = 0;
        for (size_t v = 0; v < N; v++) {
            size_t rank = 0;
            for (size_t u = 0; u < N; u++) {
                rank += scores[u] > scores[v] || (scores[u] == scores[v] && u < v);
            }
            if (rank < tops[t]) {
                (void)snprintf(expected + 32 * rank, 32, "v%zu\t%.17g\n", v, (double)scores[v]);
            }
        }
        for (size_t i = 0; i < tops[t]; i++) {
            used += (size_t)snprintf(all + used, 32, "%s", expected + 32 * i);
        }
        f->options.top = tops[t];
        assert_int_equal(write_scores(f, &column, 1), MR_OK);
        expect_file(f, all);
        free(all);
        free(expected);
    }
}

static const double *ordered_by;

static int compare_positions(const void *left, const void *right)
{
    const uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    const double x = ordered_by[a], y = ordered_by[b];
    return x != y ? (x < y) * 2 - 1 : (a > b) - (a < b);
}

/* Negative scores, both zeros, ties, and scores that differ in the last bits only, in several parts
 * and by several threads, of all vertices or of two thirds, are where qsort puts them. */
static void all_rows_are_sorted(void **state)
{
    struct fixture *f = *state;
    enum { N = 70000 };
    static double scores[N];
    static uint32_t positions[N];
    static uint8_t chosen[N / 8 + 1];
    uint64_t seed = 7;
    for (uint32_t i = 0; i < N; i++) {
        const double small = (double)(test_random(&seed) % 4096) * 0x1p-52;
        const double kinds[] = {1 + small, -1 - small, 0.0, -0.0, ldexp(1, (int)(i % 90) - 60)};
        scores[i] = kinds[test_random(&seed) % 5];
        positions[i] = i;
        chosen[i / 8] |= (uint8_t)((i % 3 != 0) << i % 8);
    }
    ordered_by = scores;
    qsort(positions, N, sizeof *positions, compare_positions);
    const struct mr_score_column column = {"score", MR_SCORES_DOUBLE, scores, NULL};
    f->names.n = N;
    f->options.force = f->options.only_top = f->options.header = true;
    f->options.top = UINT64_MAX;
    for (unsigned round = 0; round < 8; round++) {
        f->test.context.threads = 1 + round % 4;
        f->names.are_read = round % 2 == 1;
        f->options.chosen = round >= 4 ? chosen : NULL;
        assert_int_equal(write_scores(f, &column, 1), MR_OK);
        FILE *file = fopen(f->path, "r");
        assert_non_null(file);
        assert_int_equal(fscanf(file, "name\tscore\n"), 0);
        for (uint32_t i = 0; i < N; i++) {
            unsigned vertex = N;
            double score = 0;
            if (!mr_score_is_chosen(f->options.chosen, positions[i])) {
                continue;
            }
            assert_int_equal(fscanf(file, "v%u\t%lf\n", &vertex, &score), 2);
            assert_int_equal(vertex, positions[i]);
            assert_true(score == scores[vertex]);
        }
        assert_int_equal(fgetc(file), EOF);
        (void)fclose(file);
    }
}

static void npy_files_are_what_numpy_documents(void **state)
{
    struct fixture *f = *state;
    static const double x[] = {1, 2.5, -3};
    static const float y[] = {1, 2.5, -3}, z[] = {4, 5, 6};
    const struct mr_score_column one = {"x", MR_SCORES_DOUBLE, x, NULL};
    const struct mr_score_column two[] = {{"y", MR_SCORES_FLOAT, y, NULL},
                                          {"z", MR_SCORES_FLOAT, z, NULL}};
    const struct mr_score_column mixed[] = {one, two[0]};
    char expected[256];
    (void)test_dir_path(&f->test.dir, "scores.npy", f->path);
    f->names.n = 3;
    f->options.force = true;
    memset(expected, ' ', sizeof expected);
    memcpy(expected, "\x93NUMPY\x01\x00\x76\x00", 10);
    memcpy(expected + 10, "{'descr': '<f8', 'fortran_order': False, 'shape': (3,), }", 57);
    expected[127] = '\n';
    memcpy(expected + 128, x, sizeof x);
    assert_int_equal(write_scores(f, &one, 1), MR_OK);
    assert_true(test_dir_equals(f->path, expected, 128 + sizeof x));
    assert_int_equal(f->summary.rows, 3);
    memcpy(expected + 10, "{'descr': '<f4', 'fortran_order': True, 'shape': (3, 2), }", 58);
    memcpy(expected + 128, y, sizeof y);
    memcpy(expected + 128 + sizeof y, z, sizeof z);
    assert_int_equal(write_scores(f, two, 2), MR_OK);
    assert_true(test_dir_equals(f->path, expected, 128 + sizeof y + sizeof z));
    assert_int_equal(write_scores(f, mixed, 2), MR_ERROR_USAGE);
    mr_error_clear(&f->test.err);
    f->options.only_top = true;
    assert_int_equal(write_scores(f, two, 1), MR_ERROR_USAGE);
    assert_string_equal(test_context_error(&f->test),
                        "scores.npy: the best pages first need names, "
                        "which a .npy cannot hold; name another "
                        "file");
}

static void rows_come_in_the_order_of_the_names_where_vertices_have_another(void **state)
{
    enum { N = 3000 };
    struct fixture *f = *state;
    static uint32_t vertices[N];
    static double scores[N], expected[N];
    const struct mr_score_column column = {"score", MR_SCORES_DOUBLE, scores, NULL};
    char text[256];
    for (uint32_t position = 0; position < N; position++) {
        vertices[position] = position * 7 % N;
        expected[position] = position;
        scores[vertices[position]] = position;
    }
    f->names = (struct mr_names){.vertices = vertices, .n = 3};
    assert_int_equal(write_scores(f, &column, 1), MR_OK);
    expect_file(f, "v0\t0\nv1\t1\nv2\t2\n");
    f->names.n = N;
    (void)test_dir_path(&f->test.dir, "scores.npy", f->path);
    assert_int_equal(write_scores(f, &column, 1), MR_OK);
    FILE *file = fopen(f->path, "rb");
    assert_non_null(file);
    assert_int_equal(fread(text, 1, 128, file), 128);
    assert_int_equal(fread(scores, sizeof *scores, N, file), N);
    assert_int_equal(fclose(file), 0);
    assert_memory_equal(scores, expected, sizeof expected);
}

static void names_go_beside(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = {"a", "b c"};
    f->names = (struct mr_names){.names = names, .n = 2};
    assert_int_equal(
        mr_scores_write_names(&f->test.context, f->path, &f->names, 2, false, &f->summary, NULL),
        MR_OK);
    expect_file(f, "a\nb c\n");
    assert_int_equal(f->summary.rows, 2);
}

static void too_few_names_and_interruption_leave_no_file(void **state)
{
    struct fixture *f = *state;
    static const double scores[] = {1, 2, 3};
    const struct mr_score_column column = {"score", MR_SCORES_DOUBLE, scores, NULL};
    f->names.n = 2;
    assert_int_equal(mr_scores_write(&f->test.context, f->path, &f->names, 3, &column, 1,
                                     &f->options, NULL, &f->test.err),
                     MR_ERROR_CORRUPT);
    mr_error_clear(&f->test.err);
    volatile sig_atomic_t cancel = 1;
    f->test.context.cancel = &cancel;
    assert_int_equal(write_scores(f, &column, 1), MR_INTERRUPTED);
    assert_int_equal(test_dir_count(f->test.dir.path), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rows_come_in_vertex_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(labels_are_names_and_words, set_up, tear_down),
        cmocka_unit_test_setup_teardown(scores_read_back_to_the_same_bits, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_best_are_sorted_and_ties_go_by_vertex, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(originals_are_the_first_spellings, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_best_of_many_agree_with_counting, set_up, tear_down),
        cmocka_unit_test_setup_teardown(all_rows_are_sorted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(npy_files_are_what_numpy_documents, set_up, tear_down),
        cmocka_unit_test_setup_teardown(
            rows_come_in_the_order_of_the_names_where_vertices_have_another, set_up, tear_down),
        cmocka_unit_test_setup_teardown(names_go_beside, set_up, tear_down),
        cmocka_unit_test_setup_teardown(too_few_names_and_interruption_leave_no_file, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
