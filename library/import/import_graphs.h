/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of an import share.
 *
 *     import_files.c      files of links in, store out
 *     append_inputs.c     the same for a store that is there already
 *     import_graphs.c     the inputs: which format each has, what they say, their links
 *     import_detect.c     which format an input has
 *     import_together.c   inputs that are read at the same time
 *     import_names.c      names of numbered vertices, from a file beside their graph
 *     import_onto.c       do the vertices of the input suit the store?
 *     edge_guess.c        how many links there are
 */
#ifndef MR_LIBRARY_IMPORT_GRAPHS_H
#define MR_LIBRARY_IMPORT_GRAPHS_H

#include "engine/base/context.h"
#include "formats/graph/graph_reader.h"
#include "formats/graph_format.h"
#include "formats/stream/input.h"
#include "formats/stream/input_paths.h"
#include "library/import/import_options.h"

/* ---- How many links inputs have that were not read yet (edge_guess.c) ---- */

/* Add the number of lines that a text seems to have to `*edges`, from its size and the length of
 * some lines. `*is_rough` is set for compressed text, and for a pipe, which is not read and counts
 * for none. */
enum mr_status mr_edge_guess_lines(const struct mr_context *context,
                                   const struct mr_input_path *path, uint64_t *edges,
                                   bool *is_rough, struct mr_error *err) MR_WARN_UNUSED;

/* ---- Names of the vertices of numbered graphs, from a file beside them (build --names) ---- */

struct mr_import_names;

/* Open the file at `path` and look at its first lines:
 *
 *     a name per line         the name of vertex 0, 1, 2, ... (LAW's .urls, export --names); blanks
 *                             and commas belong to it
 *     id<TAB>name             in any order; with , ; or | between also below a header. Names that
 *                             are hosts are reversed hosts (Common Crawl)
 *     name<TAB>id             (Web Data Commons); with , ; or | below a header
 *     id name, name id        with blanks between, if the ids are 0, 1, 2, ... or 1, 2, 3, ..., or
 *                             if names have no blanks
 *     a hash, a number, a URL, and the further columns of Aduana's page_db_dump info
 *
 * A line may come again. Errors: INPUT, also for lines that do not say which form they have;
 * RUNTIME, BUDGET. Close takes NULL. */
enum mr_status mr_import_names_open(const struct mr_context *context, const char *path,
                                    struct mr_import_names **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_import_names_close(struct mr_import_names *names);
/* May a first line of this text be something else than the name of page 0: a header, a comment,
 * JSON? It is refused. */
bool mr_import_names_may_be_other(const char *line, size_t bytes);
bool mr_import_names_are_reversed(const struct mr_import_names *names);

/* Give all names to `build`. `n_vertices` of the graph, 0 where it does not say. Memory: 8 bytes
 * per id. Errors: INPUT for a line that is none of the above or whose id came before, for two ids
 * with one name unless this `may_merge` them, and for another number of names than of vertices. */
enum mr_status mr_import_names_read(struct mr_import_names *names, struct mr_build *build,
                                    uint64_t n_vertices, bool may_merge,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* A sink that takes ids and passes names' numbers on to `inner`, which outlives it. An id without a
 * name is MR_ERROR_INPUT. */
struct mr_named_sink {
    const struct mr_import_names *names;
    const struct mr_graph_sink *inner;
    const char *input; /* for messages */
};
struct mr_graph_sink mr_import_names_sink(struct mr_named_sink *sink);

/* ---- The inputs ---- */

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
                                     uint64_t *edges, bool *is_rough,
                                     struct mr_error *err) MR_WARN_UNUSED;

/* Their ids are those of `names`, which are in the builder already and outlive the inputs. */
void mr_graph_inputs_name(struct mr_graph_inputs *inputs, const struct mr_import_names *names);

/* Read them all into `build`, once. `options` are those of the build. */
enum mr_status mr_graph_inputs_read(struct mr_graph_inputs *inputs, struct mr_build *build,
                                    const struct mr_build_options *options,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_graph_inputs_end(struct mr_graph_inputs *inputs);

/* ---- Inputs that are read at the same time, each by one thread, into one builder ---- */

struct mr_import_together {
    const struct mr_context *context;
    size_t n_inputs;
    unsigned n_workers; /* at least 1 */
    const struct mr_graph_sink
        *sink; /* its functions `name`, `capture`, `edges` are called, one at a time */
    struct mr_edge_text_summary *summary; /* counts are added to it */
    void *data; /* of the caller */
    /* Read input `index` into `sink`, with notes to `context` and counts to `summary`. */
    enum mr_status (*read)(void *data, size_t index, const struct mr_context *context,
                           struct mr_edge_text_summary *summary, const struct mr_graph_sink *sink,
                           struct mr_error *err);
};

/* How many threads there is memory for. */
unsigned mr_import_together_workers(const struct mr_context *context, size_t n_inputs);

/* Read all inputs. The sink gets names and edges of different inputs in any order. Notes come when
 * all inputs are read, in the order of the inputs, and the error is that of the first input that
 * has one: both are the same for any number of threads. */
enum mr_status mr_import_read_together(const struct mr_import_together *job,
                                       struct mr_error *err) MR_WARN_UNUSED;

/* ---- Links for a store that is there already ---- */

/* Refuse `input`, lines of numbers, open and not read, for the store at `path`, whose vertices
 * have names, unless some of these are numbers. Errors: USAGE; whatever opening the store
 * returns. */
enum mr_status mr_import_check_onto(const struct mr_context *context, const char *path,
                                    struct mr_input *input, struct mr_error *err) MR_WARN_UNUSED;

/* ---- What inputs are, before they are read (import_detect.c) ---- */

/* The format of `input`, `path` open and not read: the one of the options, or what it is. Text
 * behind files of vertices, whose format is `vertices`, is more of them or their links; NULL: there
 * are none. `*format` is NULL if there are only blank lines and comments. Errors: INPUT for what is
 * plainly not of the format of the options, USAGE for an option that the format has no use for. */
enum mr_status mr_import_choose(const struct mr_import_options *options,
                                const struct mr_graph_format *vertices,
                                const struct mr_input_path *path, struct mr_input *input,
                                const struct mr_graph_format **format,
                                struct mr_error *err) MR_WARN_UNUSED;

#endif
