/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and searches the map between positions and vertices of a store that numbers its core first.
 * The builder fills it from the edges; a reader fills it from order.1. */
#include "engine/store/core_map.h"

#include "engine/base/bytes.h"
#include "engine/base/kernels.h"

enum { WORD_BITS = 64 };

enum mr_status mr_core_map_create(struct mr_memory *memory, uint64_t n_vertices,
                                  struct mr_core_map *map, struct mr_error *err)
{
    const uint64_t n_words = n_vertices / WORD_BITS + 1;
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("core of the graph", n_words, &map->words),
        MR_WANTED("core of the graph", n_words, &map->before),
    };

    *map = (struct mr_core_map){.n_vertices = n_vertices};
    const enum mr_status status = mr_memory_arrays(memory, arrays, err);
    if (status != MR_OK) {
        mr_core_map_free(memory, map);
    }
    return status;
}

void mr_core_map_free(struct mr_memory *memory, struct mr_core_map *map)
{
    mr_memory_free(memory, map->words);
    mr_memory_free(memory, map->before);
    *map = (struct mr_core_map){.words = NULL};
}

void mr_core_map_seal(struct mr_core_map *map)
{
    uint32_t n = 0;
    for (uint64_t i = 0; i <= map->n_vertices / WORD_BITS; i++) {
        map->before[i] = n;
        n += (uint32_t)__builtin_popcountll(map->words[i]);
    }
    map->n_core = n;
}

/* Vertices of the kind that the search is for, before word `i`. */
static uint64_t before(const struct mr_core_map *map, bool is_core, uint64_t i)
{
    return is_core ? map->before[i] : WORD_BITS * i - map->before[i];
}

/* The place of the n-th set bit, counted from 0. */
static unsigned nth_bit(uint64_t word, uint64_t n)
{
    for (; n > 0; n--) {
        word &= word - 1;
    }
    return (unsigned)__builtin_ctzll(word);
}

uint32_t mr_core_map_position(const struct mr_core_map *map, uint32_t vertex)
{
    const bool is_core = vertex < map->n_core;
    const uint64_t rank = is_core ? vertex : vertex - map->n_core;
    uint64_t low = 0, high = map->n_vertices / WORD_BITS + 1; /* the last word with fewer before */
    MR_FIND_LAST(low, high, middle, before(map, is_core, middle) <= rank);
    const uint64_t word = is_core ? map->words[low] : ~map->words[low];
    return (uint32_t)(WORD_BITS * low + nth_bit(word, rank - before(map, is_core, low)));
}

bool mr_core_map_is_identity(const struct mr_core_map *map)
{
    const uint64_t full = map->n_core / WORD_BITS;
    for (uint64_t i = 0; i < full; i++) {
        if (map->words[i] != UINT64_MAX) {
            return false;
        }
    }
    /* all core vertices but these are in the words before: the rest must be its lowest bits */
    const uint64_t rest = ((uint64_t)1 << map->n_core % WORD_BITS) - 1;
    return full > map->n_vertices / WORD_BITS || map->words[full] == rest;
}

/* Without the instruction, counting bits is a call: 4 ns for each position of a build,
 * not 1.5. */
#if defined(__x86_64__)
__attribute__((target("popcnt"))) static void vertices_popcnt(const struct mr_core_map *map,
                                                              uint32_t *positions, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        positions[i] = mr_core_map_vertex(map, positions[i]);
    }
}
#endif

void mr_core_map_vertices(const struct mr_core_map *map, uint32_t *positions, size_t n)
{
#if defined(__x86_64__)
    if (mr_kernels_allow(MR_KERNELS_AVX2) && __builtin_cpu_supports("popcnt")) {
        vertices_popcnt(map, positions, n);
        return;
    }
#endif
    for (size_t i = 0; i < n; i++) {
        positions[i] = mr_core_map_vertex(map, positions[i]);
    }
}
