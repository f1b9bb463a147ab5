/* SPDX-License-Identifier: Apache-2.0 */
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

/* The content of a file of weights. The caller frees it with mr_vertex_weights_free. */
struct mr_vertex_weights {
    struct mr_vertex_weight *entries; /* [n_entries], ascending by vertex, each vertex once */
    uint64_t n_entries;
    uint64_t lines; /* lines with names, also unknown ones */
    /* names that occurred before; their weights are added in the order of the file, and without
     * weights each name counts once */
    uint64_t duplicates;
    uint64_t unknown; /* names that are not vertices; the first few are named in notes */
    struct mr_memory *memory; /* private: the budget that the entries are charged to */
};

/* How many names of a file may be missing in the store: a number, or this share of the file's
 * names, `percent` from 0 to 100. UINT64_MAX: any number. */
#define MR_UNKNOWN_PERCENT(percent) ((uint64_t)1 << 63 | (uint64_t)((percent)*1000000.0))

/* Read the file at `path`. "-" is standard input; .gz and .zst files are decompressed. With
 * `weighted`, a line is `name<TAB>weight`; without it, a line is `name`, and the weight is 1.
 * A name has blanks, but behind a number or a URL a blank will do for the tab. Blank lines are
 * skipped, and so are lines that begin with '#' followed by a blank, a tab or the end of the line.
 * Up to `max_unknown` names may be unknown, or a share of the names (MR_UNKNOWN_PERCENT). `out` is
 * zero after an error.
 *
 * Errors: INPUT with FILE:LINE for a weight that is missing, negative or not finite, and for too
 * many unknown names; INPUT when no weight is above 0. Memory: 16 bytes per line, and twice that
 * while sorting. One lookup per line, which reads at most one block of names. */
MR_API enum mr_status mr_vertex_weights_load(const struct mr_context *context, const char *path,
                                             struct mr_names *names, bool weighted,
                                             uint64_t max_unknown, struct mr_vertex_weights *out,
                                             struct mr_error *err) MR_WARN_UNUSED;

/* Free the entries. A zeroed struct is allowed. Call it before the context is destroyed. */
MR_API void mr_vertex_weights_free(struct mr_vertex_weights *weights);

#ifdef __cplusplus
}
#endif

#endif
