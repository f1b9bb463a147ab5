/* SPDX-License-Identifier: Apache-2.0 */
/* Conversion of the public parameters to the options of the two solvers of PageRank. */
#ifndef MR_LIBRARY_RANK_PAGERANK_H
#define MR_LIBRARY_RANK_PAGERANK_H

#include "algorithms/pagerank/personalised.h"
#include "library/ranking.h"

/* Convert `params` to the options of the solver of many vectors, and the result of one vector to
 * figures. */
struct mr_pagerank_options mr_personalised_of(const struct mr_pagerank_params *params);
void mr_personalised_figures(const struct mr_personalised_vector *vector,
                             const struct mr_personalised_result *result, uint64_t n_vertices,
                             struct mr_ranking_figures *figures);

#endif
