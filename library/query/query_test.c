/* SPDX-License-Identifier: Apache-2.0 */
/* Edges, facts and hosts of a graph that is small enough to be counted by hand. */
#include <math.h>
#include <string.h>

#include "algorithms/scores/compare.h"
#include "millrace/millrace.h"
#include "tests/support/test.h"
#include "tests/support/test_dir.h"

/* Two ports of a.com, whose names the SURT order separates: com,a) com,a,b) com,a:8080). */
static const char *const names[] = {"http://a.com/", "http://b.a.com/", "http://a.com:8080/",
                                    "http://c.org/"};
enum { A, B, A8080, C, N };
static const uint64_t sources[] = {A, A, B, A8080, C}, targets[] = {B, A8080, A8080, A, A};
static const float weights[] = {3, 2, 1, 1, 1};

struct fixture {
    struct test_dir dir;
    struct mr_context *context;
    struct mr_store *store, *weighted;
    struct mr_names *names;
    uint32_t vertices[N]; /* of the names */
};

static int set_up(void **state)
{
    static struct fixture f;
    const struct mr_memory_edges arrays = {.struct_size = sizeof arrays,
                                           .n_edges = 5,
                                           .sources = sources,
                                           .targets = targets,
                                           .weights = weights,
                                           .names = names,
                                           .n_names = N};
    struct mr_store_build_options options = MR_STORE_BUILD_OPTIONS_INIT;
    char path[PATH_MAX];

    *state = &f;
    options.profile = "surt";
    if (!test_dir_make(&f.dir, NULL) || mr_context_create(NULL, &f.context, NULL) != MR_OK) {
        return -1;
    }
    (void)snprintf(path, sizeof path, "%s/a.mill", f.dir.path);
    if (mr_store_build_edges(f.context, path, &arrays, &options, NULL, NULL) != MR_OK ||
        mr_store_open(f.context, path, &f.store, NULL) != MR_OK ||
        mr_store_open_weights(f.context, f.store, &f.weighted, NULL) != MR_OK ||
        mr_store_open_names(f.context, f.store, &f.names, NULL) != MR_OK) {
        return -1;
    }
    for (int i = 0; i < N; i++) {
        bool found = false;
        if (mr_names_find(f.names, names[i], strlen(names[i]), &f.vertices[i], &found, NULL) !=
                MR_OK ||
            !found) {
            return -1;
        }
    }
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    mr_names_close(f->names);
    mr_store_close(f->weighted);
    mr_store_close(f->store);
    mr_context_destroy(f->context);
    test_dir_remove(&f->dir);
    return 0;
}

static void edges_come_in_the_order_of_the_names(void **state)
{
    struct fixture *f = *state;
    struct mr_vertex_edges edges;

    assert_int_equal(mr_vertex_list_edges(f->context, f->store, f->weighted, f->names,
                                          f->vertices[A], false, &edges, NULL),
                     MR_OK);
    assert_int_equal(edges.n_items, 2);
    assert_int_equal(edges.items[0].vertex, f->vertices[B]);
    assert_true(edges.items[0].weight == 3);
    assert_int_equal(edges.items[1].vertex, f->vertices[A8080]);
    assert_int_equal(edges.items[1].position, 2);
    mr_vertex_edges_free(&edges);
    assert_int_equal(mr_vertex_list_edges(f->context, f->store, NULL, f->names, f->vertices[C],
                                          true, &edges, NULL),
                     MR_OK);
    assert_int_equal(edges.n_items, 0);
    mr_vertex_edges_free(&edges);
    assert_int_equal(
        mr_vertex_list_edges(f->context, f->store, NULL, f->names, N, true, &edges, NULL),
        MR_ERROR_USAGE);
}

static enum mr_status add_up(void *data, const uint32_t (*pairs)[2], const float *weight, size_t n,
                             struct mr_error *err)
{
    double *sums = data;

    (void)err;
    for (size_t i = 0; i < n; i++) {
        sums[N * pairs[i][0] + pairs[i][1]] += weight == NULL ? 1 : (double)weight[i];
    }
    return MR_OK;
}

static void all_edges_are_read(void **state)
{
    struct fixture *f = *state;
    double plain[N * N] = {0}, weighted[N * N] = {0};

    assert_int_equal(mr_store_read_edges(f->context, f->store, add_up, plain, NULL), MR_OK);
    assert_int_equal(mr_store_read_edges(f->context, f->weighted, add_up, weighted, NULL), MR_OK);
    for (int i = 0; i < 5; i++) {
        const uint32_t at = N * f->vertices[sources[i]] + f->vertices[targets[i]];
        assert_true(plain[at] == 1 && weighted[at] == (double)weights[i]);
        plain[at] = 0;
    }
    for (int i = 0; i < N * N; i++) {
        assert_true(plain[i] == 0);
    }
}

static void a_vertex_is_described(void **state)
{
    struct fixture *f = *state;
    struct mr_vertex_facts facts = {.struct_size = sizeof facts};

    assert_int_equal(
        mr_vertex_describe(f->context, f->store, f->names, f->vertices[A8080], &facts, NULL),
        MR_OK);
    assert_int_equal(facts.position, 2);
    assert_int_equal(facts.in_degree, 2);
    assert_int_equal(facts.out_degree, 1);
    assert_int_equal(facts.n_fetches, 0);
    assert_int_equal(mr_vertex_describe(f->context, f->store, f->names, N, &facts, NULL),
                     MR_ERROR_USAGE);
}

struct rows {
    char text[256];
    int calls_left;
};

static enum mr_status take(void *data, const struct mr_host_sums *sums, struct mr_error *err)
{
    struct rows *rows = data;
    const size_t used = strlen(rows->text);

    (void)snprintf(rows->text + used, sizeof rows->text - used, "%s %d %d %d %d %g\n", sums->host,
                   (int)sums->n_vertices, (int)sums->out_degree, (int)sums->in_degree,
                   (int)sums->n_internal, sums->score);
    return rows->calls_left-- > 0 ? MR_OK : mr_error_set(err, MR_ERROR_RUNTIME, "enough");
}

static void hosts_are_summed_up(void **state)
{
    struct fixture *f = *state;
    double scores[N];
    struct rows rows = {.calls_left = 9}, domains = rows, few = {.calls_left = 1};

    for (int i = 0; i < N; i++) {
        scores[f->vertices[i]] = i + 0.5;
    }
    assert_int_equal(mr_store_sum_hosts(f->context, f->store, f->names, MR_FOLD_BY_HOST, true,
                                        scores, take, &rows, NULL),
                     MR_OK);
    assert_string_equal(rows.text, "a.com 2 3 4 2 3\nb.a.com 1 1 1 0 1.5\nc.org 1 1 0 0 3.5\n");
    assert_int_equal(mr_store_sum_hosts(f->context, f->store, f->names, MR_FOLD_BY_DOMAIN, true,
                                        NULL, take, &domains, NULL),
                     MR_OK);
    assert_string_equal(domains.text, "a.com 3 4 5 4 0\nc.org 1 1 0 0 0\n");
    assert_int_equal(mr_store_sum_hosts(f->context, f->store, f->names, MR_FOLD_BY_HOST, false,
                                        NULL, take, &few, NULL),
                     MR_ERROR_RUNTIME);
    assert_string_equal(few.text, "a.com 2 3 4 0 0\nb.a.com 1 1 1 0 0\n");
    scores[0] = 0.0 / 0.0;
    assert_int_equal(mr_store_sum_hosts(f->context, f->store, f->names, MR_FOLD_BY_HOST, false,
                                        scores, take, &rows, NULL),
                     MR_ERROR_INPUT);
    assert_int_equal(mr_store_sum_hosts(f->context, f->store, f->names, (enum mr_fold_by)3, false,
                                        NULL, take, &rows, NULL),
                     MR_ERROR_USAGE);
}

static void the_next_vertices_are_the_best_that_are_allowed(void **state)
{
    struct fixture *f = *state;
    double scores[N], priorities[N];
    const struct mr_score_column column = {.type = MR_SCORES_DOUBLE, .values = scores};
    uint8_t fetched = 0, allowed = 0xff;
    uint32_t chosen[N], times[N] = {0};
    uint64_t n = 0;
    char path[PATH_MAX];
    const char *files[] = {path};
    FILE *file;

    for (int i = 0; i < N; i++) { /* a.com is better than its other port, c.org the worst */
        scores[f->vertices[i]] = N - i;
    }
    assert_int_equal(mr_fetch_choose(f->context, f->store, f->names, &column, &allowed, N, 1, 0,
                                     chosen, &n, NULL),
                     MR_OK);
    assert_int_equal(n, 3); /* A, B, C */
    assert_int_equal(chosen[1], f->vertices[B]);
    assert_int_equal(chosen[2], f->vertices[C]);
    assert_int_equal(
        mr_fetch_choose(f->context, f->store, f->names, &column, NULL, N, 0, 1, chosen, &n, NULL),
        MR_OK);
    assert_int_equal(n, 2); /* A, C */

    (void)snprintf(path, sizeof path, "%s/fetched", f->dir.path);
    file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "%s 1000000000\n%s 1000086400\n", names[A], names[C]);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(mr_fetched_read(f->context, f->store, f->names, files, 1, 0, false, 0,
                                     &fetched, times, NULL),
                     MR_OK);
    assert_int_equal(fetched, 1 << f->vertices[A] | 1 << f->vertices[C]);
    assert_int_equal(times[f->vertices[C]], 1000086400);
    assert_int_equal(
        mr_fetch_priorities(f->context, f->store, f->names, &column, N, times, priorities, NULL),
        MR_OK);
    assert_true(priorities[f->vertices[A]] == N); /* its score times one day */
    assert_true(priorities[f->vertices[C]] == 0);
    assert_true(priorities[f->vertices[B]] == N - 1); /* no time: as old as the oldest */
}

static void a_part_is_written_for_other_programs(void **state)
{
    struct fixture *f = *state;
    struct mr_store_export_options options = {.struct_size = sizeof options};
    const uint32_t nowhere = N;
    struct mr_error err = {0};
    char path[PATH_MAX], text[256] = "";
    FILE *file;

    (void)snprintf(path, sizeof path, "%s/part", f->dir.path);
    options.format = "csv";
    options.host = "A.com";
    assert_int_equal(mr_store_export(f->context, f->store, f->names, path, &options, &err), MR_OK);
    file = fopen(path, "r");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
    assert_int_equal(strlen(text), strlen("source,target,weight\n") + 2 * 27);
    assert_non_null(strstr(text, "\n\"com,a)/\",\"com,a:8080)/\",2\n"));
    assert_non_null(strstr(text, "\n\"com,a:8080)/\",\"com,a)/\",1\n"));

    options.force = true;
    assert_int_equal(mr_store_export(f->context, f->weighted, f->names, path, &options, &err),
                     MR_ERROR_USAGE);
    options.host = NULL;
    options.vertices = &nowhere;
    options.n_vertices = 1;
    assert_int_equal(mr_store_export(f->context, f->store, f->names, path, &options, &err),
                     MR_ERROR_USAGE);
    options.vertices = NULL;
    options.format = "edges";
    options.names = "-";
    assert_int_equal(mr_store_export(f->context, f->store, f->names, NULL, &options, &err),
                     MR_ERROR_USAGE);
    options.names = NULL;
    options.format = "pages";
    options.reversed = true;
    assert_int_equal(mr_store_export(f->context, f->store, f->names, path, &options, &err),
                     MR_ERROR_USAGE);
    options.reversed = false;
    options.seeds = &nowhere;
    options.n_seeds = 1;
    assert_int_equal(mr_store_export(f->context, f->store, f->names, path, &options, &err),
                     MR_ERROR_USAGE);
}

static void levels_need_finite_scores_and_as_many_percentages(void **state)
{
    struct fixture *f = *state;
    const double percentages[] = {100}, bad[] = {NAN, INFINITY, -INFINITY, -1};
    struct mr_precedence_options options = {.struct_size = sizeof options};
    uint8_t levels[N];
    char path[PATH_MAX];

    (void)snprintf(path, sizeof path, "%s/levels", f->dir.path);
    for (int i = 0; i < 4; i++) {
        double scores[N] = {1, 2, 3, 4};
        struct mr_error err = {0};
        scores[f->vertices[C]] = bad[i];
        options.format = MR_CRAWLER_NUTCH;
        assert_int_equal(mr_precedence_write(f->context, f->store, f->names, scores, &options, path,
                                             NULL, NULL, &err),
                         MR_ERROR_INPUT);
        assert_non_null(strstr(err.message, "org,c)/"));
        options.format = MR_CRAWLER_HERITRIX;
        assert_int_equal(mr_precedence_write(f->context, f->store, f->names, scores, &options, NULL,
                                             levels, NULL, NULL),
                         isfinite(bad[i]) ? MR_OK : MR_ERROR_INPUT);
    }
    const double scores[N] = {0};
    const struct mr_precedence_options none = {.struct_size = sizeof none,
                                               .percentages = percentages};
    options.percentages = percentages;
    assert_int_equal(mr_precedence_write(f->context, f->store, f->names, scores, &options, NULL,
                                         levels, NULL, NULL),
                     MR_ERROR_USAGE);
    assert_int_equal(mr_precedence_levels(f->context, scores, N, &none, levels, NULL, NULL),
                     MR_ERROR_USAGE);
}

/* What a program may get wrong has an error, in every build of the library. */
static void what_a_store_does_not_have_is_refused(void **state)
{
    struct fixture *f = *state;
    struct mr_named_value value = {.name = "dangling"};
    const struct mr_vertex_weight page = {A, 1};
    const double bad[][MR_CLASSES_MAX] = {{0, 1}, {1, NAN}, {INFINITY, 1}};
    const char *name;
    size_t bytes;
    struct mr_error err = {0};
    struct mr_store *store = f->store;
    struct mr_ranking *ranking = NULL;

    assert_int_equal(mr_store_open(f->context, "nowhere.mill", &store, NULL), MR_ERROR_INPUT);
    assert_null(store);
    assert_int_equal(mr_names_get(f->names, N, &name, &bytes, &err), MR_ERROR_USAGE);
    assert_non_null(strstr(err.message, "vertex 4 is not among the 4 of "));
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        assert_int_equal(mr_store_weigh_classes(f->context, f->store, bad[i], NULL),
                         MR_ERROR_USAGE);
    }
    /* A choice without a text is the first one; pages are no vectors, and none are no pages. */
    assert_int_equal(mr_rank(f->context, f->store, f->names, "pagerank", &value, 1, &ranking, NULL),
                     MR_OK);
    mr_ranking_free(ranking);
    value = (struct mr_named_value){.name = "batch", .pages = &page, .count = 1};
    assert_int_equal(mr_rank(f->context, f->store, f->names, "ppr", &value, 1, &ranking, NULL),
                     MR_ERROR_USAGE);
    value = (struct mr_named_value){.name = "teleport", .count = 1};
    assert_int_equal(mr_rank(f->context, f->store, f->names, "pagerank", &value, 1, &ranking, NULL),
                     MR_ERROR_USAGE);
    assert_null(ranking);
    const struct mr_certify_options nothing = {
        .struct_size = sizeof nothing, .damping = 0.85, .n_teleport = 1};
    const struct mr_scores_side even = {.scores = (double[N]){1, 1, 1, 1}, .n_vertices = N};
    assert_int_equal(mr_scores_certify(f->context, f->store, f->names, &even, &nothing, NULL, NULL),
                     MR_OK);
    /* The least double as the only weight leaves the scores finite. */
    const struct mr_vertex_weight least = {A, 5e-324};
    value = (struct mr_named_value){.name = "page-scores", .pages = &least, .count = 1};
    assert_int_equal(mr_rank(f->context, f->store, f->names, "hits", &value, 1, &ranking, NULL),
                     MR_OK);
    for (uint32_t v = 0; v < N; v++) {
        assert_true(isfinite(mr_ranking_scores(ranking, 0)[v]));
        assert_true(isfinite(mr_ranking_scores(ranking, 1)[v]));
    }
    mr_ranking_free(ranking);
    assert_string_equal(mr_error_text(&err, (char[4]){"abc"}, 1), "");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

TEST_MAIN(TEST(edges_come_in_the_order_of_the_names), TEST(all_edges_are_read),
          TEST(a_vertex_is_described), TEST(hosts_are_summed_up),
          TEST(a_part_is_written_for_other_programs),
          TEST(levels_need_finite_scores_and_as_many_percentages),
          TEST(what_a_store_does_not_have_is_refused),
          TEST(the_next_vertices_are_the_best_that_are_allowed))
