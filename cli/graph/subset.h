/* The part of a store that an export is of: its vertices by their names, or those of a host. */
#ifndef MR_CLI_GRAPH_SUBSET_H
#define MR_CLI_GRAPH_SUBSET_H

#include "engine/names/names.h"
#include "engine/scan/vertex_set.h"

/* Fill an empty, zeroed set, and rank it. Destroy it also after an error. */

/* The vertices whose names are lines of `path` ("-": standard input), blank lines and further columns
 * left out; a name that the store does not have is MR_ERROR_INPUT at its line. */
enum mr_status mr_subset_of_list(struct mr_vertex_set *subset, const struct mr_context *context,
                                 struct mr_names *names, uint64_t n_vertices, const char *path,
                                 struct mr_error *err) MR_WARN_UNUSED;
/* The pages of a host, whatever their scheme and port; `host` is as in a URL. One reading of all
 * names. MR_ERROR_INPUT when there are none. */
enum mr_status mr_subset_of_host(struct mr_vertex_set *subset, const struct mr_context *context,
                                 struct mr_names *names, mr_name_key key, uint64_t n_vertices,
                                 const char *host, struct mr_error *err) MR_WARN_UNUSED;

#endif
