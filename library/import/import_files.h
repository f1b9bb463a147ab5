/* SPDX-License-Identifier: Apache-2.0 */
/* Files of links in, store out: what `build` does, and every ranking of an input that is no
 * store yet. */
#ifndef MR_LIBRARY_IMPORT_FILES_H
#define MR_LIBRARY_IMPORT_FILES_H

#include "library/import/import_options.h"

struct mr_import_summary {
    const struct mr_graph_format *format; /* what the inputs were */
    struct mr_edge_text_summary text;
    struct mr_store_build_figures build;
};

/* Build a store at `store` from `inputs[n_inputs]`, files or directories of files. Errors: USAGE
 * for options that contradict each other or the inputs; whatever reading and building return. */
enum mr_status mr_import_files(const struct mr_context *context, const char *store,
                               const char *const *inputs, size_t n_inputs,
                               const struct mr_import_options *options,
                               struct mr_import_summary *summary,
                               struct mr_error *err) MR_WARN_UNUSED;

/* mr_store_append_files for the program: `import` is how the inputs are read, in place of
 * wanted->reading. `summary` is that of the inputs, zero if there are none; the caller need not
 * set the size of `figures`. */
enum mr_status
mr_append_inputs(const struct mr_context *context, const char *path, const char *const *inputs,
                 size_t n_inputs, const struct mr_import_options *import,
                 const struct mr_store_append_options *wanted, struct mr_import_summary *summary,
                 struct mr_store_append_figures *figures, struct mr_error *err) MR_WARN_UNUSED;

/* Refuses options that the store has fixed at its build, and an append of nothing. Errors: USAGE.
 */
enum mr_status mr_append_check_options(const struct mr_import_options *import,
                                       const struct mr_store_append_options *options,
                                       size_t n_inputs, struct mr_error *err) MR_WARN_UNUSED;

/* The number of edges that `inputs` seem to have, by looks at their beginnings. Errors: USAGE for
 * standard input; those of a build before it begins. */
enum mr_status mr_import_guess(const struct mr_context *context, const char *const *inputs,
                               size_t n_inputs, const struct mr_import_options *options,
                               uint64_t *edges, struct mr_error *err) MR_WARN_UNUSED;

#endif
