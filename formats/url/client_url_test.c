/* SPDX-License-Identifier: Apache-2.0 */
/* URLs that crawlers respell: what Heritrix 3.13 (UURIFactory), Nutch 1.21 (normalizerchecker) and
 * Scrapy (w3lib 2.5; Frontera: 1.22) themselves made of this list. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "formats/url/client_url.h"

static const struct {
    const char *url, *changed_by; /* h, n, s, f */
} urls[] = {
    {"http://h.org/", ""},
    {"http://h.org/a?b=c'd", "s"},
    {"http://h.org/a[1]", "hns"},
    {"http://h.org/q?a[1]=2", "ns"},
    {"http://h.org/a|b", "ns"},
    {"http://h.org/q?a|b", "ns"},
    {"http://h.org/a^b", "hnsf"},
    {"http://h.org/q?a^b", "nsf"},
    {"http://h.org/a{b}", "hnsf"},
    {"http://h.org/q?a{b}", "nsf"},
    {"http://h.org/a`b", "hnsf"},
    {"http://h.org/q?a`b", "hnsf"},
    {"http://h.org/a\"b", "hnsf"},
    {"http://h.org/q?a\"b", "hnsf"},
    {"http://h.org/a<b>", "hnsf"},
    {"http://h.org/q?a<b>", "hnsf"},
    {"http://h.org/q?", "hnsf"},
    {"http://h.org/q?a=1&", "n"},
    {"http://h.org/q.", "n"},
    {"http://h.org./x", "h"},
    {"http://h.org/a//b", "n"},
    {"http://h.org/%7Ea", "n"},
    {"http://h.org/%c3%bc", "n"},
    {"http://h.org/\xc3\xbc", "hnsf"},
    {"http://H.org/x", "hns"},
    {"http://h.org:80/x", "hn"},
    {"http://h.org:8080/x", ""},
    {"http://h.org/x#f", "hn"},
    {"http://h.org", "hn"},
    {"http://h.org/a\\b", "hsf"},
    {"http://h.org/q?a\\b", "hsf"},
    {"http://h.org/a/../b", "hn"},
    {"http://h.org/%zz", "n"},
    {"http://u:p@h.org/x", "n"},
    {"http://h.org/a;b=c,d@e!f(g)*", ""},
    {"http://h.org/q?u=http://x.org/y", ""},
    {"http://h.org/web/http://x.org/y", "n"},
    {"http://h.org/q?a//b", "n"},
    {"ftp://h.org/x", ""},
    {"mailto:a@b.org", "hnsf"},
    {"h.org", "hnsf"},
    {"http://h.org/a%20b", ""},
    {"http://h.org/a=b&&c", "n"},
};

static void changes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
        const size_t bytes = strlen(urls[i].url);
        char found[8] = "";
        (void)snprintf(found, sizeof found, "%s%s%s%s",
                       mr_client_url_changes(&mr_urls_of_heritrix, urls[i].url, bytes) ? "h" : "",
                       mr_client_url_changes(&mr_urls_of_nutch, urls[i].url, bytes) ? "n" : "",
                       mr_client_url_changes(&mr_urls_of_scrapy, urls[i].url, bytes) ? "s" : "",
                       mr_client_url_changes(&mr_urls_of_frontera, urls[i].url, bytes) ? "f" : "");
        if (strcmp(found, urls[i].changed_by) != 0) {
            fail_msg("%s: %s, not %s", urls[i].url, found, urls[i].changed_by);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(changes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
