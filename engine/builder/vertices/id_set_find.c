/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up ids in a sealed set: in a bitmap by counting bits, in an array by binary search within a
 * prefix. Numbering calls it for every end of every edge, so bitmaps use the kernels of id_bits.h
 * where the processor has them. */
#include <assert.h>
#include <string.h>

#include "engine/builder/vertices/id_set_internal.h"

uint64_t mr_id_set_count(const struct mr_id_set *set)
{
    assert(set->is_sealed);
    return set->n_ids;
}

bool mr_id_set_is_identity(const struct mr_id_set *set)
{
    assert(set->is_sealed);
    return set->representation == IDENTITY;
}

uint64_t mr_id_set_bytes(const struct mr_id_set *set)
{
    if (set->representation == BITMAP) {
        return mr_id_bitmap_bytes(set->max_id);
    }
    return set->representation == IDENTITY
               ? 0
               : set->n_ids * sizeof *set->ids +
                     ((set->max_id >> set->prefix_shift) + 2) * sizeof *set->prefixes;
}

/* Returns false if `id` is not in the set. */
static inline bool find_in_bitmap(const struct mr_id_set *set, uint64_t id, uint32_t *vertex)
{
    if (id > set->max_id) {
        return false;
    }
    uint64_t word = atomic_load_explicit(&set->words[id / 32], memory_order_relaxed);
    uint32_t bit = (uint32_t)1 << (id & 31);
    *vertex = (uint32_t)(word >> 32) + mr_id_count_bits((uint32_t)word & (bit - 1));
    return ((uint32_t)word & bit) != 0;
}

static inline bool find_in_array(const struct mr_id_set *set, uint64_t id, uint32_t *vertex)
{
    if (id > set->max_id) {
        return false;
    }
    uint32_t low = set->prefixes[id >> set->prefix_shift];
    uint32_t high = set->prefixes[(id >> set->prefix_shift) + 1];
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (set->ids[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *vertex = low;
    return low < set->n_ids && set->ids[low] == id;
}

static inline bool find(const struct mr_id_set *set, enum representation representation,
                        uint64_t id, uint32_t *vertex)
{
    if (representation == BITMAP) {
        return find_in_bitmap(set, id, vertex);
    }
    if (representation == ARRAY) {
        return find_in_array(set, id, vertex);
    }
    *vertex = (uint32_t)id;
    return id < set->n_ids;
}

size_t mr_id_set_find_u32(const struct mr_id_set *set, const uint32_t *ids, size_t n_ids,
                          uint32_t *vertices)
{
    assert(set->is_sealed);
    const enum representation representation = set->representation;
    size_t i = 0;
    if (set->bits != NULL && representation == BITMAP) {
        i = set->bits->find((const void *)set->words, set->max_id, ids, n_ids, vertices);
    }
    for (; i < n_ids; i++) {
        uint32_t vertex = 0;
        if (!find(set, representation, ids[i], &vertex)) {
            return i;
        }
        vertices[i] = vertex;
    }
    return n_ids;
}

size_t mr_id_set_find_u64(const struct mr_id_set *set, const uint64_t *ids, size_t n_ids,
                          uint32_t *vertices)
{
    assert(set->is_sealed);
    const enum representation representation = set->representation;
    for (size_t i = 0; i < n_ids; i++) {
        /* memcpy, since `vertices` may overlap ids that were read before. */
        uint64_t id;
        uint32_t vertex = 0;
        memcpy(&id, &ids[i], sizeof id);
        if (!find(set, representation, id, &vertex)) {
            return i;
        }
        memcpy(&vertices[i], &vertex, sizeof vertex);
    }
    return n_ids;
}

size_t mr_id_set_next(const struct mr_id_set *set, uint64_t *cursor, uint64_t *ids, size_t room)
{
    assert(set->is_sealed);
    size_t n = 0;
    if (set->representation != BITMAP) {
        for (; n < room && *cursor < set->n_ids; ++*cursor) {
            ids[n++] = set->representation == IDENTITY ? *cursor : set->ids[*cursor];
        }
        return n;
    }
    while (n < room && *cursor <= set->max_id) {
        uint64_t word = atomic_load_explicit(&set->words[*cursor / 32], memory_order_relaxed);
        uint32_t left = (uint32_t)word >> (*cursor & 31);
        if (left == 0) {
            *cursor = (*cursor / 32 + 1) * 32;
            continue;
        }
        *cursor += (uint64_t)__builtin_ctz(left);
        ids[n++] = (*cursor)++;
    }
    return n;
}
