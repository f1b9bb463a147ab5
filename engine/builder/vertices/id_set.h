/* SPDX-License-Identifier: Apache-2.0 */
/* A set of 64-bit ids that numbers them: the k-th smallest is vertex k.
 *
 *     create -> (expect | add)* -> seal -> find, next
 *
 * If the largest id is small for the number of ids, the set is a bitmap with a rank beside every 32
 * bits (2 bits per possible id, one cache line per lookup). Otherwise it is an ascending array with
 * a directory of prefixes (8-10 bytes per id). Ids that are exactly 0..n-1 need neither. The
 * numbers are the same for each representation. */
#ifndef MR_ENGINE_BUILDER_VERTICES_ID_SET_H
#define MR_ENGINE_BUILDER_VERTICES_ID_SET_H

#include <stdbool.h>

#include "engine/base/context.h"

struct mr_id_set;

/* Create an empty set. Destroy takes NULL. */
enum mr_status mr_id_set_create(const struct mr_context *context, struct mr_id_set **out,
                                struct mr_error *err) MR_WARN_UNUSED;
void mr_id_set_destroy(struct mr_id_set *set);

/* Announce up to `n_ids` more ids, none above `max_id`, from `n_workers` at the same time. This
 * chooses the representation. If an eighth of the memory left has room, each worker gets a bitmap
 * of one bit per possible id until the set is sealed. */
enum mr_status mr_id_set_expect(struct mr_id_set *set, uint64_t max_id, uint64_t n_ids,
                                unsigned n_workers, struct mr_error *err) MR_WARN_UNUSED;

/* Add ids, in any order, with repetitions. Thread-safe after mr_id_set_expect; then no id may
 * exceed `max_id`. `worker` is below the number announced; one thread at a time may use it.
 * Constant time per id in a bitmap, else amortised logarithmic. */
enum mr_status mr_id_set_add_u32(struct mr_id_set *set, unsigned worker, const uint32_t *ids,
                                 size_t n_ids, struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_id_set_add_u64(struct mr_id_set *set, const uint64_t *ids, size_t n_ids,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* Seal the set: no more ids come, and lookups are prepared. MR_ERROR_INPUT if there are more than
 * 2^32 - 1 ids. */
enum mr_status mr_id_set_seal(struct mr_id_set *set, struct mr_error *err) MR_WARN_UNUSED;

/* The set is sealed. */
uint64_t mr_id_set_count(const struct mr_id_set *set);
bool mr_id_set_is_identity(const struct mr_id_set *set); /* the ids are 0..n-1 */
uint64_t mr_id_set_bytes(const struct mr_id_set *set); /* bytes of memory held */

/* Write the vertices of `ids[n_ids]` to `vertices[n_ids]`, which may be the same memory. Returns
 * n_ids, or the index of the first id that is not in the set. Thread-safe. */
size_t mr_id_set_find_u32(const struct mr_id_set *set, const uint32_t *ids, size_t n_ids,
                          uint32_t *vertices);
size_t mr_id_set_find_u64(const struct mr_id_set *set, const uint64_t *ids, size_t n_ids,
                          uint32_t *vertices);

/* Get the next ids in ascending order, up to `room` of them. Returns their number, 0 past the last.
 * Set `*cursor` to 0 before the first call. */
size_t mr_id_set_next(const struct mr_id_set *set, uint64_t *cursor, uint64_t *ids, size_t room);

#endif
