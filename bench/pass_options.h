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
    unsigned patience; /* seconds for rounds that other programs disturbed, to be done again */
};

/* Defaults, then what `argv` says; strings are borrowed from it. False, with the usage on standard
 * error, when it makes no sense. */
bool bench_options_parse(int argc, char **argv, struct bench_options *options);

#endif
