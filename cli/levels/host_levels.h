/* SPDX-License-Identifier: Apache-2.0 */
/* Levels for the pages of each host separately, for `precedence --per-host`. */
#ifndef MR_CLI_LEVELS_HOST_LEVELS_H
#define MR_CLI_LEVELS_HOST_LEVELS_H

#include "cli/levels/row_choice.h"
#include "millrace/levels.h"

/* Gives each chosen row of `file` a level among the chosen rows of its host, wherever these stand
 * in the file. `scores` and `levels` [n] are those of the chosen rows; `counts` [n_levels] gets the
 * rows of each level. Memory: 8 bytes per row, 27 to 80 per host and 9 per page of the largest
 * host; with less memory the hosts are done in up to 64 parts, and the file is read for each.
 * Errors: INPUT for 2^32 rows or more; those of mr_score_file_visit. */
enum mr_status mr_host_levels(const struct mr_context *context, struct mr_score_file *file,
                              const struct mr_canonical *canonical,
                              const struct mr_row_choice *choice,
                              const struct mr_precedence_options *options, const double *scores,
                              uint64_t n, uint8_t *levels, uint64_t *counts,
                              struct mr_error *err) MR_WARN_UNUSED;

#endif
