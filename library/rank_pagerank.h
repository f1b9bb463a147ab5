/* Options of the two solvers of PageRank from the public parameters. */
#ifndef MR_LIBRARY_RANK_PAGERANK_H
#define MR_LIBRARY_RANK_PAGERANK_H

#include "algorithms/personalised/personalised.h"
#include "library/ranking.h"

/* `params` into the solver of many vectors, and what came of one vector into figures. */
struct mr_personalised_options mr_personalised_of(const struct mr_pagerank_params *params);
void mr_personalised_figures(const struct mr_personalised_vector *vector,
                             const struct mr_personalised_result *result, uint64_t n_vertices,
                             struct mr_ranking_figures *figures);

#endif
