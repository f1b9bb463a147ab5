/* SPDX-License-Identifier: Apache-2.0 */
/* The directory for the temporary stores of one run. Internal to the engine.
 *
 * It lies in --tmp, or else in $TMPDIR, or else in /var/tmp: never in the working directory of the
 * user. It is locked (leftover.h), so that a later run removes what a dead one left there. */
#ifndef MR_ENGINE_IO_WORKSPACE_H
#define MR_ENGINE_IO_WORKSPACE_H

#include "engine/base/context.h"

struct mr_workspace;

/* The directory for temporary files that belong to no output: context->tmp_dir, $TMPDIR, or
 * /var/tmp. */
const char *mr_workspace_parent(const struct mr_context *context);

/* Removes the workspaces of dead processes, and makes one. Errors: RUNTIME, BUDGET. */
enum mr_status mr_workspace_open(const struct mr_context *context, struct mr_workspace **out,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* The path of the directory. */
const char *mr_workspace_path(const struct mr_workspace *workspace);

/* Removes the directory with the stores in it. Takes NULL. */
void mr_workspace_close(struct mr_workspace *workspace);

#endif
