/* The names of vertices: what the input calls them. They are in the store and are read from disk on
 * demand.
 *
 * The position of a name is its number among the store's names, and the position of a vertex is
 * that of its name. Inputs and outputs with a row per vertex are in the order of positions. In most
 * stores the position of a vertex is its number; a store built in another order has lists of both
 * (engine/store/vertex_order.h).
 *
 * A store numbers its vertices 0..n-1. If the input had other ids, the store has a file with blocks
 * of names in vertex order: ascending 64-bit numbers, or byte strings ascending by a key (SURT for
 * URLs), so that neighbours share prefixes. Only one index entry per block is in memory. Layout:
 * docs/store-format.md, "Names". */
#ifndef MR_ENGINE_NAMES_NAMES_H
#define MR_ENGINE_NAMES_NAMES_H

#include <stdbool.h>

#include "engine/base/context.h"
#include "engine/base/format.h"

struct mr_store;
struct mr_names;
struct mr_name_cursor;

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

/* A flag in the key number of a store: names are canonical. The spellings of the input follow each
 * name, each after a line feed, unless the name itself is the only one. */
#define MR_NAME_SPELLINGS ((uint32_t)1 << 31)

/* Open the names of `store`. `key` is the function for the store's key number; it may be NULL if no
 * text name is looked up. The store outlives the names. Close takes NULL. */
enum mr_status mr_names_open(const struct mr_context *context, struct mr_store *store,
                             mr_name_key key, struct mr_names **out,
                             struct mr_error *err) MR_WARN_UNUSED;
void mr_names_close(struct mr_names *names);

/* Let mr_names_find take any spelling: it looks up the canonical form. `data` outlives the names.
 * Only for stores whose names have spellings, and only with the function that made them. */
void mr_names_set_canonical(struct mr_names *names, mr_name_canonical canonical, const void *data);

/* Find the vertex of a name. Reads at most one block, after a binary search of the index in memory.
 * `*found` is false if no vertex has this name, also for a text that is no number in a store of
 * numbers. */
enum mr_status mr_names_find(struct mr_names *names, const char *name, size_t name_bytes,
                             uint32_t *vertex, bool *found, struct mr_error *err) MR_WARN_UNUSED;

/* Get the name of a vertex < n. Reads at most one block. `*name` is valid until the next call on
 * `names` and has no terminating zero. Numbers are decimal. Other spellings are not included. */
enum mr_status mr_names_get(struct mr_names *names, uint32_t vertex, const char **name,
                            size_t *name_bytes, struct mr_error *err) MR_WARN_UNUSED;

/* The position of a vertex < n, and the vertex at a position < n. If vertices have an order of
 * their own, each call reads at most one block, and fewer for ascending arguments. Otherwise the
 * two are equal. */
enum mr_status mr_names_place(struct mr_names *names, uint32_t vertex, uint32_t *position,
                              struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_names_vertex(struct mr_names *names, uint32_t position, uint32_t *vertex,
                               struct mr_error *err) MR_WARN_UNUSED;
bool mr_names_are_ordered(const struct mr_names *names); /* do positions and vertices differ? */

/* Visit all names in order, from position `first` on, and read each block once. `next` sets
 * `*name`, valid until the next call, or sets it to NULL past the last name. */
enum mr_status mr_name_cursor_open(struct mr_names *names, uint32_t first,
                                   struct mr_name_cursor **out,
                                   struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_name_cursor_next(struct mr_name_cursor *cursor, const char **name,
                                   size_t *name_bytes, struct mr_error *err) MR_WARN_UNUSED;
void mr_name_cursor_close(struct mr_name_cursor *cursor);
/* The vertex of the name that next returned last. */
uint32_t mr_name_cursor_vertex(const struct mr_name_cursor *cursor);

/* The spellings of the name that get or next returned last: bytes with a line feed before each
 * spelling. `*bytes` is 0 if the name is the only spelling. Valid as long as the name. */
const char *mr_names_spellings(const struct mr_names *names, size_t *bytes);
const char *mr_name_cursor_spellings(const struct mr_name_cursor *cursor, size_t *bytes);

/* The next spelling in `*at`[`*bytes`]; moves both behind it. NULL if there is none. */
const char *mr_name_next_spelling(const char **at, size_t *bytes, size_t *spelling_bytes);

#endif
