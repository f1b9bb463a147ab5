/* SPDX-License-Identifier: Apache-2.0 */
/* The public questions about one vertex, and the reading of all edges. The edges of a vertex are
 * found without an index: the tiles that can hold edges of the vertex are read, the others are
 * skipped (engine/scan/neighbours.h). */
#include <assert.h>
#include <stdlib.h>

#include "engine/base/memory.h"
#include "engine/base/sized_struct.h"
#include "engine/scan/edges.h"
#include "engine/scan/neighbours.h"
#include "engine/store/fetch_facts.h"
#include "library/query/subset.h"
#include "millrace/query.h"

static enum mr_status find_fetches(const struct mr_context *context, const struct mr_store *store,
                                   struct mr_vertex_facts *facts, struct mr_error *err)
{
    struct mr_fetch_facts_reader *reader = NULL;
    struct mr_fetch_facts row = {0};

    if (mr_store_get_info(store)->n_facts == 0) {
        return MR_OK;
    }
    enum mr_status status = mr_fetch_facts_open(context, store, &reader, err);
    if (status == MR_OK) {
        status = mr_fetch_facts_find(reader, facts->position, &row, err);
    }
    facts->is_gone = row.gone;
    if (status == MR_OK && row.fetches > 0) {
        facts->n_fetches = row.fetches;
        facts->first_fetch = row.first;
        facts->last_fetch = row.last;
        facts->n_compared = row.compared;
        facts->n_changes = row.changes;
    }
    mr_fetch_facts_close(reader);
    return status;
}

enum mr_status mr_vertex_describe(const struct mr_context *context, struct mr_store *store,
                                  struct mr_names *names, uint32_t vertex,
                                  struct mr_vertex_facts *facts, struct mr_error *err)
{
    struct mr_vertex_facts all = {0};
    struct mr_degrees degrees = {0};

    enum mr_status status = mr_vertices_check(store, &vertex, 1, err);
    if (status == MR_OK) {
        status = mr_names_position(names, vertex, &all.position, err);
    }
    if (status == MR_OK) {
        status = mr_vertex_degrees(context, store, vertex, &degrees, err);
    }
    if (status == MR_OK) {
        all.in_degree = degrees.in;
        all.out_degree = degrees.out;
        status = find_fetches(context, store, &all, err);
    }
    if (status == MR_OK) {
        mr_sized_give(&all, sizeof all, facts);
    }
    return status;
}

static int compare(const void *a, const void *b)
{
    const struct mr_vertex_edge *x = a, *y = b;
    return x->position != y->position ? (x->position > y->position) - (x->position < y->position)
                                      : (x->weight > y->weight) - (x->weight < y->weight);
}

enum mr_status mr_vertex_list_edges(const struct mr_context *context, struct mr_store *store,
                                    struct mr_store *weighted, struct mr_names *names,
                                    uint32_t vertex, bool incoming, struct mr_vertex_edges *out,
                                    struct mr_error *err)
{
    const enum mr_degree_kind direction = incoming ? MR_DEGREES_IN : MR_DEGREES_OUT;
    uint64_t n = 0;

    *out = (struct mr_vertex_edges){.memory = context->memory};
    enum mr_status status = mr_vertices_check(store, &vertex, 1, err);
    if (status == MR_OK) {
        status = mr_neighbours(context, store, weighted, vertex, direction, &out->items, &n, err);
    }
    for (uint64_t i = 0; i < n && status == MR_OK; i++) {
        struct mr_vertex_edge *edge = &out->items[i];
        status = mr_names_position(names, edge->vertex, &edge->position, err);
    }
    if (status != MR_OK) {
        mr_vertex_edges_free(out);
        return status;
    }
    out->n_items = n;
    if (n > 0) {
        qsort(out->items, n, sizeof *out->items, compare);
    }
    return MR_OK;
}

enum mr_status mr_store_read_edges(const struct mr_context *context, struct mr_store *store,
                                   mr_edge_pairs_callback take, void *take_data,
                                   struct mr_error *err)
{
    return mr_edges_read(context, store, NULL, take, take_data, err);
}

void mr_vertex_edges_free(struct mr_vertex_edges *edges)
{
    if (edges->memory != NULL) {
        mr_memory_free(edges->memory, edges->items);
    }
    *edges = (struct mr_vertex_edges){0};
}
