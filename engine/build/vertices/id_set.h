/* A set of 64-bit ids that numbers them: the k-th smallest is vertex k.
 *
 *     create -> (expect | add)* -> seal -> find, next
 *
 * Where the largest id is small for their number the set is a bitmap with a rank beside every 32
 * bits (2 bits per possible id, one cache line per lookup), else an ascending array with a directory
 * of prefixes (8-10 bytes per id). Ids that turn out to be 0..n-1 need neither. Which of them it is
 * never shows in the numbers. */
#ifndef MR_ENGINE_BUILD_VERTICES_ID_SET_H
#define MR_ENGINE_BUILD_VERTICES_ID_SET_H

#include <stdbool.h>

#include "engine/base/context.h"

struct mr_id_set;

/* Destroy takes NULL. */
enum mr_status mr_id_set_create(const struct mr_context *context, struct mr_id_set **out,
                                struct mr_error *err) MR_WARN_UNUSED;
void mr_id_set_destroy(struct mr_id_set *set);

/* Announce up to `n_ids` more ids, none above `max_id`, by `n_workers` at the same time: chooses the
 * representation. A bit for each possible id and worker, until the set is sealed, is taken where an eighth of the
 * memory left has room for it. */
enum mr_status mr_id_set_expect(struct mr_id_set *set, uint64_t max_id, uint64_t n_ids,
                                unsigned n_workers, struct mr_error *err) MR_WARN_UNUSED;

/* Add ids, in any order and repeatedly. Thread-safe after mr_id_set_expect; then no id may exceed what
 * was expected. `worker`, below the number expected, adds by one thread at a time. Constant time in a
 * bitmap, else amortised logarithmic. */
enum mr_status mr_id_set_add_u32(struct mr_id_set *set, unsigned worker, const uint32_t *ids,
                                 size_t n_ids, struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_id_set_add_u64(struct mr_id_set *set, const uint64_t *ids, size_t n_ids,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* No more ids: prepare the lookup. MR_ERROR_INPUT when there are more than 2^32 - 1. */
enum mr_status mr_id_set_seal(struct mr_id_set *set, struct mr_error *err) MR_WARN_UNUSED;

/* Of a sealed set. */
uint64_t mr_id_set_count(const struct mr_id_set *set);
bool mr_id_set_is_identity(const struct mr_id_set *set); /* the ids are 0..n-1 */
uint64_t mr_id_set_bytes(const struct mr_id_set *set); /* of memory held */

/* Vertices of `ids[n_ids]` to `vertices[n_ids]`, which may be the same memory. Returns n_ids, or the
 * index of the first id that is not in the set. Thread-safe. */
size_t mr_id_set_find_u32(const struct mr_id_set *set, const uint32_t *ids, size_t n_ids,
                          uint32_t *vertices);
size_t mr_id_set_find_u64(const struct mr_id_set *set, const uint64_t *ids, size_t n_ids,
                          uint32_t *vertices);

/* The next ids in ascending order, up to `room` of them; 0 past the last. `*cursor` begins as 0. */
size_t mr_id_set_next(const struct mr_id_set *set, uint64_t *cursor, uint64_t *ids, size_t room);

#endif
