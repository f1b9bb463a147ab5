/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/url/host.h"
#include "formats/url/host_numbers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static void expect(const char *profile, const char *name, const char *expected)
{
    struct mr_canonical canonical;
    char host[64];
    assert_int_equal(mr_canonical_parse(profile, &canonical, NULL), MR_OK);
    size_t bytes = mr_host_of_name(&canonical, name, strlen(name), host, sizeof host);
    assert_int_equal(bytes, strlen(expected));
    assert_memory_equal(host, expected, bytes);
}

static void hosts_come_out_of_names_of_all_profiles(void **state)
{
    (void)state;
    expect("none", "http://www.example.com:80/a:b@c", "www.example.com");
    expect("heritrix", "https://u:p@a.b?x", "a.b");
    expect("none", "http://[::1]:80/", "[::1]");
    expect("none", "http://a.b", "a.b");
    expect("none", "mailto:a@b.c", "");
    expect("none", "http://", "");
    expect("none", "com.example.www", "");
    expect("wayback", "example.com:8080/a", "example.com");
    expect("wayback", "ftp.x", "ftp.x");
    expect("surt", "com,example,www)/a)", "www.example.com");
    expect("surt", "com,example:8080)/", "example.com");
    expect("surt", "localhost)/", "localhost");
    expect("surt", "::1)/", "::1");
    expect("surt", "mailto:a@b.c", "");
    const struct mr_canonical reversed = {.reversed_hosts = true};
    char host[16];
    assert_int_equal(mr_host_of_name(&reversed, "com.example.www", 15, host, 16), 15);
    assert_string_equal(host, "www.example.com");
    assert_int_equal(mr_host_of_name(&reversed, "com.example.www", 15, host, 15), 0);
    assert_int_equal(mr_host_of_name(&reversed, "museum", 6, host, 16), 6);
    assert_string_equal(host, "museum");
    expect("none", "http://a234567890123456789012345678901234567890123456789012345678901234/", "");
}

static void domains_are_those_of_the_public_suffix_list(void **state)
{
    (void)state;
    assert_true(mr_domains_are_known());
    assert_string_equal(mr_domain_of_host("www.example.co.uk"), "example.co.uk");
    assert_string_equal(mr_domain_of_host("a.b.example.com"), "example.com");
    assert_string_equal(mr_domain_of_host("example.com"), "example.com");
    assert_string_equal(mr_domain_of_host("co.uk"), "co.uk");
    assert_string_equal(mr_domain_of_host("localhost"), "localhost");
    assert_string_equal(mr_domain_of_host("192.0.2.1"), "192.0.2.1");
    assert_string_equal(mr_domain_of_host("[::1]"), "[::1]");
    assert_string_equal(mr_domain_of_host("x.y.blogspot.com"), "y.blogspot.com");
    assert_string_equal(mr_icann_domain_of_host("x.y.blogspot.com"), "blogspot.com");
    assert_string_equal(mr_icann_domain_of_host("blogspot.com"), "blogspot.com");
    assert_string_equal(mr_icann_domain_of_host("www.example.co.uk"), "example.co.uk");
    assert_string_equal(mr_icann_domain_of_host("co.uk"), "co.uk");
    assert_string_equal(mr_icann_domain_of_host("a.b.os.hordaland.no"), "b.os.hordaland.no");
    assert_string_equal(mr_icann_domain_of_host("a.hordaland.no"), "hordaland.no");
    assert_string_equal(mr_icann_domain_of_host("192.0.2.1"), "192.0.2.1");
}

static void hosts_are_numbered_in_the_order_in_which_they_come(void **state)
{
    static const char *const names[] = {"http://a.org/1", "http://b.org/", "none",
                                        "http://A.org/2", "other",         "ftp://b.org/x"};
    static const uint32_t expected[] = {0, 1, 2, 0, 2, 1};
    enum { N_NAMES = 6, N_PARTS = 2, N_HOSTS = 5000 };
    const struct mr_canonical canonical = {.profile = MR_CANONICAL_NONE};
    struct mr_host_numbers *numbers[N_PARTS];
    struct mr_memory *memory = NULL;
    uint32_t number = 0;
    (void)state;
    assert_int_equal(mr_memory_create(UINT64_MAX, &memory, NULL), MR_OK);
    assert_int_equal(
        mr_host_numbers_open(memory, &canonical, MR_FOLD_BY_HOST, 0, 1, &numbers[0], NULL), MR_OK);
    for (unsigned i = 0; i < N_NAMES; i++) {
        assert_int_equal(mr_host_number(numbers[0], names[i], strlen(names[i]), &number, NULL),
                         MR_OK);
        assert_int_equal(number, expected[i]);
    }
    assert_int_equal(mr_host_numbers_count(numbers[0]), 3);
    mr_host_numbers_close(numbers[0]);
    /* Each host is in one part, and keeps its number while the table grows. */
    for (uint32_t i = 0; i < N_PARTS; i++) {
        assert_int_equal(mr_host_numbers_open(memory, &canonical, MR_FOLD_BY_HOST, i, N_PARTS,
                                              &numbers[i], NULL),
                         MR_OK);
    }
    for (int i = 0; i < 2 * N_HOSTS; i++) {
        char name[64];
        unsigned n_parts = 0;
        const int bytes = snprintf(name, sizeof name, "http://h%d.org/%d", i % N_HOSTS, i);
        for (unsigned part = 0; part < N_PARTS; part++) {
            assert_int_equal(mr_host_number(numbers[part], name, (size_t)bytes, &number, NULL),
                             MR_OK);
            n_parts += number != MR_HOST_OTHER_PART;
        }
        assert_int_equal(n_parts, 1);
    }
    assert_int_equal(mr_host_numbers_count(numbers[0]) + mr_host_numbers_count(numbers[1]),
                     N_HOSTS);
    mr_host_numbers_close(numbers[0]);
    mr_host_numbers_close(numbers[1]);
    mr_host_numbers_close(NULL);
    mr_memory_destroy(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_come_out_of_names_of_all_profiles),
        cmocka_unit_test(domains_are_those_of_the_public_suffix_list),
        cmocka_unit_test(hosts_are_numbered_in_the_order_in_which_they_come),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
