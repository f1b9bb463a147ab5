/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the names that Heritrix gives the links of a page, for warc_page.c. Heritrix spells some
 * links in a way of its own: "[" is "%5B", a bare "?" and a dot behind a host are gone, and numbers
 * of hosts and "%2e" stay.
 * Its crawl.log, its frontier and the next record of that page have that spelling. So a link that
 * the HTML and the outlinks of the metadata both have gets the name of the outlink: the one with
 * the same text, or else the first one that is the same URL when browsers resolve it and every %XX
 * is the byte that it means. */
#define XXH_INLINE_ALL
#include <string.h>
#include <xxhash.h>

#include "engine/base/bytes.h"
#include "engine/base/sort.h"
#include "formats/crawl/warc_internal.h"

static const char names_are[] = "outlinks of a page";

void mr_outlink_names_close(struct mr_outlink_names *names)
{
    if (names->memory != NULL) {
        mr_memory_free(names->memory, names->outlinks);
        mr_memory_free(names->memory, names->texts);
        mr_memory_free(names->memory, names->urls);
    }
}

enum mr_status mr_outlink_names_set(struct mr_outlink_names *names, struct mr_memory *memory,
                                    const char *metadata, size_t bytes, struct mr_error *err)
{
    const char *at = metadata, *const end = metadata + bytes;
    struct mr_span outlink;
    enum mr_status status = MR_OK;

    names->memory = memory;
    names->has_urls = false;
    names->n = 0;
    while (status == MR_OK && (outlink = mr_http_next_field(&at, end, "outlink")).text != NULL) {
        const char *blank = memchr(outlink.text, ' ', outlink.bytes);
        outlink.bytes = blank != NULL ? (size_t)(blank - outlink.text) : outlink.bytes;
        if (mr_link_scheme_of(outlink.text, outlink.bytes) != MR_SCHEME_PAGE) {
            continue; /* Heritrix's are absolute */
        }
        status = mr_memory_grow(memory, names_are, names->n + 1, &names->outlinks,
                                &names->outlinks_room, err);
        if (status == MR_OK) {
            status = mr_memory_grow(memory, names_are, names->n + 1, &names->texts,
                                    &names->texts_room, err);
        }
        if (status == MR_OK) {
            names->texts[names->n] = XXH3_64bits(outlink.text, outlink.bytes);
            names->outlinks[names->n++] = outlink;
        }
    }
    mr_sort_u64_in_place(names->texts, names->n);
    return status;
}

/* Has an outlink this text? */
static bool has_text(const struct mr_outlink_names *names, const char *url, size_t bytes)
{
    const uint64_t hash = XXH3_64bits(url, bytes);
    size_t low = 0;

    for (size_t high = names->n; low < high;) {
        const size_t middle = low + (high - low) / 2;
        if (names->texts[middle] < hash) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < names->n && names->texts[low] == hash;
}

/* The place of a dot behind the host of a URL, or `bytes`. */
static size_t dot_behind_host(const char *url, size_t bytes)
{
    const char *colon = bytes > 0 ? memchr(url, ':', bytes) : NULL;
    size_t at = colon != NULL ? (size_t)(colon - url) + 3 : bytes; /* "://" */

    while (at < bytes && memchr("/?#:", url[at], 4) == NULL) {
        at++;
    }
    return at < bytes && url[at - 1] == '.' ? at - 1 : bytes;
}

/* The hash of a URL with every %XX as its byte, and without a bare "?" and a dot behind the host.
 */
static uint64_t hash_of(struct mr_outlink_names *names, const char *url, size_t bytes)
{
    size_t n = 0;

    bytes -= bytes > 0 && url[bytes - 1] == '?';
    const size_t dot = dot_behind_host(url, bytes);
    for (size_t i = 0; i < bytes; i++) {
        if (i == dot) {
            continue;
        }
        const bool is_coded = url[i] == '%' && i + 2 < bytes && mr_hex_value(url[i + 1]) >= 0 &&
                              mr_hex_value(url[i + 2]) >= 0;
        names->text[n++] =
            is_coded ? (char)(16 * mr_hex_value(url[i + 1]) + mr_hex_value(url[i + 2])) : url[i];
        i += is_coded ? 2 : 0;
    }
    return XXH3_64bits(names->text, n);
}

/* Hashes the outlinks as URLs. */
static enum mr_status take_urls(struct mr_outlink_names *names, struct mr_resolver *resolver,
                                struct mr_error *err)
{
    const enum mr_status status =
        mr_memory_grow(names->memory, names_are, names->n, &names->urls, &names->urls_room, err);

    for (size_t i = 0; i < names->n && status == MR_OK; i++) {
        const struct mr_span outlink = names->outlinks[i];
        const char *url = outlink.bytes <= MR_NAME_MAX_BYTES
                              ? mr_resolver_link(resolver, outlink.text, outlink.bytes)
                              : NULL;
        const size_t bytes = url != NULL ? strlen(url) : 0;
        names->urls[i] = hash_of(names, url, bytes <= MR_NAME_MAX_BYTES ? bytes : 0);
    }
    names->has_urls = status == MR_OK;
    return status;
}

enum mr_status mr_outlink_names_find(struct mr_outlink_names *names, struct mr_resolver *resolver,
                                     const char **url, size_t *bytes, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    if (names->n == 0 || has_text(names, *url, *bytes)) {
        return MR_OK;
    }
    memcpy(names->url, *url, *bytes); /* the resolver uses its place again */
    *url = names->url;
    if (!names->has_urls) {
        status = take_urls(names, resolver, err);
    }
    const uint64_t hash = hash_of(names, *url, *bytes);
    for (size_t i = 0; i < names->n && status == MR_OK; i++) {
        if (names->urls[i] == hash) {
            *url = names->outlinks[i].text;
            *bytes = names->outlinks[i].bytes;
            break;
        }
    }
    return status;
}
