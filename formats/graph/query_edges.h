/* SPDX-License-Identifier: Apache-2.0 */
/* Links from the rows of a query as DuckDB has them, on all threads. Internal to formats/. */
#ifndef MR_FORMATS_GRAPH_QUERY_EDGES_H
#define MR_FORMATS_GRAPH_QUERY_EDGES_H

#include "formats/graph/line_reader.h"
#include "formats/stream/query.h"

struct mr_query_links {
    int columns[3]; /* of source, target and weight; -1: none */
    bool are_names;
    bool is_said; /* the user named the columns: no name is odd for what it says */
    const char *words; /* of mr_table_why_none */
};

/* Read all rows of a query after mr_query_restart: the batch of `lines` gets the links of those
 * that have two pages and a weight above 0, and its handler gets all others as text, with the
 * numbers that lines of that text have. `lines->batch.sink->lines` is not NULL. Errors: as
 * mr_line_reader_read. Memory: 200 KiB and a chunk of DuckDB for each thread. */
enum mr_status mr_query_edges_read(struct mr_line_reader *lines, struct mr_query *query,
                                   const struct mr_query_links *links,
                                   struct mr_error *err) MR_WARN_UNUSED;

#endif
