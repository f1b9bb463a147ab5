/* SPDX-License-Identifier: Apache-2.0 */
/* A stream of blocks in order, with several reads in flight, over a read queue. engine/scan reads
 * whole stores with it. A pass has readers of its own, which also pin blocks. */
#include "engine/store/block_stream.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/base/memory.h"
#include "engine/io/queue.h"

#define DEPTH 8u /* reads of up to 256 KiB each; enough in flight for one thread that decodes */

#define SCRATCH_BYTES (MR_BLOCK_RAW_MAX_BYTES + MR_BLOCK_SLACK_BYTES)
_Static_assert(MR_QUEUE_SLACK_BYTES >= MR_BLOCK_SLACK_BYTES, "plain blocks are decoded in place");

struct mr_block_stream {
    const struct mr_context *context;
    const struct mr_store *store;
    bool of_links; /* otherwise of degrees */
    const struct mr_block_entry *blocks;
    uint64_t n_blocks;
    uint64_t pushed, popped;
    struct mr_queue *queue;
    struct mr_block_codec *codec;
    uint8_t *scratch;
};

enum mr_status mr_block_stream_open(const struct mr_context *context, const struct mr_store *store,
                                    enum mr_block_kind kind, const struct mr_block_entry *blocks,
                                    uint64_t n_blocks, struct mr_block_stream **out,
                                    struct mr_error *err)
{
    struct mr_block_stream *stream = calloc(1, sizeof *stream);
    enum mr_status status;

    *out = stream;
    if (stream == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a stream of blocks");
    }
    stream->context = context;
    stream->store = store;
    stream->of_links = kind == MR_BLOCK_LINKS;
    stream->blocks = blocks;
    stream->n_blocks = n_blocks;
    status = mr_block_codec_create(context->memory, 0, &stream->codec, err);
    if (status == MR_OK) {
        status =
            mr_memory_array(context->memory, "block buffer", SCRATCH_BYTES, &stream->scratch, err);
    }
    if (status == MR_OK) {
        status = mr_queue_create(context, DEPTH, MR_BLOCK_MAX_BYTES, &stream->queue, err);
    }
    return status;
}

void mr_block_stream_close(struct mr_block_stream *stream)
{
    if (stream == NULL) {
        return;
    }
    mr_queue_destroy(stream->queue);
    mr_memory_free(stream->context->memory, stream->scratch);
    mr_block_codec_destroy(stream->codec);
    free(stream);
}

void mr_block_stream_restart(struct mr_block_stream *stream, const struct mr_block_entry *blocks,
                             uint64_t n_blocks)
{
    assert(stream->popped == stream->n_blocks);
    stream->blocks = blocks;
    stream->n_blocks = n_blocks;
    stream->pushed = 0;
    stream->popped = 0;
}

static struct mr_block_location place_of(const struct mr_block_stream *stream,
                                         const struct mr_block_entry *entry)
{
    return stream->of_links ? mr_store_links_location(stream->store, entry)
                            : mr_store_location(stream->store, MR_FILE_DEGREES);
}

enum mr_status mr_block_stream_next(struct mr_block_stream *stream, enum mr_block_kind kind,
                                    uint32_t band, struct mr_block_header *header,
                                    const uint8_t **raw, struct mr_error *err)
{
    const struct mr_block_entry *entry = &stream->blocks[stream->popped];
    uint8_t *data = NULL;
    uint64_t tag = 0;
    enum mr_status status = mr_context_poll(stream->context, err);

    assert(stream->popped < stream->n_blocks);
    while (status == MR_OK && stream->pushed < stream->n_blocks &&
           mr_queue_has_room(stream->queue)) {
        const struct mr_block_entry *ahead = &stream->blocks[stream->pushed];

        status = mr_queue_push(stream->queue, place_of(stream, ahead).file, ahead->offset,
                               ahead->stored_bytes, stream->pushed, err);
        stream->pushed++;
    }
    if (status == MR_OK) {
        status = mr_queue_pop(stream->queue, &data, &tag, NULL, err);
    }
    if (status == MR_OK) {
        status = mr_block_verify(stream->codec, data, place_of(stream, entry), entry, kind, band,
                                 stream->scratch, header, raw, err);
    }
    stream->popped++;
    return status;
}
