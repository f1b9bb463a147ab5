/* SPDX-License-Identifier: Apache-2.0 */
/* Merges the names of two stores into one ascending list, for an append: the list gives the names
 * of the new store and the new position of each vertex. A name that both have is one vertex, with
 * the spellings of both. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/names/name_block.h"
#include "engine/names/name_source.h"

enum { MOST_STORES = 2 };

/* The position of the merge in the names of one store. */
struct merge_cursor {
    struct mr_name_scan scan; /* of the current name */
    char *key; /* text: [MR_NAME_KEY_MAX_BYTES] */
    size_t key_bytes;
    bool is_over;
    uint32_t *positions; /* [n_vertices], in the merge */
};

struct mr_names_merge {
    const struct mr_context *context;
    mr_name_key key;
    struct merge_cursor cursors[MOST_STORES];
    unsigned n_stores;
    char *bytes; /* the one allocation of keys and of `united` */
    char *united; /* [MR_NAME_MAX_BYTES], a name with the spellings of two stores */
    const uint64_t *left_out; /* a bit for each name of the stores; NULL: none is left out */
    uint64_t count, n_respelled;
    struct mr_names_source source;
};

/* Advance to the next name of a store. */
static enum mr_status advance(struct mr_names_merge *merge, struct merge_cursor *cursor,
                              struct mr_error *err)
{
    struct mr_name_scan *scan = &cursor->scan;

    const enum mr_status status = mr_name_scan_step(scan, &cursor->is_over, err);
    if (status == MR_OK && !cursor->is_over && scan->kind == MR_NAMES_TEXT) {
        cursor->key_bytes = merge->key(scan->name, mr_name_scan_bytes(scan), cursor->key);
    }
    return status;
}

static enum mr_status rewind_all(struct mr_names_merge *merge, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    for (unsigned i = 0; i < merge->n_stores && status == MR_OK; i++) {
        mr_name_scan_rewind(&merge->cursors[i].scan);
        status = advance(merge, &merge->cursors[i], err);
    }
    return status;
}

static int compare(const struct merge_cursor *a, const struct merge_cursor *b)
{
    if (a->scan.kind != MR_NAMES_TEXT) {
        return a->scan.number < b->scan.number ? -1 : a->scan.number > b->scan.number;
    }
    return mr_compare_bytes(a->key, a->key_bytes, b->key, b->key_bytes);
}

/* The stores with the least current name; `first` is NULL past the last name, `second` unless both
 * have it. */
static bool next_turn(struct mr_names_merge *merge, struct merge_cursor *turn[2])
{
    struct merge_cursor *a = &merge->cursors[0], *b = &merge->cursors[1];

    a = a->is_over ? NULL : a;
    b = merge->n_stores < 2 || b->is_over ? NULL : b;
    const int order = a == NULL ? 1 : b == NULL ? -1 : compare(a, b);
    turn[0] = order <= 0 ? a : b;
    turn[1] = order == 0 ? b : NULL;
    return turn[0] != NULL;
}

static enum mr_status end_turn(struct mr_names_merge *merge, struct merge_cursor *const turn[2],
                               struct mr_error *err)
{
    const enum mr_status status = advance(merge, turn[0], err);
    return status == MR_OK && turn[1] != NULL ? advance(merge, turn[1], err) : status;
}

/* ---- Spellings ---- */

/* The spellings of a record, one after the other. A record without a line feed has its name as the
 * only one. */
struct spellings {
    const char *at, *current; /* NULL past the last */
    size_t left, bytes;
};

static void next_spelling(struct spellings *list)
{
    list->current = mr_name_next_spelling(&list->at, &list->left, &list->bytes);
}

static struct spellings spellings_of(const struct mr_name_scan *scan, size_t name_bytes)
{
    struct spellings list = {.at = scan->name + name_bytes,
                             .current = scan->name,
                             .left = scan->name_bytes - name_bytes,
                             .bytes = name_bytes};
    if (list.left > 0) {
        next_spelling(&list);
    }
    return list;
}

static int compare_spellings(const struct spellings *x, const struct spellings *y)
{
    if (x->current == NULL || y->current == NULL) {
        return x->current == NULL ? 1 : -1;
    }
    return mr_compare_bytes(x->current, x->bytes, y->current, y->bytes);
}

/* Write the name of both scans with the spellings of both, ascending, as a build has them. Returns
 * the length. What is beyond MR_NAME_MAX_BYTES is left out, as a build does. */
static size_t unite(const struct mr_name_scan *a, const struct mr_name_scan *b, char *out)
{
    const size_t name_bytes = mr_name_scan_bytes(a);
    struct spellings x = spellings_of(a, name_bytes), y = spellings_of(b, mr_name_scan_bytes(b));
    size_t used = name_bytes, n = 0;
    bool only_itself = true;

    memcpy(out, a->name, name_bytes);
    while (x.current != NULL || y.current != NULL) {
        const int order = compare_spellings(&x, &y);
        const struct spellings *next = order <= 0 ? &x : &y;
        only_itself =
            only_itself && next->bytes == name_bytes && memcmp(next->current, out, name_bytes) == 0;
        n++;
        if (next->bytes < MR_NAME_MAX_BYTES - used) {
            out[used] = '\n';
            memcpy(out + used + 1, next->current, next->bytes);
            used += 1 + next->bytes;
        }
        if (order <= 0) {
            next_spelling(&x);
        }
        if (order >= 0) {
            next_spelling(&y);
        }
    }
    return n == 1 && only_itself ? name_bytes : used;
}

/* The name of a turn with its spellings; NULL if names are numbers. */
static const char *text_of(struct mr_names_merge *merge, struct merge_cursor *const turn[2],
                           size_t *bytes)
{
    const struct mr_name_scan *scan = &turn[0]->scan;

    *bytes = scan->name_bytes;
    if (scan->kind != MR_NAMES_TEXT) {
        return NULL;
    }
    const struct mr_name_scan *other = turn[1] != NULL ? &turn[1]->scan : NULL;
    if (other == NULL || !scan->has_spellings ||
        (scan->name_bytes == other->name_bytes &&
         memcmp(scan->name, other->name, scan->name_bytes) == 0)) {
        return scan->name;
    }
    *bytes = unite(scan, other, merge->united);
    return merge->united;
}

/* ---- The merge ---- */

/* Is name number `at` of the stores in the merge? */
static bool stays(const struct mr_names_merge *merge, uint64_t at)
{
    return merge->left_out == NULL || (merge->left_out[at / 64] >> at % 64 & 1) == 0;
}

/* Visit all names in their new order. */
static enum mr_status walk(const struct mr_names_source *source, mr_names_visit visit,
                           void *visit_data, struct mr_error *err)
{
    struct mr_names_merge *merge = source->data;
    struct merge_cursor *turn[2];
    enum mr_status status = rewind_all(merge, err);

    for (uint64_t at = 0; status == MR_OK && next_turn(merge, turn); at++) {
        if (stays(merge, at)) {
            size_t bytes;
            const char *name = text_of(merge, turn, &bytes);
            status = visit(visit_data, turn[0]->scan.number, name, bytes, err);
        }
        if (status == MR_OK) {
            status = end_turn(merge, turn, err);
        }
    }
    return status;
}

static enum mr_status two_of_one_name(const struct merge_cursor *cursor, struct mr_error *err)
{
    return mr_error_file(err, MR_ERROR_CORRUPT, mr_store_path(cursor->scan.store), 0,
                         "two pages are called %llu; restore the store from a copy or build it "
                         "again",
                         (unsigned long long)cursor->scan.number);
}

static void set_position(struct merge_cursor *const turn[2], uint32_t position)
{
    turn[0]->positions[turn[0]->scan.vertex - 1] = position;
    if (turn[1] != NULL) {
        turn[1]->positions[turn[1]->scan.vertex - 1] = position;
    }
}

/* Set the new position of each old one, and count. */
static enum mr_status number(struct mr_names_merge *merge, struct mr_error *err)
{
    uint64_t next = 0, before = 0;
    /* names are the numbers of their positions */
    bool is_identity = merge->source.kind != MR_NAMES_TEXT;
    struct merge_cursor *turn[2];
    enum mr_status status = rewind_all(merge, err);

    merge->n_respelled = 0;
    for (uint64_t at = 0; status == MR_OK && next_turn(merge, turn); at++) {
        const struct mr_name_scan *scan = &turn[0]->scan;
        if (scan->kind != MR_NAMES_TEXT && at > 0 && scan->number <= before) {
            return two_of_one_name(turn[0], err);
        }
        before = scan->number;
        if (!stays(merge, at)) {
            set_position(turn, UINT32_MAX);
            status = end_turn(merge, turn, err);
            continue;
        }
        is_identity = is_identity && before == next;
        if (next == UINT32_MAX) {
            return mr_error_file(err, MR_ERROR_BUDGET, mr_store_path(merge->cursors[0].scan.store),
                                 0, "would have more than 4294967295 pages");
        }
        if (turn[1] != NULL) {
            size_t bytes;
            const char *name = text_of(merge, turn, &bytes);
            merge->n_respelled += name == merge->united && bytes != scan->name_bytes;
        }
        set_position(turn, (uint32_t)next++);
        status = end_turn(merge, turn, err);
    }
    merge->count = next;
    if (merge->source.kind != MR_NAMES_TEXT) {
        merge->source.kind = is_identity ? MR_NAMES_IDENTITY : MR_NAMES_NUMBERS;
    }
    return status;
}

/* Open the names of one store. */
static enum mr_status open_cursor(struct mr_names_merge *merge, struct mr_store *store,
                                  struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    struct merge_cursor *cursor = &merge->cursors[merge->n_stores];

    if (merge->bytes != NULL) {
        cursor->key = merge->bytes + merge->n_stores * (size_t)MR_NAME_KEY_MAX_BYTES;
    }
    merge->n_stores++;
    enum mr_status status = mr_memory_array(merge->context->memory, "new numbers of pages",
                                            info->n_vertices + 1, &cursor->positions, err);
    return status == MR_OK ? mr_name_scan_open(merge->context, store, &cursor->scan, err) : status;
}

/* Vertices that are called by their own numbers stay where they are. */
static bool all_stay(struct mr_names_merge *merge, struct mr_store *const *stores,
                     unsigned n_stores)
{
    for (unsigned i = 0; i < n_stores; i++) {
        const struct mr_store_info *info = mr_store_get_info(stores[i]);
        if (info->name_kind != MR_NAMES_IDENTITY) {
            return false;
        }
        merge->count = info->n_vertices > merge->count ? info->n_vertices : merge->count;
    }
    merge->source.kind = MR_NAMES_IDENTITY;
    return true;
}

static enum mr_status check_kinds(struct mr_store *const *stores, unsigned n_stores,
                                  mr_name_key key, struct mr_error *err)
{
    const struct mr_store_info *first = mr_store_get_info(stores[0]);
    const bool is_text = first->name_kind == MR_NAMES_TEXT;

    for (unsigned i = 1; i < n_stores; i++) {
        const struct mr_store_info *info = mr_store_get_info(stores[i]);
        if (is_text != (info->name_kind == MR_NAMES_TEXT) ||
            info->name_key_number != first->name_key_number) {
            return mr_error_file(
                err, MR_ERROR_USAGE, mr_store_path(stores[0]), 0,
                "its pages have %s as names, but the names to append are of another kind",
                is_text ? "text" : "numbers");
        }
    }
    return !is_text || key != NULL
               ? MR_OK
               : mr_error_file(err, MR_ERROR_INPUT, mr_store_path(stores[0]), 0,
                               "its names are in an order that this program does not know; use a "
                               "newer millrace");
}

enum mr_status mr_names_merge_create(const struct mr_context *context,
                                     struct mr_store *const *stores, unsigned n_stores,
                                     mr_name_key key, bool may_drop, struct mr_names_merge **out,
                                     struct mr_error *err)
{
    struct mr_names_merge *merge = calloc(1, sizeof *merge);
    const struct mr_store_info *info = mr_store_get_info(stores[0]);

    *out = merge;
    if (merge == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for merging names");
    }
    merge->context = context;
    merge->key = key;
    const bool is_text = info->name_kind == MR_NAMES_TEXT;
    merge->source =
        (struct mr_names_source){.context = context,
                                 .kind = is_text ? MR_NAMES_TEXT : MR_NAMES_NUMBERS,
                                 .has_spellings = (info->name_key_number & MR_NAME_SPELLINGS) != 0,
                                 .walk = walk,
                                 .data = merge};
    enum mr_status status = check_kinds(stores, n_stores, key, err);
    if (status == MR_OK && is_text) {
        status = mr_memory_array(context->memory, "keys of names",
                                 MOST_STORES * (uint64_t)MR_NAME_KEY_MAX_BYTES + MR_NAME_MAX_BYTES,
                                 &merge->bytes, err);
        merge->united =
            status == MR_OK ? merge->bytes + MOST_STORES * (size_t)MR_NAME_KEY_MAX_BYTES : NULL;
    }
    if (status == MR_OK && (may_drop || !all_stay(merge, stores, n_stores))) {
        for (unsigned i = 0; i < n_stores && status == MR_OK; i++) {
            status = open_cursor(merge, stores[i], err);
        }
        if (status == MR_OK) {
            status = number(merge, err);
        }
    }
    return status;
}

void mr_names_merge_destroy(struct mr_names_merge *merge)
{
    if (merge == NULL) {
        return;
    }
    for (unsigned i = 0; i < merge->n_stores; i++) {
        mr_name_scan_close(&merge->cursors[i].scan);
        mr_memory_free(merge->context->memory, merge->cursors[i].positions);
    }
    mr_memory_free(merge->context->memory, merge->bytes);
    free(merge);
}

enum mr_status mr_names_merge_leave_out(struct mr_names_merge *merge, const uint64_t *left_out,
                                        struct mr_error *err)
{
    merge->left_out = left_out;
    return number(merge, err);
}

const uint32_t *mr_names_merge_positions(const struct mr_names_merge *merge, unsigned store)
{
    return merge->cursors[store].positions;
}

uint64_t mr_names_merge_count(const struct mr_names_merge *merge)
{
    return merge->count;
}

uint64_t mr_names_merge_respelled(const struct mr_names_merge *merge)
{
    return merge->n_respelled;
}

const struct mr_names_source *mr_names_merge_source(const struct mr_names_merge *merge)
{
    return &merge->source;
}
