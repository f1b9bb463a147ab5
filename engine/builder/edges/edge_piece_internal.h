/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that loading (edge_piece.c) and sorting (edge_piece_sort.c) share. Internal to the
 * engine. */
#ifndef MR_ENGINE_BUILDER_EDGES_EDGE_PIECE_INTERNAL_H
#define MR_ENGINE_BUILDER_EDGES_EDGE_PIECE_INTERNAL_H

#include <pthread.h>

#include "engine/builder/edges/edge_piece.h"

/* One thread at a time counts the out-degrees of a stripe: one lock per tile is cheaper than an
 * atomic addition per edge. Several stripes share a lock. */
enum {
    MR_SORTER_LOCKS = 64,
    MR_SORTER_LARGE_LOCK = MR_SORTER_LOCKS,
    MR_SORTER_GIVEN_LOCK = MR_SORTER_LARGE_LOCK + MR_SORTER_LOCKS,
    MR_SORTER_ALL_LOCKS
};

struct mr_sorter_extent;
struct mr_sorter_supply;

struct mr_edge_sorter {
    const struct mr_context *context;
    const struct mr_edge_plan *plan;
    const struct mr_edge_piece *piece;
    struct mr_sort_tally *tally; /* while the piece is sorted */
    bool merge;
    uint64_t block_bytes;
    void *buffer;
    uint64_t buffer_bytes;
    /* Parts of the buffer, for the current piece. */
    uint64_t *scratch; /* [n_sorters][mr_edge_plan_scratch][mr_edge_plan_scratch_words] */
    /* [n_large][mr_edge_plan_large_scratch][...words]; one thread at a time in each, by a lock */
    uint64_t *large_scratch;
    struct mr_tile_run *runs; /* [n_runs] */
    struct mr_edge_bucket *buckets; /* [n_buckets] */
    struct mr_record_block *blocks;
    uint64_t *
        *cursors; /* [n_workers][n_buckets]: address of the next record; NULL before the first */
    uint32_t *bucket_of; /* [cells of the piece] */
    _Atomic(char *) arena_at; /* the rest of the buffer: blocks */
    char *arena_end;
    struct mr_sorter_extent *given;
    struct mr_sorter_supply *supplies; /* [n_workers] */
    /* Locks of stripes, of large scratches, and of `given`. */
    pthread_mutex_t locks[MR_SORTER_ALL_LOCKS];
};

#endif
