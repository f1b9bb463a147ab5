/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the bound with the bytes that jansson really takes: a counting allocator replaces
 * jansson's. */
#include "formats/table/json_input.h"

#include <malloc.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { TEXT_BYTES = 256 << 10, MALLOC_HEAD_BYTES = 8 };

static uint64_t held, peak;

static void *count_malloc(size_t bytes)
{
    void *pointer = malloc(bytes);
    held += pointer != NULL ? malloc_usable_size(pointer) + MALLOC_HEAD_BYTES : 0;
    peak = held > peak ? held : peak;
    return pointer;
}

static void count_free(void *pointer)
{
    held -= pointer != NULL ? malloc_usable_size(pointer) + MALLOC_HEAD_BYTES : 0;
    free(pointer);
}

/* Write `head`, then `part` as often as there is room, then `tail`. */
static size_t repeat(char *text, const char *head, const char *part, const char *tail)
{
    size_t n = (size_t)sprintf(text, "%s", head);
    while (n + strlen(part) + strlen(tail) < TEXT_BYTES) {
        n += (size_t)sprintf(text + n, "%s", part);
    }
    return n + (size_t)sprintf(text + n, "%s", tail);
}

/* Write objects of every size with different keys: a..z, aa, ... */
static size_t many_keys(char *text)
{
    size_t n = 0;
    n += (size_t)sprintf(text, "{");
    for (unsigned i = 0; n + 32 < TEXT_BYTES; i++) {
        n += (size_t)sprintf(text + n, "\"%x\":\"\",", i);
    }
    text[n - 1] = '}';
    return n;
}

static void check(const char *text, size_t bytes)
{
    held = peak = 0;
    json_t *root = json_loadb(text, bytes, JSON_ALLOW_NUL, NULL);
    assert_non_null(root);
    assert_true(peak > 0);
    assert_in_range(peak, 1, mr_json_input_bound(text, bytes));
    json_decref(root);
    assert_int_equal(held, 0);
}

static void test_bound(void **state)
{
    static const char *const parts[][3] = {
        {"[", "{},", "{}]"},         {"[", "[],", "[]]"},
        {"[", "1,", "1]"},           {"[", "\"\",", "\"\"]"},
        {"[", "\"\\\"\",", "\"\"]"}, {"[", "{\"\":{\"\":\"\"}},", "1]"},
        {"[\"", "x", "\"]"},         {"[", "{\"a\":[],\"b\":[1,2]},", "1]"},
        {"[", "1.5,", "1]"},         {"[", "{\"path\":\"A@/href\",\"url\":\"/x,y:z{[\"},", "1]"},
    };
    char *text = malloc(TEXT_BYTES);
    (void)state;

    assert_non_null(text);
    json_set_alloc_funcs(count_malloc, count_free);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        check(text, repeat(text, parts[i][0], parts[i][1], parts[i][2]));
    }
    check(text, many_keys(text));
    check("{}", 2);
    json_set_alloc_funcs(malloc, free);
    free(text);
}

static void test_parse(void **state)
{
    struct mr_memory *memory = NULL;
    struct mr_json_input json;
    struct mr_error err = {0};
    (void)state;

    assert_int_equal(mr_memory_create(MR_MEMORY_FLOOR_BYTES, &memory, NULL), MR_OK);
    const uint64_t before = mr_memory_available(memory);
    assert_int_equal(
        mr_json_input_parse(memory, "{\"a\":1} x", 9, JSON_DISABLE_EOF_CHECK, &json, &err), MR_OK);
    assert_int_equal(json_integer_value(json_object_get(json.root, "a")), 1);
    assert_true(mr_memory_available(memory) < before);
    mr_json_input_free(&json);
    assert_int_equal(mr_json_input_parse(memory, "{\033[0m", 5, 0, &json, &err), MR_OK);
    assert_null(json.root);
    assert_null(strchr(json.reason, '\033'));
    assert_non_null(strstr(json.reason, "\\x1b"));
    mr_json_input_free(&json);
    assert_int_equal(mr_memory_available(memory), before);
    mr_memory_destroy(memory);
}

static void test_budget(void **state)
{
    struct mr_memory *memory = NULL;
    struct mr_json_input json;
    struct mr_error err = {0};
    char *text = malloc(TEXT_BYTES);
    (void)state;

    assert_non_null(text);
    const size_t bytes = repeat(text, "[", "{},", "1]");
    assert_int_equal(mr_memory_create(MR_MEMORY_FLOOR_BYTES, &memory, NULL), MR_OK);
    assert_int_equal(mr_json_input_parse(memory, text, bytes, 0, &json, &err), MR_ERROR_BUDGET);
    assert_null(json.root);
    mr_json_input_free(&json);
    mr_memory_destroy(memory);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bound),
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_budget),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
