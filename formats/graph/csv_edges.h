/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of links in a table. Internal to formats/. */
#ifndef MR_FORMATS_GRAPH_CSV_EDGES_H
#define MR_FORMATS_GRAPH_CSV_EDGES_H

#include "formats/stream/table.h"

/* Find the columns of source, target and weight (-1: none) by the words of a header row. Returns
 * false if it names no source and target. */
bool mr_link_columns(const struct mr_table_row *row, int columns[3]);

#endif
