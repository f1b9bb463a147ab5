/* SPDX-License-Identifier: Apache-2.0 */
/* Reading and writing columns. Builds and appends write them; names, outputs and mr_check read
 * them. Rows are found by their number or by a binary search over blocks, so blocks are neither
 * compressed nor indexed. */
#include "engine/store/column.h"

#include <xxhash.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/io/io.h"

#define WAY_OUT "; restore the store from a copy or build it again"

enum { FACTS_BYTES = 18, FACTS_WITH_DIGESTS_BYTES = 26 };
_Static_assert(MR_ORDER_BLOCK_ROWS *(MR_ORDER_ROW_BITS / 8) % MR_NAME_ALIGN == 0 &&
                   FACTS_BYTES * MR_FACTS_BLOCK_ROWS % MR_NAME_ALIGN == 0 &&
                   FACTS_WITH_DIGESTS_BYTES * MR_FACTS_BLOCK_ROWS % MR_NAME_ALIGN == 0 &&
                   FACTS_WITH_DIGESTS_BYTES * MR_FACTS_BLOCK_ROWS <= MR_BLOCK_RAW_MAX_BYTES,
               "full blocks fit and need no padding");

const struct mr_column mr_order_column = {
    .kind = MR_BLOCK_ORDER_CORE,
    .row_bytes = MR_ORDER_ROW_BITS / 8,
    .block_rows = MR_ORDER_BLOCK_ROWS,
    .what = "the order of pages",
};
const struct mr_column mr_facts_columns[2] = {{.kind = MR_BLOCK_FETCH_FACTS,
                                               .row_bytes = FACTS_BYTES,
                                               .block_rows = MR_FACTS_BLOCK_ROWS,
                                               .what = "the fetches of pages"},
                                              {.kind = MR_BLOCK_FETCH_FACTS,
                                               .row_bytes = FACTS_WITH_DIGESTS_BYTES,
                                               .block_rows = MR_FACTS_BLOCK_ROWS,
                                               .what = "the fetches of pages"}};

/* The size of a file of so many rows, or of a full block. */
static uint64_t bytes_of(const struct mr_column *column, uint64_t n_rows)
{
    return mr_round_up(mr_div_up(n_rows, column->block_rows) * MR_BLOCK_HEADER_BYTES +
                           column->row_bytes * n_rows,
                       MR_NAME_ALIGN);
}

uint64_t mr_column_file_bytes(const struct mr_store_info *info, enum mr_store_file which)
{
    const uint64_t n_words = mr_div_up(info->n_vertices, MR_ORDER_ROW_BITS);
    return which == MR_FILE_ORDER ? bytes_of(&mr_order_column, info->order_id != 0 ? n_words : 0)
                                  : bytes_of(&mr_facts_columns[info->has_digests], info->n_facts);
}

enum mr_status mr_column_open(const struct mr_context *context, const struct mr_column *column,
                              struct mr_block_location place, uint64_t n_rows,
                              struct mr_column_file *file, struct mr_error *err)
{
    *file = (struct mr_column_file){.context = context,
                                    .column = column,
                                    .place = place,
                                    .n_rows = n_rows,
                                    .block = UINT64_MAX,
                                    .hash = XXH3_createState()};
    enum mr_status status = mr_memory_array(
        context->memory, column->what, bytes_of(column, column->block_rows), &file->stored, err);
    if (status == MR_OK && (file->hash == NULL || XXH3_64bits_reset(file->hash) != XXH_OK)) {
        status = mr_error_set(err, MR_ERROR_BUDGET, "out of memory for %s", column->what);
    }
    if (status != MR_OK) {
        mr_column_close(file);
        return status;
    }
    file->rows = file->stored + MR_BLOCK_HEADER_BYTES;
    return MR_OK;
}

void mr_column_close(struct mr_column_file *file)
{
    if (file->context != NULL) {
        mr_memory_free(file->context->memory, file->stored);
        (void)XXH3_freeState(file->hash);
    }
    *file = (struct mr_column_file){.context = NULL};
}

static uint64_t offset_of(const struct mr_column *column, uint64_t block)
{
    return block * bytes_of(column, column->block_rows);
}

enum mr_status mr_column_damaged(struct mr_column_file *file, struct mr_error *err)
{
    const uint64_t offset = offset_of(file->column, file->block);
    file->block = UINT64_MAX;
    return mr_error_offset(err, MR_ERROR_CORRUPT, mr_file_path(file->place.file), offset,
                           "the block makes no sense in %s" WAY_OUT, file->column->what);
}

enum mr_status mr_column_load(struct mr_column_file *file, uint64_t block, struct mr_error *err)
{
    const struct mr_column *column = file->column;
    const uint64_t offset = offset_of(column, block);
    const uint64_t n = mr_min_u64(file->n_rows - block * column->block_rows, column->block_rows);
    const uint32_t stored_bytes = (uint32_t)bytes_of(column, n);
    struct mr_block_header *header = &file->header;
    const uint8_t *rows = NULL;

    if (file->block == block) {
        return MR_OK;
    }
    file->block = UINT64_MAX;
    enum mr_status status = mr_context_poll(file->context, err);
    if (status == MR_OK) {
        status = mr_file_read(file->place.file, file->stored, stored_bytes, offset, err);
    }
    if (status == MR_OK) { /* a plain block: the rows stay where they are */
        status = mr_block_open(NULL, file->stored, stored_bytes, column->kind, file->place.graph_id,
                               NULL, mr_file_path(file->place.file), offset, header, &rows, err);
    }
    if (status != MR_OK) {
        return status;
    }
    file->block = block;
    if (header->raw_bytes != column->row_bytes * n || header->n_entries != n ||
        header->number != block || header->band != 0) {
        return mr_column_damaged(file, err);
    }
    if (block == file->n_hashed) {
        (void)XXH3_64bits_update(file->hash, rows, header->raw_bytes);
        file->n_hashed++;
    }
    return MR_OK;
}

enum mr_status mr_column_check_id(const struct mr_column_file *file, uint64_t id,
                                  struct mr_error *err)
{
    return file->n_hashed == mr_div_up(file->n_rows, file->column->block_rows) &&
                   mr_column_id(file) == id
               ? MR_OK
               : mr_error_file(err, MR_ERROR_CORRUPT, mr_file_path(file->place.file), 0,
                               "this is not %s that the manifest names" WAY_OUT,
                               file->column->what);
}

enum mr_status mr_column_write(struct mr_column_file *file, uint32_t first, uint32_t last,
                               uint32_t n, struct mr_error *err)
{
    const uint32_t raw_bytes = file->column->row_bytes * n;
    struct mr_block_header header = {.kind = file->column->kind,
                                     .graph_id = file->place.graph_id,
                                     .first = first,
                                     .last = last,
                                     .n_entries = n,
                                     .number = file->n_hashed};
    (void)XXH3_64bits_update(file->hash, file->rows, raw_bytes);
    enum mr_status status = mr_context_poll(file->context, err);
    if (status == MR_OK) {
        status =
            mr_block_seal(NULL, &header, file->rows, raw_bytes, MR_NAME_ALIGN, file->stored, err);
    }
    if (status == MR_OK) {
        status = mr_file_write(file->place.file, file->stored, header.stored_bytes,
                               offset_of(file->column, file->n_hashed), err);
    }
    file->n_hashed++;
    return status;
}

uint64_t mr_column_id(const struct mr_column_file *file)
{
    const uint64_t id = XXH3_64bits_digest(file->hash);
    return id != 0 ? id : 1;
}
