/* Many named teleport vectors in one file: lines `vector<TAB>page<TAB>weight`, or `vector<TAB>page` with
 * weight 1 (blanks do as well as tabs; names have neither). Lines of a vector need not be together. Blank
 * lines and lines of '#' followed by a blank, a tab or nothing are skipped. */
#ifndef MR_FORMATS_SCORE_TELEPORT_BATCH_H
#define MR_FORMATS_SCORE_TELEPORT_BATCH_H

#include "engine/base/vertex_weight.h"
#include "engine/names/names.h"
#include "formats/stream/input.h"

/* Owned by the caller: mr_teleport_batch_free. */
struct mr_teleport_batch {
    uint64_t n_vectors;
    char **names; /* [n_vectors], in the order of their first lines */
    uint64_t *ends; /* [n_vectors]: vector i has entries [ends[i - 1], ends[i]) */
    struct mr_vertex_weight
        *entries; /* [n_entries], in every vector ascending by vertex, each once */
    uint64_t n_entries;
    uint64_t lines; /* with a page, unknown ones included */
    uint64_t duplicates; /* pages given again in a vector: their weights add, in file order */
    uint64_t unknown; /* the first few are noted by name */
    struct mr_memory *memory;
};

/* Read all of `input`. `out` is zero on failure. Errors: INPUT at FILE:LINE for a page that is missing, a weight
 * that is negative or not finite, or too many unknown names; INPUT for a vector without a weight above 0,
 * or no vector at all. Memory: 24 bytes per line while sorting, then 16. One lookup (a block read at most)
 * per line. */
enum mr_status mr_teleport_batch_read(const struct mr_context *context, struct mr_input *input,
                                      struct mr_names *names, uint64_t max_unknown,
                                      struct mr_teleport_batch *out,
                                      struct mr_error *err) MR_WARN_UNUSED;
void mr_teleport_batch_free(struct mr_teleport_batch *batch);

#endif
