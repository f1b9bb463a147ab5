/* SPDX-License-Identifier: Apache-2.0 */
/* What crawl.c (edges) and crawl_url.c (URLs) share. Internal to them. */
#ifndef MR_GENERATORS_CRAWL_INTERNAL_H
#define MR_GENERATORS_CRAWL_INTERNAL_H

#include "engine/base/bytes.h"
#include "generators/generate.h"

struct mr_crawl {
    const struct mr_context *context;
    uint64_t key; /* of the crawl's random numbers */
    uint32_t n_pages;
    uint32_t frontier_directory, frontier_host; /* shares of those that were never fetched */
    uint32_t density; /* of templates and lists, in 16ths of those of cnr-2000 */
    uint32_t n_hosts;
    uint32_t *starts; /* [n_hosts + 1]: the first page of each host, then n_pages */
};

/* The host of a page. */
static inline uint32_t mr_crawl_host(const struct mr_crawl *crawl, uint32_t page)
{
    uint32_t low = 0, high = crawl->n_hosts;
    MR_FIND_LAST(low, high, middle, crawl->starts[middle] <= page);
    return low;
}

/* crawl_url.c: writes the URL of a page of a struct mr_crawl (struct mr_generator's `name`). URLs
 * ascend in SURT order (formats/url/surt.h), so a store built from URLs has the same vertex
 * numbers. O(log hosts). */
size_t mr_crawl_url(const void *model, uint32_t page, char url[MR_GENERATOR_NAME_MAX_BYTES]);

#endif
