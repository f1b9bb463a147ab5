/* SPDX-License-Identifier: Apache-2.0 */
/* Tests lines and bars with a clock that the test controls. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/program/progress.h"

#include "tests/support/test.h"

static char *shown;
static size_t shown_bytes;
static FILE *out;

static int set_up(void **state)
{
    (void)state;
    out = open_memstream(&shown, &shown_bytes);
    return out == NULL ? -1 : 0;
}

static int tear_down(void **state)
{
    (void)state;
    (void)fclose(out);
    free(shown);
    return 0;
}

static struct mr_meter meter_of(enum mr_meter_style style)
{
    return (struct mr_meter){.out = out,
                             .style = style,
                             .columns = 80,
                             .last_shown = -1.0,
                             .first_bound = -1.0,
                             .mutex = PTHREAD_MUTEX_INITIALIZER};
}

static void check_shown(const char *expected)
{
    (void)fflush(out);
    assert_string_equal(expected, shown);
}

static void the_text_has_what_is_known(void **state)
{
    (void)state;
    char text[256];
    const struct mr_progress pass = {.stage = "pass",
                                     .unit = "bands",
                                     .edges = 410000000,
                                     .bytes = 1900000000,
                                     .passes = 12,
                                     .error_bound = 3.2e-5};
    const struct mr_progress bare = {.stage = "parse", .unit = "bytes", .error_bound = -1.0};
    const struct mr_progress started = {
        .stage = "parse", .unit = "bytes", .done = 17, .passes = 1, .error_bound = -1.0};

    assert_string_equal("pass 43%, ETA 1:05, 12 passes, bound 3.2e-05, 410 M edges/s, 1.90 GB/s",
                        mr_meter_text(&pass, 0.43, 65.0, 1.0, text, sizeof text));
    assert_string_equal("pass 43%, ETA 2:00:00, 12 passes, bound 3.2e-05",
                        mr_meter_text(&pass, 0.43, 7200.0, 0.1, text, sizeof text));
    assert_string_equal("parse", mr_meter_text(&bare, -1.0, -1.0, 1.0, text, sizeof text));
    assert_string_equal("parse 17 bytes, 1 pass",
                        mr_meter_text(&started, -1.0, -1.0, 1.0, text, sizeof text));
    assert_string_equal("pass 4", mr_meter_text(&pass, 0.43, 65.0, 1.0, text, 7));
}

static void rates_have_three_digits(void **state)
{
    (void)state;
    char text[256];
    struct mr_progress progress = {.stage = "sort", .unit = "bands", .error_bound = -1.0};

    progress.edges = 999;
    assert_string_equal("sort, 999 edges/s",
                        mr_meter_text(&progress, -1.0, -1.0, 1.0, text, sizeof text));
    progress.edges = 999499;
    assert_string_equal("sort, 999 k edges/s",
                        mr_meter_text(&progress, -1.0, -1.0, 1.0, text, sizeof text));
    progress.edges = 12345678;
    progress.bytes = 1000;
    assert_string_equal("sort, 12.3 M edges/s, 1.00 kB/s",
                        mr_meter_text(&progress, -1.0, -1.0, 1.0, text, sizeof text));
}

static void lines_come_every_thirty_seconds(void **state)
{
    (void)state;
    struct mr_meter meter = meter_of(MR_METER_LINES);
    struct mr_progress progress = {
        .stage = "sort", .total = 100, .unit = "bands", .error_bound = -1};

    for (int second = 0; second <= 70; second++) {
        progress.done = (uint64_t)second;
        mr_meter_update(&meter, &progress, 1000.0 + second);
    }
    check_shown("millrace: sort 30%, ETA 1:10\nmillrace: sort 60%, ETA 0:40\n");
}

static void a_line_comes_when_it_is_asked_for(void **state)
{
    (void)state;
    struct mr_meter meter = meter_of(MR_METER_NONE);
    struct mr_progress progress = {
        .stage = "sort", .total = 100, .unit = "bands", .error_bound = -1};

    for (int second = 0; second <= 70; second++) {
        progress.done = (uint64_t)second;
        if (second == 50) {
            mr_meter_ask(&meter);
        }
        mr_meter_update(&meter, &progress, 1000.0 + second);
    }
    check_shown("millrace: sort 50%, ETA 0:50\n");
}

static void the_bar_is_drawn_ten_times_a_second_and_taken_away(void **state)
{
    (void)state;
    struct mr_meter meter = meter_of(MR_METER_BAR);
    struct mr_progress progress = {.stage = "sort", .total = 4, .unit = "bands", .error_bound = -1};

    for (int i = 0; i <= 3; i++) {
        progress.done = (uint64_t)i;
        mr_meter_update(&meter, &progress, 5.0 + 0.06 * i);
    }
    mr_meter_print(&meter, "millrace: note: something");
    mr_meter_clear(&meter);
    check_shown("\r\033[K[##########..........] sort 50%"
                "\r\033[Kmillrace: note: something\n");
}

static void the_bar_fits_the_terminal(void **state)
{
    (void)state;
    struct mr_meter meter = meter_of(MR_METER_BAR);
    const struct mr_progress progress = {.stage = "sort", .done = 1, .total = 1, .unit = "bands"};

    meter.columns = 33;
    meter.color = true;
    mr_meter_update(&meter, &progress, 5.0);
    mr_meter_update(&meter, &progress, 6.0);
    meter.columns = 12;
    mr_meter_update(&meter, &progress, 7.0);
    meter.columns = 5;
    mr_meter_update(&meter, &progress, 8.0);
    check_shown("\r\033[K\033[36m[##########] sort 100%, ETA 0:00\033[0m"
                "\r\033[K\033[36msort 100%\033[0m"
                "\r\033[K\033[36msort\033[0m");
}

/* From 1e-1 to 1e-9 the bound falls by eight decades. At 1e-3 two of them are done. */
static void with_a_goal_the_share_is_that_of_convergence(void **state)
{
    (void)state;
    struct mr_meter meter = meter_of(MR_METER_LINES);
    struct mr_progress pass = {
        .stage = "pass", .done = 1, .total = 2, .unit = "bands", .error_bound = -1.0};
    struct mr_progress rank = {.stage = "rank", .done = 1, .passes = 1, .error_bound = 1e-1};

    meter.goal = 1e-9;
    mr_meter_update(&meter, &pass, 0.0);
    mr_meter_update(&meter, &pass, 30.0);
    mr_meter_update(&meter, &rank, 40.0);
    pass.passes = 1;
    mr_meter_update(&meter, &pass, 45.0);
    rank.passes = 2;
    rank.error_bound = 1.001e-3;
    rank.edges = 3000000000;
    mr_meter_update(&meter, &rank, 60.0);
    pass.passes = 2;
    mr_meter_update(&meter, &pass, 90.0);
    check_shown("millrace: rank 50% of pass 1\n"
                "millrace: rank 24%, ETA 1:00, 2 passes, bound 1.0e-03, 50.0 M edges/s\n"
                "millrace: rank 24%, ETA 2:30, 2 passes, bound 1.0e-03, 50.0 M edges/s\n");
}

static void with_a_number_of_rounds_the_share_is_that_of_passes(void **state)
{
    (void)state;
    struct mr_meter meter = meter_of(MR_METER_LINES);
    const struct mr_progress pass = {
        .stage = "pass", .done = 1, .total = 2, .unit = "bands", .passes = 4, .error_bound = -1.0};

    const struct mr_progress read = {
        .stage = "read", .done = 1, .total = 4, .unit = "bytes", .error_bound = -1.0};

    meter.rounds = 10;
    meter.goal = 1e-9; /* the tolerance sets it; rounds ignore it */
    mr_meter_update(&meter, &read, 10000.0);
    mr_meter_update(&meter, &read, 10040.0);
    mr_meter_update(&meter, &pass, 10050.0);
    mr_meter_update(&meter, &pass, 10095.0);
    check_shown("millrace: read 25%, ETA 2:00\n"
                "millrace: rank 45%, ETA 0:55, 4 passes\n");
}

static void a_quiet_meter_prints_only_what_it_is_told(void **state)
{
    (void)state;
    struct mr_meter meter = meter_of(MR_METER_NONE);
    const struct mr_progress progress = {.stage = "sort", .done = 1, .total = 2, .unit = "bands"};

    mr_meter_update(&meter, &progress, 0.0);
    mr_meter_update(&meter, &progress, 100.0);
    mr_meter_print(&meter, "millrace: text");
    check_shown("millrace: text\n");
}

static void what_is_no_terminal_gets_lines(void **state)
{
    (void)state;
    struct mr_meter meter;
    FILE *file = tmpfile();

    assert_non_null(file);
    mr_meter_init(&meter, file, MR_PROGRESS_AUTO);
    assert_int_equal(MR_METER_LINES, meter.style);
    assert_false(meter.color);
    mr_meter_init(&meter, file, MR_PROGRESS_NEVER);
    assert_int_equal(MR_METER_NONE, meter.style);
    (void)fclose(file);
}

static void a_log_has_an_object_each_minute(void **state)
{
    (void)state;
    struct mr_meter meter = meter_of(MR_METER_JSON);
    struct mr_progress progress = {
        .stage = "sort", .unit = "bands", .total = 240, .error_bound = -1.0};
    static const char after_time[] =
        "\", \"event\": \"progress\", \"stage\": \"sort\", \"share\": 0.5, \"seconds\": 160.0, "
        "\"seconds_left\": 120.0, \"passes\": 0, \"edges\": 7, \"bytes\": 0}\n";

    meter.began = 10.0;
    for (unsigned s = 0; s <= 120; s++) {
        progress.done = s;
        progress.edges = 7;
        mr_meter_update(&meter, &progress, 50.0 + s);
    }
    (void)fflush(out);
    const char *first = strchr(shown, '\n');
    assert_non_null(first); /* of second 60 */
    assert_non_null(strstr(first + 1, after_time));
    assert_null(strchr(strchr(first + 1, '\n') + 1, '\n'));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

TEST_MAIN(TEST(the_text_has_what_is_known), TEST(rates_have_three_digits),
          TEST(lines_come_every_thirty_seconds), TEST(a_line_comes_when_it_is_asked_for),
          TEST(the_bar_is_drawn_ten_times_a_second_and_taken_away), TEST(the_bar_fits_the_terminal),
          TEST(with_a_goal_the_share_is_that_of_convergence),
          TEST(with_a_number_of_rounds_the_share_is_that_of_passes),
          TEST(a_quiet_meter_prints_only_what_it_is_told), TEST(what_is_no_terminal_gets_lines),
          TEST(a_log_has_an_object_each_minute))
