/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing order.G, which links vertices and positions. Builds write it; names and
 * outputs read it. Its blocks are neither compressed nor indexed, so that one read finds any entry
 * of a list. The bits of the core are read as a whole: they are few. */
#include "engine/store/vertex_order.h"

#include <assert.h>
#include <stdlib.h>

#include <xxhash.h>

#include "engine/base/memory.h"
#include "engine/io/io.h"
#include "engine/store/block.h"
#include "engine/store/store.h"

#define WAY_OUT "; restore the store from a copy or build it again"

enum { ENTRY_BYTES = 4, RAW_BYTES = ENTRY_BYTES * MR_ORDER_BLOCK_ENTRIES };
#define STORED_BYTES (MR_BLOCK_HEADER_BYTES + RAW_BYTES)
_Static_assert(STORED_BYTES % MR_NAME_ALIGN == 0 && STORED_BYTES <= MR_BLOCK_MAX_BYTES,
               "full blocks need no padding");

/* Blocks are neither compressed nor indexed: a block's location follows from its number. */

static uint32_t entries_in(uint64_t n_entries, uint64_t block)
{
    return (uint32_t)mr_min_u64(n_entries - block * MR_ORDER_BLOCK_ENTRIES, MR_ORDER_BLOCK_ENTRIES);
}

static uint32_t stored_bytes(uint32_t n_entries)
{
    return (uint32_t)mr_round_up(MR_BLOCK_HEADER_BYTES + (uint64_t)ENTRY_BYTES * n_entries,
                                 MR_NAME_ALIGN);
}

static enum mr_block_kind kind_of(enum mr_order_list list)
{
    return list == MR_ORDER_VERTICES    ? MR_BLOCK_ORDER_VERTICES
           : list == MR_ORDER_POSITIONS ? MR_BLOCK_ORDER_POSITIONS
                                        : MR_BLOCK_ORDER_CORE;
}

/* ---- Reading ---- */

struct mr_vertex_order {
    const struct mr_context *context;
    struct mr_block_location place;
    uint64_t n_vertices;
    uint64_t n_entries; /* of each list */
    struct mr_core_map core; /* words are NULL: there are lists */
    struct mr_block_codec *codec;
    uint8_t *stored[MR_ORDER_N_LISTS]; /* [STORED_BYTES]; one allocation */
    const uint8_t *raw[MR_ORDER_N_LISTS]; /* in `stored` */
    uint64_t block[MR_ORDER_N_LISTS]; /* number of the block in `stored`; UINT64_MAX: none */
};

static enum mr_status load_core(struct mr_vertex_order *order, uint64_t n_vertices,
                                struct mr_error *err);

enum mr_status mr_vertex_order_open(const struct mr_context *context, struct mr_store *store,
                                    struct mr_vertex_order **out, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    struct mr_vertex_order *order = calloc(1, sizeof *order);
    uint8_t *stored = NULL;

    *out = order;
    if (order == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the order of pages");
    }
    assert(info->order_id != 0);
    order->context = context;
    order->place = mr_store_location(store, MR_FILE_ORDER);
    order->n_vertices = info->n_vertices;
    order->n_entries = mr_vertex_order_entries(info->order_kind, info->n_vertices);
    enum mr_status status = mr_block_codec_create(context->memory, 0, &order->codec, err);
    if (status == MR_OK) {
        status = mr_memory_array(context->memory, "order of pages",
                                 MR_ORDER_N_LISTS * (uint64_t)STORED_BYTES, &stored, err);
    }
    for (unsigned i = 0; i < MR_ORDER_N_LISTS && status == MR_OK; i++) {
        order->stored[i] = stored + (size_t)i * STORED_BYTES;
        order->block[i] = UINT64_MAX;
    }
    if (status == MR_OK && info->order_kind == MR_ORDER_CORE_FIRST) {
        status = load_core(order, info->n_vertices, err);
        mr_memory_free(context->memory, stored);
        order->stored[0] = NULL;
    }
    return status;
}

void mr_vertex_order_close(struct mr_vertex_order *order)
{
    if (order != NULL) {
        mr_core_map_free(order->context->memory, &order->core);
        mr_memory_free(order->context->memory, order->stored[0]);
        mr_block_codec_destroy(order->codec);
        free(order);
    }
}

/* Reads a block of a list of the file to stored[at]. */
static enum mr_status load(struct mr_vertex_order *order, enum mr_order_list list, uint64_t block,
                           struct mr_error *err)
{
    const uint32_t n = entries_in(order->n_entries, block);
    const unsigned at = list == MR_ORDER_CORE ? 0 : list;
    const uint64_t offset =
        at * mr_vertex_order_list_bytes(order->n_entries) + block * STORED_BYTES;
    struct mr_block_header header;

    order->block[at] = UINT64_MAX;
    enum mr_status status =
        mr_file_read(order->place.file, order->stored[at], stored_bytes(n), offset, err);
    if (status == MR_OK) { /* plain: it needs no room to decompress */
        status = mr_block_open(order->codec, order->stored[at], stored_bytes(n), kind_of(list),
                               order->place.graph_id, NULL, mr_file_path(order->place.file), offset,
                               &header, &order->raw[at], err);
    }
    if (status != MR_OK) {
        return status;
    }
    bool good = header.codec == MR_CODEC_PLAIN && header.raw_bytes == ENTRY_BYTES * n &&
                header.n_entries == n && header.number == block && header.band == 0 &&
                header.first == block * MR_ORDER_BLOCK_ENTRIES &&
                header.last == header.first + n - 1;
    for (uint32_t i = 0; i < n && good && list != MR_ORDER_CORE; i++) {
        good = mr_get_u32(order->raw[list] + ENTRY_BYTES * (size_t)i) < order->n_vertices;
    }
    if (!good) {
        return mr_error_offset(err, MR_ERROR_CORRUPT, mr_file_path(order->place.file), offset,
                               "the order of pages makes no sense" WAY_OUT);
    }
    order->block[at] = block;
    return MR_OK;
}

/* Any bits are an order; those behind the last position must be 0. */
static enum mr_status load_core(struct mr_vertex_order *order, uint64_t n_vertices,
                                struct mr_error *err)
{
    enum mr_status status =
        mr_core_map_create(order->context->memory, n_vertices, &order->core, err);
    for (uint64_t i = 0; i < order->n_entries && status == MR_OK; i += MR_ORDER_BLOCK_ENTRIES) {
        const uint64_t block = i / MR_ORDER_BLOCK_ENTRIES;
        status = load(order, MR_ORDER_CORE, block, err);
        for (uint32_t k = 0; status == MR_OK && k < entries_in(order->n_entries, block); k++) {
            const uint64_t bits = mr_get_u32(order->raw[0] + ENTRY_BYTES * (size_t)k);
            order->core.words[(i + k) / 2] |= bits << 32 * ((i + k) % 2);
        }
    }
    if (status == MR_OK && order->core.words[n_vertices / 64] >> n_vertices % 64 != 0) {
        status = mr_error_file(err, MR_ERROR_CORRUPT, mr_file_path(order->place.file), 0,
                               "the order of vertices makes no sense" WAY_OUT);
    }
    if (status == MR_OK) {
        mr_core_map_seal(&order->core);
    }
    return status;
}

enum mr_status mr_vertex_order_get(struct mr_vertex_order *order, enum mr_order_list list,
                                   uint64_t at, uint32_t *value, struct mr_error *err)
{
    const uint64_t block = at / MR_ORDER_BLOCK_ENTRIES;
    enum mr_status status = MR_OK;

    assert(at < order->n_vertices && list != MR_ORDER_CORE);
    if (order->core.words != NULL) {
        *value = list == MR_ORDER_VERTICES ? mr_core_map_vertex(&order->core, (uint32_t)at)
                                           : mr_core_map_position(&order->core, (uint32_t)at);
        return MR_OK;
    }
    if (order->block[list] != block) {
        status = load(order, list, block, err);
    }
    if (status == MR_OK) {
        *value = mr_get_u32(order->raw[list] + ENTRY_BYTES * (at % MR_ORDER_BLOCK_ENTRIES));
    }
    return status;
}

enum mr_status mr_vertex_order_copy(void *data, enum mr_order_list list, uint64_t first, uint32_t n,
                                    uint32_t *values, struct mr_error *err)
{
    struct mr_vertex_order *order = data;
    enum mr_status status = MR_OK;
    if (list == MR_ORDER_CORE) {
        return mr_vertex_order_of_core(&order->core, list, first, n, values, err);
    }
    for (uint32_t i = 0; i < n && status == MR_OK; i++) {
        status = mr_vertex_order_get(order, list, first + i, &values[i], err);
    }
    return status;
}

enum mr_status mr_vertex_order_of_core(void *data, enum mr_order_list list, uint64_t first,
                                       uint32_t n, uint32_t *values, struct mr_error *err)
{
    const struct mr_core_map *core = data;
    (void)list;
    (void)err;
    assert(core->words != NULL);
    for (uint64_t i = first; i < first + n; i++) {
        *values++ = (uint32_t)(core->words[i / 2] >> 32 * (i % 2));
    }
    return MR_OK;
}

enum mr_status mr_vertex_order_load(const struct mr_context *context, struct mr_store *store,
                                    enum mr_order_list list, uint32_t **values,
                                    struct mr_error *err)
{
    const uint64_t n = mr_store_get_info(store)->n_vertices;
    struct mr_vertex_order *order = NULL;
    uint32_t *memory = NULL;

    *values = NULL;
    enum mr_status status = mr_vertex_order_open(context, store, &order, err);
    if (status == MR_OK) {
        status = mr_memory_array(context->memory, "order of pages", n + 1, &memory, err);
    }
    for (uint64_t p = 0; status == MR_OK && order->core.words != NULL && p < n; p++) {
        const uint32_t v = mr_core_map_vertex(&order->core, (uint32_t)p);
        memory[list == MR_ORDER_VERTICES ? p : v] = list == MR_ORDER_VERTICES ? v : (uint32_t)p;
    }
    for (uint64_t i = 0; status == MR_OK && order->core.words == NULL && i < n;
         i += MR_ORDER_BLOCK_ENTRIES) {
        status = mr_vertex_order_copy(order, list, i, entries_in(n, i / MR_ORDER_BLOCK_ENTRIES),
                                      memory + i, err);
    }
    mr_vertex_order_close(order);
    if (status != MR_OK) {
        mr_memory_free(context->memory, memory);
        return status;
    }
    *values = memory;
    return MR_OK;
}

/* ---- Ids of orders ---- */

/* Hashes the entries as the file's blocks have them. */
static bool hash_entries(XXH3_state_t *state, const uint32_t *values, uint32_t n, uint8_t *raw)
{
    for (uint32_t i = 0; i < n; i++) {
        mr_put_u32(raw + ENTRY_BYTES * (size_t)i, values[i]);
    }
    return XXH3_64bits_update(state, raw, ENTRY_BYTES * (size_t)n) == XXH_OK;
}

static uint64_t end_hash(const XXH3_state_t *state)
{
    const uint64_t hash = XXH3_64bits_digest(state);
    return hash != 0 ? hash : 1;
}

uint64_t mr_vertex_order_id(const uint32_t *vertices, uint64_t n_vertices)
{
    enum { STEP = 256 };
    uint8_t raw[ENTRY_BYTES * STEP];
    XXH3_state_t *state = XXH3_createState();
    uint64_t id = 0; /* without memory: the id of no order */

    if (state != NULL && XXH3_64bits_reset(state) == XXH_OK) {
        bool good = true;
        for (uint64_t i = 0; i < n_vertices && good; i += STEP) {
            good =
                hash_entries(state, vertices + i, (uint32_t)mr_min_u64(STEP, n_vertices - i), raw);
        }
        id = good ? end_hash(state) : 0;
    }
    (void)XXH3_freeState(state);
    return id;
}

/* ---- Writing ---- */

struct writing {
    struct mr_file *file;
    struct mr_block_codec *codec;
    XXH3_state_t *hash;
    uint64_t graph_id, n_entries, offset;
    uint32_t values[MR_ORDER_BLOCK_ENTRIES];
    uint8_t raw[RAW_BYTES];
    uint8_t stored[STORED_BYTES];
};

static enum mr_status write_block(struct writing *writing, enum mr_order_list list, uint64_t block,
                                  mr_order_source source, void *data, struct mr_error *err)
{
    const uint32_t n = entries_in(writing->n_entries, block);
    const uint64_t first = block * MR_ORDER_BLOCK_ENTRIES;
    struct mr_block_header header = {.kind = kind_of(list),
                                     .graph_id = writing->graph_id,
                                     .first = (uint32_t)first,
                                     .last = (uint32_t)(first + n - 1),
                                     .n_entries = n,
                                     .number = block};

    enum mr_status status = source(data, list, first, n, writing->values, err);
    for (uint32_t i = 0; i < n && status == MR_OK; i++) {
        mr_put_u32(writing->raw + ENTRY_BYTES * (size_t)i, writing->values[i]);
    }
    if (status == MR_OK && list != MR_ORDER_POSITIONS &&
        !hash_entries(writing->hash, writing->values, n, writing->raw)) {
        status = mr_error_set(err, MR_ERROR_RUNTIME, "the order of pages cannot be hashed");
    }
    if (status == MR_OK) {
        status = mr_block_seal(writing->codec, &header, writing->raw, ENTRY_BYTES * n,
                               MR_NAME_ALIGN, writing->stored, err);
    }
    if (status == MR_OK) {
        status = mr_file_write(writing->file, writing->stored, header.stored_bytes, writing->offset,
                               err);
        writing->offset += header.stored_bytes;
    }
    return status;
}

enum mr_status mr_vertex_order_write(const struct mr_context *context, struct mr_file *file,
                                     uint64_t graph_id, enum mr_order_kind kind,
                                     uint64_t n_vertices, mr_order_source source, void *data,
                                     uint64_t *order_id, struct mr_error *err)
{
    static const enum mr_order_list lists[MR_ORDER_N_LISTS] = {MR_ORDER_VERTICES,
                                                               MR_ORDER_POSITIONS};
    static const enum mr_order_list core[] = {MR_ORDER_CORE};
    const bool is_core = kind == MR_ORDER_CORE_FIRST;
    const uint64_t n_entries = mr_vertex_order_entries(kind, n_vertices);
    const uint64_t n_blocks = mr_div_up(n_entries, MR_ORDER_BLOCK_ENTRIES);
    struct writing *writing = NULL;

    enum mr_status status = mr_memory_array(context->memory, "order of pages", 1, &writing, err);
    if (status != MR_OK) {
        return status;
    }
    writing->file = file;
    writing->graph_id = graph_id;
    writing->n_entries = n_entries;
    writing->hash = XXH3_createState();
    if (writing->hash == NULL || XXH3_64bits_reset(writing->hash) != XXH_OK) {
        status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the order of pages");
    }
    if (status == MR_OK) {
        status = mr_block_codec_create(context->memory, 0, &writing->codec, err);
    }
    for (unsigned list = 0; list < (is_core ? 1 : MR_ORDER_N_LISTS); list++) {
        for (uint64_t block = 0; block < n_blocks && status == MR_OK; block++) {
            status = mr_context_poll(context, err);
            if (status == MR_OK) {
                status =
                    write_block(writing, (is_core ? core : lists)[list], block, source, data, err);
            }
        }
    }
    if (status == MR_OK) {
        *order_id = end_hash(writing->hash);
    }
    mr_block_codec_destroy(writing->codec);
    (void)XXH3_freeState(writing->hash);
    mr_memory_free(context->memory, writing);
    return status;
}
