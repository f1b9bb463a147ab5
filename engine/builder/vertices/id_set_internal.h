/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that making a set (id_set.c) and looking ids up (id_set_find.c) share. Internal to
 * the id set. */
#ifndef MR_ENGINE_BUILDER_VERTICES_ID_SET_INTERNAL_H
#define MR_ENGINE_BUILDER_VERTICES_ID_SET_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/builder/vertices/id_bits.h"
#include "engine/builder/vertices/id_set.h"

enum representation { ARRAY, BITMAP, IDENTITY };

struct mr_id_set {
    const struct mr_context *context;
    enum representation representation;
    bool is_sealed;
    uint64_t n_ids; /* in the array; after sealing, in the set */
    uint64_t max_id; /* of the array; for a bitmap, the largest possible id */

    /* BITMAP: id 32 i + b is present if bit b of word i is set. The bits from 32 on hold the rank
     * of the word's first id; seal sets them. */
    _Atomic uint64_t *words; /* [max_id / 32 + 1] */
    uint32_t
        *marks; /* [n_markers][max_id / 32 + 1]: the bitmaps of the workers until seal; or NULL */
    unsigned n_markers;

    /* ARRAY */
    uint64_t *ids; /* [n_ids], ascending */
    uint64_t *batch, *temp; /* [batch_capacity] */
    uint64_t n_batch, batch_capacity;
    /* [1 << SEEN_BITS]: ids added recently, + 1, since hubs and sources come often */
    uint64_t *seen;
    uint32_t *prefixes; /* [(max_id >> prefix_shift) + 2]: index of the first id with each prefix */
    unsigned prefix_shift;
    pthread_mutex_t mutex; /* guards the members of ARRAY while ids are added */
    const struct mr_id_bits *bits; /* the kernel for lookups; NULL: portable code */
};

static inline uint64_t mr_id_bitmap_bytes(uint64_t max_id)
{
    return (max_id / 32 + 1) * sizeof(uint64_t);
}

/* Counts bits without a call: the compiler's builtin is a call without -mpopcnt. */
static inline uint32_t mr_id_count_bits(uint32_t bits)
{
    bits -= bits >> 1 & 0x55555555u;
    bits = (bits & 0x33333333u) + (bits >> 2 & 0x33333333u);
    return ((bits + (bits >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

#endif
