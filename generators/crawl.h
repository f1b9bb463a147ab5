/* A synthetic crawl of the web: what link graphs of crawls look like, at any size.
 *
 * Pages are numbered in URL order: hosts of power-law size one after the other, in each host
 * directories of neighbouring pages. Most links are navigation: a template of a few runs of pages,
 * the same on nearly every page of the host. Others are an index page's list of its directory, lists
 * copied from the page before and changed a little, long lists of hub pages, and a few links to
 * other hosts, near ones and popular ones. Some directories and hosts were never fetched: their pages
 * link to nothing (the frontier). Every page but the very first is linked to.
 *
 * Calibrated on cnr-2000 (docs/generators.md has the figures side by side). Every page's links are a
 * function of (pages, seed, page), in integer arithmetic: the same graph on any number of threads and
 * any machine. */
#ifndef MR_GENERATORS_CRAWL_H
#define MR_GENERATORS_CRAWL_H

#include "generators/generate.h"

struct mr_crawl;

struct mr_crawl_options {
    size_t struct_size; /* sizeof(struct mr_crawl_options) */
    uint64_t n_pages; /* 1..2^32 - 1 */
    uint64_t seed;
};

/* Memory: 4 bytes for each host, one for about 16 pages. Errors: USAGE for the number of pages. The
 * context outlives the crawl. Destroy takes NULL. */
enum mr_status mr_crawl_create(const struct mr_context *context,
                               const struct mr_crawl_options *options, struct mr_crawl **out,
                               struct mr_error *err) MR_WARN_UNUSED;
void mr_crawl_destroy(struct mr_crawl *crawl);

/* Its links, sources ascending and targets ascending for each, none twice: about 10 per page, 30 ns
 * each. The generator borrows the crawl; a builder for it has MR_IDS_DENSE and n_vertices =
 * n_pages. */
struct mr_generator mr_crawl_generator(const struct mr_crawl *crawl);

/* The URL of `page`, not terminated: returns its length. Ascending in SURT order (formats/url/surt.h), so
 * that a store built from URLs has the same numbers. O(log hosts); thread-safe. */
#define MR_CRAWL_URL_MAX_BYTES 128u
size_t mr_crawl_url(const struct mr_crawl *crawl, uint32_t page, char url[MR_CRAWL_URL_MAX_BYTES]);

#endif
