/* SPDX-License-Identifier: Apache-2.0 */
/* Reads lists of pages: names of pages, hosts or domains, one per line, become vertices. Also
 * finds the hosts of pages. */
#ifndef MR_FORMATS_SCORE_PAGE_LIST_H
#define MR_FORMATS_SCORE_PAGE_LIST_H

#include "engine/store/fetch_facts.h"
#include "engine/store/store.h"
#include "formats/crawl/fetch_log.h"
#include "formats/pages/page_names.h"

/* Owned by the caller: mr_page_list_free. */
struct mr_page_list {
    uint32_t *pages; /* [n_pages], ascending, each once */
    uint64_t n_pages;
    struct mr_memory *memory;
};

/* List the pages that files name, as mr_page_marks_read marks them. `out` is zero on failure.
 * Memory: also a bit per page of the store, and 4 bytes per listed page. */
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

/* ---- Marks (page_marks.c) ----
 *
 * Marks the pages that files name: lists of pages, hosts and domains, and what crawlers write. */

struct mr_page_marks {
    const struct mr_context *context;
    struct mr_page_place place;
    uint64_t n_pages;
    enum mr_fetch_wanted
        wanted; /* of the files of crawlers; of WANTS_TIMES other lines have times */
    unsigned retries; /* so many fetches that failed for now count as one; 0: none does */
    uint64_t max_unknown; /* how many names may be missing */
    bool drops_gone; /* pages that are gone lose their mark */
    uint8_t *bits; /* [n_pages / 8 + 1] of the caller; marks are added */
    uint32_t
        *times; /* NULL, or [n_pages] for WANTS_TIMES: the latest time in seconds, 0: not known */
};

/* Read `n_files` files, which add up ("-" is standard input). Each line is the name of a page, a
 * host or a domain (page_names.h), or a fetch of a crawler's file (fetch_log.h); name_lines.h has
 * their grammar. With `times` the newest fetch of a page
 * says whether it is gone, otherwise its last line does. Errors: INPUT for more unknown names than
 * `max_unknown`, and for a time that is none. Memory: a byte per page with `retries`, some 150 per
 * name of a host. Time: a lookup for each of the first lines, then a reading of all names for each
 * batch of lines, and two more if a list has a host. */
enum mr_status mr_page_marks_read(const struct mr_page_marks *marks, const char *const *files,
                                  size_t n_files, struct mr_error *err) MR_WARN_UNUSED;

/* Call `take` for each row of the fetch facts of `store`, with its vertex. */
typedef void (*mr_page_facts_take)(void *data, const struct mr_fetch_facts *row, uint32_t vertex);
enum mr_status mr_page_facts_read(const struct mr_context *context, const struct mr_store *store,
                                  struct mr_names *names, mr_page_facts_take take, void *data,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* Mark the pages that have fetch facts. */
enum mr_status mr_page_marks_facts(const struct mr_context *context, const struct mr_store *store,
                                   struct mr_names *names, uint8_t *bits,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* Mark the pages that have links or fetch facts. */
enum mr_status mr_page_marks_links(const struct mr_context *context, struct mr_store *store,
                                   struct mr_names *names, uint8_t *bits,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* Mark the pages that the store knows as gone, or with `unmark` take their marks away. */
enum mr_status mr_page_marks_gone(const struct mr_context *context, const struct mr_store *store,
                                  struct mr_names *names, bool unmark, uint8_t *bits,
                                  struct mr_error *err) MR_WARN_UNUSED;

static inline bool mr_page_is_marked(const uint8_t *bits, uint64_t page)
{
    return (bits[page / 8] >> page % 8 & 1) != 0;
}

#endif
