/* SPDX-License-Identifier: Apache-2.0 */
/* Tests public contexts: their defaults, the options that they refuse, and how a call is
 * stopped. */
#include <pthread.h>
#include <string.h>

#include "millrace/millrace.h"
#include "tests/support/test.h"
#include "tests/support/test_dir.h"

static void test_defaults(void **unused)
{
    (void)unused;
    struct mr_context *context = NULL;
    assert_int_equal(mr_context_create(NULL, &context, NULL), MR_OK);
    assert_true(mr_context_memory_limit(context) >= 32u << 20);
    assert_true(mr_context_memory_peak(context) <= mr_context_memory_limit(context));
    mr_context_destroy(context);
    mr_context_destroy(NULL);
}

static void test_what_makes_no_sense_is_refused(void **unused)
{
    (void)unused;
    struct mr_context *context = NULL;
    struct mr_error err = {0};
    char text[1400];
    struct mr_context_options options = {.struct_size = sizeof options,
                                         .tmp_dir = "/nowhere/at/all"};
    assert_int_equal(mr_context_create(&options, &context, &err), MR_ERROR_USAGE);
    assert_null(context);
    assert_string_equal(mr_error_text(&err, text, sizeof text),
                        "/nowhere/at/all: no such directory; make it first");
    options = (struct mr_context_options){.struct_size = sizeof options, .memory_bytes = 1 << 20};
    mr_error_clear(&err);
    assert_int_equal(mr_context_create(&options, &context, &err), MR_ERROR_BUDGET);
    assert_null(context);
    options = (struct mr_context_options){.struct_size = sizeof options, .threads = 4097};
    mr_error_clear(&err);
    assert_int_equal(mr_context_create(&options, &context, &err), MR_ERROR_USAGE);
    assert_null(context);
    assert_string_equal(err.message, "4097 threads; there can be 1 to 4096");
}

/* ---- Stopping ---- */

struct flood {
    struct mr_context *context;
    uint64_t given;
    bool by_thread;
};

static void *stop_context(void *data)
{
    mr_context_stop(data, true);
    return NULL;
}

/* Edges without end; the stop comes while they are read. */
static enum mr_status next(void *data, struct mr_edge *edges, float *weights, size_t capacity,
                           size_t *n_edges, struct mr_error *err)
{
    struct flood *flood = data;

    (void)weights;
    (void)err;
    for (size_t i = 0; i < capacity; i++) {
        edges[i] = (struct mr_edge){flood->given % 1000, flood->given / 1000 % 1000};
        flood->given++;
    }
    *n_edges = capacity;
    if (flood->given == capacity && flood->by_thread) {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, stop_context, flood->context), 0);
        assert_int_equal(pthread_join(thread, NULL), 0);
    } else if (flood->given == capacity) {
        mr_context_stop(flood->context, true);
    }
    return MR_OK;
}

static void test_a_stop_ends_the_call_and_leaves_nothing(void **unused)
{
    (void)unused;
    struct test_dir dir;
    assert_true(test_dir_make(&dir, NULL));
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s/a.mill", dir.path);
    struct mr_context *context = NULL;
    assert_int_equal(mr_context_create(NULL, &context, NULL), MR_OK);
    for (int by_thread = 0; by_thread < 2; by_thread++) {
        struct flood flood = {.context = context, .by_thread = by_thread == 1};
        struct mr_error err = {0};
        const struct mr_memory_edges edges = {
            .struct_size = sizeof edges, .next = next, .next_data = &flood};
        assert_int_equal(mr_store_build_edges(context, path, &edges, NULL, NULL, &err),
                         MR_INTERRUPTED);
        assert_string_equal(err.message, "interrupted");
        assert_false(mr_store_probe(path));
        mr_context_stop(context, false);
    }
    /* Then the context works again. */
    const uint64_t one = 1;
    const struct mr_memory_edges arrays = {
        .struct_size = sizeof arrays, .n_edges = 1, .sources = &one, .targets = &one};
    assert_int_equal(mr_store_build_edges(context, path, &arrays, NULL, NULL, NULL), MR_OK);
    assert_int_equal(mr_store_check(context, path, true, NULL, NULL), MR_OK);
    mr_context_destroy(context);
    test_dir_remove(&dir);
}

/* ---- Notes and progress ---- */

struct heard {
    unsigned progress, notes;
};

static void on_progress(void *data, const struct mr_progress *progress)
{
    ((struct heard *)data)->progress += progress->stage != NULL;
}

static void on_note(void *data, const char *text)
{
    ((struct heard *)data)->notes += text != NULL;
}

static void test_progress_is_heard(void **unused)
{
    (void)unused;
    struct test_dir dir;
    assert_true(test_dir_make(&dir, NULL));
    char path[PATH_MAX];
    (void)snprintf(path, sizeof path, "%s/a.mill", dir.path);
    struct heard heard = {0};
    const struct mr_context_options options = {.struct_size = sizeof options,
                                               .progress = on_progress,
                                               .progress_data = &heard,
                                               .note = on_note,
                                               .note_data = &heard,
                                               .tmp_dir = dir.path,
                                               .threads = 2};
    struct mr_context *context = NULL;
    assert_int_equal(mr_context_create(&options, &context, NULL), MR_OK);
    uint64_t sources[5000], targets[5000];
    for (uint64_t i = 0; i < 5000; i++) {
        sources[i] = i * 7 % 501;
        targets[i] = i * 11 % 499;
    }
    const struct mr_memory_edges arrays = {
        .struct_size = sizeof arrays, .n_edges = 5000, .sources = sources, .targets = targets};
    struct mr_store *store = NULL;
    struct mr_ranking *ranking = NULL;
    assert_int_equal(mr_store_build_edges(context, path, &arrays, NULL, NULL, NULL), MR_OK);
    assert_int_equal(mr_store_open(context, path, &store, NULL), MR_OK);
    assert_int_equal(mr_rank(context, store, NULL, "pagerank", NULL, 0, &ranking, NULL), MR_OK);
    assert_true(heard.progress > 0);
    mr_ranking_free(ranking);
    mr_store_close(store);
    mr_context_destroy(context);
    test_dir_remove(&dir);
}

TEST_MAIN(cmocka_unit_test(test_defaults), cmocka_unit_test(test_what_makes_no_sense_is_refused),
          cmocka_unit_test(test_a_stop_ends_the_call_and_leaves_nothing),
          cmocka_unit_test(test_progress_is_heard))
