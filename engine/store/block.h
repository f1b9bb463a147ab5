/* The block: the unit of I/O and of damage. A 64-byte header, a payload, zero padding, one checksum
 * over all of it. Every data file of a store is a sequence of blocks and nothing else, so that no
 * byte of it can change unseen. */
#ifndef MR_ENGINE_STORE_BLOCK_H
#define MR_ENGINE_STORE_BLOCK_H

#include <stddef.h>

#include "engine/base/error.h"
#include "engine/base/format.h"

/* Whoever decodes a payload may read this far past its end, and never uses what is there. */
#define MR_BLOCK_SLACK_BYTES 128u

struct mr_block_entry; /* engine/store/store.h */

struct mr_block_header {
    enum mr_block_kind kind;
    enum mr_codec codec; /* of the payload as stored */
    uint64_t graph_id;
    uint32_t stored_bytes; /* header, payload and padding */
    uint32_t payload_bytes; /* as stored */
    uint32_t raw_bytes; /* decompressed; = payload_bytes when plain */
    uint32_t band; /* links, degrees; 0 for names */
    uint32_t first; /* see struct mr_block_entry */
    uint32_t last;
    uint64_t n_entries;
    uint64_t number; /* links, degrees: among its band's blocks of the kind; names: in file */
};

/* A zstd context for one thread; charge: about 1 MiB for compression at level 9, more above. */
struct mr_block_codec;
struct mr_memory;
enum mr_status mr_block_codec_create(struct mr_memory *memory, int zstd_level,
                                     struct mr_block_codec **out,
                                     struct mr_error *err) MR_WARN_UNUSED;
void mr_block_codec_destroy(struct mr_block_codec *codec);

/* Seal a block: `out` (MR_BLOCK_MAX_BYTES) gets header, payload (compressed when the codec's level is
 * above 0 and that is smaller after alignment), padding to `align`, checksum. `header` gives kind,
 * graph_id, band, first, last, n_entries, number; the sizes and the codec are filled in.
 * raw_bytes <= MR_BLOCK_RAW_MAX_BYTES. */
enum mr_status mr_block_seal(struct mr_block_codec *codec, struct mr_block_header *header,
                             const uint8_t *raw, uint32_t raw_bytes, uint32_t align, uint8_t *out,
                             struct mr_error *err) MR_WARN_UNUSED;

/* Verify and open a block of `stored_bytes` at `data`: checksum, magic, sizes, graph id, kind, zero
 * padding (inside the checksum). `*raw` points into `data` when plain, else to `scratch`
 * (MR_BLOCK_RAW_MAX_BYTES + MR_BLOCK_SLACK_BYTES) where it was decompressed. Errors: CORRUPT at `offset`
 * of `path`. */
enum mr_status mr_block_open(struct mr_block_codec *codec, const uint8_t *data,
                             uint32_t stored_bytes, enum mr_block_kind kind, uint64_t graph_id,
                             uint8_t *scratch, const char *path, uint64_t offset,
                             struct mr_block_header *header, const uint8_t **raw,
                             struct mr_error *err) MR_WARN_UNUSED;

/* Compare a header, as mr_block_open left it, with the index and with where it was read. `band` is 0
 * for names. Without this a block of the right store in the wrong place would pass. */
enum mr_status mr_block_check_entry(const struct mr_block_header *header,
                                    const struct mr_block_entry *entry, uint32_t band,
                                    const char *path, struct mr_error *err) MR_WARN_UNUSED;

#endif
