/* SPDX-License-Identifier: Apache-2.0 */
/* What `crawl-rank` shows at its end: the best pages of the crawl. */
#ifndef MR_CLI_RELEASE_CRAWL_SUMMARY_H
#define MR_CLI_RELEASE_CRAWL_SUMMARY_H

#include "cli/program/session.h"

/* Prints the best pages of the store by the scores in the file `ranks`, with a blank line after
 * them. `*has_hosts` says whether the names have hosts. Memory: 8 bytes per page. */
enum mr_status mr_crawl_summary_print(struct mr_session *session, const char *store,
                                      const char *ranks, bool *has_hosts,
                                      struct mr_error *err) MR_WARN_UNUSED;

#endif
