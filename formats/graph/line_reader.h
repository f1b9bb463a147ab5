/* SPDX-License-Identifier: Apache-2.0 */
/* Shared code of the readers of formats with a link or a page per line: it takes lines from the
 * input, refuses or counts bad lines, and collects edges into a batch. Internal to formats/. */
#ifndef MR_FORMATS_GRAPH_LINE_READER_H
#define MR_FORMATS_GRAPH_LINE_READER_H

#include "formats/graph/edge_batch.h"
#include "formats/table/lines.h"
#include "formats/url/links_resolve.h"

struct mr_line_reader;

/* Handles one line, [line, end) without its end. A handler counts a line without a link or a page
 * as blank or as a comment. */
typedef enum mr_status (*mr_line_handler)(struct mr_line_reader *reader, const char *line,
                                          const char *end, struct mr_error *err);

/* The first member of the struct of each such reader. */
struct mr_line_reader {
    struct mr_graph_request request;
    struct mr_edge_batch batch;
    struct mr_lines *lines;
    struct mr_resolver *resolver; /* resolves links that are relative to their page */
    mr_line_handler handle;
    bool is_json; /* a line is an object of mr_lines_object */
    bool notes_skipped; /* notes the first bad lines that it skips */
    bool has_good; /* there was a line with a link or a page */
    uint64_t n_bad;
    /* The first bad line, as long as no line was good: */
    uint64_t bad_line;
    char bad_text[2 * MR_LINES_QUOTE_BYTES];
};

enum { MR_REASON_BYTES = 192 };

/* The reason for a page that mr_line_reader_number gives no number. */
#define MR_LINE_NO_PAGE                                                                            \
    "a page's URL is too long, has blanks or control characters in it, or is "                     \
    "not in the vertex list"

/* Lets the reader pass lines to `handle`. mr_line_reader_close takes a reader that was not begun,
 * too. Errors: BUDGET. */
enum mr_status mr_line_reader_begin(struct mr_line_reader *reader, mr_line_handler handle,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_line_reader_close(void *data);

/* Reads all remaining lines, as `read` of a format does. Errors: INPUT at FILE:LINE; the errors of
 * the sink. */
enum mr_status mr_line_reader_read(void *data, struct mr_error *err) MR_WARN_UNUSED;

/* The same for a caller with lines of its own: passes a line on; counts `n` lines with links that
 * went another way; ends. */
enum mr_status mr_line_reader_line(struct mr_line_reader *reader, const char *line, size_t bytes,
                                   struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_line_reader_good(struct mr_line_reader *reader, uint64_t n,
                                   struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_line_reader_end(const struct mr_line_reader *reader,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* For handlers: reports a bad line. If bad lines are skipped, it counts the line; otherwise it is
 * an error. The error waits until one line was good: if all lines are bad, skipping them does not
 * help, and the message does not advise it. */
enum mr_status mr_line_reader_bad(struct mr_line_reader *reader, const char *line, const char *end,
                                  const char *reason, struct mr_error *err) MR_WARN_UNUSED;
/* For handlers: the reason for an id that the builder does not know. */
const char *mr_line_reader_unknown(const struct mr_line_reader *reader, uint64_t id,
                                   char reason[MR_REASON_BYTES]);
/* For handlers: the number of a page; see mr_edge_batch_name. */
enum mr_status mr_line_reader_number(struct mr_line_reader *reader, const char *name, size_t bytes,
                                     uint64_t *id, struct mr_error *err) MR_WARN_UNUSED;
/* For handlers: adds the link of a line, which is bad if one of its pages has no number. */
enum mr_status mr_line_reader_link(struct mr_line_reader *reader, const char *line, const char *end,
                                   uint64_t source, uint64_t target,
                                   struct mr_error *err) MR_WARN_UNUSED;

#endif
