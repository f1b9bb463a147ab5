/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that look up many ids at a time in the bitmap of an id set, for instruction sets of some
 * processors. Words are as in id_set_internal.h: id 32 i + b is bit b of word i, and the bits from
 * 32 on hold the rank of the word's first id. Internal to the set. */
#ifndef MR_ENGINE_BUILDER_VERTICES_ID_BITS_H
#define MR_ENGINE_BUILDER_VERTICES_ID_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mr_id_bits {
    const char *name;
    bool (*is_usable)(void); /* can this processor run the kernel? */

    /* Write the ranks of `ids[n_ids]` to `vertices`, which may be the same memory. Stops at the
     * first id that is above `max_id` or not in the set, and may stop earlier. Returns the number
     * of ranks. */
    size_t (*find)(const void *words, uint64_t max_id, const uint32_t *ids, size_t n_ids,
                   uint32_t *vertices);
};

#if defined(__x86_64__)
extern const struct mr_id_bits mr_id_bits_avx512;
extern const struct mr_id_bits mr_id_bits_bmi2;
#endif

/* The fastest kernel for this processor; NULL if there is none. */
const struct mr_id_bits *mr_id_bits_best(void);

#endif
