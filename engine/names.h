/* The names of vertices: what the input called them, in the store, read from disk when asked for.
 *
 * A store numbers its vertices 0..n-1. Where the input's ids were something else, the store keeps
 * them in a file of blocks in vertex order: ascending 64-bit numbers, or byte strings ascending by a
 * key (SURT for URLs) so that neighbours share prefixes. Nothing is held in memory but one sparse
 * index entry per block. Layout: docs/store-format.md, "Names". */
#ifndef MR_ENGINE_NAMES_H
#define MR_ENGINE_NAMES_H

#include <stdbool.h>

#include "engine/context.h"

struct mr_store;
struct mr_names;
struct mr_name_cursor;

enum mr_name_kind {
    MR_NAMES_IDENTITY = 0, /* no file: vertex v is called "v" */
    MR_NAMES_NUMBERS = 1, /* 64-bit numbers, ascending */
    MR_NAMES_TEXT = 2 /* byte strings, ascending by key */
};

#define MR_NAME_MAX_BYTES     65536u /* longest name accepted */
#define MR_NAME_KEY_MAX_BYTES (MR_NAME_MAX_BYTES + 64) /* longest key a key function may return */

/* The order of text names: ascending memcmp of their keys (a proper prefix first). Writes the key of
 * `name[name_bytes]` to `key[MR_NAME_KEY_MAX_BYTES]`, returns its length. Must be injective, must
 * accept any bytes, must not depend on locale. Known functions are numbered in formats/. */
typedef size_t (*mr_name_key)(const char *name, size_t name_bytes, char *key);

/* Open the names of `store`. `key` is the function the store's key number stands for; may be NULL
 * where nothing is looked up by text name. The store must outlive it. NULL for close is allowed. */
enum mr_status mr_names_open(const struct mr_context *context, struct mr_store *store,
                             mr_name_key key, struct mr_names **out,
                             struct mr_error *err) MR_WARN_UNUSED;
void mr_names_close(struct mr_names *names);

/* Vertex of a name: one block read at most (a binary search of the index in memory). `*found` is
 * false when there is none (a text that is no number, in a store of numbers, included). */
enum mr_status mr_names_find(struct mr_names *names, const char *name, size_t name_bytes,
                             uint32_t *vertex, bool *found, struct mr_error *err) MR_WARN_UNUSED;

/* Name of a vertex < n: one block read at most. `*name` is valid until the next call on `names`, is
 * not terminated. Numbers are rendered in decimal. */
enum mr_status mr_names_get(struct mr_names *names, uint32_t vertex, const char **name,
                            size_t *name_bytes, struct mr_error *err) MR_WARN_UNUSED;

/* All names in vertex order from `first` on, each block read once. `next` sets `*name` (valid until
 * the next call) or returns with `*name` NULL past the last vertex. */
enum mr_status mr_name_cursor_open(struct mr_names *names, uint32_t first,
                                   struct mr_name_cursor **out,
                                   struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_name_cursor_next(struct mr_name_cursor *cursor, const char **name,
                                   size_t *name_bytes, struct mr_error *err) MR_WARN_UNUSED;
void mr_name_cursor_close(struct mr_name_cursor *cursor);

#endif
