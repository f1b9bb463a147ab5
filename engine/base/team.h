/* SPDX-License-Identifier: Apache-2.0 */
/* What the threads of one parallel loop share: the next job, and the first error, which stops all
 * of them. Jobs are handed out in ascending order, so that the lowest unfinished job always has a
 * running thread. */
#ifndef MR_ENGINE_BASE_TEAM_H
#define MR_ENGINE_BASE_TEAM_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

#include "engine/base/context.h"

struct mr_team {
    const struct mr_context *context;
    uint64_t n_jobs;
    _Atomic uint64_t next_job;
    atomic_bool failed;
    pthread_mutex_t mutex; /* guards status and error */
    enum mr_status status;
    struct mr_error error;
};

/* Begins a loop over jobs 0..n_jobs-1. Every call needs a matching mr_team_end. */
enum mr_status mr_team_begin(struct mr_team *team, const struct mr_context *context,
                             uint64_t n_jobs, struct mr_error *err) MR_WARN_UNUSED;

/* Gets the next job in `*job`. Returns false if no job is left, a thread failed, or the caller of
 * the loop asked to stop. Thread-safe. */
bool mr_team_next(struct mr_team *team, uint64_t *job);

/* Reports a failure; the first one wins. `err` is what the failed call filled. Thread-safe. */
void mr_team_fail(struct mr_team *team, enum mr_status status, const struct mr_error *err);

static inline bool mr_team_failed(const struct mr_team *team)
{
    return atomic_load_explicit(&team->failed, memory_order_acquire);
}

/* Ends the loop. Returns the first failure, recorded in `err`, or MR_OK. */
enum mr_status mr_team_end(struct mr_team *team, struct mr_error *err) MR_WARN_UNUSED;

#endif
