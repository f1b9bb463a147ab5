/* SPDX-License-Identifier: Apache-2.0 */
/* HITS: hubs and authorities over a store and its transpose, plain or with page scores.
 *
 *     a(v) = sum over u -> v of h(u)          h(u) = sum over u -> v of r(v) a(v)
 *
 * (Kleinberg 1999; with page scores r as in Aduana: seeds, aduana-frontera). h is the leading
 * eigenvector of M = L R L^T. M is symmetric, so that restarted Lanczos can replace some rounds of
 * power iteration. The limit is the same: the projection of the start on the leading eigenspace. It
 * takes fewer passes over the edges. A result is accepted when a plain round moves neither vector
 * by more than the tolerance.
 *
 * The distance from the accepted result to the limit depends on the separation of the two largest
 * eigenvalues. A search for the second eigenvalue estimates the separation afterwards. If the two
 * are equal, as for two equal parts of a graph without edges between them, the vectors depend on
 * the start, and the result says so.
 *
 * The same stores and options give the same bits, for any threads, memory and I/O back end. */
#ifndef MR_ALGORITHMS_HITS_HITS_H
#define MR_ALGORITHMS_HITS_HITS_H

#include "engine/pass/pass.h"
#include "millrace/rank.h"
#include "millrace/weights.h"

struct mr_hits_result {
    double *hubs, *authorities; /* [n_vertices]; the caller frees them with mr_hits_result_free */
    struct mr_memory *memory; /* the budget that they are charged to */
    uint64_t n_vertices;
    bool converged; /* neither change is above the tolerance */
    double tolerance;
    double hub_change, authority_change; /* largest change in the last round, in the norm */
    /* of L R L^T; 0: no edges, or only edges of weight 0, and all scores are 0 */
    double eigenvalue;
    /* found by the search, never above the true value; NaN without a search */
    double second_eigenvalue;
    /* second / first eigenvalue, the factor by which a plain round shrinks errors; or NaN */
    double separation;
    /* of the hubs, in the norm: change * separation / (1 - separation); or NaN */
    double error_estimate;
    /* the separation is above 1 - 1e-6: the two eigenvalues count as equal */
    bool depends_on_start;
    unsigned rounds, probe_rounds; /* applications of M, two passes each */
    unsigned acceleration; /* vectors of the basis; 0: none */
    unsigned passes; /* complete passes over the edges of either store */
    struct mr_pass_figures figures; /* sum over both stores */
};

/* Compute hubs and authorities. `transpose` is the reverse of `store`; mr_hits_check_transpose
 * verifies that. Memory: 8 bytes per vertex (16 with relevance), 8 per vertex with out-links (the
 * core) and 4 + 4 m more with an acceleration of m vectors or a search, and the buffers of two
 * passes, but in the end at least 16 bytes per vertex; the rest of the budget pins blocks.
 * MR_NOT_CONVERGED fills `result` too; after other errors `result` is all zero. */
enum mr_status mr_hits(const struct mr_context *context, struct mr_store *store,
                       struct mr_store *transpose, const struct mr_hits_options *options,
                       struct mr_hits_result *result, struct mr_error *err) MR_WARN_UNUSED;
void mr_hits_result_free(struct mr_hits_result *result);

/* Check that `transpose` has every edge of `store` reversed, with its weight, and no other edge.
 * Otherwise the error is INPUT. Wrong stores pass with a probability of 2^-64. Reads the edges of
 * both stores once. Memory: less than mr_hits takes. */
enum mr_status mr_hits_check_transpose(const struct mr_context *context, struct mr_store *store,
                                       struct mr_store *transpose,
                                       struct mr_error *err) MR_WARN_UNUSED;

/* The least budget (mr_memory limit) with which mr_hits succeeds on such stores. */
uint64_t mr_hits_minimum_memory(const struct mr_store_info *info,
                                const struct mr_hits_options *options);

#endif
