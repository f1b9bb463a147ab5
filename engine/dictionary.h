/* Text names to numbers: provisional ones in order of appearance while the input is read, then
 * vertices in ascending order of the names' keys.
 *
 *     create -> add* -> order -> name, vertices -> forget_names
 *
 * Memory: the names, 8 bytes each for where they begin, about 12 for the hash table; while ordering,
 * the keys and 24 bytes each instead of the table; afterwards 8 bytes each. All of it in memory. */
#ifndef MR_ENGINE_DICTIONARY_H
#define MR_ENGINE_DICTIONARY_H

#include <stdbool.h>

#include "engine/context.h"
#include "engine/names.h"

struct mr_dictionary;

/* Destroy takes NULL. */
enum mr_status mr_dictionary_create(const struct mr_context *context, struct mr_dictionary **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_dictionary_destroy(struct mr_dictionary *dictionary);

/* The number of `name`, 1..MR_NAME_MAX_BYTES bytes. A new name gets the next number when `insert` is
 * set, and UINT64_MAX otherwise. MR_ERROR_INPUT for a name of another length, or when there are more
 * than 2^32 - 1. One probe of the table, and of the name found there. */
enum mr_status mr_dictionary_add(struct mr_dictionary *dictionary, const char *name,
                                 size_t name_bytes, bool insert, uint64_t *number,
                                 struct mr_error *err) MR_WARN_UNUSED;

uint64_t mr_dictionary_count(const struct mr_dictionary *dictionary);
uint64_t mr_dictionary_bytes(const struct mr_dictionary *dictionary); /* of memory held */

/* Sort by `key`, on all threads; nothing is added any more. Multikey quicksort over eight bytes of
 * the keys at a time. Source: Bentley and Sedgewick, "Fast algorithms for sorting and searching
 * strings", 1997; caching of characters as in Ng and Kakehi, 2007. */
enum mr_status mr_dictionary_order(struct mr_dictionary *dictionary, mr_name_key key,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* Once ordered: [count], the vertex of each number. Lives until destroy. */
const uint32_t *mr_dictionary_vertices(const struct mr_dictionary *dictionary);

/* Once ordered: the name of a vertex; lives until forget_names. Thread-safe. */
void mr_dictionary_name(const struct mr_dictionary *dictionary, uint32_t vertex, const char **name,
                        size_t *name_bytes);

/* Free all but the vertices. */
void mr_dictionary_forget_names(struct mr_dictionary *dictionary);

#endif
