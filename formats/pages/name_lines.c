/* SPDX-License-Identifier: Apache-2.0 */
/* Reads files whose lines begin with a name: teleports, batches of teleports, page lists. It skips
 * comments, polls for interrupts, and words the messages about bad lines and unknown names, so that
 * all of these files behave alike. Each reader interprets the other fields itself. */
#include "formats/pages/name_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/stream/name_text.h"
#include "millrace/weights.h"

enum { NOTED_UNKNOWN = 5, LINES_PER_POLL = 4096, WEIGHT_BYTES = 64 };

struct log_taker {
    struct mr_name_lines *lines;
    mr_name_line_take take;
    void *data;
    char text[MR_NAME_MAX_BYTES + WEIGHT_BYTES];
};

/* Makes a line of a fetched page. */
static enum mr_status take_fetch(void *data, const struct mr_fetch *fetch, struct mr_error *err)
{
    struct log_taker *taker = data;
    struct mr_name_line line = {.text = taker->text,
                                .name = taker->text,
                                .state = taker->lines->wanted >= MR_FETCH_WANTS_FETCHED
                                             ? fetch->state
                                             : MR_FETCH_DONE}; /* pages of any state */

    taker->lines->log_line = fetch->line;
    taker->lines->has_states |= fetch->is_stated;
    if (mr_fetch_failed_for_now(line.state)) {
        taker->lines->n_failed[line.state]++;
    }
    if (fetch->url_bytes > MR_NAME_MAX_BYTES || /* no page has such a name */
        (mr_fetch_failed_for_now(line.state) && taker->lines->retries == 0)) {
        return MR_OK;
    }
    line.tries = fetch->tries;
    memcpy(taker->text, fetch->url, fetch->url_bytes);
    line.name_bytes = line.bytes = fetch->url_bytes;
    line.at = taker->text + line.name_bytes;
    if (taker->lines->wanted == MR_FETCH_WANTS_WEIGHTS && fetch->weight != NULL &&
        fetch->weight_bytes < WEIGHT_BYTES) {
        line.bytes += (size_t)snprintf(taker->text + line.bytes, WEIGHT_BYTES, "\t%.*s",
                                       (int)fetch->weight_bytes, fetch->weight);
    } else if (taker->lines->wanted == MR_FETCH_WANTS_TIMES && fetch->time >= 0) {
        line.bytes += (size_t)snprintf(taker->text + line.bytes, WEIGHT_BYTES, "\t%.0f\t%.0f",
                                       fetch->time, fetch->interval);
    }
    return taker->take(taker->data, &line, err);
}

/* Says how many fetches failed for now, and why. */
static void note_failures(const struct mr_name_lines *lines)
{
    const unsigned long long no_server = lines->n_failed[MR_FETCH_NO_SERVER],
                             server = lines->n_failed[MR_FETCH_SERVER_FAILED],
                             again = lines->n_failed[MR_FETCH_TRIES_AGAIN];

    if (no_server + server + again > 0 && !lines->is_quiet) {
        mr_context_note(lines->context,
                        "%s: %llu fetches failed for now (no connection: %llu, the server failed: "
                        "%llu, to be fetched again: %llu); %s",
                        mr_input_name(lines->input), no_server + server + again, no_server, server,
                        again,
                        lines->retries > 0 ? "they count if there are as many as --retries says"
                        : lines->wanted == MR_FETCH_WANTS_FETCHED
                            ? "they are left out, and --retries N counts N of a page as a fetch"
                            : "they are left out");
    }
}

/* Reads a log of a crawler, if the input is one. */
static enum mr_status read_log(struct mr_name_lines *lines, mr_name_line_take take, void *data,
                               struct mr_error *err)
{
    const char *text;
    size_t bytes;
    enum mr_status status = mr_input_peek(lines->input, &text, &bytes, err);

    lines->log = status == MR_OK ? mr_fetch_log_look(text, bytes) : MR_FETCH_LOG_NONE;
    if (lines->log == MR_FETCH_LOG_NONE) {
        return status;
    }
    struct log_taker *taker = malloc(sizeof *taker);
    if (taker == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a line");
    }
    taker->lines = lines;
    taker->take = take;
    taker->data = data;
    status = mr_fetch_log_read(lines->context, lines->input, lines->log, lines->wanted, take_fetch,
                               taker, err);
    free(taker);
    if (status == MR_OK && lines->wanted >= MR_FETCH_WANTS_FETCHED) {
        note_failures(lines);
    }
    return status == MR_OK && lines->wanted == MR_FETCH_WANTS_GONE && lines->log_line > 0 &&
                   !lines->has_states
               ? mr_error_file(err, MR_ERROR_INPUT, mr_input_name(lines->input), 0,
                               "is a %s without a status of any page, so nothing says which ones "
                               "are gone; give their status (404), or a list of them, one per line",
                               mr_fetch_log_name(lines->log))
               : status;
}

uint64_t mr_name_lines_number(const struct mr_name_lines *lines)
{
    return lines->log != MR_FETCH_LOG_NONE ? lines->log_line : mr_lines_number(lines->lines);
}

uint64_t mr_name_lines_pending(const struct mr_name_lines *lines)
{
    return lines->lines != NULL ? mr_lines_pending(lines->lines) : 0;
}

static enum mr_status read_lines(struct mr_name_lines *lines, mr_name_line_take take, void *data,
                                 struct mr_error *err)
{
    struct mr_name_line line = {.state = lines->wanted == MR_FETCH_WANTS_GONE ? MR_FETCH_GONE
                                                                              : MR_FETCH_DONE};
    char *name = NULL; /* [MR_LINE_MAX_BYTES], a name without its codes */
    enum mr_status status =
        lines->wanted != MR_FETCH_WANTS_NONE ? read_log(lines, take, data, err) : MR_OK;

    if (status != MR_OK || lines->log != MR_FETCH_LOG_NONE) {
        return status;
    }
    status = mr_lines_open(lines->context, lines->input, &lines->lines, err);

    while (status == MR_OK) {
        status = mr_lines_next(lines->lines, &line.text, &line.bytes, err);
        if (status != MR_OK || line.text == NULL) {
            break;
        }
        line.at = line.text;
        line.name = mr_lines_field(&line.at, line.text + line.bytes, &line.name_bytes);
        if (line.name != NULL && memchr(line.name, '\\', line.name_bytes) != NULL) {
            name = name != NULL ? name : malloc(MR_LINE_MAX_BYTES);
            if (name == NULL) {
                status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a line");
                break;
            }
            line.name_bytes = mr_name_unescape(line.name, line.name_bytes, name);
            line.name = name;
        }
        if (line.name != NULL && !(line.name_bytes == 1 && *line.name == '#')) {
            status = take(data, &line, err);
        }
        if (status == MR_OK && mr_lines_number(lines->lines) % LINES_PER_POLL == 0) {
            status = mr_context_poll(lines->context, err);
        }
    }
    free(name);
    mr_lines_close(lines->lines);
    lines->lines = NULL;
    return status;
}

enum mr_status mr_name_lines_bad(const struct mr_name_lines *lines, const struct mr_name_line *line,
                                 const char *reason, struct mr_error *err)
{
    char quote[MR_LINES_QUOTE_BYTES];
    return mr_error_line(err, MR_ERROR_INPUT, mr_input_name(lines->input),
                         mr_name_lines_number(lines), "%s: %s",
                         mr_lines_quote(line->text, line->bytes, quote), reason);
}

bool mr_name_lines_have_more(const struct mr_name_line *line, const char *at)
{
    size_t bytes;
    const char *more = mr_lines_field(&at, line->text + line->bytes, &bytes);

    return more != NULL && *more != '#';
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
static enum mr_status take_unknown(void *data, const struct mr_page_name *name,
                                   struct mr_error *err)
{
    struct mr_name_lines *lines = data;
    char quote[MR_LINES_QUOTE_BYTES];
    const char *file = mr_input_name(lines->input);
    const bool is_url = memmem(name->name, name->bytes, "://", 3) != NULL;
    const char *what = is_url ? "page" : lines->what;

    if (name->tag == MR_NAME_UNCOUNTED) {
        return MR_OK;
    }
    lines->has_unknown_place |= !is_url;
    (void)mr_lines_quote(name->name, name->bytes, quote);
    if (lines->unknown++ == 0) {
        lines->first_unknown = name->line;
        (void)mr_lines_quote(name->name, name->bytes, lines->first_quote);
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
        err, MR_ERROR_INPUT, mr_input_name(lines->input), lines->first_unknown,
        "none of the %llu names is a %s of the store, here the first, %s%s; compare their spelling "
        "with 'millrace find' (http or https, www., slashes), and check that each line begins with "
        "its name",
        (unsigned long long)lines->names, what, lines->first_quote, example);
}

/* Notes how many names are unknown, when all are counted, or refuses so many. The message shows a
 * name of `names`, which may be NULL. */
static enum mr_status end_names(const struct mr_name_lines *lines, struct mr_names *names,
                                struct mr_error *err)
{
    const char *file = mr_input_name(lines->input);
    const char *what = lines->has_unknown_place ? lines->what : "page";
    const double share =
        lines->names == 0 ? 0 : 100.0 * (double)lines->unknown / (double)lines->names;
    const double most = !is_log(lines) && is_share(lines)
                            ? (double)(lines->max_unknown - MR_UNKNOWN_PERCENT(0)) / 1e6
                            : 100;

    if (is_log(lines) && !lines->is_quiet) {
        mr_context_note(lines->context, "%s is a %s: %s pages: %llu", file,
                        mr_fetch_log_name(lines->log),
                        lines->wanted == MR_FETCH_WANTS_GONE ? "gone" : "fetched",
                        (unsigned long long)(lines->names - lines->unknown));
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
            err, MR_ERROR_INPUT, file, lines->first_unknown,
            "%llu of %llu names (%.3g%%) are no %s of the store, here the first, %s; compare their "
            "spelling with 'millrace find', or allow more than %g%% with --max-unknown",
            (unsigned long long)lines->unknown, (unsigned long long)lines->names, share, what,
            lines->first_quote, most);
    }
    mr_context_note(lines->context, "%s: %llu of %llu names (%.3g%%) are no %s of the store", file,
                    (unsigned long long)lines->unknown, (unsigned long long)lines->names, share,
                    what);
    return MR_OK;
}

enum mr_status mr_name_lines_read(struct mr_name_lines *lines, const char *path,
                                  const struct mr_page_place *place, mr_name_line_take take,
                                  mr_page_name_take take_page, struct mr_error *err)
{
    const struct mr_context *context = lines->context;
    enum mr_status status = mr_input_open(context, path, &lines->input, err);

    if (status == MR_OK) {
        status =
            place->source != NULL
                ? mr_page_names_open_source(context, place->source, place->canonical, take_page,
                                            take_unknown, lines, &lines->finder, err)
                : mr_page_names_open(context, place->names, place->info, take_page, take_unknown,
                                     lines, &lines->finder, err);
    }
    if (status == MR_OK) {
        lines->what = mr_page_names_what(lines->finder);
        status = read_lines(lines, take, lines, err);
    }
    if (status == MR_OK) {
        status = mr_page_names_finish(lines->finder, err);
    }
    if (status == MR_OK && lines->n_timeless > 0 && !lines->is_quiet) {
        mr_context_note(context, "%s: %llu fetched pages have no time%s", path,
                        (unsigned long long)lines->n_timeless,
                        lines->drops_timeless ? "; they are left out" : "");
    }
    if (status == MR_OK) {
        status = end_names(lines, place->names, err);
    }
    mr_page_names_close(lines->finder);
    lines->finder = NULL;
    mr_input_close(lines->input);
    lines->input = NULL;
    return status;
}
