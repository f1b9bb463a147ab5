/* SPDX-License-Identifier: Apache-2.0 */
/* Teleport and seed files, as millrace/weights.h describes them, with options for times and
 * scores of pages. */
#ifndef MR_FORMATS_SCORE_VERTEX_WEIGHTS_H
#define MR_FORMATS_SCORE_VERTEX_WEIGHTS_H

#include "engine/names/names.h"
#include "formats/stream/input.h"
#include "millrace/weights.h"

struct mr_vertex_weights_options {
    bool weighted; /* the second field is the weight; otherwise each name has weight 1 */
    /* with `weighted`: a line may have a second value. With skips_value this is the weight, and a
     * line without it is left out. */
    bool has_second_value, skips_value;
    uint64_t max_unknown; /* how many names may be missing in the store */
    /* Of the store: a name may also be a host or a domain (formats/pages/page_names.h). Its pages
     * share its weight equally, and have weight 1 in a list without weights. NULL: a name is a
     * page. */
    const struct mr_store_info *info;
    /* Reads the second field, a number >= 0; NULL: a decimal number. */
    bool (*parse)(const char *text, size_t bytes, double *value);
    const char *expected; /* with `parse`: the message for a field that `parse` refuses */
    bool takes_logs; /* the weight is a time; also read the files of crawlers for it */
    bool latest; /* of a name that comes again the largest weight counts, not the sum */
    bool may_be_empty; /* a file without a weight above 0 is not an error */
};

/* Read `n_files` files, which add up ("-" is standard input). `out` is zero on failure. Errors:
 * INPUT at FILE:LINE for a weight that is missing, negative or not finite, and for more than
 * max_unknown unknown names; INPUT when no weight is above 0. Memory: 16 bytes per line, twice
 * that while sorting. Time: one lookup (at most one block read) per line. Free with
 * mr_vertex_weights_free. */
enum mr_status mr_vertex_weights_read(const struct mr_context *context, const char *const *files,
                                      size_t n_files, struct mr_names *names,
                                      const struct mr_vertex_weights_options *options,
                                      struct mr_vertex_weights *out,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* The same without other options, with the names that `info` allows, or none. */
enum mr_status mr_vertex_weights_open(const struct mr_context *context, const char *const *files,
                                      size_t n_files, struct mr_names *names,
                                      const struct mr_store_info *info, bool weighted,
                                      uint64_t max_unknown, struct mr_vertex_weights *out,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* The pages of one name, alike. `out` has no entries where the store does not know the name. */
enum mr_status mr_vertex_weights_of_name(const struct mr_context *context, const char *name,
                                         struct mr_names *names, const struct mr_store_info *info,
                                         struct mr_vertex_weights *out,
                                         struct mr_error *err) MR_WARN_UNUSED;

#endif
