/* SPDX-License-Identifier: Apache-2.0 */
/* Reads blocks of names one at a time and decodes them name by name. Internal to engine/names and
 * engine/scan. Layout: docs/store-format.md, "Names". */
#ifndef MR_ENGINE_NAMES_NAME_BLOCK_H
#define MR_ENGINE_NAMES_NAME_BLOCK_H

#include "engine/names/names.h"
#include "engine/store/block_reader.h"

/* A block is sealed before the name that would make its payload longer than 32 KiB, unless that is
 * its first name. A lookup decompresses and decodes one block in 40 us. Blocks of 64 KiB took 100
 * us and saved 3% of the bytes (68,000 URLs of real pages, zstd 9); blocks of 16 KiB took 4% more
 * bytes. */
#define MR_NAME_BLOCK_RAW_BYTES 32768u
#define MR_NAME_RAW_MAX_BYTES   (MR_NAME_MAX_BYTES + 6u)
_Static_assert(MR_NAME_RAW_MAX_BYTES <= MR_BLOCK_RAW_MAX_BYTES, "the longest name fits a block");

/* A position in the names of a store. One thread at a time. */
struct mr_name_scan {
    const struct mr_context *context;
    struct mr_store *store;
    enum mr_name_kind kind;
    bool has_spellings; /* spellings follow the names */
    uint64_t n_vertices;
    struct mr_block_reader *reader; /* NULL if vertices are called by their numbers */
    const struct mr_block_entry *blocks; /* [n_blocks], owned by the store */
    uint64_t n_blocks;
    uint64_t block; /* the loaded block, UINT64_MAX for none */
    const uint8_t *raw, *at, *end;
    uint64_t vertex; /* the vertex whose name mr_name_scan_next decodes next */
    uint64_t number; /* the latest name, unless names are text */
    char *name; /* [MR_NAME_MAX_BYTES]: the latest name, if names are text */
    uint32_t name_bytes; /* length of the text, 0 at the beginning of a block */
};

/* Open a scan, before the first name. The store outlives it. About 600 KiB. Close takes a zeroed or
 * closed scan. */
enum mr_status mr_name_scan_open(const struct mr_context *context, struct mr_store *store,
                                 struct mr_name_scan *scan, struct mr_error *err) MR_WARN_UNUSED;
void mr_name_scan_close(struct mr_name_scan *scan);

/* Go to the next name in vertex order, until `*is_over`. Polls for cancellation. Errors: CORRUPT.
 */
enum mr_status mr_name_scan_step(struct mr_name_scan *scan, bool *is_over,
                                 struct mr_error *err) MR_WARN_UNUSED;
/* The next step goes to the first name. */
void mr_name_scan_rewind(struct mr_name_scan *scan);
/* Go to the name of `vertex`, which is below n. Decodes its block from the beginning only if the
 * scan is past that name or in another block. O(log n_blocks). */
enum mr_status mr_name_scan_to(struct mr_name_scan *scan, uint32_t vertex,
                               struct mr_error *err) MR_WARN_UNUSED;

/* Go before the first name of block `block` < n_blocks. Reads the block unless it is loaded. */
enum mr_status mr_name_scan_load(struct mr_name_scan *scan, uint64_t block,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* Is there another name in the loaded block? */
static inline bool mr_name_scan_has_next(const struct mr_name_scan *scan)
{
    return scan->block < scan->n_blocks && scan->vertex <= scan->blocks[scan->block].last;
}

/* Decode the next name of the loaded block, which must have one. Errors: CORRUPT. */
enum mr_status mr_name_scan_next(struct mr_name_scan *scan, struct mr_error *err) MR_WARN_UNUSED;

/* The latest name with its spellings; NULL if names are numbers. */
static inline const char *mr_name_scan_text(const struct mr_name_scan *scan)
{
    return scan->kind == MR_NAMES_TEXT ? scan->name : NULL;
}

/* The length of the latest name, which is text, without its spellings. */
size_t mr_name_scan_bytes(const struct mr_name_scan *scan);

/* Append one front-coded name to `out`: the length of the prefix shared with `previous`, the length
 * of the rest, and the rest. Writes at most 6 bytes more than the rest. Returns the end. */
uint8_t *mr_name_put(const char *previous, uint32_t previous_bytes, const char *name,
                     uint32_t name_bytes, uint8_t *out);

/* The reverse of mr_name_put. `name[*name_bytes]` holds the previous name and becomes the next one,
 * of 1 to MR_NAME_MAX_BYTES bytes. Returns the position after the entry, NULL if [in, end) holds no
 * valid one. */
const uint8_t *mr_name_get(const uint8_t *in, const uint8_t *end, char *name, uint32_t *name_bytes);

/* ---- The index of names ----
 *
 * The first name of every block, in memory with the store: it leads to the block of a name.
 *
 *     numbers:  u64[n_blocks]
 *     text:     front-coded name[n_blocks], every 16th starting afresh, u64 offset of each 16th
 */

/* Names in a front-coded group. A larger group would be smaller on disk and slower to decode. */
#define MR_NAME_INDEX_GROUP 16u

/* Plain data. The store owns `bytes`. */
struct mr_name_index {
    const uint8_t *bytes;
    const uint8_t *offsets; /* text only; also the end of the names */
    uint64_t n_blocks;
};

/* Open the index bytes of a store with `n_blocks` blocks of names. Checks all of them, so the
 * functions below need not. `name[MR_NAME_MAX_BYTES]` is working space. Errors: CORRUPT with `path`
 * and the offset inside the index of names. O(index_bytes). */
enum mr_status mr_name_index_open(struct mr_name_index *index, enum mr_name_kind kind,
                                  const uint8_t *bytes, uint64_t index_bytes, uint64_t n_blocks,
                                  const char *path, char *name,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* The first name of block `block` < n_blocks. Text goes to `name[MR_NAME_MAX_BYTES]`. Decodes up to
 * 16 names. */
uint64_t mr_name_index_number(const struct mr_name_index *index, uint64_t block);
uint32_t mr_name_index_text(const struct mr_name_index *index, uint64_t block, char *name);

#endif
