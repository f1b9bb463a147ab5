/* SPDX-License-Identifier: Apache-2.0 */
/* Which directories are stores, and which names in them are the store's own.
 *
 * Every function that removes files of a store asks here, so that other people's files stay, and
 * every one that writes a file, so that none gets into a store. */
#ifndef MR_ENGINE_IO_STORE_FILES_H
#define MR_ENGINE_IO_STORE_FILES_H

#include <stdbool.h>

/* True if `name` is a data file ("links.1", "weights.degrees.1"), a manifest, the lock, or a
 * scratch file of a build. */
bool mr_store_owns_file(const char *name);

/* True if `path` is a store, intact or damaged: its manifest begins with the right magic. */
bool mr_store_is_at(const char *path);

/* True if the directory `path`, a real path, is a store or in one. */
bool mr_store_holds(const char *path);

#endif
