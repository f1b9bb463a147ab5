/* SPDX-License-Identifier: Apache-2.0 */
/* Reading single blocks for queries, through one buffer and one codec. Readers of whole stores use
 * block_stream.c, which reads ahead. */
#include "engine/store/block_reader.h"

#include <inttypes.h>
#include <stdlib.h>

#include "engine/base/memory.h"
#include "engine/io/io.h"

#define SCRATCH_BYTES (MR_BLOCK_RAW_MAX_BYTES + MR_BLOCK_SLACK_BYTES)

struct mr_block_reader {
    struct mr_memory *memory;
    struct mr_block_codec *codec;
    uint8_t *stored; /* the only allocation, [MR_BLOCK_MAX_BYTES] and slack, then scratch */
    uint8_t *scratch; /* [SCRATCH_BYTES] */
};

enum mr_status mr_block_reader_open(const struct mr_context *context, struct mr_block_reader **out,
                                    struct mr_error *err)
{
    struct mr_block_reader *reader = calloc(1, sizeof *reader);

    *out = NULL;
    if (reader == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a reader of blocks");
    }
    reader->memory = context->memory;
    enum mr_status status = mr_block_codec_create(reader->memory, 0, &reader->codec, err);
    if (status == MR_OK) {
        status = mr_memory_array(reader->memory, "block buffers",
                                 MR_BLOCK_MAX_BYTES + MR_BLOCK_SLACK_BYTES + SCRATCH_BYTES,
                                 &reader->stored, err);
    }
    if (status != MR_OK) {
        mr_block_reader_close(reader);
        return status;
    }
    reader->scratch = reader->stored + MR_BLOCK_MAX_BYTES + MR_BLOCK_SLACK_BYTES;
    *out = reader;
    return MR_OK;
}

void mr_block_reader_close(struct mr_block_reader *reader)
{
    if (reader != NULL) {
        mr_memory_free(reader->memory, reader->stored);
        mr_block_codec_destroy(reader->codec);
        free(reader);
    }
}

enum mr_status mr_block_reader_read(struct mr_block_reader *reader, struct mr_block_location place,
                                    const struct mr_block_entry *entry, enum mr_block_kind kind,
                                    uint32_t band, struct mr_block_header *header,
                                    const uint8_t **raw, struct mr_error *err)
{
    if (entry->stored_bytes > MR_BLOCK_MAX_BYTES) {
        return mr_error_offset(err, MR_ERROR_CORRUPT, mr_file_path(place.file), entry->offset,
                               "the index gives this block %" PRIu32
                               " bytes, too many; restore the "
                               "store from a copy or build it again",
                               entry->stored_bytes);
    }
    const enum mr_status status =
        mr_file_read(place.file, reader->stored, entry->stored_bytes, entry->offset, err);
    return status == MR_OK ? mr_block_verify(reader->codec, reader->stored, place, entry, kind,
                                             band, reader->scratch, header, raw, err)
                           : status;
}
