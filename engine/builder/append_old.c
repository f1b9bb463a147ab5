/* SPDX-License-Identifier: Apache-2.0 */
/* Decides what of the last store an append leaves out, before it builds the next one. One bit for
 * each vertex says that its own links go, whether new links replace them or the page is gone;
 * store_edges.c then skips these links. The counts in the summary are those of sets: a link that
 * goes and comes back with the new input is kept. */
#include "engine/builder/append_internal.h"

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/sort.h"
#include "engine/builder/store_edges.h"
#include "engine/scan/edges.h"
#include "engine/scan/neighbours.h"

static uint32_t position_of(const struct mr_append *append, unsigned store, uint32_t vertex)
{
    const uint32_t *vertices = append->vertices[store];
    return vertices != NULL ? vertices[vertex] : vertex;
}

static uint64_t count_of(const struct mr_append *append, unsigned store)
{
    return mr_store_get_info(append->stores[store])->n_vertices;
}

/* ---- Whose links go ---- */

static enum mr_status take_degrees(void *data, uint64_t first, const uint32_t *degrees,
                                   const double *strengths, size_t n, struct mr_error *err)
{
    struct mr_append *append = data;
    (void)strengths;
    (void)err;
    for (size_t i = 0; i < n; i++) {
        if (degrees[i] > 0) {
            mr_vertex_set_add(&append->fresh, position_of(append, 1, (uint32_t)(first + i)));
        }
    }
    return MR_OK;
}

/* Finds the pages that the delta has, and those that the options call gone: these are only fresh if
 * they have links. */
static enum mr_status find_fresh(struct mr_append *append, struct mr_error *err)
{
    const struct mr_append_options *options = append->options;
    const struct mr_vertex_set *fetched = options->fetched;

    for (uint64_t v = 0; fetched != NULL && v < fetched->n_vertices; v++) {
        if (mr_vertex_set_has(fetched, (uint32_t)v)) {
            mr_vertex_set_add(&append->fresh, position_of(append, 1, (uint32_t)v));
        }
    }
    for (unsigned store = 0; store < 2; store++) {
        for (uint64_t i = 0; i < options->n_gone[store]; i++) { /* such as an answer 404 */
            const uint32_t at = position_of(append, store, options->gone[store][i]);
            append->fresh.bits[at >> 6] &= ~((uint64_t)1 << (at & 63));
            mr_vertex_set_add(&append->gone, at);
        }
    }
    if (append->stores[1] == NULL) {
        return MR_OK;
    }
    const enum mr_degree_kind own =
        mr_edge_giver(append->stores[1]) == 0 ? MR_DEGREES_OUT : MR_DEGREES_IN;
    return mr_degrees_read(append->context, append->stores[1], own, take_degrees, append, err);
}

enum mr_status mr_append_old_find(struct mr_append *append, struct mr_error *err)
{
    const struct mr_append_options *options = append->options;
    const uint64_t n = count_of(append, 0);
    enum mr_status status = mr_vertex_set_create(append->context, n, &append->old, err);

    if (status == MR_OK) {
        status = mr_vertex_set_create(append->context, append->n_vertices, &append->fresh, err);
    }
    if (status == MR_OK) {
        status = mr_vertex_set_create(append->context, append->n_vertices, &append->gone, err);
    }
    if (status == MR_OK) {
        status = find_fresh(append, err);
    }
    for (uint64_t v = 0; status == MR_OK && options->replaces && v < n; v++) {
        if (mr_vertex_set_has(&append->fresh, position_of(append, 0, (uint32_t)v))) {
            mr_vertex_set_add(&append->old, (uint32_t)v);
            append->figures->n_replaced++;
        }
    }
    for (uint64_t i = 0; status == MR_OK && i < options->n_gone[0]; i++) {
        mr_vertex_set_add(&append->old, options->gone[0][i]);
    }
    return status;
}

/* ---- Links that go and come ---- */

/* Links of the delta as ascending keys: all, or those of one round. */
struct delta_links {
    const struct mr_append *append;
    uint64_t *keys; /* [n] of [room] */
    uint64_t n, room;
    uint64_t first, n_seen; /* of the delta: the first link of the round, and those read in it */
    _Atomic uint64_t n_common;
};

static uint64_t key_of(const struct mr_append *append, unsigned store, const uint32_t link[2])
{
    return (uint64_t)position_of(append, store, link[0]) << 32 |
           position_of(append, store, link[1]);
}

/* Counts the links of a page in both stores, less two for each that both have. Neighbouring threads
 * count links of the same page. */
static void differ(const struct delta_links *links, unsigned store, const uint32_t link[2],
                   uint32_t by)
{
    if (links->append->differences != NULL) {
        const unsigned giver = mr_edge_giver(links->append->stores[store]);
        const uint32_t at = position_of(links->append, store, link[giver]);
        (void)__atomic_fetch_add(&links->append->differences[at], by, __ATOMIC_RELAXED);
    }
}

static enum mr_status take_delta(void *data, const uint32_t (*pairs)[2], const float *weights,
                                 size_t n_pairs, struct mr_error *err)
{
    struct delta_links *links = data;
    const bool has_loops = !mr_store_get_info(links->append->stores[0])->self_loops_dropped;

    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        if (links->n_seen++ >= links->first && links->n < links->room) {
            links->keys[links->n++] = key_of(links->append, 1, pairs[i]);
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
    const unsigned giver = mr_edge_giver(links->append->stores[0]);
    uint64_t n = 0;

    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        if (mr_vertex_set_has(&links->append->old, pairs[i][giver])) {
            const bool is_common = has_key(links, key_of(links->append, 0, pairs[i]));
            differ(links, 0, pairs[i], (links->first == 0) - 2u * is_common);
            n += is_common;
        }
    }
    links->n_common += n;
    return MR_OK;
}

enum mr_status mr_append_old_in_delta(struct mr_append *append, struct mr_error *err)
{
    struct mr_memory *memory = append->context->memory;
    const uint64_t n = mr_store_get_info(append->stores[1])->n_edges;
    const uint64_t fit = mr_memory_available(memory) / 2 / sizeof(uint64_t) + 1;
    struct delta_links links = {.append = append, .room = mr_min_u64(n, fit)};
    enum mr_status status =
        mr_memory_array(memory, "links of the input", links.room, &links.keys, err);

    /* the first round also counts the links that an input without links removes */
    do {
        if (status == MR_OK) {
            links.n = links.n_seen = 0;
            status =
                mr_edges_read(append->context, append->stores[1], NULL, take_delta, &links, err);
        }
        if (status == MR_OK) {
            mr_sort_u64_in_place(links.keys, links.n);
            status = mr_edges_read(append->context, append->stores[0],
                                   &(struct mr_scan){.by_team = true, .stage = "read"}, compare_old,
                                   &links, err);
        }
        links.first += links.room;
    } while (links.first < n && status == MR_OK);
    mr_memory_free(memory, links.keys);
    append->n_common = links.n_common;
    return status;
}

/* ---- Pages without a link to them ---- */

static enum mr_status mark_linked(void *data, const uint32_t (*pairs)[2], const float *weights,
                                  size_t n_pairs, struct mr_error *err)
{
    const struct mr_append *append = data;
    const unsigned store = append->n_linking, giver = mr_edge_giver(append->stores[store]);

    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint32_t from = pairs[i][giver], to = pairs[i][1 - giver];
        if (from != to && !(store == 0 && mr_vertex_set_has(&append->old, from))) {
            const uint32_t at = position_of(append, store, to);
            /* neighbouring threads share words */
            (void)__atomic_fetch_or(&append->linked.bits[at >> 6], (uint64_t)1 << (at & 63),
                                    __ATOMIC_RELAXED);
        }
    }
    return MR_OK;
}

/* Is a page that the options call gone left out, for the first time? */
static bool leaves(const struct mr_append *append, uint32_t at)
{
    return append->options->drops_unlinked && !mr_vertex_set_has(&append->linked, at) &&
           !mr_vertex_set_has(&append->unlinked, at);
}

enum mr_status mr_append_old_unlinked(struct mr_append *append, struct mr_error *err)
{
    const struct mr_append_options *options = append->options;
    enum mr_status status =
        mr_vertex_set_create(append->context, append->n_vertices, &append->unlinked, err);

    if (status == MR_OK) {
        status = mr_vertex_set_create(append->context, append->n_vertices, &append->linked, err);
    }
    for (; append->n_linking < 2 && status == MR_OK && options->drops_unlinked;
         append->n_linking++) {
        if (append->stores[append->n_linking] != NULL) {
            status = mr_edges_read(append->context, append->stores[append->n_linking],
                                   &(struct mr_scan){.by_team = true, .stage = "read"}, mark_linked,
                                   append, err);
        }
    }
    for (unsigned store = 0; store < 2 && status == MR_OK; store++) {
        for (uint64_t i = 0; i < options->n_gone[store]; i++) {
            const uint32_t at = position_of(append, store, options->gone[store][i]);
            const bool is_gone = !mr_vertex_set_has(&append->fresh, at);
            append->figures->n_gone += is_gone && store == 0;
            if (is_gone && leaves(append, at)) {
                mr_vertex_set_add(&append->unlinked, at);
                append->figures->n_dropped += store == 0;
                append->n_unlinked++;
            }
        }
    }
    mr_vertex_set_destroy(&append->linked);
    return status;
}
