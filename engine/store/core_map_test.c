/* SPDX-License-Identifier: Apache-2.0 */
/* The map of the core against a list of positions that is sorted by the definition: core first,
 * both parts in the order of positions; and the map that comes back from a store. */
#include <stdlib.h>

#include "engine/names/names.h"
#include "engine/store/core_map.h"
#include "tests/support/test.h"
#include "tests/support/test_build.h"
#include "tests/support/test_context.h"
#include "tests/support/test_dir.h"
#include "tests/support/test_store.h"

TEST_RANDOM(0x9e3779b97f4a7c15)

static void check_map(struct mr_memory *memory, uint32_t n, uint32_t percent)
{
    struct mr_core_map map = {0};
    bool *is_core = calloc((size_t)n + 1, sizeof *is_core);
    uint32_t n_core = 0, next_core = 0, next_other, last_core = 0, first_other = n;
    assert_int_equal(mr_core_map_create(memory, n, &map, NULL), MR_OK);
    for (uint32_t p = n; p-- > 0;) { /* in any order, and some of them twice */
        is_core[p] = random_below(100) < percent;
        n_core += is_core[p];
        for (uint32_t times = is_core[p] ? 1 + random_below(2) : 0; times > 0; times--) {
            mr_core_map_add(&map, p);
        }
    }
    mr_core_map_seal(&map);
    assert_int_equal(map.n_core, n_core);
    next_other = n_core;
    for (uint32_t p = 0; p < n; p++) {
        const uint32_t vertex = is_core[p] ? next_core++ : next_other++;
        uint32_t placed = p;
        mr_core_map_vertices(&map, &placed, 1);
        assert_int_equal(mr_core_map_vertex(&map, p), vertex);
        assert_int_equal(placed, vertex);
        assert_int_equal(mr_core_map_position(&map, vertex), p);
        last_core = is_core[p] ? p + 1 : last_core;
        first_other = !is_core[p] && first_other == n ? p : first_other;
    }
    assert_true(mr_core_map_is_identity(&map) == (last_core <= first_other));
    mr_core_map_free(memory, &map);
    free(is_core);
}

static void vertices_and_positions_are_inverse(void **unused)
{
    (void)unused;
    static const uint32_t sizes[] = {0, 1, 2, 63, 64, 65, 127, 128, 129, 1000, 4096, 70001};
    struct mr_memory *memory = NULL;
    assert_int_equal(mr_memory_create(UINT64_MAX, &memory, NULL), MR_OK);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        for (uint32_t percent = 0; percent <= 100; percent += 10) {
            check_map(memory, sizes[i], percent);
        }
    }
    mr_memory_destroy(memory);
}

/* The last third of the positions is the core. The file has more than two blocks. */
static void a_map_comes_back_from_a_store(void **unused)
{
    enum { N = 2200000 };
    static const struct test_store_options options = {.n_vertices = N,
                                                      .band_bits = 16,
                                                      .stripe_bits = 16,
                                                      .graph_id = 7,
                                                      .n_core = N / 3,
                                                      .no_names = true};
    struct mr_context context;
    struct test_dir dir;
    char path[PATH_MAX];
    struct test_edge edge = {1, 2};
    size_t n_edges = 1;
    struct mr_store *store = NULL;
    struct mr_core_map map = {0};
    struct mr_names *names = NULL;
    uint32_t *positions = NULL;

    (void)unused;
    assert_true(test_context_open(&context, UINT64_MAX, 2) && test_dir_make(&dir, NULL));
    (void)test_dir_path(&dir, "graph.mill", path);
    assert_int_equal(test_store_write(&context, dir.path, &options, &edge, &n_edges), MR_OK);
    assert_int_equal(mr_store_open(&context, dir.path, &store, NULL), MR_OK);
    assert_int_equal(mr_core_map_load(&context, store, &map, NULL), MR_OK);
    assert_true(mr_store_get_info(store)->order_id != 0);
    assert_int_equal(mr_core_map_load_positions(&context, store, &positions, NULL), MR_OK);
    assert_int_equal(mr_names_open(&context, store, NULL, &names, NULL), MR_OK);
    assert_true(mr_names_are_ordered(names));
    for (uint32_t p = 0; p < N; p++) {
        const uint32_t wanted = test_store_vertex(&options, p);
        uint32_t vertex, position;
        assert_int_equal(mr_core_map_vertex(&map, p), wanted);
        assert_int_equal(positions[wanted], p);
        assert_int_equal(mr_names_vertex(names, p, &vertex, NULL), MR_OK);
        assert_int_equal(mr_names_position(names, wanted, &position, NULL), MR_OK);
        assert_true(vertex == wanted && position == p);
    }
    mr_names_close(names);
    mr_memory_free(context.memory, positions);
    mr_core_map_free(context.memory, &map);
    mr_store_close(store);
    test_dir_remove(&dir);
    test_context_close(&context);
}

TEST_MAIN(cmocka_unit_test(vertices_and_positions_are_inverse),
          cmocka_unit_test(a_map_comes_back_from_a_store))
