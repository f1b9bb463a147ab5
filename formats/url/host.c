/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts and registered domains of canonical names, and the groups that divide links into internal
 * and external ones. A build asks mr_host_group for the group of each name in turn. Pages of one
 * host follow each other in key order, so that the last host's domain is saved and libpsl is asked
 * once per host. */
#include "formats/url/host.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"

static const char *find(const char *text, size_t bytes, char c)
{
    return bytes > 0 ? memchr(text, c, bytes) : NULL;
}

/* The host of "com,example,www:80)/path". */
static size_t host_of_surt(const char *name, size_t name_bytes, char *host, size_t capacity)
{
    const char *end = find(name, name_bytes, ')');
    if (end == NULL) {
        return 0;
    }
    const char *first = memrchr(name, '@', (size_t)(end - name));
    first = first != NULL ? first + 1 : name;
    if (find(first, (size_t)(end - first), ',') != NULL) {
        const char *colon = memrchr(first, ':', (size_t)(end - first));
        end = colon != NULL ? colon : end;
    }
    size_t bytes = (size_t)(end - first), used = 0;
    if (bytes >= capacity) {
        return 0;
    }
    for (const char *stop = end; stop > first;) {
        const char *comma = memrchr(first, ',', (size_t)(stop - first));
        const char *label = comma != NULL ? comma + 1 : first;
        memcpy(host + used, label, (size_t)(stop - label));
        used += (size_t)(stop - label);
        stop = comma;
        if (comma == NULL) {
            break;
        }
        host[used++] = '.';
    }
    host[used] = '\0';
    return used;
}

/* The host of "com.example.www". */
static size_t host_reversed(const char *name, size_t name_bytes, char *host, size_t capacity)
{
    size_t used = 0;
    if (name_bytes >= capacity) {
        return 0;
    }
    for (const char *stop = name + name_bytes;;) {
        const char *dot = stop > name ? memrchr(name, '.', (size_t)(stop - name)) : NULL;
        const char *label = dot != NULL ? dot + 1 : name;
        memcpy(host + used, label, (size_t)(stop - label));
        used += (size_t)(stop - label);
        if (dot == NULL) {
            host[used] = '\0';
            return used;
        }
        host[used++] = '.';
        stop = dot;
    }
}

size_t mr_host_of_name(const struct mr_canonical *canonical, const char *name, size_t name_bytes,
                       char *host, size_t capacity)
{
    const char *end = name + name_bytes, *first = name;

    if (canonical->reversed_hosts) {
        return host_reversed(name, name_bytes, host, capacity);
    }
    if (canonical->profile == MR_CANONICAL_SURT) {
        return host_of_surt(name, name_bytes, host, capacity);
    }
    const char *mark = memmem(name, name_bytes, "://", 3);
    if (mark != NULL) {
        first = mark + 3;
    } else if (canonical->profile != MR_CANONICAL_WAYBACK) {
        return 0;
    }
    const char *stop = first;
    while (stop < end && *stop != '/' && *stop != '?' && *stop != '#') {
        stop++;
    }
    const char *at_sign = stop > first ? memrchr(first, '@', (size_t)(stop - first)) : NULL;
    first = at_sign != NULL ? at_sign + 1 : first;
    const char *bracket =
        first < stop && *first == '[' ? find(first, (size_t)(stop - first), ']') : NULL;
    const char *colon = bracket != NULL ? bracket + 1 : find(first, (size_t)(stop - first), ':');
    stop = colon != NULL ? colon : stop;
    size_t bytes = (size_t)(stop - first);
    if (bytes >= capacity) {
        return 0;
    }
    memcpy(host, first, bytes);
    host[bytes] = '\0';
    return bytes;
}

struct mr_host_groups {
    struct mr_canonical canonical;
    enum mr_fold_by by;
    char host[MR_HOST_MAX_BYTES]; /* the last host; its domain begins at `domain` */
    const char *domain;
};
_Static_assert(MR_HOST_MAX_BYTES <= MR_NAME_GROUP_MAX_BYTES, "a host names a group");

struct mr_host_groups *mr_host_groups_open(const struct mr_canonical *canonical, enum mr_fold_by by)
{
    const bool can = by == MR_FOLD_BY_HOST || mr_domains_are_known();
    struct mr_host_groups *groups = can ? calloc(1, sizeof *groups) : NULL;
    if (groups != NULL) {
        groups->canonical = *canonical;
        groups->by = by;
        groups->domain = groups->host;
    }
    return groups;
}

enum mr_status mr_host_groups_of_store(const struct mr_store_info *info,
                                       struct mr_host_groups **groups, struct mr_error *err)
{
    struct mr_canonical canonical;

    *groups = NULL;
    if (info->class_rule == MR_CLASSES_NONE ||
        !mr_canonical_of(info->name_key_number, &canonical)) {
        return MR_OK;
    }
    *groups = mr_host_groups_open(
        &canonical, info->class_rule == MR_CLASSES_BY_DOMAIN ? MR_FOLD_BY_DOMAIN : MR_FOLD_BY_HOST);
    return *groups != NULL ? MR_OK : mr_host_groups_error(err);
}

void mr_host_groups_close(struct mr_host_groups *groups)
{
    free(groups);
}

size_t mr_host_group(void *data, const char *name, size_t name_bytes, char *out)
{
    struct mr_host_groups *groups = data;
    const size_t bytes =
        mr_host_of_name(&groups->canonical, name, name_bytes, out, MR_HOST_MAX_BYTES);

    for (size_t i = 0; i < bytes; i++) {
        out[i] = mr_lower(out[i]);
    }
    if (groups->by == MR_FOLD_BY_HOST || bytes == 0) {
        return bytes;
    }
    if (strcmp(out, groups->host) != 0) { /* pages of a host come together, and libpsl is slow */
        memcpy(groups->host, out, bytes + 1);
        groups->domain = groups->by == MR_FOLD_BY_ICANN_DOMAIN
                             ? mr_icann_domain_of_host(groups->host)
                             : mr_domain_of_host(groups->host);
    }
    const size_t domain_bytes = strlen(groups->domain);
    memcpy(out, groups->domain, domain_bytes);
    return domain_bytes;
}

size_t mr_host_group_reversed(void *data, const char *name, size_t name_bytes, char *out)
{
    char host[MR_HOST_MAX_BYTES];
    const size_t bytes = mr_host_group(data, name, name_bytes, host);
    return bytes == 0 ? 0 : host_reversed(host, bytes, out, MR_HOST_MAX_BYTES);
}
