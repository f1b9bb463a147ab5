/* SPDX-License-Identifier: Apache-2.0 */
/* Reads lists of pages: names of pages, hosts or domains, one per line, become vertices. Also
 * finds the hosts of pages. */
#ifndef MR_FORMATS_SCORE_PAGE_LIST_H
#define MR_FORMATS_SCORE_PAGE_LIST_H

#include "engine/store/store.h"
#include "formats/crawl/fetch_log.h"

/* Owned by the caller: mr_page_list_free. */
struct mr_page_list {
    uint32_t *pages; /* [n_pages], ascending, each once */
    uint64_t n_pages;
    struct mr_memory *memory;
};

/* List the pages that files name: page_marks.h. `out` is zero on failure. Memory: also a bit per
 * page of the store, and 4 bytes per listed page. */
enum mr_status mr_page_list_read(const struct mr_context *context, const char *const *files,
                                 size_t n_files, struct mr_names *names,
                                 const struct mr_store_info *info, enum mr_fetch_wanted wanted,
                                 unsigned retries, uint64_t max_unknown, struct mr_page_list *out,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* List `pages` [n_pages] and the pages with fetch facts in the store, alike. */
enum mr_status mr_page_list_add_facts(const struct mr_context *context,
                                      const struct mr_store *store, struct mr_names *names,
                                      const uint32_t *pages, uint64_t n_pages,
                                      struct mr_page_list *out,
                                      struct mr_error *err) MR_WARN_UNUSED;
void mr_page_list_free(struct mr_page_list *list);

/* Refuses standard input and pipes, for an option that reads these lists twice. */
enum mr_status mr_page_list_refuse_pipes(const char *option, const char *const *files,
                                         size_t n_files, struct mr_error *err) MR_WARN_UNUSED;

/* Set the hash of the host of each page, or of its registered domain: `hashes` [n_vertices]. A page
 * without a host has a number of its own. Errors: INPUT where names are numbers. One walk over the
 * names. */
enum mr_status mr_hosts_find(const struct mr_context *context, struct mr_names *names,
                             const struct mr_store_info *info, bool by_domain, uint64_t *hashes,
                             struct mr_error *err) MR_WARN_UNUSED;

#endif
