/* SPDX-License-Identifier: Apache-2.0 */
/* mr_store_build_reverse: checks the files, chooses the classes of edges of the store, and calls
 * the engine (engine/builder/transpose.h), which does the work. */
#include "engine/base/sized_struct.h"
#include "engine/builder/transpose.h"
#include "formats/url/host.h"
#include "library/build_internal.h"
#include "library/files.h"

enum mr_status mr_store_build_reverse(const struct mr_context *context, struct mr_store *store,
                                      const char *path,
                                      const struct mr_store_build_options *options,
                                      struct mr_store_build_figures *figures, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    struct mr_store_build_options taken;
    struct mr_store_build_figures made;
    struct mr_host_groups *groups = NULL;

    enum mr_status status = mr_store_build_copy_options(options, &taken, err);
    if (status == MR_OK) {
        struct mr_files *files = mr_files_create();
        mr_files_add(files, MR_FILE_READ, "the store", mr_store_path(store), NULL);
        mr_files_add(files, MR_FILE_STORE, "the reverse", path, NULL);
        status = mr_files_end(files, status, taken.force, false, err);
    }
    if (status == MR_OK) {
        status = mr_host_groups_of_store(info, &groups, err);
    }
    if (status == MR_OK) {
        const bool of_store = options == NULL || taken.zstd_level == MR_ZSTD_LEVEL_OF_STORE;
        const struct mr_build_options build = {
            .force = taken.force,
            .together = context->together,
            .zstd_level = of_store ? info->zstd_level : taken.zstd_level,
            .encoding = taken.encoding,
            .class_rule = groups != NULL ? info->class_rule : MR_CLASSES_NONE,
            .name_group = groups != NULL ? mr_host_group : NULL,
            .name_group_data = groups};
        status = mr_transpose(context, store, path, &build, &made, err);
    }
    if (status == MR_OK) {
        mr_sized_give(&made, sizeof made, figures);
    }
    mr_host_groups_close(groups);
    return status;
}
