/* SPDX-License-Identifier: Apache-2.0 */
/* Reads lists of pages: names of pages or of whole hosts, one per line, become vertices. Also
 * numbers the hosts of a store.
 *
 * Hosts come from the sort keys of names (formats/url/surt.h): in that order the pages of one host
 * are neighbours. */
#ifndef MR_FORMATS_SCORE_PAGE_LIST_H
#define MR_FORMATS_SCORE_PAGE_LIST_H

#include "engine/names/names.h"
#include "engine/store/store.h"
#include "formats/stream/input.h"

/* Owned by the caller: mr_page_list_free. */
struct mr_page_list {
    uint32_t *pages; /* [n_pages], ascending, each once */
    uint64_t n_pages;
    uint64_t lines; /* names read */
    /* names that are neither a page nor a host of the store; the first few are noted */
    uint64_t unknown;
    struct mr_memory *memory;
};

/* Read all of `input`. Each line is the name of a page. Where names are URLs, a line may also be
 * the name of a host ("www.example.org"), which stands for all pages of the host. Blank lines are
 * skipped, and lines of '#' followed by a blank or nothing. `key` is the key function of the names;
 * it is NULL where names are numbers. Errors: INPUT for more unknown names than `max_unknown`.
 * `out` is zero on failure. Memory: a bit per page of the store and 4 bytes per listed page. Time:
 * a lookup per line, and one reading of all names if the list has a host. */
enum mr_status mr_page_list_read(const struct mr_context *context, struct mr_input *input,
                                 struct mr_names *names, const struct mr_store_info *info,
                                 mr_name_key key, uint64_t max_unknown, struct mr_page_list *out,
                                 struct mr_error *err) MR_WARN_UNUSED;
void mr_page_list_free(struct mr_page_list *list);

/* Number the hosts: host_of[v] for v < n_vertices, from 0 in the order of the keys. A page without
 * a host is a host of its own. Errors: INPUT when names are numbers or have no key. Time: one key
 * per name. */
enum mr_status mr_hosts_number(const struct mr_context *context, struct mr_names *names,
                               const struct mr_store_info *info, mr_name_key key, uint32_t *host_of,
                               uint32_t *n_hosts, struct mr_error *err) MR_WARN_UNUSED;

#endif
