/* SPDX-License-Identifier: Apache-2.0 */
/* Stores from files, and stores that grow by files, through the public face: its options become
 * those of the import. */

#include "engine/base/sized_struct.h"
#include "library/build_internal.h"
#include "library/files.h"
#include "library/import/import_files.h"
#include "library/import/import_graphs.h"

static enum mr_weights_wanted wanted(enum mr_weights_use use)
{
    return use == MR_WEIGHTS_REQUIRED  ? MR_WEIGHTS_MUST
           : use == MR_WEIGHTS_IGNORED ? MR_WEIGHTS_NONE
                                       : MR_WEIGHTS_IF_GOOD;
}

/* The options of the import. */
static enum mr_status convert(const struct mr_store_build_options *options,
                              struct mr_import_options *import, struct mr_error *err)
{
    struct mr_store_build_options o;
    struct mr_error reason = {0};

    const enum mr_status status = mr_store_build_copy_options(options, &o, err);
    if (status != MR_OK) {
        return status;
    }
    *import = (struct mr_import_options){
        .force = o.force,
        .undirected = o.undirected,
        .directed = o.directed,
        .duplicates = o.keep_duplicates ? 1 : -1,
        .self_loops = o.drop_self_loops,
        .vertices = o.n_vertices > 0 ? o.n_vertices : UINT64_MAX,
        .vertices_from = o.vertex_list,
        .profile = o.profile,
        .rules = o.profile_rules,
        .class_rule = o.class_rule,
        .zstd_level = o.zstd_level,
        .encoding = o.encoding,
        .transpose = o.transpose,
        .weights = wanted(o.weights),
        .ignores_weights = "as asked",
        .bad_lines = o.skip_bad_lines ? MR_BAD_LINES_SKIP : MR_BAD_LINES_FAIL,
        .max_bad = o.max_bad_lines,
    };
    if (o.columns != NULL && mr_columns_choose(o.columns, &import->columns, &reason) != MR_OK) {
        return mr_error_set(err, MR_ERROR_USAGE, "columns %s", reason.message);
    }
    return o.format == NULL || mr_format_choose(o.format, &import->format, &reason) == MR_OK
               ? MR_OK
               : mr_error_set(err, MR_ERROR_USAGE, "format %s: %s", o.format, reason.message);
}

enum mr_status mr_store_build_files(const struct mr_context *context, const char *path,
                                    const char *const *inputs, size_t n_inputs,
                                    const struct mr_store_build_options *options,
                                    struct mr_store_build_figures *figures, struct mr_error *err)
{
    struct mr_import_options import;
    struct mr_import_summary summary;

    enum mr_status status = convert(options, &import, err);
    if (status == MR_OK && n_inputs == 0) {
        status = mr_error_set(err, MR_ERROR_USAGE, "no inputs");
    }
    if (status == MR_OK) {
        struct mr_files *files = mr_files_create();
        for (size_t i = 0; i < n_inputs; i++) {
            mr_files_add(files, MR_FILE_READ, "an input", inputs[i], NULL);
        }
        mr_files_add(files, MR_FILE_READ, "the list of pages", import.vertices_from, NULL);
        mr_files_add(files, MR_FILE_STORE, "the store", path, NULL);
        status = mr_files_end(files, MR_OK, import.force, false, err);
    }
    if (status == MR_OK) {
        status = mr_import_files(context, path, inputs, n_inputs, &import, &summary, err);
    }
    if (status == MR_OK) {
        summary.build.bad_lines = summary.text.bad_lines;
        mr_sized_give(&summary.build, sizeof summary.build, figures);
    }
    return status;
}

enum mr_status mr_store_append_files(const struct mr_context *context, const char *path,
                                     const char *const *inputs, size_t n_inputs,
                                     const struct mr_store_append_options *options,
                                     struct mr_store_append_figures *figures, struct mr_error *err)
{
    struct mr_store_append_options taken = MR_STORE_APPEND_OPTIONS_INIT;
    struct mr_import_options import;
    struct mr_import_summary summary;
    struct mr_store_append_figures made;

    enum mr_status status = mr_sized_copy(options, &taken, sizeof taken, err);
    if (status == MR_OK) {
        status = convert(taken.reading, &import, err);
    }
    if (status == MR_OK) {
        import.zstd_level = import.zstd_level == 0 ? MR_ZSTD_LEVEL_OF_STORE : import.zstd_level;
        status = mr_append_check_options(&import, &taken, n_inputs, err);
    }
    if (status == MR_OK) {
        status = mr_append_inputs(context, path, inputs, n_inputs, &import, &taken, &summary, &made,
                                  err);
    }
    if (status == MR_OK) {
        mr_sized_give(&made, sizeof made, figures);
    }
    return status;
}
