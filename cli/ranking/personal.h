/* SPDX-License-Identifier: Apache-2.0 */
/* Functions that `ppr` and `trustrank` share: flags of the solver, columns of scores, metadata. */
#ifndef MR_CLI_RANKING_PERSONAL_H
#define MR_CLI_RANKING_PERSONAL_H

#include "algorithms/pagerank/personalised.h"
#include "cli/graph/graph.h"
#include "cli/program/json.h"
#include "formats/score/scores.h"

#define MR_PERSONAL_BY_RULE UINT64_MAX

struct mr_personal_flags {
    double damping;
    double tolerance; /* 0: not given */
    uint64_t max_passes; /* 0: not given */
    uint64_t max_unknown;
    int precision; /* enum mr_precision */
    uint64_t inner; /* 0: by rule */
    uint64_t acceleration; /* depth, or MR_PERSONAL_BY_RULE */
    uint64_t width; /* 0: by rule */
    bool no_pin;
};

/* The values of the flags before parsing. */
#define MR_PERSONAL_DEFAULTS                                                                       \
    {                                                                                              \
        .damping = 0.85, .acceleration = MR_PERSONAL_BY_RULE,                                      \
        .max_unknown = MR_UNKNOWN_PERCENT(50)                                                      \
    }

extern const struct mr_option mr_personal_options[];

struct mr_pagerank_options mr_personal_solver(const struct mr_session *session,
                                              const struct mr_personal_flags *flags,
                                              enum mr_dangling dangling);

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

/* One ranking of either command. The commands own the arrays. */
struct mr_personal {
    struct mr_session *session;
    const struct mr_parsed *parsed;
    bool weights; /* --weights */
    struct mr_graph graph;
    const struct mr_teleport *teleports; /* [n] */
    const char *const *names; /* [n], names of the vectors */
    uint64_t n;
    struct mr_pagerank_options options;
    struct mr_personalised_vector *outcomes; /* [n] */
    struct mr_personalised_result result;
    double seconds;
};

/* Opens the graph, with its weights for --weights. `import_given` is as in mr_graph_open. Close
 * personal->graph even after an error. */
enum mr_status mr_personal_open(struct mr_personal *personal, const struct mr_import_flags *import,
                                const char *import_given, struct mr_error *err) MR_WARN_UNUSED;

/* Ranks with the progress meter, prints the error bounds, and calls `write`. Calls `write` also
 * where vectors did not converge; the status is then that of the ranking, unless writing fails. */
enum mr_status mr_personal_rank(struct mr_personal *personal, mr_personalised_sink sink,
                                void *sink_data,
                                enum mr_status (*write)(void *data, struct mr_error *err),
                                void *write_data, struct mr_error *err) MR_WARN_UNUSED;

/* mr_personal_json makes metadata with the store and the inputs. The command then adds its own
 * members. mr_personal_describe adds parameters, figures and "vectors", with an object for each
 * vector. */
struct mr_json mr_personal_json(const struct mr_personal *personal, const char *algorithm);
void mr_personal_describe(struct mr_json *json, const struct mr_personal *personal);

/* Prints the estimate for `n` vectors and `n_columns` columns in memory. */
enum mr_status mr_personal_estimate(const struct mr_personal *personal,
                                    const struct mr_import_flags *import, uint64_t n,
                                    uint64_t n_columns, struct mr_error *err) MR_WARN_UNUSED;

#endif
