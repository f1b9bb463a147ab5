/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the names of a new store as compressed, front-coded blocks in vertex order, and builds
 * their index. The builder calls it after it has numbered the vertices. Names differ little from
 * their neighbours, so front coding and zstd make them small. Blocks wait until there are some for
 * each thread, which then compress them. */
#include "engine/names/name_writer.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/team.h"
#include "engine/names/name_block.h"
#include "engine/store/block.h"
#include "engine/tile/keys.h"

/* Names are read rarely, so they are always compressed, even if edges are not. */
#define NAMES_ZSTD_LEVEL 9

#define INDEX_GROWTH_BYTES ((uint64_t)256 << 10)

/* A growing array. */
struct bytes {
    uint8_t *data;
    uint64_t used, capacity;
};

/* A block that is filled, or waits to be sealed. */
struct slot {
    uint8_t *raw; /* [MR_NAME_RAW_MAX_BYTES] */
    uint32_t raw_bytes, n_entries;
    uint8_t *sealed; /* [MR_BLOCK_MAX_BYTES] */
    struct mr_block_header header;
};

struct mr_names_writer {
    const struct mr_context *context;
    struct mr_store_writer *store;
    uint64_t graph_id;
    enum mr_name_kind kind;

    unsigned n_workers;
    struct mr_block_codec *codecs[MR_THREADS_MAX]; /* [n_workers] */
    struct slot *slots; /* [n_slots], of which `slot` is filled and those before it wait */
    unsigned n_slots;
    struct slot *slot;
    uint8_t *buffer; /* the one allocation of bytes */
    /* [MR_NAME_RAW_MAX_BYTES]: an entry is coded here first, to see whether it fits */
    uint8_t *entry;
    uint64_t n_blocks, n_names;

    uint64_t number; /* the latest number */
    char *name; /* [MR_NAME_MAX_BYTES] */
    uint32_t name_bytes; /* 0 before the first */
    char *indexed; /* [MR_NAME_MAX_BYTES], the latest name in the index */
    uint32_t indexed_bytes;

    struct bytes index, offsets;
};

enum {
    SLOT_BYTES = MR_NAME_RAW_MAX_BYTES + MR_BLOCK_MAX_BYTES,
    NAMES_BYTES = MR_NAME_RAW_MAX_BYTES + 2 * MR_NAME_MAX_BYTES,
    SLOTS = 4, /* of each thread, if there are several */
    MEMORY_SHARE =
        16 /* of the memory that is left, which blocks may take to be sealed by threads */
};

uint64_t mr_names_writer_bytes(void)
{
    return mr_block_codec_bytes(NAMES_ZSTD_LEVEL) + sizeof(struct slot) + SLOT_BYTES + NAMES_BYTES +
           2 * INDEX_GROWTH_BYTES;
}

static void set_workers(struct mr_names_writer *writer)
{
    const uint64_t room = mr_memory_available(writer->context->memory) / MEMORY_SHARE;
    const uint64_t each = mr_block_codec_bytes(NAMES_ZSTD_LEVEL) + (uint64_t)SLOTS * SLOT_BYTES;

    writer->n_workers = (unsigned)mr_max_u64(1, mr_min_u64(writer->context->threads, room / each));
    writer->n_slots = writer->n_workers == 1 ? 1 : SLOTS * writer->n_workers;
}

static enum mr_status create_workers(struct mr_names_writer *writer, struct mr_error *err)
{
    struct mr_memory *memory = writer->context->memory;

    set_workers(writer);
    enum mr_status status =
        mr_memory_array(memory, "blocks of names", writer->n_slots, &writer->slots, err);
    if (status == MR_OK) {
        status = mr_memory_array(memory, "buffer for names",
                                 (uint64_t)writer->n_slots * SLOT_BYTES + NAMES_BYTES,
                                 &writer->buffer, err);
    }
    for (unsigned i = 0; i < writer->n_workers && status == MR_OK; i++) {
        status = mr_block_codec_create(memory, NAMES_ZSTD_LEVEL, &writer->codecs[i], err);
    }
    if (status != MR_OK) {
        return status;
    }
    for (unsigned i = 0; i < writer->n_slots; i++) {
        uint8_t *at = writer->buffer + (uint64_t)i * SLOT_BYTES;
        writer->slots[i] = (struct slot){.raw = at, .sealed = at + MR_NAME_RAW_MAX_BYTES};
    }
    writer->slot = writer->slots;
    writer->entry = writer->buffer + (uint64_t)writer->n_slots * SLOT_BYTES;
    writer->name = (char *)writer->entry + MR_NAME_RAW_MAX_BYTES;
    writer->indexed = writer->name + MR_NAME_MAX_BYTES;
    return MR_OK;
}

enum mr_status mr_names_writer_create(const struct mr_context *context,
                                      struct mr_store_writer *store, uint64_t graph_id,
                                      enum mr_name_kind kind, struct mr_names_writer **out,
                                      struct mr_error *err)
{
    struct mr_names_writer *writer = calloc(1, sizeof *writer);

    assert(kind != MR_NAMES_IDENTITY);
    *out = writer;
    if (writer == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a writer of names");
    }
    writer->context = context;
    writer->store = store;
    writer->graph_id = graph_id;
    writer->kind = kind;
    const enum mr_status status = create_workers(writer, err);
    return status == MR_OK ? mr_store_writer_begin_names(store, err) : status;
}

void mr_names_writer_abandon(struct mr_names_writer *writer)
{
    if (writer == NULL) {
        return;
    }
    mr_memory_free(writer->context->memory, writer->index.data);
    mr_memory_free(writer->context->memory, writer->offsets.data);
    mr_memory_free(writer->context->memory, writer->slots);
    mr_memory_free(writer->context->memory, writer->buffer);
    for (unsigned i = 0; i < writer->n_workers; i++) {
        mr_block_codec_destroy(writer->codecs[i]);
    }
    free(writer);
}

/* Make room for `more` bytes behind the used ones. */
static enum mr_status reserve(struct mr_names_writer *writer, struct bytes *bytes, uint64_t more,
                              struct mr_error *err)
{
    const uint64_t capacity = 2 * bytes->capacity + INDEX_GROWTH_BYTES; /* exceeds any `more` */

    if (bytes->capacity - bytes->used >= more) {
        return MR_OK;
    }
    const enum mr_status status =
        mr_memory_resize(writer->context->memory, "index of names", &bytes->data, capacity, err);
    bytes->capacity = status == MR_OK ? capacity : bytes->capacity;
    return status;
}

static enum mr_status append_u64(struct mr_names_writer *writer, struct bytes *bytes,
                                 uint64_t value, struct mr_error *err)
{
    enum mr_status status = reserve(writer, bytes, 8, err);

    if (status == MR_OK) {
        mr_put_u64(bytes->data + bytes->used, value);
        bytes->used += 8;
    }
    return status;
}

static enum mr_status index_text(struct mr_names_writer *writer, const char *name,
                                 uint32_t name_bytes, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    if (writer->n_blocks % MR_NAME_INDEX_GROUP == 0) {
        writer->indexed_bytes = 0;
        status = append_u64(writer, &writer->offsets, writer->index.used, err);
    }
    if (status == MR_OK) {
        status = reserve(writer, &writer->index, MR_NAME_RAW_MAX_BYTES, err);
    }
    if (status != MR_OK) {
        return status;
    }
    uint8_t *end = mr_name_put(writer->indexed, writer->indexed_bytes, name, name_bytes,
                               writer->index.data + writer->index.used);
    writer->index.used = (uint64_t)(end - writer->index.data);
    memcpy(writer->indexed, name, name_bytes);
    writer->indexed_bytes = name_bytes;
    return MR_OK;
}

/* A mr_team_work. */
static enum mr_status seal_slots(void *data, struct mr_team *team, unsigned worker,
                                 struct mr_error *err)
{
    struct mr_names_writer *writer = data;
    enum mr_status status = MR_OK;
    uint64_t i;

    while (status == MR_OK && mr_team_next(team, &i)) {
        struct slot *slot = &writer->slots[i];
        status = mr_block_seal(writer->codecs[worker], &slot->header, slot->raw, slot->raw_bytes,
                               MR_NAME_ALIGN, slot->sealed, err);
    }
    return status;
}

/* Seals and writes the blocks that wait. */
static enum mr_status write_slots(struct mr_names_writer *writer, struct mr_error *err)
{
    const uint64_t n = (uint64_t)(writer->slot - writer->slots);
    enum mr_status status =
        mr_team_run(writer->context, n, writer->n_workers, seal_slots, writer, err);

    for (uint64_t i = 0; i < n && status == MR_OK; i++) {
        struct slot *slot = &writer->slots[i];
        status =
            mr_store_writer_block(writer->store, MR_FILE_NAMES, slot->sealed, &slot->header, err);
        slot->raw_bytes = 0;
        slot->n_entries = 0;
    }
    writer->slot = writer->slots;
    return status == MR_OK ? mr_context_poll(writer->context, err) : status;
}

static enum mr_status end_block(struct mr_names_writer *writer, struct mr_error *err)
{
    const bool is_text = writer->kind == MR_NAMES_TEXT;
    struct slot *slot = writer->slot++;

    slot->header = (struct mr_block_header){
        .kind = is_text ? MR_BLOCK_NAME_TEXT : MR_BLOCK_NAME_NUMBERS,
        .graph_id = writer->graph_id,
        .first = (uint32_t)(writer->n_names - slot->n_entries),
        .last = (uint32_t)(writer->n_names - 1),
        .n_entries = slot->n_entries,
        .number = writer->n_blocks++,
    };
    return writer->slot == writer->slots + writer->n_slots ? write_slots(writer, err) : MR_OK;
}

/* Does an entry of this length begin a new block? */
static bool begins_block(const struct mr_names_writer *writer, size_t entry_bytes)
{
    return writer->slot->n_entries == 0 ||
           writer->slot->raw_bytes + entry_bytes > MR_NAME_BLOCK_RAW_BYTES;
}

static void append_entry(struct mr_names_writer *writer, const uint8_t *end)
{
    uint32_t entry_bytes = (uint32_t)(end - writer->entry);

    assert(writer->n_names < UINT32_MAX); /* vertices are below 2^32 - 1 */
    memcpy(writer->slot->raw + writer->slot->raw_bytes, writer->entry, entry_bytes);
    writer->slot->raw_bytes += entry_bytes;
    writer->slot->n_entries++;
    writer->n_names++;
}

enum mr_status mr_names_writer_number(struct mr_names_writer *writer, uint64_t number,
                                      struct mr_error *err)
{
    enum mr_status status = MR_OK;
    uint8_t *end = mr_leb_put(writer->entry, number - writer->number);

    assert(writer->kind == MR_NAMES_NUMBERS);
    assert(writer->n_names == 0 || number > writer->number);
    if (begins_block(writer, (size_t)(end - writer->entry))) {
        if (writer->slot->n_entries > 0) {
            status = end_block(writer, err);
        }
        if (status == MR_OK) {
            status = append_u64(writer, &writer->index, number, err);
        }
        end = mr_leb_put(writer->entry, number);
    }
    if (status == MR_OK) {
        append_entry(writer, end);
        writer->number = number;
    }
    return status;
}

enum mr_status mr_names_writer_text(struct mr_names_writer *writer, const char *name,
                                    size_t name_bytes, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    uint32_t bytes = (uint32_t)name_bytes;

    assert(writer->kind == MR_NAMES_TEXT);
    assert(name_bytes >= 1 && name_bytes <= MR_NAME_MAX_BYTES);
    uint8_t *end = mr_name_put(writer->name, writer->name_bytes, name, bytes, writer->entry);
    if (begins_block(writer, (size_t)(end - writer->entry))) {
        if (writer->slot->n_entries > 0) {
            status = end_block(writer, err);
        }
        if (status == MR_OK) {
            status = index_text(writer, name, bytes, err);
        }
        end = mr_name_put(NULL, 0, name, bytes, writer->entry);
    }
    if (status == MR_OK) {
        append_entry(writer, end);
        memcpy(writer->name, name, name_bytes);
        writer->name_bytes = bytes;
    }
    return status;
}

enum mr_status mr_names_writer_finish(struct mr_names_writer *writer, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    if (writer->slot->n_entries > 0) {
        status = end_block(writer, err);
    }
    if (status == MR_OK && writer->slot > writer->slots) {
        status = write_slots(writer, err);
    }
    for (uint64_t at = 0; status == MR_OK && at < writer->offsets.used; at += 8) {
        status = append_u64(writer, &writer->index, mr_get_u64(writer->offsets.data + at), err);
    }
    if (status == MR_OK) {
        status =
            mr_store_writer_name_index(writer->store, writer->index.data, writer->index.used, err);
    }
    mr_names_writer_abandon(writer);
    return status;
}
