/* SPDX-License-Identifier: Apache-2.0 */
/* All graph formats that Millrace reads: detection of an input's format, and a sink that leads into
 * a builder.
 *
 *     detect or find  ->  mr_graph_reader_open (the head: kind of ids, number of vertices)
 *                     ->  mr_graph_reader_read into a sink
 *
 * A format is one struct mr_graph_format (formats/graph/graph_reader.h) in a file of its own.
 * graph_format.c alone lists all of them; docs/formats.md describes them for users. To add a
 * format, write the struct and name it in that list. */
#ifndef MR_FORMATS_GRAPH_FORMAT_H
#define MR_FORMATS_GRAPH_FORMAT_H

#include "engine/builder/build.h"
#include "formats/graph/graph_reader.h"

/* The format called `name` ("snap" is another name of "edges"); NULL when there is none. */
const struct mr_graph_format *mr_graph_format_find(const char *name);

/* Detect the format of an input by its content, then by the end of its name. `*out` is never NULL
 * on success. Errors: INPUT for a text of a known kind that is no list of links, and for binary
 * data that no format recognises, because raw numbers have no mark of their own; BUDGET. */
enum mr_status mr_graph_format_detect(const struct mr_graph_probe *probe,
                                      const struct mr_graph_format **out,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* Refuse lines that are no links (formats/graph/text_look.c), which the user calls links. Other
 * formats pass. */
enum mr_status mr_graph_format_check(const struct mr_graph_probe *probe, const char *name,
                                     const struct mr_graph_format *format,
                                     struct mr_error *err) MR_WARN_UNUSED;

/* The format number `index`, from 0, in the order of detection; NULL past the last. */
const struct mr_graph_format *mr_graph_format_at(size_t index);

/* The format whose mark an input has, by its first bytes; NULL: none. */
const struct mr_graph_format *mr_graph_format_of_mark(const char *data, size_t bytes);

/* A reader of an input: read as far as the head, then pass all edges to the sink, once. Close takes
 * NULL. Errors: INPUT at a line or an offset; BUDGET; those of the sink. */
struct mr_graph_reader;
enum mr_status mr_graph_reader_open(const struct mr_graph_format *format,
                                    const struct mr_graph_request *request,
                                    struct mr_graph_head *head, struct mr_graph_reader **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_graph_reader_read(struct mr_graph_reader *reader,
                                    const struct mr_graph_sink *sink,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_graph_reader_close(struct mr_graph_reader *reader);

/* A sink that adds edges to a builder. `build` outlives the sink. An edge with an id that the
 * builder does not know is MR_ERROR_INPUT. With `swap` the sink exchanges source and target of each
 * edge. A build with weights gives the weight 1 to an edge without one. At most `n_workers` threads
 * call edges_by: context->threads of the build. */
struct mr_graph_build_sink {
    struct mr_build *build;
    const char *input; /* name of the input, for messages */
    enum mr_id_kind ids;
    bool swap;
    /* In a build with weights: a weight that is not good makes the build go on without weights. */
    bool may_forget_weights;
    float bad_weight; /* that weight; 0 as long as there is none */
    bool has_forgotten_weights;
    _Atomic uint64_t n_edges; /* edges handed to the builder so far */
};
struct mr_graph_sink mr_graph_sink_of_build(struct mr_graph_build_sink *build, unsigned n_workers);

#endif
