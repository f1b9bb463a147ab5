/* SPDX-License-Identifier: Apache-2.0 */
/* What a row of a table or an object of JSON says about the fetch of a page. The readers of
 * fetch_log.h share it. Internal to formats/crawl. */
#ifndef MR_FORMATS_CRAWL_FETCH_ROWS_H
#define MR_FORMATS_CRAWL_FETCH_ROWS_H

#include "formats/crawl/fetch_log.h"
#include "formats/table/json_input.h"
#include "formats/table/table.h"

enum {
    MR_FETCH_URL,
    MR_FETCH_STATE,
    MR_FETCH_TIME,
    MR_FETCH_NEXT, /* the time of the next fetch in Nutch, of the last one elsewhere */
    MR_FETCH_INTERVAL,
    MR_FETCH_METADATA,
    MR_FETCH_WEIGHT,
    MR_FETCH_TRIES,
    MR_FETCH_FLAG, /* says whether the page is fetched; a time is MR_FETCH_TIME, too */
    MR_FETCH_FIELDS
};

/* The columns of a table; -1 where there is none. */
struct mr_fetch_columns {
    int of[MR_FETCH_FIELDS];
    char separator; /* '\0': not known yet */
    unsigned n_before; /* lines before the first row */
};

/* A page of a row or an object, and room for its parts. */
struct mr_fetch_row {
    struct mr_row fetch;
    struct mr_table_field fields[MR_FETCH_FIELDS]; /* text is NULL where there is none */
    char digits[MR_FETCH_FIELDS][32];
    char url[2048];
    char reason[MR_LINES_QUOTE_BYTES + 64];
};

/* Find the columns of a table by its header, those of a CDX index by the letters of its header or
 * without one, and those of Aduana's dump. False: it is none of these. */
bool mr_fetch_columns_of_table(const char *text, size_t bytes, struct mr_fetch_columns *columns);
bool mr_fetch_columns_of_cdx(const char *line, size_t bytes, struct mr_fetch_columns *columns);
bool mr_fetch_columns_of_aduana(const char *line, size_t bytes, struct mr_fetch_columns *columns);

/* Take the page of a row or an object, of which mr_json_record is not NULL. Returns NULL, or why it
 * is bad. */
const char *mr_fetch_take_row(const char *line, size_t bytes, enum mr_fetch_log kind,
                              const struct mr_fetch_columns *columns, enum mr_fetch_wanted wanted,
                              struct mr_fetch_row *row);
const char *mr_fetch_take_object(json_t *root, enum mr_fetch_wanted wanted,
                                 struct mr_fetch_row *row);

/* A date or a time as crawlers and databases write it, in seconds since 1970. */
bool mr_fetch_time(const char *text, size_t bytes, double *seconds);

/* A number of seconds; 0 for text that is none. */
double mr_fetch_seconds(const char *text, size_t bytes);

/* Reads a status such as "503", "503 Busy", "503.0", "-2"; below 1000, so that no date is one. */
bool mr_fetch_code(const char *text, size_t bytes, long *code);

/* The state of a page by text such as "404" or "FETCHED"; DONE for any other text. Sets
 * `*has_failed` if the text is a word for a failure, or a status below 1 or from 400 on. */
enum mr_fetch_state mr_fetch_state_of_text(const char *text, size_t bytes, bool *has_failed);

/* The state of a CrawlDatum of Nutch by its number, which failed `tries` times since its fetch. */
enum mr_fetch_state mr_fetch_state_of_nutch(int number, unsigned tries);

#define MR_FETCH_BAD_DATE                                                                          \
    "no date in a known time zone (CST, PST and BST are each those of two places); make the dump " \
    "with TZ=UTC in the environment"

#endif
