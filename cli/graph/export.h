/* A store, or a part of it, into a format of formats/graph_writer.h: what `export` and `convert` do. */
#ifndef MR_CLI_GRAPH_EXPORT_H
#define MR_CLI_GRAPH_EXPORT_H

#include "cli/program/files.h"
#include "cli/program/session.h"
#include "engine/names/names.h"
#include "engine/store/store.h"

struct mr_graph_writer;

struct mr_export_flags {
    const struct mr_graph_writer
        *format; /* NULL: by the suffix of the output; standard output: u32 */
    const char *vertices_from; /* --vertex-list */
    const char *host;
    const char *names_to; /* --names */
    bool no_weights;
};

extern const struct mr_option mr_export_options[], mr_convert_options[];

/* The format that the flags and the output ask for; NULL where neither says. */
const struct mr_graph_writer *mr_export_writer(const struct mr_export_flags *flags,
                                               const char *output);

/* That format, where the output can be of it; `option` is what the flag for it is called. Errors: USAGE where
 * neither says, or it cannot go there. */
enum mr_status mr_export_choose(const struct mr_export_flags *flags, const char *option,
                                const char *output, const struct mr_graph_writer **writer,
                                struct mr_error *err) MR_WARN_UNUSED;

/* Add the files that mr_export will write to `output`, which the operand or option `what` names. */
void mr_export_list_files(const struct mr_export_flags *flags, const char *what, const char *output,
                          struct mr_files *files);

/* Disk that mr_export takes besides its output, about: temporary stores. */
uint64_t mr_export_temporary_bytes(const struct mr_graph_writer *writer,
                                   const struct mr_store_info *info);

/* Write `store` to `output`. With `reversed` it is the reverse of what is to be written. Formats of
 * lists need the reverse of the store, which is made in a temporary one where it is not given and the
 * graph is not symmetric. `names` is the store's. Weights go where the store has some and the format has a
 * place for them, unless no_weights. */
enum mr_status mr_export(struct mr_session *session, const struct mr_export_flags *flags,
                         const struct mr_graph_writer *writer, struct mr_store *store,
                         struct mr_names *names, bool reversed, const char *output,
                         struct mr_error *err) MR_WARN_UNUSED;

#endif
