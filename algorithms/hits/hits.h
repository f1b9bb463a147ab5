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
#include "engine/scan/vertex_set.h"
#include "millrace/weights.h"

/* The norm that scales both vectors: the sum, the Euclidean length or the largest entry is 1.
 * Changes of the vectors are measured in the same norm. */
enum mr_hits_norm { MR_HITS_L1, MR_HITS_L2, MR_HITS_MAX };

enum { MR_HITS_AUTO = 17 }; /* above all accelerations */

struct mr_hits_options {
    double tolerance; /* largest change of either vector in a round, above 0 */
    uint64_t max_rounds; /* stop (NOT_CONVERGED) after so many rounds, two passes each */
    /* vectors of the Lanczos basis, 2..16; 0: power iteration; AUTO: 6, or 4, 2 or none where
     * memory has no room for more */
    uint64_t acceleration;
    uint64_t probe; /* the most rounds of the search for the second eigenvalue; 0: no search */
    enum mr_hits_norm norm;
    bool no_pinning; /* keep no edges in memory from one pass to the next */
    /* Weights of authorities: a hub counts the authority of each target times the weight of that
     * target (Aduana). Ascending by vertex, finite, >= 0; a vertex without an entry has 0. NULL: 1
     * for all vertices. Borrowed for the call, as is `start`. */
    const struct mr_vertex_weight *relevance; /* [n_relevance] */
    uint64_t n_relevance;
    /* Hubs to start from: [n_vertices], finite, >= 0, at least one above 0, of any scale, or NAN:
     * such vertices get the mean of the others. All vertices get a thousandth of the mean more, so
     * that every vertex can be reached. NULL: equal hubs. */
    const double *start;
};
#define MR_HITS_USUAL                                                                              \
    {                                                                                              \
        .tolerance = 1e-9, .max_rounds = 10000, .acceleration = MR_HITS_AUTO, .probe = 30          \
    }

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
    /* of the hubs, in the norm: 2 * change * separation / (1 - separation); NaN if the vectors
     * depend on the start, or if no search has found the separation */
    double error_estimate;
    /* the separation is above 1 - 1e-6: the two eigenvalues count as equal */
    bool depends_on_start;
    uint64_t rounds, probe_rounds; /* applications of M, two passes each */
    uint64_t acceleration; /* vectors of the basis; 0: none */
    uint64_t passes; /* complete passes over the edges of either store */
    struct mr_pass_figures figures; /* sum over both stores */
};

/* Compute hubs and authorities. `transpose` is the reverse of `store`; mr_hits_check_transpose
 * verifies that. NULL: a temporary one is made, as soon as the options are known to be right and
 * memory to suffice. Memory: 8 bytes per vertex (16 with relevance), 8 per vertex with out-links
 * (the core) and 4 + 4 m more with an acceleration of m vectors or a search, and the buffers of two
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
uint64_t mr_hits_result_memory(const struct mr_store_info *info); /* what of it the result has */
uint64_t mr_hits_minimum_memory(const struct mr_store_info *info,
                                const struct mr_hits_options *options);

/* ---- Kleinberg's base set of a query (base_set.c): the pages that the query found (the root set),
 * their targets, and some of the pages that link to them (Kleinberg 1999, section 2) ---- */

#define MR_BASE_SET_ALL UINT64_MAX

/* Add the base set to `members`, an empty set over the store's vertices: roots[n_roots]
 * (ascending), every target of a root, and for each root the first `most_in_links` sources in store
 * order. Then rank the set. Kleinberg takes 50 in-edges, so that one popular page does not bring in
 * half the web. Time: one pass over the edges. */
enum mr_status mr_base_set(const struct mr_context *context, struct mr_store *store,
                           const struct mr_vertex_weight *roots, uint64_t n_roots,
                           uint64_t most_in_links, struct mr_vertex_set *members,
                           struct mr_error *err) MR_WARN_UNUSED;

#endif
