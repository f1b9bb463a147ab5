/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers texts in the order in which they come. The set keeps hashes of 128 bits in place of the
 * texts, 16 bytes for each, and 11 to 22 bytes of slots. Two of 2^32 texts have equal hashes with a
 * probability below 2^-64. One thread at a time. */
#ifndef MR_ENGINE_BASE_HASH_SET_H
#define MR_ENGINE_BASE_HASH_SET_H

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "engine/base/memory.h"

struct mr_hash_set {
    struct mr_memory *memory;
    const char *name; /* of its arrays, for messages */
    XXH128_hash_t *hashes; /* [n] of [room] */
    uint64_t *slots; /* [n_slots], a power of two: bits of a hash, a number plus 1; 0: free */
    uint64_t n, room, n_slots;
};
#define MR_HASH_SET_NONE UINT32_MAX
enum { MR_HASH_SET_TEXT_BYTES = 38 }; /* the most memory for a text */

/* `hash` is XXH3_128bits of a text. The set starts as {memory, name}. */

/* The number of a text, or MR_HASH_SET_NONE. */
uint32_t mr_hash_set_find(const struct mr_hash_set *set, XXH128_hash_t hash);
/* The same, but a text without a number gets the next one, set->n before the call. Errors: BUDGET;
 * INPUT for 2^32 - 1 texts. */
enum mr_status mr_hash_set_add(struct mr_hash_set *set, XXH128_hash_t hash, uint32_t *number,
                               struct mr_error *err) MR_WARN_UNUSED;
/* Make room for `n` texts. Error: BUDGET. */
enum mr_status mr_hash_set_reserve(struct mr_hash_set *set, uint64_t n,
                                   struct mr_error *err) MR_WARN_UNUSED;
/* Take a number for a text that has one already and keeps it. Only with room. */
void mr_hash_set_skip(struct mr_hash_set *set);
/* Forget all texts. */
void mr_hash_set_free(struct mr_hash_set *set);

#endif
