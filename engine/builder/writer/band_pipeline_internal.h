/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the band pipeline share. Internal to the engine.
 *
 *     band_pipeline.c         takes bands in turn: who encodes which band, and when it is written
 *     band_pipeline_slots.c   what a thread needs for a band, and how many slots the memory allows
 *     band_pipeline_tiles.c   passes the edges of a band, tile by tile, to its writers */
#ifndef MR_ENGINE_BUILDER_WRITER_BAND_PIPELINE_INTERNAL_H
#define MR_ENGINE_BUILDER_WRITER_BAND_PIPELINE_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/base/bytes.h"
#include "engine/base/team.h"
#include "engine/builder/writer/band_pipeline.h"

/* Room for the descriptions of the blocks in a writer's array. */
#define PENDING_EXTRA_BYTES ((uint64_t)64 << 10)

/* A band writer gets keys in runs, as they lie together in memory: at most 128 keys. So one call
 * seals at most one block, and the pipeline checks the waiting bytes often enough. Edges with
 * weights are copied and passed in batches of BATCH_KEYS, counted from the beginning of each tile:
 * how the writer encodes them depends on which edges it gets together. */
enum { BATCH_KEYS = 16384 };

struct pipeline_slot {
    struct mr_band_writer *writers[MR_CLASSES_MAX]; /* one per class */
    uint32_t *in_degrees; /* [vertices of a band]; with classes, those of internal edges follow */
    uint32_t *split; /* with classes: [2 * BATCH_KEYS], external and internal keys of a batch */
    /* writer of the set of edges with weights; NULL without weights */
    struct mr_band_writer *weighted;
    double *in_strengths; /* [vertices of a band]; NULL without weights */
    struct {
        uint32_t keys[BATCH_KEYS];
        float weights[BATCH_KEYS];
    } * batch; /* NULL without weights */
};

struct mr_band_pipeline {
    const struct mr_context *context;
    struct mr_store_writer *store;
    const struct mr_edge_grid *grid;
    const uint32_t *groups; /* NULL: edges have one class */
    uint32_t *internal_out;
    unsigned n_classes;
    struct pipeline_slot *slots; /* [n_slots] */
    unsigned n_slots;
    unsigned n_sets; /* sets of edges: 1, or 2 with weights */
    uint64_t pending_bytes; /* the most bytes of blocks that one writer may let wait */
    uint64_t slot_bytes, available_bytes; /* of a slot; of the memory before the first one */
    uint64_t burst_bytes; /* the part of pending_bytes for blocks that come in one call */
    uint64_t n_edges_done; /* for progress; the thread whose band has the turn changes it */
    /* the slot of the band that the last piece left unfinished, or NULL */
    struct pipeline_slot *carried;

    pthread_mutex_t mutex; /* guards the members below */
    struct pipeline_slot **free_slots;
    unsigned n_free;
};

struct piece_work {
    struct mr_band_pipeline *pipeline;
    const struct mr_edge_plan *plan;
    const struct mr_sorted_piece *sorted;
    struct mr_team *team;
    uint32_t first_band, end_band;
    bool begins, completes;
    /* the slot of the first band where that began in an earlier piece */
    struct pipeline_slot *carried;
};

/* The most vertices that a band has. */
static inline uint64_t mr_pipeline_band_width(const struct mr_band_pipeline *pipeline)
{
    return mr_max_u64(
        1, mr_min_u64(pipeline->grid->n_vertices, (uint64_t)1 << pipeline->grid->band_bits));
}

/* ---- Turns: the store takes bands in order ---- */

static inline bool mr_pipeline_is_turn_of(const struct piece_work *work, uint32_t band)
{
    return mr_team_has_turn(work->team, band - work->first_band);
}

/* Wait until `band` may be written. Returns false when another thread failed meanwhile. */
static inline bool mr_pipeline_await_turn(const struct piece_work *work, uint32_t band)
{
    return mr_team_await(work->team, band - work->first_band);
}

/* band_pipeline_slots.c */
/* Create one slot per thread, or fewer where those would take more than a quarter of the memory
 * left. Sets how many bytes may wait for their turn. */
enum mr_status mr_pipeline_slots_create(struct mr_band_pipeline *pipeline,
                                        const struct mr_band_shape *shape,
                                        struct mr_error *err) MR_WARN_UNUSED;
void mr_pipeline_slots_destroy(struct mr_band_pipeline *pipeline);
struct pipeline_slot *mr_pipeline_slot_take(struct mr_band_pipeline *pipeline);
void mr_pipeline_slot_give(struct mr_band_pipeline *pipeline, struct pipeline_slot *slot);
/* Prepare a slot for a band that begins. */
void mr_pipeline_slot_begin(const struct mr_band_pipeline *pipeline, uint32_t band,
                            struct pipeline_slot *slot);
/* Write the blocks and in-degrees of a complete band to the store. The band must have the turn. */
enum mr_status mr_pipeline_slot_end(struct mr_band_pipeline *pipeline, uint32_t band,
                                    struct pipeline_slot *slot,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* band_pipeline_tiles.c */
/* Pass the edges that the piece has of `band` to the slot's writers. Adds their number to
 * `*n_edges`. */
enum mr_status mr_pipeline_encode_band(struct piece_work *work, uint32_t band,
                                       struct pipeline_slot *slot, uint64_t *n_edges,
                                       struct mr_error *err) MR_WARN_UNUSED;

#endif
