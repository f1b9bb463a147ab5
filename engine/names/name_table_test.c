/* SPDX-License-Identifier: Apache-2.0 */
/* Tests tables keyed by name: rows come back as written, two graphs are merged by name, damage is
 * detected, and a writer killed at any operation leaves the old table or the new one. */
#include <sys/wait.h>

#include "engine/base/bytes.h"
#include "engine/names/name_table.h"
#include "tests/support/test.h"
#include "tests/support/test_build.h"
#include "tests/support/test_context.h"

#define ROW_BYTES 12u

static const struct mr_name_table_kind kind = {
    .name = "test", .version = 3, .head_bytes = 4, .row_bytes = ROW_BYTES};

struct fixture {
    struct test_dir dir;
    struct mr_context context;
    char table[PATH_MAX];
};

struct graph {
    struct mr_store *store;
    struct mr_names *names;
    mr_name_key key;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    *state = f;
    if (!test_dir_make(&f->dir, NULL) || !test_context_open(&f->context, UINT64_MAX, 1)) {
        return 1;
    }
    (void)test_dir_path(&f->dir, "table", f->table);
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    test_context_close(&f->context);
    test_dir_remove(&f->dir);
    free(f);
    return 0;
}

/* A store without edges, with vertices named first, first + step, ... below `end`. */
static void open_graph(struct fixture *f, const char *name, bool text, uint64_t first,
                       uint64_t step, uint64_t end, struct graph *graph)
{
    char path[PATH_MAX];
    struct test_graph made = {.options = {.ids = text ? MR_IDS_TEXT : MR_IDS_SPARSE,
                                          .name_key = text ? test_build_key : NULL,
                                          .name_key_number = text ? 9 : 0}};
    made.declared = calloc(end, sizeof *made.declared);
    for (uint64_t id = first; id < end; id += step) {
        made.declared[made.n_declared++] = id;
    }
    struct mr_store_build_figures summary;
    struct mr_error err = {0};
    (void)test_dir_path(&f->dir, name, path);
    enum mr_status status = test_build_run(&f->context, path, &made, &summary, &err);
    if (status != MR_OK) {
        print_error("%s\n", err.message);
    }
    assert_int_equal(status, MR_OK);
    test_build_free(&made);
    graph->key = text ? test_build_key : NULL;
    assert_int_equal(mr_store_open(&f->context, path, &graph->store, NULL), MR_OK);
    assert_int_equal(mr_names_open(&f->context, graph->store, graph->key, &graph->names, NULL),
                     MR_OK);
}

static void close_graph(struct graph *graph)
{
    mr_names_close(graph->names);
    mr_store_close(graph->store);
}

/* The row of a vertex: its number and a stamp. */
static void make_row(uint64_t vertex, uint32_t stamp, uint8_t row[ROW_BYTES])
{
    mr_put_u64(row, vertex * 0x9e3779b97f4a7c15u);
    mr_put_u32(row + 8, stamp);
}

static void fill_row(const void *stamp, uint32_t vertex, uint8_t *row)
{
    make_row(vertex, *(const uint32_t *)stamp, row);
}

static enum mr_status write_table(const struct mr_context *context, const char *path,
                                  const struct graph *graph, uint32_t stamp, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(graph->store);
    uint8_t head[4];

    mr_put_u32(head, stamp);
    return mr_name_table_write(context, path, graph->names, info, &kind, head, fill_row, &stamp,
                               err);
}

/* Read the whole table. Returns its stamp, or 0 with `err` if the table is bad. */
static uint32_t read_table(const struct mr_context *context, const char *path,
                           const struct graph *graph, struct mr_error *err)
{
    const uint64_t n = mr_store_get_info(graph->store)->n_vertices;
    struct mr_name_table_reader *reader = NULL;
    uint32_t stamp = 0;

    enum mr_status status = mr_name_table_open(context, path, &kind, &reader, err);
    if (status != MR_OK) {
        mr_name_table_close(reader);
        return 0;
    }
    stamp = mr_get_u32(mr_name_table_head(reader));
    for (uint64_t v = 0; v <= n && stamp != 0; v++) {
        const char *name, *expected;
        size_t name_bytes, expected_bytes;
        const uint8_t *row;
        uint8_t expected_row[ROW_BYTES];
        if (mr_name_table_next(reader, &name, &name_bytes, &row, err) != MR_OK) {
            stamp = 0;
        } else if (v == n) {
            assert_null(row);
        } else {
            assert_non_null(row);
            make_row(v, stamp, expected_row);
            assert_int_equal(
                mr_names_get(graph->names, (uint32_t)v, &expected, &expected_bytes, NULL), MR_OK);
            assert_int_equal(name_bytes, expected_bytes);
            assert_memory_equal(name, expected, name_bytes);
            assert_memory_equal(row, expected_row, ROW_BYTES);
        }
    }
    mr_name_table_close(reader);
    return stamp;
}

static void what_is_written_comes_back(void **state)
{
    struct fixture *f = *state;
    for (int text = 0; text < 2; text++) {
        struct graph graph;
        open_graph(f, text ? "text.mill" : "numbers.mill", text, 5, 7, 60000, &graph);
        assert_int_equal(write_table(&f->context, f->table, &graph, 77, NULL), MR_OK);
        assert_int_equal(read_table(&f->context, f->table, &graph, NULL), 77);
        assert_int_equal(write_table(&f->context, f->table, &graph, 78, NULL), MR_OK);
        assert_int_equal(read_table(&f->context, f->table, &graph, NULL), 78);
        close_graph(&graph);
    }
}

/* What a merge gave: new vertices, vertices that stay, rows of vertices that are gone. */
struct merged {
    struct graph *old, *new;
    uint64_t n_new, n_kept, n_gone;
};

static enum mr_status take(void *data, const uint32_t *vertex, const uint8_t *row,
                           struct mr_error *err)
{
    struct merged *merged = data;
    const char *name;
    size_t bytes;
    uint32_t in_old;
    bool found;

    (void)err;
    if (vertex == NULL) {
        assert_non_null(row);
        merged->n_gone++;
        return MR_OK;
    }
    assert_int_equal(*vertex, merged->n_new + merged->n_kept);
    assert_int_equal(mr_names_get(merged->new->names, *vertex, &name, &bytes, NULL), MR_OK);
    assert_int_equal(mr_names_find(merged->old->names, name, bytes, &in_old, &found, NULL), MR_OK);
    assert_int_equal(found, row != NULL);
    if (row != NULL) {
        uint8_t expected[ROW_BYTES];
        make_row(in_old, 1, expected);
        assert_memory_equal(row, expected, ROW_BYTES);
        merged->n_kept++;
    } else {
        merged->n_new++;
    }
    return MR_OK;
}

/* Multiples of 2 against multiples of 3. */
static void graphs_are_merged_by_name(void **state)
{
    struct fixture *f = *state;
    for (int text = 0; text < 2; text++) {
        struct graph old, new;
        struct merged merged = {.old = &old, .new = &new};
        open_graph(f, text ? "a" : "b", text, 0, 2, 3000, &old);
        open_graph(f, text ? "c" : "d", text, 0, 3, 4000, &new);
        assert_int_equal(write_table(&f->context, f->table, &old, 1, NULL), MR_OK);
        struct mr_name_table_reader *reader = NULL;
        assert_int_equal(mr_name_table_open(&f->context, f->table, &kind, &reader, NULL), MR_OK);
        assert_int_equal(mr_name_table_merge(&f->context, reader, new.names,
                                             mr_store_get_info(new.store), new.key, take, &merged,
                                             NULL),
                         MR_OK);
        assert_int_equal(merged.n_kept, 500); /* multiples of 6 below 3000 */
        assert_int_equal(merged.n_new, 1334 - 500);
        assert_int_equal(merged.n_gone, 1500 - 500);
        mr_name_table_close(reader);
        close_graph(&old);
        close_graph(&new);
    }
}

static void other_names_and_other_files_are_refused(void **state)
{
    struct fixture *f = *state;
    struct graph numbers, text;
    struct mr_name_table_reader *reader = NULL;
    struct mr_name_table_kind older = kind, other = kind, longer = kind;
    struct mr_error err = {0};
    older.version = 2;
    memcpy(other.name, "other", 5);
    longer.row_bytes++;
    open_graph(f, "n", false, 0, 3, 100, &numbers);
    open_graph(f, "t", true, 0, 3, 100, &text);
    assert_int_equal(write_table(&f->context, f->table, &numbers, 1, NULL), MR_OK);
    assert_int_equal(mr_name_table_open(&f->context, f->table, &kind, &reader, NULL), MR_OK);
    struct merged merged = {.old = &numbers, .new = &text};
    assert_int_equal(mr_name_table_merge(&f->context, reader, text.names,
                                         mr_store_get_info(text.store), text.key, take, &merged,
                                         &err),
                     MR_ERROR_INPUT);
    mr_name_table_close(reader);
    assert_int_equal(mr_name_table_open(&f->context, f->table, &older, &reader, NULL),
                     MR_ERROR_INPUT);
    mr_name_table_close(reader);
    assert_int_equal(mr_name_table_open(&f->context, f->table, &other, &reader, NULL),
                     MR_ERROR_INPUT);
    mr_name_table_close(reader);
    assert_int_equal(mr_name_table_open(&f->context, f->table, &longer, &reader, NULL),
                     MR_ERROR_CORRUPT);
    mr_name_table_close(reader);
    assert_true(test_dir_write(f->table, "", 0));
    assert_int_equal(mr_name_table_open(&f->context, f->table, &kind, &reader, NULL),
                     MR_ERROR_INPUT);
    mr_name_table_close(reader);
    char letters[4000];
    memset(letters, 'x', sizeof letters);
    assert_true(test_dir_write(f->table, letters, sizeof letters));
    mr_error_clear(&err);
    assert_int_equal(mr_name_table_open(&f->context, f->table, &kind, &reader, &err),
                     MR_ERROR_INPUT);
    assert_string_equal(err.message, "is no test state; check the name, nothing was changed");
    mr_name_table_close(reader);
    close_graph(&numbers);
    close_graph(&text);
}

/* Change every byte, cut at every length, add one byte: the table is never read as if it were
 * whole. */
static void damage_is_seen(void **state)
{
    struct fixture *f = *state;
    struct graph graph;
    static uint8_t good[1 << 16], bad[1 << 16];
    open_graph(f, "g", true, 0, 3, 300, &graph);
    assert_int_equal(write_table(&f->context, f->table, &graph, 5, NULL), MR_OK);
    FILE *file = fopen(f->table, "rb");
    assert_non_null(file);
    const size_t bytes = fread(good, 1, sizeof good, file);
    assert_int_equal(fclose(file), 0);
    assert_true(bytes > 1000 && bytes < sizeof good - 1);
    for (size_t i = 0; i <= 2 * bytes; i++) {
        size_t length = bytes;
        memcpy(bad, good, bytes + 1);
        if (i < bytes) {
            bad[i] ^= 0x10;
        } else {
            length = i - bytes;
            length += length == bytes;
        }
        struct mr_error err = {0};
        assert_true(test_dir_write(f->table, bad, length));
        assert_int_equal(read_table(&f->context, f->table, &graph, &err), 0);
        assert_true(err.status == MR_ERROR_CORRUPT || err.status == MR_ERROR_INPUT);
    }
    close_graph(&graph);
}

static void a_killed_writer_leaves_the_old_table_or_the_new_one(void **state)
{
    struct fixture *f = *state;
    struct graph graph;
    open_graph(f, "g", true, 0, 2, 30000, &graph);
    assert_int_equal(write_table(&f->context, f->table, &graph, 1, NULL), MR_OK);
    unsigned olds = 0, news = 0;
    for (uint64_t at = 1;; at++) {
        const pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            const struct mr_fault_plan plan = {
                .kind = MR_FAULT_CRASH, .operations = MR_FAULT_ON_CHANGE, .at = at};
            struct mr_context context;
            bool done = test_context_open_fault(&context, UINT64_MAX, 1, &plan) &&
                        write_table(&context, f->table, &graph, 2, NULL) == MR_OK;
            _exit(done ? 0 : 1);
        }
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status));
        const uint32_t stamp = read_table(&f->context, f->table, &graph, NULL);
        if (WEXITSTATUS(status) == 0) {
            assert_int_equal(stamp, 2);
            break;
        }
        assert_int_equal(WEXITSTATUS(status), 99);
        assert_true(stamp == 1 || stamp == 2);
        olds += stamp == 1;
        news += stamp == 2;
        if (stamp == 2) {
            assert_int_equal(write_table(&f->context, f->table, &graph, 1, NULL), MR_OK);
        }
    }
    assert_true(olds >= 4 && news >= 1);
    close_graph(&graph);
}

/* A full disk and a failing one: the error is reported, and the old table stays. */
static void a_failed_write_leaves_the_old_table(void **state)
{
    struct fixture *f = *state;
    struct graph graph;
    open_graph(f, "g", true, 0, 2, 20000, &graph);
    assert_int_equal(write_table(&f->context, f->table, &graph, 1, NULL), MR_OK);
    for (uint64_t at = 1;; at++) {
        const struct mr_fault_plan plan = {.kind = MR_FAULT_ERROR,
                                           .operations = MR_FAULT_ON_CHANGE,
                                           .at = at,
                                           .error_number = 28 /* ENOSPC */};
        struct mr_context context;
        assert_true(test_context_open_fault(&context, UINT64_MAX, 1, &plan));
        enum mr_status status = write_table(&context, f->table, &graph, 2, NULL);
        test_context_close(&context);
        const uint32_t stamp = read_table(&f->context, f->table, &graph, NULL);
        if (status == MR_OK) {
            assert_int_equal(stamp, 2);
            break;
        }
        assert_true(stamp == 1 || stamp == 2); /* 2: only the sync of the parent directory failed */
        if (stamp == 2) {
            assert_int_equal(write_table(&f->context, f->table, &graph, 1, NULL), MR_OK);
        }
    }
    close_graph(&graph);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

TEST_MAIN(TEST(what_is_written_comes_back), TEST(graphs_are_merged_by_name),
          TEST(other_names_and_other_files_are_refused), TEST(damage_is_seen),
          TEST(a_killed_writer_leaves_the_old_table_or_the_new_one),
          TEST(a_failed_write_leaves_the_old_table))
