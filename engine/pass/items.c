/* SPDX-License-Identifier: Apache-2.0 */
/* What a unit of a pass reads, and the queue that reads ahead. Pinned blocks come from memory, all
 * others through the worker's queue, in the order in which the unit uses them. */
#include "engine/pass/internal.h"

#include <string.h>

/* A queue is filled up once a quarter of it is free, in one go: a disk that has become idle is
 * woken by each read, and says that it is done after each. */
enum { REFILL_SHARE = 3 };

/* Blocks [first, end) of a kind for `unit`. */
static void item_range(const struct mr_pass *pass, const struct pass_unit *unit,
                       enum item_kind kind, uint64_t *first, uint64_t *end)
{
    const struct mr_band_entry *band = &pass->bands[unit->band];
    *first = *end = 0;
    if (pass->run->degrees_only && (kind == ITEM_LINKS || kind == ITEM_DIAGONAL)) {
        return;
    }
    switch (kind) {
    case N_ITEM_KINDS:
        return;
    case ITEM_LINKS:
        mr_unit_links(pass, unit, first, end);
        return;
    case ITEM_DIAGONAL:
        mr_unit_diagonal(pass, unit, first, end);
        return;
    case ITEM_OUT_DEGREES:
        if (unit->is_last && pass->run->out_degrees && pass->out_degrees == NULL) {
            *first = band->first_out_block;
            *end = band->end_out_block;
        }
        return;
    case ITEM_IN_DEGREES:
        if (unit->is_last && pass->run->in_degrees) {
            *first = band->first_in_block;
            *end = band->end_in_block;
        }
        return;
    }
}

static void describe_item(const struct mr_pass *pass, enum item_kind kind, uint64_t block,
                          struct item *item)
{
    item->kind = kind;
    item->pinned = NULL;
    item->is_decoded = false;
    if (kind == ITEM_LINKS || kind == ITEM_DIAGONAL) {
        item->entry = &pass->links[block];
        item->n_bytes = item->entry->stored_bytes;
        if (pass->decoded != NULL) {
            item->is_decoded = true;
            item->pinned = pass->decoded[block].tiles;
            item->n_bytes = pass->decoded[block].n_bytes;
        } else if (block < pass->pinned_blocks) {
            item->pinned = pass->pinned_links + item->entry->position;
        }
        return;
    }
    item->entry = &pass->degrees[block];
    item->n_bytes = item->entry->stored_bytes;
    if (pass->pinned_degrees != NULL) {
        item->pinned = pass->pinned_degrees + item->entry->position;
    }
}

struct mr_block_location mr_item_location(const struct mr_pass *pass, const struct item *item)
{
    return item->kind == ITEM_LINKS || item->kind == ITEM_DIAGONAL
               ? mr_store_links_location(pass->store, item->entry)
               : mr_store_location(pass->store, MR_FILE_DEGREES);
}

/* Has the block no source that is active in this run? */
static bool is_idle(const struct mr_pass *pass, enum item_kind kind, uint64_t block)
{
    if (pass->run->active_stripes == NULL || (kind != ITEM_LINKS && kind != ITEM_DIAGONAL)) {
        return false;
    }
    const struct mr_block_entry *entry = &pass->links[block];
    return pass->active_before[entry->last + 1] == pass->active_before[entry->first];
}

bool mr_items_next(const struct mr_pass *pass, const struct pass_unit *unit,
                   struct item_cursor *cursor, struct item *item)
{
    for (;;) {
        uint64_t first, end;
        if (cursor->kind >= N_ITEM_KINDS) {
            return false;
        }
        item_range(pass, unit, cursor->kind, &first, &end);
        if (!cursor->is_started) {
            cursor->next = first;
            cursor->is_started = true;
        }
        while (cursor->next < end && is_idle(pass, cursor->kind, cursor->next)) {
            cursor->next++;
            cursor->n_idle++;
        }
        if (cursor->next < end) {
            describe_item(pass, cursor->kind, cursor->next++, item);
            return true;
        }
        cursor->kind++;
        cursor->is_started = false;
    }
}

static unsigned pending_reads(const struct pass_worker *worker)
{
    return worker->queue == NULL ? 0 : mr_queue_pending(worker->queue);
}

enum mr_status mr_items_read(struct pass_worker *worker, struct claims *claims,
                             struct mr_error *err)
{
    struct mr_pass *pass = worker->pass;
    const unsigned pending = pending_reads(worker);
    const unsigned room = worker->queue == NULL ? claims->window
                                                : (unsigned)mr_min_u64(mr_queue_room(worker->queue),
                                                                       claims->window - pending);
    if (pending >= REFILL_SHARE * room) {
        return MR_OK;
    }
    while (pending_reads(worker) < pending + room) {
        if (claims->reading == claims->count) {
            if (claims->exhausted || claims->count == CLAIMS_AHEAD ||
                (claims->count >= CLAIMS_NEAR && pending_reads(worker) == 0)) {
                return MR_OK;
            }
            struct claim *claim = &claims->claim[claims->count];
            memset(claim, 0, sizeof *claim);
            if (!mr_order_claim(pass, claims->count, &claim->unit)) {
                claims->exhausted = claims->count == 0;
                return MR_OK;
            }
            claims->count++;
        }
        struct claim *claim = &claims->claim[claims->reading];
        struct item item;
        if (!mr_items_next(pass, &claim->unit, &claim->read, &item)) {
            claims->reading++;
            continue;
        }
        if (item.pinned != NULL) {
            continue;
        }
        bool is_link = item.kind == ITEM_LINKS || item.kind == ITEM_DIAGONAL;
        enum mr_status status = mr_queue_push(worker->queue, mr_item_location(pass, &item).file,
                                              item.entry->offset, item.entry->stored_bytes, 0, err);
        if (status != MR_OK) {
            return status;
        }
        if (is_link) {
            worker->bytes_read += item.entry->stored_bytes;
        } else {
            worker->degree_bytes_read += item.entry->stored_bytes;
        }
    }
    return MR_OK;
}

enum mr_status mr_items_open(struct pass_worker *worker, struct claims *claims,
                             const struct item *item, uint32_t band, struct mr_block_header *header,
                             const uint8_t **raw, struct mr_error *err)
{
    struct mr_pass *pass = worker->pass;
    const uint8_t *data = item->pinned;
    enum mr_status status = mr_context_poll(pass->context, err);
    if (status == MR_OK) {
        status = mr_items_read(worker, claims, err);
    }
    if (status == MR_OK && data == NULL) {
        uint8_t *popped = NULL;
        uint64_t tag, wait_ns = 0;
        status = mr_queue_pop(worker->queue, &popped, &tag, &wait_ns, err);
        worker->wait_ns += wait_ns;
        data = popped;
        if (status == MR_OK && claims->window < MR_QUEUE_MAX_DEPTH) {
            claims->window++;
            status = mr_items_read(worker, claims, err);
        }
    }
    if (status != MR_OK) {
        return status;
    }
    if (item->is_decoded) {
        *header = (struct mr_block_header){.band = band, .n_entries = item->entry->n_entries};
        *raw = data;
        return MR_OK;
    }
    enum mr_block_kind kind = MR_BLOCK_LINKS;
    if (item->kind == ITEM_OUT_DEGREES) {
        kind = pass->info->is_weighted ? MR_BLOCK_OUT_STRENGTHS : MR_BLOCK_OUT_DEGREES;
    } else if (item->kind == ITEM_IN_DEGREES) {
        kind = pass->info->is_weighted ? MR_BLOCK_IN_STRENGTHS : MR_BLOCK_IN_DEGREES;
    }
    return mr_block_verify(worker->codec, data, mr_item_location(pass, item), item->entry, kind,
                           band, worker->scratch, header, raw, err);
}

bool mr_items_ahead(const struct pass_worker *worker, const struct claims *claims,
                    struct item_cursor cursor, struct item *item)
{
    const struct mr_pass *pass = worker->pass;
    struct item_cursor next_claim = {0};
    if (!mr_items_next(pass, &claims->claim[0].unit, &cursor, item) &&
        (claims->count < 2 || !mr_items_next(pass, &claims->claim[1].unit, &next_claim, item))) {
        return false;
    }
    if (item->pinned == NULL) {
        item->pinned = mr_queue_next_data(worker->queue);
    }
    return item->pinned != NULL;
}
