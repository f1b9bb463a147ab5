/* SPDX-License-Identifier: Apache-2.0 */
/* What the store writer takes out of a band writer. Internal to the engine. */
#ifndef MR_ENGINE_WRITER_BAND_WRITER_INTERNAL_H
#define MR_ENGINE_WRITER_BAND_WRITER_INTERNAL_H

#include "engine/writer/band_writer.h"

/* One sealed block. Its offset is relative to the pending bytes; the store writer replaces it by
 * the offset in the file. */
struct mr_band_block {
    struct mr_block_entry entry;
    bool is_diagonal;
};

struct mr_band_parts {
    uint32_t band;
    uint32_t link_class;
    bool is_complete; /* mr_band_writer_end was called */
    const uint8_t *data; /* sealed blocks, one after the other */
    uint64_t data_bytes;
    const struct mr_band_block *blocks;
    uint64_t n_blocks;
    const struct mr_links_part *figures; /* of tiles, since the last take; others are 0 */
    uint64_t byte_edges; /* edges with weights of one byte, since the last take */
};

struct mr_band_parts mr_band_writer_parts(const struct mr_band_writer *writer);
void mr_band_writer_forget(struct mr_band_writer *writer);

#endif
