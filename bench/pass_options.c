/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the command line of bench_pass. */
#include "bench/pass_options.h"

#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <omp.h>

#include "bench/pass_report.h"

static const char usage[] =
    "usage: bench_pass STORE [--threads N] [--runs 5] [--value float|double] [--json FILE]\n"
    "                  [--relax] [--wave N] [--sweeps N] [--io auto|uring|pread]\n"
    "                  [--patience SECONDS]\n"
    "       bench_pass STORE --schedule [--wave N] [--sweeps N]\n";

/* A number of [1, most]; 0 if the text is not one. */
static unsigned parse_count(const char *text, unsigned most)
{
    char *end;

    errno = 0;
    const unsigned long value = strtoul(text, &end, 10);
    return errno != 0 || *end != '\0' || end == text || value > most ? 0 : (unsigned)value;
}

/* The index of `text` in `names`, or -1. */
static int parse_choice(const char *text, const char *const *names, int n_names)
{
    for (int i = 0; i < n_names; i++) {
        if (strcmp(text, names[i]) == 0) {
            return i;
        }
    }
    return -1;
}

enum option_key { THREADS, RUNS, VALUE, JSON, RELAX, WAVE, SWEEPS, IO, PATIENCE, SCHEDULE };

static bool set_option(struct bench_options *options, int key, const char *argument)
{
    static const char *const values[] = {"float", "double"};
    static const char *const backends[] = {"auto", "uring", "pread"};
    int choice;

    switch ((enum option_key)key) {
    case THREADS:
        return (options->threads = parse_count(argument, 4096)) > 0;
    case RUNS:
        return (options->runs = parse_count(argument, BENCH_MAX_RUNS)) > 0;
    case WAVE:
        return (options->wave = parse_count(argument, 1u << 24)) > 0;
    case SWEEPS:
        return (options->sweeps = parse_count(argument, 1000)) > 0;
    case PATIENCE:
        return (options->patience = parse_count(argument, 1000000)) > 0;
    case VALUE:
        choice = parse_choice(argument, values, 2);
        options->value = choice == 1 ? MR_VALUE_DOUBLE : MR_VALUE_FLOAT;
        return choice >= 0;
    case IO:
        choice = parse_choice(argument, backends, 3);
        options->backend = choice == 1   ? MR_QUEUE_URING
                           : choice == 2 ? MR_QUEUE_PREAD
                                         : MR_QUEUE_AUTO;
        return choice >= 0;
    case JSON:
        options->json_path = argument;
        return true;
    case RELAX:
        options->relax = true;
        return true;
    case SCHEDULE:
        options->schedule = true;
        return true;
    }
    return false;
}

static bool parse(int argc, char **argv, struct bench_options *options)
{
    static const struct option names[] = {{"threads", required_argument, NULL, THREADS},
                                          {"runs", required_argument, NULL, RUNS},
                                          {"value", required_argument, NULL, VALUE},
                                          {"json", required_argument, NULL, JSON},
                                          {"relax", no_argument, NULL, RELAX},
                                          {"wave", required_argument, NULL, WAVE},
                                          {"sweeps", required_argument, NULL, SWEEPS},
                                          {"io", required_argument, NULL, IO},
                                          {"patience", required_argument, NULL, PATIENCE},
                                          {"schedule", no_argument, NULL, SCHEDULE},
                                          {NULL, 0, NULL, 0}};
    int key;

    while ((key = getopt_long(argc, argv, "", names, NULL)) != -1) {
        if (key == '?' || !set_option(options, key, optarg)) {
            return false;
        }
    }
    if (optind + 1 != argc) {
        return false;
    }
    options->store_path = argv[optind];
    return true;
}

bool bench_options_parse(int argc, char **argv, struct bench_options *options)
{
    *options = (struct bench_options){.threads = (unsigned)omp_get_num_procs(),
                                      .runs = 5,
                                      .value = MR_VALUE_FLOAT,
                                      .backend = MR_QUEUE_AUTO};
    if (!parse(argc, argv, options)) {
        (void)fputs(usage, stderr);
        return false;
    }
    return true;
}
