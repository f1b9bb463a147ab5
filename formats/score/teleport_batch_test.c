/* SPDX-License-Identifier: Apache-2.0 */
/* Batches of teleport vectors: merging, order, bad lines, unknown names. */
#include "formats/score/vertex_weights.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/support/test_store.h"
#include "tests/support/test_streams.h"

struct fixture {
    struct test_context test;
    struct mr_store *store;
    struct mr_names *names;
};

/* Makes a store whose vertices 0, 1, 2, ... have the ids 1, 4, 7, ... */
static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct test_edge edge = {0, 1};
    size_t n_edges = 1;
    char path[PATH_MAX];
    const struct test_store_options options = {
        .n_vertices = 9, .band_bits = 8, .stripe_bits = 8, .graph_id = 5};

    *state = f;
    if (test_context_make(&f->test, 64u << 20) != 0) {
        return 1;
    }
    (void)test_dir_path(&f->test.dir, "s.mill", path);
    return mr_io_make_dir(f->test.context.io, path, NULL) != MR_OK ||
           test_store_write(&f->test.context, path, &options, &edge, &n_edges) != MR_OK ||
           mr_store_open(&f->test.context, path, &f->store, NULL) != MR_OK ||
           mr_names_open(&f->test.context, f->store, NULL, &f->names, NULL) != MR_OK;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    mr_names_close(f->names);
    mr_store_close(f->store);
    test_context_remove(&f->test);
    free(f);
    return 0;
}

/* Returns "a: 0=1 2=3; b: 1=1 (4 lines, 0 again, 0 unknown)", or the error. */
static const char *read_each(struct fixture *f, const char *text, bool of_each,
                             uint64_t max_unknown)
{
    static char result[1024];
    struct mr_teleport_batch batch;
    size_t used = 0;

    const char *path = test_context_text(&f->test, "batch.tsv", text);
    const enum mr_status status = mr_teleport_batch_read(
        &f->test.context, path, f->names, NULL, of_each, max_unknown, &batch, &f->test.err);
    if (status != MR_OK) {
        assert_int_equal(status, MR_ERROR_INPUT);
        assert_null(batch.names);
        return test_context_error(&f->test);
    }
    for (uint64_t i = 0; i < batch.n_vectors; i++) {
        used += (size_t)snprintf(result + used, sizeof result - used, "%s%s:", i > 0 ? "; " : "",
                                 batch.names[i]);
        assert_ptr_equal(batch.vectors[i].name, batch.names[i]);
        for (uint64_t e = 0; e < batch.vectors[i].count; e++) {
            const struct mr_vertex_weight *entry = &batch.vectors[i].pages[e];
            used += (size_t)snprintf(result + used, sizeof result - used, " %u=%g", entry->vertex,
                                     entry->weight);
        }
    }
    (void)snprintf(result + used, sizeof result - used, " (%u lines, %u again, %u unknown)",
                   (unsigned)batch.weights.lines, (unsigned)batch.weights.duplicates,
                   (unsigned)batch.weights.unknown);
    mr_teleport_batch_free(&batch);
    return result;
}

static const char *read_batch(struct fixture *f, const char *text, uint64_t max_unknown)
{
    return read_each(f, text, false, max_unknown);
}

/* A page alone is a vector each time that it comes; sets are put together. */
static void pages_and_sets(void **state)
{
    assert_string_equal(read_each(*state, "7\ns 4\n7\n4\t1\t2\ns\t1\t3\n", true, 0),
                        "7: 2=1; s: 0=3 1=1; 7: 2=1; 4: 0=2 (5 lines, 0 again, 0 unknown)");
    assert_string_equal(read_each(*state, "2\ns 1 0\n1\n", true, 1),
                        "2:; s: 0=0; 1: 0=1 (3 lines, 0 again, 1 unknown)");
    assert_string_equal(read_each(*state, "\n# x\n", true, 0),
                        "batch.tsv: no pages; lines are PAGE or SET<TAB>PAGE<TAB>WEIGHT");
    assert_string_equal(read_each(*state, "1\ns\t\n", true, 0),
                        "batch.tsv:2: \"s\\x09\": no page; lines are VECTOR<TAB>PAGE<TAB>WEIGHT");
}

static void vectors_in_any_order(void **state)
{
    assert_string_equal(read_batch(*state, "a\t7\t3\nb\t4\na\t1\n\n# comment\nb 7 0.5\n", 0),
                        "a: 0=1 2=3; b: 1=1 2=0.5 (4 lines, 0 again, 0 unknown)");
    assert_string_equal(read_batch(*state, "a 7 3\na 1 1\na 7 2\n", 0),
                        "a: 0=1 2=5 (3 lines, 1 again, 0 unknown)");
}

static void unknown_pages_are_counted(void **state)
{
    assert_string_equal(read_batch(*state, "a 2\na 1\nb 4\nb 5\n", 2),
                        "a: 0=1; b: 1=1 (4 lines, 0 again, 2 unknown)");
    assert_string_equal(read_batch(*state, "a 1\na 2\na 3\n", 1),
                        "batch.tsv:3: \"3\" is no page of the store (2 such names so far); allow "
                        "more with --max-unknown");
}

static void what_is_refused(void **state)
{
    assert_string_equal(read_batch(*state, "a 1\nb\n", 0),
                        "batch.tsv:2: \"b\": no page; lines are VECTOR<TAB>PAGE<TAB>WEIGHT, and "
                        "--each takes a list of pages");
    assert_string_equal(read_batch(*state, "a\t1\tnan\n", 0),
                        "batch.tsv:1: \"a\\x091\\x09nan\": the weight is no finite number");
    assert_string_equal(read_batch(*state, "a 1 -1\n", 0),
                        "batch.tsv:1: \"a 1 -1\": the weight is negative");
    assert_string_equal(read_batch(*state, "a 1\nb 4 0\n", 0),
                        "batch.tsv: vector \"b\": names no page with a weight above 0; at "
                        "least one must");
    assert_string_equal(read_batch(*state, "a 1 1e308\na 4 1e308\n", 0),
                        "batch.tsv: vector \"a\": the weights add up to more than a double can "
                        "hold; scale them down");
    assert_string_equal(read_batch(*state, "# nothing\n", 0),
                        "batch.tsv: no vectors; lines are VECTOR<TAB>PAGE<TAB>WEIGHT");
}

static void many_vectors(void **state)
{
    struct fixture *f = *state;
    enum { N = 20000 };
    char *text = malloc(N * 16);
    size_t used = 0;
    struct mr_teleport_batch batch;

    for (unsigned i = 0; i < N; i++) {
        used += (size_t)sprintf(text + used, "v%u %u\n", i % (N / 2), i < N / 2 ? 4u : 1u);
    }
    const char *path = test_context_file(&f->test, "batch.tsv", text, used);
    assert_int_equal(
        mr_teleport_batch_read(&f->test.context, path, f->names, NULL, false, 0, &batch, NULL),
        MR_OK);
    assert_int_equal(batch.n_vectors, N / 2);
    for (unsigned i = 0; i < N / 2; i++) {
        char name[16];
        (void)snprintf(name, sizeof name, "v%u", i);
        assert_string_equal(batch.names[i], name);
        assert_ptr_equal(batch.vectors[i].pages, batch.weights.entries + 2 * i);
        assert_int_equal(batch.vectors[i].count, 2);
        assert_true(batch.weights.entries[2 * i].vertex == 0 &&
                    batch.weights.entries[2 * i + 1].vertex == 1);
    }
    mr_teleport_batch_free(&batch);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(vectors_in_any_order, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pages_and_sets, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unknown_pages_are_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(what_is_refused, set_up, tear_down),
        cmocka_unit_test_setup_teardown(many_vectors, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
