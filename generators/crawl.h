/* SPDX-License-Identifier: Apache-2.0 */
/* A synthetic crawl of the web, which has the structure of real crawls at any size.
 *
 * Pages are numbered in URL order: hosts with power-law sizes one after the other, and in each host
 * directories of neighbouring pages. Most edges are navigation: a template of a few runs of pages,
 * the same on nearly every page of the host. Other edges are an index page's list of its directory,
 * lists copied from the page before with small changes, long lists of hub pages, and a few edges to
 * near hosts and to popular hosts. Some directories and hosts were never fetched: their pages have
 * no out-edges (the frontier). Every page except the first has an in-edge.
 *
 * Calibrated on cnr-2000 (docs/generators.md compares the figures). Each page's edges are a
 * function of (pages, seed, page) in integer arithmetic, so the graph is the same on any number of
 * threads and any machine. */
#ifndef MR_GENERATORS_CRAWL_H
#define MR_GENERATORS_CRAWL_H

#include "generators/generate.h"

struct mr_crawl;

struct mr_crawl_options {
    size_t struct_size; /* sizeof(struct mr_crawl_options) */
    uint64_t n_pages; /* 1..2^32 - 1 */
    uint64_t seed;
    /* About this share of the pages has no out-edges: 0.1 to 0.8. 0: the share of the real crawl,
     * about 0.245. */
    double frontier;
};

#define MR_CRAWL_FRONTIER_LEAST 0.1
#define MR_CRAWL_FRONTIER_MOST  0.8

/* Prepares the crawl. Memory: 4 bytes per host, and about 16 pages per host. Errors: USAGE for the
 * number of pages. `context` outlives the crawl. mr_crawl_destroy takes NULL. */
enum mr_status mr_crawl_create(const struct mr_context *context,
                               const struct mr_crawl_options *options, struct mr_crawl **out,
                               struct mr_error *err) MR_WARN_UNUSED;
void mr_crawl_destroy(struct mr_crawl *crawl);

/* Its edges: sources ascend, targets of a source ascend, and no edge repeats. About 10 edges per
 * page, 30 ns per edge. The generator borrows the crawl. A builder for it has MR_IDS_DENSE and
 * n_vertices = n_pages. */
struct mr_generator mr_crawl_generator(const struct mr_crawl *crawl);

/* Writes the URL of `page`, not terminated; returns its length. URLs ascend in SURT order
 * (formats/url/surt.h), so a store built from URLs has the same vertex numbers. O(log hosts);
 * thread-safe. */
#define MR_CRAWL_URL_MAX_BYTES 128u
size_t mr_crawl_url(const struct mr_crawl *crawl, uint32_t page, char url[MR_CRAWL_URL_MAX_BYTES]);

#endif
