/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the vertices of many names at once. Internal to formats/.
 *
 * A lookup of one name decodes a block of names, 40 us, and one block for each part of a store that
 * links were appended to. The join keeps the names of a batch with hashes, walks over all names of
 * the store, and looks each one up in the batch: 0.1 us a name of the store. */
#ifndef MR_FORMATS_SCORE_PAGE_JOIN_H
#define MR_FORMATS_SCORE_PAGE_JOIN_H

#include "engine/base/context.h"
#include "engine/names/names.h"
#include "formats/crawl/fetch_log.h"

struct mr_page_join;

/* The join calls it for each name, in the order in which the names were added. `vertex` is valid if
 * the name was `found`. `name` has its text, line, tag and first value. */
typedef enum mr_status (*mr_page_join_take)(void *data, const struct mr_row *name, uint32_t vertex,
                                            bool found, struct mr_error *err);

/* Create a join. A batch takes up to `memory_bytes`: a line needs its name and some 170 bytes. All
 * arguments outlive the join. Error: BUDGET. */
enum mr_status mr_page_join_create(const struct mr_context *context, struct mr_names *names,
                                   uint64_t memory_bytes, mr_page_join_take take, void *data,
                                   struct mr_page_join **out, struct mr_error *err) MR_WARN_UNUSED;
/* Takes NULL. */
void mr_page_join_destroy(struct mr_page_join *join);

/* Add a name: its text, line, tag and first value. `other[other_bytes]` is a second spelling, which
 * counts where the store does not have the first one; 0 bytes: none. Both are copied. A full batch
 * is matched first: that reads all names of the store, or looks up each name if there are few.
 * Errors: BUDGET, those of the names and of `take`. */
enum mr_status mr_page_join_add(struct mr_page_join *join, const struct mr_row *name,
                                const char *other, size_t other_bytes,
                                struct mr_error *err) MR_WARN_UNUSED;

/* Match the last batch. Errors: as of add. */
enum mr_status mr_page_join_finish(struct mr_page_join *join, struct mr_error *err) MR_WARN_UNUSED;

#endif
