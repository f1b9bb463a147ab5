/* The bitmap of an id set, many ids at a time, by what a processor has for it. Words are as in id_set_internal.h: id
 * 32 i + b is bit b of word i, and from bit 32 on stands the rank of the word's first. Internal to the
 * set. */
#ifndef MR_ENGINE_BUILD_VERTICES_ID_BITS_H
#define MR_ENGINE_BUILD_VERTICES_ID_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mr_id_bits {
    const char *name;
    bool (*is_usable)(void); /* does this processor have what the others need? */

    /* Ranks of `ids[n_ids]` to `vertices`, which may be the same memory, as far as ids are not above `max_id`
     * and have a mark; it may stop before. Returns how many. */
    size_t (*find)(const void *words, uint64_t max_id, const uint32_t *ids, size_t n_ids,
                   uint32_t *vertices);
};

#if defined(__x86_64__)
extern const struct mr_id_bits mr_id_bits_avx512;
extern const struct mr_id_bits mr_id_bits_bmi2;
#endif

/* The fastest that is usable here; NULL: none. */
const struct mr_id_bits *mr_id_bits_best(void);

#endif
