/* SPDX-License-Identifier: Apache-2.0 */
/* Which names in a store's directory are the store's own. Internal to the engine.
 *
 * Every function that removes files of a store asks here, so that other people's files stay. */
#ifndef MR_ENGINE_IO_STORE_FILES_H
#define MR_ENGINE_IO_STORE_FILES_H

#include <stdbool.h>
#include <stdint.h>

/* True if `name` is a data file of some generation: "links.3", "links.3.1", "weights.degrees.3".
 * `*generation` gets the generation; `generation` may be NULL. */
bool mr_store_is_data_file(const char *name, uint32_t *generation);

/* True if `name` is a data file, a manifest, the lock, or a scratch file of a build. */
bool mr_store_owns_file(const char *name);

#endif
