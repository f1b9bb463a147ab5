/* SPDX-License-Identifier: Apache-2.0 */
/* Kronecker edges never change, are distributed as the definition says, and arrive in order. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "generators/generate.h"
#include "tests/support/test.h"

/* A sink that stores the edges. */
struct memory_of_edges {
    struct mr_edge *edges;
    uint64_t n_edges, room;
    uint64_t fails_at; /* 0: never */
};

static enum mr_status take(void *data, const struct mr_edge *edges, size_t n_edges,
                           struct mr_error *err)
{
    struct memory_of_edges *all = data;
    if (all->fails_at != 0 && all->n_edges + n_edges >= all->fails_at) {
        return mr_error_set(err, MR_ERROR_BUDGET, "full");
    }
    assert_true(n_edges <= all->room - all->n_edges);
    memcpy(all->edges + all->n_edges, edges, n_edges * sizeof *edges);
    all->n_edges += n_edges;
    return MR_OK;
}

static struct mr_generator_options make_options(unsigned scale, uint64_t seed, bool keep_order)
{
    return (struct mr_generator_options){
        .scale = scale, .edge_factor = 16, .seed = seed, .keep_order = keep_order};
}

static enum mr_status generate(const struct mr_context *context,
                               const struct mr_generator_options *options,
                               const struct mr_edge_sink *sink, struct mr_error *err)
{
    struct mr_generator generator;
    enum mr_status status = mr_kron_open(context, options, &generator, err);
    if (status == MR_OK) {
        status = mr_generate(context, &generator, sink, err);
    }
    mr_generator_close(&generator);
    return status;
}

/* Stores and figures in documents were made from these edges, so they must never change. An
 * independent program in another language computed the sums from the description in kron.c. */
static void test_edges_never_change(void **unused)
{
    (void)unused;
    static const struct {
        unsigned scale;
        bool keep_order;
        uint64_t sum; /* hash * 31 + source, then hash * 31 + target, over 1,000 edges */
    } cases[] = {{1, false, 0xf0bd88dad22f87cfu},
                 {20, true, 0xe96c87ac19864914u},
                 {22, false, 0xb0082e0caba0c57fu},
                 {31, false, 0x60d76b36c0ca8162u}};
    struct mr_edge edges[1000];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct mr_generator_options options = make_options(cases[i].scale, 42, cases[i].keep_order);
        uint64_t sum = 0;

        mr_kron_edges(&options, 123456789, 1000, edges);
        for (size_t j = 0; j < 1000; j++) {
            sum = (sum * 31 + edges[j].source) * 31 + edges[j].target;
        }
        assert_int_equal(sum, cases[i].sum);
    }
}

static void test_an_edge_depends_on_its_number_only(void **unused)
{
    (void)unused;
    const struct mr_generator_options options = make_options(18, 3, false);
    struct mr_edge whole[500], part[500];

    mr_kron_edges(&options, 1000, 500, whole);
    for (uint64_t begin = 0, step = 1; begin < 500; begin += step, step = step * 2 + 1) {
        uint64_t count = step < 500 - begin ? step : 500 - begin;

        mr_kron_edges(&options, 1000 + begin, count, part + begin);
    }
    assert_memory_equal(whole, part, sizeof whole);
}

static void test_seeds_give_different_graphs(void **unused)
{
    (void)unused;
    struct mr_edge edges[2][1000];
    unsigned equal = 0;

    for (uint64_t seed = 0; seed < 2; seed++) {
        const struct mr_generator_options options = make_options(24, seed, true);

        mr_kron_edges(&options, 0, 1000, edges[seed]);
    }
    for (size_t i = 0; i < 1000; i++) {
        equal += edges[0][i].source == edges[1][i].source;
    }
    assert_true(equal < 50);
}

/* Choices at one level have the stated probabilities, and choices at two levels are independent:
 * the counts of all pairs of choices at all pairs of levels are within 6 standard deviations. Scale
 * 15 needs three full draws and three levels of a fourth one. */
static void test_choices_have_their_probabilities(void **unused)
{
    (void)unused;
    enum { SCALE = 15, N = 1 << 20, BATCH = 1 << 12 };
    static const double probability[4] = {0.57, 0.19, 0.19, 0.05};
    const struct mr_generator_options options = make_options(SCALE, 9, true);
    static uint32_t counts[SCALE][SCALE][4][4];
    static struct mr_edge edges[BATCH];

    memset(counts, 0, sizeof counts);
    for (uint64_t first = 0; first < N; first += BATCH) {
        mr_kron_edges(&options, first, BATCH, edges);
        for (size_t i = 0; i < BATCH; i++) {
            unsigned choice[SCALE];

            for (unsigned level = 0; level < SCALE; level++) {
                choice[level] = (unsigned)((edges[i].source >> level & 1) << 1 |
                                           (edges[i].target >> level & 1));
            }
            for (unsigned a = 0; a < SCALE; a++) {
                for (unsigned b = 0; b <= a; b++) {
                    counts[a][b][choice[a]][choice[b]]++;
                }
            }
        }
    }
    for (unsigned a = 0; a < SCALE; a++) {
        for (unsigned b = 0; b <= a; b++) {
            for (unsigned i = 0; i < 16; i++) {
                double p = a == b ? (i / 4 == i % 4 ? probability[i / 4] : 0)
                                  : probability[i / 4] * probability[i % 4];
                double expected = p * N, off = counts[a][b][i / 4][i % 4] - expected;

                assert_true(off * off <= 36 * expected * (1 - p));
            }
        }
    }
}

static void test_ids_are_in_range_for_every_scale(void **unused)
{
    (void)unused;
    static struct mr_edge edges[20000];

    for (unsigned scale = 1; scale <= 31; scale++) {
        for (int keep_order = 0; keep_order < 2; keep_order++) {
            const struct mr_generator_options options = make_options(scale, scale, keep_order != 0);
            uint64_t all = 0;

            mr_kron_edges(&options, 0, 20000, edges);
            for (size_t i = 0; i < 20000; i++) {
                all |= edges[i].source | edges[i].target;
            }
            /* every bit occurs, and no bit above them */
            assert_int_equal(all, ((uint64_t)1 << scale) - 1);
        }
    }
}

static void test_the_scramble_is_a_bijection(void **unused)
{
    (void)unused;
    uint8_t *seen = malloc((size_t)1 << 16);

    for (unsigned scale = 1; scale <= 16; scale++) {
        for (uint64_t seed = 0; seed < 8; seed++) {
            const struct mr_generator_options options = make_options(scale, seed, false);

            memset(seen, 0, (size_t)1 << 16);
            for (uint32_t v = 0; v < 1u << scale; v++) {
                uint32_t id = mr_kron_vertex(&options, v);

                assert_true(id < 1u << scale && seen[id] == 0);
                seen[id] = 1;
            }
        }
    }
    free(seen);
}

/* In the unscrambled graph the vertices with most edges have ids with few one bits; these are close
 * together. After scrambling they are anywhere. Flipping one bit of an id flips each bit of the
 * scrambled id in 35 to 65 of 100 cases. */
static void test_the_scramble_leaves_no_neighbours(void **unused)
{
    (void)unused;
    enum { SCALE = 22, N = 2000 };
    const struct mr_generator_options options = make_options(SCALE, 1, false);

    for (unsigned in = 0; in < SCALE; in++) {
        unsigned flips[SCALE] = {0};

        for (uint32_t i = 0; i < N; i++) {
            uint32_t v = i * 2097u; /* below 2^22 */
            uint32_t changed = mr_kron_vertex(&options, v) ^ mr_kron_vertex(&options, v ^ 1u << in);

            for (unsigned out = 0; out < SCALE; out++) {
                flips[out] += changed >> out & 1;
            }
        }
        for (unsigned out = 0; out < SCALE; out++) {
            assert_in_range(flips[out], N * 35 / 100, N * 65 / 100);
        }
    }
}

static void test_generate_feeds_all_edges_in_order(void **unused)
{
    (void)unused;
    static const unsigned threads[] = {1, 2, 3, 8};
    const struct mr_generator_options options = make_options(16, 5, false);
    const uint64_t n_edges = (uint64_t)16 << 16;
    struct mr_edge *expected = malloc(n_edges * sizeof *expected);
    struct memory_of_edges all = {.room = n_edges, .edges = malloc(n_edges * sizeof *expected)};
    const struct mr_edge_sink sink = {.data = &all, .take = take};
    struct mr_context context = {0};

    assert_int_equal(mr_memory_create(MR_MEMORY_FLOOR_BYTES, &context.memory, NULL), MR_OK);
    mr_kron_edges(&options, 0, n_edges, expected);
    for (unsigned i = 0; i < 4; i++) {
        context.threads = threads[i];
        all.n_edges = 0;
        assert_int_equal(generate(&context, &options, &sink, NULL), MR_OK);
        assert_int_equal(all.n_edges, n_edges);
        assert_memory_equal(all.edges, expected, n_edges * sizeof *expected);
    }
    all.n_edges = 0;
    all.fails_at = 300000;
    assert_int_equal(generate(&context, &options, &sink, NULL), MR_ERROR_BUDGET);
    volatile sig_atomic_t cancel = 1;
    context.cancel = &cancel;
    all.n_edges = 0;
    assert_int_equal(generate(&context, &options, &sink, NULL), MR_INTERRUPTED);
    mr_memory_destroy(context.memory); /* asserts that everything was freed */
    free(all.edges);
    free(expected);
}

static void test_impossible_graphs_are_refused(void **unused)
{
    (void)unused;
    struct mr_context context = {.threads = 1};
    struct memory_of_edges all = {0};
    const struct mr_edge_sink sink = {.data = &all, .take = take};
    struct mr_generator_options options = make_options(0, 1, false);
    struct mr_error err = {0};

    assert_int_equal(generate(&context, &options, &sink, &err), MR_ERROR_USAGE);
    assert_string_equal(err.message, "the scale of a Kronecker graph is 1 to 31");
    options.scale = 32;
    assert_int_equal(generate(&context, &options, &sink, NULL), MR_ERROR_USAGE);
    options.scale = 31;
    options.edge_factor = UINT64_MAX / 2;
    mr_error_clear(&err);
    assert_int_equal(generate(&context, &options, &sink, &err), MR_ERROR_USAGE);
    assert_string_equal(err.message,
                        "a graph has at most 2^48 edges; choose a smaller edge factor");
    options.edge_factor = ((uint64_t)1 << 17) + 1;
    assert_int_equal(generate(&context, &options, &sink, NULL), MR_ERROR_USAGE);
    options.edge_factor = 0; /* vertices without edges are allowed */
    assert_int_equal(generate(&context, &options, &sink, NULL), MR_OK);
}

TEST_MAIN(cmocka_unit_test(test_edges_never_change),
          cmocka_unit_test(test_an_edge_depends_on_its_number_only),
          cmocka_unit_test(test_seeds_give_different_graphs),
          cmocka_unit_test(test_choices_have_their_probabilities),
          cmocka_unit_test(test_ids_are_in_range_for_every_scale),
          cmocka_unit_test(test_the_scramble_is_a_bijection),
          cmocka_unit_test(test_the_scramble_leaves_no_neighbours),
          cmocka_unit_test(test_generate_feeds_all_edges_in_order),
          cmocka_unit_test(test_impossible_graphs_are_refused))
