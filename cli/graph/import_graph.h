/* Inputs of formats/graph_format.h: what they are, what they say about their graph, and their edges
 * into a builder. Lines of two columns are cli/graph/import.c's own. */
#ifndef MR_CLI_GRAPH_IMPORT_GRAPH_H
#define MR_CLI_GRAPH_IMPORT_GRAPH_H

#include "cli/graph/import.h"
#include "formats/graph_format.h"

struct mr_graph_inputs;

/* --format: a name of formats/graph_format.h, or "auto" (NULL), into a const struct
 * mr_graph_format *. */
enum mr_status mr_format_parse(const char *text, void *format, struct mr_error *err) MR_WARN_UNUSED;

/* What `input`, open and not read, is. */
enum mr_status mr_import_detect(const char *path, struct mr_input *input,
                                const struct mr_graph_format **format,
                                struct mr_error *err) MR_WARN_UNUSED;

/* The note that there are weights, and nobody wants them. */
void mr_import_note_weights(struct mr_session *session, const struct mr_import_flags *flags);

/* The number of edges that the file says it has; 0 where it is text of two columns, says nothing or
 * cannot be read. */
uint64_t mr_graph_edges_stated(struct mr_session *session, const char *path);

/* Look at the heads of all inputs, which become one graph: `head` is their union. `first` is
 * inputs[0], open, peeked at and not read; it belongs to the result, also after an error. With several
 * inputs each is opened again to be read, and all are of the same format. Errors: USAGE for flags that
 * make no sense for such inputs, whatever opening a format returns. End takes NULL. */
enum mr_status mr_graph_inputs_begin(struct mr_session *session,
                                     const struct mr_import_flags *flags,
                                     const struct mr_graph_format *format,
                                     const char *const *inputs, size_t n_inputs,
                                     struct mr_input *first, struct mr_edge_text_summary *summary,
                                     struct mr_graph_head *head, struct mr_graph_inputs **out,
                                     struct mr_error *err) MR_WARN_UNUSED;
/* Read them all into `build`, once. */
enum mr_status mr_graph_inputs_read(struct mr_graph_inputs *inputs, struct mr_build *build,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_graph_inputs_end(struct mr_graph_inputs *inputs);

#endif
