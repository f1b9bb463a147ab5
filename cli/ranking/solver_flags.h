/* SPDX-License-Identifier: Apache-2.0 */
/* What `pagerank`, `ppr` and `trustrank` share: the options of the solver, which are its own
 * struct, and what they need. `ppr` and `trustrank` also share vectors side by side, the columns of
 * their scores, and metadata. */
#ifndef MR_CLI_RANKING_SOLVER_FLAGS_H
#define MR_CLI_RANKING_SOLVER_FLAGS_H

#include <assert.h>

#include "algorithms/pagerank/pagerank.h"
#include "algorithms/pagerank/personalised.h"
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

/* Guesses the passes to the tolerance. */
double mr_solver_passes(const struct mr_pagerank_options *options);
/* Adds the parameters of the solver to the metadata. */
void mr_solver_describe(struct mr_json *json, const struct mr_pagerank_options *options,
                        double tolerance);

/* ---- Vectors side by side ---- */

/* The scores of all vectors, one column per vector. */
struct mr_personal_columns {
    struct mr_memory *memory;
    uint64_t n_vertices, n_columns;
    bool is_single;
    void *values; /* [n_columns][n_vertices] */
};

enum mr_status mr_personal_columns_create(struct mr_session *session, uint64_t n_vertices,
                                          uint64_t n_columns, bool is_single,
                                          struct mr_personal_columns *columns,
                                          struct mr_error *err) MR_WARN_UNUSED;
void mr_personal_columns_destroy(struct mr_personal_columns *columns);
struct mr_score_column mr_personal_column(const struct mr_personal_columns *columns, uint64_t i,
                                          const char *name);
/* The mr_personalised_sink that fills struct mr_personal_columns. */
enum mr_status mr_personal_columns_take(void *data, uint64_t first, unsigned n, unsigned width,
                                        void *values, struct mr_error *err);

/* The vectors of one run. The commands own the arrays. */
struct mr_personal {
    const struct mr_teleport_vector *teleports; /* [n] */
    const char *const *names; /* [n], names of the vectors */
    uint64_t n;
    struct mr_pagerank_options options;
    struct mr_personalised_vector *outcomes; /* [n] */
    struct mr_personalised_result result;
};

/* Ranks the vectors; scores go to `sink`. */
enum mr_status mr_personal_rank(struct mr_run *run, struct mr_personal *personal,
                                mr_personalised_sink sink, void *sink_data,
                                struct mr_error *err) MR_WARN_UNUSED;

/* Says the error bounds in one line, if the tolerance was reached. */
void mr_personal_report(const struct mr_run *run, const struct mr_personal *personal);

/* Adds parameters, figures and "vectors", with an object for each vector, to the metadata. */
void mr_personal_describe(struct mr_json *json, const struct mr_personal *personal);

/* What `n` vectors and `n_columns` columns in memory need, and the passes for `n` vectors. */
void mr_personal_estimate(const struct mr_run *run, const struct mr_personal *personal, uint64_t n,
                          uint64_t n_columns, uint64_t beside, struct mr_estimate *estimate);
double mr_personal_passes(const struct mr_personal *personal, uint64_t n);

#endif
