/* What the whole-pass benchmark measured, as a table and as JSON. */
#ifndef MR_BENCH_PASS_REPORT_H
#define MR_BENCH_PASS_REPORT_H

#include "engine/pass/pass.h"

enum bench_pass_kind {
    BENCH_PULL, /* plain CSR in memory */
    BENCH_PINNED, /* synchronous pass, links in memory, decoded where there is room */
    BENCH_ENCODED, /* the same with its blocks in memory as they are */
    BENCH_COLD, /* the same from disk */
    BENCH_DISK, /* reading the links, no computing */
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
    uint64_t csr_bytes; /* that one pull reads besides values */
    struct mr_pass_figures pinned, cold;
    uint64_t relax_visits; /* links applied by one relaxing pass */
    double largest_difference; /* of the sums, relative */
    unsigned repeats; /* of what is measured, in each sample */
    unsigned disturbed; /* rounds thrown away: other programs were busy */
    double others[BENCH_MAX_RUNS]; /* per round: share of the processors that others took */
    /* By the clock, and of the processors for all threads: steadier on a busy machine. */
    double seconds[BENCH_PASS_KINDS][BENCH_MAX_RUNS];
    double cpu_seconds[BENCH_PASS_KINDS][BENCH_MAX_RUNS];
};

void bench_report_print(const struct bench_report *report);

/* Write the report as one JSON object. Errors: RUNTIME. */
enum mr_status bench_report_write(const struct bench_report *report, const char *path,
                                  struct mr_error *err) MR_WARN_UNUSED;

#endif
