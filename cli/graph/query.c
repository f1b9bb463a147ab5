/* SPDX-License-Identifier: Apache-2.0 */
/* Opens a store and finds a page by its name, for the commands that answer questions about a
 * store. A name is found by any of its spellings where the store was built with a profile. */
#include "cli/graph/query.h"

#include <string.h>

#include "cli/program/profile.h"

enum mr_status mr_query_open(struct mr_session *session, const char *path, struct mr_graph *graph,
                             struct mr_error *err)
{
    *graph = (struct mr_graph){0};
    const enum mr_status status = mr_store_open(&session->context, path, &graph->store, err);
    return status == MR_OK
               ? mr_profile_open_names(session, graph->store, &graph->canonical, &graph->names, err)
               : status;
}

enum mr_status mr_query_vertex(struct mr_graph *graph, const char *name, uint32_t *vertex,
                               struct mr_error *err)
{
    bool found = false;
    const enum mr_status status =
        mr_names_find(graph->names, name, strlen(name), vertex, &found, err);
    if (status != MR_OK || found) {
        return status;
    }
    return mr_error_file(err, MR_ERROR_USAGE, mr_store_path(graph->store), 0,
                         "has no page with the name %s; 'millrace find' searches names", name);
}

enum mr_status mr_query_print_name(struct mr_output *out, const char *name, size_t name_bytes,
                                   struct mr_error *err)
{
    uint64_t escaped = 0;
    const enum mr_status status =
        mr_output_name_escaped(out, name, name_bytes, false, &escaped, err);
    return status == MR_OK ? mr_output_write(out, "\n", 1, err) : status;
}
