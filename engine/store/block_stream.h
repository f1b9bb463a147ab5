/* SPDX-License-Identifier: Apache-2.0 */
/* Reads blocks of edges or degrees of a store in order, several reads ahead, for callers that read
 * a store once from start to end. Internal to the engine. */
#ifndef MR_ENGINE_STORE_BLOCK_STREAM_H
#define MR_ENGINE_STORE_BLOCK_STREAM_H

#include "engine/store/block.h"
#include "engine/store/store.h"

struct mr_block_stream;

/* Opens a stream of `blocks[n_blocks]`, which are blocks of edges of the store if `kind` is
 * MR_BLOCK_LINKS, else blocks of degrees. The store outlives the stream. Memory: about 4 MiB. Only
 * one thread at a time may use a stream. mr_block_stream_close takes NULL. */
enum mr_status mr_block_stream_open(const struct mr_context *context, const struct mr_store *store,
                                    enum mr_block_kind kind, const struct mr_block_entry *blocks,
                                    uint64_t n_blocks, struct mr_block_stream **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_block_stream_close(struct mr_block_stream *stream);

/* Begins another list of blocks, with the buffers of the one before, of which all blocks were read.
 * The list before may be gone. */
void mr_block_stream_restart(struct mr_block_stream *stream, const struct mr_block_entry *blocks,
                             uint64_t n_blocks);

/* Reads the next block and verifies it (mr_block_verify). There must be a next block. `kind` and
 * `band` are the expected ones.
 * `*raw` is valid until the next call; MR_BLOCK_SLACK_BYTES after it are readable. Polls for
 * cancellation. */
enum mr_status mr_block_stream_next(struct mr_block_stream *stream, enum mr_block_kind kind,
                                    uint32_t band, struct mr_block_header *header,
                                    const uint8_t **raw, struct mr_error *err) MR_WARN_UNUSED;

#endif
