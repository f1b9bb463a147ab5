/* Two score files brought together, page by page.
 *
 * Lines are matched by name. As long as both files have the same names in the same order, as those of one
 * store have, they are read side by side and no name is kept; from the first difference on, the rest is
 * matched through a table of 128-bit hashes of the names. Where either file is an .npy, which has no
 * names, rows are matched by their place, and there must be equally many. */
#ifndef MR_FORMATS_SCORE_SCORE_MATCH_H
#define MR_FORMATS_SCORE_SCORE_MATCH_H

#include <stdbool.h>

#include "engine/base/context.h"
#include "engine/base/score_pair.h"

/* One of the two files; "-" is standard input, .gz and .zst are read, levels of Heritrix, too. */
struct mr_score_match_side {
    const char *path;
    const char *column; /* as for mr_score_reader_open */
};

/* Owned by the caller: mr_score_match_free. */
struct mr_score_match {
    struct mr_score_pair *pairs; /* [n_pairs], in the order of a; what only b has comes last */
    uint64_t n_pairs; /* below 2^32 */
    uint64_t n_side_by_side; /* matched without the table */
    bool by_place; /* an .npy was there */
    uint64_t n_common; /* pairs with both scores */
    struct mr_memory *memory;
};

/* Memory: 16 bytes per page, growing by half, and for pages matched through the table up to 64 bytes more, given
 * back at the end. Errors: INPUT at FILE:LINE for lines that are no scores and for a name given twice (in the part that
 * goes through the table), INPUT for arrays of another length, and for files without a page in common, with a name of each. `out` is zero on failure. */
enum mr_status mr_score_match_read(const struct mr_context *context,
                                   const struct mr_score_match_side *a,
                                   const struct mr_score_match_side *b, struct mr_score_match *out,
                                   struct mr_error *err) MR_WARN_UNUSED;
void mr_score_match_free(struct mr_score_match *match);

#endif
