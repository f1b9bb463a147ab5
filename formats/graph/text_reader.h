/* What readers of text formats have in common: words in, a batch of edges out. */
#ifndef MR_FORMATS_GRAPH_TEXT_READER_H
#define MR_FORMATS_GRAPH_TEXT_READER_H

#include "formats/graph/edge_batch.h"
#include "formats/stream/tokens.h"

/* Begins the struct of a reader. */
struct mr_text_reader {
    struct mr_graph_request request;
    struct mr_tokens *tokens;
    struct mr_edge_batch batch;
};

/* A zeroed reader of `bytes`, its tokens open on the request's input. Close (of any such reader) takes
 * NULL. */
enum mr_status mr_text_reader_open(const struct mr_graph_request *request, size_t bytes, void **out,
                                   struct mr_error *err) MR_WARN_UNUSED;
void mr_text_reader_close(void *data);

/* Before the first edge: where edges go, and whether with weights. */
void mr_text_reader_begin(struct mr_text_reader *reader, const struct mr_graph_sink *sink,
                          bool weights);

/* The next token, which must be a number up to `most`; `what` says in messages what it is. */
enum mr_status mr_text_reader_number(struct mr_text_reader *reader, const char *what, uint64_t most,
                                     uint64_t *number, struct mr_error *err) MR_WARN_UNUSED;
/* The same, of a token that was taken already. */
enum mr_status mr_text_reader_check(struct mr_text_reader *reader, const struct mr_token *token,
                                    const char *what, uint64_t least, uint64_t most,
                                    struct mr_error *err) MR_WARN_UNUSED;
/* The next token as a weight: a good one if it must be, else any number. */
enum mr_status mr_text_reader_weight(struct mr_text_reader *reader, float *weight,
                                     struct mr_error *err) MR_WARN_UNUSED;
/* The next token that is no end of a line. */
enum mr_status mr_text_reader_word(struct mr_text_reader *reader, struct mr_token *token,
                                   struct mr_error *err) MR_WARN_UNUSED;
/* `count` numbers must follow: refuse more than the rest of the file has room for. */
enum mr_status mr_text_reader_room(struct mr_text_reader *reader, const char *what, uint64_t count,
                                   struct mr_error *err) MR_WARN_UNUSED;

#endif
