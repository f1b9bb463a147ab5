/* SPDX-License-Identifier: Apache-2.0 */
/* A walk over all names of a store, in their order. */
#ifndef MR_ENGINE_NAMES_NAME_WALK_H
#define MR_ENGINE_NAMES_NAME_WALK_H

#include "engine/names/names.h"

/* Called for each name; `cursor` stands on it and gives its vertex and its spellings. */
typedef enum mr_status (*mr_name_take)(void *data, const struct mr_name_cursor *cursor,
                                       uint64_t position, const char *name, size_t name_bytes,
                                       struct mr_error *err);

/* Call `take` for all `n_names`. It polls, and reports rows of `stage`; NULL: nothing. Errors:
 * those of `take`, of the names, and of a request to stop. */
enum mr_status mr_names_walk(const struct mr_context *context, struct mr_names *names,
                             uint64_t n_names, const char *stage, mr_name_take take, void *data,
                             struct mr_error *err) MR_WARN_UNUSED;

#endif
