/* SPDX-License-Identifier: Apache-2.0 */
/* Reads files line by line for formats/crawl/crawl_lines.c and formats like it: a handler per
 * format turns a line into links. This loop also words the advice about a bad line. "Skip such
 * lines" helps with a few bad lines among good ones, and does not help with a file of another
 * format. The error of the first bad line therefore waits until a line is good, or until enough
 * lines are bad. */
#include "formats/graph/line_reader.h"

#include <stdio.h>
#include <string.h>

/* After so many bad lines without a good one, the file has another format. */
enum { ENOUGH_BAD_LINES = 1000, NOTED_BAD_LINES = 3 };

enum mr_status mr_line_reader_begin(struct mr_line_reader *reader, mr_line_handler handle,
                                    struct mr_error *err)
{
    reader->handle = handle;
    reader->resolver = mr_resolver_open();
    return reader->resolver == NULL
               ? mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a reader")
               : mr_lines_open(reader->request.context, reader->request.input, &reader->lines, err);
}

void mr_line_reader_close(void *data)
{
    struct mr_line_reader *reader = data;
    mr_lines_close(reader->lines);
    mr_resolver_close(reader->resolver);
}

/* Returns the error of the first bad line. */
static enum mr_status stop(const struct mr_line_reader *reader, const char *way_out,
                           struct mr_error *err)
{
    return mr_error_line(err, MR_ERROR_INPUT, mr_input_name(reader->request.input),
                         reader->bad_line, "%s; %s", reader->bad_text, way_out);
}

enum mr_status mr_line_reader_bad(struct mr_line_reader *reader, const char *line, const char *end,
                                  const char *reason, struct mr_error *err)
{
    const struct mr_edge_text_options *text = reader->request.text;
    const uint64_t n = ++reader->request.summary->bad_lines;
    char quote[MR_LINES_QUOTE_BYTES];

    reader->n_bad++;
    if (text->bad_lines == MR_BAD_LINES_SKIP && (text->max_bad == 0 || n <= text->max_bad)) {
        if (reader->notes_skipped && n <= NOTED_BAD_LINES) {
            mr_context_note(reader->request.context, "%s:%llu: %s: %s; skipped",
                            mr_input_name(reader->request.input),
                            (unsigned long long)mr_lines_number(reader->lines),
                            mr_lines_quote(line, (size_t)(end - line), quote), reason);
        }
        return MR_OK;
    }
    if (reader->bad_line == 0) {
        reader->bad_line = mr_lines_number(reader->lines);
        (void)snprintf(reader->bad_text, sizeof reader->bad_text, "%s: %s",
                       mr_lines_quote(line, (size_t)(end - line), quote), reason);
    }
    if (text->bad_lines == MR_BAD_LINES_SKIP) {
        return mr_error_line(err, MR_ERROR_INPUT, mr_input_name(reader->request.input),
                             reader->bad_line,
                             "%s, and so the input has more than %llu bad lines; raise --max-bad "
                             "or mend the input",
                             reader->bad_text, (unsigned long long)text->max_bad);
    }
    if (reader->has_good) {
        return stop(reader, MR_ADVICE_SKIP, err);
    }
    return reader->n_bad < ENOUGH_BAD_LINES ? MR_OK : stop(reader, MR_ADVICE_ALL_BAD, err);
}

const char *mr_line_reader_unknown(const struct mr_line_reader *reader, uint64_t id,
                                   char reason[MR_REASON_BYTES])
{
    const struct mr_edge_text_options *text = reader->request.text;

    if (text->ids == MR_IDS_DENSE) {
        (void)snprintf(reason, MR_REASON_BYTES, "vertex %llu is not below --vertices %llu",
                       (unsigned long long)id, (unsigned long long)text->n_vertices);
    } else {
        (void)snprintf(reason, MR_REASON_BYTES, "vertex %llu is not in the vertex list",
                       (unsigned long long)id);
    }
    return reason;
}

enum mr_status mr_line_reader_number(struct mr_line_reader *reader, const char *name, size_t bytes,
                                     uint64_t *id, struct mr_error *err)
{
    const char *url = memmem(name, bytes, "://", 3) != NULL
                          ? mr_resolver_name(reader->resolver, name, bytes)
                          : NULL;
    return url != NULL ? mr_edge_batch_name(&reader->batch, url, strlen(url), id, err)
                       : mr_edge_batch_name(&reader->batch, name, bytes, id, err);
}

enum mr_status mr_line_reader_link(struct mr_line_reader *reader, const char *line, const char *end,
                                   uint64_t source, uint64_t target, struct mr_error *err)
{
    return source == UINT64_MAX || target == UINT64_MAX
               ? mr_line_reader_bad(reader, line, end, MR_LINE_NO_PAGE, err)
               : mr_edge_batch_add(&reader->batch, source, target, 1.0F, err);
}

static enum mr_status check_good(const struct mr_line_reader *reader, struct mr_error *err)
{
    return reader->has_good && reader->bad_line > 0 ? stop(reader, MR_ADVICE_SKIP, err) : MR_OK;
}

enum mr_status mr_line_reader_good(struct mr_line_reader *reader, uint64_t n, struct mr_error *err)
{
    reader->request.summary->lines += n;
    reader->has_good = true;
    return check_good(reader, err);
}

enum mr_status mr_line_reader_line(struct mr_line_reader *reader, const char *line, size_t bytes,
                                   struct mr_error *err)
{
    struct mr_edge_text_summary *summary = reader->request.summary;
    const uint64_t others = summary->blank + summary->comments + summary->bad_lines;

    summary->lines++;
    enum mr_status status = reader->handle(reader, line, line + bytes, err);
    const enum mr_status resolved = mr_resolver_check(reader->resolver, err);
    status = resolved != MR_OK ? resolved : status;
    if (status != MR_OK) {
        return status;
    }
    reader->has_good |= summary->blank + summary->comments + summary->bad_lines == others;
    return check_good(reader, err);
}

enum mr_status mr_line_reader_end(const struct mr_line_reader *reader, struct mr_error *err)
{
    return reader->bad_line > 0 ? stop(reader, MR_ADVICE_ALL_BAD, err) : MR_OK;
}

enum mr_status mr_line_reader_read(void *data, struct mr_error *err)
{
    struct mr_line_reader *reader = data;
    const char *line;
    size_t bytes;
    enum mr_status status = MR_OK;

    while (status == MR_OK) {
        status = mr_context_poll(reader->request.context, err);
        if (status == MR_OK) {
            status = reader->is_json ? mr_lines_object(reader->lines, &line, &bytes, err)
                                     : mr_lines_next(reader->lines, &line, &bytes, err);
        }
        if (status != MR_OK || line == NULL) {
            break;
        }
        status = mr_line_reader_line(reader, line, bytes, err);
    }
    return status == MR_OK ? mr_line_reader_end(reader, err) : status;
}
