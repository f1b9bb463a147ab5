/* SPDX-License-Identifier: Apache-2.0 */
/* Passes the edges of a reader to its sink in batches. Most readers of graph formats add edge by
 * edge here, so that a call of the sink, a progress report and a poll happen once per 4096
 * edges. */
#include "formats/graph/edge_batch.h"

#include <math.h>
#include <string.h>

#include <xxhash.h>

static void report(const struct mr_edge_batch *batch)
{
    const struct mr_context *context = batch->request->context;
    const struct mr_edge_text_options *text = batch->request->text;
    struct mr_line_place place = {0};

    if (batch->place != NULL) {
        place = *batch->place;
    } else {
        mr_input_position(batch->request->input, &place.done, &place.total);
    }
    const struct mr_progress progress = {.stage = "parse",
                                         .unit = "bytes",
                                         .edges = batch->n_edges,
                                         .bytes = place.done,
                                         .done = text->bytes_before + place.done,
                                         .total = text->bytes_total > 0 ? text->bytes_total
                                                                        : place.total,
                                         .error_bound = -1};
    context->progress(context->progress_data, &progress);
}

enum mr_status mr_edge_batch_pass(struct mr_edge_batch *batch, struct mr_edge *edges,
                                  const float *weights, size_t n, struct mr_error *err)
{
    const struct mr_context *context = batch->request->context;
    enum mr_status status = mr_context_poll(context, err);

    if (status == MR_OK && n > 0) {
        status = batch->worker > 0 && weights == NULL
                     ? batch->sink->edges_by(batch->sink->data, batch->worker, edges, n,
                                             batch->n_edges, err)
                     : batch->sink->edges(batch->sink->data, edges, weights, n, err);
        batch->n_edges += n;
        batch->request->summary->edges += n;
    }
    if (status == MR_OK && context->progress != NULL && batch->request->input != NULL) {
        report(batch);
    }
    return status;
}

enum mr_status mr_edge_batch_flush(struct mr_edge_batch *batch, struct mr_error *err)
{
    const size_t n = batch->n;

    batch->n = 0;
    return mr_edge_batch_pass(batch, batch->edges, batch->weights ? batch->values : NULL, n, err);
}

enum mr_status mr_edge_batch_name(struct mr_edge_batch *batch, const char *url, size_t bytes,
                                  uint64_t *id, struct mr_error *err)
{
    *id = UINT64_MAX;
    if (bytes == 0 || bytes > MR_NAME_MAX_BYTES) {
        return MR_OK;
    }
    for (size_t i = 0; i < bytes; i++) {
        if ((unsigned char)url[i] <= ' ') {
            return MR_OK;
        }
    }
    return batch->sink->name(batch->sink->data, url, bytes, id, err);
}

enum mr_status mr_edge_batch_page(struct mr_edge_batch *batch, const struct mr_capture *capture,
                                  uint64_t *id, struct mr_error *err)
{
    static const struct mr_capture unknown = {.time = 0};
    const struct mr_graph_sink *sink = batch->sink;
    const bool is_page = *id != UINT64_MAX;

    batch->request->summary->pages += is_page;
    batch->request->summary->bad_times += is_page && capture != NULL && capture->has_bad_time;
    return is_page && sink->capture != NULL
               ? sink->capture(sink->data, capture != NULL ? capture : &unknown, id, err)
               : MR_OK;
}

enum mr_status mr_edge_batch_fetch(struct mr_edge_batch *batch, uint64_t id,
                                   struct mr_capture fetch, struct mr_error *err)
{
    const struct mr_graph_sink *sink = batch->sink;

    fetch.page = (uint32_t)id;
    return id != UINT64_MAX && fetch.time > 0 && sink->capture != NULL
               ? sink->capture(sink->data, &fetch, NULL, err)
               : MR_OK;
}

uint32_t mr_digest_of_text(const char *text, size_t bytes)
{
    const char *colon = text != NULL ? memrchr(text, ':', bytes) : NULL;
    char word[128];
    size_t n = 0;

    for (const char *at = colon != NULL ? colon + 1 : text;
         text != NULL && at < text + bytes && n < sizeof word; at++) {
        word[n++] = (char)(*at >= 'a' && *at <= 'z' ? *at - 'a' + 'A' : *at);
    }
    if (n == 0 || (n == 1 && word[0] == '-')) {
        return MR_DIGEST_UNKNOWN;
    }
    const uint32_t hash = (uint32_t)XXH3_64bits(word, n);
    return hash < MR_DIGEST_FIRST ? hash + MR_DIGEST_FIRST : hash;
}

const char *mr_graph_weight_reason(double weight)
{
    return isnan(weight)   ? "the weight is NaN, and no number"
           : weight < 0    ? "the weight is negative; a link weighs more than 0"
           : isinf(weight) ? "the weight is infinite"
                           : "the weight is below 1.2e-38 or above 3.4e38; scale all weights, or "
                             "leave out --weights";
}

enum mr_status mr_edge_batch_leave_out(struct mr_edge_batch *batch, double weight,
                                       struct mr_error *err)
{
    const struct mr_graph_request *request = batch->request;
    const uint64_t max = request->text->max_bad;

    if (weight == 0) {
        request->summary->zero_weights++;
        return MR_OK;
    }
    return ++request->summary->bad_lines <= max || max == 0
               ? MR_OK
               : mr_error_file(err, MR_ERROR_INPUT, mr_input_name(request->input), 0,
                               "%s, and so the input has more than %llu bad lines; raise --max-bad "
                               "or mend the input",
                               mr_graph_weight_reason(weight), (unsigned long long)max);
}
