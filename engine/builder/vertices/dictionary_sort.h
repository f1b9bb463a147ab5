/* SPDX-License-Identifier: Apache-2.0 */
/* Sorts byte strings in one arena. Internal to the dictionary. */
#ifndef MR_ENGINE_BUILDER_VERTICES_DICTIONARY_SORT_H
#define MR_ENGINE_BUILDER_VERTICES_DICTIONARY_SORT_H

#include <stdint.h>

/* One string. `word` is working space; `number` belongs to the caller. */
struct mr_string_entry {
    uint64_t word;
    uint32_t number;
    uint32_t n_bytes;
};

/* Sort in ascending memcmp order, a proper prefix first; equal strings in any order. The string of
 * entry e is arena[starts[e.number] .. + e.n_bytes). On `threads` threads. O(n log n) word
 * comparisons and one reading of the prefixes that tell the strings apart. */
void mr_strings_sort(struct mr_string_entry *entries, uint64_t n_entries, const char *arena,
                     const uint64_t *starts, unsigned threads);

#endif
