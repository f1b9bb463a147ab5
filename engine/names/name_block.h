/* Blocks of names, read one at a time and decoded name by name. Internal to engine/names*.c and
 * engine/scan/check.c. Layout: docs/store-format.md, "Names". */
#ifndef MR_ENGINE_NAMES_NAME_BLOCK_H
#define MR_ENGINE_NAMES_NAME_BLOCK_H

#include "engine/store/block.h"
#include "engine/store/store.h"

/* The rule by which blocks are cut: one is sealed before the name that would make its payload longer
 * than 32 KiB, unless that is its first. A lookup decompresses and decodes one block: 40 us, where
 * 64 KiB took 100 us and saved 3% (68,000 URLs of real pages, zstd 9); 16 KiB cost another 4%. */
#define MR_NAME_BLOCK_RAW_BYTES 32768u
#define MR_NAME_RAW_MAX_BYTES   (MR_NAME_MAX_BYTES + 6u)
_Static_assert(MR_NAME_RAW_MAX_BYTES <= MR_BLOCK_RAW_MAX_BYTES, "the longest name fits a block");

/* Position in a block. One thread at a time. */
struct mr_name_scan {
    struct mr_memory *memory;
    struct mr_store *store;
    struct mr_block_codec *codec;
    const struct mr_block_entry *blocks; /* [n_blocks], the store's */
    uint64_t n_blocks;
    enum mr_block_kind kind;
    uint8_t *stored; /* the one allocation, [MR_BLOCK_MAX_BYTES] ... */
    uint8_t *scratch;
    uint64_t block; /* loaded, UINT64_MAX for none */
    const uint8_t *raw, *at, *end;
    uint64_t vertex; /* of the name that mr_name_scan_next gives next */
    uint64_t number; /* numbers: the latest name */
    char *name; /* text: the latest name */
    uint32_t name_bytes; /* text: its length, 0 at the beginning of a block */
};

/* The names are numbers or text. Blocks are those of all parts, in vertex order; the first vertices have none
 * where they are called by their own numbers. The store outlives the scan. About 600 KiB. Close takes a zeroed or a closed scan. */
enum mr_status mr_name_scan_open(const struct mr_context *context, struct mr_store *store,
                                 struct mr_name_scan *scan, struct mr_error *err) MR_WARN_UNUSED;
void mr_name_scan_close(struct mr_name_scan *scan);

/* The block with `vertex` < n. O(log n_blocks). */
uint64_t mr_name_scan_block_of(const struct mr_name_scan *scan, uint32_t vertex);

/* Go to the beginning of block `block` < n_blocks, read unless it is there already. */
enum mr_status mr_name_scan_load(struct mr_name_scan *scan, uint64_t block,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* Is there another name in the loaded block? */
static inline bool mr_name_scan_has_next(const struct mr_name_scan *scan)
{
    return scan->block < scan->n_blocks && scan->vertex <= scan->blocks[scan->block].last;
}

/* The latest name; NULL where names are numbers. */
static inline const char *mr_name_scan_text(const struct mr_name_scan *scan)
{
    return scan->kind == MR_BLOCK_NAME_TEXT ? scan->name : NULL;
}

/* Decode the next name of the loaded block, which has one. Errors: CORRUPT. */
enum mr_status mr_name_scan_next(struct mr_name_scan *scan, struct mr_error *err) MR_WARN_UNUSED;

/* Append one front-coded name to `out`: shared prefix with `previous`, length of the rest, the rest.
 * At most 6 bytes more than the rest. Returns the end. */
uint8_t *mr_name_put(const char *previous, uint32_t previous_bytes, const char *name,
                     uint32_t name_bytes, uint8_t *out);

/* The reverse: `name[*name_bytes]` holds the previous name and becomes the next one, of 1 to
 * MR_NAME_MAX_BYTES bytes. Returns the position after it, NULL when [in, end) holds nothing valid. */
const uint8_t *mr_name_take(const uint8_t *in, const uint8_t *end, char *name,
                            uint32_t *name_bytes);

#endif
