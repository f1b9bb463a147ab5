/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that sets number ids as a sorted array does, in every representation, and that a disk that
 * changes is an error. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/builder/vertices/id_set.h"
#include "tests/support/test.h"
#include "tests/support/test_context.h"
#include "tests/support/test_dir.h"

enum { N_WRITERS = 2 };

/* Shapes of ids: dense but for gaps, up to 2^32, up to 2^64 with both ends, in clusters far apart,
 * exactly 0..n-1. */
enum shape { GAPS, NARROW, WIDE, CLUSTERS, IDENTITY_IDS, N_SHAPES };

static uint64_t random_id(uint64_t *seed, enum shape shape, size_t i, size_t n)
{
    const uint64_t z = test_random(seed);
    switch (shape) {
    case GAPS:
        return z % (3 * n);
    case NARROW:
        return z >> 32;
    case WIDE:
        return i == 0 ? UINT64_MAX : i == 1 ? 0 : z;
    case CLUSTERS:
        return (z % 5) << 61 | (z >> 32) % 1000 << 20 | (z >> 42) % 16;
    case IDENTITY_IDS:
    default:
        return i;
    }
}

/* Where the ids come from: the edges of a spool, all of them or two thirds, or a list. */
enum source { SPOOLED, SOME_DECLARED, FROZEN, N_SOURCES };

struct fixture {
    struct test_dir dir;
    struct mr_context context;
    struct mr_scratch_use use;
    struct mr_spool *spool;
    struct mr_id_set *set;
    uint64_t *added, *ids; /* as added; ascending, each once */
    size_t n_added, n_ids;
};

static int compare_u64(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void make_ids(struct fixture *f, enum shape shape, size_t n, uint64_t *seed)
{
    f->n_added = n;
    f->added = malloc((n + 1) * sizeof *f->added);
    f->ids = malloc((n + 1) * sizeof *f->ids);
    for (size_t i = 0; i < n; i++) {
        f->ids[i] = f->added[i] = random_id(seed, shape, i, n);
    }
    qsort(f->ids, n, sizeof *f->ids, compare_u64);
    for (size_t i = 0; i < n; i++) {
        if (i == 0 || f->ids[i] != f->ids[i - 1]) {
            f->ids[f->n_ids++] = f->ids[i];
        }
    }
}

/* Ids beyond the first n_declared become edges; an odd last one is an edge to itself. */
static void make_spool(struct fixture *f, size_t n_declared)
{
    const struct mr_spool_options options = {.directory = f->dir.path,
                                             .stem = "spool",
                                             .n_writers = N_WRITERS,
                                             .resident_bytes = (uint64_t)1 << 20};
    assert_int_equal(mr_spool_create(&f->context, &options, &f->use, &f->spool, NULL), MR_OK);
    for (size_t i = n_declared, k = 0; i < f->n_added; i += 2, k++) {
        const struct mr_edge edge = {f->added[i], f->added[i + 1 < f->n_added ? i + 1 : i]};
        assert_int_equal(mr_spool_add(f->spool, k % N_WRITERS, &edge, NULL, 1, NULL), MR_OK);
    }
    assert_int_equal(mr_spool_seal(f->spool, NULL), MR_OK);
}

static void open_fixture(struct fixture *f, uint64_t memory_bytes, const struct mr_fault_plan *plan)
{
    *f = (struct fixture){0};
    assert_true(test_dir_make(&f->dir, NULL));
    assert_true(test_context_open_fault(&f->context, memory_bytes, 3, plan));
}

static void close_fixture(struct fixture *f)
{
    mr_id_set_destroy(f->set);
    mr_spool_destroy(f->spool);
    assert_int_equal(f->use.bytes, 0);
    assert_int_equal(test_dir_count(f->dir.path), 0);
    test_context_close(&f->context);
    test_dir_remove(&f->dir);
    free(f->added);
    free(f->ids);
}

static enum mr_status create(struct fixture *f, uint64_t window_ids, struct mr_error *err)
{
    const struct mr_id_set_options options = {
        .directory = f->dir.path, .stem = "ids", .use = &f->use, .window_ids = window_ids};
    return mr_id_set_create(&f->context, &options, &f->set, err);
}

static void check_order(const struct fixture *f)
{
    enum { ROOM = 77 };
    uint64_t found[ROOM], cursor = 0;
    size_t n_all = 0, n = 1;
    while (n > 0) {
        assert_int_equal(mr_id_set_next(f->set, &cursor, found, ROOM, &n, NULL), MR_OK);
        assert_true(n <= f->n_ids - n_all);
        assert_memory_equal(found, f->ids + n_all, n * sizeof *found);
        n_all += n;
    }
    assert_int_equal(n_all, f->n_ids);
}

/* The chunk's ids become vertices in place, as in the builder. */
static enum mr_status check_chunk(void *data, unsigned worker, struct mr_spool_chunk *chunk,
                                  struct mr_error *err)
{
    const struct fixture *f = data;
    const size_t n = 2 * (size_t)chunk->n_edges;
    uint64_t *before = malloc(n * sizeof *before);
    void *buffer = chunk->narrow != NULL ? (void *)chunk->narrow : (void *)chunk->wide;
    (void)worker;
    for (size_t i = 0; i < n; i++) {
        before[i] = chunk->narrow != NULL ? chunk->narrow[i / 2][i % 2] : chunk->wide[i / 2][i % 2];
    }
    const enum mr_status status = mr_id_set_apply(f->set, chunk, buffer, err);
    for (size_t i = 0; i < n && status == MR_OK; i++) {
        const uint32_t vertex = ((uint32_t *)buffer)[i];
        assert_true(vertex < f->n_ids && f->ids[vertex] == before[i]);
    }
    free(before);
    return status;
}

static void check_lookups(const struct fixture *f, uint64_t *seed)
{
    for (int i = 0; i < 1000 && f->n_ids > 0; i++) {
        const uint64_t near = f->ids[test_random(seed) % f->n_ids] + test_random(seed) % 3 - 1;
        const uint64_t probes[2] = {near, test_random(seed) >> (test_random(seed) % 64)};
        for (int p = 0; p < 2; p++) {
            uint32_t vertex = 0;
            const uint64_t *place = bsearch(&probes[p], f->ids, f->n_ids, sizeof near, compare_u64);
            assert_int_equal(mr_id_set_find(f->set, probes[p], &vertex), place != NULL);
            assert_true(place == NULL || vertex == (size_t)(place - f->ids));
        }
    }
}

static void check(enum shape shape, size_t n, enum source source, uint64_t memory_bytes,
                  uint64_t window_ids, uint64_t seed)
{
    const size_t n_declared = source == FROZEN ? n : source == SOME_DECLARED ? n / 3 : 0;
    struct fixture f;
    open_fixture(&f, memory_bytes, &(struct mr_fault_plan){.at = 0});
    make_ids(&f, shape, n, &seed);
    assert_int_equal(create(&f, window_ids, NULL), MR_OK);
    for (size_t i = 0; i < n_declared; i++) {
        assert_int_equal(mr_id_set_declare(f.set, f.added[i], NULL), MR_OK);
    }
    make_spool(&f, source == FROZEN ? 0 : n_declared);
    assert_int_equal(mr_id_set_bytes(f.set), 0);
    assert_int_equal(source == FROZEN ? mr_id_set_freeze(f.set, NULL)
                                      : mr_id_set_number(f.set, f.spool, NULL),
                     MR_OK);
    const bool is_identity = f.n_ids == 0 || f.ids[f.n_ids - 1] == f.n_ids - 1;
    assert_int_equal(mr_id_set_count(f.set), f.n_ids);
    assert_int_equal(mr_id_set_is_identity(f.set), is_identity);
    assert_true(!is_identity || mr_id_set_bytes(f.set) == 0);
    check_order(&f);
    if (window_ids == 0) {
        check_lookups(&f, &seed);
    }
    const struct mr_spool_scan scan = {.spool = f.spool, .n_workers = 1};
    assert_int_equal(mr_spool_scan_raw(&f.context, &scan, check_chunk, &f, NULL), MR_OK);
    close_fixture(&f);
}

static void test_ids_are_numbered_in_order(void **unused)
{
    (void)unused;
    static const size_t sizes[] = {0, 1, 2, 10, 1000, 100000};
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (int shape = 0; shape < N_SHAPES; shape++) {
            for (int source = 0; source < N_SOURCES; source++) {
                check((enum shape)shape, sizes[s], (enum source)source, UINT64_MAX, 0, 1 + s);
            }
            check((enum shape)shape, sizes[s], SPOOLED, MR_MEMORY_FLOOR_BYTES, 0, 1 + s);
        }
    }
}

/* The least window is 262144 ids, and more than 196608 are cut in half. */
static void test_windows_on_disk_give_the_same_numbers(void **unused)
{
    (void)unused;
    for (int shape = 0; shape < N_SHAPES; shape++) {
        check((enum shape)shape, 300000, SPOOLED, UINT64_MAX, 1, 11);
        check((enum shape)shape, 400000, SOME_DECLARED, UINT64_MAX, 1, 12);
        check((enum shape)shape, 10, SPOOLED, UINT64_MAX, 1, 13);
    }
}

/* The portable lookups have the same results. */
static void test_without_special_instructions(void **unused)
{
    (void)unused;
    assert_int_equal(setenv("MILLRACE_KERNELS", "portable", 1), 0);
    check(GAPS, 300000, SPOOLED, UINT64_MAX, 0, 14);
    assert_int_equal(unsetenv("MILLRACE_KERNELS"), 0);
}

static void test_unknown_ids_of_a_frozen_set(void **unused)
{
    (void)unused;
    struct fixture f;
    struct mr_error err = {.status = MR_OK};
    open_fixture(&f, UINT64_MAX, &(struct mr_fault_plan){.at = 0});
    assert_int_equal(create(&f, 0, NULL), MR_OK);
    const uint64_t declared[] = {7, 3, UINT32_MAX, 3};
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(mr_id_set_declare(f.set, declared[i], NULL), MR_OK);
    }
    assert_int_equal(mr_id_set_freeze(f.set, NULL), MR_OK);
    assert_int_equal(mr_id_set_count(f.set), 3);
    uint32_t pairs[2][2] = {{7, 3}, {3, 8}};
    struct mr_spool_chunk chunk = {.n_edges = 2, .narrow = pairs};
    assert_int_equal(mr_id_set_apply(f.set, &chunk, *pairs, &err), MR_ERROR_INPUT);
    assert_string_equal(err.message, "id 8 is not among the declared pages");
    close_fixture(&f);
    mr_id_set_destroy(NULL);
}

/* Nearly as many different ids as the list has room for, then one of them again and again. A sort
 * for each of these would take minutes. */
static void test_an_id_that_is_declared_again_costs_no_sort(void **unused)
{
    (void)unused;
    for (uint64_t left = 0; left < 3; left++) {
        struct fixture f;
        uint64_t room = 0;
        open_fixture(&f, UINT64_MAX, &(struct mr_fault_plan){.at = 0});
        assert_int_equal(create(&f, 0, NULL), MR_OK);
        while (room < 300000) { /* as mr_memory_grow goes on */
            room += room / 2 + 64;
        }
        for (uint64_t id = 0; id < room - left; id++) {
            assert_int_equal(mr_id_set_declare(f.set, 3 * id, NULL), MR_OK);
        }
        for (uint64_t i = 0; i < 300000; i++) {
            assert_int_equal(mr_id_set_declare(f.set, 9, NULL), MR_OK);
        }
        assert_int_equal(mr_id_set_freeze(f.set, NULL), MR_OK);
        assert_int_equal(mr_id_set_count(f.set), room - left);
        close_fixture(&f);
    }
}

static void test_too_little_memory_names_the_ids(void **unused)
{
    (void)unused;
    struct fixture f;
    struct mr_error err = {.status = MR_OK};
    enum mr_status status = MR_OK;
    uint64_t seed = 5;
    open_fixture(&f, MR_MEMORY_FLOOR_BYTES, &(struct mr_fault_plan){.at = 0});
    assert_int_equal(create(&f, 0, NULL), MR_OK);
    for (int i = 0; i < 5000000 && status == MR_OK; i++) { /* 40 MB of ids */
        status = mr_id_set_declare(f.set, test_random(&seed), &err);
    }
    assert_int_equal(status, MR_ERROR_BUDGET);
    assert_non_null(strstr(err.message, "page ids"));
    close_fixture(&f);
}

static enum mr_status check_bounds(void *data, unsigned worker, struct mr_spool_chunk *chunk,
                                   struct mr_error *err)
{
    const struct mr_id_set *set = data;
    uint32_t *vertices = chunk->narrow != NULL ? *chunk->narrow : (uint32_t *)(void *)chunk->wide;
    const enum mr_status status = mr_id_set_apply(set, chunk, vertices, err);
    (void)worker;
    for (size_t i = 0; status == MR_OK && i < 2 * (size_t)chunk->n_edges; i++) {
        assert_true(vertices[i] < mr_id_set_count(set));
    }
    return status;
}

/* Each read that fails is an error, and nothing stays. A read that returns other bytes never gives
 * a vertex that does not exist. */
static void test_disk_errors(void **unused)
{
    (void)unused;
    for (uint64_t n = 1; n < 60; n += 7) {
        struct fixture f;
        struct mr_error error = {.status = MR_OK};
        uint64_t seed = 11;
        const struct mr_fault_plan plan = {.kind = n % 2 ? MR_FAULT_ERROR : MR_FAULT_FLIP,
                                           .error_number = EIO,
                                           .operations = MR_FAULT_ON_READ,
                                           .at = n};
        open_fixture(&f, (uint64_t)1 << 30, &plan);
        make_ids(&f, WIDE, 400000, &seed);
        make_spool(&f, 0);
        assert_int_equal(create(&f, 1, NULL), MR_OK);
        const enum mr_status status = mr_id_set_number(f.set, f.spool, &error);
        if (plan.kind == MR_FAULT_ERROR) {
            assert_int_equal(status, MR_ERROR_RUNTIME);
        }
        assert_int_equal(status, error.status);
        if (status == MR_OK) {
            const struct mr_spool_scan scan = {.spool = f.spool, .n_workers = 1};
            const enum mr_status applied =
                mr_spool_scan_raw(&f.context, &scan, check_bounds, f.set, NULL);
            assert_true(applied == MR_OK || applied == MR_ERROR_RUNTIME);
        }
        close_fixture(&f);
    }
}

TEST_MAIN(cmocka_unit_test(test_ids_are_numbered_in_order),
          cmocka_unit_test(test_windows_on_disk_give_the_same_numbers),
          cmocka_unit_test(test_without_special_instructions),
          cmocka_unit_test(test_unknown_ids_of_a_frozen_set),
          cmocka_unit_test(test_an_id_that_is_declared_again_costs_no_sort),
          cmocka_unit_test(test_too_little_memory_names_the_ids),
          cmocka_unit_test(test_disk_errors))
