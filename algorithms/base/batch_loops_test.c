/* SPDX-License-Identifier: Apache-2.0 */
/* The loops over pages of vectors side by side: a relaxation against the equation, and one
 * instruction set and one width against another, bit by bit. */
#include <math.h>
#include <string.h>

#include "algorithms/base/batch_loops.h"

#include "tests/support/test.h"

enum { N = 200, LINKS = 3000, WIDTH = MR_BATCH_MAX_WIDTH };

struct data {
    uint64_t rows[N + 1];
    uint32_t sources[LINKS + MR_BATCH_AHEAD], degree[N];
    float right[N * WIDTH], x[N * WIDTH], fresh[N * WIDTH], change[N * WIDTH],
        older[MR_BATCH_DEPTH][N * WIDTH];
    double solution[N * WIDTH];
    struct mr_batch_sums sums;
    struct mr_batch_totals totals;
};

static uint32_t next(uint32_t *seed)
{
    *seed = *seed * 1664525 + 1013904223;
    return *seed >> 8;
}

/* Values of the first `width` vectors are the same for each width. Page 7 has many links. */
static void fill(struct data *data, unsigned width, uint32_t seed)
{
    memset(data, 0, sizeof *data);
    for (unsigned v = 0; v < N; v++) {
        const uint32_t n = v == 7 ? 300 : next(&seed) % 12;
        data->rows[v + 1] = data->rows[v] + n;
        data->degree[v] = 1 + next(&seed) % 9;
        for (uint64_t e = data->rows[v]; e < data->rows[v + 1]; e++) {
            data->sources[e] = next(&seed) % N;
        }
        for (unsigned j = 0; j < WIDTH; j++) {
            const float values[] = {(float)next(&seed), (float)next(&seed), (float)next(&seed),
                                    (float)next(&seed)};
            const size_t at = (size_t)v * width + j;
            if (j < width) {
                data->right[at] = values[0] / 0x1p24f;
                data->x[at] = values[1] / 0x1p24f - 0.5f;
                data->older[0][at] = values[2] / 0x1p24f - 0.5f;
                data->older[1][at] = values[3] / 0x1p24f - 0.5f;
                data->solution[at] = (double)values[1] / 0x1p22;
            }
        }
    }
}

static struct mr_batch_pages pages_of(const struct data *data, unsigned width)
{
    return (struct mr_batch_pages){.first = 3,
                                   .end = N - 5,
                                   .width = width,
                                   .rows = data->rows,
                                   .sources = data->sources,
                                   .degree = data->degree,
                                   .damping = 0.85};
}

static void run(const struct mr_batch_loops *loops, struct data *data, unsigned width,
                unsigned sweeps)
{
    static const double start[WIDTH] = {0.5, 0.25, 0.125, 2};
    double scale[WIDTH];
    for (unsigned j = 0; j < WIDTH; j++) {
        scale[j] = 1.0 / (1 + j);
    }
    const struct mr_batch_relaxation relaxation = {.pages = pages_of(data, width),
                                                   .sweeps = sweeps,
                                                   .right = data->right,
                                                   .x = data->x,
                                                   .fresh = data->fresh,
                                                   .change = data->change,
                                                   .n_older = 2,
                                                   .older = {data->older[0], data->older[1]},
                                                   .sums = &data->sums};
    loops->relax(&relaxation);
    struct mr_batch_mix mix = {.first = 3,
                               .end = N - 5,
                               .width = width,
                               .n_older = 2,
                               .x = data->x,
                               .fresh = {data->fresh, data->older[0], data->older[1]}};
    for (unsigned j = 0; j < WIDTH; j++) {
        mix.moves[j] = j % 3 == 1 ? 0 : UINT32_MAX;
        for (unsigned k = 0; k <= MR_BATCH_DEPTH; k++) {
            mix.factor[k][j] = 1.5f - (float)(k + j) / 8;
        }
    }
    loops->mix(&mix);
    const struct mr_batch_certificate certificate = {.pages = pages_of(data, width),
                                                     .x = data->solution,
                                                     .start = start,
                                                     .scale = scale,
                                                     .right = data->right,
                                                     .totals = &data->totals};
    loops->certify(&certificate, MR_BATCH_FRONTIER);
    loops->certify(&certificate, MR_BATCH_RESIDUAL);
    loops->certify(&certificate, MR_BATCH_SCORES);
}

/* Row by row from the newest values; in double, so but for rounding. */
static void relaxing_solves_row_by_row(void **state)
{
    (void)state;
    static struct data data;
    for (unsigned k = 0; k < 20; k++) {
        const unsigned width = k % 2 == 0 ? WIDTH : WIDTH / 2, sweeps = 1 + k % 3;
        fill(&data, width, k);
        for (unsigned j = 0; j < width; j++) {
            double x[N], change = 0, product = 0;
            struct mr_batch_relaxation r = {.pages = pages_of(&data, width),
                                            .sweeps = sweeps,
                                            .right = data.right,
                                            .x = data.x,
                                            .fresh = data.fresh,
                                            .change = data.change,
                                            .n_older = 1,
                                            .older = {data.older[0]},
                                            .sums = &data.sums};
            mr_batch_loops_best()->relax(&r);
            for (size_t v = 0; v < N; v++) {
                x[v] = (double)data.x[v * width + j];
            }
            for (unsigned s = 0; s < sweeps; s++) {
                for (uint64_t v = r.pages.first; v < r.pages.end; v++) {
                    double sum = 0;
                    for (uint64_t e = data.rows[v]; e < data.rows[v + 1]; e++) {
                        sum += x[data.sources[e]];
                    }
                    x[v] = ((double)data.right[v * width + j] + 0.85 * sum) / data.degree[v];
                }
            }
            for (uint64_t v = r.pages.first; v < r.pages.end; v++) {
                const size_t at = v * width + j;
                const double step = x[v] - (double)data.x[at], degree = data.degree[v];
                assert_true(fabs((double)data.fresh[at] - x[v]) < 1e-3);
                assert_true(data.change[at] == data.fresh[at] - data.x[at]);
                change += fabs(step) * degree;
                product += degree * degree * step * (double)data.older[0][at];
            }
            assert_true(fabs(data.sums.change[j] - change) < 1e-4 * change);
            assert_true(fabs(data.sums.products[1][j] - product) < 1e-4 * change * N);
        }
    }
}

/* The first vectors of sixteen, and eight of them. */
static void width_does_not_matter(void **state)
{
    (void)state;
    static struct data wide, narrow;
    for (unsigned k = 0; k < 20; k++) {
        fill(&wide, WIDTH, k);
        fill(&narrow, WIDTH / 2, k);
        run(mr_batch_loops_best(), &wide, WIDTH, 1 + k % 2);
        run(mr_batch_loops_best(), &narrow, WIDTH / 2, 1 + k % 2);
        for (size_t v = 0; v < N; v++) {
            const size_t a = v * WIDTH, b = v * (WIDTH / 2), n = WIDTH / 2;
            assert_memory_equal(wide.x + a, narrow.x + b, n * sizeof *wide.x);
            assert_memory_equal(wide.right + a, narrow.right + b, n * sizeof *wide.right);
            assert_memory_equal(wide.solution + a, narrow.solution + b, n * sizeof *wide.solution);
        }
        for (unsigned j = 0; j < WIDTH / 2; j++) {
            assert_true(wide.sums.products[2][j] == narrow.sums.products[2][j]);
            assert_true(wide.totals.rounding[j] == narrow.totals.rounding[j]);
            assert_true(mr_sum_value(&wide.totals.above[j]) ==
                        mr_sum_value(&narrow.totals.above[j]));
        }
    }
}

static void instruction_sets_agree(void **state)
{
    (void)state;
#if defined(__x86_64__)
    static struct data ours, others;
    if (!__builtin_cpu_supports("avx2")) {
        skip();
    }
    for (unsigned k = 0; k < 40; k++) {
        const unsigned width = k % 2 == 0 ? WIDTH : WIDTH / 2;
        fill(&ours, width, k);
        fill(&others, width, k);
        run(&mr_batch_loops_portable, &ours, width, 1 + k % 3);
        run(&mr_batch_loops_avx2, &others, width, 1 + k % 3);
        assert_memory_equal(&ours, &others, sizeof ours);
    }
#else
    skip();
#endif
}

TEST_MAIN(cmocka_unit_test(relaxing_solves_row_by_row), cmocka_unit_test(width_does_not_matter),
          cmocka_unit_test(instruction_sets_agree))
