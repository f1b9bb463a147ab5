/* SPDX-License-Identifier: Apache-2.0 */
/* The synthetic crawl never changes and does not depend on threads. Its structure is correct, and
 * an independent measurement here finds the figures of cnr-2000 that crawl.h promises. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "generators/generate.h"
#include "tests/support/test.h"

struct graph {
    struct mr_edge *edges;
    size_t n_edges, room;
};

static enum mr_status take(void *data, const struct mr_edge *edges, size_t n_edges,
                           struct mr_error *err)
{
    struct graph *graph = data;
    (void)err;
    if (graph->room - graph->n_edges < n_edges) {
        graph->room = 2 * (graph->room + n_edges);
        graph->edges = realloc(graph->edges, graph->room * sizeof *graph->edges);
    }
    if (n_edges > 0) {
        memcpy(graph->edges + graph->n_edges, edges, n_edges * sizeof *edges);
    }
    graph->n_edges += n_edges;
    return MR_OK;
}

static struct graph make_dense(uint64_t n_pages, uint64_t n_links, uint64_t seed, unsigned threads)
{
    const struct mr_generator_options options = {
        .n_vertices = n_pages, .edge_factor = n_links, .seed = seed};
    struct mr_context context = {.threads = threads};
    struct mr_generator crawl;
    struct graph graph = {0};
    const struct mr_edge_sink sink = {.data = &graph, .take = take};

    assert_int_equal(mr_memory_create(UINT64_MAX, &context.memory, NULL), MR_OK);
    assert_int_equal(mr_crawl_open(&context, &options, &crawl, NULL), MR_OK);
    assert_int_equal(mr_generate(&context, &crawl, &sink, NULL), MR_OK);
    mr_generator_close(&crawl);
    mr_memory_destroy(context.memory);
    return graph;
}

static struct graph make(uint64_t n_pages, uint64_t seed, unsigned threads)
{
    return make_dense(n_pages, 0, seed, threads);
}

static uint64_t hash(const struct graph *graph)
{
    uint64_t sum = graph->n_edges;
    for (size_t i = 0; i < graph->n_edges; i++) {
        sum = (sum * 31 + graph->edges[i].source) * 31 + graph->edges[i].target;
    }
    return sum;
}

/* Figures in documents were made from these graphs. */
static void test_the_graph_never_changes(void **unused)
{
    (void)unused;
    static const struct {
        uint64_t n_pages, n_links, seed;
        uint64_t n_edges, sum;
    } cases[] = {{1000, 0, 1, 6095, 0x24a99eab9d9cd464u},
                 {1000, 10, 1, 6095, 0x24a99eab9d9cd464u},
                 {77777, 0, 42, 663051, 0x4e71f3037c39c5e5u},
                 {77777, 40, 42, 2270370, 0xb00abd013b1eefc2u},
                 {325557, 0, 1, 3095415, 0x5fb8697267aecc6au}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct graph graph = make_dense(cases[i].n_pages, cases[i].n_links, cases[i].seed, 2);
        assert_int_equal(graph.n_edges, cases[i].n_edges);
        assert_int_equal(hash(&graph), cases[i].sum);
        free(graph.edges);
    }
}

static void test_threads_do_not_show(void **unused)
{
    (void)unused;
    struct graph one = make(100000, 3, 1);
    for (unsigned threads = 2; threads <= 8; threads += 3) {
        struct graph many = make(100000, 3, threads);
        assert_int_equal(many.n_edges, one.n_edges);
        assert_memory_equal(many.edges, one.edges, one.n_edges * sizeof *one.edges);
        free(many.edges);
    }
    struct graph other = make(100000, 4, 1);
    assert_true(hash(&other) != hash(&one));
    free(other.edges);
    free(one.edges);
}

static void test_every_page_but_the_first_is_linked_to_and_no_link_comes_twice(void **unused)
{
    (void)unused;
    static const uint64_t sizes[] = {1, 2, 3, 7, 30, 200, 5000, 200000};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const uint64_t n = sizes[i];
        struct graph graph = make(n, 11 + i, 2);
        uint8_t *linked = calloc(n, 1);
        for (size_t e = 0; e < graph.n_edges; e++) {
            const struct mr_edge edge = graph.edges[e];
            assert_true(edge.source < n && edge.target < n);
            assert_true(e == 0 || graph.edges[e - 1].source < edge.source ||
                        (graph.edges[e - 1].source == edge.source &&
                         graph.edges[e - 1].target < edge.target));
            linked[edge.target] = 1;
        }
        for (uint64_t v = 1; v < n; v++) {
            assert_true(linked[v]);
        }
        free(linked);
        free(graph.edges);
    }
}

/* ---- Comparison with cnr-2000 ---- */

static int descending(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x < y) - (x > y);
}

static int ascending_u64(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

struct tail {
    double share; /* share of all edges that the 1% of pages with most edges have */
    double hill; /* exponent of the tail by Hill's estimate over these pages */
    double p99, p999; /* degrees that 1% and 0.1% of the pages exceed */
};

static struct tail tail_of(const uint32_t *degrees, size_t n, uint64_t n_edges)
{
    uint32_t *sorted = malloc(n * sizeof *sorted);
    const size_t top = n / 100;
    double sum = 0, logs = 0;
    memcpy(sorted, degrees, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, descending);
    for (size_t i = 0; i < top; i++) {
        sum += sorted[i];
        logs += log((sorted[i] + 0.5) / (sorted[top] + 0.5));
    }
    const struct tail tail = {.share = sum / (double)n_edges,
                              .hill = (double)top / logs,
                              .p99 = sorted[top],
                              .p999 = sorted[n / 1000]};
    free(sorted);
    return tail;
}

/* Bytes per edge of LEB128 differences of source-major keys in tiles of 2^16 x 2^16. */
static double key_bytes(const struct graph *graph)
{
    uint64_t *keys = malloc(graph->n_edges * sizeof *keys), bytes = 0;
    for (size_t i = 0; i < graph->n_edges; i++) {
        const uint64_t s = graph->edges[i].source, t = graph->edges[i].target;
        keys[i] = (t >> 16) << 48 | s << 16 | (t & 65535);
    }
    qsort(keys, graph->n_edges, sizeof *keys, ascending_u64);
    for (size_t i = 0; i < graph->n_edges; i++) {
        bool same_tile = i > 0 && keys[i] >> 32 == keys[i - 1] >> 32;
        uint64_t delta = same_tile ? keys[i] - keys[i - 1] : (uint32_t)keys[i];
        do {
            bytes++;
        } while ((delta >>= 7) > 0);
    }
    free(keys);
    return (double)bytes / (double)graph->n_edges;
}

/* The entries that a row needs: one per single column, two for a run of three or more. */
static uint64_t entries(const uint32_t *columns, size_t n)
{
    uint64_t count = 0;
    for (size_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && columns[end] == columns[end - 1] + 1; end++) {
        }
        count += end - i < 3 ? end - i : 2;
    }
    return count;
}

static size_t difference(const uint32_t *a, size_t n_a, const uint32_t *b, size_t n_b,
                         uint32_t *out)
{
    size_t n = 0;
    for (size_t i = 0, j = 0; i < n_a; i++) {
        while (j < n_b && b[j] < a[i]) {
            j++;
        }
        if (j == n_b || b[j] != a[i]) {
            out[n++] = a[i];
        }
    }
    return n;
}

/* Corner entries per edge: in each tile of 2^16 x 2^16, every row of targets is encoded as the
 * difference from the row above or by itself, whichever is shorter. */
static double corner_entries(const struct graph *graph)
{
    static uint32_t rows[2][65536], one_way[65536], other_way[65536];
    uint64_t *keys = malloc(graph->n_edges * sizeof *keys), sum = 0;
    uint64_t row_before = UINT64_MAX;
    size_t n_before = 0;
    unsigned current = 0;
    for (size_t i = 0; i < graph->n_edges; i++) {
        const uint64_t s = graph->edges[i].source, t = graph->edges[i].target;
        keys[i] = (t >> 16) << 48 | (s >> 16) << 32 | (t & 65535) << 16 | (s & 65535);
    }
    qsort(keys, graph->n_edges, sizeof *keys, ascending_u64);
    for (size_t i = 0, end; i < graph->n_edges; i = end, current = !current) {
        uint32_t *row = rows[current], *before = rows[!current];
        size_t n = 0;
        for (end = i; end < graph->n_edges && keys[end] >> 16 == keys[i] >> 16; end++) {
            row[n++] = (uint32_t)(keys[end] & 65535);
        }
        if (keys[i] >> 16 != row_before + 1 || (keys[i] >> 16 & 65535) == 0) {
            n_before = 0;
        }
        size_t n_one = difference(row, n, before, n_before, one_way);
        size_t n_other = difference(before, n_before, row, n, other_way);
        uint64_t differing = entries(one_way, n_one) + entries(other_way, n_other);
        uint64_t fresh = entries(row, n);
        sum += differing < fresh ? differing : fresh;
        row_before = keys[i] >> 16;
        n_before = n;
    }
    free(keys);
    return (double)sum / (double)graph->n_edges;
}

static void within(const char *what, double ours, double real)
{
    if (ours < real * 0.85 || ours > real * 1.15) {
        fail_msg("%s is %.4f; that of cnr-2000 is %.4f", what, ours, real);
    }
}

/* The expected figures are cnr-2000's in its LLP order, counted by a separate program. */
static void test_its_figures_are_those_of_a_real_crawl(void **unused)
{
    (void)unused;
    enum { N = 1000000 };
    struct graph graph = make(N, 1, 2);
    uint32_t *out = calloc(N, sizeof *out), *in = calloc(N, sizeof *in);
    uint64_t near = 0, dangling = 0;
    for (size_t i = 0; i < graph.n_edges; i++) {
        const uint64_t s = graph.edges[i].source, t = graph.edges[i].target;
        near += (s > t ? s - t : t - s) < 65536;
        out[s]++;
        in[t]++;
    }
    for (size_t v = 0; v < N; v++) {
        dangling += out[v] == 0;
    }
    const struct tail out_tail = tail_of(out, N, graph.n_edges);
    const struct tail in_tail = tail_of(in, N, graph.n_edges);
    within("links per page", (double)graph.n_edges / N, 9.879);
    within("the share of links within 64 Ki", (double)near / (double)graph.n_edges, 0.9937);
    within("the share of dangling pages", (double)dangling / N, 0.2398);
    within("bytes per key", key_bytes(&graph), 1.243);
    within("corner entries per link", corner_entries(&graph), 0.2368);
    within("the exponent of in-degrees", in_tail.hill, 0.990);
    within("the exponent of out-degrees", out_tail.hill, 3.062);
    within("the 1% most linked to", in_tail.share, 0.559);
    within("the 1% with most links", out_tail.share, 0.104);
    within("the in-degree of 0.1%", in_tail.p999, 741);
    within("the out-degree of 1%", out_tail.p99, 59);
    within("the out-degree of 0.1%", out_tail.p999, 141);
    free(out);
    free(in);
    free(graph.edges);
}

/* Small crawls have small hosts, which lack the pages for long lists. */
static void test_links_per_page_are_those_asked_for(void **unused)
{
    (void)unused;
    static const uint64_t links[] = {10, 20, 32, 49, 80};
    enum { N = 500000 };
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        struct graph graph = make_dense(N, links[i], 5, 2);
        const double found = (double)graph.n_edges / N;
        if (fabs(found / (double)links[i] - 1) > 0.1) {
            fail_msg("%.2f links per page, not %u", found, (unsigned)links[i]);
        }
        free(graph.edges);
    }
}

static void test_urls_are_different_and_short(void **unused)
{
    (void)unused;
    const struct mr_generator_options options = {.n_vertices = 50000, .seed = 9};
    struct mr_context context = {.threads = 1};
    struct mr_generator crawl;
    char before[MR_GENERATOR_NAME_MAX_BYTES] = {0}, url[MR_GENERATOR_NAME_MAX_BYTES];

    assert_int_equal(mr_memory_create(UINT64_MAX, &context.memory, NULL), MR_OK);
    assert_int_equal(mr_crawl_open(&context, &options, &crawl, NULL), MR_OK);
    for (uint32_t page = 0; page < 50000; page++) {
        memset(url, 0, sizeof url);
        size_t bytes = crawl.name(crawl.model, page, url);
        assert_in_range(bytes, 16, MR_GENERATOR_NAME_MAX_BYTES - 1);
        assert_int_equal(strlen(url), bytes);
        assert_int_equal(strncmp(url, "http://", 7), 0);
        assert_true(strcmp(before, url) != 0);
        memcpy(before, url, sizeof url);
    }
    mr_generator_close(&crawl);
    mr_memory_destroy(context.memory);
}

static void test_impossible_crawls_are_refused(void **unused)
{
    (void)unused;
    struct mr_context context = {.threads = 1};
    struct mr_generator crawl;
    struct mr_error err = {0};
    struct mr_generator_options options = {0};

    assert_int_equal(mr_memory_create(MR_MEMORY_FLOOR_BYTES, &context.memory, NULL), MR_OK);
    assert_int_equal(mr_crawl_open(&context, &options, &crawl, &err), MR_ERROR_USAGE);
    assert_string_equal(err.message, "a crawl has 1 to 4294967295 pages");
    options.n_vertices = (uint64_t)1 << 32;
    assert_int_equal(mr_crawl_open(&context, &options, &crawl, NULL), MR_ERROR_USAGE);
    options = (struct mr_generator_options){.n_vertices = 1000, .edge_factor = 81};
    err = (struct mr_error){0};
    assert_int_equal(mr_crawl_open(&context, &options, &crawl, &err), MR_ERROR_USAGE);
    assert_string_equal(err.message, "the links per page of a crawl are 10 to 80");
    options.edge_factor = 9;
    assert_int_equal(mr_crawl_open(&context, &options, &crawl, NULL), MR_ERROR_USAGE);
    options.edge_factor = 0;
    options.n_vertices = UINT32_MAX; /* the array of hosts exceeds the budget */
    assert_int_equal(mr_crawl_open(&context, &options, &crawl, NULL), MR_ERROR_BUDGET);
    mr_generator_close(&crawl);
    mr_memory_destroy(context.memory);
}

TEST_MAIN(cmocka_unit_test(test_the_graph_never_changes),
          cmocka_unit_test(test_threads_do_not_show),
          cmocka_unit_test(test_every_page_but_the_first_is_linked_to_and_no_link_comes_twice),
          cmocka_unit_test(test_its_figures_are_those_of_a_real_crawl),
          cmocka_unit_test(test_links_per_page_are_those_asked_for),
          cmocka_unit_test(test_urls_are_different_and_short),
          cmocka_unit_test(test_impossible_crawls_are_refused))
