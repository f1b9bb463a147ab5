/* SPDX-License-Identifier: Apache-2.0 */
/* mr_store_build_reverse: sets the default options, checks the files, and calls the engine
 * (engine/builder/transpose.h), which does the work. */
#include "engine/builder/transpose.h"

#include "library/files.h"

enum mr_status mr_store_build_reverse(const struct mr_context *context, struct mr_store *store,
                                      const char *path, bool force, struct mr_error *err)
{
    const struct mr_build_options options = {.force = force};
    struct mr_files *files = mr_files_create();

    mr_files_add(files, MR_FILE_READ, "the store", mr_store_path(store), NULL);
    mr_files_add(files, MR_FILE_STORE, "the reverse", path, NULL);
    const enum mr_status status = mr_files_end(files, MR_OK, force, false, err);
    return status == MR_OK ? mr_transpose(context, store, path, &options, NULL, err) : status;
}
