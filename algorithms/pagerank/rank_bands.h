/* SPDX-License-Identifier: Apache-2.0 */
/* What PageRank does with one band of a pass. Internal to algorithms.
 *
 * The vector holds shares, x[v] = rank(v) / max(out-degree(v), 1): the edges then add plain values,
 * and one array is all a relaxation needs. A band's rank is its share times its streamed degree. */
#ifndef MR_ALGORITHMS_PAGERANK_RANK_BANDS_H
#define MR_ALGORITHMS_PAGERANK_RANK_BANDS_H

#include "algorithms/base/acceleration.h"
#include "algorithms/base/certificate.h"
#include "algorithms/base/relax_loops.h"
#include "algorithms/base/sum.h"
#include "algorithms/pagerank/pagerank.h"

struct mr_rank_job {
    const struct mr_pagerank_options *options;
    uint64_t n_vertices;
    double damping;
    double teleport_scale; /* weight of t in a rank: (1 - a), or what the certificate wants */
    double uniform_term; /* added to every rank: dangling mass spread evenly */
    double relaxation; /* how far a relaxing pass goes, times what the sums say; else 1 */
    const struct mr_relax_loops *loops;
    /* t = weight / largest_weight * inverse_weight, so that no sum of weights overflows. */
    double largest_weight;
    double inverse_weight;
    /* Shares, float or double, of the bands that the solver relaxes; finishing the frontier: of all
     * bands. */
    void *x;
    void *next; /* synchronous iteration: the new shares */
    struct mr_acceleration *acceleration; /* relaxing: told the difference of shares; or NULL */
    double scale; /* finishing: rank = share * degree * scale */
    double *ranks; /* copying: those of the vertices from first_rank on */
    uint64_t first_rank;
    struct mr_rank_sums *sums; /* [n_bands] */
    bool has_weights; /* links count by a weight, of their own or of their class */
};

/* mr_pass_callback functions; `data` is a struct mr_rank_job. */
void mr_rank_start(void *data, const struct mr_pass_band *band); /* x = start / degree, or t */
/* mr_pass_terms. */
void mr_rank_terms(void *data, const struct mr_pass_band *band, double *sums, double *gain);
void mr_rank_relax(void *data, const struct mr_pass_band *band); /* steps from relaxed values */
void mr_rank_iterate(void *data, const struct mr_pass_band *band); /* new values, into `next` */
void mr_rank_certify(void *data, const struct mr_pass_band *band); /* residual and rounding */
void mr_rank_measure(void *data, const struct mr_pass_band *band); /* mass and dangling of x */
void mr_rank_copy(void *data, const struct mr_pass_band *band); /* ranks times scale, to `ranks` */
void mr_rank_finish(void *data, const struct mr_pass_band *band); /* shares to ranks, in place */

/* The same for bands without sources, whose ranks follow from the others: sums for the certificate;
 * ranks times scale to `ranks`; ranks times scale to x. */
void mr_rank_certify_frontier(void *data, const struct mr_pass_band *band);
void mr_rank_copy_frontier(void *data, const struct mr_pass_band *band);
void mr_rank_finish_frontier(void *data, const struct mr_pass_band *band);

#endif
