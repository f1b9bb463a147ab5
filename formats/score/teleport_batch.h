/* SPDX-License-Identifier: Apache-2.0 */
/* Reads many named teleport vectors from one file: lines `vector<TAB>page<TAB>weight`, or
 * `vector<TAB>page` with weight 1. Blanks separate as well as tabs; names have neither. The lines
 * of a vector need not be together. Blank lines are skipped, and lines of '#' followed by a blank,
 * a tab or nothing. */
#ifndef MR_FORMATS_SCORE_TELEPORT_BATCH_H
#define MR_FORMATS_SCORE_TELEPORT_BATCH_H

#include "engine/store/store.h"
#include "millrace/weights.h"

/* Owned by the caller: mr_teleport_batch_free. */
struct mr_teleport_batch {
    uint64_t n_vectors;
    char **names; /* [n_vectors], in the order of their first lines */
    uint64_t *ends; /* [n_vectors]: vector i has entries [ends[i - 1], ends[i]) */
    /* [n_entries], ascending by vertex inside each vector, each once */
    struct mr_vertex_weight *entries;
    uint64_t n_entries;
    uint64_t lines; /* lines with a page, unknown pages included */
    uint64_t duplicates; /* pages that a vector has again; their weights add, in file order */
    uint64_t unknown; /* names that the store does not have; the first few are noted */
    struct mr_memory *memory;
};

/* Read the file at `path` ("-" is standard input). A name is a page, and where `info` of the store
 * is given also a host or a domain (formats/pages/page_names.h), whose pages share its weight
 * equally. `out` is zero on failure. Errors: INPUT at FILE:LINE for a missing page, for a weight
 * that is negative or not finite, and for more than max_unknown unknown names; INPUT for a vector
 * without a weight above 0, and for a file without vectors. Memory: 24 bytes per line while
 * sorting, then 16. Time: one lookup (at most one block read) per line. */
enum mr_status mr_teleport_batch_read(const struct mr_context *context, const char *path,
                                      struct mr_names *names, const struct mr_store_info *info,
                                      uint64_t max_unknown, struct mr_teleport_batch *out,
                                      struct mr_error *err) MR_WARN_UNUSED;
void mr_teleport_batch_free(struct mr_teleport_batch *batch);

#endif
