/* SPDX-License-Identifier: Apache-2.0 */
/* Shared code of the readers of text formats (wel, metis, ascii-graph): numbers,
 * weights and words with their messages. It stands between formats/table/tokens.c and the readers,
 * so that all of them check counts and word errors the same way. */
#include "formats/graph/text_reader.h"

#include <stdlib.h>

#include "formats/table/table.h"

void mr_text_reader_close(void *data)
{
    struct mr_text_reader *reader = data;
    if (reader != NULL) {
        mr_tokens_close(reader->tokens);
        free(reader);
    }
}

enum mr_status mr_text_reader_open(const struct mr_graph_request *request, size_t bytes, void **out,
                                   struct mr_error *err)
{
    struct mr_text_reader *reader = calloc(1, bytes);

    *out = NULL;
    if (reader == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a reader");
    }
    reader->request = *request;
    const enum mr_status status =
        mr_tokens_open(request->context, request->input, &reader->tokens, err);
    if (status != MR_OK) {
        mr_text_reader_close(reader);
        return status;
    }
    *out = reader;
    return MR_OK;
}

void mr_text_reader_begin(struct mr_text_reader *reader, const struct mr_graph_sink *sink,
                          bool weights)
{
    reader->batch.request = &reader->request;
    reader->batch.sink = sink;
    reader->batch.weights = weights && reader->request.weights;
}

enum mr_status mr_text_reader_check(struct mr_text_reader *reader, const struct mr_token *token,
                                    const char *what, uint64_t least, uint64_t most,
                                    struct mr_error *err)
{
    if (token->kind == MR_TOKEN_END) {
        return mr_tokens_error(reader->tokens, NULL, err, "the file ends where %s should stand",
                               what);
    }
    if (token->kind != MR_TOKEN_NUMBER || token->number < least || token->number > most) {
        return mr_tokens_error(reader->tokens, token, err, "%s must be a number from %llu to %llu",
                               what, (unsigned long long)least, (unsigned long long)most);
    }
    return MR_OK;
}

enum mr_status mr_text_reader_word(struct mr_text_reader *reader, struct mr_token *token,
                                   struct mr_error *err)
{
    enum mr_status status;

    do {
        status = mr_tokens_next(reader->tokens, token, err);
    } while (status == MR_OK && token->kind == MR_TOKEN_LINE);
    return status;
}

enum mr_status mr_text_reader_number(struct mr_text_reader *reader, const char *what, uint64_t most,
                                     uint64_t *number, struct mr_error *err)
{
    struct mr_token token;
    enum mr_status status = mr_text_reader_word(reader, &token, err);

    if (status == MR_OK) {
        status = mr_text_reader_check(reader, &token, what, 0, most, err);
    }
    *number = token.number;
    return status;
}

enum mr_status mr_text_reader_weight(struct mr_text_reader *reader, double *weight,
                                     struct mr_error *err)
{
    struct mr_token token;
    const enum mr_status status = mr_tokens_next(reader->tokens, &token, err);

    if (status != MR_OK) {
        return status;
    }
    const struct mr_table_field field = {.text = token.text, .bytes = token.bytes};
    if (token.kind < MR_TOKEN_NUMBER || !mr_table_number(&field, ',', weight)) {
        return mr_tokens_error(reader->tokens, &token, err, "the weight is missing or no number");
    }
    return mr_graph_refuses_weight(&reader->request, *weight)
               ? mr_tokens_error(reader->tokens, &token, err, "%s", mr_graph_weight_reason(*weight))
               : MR_OK;
}

enum mr_status mr_text_reader_room(struct mr_text_reader *reader, const char *what, uint64_t count,
                                   struct mr_error *err)
{
    /* A number takes at least two bytes: a digit and a separator. */
    return count / 2 > mr_tokens_left(reader->tokens)
               ? mr_tokens_error(reader->tokens, NULL, err,
                                 "%llu %s do not fit into the rest of the file",
                                 (unsigned long long)count, what)
               : MR_OK;
}
