/* SPDX-License-Identifier: Apache-2.0 */
/* Reads lists: teleports, groups of teleports, weights, times and lists of pages, in lines or as a
 * crawler writes them. It skips comments, polls for interrupts, reads the numbers behind the names,
 * and words the messages about bad lines and unknown names, so that all lists behave alike. */
#include "formats/pages/name_lines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/count_text.h"
#include "formats/crawl/fetch_rows.h"
#include "formats/stream/double_text.h"
#include "formats/stream/input_paths.h"
#include "formats/stream/name_text.h"
#include "formats/stream/not_links.h"
#include "formats/table/time_text.h"
#include "formats/url/canonical.h"
#include "millrace/weights.h"

enum { NOTED_UNKNOWN = 5 };

/* Returns NULL, or what is wrong with the weight of a row. */
static const char *check_weight(const struct mr_row *row)
{
    return row->n_values == 0      ? "no weight; lines are NAME<TAB>WEIGHT, and a header such as "
                                     "page,weight makes a table of them"
           : isnan(row->values[0]) ? "the weight is no finite number"
           : row->values[0] < 0    ? "the weight is negative"
                                   : NULL;
}

/* A mr_row_take of a fetched page. */
static enum mr_status take_fetch(void *data, const struct mr_row *fetch, struct mr_error *err)
{
    struct mr_name_lines *lines = data;
    struct mr_row row = *fetch;
    const char *reason = NULL;

    row.text = fetch->name;
    row.bytes = fetch->name_bytes;
    if (lines->wanted < MR_FETCH_WANTS_FETCHED) {
        row.state = MR_FETCH_DONE; /* pages of any state */
    }
    lines->has_rows = true;
    lines->has_states |= fetch->is_stated;
    if (mr_fetch_failed_for_now(row.state)) {
        lines->n_failed[row.state]++;
    }
    if (row.name_bytes > MR_NAME_MAX_BYTES || /* no page has such a name */
        (mr_fetch_failed_for_now(row.state) && lines->retries == 0)) {
        return MR_OK;
    }
    if (lines->wanted == MR_FETCH_WANTS_WEIGHTS) {
        reason = check_weight(&row);
    } else {
        row.n_values = lines->wanted == MR_FETCH_WANTS_TIMES && row.values[0] >= 0 ? 2 : 0;
        row.values[0] = row.n_values > 0 ? row.values[0] : 0;
    }
    return reason == NULL ? lines->take(lines, &row, err)
                          : mr_name_lines_bad(lines, &row, reason, err);
}

/* Says how many fetches failed for now, and why. */
static void note_failures(const struct mr_name_lines *lines, const char *list)
{
    const unsigned long long no_server = lines->n_failed[MR_FETCH_NO_SERVER],
                             server = lines->n_failed[MR_FETCH_SERVER_FAILED],
                             again = lines->n_failed[MR_FETCH_TRIES_AGAIN];

    if (no_server + server + again > 0 && !lines->is_quiet) {
        mr_context_note(lines->context,
                        "%s: %llu fetch%s failed for now (no connection: %llu, the server failed: "
                        "%llu, to be fetched again: %llu); %s",
                        list, no_server + server + again,
                        no_server + server + again == 1 ? "" : "es", no_server, server, again,
                        lines->retries > 0 ? "they count if there are as many as --retries says"
                        : lines->wanted == MR_FETCH_WANTS_FETCHED
                            ? "they are left out, and --retries N counts N of a page as a fetch"
                            : "they are left out");
    }
}

/* Refuses what is no list of lines: data, and arrays of JSON that are no objects. */
static enum mr_status check_lines(const struct mr_name_lines *lines, const char *text, size_t bytes,
                                  struct mr_error *err)
{
    const char *const end = text + bytes, *at = text + (bytes > 0 && *text == '[');

    while (at > text && at < end && strchr(" \t\r\n", *at != '\0' ? *at : 'x') != NULL) {
        at++;
    }
    return memchr(text, '\0', bytes) != NULL
               ? mr_error_file(err, MR_ERROR_INPUT, mr_input_name(lines->input), 0,
                               "is data and no list; a list is text, a page in a line")
           : at > text && at < end && *at == '"'
               ? mr_error_file(err, MR_ERROR_INPUT, mr_input_name(lines->input), 0,
                               "is an array of JSON; jq -r '.[]' FILE makes lines of it")
               : MR_OK;
}

/* Reads a log of a crawler, if the input is one. */
static enum mr_status read_log(struct mr_name_lines *lines, bool *is_log, struct mr_error *err)
{
    const char *text;
    size_t bytes;
    const enum mr_status status = mr_input_peek(lines->input, &text, &bytes, err);
    const enum mr_fetch_log log =
        status == MR_OK ? mr_fetch_log_look(text, bytes) : MR_FETCH_LOG_NONE;

    *is_log = log != MR_FETCH_LOG_NONE;
    if (!*is_log) {
        return status == MR_OK ? check_lines(lines, text, bytes, err) : status;
    }
    lines->log = log;
    return mr_fetch_log_read(lines->context, lines->input, log, lines->wanted, take_fetch, lines,
                             err);
}

struct mr_line_place mr_name_lines_place(const struct mr_name_lines *lines)
{
    struct mr_line_place place = {0};

    if (lines->rows != NULL) {
        return mr_text_rows_place(lines->rows);
    }
    if (lines->input != NULL) {
        mr_input_position(lines->input, &place.done, &place.total);
    }
    return place;
}

enum mr_status mr_name_lines_bad(const struct mr_name_lines *lines, const struct mr_row *row,
                                 const char *reason, struct mr_error *err)
{
    char quote[MR_LINES_QUOTE_BYTES];
    return mr_error_line(err, MR_ERROR_INPUT, mr_input_name(lines->input), row->line, "%s: %s",
                         mr_lines_quote(row->text, row->bytes, quote), reason);
}

/* ---- Lines ---- */

struct lines_reader {
    struct mr_name_lines *lines; /* which rows change when they are taken */
    struct mr_name_lines form; /* a copy, for the threads that parse */
    char *room; /* [MR_LINE_MAX_BYTES], for a name without its codes */
};

/* Takes the group at the beginning of a line, which moves behind it: all before a tab if two or
 * more fields have tabs between, else the first word. Without a tab that may be all of the line. */
static const char *take_group(const struct mr_name_lines *lines, struct mr_row *row, const char *at,
                              const char *end)
{
    const char *const begin = at, *tab = memchr(at, '\t', (size_t)(end - at));

    row->group = at;
    if (tab != NULL) {
        row->group_bytes = (size_t)(tab - at);
        return tab + 1;
    }
    row->group = mr_lines_field(&at, end, &row->group_bytes);
    while (at < end && *at == ' ') {
        at++;
    }
    if (lines->may_lack_groups && (at == end || !lines->has_words)) {
        row->group = NULL;
        return begin;
    }
    return at;
}

/* Reads the numbers behind a name. Returns NULL, or what is wrong with them. */
static const char *take_values(const struct mr_name_lines *lines, struct mr_row *row,
                               const char *at, const char *end)
{
    const char *more = at;
    size_t bytes = 0;
    const char *text = mr_lines_field(&more, end, &bytes);

    if (lines->wanted == MR_FETCH_WANTS_TIMES) {
        const char *tab = text != NULL ? memchr(text, '\t', (size_t)(end - text)) : NULL;
        tab = tab != NULL ? tab : end;
        if (text != NULL && mr_fetch_time(text, (size_t)(tab - text), &row->values[0])) {
            more = tab; /* such as 2026-11-23 20:16:48 */
        } else if (text == NULL || !mr_time_parse(text, bytes, &row->values[0])) {
            return MR_TIME_EXPECTED;
        }
        row->n_values = 1;
        at = more;
        text = mr_lines_field(&more, end, &bytes);
        if (text != NULL && mr_double_read(text, bytes, &row->values[1]) && row->values[1] >= 0) {
            row->n_values = 2;
            at = more;
        }
    } else if (lines->wanted == MR_FETCH_WANTS_WEIGHTS && !(text == NULL && lines->has_groups)) {
        row->n_values = text != NULL;
        if (text != NULL && !mr_double_read(text, bytes, &row->values[0])) {
            row->values[0] = (double)NAN;
        }
        const char *reason = check_weight(row);
        if (reason != NULL) {
            return reason;
        }
        at = more;
    }
    text = mr_lines_field(&at, end, &bytes);
    row->has_more = text != NULL && *text != '#';
    return NULL;
}

/* Parses a line, which may be blank or a comment. Several threads call it. */
static enum mr_status parse_line(void *data, struct mr_row *row, struct mr_error *err)
{
    const struct mr_name_lines *lines = &((const struct lines_reader *)data)->form;
    const char *const end = row->text + row->bytes, *at = row->text;
    const char *reason;

    if (mr_lines_is_comment(row->text, row->bytes)) {
        return MR_OK;
    }
    at = lines->has_groups ? take_group(lines, row, at, end) : at;
    row->name = mr_lines_name(at, end, lines->has_words, &row->name_bytes, &at);
    if (row->name == NULL && (!lines->has_groups || row->group == NULL)) {
        return MR_OK;
    }
    if (row->name == NULL || row->name_bytes == 0) {
        reason = !lines->has_groups ? "no name before the tab"
                 : memchr(row->text, '\t', row->bytes) != NULL
                     ? "no page; lines are VECTOR<TAB>PAGE<TAB>WEIGHT"
                     : "no page; lines are VECTOR<TAB>PAGE<TAB>WEIGHT, and --each takes a list of "
                       "pages";
    } else {
        reason = take_values(lines, row, at, end);
    }
    return reason == NULL ? MR_OK : mr_name_lines_bad(lines, row, reason, err);
}

static enum mr_status take_line(void *data, struct mr_row *row, struct mr_error *err)
{
    const struct lines_reader *reader = data;

    if (memchr(row->name, '\\', row->name_bytes) != NULL) {
        row->name_bytes = mr_name_unescape(row->name, row->name_bytes, reader->room);
        row->name = reader->room;
    }
    return reader->lines->take(reader->lines, row, err);
}

/* Have the names of the place no blanks, because they are numbers or hosts? `room`
 * [MR_NAME_MAX_BYTES]. */
static bool has_words(const struct mr_page_place *place, char *room)
{
    struct mr_canonical canonical;
    const char *title = "a title";
    size_t bytes = strlen(title);

    return (place->info != NULL && mr_canonical_of(place->info->name_key_number, &canonical) &&
            canonical.reversed_hosts) ||
           (place->names != NULL && !mr_names_form(place->names, &title, &bytes, room));
}

static enum mr_status read_lines(struct mr_name_lines *lines, const struct mr_page_place *place,
                                 struct mr_error *err)
{
    struct lines_reader reader = {.lines = lines};
    struct mr_text_rows rows = {
        .context = lines->context,
        .input = lines->input,
        .begin = {.state = lines->wanted == MR_FETCH_WANTS_GONE ? MR_FETCH_GONE : MR_FETCH_DONE},
        .parse = parse_line,
        .take = take_line,
        .data = &reader};
    bool is_log = false;
    enum mr_status status = lines->wanted != MR_FETCH_WANTS_NONE && !lines->has_groups
                                ? read_log(lines, &is_log, err)
                                : MR_OK;

    if (status != MR_OK || is_log) {
        return status;
    }
    const char *text = NULL;
    size_t bytes = 0;
    status = mr_input_peek(lines->input, &text, &bytes, err);
    if (status == MR_OK) {
        status = mr_not_links_refuse_list(mr_input_name(lines->input), text, bytes, err);
    }
    if (status != MR_OK) {
        return status;
    }
    status = mr_lines_open(lines->context, lines->input, &rows.lines, err);
    if (status == MR_OK) {
        reader.room = malloc(MR_LINE_MAX_BYTES);
        status = reader.room != NULL
                     ? MR_OK
                     : mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a line");
    }
    if (status == MR_OK) {
        lines->has_words = has_words(place, reader.room);
        reader.form = *lines;
        lines->rows = &rows;
        status = mr_text_rows_read(&rows, err);
        lines->rows = NULL;
    }
    free(reader.room);
    mr_lines_close(rows.lines);
    return status;
}

/* Does the file say by itself what a crawler has fetched? It may then name any number of pages that
 * the store lacks, such as images. */
static bool is_log(const struct mr_name_lines *lines)
{
    return lines->log != MR_FETCH_LOG_NONE && lines->wanted >= MR_FETCH_WANTS_FETCHED;
}

static bool is_share(const struct mr_name_lines *lines)
{
    return lines->max_unknown >= MR_UNKNOWN_PERCENT(0) && lines->max_unknown < UINT64_MAX;
}

/* A mr_page_name_miss: counts the name and notes the first few, unless the file is a log. */
static enum mr_status take_unknown(void *data, const struct mr_row *name, struct mr_error *err)
{
    struct mr_name_lines *lines = data;
    char quote[MR_LINES_QUOTE_BYTES];
    const char *file = mr_input_name(lines->input);
    const bool is_url = memmem(name->name, name->name_bytes, "://", 3) != NULL;
    const char *what = is_url ? "page" : lines->what;

    if (name->tag == MR_NAME_UNCOUNTED) {
        return MR_OK;
    }
    lines->has_unknown_place |= !is_url;
    (void)mr_lines_quote(name->name, name->name_bytes, quote);
    if (lines->unknown++ == 0) {
        lines->first_unknown = name->line;
        (void)snprintf(lines->first_file, sizeof lines->first_file, "%s", file);
        (void)mr_lines_quote(name->name, name->name_bytes, lines->first_quote);
    }
    if (!is_log(lines) && !is_share(lines) && lines->unknown > lines->max_unknown) {
        return mr_error_line(err, MR_ERROR_INPUT, file, name->line,
                             "%s is no %s of the store (%llu such names so far); allow more with "
                             "--max-unknown",
                             quote, what, (unsigned long long)lines->unknown);
    }
    if (lines->unknown <= NOTED_UNKNOWN && !is_log(lines) && !lines->is_quiet) {
        mr_context_note(lines->context, "%s:%llu: %s is no %s of the store; left out", file,
                        (unsigned long long)name->line, quote, what);
    }
    return MR_OK;
}

/* Shows a line of the file and a name of the store, and says what may be wrong. */
static enum mr_status all_unknown(const struct mr_name_lines *lines, struct mr_names *names,
                                  const char *what, struct mr_error *err)
{
    char quote[MR_LINES_QUOTE_BYTES], example[2 * MR_LINES_QUOTE_BYTES] = "";
    const char *name;
    size_t bytes;

    if (names != NULL && mr_names_get(names, 0, &name, &bytes, NULL) == MR_OK) {
        (void)snprintf(example, sizeof example, "; a name of the store is %s",
                       mr_lines_quote(name, bytes, quote));
    }
    return mr_error_line(
        err, MR_ERROR_INPUT, lines->first_file, lines->first_unknown,
        "none of the %llu names is a %s of the store, here the first, %s%s; compare their spelling "
        "with 'millrace find' (http or https, www., slashes), and check that each line begins with "
        "its name",
        (unsigned long long)lines->names, what, lines->first_quote, example);
}

/* Notes how many names of a list are unknown, when all are counted, or refuses so many. The message
 * shows a name of `names`, which may be NULL. */
static enum mr_status end_names(const struct mr_name_lines *lines, const char *list,
                                struct mr_names *names, struct mr_error *err)
{
    const char *what = lines->has_unknown_place ? lines->what : "page";
    const double share =
        lines->names == 0 ? 0 : 100.0 * (double)lines->unknown / (double)lines->names;
    const double most = !is_log(lines) && is_share(lines)
                            ? (double)(lines->max_unknown - MR_UNKNOWN_PERCENT(0)) / 1e6
                            : 100;

    if (is_log(lines) && !lines->is_quiet) {
        char count[64];
        mr_context_note(lines->context, "%s is read as a %s: %s %s", list,
                        mr_fetch_log_name(lines->log),
                        mr_count_of_text(lines->names - lines->unknown, "page", count),
                        lines->wanted == MR_FETCH_WANTS_GONE ? "gone" : "fetched");
    }
    if (lines->unknown == 0) {
        return MR_OK;
    }
    if (lines->unknown == lines->names &&
        ((is_log(lines) && lines->wanted != MR_FETCH_WANTS_GONE) || share > most)) {
        return all_unknown(lines, names, what, err);
    }
    if (!is_log(lines) && share > most) {
        return mr_error_line(
            err, MR_ERROR_INPUT, lines->first_file, lines->first_unknown,
            "%llu of %llu names (%.3g%%) are no %s of the store, here the first, %s; compare their "
            "spelling with 'millrace find', or allow more than %g%% with --max-unknown",
            (unsigned long long)lines->unknown, (unsigned long long)lines->names, share, what,
            lines->first_quote, most);
    }
    mr_context_note(lines->context, "%s: %llu of %llu names (%.3g%%) are no %s of the store", list,
                    (unsigned long long)lines->unknown, (unsigned long long)lines->names, share,
                    what);
    return MR_OK;
}

static enum mr_status read_file(struct mr_name_lines *lines, const char *path,
                                const struct mr_page_place *place, mr_page_name_take take_page,
                                struct mr_error *err)
{
    enum mr_status status = mr_input_open(lines->context, path, &lines->input, err);

    if (status == MR_OK) {
        status = mr_page_names_open(lines->context, place, take_page, take_unknown, lines,
                                    &lines->finder, err);
    }
    if (status == MR_OK) {
        lines->what = mr_page_names_what(lines->finder);
        status = read_lines(lines, place, err);
    }
    if (status == MR_OK) {
        status = mr_page_names_finish(lines->finder, err);
    }
    mr_page_names_close(lines->finder);
    lines->finder = NULL;
    mr_input_close(lines->input);
    lines->input = NULL;
    return status;
}

/* Says what a list had, or refuses it as a whole. */
static enum mr_status end_list(const struct mr_name_lines *lines, const char *list,
                               const struct mr_page_place *place, struct mr_error *err)
{
    if (lines->log != MR_FETCH_LOG_NONE && lines->wanted >= MR_FETCH_WANTS_FETCHED) {
        note_failures(lines, list);
    }
    if (lines->wanted == MR_FETCH_WANTS_GONE && lines->has_rows && !lines->has_states) {
        return mr_error_file(
            err, MR_ERROR_INPUT, list, 0,
            "is a %s without a status of any page, so nothing says which ones are gone; give their "
            "status (404), or a list of them, one per line",
            mr_fetch_log_name(lines->log));
    }
    if (lines->n_timeless > 0 && !lines->is_quiet) {
        mr_context_note(lines->context, "%s: %llu fetched pages have no time%s", list,
                        (unsigned long long)lines->n_timeless,
                        lines->drops_timeless ? "; they are left out" : "");
    }
    return end_names(lines, list, place->names, err);
}

enum mr_status mr_name_lines_read(struct mr_name_lines *lines, const char *const *paths,
                                  size_t n_paths, const struct mr_page_place *place,
                                  mr_row_take take, mr_page_name_take take_page,
                                  struct mr_error *err)
{
    const struct mr_name_lines begin = *lines;
    enum mr_status status = MR_OK;

    for (size_t i = 0; i < n_paths && status == MR_OK; i++) {
        const uint64_t all_unknown = lines->all_unknown;
        struct mr_input_paths files;

        *lines = begin;
        lines->take = take;
        status = mr_input_paths_find(&paths[i], 1, false, &files, err);
        for (size_t k = 0; k < files.n && status == MR_OK; k++) {
            status = read_file(lines, files.items[k].path, place, take_page, err);
        }
        mr_input_paths_free(&files);
        lines->all_unknown = all_unknown + lines->unknown;
        if (status == MR_OK) {
            status = end_list(lines, mr_input_path_name(paths[i]), place, err);
        }
    }
    return status;
}
