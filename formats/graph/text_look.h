/* Is this text links, or something else with two words a line? Internal to formats/. */
#ifndef MR_FORMATS_GRAPH_TEXT_LOOK_H
#define MR_FORMATS_GRAPH_TEXT_LOOK_H

#include "engine/base/error.h"

#define MR_CRAWLDB_REFUSAL                                                                         \
    "is a dump of Nutch's crawldb, which has no links; dump the linkdb (nutch readlinkdb LINKDB "  \
    "-dump DIR) or a segment (nutch readseg -dump SEGMENT DIR -nocontent -noparsetext)"

/* Refuse text of a known kind that is not read, by how it begins: data[bytes] of mr_input_peek, `name` for the
 * message. Errors: INPUT. */
enum mr_status mr_text_refuse_known(const char *name, const char *data, size_t bytes,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* Refuse lines whose first two columns are not the names of two pages: going by the first 1000 of them. Columns
 * are separated as in formats/graph/csv_edges.h, or by blanks and tabs where `separator` is '\0'. URLs, hosts,
 * reversed hosts and identifiers of one word are names. Scores, ids beside their URLs, a header, prose,
 * lists and markup are refused. Errors: INPUT, at the line that shows it. */
enum mr_status mr_text_look(const char *name, const char *data, size_t bytes, char separator,
                            struct mr_error *err) MR_WARN_UNUSED;

#endif
