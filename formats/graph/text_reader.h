/* SPDX-License-Identifier: Apache-2.0 */
/* Shared code of the readers of text formats: it takes words from the input and collects edges into
 * a batch. */
#ifndef MR_FORMATS_GRAPH_TEXT_READER_H
#define MR_FORMATS_GRAPH_TEXT_READER_H

#include "formats/graph/edge_batch.h"
#include "formats/table/tokens.h"

/* The first member of the struct of each such reader. */
struct mr_text_reader {
    struct mr_graph_request request;
    struct mr_tokens *tokens;
    struct mr_edge_batch batch;
};

/* Allocates a reader of `bytes` bytes, filled with zeros, and opens its tokens on the input of the
 * request. Close works for every such reader and takes NULL. Errors: BUDGET. */
enum mr_status mr_text_reader_open(const struct mr_graph_request *request, size_t bytes, void **out,
                                   struct mr_error *err) MR_WARN_UNUSED;
void mr_text_reader_close(void *data);

/* Sets the sink, and whether it gets weights. Call it before the first edge. */
void mr_text_reader_begin(struct mr_text_reader *reader, const struct mr_graph_sink *sink,
                          bool weights);

/* Takes the next token, which must be a number up to `most`; messages call it `what`. Errors here
 * and below: INPUT at the line. */
enum mr_status mr_text_reader_number(struct mr_text_reader *reader, const char *what, uint64_t most,
                                     uint64_t *number, struct mr_error *err) MR_WARN_UNUSED;
/* The same for a token that was taken already. */
enum mr_status mr_text_reader_check(struct mr_text_reader *reader, const struct mr_token *token,
                                    const char *what, uint64_t least, uint64_t most,
                                    struct mr_error *err) MR_WARN_UNUSED;
/* Takes the next token as a weight. If the request needs good weights, it must be one; otherwise
 * any number will do. */
enum mr_status mr_text_reader_weight(struct mr_text_reader *reader, double *weight,
                                     struct mr_error *err) MR_WARN_UNUSED;
/* Takes the next token that is not a line end. */
enum mr_status mr_text_reader_word(struct mr_text_reader *reader, struct mr_token *token,
                                   struct mr_error *err) MR_WARN_UNUSED;
/* Refuses a count of numbers for which the rest of the file has no room. */
enum mr_status mr_text_reader_room(struct mr_text_reader *reader, const char *what, uint64_t count,
                                   struct mr_error *err) MR_WARN_UNUSED;

#endif
