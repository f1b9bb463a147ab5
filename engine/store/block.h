/* SPDX-License-Identifier: Apache-2.0 */
/* The block: the unit of I/O and of damage. It has a 64-byte header, a payload, zero padding, and
 * one checksum over all of it. Every data file of a store is a sequence of blocks and nothing else,
 * so that every changed byte is detected. */
#ifndef MR_ENGINE_STORE_BLOCK_H
#define MR_ENGINE_STORE_BLOCK_H

#include <stddef.h>

#include "engine/base/error.h"
#include "engine/base/format.h"

/* Decoders of a payload may read this far past its end; they do not use what they read there. */
#define MR_BLOCK_SLACK_BYTES 128u

/* engine/store/store.h */
struct mr_block_entry;
struct mr_block_location;

struct mr_block_header {
    enum mr_block_kind kind;
    enum mr_codec codec; /* of the payload as stored */
    uint64_t graph_id;
    uint32_t stored_bytes; /* header, payload and padding */
    uint32_t payload_bytes; /* as stored */
    uint32_t raw_bytes; /* decompressed; = payload_bytes if plain */
    uint32_t band; /* links, degrees; 0 for names */
    uint32_t first; /* see struct mr_block_entry */
    uint32_t last;
    uint64_t n_entries;
    /* edges, degrees: number among the band's blocks of this kind; names: number in the file */
    uint64_t number;
};

/* A codec for one thread. It charges about 1 MiB for compression at level 9, and more at higher
 * levels. mr_block_codec_destroy takes NULL. */
struct mr_block_codec;
struct mr_memory;
uint64_t mr_block_codec_bytes(int zstd_level); /* what a codec charges */
enum mr_status mr_block_codec_create(struct mr_memory *memory, int zstd_level,
                                     struct mr_block_codec **out,
                                     struct mr_error *err) MR_WARN_UNUSED;
void mr_block_codec_destroy(struct mr_block_codec *codec);

/* Seals a block: writes header, payload, padding to `align` and checksum to `out`
 * (MR_BLOCK_MAX_BYTES). The payload is compressed if the codec's level is above 0 and if that makes
 * the aligned block smaller; with a codec of NULL the block is plain. The payload may be at its
 * place in `out`. `header` gives kind,
 * graph_id, band, first, last, n_entries and number; the function fills in the sizes and the codec.
 * raw_bytes <= MR_BLOCK_RAW_MAX_BYTES. */
enum mr_status mr_block_seal(struct mr_block_codec *codec, struct mr_block_header *header,
                             const uint8_t *raw, uint32_t raw_bytes, uint32_t align, uint8_t *out,
                             struct mr_error *err) MR_WARN_UNUSED;

/* Verifies a block of `stored_bytes` at `data` (checksum, magic, sizes, graph id, kind) and
 * decompresses it. The checksum covers the zero padding. `*raw` points into `data` if the block is
 * plain, otherwise to `scratch` (MR_BLOCK_RAW_MAX_BYTES + MR_BLOCK_SLACK_BYTES), which gets the
 * decompressed payload. If `scratch` is NULL, so may be `codec`, and only plain blocks are good.
 * Errors: CORRUPT at `offset` of `path`. */
enum mr_status mr_block_open(struct mr_block_codec *codec, const uint8_t *data,
                             uint32_t stored_bytes, enum mr_block_kind kind, uint64_t graph_id,
                             uint8_t *scratch, const char *path, uint64_t offset,
                             struct mr_block_header *header, const uint8_t **raw,
                             struct mr_error *err) MR_WARN_UNUSED;

/* Compares a header that mr_block_open filled with the index entry of the location that was read.
 * `band` is 0 for names. This check refuses a block of the right store at the wrong location. */
enum mr_status mr_block_check_entry(const struct mr_block_header *header,
                                    const struct mr_block_entry *entry, uint32_t band,
                                    const char *path, struct mr_error *err) MR_WARN_UNUSED;
/* Both checks of the block `entry` at `place`, which is in `data`. */
enum mr_status mr_block_verify(struct mr_block_codec *codec, const uint8_t *data,
                               struct mr_block_location place, const struct mr_block_entry *entry,
                               enum mr_block_kind kind, uint32_t band, uint8_t *scratch,
                               struct mr_block_header *header, const uint8_t **raw,
                               struct mr_error *err) MR_WARN_UNUSED;
/* The index entry of a sealed block at `offset` of its file. */
struct mr_block_entry mr_block_entry_of(const struct mr_block_header *header, uint64_t offset);

#endif
