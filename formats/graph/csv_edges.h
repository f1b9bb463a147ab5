/* Fields of tables, for who looks at what a file is. Internal to formats/. */
#ifndef MR_FORMATS_GRAPH_CSV_EDGES_H
#define MR_FORMATS_GRAPH_CSV_EDGES_H

#include <stdbool.h>
#include <stddef.h>

/* The field at `*at`, blanks and quotes around it left out; `*at` moves behind its separator, or to
 * NULL at the end of the line. With doubled quotes in it, it is `raw`. False: quotes do not match. */
bool mr_csv_field(const char **at, const char *end, char separator, const char **text,
                  size_t *bytes, bool *raw);

/* Whether a table's header begins the data (mr_input_peek). */
bool mr_csv_has_header(const char *data, size_t bytes);

/* What separates the columns of a table without a header; '\0': the data is none. */
char mr_csv_bare_separator(const char *data, size_t bytes);

#endif
