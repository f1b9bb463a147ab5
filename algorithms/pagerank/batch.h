/* SPDX-License-Identifier: Apache-2.0 */
/* Many vectors side by side with all links in memory. Internal to algorithms. */
#ifndef MR_ALGORITHMS_PAGERANK_BATCH_H
#define MR_ALGORITHMS_PAGERANK_BATCH_H

#include "algorithms/pagerank/solver.h"

/* So many vectors take less time side by side than one after the other. */
#define MR_BATCH_LEAST 4u

struct mr_batch_job {
    const struct mr_pagerank_options *options;
    double tolerance;
    uint64_t max_passes; /* of a batch */
    const struct mr_rank_vector *teleports; /* [n] */
    uint64_t n;
    unsigned width; /* vectors of a batch at the most, up to 16 */
    mr_personalised_sink sink;
    void *sink_data;
};

/* Can these vectors be solved for side by side? Links must count the same, dangling mass must not
 * be spread evenly, the damping is 0.95 at the most, and nothing is said of the solver of one. */
bool mr_batch_fits(const struct mr_store_info *info, const struct mr_pagerank_options *options,
                   uint64_t n_vectors);

/* Bytes of the process that a run with up to 8 or 16 vectors of a batch needs. */
uint64_t mr_batch_memory(const struct mr_store_info *info, unsigned width);

/* Rank as mr_personalised does; result has n_batches, figures and choices afterwards. Memory: 4
 * bytes per link, 12 per page, and per vector of 8 or 16 36 bytes per page of the core, or 8 per
 * page if that is more. Errors: as mr_personalised, but for NOT_CONVERGED, which outcomes say. */
enum mr_status mr_batch_run(const struct mr_context *context, struct mr_store *store,
                            const struct mr_batch_job *job, struct mr_personalised_vector *outcomes,
                            struct mr_personalised_result *result,
                            struct mr_error *err) MR_WARN_UNUSED;

#endif
