/* SPDX-License-Identifier: Apache-2.0 */
/* The header of a zstd frame, which states how large a window its decoder needs.
 *
 * libzstd tells this only through functions outside its stable interface. Source: RFC 8878, section
 * 3.1. */
#ifndef MR_FORMATS_STREAM_ZSTD_FRAME_H
#define MR_FORMATS_STREAM_ZSTD_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MR_ZSTD_FRAME_HEADER_MAX 18 /* magic number and longest header */

struct mr_zstd_frame {
    bool skippable;
    uint64_t window_bytes; /* 0 for a skippable frame, like the fields below */
    size_t header_bytes; /* with the magic number */
    bool has_checksum; /* 4 bytes behind the last block */
};

/* Does a little-endian `magic` begin a frame, a skippable one included? */
bool mr_zstd_frame_magic(uint32_t magic);

/* Parse the header at `data[bytes]`. False when it is not a frame, or the header is cut off. */
bool mr_zstd_frame_parse(const uint8_t *data, size_t bytes, struct mr_zstd_frame *frame);

#endif
