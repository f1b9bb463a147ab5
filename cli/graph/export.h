/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a store, or a part of it, in a format of formats/graph_writer.h, for `export` and
 * `convert`. */
#ifndef MR_CLI_GRAPH_EXPORT_H
#define MR_CLI_GRAPH_EXPORT_H

#include "cli/program/files.h"
#include "cli/program/session.h"
#include "engine/names/names.h"
#include "engine/store/store.h"

struct mr_graph_writer;

struct mr_export_flags {
    const struct mr_graph_writer
        *format; /* NULL: by the suffix of the output; u32 for standard output */
    const char *vertices_from; /* --vertex-list */
    uint64_t max_unknown; /* of its names */
    const char *host;
    int largest; /* place in "all|weak|strong" */
    const char *names_to; /* --names */
    const char *scores, *seeds; /* of the table of pages (page_rows.h) */
    bool no_weights;
};

extern const struct mr_option mr_export_options[], mr_convert_options[];

/* Returns the format that the flags or the name of the output ask for, or NULL where neither
 * names a format. */
const struct mr_graph_writer *mr_export_writer(const struct mr_export_flags *flags,
                                               const char *output);

/* Chooses that format and checks that the output can have it. `option` is the name of its flag.
 * Errors: USAGE where no format is named, or where the format cannot be written to the output. */
enum mr_status mr_export_choose(const struct mr_export_flags *flags, const char *option,
                                const char *output, const struct mr_graph_writer **writer,
                                struct mr_error *err) MR_WARN_UNUSED;

/* Adds the files that mr_export will write to `output`, which the operand or option `what`
 * names. */
void mr_export_list_files(const struct mr_export_flags *flags, const char *what, const char *output,
                          struct mr_files *files);

/* Returns about how much disk the temporary stores of mr_export take, in bytes. */
uint64_t mr_export_temporary_bytes(const struct mr_graph_writer *writer,
                                   const struct mr_store_info *info);

/* Writes `store` to `output`. `names` are the names of the store. If `reversed`, `store` is the
 * reverse of the graph to write. Formats of lists need the reverse of the graph: if it is not
 * given and the graph is not symmetric, the function makes a temporary store. Writes weights
 * where the store has them and the format can have them, unless no_weights. */
enum mr_status mr_export(struct mr_session *session, const struct mr_export_flags *flags,
                         const struct mr_graph_writer *writer, struct mr_store *store,
                         struct mr_names *names, bool reversed, const char *output,
                         struct mr_error *err) MR_WARN_UNUSED;

#endif
