/* Row by row relaxation against the same sweeps written as loops over a dense matrix: sums and values. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/tile/row_sweeps.h"

static uint64_t state = 0x9e3779b97f4a7c15;

static uint32_t random_below(uint32_t n)
{
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (uint32_t)((state >> 20) % n);
}

static int compare_u32(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

enum { BITS = 6, WIDTH = 1 << BITS, LINKS = 400 };

struct model {
    unsigned links[WIDTH][WIDTH]; /* [target][source], counted */
    double outside[WIDTH], base[WIDTH], gain[WIDTH], values[WIDTH];
    uint32_t keys[LINKS];
    uint64_t ends[WIDTH];
    uint32_t n, n_links;
};

/* Links, with duplicates and self-loops, as keys of 2^(BITS - stripe_bits) stripes. */
static void make_model(struct model *m, unsigned stripe_bits)
{
    memset(m, 0, sizeof *m);
    m->n = 1 + random_below(WIDTH);
    m->n_links = random_below(LINKS);
    uint32_t order[LINKS]; /* source, target */
    for (uint32_t i = 0; i < m->n_links; i++) {
        const uint32_t source = random_below(m->n);
        const uint32_t target = random_below(4) == 0 ? source : random_below(m->n);
        order[i] = source << BITS | target;
        m->links[target][source]++;
    }
    qsort(order, m->n_links, sizeof order[0], compare_u32);
    for (uint32_t i = 0; i < m->n_links; i++) {
        const uint32_t source = order[i] >> BITS;
        m->keys[i] = (source & ((1u << stripe_bits) - 1)) << BITS | (order[i] & (WIDTH - 1));
        for (uint32_t s = source >> stripe_bits; s < (uint32_t)WIDTH >> stripe_bits; s++) {
            m->ends[s] = i + 1;
        }
    }
    for (uint32_t v = 0; v < m->n; v++) {
        m->outside[v] = random_below(1000) / 1000.0;
        m->base[v] = random_below(1000) / 1000.0;
        m->gain[v] = 0.9 / (1 + random_below(40) + 20 * (double)m->links[v][v]);
        m->values[v] = random_below(1000) / 1000.0;
    }
}

/* What vertex v sums up: values of its own part as they are now, those of others as they were. */
static double sum_of(const struct model *m, uint32_t v, const double *now, const double *before)
{
    const uint32_t wide = WIDTH / MR_ROW_PARTS;
    double sum = m->outside[v];
    for (uint32_t u = 0; u < m->n; u++) {
        if (u != v) {
            sum += m->links[v][u] * (u / wide == v / wide ? now[u] : before[u]);
        }
    }
    return sum;
}

/* Values of vertices without links in the tile are left alone: nobody reads them there. */
static bool has_links(const struct model *m, uint32_t v)
{
    bool has = false;
    for (uint32_t u = 0; u < m->n; u++) {
        has = has || m->links[u][v] > 0;
    }
    return has;
}

static void model_sweep(struct model *m)
{
    double before[WIDTH];
    memcpy(before, m->values, sizeof before);
    for (uint32_t v = 0; v < m->n; v++) {
        const double sum = sum_of(m, v, m->values, before);
        if (!has_links(m, v)) {
            continue;
        }
        m->values[v] = (m->base[v] + m->gain[v] * sum) / (1 - m->gain[v] * m->links[v][v]);
    }
}

static void prepare(struct mr_row_sweeps *rows, unsigned order)
{
    for (unsigned p = 0; p < MR_ROW_PARTS; p++) {
        mr_row_sweeps_prepare(rows, (p + order) % MR_ROW_PARTS);
    }
    for (unsigned p = 0; p < MR_ROW_PARTS; p++) {
        mr_row_sweeps_merge(rows, p);
    }
}

static void end(struct mr_row_sweeps *rows, double *sums)
{
    for (unsigned p = 0; p < MR_ROW_PARTS; p++) {
        mr_row_sweeps_end(rows, p, sums);
    }
}

static void test_sweeps_are_gauss_seidel_inside_parts(void **unused)
{
    (void)unused;
    struct mr_memory *memory;
    assert_int_equal(mr_memory_create(UINT64_MAX, &memory, NULL), MR_OK);
    for (unsigned round = 0; round < 300; round++) {
        struct model m;
        const unsigned stripe_bits = round % (BITS + 1);
        const struct mr_store_info info = {.band_bits = BITS, .stripe_bits = stripe_bits};
        struct mr_row_sweeps *rows;
        double sums[WIDTH] = {0};
        make_model(&m, stripe_bits);
        assert_int_equal(mr_row_sweeps_create(memory, &info, &rows, NULL), MR_OK);
        for (unsigned visit = 0; visit < 2; visit++) { /* nothing is left over from the first */
            for (uint32_t v = 0; v < m.n; v++) {
                mr_row_sweeps_base(rows)[v] = m.base[v];
                mr_row_sweeps_gain(rows)[v] = m.gain[v];
                mr_row_sweeps_values(rows)[v] = m.values[v];
            }
            mr_row_sweeps_begin(rows, m.keys, NULL, m.ends, m.n, m.outside, 0);
            prepare(rows, round);
            for (unsigned sweep = 0; sweep < 3; sweep++) {
                uint64_t applied = 0;
                model_sweep(&m);
                for (unsigned p = 0; p < MR_ROW_PARTS; p++) { /* any order */
                    applied += mr_row_sweeps_sweep(rows, (p + round) % MR_ROW_PARTS);
                }
                for (unsigned p = 0; p < MR_ROW_PARTS; p++) {
                    mr_row_sweeps_merge(rows, (p + sweep) % MR_ROW_PARTS);
                }
                assert_true(applied <= m.n_links);
            }
            end(rows, sums);
            for (uint32_t v = 0; v < m.n; v++) {
                const double sum = sum_of(&m, v, m.values, m.values) + m.links[v][v] * m.values[v];
                assert_true(fabs(mr_row_sweeps_values(rows)[v] - m.values[v]) < 1e-12);
                assert_true(fabs(sums[v] - sum) < 1e-11);
            }
        }
        mr_row_sweeps_destroy(rows);
    }
    mr_memory_destroy(memory);
}

static void test_small_changes_are_left_and_sums_stay_consistent(void **unused)
{
    (void)unused;
    struct mr_memory *memory;
    struct model m;
    const struct mr_store_info info = {.band_bits = BITS, .stripe_bits = BITS};
    struct mr_row_sweeps *rows;
    double sums[WIDTH] = {0};
    assert_int_equal(mr_memory_create(UINT64_MAX, &memory, NULL), MR_OK);
    assert_int_equal(mr_row_sweeps_create(memory, &info, &rows, NULL), MR_OK);
    for (unsigned round = 0; round < 100; round++) {
        make_model(&m, BITS);
        for (uint32_t v = 0; v < m.n; v++) {
            mr_row_sweeps_base(rows)[v] = m.base[v];
            mr_row_sweeps_gain(rows)[v] = m.gain[v];
            mr_row_sweeps_values(rows)[v] = m.values[v];
        }
        const bool all = round % 2 == 0;
        mr_row_sweeps_begin(rows, m.keys, NULL, m.ends, m.n, m.outside, all ? 1e9 : 5);
        prepare(rows, round);
        for (unsigned p = 0; p < MR_ROW_PARTS; p++) {
            const uint64_t applied = mr_row_sweeps_sweep(rows, p);
            assert_true(!all || applied == 0);
        }
        for (unsigned p = 0; p < MR_ROW_PARTS; p++) {
            mr_row_sweeps_merge(rows, p);
        }
        end(rows, sums);
        const double *values = mr_row_sweeps_values(rows);
        for (uint32_t v = 0; v < m.n; v++) {
            const double sum = sum_of(&m, v, values, values) + m.links[v][v] * values[v];
            assert_true(fabs(sums[v] - sum) < 1e-11);
            assert_true(!all || values[v] == m.values[v]);
        }
    }
    mr_row_sweeps_destroy(rows);
    mr_memory_destroy(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sweeps_are_gauss_seidel_inside_parts),
        cmocka_unit_test(test_small_changes_are_left_and_sums_stay_consistent),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
