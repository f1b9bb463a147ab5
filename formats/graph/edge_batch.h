/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the edges of a reader into batches for its sink. */
#ifndef MR_FORMATS_GRAPH_EDGE_BATCH_H
#define MR_FORMATS_GRAPH_EDGE_BATCH_H

#include <stddef.h>

#include "formats/graph/graph_reader.h"
#include "formats/table/line_team.h"

/* 64 KiB of edges: half an L2 cache, the other half is for what is decoded */
enum { MR_EDGE_BATCH = 4096 };

struct mr_edge_batch {
    const struct mr_graph_request *request;
    const struct mr_graph_sink *sink;
    bool weights; /* pass weights to the sink */
    size_t n;
    uint64_t n_edges; /* passed to the sink so far */
    unsigned worker; /* that passes edges without weights; 0: the one of sink->edges */
    const struct mr_line_place *place; /* how far the input is read; NULL: it says so itself */
    struct mr_edge edges[MR_EDGE_BATCH];
    float values[MR_EDGE_BATCH];
};

/* The first two members of the struct of every reader. mr_graph_reader_open (graph_format.h) fills
 * them; the others are zero. MR_READER_BYTES is the size of such a struct; it does not compile if
 * these members are elsewhere. */
struct mr_graph_reader {
    struct mr_graph_request request;
    struct mr_edge_batch batch;
};
#define MR_READER_BYTES(type)                                                                      \
    (sizeof(type) +                                                                                \
     0 * sizeof(char[offsetof(type, batch) == offsetof(struct mr_graph_reader, batch) ? 1 : -1]))

/* Pass edges to the sink when none are collected, report progress, and poll for a request
 * to stop. `weights` may be NULL. Errors: those of the sink. */
enum mr_status mr_edge_batch_pass(struct mr_edge_batch *batch, struct mr_edge *edges,
                                  const float *weights, size_t n,
                                  struct mr_error *err) MR_WARN_UNUSED;
/* Pass the collected edges so. */
enum mr_status mr_edge_batch_flush(struct mr_edge_batch *batch,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* The number of a page by its URL. It is UINT64_MAX for a URL that cannot be one: it is empty,
 * longer than MR_NAME_MAX_BYTES, or not in the vertex list, or it has a blank or a control
 * character, which breaks lines of text. */
enum mr_status mr_edge_batch_name(struct mr_edge_batch *batch, const char *url, size_t bytes,
                                  uint64_t *id, struct mr_error *err) MR_WARN_UNUSED;

/* Begin a page of number `*id`, unless that is UINT64_MAX: `*id` becomes the source of its links
 * (mr_build_capture). `capture` is NULL if nothing is known of it. Counts the page. */
enum mr_status mr_edge_batch_page(struct mr_edge_batch *batch, const struct mr_capture *capture,
                                  uint64_t *id, struct mr_error *err) MR_WARN_UNUSED;

/* Say that page number `id` was fetched, where its links are elsewhere. Nothing happens if it or
 * the time of the fetch is not known (UINT64_MAX, 0). */
enum mr_status mr_edge_batch_fetch(struct mr_edge_batch *batch, uint64_t id,
                                   struct mr_capture fetch, struct mr_error *err) MR_WARN_UNUSED;

/* The digest of struct mr_capture for a digest as crawlers write it, in hexadecimal or base 32,
 * with or without the name of the algorithm before it. UNKNOWN for NULL, an empty text, and "-". */
uint32_t mr_digest_of_text(const char *text, size_t bytes);

/* Leave out a link of weight 0, or of a bad weight where bad lines are skipped, and count it.
 * Errors: INPUT for more bad lines than are allowed. */
enum mr_status mr_edge_batch_leave_out(struct mr_edge_batch *batch, double weight,
                                       struct mr_error *err) MR_WARN_UNUSED;

static inline enum mr_status mr_edge_batch_add(struct mr_edge_batch *batch, uint64_t source,
                                               uint64_t target, double weight, struct mr_error *err)
{
    if (batch->weights && (weight == 0 || (batch->request->weights == MR_WEIGHTS_MUST &&
                                           !mr_weight_is_good((float)weight)))) {
        return mr_edge_batch_leave_out(batch, weight, err);
    }
    batch->edges[batch->n] = (struct mr_edge){source, target};
    batch->values[batch->n] = (float)weight;
    return ++batch->n < MR_EDGE_BATCH ? MR_OK : mr_edge_batch_flush(batch, err);
}

#endif
