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

#include "engine/store/store.h"
#include "formats/pages/page_join.h"
#include "formats/url/canonical.h"

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
 * each, the others share walks over all names (page_join.h). A batch of names takes up to a quarter
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
