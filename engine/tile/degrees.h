/* SPDX-License-Identifier: Apache-2.0 */
/* The payload of a block of degrees: a LEB128 number for each vertex. In a weighted set the
 * strengths of the same vertices follow, a little-endian double each. Internal to the engine. */
#ifndef MR_ENGINE_TILE_DEGREES_H
#define MR_ENGINE_TILE_DEGREES_H

#include "engine/store/block.h"
#include "engine/store/store.h"

/* Encodes as many of `n` > 0 degrees as fit a block to `out` [MR_BLOCK_RAW_MAX_BYTES]; `strengths`
 * is NULL without weights. Returns the number of bytes. */
uint32_t mr_degrees_encode(const uint32_t *degrees, const double *strengths, uint32_t n,
                           uint32_t *n_encoded, uint8_t *out);

/* Decodes the payload `raw` of a verified block, which MR_KEYS_SLACK_BYTES follow, to `degrees`
 * [header->n_entries]; those of a weighted set also to `strengths`, which is NULL otherwise.
 * Errors: CORRUPT at the block. */
enum mr_status mr_degrees_decode(struct mr_block_location place, const struct mr_block_entry *entry,
                                 const struct mr_block_header *header, const uint8_t *raw,
                                 uint32_t *degrees, double *strengths,
                                 struct mr_error *err) MR_WARN_UNUSED;

#endif
