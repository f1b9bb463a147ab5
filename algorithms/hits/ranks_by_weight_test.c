/* SPDX-License-Identifier: Apache-2.0 */
/* Tests rankings with weights against dense solutions in long double, straight from the
 * definitions: PageRank and personalised PageRank by elimination, HITS by power iteration. The true
 * error must be within the certificate. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/hits/hits.h"
#include "algorithms/pagerank/pagerank.h"
#include "algorithms/pagerank/personalised.h"
#include "engine/builder/transpose.h"
#include "tests/support/test.h"
#include "tests/support/test_eliminate.h"
#include "tests/support/test_weighted.h"

struct fixture {
    struct test_graph graph;
    struct test_link *links;
    size_t n_links;
    uint32_t n;
};

static uint64_t state = 0x9e3779b97f4a7c15;

static uint32_t random_below(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 20) % n);
}

static float random_weight(unsigned kind)
{
    switch (kind) {
    case 0:
        return (float)(1 + random_below(9));
    case 1:
        return (float)(1 + random_below(1000)) / 64.0f;
    default: /* weights over many orders of magnitude */
        return ldexpf((float)(1 + random_below(1000)), (int)random_below(60) - 30);
    }
}

static void make_graph(struct fixture *f, uint32_t n, size_t n_links, unsigned kind)
{
    memset(f, 0, sizeof *f);
    f->n = n;
    f->n_links = n_links;
    f->links = calloc(n_links + 1, sizeof *f->links);
    const uint32_t active = 1 + random_below(n), reach = 1 + random_below(n);
    for (size_t i = 0; i < n_links; i++) {
        struct test_link *link = &f->links[i];
        link->source = random_below(active);
        link->target = random_below(4) == 0 ? link->source : random_below(reach);
        link->weight = random_weight(kind);
    }
    test_weighted_make(&f->graph, n % 8 == 0 ? 2 : 1, n, true, f->links, n_links);
}

static void drop_graph(struct fixture *f)
{
    test_graph_drop(&f->graph);
    free(f->links);
}

/* x = a P^T x + (1 - a) t with the dangling rule. An entry of P is the weight of the edge divided
 * by the sum of the weights of its source. */
static void exact_ranks(const struct fixture *f, long double a, enum mr_dangling dangling,
                        const long double *t, long double *x)
{
    const uint32_t n = f->n;
    long double *m = calloc((size_t)n * (n + 1), sizeof *m), *sum = calloc(n, sizeof *sum);
    for (size_t i = 0; i < f->n_links; i++) {
        sum[f->links[i].source] += f->links[i].weight;
    }
    for (size_t i = 0; i < f->n_links; i++) {
        const struct test_link *link = &f->links[i];
        m[(size_t)link->target * (n + 1) + link->source] -= a * link->weight / sum[link->source];
    }
    for (uint32_t v = 0; v < n; v++) {
        long double *row = m + (size_t)v * (n + 1);
        row[v] += 1;
        row[n] = (1 - a) * t[v];
        for (uint32_t u = 0; u < n; u++) {
            if (sum[u] == 0 && dangling != MR_DANGLING_NONE) {
                row[u] -= a * (dangling == MR_DANGLING_UNIFORM ? 1.0L / n : t[v]);
            }
        }
    }
    test_eliminate(m, n, x);
    free(m);
    free(sum);
}

static void test_pagerank(void **unused)
{
    (void)unused;
    for (unsigned round = 0; round < 60; round++) {
        struct fixture f;
        const uint32_t n = 1 + random_below(round % 10 == 0 ? 400 : 80);
        make_graph(&f, n, random_below(5) == 0 ? 0 : random_below(5 * n), round % 3);
        long double *t = calloc(n, sizeof *t), *exact = calloc(n, sizeof *exact), error = 0;
        struct mr_pagerank_options o;
        struct mr_pagerank_result result;
        const double dampings[] = {0.85, 0.5, 0.95};
        o = (struct mr_pagerank_options)MR_PAGERANK_OPTIONS_INIT;
        o.damping = dampings[round % 3];
        o.dangling = (enum mr_dangling)(round / 3 % 3);
        o.precision = round % 4 == 3 ? MR_PRECISION_SINGLE : MR_PRECISION_DOUBLE;
        o.tolerance = o.precision == MR_PRECISION_SINGLE ? 1e-4 : round % 2 == 0 ? 1e-11 : 0;
        o.inner = round / 2 % 4; /* 0: chosen by the solver; 1: none; more: relaxed row by row */
        o.acceleration = round % 5 == 0 ? 0 : MR_ACCELERATION_AUTO;
        for (uint32_t v = 0; v < n; v++) {
            t[v] = 1.0L / n;
        }
        exact_ranks(&f, o.damping, o.dangling, t, exact);
        assert_int_equal(mr_pagerank(&f.graph.context, f.graph.store, &o, &result, NULL), MR_OK);
        for (uint32_t v = 0; v < n; v++) {
            const double score = result.precision == MR_PRECISION_SINGLE
                                     ? (double)((const float *)result.scores)[v]
                                     : ((const double *)result.scores)[v];
            assert_true(score >= 0);
            error += fabsl(score - exact[v]);
        }
        assert_true(result.error_bound <= result.tolerance);
        assert_true(error <= result.error_bound + 1e-17L);
        mr_pagerank_result_free(&result);
        free(t);
        free(exact);
        drop_graph(&f);
    }
}

/* The textbook's rounds equal products with the matrix. */
static void test_rounds(void **unused)
{
    (void)unused;
    struct fixture f;
    make_graph(&f, 50, 200, 1);
    long double x[50], next[50], sum[50] = {0};
    struct mr_pagerank_options o;
    struct mr_pagerank_result result;
    o = (struct mr_pagerank_options)MR_PAGERANK_OPTIONS_INIT;
    o.iterations = 7;
    for (size_t i = 0; i < f.n_links; i++) {
        sum[f.links[i].source] += f.links[i].weight;
    }
    for (unsigned v = 0; v < 50; v++) {
        x[v] = 1 / 50.0L;
    }
    for (unsigned k = 0; k < o.iterations; k++) {
        long double dangling = 0;
        for (unsigned v = 0; v < 50; v++) {
            dangling += sum[v] == 0 ? x[v] : 0;
        }
        for (unsigned v = 0; v < 50; v++) {
            next[v] = (1 - 0.85L) / 50 + 0.85L * dangling / 50;
        }
        for (size_t i = 0; i < f.n_links; i++) {
            const struct test_link *link = &f.links[i];
            next[link->target] += 0.85L * x[link->source] * link->weight / sum[link->source];
        }
        memcpy(x, next, sizeof x);
    }
    assert_int_equal(mr_pagerank(&f.graph.context, f.graph.store, &o, &result, NULL), MR_OK);
    for (unsigned v = 0; v < 50; v++) {
        assert_true(fabsl(((const double *)result.scores)[v] - x[v]) < 1e-15L);
    }
    mr_pagerank_result_free(&result);
    drop_graph(&f);
}

struct columns {
    uint32_t n;
    long double *exact; /* [vectors][n] */
    const struct mr_personalised_vector *outcomes;
    bool is_single;
};

static enum mr_status compare(void *data, uint64_t first, unsigned n, unsigned width, void *values,
                              struct mr_error *err)
{
    const struct columns *columns = data;
    (void)err;
    for (unsigned j = 0; j < n; j++) {
        long double error = 0;
        for (uint32_t v = 0; v < columns->n; v++) {
            const size_t at = (size_t)v * width + j;
            const double score =
                columns->is_single ? (double)((float *)values)[at] : ((double *)values)[at];
            error += fabsl(score - columns->exact[(first + j) * columns->n + v]);
        }
        assert_true(error <= columns->outcomes[first + j].error_bound + 1e-17L);
    }
    return MR_OK;
}

static void test_personalised(void **unused)
{
    enum { VECTORS = 5 };
    (void)unused;
    for (unsigned round = 0; round < 40; round++) {
        struct fixture f;
        const uint32_t n = 2 + random_below(100);
        make_graph(&f, n, random_below(6 * n), round % 3);
        long double *t = calloc(n, sizeof *t), *exact = calloc((size_t)VECTORS * n, sizeof *exact);
        struct mr_vertex_weight seeds[VECTORS];
        struct mr_rank_vector teleports[VECTORS];
        struct mr_personalised_vector outcomes[VECTORS];
        struct mr_personalised_result result;
        struct mr_pagerank_options o;
        o = (struct mr_pagerank_options)MR_PAGERANK_OPTIONS_INIT;
        o.dangling = (enum mr_dangling)(round % 3);
        o.precision = round % 4 == 1 ? MR_PRECISION_SINGLE : MR_PRECISION_DOUBLE;
        o.tolerance = o.precision == MR_PRECISION_SINGLE ? 1e-4 : 1e-10;
        o.width = 1u << round % 4;
        for (unsigned j = 0; j < VECTORS; j++) {
            seeds[j] = (struct mr_vertex_weight){random_below(n), 1};
            teleports[j] = (struct mr_rank_vector){.pages = &seeds[j], .count = 1};
            memset(t, 0, n * sizeof *t);
            t[seeds[j].vertex] = 1;
            exact_ranks(&f, o.damping, o.dangling, t, exact + (size_t)j * n);
        }
        struct columns columns = {.n = n,
                                  .exact = exact,
                                  .outcomes = outcomes,
                                  .is_single = o.precision == MR_PRECISION_SINGLE};
        assert_int_equal(mr_personalised(&f.graph.context, f.graph.store, teleports, VECTORS, &o,
                                         outcomes, compare, &columns, &result, NULL),
                         MR_OK);
        free(t);
        free(exact);
        drop_graph(&f);
    }
}

static void test_hits(void **unused)
{
    (void)unused;
    for (unsigned round = 0; round < 8; round++) {
        struct fixture f;
        const uint32_t n = 5 + random_below(60);
        make_graph(&f, n, n * 4, round % 2);
        const struct mr_build_options transpose = {0};
        struct mr_store *plain = NULL, *reversed;
        struct mr_hits_options o;
        struct mr_hits_result result;
        char path[PATH_MAX];
        (void)test_dir_path(&f.graph.dir, "t.mill", path);
        assert_int_equal(mr_store_open(&f.graph.context, f.graph.path, &plain, NULL), MR_OK);
        assert_int_equal(mr_transpose(&f.graph.context, plain, path, &transpose, NULL, NULL),
                         MR_OK);
        mr_store_close(plain);
        reversed = test_weights_open(&f.graph.context, path);
        o = (struct mr_hits_options)MR_HITS_USUAL;
        o.tolerance = 1e-9;
        f.graph.context.threads = 1;
        assert_int_equal(mr_hits(&f.graph.context, f.graph.store, reversed, &o, &result, NULL),
                         MR_OK);

        /* The hubs are an eigenvector of W W^T, and the authorities are W^T times the hubs. */
        long double *a = calloc(n, sizeof *a), *h = calloc(n, sizeof *h), sum_a = 0, sum_h = 0;
        for (size_t i = 0; i < f.n_links; i++) {
            a[f.links[i].target] += f.links[i].weight * (long double)result.hubs[f.links[i].source];
        }
        for (size_t i = 0; i < f.n_links; i++) {
            h[f.links[i].source] += f.links[i].weight * a[f.links[i].target];
        }
        for (uint32_t v = 0; v < n; v++) {
            sum_a += a[v];
            sum_h += h[v];
        }
        for (uint32_t v = 0; v < n; v++) {
            assert_true(fabsl(a[v] / sum_a - result.authorities[v]) < 1e-6L);
            assert_true(fabsl(h[v] / sum_h - result.hubs[v]) < 1e-6L);
        }
        free(a);
        free(h);
        mr_hits_result_free(&result);
        mr_store_close(reversed);
        drop_graph(&f);
    }
}

TEST_MAIN(cmocka_unit_test(test_pagerank), cmocka_unit_test(test_rounds),
          cmocka_unit_test(test_personalised), cmocka_unit_test(test_hits))
