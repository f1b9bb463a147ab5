/* The names of vertices: what the input calls them. They are in the store and are read from disk
 * on demand.
 *
 * The position of a name is its number among the store's names in their order: numbers ascend,
 * URLs are in the order of host, then path. The position of a vertex is that of its name. Files
 * of scores have a row for each vertex, in the order of positions. In most stores the position
 * of a vertex is its number; a store built in another order (MR_ORDER_DEGREE) has lists of both.
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

/* Opens the names of `store`. The store and the context outlive them. The handle of
 * mr_store_open_weights has no names: give the store it was opened from. The caller closes
 * `*out`; it is NULL after an error. If the store was built with a profile of URLs, any spelling
 * finds the name. Errors: CORRUPT, BUDGET. */
MR_API enum mr_status mr_store_open_names(const struct mr_context *context, struct mr_store *store,
                                          struct mr_names **out,
                                          struct mr_error *err) MR_WARN_UNUSED;
/* NULL is allowed. */
MR_API void mr_names_close(struct mr_names *names);

/* Finds the vertex of a name, `name[name_bytes]`. Reads at most one block, after a binary search
 * of the index in memory. `*found` is false if no vertex has this name, also for a text that is
 * no number in a store of numbers. */
MR_API enum mr_status mr_names_find(struct mr_names *names, const char *name, size_t name_bytes,
                                    uint32_t *vertex, bool *found,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* Gets the name of a vertex < n_vertices. Reads at most one block. `*name` is valid until the
 * next call on `names` and has no terminating zero. Numbers are decimal. Other spellings are not
 * included. */
MR_API enum mr_status mr_names_get(struct mr_names *names, uint32_t vertex, const char **name,
                                   size_t *name_bytes, struct mr_error *err) MR_WARN_UNUSED;

/* The position of a vertex < n_vertices, and the vertex at a position < n_vertices. If vertices
 * have an order of their own, each call reads at most one block, and fewer for ascending
 * arguments. Otherwise the two are equal. */
MR_API enum mr_status mr_names_position(struct mr_names *names, uint32_t vertex, uint32_t *position,
                                        struct mr_error *err) MR_WARN_UNUSED;
MR_API enum mr_status mr_names_vertex(struct mr_names *names, uint32_t position, uint32_t *vertex,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* Visit all names in order, from position `first` (at most n_vertices) on, and read each block
 * once. `next` sets `*name`, valid until the next call on the cursor, without terminating zero,
 * or sets it to NULL past the last name. Close the cursor before the names. Close takes NULL. */
MR_API enum mr_status mr_name_cursor_open(struct mr_names *names, uint32_t first,
                                          struct mr_name_cursor **out,
                                          struct mr_error *err) MR_WARN_UNUSED;
MR_API enum mr_status mr_name_cursor_next(struct mr_name_cursor *cursor, const char **name,
                                          size_t *name_bytes, struct mr_error *err) MR_WARN_UNUSED;
MR_API void mr_name_cursor_close(struct mr_name_cursor *cursor);
/* The vertex of the name that next returned last. */
MR_API uint32_t mr_name_cursor_vertex(const struct mr_name_cursor *cursor);

/* The spellings of the name that get or next returned last, in a store that was built with a
 * profile of URLs: bytes with a line feed before each spelling. `*bytes` is 0 if the name is the
 * only spelling. Valid as long as the name. */
MR_API const char *mr_names_spellings(const struct mr_names *names, size_t *bytes);
MR_API const char *mr_name_cursor_spellings(const struct mr_name_cursor *cursor, size_t *bytes);

/* The next spelling in `*at`[`*bytes`]; moves both behind it. NULL if there is none. */
MR_API const char *mr_name_next_spelling(const char **at, size_t *bytes, size_t *spelling_bytes);

#ifdef __cplusplus
}
#endif

#endif
