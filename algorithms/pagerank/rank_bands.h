/* SPDX-License-Identifier: Apache-2.0 */
/* What PageRank does with one band of a pass, for one vector or for several side by side. Internal
 * to algorithms.
 *
 * Vectors hold shares, x[v] = rank(v) / max(out-degree(v), 1): the links then add plain values, and
 * one array is all that a relaxation needs. A rank is its share times the streamed degree. Each
 * vector gets the same bits in any company. */
#ifndef MR_ALGORITHMS_PAGERANK_RANK_BANDS_H
#define MR_ALGORITHMS_PAGERANK_RANK_BANDS_H

#include "algorithms/base/acceleration.h"
#include "algorithms/base/certificate.h"
#include "algorithms/base/weight_walk.h"
#include "algorithms/pagerank/pagerank.h"

/* One of the vectors side by side. Slots past the last vector have none and stand still at 0. */
struct mr_slot {
    const struct mr_teleport_vector *teleport; /* NULL: an empty slot */
    double largest_weight, inverse_weight; /* t = weight / largest * inverse */
    double teleport_scale; /* weight of t in a rank */
    double constant; /* added to every rank: even teleport, dangling mass spread evenly */
    double scale; /* finishing: rank = share * degree * scale */
    bool is_still; /* its values do not change */
    struct mr_rank_sums sums; /* of the latest pass, over all bands */
};

struct mr_slots {
    unsigned width; /* 1, 2, 4, 8, 16 */
    bool is_single; /* values are float */
    bool any_still;
    bool starts_evenly; /* whatever the teleports are */
    bool has_weights; /* links count by a weight, of their own or of their class */
    double even; /* what each page has of an even vector: 1 / n; Heritrix: 1 */
    const double *start; /* [n_vertices]: what to start from times scale, with width 1; or NULL */
    double start_unit; /* what start is divided by before its sum is taken */
    unsigned stripe_bits;
    double damping;
    double relaxation; /* how far relaxing passes go, times what the sums say; else 1 */
    /* Shares [length * width] of the bands that the solver relaxes; finishing the frontier: of all
     * bands. */
    void *x;
    void *next; /* synchronous rounds: the new shares; or NULL */
    uint8_t *active, *next_active; /* [stripes] of x and of next; NULL: nobody asks */
    struct mr_slot slots[MR_RANK_MAX_WIDTH];
    struct mr_acceleration *acceleration; /* or NULL */
    double *ranks; /* finishing: of the vertices from first_rank on, with width 1; NULL: to x */
    uint64_t first_rank;
    struct mr_rank_sums *sums; /* [n_bands * width] */
};

/* mr_pass_callback functions; `data` is a struct mr_slots. */
void mr_slots_start(void *data, const struct mr_pass_band *band); /* x = (start or t) / degree */
void mr_slots_relax(void *data, const struct mr_pass_band *band); /* steps from relaxed values */
void mr_slots_iterate(void *data, const struct mr_pass_band *band); /* new values, into `next` */
void mr_slots_measure(void *data, const struct mr_pass_band *band); /* mass and dangling of x */
void mr_slots_certify(void *data, const struct mr_pass_band *band); /* residual and rounding */
void mr_slots_finish(void *data, const struct mr_pass_band *band); /* ranks times scale */

/* rank_update.c: mr_pass_terms; and one synchronous round of a band, whose sums it uses up. */
void mr_slots_terms(void *data, const struct mr_pass_band *band, double *sums, double *gain);
void mr_slots_round(struct mr_slots *slots, const struct mr_pass_band *band, const void *old,
                    void *fresh);

/* The same for bands without sources, whose ranks follow from the others (docs/solver.md): sums for
 * the certificate; ranks times scale. */
void mr_slots_certify_frontier(void *data, const struct mr_pass_band *band);
void mr_slots_finish_frontier(void *data, const struct mr_pass_band *band);

/* Put a vector into slot j, which must not be in use. `teleport` is borrowed; its weights are in
 * order (mr_weights_largest). NULL: the slot stays empty. */
void mr_slots_put(struct mr_slots *slots, unsigned j, const struct mr_teleport_vector *teleport,
                  uint64_t n_vertices);

/* Add the sums of bands [first, end) in their order, into each slot's sums. */
void mr_slots_add_up(struct mr_slots *slots, uint32_t first, uint32_t end);

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
