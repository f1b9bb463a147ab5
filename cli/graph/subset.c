/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a list of names, the name of a host or the wish for the largest component into a set of
 * vertices. export.c writes only these vertices, graph.c ranks only these. A host needs a walk over
 * all names, because its pages are neighbours only in the order of names. */
#include "cli/graph/subset.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "algorithms/components/components.h"
#include "formats/pages/page_list.h"

enum mr_status mr_subset_of_list(struct mr_vertex_set *subset, const struct mr_context *context,
                                 struct mr_names *names, const struct mr_store_info *info,
                                 uint64_t max_unknown, const char *path, struct mr_error *err)
{
    struct mr_page_list list = {0};
    enum mr_status status = mr_vertex_set_create(context, info->n_vertices, subset, err);

    if (status == MR_OK) {
        status = mr_page_list_read(context, &path, 1, NULL, names, info, MR_FETCH_WANTS_PAGES, 0,
                                   max_unknown, &list, err);
    }
    for (uint64_t i = 0; i < list.n_pages && status == MR_OK; i++) {
        mr_vertex_set_add(subset, list.pages[i]);
    }
    if (status == MR_OK) {
        mr_vertex_set_rank(subset);
    }
    mr_page_list_free(&list);
    return status;
}

/* Writes the bytes with which the keys of the host's pages begin, which are all before the path.
 * Returns how many; 0 where `host` is no host. */
static size_t host_prefix(const char *host, mr_name_key key, char *prefix)
{
    char url[MR_NAME_MAX_BYTES];
    const int bytes = snprintf(url, sizeof url, "http://%s/", host);
    const size_t length = key(url, (size_t)bytes, prefix);
    const char *end = memchr(prefix, ')', length);
    return end == NULL ? 0 : (size_t)(end - prefix) + 1;
}

enum mr_status mr_subset_of_host(struct mr_vertex_set *subset, const struct mr_context *context,
                                 struct mr_names *names, mr_name_key key, uint64_t n_vertices,
                                 const char *host, struct mr_error *err)
{
    struct mr_name_cursor *cursor = NULL;
    char *keys = NULL;
    size_t prefix_bytes = 0;

    if (key == NULL || strlen(host) > MR_NAME_MAX_BYTES / 2) {
        return mr_error_set(err, MR_ERROR_USAGE, "--host: the names of this store are not URLs");
    }
    keys = malloc(2 * (size_t)MR_NAME_KEY_MAX_BYTES);
    if (keys == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a name");
    }
    enum mr_status status = mr_vertex_set_create(context, n_vertices, subset, err);
    if (status == MR_OK) {
        prefix_bytes = host_prefix(host, key, keys);
        status = mr_name_cursor_open(names, 0, &cursor, err);
    }
    for (uint64_t v = 0; status == MR_OK && v < n_vertices; v++) {
        const char *name;
        size_t bytes;
        status = mr_name_cursor_next(cursor, &name, &bytes, err);
        if (status != MR_OK || name == NULL) {
            break;
        }
        const size_t length = key(name, bytes, keys + MR_NAME_KEY_MAX_BYTES);
        if (prefix_bytes > 0 && length >= prefix_bytes &&
            memcmp(keys, keys + MR_NAME_KEY_MAX_BYTES, prefix_bytes) == 0) {
            mr_vertex_set_add(subset, mr_name_cursor_vertex(cursor));
        }
    }
    mr_name_cursor_close(cursor);
    free(keys);
    if (status == MR_OK) {
        mr_vertex_set_rank(subset);
    }
    if (status == MR_OK && subset->n_members == 0) {
        status = mr_error_set(err, MR_ERROR_INPUT, "--host %s: the store has no page of this host",
                              host);
    }
    return status;
}

enum mr_status mr_subset_of_largest(struct mr_vertex_set *subset, const struct mr_context *context,
                                    struct mr_store *store, struct mr_names *names, bool is_strong,
                                    const char *directory, struct mr_error *err)
{
    const struct mr_components_options options = {
        .struct_size = sizeof options, .directory = directory, .only_weak = !is_strong};
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
                mr_vertex_set_add(subset, (uint32_t)v);
            }
        }
        mr_vertex_set_rank(subset);
    }
    mr_components_free(&result);
    return status;
}
