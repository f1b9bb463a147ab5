/* --profile and --rule: which spellings of URLs are one page. */
#ifndef MR_CLI_PROGRAM_PROFILE_H
#define MR_CLI_PROGRAM_PROFILE_H

#include <stdio.h>

#include "cli/program/session.h"
#include "engine/store/store.h"
#include "library/build_names.h"

/* What `millrace help profiles` prints. */
void mr_profile_help(FILE *out);

/* The names of a store, found by any spelling; `canonical` is filled. */
enum mr_status mr_profile_open_names(struct mr_session *session, struct mr_store *store,
                                     struct mr_canonical *canonical, struct mr_names **names,
                                     struct mr_error *err) MR_WARN_UNUSED;

#endif
