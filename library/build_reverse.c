/* SPDX-License-Identifier: Apache-2.0 */
/* mr_store_build_reverse: sets the default options and calls the engine
 * (engine/builder/transpose.h), which does the work. */
#include "engine/builder/transpose.h"

enum mr_status mr_store_build_reverse(const struct mr_context *context, struct mr_store *store,
                                      const char *path, bool force, struct mr_error *err)
{
    const struct mr_build_options options = {.force = force};

    return mr_transpose(context, store, path, &options, NULL, err);
}
