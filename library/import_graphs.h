/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs of formats/graph_format.h: what they say about their graph, and their edges into a
 * builder. */
#ifndef MR_LIBRARY_IMPORT_GRAPHS_H
#define MR_LIBRARY_IMPORT_GRAPHS_H

#include "library/import_names.h"
#include "library/import_options.h"

struct mr_graph_inputs;

/* Look at the heads of all inputs, which become one graph: `head` is their union. `first` is
 * inputs[0], open, peeked at and not read; it belongs to the result, also after an error. With
 * several inputs each is opened again to be read, and all are of the same format. Errors: USAGE
 * for options that make no sense for such inputs, whatever opening a format returns. `summary`
 * and `options` outlive the result. End takes NULL. */
enum mr_status mr_graph_inputs_begin(const struct mr_context *context,
                                     const struct mr_import_options *options,
                                     const struct mr_graph_format *format,
                                     const char *const *inputs, size_t n_inputs,
                                     struct mr_input *first, struct mr_edge_text_summary *summary,
                                     struct mr_graph_head *head, struct mr_graph_inputs **out,
                                     struct mr_error *err) MR_WARN_UNUSED;
/* Their ids are those of `names`, which are in the builder already and outlive the inputs. */
void mr_graph_inputs_name(struct mr_graph_inputs *inputs, const struct mr_import_names *names);
/* Read them all into `build`, once. */
enum mr_status mr_graph_inputs_read(struct mr_graph_inputs *inputs, struct mr_build *build,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_graph_inputs_end(struct mr_graph_inputs *inputs);

#endif
