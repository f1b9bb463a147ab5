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

#define MR_PERSONALISED_TRACE 16u /* passes whose bytes are recorded */

/* What came of one vector. */
struct mr_personalised_vector {
    bool converged;
    double error_bound, residual, rounding_bound, score_sum; /* as in mr_pagerank_result */
    unsigned passes; /* of its batch, until it stood still for the last time */
};

struct mr_personalised_result {
    unsigned width; /* vectors side by side */
    unsigned n_batches;
    unsigned n_unconverged;
    unsigned inner, wave, acceleration;
    bool normalised;
    double tolerance;
    unsigned n_traced;
    uint64_t trace_bytes
        [MR_PERSONALISED_TRACE]; /* bytes of links that the first passes wanted, pinned or not */
    struct mr_pass_figures figures; /* of all batches */
};

/* Scores of vectors [first, first + n): score of vertex v for vector first + j is values[v * width
 * + j], double or float. Called once per batch, in order; `values` may be changed and is the
 * solver's again afterwards. */
typedef enum mr_status (*mr_personalised_sink)(void *data, uint64_t first, unsigned n,
                                               unsigned width, void *values, struct mr_error *err);

/* Rank teleports[n]; outcomes[n] is filled. It takes of the options damping, tolerance, max_passes,
 * inner, acceleration, dangling, precision, width, backend and no_pinning; all others must be as in
 * MR_PAGERANK_OPTIONS_INIT. Memory per vertex of the core and vector side by side: 8 bytes (4
 * single), twice that where teleports are sparse (at most a sixteenth of the vertices each; not
 * with uniform dangling), and 4 (1 + depth) with acceleration; in the place of the latter, at the
 * end of a batch, 8 bytes per other vertex. Errors: as mr_pagerank; MR_NOT_CONVERGED after all
 * batches were handed to the sink. */
enum mr_status mr_personalised(const struct mr_context *context, struct mr_store *store,
                               const struct mr_teleport_vector *teleports, uint64_t n,
                               const struct mr_pagerank_options *options,
                               struct mr_personalised_vector *outcomes, mr_personalised_sink sink,
                               void *sink_data, struct mr_personalised_result *result,
                               struct mr_error *err) MR_WARN_UNUSED;

#endif
