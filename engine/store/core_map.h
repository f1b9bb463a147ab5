/* SPDX-License-Identifier: Apache-2.0 */
/* The core of a graph: its vertices that have out-edges. Nobody reads the values of all others, the
 * frontier, so stores number the core first; inside the core and inside the frontier vertices keep
 * the order of their positions: the k-th of the ascending names has position k. Names stay in their
 * order, and all inputs and outputs use positions. One bit for each position says which positions
 * are core, and a count of bits before each word turns positions into vertices and back. Internal
 * to the engine; other code asks engine/names/names.h. */
#ifndef MR_ENGINE_STORE_CORE_MAP_H
#define MR_ENGINE_STORE_CORE_MAP_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/bytes.h"
#include "engine/base/context.h"
#include "engine/base/format.h"
#include "engine/base/memory.h"

struct mr_file;
struct mr_store;
struct mr_store_info;

struct mr_core_map {
    uint64_t n_vertices; /* at most 2^32 - 1 */
    uint64_t n_core; /* set by mr_core_map_seal */
    uint64_t *words; /* [n_vertices / 64 + 1]: bit p mod 64 of word p / 64 is position p */
    uint32_t *before; /* [n_vertices / 64 + 1]: bits set in the words before */
};

/* An empty core: 1.5 bits for each position, charged to the budget. Free takes a map of zeros. */
enum mr_status mr_core_map_create(struct mr_memory *memory, uint64_t n_vertices,
                                  struct mr_core_map *map, struct mr_error *err) MR_WARN_UNUSED;
void mr_core_map_free(struct mr_memory *memory, struct mr_core_map *map);
/* What names take when they are asked for positions; 0: the store has no order. */
uint64_t mr_core_map_memory(const struct mr_store_info *info);

/* Put a position into the core. Thread-safe. Most are there already, which costs a read. */
static inline void mr_core_map_add(struct mr_core_map *map, uint32_t position)
{
    uint64_t *word = &map->words[position / 64];
    const uint64_t bit = (uint64_t)1 << position % 64;
    if ((__atomic_load_n(word, __ATOMIC_RELAXED) & bit) == 0) {
        __atomic_fetch_or(word, bit, __ATOMIC_RELAXED);
    }
}

/* Count, once the core is complete. The functions below need it. */
void mr_core_map_seal(struct mr_core_map *map);

/* The vertex at a position. */
static inline uint32_t mr_core_map_vertex(const struct mr_core_map *map, uint32_t position)
{
    const uint64_t word = map->words[position / 64];
    const uint64_t below = ((uint64_t)1 << position % 64) - 1;
    const uint32_t rank = map->before[position / 64] + (uint32_t)__builtin_popcountll(word & below);
    return (word & (below + 1)) != 0 ? rank : (uint32_t)map->n_core + (position - rank);
}

/* Replaces positions[n] by their vertices. */
void mr_core_map_vertices(const struct mr_core_map *map, uint32_t *positions, size_t n);

/* The position of a vertex. Time: logarithmic. */
uint32_t mr_core_map_position(const struct mr_core_map *map, uint32_t vertex);

/* Are all positions of the core before all others? Then each vertex is its position. */
bool mr_core_map_is_identity(const struct mr_core_map *map);

/* ---- In a store ----
 *
 * A store whose vertices are not their positions has the bits of its core in a file. Layout:
 * docs/store-format.md, "Order". */

/* Reads the core of `store`, which must have such a file (order_id is not 0). `map` gets a sealed
 * map, which the caller frees in any case. Errors: CORRUPT. */
enum mr_status mr_core_map_load(const struct mr_context *context, struct mr_store *store,
                                struct mr_core_map *map, struct mr_error *err) MR_WARN_UNUSED;

/* The same as the position of each vertex: `*positions` [n_vertices + 1] is charged to the budget;
 * the caller frees it. */
enum mr_status mr_core_map_load_positions(const struct mr_context *context, struct mr_store *store,
                                          uint32_t **positions,
                                          struct mr_error *err) MR_WARN_UNUSED;

/* Writes a sealed map to the empty `file`. `*order_id` gets the id of the order that it gives,
 * never 0. */
enum mr_status mr_core_map_write(const struct mr_context *context, const struct mr_core_map *map,
                                 struct mr_file *file, uint64_t graph_id, uint64_t *order_id,
                                 struct mr_error *err) MR_WARN_UNUSED;

#endif
