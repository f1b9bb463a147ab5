/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the measured times of bench_pass into medians and ratios, and prints them as a table and as
 * JSON. */
#include "bench/pass_report.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <jansson.h>

#include "bench/pass_schedule.h"
#include "engine/tile/keys.h"

struct summary {
    double median, min, max;
};

static const char *const kind_names[BENCH_PASS_KINDS] = {
    "CSR pull",   "pinned pass",      "pinned, encoded", "cold pass",
    "disk alone", "pinned, relaxing", "cold, relaxing"};
static const char *const kind_keys[BENCH_PASS_KINDS] = {"pull", "pinned",       "encoded",   "cold",
                                                        "disk", "pinned_relax", "cold_relax"};

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static struct summary summarize(const double *values, unsigned n)
{
    double sorted[BENCH_MAX_RUNS];

    memcpy(sorted, values, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare);
    return (struct summary){.median = n % 2 == 1 ? sorted[n / 2]
                                                 : (sorted[n / 2 - 1] + sorted[n / 2]) / 2,
                            .min = sorted[0],
                            .max = sorted[n - 1]};
}

/* The ratio is computed for each round, because a slow machine slows down both. */
static struct summary ratio(const struct bench_report *report, enum bench_pass_kind over,
                            enum bench_pass_kind under)
{
    double ratios[BENCH_MAX_RUNS];

    for (unsigned run = 0; run < report->runs; run++) {
        ratios[run] = report->seconds[over][run] / report->seconds[under][run];
    }
    return summarize(ratios, report->runs);
}

/* The shortest time: the speed of the machine when nothing else runs. */
static double best(const struct bench_report *report, enum bench_pass_kind kind)
{
    return summarize(report->seconds[kind], report->runs).min;
}

/* The time of the cold pass relative to its lower limit, the slower of the disk and the pinned
 * pass. */
static struct summary cold_share(const struct bench_report *report, enum bench_pass_kind pinned,
                                 enum bench_pass_kind cold)
{
    double shares[BENCH_MAX_RUNS];

    for (unsigned run = 0; run < report->runs; run++) {
        const double disk = report->seconds[BENCH_DISK][run];
        const double compute = report->seconds[pinned][run];

        shares[run] = (disk > compute ? disk : compute) / report->seconds[cold][run];
    }
    return summarize(shares, report->runs);
}

static struct summary ns_per_edge(const struct bench_report *report, const double *seconds)
{
    struct summary summary = summarize(seconds, report->runs);
    const double scale = 1e9 / (double)report->info->n_edges;

    return (struct summary){summary.median * scale, summary.min * scale, summary.max * scale};
}

/* The bytes of the graph that one run of this kind reads. */
static uint64_t bytes_of(const struct bench_report *report, enum bench_pass_kind kind)
{
    const bool is_pinned = kind == BENCH_PINNED || kind == BENCH_PINNED_RELAX;
    return kind == BENCH_PULL                              ? report->csr_bytes
           : is_pinned && report->pinned.decoded_bytes > 0 ? report->pinned.decoded_bytes
                                                           : report->info->links_bytes;
}

static unsigned n_kinds(const struct bench_report *report)
{
    return report->wave > 0 ? BENCH_PASS_KINDS : BENCH_PINNED_RELAX;
}

static double pinned_share(const struct bench_report *report)
{
    return (double)report->pinned.pinned_bytes / (double)report->info->links_bytes;
}

/* Share of the time of all threads in all cold passes, also relaxing ones. */
static double cold_wait_share(const struct bench_report *report)
{
    const struct mr_pass_figures *cold = &report->cold;

    return cold->wait_seconds / (cold->seconds * cold->threads);
}

/* Share of the time of all threads in all pinned passes, also relaxing ones: threads that wait for
 * each other. */
static double idle_share(const struct bench_report *report)
{
    const struct mr_pass_figures *pinned = &report->pinned;

    return pinned->idle_seconds / (pinned->seconds * pinned->threads);
}

static const unsigned schedule_threads[] = {1, 2, 4, 8, 16, 32, 64, 128};
enum { N_SCHEDULES = sizeof schedule_threads / sizeof schedule_threads[0] };

static void print_schedule(const struct mr_store *store, const char *label,
                           const struct bench_schedule *schedule)
{
    (void)printf("  threads busy %s, by counting links:", label);
    for (unsigned i = 0; i < N_SCHEDULES; i++) {
        (void)printf("%s %u: %.0f%%", i == 0 ? "" : ",", schedule_threads[i],
                     100 * bench_schedule_efficiency(store, schedule_threads[i], schedule));
    }
    (void)printf("\n");
}

void bench_report_schedule(const struct mr_store *store, uint32_t wave, unsigned sweeps)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    const struct bench_schedule relaxing = {
        .wave = wave, .sweeps = sweeps, .n_bands = info->n_source_bands};

    (void)printf("%u bands, %u of the core; waves of %u bands, %u sweeps\n", info->n_bands,
                 info->n_source_bands, wave < info->n_source_bands ? wave : info->n_source_bands,
                 sweeps);
    print_schedule(store, "in a pass", &(const struct bench_schedule){0});
    print_schedule(store, "in a relaxing pass", &relaxing);
}

static const char *value_name(enum mr_value value)
{
    return value == MR_VALUE_FLOAT ? "float" : "double";
}

static const char *backend_name(enum mr_queue_backend backend)
{
    return backend == MR_QUEUE_URING ? "io_uring" : "pread";
}

static void print_ratio(const char *text, struct summary summary, double best)
{
    (void)printf("  %-44s %6.2f  (%.2f .. %.2f), best over best %.2f\n", text, summary.median,
                 summary.min, summary.max, best);
}

static void print_quotient(const struct bench_report *report, const char *text,
                           enum bench_pass_kind over, enum bench_pass_kind under)
{
    print_ratio(text, ratio(report, over, under), best(report, over) / best(report, under));
}

static void print_cold_share(const struct bench_report *report, const char *text,
                             enum bench_pass_kind pinned, enum bench_pass_kind cold)
{
    const double limit = fmax(best(report, BENCH_DISK), best(report, pinned));

    print_ratio(text, cold_share(report, pinned, cold), limit / best(report, cold));
}

void bench_report_print(const struct bench_report *report)
{
    const struct mr_store_info *info = report->info;
    const struct summary others = summarize(report->others, report->runs);

    (void)printf("%s: %" PRIu64 " vertices, %" PRIu64 " edges, %" PRIu32 " bands of 2^%u, stripes "
                 "of 2^%u, %" PRIu64 " blocks, %s\n",
                 report->store_path, info->n_vertices, info->n_edges, info->n_bands,
                 info->band_bits, info->stripe_bits, info->n_blocks,
                 info->zstd_level > 0 ? "zstd" : "plain");
    (void)printf("%u threads, %s values, decoder %s, %s%s%s, %.0f%% pinned%s\n", report->threads,
                 value_name(report->value), mr_keys_decoder_name(),
                 backend_name(report->cold.backend), report->cold.direct ? ", O_DIRECT" : "",
                 report->cold.registered_buffers ? ", registered buffers" : "",
                 100 * pinned_share(report), report->pinned.decoded_bytes > 0 ? ", decoded" : "");
    (void)printf("%u rounds of %u each, other programs took %.0f%% of the processors (at most "
                 "%.0f%%); %u disturbed rounds not counted\n",
                 report->runs, report->repeats, 100 * others.median, 100 * others.max,
                 report->disturbed);
    (void)printf("  %-18s %8s %8s %8s %8s %8s %12s\n", "", "ns/edge", "min", "max", "CPU ns",
                 "GB/s", "bytes/edge");
    for (unsigned kind = 0; kind < n_kinds(report); kind++) {
        const struct summary ns = ns_per_edge(report, report->seconds[kind]);
        const struct summary cpu = ns_per_edge(report, report->cpu_seconds[kind]);
        const double bytes = (double)bytes_of(report, kind) / (double)info->n_edges;

        (void)printf("  %-18s %8.3f %8.3f %8.3f %8.3f %8.2f %12.3f\n", kind_names[kind], ns.median,
                     ns.min, ns.max, cpu.median, bytes / ns.median, bytes);
    }
    print_quotient(report, "pull / pinned", BENCH_PULL, BENCH_PINNED);
    print_quotient(report, "pull / cold", BENCH_PULL, BENCH_COLD);
    print_quotient(report, "pinned, encoded / pinned", BENCH_ENCODED, BENCH_PINNED);
    print_cold_share(report, "slower of disk and pinned / cold", BENCH_PINNED, BENCH_COLD);
    print_cold_share(report, "slower of disk and encoded / cold", BENCH_ENCODED, BENCH_COLD);
    (void)printf("  the cold pass waits for the disk in %.0f%% of its threads' time\n",
                 100 * cold_wait_share(report));
    (void)printf("  threads of the pinned pass wait for one another in %.1f%% of their time\n",
                 100 * idle_share(report));
    print_schedule(report->store, "in a pass", &(const struct bench_schedule){0});
    if (report->wave > 0) {
        const struct bench_schedule relaxing = {.wave = report->wave, .sweeps = report->sweeps};

        print_schedule(report->store, "in a relaxing pass", &relaxing);
        print_quotient(report, "pinned relaxing / pinned", BENCH_PINNED_RELAX, BENCH_PINNED);
        print_cold_share(report, "slower of disk and pinned / cold, relaxing", BENCH_PINNED_RELAX,
                         BENCH_COLD_RELAX);
        (void)printf("  relaxing: waves of %u bands, %u sweeps, %.2f links applied per link read\n",
                     report->wave, report->sweeps,
                     (double)report->relax_visits / (double)info->n_edges);
    }
    (void)printf("  sums agree to %.1e\n", report->largest_difference);
}

static json_t *json_schedule(const struct bench_report *report, const struct bench_schedule *of)
{
    json_t *schedule = json_object();
    char threads[16];

    for (unsigned i = 0; i < N_SCHEDULES; i++) {
        (void)snprintf(threads, sizeof threads, "%u", schedule_threads[i]);
        (void)json_object_set_new(
            schedule, threads,
            json_real(bench_schedule_efficiency(report->store, schedule_threads[i], of)));
    }
    return schedule;
}

static json_t *json_summary(struct summary summary)
{
    return json_pack("{sfsfsf}", "median", summary.median, "min", summary.min, "max", summary.max);
}

static json_t *json_kind(const struct bench_report *report, enum bench_pass_kind kind)
{
    json_t *seconds = json_array();

    for (unsigned run = 0; run < report->runs; run++) {
        (void)json_array_append_new(seconds, json_real(report->seconds[kind][run]));
    }
    return json_pack("{sIsososo}", "bytes", (json_int_t)bytes_of(report, kind), "ns_per_edge",
                     json_summary(ns_per_edge(report, report->seconds[kind])), "cpu_ns_per_edge",
                     json_summary(ns_per_edge(report, report->cpu_seconds[kind])), "seconds",
                     seconds);
}

static json_t *json_store(const struct bench_report *report)
{
    const struct mr_store_info *info = report->info;

    return json_pack("{sssIsIsIsIsisisisi}", "path", report->store_path, "vertices",
                     (json_int_t)info->n_vertices, "edges", (json_int_t)info->n_edges,
                     "links_bytes", (json_int_t)info->links_bytes, "blocks",
                     (json_int_t)info->n_blocks, "bands", (int)info->n_bands, "band_bits",
                     (int)info->band_bits, "stripe_bits", (int)info->stripe_bits, "zstd_level",
                     info->zstd_level);
}

static json_t *json_report(const struct bench_report *report)
{
    json_t *root = json_pack(
        "{sosisssisssssbsbsfsfsfsfsisisoso}", "store", json_store(report), "threads",
        (int)report->threads, "value", value_name(report->value), "runs", (int)report->runs,
        "decoder", mr_keys_decoder_name(), "io", backend_name(report->cold.backend), "direct",
        (int)report->cold.direct, "registered_buffers", (int)report->cold.registered_buffers,
        "pinned_share", pinned_share(report), "largest_difference", report->largest_difference,
        "cold_wait_share", cold_wait_share(report), "idle_share", idle_share(report), "repeats",
        (int)report->repeats, "disturbed_rounds", (int)report->disturbed, "schedule",
        json_schedule(report, &(const struct bench_schedule){0}), "others",
        json_summary(summarize(report->others, report->runs)));

    if (root == NULL) {
        return NULL;
    }
    for (unsigned kind = 0; kind < n_kinds(report); kind++) {
        (void)json_object_set_new(root, kind_keys[kind], json_kind(report, kind));
    }
    (void)json_object_set_new(root, "pull_over_pinned",
                              json_summary(ratio(report, BENCH_PULL, BENCH_PINNED)));
    (void)json_object_set_new(root, "pull_over_cold",
                              json_summary(ratio(report, BENCH_PULL, BENCH_COLD)));
    (void)json_object_set_new(root, "cold_share",
                              json_summary(cold_share(report, BENCH_PINNED, BENCH_COLD)));
    (void)json_object_set_new(root, "encoded_cold_share",
                              json_summary(cold_share(report, BENCH_ENCODED, BENCH_COLD)));
    if (report->wave > 0) {
        const struct bench_schedule relaxing = {.wave = report->wave, .sweeps = report->sweeps};

        (void)json_object_set_new(
            root, "relax",
            json_pack("{sosisisIsoso}", "schedule", json_schedule(report, &relaxing), "wave",
                      (int)report->wave, "sweeps", (int)report->sweeps, "links_applied",
                      (json_int_t)report->relax_visits, "over_pinned",
                      json_summary(ratio(report, BENCH_PINNED_RELAX, BENCH_PINNED)), "cold_share",
                      json_summary(cold_share(report, BENCH_PINNED_RELAX, BENCH_COLD_RELAX))));
    }
    return root;
}

enum mr_status bench_report_write(const struct bench_report *report, const char *path,
                                  struct mr_error *err)
{
    json_t *root = json_report(report);

    if (root == NULL) {
        return mr_error_set(err, MR_ERROR_RUNTIME, "the report does not become JSON");
    }
    int result = json_dump_file(root, path, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    int os_errno = errno;
    json_decref(root);
    return result == 0 ? MR_OK
                       : mr_error_file(err, MR_ERROR_RUNTIME, path, os_errno, "cannot be written");
}
