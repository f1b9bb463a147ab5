/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of one parallel loop: handing out jobs, taking turns and keeping the first error.
 * Every parallel loop of the library uses it. One atomic counter hands out jobs in ascending order,
 * because the output must not depend on which thread does a job. */
#include "engine/base/team.h"

#include <assert.h>
#include <omp.h>

enum mr_status mr_team_run(const struct mr_context *context, uint64_t n_jobs, unsigned n_threads,
                           mr_team_work work, void *data, struct mr_error *err)
{
    struct mr_team team = {.context = context,
                           .n_jobs = n_jobs,
                           .mutex = PTHREAD_MUTEX_INITIALIZER,
                           .turned = PTHREAD_COND_INITIALIZER};

#pragma omp parallel num_threads((int)n_threads)
    {
        struct mr_error error = {.status = MR_OK};
        const enum mr_status status = work(data, &team, (unsigned)omp_get_thread_num(), &error);
        if (status != MR_OK) {
            mr_team_fail(&team, status, &error);
        }
    }
    if (team.status != MR_OK && err != NULL && err->status == MR_OK) {
        *err = team.error;
    }
    return team.status;
}

bool mr_team_next(struct mr_team *team, uint64_t *job)
{
    struct mr_error error = {.status = MR_OK};
    if (mr_team_failed(team)) {
        return false;
    }
    *job = atomic_fetch_add(&team->next_job, 1);
    if (*job >= team->n_jobs) {
        return false;
    }
    enum mr_status status = mr_context_poll(team->context, &error);
    if (status != MR_OK) {
        mr_team_fail(team, status, &error);
    }
    return status == MR_OK;
}

void mr_team_fail(struct mr_team *team, enum mr_status status, const struct mr_error *err)
{
    assert(status != MR_OK);
    (void)pthread_mutex_lock(&team->mutex);
    if (team->status == MR_OK) {
        team->status = status;
        team->error = *err;
        atomic_store_explicit(&team->failed, true, memory_order_release);
    }
    (void)pthread_cond_broadcast(&team->turned); /* nobody waits for a turn that never comes */
    (void)pthread_mutex_unlock(&team->mutex);
}

bool mr_team_await(struct mr_team *team, uint64_t job)
{
    (void)pthread_mutex_lock(&team->mutex);
    while (!mr_team_has_turn(team, job) && !mr_team_failed(team)) {
        (void)pthread_cond_wait(&team->turned, &team->mutex);
    }
    (void)pthread_mutex_unlock(&team->mutex);
    return !mr_team_failed(team);
}

void mr_team_pass(struct mr_team *team)
{
    (void)pthread_mutex_lock(&team->mutex);
    atomic_fetch_add_explicit(&team->turn, 1, memory_order_release);
    (void)pthread_cond_broadcast(&team->turned);
    (void)pthread_mutex_unlock(&team->mutex);
}
