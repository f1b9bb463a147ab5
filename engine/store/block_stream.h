/* Blocks of links or of degrees of a store, in order, several reads ahead: for what reads a store once from
 * end to end. Internal to the engine. */
#ifndef MR_ENGINE_STORE_BLOCK_STREAM_H
#define MR_ENGINE_STORE_BLOCK_STREAM_H

#include "engine/store/block.h"
#include "engine/store/store.h"

struct mr_block_stream;

/* `blocks[n_blocks]` of the store's blocks of links (`kind` MR_BLOCK_LINKS) or of degrees (another kind);
 * the store outlives the stream. About 4 MiB.
 * One thread at a time. Close takes NULL. */
enum mr_status mr_block_stream_open(const struct mr_context *context, const struct mr_store *store,
                                    enum mr_block_kind kind, const struct mr_block_entry *blocks,
                                    uint64_t n_blocks, struct mr_block_stream **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_block_stream_close(struct mr_block_stream *stream);

/* The next block, of which there is one: opened (mr_block_open) and held against the index
 * (mr_block_check_entry); `kind` and `band` are what it has to be. `*raw`, followed by
 * MR_BLOCK_SLACK_BYTES of anything, is valid until the next call. Polls for cancellation. */
enum mr_status mr_block_stream_next(struct mr_block_stream *stream, enum mr_block_kind kind,
                                    uint32_t band, struct mr_block_header *header,
                                    const uint8_t **raw, struct mr_error *err) MR_WARN_UNUSED;

#endif
