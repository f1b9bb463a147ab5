/* SPDX-License-Identifier: Apache-2.0 */
/* Personalised PageRank of many vectors against the definition, iterated densely in long double:
 * the true error never exceeds the bound, side by side and one after the other, whatever the
 * company a vector is in; and its bits do not depend on that. */
#include <math.h>

#include "algorithms/pagerank/personalised.h"
#include "tests/support/test.h"
#include "tests/support/test_graph.h"

enum { MAX_N = 500, MAX_EDGES = 2000, MAX_VECTORS = 11 };

struct fixture {
    struct test_graph graph;
    struct test_edge edges[MAX_EDGES];
    size_t n_edges;
    uint32_t n;
};

TEST_RANDOM(0x9e3779b97f4a7c15)

/* Dangling vertices, loops, parts without links between them; n and n_edges are set. */
static void open_graph(struct fixture *f, unsigned threads)
{
    const struct test_store_options options = {
        .n_vertices = f->n,
        .band_bits = 8,
        .stripe_bits = 8,
        .graph_id = 5,
        .duplicates_kept = random_below(2) == 0,
        .encoding = random_below(2) == 0 ? MR_ENCODING_CORNERS : MR_ENCODING_AUTO,
        .no_names = true};
    const uint32_t half = f->n / 2;
    for (size_t i = 0; i < f->n_edges; i++) {
        const uint32_t part = random_below(3) == 0 ? half : 0;
        const uint32_t source = part + random_below(f->n - part), reach = f->n - part;
        f->edges[i] = (struct test_edge){source, part + random_below(1 + random_below(reach))};
    }
    test_graph_make(&f->graph, threads, &options, f->edges, &f->n_edges);
}

/* ---- Teleports and the oracle ---- */

static struct mr_vertex_weight weights[MAX_VECTORS][MAX_N];
static struct mr_rank_vector teleports[MAX_VECTORS];

static void make_teleports(uint32_t n, unsigned n_vectors)
{
    for (unsigned i = 0; i < n_vectors; i++) {
        uint64_t count = 0;
        const uint32_t share = 1 + random_below(n);
        for (uint32_t v = 0; v < n; v++) {
            if (random_below(n) < share) {
                weights[i][count++] = (struct mr_vertex_weight){v, random_below(5)};
            }
        }
        if (count == 0) {
            weights[i][count++].vertex = random_below(n);
        }
        weights[i][random_below((uint32_t)count)].weight = 1e300 * random_below(2) + 3;
        teleports[i] = random_below(6) == 0
                           ? (struct mr_rank_vector){0}
                           : (struct mr_rank_vector){.pages = weights[i], .count = count};
    }
}

static void oracle(const struct fixture *f, const struct mr_rank_vector *teleport,
                   const struct mr_pagerank_options *o, long double *x)
{
    static long double t[MAX_N], next[MAX_N];
    static uint32_t degree[MAX_N];
    const long double a = o->damping;
    long double sum = 0;
    memset(degree, 0, sizeof degree);
    for (size_t i = 0; i < f->n_edges; i++) {
        degree[f->edges[i].source]++;
    }
    for (uint32_t v = 0; v < f->n; v++) {
        t[v] = teleport->pages == NULL ? 1.0L / f->n : 0;
    }
    for (uint64_t i = 0; teleport->pages != NULL && i < teleport->count; i++) {
        sum += teleport->pages[i].weight;
    }
    for (uint64_t i = 0; teleport->pages != NULL && i < teleport->count; i++) {
        t[teleport->pages[i].vertex] = teleport->pages[i].weight / sum;
    }
    memcpy(x, t, f->n * sizeof *x);
    for (int round = 0; round < 330; round++) {
        long double dangling = 0, total = 0;
        memset(next, 0, sizeof next);
        for (size_t i = 0; i < f->n_edges; i++) {
            next[f->edges[i].target] += x[f->edges[i].source] / degree[f->edges[i].source];
        }
        for (uint32_t v = 0; v < f->n; v++) {
            dangling += degree[v] == 0 ? x[v] : 0;
            total += x[v];
        }
        for (uint32_t v = 0; v < f->n; v++) {
            const long double back = o->dangling == MR_DANGLING_TELEPORT  ? dangling * t[v]
                                     : o->dangling == MR_DANGLING_UNIFORM ? dangling / f->n
                                                                          : 0;
            const long double mass = o->dangling == MR_DANGLING_NONE ? 1 : total;
            x[v] = (1 - a) * mass * t[v] + a * (next[v] + back);
        }
    }
}

/* ---- Running ---- */

struct scores {
    double values[MAX_VECTORS][MAX_N];
    uint32_t n;
    bool is_single;
    uint64_t n_vectors;
};

static enum mr_status keep(void *data, uint64_t first, unsigned n, unsigned width, void *values,
                           struct mr_error *err)
{
    struct scores *scores = data;
    (void)err;
    assert_true(first == scores->n_vectors && n <= width);
    scores->n_vectors += n;
    for (unsigned j = 0; j < n; j++) {
        for (uint32_t v = 0; v < scores->n; v++) {
            const size_t at = (size_t)v * width + j;
            scores->values[first + j][v] =
                scores->is_single ? (double)((float *)values)[at] : ((double *)values)[at];
        }
    }
    return MR_OK;
}

/* The same for vectors of any length, [n] each. */
struct columns {
    size_t n;
    double *values;
};

static enum mr_status keep_columns(void *data, uint64_t first, unsigned n, unsigned width,
                                   void *values, struct mr_error *err)
{
    const struct columns *columns = data;
    (void)err;
    for (unsigned j = 0; j < n; j++) {
        for (size_t v = 0; v < columns->n; v++) {
            columns->values[(first + j) * columns->n + v] = ((double *)values)[v * width + j];
        }
    }
    return MR_OK;
}

static struct mr_personalised_vector outcomes[MAX_VECTORS];

static struct mr_personalised_result rank(const struct fixture *f,
                                          const struct mr_rank_vector *vectors, uint64_t n,
                                          const struct mr_pagerank_options *options,
                                          struct scores *scores)
{
    struct mr_personalised_result result;
    struct mr_error err = {0};
    scores->n = f->n;
    scores->is_single = options->precision == MR_PRECISION_SINGLE;
    scores->n_vectors = 0;
    const enum mr_status status = mr_personalised(&f->graph.context, f->graph.store, vectors, n,
                                                  options, outcomes, keep, scores, &result, &err);
    if (status != MR_OK) {
        print_error("%s\n", err.message);
    }
    assert_int_equal(status, MR_OK);
    assert_int_equal(scores->n_vectors, n);
    return result;
}

/* ---- Tests ---- */

static void errors_are_within_the_bounds(void **unused)
{
    (void)unused;
    static struct scores scores;
    unsigned n_side_by_side = 0;
    for (int round = 0; round < 200; round++) {
        struct fixture f = {.n = 1 + random_below(round % 8 == 0 ? MAX_N : 40)};
        struct mr_pagerank_options options;
        const unsigned n = 1 + random_below(MAX_VECTORS);
        f.n_edges = random_below(4 * f.n < MAX_EDGES ? 4 * f.n : MAX_EDGES);
        open_graph(&f, 1);
        make_teleports(f.n, n);
        options = (struct mr_pagerank_options)MR_PAGERANK_OPTIONS_INIT;
        options.dangling = (enum mr_dangling)random_below(3);
        options.precision = random_below(3) == 0 ? MR_PRECISION_SINGLE : MR_PRECISION_DOUBLE;
        options.width = 1u << random_below(5);
        if (round % 4 == 3) { /* one after the other */
            options.acceleration = random_below(3);
            options.inner = random_below(4);
        }
        options.damping = random_below(4) == 0 ? 0.5 : 0.85;
        options.tolerance = (const double[]){0, 0, 1e-4, 1e-11}[random_below(4)];
        options.tolerance = options.precision == MR_PRECISION_SINGLE ? 0 : options.tolerance;
        const struct mr_personalised_result result = rank(&f, teleports, n, &options, &scores);
        n_side_by_side += result.width > 1;
        assert_int_equal(result.n_batches, (n + result.width - 1) / result.width);
        for (unsigned i = 0; i < n; i++) {
            static long double x[MAX_N];
            long double error = 0;
            oracle(&f, &teleports[i], &options, x);
            for (uint32_t v = 0; v < f.n; v++) {
                error += fabsl(scores.values[i][v] - x[v]);
                assert_true(scores.values[i][v] >= 0);
            }
            assert_true(outcomes[i].converged && outcomes[i].error_bound <= result.tolerance);
            assert_true(error <= (long double)outcomes[i].error_bound);
        }
        test_graph_drop(&f.graph);
    }
    assert_true(n_side_by_side > 40);
}

/* In batches of any width, with any others, with any number of threads. */
static void the_same_bits_in_any_company(void **unused)
{
    (void)unused;
    static struct scores first, scores;
    for (int round = 0; round < 6; round++) {
        struct fixture f = {.n = 400, .n_edges = 1500};
        struct mr_pagerank_options options;
        open_graph(&f, 1);
        make_teleports(f.n, MAX_VECTORS);
        options = (struct mr_pagerank_options)MR_PAGERANK_OPTIONS_INIT;
        options.dangling = (enum mr_dangling)(round % 3);
        options.precision = round < 3 ? MR_PRECISION_DOUBLE : MR_PRECISION_SINGLE;
        options.width = 1;
        (void)rank(&f, teleports, MAX_VECTORS, &options, &first);
        for (unsigned width = 2; width <= 16; width *= 2) {
            options.width = width;
            f.graph.context.threads = width == 4 ? 3 : 1;
            (void)rank(&f, teleports, MAX_VECTORS, &options, &scores);
            assert_memory_equal(first.values, scores.values, sizeof first.values);
            /* Others in front. */
            (void)rank(&f, teleports + 4, MAX_VECTORS - 4, &options, &scores);
            assert_memory_equal(first.values[4], scores.values[0],
                                (MAX_VECTORS - 4) * sizeof first.values[0]);
        }
        test_graph_drop(&f.graph);
    }
}

/* Graphs of several pieces: what threads there are does not matter, and the scores are those that
 * the solver of one vector comes to. */
static void pieces_and_threads(void **unused)
{
    (void)unused;
    enum { N = 20000, EDGES = 100000, VECTORS = 9 };
    struct test_edge *edges = malloc(EDGES * sizeof *edges);
    double *scores[3];
    struct test_graph graph;
    size_t n_edges = EDGES;
    const struct test_store_options store_options = {
        .n_vertices = N, .band_bits = 10, .stripe_bits = 10, .graph_id = 5, .no_names = true};
    struct mr_vertex_weight seeds[VECTORS][2];
    struct mr_rank_vector vectors[VECTORS];
    double bounds[2][VECTORS];

    for (size_t i = 0; i < EDGES; i++) { /* a page of many links, and near ones */
        const uint32_t source = random_below(N), near = (source + random_below(40)) % N;
        edges[i] = (struct test_edge){source, random_below(8) == 0 ? 77 : near};
    }
    test_graph_make(&graph, 1, &store_options, edges, &n_edges);
    for (unsigned i = 0; i < VECTORS; i++) {
        seeds[i][0] = (struct mr_vertex_weight){random_below(N / 2), 1};
        seeds[i][1] = (struct mr_vertex_weight){N / 2 + random_below(N / 2), 2};
        vectors[i] = (struct mr_rank_vector){.pages = seeds[i], .count = 2};
    }
    for (unsigned run = 0; run < 3; run++) {
        struct mr_pagerank_options options = MR_PAGERANK_OPTIONS_INIT;
        struct mr_personalised_result result;
        struct columns columns = {.n = N, .values = malloc(VECTORS * N * sizeof(double))};
        scores[run] = columns.values;
        options.width = run == 1 ? 16 : 8;
        options.inner = run == 2; /* one after the other */
        graph.context.threads = run == 1 ? 3 : 1;
        assert_int_equal(mr_personalised(&graph.context, graph.store, vectors, VECTORS, &options,
                                         outcomes, keep_columns, &columns, &result, NULL),
                         MR_OK);
        assert_int_equal(result.width, run == 0 ? 8 : run == 1 ? 9 : 1);
        for (unsigned i = 0; i < VECTORS; i++) {
            bounds[run == 2][i] = outcomes[i].error_bound;
        }
    }
    assert_memory_equal(scores[0], scores[1], VECTORS * N * sizeof(double));
    for (unsigned i = 0; i < VECTORS; i++) {
        double distance = 0;
        for (size_t v = 0; v < N; v++) {
            distance += fabs(scores[0][i * N + v] - scores[2][i * N + v]);
        }
        assert_true(distance <= bounds[0][i] + bounds[1][i]);
    }
    test_graph_drop(&graph);
    for (unsigned run = 0; run < 3; run++) {
        free(scores[run]);
    }
    free(edges);
}

/* A path of 40 stripes: the first passes of a query at its end want the blocks around it alone. */
static void a_single_seed_reads_what_it_reaches(void **unused)
{
    (void)unused;
    enum { LENGTH = 40 * 256 };
    struct test_graph graph;
    struct test_edge *edges = malloc(2 * LENGTH * sizeof *edges);
    size_t n_edges = 0;
    const struct test_store_options store_options = {
        .n_vertices = LENGTH, .band_bits = 8, .stripe_bits = 8, .graph_id = 5, .no_names = true};
    const struct mr_vertex_weight seed = {LENGTH / 2, 1};
    const struct mr_rank_vector teleport = {.pages = &seed, .count = 1};
    struct mr_pagerank_options options;
    struct mr_personalised_result result;
    struct mr_personalised_vector outcome;
    double *values = malloc(LENGTH * sizeof *values);

    for (uint32_t v = 0; v + 1 < LENGTH; v++) {
        edges[n_edges++] = (struct test_edge){v, v + 1};
        edges[n_edges++] = (struct test_edge){v + 1, v};
    }
    test_graph_make(&graph, 2, &store_options, edges, &n_edges);
    options = (struct mr_pagerank_options)MR_PAGERANK_OPTIONS_INIT;
    options.no_pinning = true;
    struct scores scores = {.n = 0}; /* nothing is copied */
    assert_int_equal(mr_personalised(&graph.context, graph.store, &teleport, 1, &options, &outcome,
                                     keep, &scores, &result, NULL),
                     MR_OK);
    const uint64_t links_bytes = mr_store_get_info(graph.store)->links_bytes;
    assert_true(outcome.converged && result.figures.passes == 0);
    assert_true(result.figures.partial_passes == result.figures.blocks_skipped / 1 ||
                result.figures.blocks_skipped > result.figures.partial_passes);
    assert_true(result.figures.bytes_read < result.figures.partial_passes * links_bytes);
    test_graph_drop(&graph);
    free(values);
    free(edges);
}

static void what_is_refused_and_what_does_not_converge(void **unused)
{
    (void)unused;
    static struct scores scores;
    struct fixture f = {.n = 300, .n_edges = 1200};
    struct mr_pagerank_options options;
    struct mr_personalised_result result;
    struct mr_error err = {0};
    open_graph(&f, 1);
    make_teleports(f.n, 3);
    scores.n = f.n;
    options = (struct mr_pagerank_options)MR_PAGERANK_OPTIONS_INIT;
    options.width = 3;
    assert_int_equal(mr_personalised(&f.graph.context, f.graph.store, teleports, 3, &options,
                                     outcomes, keep, &scores, &result, &err),
                     MR_ERROR_USAGE);
    mr_error_clear(&err);
    options.width = 4;
    const struct mr_vertex_weight bad[] = {{5, 1}, {5, 1}};
    const struct mr_rank_vector twice = {.pages = bad, .count = 2};
    assert_int_equal(mr_personalised(&f.graph.context, f.graph.store, &twice, 1, &options, outcomes,
                                     keep, &scores, &result, &err),
                     MR_ERROR_USAGE);
    mr_error_clear(&err);
    /* Given up, but handed over. */
    options.max_passes = 3;
    assert_int_equal(mr_personalised(&f.graph.context, f.graph.store, teleports, 3, &options,
                                     outcomes, keep, &scores, &result, &err),
                     MR_NOT_CONVERGED);
    assert_true(scores.n_vectors == 3 && !result.converged);
    assert_true(outcomes[0].error_bound > 0 && isfinite(outcomes[0].error_bound));
    test_graph_drop(&f.graph);
}

TEST_MAIN(cmocka_unit_test(errors_are_within_the_bounds),
          cmocka_unit_test(the_same_bits_in_any_company), cmocka_unit_test(pieces_and_threads),
          cmocka_unit_test(a_single_seed_reads_what_it_reaches),
          cmocka_unit_test(what_is_refused_and_what_does_not_converge))
