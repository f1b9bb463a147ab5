/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and searches the map between positions and vertices of a store that numbers its core first.
 * The builder fills it from the edges and writes it to order.1; a reader fills it from there. The
 * file is read as a whole. */
#include "engine/store/core_map.h"

#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/kernels.h"
#include "engine/store/column.h"

enum { WORD_BITS = 64 };

/* What is allocated, and what is planned. */
enum { MAP_ARRAYS = 2 };
static void list_arrays(uint64_t n_vertices, struct mr_core_map *map,
                        struct mr_memory_wanted arrays[MAP_ARRAYS])
{
    const uint64_t n_words = n_vertices / WORD_BITS + 1;
    const struct mr_memory_wanted all[MAP_ARRAYS] = {
        MR_WANTED("core of the graph", n_words, &map->words),
        MR_WANTED("core of the graph", n_words, &map->before),
    };
    memcpy(arrays, all, sizeof all);
}

uint64_t mr_core_map_memory(const struct mr_store_info *info)
{
    struct mr_memory_wanted arrays[MAP_ARRAYS];
    struct mr_core_map nothing;

    list_arrays(info->n_vertices, &nothing, arrays);
    return info->order_id != 0 ? mr_memory_of_arrays(arrays, MAP_ARRAYS) : 0;
}

enum mr_status mr_core_map_create(struct mr_memory *memory, uint64_t n_vertices,
                                  struct mr_core_map *map, struct mr_error *err)
{
    struct mr_memory_wanted arrays[MAP_ARRAYS];

    *map = (struct mr_core_map){.n_vertices = n_vertices};
    list_arrays(n_vertices, map, arrays);
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

/* ---- In a store ---- */

enum { ROW_BITS = MR_ORDER_ROW_BITS, ROW_BYTES = ROW_BITS / 8, BLOCK_ROWS = MR_ORDER_BLOCK_ROWS };

/* Any bits are an order; those behind the last position must be 0. */
enum mr_status mr_core_map_load(const struct mr_context *context, struct mr_store *store,
                                struct mr_core_map *map, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    const uint64_t n = info->n_vertices, n_rows = mr_div_up(n, ROW_BITS);
    struct mr_column_file column = {0};

    enum mr_status status = mr_core_map_create(context->memory, n, map, err);
    if (status == MR_OK) {
        status = mr_column_open(context, &mr_order_column, mr_store_location(store, MR_FILE_ORDER),
                                n_rows, &column, err);
    }
    for (uint64_t first = 0; first < n_rows && status == MR_OK; first += BLOCK_ROWS) {
        status = mr_column_load(&column, first / BLOCK_ROWS, err);
        const struct mr_block_header *header = &column.header;
        if (status == MR_OK &&
            (header->first != first || header->last != header->first + header->n_entries - 1)) {
            status = mr_column_damaged(&column, err);
        }
        for (uint64_t i = 0; status == MR_OK && i < header->n_entries; i++) {
            const uint64_t bits = mr_get_u32(column.rows + ROW_BYTES * i);
            map->words[(first + i) / 2] |= bits << ROW_BITS * ((first + i) % 2);
        }
    }
    if (status == MR_OK && map->words[n / WORD_BITS] >> n % WORD_BITS != 0) {
        status = mr_column_damaged(&column, err);
    }
    if (status == MR_OK) {
        status = mr_column_check_id(&column, info->order_id, err);
    }
    if (status == MR_OK) {
        mr_core_map_seal(map);
    }
    mr_column_close(&column);
    return status;
}

enum mr_status mr_core_map_load_positions(const struct mr_context *context, struct mr_store *store,
                                          uint32_t **positions, struct mr_error *err)
{
    const uint64_t n = mr_store_get_info(store)->n_vertices;
    struct mr_core_map map = {0};

    *positions = NULL;
    enum mr_status status = mr_core_map_load(context, store, &map, err);
    if (status == MR_OK) {
        status = mr_memory_array(context->memory, "order of pages", n + 1, positions, err);
    }
    for (uint64_t p = 0; status == MR_OK && p < n; p++) {
        (*positions)[mr_core_map_vertex(&map, (uint32_t)p)] = (uint32_t)p;
    }
    mr_core_map_free(context->memory, &map);
    return status;
}

enum mr_status mr_core_map_write(const struct mr_context *context, const struct mr_core_map *map,
                                 struct mr_file *file, uint64_t graph_id, uint64_t *order_id,
                                 struct mr_error *err)
{
    const uint64_t n_rows = mr_div_up(map->n_vertices, ROW_BITS);
    const struct mr_block_location place = {file, graph_id};
    struct mr_column_file column = {0};

    enum mr_status status = mr_column_open(context, &mr_order_column, place, 0, &column, err);
    for (uint64_t first = 0, n; first < n_rows && status == MR_OK; first += n) {
        n = mr_min_u64(n_rows - first, BLOCK_ROWS);
        for (uint64_t i = 0; i < n; i++) {
            const uint64_t word = map->words[(first + i) / 2];
            mr_put_u32(column.rows + ROW_BYTES * i,
                       (uint32_t)(word >> ROW_BITS * ((first + i) % 2)));
        }
        status =
            mr_column_write(&column, (uint32_t)first, (uint32_t)(first + n - 1), (uint32_t)n, err);
    }
    if (status == MR_OK) {
        *order_id = mr_column_id(&column);
    }
    mr_column_close(&column);
    return status;
}
