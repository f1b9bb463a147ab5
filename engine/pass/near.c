/* Tiles of bands that are still in work when a relaxing band is read: they are set aside, encoded as they
 * are, and applied when the bands before it are finished. So a band sees all new values before it, and yet
 * several bands are read at the same time.
 *
 * Each segment that may have such tiles has the same share of the room, whoever reads it when. What finds no
 * room is applied at once, after waiting for the band it comes from: which tiles these are is a matter of
 * the store. */
#include <string.h>

#include "engine/base/memory.h"
#include "engine/pass/internal.h"

/* On kron-22, four bands in work, these tiles take 200 KB, on kron-24 1 MB. */
#define NEAR_BYTES_MAX  (UINT64_C(2) << 20)
#define NEAR_BYTES_WIDE 16u /* bands of 2^16 and more have all of it */
enum { NEAR_TILES = 512 };

struct mr_near_tiles {
    struct mr_memory *memory;
    uint32_t first_segment, n_segments; /* of the band: those that may have such tiles */
    uint32_t tiles_each; /* room of a segment */
    uint64_t bytes_each;
    uint32_t n_tiles[NEAR_TILES]; /* by segment, from the first one */
    uint64_t n_bytes[NEAR_TILES];
    struct mr_tile tiles[NEAR_TILES]; /* data in `bytes` */
    uint64_t capacity;
    uint8_t *bytes; /* [capacity + MR_KEYS_SLACK_BYTES] */
};

static uint64_t near_bytes(const struct mr_store_info *info)
{
    const unsigned bits = info->band_bits;
    return bits < NEAR_BYTES_WIDE ? NEAR_BYTES_MAX >> (NEAR_BYTES_WIDE - bits) : NEAR_BYTES_MAX;
}

static uint64_t all_bytes(const struct mr_store_info *info)
{
    return sizeof(struct mr_near_tiles) + near_bytes(info) + MR_KEYS_SLACK_BYTES;
}

uint64_t mr_near_memory(const struct mr_store_info *info)
{
    return mr_round_up(all_bytes(info), 4096);
}

enum mr_status mr_near_create(struct mr_memory *memory, const struct mr_store_info *info,
                              struct mr_near_tiles **out, struct mr_error *err)
{
    void *pointer = NULL;
    enum mr_status status =
        mr_memory_alloc(memory, "tiles of bands in work", all_bytes(info), &pointer, err);
    if (status != MR_OK) {
        return status;
    }
    struct mr_near_tiles *near = pointer;
    near->memory = memory;
    near->capacity = near_bytes(info);
    near->bytes = (uint8_t *)(near + 1);
    *out = near;
    return MR_OK;
}

void mr_near_destroy(struct mr_near_tiles *near)
{
    if (near != NULL) {
        mr_memory_free(near->memory, near);
    }
}

void mr_near_begin(const struct mr_pass *pass, struct mr_near_tiles *near, uint32_t band)
{
    const unsigned bits = pass->info->band_bits - pass->info->stripe_bits;
    const struct mr_band_entry *entry = &pass->bands[band];
    const uint64_t *ends = mr_store_segment_ends(pass->store);
    const uint64_t end = (uint64_t)band << bits, lag = pass->run->lag;
    const uint64_t first = band + 1 > lag ? (band + 1 - lag) << bits : 0;
    uint64_t block = entry->first_block;
    near->first_segment = near->n_segments = 0;
    for (uint64_t s = entry->first_segment; s < entry->end_segment; s++) {
        const uint32_t segment = (uint32_t)(s - entry->first_segment);
        bool is_near = false;
        for (; block < ends[s]; block++) {
            is_near =
                is_near || (pass->links[block].first < end && pass->links[block].last >= first);
        }
        if (is_near && near->n_segments == 0) {
            near->first_segment = segment;
        }
        near->n_segments = is_near ? segment - near->first_segment + 1 : near->n_segments;
    }
    if (near->n_segments > NEAR_TILES || pass->class_weights != NULL) {
        near->n_segments = 0; /* no room for any; links of several weights have sums of their own */
    }
    if (near->n_segments > 0) {
        near->tiles_each = NEAR_TILES / near->n_segments;
        near->bytes_each = near->capacity / near->n_segments;
    }
    memset(near->n_tiles, 0, near->n_segments * sizeof *near->n_tiles);
    memset(near->n_bytes, 0, near->n_segments * sizeof *near->n_bytes);
}

bool mr_near_keep(struct mr_near_tiles *near, uint32_t segment, const struct mr_tile *tile)
{
    const uint32_t s = segment - near->first_segment;
    if (segment < near->first_segment || s >= near->n_segments ||
        near->n_tiles[s] == near->tiles_each ||
        tile->data_bytes > near->bytes_each - near->n_bytes[s]) {
        return false;
    }
    struct mr_tile *copy = &near->tiles[s * near->tiles_each + near->n_tiles[s]++];
    *copy = *tile;
    if (!mr_tile_is_decoded(tile->encoding)) { /* which stay where they are */
        uint8_t *data = near->bytes + s * near->bytes_each + near->n_bytes[s];
        memcpy(data, tile->data, tile->data_bytes);
        copy->data = data;
    }
    near->n_bytes[s] += tile->data_bytes; /* in either case: which tiles find room is the store's */
    return true;
}

bool mr_near_apply(struct pass_worker *worker, const struct band_end *end, void *sum)
{
    const struct mr_pass *pass = worker->pass;
    const struct mr_near_tiles *near = end->near;
    mr_tile_applier_forget(worker->applier);
    for (uint32_t s = 0; s < near->n_segments; s++) {
        for (uint32_t i = 0; i < near->n_tiles[s]; i++) {
            const struct mr_tile *tile = &near->tiles[s * near->tiles_each + i];
            const void *x = mr_order_sources(pass, tile, end->band, 0);
            if (!mr_tile_apply(worker->applier, tile, x, sum)) {
                return false;
            }
            worker->edge_visits += tile->n_entries;
        }
    }
    return true;
}
