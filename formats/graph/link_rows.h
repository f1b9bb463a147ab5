/* SPDX-License-Identifier: Apache-2.0 */
/* Links that a thread makes of lines or of rows of a query, to be added when it has its turn. Names
 * get their numbers together then: the builder waits for memory once for many, and not for each
 * name. Internal to formats/. */
#ifndef MR_FORMATS_GRAPH_LINK_ROWS_H
#define MR_FORMATS_GRAPH_LINK_ROWS_H

#include "formats/graph/line_reader.h"
#include "formats/table/line_team.h"

enum { MR_LINK_ROWS = 4096 };

struct mr_link_rows {
    unsigned n;
    bool are_names; /* else `ids` are numbers of vertices */
    bool is_odd[MR_LINK_ROWS]; /* the row is no plain link */
    bool is_longer[MR_LINK_ROWS]; /* it has more columns, which are ignored and counted */
    struct mr_name_ref names[MR_LINK_ROWS][2];
    uint64_t ids[MR_LINK_ROWS][2];
    double weights[MR_LINK_ROWS];
};

/* Adds all rows, in their order, and empties `rows`. What `add_odd` adds, or refuses, is a row that
 * is odd or has a name that the builder does not know. Errors: its own; those of the sink. */
typedef enum mr_status (*mr_link_rows_odd)(void *data, unsigned row, struct mr_error *err);
enum mr_status mr_link_rows_add(struct mr_line_reader *lines, struct mr_link_rows *rows,
                                mr_link_rows_odd add_odd, void *data,
                                struct mr_error *err) MR_WARN_UNUSED;

/* Makes row `row` of [line, end). Returns false if the line is no plain link. Several threads call
 * it at the same time. */
typedef bool (*mr_link_rows_take)(const struct mr_line_reader *lines, struct mr_link_rows *rows,
                                  unsigned row, const char *line, const char *end);

/* Lines of two numbers that a kernel converts (formats/graph/edge_lines.h) before `take` sees what
 * is left: none; source and target; target and source. */
enum mr_plain_lines { MR_PLAIN_NONE, MR_PLAIN_LINKS, MR_PLAIN_TURNED };

/* Reads all remaining lines with all threads. `take` sees each line, lines->handle those that are
 * odd, in their order. Errors: as mr_line_reader_read. */
enum mr_status mr_link_rows_read(struct mr_line_reader *lines, bool are_names,
                                 mr_link_rows_take take, enum mr_plain_lines plain,
                                 struct mr_error *err) MR_WARN_UNUSED;

#endif
