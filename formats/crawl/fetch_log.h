/* SPDX-License-Identifier: Apache-2.0 */
/* What a crawler has fetched and when, from the files that it writes itself:
 *
 *     crawl.log of Heritrix          each line is a page that the crawler is done with
 *     frontier.recover of Heritrix   lines that begin with a mark: found, sent, done with
 *     readdb DB -dump of Nutch       as text or as CSV, with the interval of each page
 *     crawldb, crawl_fetch of Nutch  the SequenceFiles themselves
 *     CDX, CDXJ                      each line is a capture
 *     JSON                           an object for each page, with its URL and perhaps its state,
 *                                    times or weight: Nutch's readdb -format json, StormCrawler's
 *                                    index, browsertrix's pages, items of Scrapy
 *     tables                         with a header that has url and status, such as StormCrawler's
 *     dump info of Aduana            hash, URL, first and last crawl, changes, crawls, depth, score
 *
 * A page that failed for good or that robots.txt forbids counts as fetched, because the crawler is
 * done with it. A page whose fetch failed for now does not: the crawler tries again. Internal to
 * formats/. */
#ifndef MR_FORMATS_CRAWL_FETCH_LOG_H
#define MR_FORMATS_CRAWL_FETCH_LOG_H

#include "engine/base/context.h"
#include "formats/stream/input.h"

enum mr_fetch_log {
    MR_FETCH_LOG_NONE, /* none of these */
    MR_FETCH_LOG_HERITRIX,
    MR_FETCH_LOG_JOURNAL,
    MR_FETCH_LOG_CRAWLDB,
    MR_FETCH_LOG_CDXJ,
    MR_FETCH_LOG_CDX,
    MR_FETCH_LOG_JSON,
    MR_FETCH_LOG_TABLE,
    MR_FETCH_LOG_ADUANA,
    MR_FETCH_LOG_SEQUENCE,
    MR_FETCH_LOG_LISTED
};

/* What the caller wants of a file. */
enum mr_fetch_wanted {
    MR_FETCH_WANTS_NONE, /* it is not read */
    MR_FETCH_WANTS_PAGES, /* all pages */
    MR_FETCH_WANTS_WEIGHTS, /* all pages, with their weights */
    MR_FETCH_WANTS_FETCHED, /* those that do not wait for their first fetch */
    MR_FETCH_WANTS_TIMES, /* the same, and a time that is none is an error */
    MR_FETCH_WANTS_GONE /* the same; the caller looks for those that are gone */
};

/* What the last fetch of a page led to. */
enum mr_fetch_state {
    MR_FETCH_DONE, /* also in a file that says nothing of it */
    MR_FETCH_GONE, /* done, and there is no such page: 404, 410 */
    MR_FETCH_WAITS, /* it was not fetched */
    /* It failed, and may succeed when it is tried again: */
    MR_FETCH_NO_SERVER, /* no address, no connection, a timeout */
    MR_FETCH_SERVER_FAILED, /* 5xx, 408, 425, 429 */
    MR_FETCH_TRIES_AGAIN, /* the crawler says that it will fetch the page again */
    MR_FETCH_STATES
};

static inline bool mr_fetch_failed_for_now(enum mr_fetch_state state)
{
    return state > MR_FETCH_WAITS;
}

/* A row of a list, a log or a file of scores: a name and what is said of it. Valid during the
 * call. */
struct mr_row {
    const char *text; /* [bytes], the line */
    size_t bytes;
    const char *name; /* [name_bytes] */
    size_t name_bytes;
    const char *group; /* [group_bytes], which a batch has before the name; else NULL */
    size_t group_bytes;
    uint64_t line; /* its number */
    uint64_t tag; /* what the reader of a list wants to remember of the name */
    enum mr_fetch_state state;
    bool is_stated; /* the file says so; else the page is taken for done */
    bool has_more; /* fields follow that are not read */
    unsigned tries; /* that failed for now, as far as the file has it; at least 1 then */
    /* A score. A weight, NaN if it is no number. Or the time of the last fetch in seconds since
     * 1970, below 0: not known, and the seconds from fetch to fetch, 0: not known. */
    unsigned n_values; /* of weights, and in lists */
    double values[2]; /* [n_values] */
};

/* Is a page in this state told of? */
static inline bool mr_fetch_is_wanted(enum mr_fetch_wanted wanted, enum mr_fetch_state state)
{
    return wanted < MR_FETCH_WANTS_FETCHED || state != MR_FETCH_WAITS;
}

/* The state after a fetch that ended with this status, of HTTP or below 0 of Heritrix. */
enum mr_fetch_state mr_fetch_state_of_code(long code);

typedef enum mr_status (*mr_row_take)(void *data, const struct mr_row *row, struct mr_error *err);

/* The kind of log that begins with `text`[bytes]. */
enum mr_fetch_log mr_fetch_log_look(const char *text, size_t bytes);
const char *mr_fetch_log_name(enum mr_fetch_log kind); /* for messages */

/* Read all of `input`, a log of this kind, and call `take` for every page that is wanted, in file
 * order. Errors: INPUT with FILE:LINE for a line that is not of this kind, a state that is not
 * known, or a time that is none; with the offset for a damaged SequenceFile. */
enum mr_status mr_fetch_log_read(const struct mr_context *context, struct mr_input *input,
                                 enum mr_fetch_log kind, enum mr_fetch_wanted wanted,
                                 mr_row_take take, void *data, struct mr_error *err) MR_WARN_UNUSED;

/* The mark of a line of Heritrix's recovery journal, the letter behind F; ' ' for a time or an
 * error between its lines; '\0' for any other line. */
char mr_journal_mark(const char *line, size_t bytes);

/* The JSON of a line "KEY TIME {...}" or "KEY TIME TYPE {...}" of a CDXJ index, and its time; NULL
 * for other lines. */
const char *mr_cdxj_json(const char *line, size_t bytes, double *time);
/* Is it a line before the entries of an index: "!OpenWayback-CDXJ 1.0", "!meta", " CDX N b a"? */
bool mr_cdx_is_head(const char *line, size_t bytes);

/* A date as Java prints it, "Mon Nov 23 20:16:48 UTC 2026", in seconds since 1970. Returns false
 * for other text and for time zones that have no entry in the table of fetch_log.c. */
bool mr_java_date(const char *text, size_t bytes, double *seconds);

#endif
