/* For readers of graph formats: edges gathered into batches for a sink. */
#ifndef MR_FORMATS_GRAPH_EDGE_BATCH_H
#define MR_FORMATS_GRAPH_EDGE_BATCH_H

#include "formats/graph/graph_reader.h"

enum { MR_EDGE_BATCH = 4096 }; /* 64 KiB of edges: half an L2 cache besides what is decoded */

struct mr_edge_batch {
    const struct mr_graph_request *request;
    const struct mr_graph_sink *sink;
    const char *unit; /* of progress: "bytes" of the input */
    bool weights; /* hand them over */
    size_t n;
    uint64_t n_edges; /* handed over so far */
    struct mr_edge edges[MR_EDGE_BATCH];
    float values[MR_EDGE_BATCH];
};

/* Hand over what was gathered, report progress, and see whether to stop. */
enum mr_status mr_edge_batch_flush(struct mr_edge_batch *batch,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* The number of a page by its URL. UINT64_MAX when it cannot be one: empty, too long, a blank or control
 * character in it, which would break lines of text, or not in the vertex list. */
enum mr_status mr_edge_batch_name(struct mr_edge_batch *batch, const char *url, size_t bytes,
                                  uint64_t *id, struct mr_error *err) MR_WARN_UNUSED;

static inline enum mr_status mr_edge_batch_add(struct mr_edge_batch *batch, uint64_t source,
                                               uint64_t target, float weight, struct mr_error *err)
{
    batch->edges[batch->n] = (struct mr_edge){source, target};
    batch->values[batch->n] = weight;
    return ++batch->n < MR_EDGE_BATCH ? MR_OK : mr_edge_batch_flush(batch, err);
}

#endif
