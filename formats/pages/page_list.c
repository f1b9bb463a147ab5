/* SPDX-License-Identifier: Apache-2.0 */
/* Reads lists of pages, hosts and domains for the commands that take them, and finds the hosts of
 * pages. Each page sets a bit; a bit per vertex makes the list ascending and free of repetitions
 * without a sort. */
#include "formats/pages/page_list.h"

#include <string.h>
#include <sys/stat.h>

#include <xxhash.h>

#include "engine/base/memory.h"
#include "engine/names/names.h"
#include "formats/url/host.h"

static const char array_name[] = "list of pages";

/* Lists the pages of `bits` if `status` is MR_OK, and frees these. */
static enum mr_status list_of(const struct mr_context *context, uint8_t *bits, uint64_t n_vertices,
                              enum mr_status status, struct mr_page_list *out, struct mr_error *err)
{
    uint64_t n = 0;

    *out = (struct mr_page_list){.memory = context->memory};
    for (uint64_t i = 0; status == MR_OK && i < n_vertices / 8 + 1; i++) {
        out->n_pages += (uint64_t)__builtin_popcount(bits[i]);
    }
    if (status == MR_OK) {
        status = mr_memory_array(context->memory, array_name, out->n_pages, &out->pages, err);
    }
    for (uint64_t v = 0; v < n_vertices && status == MR_OK; v++) {
        if (mr_page_is_marked(bits, v)) {
            out->pages[n++] = (uint32_t)v;
        }
    }
    mr_memory_free(context->memory, bits);
    if (status != MR_OK) {
        mr_page_list_free(out);
    }
    return status;
}

enum mr_status mr_page_list_read(const struct mr_context *context, const char *const *files,
                                 size_t n_files, struct mr_names *names,
                                 const struct mr_store_info *info, enum mr_fetch_wanted wanted,
                                 unsigned retries, uint64_t max_unknown, struct mr_page_list *out,
                                 struct mr_error *err)
{
    struct mr_page_marks marks = {.context = context,
                                  .place = {.names = names, .info = info},
                                  .n_pages = info->n_vertices,
                                  .wanted = wanted,
                                  .retries = retries,
                                  .max_unknown = max_unknown};

    *out = (struct mr_page_list){0};
    if (n_files == 0) {
        return MR_OK;
    }
    enum mr_status status =
        mr_memory_array(context->memory, array_name, info->n_vertices / 8 + 1, &marks.bits, err);
    if (status == MR_OK) {
        status = mr_page_marks_read(&marks, files, n_files, err);
    }
    return list_of(context, marks.bits, info->n_vertices, status, out, err);
}

enum mr_status mr_page_list_add_facts(const struct mr_context *context,
                                      const struct mr_store *store, struct mr_names *names,
                                      const uint32_t *pages, uint64_t n_pages,
                                      struct mr_page_list *out, struct mr_error *err)
{
    const uint64_t n_vertices = mr_store_get_info(store)->n_vertices;
    uint8_t *bits = NULL;

    enum mr_status status =
        mr_memory_array(context->memory, array_name, n_vertices / 8 + 1, &bits, err);
    for (uint64_t i = 0; i < n_pages && status == MR_OK; i++) {
        bits[pages[i] / 8] |= (uint8_t)(1u << pages[i] % 8);
    }
    if (status == MR_OK) {
        status = mr_page_marks_facts(context, store, names, bits, err);
    }
    return list_of(context, bits, n_vertices, status, out, err);
}

void mr_page_list_free(struct mr_page_list *list)
{
    if (list->memory != NULL) {
        mr_memory_free(list->memory, list->pages);
    }
    *list = (struct mr_page_list){0};
}

enum mr_status mr_page_list_refuse_pipes(const char *option, const char *const *files,
                                         size_t n_files, struct mr_error *err)
{
    struct stat at;

    for (size_t i = 0; i < n_files; i++) {
        if (strcmp(files[i], "-") == 0 ||
            (stat(files[i], &at) == 0 && (S_ISFIFO(at.st_mode) || S_ISSOCK(at.st_mode)))) {
            return mr_error_set(err, MR_ERROR_USAGE,
                                "%s: %s reads a list twice, and standard input and pipes can be "
                                "read only once; write the list to a file",
                                files[i], option);
        }
    }
    return MR_OK;
}

/* ---- Hosts ---- */

struct hosts {
    struct mr_host_groups *groups;
    mr_name_group group;
    uint64_t *hashes;
    char host[MR_NAME_GROUP_MAX_BYTES];
};

/* A mr_name_take. */
static enum mr_status take_host(void *data, const struct mr_name_cursor *cursor, uint64_t position,
                                const char *name, size_t bytes, struct mr_error *err)
{
    struct hosts *hosts = data;
    const uint32_t vertex = mr_name_cursor_vertex(cursor);
    const size_t n = hosts->group(hosts->groups, name, bytes, hosts->host);

    (void)position, (void)err;
    hosts->hashes[vertex] = n > 0 ? XXH3_64bits(hosts->host, n) : vertex + (uint64_t)1;
    return MR_OK;
}

enum mr_status mr_hosts_find(const struct mr_context *context, struct mr_names *names,
                             const struct mr_store_info *info, bool by_domain, uint64_t *hashes,
                             struct mr_error *err)
{
    struct mr_canonical canonical;
    struct hosts hosts = {.hashes = hashes};

    if (info->name_kind != MR_NAMES_TEXT || !mr_canonical_of(info->name_key_number, &canonical)) {
        return mr_error_set(err, MR_ERROR_INPUT,
                            "pages are called by numbers, which have no hosts; build the store "
                            "from URLs");
    }
    hosts.group = canonical.reversed_hosts ? mr_host_group_reversed : mr_host_group;
    hosts.groups = mr_host_groups_open(&canonical, by_domain ? MR_FOLD_BY_DOMAIN : MR_FOLD_BY_HOST);
    const enum mr_status status =
        hosts.groups == NULL
            ? mr_host_groups_error(err)
            : mr_names_walk(context, names, info->n_vertices, NULL, take_host, &hosts, err);
    mr_host_groups_close(hosts.groups);
    return status;
}
