/* SPDX-License-Identifier: Apache-2.0 */
/* Tests replayed crawls against a naive crawler that keeps sets and sorts them. */
#include "algorithms/opic/replay.h"
#include "tests/support/test_opic.h"

static double importance_of(uint32_t v)
{
    /* some vertices have equal importance, one has 0 */
    return (double)(v * 7919u % 1009u) / 1009.0;
}

struct naive {
    bool *known, *fetched;
    uint32_t *known_at;
    u128 *cash;
    u128 virtual_cash;
};

/* Returns whether vertex a comes before b. */
static bool comes_first(const struct naive *w, enum mr_replay_order order, uint32_t a, uint32_t b)
{
    if (order == MR_REPLAY_BREADTH_FIRST && w->known_at[a] != w->known_at[b]) {
        return w->known_at[a] < w->known_at[b];
    }
    if (order == MR_REPLAY_GREEDY && w->cash[a] != w->cash[b]) {
        return w->cash[a] > w->cash[b];
    }
    if (order == MR_REPLAY_IMPORTANCE && importance_of(a) != importance_of(b)) {
        return importance_of(a) > importance_of(b);
    }
    return a < b;
}

static void naive_links(const struct opic_graph *g, struct naive *w, const bool *latest,
                        uint32_t step)
{
    for (size_t i = 0; i < g->n_links; i++) {
        const uint32_t v = g->links[i][1];
        if (latest[g->links[i][0]] && !w->known[v]) {
            w->known[v] = true;
            w->known_at[v] = step + 1;
        }
    }
}

static void naive_cash(const struct opic_graph *g, struct naive *w)
{
    u128 *income = calloc(g->n, sizeof *income);
    u128 back = 0;
    uint64_t n_known = 0;
    for (uint32_t v = 0; v < g->n; v++) {
        n_known += w->known[v];
    }
    assert(n_known > 0);
    const u128 pay = w->virtual_cash / n_known;
    for (uint32_t u = 0; u < g->n; u++) {
        if (!w->fetched[u]) {
            continue;
        }
        const u128 give = w->cash[u] * (((u128)1 << 63) - (u128)ldexp(0.15, 63)) >> 63;
        const u128 share = g->degree[u] > 0 ? give / g->degree[u] : 0;
        for (size_t i = 0; i < g->n_links; i++) {
            income[g->links[i][1]] += g->links[i][0] == u ? share : 0;
        }
        back += w->cash[u] - share * g->degree[u];
        w->cash[u] = 0;
    }
    for (uint32_t v = 0; v < g->n; v++) {
        w->cash[v] += income[v] + (w->known[v] ? pay : 0);
    }
    w->virtual_cash += back - pay * n_known;
    free(income);
}

/* One step of the naive crawl. Returns the number of fetched vertices, 0 at the end of the
 * crawl. */
static unsigned naive_step(const struct opic_graph *g, struct naive *w, enum mr_replay_order order,
                           uint64_t budget, uint32_t step)
{
    bool *latest = calloc(g->n, sizeof *latest);
    unsigned n = 0;
    while (n < budget) {
        uint32_t best = UINT32_MAX;
        for (uint32_t v = 0; v < g->n; v++) {
            if (w->known[v] && !w->fetched[v] &&
                (best == UINT32_MAX || comes_first(w, order, v, best))) {
                best = v;
            }
        }
        if (best == UINT32_MAX) {
            break;
        }
        w->fetched[best] = latest[best] = true;
        n++;
    }
    naive_links(g, w, latest, step);
    naive_cash(g, w);
    free(latest);
    return n;
}

static void crawls_are_those_of_a_naive_crawler(void **state)
{
    struct opic_fixture *f = *state;
    for (unsigned round = 0; round < 18; round++) {
        struct opic_graph g;
        const uint32_t n = 20 + random_below(500);
        graph_random(f, "g", n, random_below(6 * n), &g);
        double *importance = calloc(n, sizeof *importance);
        struct naive w = {.known = calloc(n, 1),
                          .fetched = calloc(n, 1),
                          .known_at = calloc(n, sizeof(uint32_t)),
                          .cash = calloc(n, sizeof(u128)),
                          .virtual_cash = MR_OPIC_TOTAL};
        uint32_t seeds[2] = {3, 11}, hub = 0;
        for (uint32_t v = 0; v < n; v++) {
            importance[v] = importance_of(v);
            hub = g.degree[v] > g.degree[hub] ? v : hub;
        }
        struct mr_replay_options options = {.struct_size = sizeof options,
                                            .order = (enum mr_replay_order)(1 + round % 3),
                                            .budget = 1 + random_below(n / 5),
                                            .seeds = seeds,
                                            .n_seeds = round % 2 == 0 ? 2 : 0,
                                            .importance = importance,
                                            .tax = 0.15};
        for (uint32_t i = 0; i < (options.n_seeds > 0 ? 2 : 1); i++) {
            const uint32_t seed_page = options.n_seeds > 0 ? seeds[i] : hub;
            w.known[seed_page] = true;
            w.known_at[seed_page] = 1;
            w.cash[seed_page] = MR_OPIC_TOTAL / (options.n_seeds > 0 ? 2 : 1);
            w.virtual_cash -= w.cash[seed_page];
        }
        struct mr_replay crawl;
        f->context.threads = 1 + round % 4;
        assert_int_equal(mr_replay_simulate(&f->context, g.store, &options, &crawl, NULL), MR_OK);
        uint64_t fetched = 0;
        for (uint64_t i = 0; i < crawl.n_steps; i++) {
            fetched += naive_step(&g, &w, options.order, options.budget, (uint32_t)i + 1);
            double sum = 0;
            uint64_t known = 0;
            for (uint32_t v = 0; v < n; v++) {
                sum += w.fetched[v] ? importance[v] : 0;
                known += w.known[v];
            }
            assert_true(crawl.steps[i].fetched == fetched && crawl.steps[i].known == known);
            assert_true(fabs(crawl.steps[i].importance - sum) <= 1e-12 * sum);
        }
        assert_int_equal(naive_step(&g, &w, options.order, 1, 1), 0); /* nothing was left */
        mr_replay_free(&crawl);
        free(w.known);
        free(w.fetched);
        free(w.known_at);
        free(w.cash);
        free(importance);
        graph_close(&g);
    }
}

/* Random crawls fetch the same number of vertices; different seeds give different crawls. */
static void random_crawls_depend_on_the_seed_alone(void **state)
{
    struct opic_fixture *f = *state;
    struct opic_graph g;
    double importance[400], last[3];
    graph_random(f, "g", 400, 3000, &g);
    for (uint32_t v = 0; v < 400; v++) {
        importance[v] = importance_of(v);
    }
    uint64_t reached = 0;
    for (unsigned i = 0; i < 3; i++) {
        struct mr_replay crawl;
        const struct mr_replay_options options = {.struct_size = sizeof options,
                                                  .order = MR_REPLAY_RANDOM,
                                                  .budget = 10,
                                                  .importance = importance,
                                                  .seed = i == 2 ? 2 : 1};
        f->context.threads = 1 + i;
        assert_int_equal(mr_replay_simulate(&f->context, g.store, &options, &crawl, NULL), MR_OK);
        last[i] = crawl.steps[4].importance;
        assert_true(crawl.n_steps > 5);
        assert_true(i == 0 || crawl.steps[crawl.n_steps - 1].fetched == reached);
        reached = crawl.steps[crawl.n_steps - 1].fetched;
        mr_replay_free(&crawl);
    }
    assert_true(last[0] == last[1] && last[0] != last[2]);
    graph_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(crawls_are_those_of_a_naive_crawler, set_up, tear_down),
        cmocka_unit_test_setup_teardown(random_crawls_depend_on_the_seed_alone, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
