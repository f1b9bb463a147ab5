/* SPDX-License-Identifier: Apache-2.0 */
/* Pairs in files: the contents, for any number of threads, and the files that remain after
 * errors. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <zstd.h>

#include <cmocka.h>

#include "engine/base/memory.h"
#include "formats/graph/pair_writer.h"
#include "formats/stream/input.h"
#include "tests/support/test_context.h"
#include "tests/support/test_dir.h"

enum { N_UNITS = 40, UNIT_EDGES = 700 };

static enum mr_status make_unit(const void *model, uint64_t unit, void *scratch,
                                struct mr_edge_list *list, struct mr_error *err)
{
    (void)model;
    (void)scratch;
    size_t n = unit % 7 == 3 ? 0 : UNIT_EDGES;
    enum mr_status status = mr_edge_list_reserve(list, n, err);
    for (uint64_t i = 0; status == MR_OK && i < n; i++) {
        list->edges[list->n_edges++] =
            (struct mr_edge){unit * 100000 + i, i % 10 == 0 ? UINT32_MAX - i : i};
    }
    return status;
}

static const struct mr_generator generator = {.n_units = N_UNITS, .make = make_unit};

static size_t name(const void *data, uint32_t vertex, char *to)
{
    return (size_t)snprintf(to, MR_GENERATOR_NAME_MAX_BYTES, "%s%u", (const char *)data, vertex);
}

/* The expected bytes of the file, by printf. */
static char *expected_text(const char *prefix, size_t *bytes)
{
    char *text = NULL;
    FILE *file = open_memstream(&text, bytes);
    for (uint64_t unit = 0; unit < N_UNITS; unit++) {
        for (uint64_t i = 0; unit % 7 != 3 && i < UNIT_EDGES; i++) {
            (void)fprintf(file, "%s%llu\t%s%llu\n", prefix, (unsigned long long)(unit * 100000 + i),
                          prefix, (unsigned long long)(i % 10 == 0 ? UINT32_MAX - i : i));
        }
    }
    (void)fclose(file);
    return text;
}

static void write_file(const struct mr_context *context, const char *path,
                       enum mr_pair_format format, const char *prefix)
{
    struct mr_pairs pairs = {.path = path,
                             .format = format,
                             .force = true,
                             .namer = prefix != NULL ? name : NULL,
                             .namer_data = prefix};
    const struct mr_edge_sink sink = mr_pairs_sink(&pairs);
    assert_int_equal(mr_generate(context, &generator, &sink, NULL), MR_OK);
    assert_int_equal(pairs.n_pairs, (N_UNITS - 6) * UNIT_EDGES);
}

static void check_contents(const struct mr_context *context, const char *path, const void *expected,
                           size_t bytes)
{
    struct mr_input *input = NULL;
    char *got = malloc(bytes + 1);
    size_t n = 0, part = 1;
    assert_int_equal(mr_input_open(context, path, &input, NULL), MR_OK);
    while (part > 0 && n <= bytes) {
        assert_int_equal(mr_input_read(input, got + n, bytes + 1 - n, &part, NULL), MR_OK);
        n += part;
    }
    mr_input_close(input);
    assert_int_equal(n, bytes);
    assert_memory_equal(got, expected, bytes);
    free(got);
}

static void test_text_and_names_in_every_codec(void **unused)
{
    (void)unused;
    static const char *const files[] = {"pairs.txt", "pairs.txt.gz", "pairs.txt.zst"};
    static const char *const prefixes[] = {NULL, "http://example.org/"};
    struct test_dir dir;
    assert_true(test_dir_make(&dir, NULL));
    for (unsigned threads = 1; threads <= 3; threads++) {
        struct mr_context context;
        assert_true(test_context_open(&context, UINT64_MAX, threads));
        for (unsigned i = 0; i < 6; i++) {
            char path[PATH_MAX];
            size_t bytes = 0;
            const char *prefix = prefixes[i / 3];
            char *text = expected_text(prefix != NULL ? prefix : "", &bytes);
            test_dir_path(&dir, files[i % 3], path);
            write_file(&context, path, MR_PAIRS_TEXT, prefix);
            check_contents(&context, path, text, bytes);
            free(text);
        }
        test_context_close(&context);
    }
    test_dir_remove(&dir);
}

static void test_raw_numbers(void **unused)
{
    (void)unused;
    static const char *const files[] = {"pairs.u32", "pairs.u32.gz", "pairs.u32.zst"};
    const size_t n_pairs = (size_t)(N_UNITS - 6) * UNIT_EDGES;
    uint8_t *expected = malloc(8 * n_pairs), *to = expected;
    struct mr_context context;
    struct test_dir dir;
    assert_true(test_dir_make(&dir, NULL));
    assert_true(test_context_open(&context, UINT64_MAX, 2));
    for (uint32_t unit = 0; unit < N_UNITS; unit++) {
        for (uint32_t i = 0; unit % 7 != 3 && i < UNIT_EDGES; i++) {
            uint32_t pair[2] = {unit * 100000 + i, i % 10 == 0 ? UINT32_MAX - i : i};
            for (unsigned byte = 0; byte < 8; byte++) {
                *to++ = (uint8_t)(pair[byte / 4] >> 8 * (byte % 4));
            }
        }
    }
    for (unsigned i = 0; i < 3; i++) {
        char path[PATH_MAX];
        test_dir_path(&dir, files[i], path);
        write_file(&context, path, MR_PAIRS_U32, NULL);
        check_contents(&context, path, expected, 8 * n_pairs);
    }
    free(expected);
    test_context_close(&context);
    test_dir_remove(&dir);
}

/* The file must have several frames, because a parallel reader needs them. */
static void test_zstd_files_have_a_frame_for_each_unit(void **unused)
{
    (void)unused;
    struct mr_context context;
    struct test_dir dir;
    char path[PATH_MAX];
    assert_true(test_dir_make(&dir, NULL));
    assert_true(test_context_open(&context, UINT64_MAX, 2));
    test_dir_path(&dir, "pairs.txt.zst", path);
    write_file(&context, path, MR_PAIRS_TEXT, NULL);
    static uint8_t data[1 << 20];
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    size_t bytes = fread(data, 1, sizeof data, file), at = 0;
    (void)fclose(file);
    unsigned n_frames = 0;
    while (at < bytes) {
        size_t frame = ZSTD_findFrameCompressedSize(data + at, bytes - at);
        assert_false(ZSTD_isError(frame));
        at += frame;
        n_frames++;
    }
    assert_int_equal(n_frames, N_UNITS - 6);
    test_context_close(&context);
    test_dir_remove(&dir);
}

static void test_nothing_is_left_of_what_was_given_up(void **unused)
{
    (void)unused;
    struct mr_context context;
    struct test_dir dir;
    char path[PATH_MAX];
    struct mr_error err = {0};
    assert_true(test_dir_make(&dir, NULL));
    assert_true(test_context_open(&context, UINT64_MAX, 2));
    test_dir_path(&dir, "pairs.txt.zst", path);
    struct mr_pairs pairs = {.path = path};
    const struct mr_edge_sink sink = mr_pairs_sink(&pairs);
    volatile sig_atomic_t cancel = 1;
    context.cancel = &cancel;
    assert_int_equal(mr_generate(&context, &generator, &sink, &err), MR_INTERRUPTED);
    assert_int_equal(test_dir_count(dir.path), 0);
    context.cancel = NULL;

    write_file(&context, path, MR_PAIRS_TEXT, NULL);
    err = (struct mr_error){0};
    assert_int_equal(mr_generate(&context, &generator, &sink, &err), MR_ERROR_USAGE);
    test_context_close(&context);

    /* Memory for fewer threads than there are. */
    assert_true(test_context_open(&context, MR_MEMORY_FLOOR_BYTES, 8));
    test_dir_path(&dir, "other.txt.zst", path);
    write_file(&context, path, MR_PAIRS_TEXT, NULL);
    assert_int_equal(test_dir_count(dir.path), 2);
    test_context_close(&context);
    test_dir_remove(&dir);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_and_names_in_every_codec),
        cmocka_unit_test(test_raw_numbers),
        cmocka_unit_test(test_zstd_files_have_a_frame_for_each_unit),
        cmocka_unit_test(test_nothing_is_left_of_what_was_given_up),
    };
    return cmocka_run_group_tests_name("pair_writer", tests, NULL, NULL);
}
