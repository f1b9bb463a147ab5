/* SPDX-License-Identifier: Apache-2.0 */
/* The index of names: the first name of every block. It is in memory with the store and leads to
 * the block of a name. Internal to engine/names and engine/scan. Layout: docs/store-format.md,
 * "Names".
 *
 *     numbers:  u64[n_blocks]
 *     text:     front-coded name[n_blocks], every 16th starting afresh, u64 offset of each 16th
 */
#ifndef MR_ENGINE_NAMES_NAME_INDEX_H
#define MR_ENGINE_NAMES_NAME_INDEX_H

#include "engine/names/names.h"

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
