/* SPDX-License-Identifier: Apache-2.0 */
/* Merges the parts of a store's names into one ascending list. A compaction uses it: the list gives
 * the names of the new store and the new number of each vertex. Parts are few, so the least name is
 * found by comparing all of them. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/names/name_block.h"
#include "engine/names/name_source.h"

/* The position of the merge in one part. */
struct cursor {
    const struct mr_names_part *part;
    struct mr_name_scan scan;
    uint64_t next_block; /* of the part */
    uint64_t vertex; /* vertex of the current name */
    uint64_t number;
    char *key; /* text: [MR_NAME_KEY_MAX_BYTES] */
    size_t key_bytes;
    bool is_over;
};

struct mr_names_merge {
    const struct mr_context *context;
    struct mr_store *store;
    mr_name_key key;
    bool has_spellings;
    struct cursor *cursors; /* [n_parts] */
    uint32_t n_parts;
    char *keys; /* the one allocation of them */
    uint32_t *vertices;
    struct mr_names_part part; /* the one part of the result */
    struct mr_names_source source;
};

/* Advance to the next name of a part. */
static enum mr_status advance(struct mr_names_merge *merge, struct cursor *cursor,
                              struct mr_error *err)
{
    struct mr_name_scan *scan = &cursor->scan;
    enum mr_status status = MR_OK;

    if (cursor->part->kind == MR_NAMES_IDENTITY) {
        cursor->number = cursor->vertex = cursor->vertex + 1;
        cursor->is_over = cursor->vertex >= cursor->part->n_vertices;
        return MR_OK;
    }
    if (!mr_name_scan_has_next(scan)) {
        if (cursor->next_block == cursor->part->n_blocks) {
            cursor->is_over = true;
            return MR_OK;
        }
        status = mr_context_poll(merge->context, err);
        if (status == MR_OK) {
            status = mr_name_scan_load(scan, cursor->part->first_block + cursor->next_block, err);
        }
        cursor->next_block++;
    }
    if (status == MR_OK) {
        status = mr_name_scan_next(scan, err);
    }
    if (status != MR_OK) {
        return status;
    }
    cursor->vertex = scan->vertex - 1;
    cursor->number = scan->number;
    if (cursor->part->kind == MR_NAMES_TEXT) {
        const char *end = merge->has_spellings ? memchr(scan->name, '\n', scan->name_bytes) : NULL;
        const size_t bytes = end != NULL ? (size_t)(end - scan->name) : scan->name_bytes;

        cursor->key_bytes = merge->key(scan->name, bytes, cursor->key);
    }
    return MR_OK;
}

static enum mr_status rewind_all(struct mr_names_merge *merge, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    for (uint32_t i = 0; i < merge->n_parts && status == MR_OK; i++) {
        struct cursor *cursor = &merge->cursors[i];

        cursor->next_block = 0;
        cursor->is_over = cursor->part->n_vertices == 0;
        if (cursor->part->kind == MR_NAMES_IDENTITY) {
            cursor->vertex = cursor->number = 0;
        } else if (!cursor->is_over) {
            cursor->scan.block = UINT64_MAX; /* nothing is left of it */
            status = advance(merge, cursor, err);
        }
    }
    return status;
}

static int compare(const struct cursor *a, const struct cursor *b)
{
    if (a->part->kind != MR_NAMES_TEXT) {
        return a->number < b->number ? -1 : a->number > b->number;
    }
    const size_t common = a->key_bytes < b->key_bytes ? a->key_bytes : b->key_bytes;
    const int order = memcmp(a->key, b->key, common);

    return order != 0 ? order : a->key_bytes < b->key_bytes ? -1 : a->key_bytes > b->key_bytes;
}

/* The part with the least current name; NULL past the last name. */
static struct cursor *lowest(struct mr_names_merge *merge)
{
    struct cursor *best = NULL;

    for (uint32_t i = 0; i < merge->n_parts; i++) {
        struct cursor *cursor = &merge->cursors[i];

        if (!cursor->is_over && (best == NULL || compare(cursor, best) < 0)) {
            best = cursor;
        }
    }
    return best;
}

/* Visit all names in their new order. */
static enum mr_status walk(void *data, uint32_t part, mr_names_visit visit, void *visit_data,
                           struct mr_error *err)
{
    struct mr_names_merge *merge = data;
    struct cursor *cursor;
    enum mr_status status = rewind_all(merge, err);

    (void)part;
    while (status == MR_OK && (cursor = lowest(merge)) != NULL) {
        const char *name =
            cursor->part->kind == MR_NAMES_TEXT ? mr_name_scan_text(&cursor->scan) : NULL;

        status = visit(visit_data, cursor->number, name, cursor->scan.name_bytes, err);
        if (status == MR_OK) {
            status = advance(merge, cursor, err);
        }
    }
    return status;
}

/* Set the new vertex of each old one. */
static enum mr_status number(struct mr_names_merge *merge, struct mr_error *err)
{
    const uint64_t n_vertices = mr_store_get_info(merge->store)->n_vertices;
    uint64_t next = 0, before = 0;
    bool is_identity = true; /* no vertex changes its number */
    struct cursor *cursor;
    void *vertices = NULL;
    enum mr_status status = mr_memory_alloc(merge->context->memory, "new numbers of pages",
                                            n_vertices * sizeof(uint32_t), &vertices, err);

    merge->vertices = vertices;
    if (status == MR_OK) {
        status = rewind_all(merge, err);
    }
    while (status == MR_OK && (cursor = lowest(merge)) != NULL) {
        if (cursor->part->kind != MR_NAMES_TEXT && next > 0 && cursor->number <= before) {
            return mr_error_file(err, MR_ERROR_CORRUPT, mr_store_path(merge->store), 0,
                                 "two pages are called %llu; restore the store from a copy or "
                                 "build it again",
                                 (unsigned long long)cursor->number);
        }
        before = cursor->number;
        is_identity = is_identity && cursor->number == next;
        merge->vertices[cursor->vertex] = (uint32_t)next++;
        status = advance(merge, cursor, err);
    }
    if (mr_store_get_info(merge->store)->name_kind == MR_NAMES_NUMBERS && is_identity) {
        merge->source.kind = MR_NAMES_IDENTITY;
        merge->source.n_parts = 0;
    }
    return status;
}

enum mr_status mr_names_merge_create(const struct mr_context *context, struct mr_store *store,
                                     mr_name_key key, struct mr_names_merge **out,
                                     struct mr_error *err)
{
    const struct mr_index *index = mr_store_index(store);
    const struct mr_store_info *info = mr_store_get_info(store);
    struct mr_names_merge *merge = calloc(1, sizeof *merge);
    enum mr_status status = MR_OK;

    *out = NULL;
    if (merge == NULL || (merge->cursors = calloc((size_t)index->n_name_parts + 1,
                                                  sizeof *merge->cursors)) == NULL) {
        free(merge);
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for merging names");
    }
    merge->context = context;
    merge->store = store;
    merge->key = key;
    merge->has_spellings = (info->name_key_number & MR_NAME_SPELLINGS) != 0;
    merge->part = (struct mr_names_part){
        .generation = 1, .kind = info->name_kind, .n_vertices = info->n_vertices};
    merge->source = (struct mr_names_source){.kind = info->name_kind,
                                             .has_spellings = merge->has_spellings,
                                             .parts = &merge->part,
                                             .n_parts = info->name_kind != MR_NAMES_IDENTITY,
                                             .walk = walk,
                                             .data = merge};
    if (info->name_kind == MR_NAMES_TEXT && key == NULL) {
        status = mr_error_file(err, MR_ERROR_INPUT, mr_store_path(store), 0,
                               "its names are in an order that this program does not know; use a "
                               "newer millrace");
    }
    if (status == MR_OK && index->n_name_parts > 0) {
        void *keys = NULL;
        status = mr_memory_alloc(context->memory, "keys of names",
                                 index->n_name_parts * (uint64_t)MR_NAME_KEY_MAX_BYTES, &keys, err);
        merge->keys = keys;
    }
    for (uint32_t i = 0; i < index->n_name_parts && status == MR_OK; i++) {
        struct cursor *cursor = &merge->cursors[merge->n_parts++];

        cursor->part = &index->name_parts[i];
        cursor->key = merge->keys + i * (size_t)MR_NAME_KEY_MAX_BYTES;
        if (cursor->part->kind != MR_NAMES_IDENTITY) {
            status = mr_name_scan_open(context, store, &cursor->scan, err);
        }
    }
    /* A single part is in order already. */
    if (status == MR_OK && info->n_vertices > 0 && index->n_name_parts > 1) {
        status = number(merge, err);
    }
    if (status != MR_OK) {
        mr_names_merge_destroy(merge);
        return status;
    }
    *out = merge;
    return MR_OK;
}

void mr_names_merge_destroy(struct mr_names_merge *merge)
{
    if (merge == NULL) {
        return;
    }
    for (uint32_t i = 0; i < merge->n_parts; i++) {
        mr_name_scan_close(&merge->cursors[i].scan);
    }
    mr_memory_free(merge->context->memory, merge->keys);
    mr_memory_free(merge->context->memory, merge->vertices);
    free(merge->cursors);
    free(merge);
}

const uint32_t *mr_names_merge_vertices(const struct mr_names_merge *merge)
{
    return merge->vertices;
}

const struct mr_names_source *mr_names_merge_source(const struct mr_names_merge *merge)
{
    return &merge->source;
}
