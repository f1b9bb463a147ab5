/* SPDX-License-Identifier: Apache-2.0 */
/* The inputs of an import: which format each has, what they say about their graph, and their links
 * into a builder. */
#ifndef MR_LIBRARY_IMPORT_GRAPHS_H
#define MR_LIBRARY_IMPORT_GRAPHS_H

#include "formats/stream/input_paths.h"
#include "library/import/edge_guess.h"
#include "library/import/import_names.h"
#include "library/import/import_options.h"

struct mr_graph_inputs;

/* Look at `paths`, which become one graph and outlive the result: each is detected by itself,
 * and `head` is the union of what they say. `list` is the open list of vertices, or NULL: if it
 * has names, numbers in lines are names, too. Errors: USAGE for options that make no sense for
 * such inputs; INPUT for inputs that are no one graph, and for one that is not of the format of
 * the options; whatever opening a format returns. `summary` and `options` outlive the result. End
 * takes NULL. */
enum mr_status mr_graph_inputs_begin(const struct mr_context *context,
                                     const struct mr_import_options *options,
                                     const struct mr_input_paths *paths, struct mr_input *list,
                                     struct mr_edge_text_summary *summary,
                                     struct mr_graph_head *head, struct mr_graph_inputs **out,
                                     struct mr_error *err) MR_WARN_UNUSED;

/* The format of all inputs; one called "mixed" if they have several. */
const struct mr_graph_format *mr_graph_inputs_format(const struct mr_graph_inputs *inputs);

/* The first row of a single input of lines of numbers, for a note about a header; false: none. */
bool mr_graph_inputs_first_row(const struct mr_graph_inputs *inputs, uint64_t row[2]);

/* How many links there are, as far as the inputs say or a look into their lines tells. Of other
 * texts it counts no lines, which may be many for each link, unless `all` says so. */
enum mr_status mr_graph_inputs_guess(const struct mr_graph_inputs *inputs, bool all,
                                     struct mr_edge_guess *guess,
                                     struct mr_error *err) MR_WARN_UNUSED;

/* Their ids are those of `names`, which are in the builder already and outlive the inputs. */
void mr_graph_inputs_name(struct mr_graph_inputs *inputs, const struct mr_import_names *names);

/* Read them all into `build`, once. `options` are those of the build. */
enum mr_status mr_graph_inputs_read(struct mr_graph_inputs *inputs, struct mr_build *build,
                                    const struct mr_build_options *options,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_graph_inputs_end(struct mr_graph_inputs *inputs);

#endif
