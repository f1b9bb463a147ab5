/* SPDX-License-Identifier: Apache-2.0 */
/* Files of seeds, teleports, times and scores of pages; millrace/weights.h has the public function.
 */
#ifndef MR_FORMATS_SCORE_VERTEX_WEIGHTS_H
#define MR_FORMATS_SCORE_VERTEX_WEIGHTS_H

#include "engine/names/names.h"
#include "formats/stream/input.h"
#include "millrace/rank.h"

struct mr_store_info;

/* What a file says of its pages. */
enum mr_list_kind {
    MR_LIST_NAMES, /* nothing: each has weight 1 */
    MR_LIST_WEIGHTS, /* weights, which add up if a name comes again */
    MR_LIST_TIMES, /* times of fetches, of which the latest counts; also of crawlers' files */
    MR_LIST_INTERVALS /* of such a file the intervals, the longest one; without notes */
};

/* Read `n_files` files, which add up ("-" is standard input); formats/pages/name_lines.h has their
 * lines. With `info` of the store, a name may also be a host or a domain
 * (formats/pages/page_names.h): its pages share a given weight equally. `max_unknown` names may be
 * missing in the store. `out` is zero on failure. Errors: INPUT at FILE:LINE for a weight or time
 * that is missing, negative or not finite, and for more unknown names; INPUT when no weight is
 * above 0, but for times. Memory: 16 bytes per line, twice that while sorting. Time: one lookup (at
 * most one block read) per line. Free with mr_vertex_weights_free. */
enum mr_status mr_vertex_weights_read(const struct mr_context *context, const char *const *files,
                                      size_t n_files, struct mr_names *names,
                                      const struct mr_store_info *info, enum mr_list_kind kind,
                                      uint64_t max_unknown, struct mr_vertex_weights *out,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* The pages of one name, alike. `out` has no entries where the store does not know the name. */
enum mr_status mr_vertex_weights_of_name(const struct mr_context *context, const char *name,
                                         struct mr_names *names, const struct mr_store_info *info,
                                         struct mr_vertex_weights *out,
                                         struct mr_error *err) MR_WARN_UNUSED;

/* Many named teleport vectors of one file: lines `vector<TAB>page<TAB>weight`, or
 * `vector<TAB>page` with weight 1. Blanks separate as well as tabs; names have neither. The lines
 * of a vector need not be together. */
struct mr_teleport_batch {
    uint64_t n_vectors, n_empty; /* all; those without a weight above 0, of `of_each` */
    char **names; /* [n_vectors], in the order of their first lines */
    uint64_t *lines; /* [n_vectors]: the numbers of these */
    struct mr_rank_vector *vectors; /* [n_vectors]: their names and entries */
    struct mr_vertex_weights weights; /* the entries: ascending by vertex inside each vector */
};

/* Read the file at `path` ("-" is standard input) as mr_vertex_weights_read does. If it is
 * `of_each`, a line without a tab is a page: a vector of its own, which is called as the page is,
 * also where the page comes again; and a vector may be empty, which a note says. Errors: also INPUT
 * for a line without a page, for a vector without a weight above 0 (`of_each`: if all are so), and
 * for a file without vectors. */
enum mr_status mr_teleport_batch_read(const struct mr_context *context, const char *path,
                                      struct mr_names *names, const struct mr_store_info *info,
                                      bool of_each, uint64_t max_unknown,
                                      struct mr_teleport_batch *out,
                                      struct mr_error *err) MR_WARN_UNUSED;
void mr_teleport_batch_free(struct mr_teleport_batch *batch);

#endif
