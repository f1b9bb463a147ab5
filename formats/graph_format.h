/* All graph formats that Millrace reads: which one an input is, and a sink that leads into a
 * builder.
 *
 *     detect or find  ->  open (the head: kind of ids, number of vertices)  ->  read into a sink
 *
 * A format is one struct mr_graph_format (formats/graph/graph_reader.h) in a file of its own;
 * graph_format.c alone lists them all, and docs/formats.md is for users. To add one: write the
 * struct, name it in that list. Formats whose `open` is NULL ("edges", "urls") are only told
 * apart here: formats/graph/edge_text.h reads them. */
#ifndef MR_FORMATS_GRAPH_FORMAT_H
#define MR_FORMATS_GRAPH_FORMAT_H

#include "engine/build/build.h"
#include "formats/graph/graph_reader.h"

/* The format called `name` ("snap" is "edges"); NULL when there is none. */
const struct mr_graph_format *mr_graph_format_find(const char *name);

/* What an input is, by content first and then by the end of its name. Never NULL, but MR_ERROR_INPUT
 * for binary data that nothing recognises: raw numbers have no mark of their own. */
enum mr_status mr_graph_format_detect(const struct mr_graph_probe *probe,
                                      const struct mr_graph_format **out,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* All formats, in order of detection; `name` NULL ends. */
const struct mr_graph_format *mr_graph_format_at(size_t index);

/* A sink into a builder. `build` outlives it. Vertices that are declared are frozen by the first edge;
 * an edge with an id the builder does not know is MR_ERROR_INPUT. With `swap` every edge is handed on
 * the other way round. A build with weights gives edges that come without one the weight 1. `n_workers` threads at most may call edges_by: context->threads of the build. */
struct mr_graph_build_sink {
    struct mr_build *build;
    const char *input; /* its name, for messages */
    enum mr_id_kind ids;
    bool swap;
    bool declared; /* vertices, by the reader */
    /* Where the build has weights: whether it goes on without them when one is not good, */
    bool may_forget_weights;
    float bad_weight; /* and which that was; 0 until then, unless it is 0 */
    bool has_forgotten_weights;
    _Atomic uint64_t n_edges; /* handed over so far */
};
struct mr_graph_sink mr_graph_sink_of_build(struct mr_graph_build_sink *build, unsigned n_workers);

#endif
