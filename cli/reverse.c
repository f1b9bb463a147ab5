#include "cli/reverse.h"

#include <stdlib.h>
#include <string.h>

#include "algorithms/hits.h"
#include "engine/io.h"
#include "engine/transpose.h"

static enum mr_status make_temporary(struct mr_session *session, const struct mr_graph *graph,
                                     bool quietly, const struct mr_parsed *parsed,
                                     const char *output, struct mr_reverse *reverse,
                                     struct mr_error *err)
{
    const struct mr_transpose_options options = {.struct_size = sizeof options, .force = true};

    enum mr_status status =
        mr_graph_temporary(session, "reverse-", parsed, output, &reverse->temporary, err);
    if (status != MR_OK) {
        return status;
    }
    if (!quietly) {
        mr_session_say(session,
                       "note: no --transpose STORE; making a temporary reverse in %.*s ('millrace "
                       "transpose' makes one to keep)",
                       (int)(strrchr(reverse->temporary, '/') - reverse->temporary),
                       reverse->temporary);
    }
    status = mr_transpose(&session->context, graph->store, reverse->temporary, &options, NULL, err);
    return status == MR_OK
               ? mr_store_open(&session->context, reverse->temporary, &reverse->store, err)
               : status;
}

enum mr_status mr_reverse_open(struct mr_session *session, const struct mr_graph *graph,
                               const char *path, bool quietly, const struct mr_parsed *parsed,
                               const char *output, struct mr_reverse *reverse, struct mr_error *err)
{
    *reverse = (struct mr_reverse){0};
    if (path != NULL) {
        const enum mr_status status = mr_store_open(&session->context, path, &reverse->store, err);
        return status == MR_OK
                   ? mr_hits_check_transpose(&session->context, graph->store, reverse->store, err)
                   : status;
    }
    if (mr_store_info(graph->store)->undirected) {
        reverse->store = graph->store;
        reverse->is_borrowed = true;
        return MR_OK;
    }
    return make_temporary(session, graph, quietly, parsed, output, reverse, err);
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
