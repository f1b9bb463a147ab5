/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and searches the map between positions and vertices of a store that numbers its core first.
 * The builder fills it from the edges and writes it to order.1; a reader fills it from there. The
 * blocks of the file are neither compressed nor indexed: there are few, and they are read as a
 * whole. */
#include "engine/store/core_map.h"

#include <assert.h>

#include <xxhash.h>

#include "engine/base/bytes.h"
#include "engine/base/kernels.h"
#include "engine/io/io.h"
#include "engine/store/block.h"
#include "engine/store/store.h"

#define WAY_OUT "; restore the store from a copy or build it again"

enum { WORD_BITS = 64, ENTRY_BYTES = 4, RAW_BYTES = ENTRY_BYTES * MR_CORE_BLOCK_ENTRIES };
#define STORED_BYTES (MR_BLOCK_HEADER_BYTES + RAW_BYTES)
_Static_assert(STORED_BYTES % MR_NAME_ALIGN == 0 && STORED_BYTES <= MR_BLOCK_MAX_BYTES,
               "full blocks need no padding");

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

/* ---- In a store ---- */

static uint64_t n_entries(uint64_t n_vertices)
{
    return mr_div_up(n_vertices, MR_CORE_ENTRY_BITS);
}

static uint32_t entries_in(uint64_t n_vertices, uint64_t first)
{
    return (uint32_t)mr_min_u64(n_entries(n_vertices) - first, MR_CORE_BLOCK_ENTRIES);
}

static uint32_t entry(const struct mr_core_map *map, uint64_t i)
{
    return (uint32_t)(map->words[i / 2] >> MR_CORE_ENTRY_BITS * (i % 2));
}

/* Reads the entries from `first` on to `stored` [STORED_BYTES], and takes their bits. */
static enum mr_status load_block(struct mr_block_codec *codec, struct mr_block_location place,
                                 uint64_t first, uint8_t *stored, struct mr_core_map *map,
                                 struct mr_error *err)
{
    const uint32_t n = entries_in(map->n_vertices, first);
    const uint32_t bytes =
        (uint32_t)mr_round_up(MR_BLOCK_HEADER_BYTES + ENTRY_BYTES * (uint64_t)n, MR_NAME_ALIGN);
    const uint64_t block = first / MR_CORE_BLOCK_ENTRIES, offset = block * STORED_BYTES;
    const char *path = mr_file_path(place.file);
    struct mr_block_header header;
    const uint8_t *raw = NULL;

    enum mr_status status = mr_file_read(place.file, stored, bytes, offset, err);
    if (status == MR_OK) { /* plain: it needs no room to decompress */
        status = mr_block_open(codec, stored, bytes, MR_BLOCK_ORDER_CORE, place.graph_id, NULL,
                               path, offset, &header, &raw, err);
    }
    if (status == MR_OK && (header.codec != MR_CODEC_PLAIN || header.raw_bytes != ENTRY_BYTES * n ||
                            header.n_entries != n || header.number != block || header.band != 0 ||
                            header.first != first || header.last != header.first + n - 1)) {
        status = mr_error_offset(err, MR_ERROR_CORRUPT, path, offset,
                                 "the order of pages makes no sense" WAY_OUT);
    }
    for (uint32_t i = 0; status == MR_OK && i < n; i++) {
        const uint64_t bits = mr_get_u32(raw + ENTRY_BYTES * (size_t)i);
        map->words[(first + i) / 2] |= bits << MR_CORE_ENTRY_BITS * ((first + i) % 2);
    }
    return status;
}

/* Any bits are an order; those behind the last position must be 0. */
enum mr_status mr_core_map_load(const struct mr_context *context, struct mr_store *store,
                                struct mr_core_map *map, struct mr_error *err)
{
    const struct mr_block_location place = mr_store_location(store, MR_FILE_ORDER);
    const uint64_t n = mr_store_get_info(store)->n_vertices;
    struct mr_block_codec *codec = NULL;
    uint8_t *stored = NULL;

    assert(place.file != NULL);
    enum mr_status status = mr_core_map_create(context->memory, n, map, err);
    if (status == MR_OK) {
        status = mr_block_codec_create(context->memory, 0, &codec, err);
    }
    if (status == MR_OK) {
        status = mr_memory_array(context->memory, "order of pages", STORED_BYTES, &stored, err);
    }
    for (uint64_t i = 0; i < n_entries(n) && status == MR_OK; i += MR_CORE_BLOCK_ENTRIES) {
        status = load_block(codec, place, i, stored, map, err);
    }
    if (status == MR_OK && map->words[n / WORD_BITS] >> n % WORD_BITS != 0) {
        status = mr_error_file(err, MR_ERROR_CORRUPT, mr_file_path(place.file), 0,
                               "the order of pages makes no sense" WAY_OUT);
    }
    if (status == MR_OK) {
        mr_core_map_seal(map);
    }
    mr_memory_free(context->memory, stored);
    mr_block_codec_destroy(codec);
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

struct core_block {
    uint8_t raw[RAW_BYTES];
    uint8_t stored[STORED_BYTES];
};

enum mr_status mr_core_map_write(const struct mr_context *context, const struct mr_core_map *map,
                                 struct mr_file *file, uint64_t graph_id, struct mr_error *err)
{
    struct core_block *block = NULL;
    struct mr_block_codec *codec = NULL;
    uint64_t offset = 0;

    enum mr_status status = mr_memory_array(context->memory, "order of pages", 1, &block, err);
    if (status == MR_OK) {
        status = mr_block_codec_create(context->memory, 0, &codec, err);
    }
    for (uint64_t i = 0; i < n_entries(map->n_vertices) && status == MR_OK;
         i += MR_CORE_BLOCK_ENTRIES) {
        const uint32_t n = entries_in(map->n_vertices, i);
        struct mr_block_header header = {.kind = MR_BLOCK_ORDER_CORE,
                                         .graph_id = graph_id,
                                         .first = (uint32_t)i,
                                         .last = (uint32_t)(i + n - 1),
                                         .n_entries = n,
                                         .number = i / MR_CORE_BLOCK_ENTRIES};
        for (uint32_t k = 0; k < n; k++) {
            mr_put_u32(block->raw + ENTRY_BYTES * (size_t)k, entry(map, i + k));
        }
        status = mr_context_poll(context, err);
        if (status == MR_OK) {
            status = mr_block_seal(codec, &header, block->raw, ENTRY_BYTES * n, MR_NAME_ALIGN,
                                   block->stored, err);
        }
        if (status == MR_OK) {
            status = mr_file_write(file, block->stored, header.stored_bytes, offset, err);
            offset += header.stored_bytes;
        }
    }
    mr_block_codec_destroy(codec);
    mr_memory_free(context->memory, block);
    return status;
}

/* Hashes the entries as the file's blocks have them. */
enum mr_status mr_core_map_id(const struct mr_core_map *map, uint64_t *id, struct mr_error *err)
{
    enum { STEP = 256 };
    uint8_t raw[ENTRY_BYTES * STEP];
    XXH3_state_t *state = XXH3_createState();
    bool good = state != NULL && XXH3_64bits_reset(state) == XXH_OK;

    for (uint64_t i = 0, n; i < n_entries(map->n_vertices) && good; i += n) {
        n = mr_min_u64(STEP, n_entries(map->n_vertices) - i);
        for (uint64_t k = 0; k < n; k++) {
            mr_put_u32(raw + ENTRY_BYTES * k, entry(map, i + k));
        }
        good = XXH3_64bits_update(state, raw, ENTRY_BYTES * n) == XXH_OK;
    }
    *id = good ? XXH3_64bits_digest(state) : 0;
    *id = *id == 0 ? 1 : *id;
    (void)XXH3_freeState(state);
    return good ? MR_OK
                : mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the hash of an order");
}
