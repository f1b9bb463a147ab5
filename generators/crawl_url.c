/* SPDX-License-Identifier: Apache-2.0 */
/* The URLs of a synthetic crawl, for outputs with names:
 *
 *     http://aakmcab-harbour.org/012-annual-report/07-prices.html
 *            -------         ---  ---               --
 *
 * The underlined parts make the order of URLs equal to the order of pages: consecutive runs of
 * hosts share a top-level domain, seven letters count the hosts, and two numbers of fixed width
 * count directories and pages. The words are random, so that the text compresses about as well as
 * real URLs. */
#include <assert.h>
#include <string.h>

#include "generators/crawl_internal.h"

#include "engine/base/random.h"

enum { DIRECTORY_PAGES = 32, HOST_LETTERS = 7, ABOUT_WORDS = 40 };

/* Ascending; up_to is the cumulative share of hosts, in 1/256. */
static const struct {
    char name[6];
    uint16_t up_to;
} domains[] = {{"at", 4},   {"au", 9},     {"biz", 12}, {"br", 18},  {"ca", 23},
               {"ch", 27},  {"com", 148},  {"cz", 152}, {"de", 172}, {"edu", 176},
               {"fr", 184}, {"info", 189}, {"it", 195}, {"jp", 202}, {"net", 215},
               {"nl", 221}, {"org", 236},  {"pl", 241}, {"ru", 249}, {"uk", 256}};

static const char words[64][10] = {
    "about",    "account",  "annual",  "archive", "article", "author",  "blog",    "books",
    "budget",   "calendar", "catalog", "city",    "contact", "course",  "data",    "details",
    "download", "energy",   "events",  "family",  "forum",   "garden",  "gallery", "guide",
    "harbour",  "health",   "history", "house",   "images",  "index",   "journal", "kitchen",
    "legal",    "letters",  "library", "list",    "market",  "media",   "members", "music",
    "news",     "notes",    "office",  "order",   "people",  "photos",  "prices",  "product",
    "profile",  "program",  "project", "reports", "review",  "school",  "science", "service",
    "shop",     "sport",    "summer",  "support", "travel",  "version", "weather", "winter"};

static char *put_text(char *to, const char *text)
{
    size_t bytes = strlen(text);
    memcpy(to, text, bytes);
    return to + bytes;
}

static char *put_number(char *to, uint32_t number, unsigned digits)
{
    for (unsigned i = digits; i > 0; i--) {
        to[i - 1] = (char)('0' + number % 10);
        number /= 10;
    }
    return to + digits;
}

static char *put_word(char *to, uint64_t random)
{
    return put_text(to, words[random & 63]);
}

static char *put_host(const struct mr_crawl *crawl, uint32_t host, char *to)
{
    uint64_t random = mr_random_at(crawl->key, ABOUT_WORDS, host);
    uint64_t share = ((uint64_t)host << 8) / crawl->n_hosts;
    size_t domain = 0;
    uint32_t rest = host;

    while (share >= domains[domain].up_to) {
        domain++;
    }
    for (unsigned i = HOST_LETTERS; i > 0; i--) {
        to[i - 1] = (char)('a' + rest % 26);
        rest /= 26;
    }
    to = put_text(to + HOST_LETTERS, "-");
    to = put_word(to, random);
    to = put_text(to, ".");
    return put_text(to, domains[domain].name);
}

size_t mr_crawl_url(const void *model, uint32_t page, char url[MR_GENERATOR_NAME_MAX_BYTES])
{
    const struct mr_crawl *crawl = model;
    uint32_t host = mr_crawl_host(crawl, page), local = page - crawl->starts[host];
    uint32_t directory = local / DIRECTORY_PAGES;
    char *to = put_text(url, "http://");

    assert(page < crawl->n_pages);
    to = put_host(crawl, host, to);
    to = put_text(to, "/");
    if (local > 0) {
        uint64_t about = (uint64_t)host << 32 | 1u << 16 | directory;
        uint64_t random = mr_random_at(crawl->key, ABOUT_WORDS, about);
        to = put_number(to, directory, 3);
        to = put_text(to, "-");
        to = put_word(to, random);
        to = put_text(to, "-");
        to = put_word(to, random >> 6);
        to = put_text(to, "/");
        random = mr_random_at(crawl->key, ABOUT_WORDS + 1, page);
        to = put_number(to, local % DIRECTORY_PAGES, 2);
        to = put_text(to, "-");
        to = put_word(to, random);
        if ((random >> 6 & 1) != 0) {
            to = put_text(to, "-");
            to = put_word(to, random >> 7);
        }
        to = put_text(to, ".html");
    }
    assert((size_t)(to - url) <= MR_GENERATOR_NAME_MAX_BYTES);
    return (size_t)(to - url);
}
