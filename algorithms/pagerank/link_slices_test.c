/* Links in memory against the list of edges that they were made of. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "algorithms/pagerank/link_slices.h"
#include "tests/support/test_graph.h"

struct fixture {
    struct test_graph graph;
    struct test_edge *edges;
    size_t n_edges;
    uint32_t n;
    uint32_t *in_degree, *out_degree;
};

static uint64_t state = 0x9e3779b97f4a7c15;

static uint32_t random_below(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 20) % n);
}

static void open_edges(struct fixture *f, uint32_t n, const struct test_edge *edges, size_t n_edges)
{
    memset(f, 0, sizeof *f);
    const unsigned threads = 1 + random_below(3);
    f->n = n;
    f->n_edges = n_edges;
    f->edges = malloc((n_edges + 1) * sizeof *f->edges);
    for (size_t i = 0; i < n_edges; i++) {
        f->edges[i] = edges[i];
    }
    struct test_store_options options = {.n_vertices = n,
                                         .band_bits = 9,
                                         .stripe_bits = 8,
                                         .graph_id = 3,
                                         .duplicates_kept = random_below(2) == 0,
                                         .encoding = random_below(2) == 0 ? MR_ENCODING_CORNERS
                                                                          : MR_ENCODING_AUTO,
                                         .no_names = true};
    test_graph_make(&f->graph, threads, &options, f->edges, &f->n_edges);
    f->in_degree = calloc(n, sizeof *f->in_degree);
    f->out_degree = calloc(n, sizeof *f->out_degree);
    for (size_t i = 0; i < f->n_edges; i++) {
        f->in_degree[f->edges[i].target]++;
        f->out_degree[f->edges[i].source]++;
    }
}

/* A quarter of the links go to a few hubs, so that some rows have lists; some to the source itself. Half of all graphs
 * have links to higher numbers alone: no cycles. */
static void open_fixture(struct fixture *f, uint32_t n, size_t n_edges)
{
    const bool has_cycles = random_below(2) == 0;
    struct test_edge *edges = malloc((n_edges + 1) * sizeof *edges);
    for (size_t i = 0; i < n_edges; i++) {
        const uint32_t source = random_below(1 + n / 2), kind = random_below(8);
        const uint32_t target = kind < 2    ? random_below(1 + n / 100)
                                : kind == 2 ? source
                                            : random_below(n);
        edges[i] = has_cycles || source <= target ? (struct test_edge){source, target}
                                                  : (struct test_edge){target, source};
    }
    open_edges(f, n, edges, n_edges);
    free(edges);
}

static void close_fixture(struct fixture *f)
{
    test_graph_drop(&f->graph);
    free(f->edges);
    free(f->in_degree);
    free(f->out_degree);
}

/* No link goes to an earlier block than it comes from, and their numbers are right. */
static void check_blocks(const struct fixture *f, const struct mr_link_slices *slices,
                         const uint32_t *row_of)
{
    uint32_t *block_of = calloc(slices->n_slices + 1, sizeof *block_of), end = 0;
    uint64_t *inside = calloc(slices->n_blocks + 1, sizeof *inside), n_outer = 0, n_dangling = 0;
    for (uint32_t b = 0; b < slices->n_blocks; b++) {
        assert_int_equal(slices->blocks[b].first, end);
        end = slices->blocks[b].end;
        for (uint32_t s = slices->blocks[b].first; s < end; s++) {
            block_of[s] = b;
        }
    }
    assert_int_equal(end, slices->n_inner);
    for (size_t i = 0; i < f->n_edges; i++) {
        const struct test_edge e = f->edges[i];
        const uint32_t from = row_of[e.source] / MR_SLICE_ROWS,
                       to = row_of[e.target] / MR_SLICE_ROWS;
        if (e.source == e.target) {
            continue;
        }
        assert_true(from < slices->n_inner);
        n_dangling += to >= slices->n_inner;
        if (to < slices->n_inner) {
            assert_true(block_of[from] <= block_of[to]);
            inside[block_of[to]] += block_of[from] == block_of[to];
            n_outer += block_of[from] != block_of[to];
        }
    }
    for (uint32_t b = 0; b < slices->n_blocks; b++) {
        assert_int_equal(slices->blocks[b].n_links, inside[b]);
    }
    assert_int_equal(slices->n_outer_links, n_outer);
    assert_int_equal(slices->n_dangling_links, n_dangling);
    free(block_of);
    free(inside);
}

/* It takes no more memory than it says, and with a quarter of that it says that it is too little. */
static void create_within_promise(struct fixture *f, struct mr_link_slices **out)
{
    struct mr_context context = f->graph.context;
    const uint64_t promised = mr_link_slices_memory(mr_store_info(f->graph.store));
    for (unsigned part = 1; part <= 4; part += 3) {
        struct mr_link_slices *slices = NULL;
        void *taken = NULL;
        assert_int_equal(mr_memory_create(MR_MEMORY_FLOOR_BYTES + promised, &context.memory, NULL),
                         MR_OK);
        const uint64_t left = mr_memory_available(context.memory) - promised * part / 4;
        assert_int_equal(mr_memory_alloc(context.memory, "taken", left / 4096 * 4096, &taken, NULL),
                         MR_OK);
        const enum mr_status status = mr_link_slices_create(&context, f->graph.store, f->in_degree,
                                                            f->out_degree, &slices, NULL);
        assert_int_equal(status, part < 4 ? MR_ERROR_BUDGET : MR_OK);
        mr_link_slices_destroy(slices);
        mr_memory_free(context.memory, taken);
        mr_memory_destroy(context.memory);
    }
    assert_int_equal(mr_link_slices_create(&f->graph.context, f->graph.store, f->in_degree,
                                           f->out_degree, out, NULL),
                     MR_OK);
}

static void test_a_row_has_its_links_and_nothing_else(void **unused)
{
    (void)unused;
    uint32_t n_parted = 0; /* graphs of several blocks */
    for (unsigned round = 0; round < 40; round++) {
        struct fixture f;
        struct mr_link_slices *slices = NULL;
        const bool is_large = round % 5 == 4;
        const uint32_t n = round < 4 ? 1 + round : is_large ? 30000 : 1 + random_below(6000);
        open_fixture(&f, n, is_large ? 400000 : random_below(20) * (size_t)n / 2);
        create_within_promise(&f, &slices);
        assert_true(slices->n_rows <= mr_link_slices_rows(mr_store_info(f.graph.store)));
        n_parted += slices->n_blocks > 1 && slices->n_outer_links > 0;
        assert_int_equal(slices->n_rows % MR_SLICE_ROWS, 0);
        /* Sums of squares of random numbers would not agree by chance, nor by another order's rounding. */
        const size_t bytes = (slices->n_rows + 1) * sizeof(double);
        double *value = calloc(1, bytes), *base = calloc(1, bytes), *gain = calloc(1, bytes);
        double *start = calloc(1, bytes);
        double *wanted = calloc(n, sizeof *wanted);
        uint32_t *row_of = calloc(n, sizeof *row_of), *weight = calloc(1, bytes), n_seen = 0;
        uint64_t n_self = 0;
        for (uint32_t row = 0; row < slices->n_rows; row++) {
            const uint32_t v = slices->vertex[row];
            if (v != UINT32_MAX) {
                assert_true(v < n);
                assert_true((f.out_degree[v] == 0) == (row / MR_SLICE_ROWS >= slices->n_inner));
                row_of[v] = row;
                n_seen++;
                value[row] = (double)random_below(1 << 20);
                gain[row] = 1;
            }
        }
        assert_int_equal(n_seen, n);
        for (size_t i = 0; i < f.n_edges; i++) {
            const struct test_edge e = f.edges[i];
            n_self += e.source == e.target;
            wanted[e.target] += e.source == e.target ? 0 : value[row_of[e.source]];
        }
        for (uint32_t v = 0; v < n; v++) {
            n_self -= slices->self_links[row_of[v]];
        }
        assert_int_equal(n_self, 0);
        check_blocks(&f, slices, row_of);
        mr_link_slices_start(slices, 0, slices->n_slices, base, gain, value, start);
        for (uint32_t s = 0; s < slices->n_slices; s++) { /* each from the values as they were */
            double *copy = malloc(bytes);
            memcpy(copy, value, bytes);
            (void)mr_link_slices_relax(slices, s, s + 1, start, gain, weight, copy);
            for (uint32_t row = s * MR_SLICE_ROWS; row < (s + 1) * MR_SLICE_ROWS; row++) {
                const uint32_t v = slices->vertex[row];
                assert_true(copy[row] == (v == UINT32_MAX ? 0 : wanted[v]));
            }
            free(copy);
        }
        free(start);
        free(value);
        free(base);
        free(gain);
        free(wanted);
        free(row_of);
        free(weight);
        mr_link_slices_destroy(slices);
        close_fixture(&f);
    }
    assert_true(n_parted > 0);
}

static void test_a_slice_sees_the_new_values_of_those_before_it(void **unused)
{
    (void)unused;
    struct fixture f;
    struct mr_link_slices *slices = NULL;
    open_fixture(&f, 3000, 20000);
    assert_int_equal(mr_link_slices_create(&f.graph.context, f.graph.store, f.in_degree,
                                           f.out_degree, &slices, NULL),
                     MR_OK);
    const size_t n = slices->n_rows + 1;
    double *value = calloc(n, sizeof *value), *other = calloc(n, sizeof *other);
    double *base = calloc(n, sizeof *base), *gain = calloc(n, sizeof *gain), change = 0, mass = 0;
    uint32_t *weight = calloc(n, sizeof *weight);
    for (uint32_t row = 0; row < slices->n_rows; row++) {
        if (slices->vertex[row] != UINT32_MAX) {
            value[row] = other[row] = (double)random_below(100);
            base[row] = 1;
            gain[row] = 0.01;
            weight[row] = 1 + random_below(3);
        }
    }
    const struct mr_slices_sum whole =
        mr_link_slices_relax(slices, 0, slices->n_slices, base, gain, weight, value);
    for (uint32_t s = 0; s < slices->n_slices; s++) {
        const struct mr_slices_sum part =
            mr_link_slices_relax(slices, s, s + 1, base, gain, weight, other);
        change += part.change;
        mass += part.mass;
    }
    assert_memory_equal(value, other, n * sizeof *value);
    assert_true(fabs(whole.change - change) <= 1e-12 * change && change > 0);
    assert_true(fabs(whole.mass - mass) <= 1e-12 * mass && mass > 0);
    free(value);
    free(other);
    free(base);
    free(gain);
    free(weight);
    mr_link_slices_destroy(slices);
    close_fixture(&f);
}

/* Vertex 2's only link goes to itself, and by the degrees it has none. */
static void test_a_dangling_vertex_has_no_link_to_itself(void **unused)
{
    (void)unused;
    struct fixture f;
    struct mr_link_slices *slices = NULL;
    open_edges(&f, 3, (const struct test_edge[]){{0, 1}, {1, 0}, {2, 2}}, 3);
    f.out_degree[2] = 0;
    assert_int_equal(mr_link_slices_create(&f.graph.context, f.graph.store, f.in_degree,
                                           f.out_degree, &slices, NULL),
                     MR_ERROR_CORRUPT);
    close_fixture(&f);
}

static void test_degrees_of_another_graph_are_refused(void **unused)
{
    (void)unused;
    for (unsigned kind = 0; kind < 3; kind++) {
        struct fixture f;
        struct mr_link_slices *slices = NULL;
        struct mr_error error = {0};
        open_fixture(&f, 500, 4000);
        const uint32_t v = f.edges[0].target, source = f.edges[0].source;
        f.in_degree[v] -= kind <= 1;
        f.in_degree[v == 0 ? 1 : 0] += kind == 1; /* the sum is right */
        f.out_degree[source] = kind == 2 ? 0 : f.out_degree[source];
        assert_int_equal(mr_link_slices_create(&f.graph.context, f.graph.store, f.in_degree,
                                               f.out_degree, &slices, &error),
                         MR_ERROR_CORRUPT);
        assert_non_null(strstr(error.message, "the degrees of"));
        assert_null(slices);
        close_fixture(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_row_has_its_links_and_nothing_else),
        cmocka_unit_test(test_a_slice_sees_the_new_values_of_those_before_it),
        cmocka_unit_test(test_a_dangling_vertex_has_no_link_to_itself),
        cmocka_unit_test(test_degrees_of_another_graph_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
