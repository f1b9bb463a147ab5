/* SPDX-License-Identifier: Apache-2.0 */
/* Each job is handed out once and in order; the first failure stops the loop and is reported. */
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/base/team.h"

#include "tests/support/test.h"

enum { N_JOBS = 1000 };

struct jobs {
    _Atomic uint32_t done[N_JOBS];
    uint64_t handed[N_JOBS]; /* in the order of the turns */
    uint64_t n_handed;
    uint64_t fails_at; /* N_JOBS: nowhere */
};

static enum mr_status do_jobs(void *data, struct mr_team *team, unsigned worker,
                              struct mr_error *err)
{
    struct jobs *jobs = data;
    uint64_t job;

    (void)worker;
    while (mr_team_next(team, &job)) {
        atomic_fetch_add(&jobs->done[job], 1);
        if (job == jobs->fails_at) {
            return mr_error_set(err, MR_ERROR_CORRUPT, "job %d", (int)job);
        }
        if (mr_team_await(team, job)) {
            jobs->handed[jobs->n_handed++] = job;
            mr_team_pass(team);
        }
    }
    return MR_OK;
}

static void test_every_job_is_done_once_and_has_its_turn(void **unused)
{
    (void)unused;
    const struct mr_context context = {.threads = 3};
    struct jobs jobs = {.fails_at = N_JOBS};

    assert_int_equal(mr_team_run(&context, N_JOBS, 3, do_jobs, &jobs, NULL), MR_OK);
    assert_int_equal(jobs.n_handed, N_JOBS);
    for (uint64_t i = 0; i < N_JOBS; i++) {
        assert_int_equal(jobs.done[i], 1);
        assert_int_equal(jobs.handed[i], i);
    }
}

/* The others wait for turns after the failed job, and go on without them. */
static void test_a_failure_stops_those_that_wait_for_a_turn(void **unused)
{
    (void)unused;
    const struct mr_context context = {.threads = 4};
    struct jobs jobs = {.fails_at = 500};
    struct mr_error err = {.status = MR_OK};

    assert_int_equal(mr_team_run(&context, N_JOBS, 4, do_jobs, &jobs, &err), MR_ERROR_CORRUPT);
    assert_string_equal(err.message, "job 500");
    assert_int_equal(jobs.n_handed <= 500, 1);
}

static enum mr_status fail_twice(void *data, struct mr_team *team, unsigned worker,
                                 struct mr_error *err)
{
    struct mr_error first = {.status = MR_OK};
    uint64_t job;

    (void)data, (void)worker;
    assert_true(mr_team_next(team, &job));
    assert_int_equal(job, 0);
    mr_team_fail(team, mr_error_set(&first, MR_ERROR_CORRUPT, "first"), &first);
    assert_true(mr_team_failed(team));
    assert_false(mr_team_next(team, &job));
    return mr_error_set(err, MR_ERROR_RUNTIME, "second");
}

static void test_the_first_failure_wins_and_stops(void **unused)
{
    (void)unused;
    const struct mr_context context = {.threads = 1};
    struct mr_error err = {.status = MR_OK};

    assert_int_equal(mr_team_run(&context, 10, 1, fail_twice, NULL, &err), MR_ERROR_CORRUPT);
    assert_string_equal(err.message, "first");
}

static void test_a_raised_flag_interrupts(void **unused)
{
    (void)unused;
    volatile sig_atomic_t cancel = 1;
    const struct mr_context context = {.threads = 1, .cancel = &cancel};
    struct jobs jobs = {.fails_at = N_JOBS};
    struct mr_error err = {.status = MR_OK};

    assert_int_equal(mr_team_run(&context, N_JOBS, 3, do_jobs, &jobs, &err), MR_INTERRUPTED);
    assert_int_equal(jobs.n_handed, 0);
}

/* In another process, in which OpenMP has no threads yet. If there is room for few stacks, it would
 * end that process with exit status 1. Sanitizers need more address space than a limit leaves. */
static void test_a_team_has_as_many_threads_as_can_be_started(void **unused)
{
    (void)unused;
    assert_int_equal(mr_team_threads(0), 1);
    assert_int_equal(mr_team_threads(1), 1);
#ifndef __SANITIZE_ADDRESS__
    const pid_t child = fork();
    if (child == 0) {
        const struct mr_context context = {.threads = 200};
        static struct jobs jobs = {.fails_at = N_JOBS};
        struct rlimit limit = {(rlim_t)400 << 20, (rlim_t)400 << 20};
        const bool is_limited = setrlimit(RLIMIT_AS, &limit) == 0 && mr_team_threads(200) < 200 &&
                                mr_team_run(&context, N_JOBS, 200, do_jobs, &jobs, NULL) == MR_OK;
        _exit(is_limited && jobs.n_handed == N_JOBS ? 42 : 43);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 42);
#endif
}

TEST_MAIN(cmocka_unit_test(test_a_team_has_as_many_threads_as_can_be_started),
          cmocka_unit_test(test_every_job_is_done_once_and_has_its_turn),
          cmocka_unit_test(test_a_failure_stops_those_that_wait_for_a_turn),
          cmocka_unit_test(test_the_first_failure_wins_and_stops),
          cmocka_unit_test(test_a_raised_flag_interrupts))
