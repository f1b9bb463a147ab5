/* SPDX-License-Identifier: Apache-2.0 */
/* For unit tests of formats/: a directory, a budget, real files, and the notes of the code under
 * test. */
#ifndef MR_TESTS_SUPPORT_TEST_STREAMS_H
#define MR_TESTS_SUPPORT_TEST_STREAMS_H

#include "engine/base/context.h"
#include "engine/base/memory.h"
#include "engine/io/io.h"
#include "tests/support/test_dir.h"

struct test_context {
    struct test_dir dir;
    struct mr_context context;
    struct mr_error err;
    char path[PATH_MAX];
    char text[1536]; /* text of test_context_error */
    char notes[4096]; /* all notes, each followed by a line feed */
    unsigned n_progress; /* number of progress reports */
};

static inline void test_context_note(void *data, const char *text)
{
    struct test_context *test = data;
    size_t used = strlen(test->notes);
    (void)snprintf(test->notes + used, sizeof test->notes - used, "%s\n", text);
}

static inline void test_context_progress(void *data, const struct mr_progress *progress)
{
    struct test_context *test = data;
    (void)progress;
    test->n_progress++;
}

/* Make a context with a budget of `limit_bytes`. Returns 0 on success. */
static inline int test_context_make(struct test_context *test, uint64_t limit_bytes)
{
    *test = (struct test_context){.context = {.threads = 1}};
    if (!test_dir_make(&test->dir, NULL) ||
        mr_memory_create(limit_bytes, &test->context.memory, NULL) != MR_OK ||
        mr_io_create_real(&test->context.io, NULL) != MR_OK) {
        return 1;
    }
    test->context.tmp_dir = test->dir.path;
    test->context.note = test_context_note;
    test->context.note_data = test;
    test->context.progress = test_context_progress;
    test->context.progress_data = test;
    return 0;
}

/* mr_memory_destroy asserts that all memory was given back. */
static inline void test_context_remove(struct test_context *test)
{
    mr_io_destroy(test->context.io);
    mr_memory_destroy(test->context.memory);
    test_dir_remove(&test->dir);
}

/* For cmocka: `*state` is a struct test_context with a budget of 64 MiB. */
static inline int test_context_set_up(void **state)
{
    struct test_context *test = calloc(1, sizeof *test);
    *state = test;
    return test == NULL ? 1 : test_context_make(test, 64u << 20);
}

static inline int test_context_tear_down(void **state)
{
    test_context_remove(*state);
    free(*state);
    return 0;
}

/* Write the file NAME in the directory. Returns its path, which the next call overwrites. */
static inline const char *test_context_file(struct test_context *test, const char *name,
                                            const void *data, size_t bytes)
{
    (void)test_dir_path(&test->dir, name, test->path);
    return test_dir_write(test->path, data, bytes) ? test->path : NULL;
}

static inline const char *test_context_text(struct test_context *test, const char *name,
                                            const char *text)
{
    return test_context_file(test, name, text, strlen(text));
}

/* The recorded error as a user sees it, without the directory. Clears the error. */
static inline const char *test_context_error(struct test_context *test)
{
    (void)mr_error_text(&test->err, test->text, sizeof test->text);
    mr_error_clear(&test->err);
    size_t prefix = strlen(test->dir.path);
    return strncmp(test->text, test->dir.path, prefix) == 0 ? test->text + prefix + 1 : test->text;
}

#endif
