/* The names of vertices, as the engine opens them; millrace/names.h has the functions that read them, and
 * says what a place is.
 *
 * A store numbers its vertices 0..n-1. Where the input's ids were something else, the store keeps
 * them in a file of blocks in vertex order: ascending 64-bit numbers, or byte strings ascending by a
 * key (SURT for URLs) so that neighbours share prefixes. Nothing is held in memory but one sparse
 * index entry per block. Layout: docs/store-format.md, "Names". */
#ifndef MR_ENGINE_NAMES_NAMES_H
#define MR_ENGINE_NAMES_NAMES_H

#include <stdbool.h>

#include "engine/base/context.h"
#include "engine/base/format.h"
#include "millrace/names.h"

/* The order of text names: ascending memcmp of their keys (a proper prefix first). Writes the key of
 * `name[name_bytes]` to `key[MR_NAME_KEY_MAX_BYTES]`, returns its length. Must be injective, must
 * accept any bytes, must not depend on locale. Known functions are numbered in formats/. */
typedef size_t (*mr_name_key)(const char *name, size_t name_bytes, char *key);

/* Canonical names: what several spellings have in common and a vertex is called by. Writes the
 * canonical form of `name[name_bytes]` to `out[MR_NAME_MAX_BYTES]`, returns its length, 1 to
 * MR_NAME_MAX_BYTES, no line feed in it. A function of the bytes alone; thread-safe. */
typedef size_t (*mr_name_canonical)(const void *data, const char *name, size_t name_bytes,
                                    char *out);

/* A bit of the number that a store records beside its names: each name is canonical, and is followed by
 * the spellings that the input had for it, a line feed before each, unless it had the name alone. */
#define MR_NAME_SPELLINGS ((uint32_t)1 << 31)

/* Open the names of `store`. `key` is the function the store's key number stands for; may be NULL
 * where nothing is looked up by text name. The store must outlive it. */
enum mr_status mr_names_open(const struct mr_context *context, struct mr_store *store,
                             mr_name_key key, struct mr_names **out,
                             struct mr_error *err) MR_WARN_UNUSED;

/* From now on mr_names_find takes any spelling: it looks up what `canonical` makes of it. `data[data_bytes]`
 * is copied. Only where the store's names have spellings, and with the function that made them. */
#define MR_NAME_CANONICAL_MAX_BYTES 32u
void mr_names_set_canonical(struct mr_names *names, mr_name_canonical canonical, const void *data,
                            size_t data_bytes);

bool mr_names_are_ordered(const struct mr_names *names); /* do places and vertices differ? */

#endif
