/* SPDX-License-Identifier: Apache-2.0 */
/* Recognises tables. Internal to formats/. */
#ifndef MR_FORMATS_GRAPH_CSV_EDGES_H
#define MR_FORMATS_GRAPH_CSV_EDGES_H

#include <stdbool.h>
#include <stddef.h>

/* The separator of the columns of a table without a header; '\0': the data is no such table. */
char mr_csv_bare_separator(const char *data, size_t bytes);

#endif
