/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of links in the files of crawlers: the element of a page that a link is in (WAT files,
 * outlinks of Heritrix), and the kind of hop by which Heritrix follows it (outlinks, crawl.log).
 *
 * A link may be of several kinds: `a/@href L` is MR_LINK_A and MR_LINK_NAVIGATION. It counts when
 * one of its kinds is wanted. MR_LINK_FAILED is the exception: a failed fetch counts only when
 * MR_LINK_FAILED is wanted, too. */
#ifndef MR_FORMATS_GRAPH_LINK_KINDS_H
#define MR_FORMATS_GRAPH_LINK_KINDS_H

#include <stdbool.h>
#include <stddef.h>

enum mr_link_kind {
    MR_LINK_A = 1,
    MR_LINK_AREA = 2,
    MR_LINK_FORM = 4,
    MR_LINK_IFRAME = 8,
    MR_LINK_FRAME = 16,
    MR_LINK_REDIRECT = 32, /* hop R, Location, meta refresh */
    MR_LINK_LINK = 64,
    MR_LINK_IMAGE = 128,
    /* hop L; in HTML and WAT files the first five kinds, and <link rel=canonical|next|prev> */
    MR_LINK_NAVIGATION = 256,
    MR_LINK_EMBED = 512, /* hop E: images, stylesheets, scripts, frames in Heritrix */
    MR_LINK_SPECULATIVE = 1024, /* hop X: text in a script that looks like a URL */
    MR_LINK_PREREQUISITE = 2048, /* hop P: robots.txt, DNS */
    MR_LINK_INFERRED = 4096, /* hop I */
    MR_LINK_MANIFEST = 8192, /* hop M: sitemaps */
    MR_LINK_SUBMIT = 16384, /* hop S: forms that the crawler filled in */
    MR_LINK_FAILED = 32768 /* the fetch failed: no answer, or a status of 400 or more */
};
#define MR_LINKS_DEFAULT ((unsigned)MR_LINK_NAVIGATION | MR_LINK_REDIRECT)
#define MR_LINKS_OF_HOPS                                                                           \
    (MR_LINKS_DEFAULT | MR_LINK_EMBED | MR_LINK_SPECULATIVE | MR_LINK_PREREQUISITE |               \
     MR_LINK_INFERRED | MR_LINK_MANIFEST | MR_LINK_SUBMIT | MR_LINK_FAILED)
#define MR_LINKS_OF_ELEMENTS                                                                       \
    ((unsigned)MR_LINK_A | MR_LINK_AREA | MR_LINK_FORM | MR_LINK_IFRAME | MR_LINK_FRAME |          \
     MR_LINK_LINK | MR_LINK_IMAGE)

/* The name of kind number `index`, whose bit is 1u << index; NULL after the last. */
const char *mr_link_kind_name(unsigned index);

/* The kind for the letter of a hop; 0 for a letter that Heritrix does not have. */
unsigned mr_link_kinds_of_hop(char hop);

/* The kind of the last hop on a page's way from the seed, given as letters ("LLE", "50+LLR"). After
 * redirects, the hop before them counts, so that the image after "LER" is an embed. A seed ("" or
 * "-") is navigation. */
unsigned mr_link_kinds_of_way(const char *way, size_t bytes);

/* The kind for an element: "a/@href" (Heritrix) or "A@/href" (WAT); 0 for any other. */
unsigned mr_link_kinds_of_element(const char *context, size_t bytes);

/* The kinds of an outlink of Heritrix by its hop and its context ("L a/@href"), which may be empty.
 * A link is navigation if a person can follow it: an element of a page, a frame or a redirect.
 * Heritrix takes the value of an <option> and other text for hop L, too; such a link is
 * SPECULATIVE. Without a context the hop decides. */
unsigned mr_link_kinds_of_outlink(char hop, const char *context, size_t bytes);

/* Where a link or a page leads by its scheme. Only http, https and ftp have pages. Archives also
 * have records of "dns:", "urn:", "metadata://" and others. */
enum mr_link_scheme {
    MR_SCHEME_NONE, /* a relative link */
    MR_SCHEME_PAGE,
    MR_SCHEME_OTHER /* also "mailto:", "javascript:" and "data:" */
};
enum mr_link_scheme mr_link_scheme_of(const char *link, size_t bytes);

/* The kinds of a <link> with this value of `rel`, NULL for none. Canonical, next and previous pages
 * are navigation; stylesheets and icons are embeds. */
unsigned mr_link_kinds_of_rel(const char *rel);

/* The kinds of a page by itself; 0: none. By its URL: PREREQUISITE for a robots.txt, EMBED for a
 * path that ends like an image, a stylesheet, a script or a font. By its Content-Type: EMBED for
 * these. */
unsigned mr_link_kinds_of_url(const char *url, size_t bytes);
unsigned mr_link_kinds_of_type(const char *type, size_t bytes);

/* Is a link of `kinds` wanted, if its target has the kinds `own` by itself? A click on an image
 * leads to an embed, whatever the element or hop of the link. */
bool mr_link_is_wanted(unsigned kinds, unsigned own, unsigned wanted);

/* Is it the status of a failed fetch? Statuses above 0 are HTTP's, the others Heritrix's. */
static inline bool mr_link_is_failure(long status)
{
    return status <= 0 || status >= 400;
}

#endif
