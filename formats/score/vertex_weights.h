/* Reads teleport and seed files: names with weights, or names alone, become vertices with weights.
 *
 * Lines are `name<TAB>weight` (blanks separate as well as tabs; a name has neither), or `name` for
 * seeds, which have weight 1. Blank lines are skipped, and lines of '#' followed by a blank, a tab
 * or nothing. */
#ifndef MR_FORMATS_SCORE_VERTEX_WEIGHTS_H
#define MR_FORMATS_SCORE_VERTEX_WEIGHTS_H

#include "engine/base/vertex_weight.h"
#include "engine/names/names.h"
#include "formats/stream/input.h"

struct mr_vertex_weights_options {
    size_t struct_size; /* sizeof(struct mr_vertex_weights_options) */
    bool weighted; /* the second field is the weight; otherwise each name has weight 1 */
    uint64_t max_unknown; /* how many names may be missing in the store */
    /* Reads the second field, a number >= 0; NULL: a decimal number. */
    bool (*parse)(const char *text, size_t bytes, double *value);
    const char *expected; /* with `parse`: the message for a field that `parse` refuses */
    bool latest; /* of a name that comes again the largest weight counts, not the sum */
    bool may_be_empty; /* a file without a weight above 0 is not an error */
};

/* Owned by the caller: mr_vertex_weights_free. */
struct mr_vertex_weights {
    struct mr_vertex_weight *entries; /* [n_entries], ascending by vertex, each once */
    uint64_t n_entries;
    uint64_t lines; /* names read, unknown ones included */
    /* names that come again; their weights add, in file order (or see `latest`) */
    uint64_t duplicates;
    uint64_t unknown; /* names that the store does not have; the first few are noted */
    struct mr_memory *memory;
};

/* Read all of `input`. `out` is zero on failure. Errors: INPUT at FILE:LINE for a weight that is
 * missing, negative or not finite, and for more than max_unknown unknown names; INPUT when no
 * weight is above 0. Memory: 16 bytes per line, twice that while sorting. Time: one lookup (at most
 * one block read) per line. */
enum mr_status mr_vertex_weights_read(const struct mr_context *context, struct mr_input *input,
                                      struct mr_names *names,
                                      const struct mr_vertex_weights_options *options,
                                      struct mr_vertex_weights *out,
                                      struct mr_error *err) MR_WARN_UNUSED;
void mr_vertex_weights_free(struct mr_vertex_weights *weights);

#endif
