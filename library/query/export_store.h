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

/* ---- A store in parts, for engines on many machines (export_shards.c) ----
 *
 *     DIR/edges/part-00000.txt, ...      source TAB target       for GraphX (GraphLoader)
 *     DIR/vertices/part-00000.txt, ...   id TAB name
 *     DIR/edges/part-00000.csv, ...      header src,dst          for GraphFrames (Spark's CSV)
 *     DIR/vertices/part-00000.csv, ...   header id,name
 *
 * Weights of links are a third column, weight. Ids are those of the input where it has numbers
 * below 2^63, else the positions of the names: for a graph of Common Crawl the numbers of its
 * vertices. Pages without links are among the vertices. A page and all links from it have the same
 * part. */

enum { MR_SHARDS_MOST = 1000 };
/* GZIP is added to a layout: each part is a .gz. */
enum mr_shards_for { MR_SHARDS_GRAPHX, MR_SHARDS_GRAPHFRAMES, MR_SHARDS_GZIP };

/* Refuse a directory with files that are not parts, and with parts unless they may be replaced.
 * Errors: USAGE. */
enum mr_status mr_export_shards_check(const char *directory, bool force,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* Write `n_shards` parts of `store` into `directory`, which is there. Memory: 8 bytes per page, and
 * 512 KiB per part, 1.3 MiB with gzip. Reads the names and the links once. Errors: those of
 * reading. */
enum mr_status mr_export_shards(const struct mr_context *context, struct mr_store *store,
                                struct mr_names *names, const char *directory, unsigned n_shards,
                                enum mr_shards_for layout, struct mr_error *err) MR_WARN_UNUSED;

#endif
