/* SPDX-License-Identifier: Apache-2.0 */
/* Writes graphs in other programs' formats: the counterpart of formats/graph_format.h.
 *
 *     find  ->  open  ->  pairs in any order, or lists by vertex  ->  commit or abandon
 *
 * A format is one struct mr_graph_writer (formats/graph/graph_output.h). graph_writer.c alone lists
 * all of them. */
#ifndef MR_FORMATS_GRAPH_WRITER_H
#define MR_FORMATS_GRAPH_WRITER_H

#include "formats/graph/graph_output.h"

/* The format called `name` ("snap" is another name of "edges"), or the format whose suffix `path`
 * ends with; NULL when there is none. */
const struct mr_graph_writer *mr_graph_writer_find(const char *name);
const struct mr_graph_writer *mr_graph_writer_of_path(const char *path);
/* The same as `find`. Errors: USAGE, which lists the names. */
enum mr_status mr_graph_writer_choose(const char *name, const struct mr_graph_writer **out,
                                      struct mr_error *err) MR_WARN_UNUSED;
const struct mr_graph_writer *mr_graph_writer_at(size_t index); /* NULL ends */

#endif
