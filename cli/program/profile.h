/* SPDX-License-Identifier: Apache-2.0 */
/* --profile and --rule: the rules that say which spellings of a URL are one page. */
#ifndef MR_CLI_PROGRAM_PROFILE_H
#define MR_CLI_PROGRAM_PROFILE_H

#include <stdio.h>

#include "cli/program/session.h"
#include "engine/store/store.h"
#include "library/import/build_names.h"

/* Prints the text of `millrace help profiles`. */
void mr_profile_help(FILE *out);

/* Opens the names of a store, so that mr_names_find finds a name by any of its spellings. Fills
 * `canonical`; it must live longer than `*names`. */
enum mr_status mr_profile_open_names(struct mr_session *session, struct mr_store *store,
                                     struct mr_canonical *canonical, struct mr_names **names,
                                     struct mr_error *err) MR_WARN_UNUSED;

#endif
