/* SPDX-License-Identifier: Apache-2.0 */
/* What one band of a pass means for the vector: start, iterate, certify, finish. Its relaxation is
 * in rank_update.c. */
#include "algorithms/pagerank/rank_bands.h"

#include <math.h>

#include "algorithms/base/sum.h"

struct mr_rank_terms mr_rank_terms_of(const struct mr_rank_vector *teleport, uint64_t n_vertices)
{
    struct mr_rank_terms terms = {.teleport = teleport};
    struct mr_sum sum = {0};
    if (teleport == NULL || teleport->pages == NULL) {
        return terms;
    }
    terms.largest_weight = mr_weights_largest(teleport->pages, teleport->count, n_vertices);
    for (uint64_t i = 0; i < teleport->count; i++) {
        mr_sum_add(&sum, teleport->pages[i].weight / terms.largest_weight);
    }
    terms.inverse_weight = 1 / mr_sum_value(&sum);
    return terms;
}

static inline double load(bool is_single, const void *values, uint64_t i)
{
    return is_single ? (double)((const float *)values)[i] : ((const double *)values)[i];
}

static inline void store(bool is_single, void *values, uint64_t i, double value)
{
    if (is_single) {
        ((float *)values)[i] = (float)value;
    } else {
        ((double *)values)[i] = value;
    }
}

static size_t value_bytes(const struct mr_rank_shares *vector)
{
    return vector->is_single ? sizeof(float) : sizeof(double);
}

static void *at_band(const struct mr_rank_shares *vector, void *values,
                     const struct mr_pass_band *band)
{
    return (uint8_t *)values + band->first_vertex * value_bytes(vector);
}

/* ---- Rounds ---- */

/* Which of the band's stripes have a value other than 0. */
static void find_active(const struct mr_rank_shares *vector, const struct mr_pass_band *band,
                        const void *values, uint8_t *active)
{
    const size_t bytes = value_bytes(vector);
    const uint64_t stripe = (uint64_t)1 << vector->stripe_bits;
    for (uint64_t first = 0; first < band->n_vertices; first += stripe) {
        const uint64_t n = band->n_vertices - first < stripe ? band->n_vertices - first : stripe;
        const uint8_t *at = (const uint8_t *)values + first * bytes;
        uint8_t any = 0;
        for (uint64_t i = 0; i < n * bytes && any == 0; i++) {
            any = at[i];
        }
        active[(band->first_vertex + first) >> vector->stripe_bits] = any;
    }
}

void mr_vector_iterate(void *data, const struct mr_pass_band *band)
{
    struct mr_rank_shares *vector = data;
    void *fresh = at_band(vector, vector->next, band);

    mr_vector_round(vector, band, at_band(vector, vector->x, band), fresh);
    if (vector->next_active != NULL) {
        find_active(vector, band, fresh, vector->next_active);
    }
}

void mr_vector_start(void *data, const struct mr_pass_band *band)
{
    struct mr_rank_shares *vector = data;
    const struct mr_rank_vector *teleport = vector->terms.teleport;
    const bool is_even = vector->starts_evenly || teleport->pages == NULL;
    struct mr_rank_walk walk = mr_rank_walk_begin(&vector->terms, band->first_vertex);
    void *x = at_band(vector, vector->x, band);
    double mass = 0, dangling = 0;

    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const uint32_t vertex = band->first_vertex + i;
        const double t = mr_rank_walk_take(&walk, vertex);
        const double rank = vector->start != NULL
                                ? vector->start[vertex] / vector->start_unit * vector->scale
                            : is_even ? vector->even
                                      : t;
        mass += rank;
        dangling += band->out_degree[i] == 0 ? rank : 0;
        store(vector->is_single, x, i, rank / mr_vector_divisor(band, i));
    }
    vector->band_sums[band->band] = (struct mr_rank_sums){.mass = mass, .dangling = dangling};
    if (vector->active != NULL) {
        find_active(vector, band, x, vector->active);
    }
}

/* ---- Certificate ---- */

void mr_vector_measure(void *data, const struct mr_pass_band *band)
{
    struct mr_rank_shares *vector = data;
    const void *x = at_band(vector, vector->x, band);
    struct mr_sum mass = {0}, dangling = {0};

    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const double rank = load(vector->is_single, x, i) * mr_vector_divisor(band, i);
        mr_sum_add(&mass, rank);
        mr_sum_add(&dangling, band->out_degree[i] == 0 ? rank : 0);
    }
    vector->band_sums[band->band] =
        (struct mr_rank_sums){.mass = mr_sum_value(&mass), .dangling = mr_sum_value(&dangling)};
}

/* The residual of the stored vector and a bound on the rounding of this very computation: `k`
 * ordered additions of nonnegative numbers err by at most (k - 1) u times their sum, as many sums
 * of tiles by u times themselves when they become doubles, each further operation adds u times its
 * result (docs/solver.md, "The certificate"). */
void mr_vector_certify(void *data, const struct mr_pass_band *band)
{
    struct mr_rank_shares *vector = data;
    const void *x = at_band(vector, vector->x, band);
    const double *acc = band->accumulator;
    struct mr_rank_walk walk = mr_rank_walk_begin(&vector->terms, band->first_vertex);
    struct mr_sum mass = {0}, above = {0}, below = {0};
    /* With weights a product more for each link; and the sum of a page's weights was rounded. */
    const double weights = band->out_strength == NULL ? 0 : 1;
    double rounding = 0, shares = 0;

    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const double in_degree = (double)band->in_degree[i];
        const double out_degree = (double)band->out_degree[i];
        const double start = mr_rank_walk_start(&walk, band->first_vertex + i);
        const double linked = vector->damping * acc[i];
        const double share = load(vector->is_single, x, i);
        const double rank = share * mr_vector_divisor(band, i);
        shares += share;
        mr_sum_add(&mass, rank);
        mr_sum_add(&above, fmax(start + linked - rank, 0));
        mr_sum_add(&below, fmax(rank - (start + linked), 0));
        rounding += (in_degree + 5) * linked + 6 * start + 3 * rank;
        rounding += weights * linked + weights * vector->damping * out_degree * rank;
    }
    vector->band_sums[band->band] = (struct mr_rank_sums){.mass = mr_sum_value(&mass),
                                                          .above = mr_sum_value(&above),
                                                          .below = mr_sum_value(&below),
                                                          .rounding = 0x1p-53 * rounding,
                                                          .shares = shares};
}

/* ---- Ranks ---- */

/* The rank of vertex i of the band, for the caller of the solver. */
static void give(const struct mr_rank_shares *vector, const struct mr_pass_band *band, uint32_t i,
                 double rank)
{
    const uint64_t vertex = band->first_vertex + (uint64_t)i;
    if (vector->ranks != NULL) {
        vector->ranks[vertex - vector->first_rank] = rank;
    } else {
        store(vector->is_single, vector->x, vertex, rank);
    }
}

void mr_vector_finish(void *data, const struct mr_pass_band *band)
{
    struct mr_rank_shares *vector = data;
    const void *x = at_band(vector, vector->x, band);
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        give(vector, band, i,
             load(vector->is_single, x, i) * mr_vector_divisor(band, i) * vector->scale);
    }
}

/* ---- The frontier ---- */

/* Ranks of the frontier solve their equations by construction. What is left is the rounding. */
void mr_vector_certify_frontier(void *data, const struct mr_pass_band *band)
{
    struct mr_rank_shares *vector = data;
    const double *acc = band->accumulator;
    struct mr_rank_walk walk = mr_rank_walk_begin(&vector->terms, band->first_vertex);
    struct mr_sum mass = {0};
    double rounding = 0;

    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const double start = mr_rank_walk_start(&walk, band->first_vertex + i);
        const double linked = vector->damping * acc[i];
        const double rank = start + linked;
        mr_sum_add(&mass, rank);
        rounding += ((double)band->in_degree[i] + 5) * linked + 6 * start + 3 * rank;
        rounding += vector->has_weights ? linked : 0;
    }
    vector->band_sums[band->band] =
        (struct mr_rank_sums){.mass = mr_sum_value(&mass), .rounding = 0x1p-53 * rounding};
}

void mr_vector_finish_frontier(void *data, const struct mr_pass_band *band)
{
    struct mr_rank_shares *vector = data;
    const double *acc = band->accumulator;
    struct mr_rank_walk walk = mr_rank_walk_begin(&vector->terms, band->first_vertex);

    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const double start = mr_rank_walk_start(&walk, band->first_vertex + i);
        give(vector, band, i, (start + vector->damping * acc[i]) * vector->scale);
    }
}
