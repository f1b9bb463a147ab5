/* SPDX-License-Identifier: Apache-2.0 */
/* Names of pages, hosts and domains, forward and reversed, in stores of pages and of hosts. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "engine/builder/build.h"
#include "formats/pages/page_names.h"
#include "formats/url/canonical.h"
#include "formats/url/surt.h"
#include "tests/support/test_dir.h"
#include "tests/support/test_streams.h"

/* Each in the order of their keys, so that vertex i is name i. */
static const char *const pages[] = {
    "mailto:somebody",           "http://127.0.0.1/",         "http://com.example/",
    "http://example.co.uk/",     "http://www.example.co.uk/", "http://Example.org:81/a",
    "https://www.example.org/1", "http://www.example.org/2",  "http://example.com/",
    "http://a.b.example.com/",
};
static const char *const hosts[] = {"com.example.www", "org.example", "org.example.www",
                                    "uk.co.shop.cdn"};

struct fixture {
    struct test_context t;
    struct mr_store *store;
    struct mr_names *names;
    char result[1024];
};

static void make_store(struct fixture *f, const char *const *names, size_t n,
                       const struct mr_canonical *canonical)
{
    struct mr_build *build = NULL;
    char path[PATH_MAX];
    const uint32_t number = mr_canonical_number(canonical);
    const struct mr_build_options options = {
        .ids = MR_IDS_TEXT, .name_key = mr_name_key_of(number), .name_key_number = number};
    (void)test_dir_path(&f->t.dir, "store", path);
    assert_int_equal(mr_build_create(&f->t.context, path, &options, &build, NULL), MR_OK);
    for (size_t i = 0; i < n; i++) {
        uint64_t id;
        assert_int_equal(mr_build_name(build, names[i], strlen(names[i]), &id, NULL), MR_OK);
        const struct mr_edge loop = {id, id};
        assert_int_equal(mr_build_edges(build, 0, &loop, NULL, 1, NULL), MR_OK);
    }
    assert_int_equal(mr_build_finish(build, MR_OK, NULL, NULL), MR_OK);
    assert_int_equal(mr_store_open(&f->t.context, path, &f->store, NULL), MR_OK);
    assert_int_equal(mr_names_open(&f->t.context, f->store, options.name_key, &f->names, NULL),
                     MR_OK);
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    *state = f;
    return f == NULL || test_context_make(&f->t, UINT64_MAX) != 0;
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

static void append(struct fixture *f, const char *text, size_t bytes)
{
    const size_t used = strlen(f->result);
    assert_true(used + bytes + 2 < sizeof f->result);
    memcpy(f->result + used, used > 0 ? " " : "", 1);
    memcpy(f->result + used + (used > 0), text, bytes);
    f->result[used + (used > 0) + bytes] = '\0';
}

static enum mr_status take(void *data, const struct mr_row *name, uint32_t vertex, uint64_t n_pages,
                           struct mr_error *err)
{
    struct fixture *f = data;
    const char *page;
    char text[128];
    size_t bytes;
    assert_int_equal(mr_names_get(f->names, vertex, &page, &bytes, err), MR_OK);
    const int n = snprintf(text, sizeof text, "%.*s/%llu:%llu", (int)bytes, page,
                           (unsigned long long)n_pages, (unsigned long long)name->tag);
    append(f, text, (size_t)n);
    return MR_OK;
}

static enum mr_status miss(void *data, const struct mr_row *name, struct mr_error *err)
{
    char text[128];
    (void)err;
    const int n = snprintf(text, sizeof text, "!%.*s@%llu", (int)name->name_bytes, name->name,
                           (unsigned long long)name->line);
    append(data, text, (size_t)n);
    return MR_OK;
}

/* Finds `words`, divided by blanks, behind `n_before` names that are no page. Returns "PAGE/N:TAG
 * ..." of pages, hosts and domains, where TAG is the number of the word and N the number of its
 * pages, and "!WORD@LINE" of the others. */
static void find_behind(struct fixture *f, unsigned n_before, const char *words)
{
    struct mr_page_names *finder = NULL;
    const struct mr_page_place place = {.names = f->names, .info = mr_store_get_info(f->store)};
    assert_int_equal(mr_page_names_open(&f->t.context, &place, take, miss, f, &finder, NULL),
                     MR_OK);
    for (unsigned i = 0; i < n_before; i++) {
        const struct mr_row name = {.name = "no:page", .name_bytes = 7};
        assert_int_equal(mr_page_names_add(finder, &name, NULL), MR_OK);
    }
    f->result[0] = '\0';
    for (uint64_t i = 0; *words != '\0'; i++) {
        const size_t bytes = strcspn(words, " ");
        const struct mr_row name = {
            .name = words, .name_bytes = bytes, .line = 10 + i, .tag = i, .values = {1}};
        assert_int_equal(mr_page_names_add(finder, &name, NULL), MR_OK);
        words += bytes + (words[bytes] == ' ');
    }
    assert_int_equal(mr_page_names_finish(finder, NULL), MR_OK);
    mr_page_names_close(finder);
}

/* The answer does not depend on how the names are found: first by lookups, then by the join. */
static const char *find(struct fixture *f, const char *words)
{
    char by_lookup[sizeof f->result];

    find_behind(f, 0, words);
    memcpy(by_lookup, f->result, sizeof by_lookup);
    find_behind(f, 64, words);
    assert_string_equal(f->result, by_lookup);
    return f->result;
}

#define STORE(f, list, canonical) make_store(f, list, sizeof(list) / sizeof(list)[0], canonical)

static void a_store_of_pages(void **state)
{
    struct fixture *f = *state;
    STORE(f, pages, &(struct mr_canonical){0});
    assert_string_equal(find(f, "http://example.com/ http://example.com"),
                        "http://example.com//1:0 http://example.com//1:1");
    assert_string_equal(find(f, "HTTP://EXAMPLE.com HTTP://EXAMPLE.com/A"),
                        "http://example.com//1:0 !HTTP://EXAMPLE.com/A@11");
    assert_string_equal(find(f, "www.example.org"),
                        "https://www.example.org/1/2:0 http://www.example.org/2/2:0");
    /* The host of this name, not the hosts below it, whatever its port and its case. */
    assert_string_equal(find(f, "EXAMPLE.org"), "http://Example.org:81/a/1:0");
    assert_string_equal(find(f, "*.example.org"),
                        "http://Example.org:81/a/3:0 https://www.example.org/1/3:0 "
                        "http://www.example.org/2/3:0");
    assert_string_equal(find(f, "org.example.*"),
                        "http://Example.org:81/a/3:0 https://www.example.org/1/3:0 "
                        "http://www.example.org/2/3:0");
    assert_string_equal(find(f, "org.example.www"),
                        "https://www.example.org/1/2:0 http://www.example.org/2/2:0");
    /* A public suffix is no domain; hosts that are written the usual way win. */
    assert_string_equal(find(f, "co.uk org b.example.com com.example"),
                        "http://com.example//1:3 !co.uk@10 !org@11 !b.example.com@12");
    assert_string_equal(find(f, "*.b.example.com"), "http://a.b.example.com//1:0");
    assert_string_equal(find(f, "1.0.0.127 127.0.0.1 :81 mailto:x"),
                        "!:81@12 !mailto:x@13 http://127.0.0.1//1:1 !1.0.0.127@10");
    assert_string_equal(find(f, "example.net net.example *. .* . *.. *"),
                        "!example.net@10 !net.example@11 !*.@12 !.*@13 !.@14 !*..@15 !*@16");
    /* Two names may mean the same page. */
    assert_string_equal(find(f, "uk.co.example example.co.uk"),
                        "http://example.co.uk//1:1 http://example.co.uk//1:0");
}

static void a_domain_without_a_host_of_its_name(void **state)
{
    static const char *const names[] = {"http://a.example.co.uk/", "http://b.example.co.uk/"};
    struct fixture *f = *state;
    STORE(f, names, &(struct mr_canonical){0});
    const char *const both = "http://a.example.co.uk//2:0 http://b.example.co.uk//2:0";
    assert_string_equal(find(f, "example.co.uk"), both);
    assert_string_equal(find(f, "uk.co.example"), both);
    assert_string_equal(find(f, "co.uk"), "!co.uk@10");
}

static void a_store_with_a_profile(void **state)
{
    struct fixture *f = *state;
    static const char *const names[] = {"com,example)/", "org,example)/1"};
    struct mr_canonical canonical;
    assert_int_equal(mr_canonical_parse("surt", &canonical, NULL), MR_OK);
    STORE(f, names, &canonical);
    assert_string_equal(find(f, "www.example.com"), "com,example)//1:0");
    assert_string_equal(find(f, "com.example.www"), "com,example)//1:0");
    assert_string_equal(find(f, "*.Example.ORG"), "org,example)/1/1:0");
}

static void a_store_of_hosts(void **state)
{
    struct fixture *f = *state;
    STORE(f, hosts, &(struct mr_canonical){.reversed_hosts = true});
    assert_string_equal(find(f, "org.example"), "org.example/1:0");
    assert_string_equal(find(f, "example.org"), "org.example/1:0");
    assert_string_equal(find(f, "example.com"), "com.example.www/1:0");
    assert_string_equal(find(f, "com.example"), "com.example.www/1:0");
    assert_string_equal(find(f, "*.example.org"), "org.example/2:0 org.example.www/2:0");
    assert_string_equal(find(f, "shop.co.uk http://example.org/"),
                        "!http://example.org/@11 uk.co.shop.cdn/1:0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_store_of_pages, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_domain_without_a_host_of_its_name, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_store_with_a_profile, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_store_of_hosts, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
