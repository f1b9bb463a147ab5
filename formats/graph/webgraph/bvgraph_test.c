/* SPDX-License-Identifier: Apache-2.0 */
/* Encoded lists are decoded, in order and from the middle; published files; damaged files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "formats/graph/webgraph/bv_lists.h"
#include "formats/graph_format.h"
#include "formats/graph_writer.h"
#include "tests/support/test_streams.h"

enum { N_NODES = 70000, MAX_DEGREE = 64 };

static struct test_context test;

static int setup(void **state)
{
    (void)state;
    return test_context_make(&test, UINT64_MAX);
}

static int teardown(void **state)
{
    (void)state;
    test_context_remove(&test);
    return 0;
}

/* ---- A graph of likely lists ---- */

static uint64_t random_state;

static uint32_t random_below(uint32_t n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((random_state >> 33) % n);
}

static int compare(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

/* Makes the list of `node` from the one before: copies a part, adds runs and single nodes. */
static size_t make_list(uint32_t *list, size_t n_before, uint32_t node)
{
    size_t n = 0, kept = 0;

    for (size_t i = 0; i < n_before; i++) {
        if (random_below(4) > 0) {
            list[n++] = list[i];
        }
    }
    if (random_below(5) == 0) {
        n = 0;
    }
    const uint32_t start = random_below(N_NODES - 16);
    for (uint32_t i = 0; i < random_below(12) && n < MAX_DEGREE - 8; i++) {
        list[n++] = start + i;
    }
    for (uint32_t i = 0; i < random_below(4); i++) {
        list[n++] = random_below(8) == 0 ? node : random_below(N_NODES);
    }
    qsort(list, n, sizeof *list, compare);
    for (size_t i = 0; i < n; i++) {
        if (kept == 0 || list[kept - 1] != list[i]) {
            list[kept++] = list[i];
        }
    }
    return kept;
}

static void write_graph(const char *name)
{
    const struct mr_graph_writer *format = mr_graph_writer_find("bvgraph");
    char path[PATH_MAX];
    uint32_t list[2 * MAX_DEGREE];
    size_t n = 0;
    void *writer = NULL;

    (void)test_dir_path(&test.dir, name, path);
    const struct mr_graph_output output = {
        .context = &test.context, .path = path, .force = true, .n_vertices = N_NODES};
    assert_int_equal(format->open(&output, &writer, &test.err), MR_OK);
    random_state = 7;
    for (uint32_t node = 0; node < N_NODES; node++) {
        n = make_list(list, n, node);
        assert_int_equal(format->list(writer, node, list, n, &test.err), MR_OK);
    }
    assert_int_equal(format->commit(writer, &test.err), MR_OK);
}

/* ---- Reading ---- */

/* A sum of hashes does not depend on the order of the edges. */
struct seen {
    uint64_t n, hash;
    char text[256]; /* the first edges, "0>1 " */
};

static uint64_t hash_edge(uint64_t source, uint64_t target)
{
    uint64_t x = source * 0x9e3779b97f4a7c15u + target;
    x ^= x >> 31;
    x *= 0xd6e8feb86659fd93u;
    return x ^ x >> 32;
}

static enum mr_status see(void *data, struct mr_edge *edges, const float *weights, size_t n,
                          struct mr_error *err)
{
    struct seen *seen = data;
    (void)err;
    assert_null(weights);
    for (size_t i = 0; i < n; i++) {
        const size_t used = strlen(seen->text);
        seen->n++;
        seen->hash += hash_edge(edges[i].source, edges[i].target);
        if (seen->n <= 12) {
            (void)snprintf(seen->text + used, sizeof seen->text - used, "%llu>%llu ",
                           (unsigned long long)edges[i].source,
                           (unsigned long long)edges[i].target);
        }
    }
    return MR_OK;
}

static enum mr_status read_graph(const char *name, struct seen *seen)
{
    const struct mr_graph_format *format = mr_graph_format_find("bvgraph");
    const struct mr_graph_sink sink = {.data = seen, .edges = see};
    struct mr_edge_text_summary summary = {0};
    struct mr_input *input = NULL;
    struct mr_graph_head head;
    struct mr_graph_reader *reader = NULL;
    char path[PATH_MAX];

    *seen = (struct seen){0};
    (void)test_dir_path(&test.dir, name, path);
    enum mr_status status = mr_input_open(&test.context, path, &input, &test.err);
    const struct mr_graph_request request = {
        .context = &test.context, .path = path, .input = input, .summary = &summary};
    if (status == MR_OK) {
        status = mr_graph_reader_open(format, &request, &head, &reader, &test.err);
    }
    if (status == MR_OK) {
        status = mr_graph_reader_read(reader, &sink, &test.err);
    }
    mr_graph_reader_close(reader);
    mr_input_close(input);
    return status;
}

static void what_was_written_is_read(void **state)
{
    struct seen expected = {0}, found;
    uint32_t list[2 * MAX_DEGREE];
    size_t n = 0;
    char path[PATH_MAX];

    (void)state;
    write_graph("g.graph");
    random_state = 7;
    for (uint32_t node = 0; node < N_NODES; node++) {
        n = make_list(list, n, node);
        for (size_t i = 0; i < n; i++) {
            expected.n++;
            expected.hash += hash_edge(node, list[i]);
        }
    }
    for (test.context.threads = 1; test.context.threads <= 4; test.context.threads++) {
        assert_int_equal(read_graph("g.graph", &found), MR_OK);
        assert_int_equal(found.n, expected.n);
        assert_int_equal(found.hash, expected.hash);
    }
    (void)test_dir_path(&test.dir, "g.offsets", path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(read_graph("g.graph", &found), MR_OK);
    assert_int_equal(found.hash, expected.hash);
}

/* The arcs (0,1)(0,2)(1,2)(2,0)(3,4) in the bytes that Java's WebGraph writes. */
static void published_files(void **state)
{
    static const uint8_t five[] = {0x7d, 0xc5, 0xda, 0xf1, 0x77};
    static const char properties[] = "#BVGraph properties\n"
                                     "graphclass=it.unimi.dsi.webgraph.BVGraph\nversion=0\n"
                                     "nodes=5\narcs=5\nwindowsize=7\nmaxrefcount=3\n"
                                     "minintervallength=4\nzetak=3\ncompressionflags=\n";
    struct seen seen;

    (void)state;
    (void)test_context_file(&test, "five.graph", five, sizeof five);
    (void)test_context_text(&test, "five.properties", properties);
    assert_int_equal(read_graph("five.graph", &seen), MR_OK);
    assert_string_equal(seen.text, "0>1 0>2 1>2 2>0 3>4 ");
    assert_int_equal(read_graph("five.properties", &seen), MR_OK);
    assert_int_equal(seen.n, 5);
}

/* Numbers of vertices above 2^31, and lists that begin in the middle: node 3000000000 has the
 * successors 2999999999 and 3000000001. */
static void above_two_to_the_31(void **state)
{
    const struct mr_bv_shape shape = {
        .n_nodes = 4000000000u,
        .n_arcs = 2,
        .window = 7,
        .max_references = 3,
        .min_interval = 4,
        .outdegree = {MR_CODE_GAMMA, 0},
        .reference = {MR_CODE_UNARY, 0},
        .block_count = {MR_CODE_GAMMA, 0},
        .block = {MR_CODE_GAMMA, 0},
        .interval = {MR_CODE_GAMMA, 0},
        .residual = {MR_CODE_ZETA, 3},
    };
    /* outdegree 2: 011, reference 0: 1, intervals 0: 1, residual -1 -> 1: 1010, gap 1: 1010 */
    static const uint8_t data[] = {0x7d, 0x50};
    static const uint64_t offsets[] = {0};
    const struct mr_bv_before before = {.first = 2999999999u, .offsets = offsets, .n = 1};
    struct mr_bv_lists *lists = NULL;
    struct mr_file *file = NULL;
    const uint32_t *successors;
    size_t n;

    (void)state;
    const char *path = test_context_file(&test, "big.graph", data, sizeof data);
    assert_int_equal(mr_file_open(test.context.io, path, MR_OPEN_READ, &file, &test.err), MR_OK);
    assert_int_equal(mr_bv_lists_open(&test.context, file, "big.graph", &shape, &lists, &test.err),
                     MR_OK);
    mr_bv_lists_seek(lists, 3000000000u, 0, &before);
    assert_int_equal(mr_bv_lists_next(lists, &successors, &n, &test.err), MR_OK);
    assert_int_equal(n, 2);
    assert_int_equal(successors[0], 2999999999u);
    assert_int_equal(successors[1], 3000000001u);
    mr_bv_lists_close(lists);
    mr_file_abandon(file);
}

/* Node 0 has the interval 2 3 4 5 and a residual: 1, which is good, or 3. */
static void a_successor_that_is_there_twice_is_refused(void **state)
{
    uint8_t lists[] = {0x35, 0x17, 0x7f, 0xff};
    struct seen seen;

    (void)state;
    (void)test_context_text(&test, "w.properties", "graphclass=BVGraph\nnodes=12\narcs=5\n");
    (void)test_context_file(&test, "w.graph", lists, sizeof lists);
    assert_int_equal(read_graph("w.graph", &seen), MR_OK);
    assert_string_equal(seen.text, "0>1 0>2 0>3 0>4 0>5 ");
    lists[2] = 0xff;
    (void)test_context_file(&test, "w.graph", lists, sizeof lists);
    assert_int_equal(read_graph("w.graph", &seen), MR_ERROR_INPUT);
    assert_non_null(strstr(test.err.message, "it has a successor twice"));
    mr_error_clear(&test.err);
}

/* Changes every byte and tries every length: the result is an error or another graph, never a
 * crash. */
static void damage_is_met(void **state)
{
    static const char properties[] = "graphclass=BvGraph\nnodes=40\narcs=60\nendianness=%s\n"
                                     "version=1\ncompressionflags=%s\n";
    static const char *const flags[] = {
        "", "RESIDUALS_DELTA|REFERENCES_GAMMA", "RESIDUALS_GOLOMB|BLOCKS_UNARY",
        "RESIDUALS_NIBBLE|OUTDEGREES_DELTA", "RESIDUALS_PI2|INTERVALS_OMEGA"};
    uint8_t data[64];
    char text[512];
    struct seen seen;
    unsigned errors = 0;

    (void)state;
    random_state = 11;
    for (unsigned round = 0; round < 500; round++) {
        for (size_t i = 0; i < sizeof data; i++) {
            data[i] = (uint8_t)random_below(256);
        }
        (void)snprintf(text, sizeof text, properties, round % 2 ? "big" : "little",
                       flags[round % 5]);
        (void)test_context_text(&test, "d.properties", text);
        (void)test_context_file(&test, "d.graph", data, 6 + random_below(sizeof data - 6));
        errors += read_graph("d.graph", &seen) != MR_OK;
        mr_error_clear(&test.err);
    }
    assert_in_range(errors, 450, 500);
}

/* Refused whatever was lost at the end: by one thread and by several, with offsets and without. */
static void a_file_that_lost_its_end_is_refused(void **state)
{
    static const uint8_t five[] = {0x7d, 0xc5, 0xda, 0xf1, 0x77};
    static const off_t lost[] = {8, 9, 11, 1000, 300000}; /* the last 7 may be zeros that fill */
    struct seen seen;
    char path[PATH_MAX];
    struct stat whole;

    (void)state;
    (void)test_context_text(&test, "y.properties", "graphclass=BVGraph\nnodes=5\narcs=5\n");
    for (size_t bytes = 0; bytes < sizeof five; bytes++) {
        (void)test_context_file(&test, "y.graph", five, bytes);
        assert_int_equal(read_graph("y.graph", &seen), MR_ERROR_INPUT);
        mr_error_clear(&test.err);
    }
    /* filled up by 3, 7 or 19 bytes, as in Rust, and by other numbers, after a cut */
    for (size_t bytes = 6; bytes < 40; bytes++) {
        uint8_t filled[40] = {0};
        memcpy(filled, five, sizeof five);
        (void)test_context_file(&test, "y.graph", filled, bytes);
        assert_int_equal(read_graph("y.graph", &seen),
                         bytes % 4 == 0 && bytes < 29 ? MR_OK : MR_ERROR_INPUT);
        mr_error_clear(&test.err);
    }
    write_graph("cut.graph");
    (void)test_dir_path(&test.dir, "cut.graph", path);
    assert_int_equal(stat(path, &whole), 0);
    for (size_t i = 0; i < sizeof lost / sizeof lost[0]; i++) {
        assert_int_equal(truncate(path, whole.st_size - lost[i]), 0);
        for (test.context.threads = 1; test.context.threads <= 3; test.context.threads += 2) {
            assert_int_equal(read_graph("cut.graph", &seen), MR_ERROR_INPUT);
            mr_error_clear(&test.err);
        }
    }
    (void)test_dir_path(&test.dir, "cut.offsets", path);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(read_graph("cut.graph", &seen), MR_ERROR_INPUT);
}

static void what_is_wrong_is_said(void **state)
{
    static const uint8_t five[] = {0x7d, 0xc5, 0xda, 0xf1, 0x77};
    static const char *const cases[][2] = {
        {"nodes=5\n", "x.properties: graphclass: only BVGraph is read; convert the graph with "
                      "WebGraph"},
        {"graphclass=BVGraph\narcs=5\n", "x.properties: nodes: is missing"},
        {"graphclass=BVGraph\nnodes=5\narcs=5\nzetak=64\n",
         "x.properties:4: zetak: must be at most 63 for zeta codes"},
        {"graphclass=BVGraph\nnodes=99\narcs=5\n",
         "x.properties:2: nodes: 99 nodes do not fit into the 5 bytes of "},
        {"graphclass=BVGraph\nnodes=5\narcs=4\n", "x.properties:3: arcs: "},
        {"graphclass=BVGraph\nnodes=5\narcs=5\ncompressionflags=RESIDUALS_ROT13\n",
         "x.properties:4: compressionflags: \"RESIDUALS_ROT13\" is no code that is known here"},
        {"graphclass=BVGraph\nnodes=5\narcs=5\nendianness=middle\n",
         "x.properties:4: endianness: must be big or little"},
        {"graphclass=BVGraph\nnodes=4\narcs=5\nwindowsize=0\n", "x.graph: offset "},
        {"graphclass=BVGraph\nnodes=5\narcs=5\nlength=41\n",
         "x.properties:4: length: the lists in "},
    };
    struct seen seen;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        (void)test_context_text(&test, "x.properties", cases[i][0]);
        (void)test_context_file(&test, "x.graph", five, sizeof five);
        assert_int_equal(read_graph("x.graph", &seen), MR_ERROR_INPUT);
        const char *text = test_context_error(&test);
        if (strncmp(text, cases[i][1], strlen(cases[i][1])) != 0) {
            fail_msg("%s instead of %s", text, cases[i][1]);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_written_is_read, setup, teardown),
        cmocka_unit_test_setup_teardown(published_files, setup, teardown),
        cmocka_unit_test_setup_teardown(above_two_to_the_31, setup, teardown),
        cmocka_unit_test_setup_teardown(a_successor_that_is_there_twice_is_refused, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(damage_is_met, setup, teardown),
        cmocka_unit_test_setup_teardown(a_file_that_lost_its_end_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(what_is_wrong_is_said, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
