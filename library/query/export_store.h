/* SPDX-License-Identifier: Apache-2.0 */
/* What mr_store_export (millrace/query.h) shares with the program, which asks before it builds a
 * graph whether the export can be made. */
#ifndef MR_LIBRARY_QUERY_EXPORT_STORE_H
#define MR_LIBRARY_QUERY_EXPORT_STORE_H

#include "formats/graph_writer.h"
#include "library/files.h"
#include "millrace/query.h"

/* The format that the options or the name of the output ask for; NULL: neither names one. */
const struct mr_graph_writer *mr_export_writer(const struct mr_store_export_options *options,
                                               const char *path);

/* Add the files of the format that is written to `path`, which `what` names, without
 * options->names. */
void mr_export_list_files(const struct mr_store_export_options *options, const char *what,
                          const char *path, struct mr_files *files);

/* Write the format "pages", which export_pages.c describes. */
enum mr_status mr_export_pages(const struct mr_context *context, struct mr_store *store,
                               struct mr_names *names,
                               const struct mr_store_export_options *options, const char *path,
                               struct mr_error *err) MR_WARN_UNUSED;

#endif
