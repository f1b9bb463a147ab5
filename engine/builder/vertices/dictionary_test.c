/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that names get numbers as they come, and vertices in the order of their keys. */
#include <stdlib.h>
#include <string.h>

#include "engine/builder/vertices/dictionary.h"
#include "tests/support/test.h"
#include "tests/support/test_context.h"
#include "tests/support/test_dir.h"

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

/* An order unrelated to that of the names, and keys longer than the names. */
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

/* Shapes of names: short ones of few letters and zeros, which are prefixes of each other; long
 * common prefixes; any bytes; one letter repeated. */
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

struct walk {
    const struct name *names; /* [n], in the expected order */
    size_t n, seen;
};

static enum mr_status expect_name(void *data, uint64_t number, const char *name, size_t name_bytes,
                                  struct mr_error *err)
{
    struct walk *walk = data;
    (void)number;
    (void)err;
    assert_true(walk->seen < walk->n);
    assert_int_equal(name_bytes, walk->names[walk->seen].bytes);
    assert_memory_equal(name, walk->names[walk->seen].text, name_bytes);
    walk->seen++;
    return MR_OK;
}

static struct mr_scratch_use use;

static struct mr_dictionary_options options_of(mr_name_key key, uint64_t max_bytes)
{
    return (struct mr_dictionary_options){
        .directory = ".", .stem = "names", .use = &use, .key = key, .max_bytes = max_bytes};
}

/* max_bytes 0: all in memory. Otherwise in many runs, where a name has several numbers. */
static void check(unsigned shape, size_t n_names, mr_name_key key, unsigned threads,
                  uint64_t max_bytes)
{
    struct mr_context context;
    struct mr_dictionary *dictionary;
    struct name *names = calloc(n_names + 1, sizeof *names);
    struct name *given = calloc(n_names + 1, sizeof *given); /* by number */
    uint64_t seed = shape + 1, number, n_numbers = 0;
    size_t n_distinct = 0;
    char text[2000];
    char *scratch = malloc(MR_NAME_KEY_MAX_BYTES);
    const struct mr_dictionary_options options = options_of(key, max_bytes);
    assert_true(test_context_open(&context, UINT64_MAX, threads));
    assert_int_equal(mr_dictionary_create(&context, &options, &dictionary, NULL), MR_OK);
    for (size_t i = 0; i < n_names; i++) {
        size_t bytes = random_name(&seed, shape, text);
        uint64_t known;
        assert_int_equal(mr_dictionary_add(dictionary, text, bytes, false, &known, NULL), MR_OK);
        assert_int_equal(mr_dictionary_add(dictionary, text, bytes, true, &number, NULL), MR_OK);
        if (known != UINT64_MAX) { /* the name was in memory: then the text is the same */
            assert_true(number == known);
            assert_int_equal(given[number].bytes, bytes);
            assert_memory_equal(given[number].text, text, bytes);
            continue;
        }
        assert_int_equal(number, n_numbers);
        struct name *name = &given[n_numbers++];
        name->text = memcpy(malloc(bytes), text, bytes);
        name->bytes = bytes;
        name->key_bytes = key(text, bytes, scratch);
        name->key = memcpy(malloc(name->key_bytes), scratch, name->key_bytes);
        names[n_numbers - 1] = *name;
    }
    assert_int_equal(mr_dictionary_count(dictionary), n_numbers);
    qsort(names, n_numbers, sizeof *names, compare_keys);
    for (size_t i = 0; i < n_numbers; i++) {
        if (i == 0 || compare_keys(&names[i - 1], &names[i]) != 0) {
            names[n_distinct++] = names[i];
        }
    }
    assert_int_equal(mr_dictionary_order(dictionary, NULL), MR_OK);
    assert_int_equal(mr_dictionary_runs(dictionary) > 1,
                     max_bytes > 0 && n_numbers > (max_bytes > 1 ? 10000 : 1));
    assert_int_equal(mr_dictionary_vertex_count(dictionary), n_distinct);
    const uint32_t *vertices = mr_dictionary_vertices(dictionary);
    for (size_t i = 0; i < n_numbers; i++) {
        assert_true(vertices[i] < n_distinct);
        assert_int_equal(names[vertices[i]].bytes, given[i].bytes);
        assert_memory_equal(names[vertices[i]].text, given[i].text, given[i].bytes);
    }
    for (unsigned round = 0; round < 2; round++) { /* a walk can be repeated */
        struct walk walk = {.names = names, .n = n_distinct};
        assert_int_equal(mr_dictionary_walk(dictionary, expect_name, &walk, NULL), MR_OK);
        assert_int_equal(walk.seen, n_distinct);
    }
    assert_int_equal(mr_dictionary_left_out(dictionary), 0);
    mr_dictionary_forget_names(dictionary);
    assert_ptr_equal(mr_dictionary_vertices(dictionary), vertices);
    mr_dictionary_destroy(dictionary);
    assert_int_equal(use.bytes, 0); /* disk */
    for (size_t i = 0; i < n_numbers; i++) {
        free(given[i].text);
        free(given[i].key);
    }
    test_context_close(&context);
    free(scratch);
    free(names);
    free(given);
}

static void test_names_are_ordered_by_key(void **unused)
{
    (void)unused;
    static const size_t sizes[] = {0, 1, 2, 50, 50000};
    for (unsigned shape = 0; shape < N_SHAPES; shape++) {
        for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
            check(shape, sizes[s], same_key, 1, 0);
            check(shape, sizes[s], reversed_key, 3, 0);
        }
    }
}

static void test_names_in_runs_are_brought_together(void **unused)
{
    (void)unused;
    for (unsigned shape = 0; shape < N_SHAPES; shape++) {
        check(shape, 0, same_key, 1, 150000);
        check(shape, 1, same_key, 1, 1);
        check(shape, 20000, same_key, 1, 200000);
        check(shape, 20000, reversed_key, 3, 200000);
        check(shape, 300, same_key, 2, 1); /* one name in a run */
    }
}

/* The canonical name has no capital letters; spellings may have any number of them. */
static size_t lower(const void *data, const char *name, size_t name_bytes, char *out)
{
    assert_ptr_equal(data, &use);
    for (size_t i = 0; i < name_bytes; i++) {
        out[i] = (char)(name[i] >= 'A' && name[i] <= 'Z' ? name[i] + 32 : name[i]);
    }
    return name_bytes;
}

struct records {
    char text[4096];
    size_t bytes;
};

static enum mr_status add_record(void *data, uint64_t number, const char *name, size_t name_bytes,
                                 struct mr_error *err)
{
    struct records *records = data;
    (void)number;
    (void)err;
    memcpy(records->text + records->bytes, name, name_bytes);
    records->bytes += name_bytes;
    records->text[records->bytes++] = ';';
    return MR_OK;
}

static void test_spellings_of_one_name_are_one_vertex(void **unused)
{
    static const char *const names[] = {"b", "Ab", "AB", "c", "aB", "ab", "AB", "C", "CC", "B"};
    static const uint32_t expected[] = {1, 0, 0, 2, 0, 0, 0, 2, 3, 1};
    (void)unused;
    for (uint64_t max_bytes = 0; max_bytes < 2; max_bytes++) {
        struct mr_dictionary_options options = options_of(same_key, max_bytes);
        struct mr_context context;
        struct mr_dictionary *dictionary;
        struct records records = {.bytes = 0};
        struct mr_error err = {.status = MR_OK};
        uint64_t numbers[10], number;
        options.canonical = lower;
        options.canonical_data = &use;
        assert_true(test_context_open(&context, UINT64_MAX, 1));
        assert_int_equal(mr_dictionary_create(&context, &options, &dictionary, NULL), MR_OK);
        for (size_t i = 0; i < 10; i++) {
            assert_int_equal(
                mr_dictionary_add(dictionary, names[i], strlen(names[i]), true, &numbers[i], NULL),
                MR_OK);
        }
        assert_int_equal(mr_dictionary_add(dictionary, "a\nb", 3, true, &number, &err),
                         MR_ERROR_INPUT);
        assert_string_equal(err.message,
                            "a name has a line feed in it, so it cannot be a spelling");
        assert_int_equal(mr_dictionary_order(dictionary, NULL), MR_OK);
        assert_int_equal(mr_dictionary_runs(dictionary) > 0, max_bytes > 0);
        assert_int_equal(mr_dictionary_vertex_count(dictionary), 4);
        for (size_t i = 0; i < 10; i++) {
            assert_int_equal(mr_dictionary_vertices(dictionary)[numbers[i]], expected[i]);
        }
        assert_int_equal(mr_dictionary_walk(dictionary, add_record, &records, NULL), MR_OK);
        records.text[records.bytes] = '\0';
        assert_string_equal(records.text, "ab\nAB\nAb\naB\nab;b\nB\nb;c\nC\nc;cc\nCC;");
        mr_dictionary_destroy(dictionary);
        test_context_close(&context);
    }
}

static enum mr_status count_bytes(void *data, uint64_t number, const char *name, size_t name_bytes,
                                  struct mr_error *err)
{
    (void)name;
    (void)number;
    (void)err;
    *(uint64_t *)data += name_bytes;
    return MR_OK;
}

static size_t first_byte(const void *data, const char *name, size_t name_bytes, char *out)
{
    (void)data;
    (void)name_bytes;
    out[0] = name[0];
    return 1;
}

static void test_spellings_that_do_not_fit_are_counted(void **unused)
{
    struct mr_dictionary_options options = options_of(same_key, 0);
    struct mr_context context;
    struct mr_dictionary *dictionary;
    char *text = calloc(1, 30000);
    uint64_t number, bytes = 0;
    (void)unused;
    options.canonical = first_byte;
    assert_true(test_context_open(&context, UINT64_MAX, 1));
    assert_int_equal(mr_dictionary_create(&context, &options, &dictionary, NULL), MR_OK);
    for (char c = 0; c < 5; c++) {
        text[1] = c;
        assert_int_equal(mr_dictionary_add(dictionary, text, 30000, true, &number, NULL), MR_OK);
    }
    assert_int_equal(mr_dictionary_order(dictionary, NULL), MR_OK);
    assert_int_equal(mr_dictionary_vertex_count(dictionary), 1);
    assert_int_equal(mr_dictionary_left_out(dictionary), 3);
    assert_int_equal(mr_dictionary_walk(dictionary, count_bytes, &bytes, NULL), MR_OK);
    assert_int_equal(bytes, 1 + 2 * 30001);
    mr_dictionary_destroy(dictionary);
    test_context_close(&context);
    free(text);
}

/* More runs than the memory has room for readers: they are merged in several levels. */
static void test_many_runs_in_little_memory(void **unused)
{
    struct mr_dictionary_options options = options_of(same_key, 1);
    struct mr_context context;
    struct mr_dictionary *dictionary;
    struct records records = {.bytes = 0};
    uint64_t number;
    char expected[1024] = "";
    (void)unused;
    assert_true(test_context_open(&context, MR_MEMORY_FLOOR_BYTES, 1));
    assert_int_equal(mr_dictionary_create(&context, &options, &dictionary, NULL), MR_OK);
    for (unsigned i = 0; i < 150; i++) {
        char name[16];
        int bytes = sprintf(name, "%02u", i * 37 % 50);
        assert_int_equal(mr_dictionary_add(dictionary, name, (size_t)bytes, true, &number, NULL),
                         MR_OK);
        assert_int_equal(number, i);
    }
    assert_int_equal(mr_dictionary_order(dictionary, NULL), MR_OK);
    assert_int_equal(mr_dictionary_runs(dictionary), 150);
    assert_int_equal(mr_dictionary_vertex_count(dictionary), 50);
    for (unsigned i = 0; i < 150; i++) {
        assert_int_equal(mr_dictionary_vertices(dictionary)[i], i * 37 % 50);
    }
    assert_int_equal(mr_dictionary_walk(dictionary, add_record, &records, NULL), MR_OK);
    records.text[records.bytes] = '\0';
    for (unsigned i = 0; i < 50; i++) {
        sprintf(expected + strlen(expected), "%02u;", i);
    }
    assert_string_equal(records.text, expected);
    mr_dictionary_destroy(dictionary);
    assert_int_equal(use.bytes, 0);
    test_context_close(&context);
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
    const struct mr_dictionary_options options = options_of(reversed_key, 0);
    assert_int_equal(mr_dictionary_create(&context, &options, &dictionary, NULL), MR_OK);
    assert_int_equal(mr_dictionary_add(dictionary, text, 0, true, &number, &err), MR_ERROR_INPUT);
    assert_string_equal(err.message, "a name of 0 bytes; 1 to 65536 are possible");
    assert_int_equal(
        mr_dictionary_add(dictionary, text, MR_NAME_MAX_BYTES + 1, true, &number, NULL),
        MR_ERROR_INPUT);
    assert_int_equal(mr_dictionary_add(dictionary, text, MR_NAME_MAX_BYTES, true, &number, NULL),
                     MR_OK);
    assert_int_equal(number, 0);
    assert_int_equal(mr_dictionary_order(dictionary, NULL), MR_OK);
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
    struct mr_dictionary_options options = options_of(reversed_key, 0);
    options.stays = true;
    assert_int_equal(mr_dictionary_create(&context, &options, &dictionary, NULL), MR_OK);
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

TEST_MAIN(cmocka_unit_test(test_names_are_ordered_by_key),
          cmocka_unit_test(test_names_in_runs_are_brought_together),
          cmocka_unit_test(test_spellings_of_one_name_are_one_vertex),
          cmocka_unit_test(test_spellings_that_do_not_fit_are_counted),
          cmocka_unit_test(test_many_runs_in_little_memory),
          cmocka_unit_test(test_names_of_wrong_length_are_refused),
          cmocka_unit_test(test_too_little_memory_names_the_dictionary))
