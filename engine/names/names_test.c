/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that written names are found again: in order, by vertex and by name; and that damaged names
 * are reported. The oracle is the array of the names. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/io/io.h"
#include "engine/names/name_block.h"
#include "engine/names/name_writer.h"
#include "engine/names/names.h"
#include "engine/scan/check.h"
#include "engine/store/store.h"
#include "engine/writer/band_writer.h"
#include "tests/support/test.h"
#include "tests/support/test_dir.h"

struct name {
    char *bytes;
    size_t n_bytes;
};

struct fixture {
    struct test_dir dir;
    struct mr_context context;
    struct mr_store *store;
    struct mr_names *names;
};

/* A key that differs from the name: the bytes reversed, which gives another order. */
static size_t reversed_key(const char *name, size_t name_bytes, char *key)
{
    for (size_t i = 0; i < name_bytes; i++) {
        key[i] = name[name_bytes - 1 - i];
    }
    return name_bytes;
}

static int compare_reversed(const void *a, const void *b)
{
    static char key_a[MR_NAME_KEY_MAX_BYTES], key_b[MR_NAME_KEY_MAX_BYTES];
    const struct name *x = a, *y = b;
    size_t common = x->n_bytes < y->n_bytes ? x->n_bytes : y->n_bytes;

    (void)reversed_key(x->bytes, x->n_bytes, key_a);
    (void)reversed_key(y->bytes, y->n_bytes, key_b);
    int sign = memcmp(key_a, key_b, common);
    return sign != 0 ? sign : (x->n_bytes > y->n_bytes) - (x->n_bytes < y->n_bytes);
}

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);

    assert_true(test_dir_make(&f->dir, NULL));
    assert_int_equal(mr_memory_create(UINT64_MAX, &f->context.memory, NULL), MR_OK);
    assert_int_equal(mr_io_create_real(&f->context.io, NULL), MR_OK);
    f->context.threads = 1;
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;

    mr_names_close(f->names);
    mr_store_close(f->store);
    test_dir_remove(&f->dir);
    mr_io_destroy(f->context.io);
    mr_memory_destroy(f->context.memory); /* asserts that all memory was freed */
    free(f);
    return 0;
}

/* A store of `n` vertices without edges, named by `numbers`, by `names`, or without names. */
static void write_store(struct fixture *f, uint32_t n, const uint64_t *numbers,
                        const struct name *names)
{
    const struct mr_band_shape shape = {
        .graph_id = 77, .band_bits = 16, .stripe_bits = 16, .n_vertices = n};
    const struct mr_store_info facts = {.name_kind = names != NULL     ? MR_NAMES_TEXT
                                                     : numbers != NULL ? MR_NAMES_NUMBERS
                                                                       : MR_NAMES_IDENTITY,
                                        .name_key_number = names != NULL ? 9 : 0};
    uint32_t n_bands = (n + 65535) / 65536;
    uint32_t *zeros = calloc(65536, sizeof *zeros);
    struct mr_store_writer *writer = NULL;
    struct mr_band_writer *band = NULL;

    assert_int_equal(mr_store_writer_create(&f->context, f->dir.path, &shape, &writer, NULL),
                     MR_OK);
    if (facts.name_kind != MR_NAMES_IDENTITY) {
        struct mr_names_writer *names_writer = NULL;

        assert_int_equal(
            mr_names_writer_create(&f->context, writer, 77, facts.name_kind, &names_writer, NULL),
            MR_OK);
        for (uint32_t v = 0; v < n; v++) {
            assert_int_equal(names != NULL ? mr_names_writer_text(names_writer, names[v].bytes,
                                                                  names[v].n_bytes, NULL)
                                           : mr_names_writer_number(names_writer, numbers[v], NULL),
                             MR_OK);
        }
        assert_int_equal(mr_names_writer_finish(names_writer, NULL), MR_OK);
    }
    assert_int_equal(mr_band_writer_create(&f->context, &shape, &band, NULL), MR_OK);
    for (uint32_t b = 0; b < n_bands; b++) {
        mr_band_writer_begin(band, b);
        assert_int_equal(mr_band_writer_end(band, NULL), MR_OK);
        assert_int_equal(mr_store_writer_end_band(writer, band, NULL), MR_OK);
    }
    for (uint32_t b = 0; b < n_bands; b++) {
        uint32_t width = n - b * 65536 < 65536 ? n - b * 65536 : 65536;

        assert_int_equal(mr_store_writer_in_degrees(writer, 0, b, zeros, NULL, width, NULL), MR_OK);
    }
    for (uint32_t b = 0; b < n_bands; b++) {
        uint32_t width = n - b * 65536 < 65536 ? n - b * 65536 : 65536;

        assert_int_equal(mr_store_writer_out_degrees(writer, 0, b, zeros, NULL, width, NULL),
                         MR_OK);
    }
    assert_int_equal(mr_store_writer_finish(writer, &facts, NULL), MR_OK);
    mr_band_writer_destroy(band);
    free(zeros);
}

static void open_names(struct fixture *f)
{
    struct mr_error err = {0};

    assert_int_equal(mr_store_open(&f->context, f->dir.path, &f->store, &err), MR_OK);
    assert_int_equal(mr_names_open(&f->context, f->store, reversed_key, &f->names, &err), MR_OK);
}

static void expect_name(struct fixture *f, uint32_t vertex, const char *bytes, size_t n_bytes)
{
    const char *found_name = NULL;
    size_t found_bytes = 0;
    uint32_t found_vertex = UINT32_MAX;
    bool found = false;

    assert_int_equal(mr_names_get(f->names, vertex, &found_name, &found_bytes, NULL), MR_OK);
    assert_int_equal(found_bytes, n_bytes);
    assert_memory_equal(found_name, bytes, n_bytes);
    assert_int_equal(mr_names_find(f->names, bytes, n_bytes, &found_vertex, &found, NULL), MR_OK);
    assert_true(found);
    assert_int_equal(found_vertex, vertex);
}

static void expect_absent(struct fixture *f, const char *bytes, size_t n_bytes)
{
    uint32_t vertex = 0;
    bool found = true;

    assert_int_equal(mr_names_find(f->names, bytes, n_bytes, &vertex, &found, NULL), MR_OK);
    assert_false(found);
}

static void expect_cursor(struct fixture *f, uint32_t first, uint32_t n, const struct name *names,
                          const uint64_t *numbers)
{
    struct mr_name_cursor *cursor = NULL;
    const char *name = NULL;
    size_t bytes = 0;

    assert_int_equal(mr_name_cursor_open(f->names, first, &cursor, NULL), MR_OK);
    for (uint32_t v = first; v < n; v++) {
        char decimal[24];

        assert_int_equal(mr_name_cursor_next(cursor, &name, &bytes, NULL), MR_OK);
        assert_non_null(name);
        if (names != NULL) {
            assert_int_equal(bytes, names[v].n_bytes);
            assert_memory_equal(name, names[v].bytes, bytes);
        } else {
            uint64_t number = numbers != NULL ? numbers[v] : v;
            int length = snprintf(decimal, sizeof decimal, "%llu", (unsigned long long)number);

            assert_int_equal(bytes, length);
            assert_memory_equal(name, decimal, bytes);
        }
    }
    for (unsigned i = 0; i < 2; i++) { /* past the end, next stays past the end */
        assert_int_equal(mr_name_cursor_next(cursor, &name, &bytes, NULL), MR_OK);
        assert_null(name);
    }
    mr_name_cursor_close(cursor);
}

static void test_without_names_vertices_are_called_by_number(void **state)
{
    struct fixture *f = *state;

    write_store(f, 100000, NULL, NULL);
    open_names(f);
    expect_name(f, 0, "0", 1);
    expect_name(f, 99999, "99999", 5);
    expect_absent(f, "100000", 6);
    expect_absent(f, "", 0);
    expect_absent(f, "-1", 2);
    expect_absent(f, "1x", 2);
    expect_cursor(f, 99990, 100000, NULL, NULL);
    expect_cursor(f, 100000, 100000, NULL, NULL);
}

static void test_numbers(void **state)
{
    struct fixture *f = *state;
    enum { N = 200000 };
    uint64_t *numbers = malloc(N * sizeof *numbers), random = 5, number = 0;

    /* from runs of neighbours to gaps of up to 2^46; the last one is the highest number */
    for (uint32_t v = 0; v < N; v++) {
        number += v == 0 ? 0 : 1 + (test_random(&random) >> (18 + (v / 1000) % 46));
        numbers[v] = number;
    }
    numbers[N - 1] = UINT64_MAX;
    write_store(f, N, numbers, NULL);
    open_names(f);
    for (uint32_t i = 0; i < 2000; i++) {
        uint32_t v = i < 100   ? i
                     : i < 200 ? N - 1 - (i - 100)
                               : (uint32_t)(test_random(&random) % N);
        char decimal[24];
        int length = snprintf(decimal, sizeof decimal, "%llu", (unsigned long long)numbers[v]);

        expect_name(f, v, decimal, (size_t)length);
        if (v > 0 && numbers[v] - numbers[v - 1] > 1) {
            length = snprintf(decimal, sizeof decimal, "%llu", (unsigned long long)numbers[v] - 1);
            expect_absent(f, decimal, (size_t)length);
        }
    }
    expect_absent(f, "18446744073709551616", 20);
    expect_absent(f, "184467440737095516150", 21);
    expect_absent(f, "http://a/", 9);
    expect_cursor(f, 0, N, NULL, numbers);
    expect_cursor(f, 70001, N, NULL, numbers);
    free(numbers);
}

/* Names with long shared prefixes and every byte value; some are very long. */
static struct name *make_names(uint32_t n, uint64_t seed)
{
    struct name *names = calloc(n, sizeof *names);
    uint64_t random = seed;

    for (uint32_t v = 0; v < n; v++) {
        size_t n_bytes = 6 + test_random(&random) % (v % 4096 == 77 ? MR_NAME_MAX_BYTES - 5 : 40);

        n_bytes = v == 1000 ? MR_NAME_MAX_BYTES : n_bytes;
        names[v].bytes = malloc(n_bytes);
        names[v].n_bytes = n_bytes;
        for (size_t i = 0; i < n_bytes; i++) { /* neighbours differ little, so they share much */
            names[v].bytes[i] = (char)(i < 4                           ? v >> (8 * i)
                                       : test_random(&random) % 8 == 0 ? test_random(&random)
                                                                       : 'a');
        }
        names[v].bytes[n_bytes - 1] = (char)(test_random(&random) % 3);
    }
    qsort(names, n, sizeof *names, compare_reversed);
    return names;
}

static void free_names(struct name *names, uint32_t n)
{
    for (uint32_t v = 0; v < n; v++) {
        free(names[v].bytes);
    }
    free(names);
}

static void test_text(void **state)
{
    struct fixture *f = *state;
    enum { N = 90000 };
    struct name *names = make_names(N, 3);
    uint64_t random = 11, n_blocks = 0;

    write_store(f, N, NULL, names);
    open_names(f);
    (void)mr_store_name_blocks(f->store, &n_blocks);
    assert_true(n_blocks > 2 * MR_NAME_INDEX_GROUP); /* several groups of the index */
    for (uint32_t i = 0; i < 1500; i++) {
        uint32_t v = i < 50 ? i : i < 100 ? N - 1 - (i - 50) : (uint32_t)(test_random(&random) % N);

        expect_name(f, v, names[v].bytes, names[v].n_bytes);
        expect_absent(f, names[v].bytes, names[v].n_bytes - 1);
    }
    expect_absent(f, "", 0);
    expect_absent(f, "\377\377\377\377\377\377\377", 7);
    expect_absent(f, "\0", 1);
    expect_cursor(f, 0, N, names, NULL);
    expect_cursor(f, 12345, N, names, NULL);
    free_names(names, N);
}

/* A lookup that ends in the index must not disturb the position in the block that is loaded. */
static void test_get_goes_on_after_a_failed_find(void **state)
{
    struct fixture *f = *state;
    enum { N = 100 };
    struct name *names = make_names(N, 4);

    write_store(f, N, NULL, names);
    open_names(f);
    for (uint32_t v = 0; v < N; v++) {
        const char *name = NULL;
        size_t bytes = 0;

        assert_int_equal(mr_names_get(f->names, v, &name, &bytes, NULL), MR_OK);
        assert_int_equal(bytes, names[v].n_bytes);
        assert_memory_equal(name, names[v].bytes, bytes);
        expect_absent(f, "\0", 1); /* below the first key */
    }
    free_names(names, N);
}

static void test_a_graph_without_vertices_has_no_names(void **state)
{
    struct fixture *f = *state;
    struct name none = {0};

    write_store(f, 0, NULL, &none);
    open_names(f);
    expect_absent(f, "a", 1);
    expect_cursor(f, 0, 0, &none, NULL);
}

/* The same names give the same files; mr_check finds them in order. */
static void test_check_accepts_names_and_orders_them(void **state)
{
    struct fixture *f = *state;
    enum { N = 5000 };
    struct name *names = make_names(N, 8);
    struct mr_check_summary summary;
    struct mr_error err = {0};

    write_store(f, N, NULL, names);
    assert_int_equal(mr_check(&f->context, f->dir.path, true, reversed_key, &summary, &err), MR_OK);
    assert_int_equal(summary.vertices, N);
    assert_int_equal(mr_check(&f->context, f->dir.path, true, NULL, &summary, &err), MR_OK);
    free_names(names, N);
}

static void test_check_finds_names_out_of_order(void **state)
{
    struct fixture *f = *state;
    enum { N = 50 };
    struct name *names = make_names(N, 8);
    struct name swap = names[30];
    struct mr_check_summary summary;
    struct mr_error err = {0};

    names[30] = names[31];
    names[31] = swap;
    write_store(f, N, NULL, names);
    assert_int_equal(mr_check(&f->context, f->dir.path, true, NULL, &summary, &err), MR_OK);
    assert_int_equal(mr_check(&f->context, f->dir.path, true, reversed_key, &summary, &err),
                     MR_ERROR_CORRUPT);
    assert_non_null(strstr(err.message, "the name of page 31 is out of order"));
    free_names(names, N);
}

/* Write with less and less memory: the error is over budget, and all memory is freed. */
static void test_any_shortage_of_memory_while_writing_is_an_error(void **state)
{
    struct fixture *f = *state;
    enum { N = 20000 };
    const struct mr_band_shape shape = {.band_bits = 16, .stripe_bits = 16, .n_vertices = N};
    struct name *names = make_names(N, 5);
    enum mr_status status = MR_ERROR_BUDGET;

    for (uint64_t left = 0; status != MR_OK; left += 60u << 10) {
        struct mr_context context = f->context;
        struct mr_names_writer *writer = NULL;
        struct mr_store_writer *store = NULL;
        struct test_dir dir;
        void *rest = NULL;

        assert_true(test_dir_make(&dir, NULL));
        assert_int_equal(mr_memory_create(MR_MEMORY_FLOOR_BYTES, &context.memory, NULL), MR_OK);
        assert_int_equal(mr_store_writer_create(&context, dir.path, &shape, &store, NULL), MR_OK);
        assert_int_equal(mr_memory_alloc(context.memory, "the rest",
                                         mr_memory_available(context.memory) / 4096 * 4096 - left,
                                         &rest, NULL),
                         MR_OK);
        status = mr_names_writer_create(&context, store, 1, MR_NAMES_TEXT, &writer, NULL);
        for (uint32_t v = 0; v < N && status == MR_OK; v++) {
            status = mr_names_writer_text(writer, names[v].bytes, names[v].n_bytes, NULL);
        }
        if (status == MR_OK) {
            status = mr_names_writer_finish(writer, NULL);
        } else {
            mr_names_writer_abandon(writer);
        }
        assert_true(status == MR_OK || status == MR_ERROR_BUDGET);
        mr_store_writer_destroy(store);
        mr_memory_free(context.memory, rest);
        mr_memory_destroy(context.memory); /* asserts that all memory was freed */
        test_dir_remove(&dir);
    }
    free_names(names, N);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

TEST_MAIN(TEST(test_without_names_vertices_are_called_by_number), TEST(test_numbers),
          TEST(test_text), TEST(test_get_goes_on_after_a_failed_find),
          TEST(test_a_graph_without_vertices_has_no_names),
          TEST(test_check_accepts_names_and_orders_them), TEST(test_check_finds_names_out_of_order),
          TEST(test_any_shortage_of_memory_while_writing_is_an_error))
