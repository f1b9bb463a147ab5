/* SPDX-License-Identifier: Apache-2.0 */
/* What the threads of one parallel loop share: the next job, whose turn it is, and the first error,
 * which stops all of them. Jobs are handed out in ascending order, so that the lowest unfinished
 * job always has a running thread. Threads that do jobs at the same time and hand over the results
 * one after the other, in the order of the jobs, wait for their turns. */
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
    _Atomic uint64_t turn; /* the job that has the turn */
    atomic_bool failed;
    pthread_mutex_t mutex; /* guards changes of turn, status and error */
    pthread_cond_t turned;
    enum mr_status status;
    struct mr_error error;
};

/* How many threads a parallel region of OpenMP gets: `wanted`, at most MR_THREADS_MAX, or as many
 * as the process can start, at least 1. Each `num_threads` of the library is such a number, because
 * OpenMP ends the process if it lacks a thread. If a region needs more threads than the one before
 * it in the same thread, they are started and ended once for a trial, at about 20 us each. */
int mr_team_threads(uint64_t wanted);

/* The number of threads if the caller says none: OpenMP's, at most MR_THREADS_MAX. */
unsigned mr_team_default_threads(void);

/* What each thread does, numbered from 0: take jobs and do them. An error stops the others. */
typedef enum mr_status (*mr_team_work)(void *data, struct mr_team *team, unsigned worker,
                                       struct mr_error *err);

/* Runs `work` in up to `n_threads` threads, over jobs 0..n_jobs-1. Returns the first failure. */
enum mr_status mr_team_run(const struct mr_context *context, uint64_t n_jobs, unsigned n_threads,
                           mr_team_work work, void *data, struct mr_error *err) MR_WARN_UNUSED;

/* Gets the next job in `*job`. Returns false if no job is left, a thread failed, or the caller of
 * the loop asked to stop. Thread-safe. */
bool mr_team_next(struct mr_team *team, uint64_t *job);

/* Reports a failure; the first one wins. `err` is what the failed call filled. For threads that go
 * on afterwards; what `work` returns is reported anyway. Thread-safe. */
void mr_team_fail(struct mr_team *team, enum mr_status status, const struct mr_error *err);

static inline bool mr_team_failed(const struct mr_team *team)
{
    return atomic_load_explicit(&team->failed, memory_order_acquire);
}

/* Waits until all jobs before this one have passed the turn on. Returns false if a thread failed.
 * What a thread wrote before it passed the turn on, the next one sees. */
bool mr_team_await(struct mr_team *team, uint64_t job) MR_WARN_UNUSED;
/* Passes the turn on. Only the thread that has it may do so. */
void mr_team_pass(struct mr_team *team);

static inline bool mr_team_has_turn(const struct mr_team *team, uint64_t job)
{
    return atomic_load_explicit(&team->turn, memory_order_acquire) == job;
}

#endif
