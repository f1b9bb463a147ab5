/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of one parallel loop: handing out jobs, taking turns and keeping the first error.
 * Every parallel loop of the library uses it. One atomic counter hands out jobs in ascending order,
 * because the output must not depend on which thread does a job. */
#include "engine/base/team.h"

#include <assert.h>
#include <omp.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"

/* ---- How many threads there can be ---- */

/* One thread of a trial: it waits until all are started. */
struct trial {
    pthread_mutex_t *all_started;
    pthread_t thread;
    _Atomic long tid;
};

static void *wait_for_all(void *data)
{
    struct trial *trial = data;
    atomic_store(&trial->tid, syscall(SYS_gettid));
    (void)pthread_mutex_lock(trial->all_started);
    (void)pthread_mutex_unlock(trial->all_started);
    return NULL;
}

/* A joined thread still counts against the limits of the process until the kernel has forgotten its
 * number, some microseconds later. */
static void wait_until_forgotten(long tid)
{
    for (int i = 0; i < 10000 && syscall(SYS_tgkill, getpid(), tid, 0) == 0; i++) {
        (void)usleep(10);
    }
}

/* Starts up to `wanted` threads at once, and ends them. Returns how many there were. */
static uint64_t start_for_trial(uint64_t wanted)
{
    pthread_mutex_t all_started = PTHREAD_MUTEX_INITIALIZER;
    struct trial *trials = calloc(wanted, sizeof *trials);
    pthread_attr_t attributes;
    uint64_t n = 0;

    if (trials == NULL || pthread_attr_init(&attributes) != 0) {
        free(trials);
        return 0;
    }
    const uint64_t stack_bytes = mr_memory_openmp_stack(NULL);
    bool fits = stack_bytes == UINT64_MAX ||
                pthread_attr_setstacksize(&attributes, (size_t)stack_bytes) == 0;
    (void)pthread_mutex_lock(&all_started);
    while (fits && n < wanted) {
        trials[n].all_started = &all_started;
        fits = pthread_create(&trials[n].thread, &attributes, wait_for_all, &trials[n]) == 0;
        n += fits;
    }
    (void)pthread_mutex_unlock(&all_started);
    for (uint64_t i = 0; i < n; i++) {
        (void)pthread_join(trials[i].thread, NULL);
        wait_until_forgotten(atomic_load(&trials[i].tid));
    }
    (void)pthread_attr_destroy(&attributes);
    free(trials);
    return n;
}

int mr_team_threads(uint64_t wanted)
{
    /* OpenMP keeps the threads of a region for the next one of the same thread of the caller, and
     * ends those that are too many. So each thread of the caller has a number of its own. */
    static _Thread_local uint64_t kept = 1;
    const uint64_t most = mr_min_u64(wanted, MR_THREADS_MAX);

    if (most <= 1) {
        return 1; /* OpenMP starts and ends none */
    }
    kept = most <= kept ? most : 1 + start_for_trial(most - 1);
    return (int)kept;
}

unsigned mr_team_default_threads(void)
{
    const int most = omp_get_max_threads();
    return most < 1 ? 1 : (unsigned)mr_min_u64((uint64_t)most, MR_THREADS_MAX);
}

/* ---- The team ---- */

enum mr_status mr_team_run(const struct mr_context *context, uint64_t n_jobs, unsigned n_threads,
                           mr_team_work work, void *data, struct mr_error *err)
{
    struct mr_team team = {.context = context,
                           .n_jobs = n_jobs,
                           .mutex = PTHREAD_MUTEX_INITIALIZER,
                           .turned = PTHREAD_COND_INITIALIZER};

#pragma omp parallel num_threads(mr_team_threads(n_threads))
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
