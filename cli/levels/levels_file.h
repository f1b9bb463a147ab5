/* SPDX-License-Identifier: Apache-2.0 */
/* Turns scores into the file that a crawler loads, for `precedence`. */
#ifndef MR_CLI_LEVELS_LEVELS_FILE_H
#define MR_CLI_LEVELS_LEVELS_FILE_H

#include "cli/graph/fetch_plan.h"
#include "cli/program/files.h"
#include "cli/program/session.h"
#include "formats/score/crawler_file.h"
#include "millrace/levels.h"

struct mr_percentages {
    unsigned n; /* 0: not given */
    double values[MR_PRECEDENCE_MAX_LEVELS];
};

struct mr_precedence_flags {
    struct mr_common_flags common;
    const char *output;
    const char *column; /* of the one score file */
    uint64_t levels; /* 1..126; 0: not given */
    struct mr_percentages percentages;
    int format; /* enum mr_crawler_format */
    bool logarithmic, per_host;
    const char *store; /* --spellings, or NULL */
    const char *only_changed; /* an earlier file, or NULL */
    const char *mix; /* several files: "W:FILE,W:FILE" */
    struct mr_fetch_flags fetch; /* which pages to write */
    uint64_t max_unknown; /* of the lists in `fetch` */
};

/* How many levels the flags ask for. */
unsigned mr_precedence_level_count(const struct mr_precedence_flags *flags);

struct mr_precedence_result {
    uint64_t counts[MR_PRECEDENCE_MAX_LEVELS]; /* pages on each level */
    struct mr_crawler_summary written;
};

/* Adds the files that --mix `text` reads. Errors: USAGE where `text` is malformed. */
enum mr_status mr_precedence_list_mix(const char *text, struct mr_files *files,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* Writes the levels of the file `scores`; NULL: of the files of --mix. */
enum mr_status mr_precedence_make(struct mr_session *session,
                                  const struct mr_precedence_flags *flags, const char *scores,
                                  struct mr_precedence_result *result,
                                  struct mr_error *err) MR_WARN_UNUSED;

#endif
