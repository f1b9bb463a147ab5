/* Reads files of names, or of names with weights: teleports, seeds, page scores. */
#ifndef MR_CLI_GRAPH_WEIGHTS_H
#define MR_CLI_GRAPH_WEIGHTS_H

#include "cli/program/session.h"
#include "formats/score/vertex_weights.h"

/* Reads the file at `path` ("-": standard input) with mr_vertex_weights_read, which looks its
 * names up in `names`. `weighted` says whether lines have weights; `max_unknown` is the number
 * of unknown names to accept. */
enum mr_status mr_weights_open(struct mr_session *session, const char *path, bool weighted,
                               uint64_t max_unknown, struct mr_names *names,
                               struct mr_vertex_weights *weights,
                               struct mr_error *err) MR_WARN_UNUSED;

#endif
