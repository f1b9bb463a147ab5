/* SPDX-License-Identifier: Apache-2.0 */
/* The numbers of the on-disk format, versions 4 to 6. docs/store-format.md is the specification.
 */
#ifndef MR_ENGINE_BASE_FORMAT_H
#define MR_ENGINE_BASE_FORMAT_H

#include "millrace/build.h"

#define MR_FORMAT_VERSION       6u /* of a store that knows gone pages */
#define MR_FORMAT_WITHOUT_GONE  5u /* with fetch facts */
#define MR_FORMAT_WITHOUT_FACTS 4u

/* File names in a store's directory. */
#define MR_MANIFEST_NAME  "MANIFEST"
#define MR_MANIFEST_MAGIC "MILLRACE" /* its first 8 bytes */
#define MR_INDEX_NAME     "index.1"
#define MR_LINKS_NAME     "links.1" /* of class 0 */
#define MR_INTERNAL_NAME  "links.1.1" /* of class 1; only in stores with classes */
#define MR_DEGREES_NAME   "degrees.1"
#define MR_NAMES_NAME     "names.1"
#define MR_ORDER_NAME     "order.1" /* only if vertices are not in the order of their names */
#define MR_FACTS_NAME     "facts.1" /* only in stores that have fetch facts */
#define MR_WEIGHTS_PREFIX "weights." /* before the names of the files of the weighted set */

/* Blocks. Blocks of edges and degrees are read with O_DIRECT, so they are aligned to
 * MR_BLOCK_ALIGN. Blocks of names are read one at a time through the page cache and are aligned to
 * MR_NAME_ALIGN. */
#define MR_BLOCK_ALIGN         4096u
#define MR_NAME_ALIGN          64u
#define MR_BLOCK_MAX_BYTES     (256u << 10)
#define MR_BLOCK_HEADER_BYTES  64u
#define MR_BLOCK_RAW_MAX_BYTES (MR_BLOCK_MAX_BYTES - MR_BLOCK_HEADER_BYTES)
#define MR_BLOCK_MAGIC         0x3142524du /* "MRB1" */

enum mr_block_kind {
    MR_BLOCK_LINKS = 1,
    MR_BLOCK_IN_DEGREES = 2,
    MR_BLOCK_OUT_DEGREES = 3,
    MR_BLOCK_NAME_NUMBERS = 4,
    MR_BLOCK_NAME_TEXT = 5,
    MR_BLOCK_NAME_TABLE = 6, /* not in a store: engine/names/name_table.h */
    MR_BLOCK_IN_STRENGTHS =
        7, /* degrees and sums of weights, in the weighted set's file of degrees */
    MR_BLOCK_OUT_STRENGTHS = 8,
    MR_BLOCK_ORDER_CORE = 11, /* engine/store/core_map.h */
    MR_BLOCK_FETCH_FACTS = 12 /* engine/store/fetch_facts.h */
};

#define MR_NAME_KEY_MAX_BYTES (MR_NAME_MAX_BYTES + 64) /* longest key a key function may return */

enum mr_codec { MR_CODEC_PLAIN = 0, MR_CODEC_ZSTD = 1 };

/* The two encodings with weights occur only in the weighted set. Their data is keys, then a weight
 * for each key. */
enum mr_tile_encoding {
    MR_TILE_KEYS = 0,
    MR_TILE_CORNERS = 1,
    MR_TILE_BYTE_WEIGHTS = 2, /* u8, 1 to 255 */
    MR_TILE_FLOAT_WEIGHTS = 3 /* IEEE 754 binary32, above 0 and finite */
};

/* The most edges in one part of a corner tile. It bounds the memory of its writers and decoders. A
 * part of keys has at most one edge per byte, so no block has more edges than
 * MR_BLOCK_LINKS_MAX. */
#define MR_CORNERS_LINKS_MAX ((uint32_t)1 << 19)
#define MR_BLOCK_LINKS_MAX   ((uint64_t)MR_CORNERS_LINKS_MAX * (MR_BLOCK_RAW_MAX_BYTES / 8))

/* A tile header is four LEB128 numbers: stripe, encoding, entries, data bytes. */
#define MR_TILE_HEADER_MAX_BYTES 20u

/* An off-diagonal segment ends with the block in which it reaches this many edges per target vertex
 * of its band. Zeroing and summing an accumulator then costs a few percent of filling it. */
#define MR_SEGMENT_EDGES_PER_VERTEX 16u

#endif
