/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that the spool returns the edges that were added, for all widths of ids. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/builder/edges/spool.h"
#include "tests/support/test.h"
#include "tests/support/test_context.h"
#include "tests/support/test_dir.h"

struct fixture {
    struct test_dir dir;
    struct mr_context context;
    struct mr_scratch_use use;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    *state = f;
    return f != NULL && test_dir_make(&f->dir, NULL) &&
                   test_context_open(&f->context, MR_MEMORY_FLOOR_BYTES, 1)
               ? 0
               : -1;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(f->use.bytes, 0);
    assert_int_equal(test_dir_count(f->dir.path), 0);
    test_context_close(&f->context);
    test_dir_remove(&f->dir);
    free(f);
    return 0;
}

static struct mr_spool *create(struct fixture *f, const struct mr_context *context, bool swap,
                               unsigned n_writers, uint64_t resident_bytes)
{
    const struct mr_spool_options options = {.directory = f->dir.path,
                                             .stem = "spool",
                                             .swap = swap,
                                             .n_writers = n_writers,
                                             .resident_bytes = resident_bytes};
    struct mr_spool *spool = NULL;
    assert_int_equal(mr_spool_create(context, &options, &f->use, &spool, NULL), MR_OK);
    return spool;
}

/* All edges in the order of chunks; the caller frees. */
static struct mr_edge *read_all(struct mr_spool *spool)
{
    struct mr_spool_figures figures = mr_spool_figures_of(spool);
    struct mr_edge *edges = malloc((figures.n_edges + 1) * sizeof *edges);
    void *buffer = malloc(MR_SPOOL_CHUNK_BYTES);
    uint64_t n = 0, bytes = 0;
    for (uint64_t c = 0; c < figures.n_chunks; c++) {
        struct mr_spool_chunk chunk;
        assert_int_equal(mr_spool_read(spool, c, buffer, &chunk, NULL), MR_OK);
        assert_ptr_not_equal(chunk.narrow, chunk.wide); /* one of them is NULL */
        assert_true(n + chunk.n_edges <= figures.n_edges);
        for (uint32_t i = 0; i < chunk.n_edges; i++, n++) {
            edges[n].source = chunk.narrow != NULL ? chunk.narrow[i][0] : chunk.wide[i][0];
            edges[n].target = chunk.narrow != NULL ? chunk.narrow[i][1] : chunk.wide[i][1];
        }
        bytes += (chunk.narrow != NULL ? 8u : 16u) * chunk.n_edges;
    }
    assert_int_equal(n, figures.n_edges);
    assert_int_equal(bytes, figures.bytes);
    free(buffer);
    return edges;
}

/* Add edges up to the first wide one, through the room that the spool offers. Returns how many. */
static size_t put(struct mr_spool *spool, bool swap, const struct mr_edge *edges, size_t n_edges,
                  uint64_t first)
{
    uint32_t(*pairs)[2], room = 0, n = 0;
    assert_int_equal(mr_spool_room(spool, 0, &pairs, &room, NULL), MR_OK);
    assert_int_equal(pairs == NULL, swap);
    for (;
         pairs != NULL && n < room && n < n_edges && (edges[n].source | edges[n].target) >> 32 == 0;
         n++) {
        pairs[n][0] = (uint32_t)edges[n].source;
        pairs[n][1] = (uint32_t)edges[n].target;
    }
    if (pairs != NULL) {
        assert_true(room > 0);
        mr_spool_filled(spool, 0, n, first);
    }
    return n;
}

/* `wide_share` of 1000 edges have an id of more than 32 bits. */
static void check(struct fixture *f, size_t n_edges, unsigned wide_share, bool swap,
                  uint64_t resident_bytes, uint64_t seed)
{
    struct mr_edge *edges = malloc((n_edges + 1) * sizeof *edges);
    uint64_t n_loops = 0, max_id = 0;
    for (size_t i = 0; i < n_edges; i++) {
        bool is_wide = test_random(&seed) % 1000 < wide_share;
        edges[i].source = test_random(&seed) >> (is_wide ? 0 : 32);
        edges[i].target = i % 10 == 0 ? edges[i].source : test_random(&seed) >> 32;
        n_loops += edges[i].source == edges[i].target;
        max_id = edges[i].source > max_id ? edges[i].source : max_id;
        max_id = edges[i].target > max_id ? edges[i].target : max_id;
    }
    struct mr_spool *spool = create(f, &f->context, swap, 1, resident_bytes);
    for (size_t done = 0; done < n_edges;) {
        size_t part = test_random(&seed) % 3000;
        part = part < n_edges - done ? part : n_edges - done;
        if (part % 2 == 0) {
            const size_t n = put(spool, swap, edges + done, part, done);
            done += n;
            part -= n;
        }
        assert_int_equal(mr_spool_add(spool, 0, edges + done, NULL, part, NULL), MR_OK);
        done += part;
    }
    assert_int_equal(mr_spool_seal(spool, NULL), MR_OK);
    struct mr_spool_figures figures = mr_spool_figures_of(spool);
    assert_int_equal(figures.n_edges, n_edges);
    assert_int_equal(figures.n_self_loops, n_loops);
    assert_true(figures.max_id == max_id);
    assert_int_equal(f->use.bytes, figures.disk_bytes);
    assert_true(figures.resident_bytes <= resident_bytes);
    assert_true(figures.disk_bytes + figures.resident_bytes >= figures.bytes);
    if (resident_bytes == 0) {
        assert_int_equal(figures.disk_bytes, figures.bytes);
    } else if (seed % 2 == 0) { /* move all of it to disk */
        assert_int_equal(mr_spool_evict(spool, NULL), MR_OK);
        assert_int_equal(mr_spool_figures_of(spool).resident_bytes, 0);
        assert_int_equal(mr_spool_figures_of(spool).disk_bytes, figures.bytes);
        assert_int_equal(f->use.bytes, figures.bytes);
    }
    struct mr_edge *found = read_all(spool);
    for (size_t i = 0; i < n_edges; i++) {
        assert_true(found[i].source == (swap ? edges[i].target : edges[i].source));
        assert_true(found[i].target == (swap ? edges[i].source : edges[i].target));
    }
    for (uint64_t c = 0; c < figures.n_chunks; c++) {
        mr_spool_discard(spool, c);
    }
    assert_int_equal(f->use.bytes, 0);
    assert_int_equal(mr_spool_figures_of(spool).resident_bytes, 0);
    mr_spool_destroy(spool);
    free(found);
    free(edges);
}

static void test_edges_come_back(void **state)
{
    struct fixture *f = *state;
    static const uint64_t resident[] = {0, 2u << 20, 3u << 20, 16u << 20};
    for (unsigned i = 0; i < 4; i++) {
        const uint64_t bytes = resident[i], seed = 10 * i;
        check(f, 0, 0, false, bytes, seed + 1);
        check(f, 1, 0, false, bytes, seed + 2);
        check(f, 600000, 0, false, bytes, seed + 3);
        check(f, 600000, 0, true, bytes, seed + 4);
        check(f, 300000, 1000, false, bytes, seed + 5);
        check(f, 300000, 1, true, bytes, seed + 6);
    }
}

/* Without memory for chunks they go to disk, and this is no error. */
static void test_too_little_memory_is_no_error(void **state)
{
    struct fixture *f = *state;
    check(f, 5000000, 0, false, UINT64_MAX, 1);
}

static void test_several_writers(void **state)
{
    struct fixture *f = *state;
    enum { WRITERS = 4, EDGES = 200000 };
    struct mr_spool *spool = create(f, &f->context, false, WRITERS, 4u << 20);
#pragma omp parallel for num_threads(WRITERS)
    for (unsigned writer = 0; writer < WRITERS; writer++) {
        for (uint64_t i = 0; i < EDGES; i++) {
            const struct mr_edge edge = {writer * EDGES + i, i};
            assert_int_equal(mr_spool_add(spool, writer, &edge, NULL, 1, NULL), MR_OK);
        }
    }
    assert_int_equal(mr_spool_seal(spool, NULL), MR_OK);
    const struct mr_spool_figures figures = mr_spool_figures_of(spool);
    assert_int_equal(figures.n_edges, WRITERS * EDGES);
    assert_int_equal(figures.max_id, WRITERS * EDGES - 1);
    assert_int_equal(figures.n_self_loops, EDGES);
    struct mr_edge *found = read_all(spool);
    uint8_t *seen = calloc(WRITERS * EDGES, 1);
    for (size_t i = 0; i < WRITERS * EDGES; i++) {
        assert_true(found[i].source < WRITERS * EDGES && !seen[found[i].source]);
        assert_int_equal(found[i].target, found[i].source % EDGES);
        seen[found[i].source] = 1;
    }
    free(seen);
    free(found);
    mr_spool_destroy(spool);
}

/* Writers take turns; the third one is faster than the others. */
static void test_chunks_have_the_order_of_the_input(void **state)
{
    struct fixture *f = *state;
    enum { WRITERS = 3, CHUNKS = 30 };
    struct mr_spool *spool = create(f, &f->context, false, WRITERS, 2u << 20);
    uint64_t n_edges = 0, order[CHUNKS], first = 0;
    for (unsigned i = 0; i < CHUNKS; i++) {
        const unsigned writer = i % 6 < 4 ? i % 2 : 2;
        uint32_t(*pairs)[2], room;
        assert_int_equal(mr_spool_room(spool, writer, &pairs, &room, NULL), MR_OK);
        assert_int_equal(room, MR_SPOOL_CHUNK_BYTES / sizeof *pairs);
        for (uint32_t k = 0; k < room; k++) {
            pairs[k][0] = pairs[k][1] = (uint32_t)(n_edges + k);
        }
        mr_spool_filled(spool, writer, room, n_edges);
        n_edges += room;
    }
    assert_int_equal(mr_spool_seal(spool, NULL), MR_OK);
    assert_int_equal(mr_spool_figures_of(spool).n_chunks, CHUNKS);
    mr_spool_order(spool, order);
    void *buffer = malloc(MR_SPOOL_CHUNK_BYTES);
    for (unsigned i = 0; i < CHUNKS; i++) {
        struct mr_spool_chunk chunk;
        assert_int_equal(mr_spool_read(spool, order[i], buffer, &chunk, NULL), MR_OK);
        assert_int_equal(chunk.narrow[0][0], first);
        first += chunk.n_edges;
    }
    assert_int_equal(first, n_edges);
    free(buffer);
    mr_spool_destroy(spool);
}

static void test_narrow_chunks_take_8_bytes_an_edge(void **state)
{
    struct fixture *f = *state;
    struct mr_spool *spool = create(f, &f->context, false, 1, 0);
    const struct mr_edge edges[2] = {{UINT32_MAX, 0}, {1, 2}};
    assert_int_equal(mr_spool_add(spool, 0, edges, NULL, 2, NULL), MR_OK);
    assert_int_equal(mr_spool_seal(spool, NULL), MR_OK);
    assert_int_equal(mr_spool_figures_of(spool).bytes, 16);
    assert_int_equal(mr_spool_figures_of(spool).n_chunks, 1);
    mr_spool_destroy(spool);
    mr_spool_destroy(NULL);
}

static void test_a_full_disk_is_over_budget(void **state)
{
    struct fixture *f = *state;
    const struct mr_fault_plan plan = {.kind = MR_FAULT_ERROR,
                                       .operations = MR_FAULT_ON_WRITE,
                                       .at = 2,
                                       .and_after = true,
                                       .error_number = ENOSPC};
    struct mr_context context;
    struct mr_error err = {.status = MR_OK};
    enum mr_status status = MR_OK;
    const struct mr_edge edge = {1, 2};
    assert_true(test_context_open_fault(&context, MR_MEMORY_FLOOR_BYTES, 1, &plan));
    struct mr_spool *spool = create(f, &context, false, 1, 0);
    for (uint32_t i = 0; i < MR_SPOOL_CHUNK_BYTES / 8 * 3 && status == MR_OK; i++) {
        status = mr_spool_add(spool, 0, &edge, NULL, 1, &err);
    }
    assert_int_equal(status, MR_ERROR_BUDGET);
    assert_int_equal(err.os_errno, ENOSPC);
    mr_spool_destroy(spool);
    test_context_close(&context);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

TEST_MAIN(TEST(test_edges_come_back), TEST(test_too_little_memory_is_no_error),
          TEST(test_several_writers), TEST(test_chunks_have_the_order_of_the_input),
          TEST(test_narrow_chunks_take_8_bytes_an_edge), TEST(test_a_full_disk_is_over_budget))
