/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of two numbers: which lines each kernel takes, where it stops, and that all kernels
 * agree. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "formats/graph/edge_lines.h"
#include "formats/table/lines.h"
#include "tests/support/test_dir.h"

enum { TEXT_BYTES = 4096, MAX_LINES = 512 };

static size_t kernels(mr_edge_lines out[3])
{
    size_t n = 0;
    out[n++] = mr_edge_lines_portable;
    if (mr_edge_lines_best() != mr_edge_lines_portable) {
        out[n++] = mr_edge_lines_best();
    }
    return n;
}

/* Makes a string in memory that has room for both. */
static void append(char *text, const char *line)
{
    memcpy(text + strlen(text), line, strlen(line) + 1);
}

struct text {
    char bytes[TEXT_BYTES + MR_LINES_PADDING_BYTES];
    size_t n_bytes;
    struct mr_edge edges[MAX_LINES];
    size_t starts[MAX_LINES + 1]; /* of the lines; the last one is the end */
    size_t n_lines;
};

static uint64_t random_number(uint64_t *seed, unsigned max_digits)
{
    uint64_t power = 1;
    for (uint64_t n = test_random(seed) % max_digits + 1; n > 0; n--) {
        power *= 10;
    }
    return test_random(seed) % power;
}

/* Makes plain lines of numbers up to so many digits; bytes of any kind follow them. */
static void make_text(struct text *text, unsigned max_digits, uint64_t *seed)
{
    static const char *const separators[] = {" ", "\t", ","};
    static const char *const ends[] = {"\n", "\r\n"};
    text->n_bytes = text->n_lines = 0;
    while (text->n_lines < MAX_LINES && text->n_bytes < TEXT_BYTES - 64) {
        const uint64_t first = random_number(seed, max_digits);
        const uint64_t second = random_number(seed, max_digits);
        text->starts[text->n_lines] = text->n_bytes;
        text->edges[text->n_lines++] = (struct mr_edge){first, second};
        text->n_bytes +=
            (size_t)snprintf(text->bytes + text->n_bytes, 64, "%llu%s%llu%s",
                             (unsigned long long)first, separators[test_random(seed) % 3],
                             (unsigned long long)second, ends[test_random(seed) % 2]);
    }
    text->starts[text->n_lines] = text->n_bytes;
    for (size_t i = 0; i < MR_LINES_PADDING_BYTES; i++) {
        text->bytes[text->n_bytes + i] = (char)test_random(seed);
    }
}

static void check(mr_edge_lines convert, const struct text *text, size_t first, size_t n_expected,
                  size_t room, uint64_t limit, bool swap)
{
    struct mr_edge edges[MAX_LINES];
    const char *at = text->bytes + text->starts[first];
    const size_t n = convert(&at, text->bytes + text->n_bytes, edges, room, limit, swap);
    assert_int_equal(n, n_expected);
    assert_ptr_equal(at, text->bytes + text->starts[first + n]);
    for (size_t i = 0; i < n; i++) {
        const struct mr_edge *edge = &text->edges[first + i];
        assert_int_equal(edges[i].source, swap ? edge->target : edge->source);
        assert_int_equal(edges[i].target, swap ? edge->source : edge->target);
    }
}

static void plain_lines_are_taken(void **state)
{
    static struct text text;
    mr_edge_lines convert[3];
    const size_t n_kernels = kernels(convert);
    uint64_t seed = 11;
    (void)state;
    for (unsigned trial = 0; trial < 3000; trial++) {
        make_text(&text, trial % 16 + 1, &seed);
        const size_t first = test_random(&seed) % text.n_lines, left = text.n_lines - first;
        const size_t room = test_random(&seed) % 3 == 0 ? left / 2 + 1 : MAX_LINES;
        for (size_t k = 0; k < n_kernels; k++) {
            check(convert[k], &text, first, room < left ? room : left, room, UINT64_MAX,
                  trial % 2 == 0);
        }
    }
}

static void a_number_that_is_not_below_the_limit_stops_it(void **state)
{
    static struct text text;
    mr_edge_lines convert[3];
    const size_t n_kernels = kernels(convert);
    uint64_t seed = 12;
    (void)state;
    for (unsigned trial = 0; trial < 2000; trial++) {
        size_t n = 0;
        make_text(&text, trial % 16 + 1, &seed);
        const struct mr_edge *one = &text.edges[test_random(&seed) % text.n_lines];
        const uint64_t limit = trial % 2 == 0 ? one->source : one->target;
        while (n < text.n_lines && text.edges[n].source < limit && text.edges[n].target < limit) {
            n++;
        }
        for (size_t k = 0; k < n_kernels; k++) {
            check(convert[k], &text, 0, n, MAX_LINES, limit, false);
        }
    }
}

static void every_other_line_stops_it(void **state)
{
    static const char *const others[] = {"\n",
                                         "\r\n",
                                         "1\n",
                                         "1 \n",
                                         " 1 2\n",
                                         "1  2\n",
                                         "1 ,2\n",
                                         "1 2 \n",
                                         "1 2 3\n",
                                         "1 2\r",
                                         "1 2\r3\n",
                                         "1 2\r\r\n",
                                         "-1 2\n",
                                         "1 -2\n",
                                         "a 2\n",
                                         "1 b\n",
                                         "1 2b\n",
                                         "1:2\n",
                                         "1/2\n",
                                         "007 2\n",
                                         "1 02\n",
                                         "0 00\n",
                                         "00000000012 1\n",
                                         "# 1 2\n",
                                         "1 2#\n",
                                         "1.5 2\n",
                                         "12345678901234567 1\n",
                                         "1 12345678901234567\n",
                                         ",2\n",
                                         "\t1\t2\n",
                                         "1\2002\n",
                                         "1 2\200\n"};
    mr_edge_lines convert[3];
    const size_t n_kernels = kernels(convert);
    (void)state;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        for (size_t before = 0; before < 20; before++) { /* at any offset in a block */
            char text[512 + MR_LINES_PADDING_BYTES] = "";
            for (size_t j = 0; j < before; j++) {
                append(text, j % 3 == 0 ? "123 4\n" : "12 345678\n");
            }
            const size_t start = strlen(text);
            append(text, others[i]);
            append(text, "5 6\n");
            for (size_t k = 0; k < n_kernels; k++) {
                struct mr_edge edges[64];
                const char *at = text;
                assert_int_equal(convert[k](&at, text + strlen(text), edges, 64, UINT64_MAX, false),
                                 before);
                assert_ptr_equal(at, text + start);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(plain_lines_are_taken),
        cmocka_unit_test(a_number_that_is_not_below_the_limit_stops_it),
        cmocka_unit_test(every_other_line_stops_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
