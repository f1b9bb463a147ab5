/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of a reader of a graph format: how it recognises its inputs, what an input says
 * about its graph, and its edges in batches. formats/graph_format.h has the list of all readers. */
#ifndef MR_FORMATS_GRAPH_GRAPH_READER_H
#define MR_FORMATS_GRAPH_GRAPH_READER_H

#include "engine/base/context.h"
#include "engine/base/edge.h"
#include "formats/graph/edge_text.h"
#include "formats/stream/input.h"

/* What detection may use. */
struct mr_graph_probe {
    const char *path; /* as the user gave it; "-" is standard input */
    /* [bytes]: the first bytes of the input, decompressed, up to MR_INPUT_PEEK_BYTES */
    const char *data;
    size_t bytes;
    /* size of the whole input; 0 where it is unknown: compressed, or not a regular file */
    uint64_t file_bytes;
    bool has_weights; /* the user says that links have some */
};

/* Receives the edges. Calls come from one thread at a time. */
struct mr_graph_sink {
    void *data;
    /* TEXT: give the number of a name, for edges; UINT64_MAX for a name that is not in the vertex
     * list. */
    enum mr_status (*name)(void *data, const char *name, size_t name_bytes, uint64_t *id,
                           struct mr_error *err);
    /* Said of each page whose links are read as a whole, and of each fetch: mr_build_capture. NULL
     * where the sink does not care. */
    enum mr_status (*capture)(void *data, const struct mr_capture *capture, uint64_t *id,
                              struct mr_error *err);
    /* Take edges. `weights[n_edges]` is NULL where the reader was not asked for weights or has
     * none. The sink may change the array of edges. */
    enum mr_status (*edges)(void *data, struct mr_edge *edges, const float *weights, size_t n_edges,
                            struct mr_error *err);
    /* Take edges without weights from several threads at once; NULL where the sink cannot. Each
     * thread is a worker with its own number below n_workers. `first` is the number of the first
     * edge in the input, for messages. */
    enum mr_status (*edges_by)(void *data, unsigned worker, struct mr_edge *edges, size_t n_edges,
                               uint64_t first, struct mr_error *err);
    /* Give a worker room for pairs of 32-bit ids, `*n_edges` at once; NULL where the sink cannot.
     * `*pairs` is NULL where edges must come through edges_by. After it, `filled` says how many
     * pairs the worker wrote; the first of them has number `first` in all inputs. */
    enum mr_status (*room)(void *data, unsigned worker, uint32_t (**pairs)[2], uint32_t *n_edges,
                           struct mr_error *err);
    void (*filled)(void *data, unsigned worker, uint32_t n_edges, uint64_t first);
    unsigned n_workers;
    /* A builder that takes lines of two columns from formats/graph/edge_text.h; NULL where the sink
     * must get them. */
    struct mr_build *lines;
};

/* What a file says about its graph before its first edge. Numbers are checked against the size of
 * the file wherever that bounds them. They may still be larger than a store can hold. */
struct mr_graph_head {
    enum mr_id_kind ids;
    uint64_t n_vertices; /* DENSE */
    uint64_t n_edges; /* as the file says or as computed, for estimates and progress; 0: unknown */
    bool weighted; /* edges have weights */
    /* TEXT: names are hosts like org.example.www, already in the order of their bytes */
    bool reversed_hosts;
    /* What the file says about itself ("undirected", "sym") if each of its links goes in both
     * directions; NULL: nothing, or links go as they are written. Without `mirrors` the reader
     * gives each link once. */
    const char *both_ways;
    bool mirrors; /* the reader gives both directions itself */
    /* What separates the columns if a header says that the ends are not the first two, in this
     * order; and if there is no header, so that they are. '\0': neither. */
    char with_ends, headless;
};

/* What the caller wants of weights. */
enum mr_weights_wanted {
    MR_WEIGHTS_NONE, /* read past them */
    MR_WEIGHTS_IF_GOOD, /* pass all weights to the sink, also those that cannot be a weight */
    /* the same, but refuse a weight that is not above 0 and finite as a float, with its line */
    MR_WEIGHTS_MUST
};

/* Ids of vertices whose name came before, in the files of vertices of one import: each with the
 * number of that name. */
struct mr_twin_ids {
    uint64_t (*pairs)[2]; /* [n], ascending by id, in [room] */
    uint64_t n, room;
};

struct mr_graph_request {
    const struct mr_context *context; /* must outlive the reader */
    const char *path;
    /* open, not read, though mr_input_peek may have been called; belongs to the caller */
    struct mr_input *input;
    const struct mr_edge_text_options *text; /* columns and bad lines, for formats that have them */
    struct mr_edge_text_summary *summary; /* counts are added to it; never NULL */
    enum mr_weights_wanted weights;
    bool merges; /* the user said what to do about repeated edges (--duplicates) */
    struct mr_twin_ids *twins; /* of formats that detect vertices; belongs to the caller */
    bool directed; /* links go as they are written, whatever the file says of their direction */
    const struct mr_graph_format *format; /* of the reader; mr_graph_reader_open sets it */
};

/* Rows of text that others may be taken for: what a row has tells them apart. */
enum mr_graph_rows { MR_ROWS_OTHER, MR_ROWS_OF_NUMBERS, MR_ROWS_OF_NAMES, MR_ROWS_OF_TABLE };

struct mr_graph_format {
    const char *name; /* the name for --format */
    const char *title; /* in messages: "WebGraph BVGraph" */
    /* Is the input in this format? Formats are asked in the order of the list. NULL: the suffix
     * decides; a format that has neither is found by name only. */
    bool (*detect)(const struct mr_graph_probe *probe);
    const char *suffix;
    size_t reader_bytes; /* MR_READER_BYTES of the struct of the reader (edge_batch.h) */
    struct mr_graph_head head; /* what `open` finds in *head */
    /* Read as far as the head. NULL: there is none. Errors: INPUT at a line or an offset. */
    enum mr_status (*open)(void *reader, struct mr_graph_head *head, struct mr_error *err);
    /* Add all edges to the batch of the reader, once. Errors: INPUT at a line or an offset; the
     * errors of the sink. */
    enum mr_status (*read)(void *reader, struct mr_error *err);
    void (*close)(void *reader); /* releases what `open` took, also after its error; or NULL */
    const void *variant; /* what tells formats of one reader apart; NULL: nothing */
    enum mr_graph_rows rows;
    bool takes_separator; /* --separator says what stands between its names */
    bool may_have_numbers; /* names (TEXT) may be numbers that a list of names explains */
    bool has_nutch_names; /* pages are spelled as Nutch spells them */
    bool tells_outlinks; /* a page's links come from its text and from a crawler's record */
    bool has_records; /* not lines, in messages */
    bool tells_nofollow; /* which links are nofollow */
    bool in_part; /* some links of a page are in the file, and not all that it has */
    unsigned link_kinds; /* the kinds of links that it distinguishes: a sum of enum mr_link_kind */
    /* It detects files of vertices only. The files of edges follow, with lines of two numbers. */
    bool detects_vertices;
    /* Names and edges take much longer to find than to add: several inputs may be read at the same
     * time, one by each thread. */
    bool takes_long;
    /* Detection by content alone is sure, whatever the user calls the file. Formats with the same
     * mark read each other's files. NULL: none. */
    const char *mark;
};

/* Sets `head->both_ways` by the comments at the beginning of an input of lines: "% sym" of KONECT,
 * "# Undirected graph" of SNAP and the like. Errors: INPUT for "% bip", whose columns number
 * different things. */
enum mr_status mr_graph_direction(const struct mr_graph_request *request,
                                  struct mr_graph_head *head, struct mr_error *err) MR_WARN_UNUSED;

/* Must the reader refuse a link of this weight? Weight 0 is no link: mr_edge_batch_add leaves it
 * out and counts it. It also counts bad weights where bad lines are skipped. */
static inline bool mr_graph_refuses_weight(const struct mr_graph_request *request, double weight)
{
    return request->weights == MR_WEIGHTS_MUST && weight != 0 &&
           !mr_weight_is_good((float)weight) && request->text->bad_lines == MR_BAD_LINES_FAIL;
}
/* Why. */
const char *mr_graph_weight_reason(double weight);

#endif
