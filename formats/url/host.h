/* Hosts of names, and the domains that somebody registered. */
#ifndef MR_FORMATS_URL_HOST_H
#define MR_FORMATS_URL_HOST_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/names/name_groups.h"
#include "engine/store/store.h"
#include "formats/url/canonical.h"

/* The host of a name that `canonical` made, without user and port, in the order of its labels
 * ("www.example.com"; brackets of IPv6 kept; as spelled), to `host[capacity]`. Returns its length; 0
 * where the name has none, or a longer one than capacity. Thread-safe. */
size_t mr_host_of_name(const struct mr_canonical *canonical, const char *name, size_t name_bytes,
                       char *host, size_t capacity);

#define MR_HOST_MAX_BYTES 1024 /* no resolver takes more than 253 */

/* The registered domain of a host, by the public suffix list that libpsl was built with: "example.co.uk"
 * of "www.example.co.uk"; the host itself where there is none, as for numbers and for a suffix. Points
 * into `host`, which has to be lower-case. */
struct mr_domains;
struct mr_domains *mr_domains_open(void); /* NULL: libpsl has no list */
void mr_domains_close(struct mr_domains *domains);
const char *mr_domain_of_host(const struct mr_domains *domains, const char *host);

/* What tells internal links from external ones: names of one host, or with `by_domain` of one registered
 * domain. Hosts are compared in lower case. The group function is an mr_name_group; its `data` are the groups.
 * A name without a host is by itself. Open: NULL when out of memory, or libpsl has no list. Close takes NULL. */
struct mr_host_groups;
struct mr_host_groups *mr_host_groups_open(const struct mr_canonical *canonical, bool by_domain);
/* Those by which a store tells its links apart, to be told apart alike in another: NULL where it does not, and where
 * its names are of a kind that is not known here. Errors: RUNTIME where open has none. */
enum mr_status mr_host_groups_of_store(const struct mr_store_info *info,
                                       struct mr_host_groups **groups,
                                       struct mr_error *err) MR_WARN_UNUSED;
void mr_host_groups_close(struct mr_host_groups *groups);
size_t mr_host_group(void *data, const char *name, size_t name_bytes, char *out);

#endif
