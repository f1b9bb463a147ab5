/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that ids numbered on disk get the numbers of an id set, in one window and in many, and that
 * a disk that changes is an error. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/memory.h"
#include "engine/builder/vertices/id_file.h"
#include "engine/builder/vertices/id_set.h"
#include "tests/support/test_context.h"
#include "tests/support/test_dir.h"

enum { N_EDGES = 400000, N_WRITERS = 2 };

/* Ids all over 64 bits, with both ends; in clusters; below 2^32; exactly 0..n-1. */
enum shape { WIDE, CLUSTERS, NARROW, IDENTITY, N_SHAPES };

struct fixture {
    struct test_dir dir;
    struct mr_context context;
    struct mr_scratch_use use;
    struct mr_spool *spool;
    struct mr_edge *edges;
};

static uint64_t make_id(uint64_t *seed, enum shape shape, size_t i)
{
    const uint64_t z = test_random(seed);
    switch (shape) {
    case WIDE:
        return i == 5 ? UINT64_MAX : i == 7 ? 0 : z;
    case CLUSTERS:
        return (z % 5) << 61 | (z >> 20) % 200000;
    case NARROW:
        return z >> 32;
    case IDENTITY:
    default:
        return i < N_EDGES ? i : z % N_EDGES;
    }
}

static void open_fixture(struct fixture *f, enum shape shape, const struct mr_fault_plan *plan)
{
    uint64_t seed = 11 + (uint64_t)shape;
    *f = (struct fixture){0};
    assert_true(test_dir_make(&f->dir, NULL));
    assert_true(test_context_open_fault(&f->context, (uint64_t)1 << 30, 3, plan));
    const struct mr_spool_options options = {.directory = f->dir.path,
                                             .stem = "spool",
                                             .n_writers = N_WRITERS,
                                             .resident_bytes = (uint64_t)1 << 20};
    f->edges = malloc(N_EDGES * sizeof *f->edges);
    for (size_t i = 0; i < N_EDGES; i++) {
        f->edges[i].source = make_id(&seed, shape, i);
        f->edges[i].target = make_id(&seed, shape, N_EDGES + i);
    }
    assert_int_equal(mr_spool_create(&f->context, &options, &f->use, &f->spool, NULL), MR_OK);
    for (unsigned w = 0; w < N_WRITERS; w++) {
        const size_t n = N_EDGES / N_WRITERS;
        assert_int_equal(mr_spool_add(f->spool, w, f->edges + w * n, NULL, n, NULL), MR_OK);
    }
    assert_int_equal(mr_spool_seal(f->spool, NULL), MR_OK);
}

static void close_fixture(struct fixture *f)
{
    mr_spool_destroy(f->spool);
    assert_int_equal(f->use.bytes, 0);
    assert_int_equal(test_dir_count(f->dir.path), 0);
    test_context_close(&f->context);
    test_dir_remove(&f->dir);
    free(f->edges);
}

static enum mr_status number(struct fixture *f, uint64_t window_ids, struct mr_id_file **file,
                             struct mr_error *err)
{
    const struct mr_id_file_options options = {
        .directory = f->dir.path, .stem = "ids", .use = &f->use, .window_ids = window_ids};
    return mr_id_file_create(&f->context, f->spool, &options, file, err);
}

struct compare {
    const struct mr_id_set *set;
    const struct mr_id_file *file;
    uint64_t n_compared;
};

static enum mr_status compare_chunk(void *data, unsigned worker, struct mr_spool_chunk *chunk,
                                    struct mr_error *err)
{
    struct compare *compare = data;
    const size_t n = 2 * (size_t)chunk->n_edges;
    uint32_t *expected = malloc(n * sizeof *expected);
    void *buffer = chunk->narrow != NULL ? (void *)chunk->narrow : (void *)chunk->wide;
    (void)worker;
    assert_int_equal(chunk->narrow != NULL
                         ? mr_id_set_find_u32(compare->set, *chunk->narrow, n, expected)
                         : mr_id_set_find_u64(compare->set, *chunk->wide, n, expected),
                     n);
    const enum mr_status status = mr_id_file_apply(compare->file, chunk, buffer, err);
    if (status == MR_OK) {
        assert_memory_equal(buffer, expected, n * sizeof *expected);
        compare->n_compared += n;
    }
    free(expected);
    return status;
}

static void compare_ids(const struct mr_id_set *set, const struct mr_id_file *file)
{
    uint64_t from_set[700], from_file[700], set_cursor = 0, file_cursor = 0, n_all = 0;
    size_t n;
    do {
        const size_t n_set = mr_id_set_next(set, &set_cursor, from_set, 700);
        assert_int_equal(mr_id_file_next(file, &file_cursor, from_file, 700, &n, NULL), MR_OK);
        /* the set may give fewer at a time */
        file_cursor -= n - (n_set < n ? n_set : n);
        assert_true(n >= n_set);
        assert_memory_equal(from_set, from_file, n_set * sizeof *from_set);
        n_all += n_set;
        n = n_set;
    } while (n > 0);
    assert_int_equal(n_all, mr_id_set_count(set));
}

static void test_the_numbers_are_those_of_a_set(void **unused)
{
    (void)unused;
    for (unsigned i = 0; i < 2 * N_SHAPES; i++) {
        struct fixture f;
        struct mr_id_set *set = NULL;
        struct mr_id_file *file = NULL;
        open_fixture(&f, i / 2, &(struct mr_fault_plan){.at = 0});
        assert_int_equal(mr_id_set_create(&f.context, &set, NULL), MR_OK);
        assert_int_equal(mr_id_set_add_u64(set, &f.edges->source, 2 * (size_t)N_EDGES, NULL),
                         MR_OK);
        assert_int_equal(mr_id_set_seal(set, NULL), MR_OK);
        /* The least window is 262144 ids, of up to 800000. */
        assert_int_equal(number(&f, i % 2, &file, NULL), MR_OK);
        assert_int_equal(mr_id_file_count(file), mr_id_set_count(set));
        assert_int_equal(mr_id_file_is_identity(file), mr_id_set_is_identity(set));
        compare_ids(set, file);
        struct compare compare = {.set = set, .file = file};
        const struct mr_spool_scan scan = {.spool = f.spool, .n_workers = 1};
        assert_int_equal(mr_spool_scan_raw(&f.context, &scan, compare_chunk, &compare, NULL),
                         MR_OK);
        assert_int_equal(compare.n_compared, 2 * (uint64_t)N_EDGES);
        mr_id_file_destroy(file);
        mr_id_set_destroy(set);
        close_fixture(&f);
    }
}

/* Each read that fails is an error, and nothing stays. A read that returns other bytes never gives
 * a vertex that does not exist. */
static void test_disk_errors(void **unused)
{
    (void)unused;
    for (uint64_t n = 1; n < 60; n += 7) {
        struct fixture f;
        struct mr_id_file *file = NULL;
        struct mr_error error = {.status = MR_OK};
        const struct mr_fault_plan plan = {.kind = n % 2 ? MR_FAULT_ERROR : MR_FAULT_FLIP,
                                           .error_number = EIO,
                                           .operations = MR_FAULT_ON_READ,
                                           .at = n};
        open_fixture(&f, WIDE, &plan);
        const enum mr_status status = number(&f, 1, &file, &error);
        if (plan.kind == MR_FAULT_ERROR) {
            assert_int_equal(status, MR_ERROR_RUNTIME);
        }
        assert_int_equal(status, error.status);
        mr_id_file_destroy(file);
        close_fixture(&f);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_the_numbers_are_those_of_a_set),
        cmocka_unit_test(test_disk_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
