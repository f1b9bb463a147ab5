/* SPDX-License-Identifier: Apache-2.0 */
/* The flags of the import as its options: places in the choices of a flag become values. */
#include "cli/graph/import.h"

#include <string.h>

enum mr_status mr_import(struct mr_session *session, const struct mr_import_flags *flags,
                         const char *const *inputs, size_t n_inputs, const char *store, bool force,
                         struct mr_import_summary *summary, struct mr_error *err)
{
    const char *columns = flags->columns;
    const struct mr_import_options options = {
        .force = force,
        .format = flags->format,
        .columns = columns == NULL                         ? -1
                   : strcmp(columns, "target-source") == 0 ? MR_COLUMNS_TARGET_SOURCE
                                                           : MR_COLUMNS_SOURCE_TARGET,
        .column_names = columns != NULL && strchr(columns, ',') != NULL ? columns : NULL,
        .undirected = flags->undirected,
        .directed = flags->directed,
        .duplicates = flags->duplicates,
        .drop_self_loops = flags->self_loops == 1,
        .vertices = flags->vertices,
        .vertices_from = flags->vertices_from,
        .names_from = flags->names_from,
        .link_kinds = flags->link_kinds,
        .drop_nofollow = flags->drop_nofollow,
        .outlinks_from = (enum mr_outlinks)flags->outlinks_from,
        .captures = (enum mr_captures_wanted)flags->captures,
        .profile = flags->profile,
        .rules = flags->rules,
        .class_rule = (enum mr_class_rule)flags->classes,
        .zstd_level = flags->zstd_level,
        .encoding = (enum mr_encoding)flags->encoding,
        .order = (enum mr_order)flags->order,
        .transpose = flags->transpose,
        .weights = (enum mr_weights_wanted)flags->weights,
        .ignores_weights = flags->ignores_weights,
        .bad_lines = (enum mr_bad_lines)flags->bad_lines,
        .max_bad = flags->max_bad,
        .onto = flags->onto,
        .onto_path = flags->onto_path,
        .seeds = flags->seeds.items,
        .n_seeds = flags->seeds.n,
        .fetched = flags->fetched,
        .replaces = flags->replaces,
    };

    return mr_import_files(&session->context, store, inputs, n_inputs, &options, summary, err);
}
