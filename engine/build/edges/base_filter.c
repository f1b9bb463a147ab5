/* SPDX-License-Identifier: Apache-2.0 */
/* Removes edges that a store has already from sorted edges. An append uses it between sorting and
 * encoding, so that the new part has only new edges. The edges of a band and the store's blocks
 * come in the same order, so one parallel walk compares them; blocks without a matching stripe are
 * not read. */
#include "engine/build/edges/base_filter.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/io/io.h"
#include "engine/store/block_reader.h"
#include "engine/tile/corners_expand.h"
#include "engine/tile/keys.h"
#include "engine/tile/tile.h"

/* Working space of one thread. */
struct worker {
    struct mr_block_reader *reader;
    struct mr_corners_expander *expander; /* NULL where the store has no corner tiles */
    uint32_t *tile; /* [MR_CORNERS_LINKS_MAX + MR_KEYS_SLACK_KEYS] */
};

struct mr_base_filter {
    const struct mr_context *context;
    struct mr_store *store;
    const struct mr_store_info *info;
    mr_keys_decoder decode;
    struct worker *workers; /* [context->threads] */
};

/* The tiles on one side of the diagonal, and a flag for each of their keys. */
struct side {
    const struct mr_edge_grid *grid;
    uint32_t band;
    const struct mr_tile_run *runs; /* [n_runs] */
    uint32_t n_runs;
    const uint32_t *keys;
    uint8_t *flags; /* for each of `keys`: 1 if the store has it */
};

static enum mr_status create_worker(struct mr_base_filter *filter, struct worker *worker,
                                    struct mr_error *err)
{
    struct mr_memory *memory = filter->context->memory;
    const struct mr_corners_shape shape = {.band_bits = filter->info->band_bits,
                                           .stripe_bits = filter->info->stripe_bits};
    void *tile = NULL;
    enum mr_status status = mr_block_reader_open(filter->context, &worker->reader, err);
    if (status == MR_OK) {
        status = mr_memory_alloc(memory, "links of a tile",
                                 (MR_CORNERS_LINKS_MAX + MR_KEYS_SLACK_KEYS) * sizeof(uint32_t),
                                 &tile, err);
        worker->tile = tile;
    }
    if (status == MR_OK && filter->info->corners.edges > 0) {
        status = mr_corners_expander_create(memory, &shape, &worker->expander, err);
    }
    return status;
}

enum mr_status mr_base_filter_create(const struct mr_context *context, struct mr_store *store,
                                     struct mr_base_filter **out, struct mr_error *err)
{
    struct mr_base_filter *filter = calloc(1, sizeof *filter);
    enum mr_status status = MR_OK;

    *out = NULL;
    if (filter == NULL ||
        (filter->workers = calloc(context->threads, sizeof *filter->workers)) == NULL) {
        free(filter);
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for comparing links");
    }
    filter->context = context;
    filter->store = store;
    filter->info = mr_store_get_info(store);
    filter->decode = mr_keys_best_decoder();
    for (unsigned i = 0; i < context->threads && status == MR_OK; i++) {
        status = create_worker(filter, &filter->workers[i], err);
    }
    if (status != MR_OK) {
        mr_base_filter_destroy(filter);
        return status;
    }
    *out = filter;
    return MR_OK;
}

void mr_base_filter_destroy(struct mr_base_filter *filter)
{
    if (filter == NULL) {
        return;
    }
    for (unsigned i = 0; i < filter->context->threads; i++) {
        mr_corners_expander_destroy(filter->workers[i].expander);
        mr_memory_free(filter->context->memory, filter->workers[i].tile);
        mr_block_reader_close(filter->workers[i].reader);
    }
    free(filter->workers);
    free(filter);
}

static uint32_t stripe_of(const struct side *side, uint32_t run)
{
    return mr_edge_grid_stripe(side->grid, side->band, side->runs[run].order);
}

/* Decode the edges of a tile, ascending, to worker->tile. */
static bool decode_tile(const struct mr_base_filter *filter, struct worker *worker,
                        const struct mr_tile *tile)
{
    if (tile->encoding == MR_TILE_CORNERS) {
        return worker->expander != NULL &&
               mr_corners_expand(worker->expander, tile->n_entries, tile->data, tile->data_bytes,
                                 worker->tile) == NULL;
    }
    const uint8_t *end = tile->data + tile->data_bytes;
    return tile->n_entries <= MR_CORNERS_LINKS_MAX &&
           filter->decode(tile->data, end, 0, worker->tile, tile->n_entries) == end;
}

/* Flag the keys of `keys` that are also in `tile`. Both ascend. */
static void mark(const uint32_t *keys, uint32_t n_keys, const uint32_t *tile, uint32_t n_tile,
                 uint8_t *flags)
{
    for (uint32_t i = 0, j = 0; i < n_keys && j < n_tile;) {
        if (keys[i] == tile[j]) {
            flags[i++] = 1;
        } else if (keys[i] < tile[j]) {
            i++;
        } else {
            j++;
        }
    }
}

/* Compare the tiles of an opened block with the runs from `*run` on, whose keys begin at
 * `*first_key`. Blocks of a part come by ascending stripe, and a tile may continue in the next
 * block. */
static enum mr_status compare_block(const struct mr_base_filter *filter, struct worker *worker,
                                    const struct side *side, const struct mr_block_entry *entry,
                                    const struct mr_block_header *header, const uint8_t *raw,
                                    uint32_t run, uint64_t first_key, struct mr_error *err)
{
    const char *path = mr_file_path(mr_store_links_location(filter->store, entry).file);
    struct mr_tile_cursor cursor;
    struct mr_tile tile;
    enum mr_status status;

    mr_tile_cursor_init(&cursor, filter->info, header, raw, path, entry->offset);
    while ((status = mr_tile_next(&cursor, &tile, err)) == MR_OK && tile.n_entries > 0) {
        while (run < side->n_runs && stripe_of(side, run) < tile.stripe) {
            first_key += side->runs[run++].n_keys;
        }
        if (run == side->n_runs) {
            break;
        }
        if (stripe_of(side, run) > tile.stripe) {
            continue;
        }
        if (!decode_tile(filter, worker, &tile)) {
            return mr_error_offset(
                err, MR_ERROR_CORRUPT, path, entry->offset,
                "the links of stripe %u are wrong; restore the store from a copy "
                "or build it again",
                tile.stripe);
        }
        mark(side->keys + first_key, side->runs[run].n_keys, worker->tile, tile.n_entries,
             side->flags + first_key);
    }
    return status;
}

/* Compare blocks [first, end) of the store's list. */
static enum mr_status compare_side(const struct mr_base_filter *filter, struct worker *worker,
                                   const struct side *side, uint64_t first, uint64_t end,
                                   struct mr_error *err)
{
    const struct mr_block_entry *blocks = mr_store_link_blocks(filter->store);
    uint32_t run = 0;
    uint64_t first_key = 0;
    enum mr_status status = MR_OK;

    for (uint64_t i = first; i < end && status == MR_OK && side->n_runs > 0; i++) {
        if (i == first || blocks[i].part != blocks[i - 1].part) {
            run = 0;
            first_key = 0;
        }
        while (run < side->n_runs && stripe_of(side, run) < blocks[i].first) {
            first_key += side->runs[run++].n_keys;
        }
        if (run == side->n_runs || stripe_of(side, run) > blocks[i].last) {
            continue;
        }
        struct mr_block_header header;
        const uint8_t *raw = NULL;
        status = mr_context_poll(filter->context, err);
        if (status == MR_OK) {
            status = mr_block_reader_read(
                worker->reader, mr_store_links_location(filter->store, &blocks[i]), &blocks[i],
                MR_BLOCK_LINKS, side->band, &header, &raw, err);
        }
        if (status == MR_OK) {
            status =
                compare_block(filter, worker, side, &blocks[i], &header, raw, run, first_key, err);
        }
    }
    return status;
}

/* Remove the flagged keys and the tiles that become empty. */
static void drop(struct mr_tile_run *runs, uint32_t *n_runs, uint32_t *keys, const uint8_t *flags)
{
    uint64_t in = 0, out = 0;
    uint32_t kept = 0;
    for (uint32_t r = 0; r < *n_runs; r++) {
        uint32_t n = 0;
        for (uint32_t i = 0; i < runs[r].n_keys; i++, in++) {
            if (flags[in] == 0) {
                keys[out++] = keys[in];
                n++;
            }
        }
        if (n > 0) {
            runs[kept++] = (struct mr_tile_run){.order = runs[r].order, .n_keys = n};
        }
    }
    *n_runs = kept;
}

enum mr_status mr_base_filter_apply(struct mr_base_filter *filter, unsigned thread,
                                    const struct mr_edge_grid *grid, uint32_t band,
                                    struct mr_tile_run *runs, uint32_t *n_runs, uint32_t *keys,
                                    uint8_t *flags, struct mr_error *err)
{
    struct worker *worker = &filter->workers[thread];
    struct side off = {.grid = grid, .band = band, .runs = runs, .keys = keys, .flags = flags};
    uint64_t n_off = 0, n_keys = 0;

    if (band >= filter->info->n_bands) {
        return MR_OK; /* the band has only new vertices */
    }
    for (uint32_t i = 0; i < *n_runs; i++) {
        if (runs[i].order < grid->n_stripes) {
            off.n_runs++;
            n_off += runs[i].n_keys;
        }
        n_keys += runs[i].n_keys;
    }
    const struct side diagonal = {.grid = grid,
                                  .band = band,
                                  .runs = runs + off.n_runs,
                                  .n_runs = *n_runs - off.n_runs,
                                  .keys = keys + n_off,
                                  .flags = flags + n_off};
    const struct mr_band_entry *entry = &mr_store_bands(filter->store)[band];
    memset(flags, 0, n_keys);
    enum mr_status status =
        compare_side(filter, worker, &off, entry->first_block, entry->first_diagonal, err);
    if (status == MR_OK) {
        status =
            compare_side(filter, worker, &diagonal, entry->first_diagonal, entry->end_block, err);
    }
    if (status == MR_OK) {
        drop(runs, n_runs, keys, flags);
    }
    return status;
}
