/* SPDX-License-Identifier: Apache-2.0 */
/* What PageRank does with one band of a pass. Internal to algorithms.
 *
 * Vectors hold shares, x[v] = rank(v) / max(out-degree(v), 1): the links then add plain values, and
 * one array is all that a relaxation needs. A rank is its share times the streamed degree. */
#ifndef MR_ALGORITHMS_PAGERANK_RANK_BANDS_H
#define MR_ALGORITHMS_PAGERANK_RANK_BANDS_H

#include "algorithms/base/acceleration.h"
#include "algorithms/base/certificate.h"
#include "algorithms/base/weight_walk.h"
#include "algorithms/pagerank/pagerank.h"

/* What a rank has besides links: teleport_scale t + constant. */
struct mr_rank_terms {
    const struct mr_rank_vector *teleport;
    double largest_weight, inverse_weight; /* t = weight / largest * inverse */
    double teleport_scale; /* weight of t in a rank */
    double constant; /* added to every rank: even teleport, dangling mass spread evenly */
};

/* Terms of a teleport, without scale and constant. `teleport` is borrowed; its weights are in order
 * (mr_weights_largest). */
struct mr_rank_terms mr_rank_terms_of(const struct mr_rank_vector *teleport, uint64_t n_vertices);

/* Through the vertices that the terms teleport to, in ascending order. */
struct mr_rank_walk {
    const struct mr_rank_terms *terms;
    struct mr_weight_walk weights;
};

static inline struct mr_rank_walk mr_rank_walk_begin(const struct mr_rank_terms *terms,
                                                     uint32_t first_vertex)
{
    const struct mr_rank_vector *t = terms->teleport;
    struct mr_rank_walk walk = {.terms = terms};
    if (t != NULL && t->pages != NULL) {
        walk.weights = mr_weight_walk_begin(t->pages, t->count, first_vertex);
    }
    return walk;
}

/* The next vertex, or UINT64_MAX. */
static inline uint64_t mr_rank_walk_next(const struct mr_rank_walk *walk)
{
    const struct mr_weight_walk *weights = &walk->weights;
    return weights->next != weights->end ? weights->next->vertex : UINT64_MAX;
}

/* t of `vertex`, or 0. Vertices are asked for in ascending order. */
static inline double mr_rank_walk_take(struct mr_rank_walk *walk, uint32_t vertex)
{
    const struct mr_vertex_weight *w = mr_weight_walk_at(&walk->weights, vertex);
    return w != NULL ? w->weight / walk->terms->largest_weight * walk->terms->inverse_weight : 0;
}

/* What the rank of `vertex` has besides links. */
static inline double mr_rank_walk_start(struct mr_rank_walk *walk, uint32_t vertex)
{
    const struct mr_rank_terms *terms = walk->terms;
    return vertex == mr_rank_walk_next(walk)
               ? terms->teleport_scale * mr_rank_walk_take(walk, vertex) + terms->constant
               : terms->constant;
}

/* The vector that is solved for. */
struct mr_rank_shares {
    struct mr_rank_terms terms;
    bool is_single; /* values are float */
    bool starts_evenly; /* whatever the teleport is */
    bool has_weights; /* links count by a weight, of their own or of their class */
    double even; /* what each page has of an even vector: 1 / n; Heritrix: 1 */
    const double *start; /* [n_vertices]: what to start from times scale; or NULL */
    double start_unit; /* what start is divided by before its sum is taken */
    unsigned stripe_bits;
    double damping;
    double relaxation; /* how far relaxing passes go, times what the sums say; else 1 */
    double scale; /* finishing: rank = share * degree * scale */
    /* Shares of the bands that the solver relaxes; finishing the frontier: of all bands. */
    void *x;
    void *next; /* synchronous rounds: the new shares; or NULL */
    uint8_t *active, *next_active; /* [stripes] of x and of next; NULL: nobody asks */
    struct mr_acceleration *acceleration; /* or NULL */
    double *ranks; /* finishing: of the vertices from first_rank on; NULL: to x */
    uint64_t first_rank;
    struct mr_rank_sums *band_sums; /* [n_bands]: of the latest pass */
    struct mr_rank_sums sums; /* over all bands */
};

/* mr_pass_callback functions; `data` is a struct mr_rank_shares. */
void mr_vector_start(void *data, const struct mr_pass_band *band); /* x = (start or t) / degree */
void mr_vector_relax(void *data, const struct mr_pass_band *band); /* steps from relaxed values */
void mr_vector_iterate(void *data, const struct mr_pass_band *band); /* new values, into `next` */
void mr_vector_measure(void *data, const struct mr_pass_band *band); /* mass and dangling of x */
void mr_vector_certify(void *data, const struct mr_pass_band *band); /* residual and rounding */
void mr_vector_finish(void *data, const struct mr_pass_band *band); /* ranks times scale */

/* rank_update.c: mr_pass_terms; and one synchronous round of a band, whose sums it uses up. */
void mr_vector_terms(void *data, const struct mr_pass_band *band, double *sums, double *gain);
void mr_vector_round(struct mr_rank_shares *vector, const struct mr_pass_band *band,
                     const void *old, void *fresh);

/* The same for bands without sources, whose ranks follow from the others (docs/solver.md): sums for
 * the certificate; ranks times scale. */
void mr_vector_certify_frontier(void *data, const struct mr_pass_band *band);
void mr_vector_finish_frontier(void *data, const struct mr_pass_band *band);

/* What a vertex's score is divided by: its links, or their weights together. */
static inline double mr_vector_divisor(const struct mr_pass_band *band, uint32_t i)
{
    if (band->out_degree[i] == 0) {
        return 1.0;
    }
    return band->out_strength == NULL ? (double)band->out_degree[i] : band->out_strength[i];
}

#endif
