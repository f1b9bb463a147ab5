/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether a text holds links, or something else with two words per line. Internal to
 * formats/. */
#ifndef MR_FORMATS_GRAPH_TEXT_LOOK_H
#define MR_FORMATS_GRAPH_TEXT_LOOK_H

#include "engine/base/error.h"
#include "formats/table/table.h"

/* Refuse lines whose first two columns are not the names of two pages, whose further columns may be
 * neighbours, or whose separator is not certain. Only the first 1000 lines are examined. `table`
 * describes the lines; NULL: lines of numbers, between which blanks, tabs and commas may stand.
 * Scores, ids beside their URLs, prose, lists, rows of a matrix and markup are refused. Errors:
 * INPUT, at the line that shows it. */
enum mr_status mr_text_look(const char *name, const char *data, size_t bytes,
                            const struct mr_table *table, struct mr_error *err) MR_WARN_UNUSED;

/* Refuse a first line of two numbers that may count the pages and links of the lines below, or be a
 * link. Returns INPUT. */
enum mr_status mr_text_refuse_count(const char *name, const char *data, size_t bytes,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* Refuse a table whose header names its ends, `columns`, if one of these has numbers or URLs alone
 * and the other none: counts of links, titles. Errors: INPUT. */
enum mr_status mr_text_look_at_ends(const char *name, const char *data, size_t bytes,
                                    const struct mr_table *table, const int columns[2],
                                    struct mr_error *err) MR_WARN_UNUSED;

#endif
