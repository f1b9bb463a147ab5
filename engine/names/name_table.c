/* SPDX-License-Identifier: Apache-2.0 */
/* Writes and reads a table of rows keyed by the names of vertices, such as the state of OPIC. The
 * file is a sequence of blocks (engine/store/block.h). The first one has the shape and the head.
 * The others have rows: a front-coded name and row_bytes of data. All blocks carry the checksum of
 * the first payload as their graph id, so that blocks of two tables cannot be mixed. */
#include "engine/names/name_table.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/io/io.h"
#include "engine/io/publish.h"
#include "engine/names/name_block.h"
#include "engine/store/block.h"

/* Byte offsets in the first block's payload; docs/opic.md, "State file". */
enum {
    AT_KIND = 0,
    AT_VERSION = 8, /* u32, set by the owner */
    AT_TEXT = 12, /* u32: 1 for text */
    AT_KEY_NUMBER = 16,
    AT_ROW_BYTES = 20,
    AT_N_ROWS = 24,
    AT_HEAD = 32
};

enum {
    ZSTD_LEVEL = 3,
    RAW_BYTES = 128 << 10, /* a block is sealed before the row that would exceed this */
    ROW_OVERHEAD = 6 /* the most bytes that front coding adds to a name */
};
_Static_assert((int)RAW_BYTES <= (int)MR_BLOCK_RAW_MAX_BYTES, "rows fit a block");
_Static_assert(MR_NAME_MAX_BYTES + ROW_OVERHEAD + MR_NAME_TABLE_ROW_MAX_BYTES <= (size_t)RAW_BYTES,
               "the longest row fits a block");
_Static_assert(AT_HEAD + MR_NAME_TABLE_HEAD_MAX_BYTES <= RAW_BYTES, "the head fits a block");

static const char memory_name[] = "name table";

struct table_writer {
    const struct mr_name_table_kind *kind;
    mr_name_table_fill fill;
    const void *data;
    struct mr_file *file;
    struct mr_block_codec *codec;
    uint8_t *raw; /* the one allocation: raw, then stored */
    uint8_t *stored;
    uint32_t used, n_rows; /* in the current block */
    uint64_t offset, number, id;
    char previous[MR_NAME_MAX_BYTES];
    uint32_t previous_bytes;
};

/* ---- Writing ---- */

static enum mr_status write_block(struct table_writer *writer, struct mr_error *err)
{
    struct mr_block_header header = {.kind = MR_BLOCK_NAME_TABLE,
                                     .graph_id = writer->id,
                                     .n_entries = writer->n_rows,
                                     .number = writer->number};
    enum mr_status status = mr_block_seal(writer->codec, &header, writer->raw, writer->used,
                                          MR_NAME_ALIGN, writer->stored, err);
    if (status == MR_OK) {
        status =
            mr_file_write(writer->file, writer->stored, header.stored_bytes, writer->offset, err);
    }
    writer->offset += header.stored_bytes;
    writer->number++;
    writer->used = writer->n_rows = writer->previous_bytes = 0;
    return status;
}

static enum mr_status write_head(struct table_writer *writer, const struct mr_store_info *info,
                                 const uint8_t *head, struct mr_error *err)
{
    const struct mr_name_table_kind *kind = writer->kind;
    uint8_t *raw = writer->raw;

    memcpy(raw + AT_KIND, kind->name, sizeof kind->name);
    mr_put_u32(raw + AT_VERSION, kind->version);
    mr_put_u32(raw + AT_TEXT, info->name_kind == MR_NAMES_TEXT);
    mr_put_u32(raw + AT_KEY_NUMBER, info->name_key_number & ~MR_NAME_SPELLINGS);
    mr_put_u32(raw + AT_ROW_BYTES, kind->row_bytes);
    mr_put_u64(raw + AT_N_ROWS, info->n_vertices);
    memcpy(raw + AT_HEAD, head, kind->head_bytes);
    writer->used = AT_HEAD + kind->head_bytes;
    writer->id = XXH3_64bits(raw, writer->used);
    return write_block(writer, err);
}

/* A mr_name_take. */
static enum mr_status add_row(void *data, const struct mr_name_cursor *cursor, uint64_t position,
                              const char *name, size_t name_bytes, struct mr_error *err)
{
    struct table_writer *writer = data;
    const uint32_t row_bytes = writer->kind->row_bytes;

    (void)position;
    if (writer->used + name_bytes + ROW_OVERHEAD + row_bytes > (size_t)RAW_BYTES) {
        const enum mr_status status = write_block(writer, err);
        if (status != MR_OK) {
            return status;
        }
    }
    uint8_t *end = mr_name_put(writer->previous, writer->previous_bytes, name, (uint32_t)name_bytes,
                               writer->raw + writer->used);
    writer->fill(writer->data, mr_name_cursor_vertex(cursor), end);
    writer->used = (uint32_t)(end - writer->raw) + row_bytes;
    memcpy(writer->previous, name, name_bytes);
    writer->previous_bytes = (uint32_t)name_bytes;
    writer->n_rows++;
    return MR_OK;
}

enum mr_status mr_name_table_write(const struct mr_context *context, const char *path,
                                   struct mr_names *names, const struct mr_store_info *info,
                                   const struct mr_name_table_kind *kind, const uint8_t *head,
                                   mr_name_table_fill fill, const void *data, struct mr_error *err)
{
    struct table_writer writer = {.kind = kind, .fill = fill, .data = data};
    struct mr_publish *publish = NULL;

    assert(kind->head_bytes >= 1 && kind->head_bytes <= MR_NAME_TABLE_HEAD_MAX_BYTES);
    assert(kind->row_bytes >= 1 && kind->row_bytes <= MR_NAME_TABLE_ROW_MAX_BYTES);
    enum mr_status status = mr_memory_array(context->memory, memory_name,
                                            RAW_BYTES + MR_BLOCK_MAX_BYTES, &writer.raw, err);
    if (status == MR_OK) {
        writer.stored = writer.raw + RAW_BYTES;
        status = mr_block_codec_create(context->memory, ZSTD_LEVEL, &writer.codec, err);
    }
    if (status == MR_OK) {
        status = mr_publish_begin(context->io, path, MR_PUBLISH_FILE, true, &publish, err);
    }
    if (status == MR_OK) {
        status = mr_file_open(context->io, mr_publish_path(publish),
                              MR_OPEN_WRITE | MR_OPEN_TRUNCATE, &writer.file, err);
    }
    if (status == MR_OK) {
        status = write_head(&writer, info, head, err);
    }
    if (status == MR_OK) {
        status = mr_names_walk(context, names, info->n_vertices, NULL, add_row, &writer, err);
    }
    if (status == MR_OK && writer.used > 0) {
        status = write_block(&writer, err);
    }
    if (status == MR_OK) {
        status = mr_file_sync(writer.file, err);
    }
    if (status == MR_OK) {
        status = mr_file_close(writer.file, err);
        writer.file = NULL;
    }
    if (status == MR_OK) {
        status = mr_publish_commit_with(publish, context->together, err);
        publish = NULL;
    }
    mr_file_abandon(writer.file);
    mr_publish_abandon(publish);
    mr_block_codec_destroy(writer.codec);
    mr_memory_free(context->memory, writer.raw);
    return status;
}

/* ---- Reading ---- */

struct mr_name_table_reader {
    const struct mr_context *context;
    struct mr_file *file;
    struct mr_block_codec *codec;
    const struct mr_name_table_kind *kind;
    bool is_text; /* names are text in the order of key `key_number`; else ascending numbers */
    uint32_t key_number; /* as in struct mr_store_info, without MR_NAME_SPELLINGS */
    uint8_t *stored; /* the one allocation: stored, then scratch */
    uint8_t *scratch;
    uint8_t head[MR_NAME_TABLE_HEAD_MAX_BYTES];
    const uint8_t *at, *end; /* position in the block */
    uint64_t rows_in_block; /* rows still to read */
    uint64_t rows_left; /* rows still to read in the whole table */
    uint64_t file_bytes, offset, block_offset, number, id;
    char name[MR_NAME_MAX_BYTES];
    uint32_t name_bytes;
};

static enum mr_status damaged(const struct mr_name_table_reader *reader, const char *what,
                              struct mr_error *err)
{
    return mr_error_offset(err, MR_ERROR_CORRUPT, mr_file_path(reader->file), reader->block_offset,
                           "%s; the file is damaged: restore it from a copy, or remove it to begin "
                           "anew",
                           what);
}

/* Read the next block: `reader->at` to `reader->end`. */
static enum mr_status read_block(struct mr_name_table_reader *reader, struct mr_error *err)
{
    enum { AT_STORED_BYTES = 24 }; /* in a block's header; checked by mr_block_open */
    struct mr_block_header header;
    const uint64_t left = reader->file_bytes - reader->offset;

    reader->block_offset = reader->offset;
    if (left < MR_BLOCK_HEADER_BYTES) {
        return damaged(reader, "it ends too early", err);
    }
    enum mr_status status =
        mr_file_read(reader->file, reader->stored, MR_BLOCK_HEADER_BYTES, reader->offset, err);
    if (status != MR_OK) {
        return status;
    }
    const uint32_t bytes = mr_get_u32(reader->stored + AT_STORED_BYTES);
    if (bytes < MR_BLOCK_HEADER_BYTES || bytes > MR_BLOCK_MAX_BYTES || bytes > left) {
        return damaged(reader, "a block's size is wrong", err);
    }
    status = mr_file_read(reader->file, reader->stored, bytes, reader->offset, err);
    if (status != MR_OK) {
        return status;
    }
    if (mr_block_open(reader->codec, reader->stored, bytes, MR_BLOCK_NAME_TABLE, reader->id,
                      reader->scratch, "", reader->offset, &header, &reader->at, NULL) != MR_OK ||
        header.number != reader->number) {
        return damaged(reader, "a block fails its checks", err);
    }
    reader->end = reader->at + header.raw_bytes;
    reader->rows_in_block = header.n_entries;
    reader->offset += bytes;
    reader->number++;
    reader->name_bytes = 0;
    return mr_context_poll(reader->context, err);
}

static enum mr_status no_table(const struct mr_name_table_reader *reader, struct mr_error *err)
{
    return mr_error_file(err, MR_ERROR_INPUT, mr_file_path(reader->file), 0,
                         "is no %.8s state; check the name, nothing was changed",
                         reader->kind->name);
}

static enum mr_status read_head(struct mr_name_table_reader *reader, struct mr_error *err)
{
    enum { AT_MAGIC = 8, AT_BLOCK_KIND = 12, AT_GRAPH_ID = 16 }; /* in a block's header */
    const struct mr_name_table_kind *kind = reader->kind;

    if (reader->file_bytes < MR_BLOCK_HEADER_BYTES) {
        return no_table(reader, err);
    }
    enum mr_status status =
        mr_file_read(reader->file, reader->stored, MR_BLOCK_HEADER_BYTES, 0, err);
    if (status != MR_OK) {
        return status;
    }
    if (mr_get_u32(reader->stored + AT_MAGIC) != MR_BLOCK_MAGIC ||
        reader->stored[AT_BLOCK_KIND] != MR_BLOCK_NAME_TABLE) {
        return no_table(reader, err);
    }
    reader->id = mr_get_u64(reader->stored + AT_GRAPH_ID);
    status = read_block(reader, err);
    if (status != MR_OK) {
        return status;
    }
    const uint64_t bytes = (uint64_t)(reader->end - reader->at);
    if (bytes <= AT_HEAD || bytes > AT_HEAD + MR_NAME_TABLE_HEAD_MAX_BYTES ||
        reader->id != XXH3_64bits(reader->at, bytes)) {
        return damaged(reader, "its head is wrong", err);
    }
    if (memcmp(reader->at + AT_KIND, kind->name, sizeof kind->name) != 0) {
        return no_table(reader, err);
    }
    const uint32_t version = mr_get_u32(reader->at + AT_VERSION);
    if (version > kind->version) {
        return mr_error_file(err, MR_ERROR_INPUT, mr_file_path(reader->file), 0,
                             "is of version %u, this program knows up to %u; use a newer millrace",
                             version, kind->version);
    }
    reader->is_text = mr_get_u32(reader->at + AT_TEXT) != 0;
    reader->key_number = mr_get_u32(reader->at + AT_KEY_NUMBER);
    reader->rows_left = mr_get_u64(reader->at + AT_N_ROWS);
    if (mr_get_u32(reader->at + AT_ROW_BYTES) != kind->row_bytes ||
        bytes != AT_HEAD + kind->head_bytes || reader->rows_left > UINT32_MAX) {
        return damaged(reader, "its head is wrong", err);
    }
    memcpy(reader->head, reader->at + AT_HEAD, kind->head_bytes);
    return MR_OK;
}

enum mr_status mr_name_table_open(const struct mr_context *context, const char *path,
                                  const struct mr_name_table_kind *kind,
                                  struct mr_name_table_reader **out, struct mr_error *err)
{
    struct mr_name_table_reader *reader = calloc(1, sizeof *reader);

    *out = reader;
    if (reader == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a name table");
    }
    reader->context = context;
    reader->kind = kind;
    enum mr_status status = mr_file_open(context->io, path, MR_OPEN_READ, &reader->file, err);
    if (status == MR_OK) {
        status = mr_file_size(reader->file, &reader->file_bytes, err);
    }
    if (status == MR_OK) {
        status = mr_memory_array(context->memory, memory_name,
                                 MR_BLOCK_MAX_BYTES + MR_BLOCK_RAW_MAX_BYTES, &reader->stored, err);
    }
    if (status == MR_OK) {
        reader->scratch = reader->stored + MR_BLOCK_MAX_BYTES;
        status = mr_block_codec_create(context->memory, 0, &reader->codec, err);
    }
    if (status == MR_OK) {
        status = read_head(reader, err);
    }
    reader->rows_in_block = 0;
    return status;
}

void mr_name_table_close(struct mr_name_table_reader *reader)
{
    if (reader != NULL) {
        mr_block_codec_destroy(reader->codec);
        mr_memory_free(reader->context->memory, reader->stored);
        mr_file_abandon(reader->file);
        free(reader);
    }
}

const uint8_t *mr_name_table_head(const struct mr_name_table_reader *reader)
{
    return reader->head;
}

enum mr_status mr_name_table_next(struct mr_name_table_reader *reader, const char **name,
                                  size_t *name_bytes, const uint8_t **row, struct mr_error *err)
{
    *name = NULL;
    *row = NULL;
    *name_bytes = 0;
    if (reader->rows_left == 0) {
        return reader->offset == reader->file_bytes
                   ? MR_OK
                   : damaged(reader, "it continues after its last row", err);
    }
    if (reader->rows_in_block == 0) {
        enum mr_status status = read_block(reader, err);
        if (status != MR_OK) {
            return status;
        }
        if (reader->rows_in_block == 0 || reader->rows_in_block > reader->rows_left) {
            return damaged(reader, "a block's number of rows is wrong", err);
        }
    }
    const uint8_t *at = mr_name_get(reader->at, reader->end, reader->name, &reader->name_bytes);
    if (at == NULL || (size_t)(reader->end - at) < reader->kind->row_bytes) {
        return damaged(reader, "a row does not decode", err);
    }
    reader->at = at + reader->kind->row_bytes;
    reader->rows_left--;
    reader->rows_in_block--;
    if (reader->rows_in_block == 0 && reader->at != reader->end) {
        return damaged(reader, "a block is longer than its rows", err);
    }
    *name = reader->name;
    *name_bytes = reader->name_bytes;
    *row = at;
    return MR_OK;
}

/* ---- Merging ---- */

/* Returns less than 0 if name `a` comes first; NULL comes last. `keys`: room for two keys; NULL if
 * names are numbers, which are decimal without leading zeros. */
static int compare(mr_name_key key, char *keys, const char *a, size_t a_bytes, const char *b,
                   size_t b_bytes)
{
    if (a == NULL || b == NULL) {
        return (a == NULL) - (b == NULL);
    }
    if (keys == NULL) {
        return a_bytes != b_bytes ? (a_bytes < b_bytes ? -1 : 1) : memcmp(a, b, a_bytes);
    }
    if (a_bytes == b_bytes && memcmp(a, b, a_bytes) == 0) {
        return 0; /* the common case: no keys are needed */
    }
    char *second = keys + MR_NAME_KEY_MAX_BYTES;
    const size_t first_bytes = key(a, a_bytes, keys), second_bytes = key(b, b_bytes, second);
    return mr_compare_bytes(keys, first_bytes, second, second_bytes);
}

enum mr_status mr_name_table_merge(const struct mr_context *context,
                                   struct mr_name_table_reader *reader, struct mr_names *names,
                                   const struct mr_store_info *info, mr_name_key key,
                                   mr_name_table_take take, void *data, struct mr_error *err)
{
    const bool is_text = info->name_kind == MR_NAMES_TEXT;
    struct mr_name_cursor *cursor = NULL;
    const char *a = NULL, *b = NULL; /* the next name of the store and of the table */
    size_t a_bytes = 0, b_bytes = 0;
    const uint8_t *row = NULL;
    char *keys = NULL;
    bool takes_a = true, takes_b = true; /* the latest name is done */

    if (reader->is_text != is_text ||
        reader->key_number != (info->name_key_number & ~MR_NAME_SPELLINGS) ||
        (is_text && key == NULL)) {
        return mr_error_file(err, MR_ERROR_INPUT, mr_file_path(reader->file), 0,
                             "was made of pages called by %s, in another order than the store's; "
                             "use a state of this graph",
                             reader->is_text ? "text" : "numbers");
    }
    enum mr_status status = mr_name_cursor_open(names, 0, &cursor, err);
    if (status == MR_OK && is_text) {
        status = mr_memory_array(context->memory, "keys of names",
                                 2 * (uint64_t)MR_NAME_KEY_MAX_BYTES, &keys, err);
    }
    while (status == MR_OK && (takes_a || takes_b)) {
        if (takes_a) {
            status = mr_name_cursor_next(cursor, &a, &a_bytes, err);
        }
        if (status == MR_OK && takes_b) {
            status = mr_name_table_next(reader, &b, &b_bytes, &row, err);
        }
        if (status != MR_OK) {
            break;
        }
        const int order = compare(key, keys, a, a_bytes, b, b_bytes);
        takes_a = a != NULL && order <= 0;
        takes_b = b != NULL && order >= 0;
        const uint32_t vertex = takes_a ? mr_name_cursor_vertex(cursor) : 0;
        if (takes_a || takes_b) {
            status = take(data, takes_a ? &vertex : NULL, takes_b ? row : NULL, err);
        }
    }
    mr_name_cursor_close(cursor);
    mr_memory_free(context->memory, keys);
    return status;
}
