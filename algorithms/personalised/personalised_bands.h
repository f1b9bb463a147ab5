/* SPDX-License-Identifier: Apache-2.0 */
/* What personalised PageRank does with one band of a pass, for several vectors side by side.
 * Internal to algorithms; the one-vector original is rank_bands.h. */
#ifndef MR_ALGORITHMS_PERSONALISED_PERSONALISED_BANDS_H
#define MR_ALGORITHMS_PERSONALISED_PERSONALISED_BANDS_H

#include "algorithms/base/acceleration_rows.h"
#include "algorithms/base/certificate.h"
#include "algorithms/base/relax_loops.h"
#include "algorithms/base/sum.h"
#include "algorithms/personalised/personalised.h"

/* One of the vectors side by side. Slots past the last vector have none and stand still at 0. */
struct mr_slot {
    const struct mr_teleport *teleport; /* NULL: an empty slot */
    double largest_weight, inverse_weight; /* t = weight / largest * inverse */
    double teleport_scale; /* weight of t in a rank */
    double constant; /* added to every rank: uniform teleport, dangling mass spread evenly */
    double scale; /* finishing: rank = share * degree * scale */
    bool is_still; /* its values do not change */
    struct mr_rank_sums sums; /* of the latest pass, over all bands */
};

struct mr_slots {
    unsigned width; /* 1, 2, 4, 8, 16 */
    bool is_single; /* values are float */
    bool any_still;
    uint64_t n_vertices;
    unsigned stripe_bits;
    double damping;
    double relaxation; /* how far relaxing passes go, times what the sums say; else 1 */
    /* Shares [mr_pass_source_length * width]; finishing the frontier: of all bands. */
    void *x;
    void *next; /* spreading: the new shares; or NULL */
    uint8_t *active, *next_active; /* [stripes] of x and of next; with `next` */
    struct mr_slot slots[MR_PERSONALISED_MAX_WIDTH];
    struct mr_acceleration_rows *acceleration; /* or NULL */
    bool has_weights; /* links count by a weight, of their own or of their class */
    struct mr_rank_sums *sums; /* [n_bands * width] */
};

/* mr_pass_callback functions; `data` is a struct mr_slots. */
void mr_slots_start(void *data, const struct mr_pass_band *band); /* x = t / degree */
void mr_slots_relax(void *data, const struct mr_pass_band *band);
void mr_slots_spread(void *data, const struct mr_pass_band *band); /* one synchronous round */
void mr_slots_measure(void *data, const struct mr_pass_band *band);
void mr_slots_certify(void *data, const struct mr_pass_band *band);
void mr_slots_finish(void *data, const struct mr_pass_band *band); /* shares to ranks */

/* personalised_update.c: mr_pass_terms; and one synchronous round of a band, whose sums it uses
 * up. */
void mr_slots_terms(void *data, const struct mr_pass_band *band, double *sums, double *gain);
void mr_slots_round(struct mr_slots *slots, const struct mr_pass_band *band, const void *old,
                    void *fresh);

/* The same for bands without sources, whose ranks follow from the others (docs/solver.md): sums for
 * the certificate; ranks times scale to x. */
void mr_slots_certify_frontier(void *data, const struct mr_pass_band *band);
void mr_slots_finish_frontier(void *data, const struct mr_pass_band *band);

/* Add the sums of bands [first, end) in their order, into each slot's sums. */
void mr_slots_add_up(struct mr_slots *slots, uint32_t first, uint32_t end);

#endif
