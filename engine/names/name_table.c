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

struct mr_name_table_writer {
    const struct mr_context *context;
    struct mr_publish *publish;
    struct mr_file *file;
    struct mr_name_cursor *cursor;
    struct mr_block_codec *codec;
    uint8_t *memory; /* the one allocation: raw, then stored */
    uint8_t *raw, *stored;
    uint32_t row_bytes, used, n_rows; /* in the current block */
    uint64_t left; /* rows still to write */
    uint64_t offset, number, id;
    char previous[MR_NAME_MAX_BYTES];
    uint32_t previous_bytes;
    const char *name; /* name of the next row if mr_name_table_vertex was called; else NULL */
    size_t name_bytes;
};

/* ---- Writing ---- */

static enum mr_status write_block(struct mr_name_table_writer *writer, struct mr_error *err)
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

static void put_shape(const struct mr_name_table_shape *shape, const struct mr_store_info *info,
                      const uint8_t *head, struct mr_name_table_writer *writer)
{
    uint8_t *raw = writer->raw;

    memcpy(raw + AT_KIND, shape->kind, sizeof shape->kind);
    mr_put_u32(raw + AT_VERSION, shape->version);
    mr_put_u32(raw + AT_TEXT, info->name_kind == MR_NAMES_TEXT);
    mr_put_u32(raw + AT_KEY_NUMBER, info->name_key_number & ~MR_NAME_SPELLINGS);
    mr_put_u32(raw + AT_ROW_BYTES, shape->row_bytes);
    mr_put_u64(raw + AT_N_ROWS, info->n_vertices);
    memcpy(raw + AT_HEAD, head, shape->head_bytes);
    writer->used = AT_HEAD + shape->head_bytes;
    writer->id = XXH3_64bits(raw, writer->used);
}

enum mr_status mr_name_table_create(const struct mr_context *context, const char *path,
                                    struct mr_names *names, const struct mr_store_info *info,
                                    const struct mr_name_table_shape *shape, const uint8_t *head,
                                    struct mr_name_table_writer **out, struct mr_error *err)
{
    struct mr_name_table_writer *writer = calloc(1, sizeof *writer);

    assert(shape->head_bytes >= 1 && shape->head_bytes <= MR_NAME_TABLE_HEAD_MAX_BYTES);
    assert(shape->row_bytes >= 1 && shape->row_bytes <= MR_NAME_TABLE_ROW_MAX_BYTES);
    *out = writer;
    if (writer == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a name table");
    }
    writer->context = context;
    writer->row_bytes = shape->row_bytes;
    writer->left = info->n_vertices;
    enum mr_status status = mr_memory_array(context->memory, memory_name,
                                            RAW_BYTES + MR_BLOCK_MAX_BYTES, &writer->memory, err);
    if (status == MR_OK) {
        writer->raw = writer->memory;
        writer->stored = writer->memory + RAW_BYTES;
        status = mr_block_codec_create(context->memory, ZSTD_LEVEL, &writer->codec, err);
    }
    if (status == MR_OK) {
        status = mr_name_cursor_open(names, 0, &writer->cursor, err);
    }
    if (status == MR_OK) {
        status = mr_publish_begin(context->io, path, MR_PUBLISH_FILE, true, &writer->publish, err);
    }
    if (status == MR_OK) {
        status = mr_file_open(context->io, mr_publish_path(writer->publish),
                              MR_OPEN_WRITE | MR_OPEN_TRUNCATE, &writer->file, err);
    }
    if (status == MR_OK) {
        put_shape(shape, info, head, writer);
        status = write_block(writer, err);
    }
    return status;
}

enum mr_status mr_name_table_vertex(struct mr_name_table_writer *writer, uint32_t *vertex,
                                    struct mr_error *err)
{
    enum mr_status status = MR_OK;

    assert(writer->left > 0);
    if (writer->name == NULL) {
        status = mr_name_cursor_next(writer->cursor, &writer->name, &writer->name_bytes, err);
    }
    *vertex = mr_name_cursor_vertex(writer->cursor);
    return status;
}

enum mr_status mr_name_table_add(struct mr_name_table_writer *writer, const uint8_t *row,
                                 struct mr_error *err)
{
    uint32_t ignored;
    enum mr_status status = mr_name_table_vertex(writer, &ignored, err);
    const char *name = writer->name;
    const size_t name_bytes = writer->name_bytes;

    writer->name = NULL;
    if (status == MR_OK &&
        writer->used + name_bytes + ROW_OVERHEAD + writer->row_bytes > (size_t)RAW_BYTES) {
        status = mr_context_poll(writer->context, err);
        if (status == MR_OK) {
            status = write_block(writer, err);
        }
    }
    if (status != MR_OK) {
        return status;
    }
    uint8_t *end = mr_name_put(writer->previous, writer->previous_bytes, name, (uint32_t)name_bytes,
                               writer->raw + writer->used);
    memcpy(end, row, writer->row_bytes);
    writer->used = (uint32_t)(end - writer->raw) + writer->row_bytes;
    memcpy(writer->previous, name, name_bytes);
    writer->previous_bytes = (uint32_t)name_bytes;
    writer->n_rows++;
    writer->left--;
    return MR_OK;
}

static void release_writer(struct mr_name_table_writer *writer)
{
    mr_name_cursor_close(writer->cursor);
    mr_block_codec_destroy(writer->codec);
    mr_memory_free(writer->context->memory, writer->memory);
    free(writer);
}

enum mr_status mr_name_table_commit(struct mr_name_table_writer *writer, struct mr_error *err)
{
    assert(writer->left == 0);
    enum mr_status status = writer->used > 0 ? write_block(writer, err) : MR_OK;
    if (status == MR_OK) {
        status = mr_file_sync(writer->file, err);
    }
    if (status != MR_OK) {
        mr_name_table_abandon(writer);
        return status;
    }
    status = mr_file_close(writer->file, err);
    writer->file = NULL;
    if (status != MR_OK) {
        mr_name_table_abandon(writer);
        return status;
    }
    status = mr_publish_commit_with(writer->publish, writer->context->together, err);
    release_writer(writer);
    return status;
}

void mr_name_table_abandon(struct mr_name_table_writer *writer)
{
    if (writer != NULL) {
        mr_file_abandon(writer->file);
        mr_publish_abandon(writer->publish);
        release_writer(writer);
    }
}

/* ---- Reading ---- */

struct mr_name_table_reader {
    const struct mr_context *context;
    struct mr_file *file;
    struct mr_block_codec *codec;
    struct mr_name_table_shape shape;
    uint8_t *memory; /* the one allocation: stored, then scratch */
    uint8_t *stored, *scratch;
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

static enum mr_status no_table(const struct mr_name_table_reader *reader, const char *kind,
                               struct mr_error *err)
{
    return mr_error_file(err, MR_ERROR_INPUT, mr_file_path(reader->file), 0,
                         "is no %.8s state; check the name, nothing was changed", kind);
}

static enum mr_status read_head(struct mr_name_table_reader *reader, const char kind[8],
                                uint32_t version, struct mr_error *err)
{
    enum { AT_MAGIC = 8, AT_BLOCK_KIND = 12, AT_GRAPH_ID = 16 }; /* in a block's header */
    struct mr_name_table_shape *shape = &reader->shape;

    if (reader->file_bytes < MR_BLOCK_HEADER_BYTES) {
        return no_table(reader, kind, err);
    }
    enum mr_status status =
        mr_file_read(reader->file, reader->stored, MR_BLOCK_HEADER_BYTES, 0, err);
    if (status != MR_OK) {
        return status;
    }
    if (mr_get_u32(reader->stored + AT_MAGIC) != MR_BLOCK_MAGIC ||
        reader->stored[AT_BLOCK_KIND] != MR_BLOCK_NAME_TABLE) {
        return no_table(reader, kind, err);
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
    memcpy(shape->kind, reader->at + AT_KIND, sizeof shape->kind);
    shape->version = mr_get_u32(reader->at + AT_VERSION);
    if (memcmp(shape->kind, kind, sizeof shape->kind) != 0) {
        return no_table(reader, kind, err);
    }
    if (shape->version > version) {
        return mr_error_file(err, MR_ERROR_INPUT, mr_file_path(reader->file), 0,
                             "is of version %u, this program knows up to %u; use a newer millrace",
                             shape->version, version);
    }
    shape->text = mr_get_u32(reader->at + AT_TEXT) != 0;
    shape->key_number = mr_get_u32(reader->at + AT_KEY_NUMBER);
    shape->row_bytes = mr_get_u32(reader->at + AT_ROW_BYTES);
    shape->n_rows = mr_get_u64(reader->at + AT_N_ROWS);
    shape->head_bytes = (uint32_t)(bytes - AT_HEAD);
    if (shape->row_bytes < 1 || shape->row_bytes > MR_NAME_TABLE_ROW_MAX_BYTES ||
        shape->n_rows > UINT32_MAX) {
        return damaged(reader, "its head is wrong", err);
    }
    memcpy(reader->head, reader->at + AT_HEAD, shape->head_bytes);
    reader->rows_left = shape->n_rows;
    return MR_OK;
}

enum mr_status mr_name_table_open(const struct mr_context *context, const char *path,
                                  const char kind[8], uint32_t version,
                                  struct mr_name_table_reader **out, struct mr_error *err)
{
    struct mr_name_table_reader *reader = calloc(1, sizeof *reader);

    *out = reader;
    if (reader == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a name table");
    }
    reader->context = context;
    enum mr_status status = mr_file_open(context->io, path, MR_OPEN_READ, &reader->file, err);
    if (status == MR_OK) {
        status = mr_file_size(reader->file, &reader->file_bytes, err);
    }
    if (status == MR_OK) {
        status = mr_memory_array(context->memory, memory_name,
                                 MR_BLOCK_MAX_BYTES + MR_BLOCK_RAW_MAX_BYTES, &reader->memory, err);
    }
    if (status == MR_OK) {
        reader->stored = reader->memory;
        reader->scratch = reader->memory + MR_BLOCK_MAX_BYTES;
        status = mr_block_codec_create(context->memory, 0, &reader->codec, err);
    }
    if (status == MR_OK) {
        status = read_head(reader, kind, version, err);
    }
    reader->rows_in_block = 0;
    return status;
}

void mr_name_table_close(struct mr_name_table_reader *reader)
{
    if (reader != NULL) {
        mr_block_codec_destroy(reader->codec);
        mr_memory_free(reader->context->memory, reader->memory);
        mr_file_abandon(reader->file);
        free(reader);
    }
}

const struct mr_name_table_shape *mr_name_table_shape_of(const struct mr_name_table_reader *reader)
{
    return &reader->shape;
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
    if (at == NULL || (size_t)(reader->end - at) < reader->shape.row_bytes) {
        return damaged(reader, "a row does not decode", err);
    }
    reader->at = at + reader->shape.row_bytes;
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

struct mr_name_table_merge {
    const struct mr_context *context;
    struct mr_name_table_reader *reader;
    struct mr_name_cursor *cursor;
    mr_name_key key; /* NULL: the names are numbers */
    const char *store_name, *table_name; /* the next name of each; NULL past the end */
    size_t store_bytes, table_bytes;
    const uint8_t *row;
    /* its latest name was returned: advance before the next comparison */
    bool take_store, take_table;
    char *keys; /* [2][MR_NAME_KEY_MAX_BYTES] */
};

enum mr_status mr_name_table_merge_open(const struct mr_context *context,
                                        struct mr_name_table_reader *reader, struct mr_names *names,
                                        const struct mr_store_info *info, mr_name_key key,
                                        struct mr_name_table_merge **out, struct mr_error *err)
{
    const struct mr_name_table_shape *shape = &reader->shape;
    const bool text = info->name_kind == MR_NAMES_TEXT;

    *out = NULL;
    if (shape->text != text || shape->key_number != (info->name_key_number & ~MR_NAME_SPELLINGS) ||
        (text && key == NULL)) {
        return mr_error_file(err, MR_ERROR_INPUT, mr_file_path(reader->file), 0,
                             "was made of pages called by %s, in another order than the store's; "
                             "use a state of this graph",
                             shape->text ? "text" : "numbers");
    }
    enum mr_status status = MR_OK;
    struct mr_name_table_merge *merge = calloc(1, sizeof *merge);
    *out = merge;
    if (merge == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a name table");
    }
    merge->context = context;
    merge->reader = reader;
    merge->key = text ? key : NULL;
    merge->take_store = merge->take_table = true;
    status = mr_name_cursor_open(names, 0, &merge->cursor, err);
    if (status == MR_OK && text) {
        status = mr_memory_array(context->memory, "keys of names",
                                 2 * (uint64_t)MR_NAME_KEY_MAX_BYTES, &merge->keys, err);
    }
    return status;
}

void mr_name_table_merge_close(struct mr_name_table_merge *merge)
{
    if (merge != NULL) {
        mr_name_cursor_close(merge->cursor);
        mr_memory_free(merge->context->memory, merge->keys);
        free(merge);
    }
}

/* Returns less than 0 if the store's name comes first. Numbers are decimal without leading
 * zeros. */
static int compare(struct mr_name_table_merge *merge)
{
    const char *a = merge->store_name, *b = merge->table_name;
    const size_t a_bytes = merge->store_bytes, b_bytes = merge->table_bytes;

    if (a == NULL || b == NULL) {
        return (a == NULL) - (b == NULL);
    }
    if (merge->key == NULL) {
        return a_bytes != b_bytes ? (a_bytes < b_bytes ? -1 : 1) : memcmp(a, b, a_bytes);
    }
    if (a_bytes == b_bytes && memcmp(a, b, a_bytes) == 0) {
        return 0; /* the common case: no keys are needed */
    }
    char *second = merge->keys + MR_NAME_KEY_MAX_BYTES;
    const size_t first_bytes = merge->key(a, a_bytes, merge->keys);
    const size_t second_bytes = merge->key(b, b_bytes, second);
    return mr_compare_bytes(merge->keys, first_bytes, second, second_bytes);
}

enum mr_status mr_name_table_merge_next(struct mr_name_table_merge *merge,
                                        enum mr_name_table_match *match, uint32_t *vertex,
                                        const uint8_t **row, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    if (merge->take_store) {
        status = mr_name_cursor_next(merge->cursor, &merge->store_name, &merge->store_bytes, err);
    }
    if (status == MR_OK && merge->take_table) {
        status = mr_name_table_next(merge->reader, &merge->table_name, &merge->table_bytes,
                                    &merge->row, err);
    }
    if (status != MR_OK) {
        return status;
    }
    const int order = compare(merge);
    merge->take_store = merge->store_name != NULL && order <= 0;
    merge->take_table = merge->table_name != NULL && order >= 0;
    *vertex = merge->take_store ? mr_name_cursor_vertex(merge->cursor) : 0;
    *row = merge->take_table ? merge->row : NULL;
    *match = merge->take_store ? (merge->take_table ? MR_NAME_IN_BOTH : MR_NAME_IN_STORE)
                               : (merge->take_table ? MR_NAME_IN_TABLE : MR_NAME_NONE);
    return MR_OK;
}
