/* SPDX-License-Identifier: Apache-2.0 */
/* A set of 64-bit ids that numbers them: the k-th smallest is vertex k.
 *
 *     create -> declare* -> (number | freeze) -> find, apply, next
 *
 * If the largest id is small for the number of ids, the set is a bitmap with a rank beside every 32
 * bits (2 bits per possible id, one cache line per lookup). Otherwise it is an ascending array with
 * a directory of prefixes (8-9 bytes per id, up to 13 in a frozen set). Ids that are exactly 0..n-1
 * need neither. Ids that do not fit in memory are numbered window by window, from the smallest on.
 * A window is what half of the memory left can hold. Each window reads the spool twice: to find its
 * ids, and to write the vertices of all edges to temporary disk, with those of the window filled
 * in. Temporary disk: 8 bytes per id, 8 per edge, and 8 more per edge while there is more than one
 * window. The numbers are the same for each representation. */
#ifndef MR_ENGINE_BUILDER_VERTICES_ID_SET_H
#define MR_ENGINE_BUILDER_VERTICES_ID_SET_H

#include "engine/builder/edges/spool_scan.h"

struct mr_id_set;

struct mr_id_set_options {
    const char *directory, *stem; /* as in scratch_file.h; they outlive the set */
    struct mr_scratch_use *use; /* outlives the set */
    /* 0: what the memory allows; else ids go to disk in windows of at most this many; for tests */
    uint64_t window_ids;
};

/* Create an empty set. The options are copied. Destroy takes NULL. */
enum mr_status mr_id_set_create(const struct mr_context *context,
                                const struct mr_id_set_options *options, struct mr_id_set **out,
                                struct mr_error *err) MR_WARN_UNUSED;
void mr_id_set_destroy(struct mr_id_set *set);

/* Add an id that no edge may have. 8 to 12 bytes of memory per id. */
enum mr_status mr_id_set_declare(struct mr_id_set *set, uint64_t id,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* The declared ids are all that there are: number them. MR_ERROR_INPUT if there are more than 2^32
 * - 1. */
enum mr_status mr_id_set_freeze(struct mr_id_set *set, struct mr_error *err) MR_WARN_UNUSED;

/* Number the declared ids and those of the sealed `spool`. If they do not fit in memory, all chunks
 * of the spool go to disk. MR_ERROR_INPUT as above; MR_ERROR_RUNTIME for ids that changed on
 * disk. */
enum mr_status mr_id_set_number(struct mr_id_set *set, struct mr_spool *spool,
                                struct mr_error *err) MR_WARN_UNUSED;

/* The functions below need a set that is numbered. */

uint64_t mr_id_set_count(const struct mr_id_set *set);
bool mr_id_set_is_identity(const struct mr_id_set *set); /* the ids are 0..n-1 */
uint64_t mr_id_set_bytes(const struct mr_id_set *set); /* of memory held, without declared ids */

/* Get the vertex of `id`. Returns false if it is not in the set, which is in memory.
 * Thread-safe. */
bool mr_id_set_find(const struct mr_id_set *set, uint64_t id, uint32_t *vertex);

/* Write the vertices of the ids of a chunk to `vertices` [2 * n_edges], which may be the chunk's
 * own buffer. Errors: INPUT for an id that is not in a frozen set, else RUNTIME. Thread-safe. */
enum mr_status mr_id_set_apply(const struct mr_id_set *set, const struct mr_spool_chunk *chunk,
                               uint32_t *vertices, struct mr_error *err) MR_WARN_UNUSED;

/* Get the next ids in ascending order, up to `room` of them. `*n_ids` is 0 past the last. Set
 * `*cursor` to 0 before the first call. */
enum mr_status mr_id_set_next(const struct mr_id_set *set, uint64_t *cursor, uint64_t *ids,
                              size_t room, size_t *n_ids, struct mr_error *err) MR_WARN_UNUSED;

#endif
