/* SPDX-License-Identifier: Apache-2.0 */
/* The bound of a PageRank certificate: combines the sums of the bands of the final pass and turns
 * them into an error bound that includes all rounding. docs/solver.md derives it. One file serves
 * the solver of one vector and that of several. */
#include "algorithms/base/certificate.h"

#include <math.h>

#include "algorithms/base/sum.h"
#include "engine/pass/pass.h"

struct mr_rank_sums mr_rank_add_up(const struct mr_rank_sums *bands, uint64_t n_bands)
{
    struct mr_sum mass = {0}, dangling = {0}, change = {0}, above = {0}, below = {0},
                  rounding = {0};
    double shares = 0;

    for (uint64_t b = 0; b < n_bands; b++, bands++) {
        shares = fmax(shares, bands->shares);
        mr_sum_add(&mass, bands->mass);
        mr_sum_add(&dangling, bands->dangling);
        mr_sum_add(&change, bands->change);
        mr_sum_add(&above, bands->above);
        mr_sum_add(&below, bands->below);
        mr_sum_add(&rounding, bands->rounding);
    }
    return (struct mr_rank_sums){
        .mass = mr_sum_value(&mass),
        .dangling = mr_sum_value(&dangling),
        .change = mr_sum_value(&change),
        .above = mr_sum_value(&above),
        .below = mr_sum_value(&below),
        .rounding = mr_sum_value(&rounding),
        .shares = shares,
    };
}

/* A stripe's sum is at most that of its band. The index says how many edges of a band are diagonal,
 * which come from the band itself; those of all other edges that are in corner tiles are few. */
double mr_certificate_corner_shares(const struct mr_store *store, const struct mr_rank_sums *bands)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    const struct mr_band_entry *entries = mr_store_bands(store);
    const double n_corner = (double)info->corners.edges;
    double diagonal = 0, largest = 0, n_diagonal = 0;

    for (uint64_t b = 0; b < info->n_source_bands; b++) {
        const double shares = bands[b].shares, n = (double)entries[b].n_diagonal_edges;
        diagonal += n * shares;
        n_diagonal += n;
        largest = fmax(largest, shares);
    }
    const double others = fmin(n_corner, (double)info->n_edges - n_diagonal);
    return fmin(n_corner * largest, (diagonal + others * largest) * (1 + 0x1p-20));
}

struct mr_certificate mr_certify(const struct mr_certificate_rules *rules,
                                 const struct mr_rank_sums *sums)
{
    const double a = rules->damping, u = 0x1p-53;
    /* Sums over vertices are compensated twice, inside a band and over the bands: the error is
     * below 4 u each time. The sum of the rounding terms is not compensated. The factor 2^-20 is
     * larger than its error, and larger than the k^2 u^2 of in-degrees up to 2^32. */
    const double summing = 10 * u;
    const double slack = 1 + 2 * summing;
    const double mass = rules->is_normalised ? sums->mass / slack : 1;
    /* Scaled, twice the larger part is at least |r| with the terms for which r sums to 0. */
    const double factor = rules->is_normalised ? 2 : 1;
    const double both = sums->above + sums->below;
    const double residual = rules->is_normalised ? 2 * fmax(sums->above, sums->below) : both;
    const double per_residual = slack / ((1 - a) * mass);
    /* The largest error of edges in corner tiles. */
    const double corners = a * MR_PASS_LINK_ERROR * rules->corner_shares;
    /* Where dangling mass is spread, the terms have the errors of mass and of dangling mass, which
     * are themselves sums over vertices. */
    const double spread = rules->spreads_dangling ? 2 * summing * sums->mass : 0;
    const double rounding = (sums->rounding + corners) * (1 + 0x1p-20) + spread;
    /* The returned ranks are the certified ones times degree and scale, rounded. t is rounded
     * too. */
    const double output = (rules->is_single ? 0x1p-24 : 0) + 16 * u + summing;
    struct mr_certificate certificate = {
        .residual = sums->mass > 0 ? residual / sums->mass : 0,
        .rounding_bound =
            factor * per_residual * rounding +
            output * (rules->is_normalised ? 1 : sums->mass) / (rules->is_normalised ? 1 : 1 - a),
        .score_sum = sums->mass,
    };
    certificate.error_bound = per_residual * residual + certificate.rounding_bound;
    return certificate;
}
