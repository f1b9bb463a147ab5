/* Where rankings with several scores per page go: the flags, the checks, the files. */
#ifndef MR_CLI_GRAPH_COLUMNS_H
#define MR_CLI_GRAPH_COLUMNS_H

#include "cli/graph/graph.h"
#include "cli/program/json.h"
#include "formats/score/scores.h"

struct mr_columns_flags {
    const char *output;
    const char *names;
    const char *by; /* the column that decides about --top; NULL: the last */
    uint64_t top; /* 0: not given */
    bool header;
};

extern const struct mr_option mr_columns_options[];

/* Before the work: flags that contradict each other (USAGE). `columns` are the
 * columns' names, NULL where they are not known yet. */
enum mr_status mr_columns_check(const struct mr_session *session,
                                const struct mr_columns_flags *flags, const char *const *columns,
                                unsigned n_columns, struct mr_error *err) MR_WARN_UNUSED;

/* The scores to -o with their metadata, the names to --names, and to standard output the JSON, the best
 * or, without -o, all scores. `json` is what --json prints and FILE.meta.json gets. */
enum mr_status mr_columns_write(struct mr_session *session, const struct mr_graph *graph,
                                const struct mr_columns_flags *flags,
                                const struct mr_score_column *columns, unsigned n_columns,
                                const struct mr_json *json, struct mr_error *err) MR_WARN_UNUSED;

#endif
