/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/url/surt.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/test_dir.h"

static char key_buffer[MR_NAME_KEY_MAX_BYTES], other_buffer[MR_NAME_KEY_MAX_BYTES];

static void expect_key(const char *name, const char *key, size_t key_bytes)
{
    size_t bytes = mr_surt_key(name, strlen(name), key_buffer);
    assert_int_equal(bytes, key_bytes);
    assert_memory_equal(key_buffer, key, bytes);
}

#define EXPECT_KEY(name, key) expect_key(name, key, sizeof(key) - 1)

static void hosts_are_reversed_and_all_else_is_kept(void **state)
{
    (void)state;
    EXPECT_KEY("https://www.Example.com:8080/a?b", "com,Example,www):8080/a?b\0\x02");
    EXPECT_KEY("http://a.b/", "b,a)/\0\0");
    EXPECT_KEY("http://a.b", "b,a)/\0\x01");
    EXPECT_KEY("http://a.b?q", "b,a)/?q\0\x01");
    EXPECT_KEY("http://a.b:/#f", "b,a):/#f\0\0");
    EXPECT_KEY("http://127.0.0.1/x", "127.0.0.1)/x\0\0");
    EXPECT_KEY("http://1.2.3/x", "3,2,1)/x\0\0");
    EXPECT_KEY("http://[::1]:80/x", "[::1]):80/x\0\0");
    EXPECT_KEY("http://b\xc3\xbc.de/", "de,b\xc3\xbc)/\0\0");
    EXPECT_KEY("ftp://u:p@h.x/f", "x,h)/f\0ftpu:p\0\0\x03\0\0\x03\x0c");
    EXPECT_KEY("http://@h/", "h)/\0http\0\0\x04\0\0\0\x0c");
    EXPECT_KEY("HTTP://h/", "h)/\0HTTP\0\0\x04\0\0\0\x04");
    EXPECT_KEY("file:///etc/x", ")/etc/x\0file\0\0\x04\0\0\0\x04");
    EXPECT_KEY("http://a..b.", ",b,,a)/\0\x01");
}

static void what_is_no_url_keeps_its_order(void **state)
{
    (void)state;
    EXPECT_KEY("", "!");
    EXPECT_KEY("example.com", "!example.com");
    EXPECT_KEY("mailto:a@b.c", "!mailto:a@b.c");
    EXPECT_KEY("http:/a/", "!http:/a/");
    EXPECT_KEY("//a/b", "!//a/b");
    EXPECT_KEY("http://a b/", "!http://a b/");
    EXPECT_KEY("http://a:80:80/", "!http://a:80:80/");
    EXPECT_KEY("http://a:8x/", "!http://a:8x/");
    EXPECT_KEY("http://[::1/", "!http://[::1/");
    EXPECT_KEY("http://[::1]80/", "!http://[::1]80/");
    EXPECT_KEY("http://a)b/", "!http://a)b/");
    EXPECT_KEY("1http://a/", "!1http://a/");
}

static int compare_keys(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    int order = memcmp(a, b, a_bytes < b_bytes ? a_bytes : b_bytes);
    return order != 0 ? order : (a_bytes > b_bytes) - (a_bytes < b_bytes);
}

static void pages_of_a_host_and_hosts_of_a_domain_are_neighbours(void **state)
{
    static const char *const sorted[] = {
        "zzz no url",
        "http://10.0.0.1/",
        "http://example.co/",
        "http://example.com/",
        "http://example.com",
        "https://example.com/",
        "http://example.com?q",
        "http://example.com/a",
        "https://example.com/a",
        "ftp://example.com/a",
        "http://user@example.com/a",
        "https://example.com/b",
        "http://example.com:8080/",
        "http://example.com:8080/a",
        "http://a.example.com/",
        "http://b.a.example.com/",
        "http://www.example.com/",
        "http://example-site.com/",
        "http://example.org/",
    };
    (void)state;
    for (size_t i = 1; i < sizeof sorted / sizeof sorted[0]; i++) {
        size_t a = mr_surt_key(sorted[i - 1], strlen(sorted[i - 1]), key_buffer);
        size_t b = mr_surt_key(sorted[i], strlen(sorted[i]), other_buffer);
        if (compare_keys(key_buffer, a, other_buffer, b) >= 0) {
            fail_msg("%s is not before %s", sorted[i - 1], sorted[i]);
        }
    }
}

/* Pieces that matter to the parser, joined at random. Many of the names differ only in a slash or a
 * port. */
static size_t random_name(uint64_t *seed, char name[256])
{
    static const char *const pieces[] = {
        "http", "https", "ftp", "://", ":",    "/",       "//",      "a",   "b",
        "com",  ".",     "..",  "@",   "u:p",  "?",       "#",       "80",  ")",
        ",",    "!",     "[",   "]",   "::1",  "1.2.3.4", "\x80q",   "%41", " ",
        "\t",   "HTTP",  "-_",  "~",   "\x01", "http://", "https://"};
    size_t used = 0, n = test_random(seed) % 9;
    for (size_t i = 0; i < n; i++) {
        uint64_t r = test_random(seed);
        if (i == 0 && r % 4 != 0) {
            r = r / 64 % 2 + 32; /* mostly URLs */
        }
        const char *piece = pieces[r % 34];
        if (test_random(seed) % 16 == 0) {
            name[used++] = '\0';
        }
        memcpy(name + used, piece, strlen(piece));
        used += strlen(piece);
    }
    return used;
}

struct entry {
    char name[256], key[300];
    size_t name_bytes, key_bytes;
};

static int by_key(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    return compare_keys(x->key, x->key_bytes, y->key, y->key_bytes);
}

static void expect_no_shared_key(mr_name_key key, size_t n)
{
    struct entry *entries = calloc(n, sizeof *entries);
    uint64_t seed = 11;
    size_t urls = 0;
    assert_non_null(entries);
    for (size_t i = 0; i < n; i++) {
        struct entry *e = &entries[i];
        e->name_bytes = random_name(&seed, e->name);
        e->key_bytes = key(e->name, e->name_bytes, e->key);
        assert_true(e->key_bytes <= e->name_bytes + 16);
        urls += e->key[0] != '!';
    }
    assert_true(urls > n / 10);
    qsort(entries, n, sizeof *entries, by_key);
    for (size_t i = 1; i < n; i++) {
        const struct entry *a = &entries[i - 1], *b = &entries[i];
        if (by_key(a, b) == 0) {
            assert_int_equal(a->name_bytes, b->name_bytes);
            assert_memory_equal(a->name, b->name, a->name_bytes);
        }
    }
    free(entries);
}

static void no_two_names_share_a_key(void **state)
{
    (void)state;
    expect_no_shared_key(mr_surt_key, 200000);
    expect_no_shared_key(mr_bare_key, 200000);
}

static void bare_hosts_are_reversed_too(void **state)
{
    size_t bytes;
    (void)state;
    bytes = mr_bare_key("a.b:8080/c?d", 12, key_buffer);
    assert_int_equal(bytes, 15);
    assert_memory_equal(key_buffer, "b,a):8080/c?d\0\x10", 15);
    bytes = mr_bare_key("http://a.b", 10, key_buffer);
    assert_int_equal(bytes, 7);
    assert_memory_equal(key_buffer, "b,a)/\0\x01", 7);
    bytes = mr_bare_key("a b", 3, key_buffer);
    assert_memory_equal(key_buffer, "!a b", bytes);
}

/* Compute the name from the key, as the proof in surt.c describes. */
static size_t name_of_key(const char *key, size_t bytes, char *name)
{
    char *to = name;
    if (key[0] == '!') {
        memcpy(name, key + 1, bytes - 1);
        return bytes - 1;
    }
    unsigned flags = (unsigned char)key[--bytes];
    const char *scheme = (flags & 2) != 0 ? "https" : "http", *userinfo = "";
    size_t scheme_bytes = strlen(scheme), userinfo_bytes = 0;
    if ((flags & 4) != 0) {
        const unsigned char *u = (const unsigned char *)key + bytes - 6;
        scheme_bytes = (size_t)u[0] << 16 | (size_t)u[1] << 8 | u[2];
        userinfo_bytes = (size_t)u[3] << 16 | (size_t)u[4] << 8 | u[5];
        bytes -= 6 + scheme_bytes + userinfo_bytes;
        scheme = key + bytes;
        userinfo = scheme + scheme_bytes;
    }
    const char *end = key + bytes - 1, *host_end = memchr(key, ')', bytes);
    memcpy(to, scheme, scheme_bytes), to += scheme_bytes;
    memcpy(to, "://", 3), to += 3;
    if ((flags & 8) != 0) {
        memcpy(to, userinfo, userinfo_bytes), to += userinfo_bytes;
        *to++ = '@';
    }
    if (key[0] == '[' || memchr(key, '.', (size_t)(host_end - key)) != NULL) {
        memcpy(to, key, (size_t)(host_end - key)), to += host_end - key;
    } else {
        for (const char *stop = host_end, *p = host_end; p >= key; p--) {
            if (p == key || p[-1] == ',') {
                memcpy(to, p, (size_t)(stop - p)), to += stop - p;
                stop = p - 1;
                if (p > key) {
                    *to++ = '.';
                }
            }
        }
    }
    const char *p = host_end + 1;
    while (*p != '/') {
        *to++ = *p++;
    }
    p += (flags & 1) != 0;
    memcpy(to, p, (size_t)(end - p)), to += end - p;
    return (size_t)(to - name);
}

static void the_name_can_be_computed_from_the_key(void **state)
{
    uint64_t seed = 12;
    char name[256], again[600];
    (void)state;
    for (size_t i = 0; i < 300000; i++) {
        size_t name_bytes = random_name(&seed, name);
        size_t key_bytes = mr_surt_key(name, name_bytes, key_buffer);
        assert_int_equal(name_of_key(key_buffer, key_bytes, again), name_bytes);
        assert_memory_equal(again, name, name_bytes);
    }
}

static void the_longest_names_fit(void **state)
{
    char *name = malloc(MR_NAME_MAX_BYTES);
    (void)state;
    assert_non_null(name);
    memset(name, 'a', MR_NAME_MAX_BYTES);
    assert_int_equal(mr_surt_key(name, MR_NAME_MAX_BYTES, key_buffer), MR_NAME_MAX_BYTES + 1);
    memcpy(name, "x://@", 5);
    assert_true(mr_surt_key(name, MR_NAME_MAX_BYTES, key_buffer) <= MR_NAME_MAX_BYTES + 16);
    memset(name + 5, '.', MR_NAME_MAX_BYTES - 5);
    assert_true(mr_surt_key(name, MR_NAME_MAX_BYTES, key_buffer) <= MR_NAME_MAX_BYTES + 16);
    free(name);
}

static void numbers_name_functions(void **state)
{
    (void)state;
    assert_true(mr_name_key_of(MR_NAME_KEY_SURT) == mr_surt_key);
    assert_true(mr_name_key_of(MR_NAME_KEY_BARE) == mr_bare_key);
    assert_true(mr_name_key_of(MR_NAME_KEY_BARE | 0x5500u) == mr_bare_key); /* the lowest bits */
    assert_true(mr_name_key_of(0) == NULL);
    assert_true(mr_name_key_of(4) == NULL);
    assert_true(mr_name_key_of(MR_NAME_KEY_HOST) == mr_host_key);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_are_reversed_and_all_else_is_kept),
        cmocka_unit_test(what_is_no_url_keeps_its_order),
        cmocka_unit_test(pages_of_a_host_and_hosts_of_a_domain_are_neighbours),
        cmocka_unit_test(no_two_names_share_a_key),
        cmocka_unit_test(bare_hosts_are_reversed_too),
        cmocka_unit_test(the_name_can_be_computed_from_the_key),
        cmocka_unit_test(the_longest_names_fit),
        cmocka_unit_test(numbers_name_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
