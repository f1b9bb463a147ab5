/* What making a set of ids and looking ids up in it share. Internal to engine/id_set*.c. */
#ifndef MR_ENGINE_BUILD_VERTICES_ID_SET_INTERNAL_H
#define MR_ENGINE_BUILD_VERTICES_ID_SET_INTERNAL_H

#include <pthread.h>
#include <stdatomic.h>

#include "engine/build/vertices/id_bits.h"
#include "engine/build/vertices/id_set.h"

enum representation { ARRAY, BITMAP, IDENTITY };

struct mr_id_set {
    const struct mr_context *context;
    enum representation representation;
    bool is_sealed;
    uint64_t n_ids; /* in the array; once sealed, of all */
    uint64_t max_id; /* in the array or, in a bitmap, the largest possible */

    /* BITMAP: ids 32 i + b, present where bit b of word i is set; from bit 32 on the rank of the
     * word's first, filled in by seal. */
    _Atomic uint64_t *words; /* [max_id / 32 + 1] */
    uint32_t
        *marks; /* [n_markers][max_id / 32 + 1]: bits that each worker adds until seal; or NULL */
    unsigned n_markers;

    /* ARRAY */
    uint64_t *ids; /* [n_ids], ascending */
    uint64_t *batch, *temp; /* [batch_capacity] */
    uint64_t n_batch, batch_capacity;
    uint64_t *seen; /* [1 << SEEN_BITS]: ids added lately, + 1; hubs and sources come often */
    uint32_t *prefixes; /* [(max_id >> prefix_shift) + 2]: where ids with this prefix begin */
    unsigned prefix_shift;
    pthread_mutex_t mutex; /* guards all of ARRAY while adding */
    const struct mr_id_bits *bits; /* NULL: as it is written here */
};

static inline uint64_t mr_id_bitmap_bytes(uint64_t max_id)
{
    return (max_id / 32 + 1) * sizeof(uint64_t);
}

/* Without -mpopcnt the compiler's builtin is a call. */
static inline uint32_t mr_id_count_bits(uint32_t bits)
{
    bits -= bits >> 1 & 0x55555555u;
    bits = (bits & 0x33333333u) + (bits >> 2 & 0x33333333u);
    return ((bits + (bits >> 4)) & 0x0f0f0f0fu) * 0x01010101u >> 24;
}

#endif
