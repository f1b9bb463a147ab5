/* SPDX-License-Identifier: Apache-2.0 */
/* What `ppr` and `trustrank` share: vectors side by side, the columns of their scores, metadata. */
#ifndef MR_CLI_RANKING_PERSONAL_H
#define MR_CLI_RANKING_PERSONAL_H

#include "algorithms/pagerank/personalised.h"
#include "cli/ranking/solver_flags.h"

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
