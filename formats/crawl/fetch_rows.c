/* SPDX-License-Identifier: Apache-2.0 */
/* Tells from a row of a table or an object of JSON which page it is, whether the page is fetched,
 * and when. fetch_log.c reads the lines and reports what is bad. Columns and keys are found by
 * words, because each crawler and each export has its own. A state without a known meaning is
 * refused: a page that counts as fetched by mistake is never fetched. */
#include "formats/crawl/fetch_rows.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/graph/link_kinds.h"
#include "formats/table/column_words.h"
#include "formats/table/time_text.h"

/* The words of each field; the first one that a header or an object has counts. */
static const char *const words_of[MR_FETCH_FIELDS] = {
    [MR_FETCH_URL] = MR_WORDS_FETCH_PAGE,          [MR_FETCH_STATE] = MR_WORDS_FETCH_STATE,
    [MR_FETCH_TIME] = MR_WORDS_FETCH_TIME,         [MR_FETCH_NEXT] = MR_WORDS_FETCH_NEXT,
    [MR_FETCH_INTERVAL] = MR_WORDS_FETCH_INTERVAL, [MR_FETCH_METADATA] = MR_WORDS_FETCH_METADATA,
    [MR_FETCH_WEIGHT] = MR_WORDS_FETCH_WEIGHT,     [MR_FETCH_TRIES] = MR_WORDS_FETCH_TRIES,
    [MR_FETCH_FLAG] = MR_WORDS_FETCH_FLAG};

double mr_fetch_seconds(const char *text, size_t bytes)
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
    /* Without those of two places: BST, CST and CDT, PST, IST. */
    static const struct {
        const char *name;
        int minutes;
    } zones[] = {{"UTC", 0},    {"GMT", 0},    {"Z", 0},      {"WET", 0},
                 {"WEST", 60},  {"CET", 60},   {"CEST", 120}, {"EET", 120},
                 {"EEST", 180}, {"MSK", 180},  {"JST", 540},  {"EST", -300},
                 {"EDT", -240}, {"MST", -420}, {"MDT", -360}, {"PDT", -420}};
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

bool mr_fetch_time(const char *text, size_t bytes, double *seconds)
{
    char iso[64];

    if (bytes > 10 && bytes < sizeof iso && text[10] == ' ' && text[4] == '-') {
        memcpy(iso, text, bytes); /* "2026-11-23 20:16:48", as databases print it */
        iso[10] = 'T';
        return mr_time_parse(iso, bytes, seconds);
    }
    return mr_time_parse(text, bytes, seconds) || mr_java_date(text, bytes, seconds);
}

/* ---- States ---- */

enum mr_fetch_state mr_fetch_state_of_code(long code)
{
    switch (code) {
    case 404:
    case 410:
    case -404: /* Heritrix takes an empty answer for a 404 */
        return MR_FETCH_GONE;
    case 408:
    case 425:
    case 429:
        return MR_FETCH_SERVER_FAILED;
    case -50: /* Heritrix waits for the address or robots.txt, or got none */
    case -61:
    case -62:
        return MR_FETCH_NO_SERVER;
    default:
        return code >= 500 && code < 600  ? MR_FETCH_SERVER_FAILED
               : code <= -1 && code >= -6 ? MR_FETCH_NO_SERVER
                                          : MR_FETCH_DONE;
    }
}

/* 1 to 31 are states of a crawldb, 33 to 38 outcomes in a segment, larger ones parts of pages. */
enum mr_fetch_state mr_fetch_state_of_nutch(int number, unsigned tries)
{
    enum {
        DB_UNFETCHED = 1,
        DB_GONE = 3,
        DB_LAST = 31,
        FETCH_FIRST = 33,
        FETCH_RETRY,
        FETCH_GONE = 37,
        FETCH_LAST
    };
    const bool is_outcome = number > DB_UNFETCHED && number <= FETCH_LAST &&
                            (number <= DB_LAST || number >= FETCH_FIRST);

    return number == DB_GONE || number == FETCH_GONE                        ? MR_FETCH_GONE
           : number == FETCH_RETRY || (number == DB_UNFETCHED && tries > 0) ? MR_FETCH_TRIES_AGAIN
           : is_outcome                                                     ? MR_FETCH_DONE
                                                                            : MR_FETCH_WAITS;
}

bool mr_fetch_code(const char *text, size_t bytes, long *code)
{
    char number[8] = "", *end;

    memcpy(number, text, bytes < sizeof number ? bytes : sizeof number - 1);
    *code = strtol(number, &end, 10);
    return end > number && (*end == ' ' || end[strspn(end, ".0")] == '\0') && *code < 1000;
}

/* Is it the name of an exception, such as DNSLookupError, or "ReadTimeout: ..."? */
static bool is_exception(const struct mr_table_field *state)
{
    static const char *const ends[] = {"error", "timeout", "neverreceived", "lost"};
    char word[MR_TABLE_WORD_BYTES];
    bool is = false;

    mr_table_word(state->text, state->bytes, 0, word);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        const size_t n = strlen(ends[i]), bytes = strlen(word);
        is |= bytes > n && strcmp(word + bytes - n, ends[i]) == 0;
    }
    return is;
}

/* The state of a page by its words. Where states are given, a page without one waits. Sets
 * `*is_known` and `*has_failed`. */
static enum mr_fetch_state state_of(const struct mr_table_field *state, bool *is_known,
                                    bool *has_failed)
{
    static const struct {
        enum mr_fetch_state state;
        const char *words;
    } known[] = {
        {MR_FETCH_WAITS,
         " 1 unfetched dbunfetched discovered notcrawled notfetched queued new pending waiting "
         "scheduled unvisited todo ready injected linked filtered syntaxok false no "},
        {MR_FETCH_TRIES_AGAIN, " fetchretry fetcherror retry "},
        {MR_FETCH_NO_SERVER, " timeout timedout "},
        {MR_FETCH_GONE, " dbgone fetchgone gone dead error "}, /* StormCrawler's ERROR is final */
        {MR_FETCH_DONE,
         " fetched dbfetched dbredirtemp dbredirperm dbnotmodified dbduplicate dborphan "
         "fetchsuccess fetchredirtemp fetchredirperm fetchnotmodified redirection redirect "
         "redirected crawled visited done ok success successful succeeded failed failure finished "
         "complete completed notmodified duplicate blocked ignorerequest archived true yes "}};
    const bool has_dash =
        state->bytes > 0 && state->text[0] == '-'; /* words have none: -1 is no 1 */
    const bool is_dash = has_dash && state->bytes == 1; /* of a revisit */
    long code;

    *is_known = true;
    *has_failed = mr_table_is(state, " failed failure blocked ");
    for (size_t i = 0; i < sizeof known / sizeof known[0] && state->bytes > 0 && !has_dash; i++) {
        if (mr_table_is(state, known[i].words)) {
            return known[i].state;
        }
    }
    if (state->bytes == 0) {
        return MR_FETCH_WAITS;
    }
    if (is_exception(state)) {
        return MR_FETCH_NO_SERVER;
    }
    const bool is_code = mr_fetch_code(state->text, state->bytes, &code);
    *is_known = is_dash || is_code;
    *has_failed = is_code && mr_link_is_failure(code);
    return !is_code ? MR_FETCH_DONE : code == 0 ? MR_FETCH_NO_SERVER : mr_fetch_state_of_code(code);
}

enum mr_fetch_state mr_fetch_state_of_text(const char *text, size_t bytes, bool *has_failed)
{
    bool is_known;
    return state_of(&(struct mr_table_field){.text = text, .bytes = bytes}, &is_known, has_failed);
}

/* ---- Pages ---- */

/* What stands behind `key` in the metadata of StormCrawler, up to `*end`; NULL: nothing. */
static const char *in_metadata(const struct mr_table_field *metadata, const char *key,
                               const char **end)
{
    const char *at =
        metadata->bytes == 0 ? NULL : memmem(metadata->text, metadata->bytes, key, strlen(key));
    *end = metadata->text + metadata->bytes;
    if (at != NULL) {
        for (at += strlen(key); at < *end && strchr("\"'=:[ ", *at) != NULL; at++) {
        }
    }
    return at;
}

/* How often the fetch failed since it succeeded, as far as it is known. */
static unsigned tries_of(const struct mr_table_field *fields)
{
    const struct mr_table_field *tries = &fields[MR_FETCH_TRIES];
    const char *end = tries->text + tries->bytes, *at = tries->text;

    if (tries->bytes == 0) {
        at = in_metadata(&fields[MR_FETCH_METADATA], "fetch.error.count", &end);
    }
    return at == NULL ? 0 : (unsigned)mr_fetch_seconds(at, end - at < 4 ? (size_t)(end - at) : 4);
}

/* The date behind "lastProcessedDate" in the metadata, or -1. */
static double date_of_metadata(const struct mr_table_field *metadata)
{
    const char *end;
    const char *at = in_metadata(metadata, "lastProcessedDate", &end);
    double seconds;

    if (at == NULL) {
        return -1;
    }
    size_t n = 0;
    while (at + n < end && strchr("0123456789-:.TZ+", at[n]) != NULL) {
        n++;
    }
    return mr_fetch_time(at, n, &seconds) ? seconds : -1;
}

/* The time of the last fetch. Nutch's time is that of the next one. Returns false for a date that
 * is none. */
static bool take_times(struct mr_fetch_row *row)
{
    const struct mr_table_field *fields = row->fields, *next = &fields[MR_FETCH_NEXT],
                                *state = &fields[MR_FETCH_STATE],
                                *interval = &fields[MR_FETCH_INTERVAL],
                                *time = &fields[MR_FETCH_TIME];
    struct mr_row *fetch = &row->fetch;
    const bool is_nutch = interval->bytes > 0 || (state->text != NULL && state->bytes > 3 &&
                                                  strncasecmp(state->text, "db_", 3) == 0);

    if (next->bytes > 0) {
        if (!mr_fetch_time(next->text, next->bytes, &fetch->values[0])) {
            return false;
        }
        fetch->values[1] = mr_fetch_seconds(interval->text, interval->bytes);
        fetch->values[0] = !is_nutch              ? fetch->values[0]
                           : interval->bytes == 0 ? -1
                                                  : fetch->values[0] - fetch->values[1];
        return true;
    }
    if (time->bytes > 0) {
        return mr_fetch_time(time->text, time->bytes, &fetch->values[0]);
    }
    fetch->values[0] = date_of_metadata(&fields[MR_FETCH_METADATA]);
    return true;
}

/* A flag that says no makes the state "unfetched"; a flag that says yes or no is no time. Returns
 * false for a flag that says neither, and is no time. */
static bool take_flag(struct mr_fetch_row *row)
{
    const struct mr_table_field *flag = &row->fields[MR_FETCH_FLAG];
    struct mr_table_field *time = &row->fields[MR_FETCH_TIME];
    bool is_zero = mr_table_is_number(flag);
    double seconds;

    for (size_t i = 0; i < flag->bytes; i++) {
        is_zero = is_zero && (flag->text[i] < '1' || flag->text[i] > '9');
    }
    const bool is_no = flag->bytes == 0 || is_zero || mr_table_is(flag, " false f no n ");
    const bool is_yes = mr_table_is(flag, " true t yes y 1 10 "); /* 10: 1.0 */
    if (is_no) {
        row->fields[MR_FETCH_STATE] = (struct mr_table_field){.text = "unfetched", .bytes = 9};
    }
    if ((is_no || is_yes) && time->bytes == flag->bytes &&
        (flag->bytes == 0 || memcmp(time->text, flag->text, flag->bytes) == 0)) {
        *time = (struct mr_table_field){0};
    }
    return is_no || is_yes || mr_fetch_time(flag->text, flag->bytes, &seconds);
}

/* Takes the page of row->fields. Returns NULL, or why it is bad. */
static const char *take_page(enum mr_fetch_wanted wanted, char separator, struct mr_fetch_row *row)
{
    const struct mr_table_field *fields = row->fields, *url = &fields[MR_FETCH_URL],
                                *weight = &fields[MR_FETCH_WEIGHT];
    double number;
    const bool wants_states = wanted >= MR_FETCH_WANTS_FETCHED;
    bool is_known = true, has_failed;

    row->fetch = (struct mr_row){
        .name = url->text, .name_bytes = url->bytes, .state = MR_FETCH_DONE, .values = {-1}};
    if (wanted == MR_FETCH_WANTS_WEIGHTS && weight->text != NULL) {
        row->fetch.n_values = 1;
        row->fetch.values[0] =
            mr_table_number(weight, separator, &number) && isfinite(number) ? number : (double)NAN;
    }
    if (url->is_raw) {
        if (url->bytes > sizeof row->url) {
            return "a name with quotes in it is too long";
        }
        row->fetch.name = mr_table_text(url, row->url, &row->fetch.name_bytes);
    }
    row->fetch.is_stated = wants_states && fields[MR_FETCH_STATE].text != NULL;
    const bool is_flag = !wants_states || fields[MR_FETCH_FLAG].text == NULL || take_flag(row);
    if (wants_states && fields[MR_FETCH_STATE].text != NULL) {
        row->fetch.state = state_of(&fields[MR_FETCH_STATE], &is_known, &has_failed);
    }
    row->fetch.tries = tries_of(fields);
    if (row->fetch.state == MR_FETCH_WAITS && row->fetch.tries > 0) {
        row->fetch.state = MR_FETCH_TRIES_AGAIN;
    }
    row->fetch.tries = row->fetch.tries > 0 ? row->fetch.tries : 1;
    if (!is_known || !(is_flag || row->fetch.is_stated)) {
        return "does the state of this page say that it is fetched? write fetched or unfetched in "
               "its place, or give a list of the fetched pages";
    }
    if (row->fetch.state <= MR_FETCH_GONE && wants_states && !take_times(row)) {
        row->fetch.values[0] = -1;
        return wanted == MR_FETCH_WANTS_TIMES ? MR_FETCH_BAD_DATE : NULL;
    }
    return NULL;
}

/* Has the object one of these keys with null? That is an empty cell. */
static bool has_null(json_t *object, const char *words)
{
    const char *key;
    json_t *value;
    bool found = false;

    json_object_foreach(object, key, value)
    {
        found |= json_is_null(value) && mr_table_place(key, strlen(key), words) != NULL;
    }
    return found;
}

/* The state of an item of URLFrontier, which DumpURLs writes; NULL if it is none. An item without a
 * date, or with 0, is never handed out again. If the date is past the item's creation, the item was
 * handed out, and comes again then. */
static const char *state_of_item(const json_t *item)
{
    enum { AFTER_CREATION = 60 }; /* seconds between the two clocks of a new item */
    const json_t *known = json_object_get(item, "known");
    double date = 0, creation = 0;
    char digits[32];
    size_t bytes = 0;

    if (json_object_get(known, "info") == NULL) {
        return json_object_get(json_object_get(item, "discovered"), "info") != NULL ? "unfetched"
                                                                                    : NULL;
    }
    const char *text =
        mr_json_as_text(mr_json_find(known, " refetchablefromdate "), digits, &bytes);
    date = text != NULL ? mr_fetch_seconds(text, bytes) : 0;
    text = mr_json_as_text(mr_json_find(item, " creationdate "), digits, &bytes);
    creation = text != NULL ? mr_fetch_seconds(text, bytes) : 0;
    return date == 0 || (creation > 0 && date > creation + AFTER_CREATION) ? "fetched"
                                                                           : "unfetched";
}

const char *mr_fetch_take_object(json_t *root, enum mr_fetch_wanted wanted,
                                 struct mr_fetch_row *row)
{
    json_t *const object = mr_json_record(root);
    const char *const item_state = state_of_item(root);
    const json_t *metadata = mr_json_find(object, words_of[MR_FETCH_METADATA]);
    char keys[MR_LINES_QUOTE_BYTES];

    for (int f = 0; f < MR_FETCH_FIELDS; f++) {
        const json_t *value = mr_json_find(object, words_of[f]);
        if (value == NULL && (f == MR_FETCH_TIME || f == MR_FETCH_TRIES)) {
            value = mr_json_find(metadata, words_of[f]);
        }
        row->fields[f] = (struct mr_table_field){0};
        row->fields[f].text = mr_json_as_text(value, row->digits[f], &row->fields[f].bytes);
        const char *text = json_is_true(value)                              ? "true"
                           : json_is_false(value)                           ? "false"
                           : f == MR_FETCH_STATE && json_is_object(value)   ? "an object"
                           : value == NULL && has_null(object, words_of[f]) ? ""
                                                                            : NULL;
        if (text != NULL && (f == MR_FETCH_STATE || f == MR_FETCH_FLAG)) {
            row->fields[f] = (struct mr_table_field){.text = text, .bytes = strlen(text)};
        }
    }
    /* A request of Crawlee has its place in the queue until it is handled. */
    if (row->fields[MR_FETCH_FLAG].text == NULL &&
        json_is_number(mr_json_find(object, " orderno "))) {
        row->fields[MR_FETCH_STATE] = (struct mr_table_field){.text = "unfetched", .bytes = 9};
    }
    if (item_state != NULL) {
        row->fields[MR_FETCH_STATE] =
            (struct mr_table_field){.text = item_state, .bytes = strlen(item_state)};
    }
    if (row->fields[MR_FETCH_URL].bytes == 0) {
        (void)snprintf(row->reason, sizeof row->reason, "no \"url\" among its keys %s",
                       mr_json_keys(object, keys));
        return row->reason;
    }
    return take_page(wanted, ',', row);
}

const char *mr_fetch_take_row(const char *line, size_t bytes, enum mr_fetch_log kind,
                              const struct mr_fetch_columns *columns, enum mr_fetch_wanted wanted,
                              struct mr_fetch_row *row)
{
    struct mr_table_row cells;
    double number;

    if (!mr_table_split(line, line + bytes, columns->separator, &cells)) {
        return "its quotes do not match";
    }
    for (int f = 0; f < MR_FETCH_FIELDS; f++) {
        const int column = columns->of[f];
        row->fields[f] = column >= 0 && (unsigned)column < cells.n_fields
                             ? cells.fields[column]
                             : (struct mr_table_field){0};
    }
    const struct mr_table_field *time = &row->fields[MR_FETCH_TIME];
    struct mr_table_field *state = &row->fields[MR_FETCH_STATE];
    if (row->fields[MR_FETCH_URL].bytes == 0 ||
        (columns->of[MR_FETCH_STATE] >= 0 && state->text == NULL)) {
        return "no URL or no state in the columns that the header says";
    }
    if (kind == MR_FETCH_LOG_CDX && !mr_time_parse(time->text, time->bytes, &number)) {
        return "no line of a CDX index";
    }
    if (kind == MR_FETCH_LOG_CDX && !mr_table_is_number(state)) {
        *state = (struct mr_table_field){0}; /* "-" of a revisit */
    }
    if (kind == MR_FETCH_LOG_ADUANA) { /* it counts the crawls */
        const bool waits = state->text[0] == '0';
        *state = (struct mr_table_field){.text = waits ? "unfetched" : "fetched",
                                         .bytes = waits ? 9 : 7};
    }
    const char *reason = take_page(wanted, columns->separator, row);
    row->fetch.is_stated = row->fetch.is_stated && kind != MR_FETCH_LOG_ADUANA;
    return reason;
}

/* ---- Columns ---- */

/* A mr_table_header: are all fields words, of which one says URL, or one may and another one is
 * known? */
static bool is_header(void *data, const struct mr_table_row *row)
{
    struct mr_fetch_columns *columns = data;
    unsigned n_known = 0;

    for (int f = 0; f < MR_FETCH_FIELDS; f++) {
        columns->of[f] = mr_table_find(row, words_of[f]);
        n_known += columns->of[f] >= 0;
    }
    if (columns->of[MR_FETCH_URL] < 0 && columns->of[MR_FETCH_WEIGHT] >= 0) {
        columns->of[MR_FETCH_URL] = mr_table_find(row, MR_WORDS_WEIGHT_PAGE);
        n_known++;
    }
    for (unsigned i = 0; i < row->n_fields && i < MR_TABLE_FIELDS; i++) {
        if (mr_table_is_number(&row->fields[i]) || mr_table_is_url(&row->fields[i])) {
            return false;
        }
    }
    return columns->of[MR_FETCH_URL] >= 0 &&
           (n_known > 1 || mr_table_is(&row->fields[columns->of[MR_FETCH_URL]], MR_WORDS_URL));
}

bool mr_fetch_columns_of_table(const char *text, size_t bytes, struct mr_fetch_columns *columns)
{
    const struct mr_table_wish wish = {.is_header = is_header, .data = columns};
    struct mr_table table;

    mr_table_look(text, bytes, &wish, &table);
    if (!table.has_header || table.separator == ' ') {
        return false;
    }
    struct mr_table_rows rows = {.at = table.header, .end = text + bytes, .by_line = !table.joins};
    struct mr_table_row row;
    bool is_good;

    columns->separator = table.separator;
    columns->n_before = table.n_before;
    if (!mr_table_next(&rows, table.separator, &row, &is_good) || !is_good) {
        return false;
    }
    (void)is_header(columns, &row);
    for (int f = 0; f < MR_FETCH_FIELDS; f++) {
        columns->of[f] += columns->of[f] >= 0 ? (int)table.shift : 0;
    }
    return columns->of[MR_FETCH_URL] >= 0;
}

bool mr_fetch_columns_of_cdx(const char *line, size_t bytes, struct mr_fetch_columns *columns)
{
    struct mr_table_row row;
    double seconds;

    (void)mr_table_split(line, line + bytes, ' ', &row);
    *columns = (struct mr_fetch_columns){.of = {2, 4, 1, -1, -1, -1, -1, -1, -1}, .separator = ' '};
    if (row.n_fields > 1 && row.fields[0].bytes == 3 && memcmp(row.fields[0].text, "CDX", 3) == 0) {
        columns->of[MR_FETCH_URL] = columns->of[MR_FETCH_STATE] = columns->of[MR_FETCH_TIME] = -1;
        for (unsigned i = 1; i < row.n_fields && i < MR_TABLE_FIELDS; i++) {
            const char letter = row.fields[i].text[0];
            if (letter == 'a' || letter == 'b' || letter == 's') {
                columns->of[letter == 'a'   ? MR_FETCH_URL
                            : letter == 'b' ? MR_FETCH_TIME
                                            : MR_FETCH_STATE] = (int)i - 1;
            }
        }
        return columns->of[MR_FETCH_URL] >= 0 && columns->of[MR_FETCH_TIME] >= 0;
    }
    const struct mr_table_field *time = &row.fields[1], *url = &row.fields[2];
    return row.n_fields >= 6 && time->bytes >= 14 && time->text[4] != '-' &&
           mr_time_parse(time->text, time->bytes, &seconds) &&
           memchr(url->text, ':', url->bytes) != NULL;
}

/* The columns are HASH [INDEX] URL FIRST LAST CHANGES CRAWLS [DEPTH] SCORE: of its versions, each
 * has an index or a depth. The hash has 16 hexadecimal digits. */
bool mr_fetch_columns_of_aduana(const char *line, size_t bytes, struct mr_fetch_columns *columns)
{
    struct mr_table_row row;

    (void)mr_table_split(line, line + bytes, ' ', &row);
    const int n = (int)row.n_fields;
    const int url = n >= 8 && mr_table_is_number(&row.fields[1]) ? 2 : 1;
    *columns = (struct mr_fetch_columns){.of = {url, url + 4, url + 2, -1, -1, -1, n - 1, -1, -1},
                                         .separator = ' '};
    return (n == 8 || (n == 9 && url == 2)) && row.fields[0].bytes == 16 &&
           strspn(row.fields[0].text, "0123456789abcdef") == 16 &&
           memchr(row.fields[url + 1].text, '.', row.fields[url + 1].bytes) != NULL &&
           strspn(row.fields[url + 4].text, "0123456789") == row.fields[url + 4].bytes;
}
