/* SPDX-License-Identifier: Apache-2.0 */
/* Sealing blocks when a store is written, and verifying and decompressing them when it is read.
 * Writers of edges, degrees and names, and all readers, use this file; it alone knows the header's
 * layout. */
#include "engine/store/block.h"
#include "engine/base/zstd_status.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* for the sizes of contexts, which are charged to the memory budget */
#define ZSTD_STATIC_LINKING_ONLY
#include <zstd.h>

#include "engine/base/bytes.h"
#include "engine/base/checksum.h"
#include "engine/base/memory.h"
#include "engine/io/io.h"
#include "engine/store/store.h"

/* Byte offsets in the header; docs/store-format.md, "Blocks". */
enum {
    AT_CHECKSUM = 0, /* u64: XXH3-64 of the stored bytes from AT_MAGIC on */
    AT_MAGIC = 8,
    AT_KIND = 12,
    AT_CODEC = 13,
    AT_ZERO = 14, /* u16 */
    AT_GRAPH_ID = 16,
    AT_STORED_BYTES = 24,
    AT_PAYLOAD_BYTES = 28,
    AT_RAW_BYTES = 32,
    AT_BAND = 36,
    AT_FIRST = 40,
    AT_LAST = 44,
    AT_N_ENTRIES = 48,
    AT_NUMBER = 56
};
_Static_assert(AT_NUMBER + 8 == MR_BLOCK_HEADER_BYTES, "block header layout");

struct mr_block_codec {
    struct mr_memory *memory;
    int level;
    uint64_t charged_bytes;
    ZSTD_CCtx *compress; /* NULL if level is 0 */
    ZSTD_DCtx *decompress;
};

uint64_t mr_block_codec_bytes(int zstd_level)
{
    uint64_t bytes = ZSTD_estimateDCtxSize();
    if (zstd_level > 0) {
        bytes += ZSTD_estimateCCtxSize_usingCParams(
            ZSTD_getCParams(zstd_level, MR_BLOCK_RAW_MAX_BYTES, 0));
    }
    return bytes;
}

enum mr_status mr_block_codec_create(struct mr_memory *memory, int zstd_level,
                                     struct mr_block_codec **out, struct mr_error *err)
{
    struct mr_block_codec *codec = calloc(1, sizeof *codec);
    if (codec == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a block codec");
    }
    codec->memory = memory;
    codec->level = zstd_level;
    codec->charged_bytes = mr_block_codec_bytes(zstd_level);
    enum mr_status status = mr_memory_charge(memory, "zstd context", codec->charged_bytes, err);
    if (status != MR_OK) {
        free(codec);
        return status;
    }
    codec->decompress = ZSTD_createDCtx();
    codec->compress = zstd_level > 0 ? ZSTD_createCCtx() : NULL;
    if (codec->decompress == NULL || (zstd_level > 0 && codec->compress == NULL)) {
        mr_block_codec_destroy(codec);
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a zstd context");
    }
    *out = codec;
    return MR_OK;
}

void mr_block_codec_destroy(struct mr_block_codec *codec)
{
    if (codec == NULL) {
        return;
    }
    ZSTD_freeCCtx(codec->compress);
    ZSTD_freeDCtx(codec->decompress);
    mr_memory_discharge(codec->memory, "zstd context", codec->charged_bytes);
    free(codec);
}

static void put_header(const struct mr_block_header *header, uint8_t *out)
{
    mr_put_u32(out + AT_MAGIC, MR_BLOCK_MAGIC);
    out[AT_KIND] = (uint8_t)header->kind;
    out[AT_CODEC] = (uint8_t)header->codec;
    mr_put_u16(out + AT_ZERO, 0);
    mr_put_u64(out + AT_GRAPH_ID, header->graph_id);
    mr_put_u32(out + AT_STORED_BYTES, header->stored_bytes);
    mr_put_u32(out + AT_PAYLOAD_BYTES, header->payload_bytes);
    mr_put_u32(out + AT_RAW_BYTES, header->raw_bytes);
    mr_put_u32(out + AT_BAND, header->band);
    mr_put_u32(out + AT_FIRST, header->first);
    mr_put_u32(out + AT_LAST, header->last);
    mr_put_u64(out + AT_N_ENTRIES, header->n_entries);
    mr_put_u64(out + AT_NUMBER, header->number);
    mr_put_u64(out + AT_CHECKSUM, mr_checksum(out + AT_MAGIC, header->stored_bytes - AT_MAGIC));
}

/* Every pass decompresses the edges, and the time of zstd depends more on the number of matches
 * than on bytes. At level 9 a minimum match of 6 bytes instead of 4 or 5 saves 10% of the time
 * (cnr-2000: 0.94 instead of 1.04 ns per edge, its transpose: 0.72 instead of 0.83) and costs 1.1%
 * and 1.8% more bytes. From level 13 on, where users want few bytes, the level's own minimum match
 * stays. */
enum { LINKS_MIN_MATCH = 6, LINKS_MIN_MATCH_MAX_LEVEL = 12 };

static size_t compress(struct mr_block_codec *codec, enum mr_block_kind kind, const uint8_t *raw,
                       uint32_t raw_bytes, uint8_t *payload)
{
    const bool for_speed = kind == MR_BLOCK_LINKS && codec->level <= LINKS_MIN_MATCH_MAX_LEVEL;
    size_t result = ZSTD_CCtx_setParameter(codec->compress, ZSTD_c_compressionLevel, codec->level);
    if (!ZSTD_isError(result)) { /* 0: the level's own value */
        result = ZSTD_CCtx_setParameter(codec->compress, ZSTD_c_minMatch,
                                        for_speed ? LINKS_MIN_MATCH : 0);
    }
    return ZSTD_isError(result)
               ? result
               : ZSTD_compress2(codec->compress, payload, MR_BLOCK_RAW_MAX_BYTES, raw, raw_bytes);
}

enum mr_status mr_block_seal(struct mr_block_codec *codec, struct mr_block_header *header,
                             const uint8_t *raw, uint32_t raw_bytes, uint32_t align, uint8_t *out,
                             struct mr_error *err)
{
    uint8_t *payload = out + MR_BLOCK_HEADER_BYTES;
    uint32_t plain_bytes = (uint32_t)mr_round_up(MR_BLOCK_HEADER_BYTES + raw_bytes, align);
    header->codec = MR_CODEC_PLAIN;
    header->raw_bytes = raw_bytes;
    header->payload_bytes = raw_bytes;
    header->stored_bytes = plain_bytes;
    if (codec != NULL && codec->level > 0 &&
        plain_bytes > align) { /* one unit of alignment cannot shrink */
        size_t bytes = compress(codec, header->kind, raw, raw_bytes, payload);
        if (ZSTD_isError(bytes) && ZSTD_getErrorCode(bytes) != ZSTD_error_dstSize_tooSmall) {
            return mr_error_set(err, mr_zstd_status(bytes), "zstd: %s", ZSTD_getErrorName(bytes));
        }
        if (!ZSTD_isError(bytes)) {
            uint32_t stored = (uint32_t)mr_round_up(MR_BLOCK_HEADER_BYTES + bytes, align);
            if (stored < plain_bytes) {
                header->codec = MR_CODEC_ZSTD;
                header->payload_bytes = (uint32_t)bytes;
                header->stored_bytes = stored;
            }
        }
    }
    if (header->codec == MR_CODEC_PLAIN && raw != payload) {
        memcpy(payload, raw, raw_bytes);
    }
    memset(payload + header->payload_bytes, 0,
           header->stored_bytes - MR_BLOCK_HEADER_BYTES - header->payload_bytes);
    put_header(header, out);
    return MR_OK;
}

/* Reads the header's fields after the checksum is verified. Returns false if a size is
 * impossible. */
static bool get_header(const uint8_t *data, uint32_t stored_bytes, struct mr_block_header *header)
{
    header->kind = data[AT_KIND];
    header->codec = data[AT_CODEC];
    header->graph_id = mr_get_u64(data + AT_GRAPH_ID);
    header->stored_bytes = mr_get_u32(data + AT_STORED_BYTES);
    header->payload_bytes = mr_get_u32(data + AT_PAYLOAD_BYTES);
    header->raw_bytes = mr_get_u32(data + AT_RAW_BYTES);
    header->band = mr_get_u32(data + AT_BAND);
    header->first = mr_get_u32(data + AT_FIRST);
    header->last = mr_get_u32(data + AT_LAST);
    header->n_entries = mr_get_u64(data + AT_N_ENTRIES);
    header->number = mr_get_u64(data + AT_NUMBER);
    if (header->stored_bytes != stored_bytes || header->raw_bytes > MR_BLOCK_RAW_MAX_BYTES ||
        header->payload_bytes > stored_bytes - MR_BLOCK_HEADER_BYTES ||
        header->first > header->last || mr_get_u16(data + AT_ZERO) != 0) {
        return false;
    }
    return header->codec == MR_CODEC_ZSTD ||
           (header->codec == MR_CODEC_PLAIN && header->payload_bytes == header->raw_bytes);
}

enum mr_status mr_block_open(struct mr_block_codec *codec, const uint8_t *data,
                             uint32_t stored_bytes, enum mr_block_kind kind, uint64_t graph_id,
                             uint8_t *scratch, const char *path, uint64_t offset,
                             struct mr_block_header *header, const uint8_t **raw,
                             struct mr_error *err)
{
    const char *way_out = "; the store is damaged: build it again";
    if (stored_bytes < MR_BLOCK_HEADER_BYTES || stored_bytes > MR_BLOCK_MAX_BYTES) {
        return mr_error_offset(err, MR_ERROR_CORRUPT, path, offset, "block of %u bytes%s",
                               stored_bytes, way_out);
    }
    if (mr_checksum(data + AT_MAGIC, stored_bytes - AT_MAGIC) != mr_get_u64(data + AT_CHECKSUM)) {
        return mr_error_offset(err, MR_ERROR_CORRUPT, path, offset, "block checksum is wrong%s",
                               way_out);
    }
    if (mr_get_u32(data + AT_MAGIC) != MR_BLOCK_MAGIC || !get_header(data, stored_bytes, header)) {
        return mr_error_offset(err, MR_ERROR_CORRUPT, path, offset, "block header is wrong%s",
                               way_out);
    }
    if (header->graph_id != graph_id || header->kind != kind) {
        return mr_error_offset(err, MR_ERROR_CORRUPT, path, offset,
                               "block belongs to another store or file%s", way_out);
    }
    if (header->codec == MR_CODEC_PLAIN) {
        *raw = data + MR_BLOCK_HEADER_BYTES;
        return MR_OK;
    }
    if (scratch == NULL) {
        return mr_error_offset(err, MR_ERROR_CORRUPT, path, offset, "block is compressed%s",
                               way_out);
    }
    size_t bytes = ZSTD_decompressDCtx(codec->decompress, scratch, MR_BLOCK_RAW_MAX_BYTES,
                                       data + MR_BLOCK_HEADER_BYTES, header->payload_bytes);
    if (mr_zstd_status(bytes) == MR_ERROR_BUDGET) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a block");
    }
    if (ZSTD_isError(bytes) || bytes != header->raw_bytes) {
        return mr_error_offset(err, MR_ERROR_CORRUPT, path, offset, "block does not decompress%s",
                               way_out);
    }
    *raw = scratch;
    return MR_OK;
}

enum mr_status mr_block_check_entry(const struct mr_block_header *header,
                                    const struct mr_block_entry *entry, uint32_t band,
                                    const char *path, struct mr_error *err)
{
    if (header->stored_bytes != entry->stored_bytes || header->raw_bytes != entry->raw_bytes ||
        header->first != entry->first || header->last != entry->last ||
        header->n_entries != entry->n_entries) {
        return mr_error_offset(err, MR_ERROR_CORRUPT, path, entry->offset,
                               "the block is not the one in the index; restore the store from a "
                               "copy or build it again");
    }
    if (header->band != band || header->number != entry->number) {
        return mr_error_offset(err, MR_ERROR_CORRUPT, path, entry->offset,
                               "found block %" PRIu64 " of band %" PRIu32 " in the place of block "
                               "%" PRIu32 " of band %" PRIu32 "; restore the store from a copy or "
                               "build it again",
                               header->number, header->band, entry->number, band);
    }
    return MR_OK;
}

enum mr_status mr_block_verify(struct mr_block_codec *codec, const uint8_t *data,
                               struct mr_block_location place, const struct mr_block_entry *entry,
                               enum mr_block_kind kind, uint32_t band, uint8_t *scratch,
                               struct mr_block_header *header, const uint8_t **raw,
                               struct mr_error *err)
{
    const char *path = mr_file_path(place.file);
    const enum mr_status status =
        mr_block_open(codec, data, entry->stored_bytes, kind, place.graph_id, scratch, path,
                      entry->offset, header, raw, err);
    return status == MR_OK ? mr_block_check_entry(header, entry, band, path, err) : status;
}

struct mr_block_entry mr_block_entry_of(const struct mr_block_header *header, uint64_t offset)
{
    return (struct mr_block_entry){.offset = offset,
                                   .stored_bytes = header->stored_bytes,
                                   .raw_bytes = header->raw_bytes,
                                   .first = header->first,
                                   .last = header->last,
                                   .n_entries = header->n_entries};
}
