/* SPDX-License-Identifier: Apache-2.0 */
/* An open-addressed table of hashes, for all who meet names again: rows of score files, lines of
 * lists, hosts, vectors. Hashes stand apart from the slots, in the order of their numbers, so that
 * a larger table is filled from them in one sweep. A slot has a part
 * of its hash, so that a text that is not there mostly costs one read of memory. At most three of
 * four slots are in use. */
#include "engine/base/hash_set.h"

#include "engine/base/bytes.h"

enum { FIRST_ROOM = 48 };

static uint64_t tag_of(XXH128_hash_t hash)
{
    return hash.high64 >> 32 << 32;
}

/* The slot of the hash, or the free slot where it belongs. */
static uint64_t *slot_of(const struct mr_hash_set *set, XXH128_hash_t hash)
{
    const uint64_t mask = set->n_slots - 1, tag = tag_of(hash);

    for (uint64_t at = hash.low64 & mask;; at = (at + 1) & mask) {
        uint64_t *slot = &set->slots[at];
        if (*slot == 0 || ((*slot ^ tag) <= UINT32_MAX &&
                           XXH128_isEqual(set->hashes[(uint32_t)*slot - 1], hash))) {
            return slot;
        }
    }
}

enum mr_status mr_hash_set_reserve(struct mr_hash_set *set, uint64_t n, struct mr_error *err)
{
    uint64_t n_slots = set->n_slots > 0 ? set->n_slots : 4 * FIRST_ROOM / 3;
    uint64_t *slots = NULL;

    if (n <= set->room) {
        return MR_OK;
    }
    if (n >= UINT32_MAX) {
        return mr_error_set(err, MR_ERROR_INPUT, "more than 4294967294 names");
    }
    while (3 * n_slots < 4 * n) {
        n_slots *= 2;
    }
    enum mr_status status = mr_memory_array(set->memory, set->name, n_slots, &slots, err);
    if (status == MR_OK) {
        status =
            mr_memory_resize(set->memory, set->name, &set->hashes, n * sizeof *set->hashes, err);
    }
    if (status != MR_OK) {
        mr_memory_free(set->memory, slots);
        return status;
    }
    mr_memory_free(set->memory, set->slots);
    set->slots = slots;
    set->n_slots = n_slots;
    set->room = n;
    for (uint64_t i = 0; i < set->n; i++) {
        uint64_t *slot = slot_of(set, set->hashes[i]);
        *slot = *slot == 0 ? tag_of(set->hashes[i]) | (i + 1) : *slot;
    }
    return MR_OK;
}

uint32_t mr_hash_set_find(const struct mr_hash_set *set, XXH128_hash_t hash)
{
    return set->n_slots == 0 ? MR_HASH_SET_NONE : (uint32_t)*slot_of(set, hash) - 1;
}

enum mr_status mr_hash_set_add(struct mr_hash_set *set, XXH128_hash_t hash, uint32_t *number,
                               struct mr_error *err)
{
    *number = mr_hash_set_find(set, hash);
    if (*number != MR_HASH_SET_NONE) {
        return MR_OK;
    }
    if (set->n == set->room) {
        const uint64_t room =
            set->n_slots == 0 ? FIRST_ROOM : mr_max_u64(set->n + 1, set->n_slots / 4 * 6);
        const enum mr_status status = mr_hash_set_reserve(set, room, err);
        if (status != MR_OK) {
            return status;
        }
    }
    set->hashes[set->n] = hash;
    *number = (uint32_t)set->n++;
    *slot_of(set, hash) = tag_of(hash) | (*number + UINT64_C(1));
    return MR_OK;
}

void mr_hash_set_skip(struct mr_hash_set *set)
{
    set->hashes[set->n] = set->hashes[0]; /* which has a slot, so that no other one is taken */
    set->n++;
}

void mr_hash_set_free(struct mr_hash_set *set)
{
    mr_memory_free(set->memory, set->slots);
    mr_memory_free(set->memory, set->hashes);
    *set = (struct mr_hash_set){.memory = set->memory, .name = set->name};
}
