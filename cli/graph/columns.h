/* SPDX-License-Identifier: Apache-2.0 */
/* Output of rankings with several scores per page: the flags, their checks, the files. */
#ifndef MR_CLI_GRAPH_COLUMNS_H
#define MR_CLI_GRAPH_COLUMNS_H

#include "cli/graph/fetch_plan.h"
#include "cli/graph/graph.h"
#include "cli/program/json.h"
#include "formats/score/scores.h"

struct mr_columns_flags {
    const char *output;
    const char *names;
    const char *by; /* the column that orders --top; NULL: the last */
    uint64_t top; /* 0: not given */
    bool header;
    struct mr_fetch_flags fetch; /* set by mr_fetch_options, where a command has them */
};

extern const struct mr_option mr_columns_options[];

/* Refuses flags that contradict each other; call it before the work. `columns` [n_columns] are
 * the names of the columns, or NULL where they are not known yet. Errors: USAGE. */
enum mr_status mr_columns_check(const struct mr_session *session,
                                const struct mr_columns_flags *flags, const char *const *columns,
                                unsigned n_columns, struct mr_error *err) MR_WARN_UNUSED;

/* Writes the scores and their metadata to -o, and the names to --names. Writes to standard
 * output the JSON, the best pages or, without -o, all scores. `json` is the output of --json and
 * the contents of FILE.meta.json. `plan` says which pages are fetched; NULL where the command has
 * no mr_fetch_options. */
enum mr_status mr_columns_write(struct mr_session *session, const struct mr_graph *graph,
                                const struct mr_columns_flags *flags,
                                const struct mr_fetch_plan *plan,
                                const struct mr_score_column *columns, unsigned n_columns,
                                const struct mr_json *json, struct mr_error *err) MR_WARN_UNUSED;

#endif
