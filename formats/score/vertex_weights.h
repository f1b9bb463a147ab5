/* Teleport and seed files: names with weights, or names alone, to vertices with weights.
 *
 * Lines `name<TAB>weight` (blanks do as well as tabs; a name has neither), or `name` for seeds,
 * each of weight 1. Blank lines and lines of '#' followed by a blank, a tab or nothing are
 * skipped. */
#ifndef MR_FORMATS_SCORE_VERTEX_WEIGHTS_H
#define MR_FORMATS_SCORE_VERTEX_WEIGHTS_H

#include "engine/base/vertex_weight.h"
#include "engine/names/names.h"
#include "formats/stream/input.h"

struct mr_vertex_weights_options {
    size_t struct_size; /* sizeof(struct mr_vertex_weights_options) */
    bool weighted; /* second field is the weight; else each name weighs 1 */
    uint64_t max_unknown; /* names that are no vertex: how many are tolerated */
    /* Reads the second field, a number >= 0; NULL: a decimal number. */
    bool (*parse)(const char *text, size_t bytes, double *value);
    const char *expected; /* with `parse`: what to say of a field that it refuses */
    bool latest; /* of names given again the largest weight counts, not the sum */
    bool may_be_empty; /* no weight above 0 is no error */
};

/* Owned by the caller: mr_vertex_weights_free. */
struct mr_vertex_weights {
    struct mr_vertex_weight *entries; /* [n_entries], ascending by vertex, each once */
    uint64_t n_entries;
    uint64_t lines; /* names read, unknown ones included */
    uint64_t duplicates; /* names given again: their weights add, in file order (or see `latest`) */
    uint64_t unknown; /* the first few are noted by name */
    struct mr_memory *memory;
};

/* Read all of `input`. `out` is zero on failure. Errors: INPUT at FILE:LINE for a weight that is
 * missing, negative or not finite, or too many unknown names; INPUT when no weight is above 0.
 * Memory: 16 bytes per line, twice that while sorting. One lookup (a block read at most) per
 * line. */
enum mr_status mr_vertex_weights_read(const struct mr_context *context, struct mr_input *input,
                                      struct mr_names *names,
                                      const struct mr_vertex_weights_options *options,
                                      struct mr_vertex_weights *out,
                                      struct mr_error *err) MR_WARN_UNUSED;
void mr_vertex_weights_free(struct mr_vertex_weights *weights);

#endif
