/* Which names in a store's directory are the store's own. Internal to the engine.
 *
 * Whatever removes files of a store asks here: a file that somebody else put there stays. */
#ifndef MR_ENGINE_STORE_STORE_FILES_H
#define MR_ENGINE_STORE_STORE_FILES_H

#include <stdbool.h>
#include <stdint.h>

/* Is `name` that of a file of data of some generation: "links.3", "links.3.1", "weights.degrees.3"? The generation
 * then is in `*generation`, which may be NULL. */
bool mr_store_is_data_file(const char *name, uint32_t *generation);

/* Is it one of these, a manifest, the lock, or a scratch file of a build? */
bool mr_store_owns_file(const char *name);

#endif
