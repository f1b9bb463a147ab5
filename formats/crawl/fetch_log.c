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

/* What a row of a table or an object of JSON says about a page, and the words for it. The first
 * word that a header or an object has is taken. */
enum { URL, STATE, FETCHED, NEXT, INTERVAL, METADATA, WEIGHT, N_FIELDS };

static const char *const words_of[N_FIELDS] = {
    [URL] = " url uri pageurl original address name page node host domain ",
    [STATE] = " statusname state statuscode httpstatus httpstatuscode fetchstatus crawlstatus "
              "status ",
    [FETCHED] = " lastprocesseddate metadatalastprocesseddate lastfetchdate lastfetched lastfetch "
                "fetchdate fetchedat fetched lastcrawled lastcrawl crawledat crawltime crawled "
                "lastvisit visited scrapedat loadedtime timestamp ts ",
    [NEXT] = " fetchtime ",
    [INTERVAL] = " retryintervalseconds fetchinterval ",
    [METADATA] = " metadata ",
    [WEIGHT] = " weight score value pagerank rank "};

struct text {
    const char *text; /* [bytes], or NULL */
    size_t bytes;
};

/* The columns of a table; -1 where there is none. */
struct columns {
    int of[N_FIELDS];
    char separator;
};

struct log {
    const struct mr_context *context;
    struct mr_input *input;
    struct mr_lines *lines;
    enum mr_fetch_log kind;
    enum mr_fetch_wanted wanted;
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

/* ---- States ---- */

static bool is_word(const struct text *field, const char *words)
{
    char word[64];

    if (field->bytes + 1 > sizeof word) {
        return false;
    }
    memcpy(word, field->text, field->bytes);
    word[field->bytes] = '\0';
    return strlen(word) == field->bytes && mr_json_key_place(word, words) != NULL;
}

/* Is the page in this state done? Pages without a state in a table that has states are not. Sets
 * `*is_known`. */
static bool is_done(const struct text *state, bool *is_known)
{
    static const char waits[] =
        " 1 unfetched dbunfetched discovered notcrawled notfetched queued new pending waiting "
        "scheduled unvisited todo ready injected linked fetchretry false no ";
    static const char done[] =
        " fetched dbfetched dbgone dbredirtemp dbredirperm dbnotmodified dbduplicate dborphan "
        "fetchsuccess fetchredirtemp fetchredirperm fetchgone fetchnotmodified fetcherror "
        "redirection redirect redirected error gone crawled visited done ok success successful "
        "succeeded failed failure finished complete completed notmodified duplicate timeout "
        "blocked archived dead true yes ";
    const size_t sign = state->bytes > 0 && state->text[0] == '-';

    *is_known = true;
    if (state->bytes == 0 || is_word(state, waits)) {
        return false;
    }
    *is_known = state->bytes == sign || (state->text[sign] >= '0' && state->text[sign] <= '9') ||
                is_word(state, done);
    return true;
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
                                struct mr_fetch *fetch, bool *is_line, struct mr_json_input *json,
                                struct mr_error *err)
{
    const char *at = mr_cdxj_json(line, bytes, &fetch->time);

    *is_line = at != NULL;
    if (!*is_line) {
        return MR_OK;
    }
    const enum mr_status status = mr_json_input_parse(
        log->context->memory, at, (size_t)(line + bytes - at), JSON_ALLOW_NUL, json, err);
    const json_t *url = status == MR_OK ? mr_json_find(json->root, " url uri ") : NULL;
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
    const bool waits =
        log->url == NULL || (log->status == 1 && log->wanted >= MR_FETCH_WANTS_FETCHED);
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

/* ---- Tables and JSON ---- */

/* Does a header have columns for URLs and their states? */
static bool take_header(const char *line, size_t bytes, struct columns *columns)
{
    const char *at = line, *places[N_FIELDS] = {NULL};
    bool raw;

    columns->separator = memchr(line, '\t', bytes) != NULL  ? '\t'
                         : memchr(line, ';', bytes) != NULL ? ';'
                                                            : ',';
    for (int f = 0; f < N_FIELDS; f++) {
        columns->of[f] = -1;
    }
    for (int i = 0; at != NULL && i < MAX_COLUMNS; i++) {
        struct text field;
        char word[64];
        if (!mr_csv_field(&at, line + bytes, columns->separator, &field.text, &field.bytes, &raw)) {
            return false;
        }
        (void)snprintf(word, sizeof word, "%.*s", (int)field.bytes, field.text);
        for (int f = 0; f < N_FIELDS; f++) {
            const char *place = mr_json_key_place(word, words_of[f]);
            if (place != NULL && (places[f] == NULL || place < places[f])) {
                places[f] = place;
                columns->of[f] = i;
            }
        }
    }
    return columns->of[URL] >= 0 && columns->of[STATE] >= 0;
}

/* The date behind "lastProcessedDate" in the metadata of StormCrawler, or -1. */
static double date_of_metadata(const struct text *metadata)
{
    static const char key[] = "lastProcessedDate";
    const char *at =
        metadata->bytes == 0 ? NULL : memmem(metadata->text, metadata->bytes, key, sizeof key - 1);
    const char *end = metadata->text + metadata->bytes;
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

/* The time of the last fetch. Nutch's time is that of the next one. Returns false for a date that
 * is none. */
static bool take_times(const struct text fields[N_FIELDS], struct mr_fetch *fetch)
{
    const struct text *next = &fields[NEXT], *state = &fields[STATE];
    const bool is_nutch =
        fields[INTERVAL].bytes > 0 || (state->bytes > 3 && strncasecmp(state->text, "db_", 3) == 0);

    if (next->bytes > 0) {
        if (!parse_time(next->text, next->bytes, &fetch->time)) {
            return false;
        }
        fetch->interval = seconds_of(fields[INTERVAL].text, fields[INTERVAL].bytes);
        fetch->time = !is_nutch                     ? fetch->time
                      : fields[INTERVAL].bytes == 0 ? -1
                                                    : fetch->time - fetch->interval;
        return true;
    }
    if (fields[FETCHED].bytes > 0) {
        return parse_time(fields[FETCHED].text, fields[FETCHED].bytes, &fetch->time);
    }
    fetch->time = date_of_metadata(&fields[METADATA]);
    return true;
}

static enum mr_status take_fields(const struct log *log, const char *line, size_t bytes,
                                  const struct text fields[N_FIELDS], struct mr_error *err)
{
    struct mr_fetch fetch = {.url = fields[URL].text,
                             .url_bytes = fields[URL].bytes,
                             .time = -1,
                             .weight = fields[WEIGHT].text,
                             .weight_bytes = fields[WEIGHT].bytes,
                             .line = mr_lines_number(log->lines)};
    bool is_known = true;

    if (log->wanted >= MR_FETCH_WANTS_FETCHED) {
        if (fields[STATE].text != NULL && !is_done(&fields[STATE], &is_known)) {
            return MR_OK;
        }
        if (!is_known) {
            return bad_line(log, fields[STATE].text, fields[STATE].bytes,
                            "does this state of a page say that it is fetched? write fetched or "
                            "unfetched in its place, or give a list of the fetched pages",
                            err);
        }
        if (!take_times(fields, &fetch)) {
            if (log->wanted == MR_FETCH_WANTS_TIMES) {
                return bad_line(log, line, bytes, bad_date, err);
            }
            fetch.time = -1;
        }
    }
    return tell(log, &fetch, err);
}

static enum mr_status take_row(const struct log *log, const char *line, size_t bytes,
                               struct mr_error *err)
{
    const struct columns *columns = &log->columns;
    const char *at = line;
    struct text row[MAX_COLUMNS], fields[N_FIELDS] = {{NULL, 0}};
    bool raw;
    int n = 0;

    for (; at != NULL && n < MAX_COLUMNS; n++) {
        if (!mr_csv_field(&at, line + bytes, columns->separator, &row[n].text, &row[n].bytes,
                          &raw)) {
            return bad_line(log, line, bytes, "its quotes do not match", err);
        }
    }
    for (int f = 0; f < N_FIELDS; f++) {
        if (columns->of[f] >= 0 && columns->of[f] < n) {
            fields[f] = row[columns->of[f]];
        }
    }
    if (fields[URL].bytes == 0 || (columns->of[STATE] >= n)) {
        return bad_line(log, line, bytes, "no url and status in the columns of the header", err);
    }
    if (log->kind == MR_FETCH_LOG_CDX &&
        !mr_time_parse(fields[FETCHED].text, fields[FETCHED].bytes, &(double){0})) {
        return bad_line(log, line, bytes, "no line of a CDX index", err);
    }
    if (log->kind == MR_FETCH_LOG_ADUANA) { /* it counts the crawls */
        static const struct text waits = {"unfetched", 9}, done = {"fetched", 7};
        fields[STATE] = fields[STATE].text[0] == '0' ? waits : done;
    }
    return take_fields(log, line, bytes, fields, err);
}

static enum mr_status take_object(const struct log *log, const char *line, size_t bytes,
                                  json_t *object, struct mr_error *err)
{
    static const char *const yes[] = {"fetched", "crawled", "visited", "done"};
    struct text fields[N_FIELDS] = {{NULL, 0}};
    char digits[N_FIELDS][32], reason[MR_LINES_QUOTE_BYTES + 64], keys[MR_LINES_QUOTE_BYTES];

    object = mr_json_record(object);
    if (object == NULL) {
        return MR_OK;
    }
    const json_t *metadata = mr_json_find(object, words_of[METADATA]);
    for (int f = 0; f < N_FIELDS; f++) {
        const json_t *value = mr_json_find(object, words_of[f]);
        if (value == NULL && f == FETCHED) {
            value = mr_json_find(metadata, words_of[f]);
        }
        fields[f].text = mr_json_as_text(value, digits[f], &fields[f].bytes);
    }
    for (size_t i = 0; i < sizeof yes / sizeof yes[0]; i++) {
        if (json_is_false(json_object_get(object, yes[i]))) {
            fields[STATE] = (struct text){"unfetched", 9};
        }
    }
    if (fields[URL].bytes == 0) {
        (void)snprintf(reason, sizeof reason, "no \"url\" among its keys %s",
                       mr_json_keys(object, keys));
        return bad_line(log, line, bytes, reason, err);
    }
    return take_fields(log, line, bytes, fields, err);
}

static enum mr_status take_json(const struct log *log, const char *line, size_t bytes,
                                struct mr_error *err)
{
    struct mr_json_input json;
    enum mr_status status = mr_json_input_parse(log->context->memory, line, bytes, 0, &json, err);

    if (status == MR_OK) {
        status = json_is_object(json.root)
                     ? take_object(log, line, bytes, json.root, err)
                     : bad_line(log, line, bytes,
                                json.root == NULL ? json.reason : "no JSON object", err);
    }
    mr_json_input_free(&json);
    return status;
}

/* ---- CDX and Aduana ---- */

static unsigned count_fields(const char *line, size_t bytes, struct text fields[16])
{
    const char *at = line;
    unsigned n = 0;
    while (n < 16 &&
           (fields[n].text = mr_lines_field(&at, line + bytes, &fields[n].bytes)) != NULL) {
        n++;
    }
    return n;
}

/* The columns of a header " CDX N b a": a is the URL, b the time. Without a header these are the
 * third and the second one of six or more. */
static bool take_cdx(const char *line, size_t bytes, struct columns *columns)
{
    struct text fields[16];
    double seconds;
    const unsigned n = count_fields(line, bytes, fields);

    *columns = (struct columns){.of = {2, -1, 1, -1, -1, -1, -1}, .separator = ' '};
    if (n > 1 && fields[0].bytes == 3 && memcmp(fields[0].text, "CDX", 3) == 0) {
        columns->of[URL] = columns->of[FETCHED] = -1;
        for (int i = 1; i < (int)n; i++) {
            columns->of[URL] = fields[i].text[0] == 'a' ? i - 1 : columns->of[URL];
            columns->of[FETCHED] = fields[i].text[0] == 'b' ? i - 1 : columns->of[FETCHED];
        }
        return columns->of[URL] >= 0 && columns->of[FETCHED] >= 0;
    }
    return n >= 6 && fields[1].bytes >= 14 && fields[1].text[4] != '-' &&
           mr_time_parse(fields[1].text, fields[1].bytes, &seconds) &&
           memchr(fields[2].text, ':', fields[2].bytes) != NULL;
}

/* Is it HASH [NUMBER] URL FIRST LAST CHANGES CRAWLS DEPTH SCORE, with 16 hexadecimal digits? */
static bool take_aduana(const char *line, size_t bytes, struct columns *columns)
{
    struct text fields[16];
    const int n = (int)count_fields(line, bytes, fields);

    *columns = (struct columns){.of = {n - 7, n - 3, n - 5, -1, -1, -1, -1}, .separator = ' '};
    return (n == 8 || n == 9) && fields[0].bytes == 16 &&
           strspn(fields[0].text, "0123456789abcdef") == 16 &&
           memchr(fields[n - 6].text, '.', fields[n - 6].bytes) != NULL &&
           strspn(fields[n - 3].text, "0123456789") == fields[n - 3].bytes;
}

/* ---- Kinds ---- */

/* The first line that says what a file is, without its end. */
static const char *first_line(const char *text, size_t bytes, size_t *line_bytes)
{
    for (size_t at = 0; at < bytes;) {
        const char *end = memchr(text + at, '\n', bytes - at);
        size_t n = end == NULL ? bytes - at : (size_t)(end - text) - at;
        const bool is_head = n == 0 || text[at] == '!' || text[at] == '\r';
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
    return take_crawl_log(line, n, &fetch) ? MR_FETCH_LOG_HERITRIX
           : version != NULL && memchr(line, ':', (size_t)(version - line)) != NULL
               ? MR_FETCH_LOG_CRAWLDB
           : mr_json_begins(text, bytes)             ? MR_FETCH_LOG_JSON
           : mr_cdxj_json(line, n, &seconds) != NULL ? MR_FETCH_LOG_CDXJ
           : take_cdx(line, n, &columns)             ? MR_FETCH_LOG_CDX
           : take_aduana(line, n, &columns)          ? MR_FETCH_LOG_ADUANA
           : take_header(line, n, &columns)          ? MR_FETCH_LOG_TABLE
                                                     : MR_FETCH_LOG_NONE;
}

const char *mr_fetch_log_name(enum mr_fetch_log kind)
{
    static const char *const names[] = {"list",         "crawl.log",      "crawldb dump",
                                        "CDXJ index",   "CDX index",      "file of JSON",
                                        "status table", "dump of Aduana", "SequenceFile of Nutch"};
    return names[kind];
}

/* ---- Reading ---- */

/* The columns of a table from its first line. Returns true if that is no row. */
static bool take_first(struct log *log, const char *line, size_t bytes)
{
    switch (log->kind) {
    case MR_FETCH_LOG_CDX:
        (void)take_cdx(line, bytes, &log->columns);
        return mr_cdx_is_head(line, bytes);
    case MR_FETCH_LOG_ADUANA:
        (void)take_aduana(line, bytes, &log->columns);
        return false;
    default:
        (void)take_header(line, bytes, &log->columns);
        return true;
    }
}

static enum mr_status take_line(struct log *log, const char *line, size_t bytes,
                                struct mr_error *err)
{
    struct mr_fetch fetch = {.time = -1, .line = mr_lines_number(log->lines)};
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
    case MR_FETCH_LOG_CDXJ:
        status = take_cdxj(log, line, bytes, &fetch, &is_line, &json, err);
        break;
    default:
        return (log->columns.separator == '\0' || *line == ' ') && take_first(log, line, bytes)
                   ? MR_OK
                   : take_row(log, line, bytes, err);
    }
    if (status == MR_OK) {
        status = is_line ? tell(log, &fetch, err)
                         : bad_line(log, line, bytes,
                                    log->kind == MR_FETCH_LOG_HERITRIX ? "no line of a crawl.log"
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
                                 mr_fetch_take take, void *data, struct mr_error *err)
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
    enum mr_status status = mr_lines_open(context, input, &log.lines, err);

    while (status == MR_OK) {
        status = kind == MR_FETCH_LOG_JSON ? mr_lines_object(log.lines, &line, &bytes, err)
                                           : mr_lines_next(log.lines, &line, &bytes, err);
        if (status != MR_OK || line == NULL) {
            break;
        }
        const bool is_text =
            kind == MR_FETCH_LOG_CRAWLDB || (kind == MR_FETCH_LOG_CDX && bytes > 0 && *line == ' ');
        if (bytes > 0 && (is_text || !mr_cdx_is_head(line, bytes))) {
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
