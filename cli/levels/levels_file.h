/* SPDX-License-Identifier: Apache-2.0 */
/* Turns scores into the file that a crawler loads, for `precedence`. */
#ifndef MR_CLI_LEVELS_LEVELS_FILE_H
#define MR_CLI_LEVELS_LEVELS_FILE_H

#include "cli/graph/fetch_plan.h"
#include "cli/program/session.h"
#include "formats/score/precedence_file.h"
#include "library/files.h"
#include "millrace/levels.h"

/* The choices of --crawler, in the order of enum mr_crawler_format. */
#define MR_CRAWLER_CHOICES                                                                         \
    "heritrix|nutch|stormcrawler|frontera|scrapy|commoncrawl|frontera-hbase|urlfrontier|nutch-"    \
    "nodes"

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
    struct mr_precedence_options file; /* but force, n_levels and percentages */
    const char *store; /* --spellings, or NULL */
    const char *mix; /* several files: "W:FILE,W:FILE" */
    struct mr_fetch_flags fetch; /* which pages to write */
    uint64_t max_unknown; /* of the lists in `fetch` */
};

/* The options of the library. */
struct mr_precedence_options mr_precedence_options_of(const struct mr_precedence_flags *flags);

/* Adds the files that --mix `text` reads. Errors: USAGE where `text` is malformed. */
enum mr_status mr_precedence_list_mix(const char *text, struct mr_files *files,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* Writes the levels of the file `scores`; NULL: of the files of --mix. `figures` is zero. */
enum mr_status mr_precedence_run(struct mr_session *session,
                                 const struct mr_precedence_flags *flags, const char *scores,
                                 struct mr_precedence_figures *figures,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* ---- host_mix.c: scores of hosts or domains applied to pages, for --mix ---- */

enum mr_mix_kind { MR_MIX_PAGES, MR_MIX_HOSTS, MR_MIX_DOMAINS };

/* Adds weight * score / best score of its host or domain to `mixed`[n], for each row of `pages`.
 * The file at `path` has scores by host in `column`, forwards or reversed; the way that more pages
 * find their host by is taken. A page whose host it lacks gets nothing, and a note counts such
 * pages. Errors: those of mr_score_file_open; INPUT if no page finds its host. Memory: 40 bytes per
 * host. Reads `pages` twice. */
enum mr_status mr_mix_hosts(struct mr_session *session, struct mr_score_file *pages,
                            const struct mr_canonical *canonical, const char *path,
                            const char *column, enum mr_mix_kind kind, double weight, double *mixed,
                            uint64_t n, struct mr_error *err) MR_WARN_UNUSED;

/* ---- row_choice.c: the rows of a score file to write, those that are fetched or not, and the best
 * N of them ---- */

/* Chooses rows by `flags`: `*chosen` gets a bit per row, and with --revisit `*priorities` [n] score
 * times age; they stay NULL if nothing is asked for. `canonical` made the names of the rows.
 * Memory: 32 bytes per row while the lists are read. The caller frees both even after an error. */
enum mr_status mr_rows_choose(struct mr_session *session, const struct mr_fetch_flags *flags,
                              uint64_t max_unknown, struct mr_score_file *file,
                              const double *scores, uint64_t n,
                              const struct mr_canonical *canonical, uint8_t **chosen,
                              double **priorities, struct mr_error *err) MR_WARN_UNUSED;

#endif
