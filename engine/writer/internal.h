/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the writer share. Internal to engine/writer.
 *
 *     band_writer.c     sorted edges of a band become sealed blocks
 *     store_writer.c    takes them, and names, the order and fetch facts, into the files of a store
 *     degree_writer.c   the blocks of degrees
 *     index_draft.c     the index while it grows, and its bytes
 *     finish_store.c    index and manifest
 */
#ifndef MR_ENGINE_WRITER_INTERNAL_H
#define MR_ENGINE_WRITER_INTERNAL_H

#include "engine/io/io.h"
#include "engine/store/block.h"
#include "engine/store/index.h"
#include "engine/tile/corners_encode.h"
#include "engine/tile/tile.h"
#include "engine/writer/band_writer.h"
#include "engine/writer/store_writer.h"

/* ---- Bands ---- */

/* A tile part is first encoded into `stream`, because its header contains its size in bytes. If a
 * tile does not fit the block, it goes on in the next block as another tile part with its own
 * header.
 *
 * Corners need all edges of a part at once. Edges wait until the tile is complete or
 * MR_CORNERS_LINKS_MAX of them wait; these make a part, however the calls were divided. If keys are
 * better for a part, they are appended to the keys before them, so that a tile of keys alone has no
 * extra parts. */
struct mr_band_writer {
    const struct mr_context *context;
    struct mr_band_shape shape;
    struct mr_block_codec *codec;
    uint32_t band;
    bool is_complete;

    /* The block that is filled. */
    uint8_t *raw; /* [MR_BLOCK_RAW_MAX_BYTES + MR_LEB_MAX_BYTES] */
    uint32_t raw_bytes;
    uint32_t first_stripe, last_stripe;
    uint64_t n_entries;
    bool is_diagonal;
    uint64_t n_sealed; /* blocks already sealed in this band */

    /* The tile part that is filled. Its header is written when it is closed. */
    uint8_t *stream; /* [MR_BLOCK_RAW_MAX_BYTES + MR_LEB_MAX_BYTES] */
    uint32_t stream_bytes;
    uint64_t n_keys;
    uint32_t stripe;
    uint32_t previous;
    bool tile_is_open;

    /* The weights of the tile part, if there are any; all have the same size. */
    uint8_t *weights; /* [MR_BLOCK_RAW_MAX_BYTES] */
    uint32_t weights_bytes;
    enum mr_tile_encoding encoding;

    /* Edges of the tile of `waiting_stripe` whose encoding is not chosen yet. */
    struct mr_corners_encoder *encoder; /* NULL: all edges become keys */
    uint32_t *waiting; /* [MR_CORNERS_LINKS_MAX] */
    uint32_t n_waiting;
    uint32_t waiting_stripe;

    uint8_t *sealed; /* blocks for mr_store_writer_add_blocks */
    uint64_t sealed_bytes, sealed_capacity;
    struct mr_block_entry *blocks; /* their offsets are in `sealed` */
    uint64_t n_blocks, block_capacity; /* in entries */
    struct mr_links_part figures; /* those of tiles */
    uint64_t byte_edges;
};

/* Is the tile of `stripe` diagonal: are its sources the band's vertices? */
static inline bool mr_band_writer_is_diagonal(const struct mr_band_writer *writer, uint32_t stripe)
{
    return stripe >> (writer->shape.band_bits - writer->shape.stripe_bits) == writer->band;
}

void mr_band_writer_forget(struct mr_band_writer *writer);

/* ---- The index ---- */

/* The blocks of a file that grows. */
struct mr_draft_blocks {
    struct mr_block_entry *entries;
    uint64_t count, capacity;
    uint64_t file_bytes; /* the end of the last one */
};

struct mr_draft_part {
    struct mr_links_part part; /* figures, updated as the file grows */
    struct mr_band_entry *bands; /* [n_bands]: their blocks, which count in this file, and edges */
    struct mr_draft_blocks blocks;
};

#define MR_DEGREE_SETS_MAX (1 + MR_CLASSES_MAX)

struct mr_index_draft {
    struct mr_memory *memory;
    uint64_t n_bands;
    /* A part for each class; a set for all edges and, if there are two classes, one for each. */
    uint32_t n_classes, n_sets;
    struct mr_draft_part parts[MR_CLASSES_MAX];
    struct mr_degree_facts facts[MR_DEGREE_SETS_MAX];
    struct mr_band_entry *runs[MR_DEGREE_SETS_MAX]; /* [n_bands] each: the blocks of degrees */
    struct mr_draft_blocks degrees, names;
    uint8_t *name_index; /* [name_index_bytes] */
    uint64_t name_index_bytes;
};

/* Begins an empty draft. `n_classes` is 1 or MR_CLASSES_MAX. mr_index_draft_free takes a zeroed
 * draft. */
enum mr_status mr_index_draft_create(struct mr_memory *memory, uint64_t n_bands, uint32_t n_classes,
                                     struct mr_index_draft *draft,
                                     struct mr_error *err) MR_WARN_UNUSED;
void mr_index_draft_free(struct mr_index_draft *draft);

enum mr_status mr_draft_blocks_add(struct mr_memory *memory, struct mr_draft_blocks *list,
                                   const struct mr_block_entry *entry,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* Serializes the index. Sets manifest->index_checksum. `*bytes` is charged to the budget; the
 * caller frees it. */
enum mr_status mr_index_draft_serialize(const struct mr_index_draft *draft,
                                        struct mr_store_info *manifest, uint8_t **bytes,
                                        uint64_t *n_bytes, struct mr_error *err) MR_WARN_UNUSED;

/* ---- The store ---- */

struct mr_store_writer {
    const struct mr_context *context;
    struct mr_store_writer *weights; /* of the weighted set; NULL if there is none */
    struct mr_band_shape shape;
    struct mr_store_info manifest; /* its figures, updated as the files grow */
    struct mr_index_draft draft;
    char *directory;
    struct mr_file *files[MR_N_FILES];
    uint32_t next_band[MR_CLASSES_MAX]; /* the next band to end */
    uint32_t next_in_band[MR_DEGREE_SETS_MAX], next_out_band[MR_DEGREE_SETS_MAX];
    struct mr_block_codec *codec; /* for blocks of degrees */
    uint8_t *degree_stream; /* [MR_BLOCK_RAW_MAX_BYTES] */
    uint8_t *degree_block; /* [MR_BLOCK_MAX_BYTES] */
};

/* Creates one of its files: writer->files[which]. */
enum mr_status mr_store_writer_open(struct mr_store_writer *writer, enum mr_store_file which,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* Writes after the first `*end` bytes of the file; `*end` grows. */
enum mr_status mr_store_writer_append(struct mr_file *file, const uint8_t *data, uint64_t bytes,
                                      uint64_t *end, struct mr_error *err) MR_WARN_UNUSED;

/* Syncs and closes `*file` and sets it to NULL; does nothing if it is NULL. */
enum mr_status mr_store_writer_close(struct mr_file **file, struct mr_error *err) MR_WARN_UNUSED;

#endif
