/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the vertices that a crawler fetches next: the best ones, and no more of a host or of a
 * domain than the caller says. Reads from the files of crawlers which vertices are fetched. */
#include "engine/base/bytes.h"
#include "engine/base/hash_set.h"
#include "engine/base/memory.h"
#include "formats/pages/page_list.h"
#include "formats/score/scores.h"
#include "millrace/query.h"

enum mr_status mr_fetched_read(const struct mr_context *context, struct mr_store *store,
                               struct mr_names *names, const char *const *files, size_t n_files,
                               unsigned retries, bool drop_gone, uint64_t max_unknown,
                               uint8_t *fetched, uint32_t *times, struct mr_error *err)
{
    const struct mr_page_marks marks = {.context = context,
                                        .place = {.names = names, .info = mr_store_get_info(store)},
                                        .n_pages = mr_store_get_info(store)->n_vertices,
                                        .wanted = times != NULL ? MR_FETCH_WANTS_TIMES
                                                                : MR_FETCH_WANTS_FETCHED,
                                        .retries = retries,
                                        .max_unknown = max_unknown,
                                        .drops_gone = drop_gone,
                                        .bits = fetched,
                                        .times = times};

    const enum mr_status status = mr_page_marks_read(&marks, files, n_files, err);
    return status == MR_OK ? mr_page_marks_gone(context, store, names, drop_gone, fetched, err)
                           : status;
}

/* ---- Caps ---- */

/* At most `most` vertices of a host, or of a domain; 0: any number. */
struct cap {
    unsigned most;
    uint64_t *places; /* [n_vertices]: hash of the host of each vertex */
    struct mr_hash_set hosts; /* of the vertices that were chosen */
    uint32_t *kept; /* [hosts.room] vertices of each host */
};

/* Counts a vertex; false if its host has enough. */
static bool count_vertex(struct cap *cap, uint64_t vertex, bool counts)
{
    uint32_t host;

    if (cap->most == 0) {
        return true;
    }
    const XXH128_hash_t hash = {.low64 = cap->places[vertex]};
    host = mr_hash_set_find(&cap->hosts, hash);
    if (counts && mr_hash_set_add(&cap->hosts, hash, &host, NULL) == MR_OK) { /* it has room */
        cap->kept[host]++;
    }
    return host == MR_HASH_SET_NONE || cap->kept[host] < cap->most;
}

static enum mr_status open_cap(const struct mr_context *context, struct cap *cap, bool by_domain,
                               struct mr_names *names, const struct mr_store_info *info,
                               uint64_t most, struct mr_error *err)
{
    if (cap->most == 0) {
        return MR_OK;
    }
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("hosts of pages", info->n_vertices + 1, &cap->places),
        MR_WANTED("pages of hosts", most + 1, &cap->kept)};
    cap->hosts = (struct mr_hash_set){.memory = context->memory, .name = "pages of hosts"};
    enum mr_status status = mr_memory_arrays(context->memory, arrays, err);
    if (status == MR_OK) {
        status = mr_hash_set_reserve(&cap->hosts, most + 1, err);
    }
    return status == MR_OK ? mr_hosts_find(context, names, info, by_domain, cap->places, err)
                           : status;
}

/* ---- The choice ---- */

/* Makes `*bits`, those of `allowed` but for gone pages, if the store knows any. */
static enum mr_status leave_out_gone(const struct mr_context *context, struct mr_store *store,
                                     struct mr_names *names, const uint8_t *allowed, uint8_t **bits,
                                     struct mr_error *err)
{
    const uint64_t n_bytes = mr_store_get_info(store)->n_vertices / 8 + 1;

    if (!mr_store_get_info(store)->has_gone) {
        return MR_OK;
    }
    enum mr_status status = mr_memory_array(context->memory, "pages to fetch", n_bytes, bits, err);
    for (uint64_t i = 0; status == MR_OK && i < n_bytes; i++) {
        (*bits)[i] = allowed != NULL ? allowed[i] : UINT8_MAX;
    }
    return status == MR_OK ? mr_page_marks_gone(context, store, names, true, *bits, err) : status;
}

/* Looks at portions of growing size, because the first one suffices where no host has most
 * vertices. */
static enum mr_status choose(struct mr_memory *memory, struct cap caps[2],
                             const struct mr_score_column *column, struct mr_names *names,
                             uint64_t n_vertices, const uint8_t *allowed, uint64_t most,
                             uint32_t *vertices, uint64_t *n, struct mr_error *err)
{
    const bool has_caps = caps[0].most > 0 || caps[1].most > 0;
    enum mr_status status = MR_OK;

    for (uint64_t k = 0, room = 0;
         status == MR_OK && *n < most && k == room && room < n_vertices;) {
        struct mr_best_score *best = NULL;
        const uint64_t done = k;
        k = room = mr_min_u64(n_vertices, room > 0 ? 8 * room : has_caps ? 2 * most : most);
        status = mr_memory_array(memory, "best scores", room, &best, err);
        if (status == MR_OK) {
            status = mr_scores_best(column, names, n_vertices, allowed, best, &k, err);
        }
        for (uint64_t i = done; status == MR_OK && i < k && *n < most; i++) {
            const uint32_t vertex = best[i].vertex;
            if (count_vertex(&caps[0], vertex, false) && count_vertex(&caps[1], vertex, false)) {
                (void)count_vertex(&caps[0], vertex, true);
                (void)count_vertex(&caps[1], vertex, true);
                vertices[(*n)++] = vertex;
            }
        }
        mr_memory_free(memory, best);
    }
    return status;
}

enum mr_status mr_fetch_choose(const struct mr_context *context, struct mr_store *store,
                               struct mr_names *names, const struct mr_score_column *column,
                               const uint8_t *allowed, uint64_t most, unsigned per_host,
                               unsigned per_domain, uint32_t *vertices, uint64_t *n,
                               struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    struct cap caps[2] = {{.most = per_host}, {.most = per_domain}};
    uint8_t *without_gone = NULL;

    *n = 0;
    most = mr_min_u64(most, info->n_vertices);
    enum mr_status status = leave_out_gone(context, store, names, allowed, &without_gone, err);
    if (status == MR_OK) {
        status = open_cap(context, &caps[0], false, names, info, most, err);
    }
    if (status == MR_OK) {
        status = open_cap(context, &caps[1], true, names, info, most, err);
    }
    if (status == MR_OK) {
        status = choose(context->memory, caps, column, names, info->n_vertices,
                        without_gone != NULL ? without_gone : allowed, most, vertices, n, err);
    }
    mr_memory_free(context->memory, without_gone);
    for (unsigned i = 0; i < 2; i++) {
        mr_memory_free(context->memory, caps[i].places);
        mr_memory_free(context->memory, caps[i].kept);
        if (caps[i].most > 0) {
            mr_hash_set_free(&caps[i].hosts);
        }
    }
    return status;
}
