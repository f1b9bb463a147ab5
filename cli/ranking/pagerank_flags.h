/* SPDX-License-Identifier: Apache-2.0 */
/* The flags of `millrace pagerank`: a struct, its defaults and the tables that fill it. */
#ifndef MR_CLI_RANKING_PAGERANK_FLAGS_H
#define MR_CLI_RANKING_PAGERANK_FLAGS_H

#include "cli/ranking/solver_flags.h"

struct mr_pagerank_flags {
    struct mr_ranking_flags ranking; /* as in struct mr_solver_flags */
    struct mr_pagerank_options solver;
    const char *heritrix_file;
    const char *teleport;
    struct mr_texts seeds;
    const char *start;
    const char *log;
    const char *checkpoint;
    int resume; /* index into "no|yes|auto" */
};

extern const struct mr_pagerank_flags mr_pagerank_flag_defaults;
extern const struct mr_option mr_pagerank_options[];

#endif
