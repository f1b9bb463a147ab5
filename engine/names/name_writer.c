/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the names of a new store as compressed, front-coded blocks in vertex order, and builds
 * their index. The builder calls it after it has numbered the vertices. Names differ little from
 * their neighbours, so front coding and zstd make them small. */
#include "engine/names/name_writer.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
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

struct mr_names_writer {
    const struct mr_context *context;
    struct mr_store_writer *store;
    struct mr_block_codec *codec;
    uint64_t graph_id;
    enum mr_name_kind kind;

    /* The block that is filled. */
    uint8_t *raw; /* the one allocation, [MR_NAME_RAW_MAX_BYTES] ... */
    uint32_t raw_bytes;
    uint32_t n_entries;
    /* [MR_NAME_RAW_MAX_BYTES]: an entry is coded here first, to see whether it fits */
    uint8_t *entry;
    uint8_t *sealed; /* [MR_BLOCK_MAX_BYTES] */
    uint64_t n_blocks, n_names;

    uint64_t number; /* the latest number */
    char *name; /* [MR_NAME_MAX_BYTES] */
    uint32_t name_bytes; /* 0 before the first */
    char *indexed; /* [MR_NAME_MAX_BYTES], the latest name in the index */
    uint32_t indexed_bytes;

    struct bytes index, offsets;
};

#define BUFFERS_BYTES (2 * MR_NAME_RAW_MAX_BYTES + MR_BLOCK_MAX_BYTES + 2 * MR_NAME_MAX_BYTES)

uint64_t mr_names_writer_bytes(void)
{
    return mr_block_codec_bytes(NAMES_ZSTD_LEVEL) + BUFFERS_BYTES + 2 * INDEX_GROWTH_BYTES;
}

enum mr_status mr_names_writer_create(const struct mr_context *context,
                                      struct mr_store_writer *store, uint64_t graph_id,
                                      enum mr_name_kind kind, struct mr_names_writer **out,
                                      struct mr_error *err)
{
    struct mr_names_writer *writer = calloc(1, sizeof *writer);
    enum mr_status status;

    assert(kind != MR_NAMES_IDENTITY);
    *out = writer;
    if (writer == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a writer of names");
    }
    writer->context = context;
    writer->store = store;
    writer->graph_id = graph_id;
    writer->kind = kind;
    status = mr_block_codec_create(context->memory, NAMES_ZSTD_LEVEL, &writer->codec, err);
    if (status == MR_OK) {
        status = mr_store_writer_begin_names(store, err);
    }
    if (status == MR_OK) {
        status =
            mr_memory_array(context->memory, "buffer for names", BUFFERS_BYTES, &writer->raw, err);
    }
    if (status == MR_OK) {
        writer->entry = writer->raw + MR_NAME_RAW_MAX_BYTES;
        writer->sealed = writer->entry + MR_NAME_RAW_MAX_BYTES;
        writer->name = (char *)writer->sealed + MR_BLOCK_MAX_BYTES;
        writer->indexed = writer->name + MR_NAME_MAX_BYTES;
    }
    return status;
}

void mr_names_writer_abandon(struct mr_names_writer *writer)
{
    if (writer == NULL) {
        return;
    }
    mr_memory_free(writer->context->memory, writer->index.data);
    mr_memory_free(writer->context->memory, writer->offsets.data);
    mr_memory_free(writer->context->memory, writer->raw);
    mr_block_codec_destroy(writer->codec);
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

static enum mr_status seal(struct mr_names_writer *writer, struct mr_error *err)
{
    bool is_text = writer->kind == MR_NAMES_TEXT;
    struct mr_block_header header = {
        .kind = is_text ? MR_BLOCK_NAME_TEXT : MR_BLOCK_NAME_NUMBERS,
        .graph_id = writer->graph_id,
        .first = (uint32_t)(writer->n_names - writer->n_entries),
        .last = (uint32_t)(writer->n_names - 1),
        .n_entries = writer->n_entries,
        .number = writer->n_blocks,
    };
    enum mr_status status = mr_block_seal(writer->codec, &header, writer->raw, writer->raw_bytes,
                                          MR_NAME_ALIGN, writer->sealed, err);

    if (status == MR_OK) {
        status = mr_store_writer_block(writer->store, MR_FILE_NAMES, writer->sealed, &header, err);
    }
    if (status == MR_OK) {
        status = mr_context_poll(writer->context, err);
    }
    writer->raw_bytes = 0;
    writer->n_entries = 0;
    writer->n_blocks++;
    return status;
}

/* Does an entry of this length begin a new block? */
static bool begins_block(const struct mr_names_writer *writer, size_t entry_bytes)
{
    return writer->n_entries == 0 || writer->raw_bytes + entry_bytes > MR_NAME_BLOCK_RAW_BYTES;
}

static void append_entry(struct mr_names_writer *writer, const uint8_t *end)
{
    uint32_t entry_bytes = (uint32_t)(end - writer->entry);

    assert(writer->n_names < UINT32_MAX); /* vertices are below 2^32 - 1 */
    memcpy(writer->raw + writer->raw_bytes, writer->entry, entry_bytes);
    writer->raw_bytes += entry_bytes;
    writer->n_entries++;
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
        if (writer->n_entries > 0) {
            status = seal(writer, err);
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
        if (writer->n_entries > 0) {
            status = seal(writer, err);
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

    if (writer->n_entries > 0) {
        status = seal(writer, err);
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
