/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the names of a store, the order of its vertices, and its fetch facts, for mr_check. It
 * reads names part by part and compares each with the one before it and with the index. */
#include <inttypes.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/io/io.h"
#include "engine/names/name_block.h"
#include "engine/scan/check_internal.h"
#include "engine/store/core_map.h"
#include "engine/store/fetch_facts.h"
#include "engine/store/index.h"

/* State from one name to the next. */
struct order {
    mr_name_key key; /* without spellings; NULL: not checked */
    char *previous; /* [MR_NAME_KEY_MAX_BYTES] */
    char *current; /* [MR_NAME_KEY_MAX_BYTES] */
    char *indexed; /* [MR_NAME_MAX_BYTES] */
    size_t previous_bytes;
    uint64_t number;
    bool is_first;
};

/* Is the latest name of the scan above the one before it? */
static bool is_ascending(struct order *order, const struct mr_name_scan *scan)
{
    bool good = true;

    if (scan->kind == MR_NAMES_NUMBERS) {
        good = order->is_first || scan->number > order->number;
        order->number = scan->number;
    } else if (order->key != NULL) {
        char *swap = order->previous;
        size_t bytes = order->key(scan->name, mr_name_scan_bytes(scan), order->current);

        good = order->is_first ||
               mr_compare_bytes(order->previous, order->previous_bytes, order->current, bytes) < 0;
        order->previous = order->current;
        order->current = swap;
        order->previous_bytes = bytes;
    }
    order->is_first = false;
    return good;
}

/* Is the latest name, the first of its block, the one in the index? */
static bool is_indexed(const struct mr_name_index *index, const struct mr_name_scan *scan,
                       struct order *order)
{
    if (scan->kind == MR_NAMES_NUMBERS) {
        return mr_name_index_number(index, scan->block) == scan->number;
    }
    return mr_name_index_text(index, scan->block, order->indexed) == scan->name_bytes &&
           memcmp(order->indexed, scan->name, scan->name_bytes) == 0;
}

static enum mr_status check_name(const struct mr_name_scan *scan, const struct mr_name_index *index,
                                 struct order *order, struct mr_error *err)
{
    const struct mr_block_entry *entry = &scan->blocks[scan->block];
    const char *path = mr_file_path(mr_store_location(scan->store, MR_FILE_NAMES).file);
    const uint64_t vertex = scan->vertex - 1;

    if (vertex == entry->first && !is_indexed(index, scan, order)) {
        return mr_error_offset(err, MR_ERROR_CORRUPT, path, entry->offset,
                               "the block's first name is not the one in the index of "
                               "names" MR_CHECK_WAY_OUT);
    }
    return is_ascending(order, scan)
               ? MR_OK
               : mr_error_offset(err, MR_ERROR_CORRUPT, path, entry->offset,
                                 "the name of page %" PRIu64 " is out of order" MR_CHECK_WAY_OUT,
                                 vertex);
}

/* Check the file: its names ascend, and its index has the first name of each block. */
static enum mr_status check_file(const struct mr_checker *check, struct mr_name_scan *scan,
                                 struct order *order, struct mr_error *err)
{
    const struct mr_index *lists = mr_store_index(check->store);
    struct mr_name_index index = {0};
    bool is_over = false;
    enum mr_status status =
        mr_name_index_open(&index, check->info->name_kind, lists->names, lists->names_bytes,
                           lists->n_name_blocks, mr_store_path(check->store), order->indexed, err);

    for (uint64_t i = 0; i < scan->n_blocks && status == MR_OK && !check->full; i++) {
        status = mr_context_poll(check->context, err);
        if (status == MR_OK) {
            status = mr_name_scan_load(scan, i, err);
        }
    }
    order->is_first = true;
    while (status == MR_OK && check->full && !is_over) {
        status = mr_name_scan_step(scan, &is_over, err);
        if (status == MR_OK && !is_over) {
            status = check_name(scan, &index, order, err);
        }
    }
    return status;
}

enum mr_status mr_check_names(struct mr_checker *check, struct mr_error *err)
{
    struct mr_memory *memory = check->context->memory;
    struct mr_name_scan scan = {0};
    struct order order = {.key = check->key};
    char *buffer = NULL; /* `previous` and `current` change places */
    enum mr_status status;

    status = mr_name_scan_open(check->context, check->store, &scan, err);
    if (status == MR_OK) {
        status =
            mr_memory_array(memory, "keys of names",
                            2 * (uint64_t)MR_NAME_KEY_MAX_BYTES + MR_NAME_MAX_BYTES, &buffer, err);
    }
    if (status == MR_OK) {
        order.previous = buffer;
        order.current = order.previous + MR_NAME_KEY_MAX_BYTES;
        order.indexed = order.current + MR_NAME_KEY_MAX_BYTES;
    }
    if (status == MR_OK) {
        status = check_file(check, &scan, &order, err);
    }
    mr_memory_free(memory, buffer);
    mr_name_scan_close(&scan);
    return status;
}

/* ---- Columns ---- */

/* Loading checks all that can be checked: any bits are an order. */
enum mr_status mr_check_order(struct mr_checker *check, struct mr_error *err)
{
    struct mr_core_map core = {0};
    const enum mr_status status = mr_core_map_load(check->context, check->store, &core, err);
    mr_core_map_free(check->context->memory, &core);
    return status;
}

enum mr_status mr_check_facts(struct mr_checker *check, struct mr_error *err)
{
    struct mr_fetch_facts_reader *reader = NULL;
    struct mr_fetch_facts row;
    bool is_over = false;

    enum mr_status status = mr_fetch_facts_open(check->context, check->store, &reader, err);
    while (status == MR_OK && !is_over) {
        status = mr_fetch_facts_read(reader, &row, &is_over, err);
    }
    mr_fetch_facts_close(reader);
    return status;
}
