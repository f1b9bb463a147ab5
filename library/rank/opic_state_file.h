/* SPDX-License-Identifier: Apache-2.0 */
/* The state file of OPIC: the rows of algorithms/opic/opic.h in a table by name. */
#ifndef MR_LIBRARY_RANK_OPIC_STATE_FILE_H
#define MR_LIBRARY_RANK_OPIC_STATE_FILE_H

#include "algorithms/opic/opic.h"

/* Go on from the state at `path`: calls mr_opic_load, so call it before mr_opic_run. If the file
 * does not exist, `*found` is false and nothing happens. Errors: INPUT for a file of another
 * program, CORRUPT for a damaged one. */
enum mr_status mr_opic_state_load(const struct mr_context *context, struct mr_opic *opic,
                                  const char *path, struct mr_names *names,
                                  const struct mr_store_info *info, struct mr_opic_merge *merge,
                                  bool *found, struct mr_error *err) MR_WARN_UNUSED;

/* Write the state to `path`. It replaces an existing file in one step. */
enum mr_status mr_opic_state_save(const struct mr_context *context, const struct mr_opic *opic,
                                  const char *path, struct mr_names *names,
                                  const struct mr_store_info *info,
                                  struct mr_error *err) MR_WARN_UNUSED;

#endif
