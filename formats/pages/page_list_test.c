/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of pages and hosts, numbers of hosts, times. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/builder/build.h"
#include "formats/pages/page_list.h"
#include "formats/table/time_text.h"
#include "formats/url/surt.h"
#include "tests/support/test_dir.h"
#include "tests/support/test_streams.h"

/* In the order of their keys. */
static const char *const urls[] = {
    "mailto:somebody",     "http://a.example/",       "https://a.example/1",
    "http://b.a.example/", "http://b.a.example:81/x", "http://z.example/",
};
enum { N = sizeof urls / sizeof urls[0] };

struct fixture {
    struct test_context t;
    struct mr_store *store;
    struct mr_names *names;
};

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct mr_build *build = NULL;
    char path[PATH_MAX];
    *state = f;
    if (test_context_make(&f->t, UINT64_MAX) != 0) {
        return 1;
    }
    const struct mr_build_options options = {
        .ids = MR_IDS_TEXT, .name_key = mr_surt_key, .name_key_number = MR_NAME_KEY_SURT};
    (void)test_dir_path(&f->t.dir, "store", path);
    enum mr_status status = mr_build_create(&f->t.context, path, &options, &build, NULL);
    for (int i = N - 1; i >= 0 && status == MR_OK; i--) {
        uint64_t id;
        status = mr_build_name(build, urls[i], strlen(urls[i]), &id, NULL);
        const struct mr_edge loop = {id, id};
        if (status == MR_OK) {
            status = mr_build_edges(build, 0, &loop, NULL, 1, NULL);
        }
    }
    status = mr_build_finish(build, status, NULL, NULL);
    if (status == MR_OK) {
        status = mr_store_open(&f->t.context, path, &f->store, NULL);
    }
    return status != MR_OK ||
           mr_names_open(&f->t.context, f->store, mr_surt_key, &f->names, NULL) != MR_OK;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;
    mr_names_close(f->names);
    mr_store_close(f->store);
    test_context_remove(&f->t);
    free(f);
    return 0;
}

/* Reads `text` as a list. Returns its pages as a word of bits, or -1. */
static int list_of(struct fixture *f, const char *text, uint64_t max_unknown, struct mr_error *err)
{
    char path[PATH_MAX];
    const char *const files[] = {path};
    struct mr_page_list list;
    int bits = 0;
    (void)test_dir_path(&f->t.dir, "list", path);
    assert_true(test_dir_write(path, text, strlen(text)));
    enum mr_status status =
        mr_page_list_read(&f->t.context, files, 1, f->names, mr_store_get_info(f->store),
                          MR_FETCH_WANTS_PAGES, 0, max_unknown, &list, err);
    for (uint64_t i = 0; i < list.n_pages; i++) {
        assert_true(i == 0 || list.pages[i] > list.pages[i - 1]);
        bits |= 1 << list.pages[i];
    }
    mr_page_list_free(&list);
    return status == MR_OK ? bits : -1;
}

static void lists_have_pages_and_hosts(void **state)
{
    struct fixture *f = *state;
    assert_int_equal(list_of(f, "", 0, NULL), 0);
    assert_int_equal(list_of(f, "# pages\nhttp://z.example/\n\nmailto:somebody\n", 0, NULL), 33);
    assert_int_equal(list_of(f, "a.example\n", 0, NULL), 2 + 4); /* both schemes, no subdomain */
    assert_int_equal(list_of(f, "b.a.example\nhttp://b.a.example/\n", 0, NULL), 8 + 16);
    assert_int_equal(list_of(f, "z.example\na.example\nz.example", 0, NULL), 2 + 4 + 32);
}

static void unknown_names_are_counted(void **state)
{
    struct fixture *f = *state;
    struct mr_error err = {0};
    assert_int_equal(list_of(f, "z.example\nhttp://nowhere/\n", 0, &err), -1);
    assert_int_equal(err.status, MR_ERROR_INPUT);
    assert_int_equal(err.position, 2);
    mr_error_clear(&err);
    assert_int_equal(list_of(f, "z.example\nexample\n", 0, &err), -1);
    assert_int_equal(err.position, 2);
    assert_int_equal(list_of(f, "example\nz.example\nhttp://nowhere/\n", 2, NULL), 32);
}

static void pages_of_a_host_have_one_hash(void **state)
{
    struct fixture *f = *state;
    uint64_t hosts[N];
    assert_int_equal(
        mr_hosts_find(&f->t.context, f->names, mr_store_get_info(f->store), false, hosts, NULL),
        MR_OK);
    const unsigned expected[N] = {0, 1, 1, 2, 2, 3};
    for (unsigned i = 0; i < N; i++) {
        for (unsigned k = 0; k < N; k++) {
            assert_int_equal(hosts[i] == hosts[k], expected[i] == expected[k]);
        }
    }
}

static void times_are_read_in_the_notations_of_crawlers(void **state)
{
    (void)state;
    const struct {
        const char *text;
        double seconds; /* negative: refused */
    } cases[] = {
        {"0", 0},
        {"1156118400", 1156118400},
        {"4294967295", 4294967295.0},
        {"4294967296", -1},
        {"20060821000000", 1156118400},
        {"2006-08-21", 1156118400},
        {"2006-08-21T00:00:00Z", 1156118400},
        {"2006-08-21T23:59:59", 1156118400 + 86399},
        {"1970-01-01", 0},
        {"2000-02-29", 951782400},
        {"2100-02-29", -1},
        {"2024-12-31T12:00:00Z", 1735646400},
        {"2006-13-01", -1},
        {"2006-8-21", -1},
        {"1969-12-31", -1},
        {"2006-08-21 00:00", -1},
        {"", -1},
        {"-5", -1},
        {"1156118400.75", 1156118400},
        {"1156118400123", 1156118400},
        {"4294967296000", -1},
        {"20060821000000123", 1156118400},
        {"20061321000000123", -1},
        {"2011-06-23T17:12:08.802Z", 1308849128},
        {"2011-06-23T17:12:08,802123Z", 1308849128},
        {"2011-06-23T19:12:08+02:00", 1308849128},
        {"2011-06-23T12:42:08.802-0430", 1308849128},
        {"2011-06-23T18:12:08+01", 1308849128},
        {"2011-06-23T17:12Z", 1308849120},
        {"1970-01-01T00:30:00+01:00", -1},
        {"2011-06-23T17:12:08.Z", -1},
        {"2011-06-23T17:12:08+2:00", -1},
        {"2011-06-23T17:12:08+24:00", -1},
        {"2011-06-23T17:12:08Zx", -1},
        {"2011-06-23T17", -1},
        {"1.", -1},
        {".5", -1},
        {"1.5x", -1},
        {"123456789012", -1},
        {"99991231235959", -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        double seconds = -1;
        const bool good = mr_time_parse(cases[i].text, strlen(cases[i].text), &seconds);
        if (good != (cases[i].seconds >= 0) || (good && seconds != cases[i].seconds)) {
            print_error("%s: %d %f\n", cases[i].text, good, seconds);
            fail();
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(lists_have_pages_and_hosts, set_up, tear_down),
        cmocka_unit_test_setup_teardown(unknown_names_are_counted, set_up, tear_down),
        cmocka_unit_test_setup_teardown(pages_of_a_host_have_one_hash, set_up, tear_down),
        cmocka_unit_test(times_are_read_in_the_notations_of_crawlers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
