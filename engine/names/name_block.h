/* SPDX-License-Identifier: Apache-2.0 */
/* Reads blocks of names one at a time and decodes them name by name. Internal to engine/names and
 * engine/scan. Layout: docs/store-format.md, "Names". */
#ifndef MR_ENGINE_NAMES_NAME_BLOCK_H
#define MR_ENGINE_NAMES_NAME_BLOCK_H

#include "engine/store/block_reader.h"

/* A block is sealed before the name that would make its payload longer than 32 KiB, unless that is
 * its first name. A lookup decompresses and decodes one block in 40 us. Blocks of 64 KiB took 100
 * us and saved 3% of the bytes (68,000 URLs of real pages, zstd 9); blocks of 16 KiB took 4% more
 * bytes. */
#define MR_NAME_BLOCK_RAW_BYTES 32768u
#define MR_NAME_RAW_MAX_BYTES   (MR_NAME_MAX_BYTES + 6u)
_Static_assert(MR_NAME_RAW_MAX_BYTES <= MR_BLOCK_RAW_MAX_BYTES, "the longest name fits a block");

/* A position in the names. One thread at a time. */
struct mr_name_scan {
    struct mr_memory *memory;
    struct mr_store *store;
    struct mr_block_reader *reader;
    const struct mr_block_entry *blocks; /* [n_blocks], owned by the store */
    uint64_t n_blocks;
    enum mr_block_kind kind;
    uint64_t block; /* the loaded block, UINT64_MAX for none */
    const uint8_t *raw, *at, *end;
    uint64_t vertex; /* the vertex whose name mr_name_scan_next decodes next */
    uint64_t number; /* the latest name, if names are numbers */
    char *name; /* [MR_NAME_MAX_BYTES]: the latest name, if names are text */
    uint32_t name_bytes; /* length of the text, 0 at the beginning of a block */
};

/* Open a scan over names that are numbers or text. The store outlives the
 * scan. About 600 KiB. Close takes a zeroed or closed scan. */
enum mr_status mr_name_scan_open(const struct mr_context *context, struct mr_store *store,
                                 struct mr_name_scan *scan, struct mr_error *err) MR_WARN_UNUSED;
void mr_name_scan_close(struct mr_name_scan *scan);

/* The block with the name of `vertex`, which is below n. O(log n_blocks). */
uint64_t mr_name_scan_block_of(const struct mr_name_scan *scan, uint32_t vertex);

/* Go to the beginning of block `block` < n_blocks. Reads the block unless it is loaded already. */
enum mr_status mr_name_scan_load(struct mr_name_scan *scan, uint64_t block,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* Is there another name in the loaded block? */
static inline bool mr_name_scan_has_next(const struct mr_name_scan *scan)
{
    return scan->block < scan->n_blocks && scan->vertex <= scan->blocks[scan->block].last;
}

/* The latest name; NULL if names are numbers. */
static inline const char *mr_name_scan_text(const struct mr_name_scan *scan)
{
    return scan->kind == MR_BLOCK_NAME_TEXT ? scan->name : NULL;
}

/* Decode the next name of the loaded block, which must have one. Errors: CORRUPT. */
enum mr_status mr_name_scan_next(struct mr_name_scan *scan, struct mr_error *err) MR_WARN_UNUSED;

/* Append one front-coded name to `out`: the length of the prefix shared with `previous`, the length
 * of the rest, and the rest. Writes at most 6 bytes more than the rest. Returns the end. */
uint8_t *mr_name_put(const char *previous, uint32_t previous_bytes, const char *name,
                     uint32_t name_bytes, uint8_t *out);

/* The reverse of mr_name_put. `name[*name_bytes]` holds the previous name and becomes the next one,
 * of 1 to MR_NAME_MAX_BYTES bytes. Returns the position after the entry, NULL if [in, end) holds no
 * valid one. */
const uint8_t *mr_name_take(const uint8_t *in, const uint8_t *end, char *name,
                            uint32_t *name_bytes);

#endif
