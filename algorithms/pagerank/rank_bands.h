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

#endif
