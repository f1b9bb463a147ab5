/* The order of a store's vertices, where it is not that of their names.
 *
 * The k-th of the names, ascending, is at *place* k. Mostly that is vertex k. A store whose vertices were
 * ordered otherwise (engine/build/build.h) keeps two lists beside its names: the vertex of each place, and the place
 * of each vertex. Names stay as they are, and everything that goes out or comes in goes by places. Layout:
 * docs/store-format.md, "Order". Internal to the engine; others ask engine/names/names.h. */
#ifndef MR_ENGINE_STORE_VERTEX_ORDER_H
#define MR_ENGINE_STORE_VERTEX_ORDER_H

#include "engine/base/bytes.h"
#include "engine/base/context.h"
#include "engine/base/format.h"

struct mr_file;
struct mr_store;
struct mr_vertex_order;

/* The two lists, as they follow each other in the file. */
enum mr_order_list {
    MR_ORDER_VERTICES, /* of places */
    MR_ORDER_PLACES, /* of vertices */
    MR_ORDER_N_LISTS
};

/* Entries in a block; all but the last of a list have so many. */
#define MR_ORDER_BLOCK_ENTRIES 32768u

/* Size of a list, and of the file, for so many vertices. Full blocks need no padding. */
static inline uint64_t mr_vertex_order_list_bytes(uint64_t n_vertices)
{
    const uint64_t n_blocks = mr_div_up(n_vertices, MR_ORDER_BLOCK_ENTRIES);
    return mr_round_up(n_blocks * MR_BLOCK_HEADER_BYTES + sizeof(uint32_t) * n_vertices,
                       MR_NAME_ALIGN);
}

static inline uint64_t mr_vertex_order_bytes(uint64_t n_vertices)
{
    return MR_ORDER_N_LISTS * mr_vertex_order_list_bytes(n_vertices);
}

/* Reads the file of `store`, which has one and outlives the reader. Memory: two blocks of 128 KiB. Close takes
 * NULL. One thread at a time. */
enum mr_status mr_vertex_order_open(const struct mr_context *context, struct mr_store *store,
                                    struct mr_vertex_order **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_vertex_order_close(struct mr_vertex_order *order);

/* Entry `at` < n of a list: reads the block that has it, unless it was the last one asked for of that list.
 * Errors: CORRUPT. */
enum mr_status mr_vertex_order_get(struct mr_vertex_order *order, enum mr_order_list list,
                                   uint64_t at, uint32_t *value,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* A whole list: `*values` [n_vertices + 1] is a budgeted allocation of the caller's. */
enum mr_status mr_vertex_order_load(const struct mr_context *context, struct mr_store *store,
                                    enum mr_order_list list, uint32_t **values,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* What names an order: `vertices` [n_vertices], of places. Not 0. */
uint64_t mr_vertex_order_id(const uint32_t *vertices, uint64_t n_vertices);

/* `values[n]`: entries [first, first + n) of a list. Lists come one after the other, front to back. */
typedef enum mr_status (*mr_order_source)(void *data, enum mr_order_list list, uint64_t first,
                                          uint32_t n, uint32_t *values, struct mr_error *err);

/* Write both lists of `n_vertices` to `file`, an empty one. `*order_id` names the order, whatever the graph,
 * and is not 0. */
enum mr_status mr_vertex_order_write(const struct mr_context *context, struct mr_file *file,
                                     uint64_t graph_id, uint64_t n_vertices, mr_order_source source,
                                     void *data, uint64_t *order_id,
                                     struct mr_error *err) MR_WARN_UNUSED;

/* A source: the lists of another store; `data` is its struct mr_vertex_order. */
enum mr_status mr_vertex_order_copy(void *data, enum mr_order_list list, uint64_t first, uint32_t n,
                                    uint32_t *values, struct mr_error *err);

#endif
