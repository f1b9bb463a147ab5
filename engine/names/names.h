/* The names of vertices: what the input called them, in the store, read from disk when asked for.
 *
 * The place of a name is its number among the store's names, the place of a vertex that of its name: where
 * inputs and outputs have a row for each vertex, they are in the order of the places. Mostly a vertex's place is
 * its number; stores that were built in another order keep both lists (engine/store/vertex_order.h).
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

struct mr_store;
struct mr_names;
struct mr_name_cursor;

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
 * where nothing is looked up by text name. The store must outlive it. NULL for close is allowed. */
enum mr_status mr_names_open(const struct mr_context *context, struct mr_store *store,
                             mr_name_key key, struct mr_names **out,
                             struct mr_error *err) MR_WARN_UNUSED;
void mr_names_close(struct mr_names *names);

/* From now on mr_names_find takes any spelling: it looks up what `canonical` makes of it. `data` outlives
 * the names. Only where the store's names have spellings, and with the function that made them. */
void mr_names_set_canonical(struct mr_names *names, mr_name_canonical canonical, const void *data);

/* Vertex of a name: one block read at most (a binary search of the index in memory). `*found` is
 * false when there is none (a text that is no number, in a store of numbers, included). */
enum mr_status mr_names_find(struct mr_names *names, const char *name, size_t name_bytes,
                             uint32_t *vertex, bool *found, struct mr_error *err) MR_WARN_UNUSED;

/* Name of a vertex < n: one block read at most. `*name` is valid until the next call on `names`, is
 * not terminated. Numbers are rendered in decimal. Other spellings are not part of it. */
enum mr_status mr_names_get(struct mr_names *names, uint32_t vertex, const char **name,
                            size_t *name_bytes, struct mr_error *err) MR_WARN_UNUSED;

/* The place of a vertex < n, and the vertex at a place < n. One block read at most where vertices have an
 * order of their own, less where the numbers asked for ascend; else nothing to do. */
enum mr_status mr_names_place(struct mr_names *names, uint32_t vertex, uint32_t *place,
                              struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_names_vertex(struct mr_names *names, uint32_t place, uint32_t *vertex,
                               struct mr_error *err) MR_WARN_UNUSED;
bool mr_names_are_ordered(const struct mr_names *names); /* do places and vertices differ? */

/* All names in their order from the one at place `first` on, each block read once. `next` sets `*name` (valid
 * until the next call) or returns with `*name` NULL past the last one. */
enum mr_status mr_name_cursor_open(struct mr_names *names, uint32_t first,
                                   struct mr_name_cursor **out,
                                   struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_name_cursor_next(struct mr_name_cursor *cursor, const char **name,
                                   size_t *name_bytes, struct mr_error *err) MR_WARN_UNUSED;
void mr_name_cursor_close(struct mr_name_cursor *cursor);
/* The vertex that is called by the name that next returned last. */
uint32_t mr_name_cursor_vertex(const struct mr_name_cursor *cursor);

/* The spellings of the name that get or next returned last: as bytes, a line feed before each;
 * `*bytes` 0 when the name is the only one. Valid as long as that name. */
const char *mr_names_spellings(const struct mr_names *names, size_t *bytes);
const char *mr_name_cursor_spellings(const struct mr_name_cursor *cursor, size_t *bytes);

/* The next of the spellings in `*at`[`*bytes`], moving both behind it; NULL when there is none. */
const char *mr_name_next_spelling(const char **at, size_t *bytes, size_t *spelling_bytes);

#endif
