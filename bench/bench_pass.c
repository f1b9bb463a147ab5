/* SPDX-License-Identifier: Apache-2.0 */
/* The whole-pass benchmark. It compares one pass over all edges of a store, from memory and from
 * disk, with a plain CSR pull over the same graph, with the same vertex ids and threads, in one
 * run.
 *
 * Each round measures, one after the other: the pull; the pinned pass with its edges decoded in
 * memory as far as they fit; the same with encoded blocks; the cold pass (O_DIRECT, or with the
 * cache dropped); and the disk alone. If the machine is slow for a while, all of them are slow, so
 * ratios are computed for each round. A first round does not count. Both sides have arrays from the
 * same allocator, on huge pages where the system has them, and write their sums in the precision of
 * the values. The sums must agree.
 *
 * --relax adds two measurements: passes that update x in place, band by band, read the out-degrees
 * as a stream and apply the diagonal tiles several times. Their callback returns the values
 * unchanged, so that the sums can be compared with the same pull. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "algorithms/base/relaxation.h"
#include "bench/pass_csr.h"
#include "bench/pass_disk.h"
#include "bench/pass_options.h"
#include "bench/pass_report.h"
#include "engine/base/clock.h"
#include "engine/base/memory.h"
#include "engine/io/io.h"

/* Reads in flight per thread. On a virtual disk of 2 GB/s, 8, 32 and 64 took the same time. */
#define DISK_DEPTH 32u

/* A sample of a small graph takes several passes, so that the clock is exact enough. */
#define SAMPLE_SECONDS 0.05

/* A round is disturbed when other programs take more than this share of the processors. */
#define MAX_OTHERS 0.05

struct bench {
    struct bench_options options;
    struct mr_context context;
    struct mr_store *store;
    struct bench_csr csr;
    struct bench_disk *disk;
    struct mr_pass *pinned, *encoded, *cold;
    void *x, *y_pull, *y_pass; /* float or double */
    float *steps; /* of relaxing passes */
    double *y_exact;
    struct bench_report report;
};

/* Processor time of this process. */
static double cpu_seconds(void)
{
    struct timespec time;

    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Seconds that the processors of the machine were busy for any program; 0 if unknown. */
static double busy_seconds(void)
{
    unsigned long long user = 0, nice = 0, system = 0, idle, wait, irq = 0, softirq = 0, steal = 0;
    FILE *file = fopen("/proc/stat", "r");

    if (file == NULL) {
        return 0;
    }
    if (fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system, &idle,
               &wait, &irq, &softirq, &steal) != 8) {
        user = nice = system = irq = softirq = steal = 0;
    }
    (void)fclose(file);
    return (double)(user + nice + system + irq + softirq + steal) / (double)sysconf(_SC_CLK_TCK);
}

static size_t value_bytes(const struct bench *bench)
{
    return bench->options.value == MR_VALUE_FLOAT ? sizeof(float) : sizeof(double);
}

static void print_note(void *data, const char *text)
{
    (void)data;
    (void)fprintf(stderr, "bench_pass: %s\n", text);
}

/* y = acc, the cheapest possible callback. A relaxing pass returns its values unchanged. */
static void write_sums(void *data, const struct mr_pass_band *band)
{
    const struct bench *bench = data;
    const double *sums = band->accumulator;

    if (bench->options.value == MR_VALUE_FLOAT) {
        float *y = (float *)bench->y_pass + band->first_vertex;

        for (uint32_t i = 0; i < band->n_vertices; i++) {
            y[i] = (float)sums[i];
        }
    } else {
        memcpy((double *)bench->y_pass + band->first_vertex, sums, band->n_vertices * sizeof *sums);
    }
}

/* x stays what it is. */
static void keep_values(void *data, const struct mr_pass_band *band)
{
    (void)data;
    memset(band->steps, 0, band->n_vertices * sizeof *band->steps);
}

static void set_gains(void *data, const struct mr_pass_band *band, double *sums, double *gain)
{
    (void)data;
    (void)sums;
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        gain[i] = 0.85 / ((double)band->out_degree[i] + 1);
    }
}

static enum mr_status run_pass(struct bench *bench, struct mr_pass *pass, bool relax,
                               struct mr_error *err)
{
    const struct mr_pass_task run = {.value = bench->options.value,
                                     .x = bench->x,
                                     .out_degrees = relax,
                                     .relax = relax,
                                     .wave = relax ? bench->options.wave : 0,
                                     .sweeps = relax ? bench->options.sweeps : 0,
                                     .terms = relax ? set_gains : NULL,
                                     .steps = bench->steps,
                                     .callback = relax ? keep_values : write_sums,
                                     .callback_data = bench};
    const uint64_t visits = mr_pass_get_figures(pass).edge_visits;
    enum mr_status status = mr_pass_run(pass, &run, err);

    if (relax) {
        bench->report.relax_visits = mr_pass_get_figures(pass).edge_visits - visits;
    }
    return status;
}

static void pull(struct bench *bench)
{
    if (bench->options.value == MR_VALUE_FLOAT) {
        bench_csr_pull_float(&bench->csr, bench->options.threads, bench->x, bench->y_pull);
    } else {
        bench_csr_pull_double(&bench->csr, bench->options.threads, bench->x, bench->y_pull);
    }
}

static enum mr_status run_kind(struct bench *bench, enum bench_pass_kind kind, struct mr_error *err)
{
    switch (kind) {
    case BENCH_PULL:
        pull(bench);
        return MR_OK;
    case BENCH_PINNED:
    case BENCH_PINNED_RELAX:
        return run_pass(bench, bench->pinned, kind == BENCH_PINNED_RELAX, err);
    case BENCH_ENCODED:
        return run_pass(bench, bench->encoded, false, err);
    case BENCH_COLD:
    case BENCH_COLD_RELAX:
        return run_pass(bench, bench->cold, kind == BENCH_COLD_RELAX, err);
    case BENCH_DISK:
        return bench_disk_run(bench->disk, err);
    case BENCH_PASS_KINDS:
        break;
    }
    return MR_OK;
}

/* The largest relative difference between the result of a pass and the exact sums. */
static double difference(const struct bench *bench)
{
    double largest = 0;

    for (uint64_t v = 0; v < bench->csr.n_vertices; v++) {
        const double expected = bench->y_exact[v];
        const double found = bench->options.value == MR_VALUE_FLOAT ? ((float *)bench->y_pass)[v]
                                                                    : ((double *)bench->y_pass)[v];
        const double off = fabs(found - expected);

        if (!(off == 0)) {
            const double relative = expected > 0 ? off / expected : INFINITY;

            largest = relative > largest || isnan(relative) ? relative : largest;
        }
    }
    return largest;
}

/* Checks that both sides have done the same work. Otherwise a comparison means nothing. */
static enum mr_status check_sums(struct bench *bench, enum bench_pass_kind kind,
                                 struct mr_error *err)
{
    /* Corner tiles cut values off at 2^-61 of the sum of their stripe, which is a larger part of
     * the smallest sums. */
    const bool is_exact = mr_store_get_info(bench->store)->corners.edges == 0;
    const double tolerance = bench->options.value == MR_VALUE_FLOAT ? 1e-6
                             : is_exact                             ? 1e-12
                                                                    : 1e-9;

    if (kind == BENCH_PULL || kind == BENCH_DISK) {
        return MR_OK;
    }
    const double found = difference(bench);
    if (!(found <= tolerance)) {
        return mr_error_set(err, MR_ERROR_RUNTIME,
                            "the sums of the pass and of the pull differ by %.3g, relative", found);
    }
    bench->report.largest_difference = fmax(bench->report.largest_difference, found);
    memset(bench->y_pass, 0xff, bench->csr.n_vertices * value_bytes(bench)); /* NaN */
    return MR_OK;
}

/* One sample of one kind. The sums are checked outside of the measured time. */
static enum mr_status run_sample(struct bench *bench, enum bench_pass_kind kind, unsigned run,
                                 struct mr_error *err)
{
    const unsigned repeats = bench->report.repeats;
    enum mr_status status = MR_OK;

    bench_disk_drop_cache(bench->store);
    const double start = mr_now(), cpu_start = cpu_seconds();
    for (unsigned i = 0; i < repeats && status == MR_OK; i++) {
        status = run_kind(bench, kind, err);
    }
    bench->report.seconds[kind][run] = (mr_now() - start) / repeats;
    bench->report.cpu_seconds[kind][run] = (cpu_seconds() - cpu_start) / repeats;
    return status == MR_OK ? check_sums(bench, kind, err) : status;
}

/* Measure all kinds, one after the other, and the share of the machine that other programs took. */
static enum mr_status run_round(struct bench *bench, unsigned run, struct mr_error *err)
{
    const unsigned n_kinds = bench->options.relax ? BENCH_PASS_KINDS : BENCH_PINNED_RELAX;
    const double start = mr_now(), cpu_start = cpu_seconds();
    const double busy_start = busy_seconds();
    enum mr_status status = MR_OK;

    for (unsigned kind = 0; kind < n_kinds && status == MR_OK; kind++) {
        status = run_sample(bench, kind, run, err);
    }
    const double own = cpu_seconds() - cpu_start;
    const double others = busy_seconds() - busy_start - own;
    const double all = (mr_now() - start) * (double)sysconf(_SC_NPROCESSORS_ONLN);
    bench->report.others[run] = fmax(others, 0) / all;
    return status;
}

/* Checks that the cold pass has read everything each time, and the pinned pass only what was not
 * pinned. */
static enum mr_status check_bytes(const struct bench *bench, struct mr_error *err)
{
    const uint64_t links = mr_store_get_info(bench->store)->links_bytes;
    const struct mr_pass_figures cold = mr_pass_get_figures(bench->cold);
    const struct mr_pass_figures pinned = mr_pass_get_figures(bench->pinned);

    if (cold.bytes_read != cold.passes * links ||
        pinned.bytes_read != pinned.passes * (links - pinned.pinned_bytes)) {
        return mr_error_set(err, MR_ERROR_RUNTIME,
                            "bytes read do not add up: %" PRIu64 " in %" PRIu64
                            " cold passes, %" PRIu64 " in %" PRIu64 " pinned ones",
                            cold.bytes_read, cold.passes, pinned.bytes_read, pinned.passes);
    }
    return MR_OK;
}

/* x is that of PageRank's first pass: the share of a vertex for each of its edges. */
static enum mr_status make_vectors(struct bench *bench, struct mr_error *err)
{
    const bool is_float = bench->options.value == MR_VALUE_FLOAT;
    const uint64_t n = bench->csr.n_vertices;
    const uint64_t length = mr_pass_vector_length(mr_store_get_info(bench->store));
    const struct mr_memory_wanted arrays[] = {
        {"values", length, value_bytes(bench), &bench->x},
        {"sums", length, value_bytes(bench), &bench->y_pull},
        {"sums", length, value_bytes(bench), &bench->y_pass},
        MR_WANTED("steps", length, &bench->steps),
        MR_WANTED("exact sums", n, &bench->y_exact),
    };
    enum mr_status status = mr_memory_arrays(bench->context.memory, arrays, err);

    if (status != MR_OK) {
        return status;
    }
    for (uint64_t v = 0; v < n; v++) {
        const uint32_t degree = bench->csr.out_degrees[v];
        const double share = 1.0 / (double)n / (double)(degree == 0 ? 1 : degree);

        if (is_float) {
            ((float *)bench->x)[v] = (float)share;
        } else {
            ((double *)bench->x)[v] = share;
        }
    }
    if (is_float) {
        bench_csr_pull_exact(&bench->csr, bench->options.threads, bench->x, bench->y_exact);
    } else {
        bench_csr_pull_double(&bench->csr, bench->options.threads, bench->x, bench->y_exact);
    }
    return MR_OK;
}

/* Open the cold pass and the disk's queues first, then the pass with encoded edges. Decoded edges
 * take the rest of the memory. */
static enum mr_status open_passes(struct bench *bench, struct mr_error *err)
{
    struct mr_pass_options options = {
        .no_pinning = true, .relaxes = bench->options.relax, .sweeps = bench->options.relax};
    enum mr_status status =
        mr_pass_open(&bench->context, bench->store, &options, &bench->cold, err);

    if (status == MR_OK) {
        status = bench_disk_open(&bench->context, bench->store, DISK_DEPTH, &bench->disk, err);
    }
    options.no_pinning = false;
    if (status == MR_OK) {
        options.leave_bytes = mr_pass_minimum_memory(mr_store_get_info(bench->store), &options) +
                              mr_pass_pinned_memory(bench->store, false);
        status = mr_pass_open(&bench->context, bench->store, &options, &bench->encoded, err);
    }
    options.leave_bytes = 0;
    options.decode_pinned = true;
    if (status == MR_OK) {
        status = mr_pass_open(&bench->context, bench->store, &options, &bench->pinned, err);
    }
    return status;
}

/* Sleep until other programs leave the processors alone for half a second, or until the
 * deadline. */
static void wait_for_calm(double deadline)
{
    const struct timespec half = {.tv_nsec = 500000000};
    const double most = 0.5 * MAX_OTHERS * (double)sysconf(_SC_NPROCESSORS_ONLN);
    double busy;

    do {
        busy = busy_seconds();
        (void)nanosleep(&half, NULL);
        busy = busy_seconds() - busy;
    } while (busy > most && mr_now() < deadline);
}

/* One round that does not count, then the rounds that do. A disturbed round is repeated while the
 * patience lasts. The activity of other programs decides whether a round was disturbed; its
 * measured times do not. */
static enum mr_status measure(struct bench *bench, struct mr_error *err)
{
    const double deadline = mr_now() + bench->options.patience;
    struct bench_report *report = &bench->report;

    report->repeats = 1;
    enum mr_status status = run_round(bench, 0, err);
    report->repeats = 1 + (unsigned)(SAMPLE_SECONDS / fmax(report->seconds[BENCH_PULL][0], 1e-6));
    for (unsigned run = 0; run < bench->options.runs && status == MR_OK;) {
        if (bench->options.patience > 0) {
            wait_for_calm(deadline);
        }
        status = run_round(bench, run, err);
        if (report->others[run] > MAX_OTHERS && mr_now() < deadline) {
            report->disturbed++;
        } else {
            run++;
        }
    }
    return status == MR_OK ? check_bytes(bench, err) : status;
}

static enum mr_status open_all(struct bench *bench, struct mr_error *err)
{
    const struct bench_options *options = &bench->options;
    enum mr_status status =
        mr_memory_create(mr_memory_of_machine() / 10 * 9, &bench->context.memory, err);

    if (status == MR_OK) {
        status = mr_io_create_real(&bench->context.io, err);
    }
    bench->context.threads = options->threads;
    bench->context.backend = options->backend;
    bench->context.note = print_note;
    if (status == MR_OK) {
        status = mr_store_open(&bench->context, options->store_path, &bench->store, err);
    }
    if (status == MR_OK && mr_store_get_info(bench->store)->n_edges == 0) {
        status = mr_error_file(err, MR_ERROR_USAGE, options->store_path, 0,
                               "has no links to measure with");
    }
    if (status == MR_OK) {
        const struct mr_store_info *info = mr_store_get_info(bench->store);

        bench->options.wave = options->wave > 0 ? options->wave : mr_relaxation_wave(info);
        bench->options.sweeps = options->sweeps > 0 ? options->sweeps : mr_relaxation_sweeps(info);
    }
    if (status == MR_OK && options->schedule) {
        return MR_OK;
    }
    if (status == MR_OK) {
        status = bench_csr_load(&bench->context, bench->store, &bench->csr, err);
    }
    if (status == MR_OK) {
        status = make_vectors(bench, err);
    }
    return status == MR_OK ? open_passes(bench, err) : status;
}

static void close_all(struct bench *bench)
{
    struct mr_memory *memory = bench->context.memory;

    mr_pass_close(bench->pinned);
    mr_pass_close(bench->encoded);
    bench_disk_close(bench->disk);
    mr_pass_close(bench->cold);
    if (memory != NULL) {
        mr_memory_free(memory, bench->y_exact);
        mr_memory_free(memory, bench->steps);
        mr_memory_free(memory, bench->y_pass);
        mr_memory_free(memory, bench->y_pull);
        mr_memory_free(memory, bench->x);
        bench_csr_free(memory, &bench->csr);
    }
    mr_store_close(bench->store);
    mr_io_destroy(bench->context.io);
    mr_memory_destroy(memory);
}

static void fill_report(struct bench *bench)
{
    struct bench_report *report = &bench->report;

    report->store_path = bench->options.store_path;
    report->info = mr_store_get_info(bench->store);
    report->value = bench->options.value;
    report->threads = bench->options.threads;
    report->runs = bench->options.runs;
    report->wave = bench->options.relax ? bench->options.wave : 0;
    report->sweeps = bench->options.sweeps;
    report->csr_bytes = bench_csr_bytes(&bench->csr);
    report->pinned = mr_pass_get_figures(bench->pinned);
    report->store = bench->store;
    report->cold = mr_pass_get_figures(bench->cold);
}

static enum mr_status run(struct bench *bench, struct mr_error *err)
{
    enum mr_status status = open_all(bench, err);

    if (status == MR_OK && bench->options.schedule) {
        bench_report_schedule(bench->store, bench->options.wave, bench->options.sweeps);
        close_all(bench);
        return MR_OK;
    }
    if (status == MR_OK) {
        status = measure(bench, err);
    }
    if (status == MR_OK) {
        fill_report(bench);
        bench_report_print(&bench->report);
    }
    if (status == MR_OK && bench->options.json_path != NULL) {
        status = bench_report_write(&bench->report, bench->options.json_path, err);
    }
    close_all(bench);
    return status;
}

int main(int argc, char **argv)
{
    static struct bench bench;
    struct mr_error err = {0};
    char text[1536];

    if (!bench_options_parse(argc, argv, &bench.options)) {
        return MR_ERROR_USAGE;
    }
    enum mr_status status = run(&bench, &err);
    if (status != MR_OK) {
        (void)fprintf(stderr, "bench_pass: %s\n", mr_error_text(&err, text, sizeof text));
    }
    return (int)status;
}
