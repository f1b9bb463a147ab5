/* SPDX-License-Identifier: Apache-2.0 */
/* A column of a store: a file of rows of one size, in plain blocks of a fixed number of rows. No
 * index lists the blocks, since their locations and sizes follow from the number of rows. The bits
 * of the core (core_map.h) and fetch facts (fetch_facts.h) are columns. Internal to the engine. */
#ifndef MR_ENGINE_STORE_COLUMN_H
#define MR_ENGINE_STORE_COLUMN_H

#include "engine/store/block.h"
#include "engine/store/store.h"

struct mr_column {
    enum mr_block_kind kind;
    uint32_t row_bytes;
    uint32_t block_rows; /* only the last block may have fewer; full blocks need no padding */
    const char *what; /* "the fetches of pages", for messages */
};

/* The order: a row has the bits of 32 positions. Fetch facts without and with digests. */
#define MR_ORDER_ROW_BITS   32u
#define MR_ORDER_BLOCK_ROWS 32768u
#define MR_FACTS_BLOCK_ROWS 8192u
extern const struct mr_column mr_order_column, mr_facts_columns[2];

/* The size of a store's file MR_FILE_ORDER or MR_FILE_FACTS; 0: there is none. */
uint64_t mr_column_file_bytes(const struct mr_store_info *info, enum mr_store_file which);

/* A file that is read or written. Plain data. Memory: a block. One thread at a time uses it. */
struct mr_column_file {
    const struct mr_context *context;
    const struct mr_column *column;
    struct mr_block_location place;
    uint64_t n_rows; /* of a file that is read */
    uint64_t block; /* the loaded one; UINT64_MAX: none */
    struct mr_block_header header; /* of the loaded block */
    uint8_t *
        rows; /* [block_rows * row_bytes]: those of the loaded block, or of the next one to write */
    uint8_t *stored; /* the allocation: a header, and `rows` */
    void *hash;
    uint64_t n_hashed; /* blocks */
};

/* Opens the `n_rows` rows of a file for reading, or an empty file for writing. Close takes a zeroed
 * or closed one. */
enum mr_status mr_column_open(const struct mr_context *context, const struct mr_column *column,
                              struct mr_block_location place, uint64_t n_rows,
                              struct mr_column_file *file, struct mr_error *err) MR_WARN_UNUSED;
void mr_column_close(struct mr_column_file *file);

/* Loads a block unless it is loaded. Polls for cancellation. Errors: CORRUPT. */
enum mr_status mr_column_load(struct mr_column_file *file, uint64_t block,
                              struct mr_error *err) MR_WARN_UNUSED;
/* The loaded block is not what it should be. Unloads it. */
enum mr_status mr_column_damaged(struct mr_column_file *file, struct mr_error *err);
/* Once each block was loaded in order: checks that `id` is that of the rows. */
enum mr_status mr_column_check_id(const struct mr_column_file *file, uint64_t id,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* Writes the first `n` of file->rows as the next block, whose header gets `first` and `last`. Polls
 * for cancellation. */
enum mr_status mr_column_write(struct mr_column_file *file, uint32_t first, uint32_t last,
                               uint32_t n, struct mr_error *err) MR_WARN_UNUSED;
/* The id of the rows so far: their hash, never 0. */
uint64_t mr_column_id(const struct mr_column_file *file);

#endif
