/* The names of vertices: what the input called them, kept in the store and read from disk when asked for.
 *
 * The place of a name is its number among the store's names in their order (numbers ascend; URLs are in
 * the order of host, then path), the place of a vertex that of its name. Files of scores have a row for
 * each vertex, in the order of the places. Mostly the place of a vertex is its number; a store that was
 * built in another order (MR_ORDER_DEGREE) keeps both lists.
 *
 * A handle belongs to one thread at a time. Memory: an index entry per block of names. */
#ifndef MILLRACE_NAMES_H
#define MILLRACE_NAMES_H

#include "millrace/store.h"

#ifdef __cplusplus
extern "C" {
#endif

struct mr_names;
struct mr_name_cursor;

#define MR_NAME_MAX_BYTES 65536u /* longest name accepted */

/* Open the names of `store`, which outlives them, as does the context; not of what mr_store_open_weights
 * opened, but of the store it is of. `*out` is the caller's to close with mr_names_close, NULL after an
 * error. Where the store was built with a profile of URLs, names are found by any spelling. Errors:
 * CORRUPT, BUDGET. */
MR_API enum mr_status mr_store_open_names(const struct mr_context *context, struct mr_store *store,
                                          struct mr_names **out,
                                          struct mr_error *err) MR_WARN_UNUSED;
/* NULL is allowed. */
MR_API void mr_names_close(struct mr_names *names);

/* Vertex of a name, `name[name_bytes]`: one block read at most (a binary search of the index in memory).
 * `*found` is false when there is none (a text that is no number, in a store of numbers, included). */
MR_API enum mr_status mr_names_find(struct mr_names *names, const char *name, size_t name_bytes,
                                    uint32_t *vertex, bool *found,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* Name of a vertex < n_vertices: one block read at most. `*name` is valid until the next call on `names`,
 * is not terminated. Numbers are rendered in decimal. Other spellings are not part of it. */
MR_API enum mr_status mr_names_get(struct mr_names *names, uint32_t vertex, const char **name,
                                   size_t *name_bytes, struct mr_error *err) MR_WARN_UNUSED;

/* The place of a vertex < n_vertices, and the vertex at a place < n_vertices. One block read at most where
 * vertices have an order of their own, less where the numbers asked for ascend; else nothing to do. */
MR_API enum mr_status mr_names_place(struct mr_names *names, uint32_t vertex, uint32_t *place,
                                     struct mr_error *err) MR_WARN_UNUSED;
MR_API enum mr_status mr_names_vertex(struct mr_names *names, uint32_t place, uint32_t *vertex,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* All names in their order, from the one at place `first` (at most n_vertices) on, each block read once.
 * `next` sets `*name` (valid until the next call on the cursor, not terminated) or returns with `*name`
 * NULL past the last one; the cursor is closed before the names. Close takes NULL. */
MR_API enum mr_status mr_name_cursor_open(struct mr_names *names, uint32_t first,
                                          struct mr_name_cursor **out,
                                          struct mr_error *err) MR_WARN_UNUSED;
MR_API enum mr_status mr_name_cursor_next(struct mr_name_cursor *cursor, const char **name,
                                          size_t *name_bytes, struct mr_error *err) MR_WARN_UNUSED;
MR_API void mr_name_cursor_close(struct mr_name_cursor *cursor);
/* The vertex that is called by the name that next returned last. */
MR_API uint32_t mr_name_cursor_vertex(const struct mr_name_cursor *cursor);

/* The spellings of the name that get or next returned last, where the store was built with a profile: as
 * bytes, a line feed before each; `*bytes` 0 when the name is the only one. Valid as long as that name. */
MR_API const char *mr_names_spellings(const struct mr_names *names, size_t *bytes);
MR_API const char *mr_name_cursor_spellings(const struct mr_name_cursor *cursor, size_t *bytes);

/* The next of the spellings in `*at`[`*bytes`], moving both behind it; NULL when there is none. */
MR_API const char *mr_name_next_spelling(const char **at, size_t *bytes, size_t *spelling_bytes);

#ifdef __cplusplus
}
#endif

#endif
