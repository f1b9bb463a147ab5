/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a store's vertices, if it is not the order of their names.
 *
 * The k-th of the ascending names has *position* k. Names stay in their order, and all inputs and
 * outputs use positions. A store that numbers its core first has one bit for each position
 * (engine/store/core_map.h). A store in another order has two lists: the vertex at each position,
 * and the position of each vertex. Layout: docs/store-format.md, "Order". Internal to the engine;
 * other code asks engine/names/names.h. */
#ifndef MR_ENGINE_STORE_VERTEX_ORDER_H
#define MR_ENGINE_STORE_VERTEX_ORDER_H

#include "engine/base/bytes.h"
#include "engine/base/context.h"
#include "engine/base/format.h"
#include "engine/store/core_map.h"

struct mr_file;
struct mr_store;
struct mr_vertex_order;

/* The lists of a file. One of MR_ORDER_BY_LISTS has the first two, in this order. */
enum mr_order_list {
    MR_ORDER_VERTICES, /* for each position the vertex */
    MR_ORDER_POSITIONS, /* for each vertex the position */
    MR_ORDER_CORE, /* for each 32 positions their bits, the lowest bit first */
};
#define MR_ORDER_N_LISTS 2u /* of MR_ORDER_BY_LISTS */

/* Entries of a block; only the last block of a list may have fewer. */
#define MR_ORDER_BLOCK_ENTRIES 32768u

/* Entries of each list for `n_vertices`. */
static inline uint64_t mr_vertex_order_entries(enum mr_order_kind kind, uint64_t n_vertices)
{
    return kind == MR_ORDER_CORE_FIRST ? mr_div_up(n_vertices, 32) : n_vertices;
}

/* The size in bytes of one list of so many entries, and of the file. Full blocks need no
 * padding. */
static inline uint64_t mr_vertex_order_list_bytes(uint64_t n_entries)
{
    const uint64_t n_blocks = mr_div_up(n_entries, MR_ORDER_BLOCK_ENTRIES);
    return mr_round_up(n_blocks * MR_BLOCK_HEADER_BYTES + sizeof(uint32_t) * n_entries,
                       MR_NAME_ALIGN);
}

static inline uint64_t mr_vertex_order_bytes(enum mr_order_kind kind, uint64_t n_vertices)
{
    const uint64_t list = mr_vertex_order_list_bytes(mr_vertex_order_entries(kind, n_vertices));
    return kind == MR_ORDER_BY_NAME    ? 0
           : kind == MR_ORDER_BY_LISTS ? MR_ORDER_N_LISTS * list
                                       : list;
}

/* Opens the order of `store`, which must have one and outlives the reader. Memory: two blocks of
 * 128 KiB, or 1.5 bits for each position where the core comes first. mr_vertex_order_close takes
 * NULL. Only one thread at a time may use a reader. */
enum mr_status mr_vertex_order_open(const struct mr_context *context, struct mr_store *store,
                                    struct mr_vertex_order **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_vertex_order_close(struct mr_vertex_order *order);

/* Gets entry `at` < n_vertices of VERTICES or POSITIONS. Reads the entry's block, unless it is the
 * block that the last call for this list read, or the core comes first. Errors: CORRUPT. */
enum mr_status mr_vertex_order_get(struct mr_vertex_order *order, enum mr_order_list list,
                                   uint64_t at, uint32_t *value,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* Reads a whole list. `*values` [n_vertices + 1] is charged to the budget; the caller frees it. */
enum mr_status mr_vertex_order_load(const struct mr_context *context, struct mr_store *store,
                                    enum mr_order_list list, uint32_t **values,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* The id of an order, never 0. `vertices` [n_vertices] has the vertex at each position. */
uint64_t mr_vertex_order_id(const uint32_t *vertices, uint64_t n_vertices);

/* Fills `values[n]` with entries [first, first + n) of a list of the file. The writer asks for one
 * list after the other, in order. */
typedef enum mr_status (*mr_order_source)(void *data, enum mr_order_list list, uint64_t first,
                                          uint32_t n, uint32_t *values, struct mr_error *err);

/* Writes the lists of `n_vertices` to the empty `file`. `*order_id` gets the id of the order, the
 * hash of the first list; it is not 0. */
enum mr_status mr_vertex_order_write(const struct mr_context *context, struct mr_file *file,
                                     uint64_t graph_id, enum mr_order_kind kind,
                                     uint64_t n_vertices, mr_order_source source, void *data,
                                     uint64_t *order_id, struct mr_error *err) MR_WARN_UNUSED;

/* A source of MR_ORDER_CORE; `data` is a sealed struct mr_core_map. */
enum mr_status mr_vertex_order_of_core(void *data, enum mr_order_list list, uint64_t first,
                                       uint32_t n, uint32_t *values, struct mr_error *err);

/* A source that copies the lists of another store; `data` is its struct mr_vertex_order. */
enum mr_status mr_vertex_order_copy(void *data, enum mr_order_list list, uint64_t first, uint32_t n,
                                    uint32_t *values, struct mr_error *err);

#endif
