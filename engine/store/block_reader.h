/* Single blocks of a store, read one at a time: for queries. Internal to the engine. */
#ifndef MR_ENGINE_STORE_BLOCK_READER_H
#define MR_ENGINE_STORE_BLOCK_READER_H

#include "engine/store/block.h"
#include "engine/store/store.h"

struct mr_block_reader;

/* About 800 KiB. One thread at a time. Close takes NULL. */
enum mr_status mr_block_reader_open(const struct mr_context *context, struct mr_block_reader **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_block_reader_close(struct mr_block_reader *reader);

/* The block `entry` at `place`, opened (mr_block_open) and held against the index
 * (mr_block_check_entry); `kind` and `band` are what it has to be. `*raw`, followed by
 * MR_BLOCK_SLACK_BYTES of anything, is valid until the next call. */
enum mr_status mr_block_reader_read(struct mr_block_reader *reader, struct mr_block_place place,
                                    const struct mr_block_entry *entry, enum mr_block_kind kind,
                                    uint32_t band, struct mr_block_header *header,
                                    const uint8_t **raw, struct mr_error *err) MR_WARN_UNUSED;

#endif
