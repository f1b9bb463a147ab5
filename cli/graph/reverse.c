/* SPDX-License-Identifier: Apache-2.0 */
/* Opens the reverse of a graph for hits. A store gives the in-edges of each vertex only, so the
 * other direction needs the reversed store. `millrace transpose` makes one to keep; otherwise
 * this file makes a temporary one, and removes it at the end. */
#include "cli/graph/reverse.h"

#include <stdlib.h>

#include "algorithms/hits/hits.h"
#include "engine/builder/transpose.h"
#include "engine/io/io.h"
#include "engine/io/workspace.h"

/* Opens the reverse, with its weights where those of the graph are open. */
static enum mr_status open_reverse(struct mr_session *session, const struct mr_graph *graph,
                                   const char *path, struct mr_reverse *reverse,
                                   struct mr_error *err)
{
    struct mr_store *plain = NULL;

    enum mr_status status = mr_store_open(&session->context, path, &plain, err);
    if (status != MR_OK || graph->weighted == NULL) {
        reverse->store = plain;
        return status;
    }
    status = mr_store_open_weights(&session->context, plain, &reverse->store, err);
    mr_store_close(plain);
    return status;
}

static enum mr_status make_temporary(struct mr_session *session, const struct mr_graph *graph,
                                     bool quietly, struct mr_reverse *reverse, struct mr_error *err)
{
    const struct mr_build_options options = {.force = true};

    enum mr_status status = mr_session_temporary(session, "reverse", &reverse->temporary, err);
    if (status != MR_OK) {
        return status;
    }
    if (!quietly) {
        mr_session_say(session,
                       "note: no --reverse STORE; making a temporary reverse in %s ('millrace "
                       "transpose' makes one to keep)",
                       mr_workspace_parent(&session->context));
    }
    status = mr_transpose(&session->context, graph->store, reverse->temporary, &options, NULL, err);
    return status == MR_OK ? open_reverse(session, graph, reverse->temporary, reverse, err)
                           : status;
}

enum mr_status mr_reverse_open(struct mr_session *session, const struct mr_graph *graph,
                               const char *path, bool quietly, struct mr_reverse *reverse,
                               struct mr_error *err)
{
    *reverse = (struct mr_reverse){0};
    if (path != NULL) {
        const enum mr_status status = open_reverse(session, graph, path, reverse, err);
        return status == MR_OK ? mr_hits_check_transpose(&session->context, mr_graph_links(graph),
                                                         reverse->store, err)
                               : status;
    }
    if (mr_store_get_info(graph->store)->undirected) {
        reverse->store = mr_graph_links(graph);
        reverse->is_borrowed = true;
        return MR_OK;
    }
    return make_temporary(session, graph, quietly, reverse, err);
}

void mr_reverse_close(struct mr_session *session, struct mr_reverse *reverse)
{
    if (!reverse->is_borrowed) {
        mr_store_close(reverse->store);
    }
    if (reverse->temporary != NULL) {
        mr_io_remove_store_dir(session->context.io, reverse->temporary);
        free(reverse->temporary);
    }
    *reverse = (struct mr_reverse){0};
}
