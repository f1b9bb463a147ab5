/* SPDX-License-Identifier: Apache-2.0 */
/* The results of the whole-pass benchmark, as a table and as JSON. */
#ifndef MR_BENCH_PASS_REPORT_H
#define MR_BENCH_PASS_REPORT_H

#include "engine/pass/pass.h"

enum bench_pass_kind {
    BENCH_PULL, /* plain CSR in memory */
    BENCH_PINNED, /* synchronous pass, edges in memory, decoded as far as they fit */
    BENCH_ENCODED, /* the same with encoded blocks in memory */
    BENCH_COLD, /* the same from disk */
    BENCH_DISK, /* reading the edges, without computing */
    BENCH_PINNED_RELAX,
    BENCH_COLD_RELAX,
    BENCH_PASS_KINDS
};

#define BENCH_MAX_RUNS 100u

struct bench_report {
    const char *store_path;
    const struct mr_store_info *info;
    const struct mr_store *store;
    enum mr_value value;
    unsigned threads, runs, wave, sweeps; /* wave 0: nothing relaxing was measured */
    uint64_t csr_bytes; /* bytes that one pull reads, without the values */
    struct mr_pass_figures pinned, cold;
    uint64_t relax_visits; /* edges that one relaxing pass applies */
    double largest_difference; /* relative difference of the sums */
    unsigned repeats; /* passes in each sample */
    unsigned disturbed; /* rounds dropped because other programs were busy */
    /* per round: the share of the processors that other programs took */
    double others[BENCH_MAX_RUNS];
    /* Time by the clock, and processor time of all threads, which varies less on a busy machine. */
    double seconds[BENCH_PASS_KINDS][BENCH_MAX_RUNS];
    double cpu_seconds[BENCH_PASS_KINDS][BENCH_MAX_RUNS];
};

/* Print which share of 1 to 128 threads' time is work, by counting. */
void bench_report_schedule(const struct mr_store *store, uint32_t wave, unsigned sweeps);

void bench_report_print(const struct bench_report *report);

/* Write the report as one JSON object. Errors: RUNTIME. */
enum mr_status bench_report_write(const struct bench_report *report, const char *path,
                                  struct mr_error *err) MR_WARN_UNUSED;

#endif
