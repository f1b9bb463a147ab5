/* SPDX-License-Identifier: Apache-2.0 */
/* The graph of hosts or domains, for the program and behind the public face. */
#ifndef MR_LIBRARY_FOLD_HOSTS_H
#define MR_LIBRARY_FOLD_HOSTS_H

#include "engine/builder/fold.h"
#include "library/import/import_options.h"

/* mr_store_fold. wanted->zstd_level 0 is plain here, and MR_ZSTD_LEVEL_OF_STORE that of the store.
 * `temporary` is the path of a store that the call may make and removes. The members and the store
 * are published one after the other, or by the group of the context. */
enum mr_status mr_fold_hosts(const struct mr_context *context, struct mr_store *store,
                             struct mr_names *names, const char *path,
                             const struct mr_store_fold_options *wanted, enum mr_encoding encoding,
                             const char *temporary, struct mr_build_summary *summary,
                             struct mr_fold_figures *figures, struct mr_error *err) MR_WARN_UNUSED;

#endif
