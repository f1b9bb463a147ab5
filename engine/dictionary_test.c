/* Names get numbers as they come and vertices in the order of their keys. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "engine/dictionary.h"
#include "engine/test_context.h"
#include "engine/test_dir.h"

struct name {
    char *text;
    size_t bytes;
    char *key;
    size_t key_bytes;
};

static size_t same_key(const char *name, size_t name_bytes, char *key)
{
    memcpy(key, name, name_bytes);
    return name_bytes;
}

/* An order that has nothing to do with that of the names, and keys longer than they are. */
static size_t reversed_key(const char *name, size_t name_bytes, char *key)
{
    memcpy(key, "prefix:", 7);
    for (size_t i = 0; i < name_bytes; i++) {
        key[7 + i] = name[name_bytes - 1 - i];
    }
    return 7 + name_bytes;
}

static int compare_keys(const void *a, const void *b)
{
    const struct name *x = a, *y = b;
    size_t shorter = x->key_bytes < y->key_bytes ? x->key_bytes : y->key_bytes;
    int order = memcmp(x->key, y->key, shorter);
    return order != 0 ? order : x->key_bytes < y->key_bytes ? -1 : x->key_bytes > y->key_bytes;
}

/* Shapes: short names of few letters, zeros among them, so that they are prefixes of each other;
 * long common beginnings; any bytes; one letter repeated. */
enum { N_SHAPES = 4 };

static size_t random_name(uint64_t *seed, unsigned shape, char *name)
{
    uint64_t z = test_random(seed);
    size_t bytes = 0;
    if (shape == 0) {
        bytes = 1 + z % 20;
        for (size_t i = 0; i < bytes; i++) {
            name[i] = (char)(test_random(seed) % 3);
        }
    } else if (shape == 1) {
        bytes = (size_t)sprintf(name, "http://example.org/very/long/common/path/%llu/%llu",
                                (unsigned long long)(z % 10),
                                (unsigned long long)(test_random(seed) % 100000));
    } else if (shape == 2) {
        bytes = 1 + z % 40;
        for (size_t i = 0; i < bytes; i++) {
            name[i] = (char)test_random(seed);
        }
    } else {
        bytes = 1 + z % 1000;
        memset(name, 'a', bytes);
    }
    return bytes;
}

static void check(unsigned shape, size_t n_names, mr_name_key key, unsigned threads)
{
    struct mr_context context;
    struct mr_dictionary *dictionary;
    struct name *names = calloc(n_names + 1, sizeof *names);
    uint64_t seed = shape + 1, number;
    size_t n_distinct = 0;
    char text[2000];
    char *scratch = malloc(MR_NAME_KEY_MAX_BYTES);
    assert_true(test_context_open(&context, UINT64_MAX, threads));
    assert_int_equal(mr_dictionary_create(&context, &dictionary, NULL), MR_OK);
    for (size_t i = 0; i < n_names; i++) {
        size_t bytes = random_name(&seed, shape, text);
        uint64_t known;
        assert_int_equal(mr_dictionary_add(dictionary, text, bytes, false, &known, NULL), MR_OK);
        assert_int_equal(mr_dictionary_add(dictionary, text, bytes, true, &number, NULL), MR_OK);
        if (known != UINT64_MAX) { /* said to be there before: then with this very text */
            assert_true(number == known);
            assert_int_equal(names[number].bytes, bytes);
            assert_memory_equal(names[number].text, text, bytes);
            continue;
        }
        assert_int_equal(number, n_distinct);
        struct name *name = &names[n_distinct++];
        name->text = memcpy(malloc(bytes), text, bytes);
        name->bytes = bytes;
        name->key_bytes = key(text, bytes, scratch);
        name->key = memcpy(malloc(name->key_bytes), scratch, name->key_bytes);
    }
    assert_int_equal(mr_dictionary_count(dictionary), n_distinct);
    assert_int_equal(mr_dictionary_order(dictionary, key, NULL), MR_OK);
    const uint32_t *vertices = mr_dictionary_vertices(dictionary);
    for (size_t i = 0; i < n_distinct; i++) {
        const char *found;
        size_t found_bytes;
        mr_dictionary_name(dictionary, vertices[i], &found, &found_bytes);
        assert_int_equal(found_bytes, names[i].bytes);
        assert_memory_equal(found, names[i].text, found_bytes);
    }
    qsort(names, n_distinct, sizeof *names, compare_keys);
    for (size_t i = 0; i < n_distinct; i++) {
        const char *found;
        size_t found_bytes;
        mr_dictionary_name(dictionary, (uint32_t)i, &found, &found_bytes);
        assert_int_equal(found_bytes, names[i].bytes);
        assert_memory_equal(found, names[i].text, found_bytes);
        free(names[i].text);
        free(names[i].key);
    }
    mr_dictionary_forget_names(dictionary);
    assert_ptr_equal(mr_dictionary_vertices(dictionary), vertices);
    mr_dictionary_destroy(dictionary);
    test_context_close(&context);
    free(scratch);
    free(names);
}

static void test_names_are_ordered_by_key(void **unused)
{
    (void)unused;
    static const size_t sizes[] = {0, 1, 2, 50, 50000};
    for (unsigned shape = 0; shape < N_SHAPES; shape++) {
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            check(shape, sizes[s], same_key, 1);
            check(shape, sizes[s], reversed_key, 3);
        }
    }
}

static void test_names_of_wrong_length_are_refused(void **unused)
{
    (void)unused;
    struct mr_context context;
    struct mr_dictionary *dictionary;
    struct mr_error err = {.status = MR_OK};
    char *text = calloc(1, MR_NAME_MAX_BYTES + 1);
    uint64_t number;
    assert_true(test_context_open(&context, UINT64_MAX, 1));
    assert_int_equal(mr_dictionary_create(&context, &dictionary, NULL), MR_OK);
    assert_int_equal(mr_dictionary_add(dictionary, text, 0, true, &number, &err), MR_ERROR_INPUT);
    assert_string_equal(err.message, "a name of 0 bytes; 1 to 65536 are possible");
    assert_int_equal(
        mr_dictionary_add(dictionary, text, MR_NAME_MAX_BYTES + 1, true, &number, NULL),
        MR_ERROR_INPUT);
    assert_int_equal(mr_dictionary_add(dictionary, text, MR_NAME_MAX_BYTES, true, &number, NULL),
                     MR_OK);
    assert_int_equal(number, 0);
    assert_int_equal(mr_dictionary_order(dictionary, reversed_key, NULL), MR_OK);
    mr_dictionary_destroy(dictionary);
    mr_dictionary_destroy(NULL);
    test_context_close(&context);
    free(text);
}

static void test_too_little_memory_names_the_dictionary(void **unused)
{
    (void)unused;
    struct mr_context context;
    struct mr_dictionary *dictionary;
    struct mr_error err = {.status = MR_OK};
    enum mr_status status = MR_OK;
    char *text = calloc(1, 50000);
    uint64_t number;
    assert_true(test_context_open(&context, MR_MEMORY_FLOOR_BYTES, 1));
    assert_int_equal(mr_dictionary_create(&context, &dictionary, NULL), MR_OK);
    for (uint32_t i = 0; i < 1000 && status == MR_OK; i++) {
        memcpy(text, &i, sizeof i);
        status = mr_dictionary_add(dictionary, text, 50000, true, &number, &err);
    }
    assert_int_equal(status, MR_ERROR_BUDGET);
    assert_non_null(strstr(err.message, "name dictionary"));
    mr_dictionary_destroy(dictionary);
    test_context_close(&context);
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_are_ordered_by_key),
        cmocka_unit_test(test_names_of_wrong_length_are_refused),
        cmocka_unit_test(test_too_little_memory_names_the_dictionary),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
