/* SPDX-License-Identifier: Apache-2.0 */
/* Each job is handed out once and in order; the first failure stops the loop and is reported. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "engine/base/team.h"

static void test_every_job_is_done_once(void **unused)
{
    (void)unused;
    enum { N_JOBS = 1000 };
    const struct mr_context context = {.threads = 3};
    struct mr_team team;
    _Atomic uint32_t done[N_JOBS] = {0};
    assert_int_equal(mr_team_begin(&team, &context, N_JOBS, NULL), MR_OK);
#pragma omp parallel num_threads(3)
    {
        uint64_t job;
        while (mr_team_next(&team, &job)) {
            atomic_fetch_add(&done[job], 1);
        }
    }
    assert_int_equal(mr_team_end(&team, NULL), MR_OK);
    for (int i = 0; i < N_JOBS; i++) {
        assert_int_equal(done[i], 1);
    }
}

static void test_the_first_failure_wins_and_stops(void **unused)
{
    (void)unused;
    const struct mr_context context = {.threads = 1};
    struct mr_team team;
    struct mr_error err = {.status = MR_OK}, first = {.status = MR_OK}, second = {.status = MR_OK};
    uint64_t job;
    assert_int_equal(mr_team_begin(&team, &context, 10, &err), MR_OK);
    assert_true(mr_team_next(&team, &job));
    assert_int_equal(job, 0);
    mr_team_fail(&team, mr_error_set(&first, MR_ERROR_CORRUPT, "first"), &first);
    mr_team_fail(&team, mr_error_set(&second, MR_ERROR_RUNTIME, "second"), &second);
    assert_true(mr_team_failed(&team));
    assert_false(mr_team_next(&team, &job));
    assert_int_equal(mr_team_end(&team, &err), MR_ERROR_CORRUPT);
    assert_string_equal(err.message, "first");
}

static void test_a_raised_flag_interrupts(void **unused)
{
    (void)unused;
    volatile sig_atomic_t cancel = 1;
    const struct mr_context context = {.threads = 1, .cancel = &cancel};
    struct mr_team team;
    struct mr_error err = {.status = MR_OK};
    uint64_t job;
    assert_int_equal(mr_team_begin(&team, &context, 10, &err), MR_OK);
    assert_false(mr_team_next(&team, &job));
    assert_int_equal(mr_team_end(&team, &err), MR_INTERRUPTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_job_is_done_once),
        cmocka_unit_test(test_the_first_failure_wins_and_stops),
        cmocka_unit_test(test_a_raised_flag_interrupts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
