/* SPDX-License-Identifier: Apache-2.0 */
/* Reads single blocks of a store, one at a time, for queries. Internal to the engine. */
#ifndef MR_ENGINE_STORE_BLOCK_READER_H
#define MR_ENGINE_STORE_BLOCK_READER_H

#include "engine/store/block.h"
#include "engine/store/store.h"

struct mr_block_reader;

/* Memory: about 800 KiB. Only one thread at a time may use a reader. mr_block_reader_close takes
 * NULL. */
enum mr_status mr_block_reader_open(const struct mr_context *context, struct mr_block_reader **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_block_reader_close(struct mr_block_reader *reader);

/* Reads the block `entry` at `place` and verifies it (mr_block_verify). `kind` and `band` are the
 * expected ones. `*raw` is valid until the next call; MR_BLOCK_SLACK_BYTES after it are readable.
 * Errors: CORRUPT, and those of mr_file_read. */
enum mr_status mr_block_reader_read(struct mr_block_reader *reader, struct mr_block_location place,
                                    const struct mr_block_entry *entry, enum mr_block_kind kind,
                                    uint32_t band, struct mr_block_header *header,
                                    const uint8_t **raw, struct mr_error *err) MR_WARN_UNUSED;

#endif
