/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the header of a zstd frame (RFC 8878, section 3.1). formats/stream/input.c charges the
 * window to the budget before it decodes a frame; the stable interface of libzstd does not tell the
 * window's size. frame_team.c cuts frames with the same header. The dictionary of a file, which all
 * of ArchiveTeam's have in their first frame, is made here for both. */
#include "formats/stream/input_internal.h"

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/zstd_status.h"

#define MAGIC            0xfd2fb528u
#define SKIPPABLE_MAGIC  0x184d2a50u /* and the 15 numbers after it */
#define DICTIONARY_MAGIC 0xec30a437u
#define TABLES_BYTES     ((uint64_t)64 << 10) /* that zstd keeps beside a dictionary; 27 KiB */

bool mr_zstd_frame_magic(uint32_t magic)
{
    return magic == MAGIC || (magic & 0xfffffff0u) == SKIPPABLE_MAGIC;
}

bool mr_zstd_frame_parse(const uint8_t *data, size_t bytes, struct mr_zstd_frame *frame)
{
    static const uint8_t dictionary_bytes[4] = {0, 1, 2, 4};
    static const uint8_t content_bytes[4] = {0, 2, 4, 8};

    *frame = (struct mr_zstd_frame){0};
    if (bytes < 5 || !mr_zstd_frame_magic(mr_get_u32(data))) {
        return false;
    }
    if (mr_get_u32(data) != MAGIC) {
        frame->skippable = true;
        return true;
    }
    /* magic 4 | descriptor 1 | window 0-1 | dictionary id 0-4 | content size 0-8 */
    uint8_t descriptor = data[4];
    bool single_segment = (descriptor & 0x20) != 0;
    size_t size_at = 5u + (single_segment ? 0 : 1) + dictionary_bytes[descriptor & 3];
    size_t size_bytes = content_bytes[descriptor >> 6];
    if (single_segment && size_bytes == 0) {
        size_bytes = 1;
    }
    if (bytes < size_at + size_bytes) {
        return false;
    }
    frame->header_bytes = size_at + size_bytes;
    frame->has_checksum = (descriptor & 4) != 0;
    if (!single_segment) {
        unsigned exponent = data[5] >> 3, mantissa = data[5] & 7;
        uint64_t base = (uint64_t)1 << (10 + exponent);
        frame->window_bytes = base + base / 8 * mantissa;
        return true;
    }
    /* With a single segment the window is the content. */
    for (size_t i = size_bytes; i > 0; i--) {
        frame->window_bytes = frame->window_bytes << 8 | data[size_at + i - 1];
    }
    frame->window_bytes += size_bytes == 2 ? 256 : 0;
    return true;
}

/* ---- Dictionaries ---- */

/* Decompress a dictionary into `*out`. Its frame need not say its size. */
static enum mr_status unpack(const struct mr_context *context, const char *name,
                             const uint8_t *content, size_t bytes, uint8_t **out, size_t *out_bytes,
                             struct mr_error *err)
{
    size_t code = 0, room = (size_t)64 << 10;
    enum mr_status status;

    do {
        room *= 2;
        status = mr_memory_resize(context->memory, "zstd dictionary", out, room, err);
        code = status == MR_OK ? ZSTD_decompress(*out, room, content, bytes) : 0;
    } while (status == MR_OK && ZSTD_getErrorCode(code) == ZSTD_error_dstSize_tooSmall &&
             room < MR_ZSTD_DICTIONARY_MAX_BYTES);
    if (status == MR_OK && ZSTD_isError(code)) {
        status = mr_zstd_status(code) == MR_ERROR_BUDGET ? MR_ERROR_BUDGET : MR_ERROR_INPUT;
        return mr_error_offset(
            err, status, name, 0,
            "the zstd dictionary in its first frame cannot be decompressed (%s); "
            "get the file again",
            ZSTD_getErrorName(code));
    }
    *out_bytes = code;
    return status;
}

enum mr_status mr_zstd_dictionary(const struct mr_context *context, const char *name,
                                  const uint8_t *content, size_t bytes, ZSTD_DDict **out,
                                  uint64_t *charged_bytes, struct mr_error *err)
{
    uint8_t *unpacked = NULL;
    enum mr_status status = MR_OK;

    *out = NULL;
    *charged_bytes = 0;
    if (bytes >= 4 && mr_get_u32(content) == MAGIC) {
        status = unpack(context, name, content, bytes, &unpacked, &bytes, err);
        content = unpacked;
    }
    if (status == MR_OK && bytes >= 8 && mr_get_u32(content) == DICTIONARY_MAGIC) {
        status = mr_memory_charge(context->memory, "decompression", bytes + TABLES_BYTES, err);
        *charged_bytes = status == MR_OK ? bytes + TABLES_BYTES : 0;
        *out = status == MR_OK ? ZSTD_createDDict(content, bytes) : NULL;
        if (status == MR_OK && *out == NULL) { /* zstd does not tell want of memory from damage */
            status = mr_error_offset(err, MR_ERROR_INPUT, name, 0,
                                     "the zstd dictionary in its first frame is damaged; get the "
                                     "file again");
        }
    }
    mr_memory_free(context->memory, unpacked);
    return status;
}
