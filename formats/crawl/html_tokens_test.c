/* SPDX-License-Identifier: Apache-2.0 */
/* The tags of HTML, against what the HTML standard says, for pieces of any size. The expected tags
 * were checked with html5lib. */
#include "formats/crawl/html_tokens.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { OUT_BYTES = 4096 };

struct out {
    char text[OUT_BYTES];
    size_t bytes;
    uint64_t n_tags;
};

static void take(void *data, const struct mr_html_tag *tag)
{
    struct out *out = data;

    out->n_tags++;
    for (int i = 0; i < MR_HTML_N_ATTRIBUTES; i++) {
        const struct mr_html_value *value = &tag->values[i];
        if (value->text != NULL && out->bytes + value->bytes + 32 < OUT_BYTES) {
            assert_int_equal(value->text[value->bytes], '\0');
            out->bytes += (size_t)snprintf(out->text + out->bytes, OUT_BYTES - out->bytes, "%d:%s ",
                                           (int)tag->element, value->text);
        }
    }
}

static void tokenise(const char *html, size_t bytes, size_t piece, struct out *out)
{
    struct mr_html *tokens = mr_html_open(take, out);

    assert_non_null(tokens);
    memset(out, 0, sizeof *out);
    mr_html_begin(tokens);
    for (size_t at = 0; at < bytes; at += piece) {
        mr_html_feed(tokens, html + at, bytes - at < piece ? bytes - at : piece);
    }
    mr_html_close(tokens);
}

#define A "1:"

static const struct {
    const char *html, *tags;
} cases[] = {
    /* quotes, case, blanks, no quotes */
    {"<a href=x>", A "x "},
    {"<A\nHREF = \"x y\" href=z>", A "x y "},
    {"<a/href='x'/><a href=x/>", A "x " A "x/ "},
    {"<a href>b</a><a href=>", A " " A " "},
    {"<a =href=x href=y>", A "y "},
    {"<a href=\"x\"href=y rel=z>", A "x 1:z "},
    {"<abbr href=x><ab href=x><ax href=x></a href=x>", ""},
    /* tags that are not closed */
    {"<a href=x", ""},
    {"<a href=\"x><a href=y>", ""},
    {"a < b <a href=x> < a href=y>", A "x "},
    {"<<a href=x>", A "x "},
    {"</ a href=y><a href=x>", A "x "},
    {"<?a href=y?><a href=x>", A "x "},
    /* comments */
    {"<!-- <a href=y> --><a href=x>", A "x "},
    {"<!--><a href=x><!-- -- > <a href=y>", A "x "},
    {"<!---><a href=x>", A "x "},
    {"<!----><a href=x>", A "x "},
    {"<!-- --!><a href=x>", A "x "},
    {"<!--!><a href=y>--><a href=x>", A "x "},
    {"<!----!><a href=x>", A "x "},
    {"<!- <a href=y>z<a href=x>", A "x "},
    {"<!doctype html \"><a href=x>", A "x "},
    {"<![CDATA[<a href=y>z]]><a href=x>", A "x "},
    {"<svg><![CDATA[<a href=y>]]]><a href=x>", A "x "},
    /* text that has no tags */
    {"<title><a href=y></titles></title ><a href=x>", A "x "},
    {"<textarea><a href=y></TEXTAREA/><a href=x>", A "x "},
    {"<style><!--</style><a href=x>", A "x "},
    {"<iframe src=i><a href=y></iframe><a href=x>", "9:i " A "x "},
    {"<noscript><a href=x></noscript>", A "x "},
    {"<plaintext></plaintext><a href=y>", ""},
    {"<script src=s><a href=y></script><a href=x>", "15:s " A "x "},
    {"<script>'<!--'</script><a href=x>", A "x "},
    {"<script><!--<script></script><a href=y>--></script><a href=x>", A "x "},
    {"<script><!--<script></script></script><a href=x>", A "x "},
    {"<script><!-- <script> --> </script><a href=x>", A "x "},
    {"<script><!--><script></script><a href=x>", A "x "},
    {"<script><!-- <scripts></script><a href=x>", A "x "},
    {"<svg><title><a href=x></title></svg>", A "x "},
    {"<svg><script><a href=x></script></svg><script><a href=y></script>", A "x "},
    {"<svg/><script><a href=y></script>", ""},
    {"<svg><p><script><a href=y></script>", ""},
    {"<svg><foreignObject><style><a href=y></style></foreignObject></svg>", ""},
    /* character references */
    {"<a href='?a&amp;b&ampc&amp=d&amp'>", A "?a&b&ampc&amp=d& "},
    {"<a href='&#65;&#x42;&#67&#xx;&#;'>", A "ABC&#xx;&#; "},
    {"<a href='&eacute;&eacute&copy=1&copy2&nosuch;'>", A "%C3%A9%C3%A9&copy=1&copy2&nosuch; "},
    {"<a href='&#233;&#0;&#x110000;&#128;&#xD800;'>",
     A "%C3%A9%EF%BF%BD%EF%BF%BD%E2%82%AC%EF%BF%BD "},
    {"<a href=&quot;x&quot;>", A "\"x\" "},
    /* elements */
    {"<base href=b><area href=x><form action=f method=POST><frame src=g>",
     "4:b 2:x 7:f 7:POST 8:g "},
    {"<meta http-equiv=refresh content='0;url=x'><link rel=next href=n>",
     "13:0;url=x 13:refresh 12:n 12:next "},
};

static void tags_are_those_of_the_standard(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const size_t bytes = strlen(cases[i].html);
        for (size_t piece = 1; piece <= bytes; piece++) {
            struct out out;
            tokenise(cases[i].html, bytes, piece, &out);
            if (strcmp(out.text, cases[i].tags) != 0) {
                fail_msg("%s in pieces of %zu: \"%s\" instead of \"%s\"", cases[i].html, piece,
                         out.text, cases[i].tags);
            }
        }
    }
}

static void nul_and_long_values(void **state)
{
    (void)state;
    struct out out;
    const size_t room = 3 * (size_t)MR_HTML_TAG_BYTES;
    char *html = malloc(room);

    assert_non_null(html);
    tokenise("<a href='x\0y'>", 14, 3, &out);
    assert_string_equal(out.text, "1:x%ef%bf%bdy ");
    for (size_t bytes = MR_HTML_TAG_BYTES - 4; bytes < MR_HTML_TAG_BYTES + 4; bytes++) {
        size_t n = (size_t)snprintf(html, room, "<a rel=r href=");
        memset(html + n, 'x', bytes);
        n += bytes;
        n += (size_t)snprintf(html + n, room - n, " src='' type=t><a href=y>");
        tokenise(html, n, 4096, &out);
        assert_int_equal(out.n_tags, 2);
        assert_non_null(strstr(out.text, "1:r "));
        assert_non_null(strstr(out.text, "1:y "));
    }
    free(html);
}

/* Pages that keep other parsers busy for minutes take no longer here than others. */
static void hostile_pages_take_linear_time(void **state)
{
    (void)state;
    static const char *const units[] = {
        "<b>", "</i>",     "<",       "<!", "<!--",  "<a x",        " y1", "&",
        "<p>", "<script>", "<!--<sc", "</", "<svg>", "<a href=&lt", "-",   "<a href='&a;"};
    const size_t bytes = (size_t)8 << 20;
    char *html = malloc(bytes);
    struct out out;

    assert_non_null(html);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        const size_t unit = strlen(units[i]);
        for (size_t at = 0; at < bytes; at++) {
            html[at] = at < bytes / 8 ? "<script><a "[(at + i) % 11] : units[i][at % unit];
        }
        const clock_t begin = clock();
        tokenise(html, bytes, 4096, &out);
        assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < 8); /* sanitizers are slow */
    }
    free(html);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tags_are_those_of_the_standard),
        cmocka_unit_test(nul_and_long_values),
        cmocka_unit_test(hostile_pages_take_linear_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
