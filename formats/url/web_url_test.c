/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of links as browsers resolve them. The expected URLs follow the WHATWG URL standard; those
 * of the table are what Node.js gives, whose parser is another one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "formats/url/canonical_internal.h"
#include "formats/url/links_resolve.h"

static const char page[] = "http://u:p@b.example:8080/d/p.html?q";

/* NULL: no page. The page of the links is `page`. */
static const struct {
    const char *link, *url;
} links[] = {
    {"", "http://u:p@b.example:8080/d/p.html?q"},
    {"#f", "http://u:p@b.example:8080/d/p.html?q"},
    {"?", "http://u:p@b.example:8080/d/p.html?"},
    {"?a'b\\", "http://u:p@b.example:8080/d/p.html?a%27b\\"},
    {"x", "http://u:p@b.example:8080/d/x"},
    {" \t/x\r\ny\x01 ", "http://u:p@b.example:8080/xy"},
    {"\\x\\.\\y\\", "http://u:p@b.example:8080/x/y/"},
    {"..", "http://u:p@b.example:8080/"},
    {".%2E/%2e%2e/%2E", "http://u:p@b.example:8080/"},
    {"a/b/..", "http://u:p@b.example:8080/d/a/"},
    {"a/...", "http://u:p@b.example:8080/d/a/..."},
    {"a//../b", "http://u:p@b.example:8080/d/a/b"},
    {"http:y", "http://u:p@b.example:8080/d/y"},
    {"HTTP:/y", "http://u:p@b.example:8080/y"},
    {"http:?y", "http://u:p@b.example:8080/d/p.html?y"},
    {"http:", "http://u:p@b.example:8080/d/p.html?q"},
    {"http:///y", "http://y/"},
    {"https:y", "https://y/"},
    {"https:/y", "https://y/"},
    {"//c.example", "http://c.example/"},
    {"\\\\C.example\\x", "http://c.example/x"},
    {"///c.example/x", "http://c.example/x"},
    {"http://c.example?q#f", "http://c.example/?q"},
    {"http://c.example:80/", "http://c.example/"},
    {"https://c.example:80/", "https://c.example:80/"},
    {"ftp://c.example:21/", "ftp://c.example/"},
    {"http://c.example:00080", "http://c.example/"},
    {"http://c.example:/", "http://c.example/"},
    {"http://c.example:65536/", NULL},
    {"http://c.example:8 0/", NULL},
    {"http://a:b:c@d@c.example/", "http://a:b%3Ac%40d@c.example/"},
    {"http://a:@c.example/", "http://a@c.example/"},
    {"http://:@c.example/", "http://c.example/"},
    {"http://a@/", NULL},
    {"http://", NULL},
    {"http://b\xc3\xbc"
     "cher.example/\xc3\xbc?\xc3\xbc",
     "http://xn--bcher-kva.example/%C3%BC?%C3%BC"},
    {"http://\xef\xbc\xa5x.example/", "http://ex.example/"},
    {"http://%45x.example/%45", "http://ex.example/%45"},
    {"http://e%2fx/", NULL},
    {"http://e x/", NULL},
    {"http://\xff/", NULL},
    {"http://c.example./", "http://c.example./"},
    {"http://a..b/", "http://a..b/"},
    {"http://1.2.3/", "http://1.2.0.3/"},
    {"http://0X7F.1", "http://127.0.0.1/"},
    {"http://0x/", "http://0.0.0.0/"},
    {"http://4294967295", "http://255.255.255.255/"},
    {"http://4294967296", NULL},
    {"http://1.2.3.4.5/", NULL},
    {"http://1.2.3.09/", NULL},
    {"http://a.1/", NULL},
    {"http://a.0x1g/", "http://a.0x1g/"},
    {"http://[::FFFF:1.2.3.4]:80/", "http://[::ffff:102:304]/"},
    {"http://[1:0:0:2::3]/", "http://[1:0:0:2::3]/"},
    {"http://[::]/", "http://[::]/"},
    {"http://[::1", NULL},
    {"http://[::1]x/", NULL},
    {"/ \"<>`{}|'\x7f%zz%4", "http://u:p@b.example:8080/%20%22%3C%3E%60%7B%7D|'%7F%zz%4"},
    {"/?\"<>`{}|'", "http://u:p@b.example:8080/?%22%3C%3E`{}|%27"},
    {"/^\xff", "http://u:p@b.example:8080/%5E%FF"},
    {"a:b", NULL},
    {"mailto:x", NULL},
    {"javascript:x", NULL},
    {"file:///x", NULL},
    {"ws://c.example/", NULL},
    {":x", "http://u:p@b.example:8080/d/:x"},
    {"1:x", "http://u:p@b.example:8080/d/1:x"},
};

static void links_are_resolved_as_in_browsers(void **state)
{
    struct mr_resolver *resolver = mr_resolver_open();
    unsigned failed = 0;

    (void)state;
    assert_non_null(resolver);
    assert_true(mr_resolver_page(resolver, page, sizeof page - 1));
    for (size_t i = 0; i < sizeof links / sizeof links[0]; i++) {
        const char *url = mr_resolver_link(resolver, links[i].link, strlen(links[i].link));
        if ((url == NULL) != (links[i].url == NULL) ||
            (url != NULL && strcmp(url, links[i].url) != 0)) {
            print_error("    link %s\nexpected %s\n     got %s\n", links[i].link,
                        links[i].url != NULL ? links[i].url : "no page",
                        url != NULL ? url : "no page");
            failed++;
        }
    }
    assert_int_equal(failed, 0);
    assert_true(mr_resolver_base(resolver, "../e/f", 6));
    assert_string_equal(mr_resolver_link(resolver, "g", 1), "http://u:p@b.example:8080/e/g");
    assert_false(mr_resolver_base(resolver, "mailto:x", 8));
    assert_string_equal(mr_resolver_link(resolver, "g", 1), "http://u:p@b.example:8080/e/g");
    assert_false(mr_resolver_page(resolver, "/x", 2));
    assert_null(mr_resolver_link(resolver, "g", 1));
    mr_resolver_close(resolver);
}

static void names_of_pages_are_spelled_like_links(void **state)
{
    struct mr_resolver *resolver = mr_resolver_open();
    static const char *const names[][2] = {
        {"HTTP://B.example:80/x y#f", "http://b.example/x%20y"},
        {"http://b.example", "http://b.example/"},
        {"urn:X", "urn:X"},
        {"gopher://B.example:80", "gopher://B.example:80"},
        {"http://a b/", "http://a b/"},
    };

    (void)state;
    assert_non_null(resolver);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const char *name = mr_resolver_name(resolver, names[i][0], strlen(names[i][0]));
        assert_string_equal(name, names[i][1]);
        assert_string_equal(mr_resolver_name(resolver, name, strlen(name)), names[i][1]);
    }
    assert_null(mr_resolver_name(resolver, "urn:\0", 5));
    mr_resolver_close(resolver);
}

/* What the quick test lets pass has to be as browsers spell it. */
static void the_quick_test_misses_no_other_spelling(void **state)
{
    static const char *const bits[] = {"http", "s",  ":",   "//", "/",   "\\", "a",  "B",
                                       ".",    "..", "%2e", "80", "@",   "[",  "::", "]",
                                       "?",    "#",  "_",   "-",  "%41", " ",  "\t", "\xc3\xbc"};
    uint64_t random = 1;
    char name[200], input[200], text[700];

    (void)state;
    for (int round = 0; round < 200000; round++) {
        size_t bytes = 0;
        for (int k = 0; k < 8; k++) {
            random = random * 6364136223846793005U + 1442695040888963407U;
            const unsigned i = k == 0 && round % 4 != 0  ? 0
                               : k == 1 && round % 4 > 1 ? 2
                               : k == 2 && round % 4 > 1 ? 3
                                                         : (unsigned)(random >> 33) % 24;
            memcpy(name + bytes, bits[i], strlen(bits[i]));
            bytes += strlen(bits[i]);
        }
        for (enum mr_web_spelling k = MR_WEB_SEGMENTS; k <= MR_WEB_HOST; k++) {
            struct mr_text given = {.data = input, .room = sizeof input};
            struct mr_web_url url = {.text = {.data = text, .room = sizeof text}};
            mr_text_set(&given, name, bytes);
            if (!mr_web_url_may_change(name, bytes, k) && memmem(name, bytes, "://", 3) != NULL &&
                memmem(name, bytes, "://http", 7) == NULL &&
                mr_web_url_parse(&given, NULL, k, &url) &&
                (url.text.bytes != bytes || memcmp(text, name, bytes) != 0)) {
                fail_msg("%.*s becomes %.*s", (int)bytes, name, (int)url.text.bytes, text);
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(links_are_resolved_as_in_browsers),
        cmocka_unit_test(names_of_pages_are_spelled_like_links),
        cmocka_unit_test(the_quick_test_misses_no_other_spelling),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
