/* SPDX-License-Identifier: Apache-2.0 */
/* For tests of OPIC: random graphs with sparse ids, lists of their edges, and exact or dense
 * oracles that share nothing with the code under test. */
#ifndef MR_TESTS_SUPPORT_TEST_OPIC_H
#define MR_TESTS_SUPPORT_TEST_OPIC_H

#include <assert.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "algorithms/opic/internal.h"
#include "engine/base/memory.h"
#include "engine/io/io.h"
#include "tests/support/test_build.h"

__extension__ typedef unsigned __int128 u128;

/* Cash [n_vertices] in units; histories [n_vertices] in units of the total; the cash of the virtual
 * page. */
static inline const uint64_t *opic_cash(const struct mr_opic *opic)
{
    return opic->cash;
}

static inline const double *opic_history(const struct mr_opic *opic)
{
    return opic->history;
}

static inline uint64_t opic_virtual_cash(const struct mr_opic *opic)
{
    return opic->virtual_cash;
}

struct opic_graph {
    struct mr_store *store;
    struct mr_names *names;
    uint32_t n;
    uint64_t *ids; /* [n], ascending: ids[v] is the id of vertex v */
    uint32_t (*links)[2]; /* [n_links], pairs of vertices */
    size_t n_links;
    uint32_t *degree; /* [n] */
};

struct opic_fixture {
    struct test_dir dir;
    struct mr_context context;
    struct mr_io *real;
    char state[PATH_MAX];
};

static uint64_t seed = 20031;

/* Do graphs have their core first? Then positions, which links and ids have, are not vertices. */
static bool core_first;

static inline uint32_t random_below(uint32_t n)
{
    assert(n > 0);
    return (uint32_t)(test_random(&seed) % n);
}

static inline int no_sync(void *self, int fd)
{
    (void)self, (void)fd;
    return 0;
}

static inline int no_sync_dir(void *self, const char *path)
{
    (void)self, (void)path;
    return 0;
}

/* The real back end owns `self` and destroys it. */
static inline void no_destroy(void *self)
{
    (void)self;
}

/* Files are not synced, because these tests write hundreds of files and simulate no power
 * failure. */
static inline int set_up(void **state)
{
    struct opic_fixture *f = calloc(1, sizeof *f);
    *state = f;
    f->context.threads = 1; /* two threads would only wait for each other on such small graphs */
    if (!test_dir_make(&f->dir, NULL) ||
        mr_memory_create(UINT64_MAX, &f->context.memory, NULL) != MR_OK ||
        mr_io_create_real(&f->real, NULL) != MR_OK) {
        return 1;
    }
    void *self;
    struct mr_io_table table = *mr_io_table_of(f->real, &self);
    table.sync = no_sync;
    table.sync_dir = no_sync_dir;
    table.destroy = no_destroy;
    (void)test_dir_path(&f->dir, "state", f->state);
    return mr_io_create(&table, self, &f->context.io, NULL) != MR_OK;
}

static inline int tear_down(void **state)
{
    struct opic_fixture *f = *state;
    mr_io_destroy(f->context.io);
    mr_io_destroy(f->real);
    mr_memory_destroy(f->context.memory);
    test_dir_remove(&f->dir);
    free(f);
    return 0;
}

static inline int compare_ids(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static inline int compare_links(const void *a, const void *b)
{
    return memcmp(a, b, 2 * sizeof(uint32_t));
}

/* Build the graph of `ids[n_ids]` (in any order, all different) and of `edges`, pairs of ids. */
static inline void graph_open(struct opic_fixture *f, const char *name, const uint64_t *ids,
                              uint32_t n_ids, const struct mr_edge *edges, size_t n_edges,
                              struct opic_graph *g)
{
    char path[PATH_MAX];
    struct mr_store_build_figures summary;
    struct test_graph made = {.options = {.ids = MR_IDS_SPARSE,
                                          .force = true,
                                          .core_first = core_first,
                                          .band_bits = 8,
                                          .stripe_bits = 8},
                              .n_edges = n_edges,
                              .n_declared = n_ids};
    memset(g, 0, sizeof *g);
    made.declared = malloc((n_ids + 1) * sizeof *ids);
    made.edges = malloc((n_edges + 1) * sizeof *edges);
    memcpy(made.declared, ids, n_ids * sizeof *ids);
    memcpy(made.edges, edges, n_edges * sizeof *edges);
    (void)test_dir_path(&f->dir, name, path);
    assert_int_equal(test_build_run(&f->context, path, &made, &summary, NULL), MR_OK);
    assert_int_equal(mr_store_open(&f->context, path, &g->store, NULL), MR_OK);
    assert_int_equal(mr_names_open(&f->context, g->store, NULL, &g->names, NULL), MR_OK);
    g->n = n_ids;
    g->ids = made.declared;
    qsort(g->ids, n_ids, sizeof *g->ids, compare_ids);
    g->links = malloc((n_edges + 1) * sizeof *g->links);
    g->degree = calloc(n_ids + 1, sizeof *g->degree);
    for (size_t i = 0; i < n_edges; i++) {
        const uint64_t *from =
            bsearch(&edges[i].source, g->ids, n_ids, sizeof *g->ids, compare_ids);
        const uint64_t *to = bsearch(&edges[i].target, g->ids, n_ids, sizeof *g->ids, compare_ids);
        g->links[i][0] = (uint32_t)(from - g->ids);
        g->links[i][1] = (uint32_t)(to - g->ids);
    }
    qsort(g->links, n_edges, sizeof *g->links, compare_links);
    for (size_t i = 0; i < n_edges; i++) { /* the builder merges equal edges */
        if (i == 0 || memcmp(g->links[i], g->links[i - 1], sizeof *g->links) != 0) {
            memmove(g->links[g->n_links++], g->links[i], sizeof *g->links);
        }
    }
    for (size_t i = 0; i < g->n_links; i++) {
        g->degree[g->links[i][0]]++;
    }
    assert_true(mr_store_get_info(g->store)->n_edges == g->n_links);
    free(made.edges);
}

static inline void graph_close(struct opic_graph *g)
{
    mr_names_close(g->names);
    mr_store_close(g->store);
    free(g->ids);
    free(g->links);
    free(g->degree);
}

/* A random graph with ids 0, 7, 14 ... It may have dangling and isolated vertices and
 * self-loops. */
static inline void graph_random(struct opic_fixture *f, const char *name, uint32_t n,
                                size_t n_edges, struct opic_graph *g)
{
    uint64_t *ids = malloc(n * sizeof *ids);
    struct mr_edge *edges = malloc((n_edges + 1) * sizeof *edges);
    const uint32_t active = 1 + random_below(n), reach = 1 + random_below(n);
    for (uint32_t i = 0; i < n; i++) {
        ids[i] = 7 * (uint64_t)i;
    }
    for (size_t i = 0; i < n_edges; i++) {
        const uint32_t source = random_below(active);
        uint32_t target = random_below(6) == 0 ? source : random_below(reach);
        target = random_below(3) == 0 ? n - 1 - target : target;
        edges[i] = (struct mr_edge){ids[source], ids[target]};
    }
    graph_open(f, name, ids, n, edges, n_edges, g);
    free(ids);
    free(edges);
}

/* ---- Oracles ---- */

/* Solve (I - a P^T) x = t by Gauss-Seidel in long double to the last digit; x is normalised. The
 * rows of vertices that are not `linked` are empty. `carries` says which edges count (NULL:
 * all). */
static inline void pagerank_oracle(const struct opic_graph *g, long double a, const double *t,
                                   const double *weight, long double *x)
{
    long double *out = calloc(g->n + 1, sizeof *out), *next = calloc(g->n + 1, sizeof *next);
    for (size_t i = 0; i < g->n_links; i++) {
        out[g->links[i][0]] += weight == NULL ? 1 : weight[i];
    }
    for (uint32_t v = 0; v < g->n; v++) {
        x[v] = t[v];
    }
    const unsigned rounds = a > 0 ? (unsigned)(46 / -logl(a)) + 2 : 2; /* to 1e-20 */
    for (unsigned round = 0; round < rounds; round++) {
        for (uint32_t v = 0; v < g->n; v++) {
            next[v] = t[v];
        }
        for (size_t i = 0; i < g->n_links; i++) {
            const uint32_t u = g->links[i][0];
            if (out[u] > 0) {
                next[g->links[i][1]] += a * x[u] * (weight == NULL ? 1 : weight[i]) / out[u];
            }
        }
        memcpy(x, next, g->n * sizeof *x);
    }
    long double sum = 0;
    for (uint32_t v = 0; v < g->n; v++) {
        sum += x[v];
    }
    for (uint32_t v = 0; v < g->n; v++) {
        x[v] /= sum;
    }
    free(out);
    free(next);
}

static inline double distance_to(const long double *x, const double *scores, uint32_t n)
{
    long double sum = 0;
    for (uint32_t v = 0; v < n; v++) {
        sum += fabsl(x[v] - (long double)scores[v]);
    }
    return (double)sum;
}

/* ---- Runs ---- */

static inline void opic_open(struct opic_fixture *f, const struct opic_graph *g,
                             const struct mr_opic_options *options, struct mr_opic **opic)
{
    struct mr_error err = {0};
    if (mr_opic_create(&f->context, g->store, options, opic, &err) != MR_OK) {
        print_error("%s\n", err.message);
        fail();
    }
}

/* Create a system, load the fixture's state if `load` asks for it, and run. */
static inline void opic_run(struct opic_fixture *f, const struct opic_graph *g,
                            const struct mr_opic_options *options, bool load, struct mr_opic **opic,
                            struct mr_opic_merge *merge, struct mr_opic_result *result)
{
    struct mr_error err = {0};
    struct mr_name_table_reader *reader = NULL;
    struct mr_opic_merge ignored;
    opic_open(f, g, options, opic);
    enum mr_status status = MR_OK;
    if (load) {
        status = mr_name_table_open(&f->context, f->state, &mr_opic_state, &reader, &err);
        if (status == MR_OK) {
            status =
                mr_opic_load(*opic, reader, g->names, NULL, merge != NULL ? merge : &ignored, &err);
        }
        mr_name_table_close(reader);
    }
    if (status == MR_OK) {
        status = mr_opic_run(*opic, result, &err);
    }
    if (status != MR_OK && status != MR_NOT_CONVERGED) {
        print_error("%s\n", err.message);
        fail();
    }
}

static inline enum mr_status opic_save(const struct mr_context *context, const char *path,
                                       const struct opic_graph *g, const struct mr_opic *opic)
{
    uint8_t head[MR_OPIC_HEAD_BYTES];

    mr_opic_describe(opic, head);
    return mr_name_table_write(context, path, g->names, mr_store_get_info(g->store), &mr_opic_state,
                               head, mr_opic_fill_row, opic, NULL);
}

/* All cash in the system, added up again. */
static inline u128 cash_of(const struct mr_opic *opic, uint32_t n)
{
    u128 sum = opic_virtual_cash(opic);
    for (uint32_t v = 0; v < n; v++) {
        sum += opic_cash(opic)[v];
    }
    return sum;
}

#endif
