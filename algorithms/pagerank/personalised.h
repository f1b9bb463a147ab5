/* SPDX-License-Identifier: Apache-2.0 */
/* Personalised PageRank for many teleport vectors, several in one stream of the links, each
 * certified.
 *
 * The equations, the relaxation, its acceleration and the certificate are those of pagerank.h; here
 * a vertex has a value for each of up to 16 vectors, so that reading and decoding the links is paid
 * once for all of them. A vector's scores are the same bits in any company and in any number side
 * by side: it stops moving when its own bound is foretold to hold, and is certified with the
 * others.
 *
 * While few pages have any score (a single seed's first passes) rounds are synchronous and blocks
 * without such pages among their sources are not read; relaxation begins when those would be half
 * the bytes. */
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
 * all others must be as in MR_PAGERANK_OPTIONS_INIT. Memory per vertex of the core and vector side
 * by side: 8 bytes (4 single), twice that where teleports are sparse (at most a sixteenth of the
 * vertices each; not with uniform dangling), and 4 (1 + depth) with acceleration; in the place of
 * the latter, at the end of a batch, 8 bytes per other vertex. Errors: as mr_pagerank;
 * MR_NOT_CONVERGED after all batches were handed to the sink. */
enum mr_status mr_personalised(const struct mr_context *context, struct mr_store *store,
                               const struct mr_teleport_vector *teleports, uint64_t n,
                               const struct mr_pagerank_options *options,
                               struct mr_personalised_vector *outcomes, mr_personalised_sink sink,
                               void *sink_data, struct mr_personalised_result *result,
                               struct mr_error *err) MR_WARN_UNUSED;

#endif
