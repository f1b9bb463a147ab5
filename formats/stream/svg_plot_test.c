/* SPDX-License-Identifier: Apache-2.0 */
/* Plots: every point has its location, text is valid XML, and a failure leaves nothing. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "formats/stream/svg_plot.h"
#include "tests/support/test_streams.h"

static char text[1 << 16];

static void write_plot(struct test_context *test, const struct mr_plot *plot)
{
    (void)test_dir_path(&test->dir, "plot.svg", test->path);
    assert_int_equal(mr_plot_write(&test->context, test->path, true, plot, NULL), MR_OK);
    FILE *file = fopen(test->path, "rb");
    assert_non_null(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    assert_int_equal(fclose(file), 0);
}

static void curves_and_labels_are_drawn(void **state)
{
    struct test_context test;
    const double x[] = {0, 50, 100}, y[] = {0, 0.5, 1};
    const struct mr_plot_curve curves[] = {{"up & down", x, y, 3}, {"<none>", x, y, 0}};
    const struct mr_plot plot = {.title = "A > B",
                                 .x_label = "pages",
                                 .y_label = "share",
                                 .x_end = 100,
                                 .y_end = 1,
                                 .curves = curves,
                                 .n_curves = 2};
    (void)state;
    assert_int_equal(test_context_make(&test, UINT64_MAX), 0);
    write_plot(&test, &plot);
    /* The corners and the middle of the area between the axes. */
    assert_non_null(strstr(text, "points=\"64.0,408.0 400.0,226.0 736.0,44.0\""));
    assert_non_null(strstr(text, "points=\"\""));
    assert_non_null(strstr(text, ">A &gt; B</text>"));
    assert_non_null(strstr(text, ">up &amp; down</text>"));
    assert_non_null(strstr(text, ">&lt;none&gt;</text>"));
    assert_non_null(strstr(text, ">80</text>"));
    assert_non_null(strstr(text, ">0.4</text>"));
    const size_t bytes = strlen(text);
    assert_string_equal(text + bytes - 7, "</svg>\n");
    /* Every element that is opened is closed. */
    int depth = 0;
    for (const char *p = text; (p = strchr(p, '<')) != NULL; p++) {
        const char *end = strchr(p, '>');
        assert_non_null(end);
        depth += p[1] == '/' ? -1 : end[-1] == '/' ? 0 : 1;
        assert_true(depth >= 0);
    }
    assert_int_equal(depth, 0);
    test_context_remove(&test);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(curves_and_labels_are_drawn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
