/* SPDX-License-Identifier: Apache-2.0 */
/* Rankings of graphs with a frontier of 0 to 95% of the pages, isolated pages and self-loops,
 * against oracles that iterate the definitions in long double: the builder numbers the core first,
 * and every score comes back under the name it belongs to. The residual of certified scores is
 * computed again in 128 bits: that of the frontier is rounding alone. */
#include <math.h>

#include "algorithms/hits/hits.h"
#include "algorithms/pagerank/pagerank.h"
#include "algorithms/pagerank/personalised.h"
#include "engine/builder/transpose.h"
#include "tests/support/test.h"
#include "tests/support/test_opic.h"

enum { GRAPHS = 200, MAX_N = 800, WIDTH = 3 };

struct crawl {
    struct opic_graph graph; /* `links` have positions */
    struct mr_store *transpose;
    uint32_t n_core;
    uint32_t vertex[MAX_N]; /* of each position */
    uint32_t position[MAX_N]; /* of each vertex */
};

/* Pages with out-links anywhere among the positions; most links go to few pages. */
static void crawl_open(struct opic_fixture *f, unsigned number, struct crawl *crawl)
{
    const uint32_t n = number % 3 == 0 ? 2 + random_below(300) : 300 + random_below(500);
    const double share = 0.95 * (number % 20) / 19;
    uint32_t n_sources = (uint32_t)((1 - share) * n), *sources = malloc(n * sizeof *sources);
    uint64_t *ids = malloc(n * sizeof *ids);
    struct mr_edge *edges = malloc(4 * n * sizeof *edges);
    size_t n_edges = 0;
    char path[PATH_MAX];

    n_sources = n_sources == 0 ? 1 : n_sources;
    for (uint32_t v = 0; v < n; v++) {
        ids[v] = 7 * (uint64_t)v + 3;
        sources[v] = v;
    }
    for (uint32_t i = 0; i < n_sources; i++) {
        const uint32_t other = i + random_below(n - i), kept = sources[i];
        sources[i] = sources[other];
        sources[other] = kept;
    }
    const uint32_t reach = 1 + random_below(n); /* positions behind it have no links */
    for (uint32_t i = 0; i < n_sources; i++) {
        const uint32_t degree = 1 + random_below(6);
        for (uint32_t k = 0; k < degree && n_edges < 4 * (size_t)n; k++) {
            const uint32_t to = random_below(8) == 0   ? sources[i]
                                : random_below(3) == 0 ? sources[random_below(n_sources)]
                                                       : random_below(reach);
            edges[n_edges++] = (struct mr_edge){ids[sources[i]], ids[to]};
        }
    }
    graph_open(f, "crawl.mill", ids, n, edges, n_edges, &crawl->graph);
    free(ids);
    free(edges);
    free(sources);
    crawl->n_core = 0;
    for (uint32_t p = 0; p < n; p++) {
        assert_int_equal(mr_names_vertex(crawl->graph.names, p, &crawl->vertex[p], NULL), MR_OK);
        crawl->position[crawl->vertex[p]] = p;
        crawl->n_core += crawl->graph.degree[p] > 0;
    }
    for (uint32_t v = 0; v < n; v++) {
        assert_true((crawl->graph.degree[crawl->position[v]] > 0) == (v < crawl->n_core));
    }
    const struct mr_build_options options = {.force = true};
    (void)test_dir_path(&f->dir, "reverse.mill", path);
    assert_int_equal(mr_transpose(&f->context, crawl->graph.store, path, &options, NULL, NULL),
                     MR_OK);
    assert_int_equal(mr_store_open(&f->context, path, &crawl->transpose, NULL), MR_OK);
}

static void crawl_close(struct crawl *crawl)
{
    mr_store_close(crawl->transpose);
    graph_close(&crawl->graph);
}

/* ---- The definition of PageRank ---- */

/* By position; t sums to 1. */
static void rank_by_definition(const struct opic_graph *g, double damping, enum mr_dangling rule,
                               const long double *t, long double *x)
{
    static long double next[MAX_N];
    memcpy(x, t, g->n * sizeof *x);
    for (int round = 0; round < 300; round++) {
        long double dangling = 0, mass = 0;
        memset(next, 0, sizeof next);
        for (size_t i = 0; i < g->n_links; i++) {
            const uint32_t u = g->links[i][0];
            next[g->links[i][1]] += x[u] / g->degree[u];
        }
        for (uint32_t p = 0; p < g->n; p++) {
            dangling += g->degree[p] == 0 ? x[p] : 0;
            mass += x[p];
        }
        for (uint32_t p = 0; p < g->n; p++) {
            const long double back = rule == MR_DANGLING_TELEPORT  ? dangling * t[p]
                                     : rule == MR_DANGLING_UNIFORM ? dangling / g->n
                                                                   : 0;
            x[p] = (1 - (long double)damping) * (rule == MR_DANGLING_NONE ? 1 : mass) * t[p] +
                   (long double)damping * (next[p] + back);
        }
    }
}

/* Weights on some pages, by vertex; `t` by position. NULL weights: the same for all. */
static uint64_t make_teleport(const struct crawl *crawl, bool is_uniform,
                              struct mr_vertex_weight *weights, long double *t)
{
    const uint32_t n = crawl->graph.n;
    long double sum = 0;
    uint64_t count = 0;
    for (uint32_t v = 0; v < n; v++) {
        t[crawl->position[v]] = is_uniform ? 1.0L / n : 0;
        if (!is_uniform && (random_below(9) == 0 || (v + 1 == n && count == 0))) {
            weights[count] = (struct mr_vertex_weight){v, 1 + random_below(4)};
            sum += weights[count++].weight;
        }
    }
    for (uint64_t i = 0; i < count; i++) {
        t[crawl->position[weights[i].vertex]] = weights[i].weight / sum;
    }
    return count;
}

static void check_distance(const struct crawl *crawl, const double *scores, size_t stride,
                           const long double *exact, double bound)
{
    long double distance = 0;
    for (uint32_t v = 0; v < crawl->graph.n; v++) {
        distance += fabsl(scores[v * stride] - exact[crawl->position[v]]);
    }
    assert_true(distance <= (long double)bound + 1e-17L);
}

/* ---- PageRank ---- */

/* The residual of scores that sum to 1, in 128 bits: `frontier` of the pages in the bands behind
 * the core, for the start that their scores were made with; `all` of all pages. Along t each weight
 * c of t gives the same direction, so c is that of the solver: with a frontier 1 - a, over |x|. */
static void find_residual(const struct crawl *crawl, const struct mr_pagerank_options *o,
                          const long double *t, const struct mr_pagerank_result *result,
                          double *frontier, double *all)
{
    const struct opic_graph *g = &crawl->graph;
    const struct mr_store_info *info = mr_store_get_info(g->store);
    const bool has_frontier = info->n_source_bands < info->n_bands;
    const bool spreads = o->dangling == MR_DANGLING_UNIFORM && o->teleport != NULL;
    const double *scores = result->scores;
    const __float128 a = o->damping, sum = result->score_sum;
    static __float128 next[MAX_N];
    __float128 dangling = 0, mass = 0, sums[2] = {0, 0};
    memset(next, 0, sizeof next);
    for (size_t i = 0; i < g->n_links; i++) {
        const uint32_t u = g->links[i][0];
        next[g->links[i][1]] += (__float128)scores[crawl->vertex[u]] / g->degree[u];
    }
    for (uint32_t p = 0; p < g->n; p++) {
        mass += scores[crawl->vertex[p]];
        dangling += g->degree[p] == 0 ? scores[crawl->vertex[p]] : 0;
    }
    for (uint32_t p = 0; p < g->n; p++) {
        const bool is_behind = crawl->vertex[p] >= mr_pass_source_length(info);
        const __float128 linked = a * next[p] - scores[crawl->vertex[p]];
        const __float128 of_all = spreads        ? (1 - a) * mass * t[p] + a * dangling / g->n
                                  : has_frontier ? (1 - a) / sum * t[p]
                                                 : (mass - a * (mass - dangling)) * t[p];
        const __float128 made =
            spreads ? ((1 - a) * t[p] + a * (1 - (mass - dangling) * sum) / g->n) / sum : of_all;
        sums[0] += is_behind ? fabsl((long double)(made + linked)) : 0;
        sums[1] += fabsl((long double)(of_all + linked));
    }
    *frontier = (double)sums[0];
    *all = (double)sums[1];
}

static void check_pagerank(struct opic_fixture *f, const struct crawl *crawl, unsigned number)
{
    static long double t[MAX_N], exact[MAX_N];
    static struct mr_vertex_weight weights[MAX_N];
    struct mr_pagerank_options options;
    struct mr_pagerank_result result;
    const bool is_uniform = random_below(2) == 0;
    const uint64_t count = make_teleport(crawl, is_uniform, weights, t);

    options = (struct mr_pagerank_options)MR_PAGERANK_OPTIONS_INIT;
    options.dangling = (enum mr_dangling)(number % 3);
    options.tolerance = number % 2 == 0 ? 1e-11 : 1e-5;
    options.acceleration = (const unsigned[]){0, MR_ACCELERATION_AUTO, 1, 2}[random_below(4)];
    options.no_pinning = random_below(2) == 0;
    options.teleport = is_uniform ? NULL : weights;
    options.n_teleport = count;
    assert_int_equal(mr_pagerank(&f->context, crawl->graph.store, &options, &result, NULL), MR_OK);
    assert_true(result.error_bound <= options.tolerance && result.scores != NULL);
    rank_by_definition(&crawl->graph, options.damping, options.dangling, t, exact);
    check_distance(crawl, result.scores, 1, exact, result.error_bound);
    if (options.dangling != MR_DANGLING_NONE) {
        double frontier, all;
        find_residual(crawl, &options, t, &result, &frontier, &all);
        assert_true(frontier <= 2e-14);
        assert_true(all <= result.residual + 1e-13);
    }
    mr_pagerank_result_free(&result);
}

/* ---- Vectors side by side ---- */

struct columns {
    double values[WIDTH][MAX_N];
    uint32_t n;
};

static enum mr_status keep(void *data, uint64_t first, unsigned n, unsigned width, void *values,
                           struct mr_error *err)
{
    struct columns *columns = data;
    (void)err;
    for (unsigned j = 0; j < n; j++) {
        for (uint32_t v = 0; v < columns->n; v++) {
            columns->values[first + j][v] = ((const double *)values)[(size_t)v * width + j];
        }
    }
    return MR_OK;
}

static void check_personalised(struct opic_fixture *f, const struct crawl *crawl, unsigned number)
{
    static long double t[WIDTH][MAX_N], exact[MAX_N];
    static struct mr_vertex_weight weights[WIDTH][MAX_N];
    static struct columns columns;
    struct mr_rank_vector teleports[WIDTH];
    struct mr_personalised_vector outcomes[WIDTH];
    struct mr_pagerank_options options;
    struct mr_personalised_result result;
    const unsigned n = number % 4 == 0 ? 1 : WIDTH;

    columns.n = crawl->graph.n;
    for (unsigned i = 0; i < n; i++) {
        const bool is_uniform = random_below(4) == 0;
        const uint64_t count = make_teleport(crawl, is_uniform, weights[i], t[i]);
        teleports[i] =
            (struct mr_rank_vector){.pages = is_uniform ? NULL : weights[i], .count = count};
    }
    if (n == 1) { /* one page, which may be in the frontier: the first rounds spread from it */
        const uint32_t seed_page = random_below(crawl->graph.n);
        weights[0][0] = (struct mr_vertex_weight){seed_page, 2};
        memset(t[0], 0, sizeof t[0]);
        t[0][crawl->position[seed_page]] = 1;
        teleports[0] = (struct mr_rank_vector){.pages = weights[0], .count = 1};
    }
    options = (struct mr_pagerank_options)MR_PAGERANK_OPTIONS_INIT;
    options.dangling = (enum mr_dangling)random_below(3);
    options.acceleration = (const unsigned[]){0, MR_ACCELERATION_AUTO, 1, 2}[random_below(4)];
    options.width = 1u << random_below(3);
    struct mr_error err = {0};
    if (mr_personalised(&f->context, crawl->graph.store, teleports, n, &options, outcomes, keep,
                        &columns, &result, &err) != MR_OK) {
        print_error("graph %u: %s\n", number, err.message);
        fail();
    }
    for (unsigned i = 0; i < n; i++) {
        rank_by_definition(&crawl->graph, options.damping, options.dangling, t[i], exact);
        assert_true(outcomes[i].error_bound <= result.tolerance);
        check_distance(crawl, columns.values[i], 1, exact, outcomes[i].error_bound);
    }
}

/* ---- HITS ---- */

/* Hubs and authorities of the limit of plain rounds: what `result` says must not move. */
static void check_hits(struct opic_fixture *f, const struct crawl *crawl, unsigned number)
{
    const struct opic_graph *g = &crawl->graph;
    static long double authorities[MAX_N], hubs[MAX_N];
    struct mr_hits_options options;
    struct mr_hits_result result;
    long double sums[2] = {0, 0}, moved = 0;

    options = (struct mr_hits_options)MR_HITS_USUAL;
    options.norm = MR_HITS_L1;
    options.tolerance = 1e-11;
    options.probe = 0;
    options.acceleration = number % 2 == 0 ? 0 : 4;
    options.max_rounds = 500;
    const enum mr_status status =
        mr_hits(&f->context, g->store, crawl->transpose, &options, &result, NULL);
    assert_true(status == MR_OK || status == MR_NOT_CONVERGED);
    memset(authorities, 0, sizeof authorities);
    memset(hubs, 0, sizeof hubs);
    for (size_t i = 0; i < g->n_links; i++) {
        authorities[g->links[i][1]] += result.hubs[crawl->vertex[g->links[i][0]]];
    }
    for (size_t i = 0; i < g->n_links; i++) {
        hubs[g->links[i][0]] += authorities[g->links[i][1]];
    }
    for (uint32_t p = 0; p < g->n; p++) {
        sums[0] += authorities[p];
        sums[1] += hubs[p];
        assert_true(g->degree[p] > 0 || result.hubs[crawl->vertex[p]] == 0);
    }
    for (uint32_t p = 0; p < g->n && status == MR_OK; p++) {
        moved += fabsl(authorities[p] / sums[0] - result.authorities[crawl->vertex[p]]);
        moved += fabsl(hubs[p] / sums[1] - result.hubs[crawl->vertex[p]]);
    }
    assert_true(moved <= 1e-9L);
    mr_hits_result_free(&result);
}

/* ---- OPIC ---- */

/* The sweeps of all fetched pages in exact integers, where pages with links are fetched: those
 * without keep what they get. */
static void check_opic(struct opic_fixture *f, const struct crawl *crawl, unsigned number)
{
    const struct opic_graph *g = &crawl->graph;
    static uint64_t cash[MAX_N], share[MAX_N];
    struct mr_opic_options options;
    struct mr_opic_result result;
    struct mr_opic *opic;

    options = (struct mr_opic_options)MR_OPIC_OPTIONS_INIT;
    options.policy = MR_OPIC_CYCLIC;
    options.fetched_rule = MR_OPIC_FETCHED_LINKS;
    options.sweeps = 1 + random_below(12);
    options.drain = number % 3 == 0;
    opic_run(f, g, &options, false, &opic, NULL, &result);
    for (uint32_t p = 0; p < g->n; p++) {
        cash[p] = MR_OPIC_TOTAL / g->n; /* the first payment */
    }
    uint64_t virtual_cash = MR_OPIC_TOTAL % g->n;
    const u128 kept = ((u128)1 << 63) - (u128)ldexp(options.tax, 63);
    for (uint64_t sweep = 0; sweep < options.sweeps; sweep++) {
        const uint64_t pay = options.drain && sweep > 0 ? 0 : virtual_cash / g->n;
        virtual_cash -= pay * g->n;
        for (uint32_t p = 0; p < g->n; p++) {
            share[p] = 0;
            if (g->degree[p] > 0) {
                share[p] = (uint64_t)((u128)cash[p] * kept >> 63) / g->degree[p];
                virtual_cash += cash[p] - share[p] * g->degree[p];
                cash[p] = 0;
            }
        }
        for (uint32_t p = 0; p < g->n; p++) {
            cash[p] += pay;
        }
        for (size_t i = 0; i < g->n_links; i++) {
            cash[g->links[i][1]] += share[g->links[i][0]];
        }
    }
    for (uint32_t p = 0; p < g->n && result.sweeps == options.sweeps; p++) {
        assert_true(opic_cash(opic)[crawl->vertex[p]] == cash[p]);
    }
    assert_true(cash_of(opic, g->n) == MR_OPIC_TOTAL);
    mr_opic_destroy(opic);
}

static void random_crawls_are_ranked_by_definition(void **state)
{
    struct opic_fixture *f = *state;
    static struct crawl crawl;
    core_first = true;
    for (unsigned number = 0; number < GRAPHS; number++) {
        crawl_open(f, number, &crawl);
        f->context.threads = 1 + number % 2;
        check_pagerank(f, &crawl, number);
        check_personalised(f, &crawl, number);
        check_hits(f, &crawl, number);
        check_opic(f, &crawl, number);
        crawl_close(&crawl);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

TEST_MAIN(TEST(random_crawls_are_ranked_by_definition))
