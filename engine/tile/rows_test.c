/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of diagonal tiles: exactly the links that went in, whatever the encoding; sweeps against the
 * same ones written as loops. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/tile/rows.h"
#include "tests/support/test.h"
#include "tests/support/test_dir.h"

TEST_RANDOM(0x9e3779b97f4a7c15)

static int compare_u32(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

struct model {
    struct mr_store_info info;
    struct mr_memory *memory;
    struct mr_rows_builder *builder;
    struct mr_rows_room *room;
    uint32_t n; /* vertices */
    uint32_t n_links, *links; /* source << 16 | target, ascending */
    struct mr_rows rows;
};

/* Rows of a few lengths, some long, with duplicates and links of vertices to themselves. */
static void make_links(struct model *m, uint32_t n, uint32_t n_links)
{
    m->n = n;
    m->n_links = n_links;
    m->links = calloc(n_links + 1, sizeof *m->links);
    for (uint32_t i = 0; i < n_links; i++) {
        const uint32_t target = i % 5 == 0 ? n / 2 : random_below(n);
        const uint32_t source = random_below(6) == 0 ? target : random_below(n);
        m->links[i] = source << 16 | target;
    }
    qsort(m->links, n_links, sizeof *m->links, compare_u32);
}

/* As one decoded tile for each stripe. */
static void add_tiles(struct model *m)
{
    const unsigned bits = m->info.band_bits, stripe_bits = m->info.stripe_bits;
    uint32_t *keys = calloc(m->n_links + 1, sizeof *keys);
    for (uint32_t i = 0; i < m->n_links;) {
        const uint32_t stripe = m->links[i] >> 16 >> stripe_bits;
        struct mr_tile tile = {.stripe = stripe, .encoding = MR_TILE_DECODED};
        for (; i < m->n_links && m->links[i] >> 16 >> stripe_bits == stripe; i++) {
            const uint32_t source = (m->links[i] >> 16) - (stripe << stripe_bits);
            keys[tile.n_entries++] = source << bits | (m->links[i] & 0xffff);
        }
        tile.data = (const uint8_t *)keys;
        assert_true(mr_rows_add(m->builder, &tile, stripe));
    }
    free(keys);
}

static void open_model(struct model *m, unsigned band_bits, unsigned stripe_bits, uint32_t n,
                       uint32_t n_links)
{
    *m = (struct model){.info = {.band_bits = band_bits, .stripe_bits = stripe_bits}};
    assert_int_equal(mr_memory_create(UINT64_C(1) << 30, &m->memory, NULL), MR_OK);
    make_links(m, n, n_links);
    assert_int_equal(mr_rows_builder_create(m->memory, &m->info, n_links, &m->builder, NULL),
                     MR_OK);
    assert_int_equal(mr_rows_room_create(m->memory, &m->info, n_links, &m->room, NULL), MR_OK);
    mr_rows_begin(m->builder, n);
    add_tiles(m);
    mr_rows_end(m->builder, m->room);
    m->rows = mr_rows_of(m->room);
}

static void close_model(struct model *m)
{
    mr_rows_room_destroy(m->room);
    mr_rows_builder_destroy(m->builder);
    mr_memory_destroy(m->memory);
    free(m->links);
}

/* Links of the rows, source << 16 | target, in the order in which a sweep takes the rows; `alone`
 * likewise for each row: is it one by itself? Each row is seen once. */
static uint32_t list_links(const struct mr_rows *rows, uint32_t *links)
{
    uint32_t n = 0, place = 0;
    uint8_t *seen = calloc(rows->n_vertices, 1);
    const uint16_t *sources = rows->sources;
    for (uint32_t g = 0; g < rows->n_groups; g++) {
        const struct mr_row_group group = rows->groups[g];
        const unsigned each = group.n_slices == 0 ? 1 : MR_SLICE_ROWS;
        for (uint32_t s = 0; s == 0 || s < group.n_slices; s++) {
            for (unsigned k = 0; k < each; k++) {
                const uint32_t row = rows->order[place + k];
                assert_true(row < rows->n_vertices && seen[row]++ == 0);
                for (uint32_t i = 0; i < group.length; i++) {
                    links[n++] = (uint32_t)sources[i * each + k] << 16 | row;
                }
            }
            place += each;
            sources += (size_t)each * group.length;
        }
    }
    assert_int_equal(place, rows->n_vertices);
    assert_true(n == rows->n_listed && sources == rows->sources + n);
    for (uint32_t v = 0; v < rows->n_vertices; v++) {
        if ((rows->self_links[v / 64] >> v % 64 & 1) != 0) {
            links[n++] = v << 16 | v;
        }
    }
    assert_true(n == rows->n_links);
    free(seen);
    return n;
}

static void test_rows_have_the_links(void **unused)
{
    (void)unused;
    static const uint32_t sizes[][2] = {
        {1, 0},        {1, 3},        {7, 20},       {8, 8},          {64, 900},      {65, 2000},
        {1000, 20000}, {8193, 60000}, {20000, 9000}, {65535, 300000}, {65536, 700000}};
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (unsigned stripe_bits = 10; stripe_bits <= 16; stripe_bits += 3) {
            struct model m;
            open_model(&m, 16, stripe_bits, sizes[i][0], sizes[i][1]);
            uint32_t *links = calloc(m.n_links + 1, sizeof *links);
            assert_int_equal(list_links(&m.rows, links), m.n_links);
            qsort(links, m.n_links, sizeof *links, compare_u32);
            assert_memory_equal(links, m.links, m.n_links * sizeof *links);
            /* A copy is the same, and takes what it says. */
            const uint64_t bytes = mr_rows_bytes(&m.rows);
            assert_true(bytes <= mr_rows_most_bytes(m.n, m.n_links));
            uint64_t *at = calloc(bytes / sizeof *at, sizeof *at);
            const struct mr_rows copy = mr_rows_copy(&m.rows, at);
            memset(links, 0, m.n_links * sizeof *links);
            assert_int_equal(list_links(&copy, links), m.n_links);
            qsort(links, m.n_links, sizeof *links, compare_u32);
            assert_memory_equal(links, m.links, m.n_links * sizeof *links);
            free(at);
            free(links);
            close_model(&m);
        }
    }
}

static void test_bad_tiles_are_refused(void **unused)
{
    (void)unused;
    struct model m;
    const uint32_t beyond_row = 50, beyond_source = 50u << 6, good = 3u << 6 | 2;
    const uint32_t pair[2] = {good, good};
    open_model(&m, 6, 6, 50, 1);
    struct mr_tile tile = {.encoding = MR_TILE_DECODED, .n_entries = 1};
    const uint32_t *bad[] = {&beyond_row, &beyond_source};
    for (unsigned i = 0; i < 2; i++) {
        mr_rows_begin(m.builder, 50);
        tile.data = (const uint8_t *)bad[i];
        assert_false(mr_rows_add(m.builder, &tile, 0));
    }
    mr_rows_begin(m.builder, 50);
    tile.data = (const uint8_t *)pair;
    assert_false(mr_rows_add(m.builder, &tile, 1)); /* a stripe behind the band */
    assert_true(mr_rows_add(m.builder, &tile, 0));
    assert_false(mr_rows_add(m.builder, &tile, 0)); /* more links than there is room for */
    tile.encoding = MR_TILE_CORNERS; /* of which this store has none */
    mr_rows_begin(m.builder, 50);
    assert_false(mr_rows_add(m.builder, &tile, 0));
    close_model(&m);
}

static double *random_values(size_t n)
{
    double *values = calloc(n + 1, sizeof *values);
    for (size_t i = 0; i < n; i++) {
        values[i] = (1 + (double)random_below(1000)) / 1000;
    }
    return values;
}

/* The sweep as rows.h has it: slice by slice, each row from what was before the slice. */
static void naive_sweep(const struct mr_rows *rows, const double *constant, const double *gain,
                        double *x)
{
    const uint16_t *sources = rows->sources, *order = rows->order;
    for (uint32_t g = 0; g < rows->n_groups; g++) {
        const struct mr_row_group group = rows->groups[g];
        const unsigned each = group.n_slices == 0 ? 1 : MR_SLICE_ROWS;
        for (uint32_t s = 0; s == 0 || s < group.n_slices; s++) {
            double fresh[MR_SLICE_ROWS];
            for (unsigned k = 0; k < each; k++) {
                double sum = 0;
                for (uint32_t i = 0; i < group.length; i++) {
                    sum += x[sources[i * each + k]];
                }
                fresh[k] = constant[order[k]] + gain[order[k]] * sum;
            }
            for (unsigned k = 0; k < each; k++) {
                x[order[k]] = fresh[k];
            }
            order += each;
            sources += (size_t)each * group.length;
        }
    }
}

static void test_sweeps_are_the_naive_ones(void **unused)
{
    (void)unused;
    static const uint32_t sizes[][2] = {{9, 40}, {1000, 20000}, {30000, 200000}};
    for (unsigned i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct model m;
        open_model(&m, 16, 16, sizes[i][0], sizes[i][1]);
        double *gain = random_values(m.n), *constant = random_values(m.n);
        double *x = random_values(m.n), *naive = random_values(m.n), *portable = random_values(m.n);
        for (uint32_t v = 0; v < m.n; v++) {
            gain[v] /= 100;
            naive[v] = portable[v] = x[v];
        }
        for (unsigned sweep = 0; sweep < 2; sweep++) {
            mr_rows_sweep(&m.rows, constant, gain, x);
            naive_sweep(&m.rows, constant, gain, naive);
            assert_int_equal(setenv("MILLRACE_KERNELS", "portable", 1), 0);
            mr_rows_sweep(&m.rows, constant, gain, portable);
            assert_int_equal(unsetenv("MILLRACE_KERNELS"), 0);
        }
        assert_memory_equal(x, portable, m.n * sizeof *x);
        for (uint32_t v = 0; v < m.n; v++) {
            assert_true(fabs(x[v] - naive[v]) <= 1e-12 * naive[v]);
        }
        free(x);
        free(portable);
        free(naive);
        free(constant);
        free(gain);
        close_model(&m);
    }
}

TEST_MAIN(cmocka_unit_test(test_rows_have_the_links), cmocka_unit_test(test_bad_tiles_are_refused),
          cmocka_unit_test(test_sweeps_are_the_naive_ones))
