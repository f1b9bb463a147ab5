/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that ids which change on the temporary disk are an error, wherever they are used. Otherwise
 * the builder would set bits and look up vertices outside its arrays. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/builder/edges/spool_scan.h"
#include "engine/builder/vertices/numbering.h"
#include "tests/support/test.h"
#include "tests/support/test_context.h"
#include "tests/support/test_dir.h"

enum { N_EDGES = 100000, MAX_ID = 50000 };

struct fixture {
    struct test_dir dir;
    struct mr_context context;
    struct mr_scratch_use use;
    struct mr_spool *spool;
    struct mr_numbering *numbering;
};

/* The n-th read of a chunk returns other ids, for n = `flipped`; 0: no read does. */
static void open_fixture(struct fixture *f, uint64_t flipped)
{
    const struct mr_fault_plan plan = {
        .kind = MR_FAULT_FLIP, .operations = MR_FAULT_ON_READ, .at = flipped};
    *f = (struct fixture){0};
    assert_true(test_dir_make(&f->dir, NULL));
    assert_true(test_context_open_fault(&f->context, MR_MEMORY_FLOOR_BYTES, 1, &plan));
}

static void close_fixture(struct fixture *f)
{
    mr_numbering_destroy(f->numbering);
    mr_spool_destroy(f->spool);
    assert_int_equal(f->use.bytes, 0);
    assert_int_equal(test_dir_count(f->dir.path), 0);
    test_context_close(&f->context);
    test_dir_remove(&f->dir);
}

/* A sealed spool with all chunks on disk. Ids are multiples of `step`. */
static void fill_spool(struct fixture *f, uint64_t step)
{
    const struct mr_spool_options options = {
        .directory = f->dir.path, .stem = "spool", .n_writers = 1};
    struct mr_edge *edges = malloc(N_EDGES * sizeof *edges);
    uint64_t seed = 5;
    for (size_t i = 0; i < N_EDGES; i++) {
        edges[i].source = i < MAX_ID ? step * i : test_random(&seed) % MAX_ID * step;
        edges[i].target = test_random(&seed) % MAX_ID * step;
    }
    assert_int_equal(mr_spool_create(&f->context, &options, &f->use, &f->spool, NULL), MR_OK);
    assert_int_equal(mr_spool_add(f->spool, 0, edges, NULL, N_EDGES, NULL), MR_OK);
    assert_int_equal(mr_spool_seal(f->spool, NULL), MR_OK);
    assert_true(mr_spool_figures_of(f->spool).n_chunks > 3);
    assert_int_equal(mr_spool_figures_of(f->spool).resident_bytes, 0);
    free(edges);
}

static enum mr_status count_pairs(void *data, unsigned worker, const uint32_t (*pairs)[2],
                                  const float *weights, size_t n_pairs, struct mr_error *err)
{
    uint64_t *n_seen = data;
    (void)worker;
    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        assert_true(pairs[i][0] < MAX_ID && pairs[i][1] < MAX_ID);
    }
    *n_seen += n_pairs;
    return MR_OK;
}

/* Number the vertices, then look at all edges. */
static enum mr_status number(struct fixture *f, enum mr_id_kind kind, struct mr_error *err)
{
    const struct mr_dictionary_options files = {
        .directory = f->dir.path, .stem = "numbers", .use = &f->use};
    uint64_t n_seen = 0;
    enum mr_status status =
        mr_numbering_create(&f->context, kind, MAX_ID, &files, &f->numbering, err);
    if (status == MR_OK) {
        status = mr_numbering_finish(f->numbering, f->spool, false, NULL, err);
    }
    if (status == MR_OK) {
        const struct mr_spool_scan scan = {.stage = "test",
                                           .spool = f->spool,
                                           .translate = mr_numbering_apply,
                                           .numbering = f->numbering,
                                           .n_workers = 1};
        status = mr_spool_scan_pairs(&f->context, &scan, count_pairs, &n_seen, err);
    }
    assert_true(status != MR_OK || n_seen == N_EDGES);
    return status;
}

/* Change the ids in each read of a chunk, one read per run. */
static void flip_each(enum mr_id_kind kind, uint64_t step)
{
    struct fixture f;
    open_fixture(&f, 0);
    fill_spool(&f, step);
    assert_int_equal(number(&f, kind, NULL), MR_OK);
    const uint64_t n_reads = mr_io_fault_count(f.context.io);
    assert_true(n_reads >= mr_spool_figures_of(f.spool).n_chunks);
    close_fixture(&f);
    for (uint64_t at = 1; at <= n_reads; at++) {
        struct mr_error err = {.status = MR_OK};
        open_fixture(&f, at);
        fill_spool(&f, step);
        assert_int_equal(number(&f, kind, &err), MR_ERROR_RUNTIME);
        assert_string_equal(err.message, "the temporary files changed while they were in use; "
                                         "check the disk");
        close_fixture(&f);
    }
}

static void test_ids_that_are_vertices_already(void **state)
{
    (void)state;
    flip_each(MR_IDS_DENSE, 1);
}

static void test_ids_that_turn_out_to_be_vertices(void **state)
{
    (void)state;
    flip_each(MR_IDS_SPARSE, 1);
}

static void test_narrow_ids_that_are_numbered(void **state)
{
    (void)state;
    flip_each(MR_IDS_SPARSE, 3);
}

static void test_wide_ids_that_are_numbered(void **state)
{
    (void)state;
    flip_each(MR_IDS_SPARSE, (uint64_t)1 << 40);
}

TEST_MAIN(cmocka_unit_test(test_ids_that_are_vertices_already),
          cmocka_unit_test(test_ids_that_turn_out_to_be_vertices),
          cmocka_unit_test(test_narrow_ids_that_are_numbered),
          cmocka_unit_test(test_wide_ids_that_are_numbered))
