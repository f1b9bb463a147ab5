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

#include "formats/crawl/fetch_rows.h"
#include "formats/crawl/sequence_file.h"
#include "formats/table/json_input.h"
#include "formats/table/lines.h"
#include "formats/table/table.h"
#include "formats/table/time_text.h"

enum { LINES_PER_POLL = 4096 };

struct log {
    const struct mr_context *context;
    struct mr_input *input;
    struct mr_lines *lines;
    enum mr_fetch_log kind;
    enum mr_fetch_wanted wanted;
    mr_row_take take;
    void *data;
    struct mr_fetch_columns columns;
    /* crawldb: the record that is being read */
    char *url; /* [url_bytes], or NULL */
    size_t url_bytes;
    int status; /* its number, -1 before it */
    unsigned tries; /* since the last fetch */
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

static enum mr_status tell(const struct log *log, const struct mr_row *fetch, struct mr_error *err)
{
    return fetch->name_bytes == 0 || !mr_fetch_is_wanted(log->wanted, fetch->state)
               ? MR_OK
               : log->take(log->data, fetch, err);
}

/* ---- crawl.log ---- */

static bool take_crawl_log(const char *line, size_t bytes, struct mr_row *fetch)
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
    fetch->name = field[3];
    fetch->name_bytes = length[3];
    fetch->state = mr_fetch_state_of_code(strtol(field[1], NULL, 10)); /* a blank follows */
    fetch->is_stated = true;
    fetch->tries = 1;
    return i == length[1] && length[1] <= 5 && length[0] >= 14 &&
           memchr(field[3], ':', length[3]) != NULL &&
           mr_time_parse(field[0], length[0], &fetch->values[0]);
}

/* ---- The recovery journal ---- */

char mr_journal_mark(const char *line, size_t bytes)
{
    const bool is_remark = bytes == 0 || (bytes > 2 && (*line == 'T' || *line == 'E') &&
                                          (line[1] == ' ' || line[2] == ' '));
    const bool has_mark = bytes > 3 && line[0] == 'F' && line[1] != '\0' &&
                          strchr("+sferdi", line[1]) != NULL && line[2] == ' ';
    return is_remark ? ' ' : has_mark ? line[1] : '\0';
}

static bool is_journal(const char *text, size_t bytes)
{
    const char *const end = text + bytes;

    for (const char *line = text, *stop; line < end; line = stop + 1) {
        stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop != NULL ? stop : end;
        const char mark = mr_journal_mark(line, (size_t)(stop - line));
        if (mark != ' ') {
            return mark != '\0' && memchr(line, ':', (size_t)(stop - line)) != NULL;
        }
    }
    return false;
}

/* Heritrix is done with a page that it fetched (s), gave up (f) or may not fetch (d). */
static bool take_journal_line(const char *line, size_t bytes, struct mr_row *fetch)
{
    const char mark = mr_journal_mark(line, bytes), *at = line + 2;

    if (mark != ' ' && mark != '\0') {
        fetch->name = mr_lines_field(&at, line + bytes, &fetch->name_bytes);
        fetch->state = strchr("sfd", mark) != NULL ? MR_FETCH_DONE : MR_FETCH_WAITS;
    }
    return mark != '\0';
}

/* ---- URLFrontier ---- */

/* ListURLs of URLFrontier writes URL;DATE. It never hands out what has 0 for a date. */
static bool take_listed(const char *line, size_t bytes, struct mr_row *fetch)
{
    const char *const mark = memrchr(line, ';', bytes);
    const size_t n = mark != NULL ? (size_t)(mark - line) : 0;
    bool is_date = n > 0 && bytes - n >= 2;

    for (size_t i = n + 1; i < bytes; i++) {
        is_date = is_date && line[i] >= '0' && line[i] <= '9';
    }
    fetch->name = line;
    fetch->name_bytes = n;
    fetch->state = is_date && bytes - n == 2 && line[n + 1] == '0' ? MR_FETCH_DONE : MR_FETCH_WAITS;
    fetch->is_stated = true;
    return is_date && memmem(line, n, "://", 3) != NULL;
}

/* Does a line end in ;200 or another status of HTTP? The first line of a table of these looks like
 * one of ListURLs, where a date this small is the place of Millrace's list. */
static bool ends_in_status(const char *line, size_t bytes)
{
    return bytes > 4 && line[bytes - 4] == ';' && line[bytes - 3] >= '1' && line[bytes - 3] <= '5';
}

/* ---- CDXJ ---- */

bool mr_cdx_is_head(const char *line, size_t bytes)
{
    return bytes > 0 && (*line == '!' || *line == ' ');
}

const char *mr_cdxj_json(const char *line, size_t bytes, double *time)
{
    const char *at = line, *const end = line + bytes;
    size_t n = 0;

    (void)mr_lines_field(&at, end, &n);
    const char *text = mr_lines_field(&at, end, &n);
    if (text == NULL || n < 14 || !mr_time_parse(text, n, time)) {
        return NULL;
    }
    for (int i = 0; i < 2; i++) {
        while (at < end && *at == ' ') {
            at++;
        }
        if (at < end && *at == '{') {
            return at;
        }
        (void)mr_lines_field(&at, end, &n); /* "response" */
    }
    return NULL;
}

/* Takes the URL of the JSON object of a line, which `*json` then owns. */
static enum mr_status take_cdxj(const struct log *log, const char *line, size_t bytes,
                                struct mr_row *fetch, bool *is_line, struct mr_json_input *json,
                                struct mr_error *err)
{
    const char *at = mr_cdxj_json(line, bytes, &fetch->values[0]);

    *is_line = at != NULL;
    if (!*is_line) {
        return MR_OK;
    }
    const enum mr_status status = mr_json_input_parse(
        log->context->memory, at, (size_t)(line + bytes - at), JSON_ALLOW_NUL, json, err);
    const json_t *url = status == MR_OK ? mr_json_find(json->root, " url uri ") : NULL;
    *is_line = json_is_string(url);
    if (*is_line) {
        char digits[32];
        size_t n = 0;
        long number;
        const char *code =
            mr_json_as_text(mr_json_find(json->root, " status hsc statuscode "), digits, &n);
        fetch->name = json_string_value(url);
        fetch->name_bytes = json_string_length(url);
        fetch->state = code != NULL && mr_fetch_code(code, n, &number)
                           ? mr_fetch_state_of_code(number)
                           : MR_FETCH_DONE;
        fetch->is_stated = code != NULL;
        fetch->tries = 1;
    }
    return status;
}

/* ---- A dump of the crawldb ---- */

/* For a fetched page, "Fetch time" is when it is due again: the last fetch and the interval. */
static enum mr_status end_record(struct log *log, struct mr_error *err)
{
    const struct mr_row fetch = {.name = log->url,
                                 .name_bytes = log->url_bytes,
                                 .values = {log->next_fetch - log->interval, log->interval},
                                 .state = mr_fetch_state_of_nutch(log->status, log->tries),
                                 .is_stated = true,
                                 .tries = log->tries,
                                 .line = log->line};
    const bool is_whole = log->url == NULL || (log->status > 0 && log->next_fetch >= 0);
    enum mr_status status = MR_OK;

    if (!is_whole) {
        status = mr_error_line(err, MR_ERROR_INPUT, mr_input_name(log->input), log->line,
                               "the record of this page has no \"Status:\" and \"Fetch time:\"");
    } else if (log->url != NULL) {
        status = tell(log, &fetch, err);
    }
    free(log->url);
    log->url = NULL;
    log->status = -1;
    log->next_fetch = -1;
    log->interval = 0;
    log->tries = 0;
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
        log->status = (int)mr_fetch_seconds(rest, rest_bytes < 3 ? rest_bytes : 3);
    } else if (after(line, bytes, "Fetch time: ", &rest, &rest_bytes)) {
        if (!mr_java_date(rest, rest_bytes, &log->next_fetch)) {
            return bad_line(log, line, bytes, MR_FETCH_BAD_DATE, err);
        }
    } else if (after(line, bytes, "Retries since fetch: ", &rest, &rest_bytes)) {
        log->tries = (unsigned)mr_fetch_seconds(rest, rest_bytes < 4 ? rest_bytes : 4);
    } else if (after(line, bytes, "Retry interval: ", &rest, &rest_bytes)) {
        log->interval = mr_fetch_seconds(rest, rest_bytes);
    }
    return MR_OK;
}

/* ---- Kinds ---- */

/* The first line that says what a file is. */
static const char *first_line(const char *text, size_t bytes, size_t *line_bytes)
{
    struct mr_table_rows rows = {.at = text, .end = text + bytes, .by_line = true};
    const char *line, *end;

    while (mr_table_line(&rows, '\0', &line, &end)) {
        if (end > line && *line != '!') {
            *line_bytes = (size_t)(end - line);
            return line;
        }
    }
    return NULL;
}

enum mr_fetch_log mr_fetch_log_look(const char *text, size_t bytes)
{
    struct mr_row fetch;
    struct mr_fetch_columns columns;
    size_t n = 0;
    const char *line = first_line(text, bytes, &n);
    double seconds;

    if (mr_sequence_begins(text, bytes)) {
        return MR_FETCH_LOG_SEQUENCE;
    }
    if (line == NULL) {
        return MR_FETCH_LOG_NONE;
    }
    const char *version = memmem(line, n, "\tVersion: ", 10);
    return take_crawl_log(line, n, &fetch)                            ? MR_FETCH_LOG_HERITRIX
           : is_journal(text, bytes)                                  ? MR_FETCH_LOG_JOURNAL
           : take_listed(line, n, &fetch) && !ends_in_status(line, n) ? MR_FETCH_LOG_LISTED
           : version != NULL && memchr(line, ':', (size_t)(version - line)) != NULL
               ? MR_FETCH_LOG_CRAWLDB
           : mr_json_begins(text, bytes)                      ? MR_FETCH_LOG_JSON
           : mr_cdxj_json(line, n, &seconds) != NULL          ? MR_FETCH_LOG_CDXJ
           : mr_fetch_columns_of_cdx(line, n, &columns)       ? MR_FETCH_LOG_CDX
           : mr_fetch_columns_of_aduana(line, n, &columns)    ? MR_FETCH_LOG_ADUANA
           : mr_fetch_columns_of_table(text, bytes, &columns) ? MR_FETCH_LOG_TABLE
                                                              : MR_FETCH_LOG_NONE;
}

const char *mr_fetch_log_name(enum mr_fetch_log kind)
{
    static const char *const names[] = {"list",
                                        "crawl.log",
                                        "recovery journal",
                                        "crawldb dump",
                                        "CDXJ index",
                                        "CDX index",
                                        "file of JSON",
                                        "status table",
                                        "dump of Aduana",
                                        "SequenceFile of Nutch",
                                        "list of URLFrontier"};
    return names[kind];
}

/* ---- Reading ---- */

static enum mr_status take_row(struct log *log, const char *line, size_t bytes,
                               struct mr_error *err)
{
    struct mr_fetch_columns *columns = &log->columns;
    struct mr_fetch_row row;

    if (log->kind == MR_FETCH_LOG_CDX && *line == ' ') {
        (void)mr_fetch_columns_of_cdx(line, bytes, columns);
        return MR_OK;
    }
    if (columns->separator == '\0') {
        (void)(log->kind == MR_FETCH_LOG_CDX ? mr_fetch_columns_of_cdx(line, bytes, columns)
                                             : mr_fetch_columns_of_aduana(line, bytes, columns));
    }
    const char *reason = mr_fetch_take_row(line, bytes, log->kind, columns, log->wanted, &row);
    if (reason != NULL) {
        return bad_line(log, line, bytes, reason, err);
    }
    row.fetch.line = mr_lines_number(log->lines);
    return tell(log, &row.fetch, err);
}

static enum mr_status take_object(struct log *log, json_t *object, const char *line, size_t bytes,
                                  struct mr_error *err)
{
    struct mr_fetch_row row = {.fetch = {.name = NULL}};
    const char *reason = NULL;

    if (!json_is_object(object)) {
        reason = "no JSON object";
    } else if (mr_json_record(object) != NULL) {
        reason = mr_fetch_take_object(object, log->wanted, &row);
    }
    row.fetch.line = mr_lines_number(log->lines);
    return reason != NULL ? bad_line(log, line, bytes, reason, err) : tell(log, &row.fetch, err);
}

static enum mr_status take_json(struct log *log, const char *line, size_t bytes,
                                struct mr_error *err)
{
    struct mr_json_input json;
    enum mr_status status = mr_json_input_parse(log->context->memory, line, bytes, 0, &json, err);
    const json_t *answer = status == MR_OK ? mr_json_answer(json.root) : NULL;

    if (status == MR_OK && json.root == NULL) {
        status = bad_line(log, line, bytes, json.reason, err);
    } else if (status == MR_OK && answer == NULL) {
        status = take_object(log, json.root, line, bytes, err);
    }
    for (size_t i = 0; i < json_array_size(answer) && status == MR_OK; i++) {
        status = take_object(log, json_array_get(answer, i), line, bytes, err);
    }
    mr_json_input_free(&json);
    return status;
}

static enum mr_status take_line(struct log *log, const char *line, size_t bytes,
                                struct mr_error *err)
{
    struct mr_row fetch = {.values = {-1}, .line = mr_lines_number(log->lines)};
    struct mr_json_input json = {0};
    bool is_line = true;
    enum mr_status status = MR_OK;

    switch (log->kind) {
    case MR_FETCH_LOG_CRAWLDB:
        return take_crawldb_line(log, line, bytes, err);
    case MR_FETCH_LOG_JSON:
        return take_json(log, line, bytes, err);
    case MR_FETCH_LOG_HERITRIX:
        is_line = take_crawl_log(line, bytes, &fetch);
        break;
    case MR_FETCH_LOG_JOURNAL:
        is_line = take_journal_line(line, bytes, &fetch);
        break;
    case MR_FETCH_LOG_LISTED:
        is_line = take_listed(line, bytes, &fetch);
        break;
    case MR_FETCH_LOG_CDXJ:
        status = take_cdxj(log, line, bytes, &fetch, &is_line, &json, err);
        break;
    default:
        return take_row(log, line, bytes, err);
    }
    if (status == MR_OK) {
        status =
            is_line
                ? tell(log, &fetch, err)
                : bad_line(log, line, bytes,
                           log->kind == MR_FETCH_LOG_HERITRIX  ? "no line of a crawl.log"
                           : log->kind == MR_FETCH_LOG_LISTED  ? "no line URL;DATE of URLFrontier"
                           : log->kind == MR_FETCH_LOG_JOURNAL ? "no line of a recovery journal"
                                                               : "no line of a CDXJ index",
                           err);
    }
    if (json.memory != NULL) {
        mr_json_input_free(&json);
    }
    return status;
}

enum mr_status mr_fetch_log_read(const struct mr_context *context, struct mr_input *input,
                                 enum mr_fetch_log kind, enum mr_fetch_wanted wanted,
                                 mr_row_take take, void *data, struct mr_error *err)
{
    struct log log = {.context = context,
                      .input = input,
                      .kind = kind,
                      .wanted = wanted,
                      .take = take,
                      .data = data,
                      .status = -1,
                      .next_fetch = -1};
    const char *line;
    size_t bytes;

    if (kind == MR_FETCH_LOG_SEQUENCE) {
        return mr_fetch_sequence_read(context, input, wanted, take, data, err);
    }
    enum mr_status status = MR_OK;
    if (kind == MR_FETCH_LOG_TABLE) {
        status = mr_input_peek(input, &line, &bytes, err);
        (void)(status == MR_OK && mr_fetch_columns_of_table(line, bytes, &log.columns));
    }
    if (status == MR_OK) {
        status = mr_lines_open(context, input, &log.lines, err);
    }
    if (status == MR_OK && kind == MR_FETCH_LOG_TABLE) {
        const struct mr_table table = {
            .separator = log.columns.separator, .joins = true, .n_before = log.columns.n_before};
        status = mr_table_begin(&table, log.lines, err);
    }
    while (status == MR_OK) {
        status = kind == MR_FETCH_LOG_JSON ? mr_lines_object(log.lines, &line, &bytes, err)
                                           : mr_lines_next(log.lines, &line, &bytes, err);
        if (status != MR_OK || line == NULL) {
            break;
        }
        const bool is_text =
            kind == MR_FETCH_LOG_CRAWLDB || (kind == MR_FETCH_LOG_CDX && bytes > 0 && *line == ' ');
        const bool is_remark =
            kind == MR_FETCH_LOG_TABLE && bytes > 1 && memcmp(line, "# ", 2) == 0;
        if (bytes > 0 && !is_remark && (is_text || !mr_cdx_is_head(line, bytes))) {
            status = take_line(&log, line, bytes, err);
        }
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
