/* The bitmap of an id set, sixteen ids at a time. Words are as in id_set.c: id 32 i + b is bit b of word
 * i, and from bit 32 on stands the rank of the word's first. Internal to the set. */
#ifndef MR_ENGINE_ID_BITS_H
#define MR_ENGINE_ID_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Does this processor have what the functions need? */
bool mr_id_bits_usable(void);

/* How many of `ids[n_ids]`, from the first on and in sixteens, are marked already. No id may be beyond
 * the bitmap. Others may mark meanwhile: then a mark may be missed. */
size_t mr_id_bits_marked(const void *words, const uint32_t *ids, size_t n_ids);

/* Ranks of `ids[n_ids]` to `vertices`, which may be the same memory, up to the sixteen that has an id
 * above `max_id` or without a mark, or the last whole one. Returns how many. */
size_t mr_id_bits_find(const void *words, uint64_t max_id, const uint32_t *ids, size_t n_ids,
                       uint32_t *vertices);

#endif
