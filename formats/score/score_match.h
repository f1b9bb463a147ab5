/* SPDX-License-Identifier: Apache-2.0 */
/* Brings two score files together, page by page.
 *
 * Lines are matched by name. Two files of one store have the same names in the same order; as long
 * as this is so, they are read side by side and no name stays in memory. From the first difference
 * on, the rest is matched through a table of 128-bit hashes of the names. An .npy has no names:
 * where either file is one, rows are matched by their number, and both files must have equally
 * many. */
#ifndef MR_FORMATS_SCORE_SCORE_MATCH_H
#define MR_FORMATS_SCORE_SCORE_MATCH_H

#include <stdbool.h>

#include "engine/base/context.h"
#include "engine/base/value.h"

/* Owned by the caller: mr_score_match_free. */
struct mr_score_match {
    struct mr_score_pair *pairs; /* [n_pairs], in the order of a, then pages that only b has */
    uint64_t n_pairs; /* below 2^32 */
    uint64_t n_side_by_side; /* pairs that were matched without the table */
    bool by_row; /* rows were matched by their number, because a file is an .npy */
    uint64_t n_common; /* pairs with both scores */
    struct mr_memory *memory;
};

/* Gets the name of each new pair, in the order of the pairs; NULL where files have no names. */
typedef enum mr_status (*mr_score_match_visit)(void *data, uint64_t pair, const char *name,
                                               size_t name_bytes, struct mr_error *err);

/* Read and match both files. "-" is standard input; a column is as for mr_score_reader_open;
 * `visit` may be NULL. A score that one file does not have is NaN. Memory: 16 bytes per page,
 * growing by half; for pages matched through the table up to 54 bytes more, released at the end.
 * Errors: INPUT at FILE:LINE for a line that is not a score, and for a name that comes twice in the
 * part that goes through the table; INPUT for an array with another number of rows; INPUT, with a
 * name of each, for files without a page in common. `out` is zero on failure. */
enum mr_status mr_score_match_read(const struct mr_context *context, const char *path_a,
                                   const char *column_a, const char *path_b, const char *column_b,
                                   mr_score_match_visit visit, void *data,
                                   struct mr_score_match *out, struct mr_error *err) MR_WARN_UNUSED;
void mr_score_match_free(struct mr_score_match *match);

#endif
