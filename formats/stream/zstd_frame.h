/* SPDX-License-Identifier: Apache-2.0 */
/* The header of a zstd frame, which states how large a window its decoder needs.
 *
 * libzstd tells this only through functions outside its stable interface. Source: RFC 8878, section
 * 3.1. Dictionaries that stand in a file: "WARC-zstd" of the IIPC. */
#ifndef MR_FORMATS_STREAM_ZSTD_FRAME_H
#define MR_FORMATS_STREAM_ZSTD_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <zstd.h>

#include "engine/base/context.h"

#define MR_ZSTD_FRAME_HEADER_MAX     18 /* magic number and longest header */
#define MR_ZSTD_DICTIONARY_MAGIC     0x184d2a5du /* of the skippable frame that has a dictionary */
#define MR_ZSTD_DICTIONARY_MAX_BYTES (16u << 20)

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

/* Make a dictionary of the content of such a frame, which may be compressed itself. `*out` is NULL
 * if it is none; `name` is that of the file. Memory: three times the dictionary, then
 * `*charged_bytes`, which the caller discharges as "decompression". Errors: INPUT for damage and
 * for more than MR_ZSTD_DICTIONARY_MAX_BYTES; BUDGET. */
enum mr_status mr_zstd_dictionary(const struct mr_context *context, const char *name,
                                  const uint8_t *content, size_t bytes, ZSTD_DDict **out,
                                  uint64_t *charged_bytes, struct mr_error *err) MR_WARN_UNUSED;

#endif
