/* What readers of formats with a link or a page per line have in common: lines in, bad lines refused or
 * counted, a batch of edges out. Internal to formats/. */
#ifndef MR_FORMATS_GRAPH_LINE_READER_H
#define MR_FORMATS_GRAPH_LINE_READER_H

#include "formats/graph/edge_batch.h"
#include "formats/stream/lines.h"
#include "formats/url/links_resolve.h"

struct mr_line_reader;

/* Handles one line, [line, end) without its end. A line without a link or a page counts as blank or as a comment. */
typedef enum mr_status (*mr_line_handler)(struct mr_line_reader *reader, const char *line,
                                          const char *end, struct mr_error *err);

/* Begins the struct of a reader. */
struct mr_line_reader {
    struct mr_graph_request request;
    struct mr_lines *lines;
    struct mr_resolver *resolver; /* for links that are relative to their page */
    mr_line_handler handle;
    struct mr_edge_batch batch;
    bool has_good; /* a line with a link or a page */
    uint64_t n_bad;
    /* The first bad line, while no line was good: */
    uint64_t bad_line;
    char bad_text[2 * MR_LINES_QUOTE_BYTES];
};

/* What mr_line_reader_number has no number for. */
#define MR_LINE_NO_PAGE                                                                            \
    "a page's URL is too long, has blanks or control characters in it, or is "                     \
    "not in the vertex list"

/* A zeroed reader of `bytes`, which hands lines to `handle`. Close takes NULL, and frees it. */
enum mr_status mr_line_reader_open(const struct mr_graph_request *request, size_t bytes,
                                   mr_line_handler handle, void **out,
                                   struct mr_error *err) MR_WARN_UNUSED;
void mr_line_reader_close(void *data);

/* All lines that are left: the `read` of a format. With weights where `weights`. */
enum mr_status mr_line_reader_run(struct mr_line_reader *reader, const struct mr_graph_sink *sink,
                                  bool weights, struct mr_error *err) MR_WARN_UNUSED;
/* The same without weights. */
enum mr_status mr_line_reader_read(void *data, const struct mr_graph_sink *sink,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* For handlers. The line is bad: counted where bad lines are skipped, else the end. As long as no line was good,
 * the error waits: where all lines are bad, skipping them is no way out. */
enum mr_status mr_line_reader_bad(struct mr_line_reader *reader, const char *line, const char *end,
                                  const char *reason, struct mr_error *err) MR_WARN_UNUSED;
/* The number of a page; see mr_edge_batch_name. */
enum mr_status mr_line_reader_number(struct mr_line_reader *reader, const char *name, size_t bytes,
                                     uint64_t *id, struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_line_reader_edge(struct mr_line_reader *reader, uint64_t source, uint64_t target,
                                   struct mr_error *err) MR_WARN_UNUSED;

#endif
