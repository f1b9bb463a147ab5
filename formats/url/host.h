/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts of names, and the registered domains of hosts. */
#ifndef MR_FORMATS_URL_HOST_H
#define MR_FORMATS_URL_HOST_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/names/name_groups.h"
#include "engine/store/store.h"
#include "formats/url/canonical.h"
#include "millrace/build.h"

/* Write the host of a name that `canonical` made to `host[capacity]`: without user and port, with
 * its labels in the usual order ("www.example.com"). Brackets of IPv6 and the case of letters stay.
 * Returns the length; 0 where the name has no host, or a host that does not fit. Thread-safe. */
size_t mr_host_of_name(const struct mr_canonical *canonical, const char *name, size_t name_bytes,
                       char *host, size_t capacity);

/* Refuses the names of pages in a build that has no libraries for them (-DMILLRACE_CRAWL=OFF).
 * Errors: USAGE. */
enum mr_status mr_names_check(struct mr_error *err) MR_WARN_UNUSED;

#define MR_HOST_MAX_BYTES 1024 /* no resolver accepts more than 253 */

/* The registered domain of a host, by the public suffix list that libpsl was built with:
 * "example.co.uk" for "www.example.co.uk". Where there is no registered domain (the host is an
 * address or a suffix), the result is the host itself. The result points into `host`, which must be
 * in lower case. */
bool mr_domains_are_known(void); /* false: libpsl has no list, and nobody asks for domains */
const char *mr_domain_of_host(const char *host);
/* The same by the section of the list that registries maintain (ICANN) alone, as Common Crawl folds
 * hosts: "blogspot.com" for "x.blogspot.com", which is a suffix of the private section. */
const char *mr_icann_domain_of_host(const char *host);

/* The groups that divide links into internal and external ones: a link is internal when both names
 * have the same host, or the same registered domain. Hosts are compared in lower case.
 * mr_host_group is an mr_name_group; its `data` are the groups. A name without a host forms a group
 * of its own. Open returns NULL when out of memory, or if libpsl has no list. Close takes NULL. */
struct mr_host_groups;
struct mr_host_groups *mr_host_groups_open(const struct mr_canonical *canonical,
                                           enum mr_fold_by by);
/* Records why mr_host_groups_open returned NULL: no memory, or a libpsl without a list. */
enum mr_status mr_host_groups_error(struct mr_error *err);

/* The groups by which a store divides its links, for use on another graph. NULL where the store
 * does not divide its links, or its names are of an unknown kind. Errors: RUNTIME where open
 * returns NULL. */
enum mr_status mr_host_groups_of_store(const struct mr_store_info *info,
                                       struct mr_host_groups **groups,
                                       struct mr_error *err) MR_WARN_UNUSED;
void mr_host_groups_close(struct mr_host_groups *groups);
size_t mr_host_group(void *data, const char *name, size_t name_bytes, char *out);
/* The same with the labels of the host reversed, "org.example.www": the names of a host graph,
 * whose key number is that of struct mr_canonical with reversed_hosts. */
size_t mr_host_group_reversed(void *data, const char *name, size_t name_bytes, char *out);

#endif
