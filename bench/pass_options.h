/* SPDX-License-Identifier: Apache-2.0 */
/* The command line of the whole-pass benchmark. */
#ifndef MR_BENCH_PASS_OPTIONS_H
#define MR_BENCH_PASS_OPTIONS_H

#include "engine/pass/pass.h"

struct bench_options {
    const char *store_path;
    const char *json_path; /* NULL: no JSON */
    unsigned threads, runs;
    unsigned wave, sweeps; /* of relaxing passes; 0: what pagerank would take */
    enum mr_value value; /* float or double */
    enum mr_queue_backend backend;
    bool relax;
    bool schedule; /* count what 1 to 128 threads would have to do; measure nothing */
    /* seconds that may be spent on repeating rounds that other programs disturbed */
    unsigned patience;
};

/* Set the defaults, then read `argv`; strings are borrowed from it. If an argument is not valid,
 * prints the usage on standard error and returns false. */
bool bench_options_parse(int argc, char **argv, struct bench_options *options);

#endif
