/* SPDX-License-Identifier: Apache-2.0 */
/* Turns scores into the file that a crawler loads, for `precedence`. */
#ifndef MR_CLI_LEVELS_LEVELS_FILE_H
#define MR_CLI_LEVELS_LEVELS_FILE_H

#include "cli/graph/fetch_plan.h"
#include "cli/program/session.h"
#include "library/files.h"
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
    struct mr_precedence_file_options file; /* but force, n_levels and percentages */
    const char *store; /* --spellings, or NULL */
    const char *mix; /* several files: "W:FILE,W:FILE" */
    struct mr_fetch_flags fetch; /* which pages to write */
    uint64_t max_unknown; /* of the lists in `fetch` */
};

/* The options of the library. */
struct mr_precedence_file_options mr_precedence_options_of(const struct mr_precedence_flags *flags);

/* Adds the files that --mix `text` reads. Errors: USAGE where `text` is malformed. */
enum mr_status mr_precedence_list_mix(const char *text, struct mr_files *files,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* Writes the levels of the file `scores`; NULL: of the files of --mix. `figures` is zero. */
enum mr_status mr_precedence_make(struct mr_session *session,
                                  const struct mr_precedence_flags *flags, const char *scores,
                                  struct mr_precedence_figures *figures,
                                  struct mr_error *err) MR_WARN_UNUSED;

#endif
