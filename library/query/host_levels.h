/* SPDX-License-Identifier: Apache-2.0 */
/* Levels for the pages of each host separately. */
#ifndef MR_LIBRARY_QUERY_HOST_LEVELS_H
#define MR_LIBRARY_QUERY_HOST_LEVELS_H

#include "formats/score/crawler_file.h"

/* Gives each chosen row a level among the chosen rows of its host, wherever these stand
 * in the file. `scores` and `levels` [n] are those of the chosen rows; `counts` [n_levels] gets the
 * rows of each level. Memory: 8 bytes per row, 27 to 54 per host and 9 per page of the largest
 * host; with less memory the hosts are done in up to 64 parts, and the file is read for each.
 * Errors: INPUT for 2^32 rows or more; those of mr_score_file_visit. */
enum mr_status mr_host_levels(const struct mr_context *context, const struct mr_crawler_rows *rows,
                              const struct mr_precedence_options *options, const double *scores,
                              uint64_t n, uint8_t *levels, uint64_t *counts,
                              struct mr_error *err) MR_WARN_UNUSED;

#endif
