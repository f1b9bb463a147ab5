/* SPDX-License-Identifier: Apache-2.0 */
/* Reads files whose lines begin with a name. The readers of teleports, batches and page lists share
 * it. Internal to formats/. */
#ifndef MR_FORMATS_SCORE_NAME_LINES_H
#define MR_FORMATS_SCORE_NAME_LINES_H

#include "engine/base/context.h"
#include "engine/names/names.h"
#include "formats/crawl/fetch_log.h"
#include "formats/pages/page_names.h"
#include "formats/stream/input.h"
#include "formats/table/lines.h"

struct mr_name_lines {
    const struct mr_context *context;
    struct mr_input *input;
    const char *what; /* what a name stands for, in messages: "page" */
    /* What to read of the files of a crawler (formats/crawl/fetch_log.h), if any: each page becomes
     * a line "URL", "URL<TAB>WEIGHT" or "URL<TAB>TIME<TAB>INTERVAL" in seconds. */
    enum mr_fetch_wanted wanted;
    bool is_quiet; /* no notes: the file is read a second time */
    /* how many names may be missing in the store, or a share (millrace/weights.h) */
    uint64_t max_unknown;
    uint64_t names; /* how many the file has; the caller counts them */
    uint64_t unknown; /* how many were missing so far */
    uint64_t first_unknown; /* line of the first one */
    char first_quote[MR_LINES_QUOTE_BYTES]; /* and its text */
    bool has_unknown_place; /* one of the missing names is no URL, so it can be more than a page */
    struct mr_lines *lines; /* NULL except while lines are read */
    struct mr_page_names *finder; /* takes the names; NULL except during mr_name_lines_read */
    uint64_t n_timeless; /* fetches of a log without a time; the caller counts them */
    bool drops_timeless; /* the caller leaves them out */
    enum mr_fetch_log log; /* the kind of file */
    /* Fetches that failed for now: they are left out, but for `retries` > 0 the caller gets those
     * of a list of fetched pages and counts them. */
    unsigned retries;
    uint64_t n_failed[MR_FETCH_STATES]; /* by state */
    bool has_states; /* the log says what a fetch led to */
    uint64_t log_line; /* the line of a log that was read last */
};

struct mr_name_line {
    const char *text; /* [bytes], the whole line */
    size_t bytes;
    const char *name; /* [name_bytes], its first field */
    size_t name_bytes;
    const char *at; /* after the name: where mr_lines_field goes on */
    enum mr_fetch_state
        state; /* DONE for a line of a plain list, which is GONE in a list of these */
    unsigned tries; /* for a fetch that failed for now */
};

typedef enum mr_status (*mr_name_line_take)(void *data, const struct mr_name_line *line,
                                            struct mr_error *err);

/* The place that has the pages of the names: a store, or a source. */
struct mr_page_place {
    struct mr_names *names;
    const struct mr_store_info *info; /* of the store; NULL: names are pages only, and no hosts */
    const struct mr_page_source *source; /* NULL: a store */
    const struct mr_canonical *canonical; /* made the names of the source */
};

/* The tag of a name that may be unknown. */
#define MR_NAME_UNCOUNTED UINT64_MAX

/* Reads the file at `path` ("-" is standard input): calls `take` for every line, in order, which
 * adds names to lines->finder, and `take_page` for the pages of these names. Both get `lines` as
 * their data, which is the first member of a struct of the caller. Blank lines are skipped, and
 * lines of '#' followed by a blank, a tab or nothing. Unknown names are noted. Errors: those of the
 * two functions, of the input, and of a request to stop; INPUT for more unknown names than
 * lines->max_unknown, at the name if that is a number. A log may have any number of them, but not
 * only these. */
enum mr_status mr_name_lines_read(struct mr_name_lines *lines, const char *path,
                                  const struct mr_page_place *place, mr_name_line_take take,
                                  mr_page_name_take take_page, struct mr_error *err) MR_WARN_UNUSED;

/* Sets and returns MR_ERROR_INPUT at the line taken last: the line in quotes and `reason`. */
enum mr_status mr_name_lines_bad(const struct mr_name_lines *lines, const struct mr_name_line *line,
                                 const char *reason, struct mr_error *err);

/* Does a field follow `at`? A comment (#) is none. */
bool mr_name_lines_have_more(const struct mr_name_line *line, const char *at);

/* The number of the line taken last, and the bytes of the input that were read and not yet taken
 * as lines. */
uint64_t mr_name_lines_number(const struct mr_name_lines *lines);
uint64_t mr_name_lines_pending(const struct mr_name_lines *lines);

#endif
