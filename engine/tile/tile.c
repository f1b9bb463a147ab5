/* SPDX-License-Identifier: Apache-2.0 */
/* The rare paths of the tile cursor: what is wrong with a header, and the end of a block.
 * mr_tile_next in tile.h checks a header with one condition, because the pass calls it for each
 * tile. Only when that fails, the functions here find the reason. */
#include "engine/tile/tile.h"

/* Why the header at the cursor is refused. Reads as mr_tile_next does, one step at a time. */
static const char *fault_of_header(const struct mr_tile_cursor *cursor)
{
    const uint8_t *at = cursor->at, *end = cursor->end;
    struct mr_tile tile;

    if (cursor->bad_range) {
        return "the block's range of stripes is impossible";
    }
    if ((at = mr_tile_number(at, end, &tile.stripe)) == NULL ||
        (at = mr_tile_number(at, end, &tile.encoding)) == NULL ||
        (at = mr_tile_number(at, end, &tile.n_entries)) == NULL ||
        (at = mr_tile_number(at, end, &tile.data_bytes)) == NULL) {
        return "the tile's header is cut off or has a number above 32 bits";
    }
    if (tile.stripe < cursor->lowest || tile.stripe > cursor->last ||
        (cursor->at == cursor->begin && tile.stripe != cursor->first)) {
        return "the tile's stripe is out of order or outside the block's range";
    }
    if (tile.encoding > MR_TILE_FLOAT_WEIGHTS) {
        return "the tile's encoding is unknown";
    }
    if (mr_tile_is_weighted(tile.encoding) != cursor->is_weighted) {
        return cursor->is_weighted ? "the tile has no weights" : "the tile has weights";
    }
    if (tile.data_bytes > (uint64_t)(end - at)) {
        return "the tile ends beyond its block";
    }
    if (tile.n_entries == 0 || tile.n_entries > mr_tile_most_links(&tile)) {
        return "the tile's number of entries is impossible";
    }
    return "the block's tiles have more entries than its header says";
}

enum mr_status mr_tile_stop(const struct mr_tile_cursor *cursor, struct mr_tile *tile,
                            struct mr_error *err)
{
    const char *fault;

    tile->n_entries = 0;
    tile->data_bytes = 0;
    tile->data = cursor->end;
    if (cursor->at == cursor->end && !cursor->bad_range) {
        if (cursor->entries_left == 0 && cursor->at != cursor->begin &&
            cursor->lowest == cursor->last + 1) {
            return MR_OK;
        }
        fault = cursor->entries_left != 0
                    ? "the block's tiles have fewer entries than its header says"
                    : "the block's tiles end before its last stripe";
    } else {
        fault = fault_of_header(cursor);
    }
    return mr_error_offset(
        err, MR_ERROR_CORRUPT, cursor->path, cursor->offset,
        "at byte %zu of the block's payload %s; restore the store from a copy or "
        "build it again",
        (size_t)(cursor->at - cursor->begin), fault);
}
