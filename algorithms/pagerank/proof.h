/* SPDX-License-Identifier: Apache-2.0 */
/* What one pass proves about scores that anyone made: how far they are, in the 1-norm, from the
 * exact PageRank of a graph, and how many of their best pages are surely right.
 *
 * docs/solver.md derives the bound ("The certificate"); docs/certify.md says what it means for
 * scores from elsewhere. */
#ifndef MR_ALGORITHMS_PAGERANK_PROOF_H
#define MR_ALGORITHMS_PAGERANK_PROOF_H

#include "engine/pass/pass.h"
#include "engine/store/store.h"

struct mr_proof_options {
    size_t struct_size; /* sizeof(struct mr_proof_options) */
    double damping; /* 0: 0.85 */
    uint64_t top; /* how many of the best to prove; above n_vertices: all */
    /* [n_vertices] shares of the teleport, >= 0 with the sum 1 but for its rounding; dangling
     * vertices link by the same shares. NULL: all the same */
    const double *teleport;
};

struct mr_proof {
    double score_sum; /* of the given scores; they are divided by it */
    double error_bound; /* of the 1-norm of scores / sum - exact ranks */
    double residual; /* bound on that of the scaled scores, in the 1-norm */
    double rounding_bound; /* the part of error_bound that comes from rounding here */
    uint64_t top; /* pages that are asked for, at most n_vertices */
    /* of the `top` best by the given scores, those that are surely among the `top` best by the
     * exact ranks */
    uint64_t top_proven;
    /* the first of them, as many as surely are in their exact order, each above all that follow */
    uint64_t order_proven;
    struct mr_pass_figures figures;
};

/* Prove the bound for `scores` [mr_pass_vector_length], >= 0, by vertex, with zeros behind the last
 * vertex. They are overwritten. `links` is the store, or the store with its weights. Memory: that
 * of a pass, and 8 bytes per page of `top`. Time: one pass and one reading of the degrees. Errors:
 * INPUT if no score is above 0; those of a pass. */
enum mr_status mr_proof_find(const struct mr_context *context, struct mr_store *links,
                             const struct mr_proof_options *options, double *scores,
                             struct mr_proof *proof, struct mr_error *err) MR_WARN_UNUSED;

#endif
