/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a list of vertices, the name of a host or the wish for the largest component into a set.
 * export_store.c writes only these vertices, the rankings of the program rank only these. A host
 * needs a walk over all names, because these alone say where a page is. */
#include "library/query/subset.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "algorithms/components/components.h"
#include "engine/names/names.h"
#include "formats/url/host.h"

enum mr_status mr_vertices_check(const struct mr_store *store, const uint32_t *vertices, uint64_t n,
                                 struct mr_error *err)
{
    const uint64_t n_vertices = mr_store_get_info(store)->n_vertices;

    for (uint64_t i = 0; i < n; i++) {
        if (vertices[i] >= n_vertices) {
            return mr_error_set(err, MR_ERROR_USAGE, "vertex %u is not among the %llu of %s",
                                vertices[i], (unsigned long long)n_vertices, mr_store_path(store));
        }
    }
    return MR_OK;
}

enum mr_status mr_subset_of_list(struct mr_vertex_set *subset, const struct mr_context *context,
                                 const struct mr_store *store, const uint32_t *positions,
                                 const uint32_t *vertices, uint64_t n, struct mr_error *err)
{
    enum mr_status status = mr_vertices_check(store, vertices, n, err);

    if (status == MR_OK) {
        status = mr_vertex_set_create(context, mr_store_get_info(store)->n_vertices, subset, err);
    }
    for (uint64_t i = 0; i < n && status == MR_OK; i++) {
        mr_vertex_set_add(subset, positions == NULL ? vertices[i] : positions[vertices[i]]);
    }
    if (status == MR_OK) {
        mr_vertex_set_rank(subset);
    }
    return status;
}

struct host_search {
    struct mr_vertex_set *subset;
    struct mr_host_groups *groups;
    /* The host as it is, and in the form that the profile of the store gives it: "example.com" for
     * "www.example.com" with the profile heritrix, but only in names that have a path. */
    char wanted[2][MR_HOST_MAX_BYTES];
    char found[MR_HOST_MAX_BYTES];
};

static bool is_wanted(const struct host_search *search, const char *wanted, size_t n)
{
    return n > 0 && n == strlen(wanted) && memcmp(search->found, wanted, n) == 0;
}

/* A mr_name_take. */
static enum mr_status take_name(void *data, const struct mr_name_cursor *cursor, uint64_t position,
                                const char *name, size_t bytes, struct mr_error *err)
{
    struct host_search *search = data;
    const size_t n = mr_host_group(search->groups, name, bytes, search->found);

    (void)cursor, (void)err;
    if (is_wanted(search, search->wanted[0], n) || is_wanted(search, search->wanted[1], n)) {
        mr_vertex_set_add(search->subset, position);
    }
    return MR_OK;
}

/* Writes the host of "http://TEXT/x", where `text` may have a port, as mr_host_group does. */
static void read_host(const struct mr_canonical *canonical, const char *text, char *host)
{
    char url[2 * MR_HOST_MAX_BYTES], name[MR_NAME_MAX_BYTES];
    const int bytes = snprintf(url, sizeof url, "http://%s/x", text);

    *host = '\0';
    if (bytes >= 0 && (size_t)bytes < sizeof url) {
        const size_t n = mr_canonical_name(canonical, url, (size_t)bytes, name);
        host[mr_host_of_name(canonical, name, n, host, MR_HOST_MAX_BYTES)] = '\0';
    }
    for (; *host != '\0'; host++) {
        *host = (char)tolower((unsigned char)*host);
    }
}

enum mr_status mr_subset_of_host(struct mr_vertex_set *subset, const struct mr_context *context,
                                 const struct mr_store *store, struct mr_names *names,
                                 const char *host, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    struct host_search search = {.subset = subset};
    struct mr_canonical canonical;

    if (info->name_kind != MR_NAMES_TEXT || !mr_canonical_of(info->name_key_number, &canonical)) {
        return mr_error_set(err, MR_ERROR_USAGE, "--host: the names of this store are not URLs");
    }
    search.groups = mr_host_groups_open(&canonical, MR_FOLD_BY_HOST);
    if (search.groups == NULL) {
        return mr_host_groups_error(err);
    }
    read_host(&(struct mr_canonical){0}, host, search.wanted[0]);
    canonical.reversed_hosts = false; /* of names, and `host` is none */
    read_host(&canonical, host, search.wanted[1]);
    enum mr_status status = mr_vertex_set_create(context, info->n_vertices, subset, err);
    if (status == MR_OK) {
        status = mr_names_walk(context, names, info->n_vertices, NULL, take_name, &search, err);
    }
    mr_host_groups_close(search.groups);
    if (status == MR_OK) {
        mr_vertex_set_rank(subset);
    }
    return status == MR_OK && subset->n_members == 0
               ? mr_error_set(err, MR_ERROR_INPUT, "--host %s: the store has no page of this host",
                              host)
               : status;
}

enum mr_status mr_subset_of_largest(struct mr_vertex_set *subset, const struct mr_context *context,
                                    struct mr_store *store, struct mr_names *names,
                                    const uint32_t *positions, bool is_strong, struct mr_error *err)
{
    const struct mr_components_options options = {.only_weak = !is_strong};
    struct mr_components result = {0};

    enum mr_status status = mr_components_find(context, store, names, &options, &result, err);
    if (status == MR_OK) {
        status = mr_vertex_set_create(context, result.n_vertices, subset, err);
    }
    if (status == MR_OK) {
        const uint32_t *labels = is_strong ? result.strong : result.weak;
        const uint32_t largest =
            (is_strong ? &result.strong_figures : &result.weak_figures)->largest_label;
        for (uint64_t v = 0; v < result.n_vertices; v++) {
            if (labels[v] == largest) {
                mr_vertex_set_add(subset, positions == NULL ? v : positions[v]);
            }
        }
        mr_vertex_set_rank(subset);
    }
    mr_components_free(&result);
    return status;
}
