/* SPDX-License-Identifier: Apache-2.0 */
/* Decides what of the last store an append leaves out, before it builds the next one. One bit for
 * each vertex says that its own links go, whether new links replace them or the page is gone;
 * store_edges.c then skips these links. The counts in the summary are those of sets: a link that
 * goes and comes back with the new input is kept. */
#include "engine/builder/append_old.h"

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/sort.h"
#include "engine/builder/store_edges.h"
#include "engine/scan/edges.h"
#include "engine/scan/neighbours.h"

static uint32_t position_of(const struct mr_append_pair *pair, unsigned store, uint32_t vertex)
{
    const uint32_t *vertices = pair->vertices[store];
    return vertices != NULL ? vertices[vertex] : vertex;
}

static uint64_t count_of(const struct mr_append_pair *pair, unsigned store)
{
    return mr_store_get_info(pair->stores[store])->n_vertices;
}

/* ---- Whose links go ---- */

struct fresh_pages {
    const struct mr_append_pair *pair;
    struct mr_vertex_set *fresh;
};

static enum mr_status take_degrees(void *data, uint64_t first, const uint32_t *degrees, size_t n,
                                   struct mr_error *err)
{
    const struct fresh_pages *pages = data;
    (void)err;
    for (size_t i = 0; i < n; i++) {
        if (degrees[i] > 0) {
            mr_vertex_set_add(pages->fresh, position_of(pages->pair, 1, (uint32_t)(first + i)));
        }
    }
    return MR_OK;
}

/* Finds the pages that the delta has, and those that the options call gone: these are only fresh if
 * they have links. */
static enum mr_status find_fresh(const struct mr_append_pair *pair, struct mr_vertex_set *fresh,
                                 struct mr_vertex_set *gone, struct mr_error *err)
{
    const struct mr_vertex_set *fetched = pair->options->fetched;
    struct fresh_pages pages = {.pair = pair, .fresh = fresh};

    for (uint64_t v = 0; fetched != NULL && v < fetched->n_vertices; v++) {
        if (mr_vertex_set_has(fetched, (uint32_t)v)) {
            mr_vertex_set_add(fresh, position_of(pair, 1, (uint32_t)v));
        }
    }
    for (unsigned store = 0; store < 2; store++) {
        for (uint64_t i = 0; i < pair->options->n_gone[store]; i++) { /* such as an answer 404 */
            const uint32_t at = position_of(pair, store, pair->options->gone[store][i]);
            fresh->bits[at >> 6] &= ~((uint64_t)1 << (at & 63));
            mr_vertex_set_add(gone, at);
        }
    }
    if (pair->stores[1] == NULL) {
        return MR_OK;
    }
    const enum mr_degree_kind own =
        mr_edge_giver(pair->stores[1]) == 0 ? MR_DEGREES_OUT : MR_DEGREES_IN;
    return mr_degrees_read(pair->context, pair->stores[1], own, take_degrees, &pages, err);
}

enum mr_status mr_append_old_find(const struct mr_append_pair *pair, struct mr_vertex_set *old,
                                  struct mr_vertex_set *fresh, struct mr_vertex_set *gone,
                                  struct mr_store_append_figures *summary, struct mr_error *err)
{
    const struct mr_append_options *options = pair->options;
    const uint64_t n = count_of(pair, 0);
    enum mr_status status = mr_vertex_set_create(pair->context, n, old, err);

    if (status == MR_OK) {
        status = mr_vertex_set_create(pair->context, pair->n_vertices, fresh, err);
    }
    if (status == MR_OK) {
        status = mr_vertex_set_create(pair->context, pair->n_vertices, gone, err);
    }
    if (status == MR_OK) {
        status = find_fresh(pair, fresh, gone, err);
    }
    for (uint64_t v = 0; status == MR_OK && options->replaces && v < n; v++) {
        if (mr_vertex_set_has(fresh, position_of(pair, 0, (uint32_t)v))) {
            mr_vertex_set_add(old, (uint32_t)v);
            summary->n_replaced++;
        }
    }
    for (uint64_t i = 0; status == MR_OK && i < options->n_gone[0]; i++) {
        mr_vertex_set_add(old, options->gone[0][i]);
    }
    return status;
}

/* ---- Links that go and come ---- */

/* Links of the delta as ascending keys: all, or those of one round. */
struct delta_links {
    const struct mr_append_pair *pair;
    const struct mr_vertex_set *old;
    uint64_t *keys; /* [n] of [room] */
    uint64_t n, room;
    uint64_t first, n_seen; /* of the delta: the first link of the round, and those read in it */
    /* of each position: its links in both stores, less two for each that both have; or NULL */
    uint32_t *differences;
    _Atomic uint64_t n_common;
};

static uint64_t key_of(const struct mr_append_pair *pair, unsigned store, const uint32_t link[2])
{
    return (uint64_t)position_of(pair, store, link[0]) << 32 | position_of(pair, store, link[1]);
}

/* Neighbouring threads count links of the same page. */
static void differ(const struct delta_links *links, unsigned store, const uint32_t link[2],
                   uint32_t by)
{
    if (links->differences != NULL) {
        const unsigned giver = mr_edge_giver(links->pair->stores[store]);
        const uint32_t at = position_of(links->pair, store, link[giver]);
        (void)__atomic_fetch_add(&links->differences[at], by, __ATOMIC_RELAXED);
    }
}

static enum mr_status take_delta(void *data, const uint32_t (*pairs)[2], const float *weights,
                                 size_t n_pairs, struct mr_error *err)
{
    struct delta_links *links = data;
    const bool has_loops = !mr_store_get_info(links->pair->stores[0])->self_loops_dropped;

    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        if (links->n_seen++ >= links->first && links->n < links->room) {
            links->keys[links->n++] = key_of(links->pair, 1, pairs[i]);
            differ(links, 1, pairs[i], has_loops || pairs[i][0] != pairs[i][1]);
        }
    }
    return MR_OK;
}

static bool has_key(const struct delta_links *links, uint64_t key)
{
    const uint64_t at = mr_find_u64(links->keys, links->n, key);
    return at < links->n && links->keys[at] == key;
}

static enum mr_status compare_old(void *data, const uint32_t (*pairs)[2], const float *weights,
                                  size_t n_pairs, struct mr_error *err)
{
    struct delta_links *links = data;
    const unsigned giver = mr_edge_giver(links->pair->stores[0]);
    uint64_t n = 0;

    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        if (mr_vertex_set_has(links->old, pairs[i][giver])) {
            const bool is_common = has_key(links, key_of(links->pair, 0, pairs[i]));
            differ(links, 0, pairs[i], (links->first == 0) - 2u * is_common);
            n += is_common;
        }
    }
    links->n_common += n;
    return MR_OK;
}

enum mr_status mr_append_old_in_delta(const struct mr_append_pair *pair,
                                      const struct mr_vertex_set *old, uint32_t *differences,
                                      uint64_t *n_links, struct mr_error *err)
{
    struct mr_memory *memory = pair->context->memory;
    const uint64_t n = mr_store_get_info(pair->stores[1])->n_edges;
    const uint64_t fit = mr_memory_available(memory) / 2 / sizeof(uint64_t) + 1;
    struct delta_links links = {
        .pair = pair, .old = old, .room = mr_min_u64(n, fit), .differences = differences};
    enum mr_status status =
        mr_memory_array(memory, "links of the input", links.room, &links.keys, err);

    /* the first round also counts the links that an input without links removes */
    do {
        if (status == MR_OK) {
            links.n = links.n_seen = 0;
            status = mr_edges_read(pair->context, pair->stores[1], NULL, take_delta, &links, err);
        }
        if (status == MR_OK) {
            mr_sort_u64_in_place(links.keys, links.n);
            status = mr_edges_read(pair->context, pair->stores[0],
                                   &(struct mr_scan){.by_team = true, .stage = "read"}, compare_old,
                                   &links, err);
        }
        links.first += links.room;
    } while (links.first < n && status == MR_OK);
    mr_memory_free(memory, links.keys);
    *n_links = links.n_common;
    return status;
}

/* ---- Pages without a link to them ---- */

struct linked_pages {
    const struct mr_append_pair *pair;
    unsigned store;
    const struct mr_vertex_set *old; /* of the last store */
    struct mr_vertex_set *linked; /* of both */
};

static enum mr_status mark_linked(void *data, const uint32_t (*pairs)[2], const float *weights,
                                  size_t n_pairs, struct mr_error *err)
{
    const struct linked_pages *pages = data;
    const unsigned giver = mr_edge_giver(pages->pair->stores[pages->store]);

    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t from = pairs[i][giver], to = pairs[i][1 - giver];
        if (from != to && !(pages->store == 0 && mr_vertex_set_has(pages->old, from))) {
            const uint32_t at = position_of(pages->pair, pages->store, to);
            /* neighbouring threads share words */
            (void)__atomic_fetch_or(&pages->linked->bits[at >> 6], (uint64_t)1 << (at & 63),
                                    __ATOMIC_RELAXED);
        }
    }
    return MR_OK;
}

enum mr_status mr_append_old_unlinked(const struct mr_append_pair *pair,
                                      const struct mr_vertex_set *old,
                                      const struct mr_vertex_set *fresh,
                                      struct mr_vertex_set *unlinked, uint64_t *n_unlinked,
                                      struct mr_store_append_figures *summary, struct mr_error *err)
{
    const struct mr_append_options *options = pair->options;
    struct mr_vertex_set linked = {0};
    struct linked_pages pages = {.pair = pair, .old = old, .linked = &linked};
    enum mr_status status = mr_vertex_set_create(pair->context, pair->n_vertices, unlinked, err);

    if (status == MR_OK) {
        status = mr_vertex_set_create(pair->context, pair->n_vertices, &linked, err);
    }
    for (; pages.store < 2 && status == MR_OK && options->drops_unlinked; pages.store++) {
        if (pair->stores[pages.store] != NULL) {
            status = mr_edges_read(pair->context, pair->stores[pages.store],
                                   &(struct mr_scan){.by_team = true, .stage = "read"}, mark_linked,
                                   &pages, err);
        }
    }
    *n_unlinked = 0;
    for (unsigned store = 0; store < 2 && status == MR_OK; store++) {
        for (uint64_t i = 0; i < options->n_gone[store]; i++) {
            const uint32_t at = position_of(pair, store, options->gone[store][i]);
            const bool is_gone = !mr_vertex_set_has(fresh, at);
            summary->n_gone += is_gone && store == 0;
            if (is_gone && options->drops_unlinked && !mr_vertex_set_has(&linked, at) &&
                !mr_vertex_set_has(unlinked, at)) {
                mr_vertex_set_add(unlinked, at);
                summary->n_dropped += store == 0;
                ++*n_unlinked;
            }
        }
    }
    mr_vertex_set_destroy(&linked);
    return status;
}
