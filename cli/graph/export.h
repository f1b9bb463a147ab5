/* SPDX-License-Identifier: Apache-2.0 */
/* The options of `export` and `convert`, which write a store, or a part of it, in the format of
 * another program. */
#ifndef MR_CLI_GRAPH_EXPORT_H
#define MR_CLI_GRAPH_EXPORT_H

#include "cli/graph/graph.h"
#include "library/files.h"
#include "millrace/query.h"

struct mr_graph_writer;

struct mr_export_flags {
    struct mr_store_export_options
        file; /* the options that need no reading of lists or files here */
    const char *vertices_from; /* --vertex-list */
    uint64_t max_unknown; /* of its names, and of those of --seeds */
    const char *scores, *seeds; /* files for the table of pages */
};

extern const struct mr_option mr_export_options[], mr_convert_options[];

/* Chooses the format and checks that the options go together and that the output can have it.
 * Errors: USAGE. */
enum mr_status mr_export_choose(struct mr_session *session, const struct mr_export_flags *flags,
                                const char *output, const struct mr_graph_writer **writer,
                                struct mr_error *err) MR_WARN_UNUSED;

/* Returns about how much disk the temporary stores of mr_export take, in bytes. */
uint64_t mr_export_temporary_bytes(const struct mr_export_flags *flags, const char *output,
                                   const struct mr_store_info *info);

/* Reads the lists of pages and the scores, and writes `graph` to `output`. If `reversed`,
 * `graph` is the reverse of the graph to write. */
enum mr_status mr_export(struct mr_session *session, const struct mr_export_flags *flags,
                         struct mr_graph *graph, bool reversed, const char *output,
                         struct mr_error *err) MR_WARN_UNUSED;

#endif
