/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of one parallel loop: handing out jobs and keeping the first error. Every parallel
 * loop of the library uses it. One atomic counter hands out jobs in ascending order, because the
 * output must not depend on which thread does a job. */
#include "engine/base/team.h"

#include <assert.h>

enum mr_status mr_team_begin(struct mr_team *team, const struct mr_context *context,
                             uint64_t n_jobs, struct mr_error *err)
{
    team->context = context;
    team->n_jobs = n_jobs;
    atomic_init(&team->next_job, 0);
    atomic_init(&team->failed, false);
    team->status = MR_OK;
    team->error = (struct mr_error){.status = MR_OK};
    int failure = pthread_mutex_init(&team->mutex, NULL);
    if (failure != 0) {
        return mr_error_file(err, MR_ERROR_RUNTIME, NULL, failure, "cannot make a mutex");
    }
    return MR_OK;
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
    (void)pthread_mutex_unlock(&team->mutex);
}

enum mr_status mr_team_end(struct mr_team *team, struct mr_error *err)
{
    (void)pthread_mutex_destroy(&team->mutex);
    if (team->status != MR_OK && err != NULL && err->status == MR_OK) {
        *err = team->error;
    }
    return team->status;
}
