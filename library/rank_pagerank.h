/* SPDX-License-Identifier: Apache-2.0 */
/* What the public rankings of the two solvers of PageRank have alike. */
#ifndef MR_LIBRARY_RANK_PAGERANK_H
#define MR_LIBRARY_RANK_PAGERANK_H

#include "algorithms/pagerank/personalised.h"
#include "library/ranking.h"

/* Copy `options`, which may be NULL or of an older version, to `taken`. Errors: USAGE for a value
 * that no enum has. */
enum mr_status mr_take_pagerank_options(const struct mr_pagerank_options *options,
                                        struct mr_pagerank_options *taken,
                                        struct mr_error *err) MR_WARN_UNUSED;

/* Convert the result of one vector to figures. */
void mr_personalised_figures(const struct mr_personalised_vector *vector,
                             const struct mr_personalised_result *result, uint64_t n_vertices,
                             struct mr_ranking_figures *figures);

#endif
