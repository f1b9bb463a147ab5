/* SPDX-License-Identifier: Apache-2.0 */
/* The pass against a naive one over an edge list; the same bits for any threads, memory and back
 * end. */
#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <time.h>

#include "engine/base/memory.h"
#include "engine/io/io.h"
#include "engine/pass/pass.h"
#include "tests/support/io_fault.h"
#include "tests/support/test.h"
#include "tests/support/test_pass.h"

/* The simplest algorithm: y = acc, and degrees checked against the edge list. */
struct copy_job {
    void *y;
    const uint32_t *out_degree, *in_degree;
    unsigned bad_degrees;
};

static void copy_band(void *data, const struct mr_pass_band *band)
{
    struct copy_job *job = data;
    memcpy((uint64_t *)job->y + band->first_vertex, band->accumulator, 8u * band->n_vertices);
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        if (band->out_degree[i] != job->out_degree[band->first_vertex + i] ||
            band->in_degree[i] != job->in_degree[band->first_vertex + i]) {
            __atomic_add_fetch(&job->bad_degrees, 1, __ATOMIC_RELAXED);
        }
    }
}

static void test_sums_and_degrees_are_those_of_the_edge_list(void **unused)
{
    (void)unused;
    for (unsigned round = 0; round < 6; round++) {
        struct fixture f;
        const unsigned bits[6][2] = {{8, 8}, {10, 8}, {16, 16}, {12, 10}, {9, 8}, {18, 14}};
        make_store(&f, round == 4 ? 1 : 5000, 60000, bits[round][0], bits[round][1],
                   round % 2 == 0 ? 0 : 3);
        const uint32_t n = f.options.n_vertices;
        const uint64_t length = mr_pass_vector_length(mr_store_get_info(f.graph.store));
        uint64_t *x = calloc(length, 8), *y = calloc(length, 8), *expected = calloc(length, 8);
        uint32_t *out = calloc(n, 4), *in = calloc(n, 4);
        for (uint32_t v = 0; v < n; v++) {
            x[v] = ((uint64_t)random_below(1u << 30) << 34) + random_below(1u << 30);
        }
        for (size_t i = 0; i < f.n_edges; i++) {
            expected[f.edges[i].target] += x[f.edges[i].source];
            out[f.edges[i].source]++;
            in[f.edges[i].target]++;
        }
        for (unsigned threads = 1; threads <= 5; threads++) {
            struct mr_pass_options options = {.no_pinning = threads % 2 == 0,
                                              .decode_pinned = threads % 4 == 1};
            struct mr_pass *pass;
            struct copy_job job = {.y = y, .out_degree = out, .in_degree = in};
            struct mr_pass_task run = {.value = MR_VALUE_U64,
                                       .x = x,
                                       .out_degrees = true,
                                       .in_degrees = true,
                                       .callback = copy_band,
                                       .callback_data = &job};
            f.graph.context.threads = threads;
            assert_int_equal(mr_pass_open(&f.graph.context, f.graph.store, &options, &pass, NULL),
                             MR_OK);
            for (unsigned i = 0; i < 3; i++) {
                memset(y, 0xff, length * 8);
                assert_int_equal(mr_pass_run(pass, &run, NULL), MR_OK);
                assert_memory_equal(y, expected, n * 8u);
                assert_int_equal(job.bad_degrees, 0);
            }
            const struct mr_pass_figures figures = mr_pass_get_figures(pass);
            const struct mr_store_info *info = mr_store_get_info(f.graph.store);
            assert_true(figures.bytes_read ==
                        figures.passes * (info->links_bytes - figures.pinned_bytes));
            assert_true(figures.edge_visits == 3 * info->n_edges);
            if (options.no_pinning) {
                assert_true(figures.pinned_bytes == 0 && figures.degree_bytes_read > 0);
            } else {
                assert_true(figures.pinned_bytes == info->links_bytes);
                const bool is_decoded =
                    options.decode_pinned && info->keys_edges >= info->n_edges / 8;
                assert_true((figures.decoded_bytes > 0) == is_decoded);
            }
            mr_pass_close(pass);
        }
        free(x);
        free(y);
        free(expected);
        free(out);
        free(in);
        drop_store(&f);
    }
}

/* Stored bytes of the blocks that have an active stripe, by looking at every stripe of every
 * block. */
static uint64_t active_bytes(const struct mr_store *store, const uint8_t *active, uint64_t *n_idle)
{
    const struct mr_block_entry *blocks = mr_store_link_blocks(store);
    uint64_t bytes = 0;
    *n_idle = 0;
    for (uint64_t b = 0; b < mr_store_get_info(store)->n_blocks; b++) {
        bool any = false;
        for (uint32_t s = blocks[b].first; s <= blocks[b].last; s++) {
            any |= active[s] != 0;
        }
        bytes += any ? blocks[b].stored_bytes : 0;
        *n_idle += !any;
    }
    return bytes;
}

/* Sources in few stripes: the sums are the same, and blocks without them are not read. */
static void test_blocks_without_active_sources_are_skipped(void **unused)
{
    (void)unused;
    struct fixture f;
    make_store(&f, 6000, 60000, 8, 8, 0);
    const struct mr_store_info *info = mr_store_get_info(f.graph.store);
    const uint64_t length = mr_pass_vector_length(info), n_stripes = mr_pass_stripes(info);
    uint64_t *x = calloc(length, 8), *y = calloc(length, 8), *expected = calloc(length, 8);
    uint8_t *active = calloc(n_stripes, 1);
    unsigned n_partial = 0;
    for (unsigned round = 0; round < 24; round++) {
        const bool no_pinning = round % 2 == 0;
        struct mr_pass_options options = {
            .no_pinning = no_pinning, .decode_pinned = round % 4 == 1, .may_skip = true};
        struct mr_pass *pass;
        struct mr_pass_task run = {.value = MR_VALUE_U64,
                                   .x = x,
                                   .active_stripes = active,
                                   .callback = keep_sums,
                                   .callback_data = y};
        memset(x, 0, length * 8);
        memset(active, 0, n_stripes);
        memset(expected, 0, length * 8);
        for (unsigned i = 0; i < round; i++) { /* none at first, few later */
            const uint32_t v = random_below(f.options.n_vertices);
            x[v] = 1 + random_below(1u << 30);
            active[v >> info->stripe_bits] = (uint8_t)(1 + i);
        }
        for (size_t i = 0; i < f.n_edges; i++) {
            expected[f.edges[i].target] += x[f.edges[i].source];
        }
        f.graph.context.threads = 1 + round % 4;
        assert_int_equal(mr_pass_open(&f.graph.context, f.graph.store, &options, &pass, NULL),
                         MR_OK);
        memset(y, 0xff, length * 8);
        assert_int_equal(mr_pass_run(pass, &run, NULL), MR_OK);
        assert_memory_equal(y, expected, f.options.n_vertices * 8u);
        const struct mr_pass_figures figures = mr_pass_get_figures(pass);
        uint64_t n_idle;
        const uint64_t bytes = active_bytes(f.graph.store, active, &n_idle);
        assert_true(figures.bytes_read == (no_pinning ? bytes : 0));
        assert_true(figures.blocks_skipped == n_idle);
        assert_true(figures.passes == (n_idle == 0) && figures.partial_passes == (n_idle > 0));
        assert_true(round > 0 || n_idle == info->n_blocks);
        n_partial += n_idle > 0 && n_idle < info->n_blocks;
        run.active_stripes = NULL; /* the next run skips nothing */
        assert_int_equal(mr_pass_run(pass, &run, NULL), MR_OK);
        assert_memory_equal(y, expected, f.options.n_vertices * 8u);
        assert_true(mr_pass_get_figures(pass).blocks_skipped == n_idle);
        mr_pass_close(pass);
    }
    assert_true(n_partial >= 10);
    free(x);
    free(y);
    free(expected);
    free(active);
    drop_store(&f);
}

/* A relaxation whose every step a naive loop can repeat: new = 1 + sum / 4096. */
#define GAIN (1.0 / 4096)

static void relax_terms(void *data, const struct mr_pass_band *band, double *sums, double *gain)
{
    (void)data;
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        sums[i] = 1 + GAIN * sums[i];
        gain[i] = GAIN;
    }
}

static void relax_band(void *data, const struct mr_pass_band *band)
{
    (void)data;
    const double *values = band->values;
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        band->steps[i] = (float)(band->relaxed[i] - values[i]);
    }
}

/* How far a band is from the first one of its run. */
static uint32_t step_of_band(uint32_t n_bands, uint32_t n_runs, uint32_t band)
{
    uint32_t first = 0;
    for (uint32_t run = 0; run < n_runs; run++) {
        const uint32_t length = n_bands / n_runs + (run < n_bands % n_runs ? 1 : 0);
        if (band < first + length) {
            return band - first;
        }
        first += length;
    }
    return 0;
}

/* Bands of a wave read the values from before it; then their own newest ones, `rounds` times. */
static void naive_relax(const struct fixture *f, double *x, uint32_t wave, unsigned rounds)
{
    const uint32_t n = f->options.n_vertices;
    const unsigned bits = f->options.band_bits;
    double *old = malloc(n * sizeof *old), *sum = calloc(n, sizeof *sum);
    double *own = calloc(n, sizeof *own);
    const uint32_t n_bands = (n + (1u << bits) - 1) >> bits,
                   n_runs = wave < n_bands ? wave : n_bands;
    for (uint32_t step = 0; step * n_runs < n_bands; step++) {
        memcpy(old, x, n * sizeof *old);
        memset(sum, 0, n * sizeof *sum);
        for (size_t i = 0; i < f->n_edges; i++) {
            const struct test_edge *e = &f->edges[i];
            if (rounds == 0 || e->target >> bits != e->source >> bits) {
                sum[e->target] += old[e->source];
            }
        }
        for (unsigned r = 0; r == 0 || r < rounds; r++) {
            memset(own, 0, n * sizeof *own);
            for (size_t i = 0; i < f->n_edges; i++) {
                const struct test_edge *e = &f->edges[i];
                if (rounds > 0 && e->target >> bits == e->source >> bits) {
                    own[e->target] += x[e->source];
                }
            }
            for (uint32_t v = 0; v < n; v++) {
                if (step_of_band(n_bands, n_runs, v >> bits) == step) {
                    x[v] = 1 + GAIN * (sum[v] + own[v]);
                }
            }
        }
    }
    free(own);
    free(old);
    free(sum);
}

static void run_relax(struct fixture *f, enum mr_queue_backend backend, unsigned threads,
                      bool no_pinning, uint32_t wave, unsigned sweeps, unsigned passes, double *x)
{
    const size_t length = (size_t)mr_pass_vector_length(mr_store_get_info(f->graph.store));
    struct mr_pass_options options = {.no_pinning = no_pinning,
                                      .decode_pinned = threads != 2,
                                      .relaxes = true,
                                      .sweeps = sweeps > 0};
    struct mr_pass *pass;
    float *steps = calloc(length, sizeof *steps);
    struct mr_pass_task run = {.value = MR_VALUE_DOUBLE,
                               .x = x,
                               .relax = true,
                               .wave = wave,
                               .sweeps = sweeps,
                               .terms = relax_terms,
                               .steps = steps,
                               .steps_of_wave = threads == 3, /* which takes less room */
                               .callback = relax_band};
    memset(x, 0, length * sizeof *x);
    f->graph.context.threads = threads;
    f->graph.context.backend = backend;
    assert_int_equal(mr_pass_open(&f->graph.context, f->graph.store, &options, &pass, NULL), MR_OK);
    for (unsigned i = 0; i < passes; i++) {
        assert_int_equal(mr_pass_run(pass, &run, NULL), MR_OK);
    }
    const struct mr_store_info *info = mr_store_get_info(f->graph.store);
    assert_true((mr_pass_get_figures(pass).row_bytes > 0) ==
                (!no_pinning && options.decode_pinned && sweeps > 0 && info->n_diagonal_edges > 0));
    mr_pass_close(pass);
    free(steps);
}

/* Steps are single: so much of a value they may be off. */
#define STEP_ERROR 1e-6

static void test_relaxing_is_the_naive_loop_and_the_same_bits_for_any_threads(void **unused)
{
    (void)unused;
    struct fixture f;
    make_store(&f, 6000, 40000, 8, 8, 0);
    const size_t length = (size_t)mr_pass_vector_length(mr_store_get_info(f.graph.store));
    double *expected = calloc(length, sizeof *expected);
    double *first = malloc(length * sizeof *first), *x = malloc(length * sizeof *x);
    const uint32_t waves[] = {1, 3, 7, 100};
    /* No sweeps, two, and so many that a band is solved. */
    const unsigned sweeps[] = {0, 2, 30};
    for (unsigned k = 0; k < 12; k++) {
        const uint32_t wave = waves[k / 3];
        memset(expected, 0, length * sizeof *expected);
        for (unsigned i = 0; i < 3; i++) {
            naive_relax(&f, expected, wave, sweeps[k % 3]);
        }
        run_relax(&f, MR_QUEUE_AUTO, 1, true, wave, sweeps[k % 3], 3, first);
        for (uint32_t v = 0; v < f.options.n_vertices && sweeps[k % 3] != 2; v++) {
            assert_true(fabs(first[v] - expected[v]) <= STEP_ERROR * expected[v]);
        }
        const unsigned threads[] = {1, 2, 3, 8};
        for (unsigned i = 0; i < 8; i++) {
            run_relax(&f, i % 3 == 0 ? MR_QUEUE_PREAD : MR_QUEUE_AUTO, threads[i % 4], i < 4, wave,
                      sweeps[k % 3], 3, x);
            assert_memory_equal(x, first, length * sizeof *x);
        }
    }
    free(expected);
    free(first);
    free(x);
    drop_store(&f);
}

/* One relaxing pass without sweeps is the naive loop, with the same bits for any number of threads;
 * so with sweeps. */
static void check_one_pass(struct fixture *f, uint32_t wave)
{
    const size_t length = (size_t)mr_pass_vector_length(mr_store_get_info(f->graph.store));
    double *expected = calloc(length, sizeof *expected);
    double *first = malloc(length * sizeof *first), *x = malloc(length * sizeof *x);
    naive_relax(f, expected, wave, 0);
    for (unsigned sweeps = 0; sweeps <= 2; sweeps += 2) {
        run_relax(f, MR_QUEUE_AUTO, 1, true, wave, sweeps, 1, first);
        for (uint32_t v = 0; v < f->options.n_vertices && sweeps == 0; v++) {
            assert_true(fabs(first[v] - expected[v]) <= STEP_ERROR * expected[v]);
        }
        for (unsigned threads = 1; threads <= 12; threads += 1 + threads / 4) {
            run_relax(f, MR_QUEUE_AUTO, threads, threads % 2 == 0, wave, sweeps, 1, x);
            assert_memory_equal(x, first, length * sizeof *x);
        }
    }
    free(expected);
    free(first);
    free(x);
}

/* Bands heavy enough to be cut into segments, a few of which are in work at the same time. */
static void test_segments_of_a_heavy_band_give_the_same_bits(void **unused)
{
    (void)unused;
    struct fixture f;
    make_hub_store(&f, 20000, 3000000, 256, 8, 8, 0);
    assert_true(mr_store_bands(f.graph.store)[0].end_segment >= 3);
    check_one_pass(&f, 2);
    drop_store(&f);
}

/* Passes over a diagonal of several segments: rounding shows the order of the sums. */
static void test_segments_of_a_heavy_diagonal_give_the_same_bits(void **unused)
{
    (void)unused;
    struct fixture f;
    make_store(&f, 5000, 3000000, 12, 12, 0);
    const struct mr_band_entry *band = &mr_store_bands(f.graph.store)[0];
    const uint64_t end = mr_pass_diagonal_end(f.graph.store, 0, band->first_diagonal);
    assert_true(end < band->end_block);
    assert_true(mr_pass_diagonal_end(f.graph.store, 0, end) < band->end_block);
    const size_t length = (size_t)mr_pass_vector_length(mr_store_get_info(f.graph.store));
    double *x = calloc(length, 8), *y = calloc(length, 8);
    double *first = calloc(length, 8), *expected = calloc(length, 8);
    for (uint32_t v = 0; v < f.options.n_vertices; v++) {
        x[v] = 1.0 / (1 + random_below(1000));
    }
    for (size_t i = 0; i < f.n_edges; i++) {
        expected[f.edges[i].target] += x[f.edges[i].source];
    }
    for (unsigned threads = 1; threads <= 8; threads++) {
        const struct mr_pass_options options = {.no_pinning = threads % 2 == 0,
                                                .decode_pinned = threads % 4 == 1};
        const struct mr_pass_task run = {.value = MR_VALUE_DOUBLE,
                                         .x = x,
                                         .callback = keep_sums,
                                         .callback_data = threads == 1 ? first : y};
        struct mr_pass *pass;
        f.graph.context.threads = threads;
        assert_int_equal(mr_pass_open(&f.graph.context, f.graph.store, &options, &pass, NULL),
                         MR_OK);
        assert_int_equal(mr_pass_run(pass, &run, NULL), MR_OK);
        assert_true(mr_pass_get_figures(pass).edge_visits ==
                    mr_store_get_info(f.graph.store)->n_edges);
        mr_pass_close(pass);
        for (uint32_t v = 0; v < f.options.n_vertices; v++) {
            assert_true(fabs(first[v] - expected[v]) <= 1e-12 * expected[v]);
        }
        assert_true(threads == 1 || memcmp(y, first, f.options.n_vertices * sizeof *y) == 0);
    }
    memset(expected, 0, length * 8); /* relaxing, the diagonal applied once */
    naive_relax(&f, expected, 2, 0);
    naive_relax(&f, expected, 2, 0);
    for (unsigned threads = 1; threads <= 8; threads++) {
        run_relax(&f, MR_QUEUE_AUTO, threads, threads % 2 == 0, 2, 0, 2, threads == 1 ? first : y);
        assert_true(threads == 1 || memcmp(y, first, f.options.n_vertices * sizeof *y) == 0);
    }
    for (uint32_t v = 0; v < f.options.n_vertices; v++) {
        assert_true(fabs(first[v] - expected[v]) <= STEP_ERROR * expected[v]);
    }
    free(x);
    free(y);
    free(first);
    free(expected);
    drop_store(&f);
}

static atomic_bool delay_wanted;
static uint64_t delay_offset;

/* Holds up, once, the thread that reads ahead the first block of the second segment: between
 * claiming the first two and starting either. */
static int delay_second_segment(void *self, int fd, uint64_t bytes, uint64_t offset)
{
    (void)self, (void)fd, (void)bytes;
    if (offset == delay_offset && atomic_exchange(&delay_wanted, false)) {
        const struct timespec pause = {.tv_nsec = 200000000};
        (void)nanosleep(&pause, NULL);
    }
    return 0;
}

static void no_destroy(void *self)
{
    (void)self;
}

/* Other threads must not take so many accumulators for later segments that the first ones, claimed
 * by a thread that was held up, can never start. */
static void test_a_thread_held_up_before_its_segments_locks_nobody_out(void **unused)
{
    (void)unused;
    struct fixture f;
    make_hub_store(&f, 20000, 6000000, 256, 8, 8, 0);
    assert_true(mr_store_bands(f.graph.store)[0].end_segment >= 6);
    const size_t length = (size_t)mr_pass_vector_length(mr_store_get_info(f.graph.store));
    double *first = malloc(length * sizeof *first), *x = malloc(length * sizeof *x);
    run_relax(&f, MR_QUEUE_AUTO, 1, true, 2, 2, 1, first);
    delay_offset =
        mr_store_link_blocks(f.graph.store)[mr_store_segment_ends(f.graph.store)[0]].offset;

    void *self;
    struct mr_io_table table = *mr_io_table_of(f.graph.context.io, &self);
    struct mr_io *io, *real = f.graph.context.io;
    table.before_read = delay_second_segment;
    table.destroy = no_destroy;
    assert_int_equal(mr_io_create(&table, self, &io, NULL), MR_OK);
    mr_store_close(f.graph.store);
    f.graph.context.io = io;
    assert_int_equal(mr_store_open(&f.graph.context, f.graph.path, &f.graph.store, NULL), MR_OK);
    for (unsigned threads = 2; threads <= 4; threads++) {
        atomic_store(&delay_wanted, true);
        run_relax(&f, MR_QUEUE_AUTO, threads, true, 2, 2, 1, x);
        assert_memory_equal(x, first, length * sizeof *x);
    }
    mr_store_close(f.graph.store);
    f.graph.store = NULL;
    mr_io_destroy(io);
    f.graph.context.io = real;
    free(first);
    free(x);
    drop_store(&f);
}

static void test_a_failing_disk_stops_the_pass_with_its_error(void **unused)
{
    (void)unused;
    struct fixture f;
    make_store(&f, 6000, 200000, 9, 9, 0);
    const size_t length = (size_t)mr_pass_vector_length(mr_store_get_info(f.graph.store));
    double *x = calloc(length, sizeof *x);
    float *steps = calloc(length, sizeof *steps);
    for (uint64_t at = 1;; at += 3) {
        struct mr_io *real, *io;
        struct mr_fault_plan plan = {
            .kind = MR_FAULT_ERROR, .operations = MR_FAULT_ON_READ, .at = at, .error_number = EIO};
        assert_int_equal(mr_io_create_real(&real, NULL), MR_OK);
        assert_int_equal(mr_io_create_fault(real, &plan, &io, NULL), MR_OK);
        struct mr_context context = f.graph.context;
        context.io = io;
        context.threads = 1 + (unsigned)(at % 4);
        struct mr_store *store = NULL;
        struct mr_pass *pass = NULL;
        struct mr_error error = {0};
        struct mr_pass_options options = {.relaxes = true,
                                          .sweeps = true,
                                          .no_pinning = at % 2 == 0,
                                          .decode_pinned = at % 4 == 1};
        struct mr_pass_task run = {.value = MR_VALUE_DOUBLE,
                                   .x = x,
                                   .out_degrees = true,
                                   .relax = true,
                                   .wave = 2,
                                   .sweeps = 2,
                                   .terms = relax_terms,
                                   .steps = steps,
                                   .callback = relax_band};
        enum mr_status status = mr_store_open(&context, f.graph.path, &store, &error);
        if (status == MR_OK) {
            status = mr_pass_open(&context, store, &options, &pass, &error);
        }
        if (status == MR_OK) {
            status = mr_pass_run(pass, &run, &error);
        }
        if (status != MR_OK) {
            assert_int_equal(status, MR_ERROR_RUNTIME);
            assert_int_equal(error.os_errno, EIO);
        }
        mr_pass_close(pass);
        mr_store_close(store);
        bool is_past_the_end = mr_io_fault_count(io) < at;
        mr_io_destroy(io);
        if (is_past_the_end) {
            assert_int_equal(status, MR_OK);
            break;
        }
    }
    free(steps);
    free(x);
    drop_store(&f);
}

static void test_an_interrupt_stops_the_pass(void **unused)
{
    (void)unused;
    struct fixture f;
    make_store(&f, 6000, 50000, 9, 9, 0);
    volatile sig_atomic_t cancel = 1;
    struct mr_context context = f.graph.context;
    const size_t length = (size_t)mr_pass_vector_length(mr_store_get_info(f.graph.store));
    double *x = calloc(length, sizeof *x);
    float *steps = calloc(length, sizeof *steps);
    struct mr_pass_options options = {.relaxes = true, .no_pinning = true};
    struct mr_pass_task run = {.value = MR_VALUE_DOUBLE,
                               .x = x,
                               .relax = true,
                               .wave = 1,
                               .terms = relax_terms,
                               .steps = steps,
                               .callback = relax_band};
    struct mr_pass *pass;
    context.threads = 3;
    assert_int_equal(mr_pass_open(&context, f.graph.store, &options, &pass, NULL), MR_OK);
    context.cancel = &cancel;
    assert_int_equal(mr_pass_run(pass, &run, NULL), MR_INTERRUPTED);
    cancel = 0;
    assert_int_equal(mr_pass_run(pass, &run, NULL), MR_OK);
    mr_pass_close(pass);
    free(steps);
    free(x);
    drop_store(&f);
}

static void test_little_memory_means_fewer_threads_then_an_error_with_a_name(void **unused)
{
    (void)unused;
    struct fixture f;
    make_store(&f, 6000, 100000, 16, 16, 0);
    struct mr_context context = f.graph.context;
    struct mr_pass_options options = {.relaxes = true, .sweeps = true};
    struct mr_pass *pass;
    struct mr_store *store;
    struct mr_error error = {0};
    context.threads = 64;
    assert_int_equal(mr_memory_create(UINT64_C(32) << 20, &context.memory, NULL), MR_OK);
    assert_int_equal(mr_store_open(&context, f.graph.path, &store, NULL), MR_OK);
    assert_int_equal(mr_pass_open(&context, store, &options, &pass, NULL), MR_OK);
    assert_true(mr_pass_get_figures(pass).threads < 64);
    mr_pass_close(pass);
    void *hog;
    uint64_t most = mr_memory_available(context.memory) - (UINT64_C(1) << 20);
    assert_int_equal(mr_memory_alloc(context.memory, "hog", most, &hog, NULL), MR_OK);
    assert_int_equal(mr_pass_open(&context, store, &options, &pass, &error), MR_ERROR_BUDGET);
    assert_non_null(strstr(error.message, "hog"));
    mr_memory_free(context.memory, hog);
    mr_store_close(store);
    mr_memory_destroy(context.memory);
    drop_store(&f);
}

/* Every tile of corners: the same exact sums. */
static void test_corner_tiles(void **state_of_test)
{
    encoding = MR_ENCODING_CORNERS;
    test_sums_and_degrees_are_those_of_the_edge_list(state_of_test);
    encoding = MR_ENCODING_AUTO;
}

TEST_MAIN(cmocka_unit_test(test_sums_and_degrees_are_those_of_the_edge_list),
          cmocka_unit_test(test_corner_tiles),
          cmocka_unit_test(test_blocks_without_active_sources_are_skipped),
          cmocka_unit_test(test_relaxing_is_the_naive_loop_and_the_same_bits_for_any_threads),
          cmocka_unit_test(test_segments_of_a_heavy_band_give_the_same_bits),
          cmocka_unit_test(test_segments_of_a_heavy_diagonal_give_the_same_bits),
          cmocka_unit_test(test_a_thread_held_up_before_its_segments_locks_nobody_out),
          cmocka_unit_test(test_a_failing_disk_stops_the_pass_with_its_error),
          cmocka_unit_test(test_an_interrupt_stops_the_pass),
          cmocka_unit_test(test_little_memory_means_fewer_threads_then_an_error_with_a_name))
