/* SPDX-License-Identifier: Apache-2.0 */
/* Spectral rankings that do not divide by degrees: Katz centrality and eigenvector centrality. Both
 * iterate on
 *
 *     sum over the edges u -> v of x[u], times their weights where the store has them
 *
 * with synchronous passes. A is the matrix of the edges: A[u][v] is their number, or weight. */
#ifndef MR_ALGORITHMS_SPECTRAL_SPECTRAL_H
#define MR_ALGORITHMS_SPECTRAL_SPECTRAL_H

#include "engine/pass/pass.h"
#include "millrace/weights.h"

/* ---- Katz centrality (Katz 1953) ----
 *
 *     x = b + a A' x,  that is  x = sum over k of (a A')^k b
 *
 * counts the walks to a vertex, those of k edges times a^k, from every vertex (b = 1), or from
 * seeds (b adds up to 1). It exists if a is below 1 / the largest eigenvalue of A.
 *
 * The bound. Let M = a A' and r = b + M x - x for any x, |r| <= p in each entry, and let k be the
 * solution with b = 1. M >= 0, so the error of x is at most (I - M)^-1 |r| <= p k. For b = 1
 * itself, x > 0 and (I - M) x = 1 - r >= 1 - p. If p < 1, that proves that (I - M)^-1 exists and is
 * not negative (x is positive and (I - M) x, too), so that a is small enough; and k <= x / (1 - p).
 * So the run from every vertex proves its own error, that of each single score relative to it. A
 * run from seeds begins with one from every vertex, until p is an eighth. The next iterate has the
 * error M times that of x, which p k bounds as well. Rounding is part of r. */

struct mr_katz_options {
    double attenuation; /* a; above 0. 0: 0.85 / the largest sum of a row, or of a column, of A */
    double tolerance; /* of the error bound; above 0 */
    uint64_t max_passes;
    /* [n_seeds], ascending by vertex, finite, >= 0, not all 0, of any sum; NULL: from every vertex
     */
    const struct mr_vertex_weight *seeds;
    uint64_t n_seeds; /* behind `seeds`, as in struct mr_rank_array */
};

struct mr_katz_result {
    struct mr_memory *memory;
    double *scores; /* [n_vertices]; freed with the result */
    double attenuation, tolerance;
    bool converged;
    double error_bound; /* of the sum of the errors, divided by the sum of the scores; proven */
    double relative_error; /* of each single score, proven; NAN with seeds */
    double score_sum;
    uint64_t passes;
    struct mr_pass_figures figures;
};

/* Memory: 16 bytes per vertex, and the buffers of a pass; the rest of the budget
 * pins edges. Errors: USAGE if the attenuation seems too large; NOT_CONVERGED, with a result;
 * BUDGET, CORRUPT, INTERRUPTED. `result` is zero after any other error. */
enum mr_status mr_katz(const struct mr_context *context, struct mr_store *store,
                       const struct mr_katz_options *options, struct mr_katz_result *result,
                       struct mr_error *err) MR_WARN_UNUSED;

/* ---- Eigenvector centrality (Bonacich 1972) ----
 *
 *     x A = e x  for the largest eigenvalue e
 *
 * by power iteration on A' + I, which also converges where the walks of a graph have a period.
 * Where parts of the graph share the largest eigenvalue, the vector depends on the start, which is
 * the same for all vertices. */

enum mr_spectral_norm { MR_SPECTRAL_L1, MR_SPECTRAL_L2, MR_SPECTRAL_MAX };

struct mr_eigenvector_options {
    double tolerance; /* of the change of the vector in a pass, in the 1-norm; above 0 */
    uint64_t max_passes;
    enum mr_spectral_norm norm; /* that is 1 in the end */
};

struct mr_eigenvector_result {
    struct mr_memory *memory;
    double *scores; /* [n_vertices]; freed with the result */
    double tolerance, change;
    bool converged;
    double eigenvalue; /* 0: no edges, and all scores are 0 */
    uint64_t passes;
    struct mr_pass_figures figures;
};

/* Memory: 16 bytes per vertex and the buffers of a pass. Errors: INPUT where the edges seem to
 * have no cycle; else as mr_katz. */
enum mr_status mr_eigenvector(const struct mr_context *context, struct mr_store *store,
                              const struct mr_eigenvector_options *options,
                              struct mr_eigenvector_result *result,
                              struct mr_error *err) MR_WARN_UNUSED;

/* The memory that a run takes, the open store and the process included: the least amount, or with
 * everything in memory. */
uint64_t mr_spectral_least_memory(const struct mr_store_info *info);
uint64_t mr_spectral_memory(struct mr_store *store);

#endif
