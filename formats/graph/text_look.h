/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether a text holds links, or something else with two words per line. Internal to
 * formats/. */
#ifndef MR_FORMATS_GRAPH_TEXT_LOOK_H
#define MR_FORMATS_GRAPH_TEXT_LOOK_H

#include "engine/base/error.h"

/* Refuse lines whose first two columns are not the names of two pages, or whose further columns may
 * be neighbours. Only the first 1000 lines are examined. `separator` is that of the columns, as in
 * formats/table/table.h; '\0': that of lines of numbers, which may be any. URLs, hosts, reversed
 * hosts and identifiers of one word are names. Scores, ids beside their URLs, prose, lists, rows of
 * a matrix and markup are refused. Errors: INPUT, at the line that shows it. */
enum mr_status mr_text_look(const char *name, const char *data, size_t bytes, char separator,
                            struct mr_error *err) MR_WARN_UNUSED;

#endif
