/* SPDX-License-Identifier: Apache-2.0 */
/* What `pagerank`, `ppr` and `trustrank` share: the options of the solver, which are its own
 * struct, and what they need. */
#ifndef MR_CLI_RANKING_SOLVER_FLAGS_H
#define MR_CLI_RANKING_SOLVER_FLAGS_H

#include <assert.h>

#include "algorithms/pagerank/pagerank.h"
#include "cli/ranking/ranker.h"

/* The first two members of the flags of each of them. */
struct mr_solver_flags {
    struct mr_ranking_flags ranking;
    struct mr_pagerank_options solver;
};
#define MR_BEGINS_WITH_SOLVER(type)                                                                \
    static_assert(offsetof(type, ranking) == 0 &&                                                  \
                      offsetof(type, solver) == offsetof(struct mr_solver_flags, solver),          \
                  "flags begin like struct mr_solver_flags")

/* The group of the solver's options. MR_SOLVER_ALIKE leaves out --dangling, which trustrank sets
 * itself. */
extern const struct mr_option mr_solver_options[];
enum { MR_SOLVER_ALL = 0, MR_SOLVER_ALIKE = 1 };
#define MR_SOLVER_GROUP(from)                                                                      \
    {                                                                                              \
        .title = "Ranking", .options = mr_solver_options + (from), .base = 0                       \
    }

#define MR_WIDTH_OPTION                                                                            \
    {                                                                                              \
        .name = "width", .type = MR_OPTION_NUMBER,                                                 \
        .offset = offsetof(struct mr_solver_flags, solver.width), .value = "K", .least = 1,        \
        .most = MR_RANK_MAX_WIDTH,                                                                 \
        .help = "Number of vectors that share a pass over the links: 1, 2, 4, 8 or 16. It does "   \
                "not change the results. Default: all, if memory allows."                          \
    }

/* The tolerance of the options, or the default. */
double mr_solver_tolerance(const struct mr_pagerank_options *options);
/* Guesses the passes to the tolerance. */
double mr_solver_passes(const struct mr_pagerank_options *options);
/* Adds the parameters of the solver to the metadata. */
void mr_solver_describe(struct mr_json *json, const struct mr_pagerank_options *options,
                        double tolerance);

#endif
