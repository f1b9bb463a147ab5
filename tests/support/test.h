/* SPDX-License-Identifier: Apache-2.0 */
/* For unit tests: cmocka with the headers that it needs above it, and a main function. */
#ifndef MR_TESTS_SUPPORT_TEST_H
#define MR_TESTS_SUPPORT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/* A program that runs tests, each a cmocka_unit_test. */
#define TEST_MAIN(...)                                                                             \
    int main(void)                                                                                 \
    {                                                                                              \
        const struct CMUnitTest tests[] = {__VA_ARGS__};                                           \
        return cmocka_run_group_tests(tests, NULL, NULL);                                          \
    }

#endif
