/* Graphs in other people's formats, out: the counterpart of formats/graph_format.h.
 *
 *     find  ->  open  ->  pairs in any order, or lists by vertex  ->  commit or abandon
 *
 * A format is one struct mr_graph_writer (formats/graph/graph_output.h); graph_writer.c alone
 * lists them all. */
#ifndef MR_FORMATS_GRAPH_WRITER_H
#define MR_FORMATS_GRAPH_WRITER_H

#include "formats/graph/graph_output.h"

/* The format called `name` ("snap" is "edges"), or the one whose files end like `path`; NULL when there is none. */
const struct mr_graph_writer *mr_graph_writer_find(const char *name);
const struct mr_graph_writer *mr_graph_writer_of_path(const char *path);
const struct mr_graph_writer *mr_graph_writer_at(size_t index); /* NULL ends */

#endif
