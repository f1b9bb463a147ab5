/* The state of OPIC between crawls as a file: the rows of algorithms/opic/opic.h in a table by
 * names. */
#ifndef MR_LIBRARY_OPIC_STATE_FILE_H
#define MR_LIBRARY_OPIC_STATE_FILE_H

#include "algorithms/opic/opic.h"

/* Go on from the state at `path`: mr_opic_load, before mr_opic_run. `*found` is false, and
 * nothing is done, where there is no such file. Errors: INPUT for another program's file,
 * CORRUPT for a damaged one. */
enum mr_status mr_opic_state_load(const struct mr_context *context, struct mr_opic *opic,
                                  const char *path, struct mr_names *names,
                                  const struct mr_store_info *info, struct mr_opic_merge *merge,
                                  bool *found, struct mr_error *err) MR_WARN_UNUSED;

/* Write the state to `path`, replacing what is there in one step. */
enum mr_status mr_opic_state_save(const struct mr_context *context, const struct mr_opic *opic,
                                  const char *path, struct mr_names *names,
                                  const struct mr_store_info *info,
                                  struct mr_error *err) MR_WARN_UNUSED;

#endif
