/* SPDX-License-Identifier: Apache-2.0 */
/* Stores from files through the public face: its options become those of the import. */
#include <string.h>

#include "library/build_internal.h"
#include "library/import_detect.h"
#include "library/import_files.h"

static enum mr_weights_wanted wanted(enum mr_weights_use use)
{
    return use == MR_WEIGHTS_REQUIRED  ? MR_WEIGHTS_MUST
           : use == MR_WEIGHTS_IGNORED ? MR_WEIGHTS_NONE
                                       : MR_WEIGHTS_IF_GOOD;
}

enum mr_status mr_store_build_files(const struct mr_context *context, const char *path,
                                    const char *const *inputs, size_t n_inputs,
                                    const struct mr_store_build_options *options,
                                    struct mr_store_build_figures *figures, struct mr_error *err)
{
    const struct mr_graph_format *format = NULL;
    struct mr_store_build_options o;
    struct mr_import_summary summary;
    struct mr_error reason = {0};

    enum mr_status status = mr_store_build_take(options, &o, err);
    if (status != MR_OK) {
        return status;
    }
    if (n_inputs == 0) {
        return mr_error_set(err, MR_ERROR_USAGE, "no inputs");
    }
    if (o.format != NULL && mr_format_choose(o.format, &format, &reason) != MR_OK) {
        return mr_error_set(err, MR_ERROR_USAGE, "format %s: %s", o.format, reason.message);
    }
    const struct mr_import_options import = {
        .force = o.force,
        .format = format,
        .columns = {.is_said = true,
                    .order = o.target_first ? MR_COLUMNS_TARGET_SOURCE : MR_COLUMNS_SOURCE_TARGET},
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
        .order = o.order,
        .transpose = o.transpose,
        .weights = wanted(o.weights),
        .ignores_weights = "as asked",
        .bad_lines = o.skip_bad_lines ? MR_BAD_LINES_SKIP : MR_BAD_LINES_FAIL,
        .max_bad = o.max_bad_lines,
    };
    status = mr_import_files(context, path, inputs, n_inputs, &import, &summary, err);
    if (status == MR_OK) {
        mr_store_build_give(&summary.build, summary.text.bad_lines, figures);
    }
    return status;
}
