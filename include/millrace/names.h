/* SPDX-License-Identifier: Apache-2.0 */
/* Names of vertices: the texts or numbers that the input calls them by. A store saves the names;
 * these functions read them from disk.
 *
 * The position of a name is its index in the order of all names of the store: numbers ascend, URLs
 * have the order of host, then path. The position of a vertex is the position of its name. Files of
 * scores have one row per vertex, in the order of positions. The position of a vertex is its number
 * in a store that was built from numbers in memory. In all others it may be
 * another one, because vertices with out-edges come first. mr_vertex_describe gives the position of
 * a vertex, and a cursor the vertex at a position.
 *
 * One thread at a time uses a handle. Memory: an index entry per block of names. */
#ifndef MILLRACE_NAMES_H
#define MILLRACE_NAMES_H

#include "millrace/store.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mr_names;
struct mr_name_cursor;

#define MR_NAME_MAX_BYTES 65536u /* longest name accepted */

/* Open the names of `store`. Close them before the store and the context. A handle from
 * mr_store_open_weights has no names: open those of the store that it came from. The caller closes
 * `*out` with mr_names_close; `*out` is NULL after an error. If the store was built with a profile
 * of URLs, mr_names_find accepts every spelling. Errors: CORRUPT, BUDGET. */
MR_API enum mr_status mr_store_open_names(const struct mr_context *context, struct mr_store *store,
                                          struct mr_names **out,
                                          struct mr_error *err) MR_WARN_UNUSED;
/* Close the names. NULL is allowed. */
MR_API void mr_names_close(struct mr_names *names);

/* Find the vertex of the name `name[name_bytes]`. `*found` is false when no vertex has this name; a
 * text that is not a number is such a name in a store of numbers. Cost: a binary search of the
 * index in memory, and at most one block read. */
MR_API enum mr_status mr_names_find(struct mr_names *names, const char *name, size_t name_bytes,
                                    uint32_t *vertex, bool *found,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* Get the name of a vertex < n_vertices. `*name` is not terminated and stays valid until the next
 * call on `names`. A number becomes decimal text. Other spellings are not included. Errors: USAGE
 * for another vertex, CORRUPT. Cost: at most one block read. */
MR_API enum mr_status mr_names_get(struct mr_names *names, uint32_t vertex, const char **name,
                                   size_t *name_bytes, struct mr_error *err) MR_WARN_UNUSED;

/* Read all names in their order, from position `first` (at most n_vertices) on; each block is read
 * once. `next` sets `*name`, which is not terminated and stays valid until the next call on the
 * cursor. Past the last name `next` returns MR_OK and sets `*name` to NULL. Close the cursor before
 * the names. Close accepts NULL. */
MR_API enum mr_status mr_name_cursor_open(struct mr_names *names, uint32_t first,
                                          struct mr_name_cursor **out,
                                          struct mr_error *err) MR_WARN_UNUSED;
MR_API enum mr_status mr_name_cursor_next(struct mr_name_cursor *cursor, const char **name,
                                          size_t *name_bytes, struct mr_error *err) MR_WARN_UNUSED;
MR_API void mr_name_cursor_close(struct mr_name_cursor *cursor);
/* The vertex of the name that `next` returned last. */
MR_API uint32_t mr_name_cursor_vertex(const struct mr_name_cursor *cursor);

/* The other spellings of the name that `get` or `next` returned last, in a store that was built
 * with a profile: `*bytes` bytes, with a line feed before each spelling. `*bytes` is 0 when the
 * name is the only spelling. The text stays valid as long as the name. */
MR_API const char *mr_names_spellings(const struct mr_names *names, size_t *bytes);
MR_API const char *mr_name_cursor_spellings(const struct mr_name_cursor *cursor, size_t *bytes);

/* Get the next spelling from `*at`[`*bytes`], and move both behind it. The spelling has
 * `*spelling_bytes` bytes and is not terminated. Returns NULL when none is left. */
MR_API const char *mr_name_next_spelling(const char **at, size_t *bytes, size_t *spelling_bytes);

#ifdef __cplusplus
}
#endif

#endif
