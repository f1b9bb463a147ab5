/* SPDX-License-Identifier: Apache-2.0 */
/* Names for the vertices of numbered graphs, from a file beside them (build --names). */
#ifndef MR_LIBRARY_IMPORT_NAMES_H
#define MR_LIBRARY_IMPORT_NAMES_H

#include "formats/graph_format.h"

struct mr_import_names;

/* Open the file at `path` and look at its first lines:
 *
 *     a name per line         the name of vertex 0, 1, 2, ... (LAW's .urls, export --names); blanks
 *                             and commas belong to it
 *     id<TAB>name             in any order; with , ; or | between also below a header. Names that
 *                             are hosts are reversed hosts (Common Crawl)
 *     name<TAB>id             (Web Data Commons)
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
bool mr_import_names_are_reversed(const struct mr_import_names *names);

/* Give all names to `build`. `n_vertices` of the graph, 0 where it does not say. Memory: 4 bytes
 * per id. Errors: INPUT for a line that is none of the above or whose id came before, and for
 * another number of names than of vertices. */
enum mr_status mr_import_names_read(struct mr_import_names *names, struct mr_build *build,
                                    uint64_t n_vertices, struct mr_error *err) MR_WARN_UNUSED;

/* A sink that takes ids and passes names' numbers on to `inner`, which outlives it. An id without a
 * name is MR_ERROR_INPUT. */
struct mr_named_sink {
    const struct mr_import_names *names;
    const struct mr_graph_sink *inner;
    const char *input; /* for messages */
};
struct mr_graph_sink mr_import_names_sink(struct mr_named_sink *sink);

#endif
