/* SPDX-License-Identifier: Apache-2.0 */
/* Reads lists: files whose lines begin with a name, and the files of crawlers. All lists of pages,
 * weights and times come through here, so that one grammar holds for them:
 *
 *     NAME                    of pages          a name ends at a tab or at the end of its line
 *     NAME<TAB>WEIGHT         of weights        (mr_lines_name, formats/table/lines.h); behind a
 *     NAME<TAB>TIME<TAB>INTERVAL  of times      number, a URL or a host a blank will do
 *     GROUP<TAB>NAME<TAB>WEIGHT   of groups; NAME alone, where these may lack
 *
 * Codes \xNN stand for bytes of a name (formats/stream/name_text.h). Internal to formats/. */
#ifndef MR_FORMATS_SCORE_NAME_LINES_H
#define MR_FORMATS_SCORE_NAME_LINES_H

#include "engine/base/context.h"
#include "engine/names/names.h"
#include "formats/crawl/fetch_log.h"
#include "formats/pages/page_names.h"
#include "formats/pages/text_rows.h"

struct mr_name_lines {
    const struct mr_context *context;
    struct mr_input *input;
    const char *what; /* what a name stands for, in messages: "page" */
    enum mr_fetch_wanted wanted; /* of a list, and of the files of a crawler (fetch_log.h) */
    bool has_groups; /* each line begins with a group; no file of a crawler has them */
    bool may_lack_groups; /* but for lines of a name alone: their group is NULL */
    bool is_quiet; /* no notes: the file is read a second time */
    /* how many names may be missing in the store, or a share (millrace/weights.h) */
    uint64_t max_unknown;
    uint64_t names; /* how many the file has; the caller counts them */
    uint64_t unknown; /* how many were missing so far */
    uint64_t first_unknown; /* line of the first one */
    char first_file[4096]; /* the file that it is in */
    char first_quote[MR_LINES_QUOTE_BYTES]; /* and its text */
    uint64_t all_unknown; /* of all lists */
    bool has_unknown_place; /* one of the missing names is no URL, so it can be more than a page */
    mr_row_take take; /* during mr_name_lines_read */
    const struct mr_text_rows *rows; /* NULL except while lines are read */
    struct mr_page_names *finder; /* takes the names; NULL except during mr_name_lines_read */
    uint64_t n_timeless; /* fetches of a log without a time; the caller counts them */
    bool drops_timeless; /* the caller leaves them out */
    enum mr_fetch_log log; /* the kind of file; of a directory, of the latest with a kind */
    bool has_words; /* the names of the store have no blanks */
    /* Fetches that failed for now: they are left out, but for `retries` > 0 the caller gets those
     * of a list of fetched pages and counts them. */
    unsigned retries;
    uint64_t n_failed[MR_FETCH_STATES]; /* by state */
    bool has_states; /* the log says what a fetch led to */
    bool has_rows; /* a row of a log was taken */
};

/* The tag of a name that may be unknown. */
#define MR_NAME_UNCOUNTED UINT64_MAX

/* Reads the lists `paths[n_paths]`, each a file ("-" is standard input) or a directory, whose files
 * (formats/stream/input_paths.h) are one list: calls `take` for every row, in order, which
 * adds names to lines->finder, and `take_page` for the pages of these names. Both get `lines` as
 * their data, which is the first member of a struct of the caller. Blank lines are skipped, and
 * comments. Unknown names are noted. Errors: those of the two functions, of the input, and of a
 * request to stop; INPUT at the line for a weight or a time that is missing or none; INPUT for more
 * unknown names than lines->max_unknown, at the name if that is a number. A log may have any number
 * of them, but not only these. */
enum mr_status mr_name_lines_read(struct mr_name_lines *lines, const char *const *paths,
                                  size_t n_paths, const struct mr_page_place *place,
                                  mr_row_take take, mr_page_name_take take_page,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* Sets and returns MR_ERROR_INPUT at the row: its line in quotes and `reason`. */
enum mr_status mr_name_lines_bad(const struct mr_name_lines *lines, const struct mr_row *row,
                                 const char *reason, struct mr_error *err);

/* How far the input is read, behind the row that is taken. */
struct mr_line_place mr_name_lines_place(const struct mr_name_lines *lines);

#endif
