/* SPDX-License-Identifier: Apache-2.0 */
/* Levels of the rows of a score file, and the file for a crawler: the common part of
 * mr_precedence_write (millrace/levels.h), whose rows are the names of a store, and of the program,
 * whose rows may come from anywhere. */
#ifndef MR_LIBRARY_QUERY_PRECEDENCE_ROWS_H
#define MR_LIBRARY_QUERY_PRECEDENCE_ROWS_H

#include "formats/score/crawler_file.h"

/* Refuse options that contradict each other. Errors: USAGE. */
enum mr_status mr_precedence_check(const struct mr_precedence_options *options,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* After mr_precedence_check: give each row that is chosen a level, `levels` [rows->n], and write
 * the rows in their order to `path`; NULL: to no file. `figures` is zero and not sized. Memory: 9
 * bytes per row if some are chosen, 8 for the format of Common Crawl, that of mr_host_levels.
 * Errors: those of the levels and of mr_crawler_write; INPUT for 2^32 rows or more if these are
 * ranked, for a score that is not finite, and for one below 0 if the file has shares of the
 * scores. */
enum mr_status mr_precedence_write_rows(const struct mr_context *context,
                                        const struct mr_crawler_rows *rows,
                                        const struct mr_precedence_options *options,
                                        const char *path, uint8_t *levels,
                                        struct mr_precedence_figures *figures,
                                        struct mr_error *err) MR_WARN_UNUSED;

/* Put `rows` [n] in the order of falling scores [of all rows], equal ones in their own order. */
void mr_rows_by_score(uint32_t *rows, uint64_t n, const double *scores);

/* ---- Levels for the pages of each host separately (host_levels.c) ---- */

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
