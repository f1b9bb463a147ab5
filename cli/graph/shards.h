/* SPDX-License-Identifier: Apache-2.0 */
/* A store as files in parts, for engines on many machines: export --shards.
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
#ifndef MR_CLI_GRAPH_SHARDS_H
#define MR_CLI_GRAPH_SHARDS_H

#include "cli/program/session.h"
#include "engine/names/names.h"
#include "engine/store/store.h"

enum { MR_SHARDS_MOST = 1000 };
/* GZIP is added to a layout: each part is a .gz. */
enum mr_shards_for { MR_SHARDS_GRAPHX, MR_SHARDS_GRAPHFRAMES, MR_SHARDS_GZIP };

/* Write `n_shards` parts of `store` into `directory`, which is made, and must not have such parts
 * unless `force`. An empty file _SUCCESS is written last. Memory: 8 bytes per page, and 512 KiB per
 * part, 1.3 MiB with gzip. Reads the names and the links once. Errors: USAGE where files exist;
 * those of reading. */
enum mr_status mr_shards_write(struct mr_session *session, struct mr_store *store,
                               struct mr_names *names, const char *directory, unsigned n_shards,
                               enum mr_shards_for layout, bool force,
                               struct mr_error *err) MR_WARN_UNUSED;

#endif
