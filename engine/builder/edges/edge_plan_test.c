/* SPDX-License-Identifier: Apache-2.0 */
/* Tests grids and plans: every edge has a cell, in store order, and pieces keep to their limit. */
#include <stdlib.h>
#include <string.h>

#include "engine/builder/edges/edge_plan.h"
#include "tests/support/test.h"
#include "tests/support/test_context.h"
#include "tests/support/test_dir.h"

static void test_cells_and_records_ascend_in_store_order(void **unused)
{
    (void)unused;
    /* band_bits, stripe_bits, max_cells */
    static const unsigned shapes[][3] = {{8, 8, 1000000}, {10, 8, 1000000}, {10, 9, 10},
                                         {12, 8, 1},      {16, 16, 100},    {20, 12, 50}};
    uint64_t seed = 1;
    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++) {
        uint64_t n = 1 + test_random(&seed) % 5000;
        struct mr_edge_grid grid = mr_edge_grid_make(n, shapes[s][0], shapes[s][1], shapes[s][2]);
        assert_true(grid.n_cells <= shapes[s][2] || grid.n_columns == 2);
        for (int i = 0; i < 10000; i++) {
            uint32_t source = (uint32_t)(test_random(&seed) % n);
            uint32_t target = (uint32_t)(test_random(&seed) % n);
            uint32_t band = target >> grid.band_bits, stripe = source >> grid.stripe_bits;
            uint64_t cell = mr_edge_grid_cell(&grid, source, target);
            /* found from an earlier edge in the same cell */
            uint32_t last = (uint32_t)(test_random(&seed) % n), into = target;
            last = i % 4 == 0 ? last : source - source % (i % 4 == 1 ? 128 : 1);
            into = i % 8 < 4 ? into : (uint32_t)(test_random(&seed) % n);
            struct mr_edge_spot spot = mr_edge_grid_spot(&grid, last, into);
            if (mr_edge_grid_is_near(&grid, &spot, source, target)) {
                assert_true(cell == mr_edge_grid_cell(&grid, last, into));
            } else {
                spot = mr_edge_grid_spot(&grid, source, target);
                assert_true(mr_edge_grid_is_near(&grid, &spot, source, target));
            }
            uint64_t record = mr_edge_grid_record(&grid, &spot, source, target);
            uint32_t order = (uint32_t)(record >> 32), key = (uint32_t)record, first, end;
            assert_int_equal(cell / grid.n_columns, band);
            assert_int_equal(cell % grid.n_columns == grid.n_columns - 1,
                             source >> grid.band_bits == band);
            mr_edge_grid_orders(&grid, cell, &first, &end);
            assert_true(first <= order && order < end);
            assert_int_equal(mr_edge_grid_stripe(&grid, band, order), stripe);
            assert_int_equal(((uint64_t)stripe << grid.stripe_bits) + (key >> grid.band_bits),
                             source);
            assert_int_equal((band << grid.band_bits) + (key & ((1u << grid.band_bits) - 1)),
                             target);
            assert_true((target & ((1u << grid.band_bits) - 1)) < mr_edge_grid_width(&grid, band));
        }
    }
}

static void check_piece(const struct mr_edge_plan *plan, const struct mr_edge_piece *piece)
{
    struct mr_edge_bucket *buckets =
        aligned_alloc(_Alignof(struct mr_edge_bucket), (piece->n_buckets + 1) * sizeof *buckets);
    uint32_t *bucket_of = calloc(piece->end_cell - piece->first_cell, sizeof *bucket_of);
    uint64_t *counts = calloc(piece->n_buckets + 1, sizeof *counts);
    mr_edge_plan_buckets(plan, piece, buckets, bucket_of);
    for (uint64_t cell = piece->first_cell; cell < piece->end_cell; cell++) {
        if (plan->counts[cell] == 0) {
            continue;
        }
        uint32_t b = bucket_of[cell - piece->first_cell], first, end;
        assert_true(b < piece->n_buckets);
        assert_int_equal(buckets[b].band, cell / plan->grid->n_columns);
        mr_edge_grid_orders(plan->grid, cell, &first, &end);
        assert_true(buckets[b].first_order <= first);
        assert_true(end <= buckets[b].first_order + buckets[b].span);
        counts[b] += plan->counts[cell];
    }
    uint64_t n_edges = 0, n_runs = 0, n_blocks = 0;
    for (uint64_t b = 0; b < piece->n_buckets; b++) {
        assert_int_equal(buckets[b].n_edges, counts[b]);
        assert_int_equal(buckets[b].first_block, n_blocks);
        assert_int_equal(buckets[b].first_run, n_runs);
        n_edges += counts[b];
        n_blocks += mr_edge_plan_blocks(plan, counts[b]);
        n_runs += mr_sort_bucket_runs(buckets[b].n_edges, buckets[b].span);
    }
    assert_int_equal(n_edges, piece->n_edges);
    assert_int_equal(n_runs, piece->n_runs);
    assert_true(n_blocks <= n_edges / plan->block_records + plan->n_workers * piece->n_buckets);
    free(counts);
    free(bucket_of);
    free(buckets);
}

static void test_pieces_cover_all_cells_within_their_limit(void **unused)
{
    (void)unused;
    struct mr_context context;
    uint64_t seed = 2, n_seen_pieces = 0, n_wide = 0;
    assert_true(test_context_open(&context, UINT64_MAX, 4));
    for (int round = 0; round < 200; round++) {
        struct mr_edge_grid grid =
            mr_edge_grid_make(1 + test_random(&seed) % 20000, 8 + round % 4, 8, 3000);
        uint64_t *counts = calloc(grid.n_cells, sizeof *counts), most = 0;
        for (uint64_t c = 0; c < grid.n_cells; c++) {
            uint64_t shift = test_random(&seed) % 64;
            counts[c] = shift < 44 ? 0 : test_random(&seed) >> shift;
            most = counts[c] > most ? counts[c] : most;
        }
        uint64_t limit = 24 * most + 1000 + test_random(&seed) % 1000000;
        struct mr_edge_plan plan;
        assert_int_equal(
            mr_edge_plan_make(&context, &grid, counts, false, false, 2, limit, NULL, &plan, NULL),
            MR_OK);
        uint64_t next_cell = 0, next_edge = 0;
        for (uint64_t p = 0; p < plan.n_pieces; p++) {
            const struct mr_edge_piece *piece = &plan.pieces[p];
            assert_int_equal(piece->first_cell, next_cell);
            assert_true(piece->end_cell > piece->first_cell);
            assert_int_equal(piece->first_edge, next_edge);
            assert_true(piece->bytes <= limit && piece->bytes <= plan.max_bytes);
            check_piece(&plan, piece);
            next_cell = piece->end_cell;
            next_edge += piece->n_edges;
        }
        assert_int_equal(next_cell, grid.n_cells);
        n_seen_pieces += plan.n_pieces;
        const uint64_t before = plan.max_bytes, more = test_random(&seed) % (4 * before);
        mr_edge_plan_widen(&plan, more);
        assert_true(plan.max_bytes <= before + more && plan.n_large <= plan.n_sorters);
        for (uint64_t p = 0; p < plan.n_pieces; p++) {
            assert_true(mr_edge_plan_bytes(&plan, &plan.pieces[p]) <= plan.max_bytes);
        }
        n_wide += plan.n_large == plan.n_sorters;
        mr_edge_plan_free(&context, &plan);
        free(counts);
    }
    assert_true(n_seen_pieces > 300 && n_wide > 20 && n_wide < 200);
    test_context_close(&context);
}

static void test_a_cell_beyond_the_limit_names_the_sort_buffer(void **unused)
{
    (void)unused;
    struct mr_context context;
    struct mr_edge_plan plan;
    struct mr_error err = {.status = MR_OK};
    struct mr_edge_grid grid = mr_edge_grid_make(1000, 8, 8, 1000);
    uint64_t *counts = calloc(grid.n_cells, sizeof *counts);
    counts[7] = 100000;
    assert_true(test_context_open(&context, UINT64_MAX, 1));
    assert_int_equal(
        mr_edge_plan_make(&context, &grid, counts, false, false, 2, 1000000, NULL, &plan, &err),
        MR_ERROR_BUDGET);
    assert_non_null(strstr(err.message, "sort buffer"));
    mr_edge_plan_free(&context, &plan);
    test_context_close(&context);
    free(counts);
}

TEST_MAIN(cmocka_unit_test(test_cells_and_records_ascend_in_store_order),
          cmocka_unit_test(test_pieces_cover_all_cells_within_their_limit),
          cmocka_unit_test(test_a_cell_beyond_the_limit_names_the_sort_buffer))
