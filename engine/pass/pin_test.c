/* SPDX-License-Identifier: Apache-2.0 */
/* What stays in memory between passes: the same bits as from disk, decoded or
 * not. */

#include "tests/support/test.h"
#include "tests/support/test_pass.h"

static void note_read(void *data, const struct mr_progress *progress)
{
    uint64_t *last = data;
    if (strcmp(progress->stage, "read") == 0) {
        assert_true(progress->done > *last && progress->done <= progress->total);
        *last = progress->done;
    }
}

/* From little memory to much: the first links are pinned, then all, then all decoded. The same
 * bits, and a report that ends with what is pinned. */
static void check_from_little_memory_to_much(struct fixture *f)
{
    const uint64_t length = mr_pass_vector_length(mr_store_get_info(f->graph.store));
    const uint64_t links_bytes = mr_store_get_info(f->graph.store)->links_bytes;
    double *x = calloc(length, 8), *y = calloc(length, 8), *first = calloc(length, 8);
    unsigned n_some = 0, n_all = 0, n_decoded = 0;
    for (uint32_t v = 0; v < f->options.n_vertices; v++) {
        x[v] = 1.0 / (1 + v % 1000);
    }
    struct mr_pass_options options = {.decode_pinned = true};
    const uint64_t least = mr_pass_minimum_memory(mr_store_get_info(f->graph.store), &options);
    for (uint64_t bytes = least; bytes < least + (UINT64_C(24) << 20); bytes += 1 << 20) {
        const struct mr_pass_task run = {.value = MR_VALUE_DOUBLE,
                                         .x = x,
                                         .callback = keep_sums,
                                         .callback_data = n_some == 0 ? first : y};
        struct mr_context context = f->graph.context;
        struct mr_pass *pass;
        uint64_t n_read = 0;
        context.threads = 1;
        context.progress = note_read;
        context.progress_data = &n_read;
        assert_int_equal(mr_memory_create(UINT64_C(256) << 20, &context.memory, NULL), MR_OK);
        options.leave_bytes = mr_memory_available(context.memory) - bytes;
        assert_int_equal(mr_pass_open(&context, f->graph.store, &options, &pass, NULL), MR_OK);
        assert_int_equal(mr_pass_run(pass, &run, NULL), MR_OK);
        assert_true(n_some == 0 || memcmp(y, first, f->options.n_vertices * sizeof *y) == 0);
        const struct mr_pass_figures figures = mr_pass_get_figures(pass);
        const bool is_decoded = figures.decoded_bytes > 0;
        assert_int_equal(n_read, figures.pinned_bytes);
        assert_true(figures.bytes_read == links_bytes - figures.pinned_bytes);
        assert_true(!is_decoded || figures.pinned_bytes == links_bytes);
        assert_true(is_decoded || n_decoded == 0);
        assert_true(figures.pinned_bytes == links_bytes || n_all + n_decoded == 0);
        n_decoded += is_decoded;
        n_all += !is_decoded && figures.pinned_bytes == links_bytes;
        n_some += !is_decoded && figures.pinned_bytes < links_bytes;
        mr_pass_close(pass);
        mr_memory_destroy(context.memory);
    }
    assert_true(n_some > 0 && n_all > 0 && n_decoded > 0);
    free(x);
    free(y);
    free(first);
    drop_store(f);
}

static void test_memory_decides_what_is_pinned(void **unused)
{
    (void)unused;
    struct fixture f;
    make_store(&f, 60000, 2000000, 14, 14, 0);
    check_from_little_memory_to_much(&f);
    source_step = 3;
    make_store(&f, 400000, 2000000, 13, 11, 0);
    check_from_little_memory_to_much(&f);
    source_step = 1;
}

/* Sums of one pass and of two that relax after it. */
struct pinned_job {
    enum mr_value value;
    double *sums; /* [3][n_vertices]: of each pass's last sweep */
    size_t n_sums; /* of a pass */
    unsigned n_passes;
};

static void relax_terms(void *data, const struct mr_pass_band *band, double *sums, double *gain)
{
    (void)data;
    for (uint32_t v = 0; v < band->n_vertices; v++) {
        sums[v] = 1 + sums[v] / 63;
        gain[v] = 1.0 / 63;
    }
}

static void keep_and_relax(void *data, const struct mr_pass_band *band)
{
    const struct pinned_job *job = data;
    const size_t first = job->n_passes * job->n_sums + band->first_vertex;
    const double *found = band->relaxed != NULL ? band->relaxed : band->accumulator;
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        job->sums[first + i] = found[i];
        if (band->steps != NULL) {
            band->steps[i] = (float)(found[i] - (job->value == MR_VALUE_FLOAT
                                                     ? (double)((const float *)band->values)[i]
                                                     : ((const double *)band->values)[i]));
        }
    }
}

static void run_three(struct fixture *f, unsigned threads, unsigned wave, bool decode,
                      struct pinned_job *job)
{
    const uint64_t length = mr_pass_vector_length(mr_store_get_info(f->graph.store));
    struct mr_pass_options options = {.decode_pinned = decode, .relaxes = true, .sweeps = true};
    float *steps = calloc(length, sizeof *steps);
    struct mr_pass_task run = {.value = job->value,
                               .wave = wave,
                               .sweeps = wave - 1,
                               .terms = relax_terms,
                               .steps = steps,
                               .callback = keep_and_relax,
                               .callback_data = job};
    double *x = calloc(length, sizeof *x); /* or floats in it */
    struct mr_pass *pass;
    for (size_t i = 0; i < job->n_sums; i++) {
        if (job->value == MR_VALUE_FLOAT) {
            ((float *)x)[i] = 1 / (float)(3 + i);
        } else {
            x[i] = 1 / (double)(3 + i);
        }
    }
    run.x = x;
    f->graph.context.threads = threads;
    assert_int_equal(mr_pass_open(&f->graph.context, f->graph.store, &options, &pass, NULL), MR_OK);
    for (job->n_passes = 0; job->n_passes < 3; job->n_passes++) {
        assert_int_equal(mr_pass_run(pass, &run, NULL), MR_OK);
        run.relax = true;
    }
    assert_true((mr_pass_get_figures(pass).decoded_bytes > 0) == decode);
    mr_pass_close(pass);
    free(steps);
    free(x);
}

/* A third of the vertices have links. */
static void check_decoded(size_t n_edges, uint32_t far)
{
    struct fixture f;
    source_step = 3;
    make_hub_store(&f, 20000, n_edges, far, 9, 8, 0);
    assert_true(rectangle == 0 || mr_store_get_info(f.graph.store)->corners.edges > 0);
    const size_t n = f.options.n_vertices;
    double *expected = calloc(3 * n, sizeof *expected);
    double *found = calloc(3 * n, sizeof *found);
    for (unsigned round = 0; round < 6; round++) {
        struct pinned_job job = {.value = round % 2 == 0 ? MR_VALUE_FLOAT : MR_VALUE_DOUBLE,
                                 .sums = expected};
        const unsigned lag = 1 + round % 4;
        job.n_sums = n;
        run_three(&f, 1, lag, false, &job);
        job.sums = found;
        for (unsigned threads = 1; threads <= 4; threads++) {
            memset(found, 0xff, 3 * job.n_sums * sizeof *found);
            run_three(&f, threads, lag, true, &job);
            assert_memory_equal(found, expected, 3 * job.n_sums * sizeof *found);
        }
    }
    source_step = 1;
    free(expected);
    free(found);
    drop_store(&f);
}

static void test_decoded_links_give_the_same_bits(void **unused)
{
    (void)unused;
    check_decoded(200000, 20000);
}

static void test_decoded_links_both_ways_give_the_same_bits(void **unused)
{
    (void)unused;
    direction = UNDIRECTED;
    check_decoded(100000, 20000);
    rectangle = 128; /* corner tiles, whose targets keep their numbers */
    check_decoded(100000, 20000);
    rectangle = 0;
    encoding = MR_ENCODING_KEYS;
    check_decoded(1600000, 512); /* the first band has several segments */
    encoding = MR_ENCODING_AUTO;
    direction = DIRECTED;
}

/* What an earlier run left in a stripe that is not active must not come back. */
static void test_values_of_idle_stripes_are_none(void **unused)
{
    (void)unused;
    struct fixture f;
    source_step = 3;
    make_store(&f, 20000, 200000, 9, 8, 0);
    const struct mr_store_info *info = mr_store_get_info(f.graph.store);
    const uint64_t length = mr_pass_vector_length(info);
    uint64_t *x = calloc(length, 8), *y = calloc(length, 8), *expected = calloc(length, 8);
    uint8_t *active = calloc(mr_pass_stripes(info), 1);
    struct mr_pass_options options = {.decode_pinned = true, .may_skip = true};
    struct mr_pass_task run = {
        .value = MR_VALUE_U64, .x = x, .callback = keep_sums, .callback_data = y};
    struct mr_pass *pass;
    f.graph.context.threads = 2;
    assert_int_equal(mr_pass_open(&f.graph.context, f.graph.store, &options, &pass, NULL), MR_OK);
    for (unsigned round = 0; round < 3; round++) { /* all stripes, every third, all */
        memset(expected, 0, length * 8);
        for (uint32_t v = 0; v < f.options.n_vertices; v++) {
            const bool is_active = round != 1 || (v >> info->stripe_bits) % 3 == 0;
            active[v >> info->stripe_bits] = is_active;
            x[v] = is_active ? 1 + random_below(1u << 30) : 0;
        }
        for (size_t i = 0; i < f.n_edges; i++) {
            expected[f.edges[i].target] += x[f.edges[i].source];
        }
        run.active_stripes = round == 1 ? active : NULL;
        memset(y, 0xff, length * 8);
        assert_int_equal(mr_pass_run(pass, &run, NULL), MR_OK);
        assert_memory_equal(y, expected, f.options.n_vertices * 8u);
    }
    mr_pass_close(pass);
    source_step = 1;
    free(x);
    free(y);
    free(expected);
    free(active);
    drop_store(&f);
}

/* Whether opening a pass of the store read links; its sums are those of the edges. */
static bool reads_to_open(struct fixture *f, struct mr_store *store, struct mr_context *context,
                          bool may_skip, const uint64_t *x, const uint64_t *expected)
{
    const uint32_t n = f->options.n_vertices;
    const struct mr_pass_options options = {.decode_pinned = true, .may_skip = may_skip};
    uint64_t *y = calloc(n, sizeof *y), n_read = 0;
    const struct mr_pass_task run = {.value = MR_VALUE_U64,
                                     .x = (void *)(uintptr_t)x,
                                     .callback = keep_sums,
                                     .callback_data = y};
    const uint64_t available = mr_memory_available(context->memory);
    struct mr_pass *pass;
    context->progress = note_read;
    context->progress_data = &n_read;
    assert_int_equal(mr_pass_open(context, store, &options, &pass, NULL), MR_OK);
    assert_true(mr_memory_available(context->memory) < available);
    assert_int_equal(mr_pass_get_figures(pass).pinned_bytes, mr_store_get_info(store)->links_bytes);
    assert_int_equal(mr_pass_run(pass, &run, NULL), MR_OK);
    assert_int_equal(mr_pass_get_figures(pass).passes, 1);
    assert_memory_equal(y, expected, n * sizeof *y);
    mr_pass_close(pass);
    assert_true(mr_memory_available(context->memory) == available);
    free(y);
    return n_read > 0;
}

static void test_an_open_store_keeps_the_pass_of_a_small_graph(void **unused)
{
    (void)unused;
    for (unsigned round = 0; round < 3; round++) {
        const bool keeps = round == 0; /* then memory is little, then the graph is large */
        struct fixture f;
        make_store(&f, round == 2 ? 60000 : 5000, round == 2 ? 2000000 : 12000, 16, 16, 0);
        const uint64_t length = mr_pass_vector_length(mr_store_get_info(f.graph.store));
        uint64_t *x = calloc(length, sizeof *x), *expected = calloc(length, sizeof *x);
        struct mr_context context = f.graph.context, other = context;
        struct mr_store *store;
        for (uint32_t v = 0; v < f.options.n_vertices; v++) {
            x[v] = random_below(1u << 30);
        }
        for (size_t i = 0; i < f.n_edges; i++) {
            expected[f.edges[i].target] += x[f.edges[i].source];
        }
        context.threads = 2;
        const uint64_t limit = UINT64_C(1) << (round == 1 ? 25 : 28);
        assert_int_equal(mr_memory_create(limit, &context.memory, NULL), MR_OK);
        assert_int_equal(mr_memory_create(UINT64_C(1) << 28, &other.memory, NULL), MR_OK);
        assert_int_equal(mr_store_open(&context, f.graph.path, &store, NULL), MR_OK);
        assert_true(reads_to_open(&f, store, &context, false, x, expected));
        assert_true(reads_to_open(&f, store, &context, false, x, expected) == !keeps);
        assert_true(reads_to_open(&f, store, &context, false, x, expected) == !keeps);
        /* another pass, another thread count, another context */
        assert_true(reads_to_open(&f, store, &context, true, x, expected));
        assert_true(reads_to_open(&f, store, &context, false, x, expected));
        context.threads = 1;
        assert_true(reads_to_open(&f, store, &context, false, x, expected));
        assert_true(reads_to_open(&f, store, &other, false, x, expected));
        mr_memory_destroy(other.memory); /* the store keeps nothing of it */
        assert_true(reads_to_open(&f, store, &context, false, x, expected));
        assert_true(reads_to_open(&f, store, &context, false, x, expected) == !keeps);
        mr_store_close(store);
        mr_memory_destroy(context.memory);
        free(x);
        free(expected);
        drop_store(&f);
    }
}

TEST_MAIN(cmocka_unit_test(test_memory_decides_what_is_pinned),
          cmocka_unit_test(test_decoded_links_give_the_same_bits),
          cmocka_unit_test(test_decoded_links_both_ways_give_the_same_bits),
          cmocka_unit_test(test_values_of_idle_stripes_are_none),
          cmocka_unit_test(test_an_open_store_keeps_the_pass_of_a_small_graph))
