/* What a reader of a graph format is: how it tells its inputs, what an input says about its
 * graph, and its edges as batches of pairs. formats/graph_format.h has the list of all. */
#ifndef MR_FORMATS_GRAPH_GRAPH_READER_H
#define MR_FORMATS_GRAPH_GRAPH_READER_H

#include "engine/base/context.h"
#include "engine/base/edge.h"
#include "formats/graph/edge_text.h"
#include "formats/stream/input.h"

/* What detection may look at. */
struct mr_graph_probe {
    const char *path; /* as given, "-" for standard input */
    const char *data; /* [bytes]: how the input begins, decompressed, up to MR_INPUT_PEEK_BYTES */
    size_t bytes;
    uint64_t file_bytes; /* of the whole input; 0 where unknown: compressed, or no regular file */
};

/* Where edges go. Calls come from one thread at a time. */
struct mr_graph_sink {
    void *data;
    /* SPARSE: declare vertices, all before the first edge; then edges have no others. */
    enum mr_status (*vertices)(void *data, const uint64_t *ids, size_t n_ids, struct mr_error *err);
    /* TEXT: the number of a name, for edges; UINT64_MAX: a name that is not in the vertex list. */
    enum mr_status (*name)(void *data, const char *name, size_t name_bytes, uint64_t *id,
                           struct mr_error *err);
    /* `weights[n_edges]`, or NULL where the reader was not asked for them or has none. The sink may
     * change the edges: they are scratch. */
    enum mr_status (*edges)(void *data, struct mr_edge *edges, const float *weights, size_t n_edges,
                            struct mr_error *err);
    /* NULL, or: edges without weights by several threads at once, each as a worker below n_workers of
     * its own. `first` is the number of the first of them in the input, for messages. */
    enum mr_status (*edges_by)(void *data, unsigned worker, struct mr_edge *edges, size_t n_edges,
                               uint64_t first, struct mr_error *err);
    /* NULL, or: where such a worker may put pairs of 32-bit ids itself, as many as `*n_edges` at once, and how many
     * it put there, the first of them being number `first` of all inputs. `*pairs` is NULL where edges have to come by edges_by. */
    enum mr_status (*room)(void *data, unsigned worker, uint32_t (**pairs)[2], uint32_t *n_edges,
                           struct mr_error *err);
    void (*filled)(void *data, unsigned worker, uint32_t n_edges, uint64_t first);
    unsigned n_workers;
};

/* What a file says about its graph before its first edge. Numbers are checked against the size of the
 * file wherever that bounds them; they may still be larger than a store can hold. */
struct mr_graph_head {
    enum mr_id_kind ids;
    uint64_t n_vertices; /* DENSE */
    uint64_t n_edges; /* as stated or computed; 0: unknown. For estimates and progress */
    bool weighted; /* edges have weights */
    bool
        reversed_hosts; /* TEXT: names are hosts like org.example.www, already in the order of their bytes */
};

/* What is wanted of weights. */
enum mr_weights_wanted {
    MR_WEIGHTS_NONE, /* read past them */
    MR_WEIGHTS_IF_GOOD, /* hand them over as they are: one that cannot be a weight is handed over, too */
    MR_WEIGHTS_MUST /* the same, but refuse what is not above 0 and finite as a float, at its line */
};

struct mr_graph_request {
    size_t struct_size; /* sizeof(struct mr_graph_request) */
    const struct mr_context *context; /* outlives the reader */
    const char *path;
    struct mr_input *input; /* open, perhaps peeked at, not read; belongs to the caller */
    const struct mr_edge_text_options *text; /* columns and bad lines, for formats that have them */
    struct mr_edge_text_summary *summary; /* likewise, added to; never NULL */
    enum mr_weights_wanted weights;
    bool merges; /* the user said that repeated edges are meant to be merged or kept */
};

struct mr_graph_format {
    const char *name; /* of --format */
    const char *title; /* in messages: "WebGraph BVGraph" */
    /* Is it this one? Formats are asked in the order of the list. NULL: only by name. */
    bool (*detect)(const struct mr_graph_probe *probe);
    /* Read as far as the head. Errors: INPUT at line or offset. */
    enum mr_status (*open)(const struct mr_graph_request *request, struct mr_graph_head *head,
                           void **reader, struct mr_error *err);
    /* All edges, once. Errors: INPUT at line or offset; whatever the sink returns. */
    enum mr_status (*read)(void *reader, const struct mr_graph_sink *sink, struct mr_error *err);
    void (*close)(void *reader); /* NULL is allowed */
    unsigned link_kinds; /* a sum of enum mr_link_kind: those it tells apart */
};

/* Must the reader refuse this weight? */
static inline bool mr_graph_refuses_weight(const struct mr_graph_request *request, double weight)
{
    return request->weights == MR_WEIGHTS_MUST && !mr_weight_is_good((float)weight);
}
#define MR_GRAPH_WEIGHT_REASON                                                                     \
    "the weight is not above 0, or too large; change it, or leave out --weights"

#endif
