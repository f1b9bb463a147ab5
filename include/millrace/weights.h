/* Sparse vectors over vertices: seeds, trusted pages, teleport weights, page scores. */
#ifndef MILLRACE_WEIGHTS_H
#define MILLRACE_WEIGHTS_H

#include "millrace/names.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mr_memory;

struct mr_vertex_weight {
    uint32_t vertex;
    double weight;
};

/* What a file says. Owned by the caller: mr_vertex_weights_free. */
struct mr_vertex_weights {
    struct mr_vertex_weight *entries; /* [n_entries], ascending by vertex, each once */
    uint64_t n_entries;
    uint64_t lines; /* names read, unknown ones included */
    uint64_t duplicates; /* names given again: their weights add, in file order */
    uint64_t unknown; /* the first few are noted by name */
    struct mr_memory *memory; /* private: where entries came from */
};

/* Read the file at `path`, "-" for standard input, .gz and .zst too. Lines are `name<TAB>weight`
 * with `weighted`, else `name`, of weight 1; blanks do as well as tabs, and a name has neither.
 * Blank lines and lines of '#' followed by a blank, a tab or nothing are skipped. Up to
 * `max_unknown` names may be no vertex. `out` is zero on failure. Errors: INPUT at FILE:LINE for
 * a weight that is missing, negative or not finite, or for too many unknown names; INPUT when no
 * weight is above 0. Memory: 16 bytes per line, twice that while sorting. One lookup (a block of
 * names read at most) per line. */
MR_API enum mr_status mr_vertex_weights_load(const struct mr_context *context, const char *path,
                                             struct mr_names *names, bool weighted,
                                             uint64_t max_unknown, struct mr_vertex_weights *out,
                                             struct mr_error *err) MR_WARN_UNUSED;

/* Takes a zeroed one as well. The context they were read with still lives. */
MR_API void mr_vertex_weights_free(struct mr_vertex_weights *weights);

#ifdef __cplusplus
}
#endif

#endif
