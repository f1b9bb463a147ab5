/* SPDX-License-Identifier: Apache-2.0 */
/* Reads blocks of names, one at a time, and codes names against the name before them. Lookups
 * (names.c), the merge and the join of names, and mr_check all read names through it. A block
 * decodes on its own, so a lookup reads only one. */
#include "engine/names/name_block.h"

#include <assert.h>
#include <inttypes.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/io/io.h"
#include "engine/names/names.h"
#include "engine/tile/keys.h"
#include "engine/tile/tile.h"

#define WAY_OUT "; restore the store from a copy or build it again"

enum mr_status mr_name_scan_open(const struct mr_context *context, struct mr_store *store,
                                 struct mr_name_scan *scan, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    enum mr_status status = MR_OK;

    *scan = (struct mr_name_scan){
        .context = context,
        .store = store,
        .kind = info->name_kind,
        .has_spellings =
            info->name_kind == MR_NAMES_TEXT && (info->name_key_number & MR_NAME_SPELLINGS) != 0,
        .n_vertices = info->n_vertices,
        .block = UINT64_MAX,
    };
    if (scan->kind == MR_NAMES_IDENTITY) {
        return MR_OK;
    }
    scan->blocks = mr_store_name_blocks(store, &scan->n_blocks);
    status = mr_block_reader_open(context, &scan->reader, err);
    if (status == MR_OK) {
        status = mr_memory_array(context->memory, "buffer for names", MR_NAME_MAX_BYTES,
                                 &scan->name, err);
    }
    if (status != MR_OK) {
        mr_name_scan_close(scan);
    }
    return status;
}

void mr_name_scan_close(struct mr_name_scan *scan)
{
    if (scan->context != NULL) {
        mr_memory_free(scan->context->memory, scan->name);
        mr_block_reader_close(scan->reader);
    }
    *scan = (struct mr_name_scan){0};
}

static enum mr_status damaged(const struct mr_name_scan *scan, const char *what,
                              struct mr_error *err)
{
    return mr_error_offset(err, MR_ERROR_CORRUPT,
                           mr_file_path(mr_store_location(scan->store, MR_FILE_NAMES).file),
                           scan->blocks[scan->block].offset,
                           "the name of page %" PRIu64 " %s" WAY_OUT, scan->vertex, what);
}

enum mr_status mr_name_scan_load(struct mr_name_scan *scan, uint64_t block, struct mr_error *err)
{
    const struct mr_block_entry *entry = &scan->blocks[block];
    struct mr_block_header header;

    assert(block < scan->n_blocks);
    if (scan->block != block) {
        scan->block = UINT64_MAX;
        const enum mr_status status = mr_block_reader_read(
            scan->reader, mr_store_location(scan->store, MR_FILE_NAMES), entry,
            scan->kind == MR_NAMES_TEXT ? MR_BLOCK_NAME_TEXT : MR_BLOCK_NAME_NUMBERS, 0, &header,
            &scan->raw, err);
        if (status != MR_OK) {
            return status;
        }
        scan->block = block;
        scan->end = scan->raw + header.raw_bytes;
    }
    scan->at = scan->raw;
    scan->vertex = entry->first;
    scan->number = 0;
    scan->name_bytes = 0;
    return MR_OK;
}

void mr_name_scan_rewind(struct mr_name_scan *scan)
{
    scan->block = UINT64_MAX;
    scan->vertex = 0;
}

enum mr_status mr_name_scan_step(struct mr_name_scan *scan, bool *is_over, struct mr_error *err)
{
    *is_over = scan->vertex == scan->n_vertices;
    if (*is_over) {
        return MR_OK;
    }
    if (scan->kind == MR_NAMES_IDENTITY) {
        scan->number = scan->vertex++;
        return MR_OK;
    }
    enum mr_status status = MR_OK;
    if (!mr_name_scan_has_next(scan)) {
        const uint64_t next = scan->block == UINT64_MAX ? 0 : scan->block + 1;
        status = mr_context_poll(scan->context, err);
        if (status == MR_OK) {
            status = mr_name_scan_load(scan, next, err);
        }
    }
    return status == MR_OK ? mr_name_scan_next(scan, err) : status;
}

enum mr_status mr_name_scan_to(struct mr_name_scan *scan, uint32_t vertex, struct mr_error *err)
{
    uint64_t low = 0, high = scan->n_blocks; /* the last block with first <= vertex */
    enum mr_status status = MR_OK;

    if (scan->kind == MR_NAMES_IDENTITY) {
        scan->number = vertex;
        scan->vertex = (uint64_t)vertex + 1;
        return MR_OK;
    }
    if (!mr_name_scan_has_next(scan) || scan->vertex != vertex) {
        MR_FIND_LAST(low, high, middle, scan->blocks[middle].first <= vertex);
        if (scan->block != low || scan->vertex > vertex) {
            status = mr_name_scan_load(scan, low, err);
        }
    }
    while (status == MR_OK && scan->vertex <= vertex) {
        status = mr_name_scan_next(scan, err);
    }
    return status;
}

size_t mr_name_scan_bytes(const struct mr_name_scan *scan)
{
    return mr_name_bytes_of(scan->has_spellings, scan->name, scan->name_bytes);
}

/* Numbers are stored as differences: the first from 0, then from the number before. They ascend, so
 * only the first difference may be 0. */
static const uint8_t *take_number(struct mr_name_scan *scan)
{
    bool is_first = scan->at == scan->raw;
    uint64_t difference = 0;
    const uint8_t *at = mr_leb_get(scan->at, scan->end, &difference);

    if (at == NULL || (difference == 0 && !is_first) ||
        mr_add_overflows(scan->number, difference, &scan->number)) {
        return NULL;
    }
    return at;
}

enum mr_status mr_name_scan_next(struct mr_name_scan *scan, struct mr_error *err)
{
    const uint8_t *at;

    assert(mr_name_scan_has_next(scan));
    if (scan->kind == MR_NAMES_TEXT) {
        at = mr_name_get(scan->at, scan->end, scan->name, &scan->name_bytes);
    } else {
        at = take_number(scan);
    }
    if (at == NULL) {
        return damaged(scan, "cannot be decoded", err);
    }
    if (scan->vertex == scan->blocks[scan->block].last && at != scan->end) {
        return damaged(scan, "is the last one of its block, but more bytes follow it", err);
    }
    scan->at = at;
    scan->vertex++;
    return MR_OK;
}

uint8_t *mr_name_put(const char *previous, uint32_t previous_bytes, const char *name,
                     uint32_t name_bytes, uint8_t *out)
{
    uint32_t limit = previous_bytes < name_bytes ? previous_bytes : name_bytes, shared = 0;

    while (shared < limit && previous[shared] == name[shared]) {
        shared++;
    }
    out = mr_leb_put(out, shared);
    out = mr_leb_put(out, name_bytes - shared);
    memcpy(out, name + shared, name_bytes - shared);
    return out + (name_bytes - shared);
}

const uint8_t *mr_name_get(const uint8_t *in, const uint8_t *end, char *name, uint32_t *name_bytes)
{
    uint64_t shared = 0, rest = 0;

    in = mr_leb_get(in, end, &shared);
    if (in != NULL) {
        in = mr_leb_get(in, end, &rest);
    }
    if (in == NULL || shared > *name_bytes || rest > MR_NAME_MAX_BYTES - shared ||
        rest > (uint64_t)(end - in) || shared + rest == 0) {
        return NULL;
    }
    memcpy(name + shared, in, rest);
    *name_bytes = (uint32_t)(shared + rest);
    return in + rest;
}
