/* SPDX-License-Identifier: Apache-2.0 */
/* Reads lists of pages: names of pages, hosts or domains, one per line, become vertices. Also
 * numbers the hosts of a store.
 *
 * Hosts come from the sort keys of names (formats/url/surt.h): in that order the pages of one host
 * are neighbours. */
#ifndef MR_FORMATS_SCORE_PAGE_LIST_H
#define MR_FORMATS_SCORE_PAGE_LIST_H

#include "engine/names/names.h"
#include "engine/store/store.h"
#include "formats/crawl/fetch_log.h"
#include "formats/stream/input.h"

/* Owned by the caller: mr_page_list_free. */
struct mr_page_list {
    uint32_t *pages; /* [n_pages], ascending, each once */
    uint64_t n_pages;
    uint64_t lines; /* names read */
    /* names that are no page, host or domain of the store; the first few are noted */
    uint64_t unknown;
    struct mr_memory *memory;
};

/* Read `n_files` files, which add up ("-" is standard input). Each line is the name of a page, a
 * host or a domain (formats/pages/page_names.h); of a file of a crawler, `wanted` pages count, and
 * with `retries` > 0 also pages whose fetch failed for now so often. Blank lines are skipped, and
 * lines of '#' followed by a blank or nothing. Errors: INPUT for more unknown names than
 * `max_unknown`. `out` is zero on failure. Memory: a bit per page of the store, a byte with
 * `retries`, 4 bytes per listed page, some 150 per name of a host. Time: a lookup for each of the
 * first lines, then a reading of all names for each batch of lines, and two more if the list has a
 * host. */
enum mr_status mr_page_list_read(const struct mr_context *context, const char *const *files,
                                 size_t n_files, struct mr_names *names,
                                 const struct mr_store_info *info, enum mr_fetch_wanted wanted,
                                 unsigned retries, uint64_t max_unknown, struct mr_page_list *out,
                                 struct mr_error *err) MR_WARN_UNUSED;
void mr_page_list_free(struct mr_page_list *list);

/* Number the hosts: host_of[v] for v < n_vertices, from 0 in the order of the keys. A page without
 * a host is a host of its own. Errors: INPUT when names are numbers or have no key. Time: one key
 * per name. */
enum mr_status mr_hosts_number(const struct mr_context *context, struct mr_names *names,
                               const struct mr_store_info *info, mr_name_key key, uint32_t *host_of,
                               uint32_t *n_hosts, struct mr_error *err) MR_WARN_UNUSED;

#endif
