/* SPDX-License-Identifier: Apache-2.0 */
/* The flags of `millrace pagerank`: a struct, its defaults and the tables that fill it. */
#ifndef MR_CLI_RANKING_PAGERANK_FLAGS_H
#define MR_CLI_RANKING_PAGERANK_FLAGS_H

#include "cli/graph/fetch_plan.h"
#include "cli/graph/import.h"

#define MR_PAGERANK_ACCELERATION_BY_RULE UINT64_MAX

/* --until: order:K or levels:N[:SHARE]. */
struct mr_until_flag {
    int kind; /* enum mr_until */
    uint64_t count;
    double share;
};

struct mr_pagerank_flags {
    struct mr_common_flags common;
    struct mr_import_flags import;
    const char *output;
    const char *names;
    double damping;
    double tolerance; /* 0: not given */
    uint64_t iterations; /* 0 where not given, like the other counts */
    uint64_t max_passes;
    int dangling; /* enum mr_dangling */
    bool heritrix;
    const char *heritrix_file;
    bool weights;
    const char *teleport;
    struct mr_texts seeds;
    uint64_t max_unknown;
    int precision; /* enum mr_precision */
    uint64_t inner;
    uint64_t acceleration; /* depth, or MR_PAGERANK_ACCELERATION_BY_RULE */
    struct mr_until_flag until;
    const char *start;
    const char *log;
    const char *checkpoint;
    bool resume;
    uint64_t top;
    struct mr_fetch_flags fetch;
    bool header;
    bool no_pin;
};

extern const struct mr_pagerank_flags mr_pagerank_flag_defaults;
extern const struct mr_option mr_pagerank_ranking_options[]; /* what is computed, and how */
extern const struct mr_option mr_pagerank_output_options[]; /* where the results go */

#endif
