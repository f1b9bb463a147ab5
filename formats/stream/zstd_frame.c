/* SPDX-License-Identifier: Apache-2.0 */
/* Parses the header of a zstd frame (RFC 8878, section 3.1). formats/stream/input.c charges the
 * window to the budget before it decodes a frame; the stable interface of libzstd does not tell the
 * window's size. frame_team.c cuts frames with the same header. */
#include "formats/stream/zstd_frame.h"

#include "engine/base/bytes.h"

#define MAGIC           0xfd2fb528u
#define SKIPPABLE_MAGIC 0x184d2a50u /* and the 15 numbers after it */

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
