/* SPDX-License-Identifier: Apache-2.0 */
/* The out-edges of single vertices, at random: for algorithms that follow the edges of few
 * vertices, again and again. A store has its edges by target, so the lists by source are made once.
 * They stay in memory if they have room there, else in a temporary file. */
#ifndef MR_ENGINE_SCAN_OUT_LISTS_H
#define MR_ENGINE_SCAN_OUT_LISTS_H

#include "engine/io/scratch_file.h"
#include "engine/store/store.h"

struct mr_out_lists {
    const struct mr_context *context;
    uint64_t n_edges;
    uint64_t n_sources; /* vertices from here on have no out-edges */
    uint64_t *ends; /* [n_sources + 2]: the list of v has the edges [ends[v], ends[v + 1]) */
    uint64_t longest; /* edges of a list */
    bool is_weighted;
    uint32_t *targets; /* of the edges [n_edges] in memory, or NULL: in the file */
    float *weights; /* likewise, if is_weighted */
    struct mr_scratch_file *file; /* all targets, then all weights; NULL: they are in memory */
    struct mr_scratch_use use;
    const char *path; /* of the store; for mr_out_lists_open */
};

/* Make the lists, in memory if `room_bytes` is UINT64_MAX. Otherwise they go to the file part by
 * part; a part takes so many bytes, or those of one list, and only `ends` stays in memory. Edges of
 * a vertex have the order in which the store has them. Time: two readings of the edges; for a file
 * one and one more for each part. Errors: those of reading and of the file, BUDGET. Close the lists
 * even after an error, before the context; the store may be closed already. */
enum mr_status mr_out_lists_open(const struct mr_context *context, struct mr_store *store,
                                 uint64_t room_bytes, struct mr_out_lists *lists,
                                 struct mr_error *err) MR_WARN_UNUSED;
void mr_out_lists_close(struct mr_out_lists *lists);

/* Bytes of `ends`, and of all edges in memory. */
uint64_t mr_out_lists_ends_memory(const struct mr_store_info *info);
uint64_t mr_out_lists_edges_memory(const struct mr_store_info *info);

static inline uint32_t mr_out_lists_degree(const struct mr_out_lists *lists, uint32_t vertex)
{
    return vertex < lists->n_sources ? (uint32_t)(lists->ends[vertex + 1] - lists->ends[vertex])
                                     : 0;
}

/* Get the list of a vertex that has edges: `*targets` [degree], and `*weights` if is_weighted. They
 * point into the lists; or the lists are read into `room` [longest], and `weights_room` [longest]
 * if is_weighted, of the caller. Any number of threads may call it. Errors: those of the file. */
enum mr_status mr_out_lists_get(const struct mr_out_lists *lists, uint32_t vertex, uint32_t *room,
                                float *weights_room, const uint32_t **targets,
                                const float **weights, struct mr_error *err) MR_WARN_UNUSED;

#endif
