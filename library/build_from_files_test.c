/* SPDX-License-Identifier: Apache-2.0 */
/* A build from files gives the store that the same links in arrays give, whatever format they
 * are in. */
#include <string.h>

#include "millrace/millrace.h"
#include "tests/support/test.h"
#include "tests/support/test_dir.h"

struct fixture {
    struct test_dir dir;
    struct mr_context *context;
    char store[PATH_MAX], other[PATH_MAX], input[PATH_MAX], second[PATH_MAX], kept[PATH_MAX];
};

static int set_up(void **state)
{
    static struct fixture f;
    *state = &f;
    if (!test_dir_make(&f.dir, NULL) || mr_context_create(NULL, &f.context, NULL) != MR_OK) {
        return -1;
    }
    (void)snprintf(f.store, sizeof f.store, "%s/a.mill", f.dir.path);
    (void)snprintf(f.other, sizeof f.other, "%s/b.mill", f.dir.path);
    (void)snprintf(f.input, sizeof f.input, "%s/links", f.dir.path);
    (void)snprintf(f.second, sizeof f.second, "%s/more", f.dir.path);
    (void)snprintf(f.kept, sizeof f.kept, "%s/kept", f.dir.path);
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    mr_context_destroy(f->context);
    test_dir_remove(&f->dir);
    return 0;
}

static void put(const char *path, const char *text)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static uint64_t id_of(struct fixture *f, const char *path)
{
    struct mr_store_figures figures = {.struct_size = sizeof figures};
    struct mr_store *store = NULL;
    struct mr_check_summary checked;
    assert_int_equal(mr_store_check(f->context, path, true, &checked, NULL), MR_OK);
    assert_int_equal(mr_store_open(f->context, path, &store, NULL), MR_OK);
    mr_store_describe(store, &figures);
    assert_true(checked.vertices == figures.n_vertices && checked.edges == figures.n_edges);
    mr_store_close(store);
    return figures.store_id;
}

static void test_formats_are_found_by_content(void **state)
{
    static const char *const texts[] = {
        "# comment\n5 7\n7 5\n7 9\n", /* lines of numbers */
        "from,to\n5,7\n7,5\n7,9\n", /* a table */
    };
    struct fixture *f = *state;
    struct mr_store_build_options options = {.struct_size = sizeof options, .force = true};
    const char *inputs[] = {f->input};
    uint64_t expected = 0;
    for (size_t i = 0; i < 2; i++) {
        struct mr_store_build_figures figures = {.struct_size = sizeof figures};
        put(f->input, texts[i]);
        assert_int_equal(
            mr_store_build_files(f->context, f->other, inputs, 1, &options, &figures, NULL), MR_OK);
        assert_int_equal(figures.n_edges, 3);
        expected = i == 0 ? id_of(f, f->other) : expected;
        assert_true(id_of(f, f->other) == expected);
    }
}

static void test_files_say_where_links_go(void **state)
{
    struct fixture *f = *state;
    struct mr_store_build_options options = MR_STORE_BUILD_OPTIONS_INIT;
    struct mr_store_build_figures figures = {.struct_size = sizeof figures};
    const char *inputs[] = {f->input};

    put(f->input, "% sym\n1 2\n2 3\n3 3\n");
    options.force = true;
    for (int directed = 0; directed < 2; directed++) {
        options.directed = directed;
        assert_int_equal(
            mr_store_build_files(f->context, f->other, inputs, 1, &options, &figures, NULL), MR_OK);
        assert_int_equal(figures.n_edges, directed ? 3 : 5);
    }
}

static void test_names_and_several_files(void **state)
{
    struct fixture *f = *state;
    const char *const names[] = {"http://a.example/", "http://b.example/", "http://b.example/1"};
    const uint64_t sources[] = {0, 2}, targets[] = {1, 0};
    const struct mr_memory_edges arrays = {.struct_size = sizeof arrays,
                                           .n_edges = 2,
                                           .sources = sources,
                                           .targets = targets,
                                           .names = names,
                                           .n_names = 3};
    const struct mr_store_build_options options = {
        .struct_size = sizeof options, .columns = "target-source", .profile = "wayback"};
    const struct mr_store_build_options same = {.struct_size = sizeof same, .profile = "wayback"};
    const char *inputs[] = {f->input, f->second};
    put(f->input, "http://b.example/\thttp://a.example/\n");
    put(f->second, "http://a.example/\thttp://b.example/1\n");
    assert_int_equal(mr_store_build_files(f->context, f->store, inputs, 2, &options, NULL, NULL),
                     MR_OK);
    assert_int_equal(mr_store_build_edges(f->context, f->other, &arrays, &same, NULL, NULL), MR_OK);
    assert_true(id_of(f, f->store) == id_of(f, f->other));
}

static void expect_refusal(struct fixture *f, const struct mr_store_build_options *options,
                           enum mr_status status, const char *message)
{
    const char *inputs[] = {f->input};
    struct mr_error err = {0};
    char text[1400];
    const size_t dir_bytes = strlen(f->dir.path) + 1;

    assert_int_equal(mr_store_build_files(f->context, f->store, inputs, 1, options, NULL, &err),
                     status);
    (void)mr_error_text(&err, text, sizeof text);
    assert_string_equal(strncmp(text, f->dir.path, dir_bytes - 1) == 0 ? text + dir_bytes : text,
                        message);
    assert_false(mr_store_probe(f->store));
}

static void test_refusals(void **state)
{
    struct fixture *f = *state;
    struct mr_store_build_options options = {.struct_size = sizeof options, .format = "nonesuch"};
    struct mr_error err = {0};

    put(f->input, "1 2\n3 x\n5 6\nz\n");
    expect_refusal(f, NULL, MR_ERROR_INPUT,
                   "links:2: \"3 x\": the second field is no number; skip such lines with "
                   "--bad-lines skip");
    assert_int_equal(mr_store_build_files(f->context, f->store, NULL, 0, NULL, NULL, &err),
                     MR_ERROR_USAGE);
    assert_string_equal(err.message, "no inputs");
    mr_error_clear(&err);
    const char *inputs[] = {f->input};
    assert_int_equal(mr_store_build_files(f->context, f->store, inputs, 1, &options, NULL, &err),
                     MR_ERROR_USAGE);
    assert_true(strncmp(err.message, "format nonesuch: must be auto, ", 31) == 0);
    options = (struct mr_store_build_options){.struct_size = sizeof options, .max_bad_lines = 2};
    expect_refusal(f, &options, MR_ERROR_USAGE, "--max-bad needs --bad-lines skip");

    /* Skipped, and counted. */
    struct mr_store_build_figures figures = {.struct_size = sizeof figures};
    options.skip_bad_lines = true;
    assert_int_equal(
        mr_store_build_files(f->context, f->store, inputs, 1, &options, &figures, NULL), MR_OK);
    assert_int_equal(figures.bad_lines, 2);
    assert_int_equal(figures.n_edges, 2);
}

static void test_an_append_makes_the_store_of_one_build(void **state)
{
    struct fixture *f = *state;
    const char *inputs[] = {f->input, f->second};
    const char *gone[] = {f->kept};
    struct mr_store_append_options options = MR_STORE_APPEND_OPTIONS_INIT;
    struct mr_store_build_options reading = MR_STORE_BUILD_OPTIONS_INIT;
    struct mr_store_append_figures figures = {.struct_size = sizeof figures};
    struct mr_error err = {0};

    put(f->input, "a b\nb c\n");
    put(f->second, "b a\na b\n");
    assert_int_equal(mr_store_build_files(f->context, f->store, inputs, 1, NULL, NULL, NULL),
                     MR_OK);
    assert_int_equal(mr_store_build_files(f->context, f->other, inputs, 2, NULL, NULL, NULL),
                     MR_OK);
    assert_int_equal(
        mr_store_append_files(f->context, f->store, inputs + 1, 1, NULL, &figures, NULL), MR_OK);
    assert_true(id_of(f, f->store) == id_of(f, f->other));
    assert_true(figures.n_new_links == 1 && figures.n_known == 1 && figures.input_edges == 2);

    /* The link from b to c goes, and then c, which is gone and has no link to it. */
    put(f->second, "a b\n");
    put(f->kept, "c\n");
    options.replace = options.drop_unlinked = true;
    options.gone = gone;
    options.n_gone = 1;
    reading.columns = "target-source";
    options.reading = &reading;
    assert_int_equal(
        mr_store_append_files(f->context, f->store, inputs + 1, 1, &options, &figures, NULL),
        MR_OK);
    put(f->second, "a b\nb a\n");
    reading.force = true;
    assert_int_equal(
        mr_store_build_files(f->context, f->other, inputs + 1, 1, &reading, NULL, NULL), MR_OK);
    assert_true(id_of(f, f->store) == id_of(f, f->other));
    assert_true(figures.n_replaced == 1 && figures.n_removed == 1 && figures.n_dropped == 1);

    reading.undirected = true;
    assert_int_equal(
        mr_store_append_files(f->context, f->store, inputs + 1, 1, &options, &figures, &err),
        MR_ERROR_USAGE);
    assert_string_equal(err.message,
                        "append: the build of the store fixed --undirected; leave it out");
}

static void test_a_fold_is_the_graph_of_hosts(void **state)
{
    struct fixture *f = *state;
    const char *inputs[] = {f->input};
    struct mr_store_fold_options options = MR_STORE_FOLD_OPTIONS_INIT;
    struct mr_store_build_figures figures = {.struct_size = sizeof figures};
    struct mr_store *store = NULL;
    struct mr_error err = {0};
    char members[64] = "";

    put(f->input, "http://x.a.com/1 http://b.com/\nhttp://x.a.com/2 http://b.com/\n"
                  "http://y.a.com/ http://b.com/\nb\thttp://b.com/\n");
    assert_int_equal(mr_store_build_files(f->context, f->store, inputs, 1, NULL, NULL, NULL),
                     MR_OK);
    assert_int_equal(mr_store_open(f->context, f->store, &store, NULL), MR_OK);
    options.by = MR_FOLD_BY_DOMAIN;
    options.members = f->kept;
    assert_int_equal(mr_store_fold(f->context, store, f->other, &options, &figures, &err), MR_OK);
    assert_true(figures.n_vertices == 2 && figures.n_edges == 1);
    assert_true(figures.n_alone == 1 && figures.n_edges_alone == 1);
    FILE *file = fopen(f->kept, "r");
    assert_non_null(file);
    assert_true(fread(members, 1, sizeof members - 1, file) > 0);
    assert_int_equal(fclose(file), 0);
    assert_string_equal(members, "com.a\t3\ncom.b\t1\n");

    /* com.a has vertex 0, because it has links. */
    struct mr_store *folded = NULL, *weighted = NULL;
    struct mr_ranking *degrees = NULL;
    assert_int_equal(mr_store_open(f->context, f->other, &folded, NULL), MR_OK);
    assert_int_equal(mr_store_open_weights(f->context, folded, &weighted, NULL), MR_OK);
    assert_int_equal(mr_rank(f->context, weighted, NULL, "degree", NULL, 0, &degrees, NULL), MR_OK);
    const double out[] = {3, 0}, in[] = {0, 3};
    assert_memory_equal(mr_ranking_scores(degrees, 0), out, sizeof out);
    assert_memory_equal(mr_ranking_scores(degrees, 1), in, sizeof in);
    mr_ranking_free(degrees);
    mr_store_close(weighted);
    mr_store_close(folded);

    /* The file of members is not replaced, and no store appears without it. */
    assert_int_equal(mr_store_fold(f->context, store, f->second, &options, &figures, NULL),
                     MR_ERROR_USAGE);
    assert_false(mr_store_probe(f->second));
    options.by = (enum mr_fold_by)7;
    assert_int_equal(mr_store_fold(f->context, store, f->second, &options, &figures, NULL),
                     MR_ERROR_USAGE);
    mr_store_close(store);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

TEST_MAIN(TEST(test_formats_are_found_by_content), TEST(test_files_say_where_links_go),
          TEST(test_names_and_several_files), TEST(test_refusals),
          TEST(test_an_append_makes_the_store_of_one_build),
          TEST(test_a_fold_is_the_graph_of_hosts))
