/* SPDX-License-Identifier: Apache-2.0 */
/* Sparse teleports beside the vertices of a band, of all vectors side by side. Internal to
 * algorithms. */
#ifndef MR_ALGORITHMS_PAGERANK_RANK_WALKS_H
#define MR_ALGORITHMS_PAGERANK_RANK_WALKS_H

#include "algorithms/base/weight_walk.h"
#include "algorithms/pagerank/rank_bands.h"

/* What a vertex's score is divided by: its links, or their weights together. */
static inline double mr_slot_divisor(const struct mr_pass_band *band, uint32_t i)
{
    if (band->out_degree[i] == 0) {
        return 1.0;
    }
    return band->out_strength == NULL ? (double)band->out_degree[i] : band->out_strength[i];
}

struct mr_slot_walks {
    const struct mr_slots *slots;
    struct mr_weight_walk walk[MR_RANK_MAX_WIDTH];
    uint64_t next; /* the next vertex that some slot teleports to; UINT64_MAX: none */
};

static inline void mr_slot_walks_find(struct mr_slot_walks *walks)
{
    walks->next = UINT64_MAX;
    for (unsigned j = 0; j < walks->slots->width; j++) {
        const struct mr_weight_walk *walk = &walks->walk[j];
        if (walk->next != walk->end && walk->next->vertex < walks->next) {
            walks->next = walk->next->vertex;
        }
    }
}

static inline struct mr_slot_walks mr_slot_walks_begin(const struct mr_slots *slots,
                                                       const struct mr_pass_band *band)
{
    struct mr_slot_walks walks = {.slots = slots};
    for (unsigned j = 0; j < slots->width; j++) {
        const struct mr_teleport_vector *teleport = slots->slots[j].teleport;
        if (teleport != NULL && teleport->weights != NULL) {
            walks.walk[j] =
                mr_weight_walk_begin(teleport->weights, teleport->n_weights, band->first_vertex);
        }
    }
    mr_slot_walks_find(&walks);
    return walks;
}

/* t of `vertex` for every slot that teleports sparsely, 0 for the others; on to the next vertex. */
static inline void mr_slot_walks_take(struct mr_slot_walks *walks, uint32_t vertex, double *t)
{
    for (unsigned j = 0; j < walks->slots->width; j++) {
        const struct mr_slot *slot = &walks->slots->slots[j];
        const struct mr_vertex_weight *w = mr_weight_walk_at(&walks->walk[j], vertex);
        t[j] = w != NULL ? w->weight / slot->largest_weight * slot->inverse_weight : 0;
    }
    mr_slot_walks_find(walks);
}

/* What the ranks of `vertex` have besides links, for each slot. Vertices are asked for in ascending
 * order. */
static inline void mr_slot_walks_start(struct mr_slot_walks *walks, uint64_t vertex, unsigned width,
                                       double *start)
{
    const struct mr_slot *slots = walks->slots->slots;
    for (unsigned j = 0; j < width; j++) {
        start[j] = slots[j].constant;
    }
    if (vertex == walks->next) {
        double t[MR_RANK_MAX_WIDTH];
        mr_slot_walks_take(walks, (uint32_t)vertex, t);
        for (unsigned j = 0; j < width; j++) {
            start[j] = slots[j].teleport_scale * t[j] + slots[j].constant;
        }
    }
}

#endif
