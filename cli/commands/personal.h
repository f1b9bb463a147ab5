/* What the commands of personalised PageRank share: flags of the solver, columns of scores, metadata. */
#ifndef MR_CLI_COMMANDS_PERSONAL_H
#define MR_CLI_COMMANDS_PERSONAL_H

#include "algorithms/personalised/personalised.h"
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

/* What flags are when none is given. */
#define MR_PERSONAL_DEFAULTS                                                                       \
    {                                                                                              \
        .damping = 0.85, .acceleration = MR_PERSONAL_BY_RULE                                       \
    }

extern const struct mr_option mr_personal_options[];

struct mr_personalised_options mr_personal_solver(const struct mr_session *session,
                                                  const struct mr_personal_flags *flags,
                                                  enum mr_dangling dangling);

/* Scores of all vectors, a column each. */
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
/* The mr_personalised_sink that fills them. */
enum mr_status mr_personal_columns_take(void *data, uint64_t first, unsigned n, unsigned width,
                                        void *values, struct mr_error *err);

/* Rank, with the progress meter set. `*seconds` is what it took. */
enum mr_status mr_personal_rank(struct mr_session *session, struct mr_store *store,
                                const struct mr_teleport *teleports, uint64_t n,
                                const struct mr_personalised_options *options,
                                struct mr_personalised_vector *outcomes, mr_personalised_sink sink,
                                void *sink_data, struct mr_personalised_result *result,
                                double *seconds, struct mr_error *err) MR_WARN_UNUSED;

/* One line on what was reached, unless it was not. */
void mr_personal_report(struct mr_session *session, const struct mr_personalised_result *result,
                        const struct mr_personalised_vector *outcomes, uint64_t n, double seconds);

/* Parameters and figures; then "vectors", an object for each, with the names given. */
void mr_personal_describe(struct mr_json *json, const struct mr_personalised_options *options,
                          const struct mr_personalised_result *result,
                          const struct mr_personalised_vector *outcomes, const char *const *names,
                          uint64_t n, double seconds);

/* --estimate of `n` vectors and `n_columns` columns in memory. */
enum mr_status mr_personal_estimate(struct mr_session *session, const struct mr_parsed *parsed,
                                    bool undirected, const struct mr_personalised_options *options,
                                    uint64_t n, uint64_t n_columns,
                                    struct mr_error *err) MR_WARN_UNUSED;

#endif
