/* SPDX-License-Identifier: Apache-2.0 */
/* The names of vertices as the engine opens them. millrace/names.h has the functions that read
 * names, and says what a position is; a store built in another order has lists of both
 * (engine/store/core_map.h).
 *
 * A store numbers its vertices 0..n-1. If the input had other ids, the store has a file with
 * blocks of names in vertex order: ascending 64-bit numbers, or byte strings ascending by a key
 * (SURT for URLs), so that neighbours share prefixes. Only one index entry per block is in
 * memory. Layout: docs/store-format.md, "Names". */
#ifndef MR_ENGINE_NAMES_NAMES_H
#define MR_ENGINE_NAMES_NAMES_H

#include <stdbool.h>
#include <string.h>

#include "engine/base/context.h"
#include "engine/base/format.h"
#include "millrace/names.h"

/* The order of text names: ascending memcmp of their keys, a proper prefix first. Writes the key of
 * `name[name_bytes]` to `key[MR_NAME_KEY_MAX_BYTES]` and returns its length. The function is
 * injective, accepts any bytes, and does not depend on the locale. formats/ numbers the known
 * functions. */
typedef size_t (*mr_name_key)(const char *name, size_t name_bytes, char *key);

/* Canonical names: the common form of several spellings, which is the name of the vertex. Writes
 * the canonical form of `name[name_bytes]` to `out[MR_NAME_MAX_BYTES]` and returns its length, 1 to
 * MR_NAME_MAX_BYTES. The form has no line feed. It depends on the bytes only. Thread-safe. */
typedef size_t (*mr_name_canonical)(const void *data, const char *name, size_t name_bytes,
                                    char *out);

/* A name that is looked up: 1..MR_NAME_MAX_BYTES bytes, and a part of their hash. */
struct mr_name_ref {
    const char *name;
    uint32_t name_bytes;
    uint32_t hash;
};

/* A flag in the key number of a store: names are canonical. The spellings of the input follow each
 * name, each after a line feed, unless the name itself is the only one. */
#define MR_NAME_SPELLINGS ((uint32_t)1 << 31)

/* The length of the name at the beginning of a record, without its spellings. */
static inline size_t mr_name_bytes_of(bool has_spellings, const char *record, size_t record_bytes)
{
    const char *end = has_spellings ? memchr(record, '\n', record_bytes) : NULL;
    return end != NULL ? (size_t)(end - record) : record_bytes;
}

/* Open the names of `store`. `key` is the function for the store's key number; it may be NULL if no
 * text name is looked up. The store outlives the names. */
enum mr_status mr_names_open(const struct mr_context *context, struct mr_store *store,
                             mr_name_key key, struct mr_names **out,
                             struct mr_error *err) MR_WARN_UNUSED;

/* Let mr_names_find take any spelling: it looks up the canonical form. `data[data_bytes]` is
 * copied. Only with the function that made the names of the store. */
#define MR_NAME_CANONICAL_MAX_BYTES 32u
void mr_names_set_canonical(struct mr_names *names, mr_name_canonical canonical, const void *data,
                            size_t data_bytes);

/* The form of `*name`[`*name_bytes`] that a vertex is called by if mr_names_find finds it. The
 * result is `*name` itself or stands in `room`. False where no vertex can have this name. */
bool mr_names_form(const struct mr_names *names, const char **name, size_t *name_bytes,
                   char room[MR_NAME_MAX_BYTES]);

/* How many names a walk over all of them reads. UINT64_MAX where a lookup reads no names, because
 * vertices are called by their numbers. */
uint64_t mr_names_walk_length(const struct mr_names *names);

/* The next name that the cursor gives is that of `position`, at most the number of names. */
void mr_name_cursor_seek(struct mr_name_cursor *cursor, uint64_t position);

/* Called for each name; `cursor` stands on it and gives its vertex and its spellings. */
typedef enum mr_status (*mr_name_take)(void *data, const struct mr_name_cursor *cursor,
                                       uint64_t position, const char *name, size_t name_bytes,
                                       struct mr_error *err);

/* Call `take` for all `n_names`, in their order. It polls, and reports rows of `stage`; NULL:
 * nothing. Errors: those of `take`, of the names, and of a request to stop. */
enum mr_status mr_names_walk(const struct mr_context *context, struct mr_names *names,
                             uint64_t n_names, const char *stage, mr_name_take take, void *data,
                             struct mr_error *err) MR_WARN_UNUSED;

/* The store that the names are of: for their kind, which the handle with weights does not know. */
const struct mr_store *mr_names_store(const struct mr_names *names);
bool mr_names_are_numbers(const struct mr_names *names);
bool mr_names_are_ordered(const struct mr_names *names); /* do positions and vertices differ? */

/* Get the position of a vertex < n_vertices. Cost: nothing where the position is the number of the
 * vertex. Otherwise at most one block read, and fewer where successive calls ask for ascending
 * numbers. */
enum mr_status mr_names_position(struct mr_names *names, uint32_t vertex, uint32_t *position,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* Get the vertex at a position < n_vertices, at the same cost. */
enum mr_status mr_names_vertex(struct mr_names *names, uint32_t position, uint32_t *vertex,
                               struct mr_error *err) MR_WARN_UNUSED;

#endif
