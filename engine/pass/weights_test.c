/* SPDX-License-Identifier: Apache-2.0 */
/* Stores with weights against a naive model: what the builder makes of them, whatever the memory,
 * the threads and the order of the edges; passes, strengths, checks, and damage. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/checksum.h"
#include "engine/base/memory.h"
#include "engine/builder/transpose.h"
#include "engine/io/io.h"
#include "engine/pass/pass.h"
#include "engine/scan/check.h"
#include "engine/scan/edges.h"
#include "tests/support/test.h"
#include "tests/support/test_build.h"

struct fixture {
    struct test_dir dir;
    struct mr_context context;
};

static int setup(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    assert_int_equal(mr_memory_create(UINT64_MAX, &f->context.memory, NULL), MR_OK);
    assert_int_equal(mr_io_create_real(&f->context.io, NULL), MR_OK);
    f->context.threads = 2;
    assert_true(test_dir_make(&f->dir, NULL));
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    struct fixture *f = *state;
    test_dir_remove(&f->dir);
    mr_io_destroy(f->context.io);
    mr_memory_destroy(f->context.memory);
    free(f);
    return 0;
}

/* ---- The model ---- */

struct link {
    uint32_t source, target;
    float weight;
};

struct model {
    uint32_t n_vertices;
    bool undirected, keep, drop_loops;
    struct link *input; /* [n_input] */
    size_t n_input;
    struct link *links; /* [n_links]: by source, target, weight; what a store has of them */
    size_t n_links;
};

static int compare_links(const void *a, const void *b)
{
    const struct link *x = a, *y = b;
    if (x->source != y->source) {
        return x->source < y->source ? -1 : 1;
    }
    if (x->target != y->target) {
        return x->target < y->target ? -1 : 1;
    }
    return (x->weight > y->weight) - (x->weight < y->weight);
}

enum kind { BYTES, MIXED, FLOATS };

static float random_weight(enum kind kind, uint64_t *seed)
{
    const uint64_t r = test_random(seed);
    if (kind == BYTES || (kind == MIXED && r % 1024 != 0)) {
        return (float)(1 + r / 1024 % 100);
    }
    return (float)(1 + r % 1000003) / 65536.0f;
}

static void make_model(struct model *m, uint32_t n_vertices, size_t n_input, enum kind kind,
                       uint64_t seed)
{
    m->n_vertices = n_vertices;
    m->n_input = n_input;
    m->input = calloc(n_input + 1, sizeof *m->input);
    m->links = calloc(2 * n_input + 1, sizeof *m->links);
    for (size_t i = 0; i < n_input; i++) {
        struct link *link = &m->input[i];
        link->source = (uint32_t)(test_random(&seed) % n_vertices);
        link->target = i % 4 == 0 ? (uint32_t)(test_random(&seed) % n_vertices)
                                  : (link->source + (uint32_t)(i % 8)) % n_vertices;
        link->weight = random_weight(kind, &seed);
        if (i > 10 && i % 5 == 0) { /* the same link again */
            link->source = m->input[i - 7].source;
            link->target = m->input[i - 7].target;
        }
        if (m->drop_loops && link->source == link->target) {
            continue;
        }
        m->links[m->n_links++] = *link;
        if (m->undirected && link->source != link->target) {
            m->links[m->n_links++] = (struct link){
                .source = link->target, .target = link->source, .weight = link->weight};
        }
    }
    qsort(m->links, m->n_links, sizeof *m->links, compare_links);
    for (size_t i = 0, end = m->keep ? 0 : m->n_links; i < end;) {
        const struct link first = m->links[i];
        double sum = 0;
        if (i == 0) {
            m->n_links = 0;
        }
        for (; i < end && m->links[i].source == first.source && m->links[i].target == first.target;
             i++) {
            sum += (double)m->links[i].weight;
        }
        m->links[m->n_links++] = (struct link){first.source, first.target, (float)sum};
    }
}

static void free_model(struct model *m)
{
    free(m->input);
    free(m->links);
}

static enum mr_status build(const struct mr_context *context, const char *path,
                            const struct model *m, struct mr_build_options options,
                            struct mr_error *err)
{
    struct mr_build *build = NULL;
    options.ids = MR_IDS_DENSE;
    options.n_vertices = m->n_vertices;
    options.undirected = m->undirected;
    options.keep_duplicates = m->keep;
    options.drop_self_loops = m->drop_loops;
    enum mr_status status = mr_build_create(context, path, &options, &build, err);
    for (size_t i = 0; status == MR_OK && i < m->n_input; i++) {
        const struct mr_edge edge = {m->input[i].source, m->input[i].target};
        status = options.weights ? mr_build_edges(build, i % context->threads, &edge,
                                                  &m->input[i].weight, 1, err)
                                 : mr_build_edges(build, 0, &edge, NULL, 1, err);
    }
    return mr_build_finish(build, status, NULL, err);
}

/* ---- Reading back ---- */

struct collected {
    struct link *links;
    size_t n, room;
};

static enum mr_status collect(void *data, const uint32_t (*pairs)[2], const float *weights,
                              size_t n_pairs, struct mr_error *err)
{
    struct collected *all = data;
    (void)err;
    assert_true(all->n + n_pairs <= all->room);
    for (size_t i = 0; i < n_pairs; i++) {
        all->links[all->n++] = (struct link){pairs[i][0], pairs[i][1], weights[i]};
    }
    return MR_OK;
}

static void assert_same_links(const struct fixture *f, const char *path, const struct model *m,
                              bool reversed)
{
    struct collected all = {.links = calloc(m->n_links + 1, sizeof *all.links), .room = m->n_links};
    struct mr_store *store = NULL, *weighted = NULL;
    assert_int_equal(mr_store_open(&f->context, path, &store, NULL), MR_OK);
    assert_true(mr_store_get_info(store)->has_weights && !mr_store_get_info(store)->is_weighted);
    assert_int_equal(mr_store_open_weights(&f->context, store, &weighted, NULL), MR_OK);
    assert_true(mr_store_get_info(weighted)->is_weighted &&
                !mr_store_get_info(weighted)->has_weights);
    assert_int_equal(mr_edges_read(&f->context, weighted, NULL, collect, &all, NULL), MR_OK);
    assert_int_equal(all.n, m->n_links);
    for (size_t i = 0; reversed && i < all.n; i++) {
        all.links[i] = (struct link){all.links[i].target, all.links[i].source, all.links[i].weight};
    }
    qsort(all.links, all.n, sizeof *all.links, compare_links);
    for (size_t i = 0; i < all.n; i++) {
        assert_int_equal(all.links[i].source, m->links[i].source);
        assert_int_equal(all.links[i].target, m->links[i].target);
        assert_true(all.links[i].weight == m->links[i].weight);
    }
    mr_store_close(weighted);
    mr_store_close(store);
    free(all.links);
}

struct sums {
    double *acc;
    double *out, *in; /* strengths */
    uint32_t *out_degree;
};

static void take_sums(void *data, const struct mr_pass_band *band)
{
    struct sums *sums = data;
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        sums->acc[band->first_vertex + i] = ((const double *)band->accumulator)[i];
        sums->out[band->first_vertex + i] = band->out_strength[i];
        sums->in[band->first_vertex + i] = band->in_strength[i];
        sums->out_degree[band->first_vertex + i] = band->out_degree[i];
    }
}

static void assert_pass(const struct fixture *f, const char *path, const struct model *m,
                        enum mr_value value)
{
    const uint32_t n = m->n_vertices;
    struct mr_store *store = NULL, *weighted = NULL;
    struct mr_pass *pass = NULL;
    const struct mr_pass_options options = {0};
    struct sums sums = {calloc(n, 8), calloc(n, 8), calloc(n, 8), calloc(n, 4)};
    double *acc = calloc(n, 8), *out = calloc(n, 8), *in = calloc(n, 8);
    uint32_t *degree = calloc(n, 4);
    assert_int_equal(mr_store_open(&f->context, path, &store, NULL), MR_OK);
    assert_int_equal(mr_store_open_weights(&f->context, store, &weighted, NULL), MR_OK);
    void *x = calloc(mr_pass_vector_length(mr_store_get_info(weighted)), 8);
    for (uint32_t v = 0; v < n; v++) {
        const float share = 1.0f / (float)(v + 3);
        if (value == MR_VALUE_FLOAT) {
            ((float *)x)[v] = share;
        } else {
            ((double *)x)[v] = (double)share;
        }
    }
    for (size_t i = 0; i < m->n_links; i++) {
        const struct link *link = &m->links[i];
        acc[link->target] += (double)link->weight * (double)(1.0f / (float)(link->source + 3));
        out[link->source] += (double)link->weight;
        in[link->target] += (double)link->weight;
        degree[link->source]++;
    }
    assert_int_equal(mr_pass_open(&f->context, weighted, &options, &pass, NULL), MR_OK);
    const struct mr_pass_task run = {.value = value,
                                     .x = x,
                                     .out_degrees = true,
                                     .in_degrees = true,
                                     .callback = take_sums,
                                     .callback_data = &sums};
    assert_int_equal(mr_pass_run(pass, &run, NULL), MR_OK);
    for (uint32_t v = 0; v < n; v++) {
        /* For a source the order of the store is that of the targets: the same bits. */
        assert_true(sums.out[v] == out[v]);
        assert_float_equal(sums.in[v], in[v], 1e-12 * in[v]);
        assert_float_equal(sums.acc[v], acc[v], 1e-12 * acc[v]);
        assert_int_equal(sums.out_degree[v], degree[v]);
    }
    mr_pass_close(pass);
    mr_store_close(weighted);
    mr_store_close(store);
    free(x);
    free(sums.acc);
    free(sums.out);
    free(sums.in);
    free(sums.out_degree);
    free(acc);
    free(out);
    free(in);
    free(degree);
}

/* ---- Tests ---- */

static void assert_whole(const struct fixture *f, const char *path)
{
    struct mr_check_summary summary;
    struct mr_error err = {0};
    char text[1536];
    if (mr_check(&f->context, path, true, NULL, &summary, &err) != MR_OK) {
        fail_msg("%s", mr_error_text(&err, text, sizeof text));
    }
}

static void check_model(struct fixture *f, const struct model *m, unsigned bits)
{
    char path[PATH_MAX], other[PATH_MAX];
    struct mr_error err = {0};
    struct mr_build_options options = {
        .weights = true, .band_bits = bits, .stripe_bits = bits == 0 ? 0 : 8};
    (void)test_dir_path(&f->dir, "a.mill", path);
    (void)test_dir_path(&f->dir, "b.mill", other);
    assert_int_equal(build(&f->context, path, m, options, &err), MR_OK);
    assert_whole(f, path);
    assert_same_links(f, path, m, false);
    assert_pass(f, path, m, MR_VALUE_FLOAT);
    assert_pass(f, path, m, MR_VALUE_DOUBLE);

    /* Pieces on disk, another order, one thread: the same bytes. */
    const uint64_t hash = test_build_hash(path);
    struct model turned = *m;
    turned.input = calloc(m->n_input + 1, sizeof *turned.input);
    for (size_t i = 0; i < m->n_input; i++) {
        turned.input[i] = m->input[m->n_input - 1 - i];
    }
    f->context.threads = 1;
    options.sort_bytes = bits == 0 ? 0 : 5 << 18;
    options.force = true;
    assert_int_equal(build(&f->context, path, &turned, options, &err), MR_OK);
    f->context.threads = 2;
    assert_true(test_build_hash(path) == hash);
    free(turned.input);

    /* Without weights the store is, but for its manifest, as if there had been none. */
    struct mr_store *plain = NULL;
    options.weights = false;
    assert_int_equal(build(&f->context, other, m, options, &err), MR_OK);
    assert_int_equal(mr_store_open(&f->context, other, &plain, &err), MR_OK);
    assert_false(mr_store_get_info(plain)->has_weights);
    mr_store_close(plain);

    /* The transpose, and its own. */
    const struct mr_build_options transpose = {.force = true};
    assert_int_equal(mr_store_open(&f->context, path, &plain, &err), MR_OK);
    assert_int_equal(mr_transpose(&f->context, plain, other, &transpose, NULL, &err), MR_OK);
    mr_store_close(plain);
    assert_whole(f, other);
    assert_same_links(f, other, m, true);
    mr_io_remove_store_dir(f->context.io, path);
    mr_io_remove_store_dir(f->context.io, other);
}

static void test_stores(void **state)
{
    static const struct {
        uint32_t n_vertices;
        size_t n_input;
        enum kind kind;
        bool undirected, keep, drop_loops;
        unsigned bits;
    } cases[] = {
        {1, 0, BYTES, false, false, false, 0},
        {1, 3, BYTES, false, false, false, 0},
        {1000, 20000, BYTES, false, false, false, 9},
        {1000, 20000, FLOATS, false, true, false, 9},
        {5000, 60000, MIXED, true, false, false, 10},
        {5000, 60000, MIXED, true, true, true, 8},
        {300, 200000, FLOATS, false, true, true, 0}, /* tiles of many blocks */
        {300, 200000, MIXED, false, true, false, 0},
        {70000, 1000, FLOATS, true, false, true, 8}, /* few links in many tiles */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct model m = {.undirected = cases[i].undirected,
                          .keep = cases[i].keep,
                          .drop_loops = cases[i].drop_loops};
        make_model(&m, cases[i].n_vertices, cases[i].n_input, cases[i].kind, i + 1);
        check_model(*state, &m, cases[i].bits);
        free_model(&m);
    }
}

static void test_bad_weights(void **state)
{
    struct fixture *f = *state;
    static const float bad[] = {0, -1, (float)NAN, (float)INFINITY};
    struct link link = {.source = 0, .target = 1};
    struct model m = {.n_vertices = 2, .input = &link, .n_input = 1};
    const struct mr_build_options options = {.weights = true};
    char path[PATH_MAX];
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        struct mr_error err = {0};
        link.weight = bad[i];
        assert_int_equal(
            build(&f->context, test_dir_path(&f->dir, "bad.mill", path), &m, options, &err),
            MR_ERROR_INPUT);
    }
    /* Merged weights that are too large together. */
    struct link twice[2] = {{0, 1, 3e38f}, {0, 1, 3e38f}};
    struct mr_error err = {0};
    m.input = twice;
    m.n_input = 2;
    assert_int_equal(build(&f->context, path, &m, options, &err), MR_ERROR_INPUT);
    assert_non_null(strstr(err.message, "add up"));
    m.keep = true;
    assert_int_equal(build(&f->context, path, &m, options, &err), MR_OK);
    mr_io_remove_store_dir(f->context.io, path);
}

/* Nothing that is kept of weights is left when they are forgotten on the way. */
static void test_forgotten_weights(void **state)
{
    struct fixture *f = *state;
    struct mr_build *build = NULL;
    struct mr_store *store = NULL;
    char path[PATH_MAX];
    const struct mr_edge edges[2] = {{0, 1}, {1, 2}};
    const float weights[2] = {2, -1};
    const struct mr_build_options options = {.ids = MR_IDS_DENSE, .n_vertices = 3, .weights = true};
    (void)test_dir_path(&f->dir, "c.mill", path);
    assert_int_equal(mr_build_create(&f->context, path, &options, &build, NULL), MR_OK);
    assert_int_equal(mr_build_edges(build, 0, edges, weights, 1, NULL), MR_OK);
    mr_build_forget_weights(build);
    assert_int_equal(mr_build_edges(build, 0, edges + 1, weights + 1, 1, NULL), MR_OK);
    assert_int_equal(mr_build_finish(build, MR_OK, NULL, NULL), MR_OK);
    assert_int_equal(mr_store_open(&f->context, path, &store, NULL), MR_OK);
    assert_false(mr_store_get_info(store)->has_weights);
    assert_int_equal(mr_store_get_info(store)->n_edges, 2);
    struct mr_error err = {0};
    struct mr_store *weighted = NULL;
    assert_int_equal(mr_store_open_weights(&f->context, store, &weighted, &err), MR_ERROR_INPUT);
    assert_null(weighted);
    mr_store_close(store);
    mr_io_remove_store_dir(f->context.io, path);
}

/* Any byte of the weighted files that changes is found by a check. */
static void test_damage(void **state)
{
    static const char *const names[] = {"weights.MANIFEST", "weights.index.1", "weights.links.1",
                                        "weights.degrees.1"};
    struct fixture *f = *state;
    struct model m = {0};
    struct mr_check_summary summary;
    const struct mr_build_options options = {.weights = true, .band_bits = 8, .stripe_bits = 8};
    char path[PATH_MAX], file_path[PATH_MAX + 32];
    make_model(&m, 600, 5000, MIXED, 77);
    (void)test_dir_path(&f->dir, "d.mill", path);
    assert_int_equal(build(&f->context, path, &m, options, NULL), MR_OK);
    for (size_t i = 0; i < 4; i++) {
        (void)snprintf(file_path, sizeof file_path, "%s/%s", path, names[i]);
        FILE *file = fopen(file_path, "r+b");
        assert_non_null(file);
        assert_int_equal(fseek(file, 0, SEEK_END), 0);
        const long size = ftell(file);
        for (long at = 0; at < size; at += 1 + size / 40) {
            assert_int_equal(fseek(file, at, SEEK_SET), 0);
            const int byte = fgetc(file);
            assert_int_equal(fseek(file, at, SEEK_SET), 0);
            (void)fputc(byte ^ 4, file);
            (void)fflush(file);
            struct mr_error err = {0};
            assert_int_not_equal(mr_check(&f->context, path, false, NULL, &summary, &err), MR_OK);
            assert_int_equal(fseek(file, at, SEEK_SET), 0);
            (void)fputc(byte, file);
            (void)fflush(file);
        }
        assert_int_equal(fclose(file), 0);
        assert_whole(f, path);
    }
    (void)snprintf(file_path, sizeof file_path, "%s/%s", path, names[2]);
    assert_int_equal(remove(file_path), 0);
    assert_int_equal(mr_check(&f->context, path, false, NULL, &summary, NULL), MR_ERROR_CORRUPT);
    mr_io_remove_store_dir(f->context.io, path);
    free_model(&m);
}

/* Replaces the out-strength 0 of a page without out-links by -0 and makes the checksum right. The
 * full check compares bits, so it refuses the store. */
static void test_negative_zero_is_no_strength(void **state)
{
    enum { OUT_BLOCK = 4096, HEADER_BYTES = 64 };
    struct fixture *f = *state;
    const struct mr_edge edges[2] = {{0, 1}, {1, 2}};
    const float weights[2] = {2, 3};
    const struct mr_build_options options = {.ids = MR_IDS_DENSE, .n_vertices = 3, .weights = true};
    struct mr_check_summary summary;
    struct mr_build *build = NULL;
    struct mr_error err = {0};
    char path[PATH_MAX], file_path[PATH_MAX + 32];
    uint8_t block[4096];
    (void)test_dir_path(&f->dir, "z.mill", path);
    assert_int_equal(mr_build_create(&f->context, path, &options, &build, NULL), MR_OK);
    assert_int_equal(mr_build_edges(build, 0, edges, weights, 2, NULL), MR_OK);
    assert_int_equal(mr_build_finish(build, MR_OK, NULL, NULL), MR_OK);
    (void)snprintf(file_path, sizeof file_path, "%s/weights.degrees.1", path);
    FILE *file = fopen(file_path, "r+b");
    assert_non_null(file);
    assert_int_equal(fseek(file, OUT_BLOCK, SEEK_SET), 0);
    assert_int_equal(fread(block, sizeof block, 1, file), 1);
    assert_int_equal(mr_get_u32(block + 24), sizeof block);
    const size_t end = HEADER_BYTES + mr_get_u32(block + 28);
    assert_int_equal(mr_get_u64(block + end - 8), 0);
    block[end - 1] = 0x80;
    mr_put_u64(block, mr_checksum(block + 8, sizeof block - 8));
    assert_int_equal(fseek(file, OUT_BLOCK, SEEK_SET), 0);
    assert_int_equal(fwrite(block, sizeof block, 1, file), 1);
    assert_int_equal(fclose(file), 0);
    assert_int_equal(mr_check(&f->context, path, false, NULL, &summary, NULL), MR_OK);
    assert_int_equal(mr_check(&f->context, path, true, NULL, &summary, &err), MR_ERROR_CORRUPT);
    assert_non_null(strstr(err.message, "page 2 add up to 0, stated is -0"));
    mr_io_remove_store_dir(f->context.io, path);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

TEST_MAIN(TEST(test_stores), TEST(test_bad_weights), TEST(test_forgotten_weights),
          TEST(test_damage), TEST(test_negative_zero_is_no_strength))
