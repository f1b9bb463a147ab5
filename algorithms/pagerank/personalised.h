/* SPDX-License-Identifier: Apache-2.0 */
/* Personalised PageRank for many teleport vectors, several in one stream of the links, each
 * certified.
 *
 * The equations and the certificate are those of pagerank.h. Four vectors and more go side by side,
 * up to 16 of them, with all links in memory (batch.h). A vector's scores are the same bits in any
 * such company. Where memory has no room for that, and for what mr_batch_fits says, one vector is
 * ranked after the other, as pagerank.h does it.
 *
 * While few pages have any score (a single seed's first passes) its rounds are synchronous and
 * blocks without such pages among their sources are not read; relaxation begins when those would be
 * half the bytes. */
#ifndef MR_ALGORITHMS_PERSONALISED_PERSONALISED_H
#define MR_ALGORITHMS_PERSONALISED_PERSONALISED_H

#include "algorithms/pagerank/pagerank.h"

/* What came of one vector. */
struct mr_personalised_vector {
    const char *name; /* the caller's */
    bool converged;
    double error_bound, residual, rounding_bound, score_sum; /* as in mr_pagerank_result */
    double sum; /* of the scores: 1 if they are normalised, else score_sum */
    uint64_t passes; /* of its batch, until it stood still for the last time */
};

struct mr_personalised_result {
    uint64_t width; /* vectors side by side */
    uint64_t n_batches;
    bool converged; /* all vectors */
    uint64_t inner, wave, acceleration;
    bool normalised;
    double tolerance;
    struct mr_pass_figures figures; /* of all batches */
};

/* Scores of vectors [first, first + n): score of vertex v for vector first + j is values[v * width
 * + j], double or float. Called once per batch, in order; `values` may be changed and is the
 * solver's again afterwards. */
typedef enum mr_status (*mr_personalised_sink)(void *data, uint64_t first, unsigned n,
                                               unsigned width, void *values, struct mr_error *err);

/* Rank teleports[n]; outcomes[n] is filled, but for the names. It takes of the options damping,
 * tolerance, max_passes, inner, acceleration, dangling, precision, width, backend and no_pinning;
 * all others must be as in MR_PAGERANK_OPTIONS_INIT. Memory: mr_batch_run says that of vectors side
 * by side; one by one they take that of mr_pagerank, and a second vector where teleports are sparse
 * (at most a sixteenth of the vertices; not with uniform dangling). Errors: as mr_pagerank;
 * MR_NOT_CONVERGED after all batches were handed to the sink. */
enum mr_status mr_personalised(const struct mr_context *context, struct mr_store *store,
                               const struct mr_rank_vector *teleports, uint64_t n,
                               const struct mr_pagerank_options *options,
                               struct mr_personalised_vector *outcomes, mr_personalised_sink sink,
                               void *sink_data, struct mr_personalised_result *result,
                               struct mr_error *err) MR_WARN_UNUSED;

/* For plans: how many of `n` vectors go side by side if memory has room, 1 if they do not; bytes of
 * the process that so many take. */
unsigned mr_personalised_batch(const struct mr_store_info *info,
                               const struct mr_pagerank_options *options, uint64_t n);
uint64_t mr_personalised_memory(const struct mr_store_info *info, unsigned batch);

#endif
