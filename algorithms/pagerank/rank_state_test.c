/* SPDX-License-Identifier: Apache-2.0 */
/* Interrupted between any two passes and resumed, a ranking ends with the same bits; a warm start
 * ends with the same scores within both bounds. */
#include <math.h>

#include "algorithms/pagerank/pagerank.h"
#include "tests/support/test.h"
#include "tests/support/test_graph.h"

enum { VERTICES = 3000, EDGES = 20000 };

struct fixture {
    struct test_graph graph;
    uint64_t random;
};

static void open_fixture(struct fixture *f)
{
    struct test_edge *edges = malloc(EDGES * sizeof *edges);
    size_t n_edges = EDGES;
    const struct test_store_options options = {
        .n_vertices = VERTICES, .band_bits = 9, .stripe_bits = 8, .graph_id = 5, .no_names = true};
    f->random = 17;
    for (size_t i = 0; i < n_edges; i++) {
        const uint32_t source = (uint32_t)(test_random(&f->random) % (VERTICES - 200));
        const uint32_t near = (source + (uint32_t)(test_random(&f->random) % 300)) % VERTICES;
        const uint32_t far = (uint32_t)(test_random(&f->random) % VERTICES);
        edges[i] = (struct test_edge){source, i % 3 == 0 ? far : near};
    }
    test_graph_make(&f->graph, 2, &options, edges, &n_edges);
    free(edges);
}

/* Keeps a copy of the parts and stops before a pass. */
struct keeper {
    unsigned stop_before; /* the so-many-th call of save, from 1 */
    unsigned n_saves, n_steps;
    struct mr_checkpoint_part kept[MR_PAGERANK_STATE_PARTS];
    unsigned n_kept;
    double last_bound;
};

static enum mr_status keep(void *data, const struct mr_checkpoint_part *parts, unsigned n_parts,
                           struct mr_error *err)
{
    struct keeper *keeper = data;
    if (++keeper->n_saves != keeper->stop_before) {
        return MR_OK;
    }
    for (unsigned i = 0; i < n_parts; i++) {
        keeper->kept[i] = (struct mr_checkpoint_part){malloc(parts[i].n_bytes), parts[i].n_bytes};
        memcpy(keeper->kept[i].bytes, parts[i].bytes, parts[i].n_bytes);
    }
    keeper->n_kept = n_parts;
    return mr_error_set(err, MR_INTERRUPTED, "stopped");
}

static enum mr_status give_back(void *data, const struct mr_checkpoint_part *parts,
                                unsigned n_parts, struct mr_error *err)
{
    const struct keeper *keeper = data;
    (void)err;
    assert_int_equal(n_parts, keeper->n_kept);
    for (unsigned i = 0; i < n_parts; i++) {
        assert_int_equal(parts[i].n_bytes, keeper->kept[i].n_bytes);
        memcpy(parts[i].bytes, keeper->kept[i].bytes, parts[i].n_bytes);
    }
    return MR_OK;
}

static enum mr_status count_step(void *data, const struct mr_pagerank_step *step,
                                 struct mr_error *err)
{
    struct keeper *keeper = data;
    (void)err;
    keeper->n_steps++;
    assert_true(step->pass >= keeper->n_steps);
    keeper->last_bound = step->bound;
    return MR_OK;
}

static void check_resuming(struct fixture *f, const struct mr_pagerank_options *options,
                           unsigned stop_before)
{
    struct mr_pagerank_result whole, rest;
    struct keeper keeper = {.stop_before = stop_before};
    struct mr_pagerank_hooks hooks = {
        .data = &keeper, .state_data = &keeper, .save = keep, .step = count_step};
    struct mr_pagerank_options o = *options;
    const unsigned twins =
        o.until != MR_UNTIL_TOLERANCE; /* a pass for them, and one when resumed */
    assert_int_equal(mr_pagerank(&f->graph.context, f->graph.store, &o, &whole, NULL), MR_OK);
    o.hooks = &hooks;
    const enum mr_status status = mr_pagerank(&f->graph.context, f->graph.store, &o, &rest, NULL);
    if (status == MR_OK) { /* over before that */
        assert_true(keeper.n_saves < stop_before);
        assert_true(keeper.last_bound == rest.error_bound);
        assert_int_equal(keeper.n_steps, rest.passes);
        mr_pagerank_result_free(&rest);
        mr_pagerank_result_free(&whole);
        return;
    }
    assert_int_equal(status, MR_INTERRUPTED);
    /* With links in memory, the first round reads them, and is certified: two passes. */
    assert_int_equal(keeper.n_steps, twins + stop_before - 1);
    hooks = (struct mr_pagerank_hooks){.state_data = &keeper, .restore = give_back};
    o.start = NULL; /* not wanted any more */
    assert_int_equal(mr_pagerank(&f->graph.context, f->graph.store, &o, &rest, NULL), MR_OK);
    const size_t value_bytes = o.precision == MR_PRECISION_SINGLE ? sizeof(float) : sizeof(double);
    assert_memory_equal(whole.scores, rest.scores, VERTICES * value_bytes);
    assert_true(whole.error_bound == rest.error_bound);
    assert_int_equal(whole.passes + twins, rest.passes);
    assert_int_equal(whole.figures.edge_visits + twins * mr_store_get_info(f->graph.store)->n_edges,
                     rest.figures.edge_visits);
    for (unsigned i = 0; i < keeper.n_kept; i++) {
        free(keeper.kept[i].bytes);
    }
    mr_pagerank_result_free(&whole);
    mr_pagerank_result_free(&rest);
}

static void test_resumed_after_any_pass_the_bits_are_the_same(void **unused)
{
    (void)unused;
    struct fixture f;
    open_fixture(&f);
    const struct mr_vertex_weight seeds[] = {{3, 1}, {700, 2}, {2990, 0.5}};
    double start[VERTICES];
    for (uint32_t v = 0; v < VERTICES; v++) {
        start[v] = (double)(test_random(&f.random) % 1000);
    }
    for (unsigned round = 0; round < 16; round++) {
        const unsigned variant = round / 2;
        struct mr_pagerank_options o;
        o = (struct mr_pagerank_options)MR_PAGERANK_OPTIONS_INIT;
        o.inner = round % 2 == 0 ? 0 : 4;
        o.damping = variant == 1 ? 0.99 : 0.85;
        o.tolerance = variant == 2 ? 1e-4 : 1e-10;
        o.precision = variant == 2 ? MR_PRECISION_SINGLE : MR_PRECISION_DOUBLE;
        o.acceleration = variant == 3 ? 0 : MR_ACCELERATION_AUTO;
        if (variant == 4) {
            o.teleport = seeds;
            o.n_teleport = 3;
            o.dangling = MR_DANGLING_UNIFORM;
        }
        if (variant == 5) {
            o.iterations = 9;
            o.inner = 0;
            o.tolerance = 0;
        }
        if (variant == 6) {
            o.until = MR_UNTIL_LEVELS;
            o.until_count = 5;
            o.until_share = 0.01;
        }
        o.start = variant == 7 ? start : NULL;
        for (unsigned stop = 1; stop < 12; stop += 1 + variant % 2) {
            check_resuming(&f, &o, stop);
        }
    }
    test_graph_drop(&f.graph);
}

static void test_a_warm_start_ends_within_both_bounds_and_sooner(void **unused)
{
    (void)unused;
    struct fixture f;
    open_fixture(&f);
    for (unsigned variant = 0; variant < 6; variant++) {
        struct mr_pagerank_options o;
        struct mr_pagerank_result cold, warm;
        double error = 0;
        o = (struct mr_pagerank_options)MR_PAGERANK_OPTIONS_INIT;
        o.dangling = (enum mr_dangling)(variant / 2);
        o.inner = variant % 2 == 0 ? 0 : 4;
        assert_int_equal(mr_pagerank(&f.graph.context, f.graph.store, &o, &cold, NULL), MR_OK);
        static const double scales[] = {3, 1e307, 1e-300};
        double *start = malloc(VERTICES * sizeof *start);
        memcpy(start, cold.scores, VERTICES * sizeof *start);
        for (uint32_t v = 0; v < VERTICES; v++) {
            start[v] *= scales[variant % 3];
        }
        o.start = start;
        assert_int_equal(mr_pagerank(&f.graph.context, f.graph.store, &o, &warm, NULL), MR_OK);
        assert_true(warm.passes <= 3 && cold.passes > 6);
        assert_true(2 * warm.figures.edge_visits < cold.figures.edge_visits);
        for (uint32_t v = 0; v < VERTICES; v++) {
            error += fabs(((double *)warm.scores)[v] - ((double *)cold.scores)[v]);
        }
        assert_true(error <= warm.error_bound + cold.error_bound);
        mr_pagerank_result_free(&cold);
        mr_pagerank_result_free(&warm);
        start[7] = -1;
        assert_int_equal(mr_pagerank(&f.graph.context, f.graph.store, &o, &warm, NULL),
                         MR_ERROR_USAGE);
        start[7] = NAN;
        assert_int_equal(mr_pagerank(&f.graph.context, f.graph.store, &o, &warm, NULL),
                         MR_ERROR_USAGE);
        memset(start, 0, VERTICES * sizeof *start);
        assert_int_equal(mr_pagerank(&f.graph.context, f.graph.store, &o, &warm, NULL),
                         MR_ERROR_USAGE);
        free(start);
    }
    test_graph_drop(&f.graph);
}

TEST_MAIN(cmocka_unit_test(test_resumed_after_any_pass_the_bits_are_the_same),
          cmocka_unit_test(test_a_warm_start_ends_within_both_bounds_and_sooner))
