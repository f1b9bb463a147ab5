/* SPDX-License-Identifier: Apache-2.0 */
/* Turns scores into the file that a crawler loads, for `precedence`. */
#ifndef MR_CLI_LEVELS_LEVELS_FILE_H
#define MR_CLI_LEVELS_LEVELS_FILE_H

#include "algorithms/scores/precedence.h"
#include "cli/graph/fetch_plan.h"
#include "cli/program/files.h"
#include "cli/program/session.h"
#include "formats/score/crawler_file.h"

struct mr_precedence_request {
    const char *scores, *column; /* one score file, and its column; or */
    const char *mix; /* several files: "W:FILE,W:FILE" */
    const char *output;
    bool force;
    enum mr_crawler_format format;
    unsigned n_levels; /* 1..126 */
    const double *percentages; /* [n_levels], or NULL */
    bool logarithmic, per_host;
    const char *store; /* the store with the spellings, or NULL */
    const char *only_changed; /* an earlier file, or NULL */
    const struct mr_fetch_flags *fetch; /* which pages to write */
    uint64_t max_unknown; /* of the lists in `fetch` */
};

struct mr_precedence_result {
    uint64_t counts[MR_PRECEDENCE_MAX_LEVELS]; /* pages on each level */
    struct mr_crawler_summary written;
};

/* Adds the files that --mix `text` reads. Errors: USAGE where `text` is malformed. */
enum mr_status mr_precedence_list_mix(const char *text, struct mr_files *files,
                                      struct mr_error *err) MR_WARN_UNUSED;

enum mr_status mr_precedence_make(struct mr_session *session,
                                  const struct mr_precedence_request *request,
                                  struct mr_precedence_result *result,
                                  struct mr_error *err) MR_WARN_UNUSED;

#endif
