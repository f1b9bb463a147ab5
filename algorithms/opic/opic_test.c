/* SPDX-License-Identifier: Apache-2.0 */
/* Tests OPIC on one graph: cash to the last unit against a naive ledger, the bounds against
 * PageRank, the same bits for any threads. opic_state_test.c tests it between crawls. */
#include "tests/support/test_opic.h"

/* ---- The ledger ---- */

struct ledger {
    u128 *cash, *history, *income; /* [n], in units */
    u128 virtual_cash;
};

/* One cyclic sweep, edge by edge, straight from the definition. `tax` is a fraction of 2^63. */
static void ledger_sweep(const struct opic_graph *g, const struct mr_opic_options *o,
                         struct ledger *l)
{
    const u128 kept = ((u128)1 << 63) - (u128)ldexp(o->tax, 63);
    const bool to_targets = o->payout == MR_OPIC_PAY_TARGETS;
    const u128 pay = l->virtual_cash / (to_targets ? o->n_targets : g->n);
    u128 back = 0;
    memset(l->income, 0, g->n * sizeof *l->income);
    for (uint32_t u = 0; u < g->n; u++) {
        uint32_t links = 0;
        for (size_t i = 0; i < g->n_links; i++) {
            links += g->links[i][0] == u && !(o->ignore_self_loops && g->links[i][1] == u);
        }
        l->history[u] += l->cash[u];
        if (links == 0) {
            back += l->cash[u];
            continue;
        }
        const u128 share = (l->cash[u] * kept >> 63) / links;
        for (size_t i = 0; i < g->n_links; i++) {
            if (g->links[i][0] == u && !(o->ignore_self_loops && g->links[i][1] == u)) {
                l->income[g->links[i][1]] += share;
            }
        }
        back += l->cash[u] - share * links;
    }
    for (uint32_t v = 0; v < g->n; v++) {
        bool is_paid = !to_targets;
        for (uint64_t i = 0; to_targets && i < o->n_targets; i++) {
            is_paid |= o->targets[i] == v;
        }
        l->cash[v] = l->income[v] + (is_paid ? pay : 0);
        l->virtual_cash -= is_paid ? pay : 0;
    }
    l->virtual_cash += back;
}

static void cash_is_the_ledgers_to_the_last_unit(void **state)
{
    struct opic_fixture *f = *state;
    for (unsigned round = 0; round < 24; round++) {
        struct opic_graph g;
        const uint32_t n = 1 + random_below(90);
        graph_random(f, "g", n, random_below(5 * n), &g);
        uint32_t targets[2] = {random_below(n), 0};
        struct mr_opic_options options;
        options = (struct mr_opic_options)MR_OPIC_OPTIONS_INIT;
        options.tax = (double[]){0.15, 0, 1, 0.5, 0.3}[round % 5];
        options.ignore_self_loops = round % 2 == 1;
        options.payout = round % 3 == 2 ? MR_OPIC_PAY_TARGETS : MR_OPIC_PAY_ALL;
        options.targets = targets;
        options.n_targets = options.payout == MR_OPIC_PAY_TARGETS;
        options.sweeps = 1 + random_below(12);
        struct ledger l = {.cash = calloc(n, sizeof *l.cash),
                           .history = calloc(n, sizeof *l.cash),
                           .income = calloc(n, sizeof *l.cash),
                           .virtual_cash = MR_OPIC_TOTAL};
        for (uint32_t v = 0; v < n; v++) { /* the first payment */
            const bool to_targets = options.payout == MR_OPIC_PAY_TARGETS;
            l.cash[v] = !to_targets ? MR_OPIC_TOTAL / n : targets[0] == v ? MR_OPIC_TOTAL : 0;
        }
        for (uint32_t v = 0; v < n; v++) {
            l.virtual_cash -= l.cash[v];
        }
        struct mr_opic *opic;
        struct mr_opic_result result;
        opic_run(f, &g, &options, false, &opic, NULL, &result);
        for (uint64_t i = 0; i < result.sweeps; i++) {
            ledger_sweep(&g, &options, &l);
        }
        assert_true(opic_virtual_cash(opic) == l.virtual_cash);
        for (uint32_t v = 0; v < n; v++) {
            assert_true(opic_cash(opic)[v] == l.cash[v]);
            const long double exact = (long double)l.history[v] * 0x1p-62L;
            assert_true(fabsl(exact - opic_history(opic)[v]) <= 16 * 0x1p-53L * exact);
        }
        assert_true(cash_of(opic, n) == MR_OPIC_TOTAL && result.cash_sum == MR_OPIC_TOTAL);
        mr_opic_destroy(opic);
        free(l.cash);
        free(l.history);
        free(l.income);
        graph_close(&g);
    }
}

/* All degrees, the number of vertices and the tax are powers of two, so that divisions lose
 * nothing. The histories are then sums of powers of the chain in whole numbers; the virtual page is
 * the last state of the chain. */
static void buffered_sweeps_are_the_sum_of_powers_exactly(void **state)
{
    struct opic_fixture *f = *state;
    enum { N = 16, SWEEPS = 6 };
    for (unsigned round = 0; round < 20; round++) {
        uint64_t ids[N];
        struct mr_edge edges[N * 4];
        size_t n_edges = 0;
        for (uint32_t v = 0; v < N; v++) {
            const uint32_t degree = (uint32_t[]){0, 1, 2, 4}[random_below(4)];
            const uint32_t first = random_below(N);
            ids[v] = 3 * v;
            for (uint32_t i = 0; i < degree; i++) { /* distinct targets */
                edges[n_edges++] = (struct mr_edge){3 * v, 3 * ((first + 5 * i) % N)};
            }
        }
        struct opic_graph g;
        graph_open(f, "g", ids, N, edges, n_edges, &g);
        struct mr_opic_options options;
        options = (struct mr_opic_options)MR_OPIC_OPTIONS_INIT;
        options.tax = 0.5;
        options.sweeps = SWEEPS;
        struct mr_opic *opic;
        struct mr_opic_result result;
        opic_run(f, &g, &options, false, &opic, NULL, &result);

        /* P over N + 1 states, in 32nds. */
        static uint64_t matrix[N + 1][N + 1];
        memset(matrix, 0, sizeof matrix);
        for (uint32_t u = 0; u < N; u++) {
            matrix[u][N] = g.degree[u] == 0 ? 32 : 16;
            matrix[N][u] = 2;
        }
        for (size_t i = 0; i < g.n_links; i++) {
            matrix[g.links[i][0]][g.links[i][1]] += 16 / g.degree[g.links[i][0]];
        }
        uint64_t cash[N + 1] = {0}, history[N + 1] = {0};
        for (uint32_t v = 0; v < N; v++) {
            cash[v] = MR_OPIC_TOTAL / N;
        }
        for (unsigned t = 0; t < SWEEPS; t++) {
            uint64_t next[N + 1] = {0};
            for (uint32_t u = 0; u <= N; u++) {
                history[u] += cash[u];
                for (uint32_t v = 0; v <= N; v++) {
                    assert_true(cash[u] % 32 == 0);
                    next[v] += cash[u] / 32 * matrix[u][v];
                }
            }
            memcpy(cash, next, sizeof cash);
        }
        assert_true(opic_virtual_cash(opic) == cash[N]);
        for (uint32_t v = 0; v < N; v++) {
            assert_true(opic_cash(opic)[v] == cash[v]);
            assert_true((u128)ldexp(opic_history(opic)[v], 62) == history[v]);
        }
        mr_opic_destroy(opic);
        graph_close(&g);
    }
}

/* ---- Bounds ---- */

static void spread(uint32_t n, const struct mr_opic_options *options, double *t)
{
    for (uint32_t v = 0; v < n; v++) {
        t[v] = options->payout == MR_OPIC_PAY_TARGETS ? 0 : 1.0 / n;
    }
    for (uint64_t i = 0; i < options->n_targets; i++) {
        t[options->targets[i]] = 1.0 / (double)options->n_targets;
    }
}

static void scores_are_within_the_bound_of_pagerank(void **state)
{
    struct opic_fixture *f = *state;
    unsigned reached = 0;
    for (unsigned round = 0; round < 100; round++) {
        struct opic_graph g;
        const uint32_t n = 2 + random_below(400);
        graph_random(f, "g", n, random_below(6 * n), &g);
        uint32_t targets[3] = {0, 1, 2};
        struct mr_opic_options options;
        options = (struct mr_opic_options)MR_OPIC_OPTIONS_INIT;
        options.tax = round % 4 == 3 ? 0.4 : 0.15;
        options.drain = round % 2 == 1;
        options.policy = (enum mr_opic_policy)(round / 2 % 3);
        options.seed = round;
        options.ignore_self_loops = false;
        if (round % 5 == 0 && n > 3) {
            options.payout = MR_OPIC_PAY_TARGETS;
            options.targets = targets;
            options.n_targets = 3;
        }
        /* the random policy needs ten times the sweeps */
        const bool slow = options.policy == MR_OPIC_RANDOM;
        options.tolerance = options.drain ? (slow ? 1e-2 : 1e-9) : (slow ? 0.5 : 0.1);
        f->context.threads = 1 + round % 8 / 7;
        double *t = calloc(n, sizeof *t);
        long double *x = calloc(n, sizeof *x);
        spread(n, &options, t);
        pagerank_oracle(&g, 1 - (long double)options.tax, t, NULL, x);
        struct mr_opic *opic;
        struct mr_opic_result result;
        opic_run(f, &g, &options, false, &opic, NULL, &result);
        assert_true(result.converged && result.bound_kind == MR_OPIC_DISTANCE);
        assert_true(result.error_bound <= options.tolerance);
        const double distance = distance_to(x, mr_opic_scores(opic), n);
        if (distance > result.error_bound) {
            print_error("round %u: distance %g, bound %g\n", round, distance, result.error_bound);
            fail();
        }
        reached += distance > 1e-3 * result.error_bound;
        assert_true(cash_of(opic, n) == MR_OPIC_TOTAL);
        free(t);
        free(x);
        mr_opic_destroy(opic);
        graph_close(&g);
    }
    assert_true(reached > 50); /* the bound is not far above the error */
}

/* Draining: each full sweep shrinks the remaining cash at least by the damping. */
static void draining_shrinks_by_the_damping(void **state)
{
    struct opic_fixture *f = *state;
    struct opic_graph g;
    graph_random(f, "g", 300, 2000, &g);
    double left = 1;
    for (uint64_t sweeps = 1; sweeps < 40; sweeps += 3) {
        struct mr_opic_options options;
        struct mr_opic *opic;
        struct mr_opic_result result;
        options = (struct mr_opic_options)MR_OPIC_OPTIONS_INIT;
        options.drain = true;
        options.sweeps = sweeps;
        opic_run(f, &g, &options, false, &opic, NULL, &result);
        assert_true(result.cash_left <= pow(0.85, (double)sweeps));
        assert_true(result.cash_left < left);
        left = result.cash_left;
        mr_opic_destroy(opic);
        options.sweeps = 0;
        options.cash_left = left;
        opic_run(f, &g, &options, false, &opic, NULL, &result);
        assert_true(result.converged && result.sweeps == sweeps);
        mr_opic_destroy(opic);
    }
    graph_close(&g);
}

static void without_a_limit_the_bound_is_on_stationarity(void **state)
{
    struct opic_fixture *f = *state;
    struct opic_graph g;
    graph_random(f, "g", 120, 700, &g);
    struct mr_opic_options options;
    struct mr_opic *opic;
    struct mr_opic_result result;
    options = (struct mr_opic_options)MR_OPIC_OPTIONS_INIT;
    options.tax = 0;
    options.tolerance = 0.02;
    opic_run(f, &g, &options, false, &opic, NULL, &result);
    assert_true(result.bound_kind == MR_OPIC_STATIONARITY && result.converged);
    assert_true(result.stationarity <= 0.02 && result.history > 0);
    mr_opic_destroy(opic);
    options.tolerance = 1e-12; /* out of reach */
    options.sweeps = 5;
    opic_run(f, &g, &options, false, &opic, NULL, &result);
    assert_true(result.sweeps == 5 && result.error_bound > 1e-12);
    mr_opic_destroy(opic);
    graph_close(&g);
}

/* ---- Edges with different weights ---- */

/* Weights that no number of bits holds exactly, and ratios far apart. */
static const double weights[][2] = {
    {1, 0},    {0, 1},    {0.25, 1},  {3, 1},     {0.2, 1},      {1, 0.3},       {1e-7, 2e-7},
    {1e-9, 1}, {1, 1e-9}, {0.7, 1.9}, {1e-30, 1}, {0x1p20, 0.1}, {1e-308, 1e-4}, {0.3, 0.1}};

/* A "host" is a run of 8 vertices. */
static void internal_and_external_links_weigh_as_told(void **state)
{
    struct opic_fixture *f = *state;
    for (unsigned round = 0; round < sizeof weights / sizeof *weights; round++) {
        struct opic_graph g, inside;
        const uint32_t n = round % 3 == 0 ? 9 + random_below(8) : 30 + random_below(300);
        graph_random(f, "g", n, 5 * n, &g);
        struct mr_edge *edges = malloc((g.n_links + 1) * sizeof *edges);
        double *weight = calloc(g.n_links, sizeof *weight), *t = calloc(n, sizeof *t);
        long double *x = calloc(n, sizeof *x);
        size_t n_inside = 0;
        struct mr_opic_options options;
        options = (struct mr_opic_options)MR_OPIC_OPTIONS_INIT;
        options.ignore_self_loops = round % 2 == 0;
        options.internal_weight = weights[round][0];
        options.external_weight = weights[round][1];
        for (size_t i = 0; i < g.n_links; i++) {
            const uint32_t u = g.links[i][0], v = g.links[i][1];
            const bool is_inside = u / 8 == v / 8, counts = !(options.ignore_self_loops && u == v);
            weight[i] = !counts ? 0 : is_inside ? options.internal_weight : options.external_weight;
            if (is_inside && counts) {
                edges[n_inside++] = (struct mr_edge){g.ids[u], g.ids[v]};
            }
        }
        graph_open(f, "inside", g.ids, n, edges, n_inside, &inside);
        options.internal = inside.store;
        options.drain = true;
        options.tolerance = 1e-12;
        spread(n, &options, t);
        pagerank_oracle(&g, 1 - (long double)options.tax, t, weight, x);
        struct mr_opic *opic;
        struct mr_opic_result result;
        opic_run(f, &g, &options, false, &opic, NULL, &result);
        assert_true(result.converged && cash_of(opic, n) == MR_OPIC_TOTAL);
        assert_true(distance_to(x, mr_opic_scores(opic), n) <= result.error_bound);
        mr_opic_destroy(opic);
        graph_close(&inside);
        graph_close(&g);
        free(edges);
        free(weight);
        free(t);
        free(x);
    }
}

/* ---- Visited and paid vertices ---- */

/* 0 -> 1 -> 2, and 3 alone. */
static void chain(struct opic_fixture *f, struct opic_graph *g)
{
    const uint64_t ids[] = {0, 1, 2, 3};
    const struct mr_edge edges[] = {{0, 1}, {1, 2}};
    graph_open(f, "chain", ids, 4, edges, 2, g);
}

static void dangling_pages_pay_the_virtual_page(void **state)
{
    struct opic_fixture *f = *state;
    struct opic_graph g;
    struct mr_opic_options options;
    struct mr_opic *opic;
    struct mr_opic_result result;
    const uint64_t quarter = MR_OPIC_TOTAL / 4;
    chain(f, &g);
    options = (struct mr_opic_options)MR_OPIC_OPTIONS_INIT;
    options.tax = 0.5;
    options.sweeps = 1;
    opic_run(f, &g, &options, false, &opic, NULL, &result);
    /* Vertices 2 and 3 pay their whole quarter, 0 and 1 pay half of it. */
    assert_true(opic_virtual_cash(opic) == 3 * quarter);
    assert_true(opic_cash(opic)[0] == 0 && opic_cash(opic)[3] == 0);
    assert_true(opic_cash(opic)[1] == quarter / 2 && opic_cash(opic)[2] == quarter / 2);
    mr_opic_destroy(opic);
    graph_close(&g);
}

/* No pass reads the edges of the virtual page. */
static void the_virtual_page_costs_no_links(void **state)
{
    struct opic_fixture *f = *state;
    struct opic_graph g;
    struct mr_opic_options options;
    struct mr_opic *opic;
    struct mr_opic_result result;
    graph_random(f, "g", 500, 3000, &g);
    options = (struct mr_opic_options)MR_OPIC_OPTIONS_INIT;
    options.sweeps = 7;
    opic_run(f, &g, &options, false, &opic, NULL, &result);
    assert_true(result.figures.edge_visits == 7 * g.n_links && result.figures.passes == 7);
    assert_true(result.visits == 7 * 500u);
    mr_opic_destroy(opic);
    graph_close(&g);
}

static void pages_not_fetched_keep_their_cash(void **state)
{
    struct opic_fixture *f = *state;
    struct opic_graph g;
    struct mr_opic_options options;
    struct mr_opic *opic;
    struct mr_opic_result result;
    uint64_t n_unfetched;
    const uint32_t listed[] = {0};
    chain(f, &g);
    options = (struct mr_opic_options)MR_OPIC_OPTIONS_INIT;
    options.fetched_rule = MR_OPIC_FETCHED_LINKS;
    options.sweeps = 50;
    opic_run(f, &g, &options, false, &opic, NULL, &result);
    const double *cash = mr_opic_unfetched(opic, &n_unfetched);
    assert_int_equal(n_unfetched, 2);
    assert_true(cash[0] == -1 && cash[1] == -1);
    assert_true(cash[2] > cash[3] && cash[3] > 0);
    assert_true(cash[2] + cash[3] > 0.999); /* all cash ends there */
    assert_true(opic_history(opic)[2] == 0 && opic_history(opic)[3] == 0);
    assert_int_equal(result.n_fetched, 2);
    mr_opic_destroy(opic);
    options.fetched_rule = MR_OPIC_FETCHED_LIST;
    options.fetched = listed;
    options.n_fetched = 1;
    opic_run(f, &g, &options, false, &opic, NULL, &result);
    (void)mr_opic_unfetched(opic, &n_unfetched);
    assert_int_equal(n_unfetched, 3);
    assert_int_equal(result.n_visited, 1);
    assert_true(opic_history(opic)[1] == 0 && opic_history(opic)[0] > 0);
    mr_opic_destroy(opic);
    graph_close(&g);
}

static void the_virtual_page_pays_whom_it_is_told_to(void **state)
{
    struct opic_fixture *f = *state;
    struct opic_graph g;
    struct mr_opic_options options;
    struct mr_opic *opic;
    struct mr_opic_result result;
    const uint64_t quarter = MR_OPIC_TOTAL / 4;
    chain(f, &g);
    options = (struct mr_opic_options)MR_OPIC_OPTIONS_INIT;
    options.tax = 1; /* edges carry nothing: vertices have the payments only */
    options.fetched_rule = MR_OPIC_FETCHED_LINKS;
    options.sweeps = 2;
    options.payout = MR_OPIC_PAY_UNVISITED; /* vertices 2 and 3, after the first sweep */
    opic_run(f, &g, &options, false, &opic, NULL, &result);
    assert_true(opic_cash(opic)[0] == 0 && opic_cash(opic)[1] == 0);
    assert_true(opic_cash(opic)[2] == 2 * quarter && opic_cash(opic)[3] == 2 * quarter);
    assert_true(opic_virtual_cash(opic) == 0);
    mr_opic_destroy(opic);
    options.payout = MR_OPIC_PAY_VISITED;
    opic_run(f, &g, &options, false, &opic, NULL, &result);
    assert_true(opic_cash(opic)[0] == quarter && opic_cash(opic)[1] == quarter);
    assert_true(opic_cash(opic)[2] == quarter && opic_cash(opic)[3] == quarter);
    mr_opic_destroy(opic);
    graph_close(&g);
}

/* With the same number of visits, the greedy policy moves more cash than the random one. */
static void policies_visit_as_many_pages_as_told(void **state)
{
    struct opic_fixture *f = *state;
    struct opic_graph g;
    double history[3];
    graph_random(f, "g", 700, 5000, &g);
    for (int policy = 0; policy < 3; policy++) {
        struct mr_opic_options options;
        struct mr_opic *opic;
        struct mr_opic_result result;
        options = (struct mr_opic_options)MR_OPIC_OPTIONS_INIT;
        options.policy = (enum mr_opic_policy)policy;
        options.visits = 35;
        options.sweeps = 100;
        opic_run(f, &g, &options, false, &opic, NULL, &result);
        assert_int_equal(result.visits, 3500);
        assert_true(cash_of(opic, 700) == MR_OPIC_TOTAL);
        history[policy] = result.history;
        mr_opic_destroy(opic);
    }
    assert_true(history[MR_OPIC_GREEDY] > 1.5 * history[MR_OPIC_RANDOM]);
    graph_close(&g);
}

/* The richest vertices, by sorting; of equal ones those with the lowest numbers. */
static void greedy_takes_the_richest(void **state)
{
    struct opic_fixture *f = *state;
    struct opic_graph g;
    graph_random(f, "g", 400, 2500, &g);
    struct mr_opic_options options;
    struct mr_opic *opic;
    struct mr_opic_result result;
    options = (struct mr_opic_options)MR_OPIC_OPTIONS_INIT;
    options.sweeps = 3;
    opic_run(f, &g, &options, false, &opic, NULL, &result);
    assert_int_equal(opic_save(&f->context, f->state, &g, opic), MR_OK);
    uint64_t cash[400];
    memcpy(cash, opic_cash(opic), sizeof cash);
    mr_opic_destroy(opic);
    options.policy = MR_OPIC_GREEDY;
    options.sweeps = 1;
    options.payout = MR_OPIC_PAY_ALL;
    for (uint32_t wanted = 1; wanted < 400; wanted += 37) {
        double before[400];
        options.visits = wanted;
        opic_open(f, &g, &options, &opic);
        struct mr_name_table_reader *reader = NULL;
        struct mr_opic_merge merge;
        assert_int_equal(mr_name_table_open(&f->context, f->state, &mr_opic_state, &reader, NULL),
                         MR_OK);
        assert_int_equal(mr_opic_load(opic, reader, g.names, NULL, &merge, NULL), MR_OK);
        mr_name_table_close(reader);
        memcpy(before, opic_history(opic), sizeof before);
        assert_int_equal(mr_opic_run(opic, &result, NULL), MR_OK);
        assert_true(result.visits <= wanted);
        for (uint32_t v = 0; v < 400; v++) {
            uint32_t richer = 0;
            for (uint32_t u = 0; u < 400; u++) {
                richer += cash[u] > cash[v] || (cash[u] == cash[v] && u < v);
            }
            assert_int_equal(opic_history(opic)[v] > before[v], richer < wanted && cash[v] > 0);
        }
        mr_opic_destroy(opic);
    }
    graph_close(&g);
}

/* ---- The rest ---- */

static void the_same_bits_for_any_threads(void **state)
{
    struct opic_fixture *f = *state;
    struct opic_graph g;
    const uint32_t n = 3000;
    graph_random(f, "g", n, 30000, &g);
    for (int policy = 0; policy < 3; policy++) {
        uint64_t *cash = malloc(n * sizeof *cash);
        double *scores = malloc(n * sizeof *scores), bound = 0;
        for (unsigned threads = 1; threads <= 7; threads++) {
            struct mr_opic_options options;
            struct mr_opic *opic;
            struct mr_opic_result result;
            options = (struct mr_opic_options)MR_OPIC_OPTIONS_INIT;
            options.policy = (enum mr_opic_policy)policy;
            options.window = policy == 2 ? 0.7 : 0;
            options.sweeps = 25;
            options.no_pinning = threads % 2 == 0;
            f->context.backend = threads % 3 == 0 ? MR_QUEUE_PREAD : MR_QUEUE_AUTO;
            f->context.threads = threads;
            opic_run(f, &g, &options, false, &opic, NULL, &result);
            if (threads == 1) {
                memcpy(cash, opic_cash(opic), n * sizeof *cash);
                memcpy(scores, mr_opic_scores(opic), n * sizeof *scores);
                bound = result.error_bound;
            }
            assert_memory_equal(cash, opic_cash(opic), n * sizeof *cash);
            assert_memory_equal(scores, mr_opic_scores(opic), n * sizeof *scores);
            assert_true(result.error_bound == bound);
            mr_opic_destroy(opic);
        }
        free(cash);
        free(scores);
    }
    graph_close(&g);
}

static void an_empty_graph_and_a_single_page(void **state)
{
    struct opic_fixture *f = *state;
    for (uint32_t n = 0; n < 2; n++) {
        struct opic_graph g;
        const uint64_t ids[] = {5};
        const struct mr_edge none[1] = {{0, 0}};
        struct mr_opic_options options;
        struct mr_opic *opic;
        struct mr_opic_result result;
        graph_open(f, "g", ids, n, none, 0, &g);
        options = (struct mr_opic_options)MR_OPIC_OPTIONS_INIT;
        options.tolerance = 1e-9;
        opic_run(f, &g, &options, false, &opic, NULL, &result);
        assert_true(result.converged);
        if (n == 1) {
            assert_true(mr_opic_scores(opic)[0] == 1);
        }
        mr_opic_destroy(opic);
        graph_close(&g);
    }
}

static void options_that_make_no_sense_are_refused(void **state)
{
    struct opic_fixture *f = *state;
    struct opic_graph g;
    chain(f, &g);
    for (unsigned i = 0; i < 6; i++) {
        struct mr_opic_options options;
        struct mr_opic *opic;
        options = (struct mr_opic_options)MR_OPIC_OPTIONS_INIT;
        options.tax = i == 0 ? -0.1 : i == 1 ? 1.1 : i == 2 ? NAN : i == 3 ? 0 : 0.15;
        options.drain = i == 3;
        options.payout = i == 4 ? MR_OPIC_PAY_TARGETS : MR_OPIC_PAY_ALL;
        options.window = i == 5 ? -1 : 0;
        assert_int_equal(mr_opic_create(&f->context, g.store, &options, &opic, NULL),
                         MR_ERROR_USAGE);
        mr_opic_destroy(opic);
    }
    graph_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(cash_is_the_ledgers_to_the_last_unit, set_up, tear_down),
        cmocka_unit_test_setup_teardown(buffered_sweeps_are_the_sum_of_powers_exactly, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(scores_are_within_the_bound_of_pagerank, set_up, tear_down),
        cmocka_unit_test_setup_teardown(draining_shrinks_by_the_damping, set_up, tear_down),
        cmocka_unit_test_setup_teardown(without_a_limit_the_bound_is_on_stationarity, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(internal_and_external_links_weigh_as_told, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(dangling_pages_pay_the_virtual_page, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_virtual_page_costs_no_links, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pages_not_fetched_keep_their_cash, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_virtual_page_pays_whom_it_is_told_to, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(policies_visit_as_many_pages_as_told, set_up, tear_down),
        cmocka_unit_test_setup_teardown(greedy_takes_the_richest, set_up, tear_down),
        cmocka_unit_test_setup_teardown(the_same_bits_for_any_threads, set_up, tear_down),
        cmocka_unit_test_setup_teardown(an_empty_graph_and_a_single_page, set_up, tear_down),
        cmocka_unit_test_setup_teardown(options_that_make_no_sense_are_refused, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
