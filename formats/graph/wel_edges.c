/* SPDX-License-Identifier: Apache-2.0 */
/* Reads GAPBS .wel and similar files: lines "source target weight" of numbers. Further columns are
 * ignored. Lines that begin with # or % are comments. Without weights formats/graph/edge_text.h
 * reads such files, several times as fast; where a sink must stand between the lines and the
 * builder, mr_format_number_lines reads them here. */
#include "formats/graph/graph_reader.h"
#include "formats/graph/text_reader.h"

struct lines {
    struct mr_text_reader reader;
    bool has_weights;
};

static enum mr_status open_lines(const struct mr_graph_request *request, struct mr_graph_head *head,
                                 bool has_weights, void **out, struct mr_error *err)
{
    const enum mr_status status = mr_text_reader_open(request, sizeof(struct lines), out, err);

    if (status == MR_OK) {
        mr_tokens_separate_by(((struct mr_text_reader *)*out)->tokens, ',');
        ((struct lines *)*out)->has_weights = has_weights;
        *head = (struct mr_graph_head){.ids = MR_IDS_SPARSE, .weighted = has_weights};
    }
    return status;
}

static enum mr_status open_wel(const struct mr_graph_request *request, struct mr_graph_head *head,
                               void **out, struct mr_error *err)
{
    return open_lines(request, head, true, out, err);
}

static enum mr_status open_numbers(const struct mr_graph_request *request,
                                   struct mr_graph_head *head, void **out, struct mr_error *err)
{
    return open_lines(request, head, false, out, err);
}

static enum mr_status read_line(struct mr_text_reader *reader, const struct mr_token *first,
                                struct mr_error *err)
{
    const bool has_commas = mr_tokens_is_next(reader->tokens, ',');
    uint64_t ids[2] = {0, 0};
    double weight = 1;
    struct mr_token token;

    enum mr_status status =
        mr_text_reader_check(reader, first, "the source", 0, UINT64_MAX - 1, err);
    ids[0] = first->number;
    if (status == MR_OK) {
        status = mr_tokens_next(reader->tokens, &token, err);
    }
    if (status == MR_OK) {
        status = mr_text_reader_check(reader, &token, "the target", 0, UINT64_MAX - 1, err);
        ids[1] = token.number;
    }
    const bool has_weights = ((const struct lines *)reader)->has_weights;
    if (status == MR_OK && has_weights) {
        status = mr_text_reader_weight(reader, &weight, err);
    }
    if (status == MR_OK && has_weights && !has_commas && mr_tokens_is_next(reader->tokens, ',')) {
        status = mr_tokens_error(reader->tokens, NULL, err,
                                 "a comma behind the weight; write fractions with a point");
    }
    if (status == MR_OK) {
        status = mr_tokens_skip_line(reader->tokens, err);
    }
    return status == MR_OK ? mr_edge_batch_add(&reader->batch, ids[0], ids[1], weight, err)
                           : status;
}

static enum mr_status read_wel(void *data, const struct mr_graph_sink *sink, struct mr_error *err)
{
    struct mr_text_reader *reader = data;
    struct mr_token token;
    enum mr_status status;

    mr_text_reader_begin(reader, sink, ((const struct lines *)reader)->has_weights);
    while ((status = mr_text_reader_word(reader, &token, err)) == MR_OK &&
           token.kind != MR_TOKEN_END) {
        const bool is_comment = token.text[0] == '#' || token.text[0] == '%';
        status =
            is_comment ? mr_tokens_skip_line(reader->tokens, err) : read_line(reader, &token, err);
        if (status != MR_OK) {
            return status;
        }
    }
    return status == MR_OK ? mr_edge_batch_flush(&reader->batch, err) : status;
}

const struct mr_graph_format mr_format_wel = {.name = "wel",
                                              .title = "lines of two numbers and a weight",
                                              .open = open_wel,
                                              .read = read_wel,
                                              .close = mr_text_reader_close};
const struct mr_graph_format mr_format_number_lines = {.name = "edges",
                                                       .title = "lines of two numbers",
                                                       .open = open_numbers,
                                                       .read = read_wel,
                                                       .close = mr_text_reader_close};
