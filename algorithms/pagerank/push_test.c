/* SPDX-License-Identifier: Apache-2.0 */
/* Pushes against a dense solution in long double: the errors add up to no more than the bound,
 * proven sets are the best pages, and neither threads nor memory nor company change a bit. */
#include <math.h>
#include <pthread.h>

#include "algorithms/pagerank/push.h"
#include "tests/support/test.h"
#include "tests/support/test_eliminate.h"
#include "tests/support/test_weighted.h"

enum { MOST = 60, SEEDS = 6, GRAPHS = 200 };

static const char *const rules[] = {"teleport", "uniform", "none"};
TEST_RANDOM(0x1f83d9abfb41bd6b)

struct matrix {
    uint32_t n;
    double links[MOST][MOST]; /* [source][target]: weights, or how many */
};

struct seed {
    struct mr_vertex_weight pages[MOST];
    struct mr_rank_vector vector;
};

struct answers {
    uint32_t vertices[SEEDS * MOST];
    double scores[SEEDS * MOST];
    struct mr_push_answer of[SEEDS];
};

/* ---- Graphs and seeds ---- */

/* Some pages have the links of others, and copies of their in-links: twins. Some have none. */
static void make_matrix(struct matrix *m, bool weighted)
{
    memset(m, 0, sizeof *m);
    m->n = 2 + random_below(MOST - 1);
    for (uint32_t v = 0; v < m->n; v++) {
        for (uint32_t k = random_below(4) == 0 ? 0 : random_below(7); k > 0; k--) {
            m->links[v][random_below(2) == 0 ? random_below(m->n) : random_below(1 + m->n / 8)] =
                weighted ? (double)(float)(0.1 + random_below(50) / 7.0) : 1 + random_below(9) / 8;
        }
    }
    for (uint32_t v = 1; v < m->n && !weighted; v++) {
        const uint32_t model = random_below(v);
        for (uint32_t u = 0; u < m->n && random_below(3) == 0 && u < v; u++) {
            m->links[u][v] = m->links[u][model];
        }
    }
}

static void make_graph(struct test_graph *graph, const struct matrix *m, bool weighted)
{
    struct test_edge edges[2 * MOST * MOST];
    struct test_link links[MOST * MOST];
    size_t n = 0, n_edges = 0;
    const struct test_store_options options = {.n_vertices = m->n,
                                               .band_bits = 8,
                                               .stripe_bits = 8,
                                               .graph_id = 5,
                                               .duplicates_kept = true,
                                               .no_names = true};

    for (uint32_t u = 0; u < m->n; u++) {
        for (uint32_t v = 0; v < m->n; v++) {
            if (weighted && m->links[u][v] > 0) {
                links[n++] = (struct test_link){u, v, (float)m->links[u][v]};
            }
            for (double k = m->links[u][v]; k > 0 && !weighted; k--) {
                edges[n_edges++] = (struct test_edge){u, v};
            }
        }
    }
    if (weighted) {
        test_weighted_make(graph, 1, m->n, false, links, n);
    } else {
        test_graph_make(graph, 1, &options, edges, &n_edges);
    }
}

/* A page, or several with weights, of which some are 0. */
static void make_seeds(struct seed *seeds, struct mr_rank_vector *vectors, uint32_t n)
{
    for (unsigned s = 0; s < SEEDS; s++) {
        struct seed *seed = &seeds[s];
        uint64_t count = 0;
        const uint32_t share = s % 2 == 0 ? 0 : 1 + random_below(n);
        for (uint32_t v = 0; v < n; v++) {
            if (random_below(n) < share) {
                seed->pages[count++] = (struct mr_vertex_weight){v, random_below(4)};
            }
        }
        if (count == 0) {
            seed->pages[count++].vertex = random_below(n);
        }
        seed->pages[random_below((uint32_t)count)].weight = 2;
        vectors[s] = (struct mr_rank_vector){"", seed->pages, count};
    }
}

/* ---- The oracle ---- */

static void solve(const struct matrix *m, const struct mr_rank_vector *seed, double damping,
                  unsigned rule, long double *x)
{
    const uint32_t n = m->n;
    long double *system = calloc((size_t)n * (n + 1), sizeof *system), sum = 0;

    for (uint64_t i = 0; i < seed->count; i++) {
        sum += seed->pages[i].weight;
    }
    for (uint64_t i = 0; i < seed->count; i++) {
        system[seed->pages[i].vertex * (n + 1) + n] =
            (1 - (long double)damping) * seed->pages[i].weight / sum;
    }
    for (uint32_t u = 0; u < n; u++) {
        long double strength = 0;
        for (uint32_t v = 0; v < n; v++) {
            strength += m->links[u][v];
        }
        for (uint32_t v = 0; v < n; v++) {
            const long double t = system[v * (n + 1) + n] / (1 - (long double)damping);
            const long double share = strength > 0 ? m->links[u][v] / strength
                                      : rule == 0  ? t
                                      : rule == 1  ? 1.0L / n
                                                   : 0;
            system[v * (n + 1) + u] = (u == v) - damping * share;
        }
    }
    test_eliminate(system, n, x);
    free(system);
}

static void check_answer(const struct matrix *m, const long double *x, uint64_t top, double error,
                         const struct answers *found, unsigned s, uint64_t n_proven[2])
{
    const struct mr_push_answer *answer = &found->of[s];
    const uint32_t *vertices = &found->vertices[s * top];
    const double *scores = &found->scores[s * top];
    bool is_best[MOST] = {false};
    long double sum = 0, least = 2, most = 0;

    assert_true(answer->n > 0 && answer->n <= top && answer->bound <= error);
    for (uint64_t i = 0; i < answer->n; i++) {
        assert_true(vertices[i] < m->n && !is_best[vertices[i]] && scores[i] > 0);
        assert_true(i == 0 || scores[i] < scores[i - 1] ||
                    (scores[i] == scores[i - 1] && vertices[i] > vertices[i - 1]));
        is_best[vertices[i]] = true;
        sum += fabsl(x[vertices[i]] - scores[i]);
        least = fminl(least, x[vertices[i]]);
    }
    for (uint32_t v = 0; v < m->n; v++) {
        most = is_best[v] ? most : fmaxl(most, x[v]);
        sum += answer->n < top && !is_best[v] ? x[v] : 0; /* these are all that have a score */
    }
    assert_true(sum <= answer->bound + 1e-15L);
    if (answer->proven) {
        assert_true(answer->n < top ? most <= 1e-15L : most <= least + 1e-15L);
    }
    n_proven[0]++;
    n_proven[1] += answer->proven;
}

/* ---- Running ---- */

static uint64_t most_followed = UINT64_MAX; /* edges of a seed, before passes answer it */

static enum mr_status best(const struct test_graph *graph, const struct mr_push_options *options,
                           const struct mr_rank_vector *seeds, uint64_t top, double error,
                           struct answers *found)
{
    struct mr_push *push = NULL;

    memset(found, 0, sizeof *found);
    assert_int_equal(mr_push_open(&graph->context, graph->store, options, &push, NULL), MR_OK);
    push->most_followed = most_followed;
    const enum mr_status status = mr_push_best(push, seeds, SEEDS, top, error, found->vertices,
                                               found->scores, found->of, NULL);
    mr_push_close(push);
    return status;
}

static void every_push_is_within_its_bound(void **unused)
{
    static struct matrix m;
    static struct seed seeds[SEEDS];
    static struct answers found, again;
    struct mr_rank_vector vectors[SEEDS];
    uint64_t n_proven[2] = {0};
    (void)unused;

    for (int g = 0; g < GRAPHS; g++) {
        const bool weighted = g % 3 == 0;
        struct test_graph graph;
        make_matrix(&m, weighted);
        make_graph(&graph, &m, weighted);
        make_seeds(seeds, vectors, m.n);
        for (unsigned rule = 0; rule < 3; rule++) {
            const double dampings[] = {0.85, 0.5, 0.99, 0};
            const struct mr_push_options options = {sizeof options, dampings[random_below(16) / 4],
                                                    rules[rule]};
            const uint64_t top = 1 + random_below(m.n);
            const double error = pow(10, -(double)random_below(7));
            most_followed = random_below(4) == 0 ? random_below(40) : UINT64_MAX;
            assert_int_equal(best(&graph, &options, vectors, top, error, &found), MR_OK);
            for (unsigned s = 0; s < SEEDS; s++) {
                long double x[MOST];
                solve(&m, &vectors[s], options.damping, rule, x);
                check_answer(&m, x, top, error, &found, s, n_proven);
            }
            for (unsigned threads = 2; threads <= 3; threads++) {
                graph.context.threads = threads;
                assert_int_equal(best(&graph, &options, vectors, top, error, &again), MR_OK);
                assert_memory_equal(&again, &found, sizeof again);
            }
        }
        test_graph_drop(&graph);
    }
    assert_true(n_proven[0] == (uint64_t)GRAPHS * 3 * SEEDS);
    assert_true(n_proven[1] > n_proven[0] / 3 && n_proven[1] < n_proven[0]);
}

/* 0 -> 1, 2, 3: twins. The best two are proven, whichever of them is the second one. */
static void twins_count_as_the_same(void **unused)
{
    struct test_edge edges[] = {{0, 1}, {0, 2}, {0, 3}, {1, 0}, {2, 0}};
    size_t n_edges = 5;
    const struct test_store_options options = {
        .n_vertices = 5, .band_bits = 8, .stripe_bits = 8, .graph_id = 5, .no_names = true};
    struct mr_vertex_weight pages[SEEDS][2] = {{{0, 1}}, {{0, 1}, {2, 0.01}}};
    const struct mr_rank_vector seeds[SEEDS] = {{"", pages[0], 1}, {"", pages[1], 2}};
    struct test_graph graph;
    static struct answers found;
    (void)unused;

    test_graph_make(&graph, 1, &options, edges, &n_edges);
    assert_int_equal(best(&graph, NULL, seeds, 2, 0.01, &found), MR_OK);
    assert_int_equal(found.of[0].n, 2);
    assert_true(found.vertices[0] == 0 && found.of[0].proven && found.of[0].bound > 0);
    assert_true(!found.of[1].proven); /* a seed is no twin, and no better by so large a bound */
    assert_int_equal(found.of[2].n, 0); /* empty */
    assert_int_equal(best(&graph, NULL, seeds, 2, 1e-6, &found), MR_OK);
    assert_true(found.of[1].proven && found.vertices[3] == 2);
    /* All that has a score is found, and it is known that there is no more. */
    assert_int_equal(best(&graph, NULL, seeds, 5, 0.01, &found), MR_OK);
    assert_true(found.of[0].n == 4 && found.of[0].proven);
    test_graph_drop(&graph);
}

/* ---- Memory, threads, errors ---- */

/* Budgets are of 32 MiB or more, so that a graph with less memory than it needs is large. */
enum { LARGE = 700000, LARGE_EDGES = 900000, NEAR = 60 };

static void make_large(struct test_graph *graph)
{
    struct test_edge *edges = malloc(LARGE_EDGES * sizeof *edges);
    size_t n_edges = LARGE_EDGES;
    const struct test_store_options options = {.n_vertices = LARGE,
                                               .band_bits = 16,
                                               .stripe_bits = 16,
                                               .graph_id = 5,
                                               .duplicates_kept = true,
                                               .no_names = true};

    for (size_t i = 0; i < LARGE_EDGES; i++) {
        const uint32_t source = random_below(LARGE / NEAR) * NEAR + random_below(NEAR);
        edges[i] = (struct test_edge){source, source / NEAR * NEAR + random_below(NEAR)};
    }
    test_graph_make(graph, 2, &options, edges, &n_edges);
    free(edges);
}

/* With the least memory the lists are in a file; with less there is none. */
static void memory_changes_no_bit(void **unused)
{
    struct mr_vertex_weight pages[SEEDS];
    struct mr_rank_vector seeds[SEEDS];
    static struct answers found, again;
    struct test_graph graph;
    struct mr_push *push = NULL;
    (void)unused;

    make_large(&graph);
    for (unsigned s = 0; s < SEEDS; s++) {
        pages[s] = (struct mr_vertex_weight){random_below(LARGE), 1};
        seeds[s] = (struct mr_rank_vector){"", &pages[s], 1};
    }
    for (unsigned rule = 0; rule < 3; rule++) {
        const struct mr_push_options options = {sizeof options, 0.85, rules[rule]};
        struct mr_rank_costs costs;
        assert_int_equal(mr_push_plan(&graph.context, graph.store, &options, &costs, NULL), MR_OK);
        const uint64_t least = costs.least_bytes;
        assert_int_equal(best(&graph, &options, seeds, MOST, 1e-3, &found), MR_OK);
        for (uint64_t i = 0; i < 2; i++) {
            const struct mr_store_info *info = mr_store_get_info(graph.store);
            struct test_graph small = graph;
            struct mr_error err = {0};
            assert_true(test_context_open(&small.context, least - info->index_bytes - i, 2));
            const enum mr_status status =
                mr_push_open(&small.context, small.store, &options, &push, &err);
            assert_int_equal(status, i == 0 ? MR_OK : MR_ERROR_BUDGET);
            if (i == 0) {
                assert_true(push->lists.file != NULL && push->n_workers == 1);
                memset(&again, 0, sizeof again);
                assert_int_equal(mr_push_best(push, seeds, SEEDS, MOST, 1e-3, again.vertices,
                                              again.scores, again.of, NULL),
                                 MR_OK);
                assert_memory_equal(&again, &found, sizeof again);
            } else {
                assert_non_null(strstr(err.message, "this ranking needs --memory "));
                assert_null(push);
            }
            mr_push_close(push);
            push = NULL;
            test_context_close(&small.context);
        }
    }
    test_graph_drop(&graph);
}

struct caller {
    struct mr_push *push;
    const struct mr_rank_vector *seeds;
    struct answers found;
};

static void *call(void *data)
{
    struct caller *caller = data;

    for (int i = 0; i < 3; i++) {
        memset(&caller->found, 0, sizeof caller->found);
        if (mr_push_best(caller->push, caller->seeds, SEEDS, MOST, 1e-2, caller->found.vertices,
                         caller->found.scores, caller->found.of, NULL) != MR_OK) {
            return NULL;
        }
    }
    return caller;
}

static void threads_share_a_push(void **unused)
{
    enum { CALLERS = 4 };
    static struct caller callers[CALLERS];
    static struct answers found;
    struct mr_vertex_weight pages[CALLERS][SEEDS];
    struct mr_rank_vector seeds[CALLERS][SEEDS];
    pthread_t threads[CALLERS];
    struct test_graph graph;
    struct mr_push *push = NULL;
    (void)unused;

    make_large(&graph);
    assert_int_equal(mr_push_open(&graph.context, graph.store, NULL, &push, NULL), MR_OK);
    push->most_followed = most_followed = 100; /* some seeds are answered by passes */
    for (unsigned c = 0; c < CALLERS; c++) {
        for (unsigned s = 0; s < SEEDS; s++) {
            pages[c][s] = (struct mr_vertex_weight){random_below(LARGE), 1};
            seeds[c][s] = (struct mr_rank_vector){"", &pages[c][s], 1};
        }
        callers[c] = (struct caller){.push = push, .seeds = seeds[c]};
        assert_int_equal(pthread_create(&threads[c], NULL, call, &callers[c]), 0);
    }
    for (unsigned c = 0; c < CALLERS; c++) {
        void *result;
        assert_int_equal(pthread_join(threads[c], &result), 0);
        assert_non_null(result);
    }
    mr_push_close(push);
    for (unsigned c = 0; c < CALLERS; c++) {
        assert_int_equal(best(&graph, NULL, seeds[c], MOST, 1e-2, &found), MR_OK);
        assert_memory_equal(&callers[c].found, &found, sizeof found);
    }
    test_graph_drop(&graph);
}

static void what_is_refused(void **unused)
{
    struct test_edge edges[] = {{0, 1}, {1, 0}, {1, 2}};
    size_t n_edges = 3;
    const struct test_store_options options = {
        .n_vertices = 3, .band_bits = 8, .stripe_bits = 8, .graph_id = 5, .no_names = true};
    struct mr_vertex_weight pages[3] = {{0, 1}, {2, 1}, {1, 1}};
    const struct mr_rank_vector seed = {"", pages, 1}, wrong = {"", pages, 3};
    const struct mr_push_options odd = {sizeof odd, 0.85, "nowhere"}, one = {sizeof one, 1, NULL};
    struct test_graph graph;
    struct mr_push *push = NULL;
    struct mr_push_answer answer;
    uint32_t vertices[3];
    double scores[3];
    (void)unused;

    test_graph_make(&graph, 1, &options, edges, &n_edges);
    assert_int_equal(mr_push_open(&graph.context, graph.store, &odd, &push, NULL), MR_ERROR_USAGE);
    assert_int_equal(mr_push_open(&graph.context, graph.store, &one, &push, NULL), MR_ERROR_USAGE);
    assert_int_equal(mr_push_open(&graph.context, graph.store, NULL, &push, NULL), MR_OK);
    const struct {
        const struct mr_rank_vector *seed;
        uint64_t top;
        double error;
        enum mr_status status;
    } cases[] = {{&seed, 0, 1e-2, MR_ERROR_USAGE},        {&seed, 1, 0, MR_ERROR_USAGE},
                 {&seed, 1, 1.01, MR_ERROR_USAGE},        {&seed, 1, -1, MR_ERROR_USAGE},
                 {&seed, 1, (double)NAN, MR_ERROR_USAGE}, {&wrong, 1, 1e-2, MR_ERROR_USAGE},
                 {&seed, 3, 1e-300, MR_NOT_CONVERGED},    {&seed, 3, 1, MR_OK}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(mr_push_best(push, cases[i].seed, 1, cases[i].top, cases[i].error,
                                      vertices, scores, &answer, NULL),
                         cases[i].status);
    }
    mr_push_close(push);
    test_graph_drop(&graph);
}

TEST_MAIN(cmocka_unit_test(every_push_is_within_its_bound),
          cmocka_unit_test(twins_count_as_the_same), cmocka_unit_test(memory_changes_no_bit),
          cmocka_unit_test(threads_share_a_push), cmocka_unit_test(what_is_refused))
