/* SPDX-License-Identifier: Apache-2.0 */
/* The options of the solver, which are its own struct, for `pagerank` and `ppr`. */
#ifndef MR_CLI_RANKING_SOLVER_FLAGS_H
#define MR_CLI_RANKING_SOLVER_FLAGS_H

#include <assert.h>

#include "cli/ranking/ranker.h"
#include "library/rank/solver_rows.h"

/* The first two members of the flags of each of them. */
struct mr_solver_flags {
    struct mr_ranking_flags ranking;
    struct mr_pagerank_options solver;
};
#define MR_BEGINS_WITH_SOLVER(type)                                                                \
    static_assert(offsetof(type, ranking) == 0 &&                                                  \
                      offsetof(type, solver) == offsetof(struct mr_solver_flags, solver),          \
                  "flags begin like struct mr_solver_flags")

/* The group of the solver's options. */
extern const struct mr_option mr_solver_options[];
#define MR_SOLVER_GROUP                                                                            \
    {                                                                                              \
        .title = "Ranking", .options = mr_solver_options, .base = 0                                \
    }

/* Adds the parameters of the solver to the metadata, but for the tolerance. */
void mr_solver_describe(struct mr_json *json, const struct mr_pagerank_options *options);

#endif
