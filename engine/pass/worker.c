/* SPDX-License-Identifier: Apache-2.0 */
/* One thread of a pass: blocks in, keys out, kernels. */
#include <string.h>

#include "engine/pass/internal.h"
#include "engine/tile/degrees.h"

static enum mr_status bad_stream(const struct mr_tile_cursor *cursor, struct mr_error *err)
{
    return mr_error_offset(err, MR_ERROR_CORRUPT, cursor->path, cursor->offset,
                           "a tile does not decode; the store is damaged: build it again");
}

/* What to fetch while `tile` is applied, `links_left` of its block with it still to come: the
 * stripe of the tile behind it, and of the block behind this one as much as of this one's links. */
static struct mr_tile_ahead ahead_of(const struct mr_pass *pass, const struct mr_tile *tile,
                                     const struct mr_tile *next, const struct item *following,
                                     uint64_t links_left, uint64_t *fetched)
{
    struct mr_tile_ahead ahead = {0};
    uint32_t stripe = tile->stripe;
    if (next->n_entries > 0) {
        stripe = next->stripe;
    } else if (following != NULL && following->kind <= ITEM_DIAGONAL) {
        stripe = following->entry->first;
    }
    if (stripe != tile->stripe) {
        ahead.value_bytes = pass->vertex_bytes << pass->info->stripe_bits;
        ahead.values = (const uint8_t *)pass->run->x + stripe * ahead.value_bytes;
    }
    if (following != NULL) {
        const uint64_t left = following->n_bytes - *fetched;
        ahead.bytes = following->pinned + *fetched;
        ahead.n_bytes = left * tile->n_entries / links_left;
        *fetched += ahead.n_bytes;
    }
    return ahead;
}

/* The tiles of a block of links that mr_items_open opened. */
static struct mr_tile_cursor tiles_of(const struct mr_pass *pass, const struct item *item,
                                      const struct mr_block_header *header, const uint8_t *raw)
{
    struct mr_tile_cursor cursor;
    const char *path = mr_file_path(mr_item_location(pass, item).file);
    if (item->is_decoded) {
        mr_tile_cursor_init_decoded(&cursor, raw, item->n_bytes, path, item->entry->offset);
    } else {
        mr_tile_cursor_init(&cursor, pass->info, header, raw, path, item->entry->offset);
    }
    return cursor;
}

/* Where the values of a tile's sources are. */
static const void *sources_of(const struct mr_pass *pass, const struct mr_tile *tile)
{
    return (const uint8_t *)pass->run->x +
           tile->stripe * (pass->vertex_bytes << pass->info->stripe_bits);
}

/* Apply every tile of a block to `accumulator`. `following`: the item behind it, or NULL. */
static enum mr_status apply_block(struct pass_worker *worker, const struct mr_block_header *header,
                                  const uint8_t *raw, const struct item *item,
                                  const struct item *following, void *accumulator,
                                  struct mr_error *err)
{
    struct mr_pass *pass = worker->pass;
    struct mr_tile_cursor cursor = tiles_of(pass, item, header, raw);
    struct mr_tile tile, next;
    uint64_t links_left = header->n_entries, fetched = 0;
    enum mr_status status = mr_tile_next(&cursor, &tile, err);
    for (; status == MR_OK && tile.n_entries > 0; tile = next) {
        status = mr_tile_next(&cursor, &next, err);
        if (status != MR_OK) {
            break;
        }
        const struct mr_tile_ahead ahead =
            ahead_of(pass, &tile, &next, following, links_left, &fetched);
        mr_tile_applier_expect(worker->applier, &ahead, &tile);
        links_left -= tile.n_entries;
        const void *x = sources_of(pass, &tile);
        if (!mr_tile_apply_later(worker->applier, &tile, x, accumulator)) {
            return bad_stream(&cursor, err);
        }
        worker->edge_visits += tile.n_entries;
    }
    mr_tile_applier_finish(worker->applier);
    return status;
}

enum mr_status mr_worker_collect(struct pass_worker *worker, uint32_t band,
                                 struct mr_tile_cursor *cursor, struct mr_error *err)
{
    const struct mr_store_info *info = worker->pass->info;
    const uint32_t first_stripe = band << (info->band_bits - info->stripe_bits);
    struct mr_tile tile;
    for (;;) {
        enum mr_status status = mr_tile_next(cursor, &tile, err);
        if (status != MR_OK || tile.n_entries == 0) {
            return status;
        }
        if (!mr_rows_add(worker->rows, &tile, tile.stripe - first_stripe)) {
            return bad_stream(cursor, err);
        }
    }
}

enum mr_status mr_worker_degrees(struct pass_worker *worker, const struct mr_block_header *header,
                                 const uint8_t *raw, const struct mr_block_entry *entry,
                                 uint32_t *degrees, double *strengths, struct mr_error *err)
{
    const struct mr_pass *pass = worker->pass;
    const uint32_t first = header->first - (header->band << pass->info->band_bits);
    const bool is_out =
        header->kind == MR_BLOCK_OUT_DEGREES || header->kind == MR_BLOCK_OUT_STRENGTHS;
    strengths = strengths != NULL ? strengths + first : NULL;
    degrees += first;
    const enum mr_status status = mr_degrees_decode(mr_store_location(pass->store, MR_FILE_DEGREES),
                                                    entry, header, raw, degrees, strengths, err);
    for (uint64_t i = 0; i < header->n_entries && status == MR_OK; i++) {
        worker->degree_sums[is_out] += degrees[i];
    }
    for (uint64_t i = 0; i < header->n_entries && status == MR_OK && strengths != NULL; i++) {
        strengths[i] *= pass->weight_scale;
    }
    worker->n_degrees[is_out] += header->n_entries;
    return status;
}

/* Degrees come with the last unit of a band, and so do those who end it. */
static enum mr_status decode_degrees(struct pass_worker *worker,
                                     const struct mr_block_header *header, const uint8_t *raw,
                                     const struct item *item, struct band_end *end,
                                     struct mr_error *err)
{
    const bool is_out = item->kind == ITEM_OUT_DEGREES;
    return mr_worker_degrees(worker, header, raw, item->entry,
                             is_out ? end->out_degree : end->in_degree,
                             is_out ? end->out_strength : end->in_strength, err);
}

/* Read and apply the blocks of one unit. */
static enum mr_status read_unit(struct pass_worker *worker, struct claims *claims,
                                struct band_end *end, void *accumulator, struct mr_error *err)
{
    struct mr_pass *pass = worker->pass;
    const struct pass_unit unit = claims->claim[0].unit;
    const bool collects =
        unit.is_last && mr_pass_sweeps(pass, unit.band) && !mr_pass_keeps_rows(pass, unit.band);
    struct item_cursor cursor = {0};
    struct item item;
    enum mr_status status = MR_OK;
    mr_tile_applier_forget(worker->applier);
    if (collects) {
        mr_rows_begin(worker->rows, (uint32_t)mr_band_vertices(pass->info, unit.band));
    }
    while (status == MR_OK && mr_items_next(pass, &unit, &cursor, &item)) {
        struct mr_block_header header;
        const uint8_t *raw;
        if (atomic_load_explicit(&pass->order.stop, memory_order_relaxed)) {
            return MR_OK;
        }
        status = mr_items_open(worker, claims, &item, unit.band, &header, &raw, err);
        if (status != MR_OK) {
            return status;
        }
        if (item.kind == ITEM_OUT_DEGREES || item.kind == ITEM_IN_DEGREES) {
            status = decode_degrees(worker, &header, raw, &item, end, err);
        } else if (item.kind == ITEM_DIAGONAL && collects) {
            struct mr_tile_cursor tiles = tiles_of(pass, &item, &header, raw);
            status = mr_worker_collect(worker, unit.band, &tiles, err);
        } else {
            struct item following;
            const bool follows = mr_items_ahead(worker, claims, cursor, &following);
            status = apply_block(worker, &header, raw, &item, follows ? &following : NULL,
                                 mr_class_target(worker, item.entry, accumulator), err);
        }
    }
    if (collects && status == MR_OK) {
        mr_rows_end(worker->rows, end->rows);
    }
    mr_class_flush(worker, accumulator);
    worker->blocks_skipped += cursor.n_idle;
    return status;
}

/* The unit that was claimed first, and the end of the band that it completes. */
static enum mr_status run_unit(struct pass_worker *worker, struct claims *claims,
                               struct mr_error *err)
{
    struct mr_pass *pass = worker->pass;
    const struct pass_unit unit = claims->claim[0].unit;
    struct band_end *end, *done;
    void *accumulator, *sum;
    if (!mr_order_start(worker, &unit, &accumulator, &end)) {
        return MR_OK;
    }
    const enum mr_status status = read_unit(worker, claims, end, accumulator, err);
    if (status == MR_OK && !atomic_load_explicit(&pass->order.stop, memory_order_relaxed) &&
        mr_order_complete(pass, &unit, accumulator, end, &done, &sum)) {
        mr_band_finish(worker, done, sum);
        mr_order_finish(pass, done);
    }
    return status;
}

void mr_worker_run(struct pass_worker *worker)
{
    struct mr_pass *pass = worker->pass;
    struct claims claims = {.window = READS_AT_FIRST};
    struct mr_error error = {0};
    enum mr_status status = MR_OK;
    mr_tile_applier_begin(worker->applier, pass->run->value);
    while (status == MR_OK && !atomic_load(&pass->order.stop)) {
        status = mr_items_read(worker, &claims, &error);
        if (status != MR_OK || claims.count == 0) {
            break;
        }
        status = run_unit(worker, &claims, &error);
        claims.count--;
        memmove(claims.claim, claims.claim + 1, claims.count * sizeof claims.claim[0]);
        if (claims.reading > 0) {
            claims.reading--;
        }
    }
    /* Other runs have no more work to share: their threads wait where the parallel region ends,
     * which looks on for a while. One that sleeps takes some 40 us to wake up, of 1.8 ms that a
     * pass over cnr-2000 takes. */
    if (status != MR_OK) {
        mr_order_fail(pass, status, &error);
    } else if (pass->run->relax) {
        mr_order_help_until_over(worker);
    }
    worker->left_ns = mr_now_ns();
    if (worker->queue != NULL) {
        mr_queue_drain(worker->queue);
    }
}
