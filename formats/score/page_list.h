/* Lists of pages: names of pages or of whole hosts, one per line, as vertices; and what belongs to
 * them: hosts as numbers, times as seconds.
 *
 * Hosts are read off the sort keys of names (formats/url/surt.h): pages of one host are neighbours. */
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
    uint64_t unknown; /* of neither a page nor a host of the store; the first few are noted */
    struct mr_memory *memory;
};

/* Read all of `input`: each line is the name of a page or, where names are URLs, of a host
 * ("www.example.org"), which stands for all its pages. Blank lines and lines of '#' followed by a blank
 * or nothing are skipped. `key` is the key function of the names, NULL where they are numbers. Errors:
 * INPUT for more unknown names than `max_unknown`. Memory: a bit per page, 4 bytes per page listed.
 * One reading of the names if there is any host. */
enum mr_status mr_page_list_read(const struct mr_context *context, struct mr_input *input,
                                 struct mr_names *names, const struct mr_store_info *info,
                                 mr_name_key key, uint64_t max_unknown, struct mr_page_list *out,
                                 struct mr_error *err) MR_WARN_UNUSED;
void mr_page_list_free(struct mr_page_list *list);

/* Number the hosts: host_of[v] for v < n_vertices, from 0 in vertex order; what has no host is one by
 * itself. Errors: INPUT when the names are no text. Time: one key per name. */
enum mr_status mr_hosts_number(const struct mr_context *context, struct mr_names *names,
                               const struct mr_store_info *info, mr_name_key key, uint32_t *host_of,
                               uint32_t *n_hosts, struct mr_error *err) MR_WARN_UNUSED;

/* A time as whole seconds since 1970 in UTC, below 2^32: seconds ("1156118400", "1156118400.25"), 13 digits of
 * milliseconds, 14 or 17 digits as in crawl logs ("20060821000000", with milliseconds behind), or ISO 8601
 * ("2006-08-21", "2006-08-21T12:30:00.250Z", "2006-08-21T12:30:00+02:00"). Fractions of a second are left out.
 * False if it is none. */
bool mr_time_parse(const char *text, size_t bytes, double *seconds);

#endif
