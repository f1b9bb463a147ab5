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
#include "millrace/rank.h"

/* mr_scores_certify of `scores` [mr_pass_vector_length], finite and >= 0, by vertex, with zeros
 * behind the last vertex. They are overwritten. Memory: that of a pass, and 16 bytes per page of
 * `top`. Other errors and costs: as mr_scores_certify. */
enum mr_status mr_proof_find(const struct mr_context *context, struct mr_store *links,
                             const struct mr_certify_options *options, double *scores,
                             struct mr_certify_figures *proof, struct mr_pass_figures *passes,
                             struct mr_error *err) MR_WARN_UNUSED;

#endif
