/* How a table is recognised. Internal to formats/. */
#ifndef MR_FORMATS_GRAPH_CSV_EDGES_H
#define MR_FORMATS_GRAPH_CSV_EDGES_H

#include <stdbool.h>
#include <stddef.h>

/* Whether a table's header begins the data (mr_input_peek). */
bool mr_csv_has_header(const char *data, size_t bytes);

/* What separates the columns of a table without a header; '\0': the data is none. */
char mr_csv_bare_separator(const char *data, size_t bytes);

#endif
