/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the pages of a store with what it knows of their fetches, for `export --to pages`. */
#ifndef MR_CLI_GRAPH_PAGE_ROWS_H
#define MR_CLI_GRAPH_PAGE_ROWS_H

#include "cli/graph/export.h"

/* Writes a line for each page in the order of the names, as page_db_dump of Aduana does: a hash,
 * the URL, first and last fetch, changes, fetches, depth, score. The depth is the least number of
 * links from a page of flags->seeds, the score that in flags->scores; "-" and 0 if they are not
 * known.
 * Memory: 8 bytes per page for scores; 4 for depths, which take a reading of the links for each
 * depth. */
enum mr_status mr_page_rows_write(struct mr_session *session, const struct mr_export_flags *flags,
                                  struct mr_store *store, struct mr_names *names,
                                  const char *output, struct mr_error *err) MR_WARN_UNUSED;

#endif
