/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of hosts or domains applied to pages, for `precedence --mix`. */
#ifndef MR_CLI_LEVELS_HOST_MIX_H
#define MR_CLI_LEVELS_HOST_MIX_H

#include "cli/program/session.h"
#include "formats/score/precedence_file.h"
#include "formats/url/canonical.h"

enum mr_mix_kind { MR_MIX_PAGES, MR_MIX_HOSTS, MR_MIX_DOMAINS };

/* Adds weight * score / best score of its host or domain to `mixed`[n], for each row of `pages`.
 * The file at `path` has scores by host, forwards or reversed; the way that more pages find their
 * host by is taken. A page whose host it lacks gets nothing, and a note counts such pages. Errors:
 * those of mr_score_file_open; INPUT if no page finds its host. Memory: 40 bytes per host. Reads
 * `pages` twice. */
enum mr_status mr_mix_hosts(struct mr_session *session, struct mr_score_file *pages,
                            const struct mr_canonical *canonical, const char *path,
                            enum mr_mix_kind kind, double weight, double *mixed, uint64_t n,
                            struct mr_error *err) MR_WARN_UNUSED;

#endif
