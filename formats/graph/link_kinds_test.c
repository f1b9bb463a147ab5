/* SPDX-License-Identifier: Apache-2.0 */
/* The words of crawlers: hops, ways, elements, types and suffixes. */
#include "formats/graph/link_kinds.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void hops_are_those_of_heritrix(void **state)
{
    (void)state;
    assert_int_equal(mr_link_kinds_of_hop('L'), MR_LINK_NAVIGATION);
    assert_int_equal(mr_link_kinds_of_hop('R'), MR_LINK_REDIRECT);
    assert_int_equal(mr_link_kinds_of_hop('E'), MR_LINK_EMBED);
    assert_int_equal(mr_link_kinds_of_hop('X'), MR_LINK_SPECULATIVE);
    assert_int_equal(mr_link_kinds_of_hop('P'), MR_LINK_PREREQUISITE);
    assert_int_equal(mr_link_kinds_of_hop('I'), MR_LINK_INFERRED);
    assert_int_equal(mr_link_kinds_of_hop('M'), MR_LINK_MANIFEST);
    assert_int_equal(mr_link_kinds_of_hop('S'), MR_LINK_SUBMIT);
    assert_int_equal(mr_link_kinds_of_hop('l'), 0);
    assert_int_equal(mr_link_kinds_of_hop('\0'), 0);
}

static unsigned way(const char *text)
{
    return mr_link_kinds_of_way(text, strlen(text));
}

static void a_way_is_of_the_kind_of_its_last_hop_but_for_redirects(void **state)
{
    (void)state;
    assert_int_equal(way(""), MR_LINK_NAVIGATION);
    assert_int_equal(way("-"), MR_LINK_NAVIGATION);
    assert_int_equal(way("EL"), MR_LINK_NAVIGATION);
    assert_int_equal(way("LLE"), MR_LINK_EMBED);
    assert_int_equal(way("R"), MR_LINK_REDIRECT);
    assert_int_equal(way("LRR"), MR_LINK_REDIRECT);
    assert_int_equal(way("LERR"), MR_LINK_EMBED);
    assert_int_equal(way("LXR"), MR_LINK_SPECULATIVE);
    assert_int_equal(way("50+LP"), MR_LINK_PREREQUISITE);
    assert_int_equal(way("50+RR"), MR_LINK_REDIRECT);
    assert_int_equal(way("L?"), 0);
}

static unsigned element(const char *text)
{
    return mr_link_kinds_of_element(text, strlen(text));
}

static void elements_are_written_in_two_ways(void **state)
{
    (void)state;
    assert_int_equal(element("a/@href"), MR_LINK_A);
    assert_int_equal(element("A@/href"), MR_LINK_A);
    assert_int_equal(element("AREA@/href"), MR_LINK_AREA);
    assert_int_equal(element("form/@ACTION"), MR_LINK_FORM);
    assert_int_equal(element("iframe/@src"), MR_LINK_IFRAME);
    assert_int_equal(element("FRAME@/src"), MR_LINK_FRAME);
    assert_int_equal(element("link/@href"), MR_LINK_LINK);
    assert_int_equal(element("IMG@/src"), MR_LINK_IMAGE);
    assert_int_equal(element("img/@srcset"), 0);
    assert_int_equal(element("=JS_MISC"), 0);
    assert_int_equal(element("option/@value-of-many-bytes"), 0);
    assert_int_equal(element(""), 0);
}

static void an_outlink_counts_by_its_context(void **state)
{
    static const struct {
        char hop;
        const char *context;
        unsigned kinds;
    } cases[] = {
        {'L', "", MR_LINK_NAVIGATION},
        {'L', "a/@href", MR_LINK_A | MR_LINK_NAVIGATION},
        {'L', "A/@HREF", MR_LINK_A | MR_LINK_NAVIGATION},
        {'L', "area/@href", MR_LINK_AREA | MR_LINK_NAVIGATION},
        {'L', "form/@action", MR_LINK_FORM | MR_LINK_NAVIGATION},
        {'E', "iframe/@src", MR_LINK_IFRAME | MR_LINK_NAVIGATION | MR_LINK_EMBED},
        {'E', "frame/@src", MR_LINK_FRAME | MR_LINK_NAVIGATION | MR_LINK_EMBED},
        {'L', "frame/@src", MR_LINK_FRAME | MR_LINK_NAVIGATION},
        {'R', "Location:", MR_LINK_REDIRECT},
        {'L', "meta/@content", MR_LINK_REDIRECT},
        {'E', "meta/@content", MR_LINK_EMBED},
        {'E', "a/@href", MR_LINK_A | MR_LINK_EMBED},
        {'E', "img/@src", MR_LINK_IMAGE | MR_LINK_EMBED},
        {'L', "img/@src", MR_LINK_IMAGE | MR_LINK_EMBED},
        {'L', "source/@srcset", MR_LINK_EMBED},
        {'L', "video/@poster", MR_LINK_EMBED},
        {'L', "option/@value", MR_LINK_SPECULATIVE},
        {'L', "param/@value", MR_LINK_SPECULATIVE},
        {'L', "=NAVLINK_MISC", MR_LINK_SPECULATIVE},
        {'L', "a/@data-href", MR_LINK_SPECULATIVE},
        {'L', "link/@href", MR_LINK_LINK | MR_LINK_SPECULATIVE},
        {'X', "a/@href", MR_LINK_SPECULATIVE},
        {'?', "a/@href", 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(
            mr_link_kinds_of_outlink(cases[i].hop, cases[i].context, strlen(cases[i].context)),
            cases[i].kinds);
    }
}

static void schemes_tell_pages_from_others(void **state)
{
    static const struct {
        const char *link;
        enum mr_link_scheme scheme;
    } cases[] = {
        {"http://a/", MR_SCHEME_PAGE},
        {"HTTPS://a/", MR_SCHEME_PAGE},
        {" ftp://a/", MR_SCHEME_PAGE},
        {"http:a", MR_SCHEME_PAGE},
        {"", MR_SCHEME_NONE},
        {"a/b:c", MR_SCHEME_NONE},
        {"//a/b", MR_SCHEME_NONE},
        {"?x:y", MR_SCHEME_NONE},
        {"1a:b", MR_SCHEME_NONE},
        {":", MR_SCHEME_NONE},
        {"httpx://a/", MR_SCHEME_OTHER},
        {"metadata://a/b", MR_SCHEME_OTHER},
        {"dns:a", MR_SCHEME_OTHER},
        {"urn:uuid:x", MR_SCHEME_OTHER},
        {"filedesc://x", MR_SCHEME_OTHER},
        {"\tmailto:a@b", MR_SCHEME_OTHER},
        {"javascript:x", MR_SCHEME_OTHER},
        {"data:,x", MR_SCHEME_OTHER},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(mr_link_scheme_of(cases[i].link, strlen(cases[i].link)), cases[i].scheme);
    }
}

static unsigned url(const char *text)
{
    return mr_link_kinds_of_url(text, strlen(text));
}

static void a_url_tells_by_its_path_what_it_is(void **state)
{
    (void)state;
    assert_int_equal(url("http://a/robots.txt"), MR_LINK_PREREQUISITE);
    assert_int_equal(url("https://a/robots.txt?x"), MR_LINK_PREREQUISITE);
    assert_int_equal(url("dns:a"), MR_LINK_PREREQUISITE);
    assert_int_equal(url("http://a/b/robots.txt"), 0);
    assert_int_equal(url("http://a/x.jpg"), MR_LINK_EMBED);
    assert_int_equal(url("http://a/b/x.min.CSS?v=1"), MR_LINK_EMBED);
    assert_int_equal(url("http://a/x.js#f"), MR_LINK_EMBED);
    assert_int_equal(url("http://a/x.woff2"), MR_LINK_EMBED);
    assert_int_equal(url("http://a/player.swf?u=/b"), MR_LINK_EMBED);
    assert_int_equal(url("http://a/wiki/File:x.jpg"), 0);
    assert_int_equal(url("http://a/show.php?f=x.jpg"), 0);
    assert_int_equal(url("http://a/x.jpg/"), 0);
    assert_int_equal(url("http://a/x.jp"), 0);
    assert_int_equal(url("http://a/x.peg"), 0);
    assert_int_equal(url("http://a/x."), 0);
    assert_int_equal(url("http://a/jpg"), 0);
    assert_int_equal(url("http://a.js"), 0);
    assert_int_equal(url("http://a.js/"), 0);
    assert_int_equal(url(""), 0);
}

static unsigned type(const char *text)
{
    return mr_link_kinds_of_type(text, strlen(text));
}

static void types_of_embeds_are_known(void **state)
{
    (void)state;
    assert_int_equal(type("image/png"), MR_LINK_EMBED);
    assert_int_equal(type("Text/CSS; charset=utf-8"), MR_LINK_EMBED);
    assert_int_equal(type("application/x-javascript"), MR_LINK_EMBED);
    assert_int_equal(type("font/woff2"), MR_LINK_EMBED);
    assert_int_equal(type("text/html"), 0);
    assert_int_equal(type("application/pdf"), 0);
    assert_int_equal(type("image"), 0);
    assert_int_equal(type("-"), 0);
}

static void wanted_is_what_one_kind_asks_for(void **state)
{
    const unsigned by_default = MR_LINKS_DEFAULT;
    (void)state;
    assert_true(mr_link_is_wanted(MR_LINK_NAVIGATION | MR_LINK_A, 0, by_default));
    assert_true(mr_link_is_wanted(MR_LINK_NAVIGATION | MR_LINK_A, 0, MR_LINK_A));
    assert_false(mr_link_is_wanted(MR_LINK_NAVIGATION | MR_LINK_AREA, 0, MR_LINK_A));
    assert_false(mr_link_is_wanted(MR_LINK_EMBED | MR_LINK_IMAGE, 0, by_default));
    assert_false(mr_link_is_wanted(0, 0, ~0u));
    /* a link to an image, however it is found */
    assert_false(mr_link_is_wanted(MR_LINK_NAVIGATION | MR_LINK_A, MR_LINK_EMBED, by_default));
    assert_false(mr_link_is_wanted(MR_LINK_REDIRECT, MR_LINK_EMBED, by_default));
    assert_true(mr_link_is_wanted(MR_LINK_NAVIGATION, MR_LINK_EMBED, MR_LINK_EMBED));
    assert_true(mr_link_is_wanted(MR_LINK_EMBED | MR_LINK_IMAGE, MR_LINK_EMBED, MR_LINK_IMAGE));
    /* a robots.txt, a failure */
    assert_false(mr_link_is_wanted(MR_LINK_NAVIGATION, MR_LINK_PREREQUISITE, by_default));
    assert_true(mr_link_is_wanted(MR_LINK_NAVIGATION, MR_LINK_PREREQUISITE, MR_LINK_PREREQUISITE));
    assert_false(mr_link_is_wanted(MR_LINK_NAVIGATION, MR_LINK_FAILED, by_default));
    assert_false(mr_link_is_wanted(MR_LINK_EMBED, MR_LINK_FAILED, by_default | MR_LINK_FAILED));
    assert_true(mr_link_is_wanted(MR_LINK_NAVIGATION, MR_LINK_FAILED, by_default | MR_LINK_FAILED));
    assert_false(mr_link_is_wanted(MR_LINK_NAVIGATION, MR_LINK_FAILED, MR_LINK_FAILED));
}

static void every_kind_has_a_name(void **state)
{
    unsigned n = 0;
    (void)state;
    while (mr_link_kind_name(n) != NULL) {
        n++;
    }
    assert_int_equal(UINT64_C(1) << n, 2 * (uint64_t)MR_LINK_FAILED);
    assert_string_equal(mr_link_kind_name(0), "a");
    assert_string_equal(mr_link_kind_name(7), "img");
    assert_string_equal(mr_link_kind_name(n - 1), "failed");
}

static void failures_are_no_answers_and_errors(void **state)
{
    (void)state;
    assert_true(mr_link_is_failure(-9998));
    assert_true(mr_link_is_failure(0));
    assert_true(mr_link_is_failure(404));
    assert_true(mr_link_is_failure(400));
    assert_false(mr_link_is_failure(399));
    assert_false(mr_link_is_failure(200));
    assert_false(mr_link_is_failure(1)); /* the status of a DNS look-up */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hops_are_those_of_heritrix),
        cmocka_unit_test(a_way_is_of_the_kind_of_its_last_hop_but_for_redirects),
        cmocka_unit_test(elements_are_written_in_two_ways),
        cmocka_unit_test(an_outlink_counts_by_its_context),
        cmocka_unit_test(schemes_tell_pages_from_others),
        cmocka_unit_test(a_url_tells_by_its_path_what_it_is),
        cmocka_unit_test(types_of_embeds_are_known),
        cmocka_unit_test(wanted_is_what_one_kind_asks_for),
        cmocka_unit_test(every_kind_has_a_name),
        cmocka_unit_test(failures_are_no_answers_and_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
