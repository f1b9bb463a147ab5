/* SPDX-License-Identifier: Apache-2.0 */
/* Tests OPIC between crawls. Each numbered point of the Nutch note "Fixing OPIC scoring" (Krugler
 * 2006) is tested as a property; the tests quote the points. */
#include "tests/support/test_opic.h"

#include <sys/wait.h>

#include "algorithms/opic/internal.h"
#include "tests/support/io_fault.h"

static void save(struct opic_fixture *f, const struct opic_graph *g, const struct mr_opic *opic)
{
    assert_int_equal(opic_save(&f->context, f->state, g, opic), MR_OK);
}

/* A random graph with ids 0, 3, ... below 3 * `universe`; vertices and edges come and go. */
static void graph_of_universe(struct opic_fixture *f, uint32_t universe, struct opic_graph *g)
{
    uint64_t *ids = malloc(universe * sizeof *ids);
    struct mr_edge *edges = malloc(8 * (size_t)universe * sizeof *edges);
    uint32_t n = 0;
    for (uint32_t i = 0; i < universe; i++) {
        if (n == 0 || random_below(5) > 0) {
            ids[n++] = 3 * (uint64_t)i;
        }
    }
    const size_t n_edges = random_below(6 * universe);
    for (size_t i = 0; i < n_edges; i++) {
        const uint32_t source = random_below(1 + n / 2);
        edges[i] = (struct mr_edge){ids[source], ids[random_below(n)]};
    }
    graph_open(f, "universe", ids, n, edges, n_edges, g);
    free(ids);
    free(edges);
}

/* Draw any option that a crawl may have. */
static void draw_options(uint32_t n, const uint32_t *list, uint64_t n_list,
                         struct mr_opic_options *o)
{
    *o = (struct mr_opic_options)MR_OPIC_OPTIONS_INIT;
    o->tax = (double[]){0.15, 0.15, 0.5, 0, 1}[random_below(5)];
    o->drain = o->tax > 0 && random_below(4) == 0;
    o->policy = (enum mr_opic_policy)random_below(3);
    o->visits = random_below(2) == 0 ? 0 : 1 + random_below(n);
    o->seed = random_below(1000);
    o->payout = (enum mr_opic_payout)random_below(4);
    o->targets = list;
    o->n_targets = n_list;
    o->fetched_rule = (enum mr_opic_fetched)random_below(3);
    o->fetched = list;
    o->n_fetched = n_list;
    o->ignore_self_loops = random_below(2) == 0;
    o->window = random_below(2) == 0 ? 0 : 0.1 + random_below(40) / 10.0;
    o->new_pages = random_below(2) == 0 ? MR_OPIC_NEW_ZERO : MR_OPIC_NEW_AVERAGE;
}

/* "The total score of the system continues to increase": no. The cash stays the same to the last
 * unit over any sequence of sweeps, recrawls of changed graphs, new vertices and vanished ones. */
static void the_total_is_constant_over_1000_operations(void **state)
{
    struct opic_fixture *f = *state;
    unsigned operations = 0;
    bool has_state = false;
    uint64_t added = 0, vanished = 0;
    while (operations < 1000) {
        struct opic_graph g;
        graph_of_universe(f, 20 + random_below(80), &g);
        uint32_t list[3], n_list = 0;
        for (uint32_t v = 0; v < g.n && n_list < 3; v += 1 + random_below(20)) {
            list[n_list++] = v;
        }
        struct mr_opic_options options;
        struct mr_opic *opic;
        struct mr_opic_merge merge = {0};
        struct mr_opic_result result;
        draw_options(g.n, list, n_list, &options);
        options.sweeps = 1 + random_below(12);
        opic_run(f, &g, &options, has_state, &opic, &merge, &result);
        assert_true(cash_of(opic, g.n) == MR_OPIC_TOTAL);
        assert_true(result.cash_sum == MR_OPIC_TOTAL);
        for (uint32_t v = 0; v < g.n; v++) {
            assert_true(opic_history(opic)[v] >= 0 && isfinite(opic_history(opic)[v]));
        }
        assert_true(!has_state || merge.kept + merge.added == g.n);
        added += merge.added;
        vanished += merge.vanished;
        operations += (unsigned)(result.sweeps + merge.added + merge.vanished + 1);
        save(f, &g, opic);
        has_state = true;
        mr_opic_destroy(opic);
        graph_close(&g);
    }
    assert_true(added > 50 && vanished > 50);
}

static double distance_between(const double *a, const double *b, uint32_t n)
{
    double sum = 0;
    for (uint32_t v = 0; v < n; v++) {
        sum += fabs(a[v] - b[v]);
    }
    return sum;
}

/* "You can't recrawl without having the recrawled pages get inflated scores". A recrawl of an
 * unchanged graph moves scores by no more than the bounds allow, any number of times, and the
 * bounds shrink. */
static void recrawling_an_unchanged_graph_inflates_nothing(void **state)
{
    struct opic_fixture *f = *state;
    struct opic_graph g;
    const uint32_t n = 250;
    double before[250], bound = 2;
    graph_random(f, "g", n, 1500, &g);
    for (unsigned crawl = 0; crawl < 12; crawl++) {
        struct mr_opic_options options;
        struct mr_opic *opic;
        struct mr_opic_merge merge;
        struct mr_opic_result result;
        options = (struct mr_opic_options)MR_OPIC_OPTIONS_INIT;
        options.policy = (enum mr_opic_policy)(crawl % 3); /* proofs do not depend on the policy */
        options.sweeps = 100;
        opic_run(f, &g, &options, crawl > 0, &opic, &merge, &result);
        const double *scores = mr_opic_scores(opic);
        assert_true(result.bound_kind == MR_OPIC_DISTANCE && !result.measured);
        /* the random policy may leave more cash behind */
        assert_true(result.error_bound < 2 * bound);
        if (crawl > 0) {
            assert_true(merge.unchanged && merge.kept == n);
            assert_true(distance_between(before, scores, n) <= bound + result.error_bound);
        }
        memcpy(before, scores, sizeof before);
        bound = result.error_bound;
        save(f, &g, opic);
        mr_opic_destroy(opic);
    }
    assert_true(bound < 0.03);
    graph_close(&g);
}

/* "This then penalizes pages that aren't recrawled, as their score (as a percentage of the total
 * system) keeps dropping". This test visits only the first half of the vertices, many times, with a
 * window. */
static void pages_not_recrawled_keep_their_scores(void **state)
{
    struct opic_fixture *f = *state;
    struct opic_graph g;
    enum { N = 250 };
    double before[N];
    graph_random(f, "g", N, 1500, &g);
    struct mr_opic_options options;
    struct mr_opic *opic;
    struct mr_opic_result result, first;
    options = (struct mr_opic_options)MR_OPIC_OPTIONS_INIT;
    f->context.threads = 1;
    options.window = 400;
    options.sweeps = 1500;
    opic_run(f, &g, &options, false, &opic, NULL, &first);
    assert_true(first.bound_kind == MR_OPIC_DISTANCE && first.measured && first.error_bound < 2e-3);
    memcpy(before, mr_opic_scores(opic), sizeof before);
    save(f, &g, opic);
    mr_opic_destroy(opic);

    uint32_t half[N / 2];
    for (uint32_t v = 0; v < N / 2; v++) {
        half[v] = v;
    }
    for (unsigned crawl = 0; crawl < 4; crawl++) {
        struct mr_opic_merge merge;
        options.fetched_rule = MR_OPIC_FETCHED_LIST;
        options.fetched = half;
        options.n_fetched = N / 2;
        options.sweeps = 2;
        opic_run(f, &g, &options, true, &opic, &merge, &result);
        const double *scores = mr_opic_scores(opic);
        double dropped = 0, share = 0;
        for (uint32_t v = N / 2; v < N; v++) {
            dropped += fmax(0, before[v] - scores[v]);
            share += before[v];
        }
        /* The effect of the window is at most the cash moved since, as a share of the window. */
        assert_true(share > 0.2 && dropped <= 2.0 * (crawl + 1) * 2 / 400);
        save(f, &g, opic);
        mr_opic_destroy(opic);
    }
    graph_close(&g);
}

/* The same without a window, with vertices left out at random: all scores stay within both
 * bounds. */
static void pages_not_recrawled_stay_within_the_bounds(void **state)
{
    struct opic_fixture *f = *state;
    struct opic_graph g;
    enum { N = 250 };
    double before[N], old_history[N];
    graph_random(f, "g", N, 1500, &g);
    struct mr_opic_options options;
    struct mr_opic *opic;
    struct mr_opic_result first, second;
    struct mr_opic_merge merge;
    options = (struct mr_opic_options)MR_OPIC_OPTIONS_INIT;
    options.drain = true;
    options.tolerance = 1e-6;
    opic_run(f, &g, &options, false, &opic, NULL, &first);
    memcpy(before, mr_opic_scores(opic), sizeof before);
    memcpy(old_history, opic_history(opic), sizeof before);
    save(f, &g, opic);
    mr_opic_destroy(opic);
    options.drain = false;
    options.tolerance = 0;
    options.policy = MR_OPIC_RANDOM;
    options.visits = 40;
    options.sweeps = 3;
    opic_run(f, &g, &options, true, &opic, &merge, &second);
    assert_true(merge.unchanged);
    const double *scores = mr_opic_scores(opic);
    assert_true(distance_between(before, scores, N) <= first.error_bound + second.error_bound);
    unsigned left_out = 0;
    for (uint32_t v = 0; v < N; v++) {
        const bool recrawled = opic_history(opic)[v] > old_history[v];
        left_out += !recrawled;
        if (!recrawled) {
            assert_true(before[v] - scores[v] <= first.error_bound + second.error_bound);
        }
    }
    assert_true(left_out >= N - 3 * 40);
    mr_opic_destroy(opic);
    graph_close(&g);
}

/* The state matches vertices by name. A vertex gets back what it had, under another number; a
 * vanished vertex pays the virtual page; "when more pages are injected, some of the cash that has
 * accumulated in the root page is distributed to the injected pages". */
static void states_are_merged_by_name(void **state)
{
    struct opic_fixture *f = *state;
    const uint64_t old_ids[] = {10, 20, 30, 40}, new_ids[] = {5, 20, 40, 50, 60};
    const struct mr_edge old_edges[] = {{10, 20}, {20, 30}, {30, 40}, {40, 10}};
    const struct mr_edge new_edges[] = {{5, 20}, {20, 40}, {40, 20}};
    struct opic_graph old, new;
    struct mr_opic_options options;
    struct mr_opic *opic;
    struct mr_opic_result result;
    struct mr_opic_merge merge;
    graph_open(f, "old", old_ids, 4, old_edges, 4, &old);
    graph_open(f, "new", new_ids, 5, new_edges, 3, &new);
    options = (struct mr_opic_options)MR_OPIC_OPTIONS_INIT;
    options.tax = 0.25;
    options.sweeps = 1;
    opic_run(f, &old, &options, false, &opic, NULL, &result);
    /* Each vertex had a quarter and kept 3/16 of the total; the virtual page has a quarter. */
    const uint64_t sixteenth = MR_OPIC_TOTAL / 16, fifth = MR_OPIC_TOTAL / 5;
    assert_true(opic_virtual_cash(opic) == 4 * sixteenth);
    assert_true(opic_cash(opic)[1] == 3 * sixteenth && opic_history(opic)[1] == 0.25);
    save(f, &old, opic);
    mr_opic_destroy(opic);
    for (unsigned at_zero = 0; at_zero < 2; at_zero++) {
        struct mr_name_table_reader *reader = NULL;
        options.new_pages = at_zero == 1 ? MR_OPIC_NEW_ZERO : MR_OPIC_NEW_AVERAGE;
        opic_open(f, &new, &options, &opic);
        assert_int_equal(mr_name_table_open(&f->context, f->state, &mr_opic_state, &reader, NULL),
                         MR_OK);
        assert_int_equal(mr_opic_load(opic, reader, new.names, NULL, &merge, NULL), MR_OK);
        mr_name_table_close(reader);
        assert_true(merge.kept == 2 && merge.added == 3 && merge.vanished == 2);
        assert_true(merge.vanished_cash == 6 / 16.0 && !merge.unchanged);
        /* The virtual page had 10/16: it pays three vertices a fifth of the total each, which is
         * 3/5. */
        const uint64_t *cash = opic_cash(opic);
        assert_true(cash[0] == fifth && cash[3] == fifth && cash[4] == fifth);
        assert_true(cash[1] == 3 * sixteenth && cash[2] == 3 * sixteenth);
        assert_true(cash_of(opic, 5) == MR_OPIC_TOTAL);
        /* "They use an average value for recently introduced pages." The links are others, so all
         * histories together count as one total at most. */
        const double history = at_zero == 1 ? 0.25 : 0.25 * (1 / 1.25);
        assert_true(opic_history(opic)[1] == history && opic_history(opic)[2] == history);
        assert_true(opic_history(opic)[0] == (at_zero == 1 ? 0 : history));
        assert_true(merge.added_history == (at_zero == 1 ? 0 : 0.25));
        mr_opic_destroy(opic);
    }
    graph_close(&old);
    graph_close(&new);
}

/* With many new vertices and little cash, the virtual page pays all its cash in equal parts. */
static void a_poor_virtual_page_pays_what_it_has(void **state)
{
    struct opic_fixture *f = *state;
    const uint64_t ids[] = {1, 2, 3, 4, 5, 6, 7, 8};
    const struct mr_edge edges[] = {{1, 2}, {2, 1}};
    struct opic_graph old, new;
    struct mr_opic_options options;
    struct mr_opic *opic;
    struct mr_opic_result result;
    struct mr_opic_merge merge;
    graph_open(f, "old", ids, 2, edges, 2, &old);
    graph_open(f, "new", ids, 8, edges, 2, &new);
    options = (struct mr_opic_options)MR_OPIC_OPTIONS_INIT;
    options.tax = 0.125;
    options.sweeps = 1;
    opic_run(f, &old, &options, false, &opic, NULL, &result);
    save(f, &old, opic);
    mr_opic_destroy(opic);
    options.tax = 0; /* this sweep then pays nothing above what it got */
    opic_run(f, &new, &options, true, &opic, &merge, &result);
    assert_true(merge.added == 6 && merge.added_cash > 0.124 && merge.added_cash <= 0.125);
    assert_true(cash_of(opic, 8) == MR_OPIC_TOTAL);
    mr_opic_destroy(opic);
    graph_close(&old);
    graph_close(&new);
}

/* After a change of the graph the bound is one for the new graph, and it is still true. */
static void bounds_hold_for_the_new_graph_after_a_merge(void **state)
{
    struct opic_fixture *f = *state;
    for (unsigned round = 0; round < 12; round++) {
        struct opic_graph g;
        struct mr_opic_options options;
        struct mr_opic *opic;
        struct mr_opic_result result;
        struct mr_opic_merge merge;
        for (unsigned crawl = 0; crawl < 3; crawl++) {
            graph_of_universe(f, 60, &g);
            options = (struct mr_opic_options)MR_OPIC_OPTIONS_INIT;
            options.sweeps = 20 + random_below(300);
            options.window = round % 2 == 0 ? 0 : 3;
            options.drain = round % 4 == 3;
            options.policy = (enum mr_opic_policy)(round % 3);
            opic_run(f, &g, &options, crawl > 0, &opic, &merge, &result);
            double t[60];
            long double x[60];
            for (uint32_t v = 0; v < g.n; v++) {
                t[v] = 1.0 / g.n;
            }
            pagerank_oracle(&g, 0.85L, t, NULL, x);
            const double *scores = mr_opic_scores(opic);
            const double distance = distance_to(x, scores, g.n);
            double sum = 0;
            for (uint32_t v = 0; v < g.n; v++) {
                sum += scores[v];
            }
            assert_true(fabs(sum - 1) < 1e-12);
            assert_true(distance <= result.error_bound);
            assert_true(result.error_bound < 50);
            if (options.window > 0 && options.policy == MR_OPIC_CYCLIC && !options.drain &&
                options.sweeps > 100) { /* the old graph no longer counts */
                assert_true(result.error_bound < 1e-3);
            }
            save(f, &g, opic);
            mr_opic_destroy(opic);
            graph_close(&g);
        }
    }
}

/* ---- Windows ---- */

/* "If the delta time is >= the time window, then the historical cash value is set to the page's
 * current cash value * (time window/delta time)"; else "the page's current cash value + (historical
 * cash value * (time window - delta time)/time window)". Page 1 is visited at these times, page 2
 * never. */
static void follow_window(struct opic_fixture *f, struct opic_graph *g, double own)
{
    const double all = 100, window = own > 0 ? own : all;
    const struct mr_vertex_weight windows[] = {{0, own}};
    const double visits[] = {1000, 1030, 1290, 1390, 1400, 3000};
    double history = 0, last = 0;
    for (unsigned i = 0; i < 6; i++) {
        struct mr_vertex_weight times[] = {{0, visits[i]}};
        struct mr_opic_options options;
        struct mr_opic *opic;
        struct mr_opic_result result;
        struct mr_opic_merge merge;
        struct mr_name_table_reader *reader = NULL;
        options = (struct mr_opic_options)MR_OPIC_OPTIONS_INIT;
        options.window = all;
        options.intervals = windows;
        options.window_intervals = 1;
        options.n_intervals = own > 0;
        options.times = times;
        options.n_times = 1;
        opic_open(f, g, &options, &opic);
        if (i > 0) {
            assert_int_equal(
                mr_name_table_open(&f->context, f->state, &mr_opic_state, &reader, NULL), MR_OK);
            assert_int_equal(mr_opic_load(opic, reader, g->names, NULL, &merge, NULL), MR_OK);
            mr_name_table_close(reader);
        } else {
            last = visits[0]; /* the crawl begins with its first fetch */
        }
        const double cash = ldexp((double)opic_cash(opic)[0], -62), since = visits[i] - last;
        history = since >= window ? cash * (all / since)
                                  : cash * (all / window) + history * ((window - since) / window);
        last = visits[i];
        assert_int_equal(mr_opic_run(opic, &result, NULL), MR_OK);
        assert_int_equal(result.visits, 1);
        assert_true(fabs(opic_history(opic)[0] - history) <= 1e-15 * history);
        assert_true(opic_history(opic)[1] == 0);
        save(f, g, opic);
        mr_opic_destroy(opic);
    }
}

/* The old history does not stand in the way of the tolerance, and the scores are those of the new
 * graph. */
static void a_state_converges_after_links_have_changed(void **state)
{
    struct opic_fixture *f = *state;
    for (unsigned round = 0; round < 24; round++) {
        for (unsigned crawl = 0; crawl < 3; crawl++) {
            struct opic_graph g;
            struct mr_opic *opic;
            struct mr_opic_result result;
            struct mr_opic_merge merge;
            struct mr_opic_options options = MR_OPIC_OPTIONS_INIT;
            double t[60];
            long double x[60];
            graph_of_universe(f, 4 + random_below(round % 2 == 0 ? 4 : 56), &g);
            options.drain = round % 4 == 3;
            options.tolerance = options.drain ? 1e-9 : 0.01;
            options.policy = options.drain ? MR_OPIC_CYCLIC : (enum mr_opic_policy)(round % 3);
            opic_run(f, &g, &options, crawl > 0, &opic, &merge, &result);
            for (uint32_t v = 0; v < g.n; v++) {
                t[v] = 1.0 / g.n;
            }
            pagerank_oracle(&g, 0.85L, t, NULL, x);
            assert_true(result.converged && result.sweeps < 40000);
            assert_true(options.policy != MR_OPIC_CYCLIC || result.sweeps < 4000);
            assert_true(distance_to(x, mr_opic_scores(opic), g.n) <= options.tolerance);
            save(f, &g, opic);
            mr_opic_destroy(opic);
            graph_close(&g);
        }
    }
}

static void histories_follow_both_branches_of_the_window(void **state)
{
    struct opic_fixture *f = *state;
    struct opic_graph g;
    const uint64_t ids[] = {1, 2};
    const struct mr_edge none[1] = {{0, 0}};
    graph_open(f, "g", ids, 2, none, 0, &g);
    follow_window(f, &g, 0);
    follow_window(f, &g, 40); /* a page with a window of its own */
    follow_window(f, &g, 250);
    graph_close(&g);
}

/* The example of the note: cash 10, six months since the last visit, a window of three months. The
 * note writes 10 * (6/3), and 5; the formula gives 5. */
static void ten_after_six_months_with_a_window_of_three_is_five(void **state)
{
    (void)state;
    assert_true(mr_opic_interpolate(3, 3, 8, 10, 6) == 5);
    assert_true(mr_opic_interpolate(3, 3, 8, 10, 3) == 10); /* both branches give the same */
    assert_true(mr_opic_interpolate(3, 3, 9, 10, 1) == 16);
    assert_true(mr_opic_interpolate(3, 3, 9, 10, 0) == 19);
    /* A window of one month against one of three: the same income per month, whatever the window.
     */
    assert_true(mr_opic_interpolate(3, 1, 8, 10, 6) == 5);
    assert_true(mr_opic_interpolate(3, 1, 30, 10, 1) == 30); /* 10 a month: 30 in three months */
    assert_true(mr_opic_interpolate(3, 1, 30, 5, 0.5) == 30);
    assert_true(mr_opic_interpolate(3, 6, 30, 10, 1) == 30);
}

/* A time that is not later than the last visit is no visit. Slices of time keep their order. */
static void times_say_which_pages_are_visited_and_when(void **state)
{
    struct opic_fixture *f = *state;
    struct opic_graph g;
    const uint64_t ids[] = {1, 2, 3};
    const struct mr_edge edges[] = {{1, 2}, {2, 3}};
    struct mr_vertex_weight times[] = {{0, 50}, {1, 60}};
    struct mr_opic_options options;
    struct mr_opic *opic;
    struct mr_opic_result result;
    graph_open(f, "g", ids, 3, edges, 2, &g);
    options = (struct mr_opic_options)MR_OPIC_OPTIONS_INIT;
    options.times = times;
    options.n_times = 2;
    options.sweeps = 2;
    opic_run(f, &g, &options, false, &opic, NULL, &result);
    assert_true(result.sweeps == 2 && result.visits == 2 && result.n_visited == 2);
    /* Vertex 2 was visited after vertex 1, and had cash from it. */
    const double third = ldexp((double)(MR_OPIC_TOTAL / 3), -62);
    assert_true(opic_history(opic)[0] == third);
    assert_true(opic_history(opic)[1] > 1.8 * third && opic_history(opic)[2] == 0);
    save(f, &g, opic);
    mr_opic_destroy(opic);
    times[1].weight = 61;
    opic_run(f, &g, &options, true, &opic, NULL, &result);
    assert_true(result.visits == 1 && opic_history(opic)[0] == third);
    assert_true(cash_of(opic, 3) == MR_OPIC_TOTAL);
    mr_opic_destroy(opic);
    graph_close(&g);
}

/* "Close to what you'd get if every page was re-fetched and processed at the same, regular
 * interval". On an unchanged graph the window's history is the cash of the last T, for any
 * interval. */
static void a_window_does_not_depend_on_the_interval_of_visits(void **state)
{
    struct opic_fixture *f = *state;
    struct opic_graph g;
    enum { N = 200 };
    graph_random(f, "g", N, 1400, &g);
    f->context.threads = 1;
    double scores[3][N], bound[3];
    for (unsigned i = 0; i < 3; i++) {
        struct mr_opic_options options;
        struct mr_opic *opic;
        struct mr_opic_result result;
        options = (struct mr_opic_options)MR_OPIC_OPTIONS_INIT;
        options.window = 40;
        options.visits = i == 0 ? 0 : N / (2 * i); /* all, half, a quarter per sweep */
        options.sweeps = i == 0 ? 600 : 1500 * i;
        opic_run(f, &g, &options, false, &opic, NULL, &result);
        memcpy(scores[i], mr_opic_scores(opic), sizeof scores[i]);
        bound[i] = result.error_bound;
        assert_true(result.measured && bound[i] < 0.5);
        mr_opic_destroy(opic);
    }
    assert_true(distance_between(scores[0], scores[1], N) <= bound[0] + bound[1]);
    assert_true(distance_between(scores[0], scores[1], N) < 0.03);
    assert_true(distance_between(scores[0], scores[2], N) < 0.06);
    graph_close(&g);
}

/* ---- Damage and crashes ---- */

/* The rows of a state, one of them with a fault. */
struct damaged_rows {
    struct mr_opic *opic;
    unsigned damage;
};

static void fill_damaged_row(const void *data, uint32_t v, uint8_t *row)
{
    const struct damaged_rows *rows = data;
    const unsigned i = rows->damage;
    const double factor = v != 9 ? 1 : i == 3 ? NAN : i == 6 ? 1.000001 : i == 7 ? 0 : 1;
    const double history = factor * opic_history(rows->opic)[v];
    uint64_t cash = opic_cash(rows->opic)[v], bits;

    cash += i == 4 && v == 7 ? 1 : 0;
    memcpy(&bits, &history, sizeof bits);
    mr_put_u64(row, cash);
    mr_put_u64(row + 8, bits);
    mr_put_u32(row + 16, 0);
    row[20] = i == 5 && v == 3 ? 2 : 8; /* a flag that no state has */
}

static void a_state_that_does_not_add_up_is_refused(void **state)
{
    struct opic_fixture *f = *state;
    struct opic_graph g;
    struct mr_opic_options options;
    struct mr_opic *opic;
    struct mr_opic_result result;
    graph_random(f, "g", 50, 200, &g);
    options = (struct mr_opic_options)MR_OPIC_OPTIONS_INIT;
    options.sweeps = 4;
    opic_run(f, &g, &options, false, &opic, NULL, &result);
    for (unsigned i = 0; i < 9; i++) { /* the damaged state has good checksums */
        struct mr_name_table_reader *reader = NULL;
        struct mr_opic *other;
        struct mr_opic_merge merge;
        struct damaged_rows rows = {.opic = opic, .damage = i};
        uint8_t head[MR_OPIC_HEAD_BYTES];
        mr_opic_describe(opic, head);
        if (i == 1) {
            head[16] ^= 1; /* the virtual page's cash */
        }
        if (i == 2) {
            memset(head + 16, 0xff, 8);
        }
        if (i == 8) {
            head[64] = 0xff; /* what the virtual page paid */
        }
        assert_int_equal(mr_name_table_write(&f->context, f->state, g.names,
                                             mr_store_get_info(g.store), &mr_opic_state, head,
                                             fill_damaged_row, &rows, NULL),
                         MR_OK);
        opic_open(f, &g, &options, &other);
        assert_int_equal(mr_name_table_open(&f->context, f->state, &mr_opic_state, &reader, NULL),
                         MR_OK);
        assert_int_equal(mr_opic_load(other, reader, g.names, NULL, &merge, NULL),
                         i == 0 ? MR_OK : MR_ERROR_CORRUPT);
        mr_name_table_close(reader);
        mr_opic_destroy(other);
    }
    mr_opic_destroy(opic);
    graph_close(&g);
}

/* A run is killed at each write in turn while it replaces the state. The file is then the old state
 * or the new one. */
static void a_killed_run_leaves_the_old_state_or_the_new_one(void **state)
{
    struct opic_fixture *f = *state;
    struct opic_graph g;
    struct mr_opic_options options;
    struct mr_opic *old, *new;
    struct mr_opic_result result;
    graph_random(f, "g", 200, 900, &g);
    options = (struct mr_opic_options)MR_OPIC_OPTIONS_INIT;
    options.sweeps = 3;
    opic_run(f, &g, &options, false, &old, NULL, &result);
    save(f, &g, old);
    options.sweeps = 2;
    opic_run(f, &g, &options, true, &new, NULL, &result);
    unsigned olds = 0, news = 0;
    for (uint64_t at = 1;; at++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            const struct mr_fault_plan plan = {
                .kind = MR_FAULT_CRASH, .operations = MR_FAULT_ON_CHANGE, .at = at};
            struct mr_context context = f->context;
            bool done = mr_io_create_fault(f->context.io, &plan, &context.io, NULL) == MR_OK &&
                        opic_save(&context, f->state, &g, new) == MR_OK;
            _exit(done ? 0 : 1);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        struct mr_opic *read;
        struct mr_opic_merge merge;
        struct mr_name_table_reader *reader = NULL;
        opic_open(f, &g, &options, &read);
        assert_int_equal(mr_name_table_open(&f->context, f->state, &mr_opic_state, &reader, NULL),
                         MR_OK);
        assert_int_equal(mr_opic_load(read, reader, g.names, NULL, &merge, NULL), MR_OK);
        mr_name_table_close(reader);
        const bool is_old = memcmp(opic_cash(read), opic_cash(old), 200 * 8) == 0;
        const bool is_new = memcmp(opic_cash(read), opic_cash(new), 200 * 8) == 0;
        mr_opic_destroy(read);
        assert_true(is_old != is_new && merge.unchanged);
        olds += is_old;
        news += is_new;
        if (WEXITSTATUS(status) == 0) {
            assert_true(is_new);
            break;
        }
        assert_int_equal(WEXITSTATUS(status), 99);
        if (is_new) {
            save(f, &g, old);
        }
    }
    assert_true(olds >= 3 && news >= 1);
    mr_opic_destroy(old);
    mr_opic_destroy(new);
    graph_close(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_total_is_constant_over_1000_operations, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(recrawling_an_unchanged_graph_inflates_nothing, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(pages_not_recrawled_keep_their_scores, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pages_not_recrawled_stay_within_the_bounds, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(states_are_merged_by_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_poor_virtual_page_pays_what_it_has, set_up, tear_down),
        cmocka_unit_test_setup_teardown(bounds_hold_for_the_new_graph_after_a_merge, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_state_converges_after_links_have_changed, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(histories_follow_both_branches_of_the_window, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(ten_after_six_months_with_a_window_of_three_is_five, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(times_say_which_pages_are_visited_and_when, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_window_does_not_depend_on_the_interval_of_visits, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_state_that_does_not_add_up_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_killed_run_leaves_the_old_state_or_the_new_one, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
