/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what a crawler has fetched and when. Lists of fetched pages and of times come through here
 * when they are a crawler's own files (formats/pages/name_lines.c), so that a user need not prepare
 * them. The first line tells the kind of file. The readers are strict: a line that does not fit is
 * an error with its number, because a page that is missed here would be fetched twice. */
#include "formats/crawl/fetch_log.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/crawl/fetch_sequence.h"
#include "formats/crawl/sequence_file.h"
#include "formats/stream/csv_field.h"
#include "formats/stream/json_input.h"
#include "formats/stream/lines.h"
#include "formats/stream/time_text.h"

enum { LINES_PER_POLL = 4096, MAX_COLUMNS = 64 };

/* The columns of a table; -1 where there is none. */
struct columns {
    int url, status, fetched, next, interval, metadata;
    char separator;
};

struct log {
    const struct mr_context *context;
    struct mr_input *input;
    struct mr_lines *lines;
    mr_fetch_take take;
    void *data;
    struct columns columns;
    /* crawldb: the record that is being read */
    char *url; /* [url_bytes], or NULL */
    size_t url_bytes;
    int status; /* its number, -1 before it */
    uint64_t line;
    double next_fetch, interval;
};

static enum mr_status bad_line(const struct log *log, const char *line, size_t bytes,
                               const char *reason, struct mr_error *err)
{
    char quote[MR_LINES_QUOTE_BYTES];
    return mr_error_line(err, MR_ERROR_INPUT, mr_input_name(log->input),
                         mr_lines_number(log->lines), "%s: %s", mr_lines_quote(line, bytes, quote),
                         reason);
}

static bool has_blank(const char *text, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == ' ' || text[i] == '\t') {
            return true;
        }
    }
    return false;
}

static enum mr_status tell(const struct log *log, const struct mr_fetch *fetch,
                           struct mr_error *err)
{
    return fetch->url_bytes == 0 || has_blank(fetch->url, fetch->url_bytes)
               ? MR_OK
               : log->take(log->data, fetch, err);
}

/* A number of seconds; 0 for text that is none. */
static double seconds_of(const char *text, size_t bytes)
{
    double seconds = 0;
    for (size_t i = 0; i < bytes && i < 12 && text[i] >= '0' && text[i] <= '9'; i++) {
        seconds = 10 * seconds + (text[i] - '0');
    }
    return seconds;
}

/* ---- Dates of Java ---- */

bool mr_java_date(const char *text, size_t bytes, double *seconds)
{
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    static const struct {
        const char *name;
        int minutes;
    } zones[] = {{"UTC", 0},    {"GMT", 0},    {"Z", 0},      {"WET", 0},    {"WEST", 60},
                 {"BST", 60},   {"CET", 60},   {"CEST", 120}, {"EET", 120},  {"EEST", 180},
                 {"MSK", 180},  {"JST", 540},  {"EST", -300}, {"EDT", -240}, {"CST", -360},
                 {"CDT", -300}, {"MST", -420}, {"MDT", -360}, {"PST", -480}, {"PDT", -420}};
    const char *at = text, *field[6], *month = NULL;
    size_t length[6];
    char iso[32];

    for (int i = 0; i < 6; i++) {
        field[i] = mr_lines_field(&at, text + bytes, &length[i]);
        if (field[i] == NULL) {
            return false;
        }
    }
    for (int i = 0; i < 12 && length[1] == 3; i++) {
        month = memcmp(months + 3 * (size_t)i, field[1], 3) == 0 ? months + 3 * (size_t)i : month;
    }
    if (month == NULL || length[2] == 0 || length[2] > 2 || length[3] != 8 || length[5] != 4) {
        return false;
    }
    (void)snprintf(iso, sizeof iso, "%.4s-%02d-%s%.*sT%.8sZ", field[5],
                   (int)((month - months) / 3) + 1, length[2] == 1 ? "0" : "", (int)length[2],
                   field[2], field[3]);
    if (!mr_time_parse(iso, strlen(iso), seconds)) {
        return false;
    }
    for (size_t i = 0; i < sizeof zones / sizeof zones[0]; i++) {
        if (strlen(zones[i].name) == length[4] && memcmp(zones[i].name, field[4], length[4]) == 0) {
            *seconds -= 60.0 * zones[i].minutes;
            return true;
        }
    }
    return false;
}

static bool parse_time(const char *text, size_t bytes, double *seconds)
{
    char iso[64];

    if (bytes > 10 && bytes < sizeof iso && text[10] == ' ' && text[4] == '-') {
        memcpy(iso, text, bytes); /* "2026-11-23 20:16:48", as databases print it */
        iso[10] = 'T';
        return mr_time_parse(iso, bytes, seconds);
    }
    return mr_time_parse(text, bytes, seconds) || mr_java_date(text, bytes, seconds);
}

static const char bad_date[] =
    "no date in a known time zone; make the dump with TZ=UTC in the environment";

/* ---- crawl.log ---- */

static bool take_crawl_log(const char *line, size_t bytes, struct mr_fetch *fetch)
{
    const char *at = line, *field[4];
    size_t length[4];

    for (int i = 0; i < 4; i++) {
        field[i] = mr_lines_field(&at, line + bytes, &length[i]);
        if (field[i] == NULL) {
            return false;
        }
    }
    size_t i = field[1][0] == '-';
    for (; i < length[1] && field[1][i] >= '0' && field[1][i] <= '9'; i++) {
    }
    fetch->url = field[3];
    fetch->url_bytes = length[3];
    return i == length[1] && length[1] <= 5 && length[0] >= 14 &&
           memchr(field[3], ':', length[3]) != NULL &&
           mr_time_parse(field[0], length[0], &fetch->time);
}

/* ---- CDXJ ---- */

/* Takes the URL of "KEY TIMESTAMP {JSON}" from its JSON object, which `*json` then owns. */
static enum mr_status take_cdxj(const struct log *log, const char *line, size_t bytes,
                                struct mr_fetch *fetch, bool *is_line, struct mr_json_input *json,
                                struct mr_error *err)
{
    const char *at = line, *const end = line + bytes;
    size_t key_bytes, time_bytes;
    const char *key = mr_lines_field(&at, end, &key_bytes);
    const char *time = key == NULL ? NULL : mr_lines_field(&at, end, &time_bytes);

    *is_line = time != NULL && mr_time_parse(time, time_bytes, &fetch->time);
    while (at < end && *at == ' ') {
        at++;
    }
    *is_line = *is_line && at < end && *at == '{';
    if (!*is_line) {
        return MR_OK;
    }
    const enum mr_status status = mr_json_input_parse(log->context->memory, at, (size_t)(end - at),
                                                      JSON_ALLOW_NUL, json, err);
    const json_t *url = status == MR_OK ? json_object_get(json->root, "url") : NULL;
    *is_line = json_is_string(url);
    if (*is_line) {
        fetch->url = json_string_value(url);
        fetch->url_bytes = json_string_length(url);
    }
    return status;
}

/* ---- A dump of the crawldb ---- */

/* Statuses of CrawlDatum: 1 waits for its first fetch. For a fetched page, "Fetch time" is when it
 * is due again: the last fetch and the interval. */
static enum mr_status end_record(struct log *log, struct mr_error *err)
{
    const struct mr_fetch fetch = {.url = log->url,
                                   .url_bytes = log->url_bytes,
                                   .time = log->next_fetch - log->interval,
                                   .interval = log->interval,
                                   .line = log->line};
    const bool waits = log->url == NULL || log->status == 1;
    const bool is_whole = log->url == NULL || (log->status > 0 && log->next_fetch >= 0);
    enum mr_status status = MR_OK;

    if (!is_whole) {
        status = mr_error_line(err, MR_ERROR_INPUT, mr_input_name(log->input), log->line,
                               "the record of this page has no \"Status:\" and \"Fetch time:\"");
    } else if (!waits) {
        status = tell(log, &fetch, err);
    }
    free(log->url);
    log->url = NULL;
    log->status = -1;
    log->next_fetch = -1;
    log->interval = 0;
    return status;
}

static bool after(const char *line, size_t bytes, const char *words, const char **rest,
                  size_t *rest_bytes)
{
    const size_t n = strlen(words);
    *rest = line + n;
    *rest_bytes = bytes - (bytes < n ? bytes : n);
    return bytes >= n && memcmp(line, words, n) == 0;
}

static enum mr_status take_crawldb_line(struct log *log, const char *line, size_t bytes,
                                        struct mr_error *err)
{
    static const char version[] = "\tVersion: ";
    const char *mark = memmem(line, bytes, version, sizeof version - 1), *rest;
    size_t rest_bytes;

    if (mark != NULL && mark > line) {
        enum mr_status status = end_record(log, err);
        log->url_bytes = (size_t)(mark - line);
        log->url = status == MR_OK ? malloc(log->url_bytes) : NULL; /* it may have a NUL */
        if (log->url != NULL) {
            memcpy(log->url, line, log->url_bytes);
        }
        log->line = mr_lines_number(log->lines);
        return status == MR_OK && log->url == NULL
                   ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a URL")
                   : status;
    }
    if (after(line, bytes, "Status: ", &rest, &rest_bytes)) {
        log->status = (int)seconds_of(rest, rest_bytes < 3 ? rest_bytes : 3);
    } else if (after(line, bytes, "Fetch time: ", &rest, &rest_bytes)) {
        if (!mr_java_date(rest, rest_bytes, &log->next_fetch)) {
            return bad_line(log, line, bytes, bad_date, err);
        }
    } else if (after(line, bytes, "Retry interval: ", &rest, &rest_bytes)) {
        log->interval = seconds_of(rest, rest_bytes);
    }
    return MR_OK;
}

/* ---- Tables ---- */

static bool is_word(const char *text, size_t bytes, const char *words)
{
    for (const char *at = words; *at != '\0';) {
        const size_t n = strcspn(at, "|");
        if (n == bytes && strncasecmp(at, text, n) == 0) {
            return true;
        }
        at += n + (at[n] == '|');
    }
    return false;
}

/* Does a header have columns for URLs and their states? */
static bool take_header(const char *line, size_t bytes, struct columns *columns)
{
    const char *at = line, *text;
    size_t n;
    bool raw;

    *columns = (struct columns){
        .url = -1, .status = -1, .fetched = -1, .next = -1, .interval = -1, .metadata = -1};
    columns->separator = memchr(line, '\t', bytes) != NULL  ? '\t'
                         : memchr(line, ';', bytes) != NULL ? ';'
                                                            : ',';
    for (int i = 0; at != NULL && i < MAX_COLUMNS; i++) {
        if (!mr_csv_field(&at, line + bytes, columns->separator, &text, &n, &raw)) {
            return false;
        }
        int *column = is_word(text, n, "url")                               ? &columns->url
                      : is_word(text, n, "status|status name|status_name")  ? &columns->status
                      : is_word(text, n, "fetch time|fetchtime|fetch_time") ? &columns->next
                      : is_word(text, n, "metadata")                        ? &columns->metadata
                      : is_word(text, n, "retry interval seconds")          ? &columns->interval
                      : is_word(text, n,
                                "lastprocesseddate|last_processed_date|metadata.lastprocesseddate|"
                                "lastfetchdate|last_fetch_date|fetchdate|fetch_date|fetched|"
                                "last_fetch|timestamp")
                          ? &columns->fetched
                          : NULL;
        if (column != NULL && *column < 0) {
            *column = i;
        }
    }
    return columns->url >= 0 && columns->status >= 0;
}

/* The date behind "lastProcessedDate" in the metadata of StormCrawler, or -1. */
static double date_of_metadata(const char *text, size_t bytes)
{
    static const char key[] = "lastProcessedDate";
    const char *at = bytes == 0 ? NULL : memmem(text, bytes, key, sizeof key - 1);
    const char *end = text + bytes;
    double seconds;

    if (at == NULL) {
        return -1;
    }
    for (at += sizeof key - 1; at < end && strchr("\"'=:[ ", *at) != NULL; at++) {
    }
    size_t n = 0;
    while (at + n < end && strchr("0123456789-:.TZ+", at[n]) != NULL) {
        n++;
    }
    return parse_time(at, n, &seconds) ? seconds : -1;
}

static enum mr_status take_row(struct log *log, const char *line, size_t bytes,
                               struct mr_fetch *fetch, bool *is_fetched, struct mr_error *err)
{
    const struct columns *columns = &log->columns;
    const char *at = line, *text[MAX_COLUMNS];
    size_t length[MAX_COLUMNS];
    bool raw;
    int n = 0;
    double next = -1;

    for (; at != NULL && n < MAX_COLUMNS; n++) {
        if (!mr_csv_field(&at, line + bytes, columns->separator, &text[n], &length[n], &raw)) {
            return bad_line(log, line, bytes, "its quotes do not match", err);
        }
    }
    if (n <= columns->url || n <= columns->status || length[columns->url] == 0) {
        return bad_line(log, line, bytes, "no url and status in the columns of the header", err);
    }
    fetch->url = text[columns->url];
    fetch->url_bytes = length[columns->url];
    *is_fetched = !is_word(text[columns->status], length[columns->status],
                           "discovered|db_unfetched|unfetched|1");
    if (columns->fetched >= 0 && columns->fetched < n && length[columns->fetched] > 0) {
        if (!parse_time(text[columns->fetched], length[columns->fetched], &fetch->time)) {
            return bad_line(log, line, bytes, bad_date, err);
        }
    } else if (columns->metadata >= 0 && columns->metadata < n) {
        fetch->time = date_of_metadata(text[columns->metadata], length[columns->metadata]);
    }
    if (columns->next >= 0 && columns->interval >= 0 && columns->next < n &&
        columns->interval < n) {
        fetch->interval = seconds_of(text[columns->interval], length[columns->interval]);
        if (!parse_time(text[columns->next], length[columns->next], &next)) {
            return bad_line(log, line, bytes, bad_date, err);
        }
        fetch->time = next - fetch->interval; /* Nutch's time is that of the next fetch */
    }
    return MR_OK;
}

/* ---- Kinds ---- */

/* The first line that says what a file is, without its end. */
static const char *first_line(const char *text, size_t bytes, size_t *line_bytes)
{
    for (size_t at = 0; at < bytes;) {
        const char *end = memchr(text + at, '\n', bytes - at);
        size_t n = end == NULL ? bytes - at : (size_t)(end - text) - at;
        const bool is_head = n == 0 || text[at] == '!' || text[at] == ' ' || text[at] == '\r';
        *line_bytes = n - (n > 0 && text[at + n - 1] == '\r');
        if (!is_head) {
            return text + at;
        }
        at += n + 1;
    }
    return NULL;
}

enum mr_fetch_log mr_fetch_log_look(const char *text, size_t bytes)
{
    struct mr_fetch fetch;
    struct columns columns;
    size_t n = 0, time_bytes = 0;
    const char *line = first_line(text, bytes, &n);
    double seconds;

    if (mr_sequence_begins(text, bytes)) {
        return MR_FETCH_LOG_SEQUENCE;
    }
    if (line == NULL) {
        return MR_FETCH_LOG_NONE;
    }
    if (take_crawl_log(line, n, &fetch)) {
        return MR_FETCH_LOG_HERITRIX;
    }
    const char *version = memmem(line, n, "\tVersion: ", 10);
    if (version != NULL && memchr(line, ':', (size_t)(version - line)) != NULL) {
        return MR_FETCH_LOG_CRAWLDB;
    }
    const char *at = line;
    if (mr_lines_field(&at, line + n, &time_bytes) != NULL) {
        const char *time = mr_lines_field(&at, line + n, &time_bytes);
        while (at < line + n && *at == ' ') {
            at++;
        }
        if (time != NULL && time_bytes >= 14 && mr_time_parse(time, time_bytes, &seconds) &&
            at < line + n && *at == '{') {
            return MR_FETCH_LOG_CDXJ;
        }
    }
    return take_header(line, n, &columns) ? MR_FETCH_LOG_TABLE : MR_FETCH_LOG_NONE;
}

const char *mr_fetch_log_name(enum mr_fetch_log kind)
{
    static const char *const names[] = {"list",       "crawl.log",    "crawldb dump",
                                        "CDXJ index", "status table", "SequenceFile of Nutch"};
    return names[kind];
}

/* ---- Reading ---- */

static enum mr_status take_line(struct log *log, enum mr_fetch_log kind, const char *line,
                                size_t bytes, struct mr_error *err)
{
    struct mr_fetch fetch = {.time = -1, .line = mr_lines_number(log->lines)};
    struct mr_json_input json = {0};
    bool is_line = true, is_fetched = true;
    enum mr_status status = MR_OK;

    if (bytes == 0 || *line == '!' || (*line == ' ' && kind != MR_FETCH_LOG_CRAWLDB)) {
        return MR_OK;
    }
    switch (kind) {
    case MR_FETCH_LOG_HERITRIX:
        is_line = take_crawl_log(line, bytes, &fetch);
        break;
    case MR_FETCH_LOG_CDXJ:
        status = take_cdxj(log, line, bytes, &fetch, &is_line, &json, err);
        break;
    case MR_FETCH_LOG_CRAWLDB:
        return take_crawldb_line(log, line, bytes, err);
    case MR_FETCH_LOG_TABLE:
        if (log->columns.url < 0) {
            return take_header(line, bytes, &log->columns)
                       ? MR_OK
                       : bad_line(log, line, bytes, "no header with url and status", err);
        }
        status = take_row(log, line, bytes, &fetch, &is_fetched, err);
        break;
    case MR_FETCH_LOG_NONE:
    case MR_FETCH_LOG_SEQUENCE:
        break;
    }
    if (status == MR_OK && !is_line) {
        status = bad_line(log, line, bytes,
                          kind == MR_FETCH_LOG_HERITRIX ? "no line of a crawl.log"
                                                        : "no line of a CDXJ index",
                          err);
    }
    if (status == MR_OK && is_fetched) {
        status = tell(log, &fetch, err);
    }
    if (json.memory != NULL) {
        mr_json_input_free(&json);
    }
    return status;
}

enum mr_status mr_fetch_log_read(const struct mr_context *context, struct mr_input *input,
                                 enum mr_fetch_log kind, mr_fetch_take take, void *data,
                                 struct mr_error *err)
{
    struct log log = {.context = context,
                      .input = input,
                      .take = take,
                      .data = data,
                      .columns = {.url = -1},
                      .status = -1,
                      .next_fetch = -1};
    const char *line;
    size_t bytes;

    if (kind == MR_FETCH_LOG_SEQUENCE) {
        return mr_fetch_sequence_read(context, input, take, data, err);
    }
    enum mr_status status = mr_lines_open(context, input, &log.lines, err);

    while (status == MR_OK) {
        status = mr_lines_next(log.lines, &line, &bytes, err);
        if (status != MR_OK || line == NULL) {
            break;
        }
        status = take_line(&log, kind, line, bytes, err);
        if (status == MR_OK && mr_lines_number(log.lines) % LINES_PER_POLL == 0) {
            status = mr_context_poll(context, err);
        }
    }
    if (status == MR_OK) {
        status = end_record(&log, err);
    }
    free(log.url);
    mr_lines_close(log.lines);
    return status;
}
