/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the pages that the names of a list stand for: a page, all pages of a host, or all pages of
 * a registered domain. All lists of names take these.
 *
 * A name that is a page of the store means this page. So does a URL whose scheme and host are in
 * capital letters, or that lacks the slash behind its host. Another name without a slash or a colon
 * can be a host or a domain. It means, of the following, the first one that has pages in the store:
 *
 *     1. the host of this name              www.example.org
 *     2. the registered domain              example.org
 *     3. the host, with reversed labels     org.example.www
 *     4. the domain, with reversed labels   org.example
 *
 * "*.example.org" means the host example.org and all hosts below it; so does "org.example.*".
 * Capital letters count as small ones, and the profile of the store applies to hosts as it does to
 * URLs. All of this needs a store whose names are URLs or hosts. In other stores a name is a
 * page. */
#ifndef MR_FORMATS_SCORE_PAGE_NAMES_H
#define MR_FORMATS_SCORE_PAGE_NAMES_H

#include "engine/base/context.h"
#include "engine/names/names.h"
#include "engine/store/store.h"
#include "formats/crawl/fetch_log.h"
#include "formats/url/canonical.h"

/* ---- Many names at once (page_join.c) ----
 *
 * Finds the vertices of many names at once.
 *
 * A lookup of one name decodes a block of names, 40 us, and one block for each part of a store that
 * links were appended to. The join keeps the names of a batch with hashes, walks over all names of
 * the store, and looks each one up in the batch: 0.1 us a name of the store. */

struct mr_page_join;

/* The join calls it for each name, in the order in which the names were added. `vertex` is valid if
 * the name was `found`. `name` has its text, line, tag and first value. */
typedef enum mr_status (*mr_page_join_take)(void *data, const struct mr_row *name, uint32_t vertex,
                                            bool found, struct mr_error *err);

/* Create a join. A batch takes up to `memory_bytes`: a line needs its name and some 170 bytes. All
 * arguments outlive the join. Error: BUDGET. */
enum mr_status mr_page_join_create(const struct mr_context *context, struct mr_names *names,
                                   uint64_t memory_bytes, mr_page_join_take take, void *data,
                                   struct mr_page_join **out, struct mr_error *err) MR_WARN_UNUSED;
/* Takes NULL. */
void mr_page_join_destroy(struct mr_page_join *join);

/* Add a name: its text, line, tag and first value. `other[other_bytes]` is a second spelling, which
 * counts where the store does not have the first one; 0 bytes: none. Both are copied. A full batch
 * is matched first: that reads all names of the store, or looks up each name if there are few.
 * Errors: BUDGET, those of the names and of `take`. */
enum mr_status mr_page_join_add(struct mr_page_join *join, const struct mr_row *name,
                                const char *other, size_t other_bytes,
                                struct mr_error *err) MR_WARN_UNUSED;

/* Match the last batch. Errors: as of add. */
enum mr_status mr_page_join_finish(struct mr_page_join *join, struct mr_error *err) MR_WARN_UNUSED;

struct mr_page_names;

/* `name` has the page `vertex`; it has `n_pages` in all. */
typedef enum mr_status (*mr_page_name_take)(void *data, const struct mr_row *name, uint32_t vertex,
                                            uint64_t n_pages, struct mr_error *err);
/* The store has neither a page, nor a host, nor a domain `name`. */
typedef enum mr_status (*mr_page_name_miss)(void *data, const struct mr_row *name,
                                            struct mr_error *err);

/* Names that do not stand in a store, such as those of a score file. */
typedef enum mr_status (*mr_page_visit)(void *data, const char *name, size_t bytes, uint32_t page,
                                        struct mr_error *err);
struct mr_page_source {
    void *data;
    bool (*find)(void *data, const char *name, size_t bytes, uint32_t *page);
    /* Visit all names, in any order. Called up to twice. */
    enum mr_status (*walk)(void *data, mr_page_visit visit, void *visit_data, struct mr_error *err);
};

/* The place that has the pages of names: a store, or a source. */
struct mr_page_place {
    struct mr_names *names;
    const struct mr_store_info *info; /* of the store; NULL: names are pages only, and no hosts */
    const struct mr_page_source *source; /* NULL: a store */
    const struct mr_canonical *canonical; /* made the names of the source */
};

/* `place` is copied. The caller closes `*out` before the names; close takes NULL. Error: BUDGET. */
enum mr_status mr_page_names_open(const struct mr_context *context,
                                  const struct mr_page_place *place, mr_page_name_take take,
                                  mr_page_name_miss miss, void *data, struct mr_page_names **out,
                                  struct mr_error *err) MR_WARN_UNUSED;
void mr_page_names_close(struct mr_page_names *finder);

/* What names may stand for, in messages: "page", or "page, host or domain". */
const char *mr_page_names_what(const struct mr_page_names *finder);

/* Add a name; it is copied. `take` is called for names of pages, in the order of the names, now or
 * later; `miss` for names that are neither pages nor can be hosts. The first names cost a lookup
 * each, the others share walks over all names (page_join.c). A batch of names takes up to a quarter
 * of the memory that is left. */
enum mr_status mr_page_names_add(struct mr_page_names *finder, const struct mr_row *name,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* Call it after the last name. When all names of pages are handed over, it calls `take` for each
 * page of the hosts and domains, in the order of the pages' names, then `miss` for each of these
 * that has none, in the order of the list. Hosts and domains cost two walks over all names. Errors:
 * those of the calls; RUNTIME where libpsl has no list of domains. */
enum mr_status mr_page_names_finish(struct mr_page_names *finder,
                                    struct mr_error *err) MR_WARN_UNUSED;

#endif
