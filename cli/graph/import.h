/* SPDX-License-Identifier: Apache-2.0 */
/* Files of links in, store out, by the flags of a command. */
#ifndef MR_CLI_GRAPH_IMPORT_H
#define MR_CLI_GRAPH_IMPORT_H

#include "cli/graph/build_estimate.h"
#include "cli/graph/import_flags.h"
#include "cli/program/session.h"
#include "library/import_files.h"

/* Build a store at `store` from `inputs[n_inputs]`: mr_import_files. */
enum mr_status mr_import(struct mr_session *session, const struct mr_import_flags *flags,
                         const char *const *inputs, size_t n_inputs, const char *store, bool force,
                         struct mr_import_summary *summary, struct mr_error *err) MR_WARN_UNUSED;

#endif
