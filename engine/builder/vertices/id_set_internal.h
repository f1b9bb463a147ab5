/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the files of the id set share. Internal to the set.
 *
 *     id_set.c      takes declared ids, chooses the representation, gives the ids back
 *     id_bitmap.c   makes the bitmap
 *     id_windows.c  collects ids in an array, in windows where memory is too small for all
 *     id_find.c     looks up ids
 */
#ifndef MR_ENGINE_BUILDER_VERTICES_ID_SET_INTERNAL_H
#define MR_ENGINE_BUILDER_VERTICES_ID_SET_INTERNAL_H

#include "engine/builder/vertices/id_set.h"

#define MR_ID_MEMORY "page ids" /* the name in the memory budget */

enum representation { ARRAY, BITMAP, IDENTITY, ON_DISK };

struct id_list {
    uint64_t *ids; /* [n] of [room] */
    uint64_t n, room;
};

struct mr_id_set {
    const struct mr_context *context;
    struct mr_id_set_options options;
    enum representation representation;
    bool is_numbered, is_frozen;
    uint64_t n_ids, max_id; /* once they are numbered; max_id of a bitmap is what it has room for */
    struct id_list declared;

    /* BITMAP: id 32 i + b is present if bit b of word i is set. The bits from 32 on hold the rank
     * of the word's first id. */
    uint64_t *words; /* [max_id / 32 + 1] */

    /* ARRAY: all ids; ON_DISK, while it is made: those of a window. They ascend. Ids that begin
     * with the same bits as window.ids[0] + (i << shift) stand from directory[i] to
     * directory[i + 1]. */
    struct id_list window;
    uint32_t *directory;
    unsigned shift;

    /* ON_DISK: the ids, ascending; the vertices of chunk i begin at i * MR_SPOOL_CHUNK_BYTES. */
    struct mr_scratch_file *ids, *pairs;
};

/* id_windows.c */
void mr_id_list_free(struct mr_id_set *set, struct id_list *list);
/* Sort the ids, and leave each once. */
void mr_id_list_sort(struct id_list *list);
enum mr_status mr_id_too_many(struct mr_error *err);

/* Does a bitmap for ids up to `max_id` pay if it takes at most `worth_bytes`? */
bool mr_id_bitmap_pays(const struct mr_id_set *set, uint64_t max_id, uint64_t worth_bytes);

/* Make the bitmap of the declared ids, the window and the spool, which may be NULL. */
enum mr_status mr_id_bitmap_make(struct mr_id_set *set, uint64_t max_id, struct mr_spool *spool,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* Collect the ids of the first window; `*is_all`: there are no others. */
enum mr_status mr_id_windows_try(struct mr_id_set *set, struct mr_spool *spool, bool *is_all,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* Number all ids, with files for those and for the vertices of edges. */
enum mr_status mr_id_windows_to_disk(struct mr_id_set *set, struct mr_spool *spool,
                                     struct mr_error *err) MR_WARN_UNUSED;

/* Make the directory of the window, which has ids. */
enum mr_status mr_id_window_index(struct mr_id_set *set, struct mr_error *err) MR_WARN_UNUSED;

/* The id number `i` of a chunk, whose two for each edge stand one after the other. */
static inline uint64_t mr_id_of_chunk(const struct mr_spool_chunk *chunk, size_t i)
{
    return chunk->narrow != NULL ? chunk->narrow[i / 2][i % 2] : chunk->wide[i / 2][i % 2];
}

/* The number of ids that are looked up at once. */
enum { MR_IDS_TOGETHER = 32 };

/* The place of an id that is not there. */
#define MR_ID_ABSENT UINT32_MAX

/* Find up to MR_IDS_TOGETHER ids in the window, which has ids and a directory. */
void mr_id_window_find(const struct mr_id_set *set, const uint64_t *ids, size_t n_ids,
                       uint32_t *places);

#endif
