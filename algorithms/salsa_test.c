/* SALSA against the random walk itself, iterated on a dense matrix; degrees by counting. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "algorithms/salsa.h"
#include "engine/test_context.h"
#include "engine/test_dir.h"
#include "engine/test_store.h"

enum { MAX_N = 30, MAX_EDGES = 90 };

static uint64_t state = 0xda3e39cb94b95bdb;

static uint32_t random_below(uint32_t n)
{
    return (uint32_t)(test_random(&state) % n);
}

static double links[MAX_N][MAX_N];

/* The chain of authorities (or of hubs): from v back along a link, then forth along another, from equal shares
 * of all that have links, halves staying where they are so that it settles. */
static void iterate(uint32_t n, bool is_hubs, double *x)
{
    double degree[2][MAX_N] = {{0}}, count = 0;
    for (uint32_t u = 0; u < n; u++) {
        for (uint32_t v = 0; v < n; v++) {
            const double w = is_hubs ? links[v][u] : links[u][v];
            degree[0][u] += w; /* of the other side */
            degree[1][v] += w;
        }
    }
    for (uint32_t v = 0; v < n; v++) {
        count += degree[1][v] > 0;
    }
    for (uint32_t v = 0; v < n; v++) {
        x[v] = degree[1][v] > 0 ? 1 / count : 0;
    }
    for (int round = 0; round < 3000; round++) {
        double middle[MAX_N] = {0}, next[MAX_N] = {0};
        for (uint32_t u = 0; u < n; u++) {
            for (uint32_t v = 0; v < n; v++) {
                const double w = is_hubs ? links[v][u] : links[u][v];
                middle[u] += w > 0 ? x[v] * w / degree[1][v] : 0;
            }
        }
        for (uint32_t u = 0; u < n; u++) {
            for (uint32_t v = 0; v < n; v++) {
                const double w = is_hubs ? links[v][u] : links[u][v];
                next[v] += w > 0 ? middle[u] * w / degree[0][u] : 0;
            }
        }
        for (uint32_t v = 0; v < n; v++) {
            x[v] = (x[v] + next[v]) / 2;
        }
    }
}

static void random_graphs_match_the_walk(void **unused)
{
    (void)unused;
    for (int round = 0; round < 40; round++) {
        struct test_dir dir;
        struct mr_context context;
        struct test_edge edges[MAX_EDGES];
        struct mr_store *store;
        struct mr_salsa_result result, degrees;
        char path[PATH_MAX];
        const uint32_t n = round == 0 ? 1 : 1 + random_below(MAX_N);
        size_t n_edges = round < 2 ? 0 : random_below(round % 2 == 0 ? n : MAX_EDGES);
        const struct test_store_options options = {.n_vertices = n,
                                                   .band_bits = 8,
                                                   .stripe_bits = 8,
                                                   .graph_id = 5,
                                                   .duplicates_kept = round % 3 == 0,
                                                   .no_names = true};
        for (size_t i = 0; i < n_edges; i++) {
            edges[i] = (struct test_edge){random_below(n), random_below(n)};
        }
        assert_true(test_dir_make(&dir, NULL));
        assert_true(test_context_open(&context, 64u << 20, 1));
        (void)test_dir_path(&dir, "s.mill", path);
        assert_int_equal(mr_io_make_dir(context.io, path, NULL), MR_OK);
        assert_int_equal(test_store_write(&context, path, &options, edges, &n_edges), MR_OK);
        assert_int_equal(mr_store_open(&context, path, &store, NULL), MR_OK);
        memset(links, 0, sizeof links);
        for (size_t i = 0; i < n_edges; i++) {
            links[edges[i].source][edges[i].target] += 1;
        }
        double hubs[MAX_N], authorities[MAX_N];
        iterate(n, true, hubs);
        iterate(n, false, authorities);
        assert_int_equal(mr_salsa(&context, store, &result, NULL), MR_OK);
        assert_int_equal(mr_degree_rank(&context, store, &degrees, NULL), MR_OK);
        for (uint32_t v = 0; v < n; v++) {
            double out = 0, in = 0;
            for (uint32_t u = 0; u < n; u++) {
                out += links[v][u];
                in += links[u][v];
            }
            assert_true(fabs(result.hubs[v] - hubs[v]) < 1e-9);
            assert_true(fabs(result.authorities[v] - authorities[v]) < 1e-9);
            assert_true(degrees.hubs[v] == out && degrees.authorities[v] == in);
        }
        assert_true(n_edges > 0 || (result.n_parts == 0 && result.n_hubs == 0));
        assert_true(result.n_parts <= result.n_hubs && result.largest_hubs <= result.n_hubs);
        mr_salsa_result_free(&degrees);
        mr_salsa_result_free(&result);
        mr_store_close(store);
        test_context_close(&context);
        test_dir_remove(&dir);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_graphs_match_the_walk),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
