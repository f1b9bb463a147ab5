/* SPDX-License-Identifier: Apache-2.0 */
/* A set of ids: takes those that are declared, chooses how to number all of them, and gives them
 * back in order. A bitmap is faster but needs room for every possible id. So the set is a bitmap
 * only where the largest id is small for the number of ids. */
#include "engine/builder/vertices/id_set_internal.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"

enum mr_status mr_id_set_create(const struct mr_context *context,
                                const struct mr_id_set_options *options, struct mr_id_set **out,
                                struct mr_error *err)
{
    struct mr_id_set *set = calloc(1, sizeof *set);
    *out = set;
    if (set == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a set of ids");
    }
    set->context = context;
    set->options = *options;
    return MR_OK;
}

/* Free everything in memory but the declared ids. */
static void free_ids(struct mr_id_set *set)
{
    struct mr_memory *memory = set->context->memory;
    mr_memory_free(memory, set->words);
    mr_memory_free(memory, set->directory);
    mr_id_list_free(set, &set->window);
    set->words = NULL;
    set->directory = NULL;
}

void mr_id_set_destroy(struct mr_id_set *set)
{
    if (set != NULL) {
        free_ids(set);
        mr_id_list_free(set, &set->declared);
        mr_scratch_file_close(set->pairs);
        mr_scratch_file_close(set->ids);
        free(set);
    }
}

enum mr_status mr_id_set_declare(struct mr_id_set *set, uint64_t id, struct mr_error *err)
{
    struct id_list *list = &set->declared;
    enum mr_status status = MR_OK;
    if (list->n == list->room) {
        mr_id_list_sort(list);
        /* A quarter of the room is free after this. An id that comes again costs no sort. */
        status = mr_memory_grow(set->context->memory, MR_ID_MEMORY, list->n + list->room / 4 + 1,
                                &list->ids, &list->room, err);
    }
    if (status == MR_OK) {
        list->ids[list->n++] = id;
    }
    return status;
}

/* ---- Numbering ---- */

/* Number the ids of the window, which are all. */
static enum mr_status seal_window(struct mr_id_set *set, struct mr_error *err)
{
    const struct id_list *window = &set->window;
    set->n_ids = window->n;
    set->max_id = window->n > 0 ? window->ids[window->n - 1] : 0;
    if (set->n_ids > UINT32_MAX) {
        return mr_id_too_many(err);
    }
    if (set->n_ids == 0 || set->max_id == set->n_ids - 1) {
        set->representation = IDENTITY;
        mr_id_list_free(set, &set->window);
        return MR_OK;
    }
    /* Lookups in a bitmap are several times faster. This is worth as much memory as the array
     * takes. */
    return mr_id_bitmap_pays(set, set->max_id, 2 * sizeof *window->ids * window->n)
               ? mr_id_bitmap_make(set, set->max_id, NULL, err)
               : mr_id_window_index(set, err);
}

enum mr_status mr_id_set_freeze(struct mr_id_set *set, struct mr_error *err)
{
    assert(!set->is_numbered);
    mr_id_list_sort(&set->declared);
    set->window = set->declared;
    set->declared = (struct id_list){0};
    const enum mr_status status = seal_window(set, err);
    set->is_numbered = set->is_frozen = status == MR_OK;
    return status;
}

/* Does the set leave room for what a build needs afterwards: degrees, an order, and a quarter of
 * the memory for sorting? */
static bool leaves_room(const struct mr_id_set *set)
{
    enum { VERTEX_BYTES = 6 };
    const uint64_t left = mr_memory_available(set->context->memory);
    const uint64_t had = left + mr_id_set_bytes(set);
    return left >= VERTEX_BYTES * set->n_ids + had / 4;
}

/* Number the ids in memory. `*fits`: that was possible. */
static enum mr_status number_in_memory(struct mr_id_set *set, struct mr_spool *spool, bool *fits,
                                       struct mr_error *err)
{
    const struct mr_spool_figures figures = mr_spool_figures_of(spool);
    const struct id_list *declared = &set->declared;
    const uint64_t n_most = 2 * figures.n_edges + declared->n;
    const uint64_t max_id =
        mr_max_u64(figures.max_id, declared->n > 0 ? declared->ids[declared->n - 1] : 0);
    enum mr_status status = MR_OK;
    *fits = true;
    /* The bitmap may be as large as the spool: a pass over memory is cheaper than sorting. */
    if (mr_id_bitmap_pays(set, max_id, 4 * n_most)) {
        status = mr_id_bitmap_make(set, max_id, spool, err);
    } else {
        status = mr_id_windows_try(set, spool, fits, err);
        if (status == MR_OK && *fits) {
            status = seal_window(set, err);
        }
    }
    *fits = *fits && leaves_room(set);
    return status;
}

enum mr_status mr_id_set_number(struct mr_id_set *set, struct mr_spool *spool, struct mr_error *err)
{
    bool fits = set->options.window_ids == 0;
    enum mr_status status = MR_OK;
    assert(!set->is_numbered);
    mr_id_list_sort(&set->declared);
    if (fits) {
        status = number_in_memory(set, spool, &fits, err);
    }
    if (status == MR_OK && !fits) {
        free_ids(set);
        status = mr_id_windows_to_disk(set, spool, err);
    }
    mr_id_list_free(set, &set->declared);
    set->is_numbered = status == MR_OK;
    return status;
}

/* ---- What is in it ---- */

uint64_t mr_id_set_count(const struct mr_id_set *set)
{
    assert(set->is_numbered);
    return set->n_ids;
}

bool mr_id_set_is_identity(const struct mr_id_set *set)
{
    assert(set->is_numbered);
    return set->n_ids == 0 || set->max_id == set->n_ids - 1;
}

uint64_t mr_id_set_bytes(const struct mr_id_set *set)
{
    const uint64_t n_prefixes =
        set->directory != NULL ? ((set->max_id - set->window.ids[0]) >> set->shift) + 2 : 0;
    return (set->words != NULL ? (set->max_id / 32 + 1) * sizeof *set->words : 0) +
           set->window.room * sizeof *set->window.ids + n_prefixes * sizeof *set->directory;
}

static size_t next_of_bitmap(const struct mr_id_set *set, uint64_t *cursor, uint64_t *ids,
                             size_t room)
{
    size_t n = 0;
    while (n < room && *cursor <= set->max_id) {
        const uint32_t left = (uint32_t)set->words[*cursor / 32] >> (*cursor & 31);
        if (left == 0) {
            *cursor = (*cursor / 32 + 1) * 32;
            continue;
        }
        *cursor += (uint64_t)__builtin_ctz(left);
        ids[n++] = (*cursor)++;
    }
    return n;
}

enum mr_status mr_id_set_next(const struct mr_id_set *set, uint64_t *cursor, uint64_t *ids,
                              size_t room, size_t *n_ids, struct mr_error *err)
{
    assert(set->is_numbered);
    if (set->representation == BITMAP) {
        *n_ids = next_of_bitmap(set, cursor, ids, room);
        return MR_OK;
    }
    const uint64_t first = *cursor, n = mr_min_u64(room, set->n_ids - first);
    *cursor += n;
    *n_ids = n;
    if (set->representation == ON_DISK && n > 0) {
        return mr_scratch_file_read(set->ids, ids, n * sizeof *ids, first * sizeof *ids, err);
    }
    for (uint64_t i = 0; i < n; i++) {
        ids[i] = set->representation == ARRAY ? set->window.ids[first + i] : first + i;
    }
    return MR_OK;
}
