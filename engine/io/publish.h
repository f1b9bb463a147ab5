/* Atomic publication: what carries its final name is whole.
 *
 * A file or store directory is written under NAME.tmp-PID beside its final place, synced, renamed,
 * and its directory synced. A crash leaves at most a .tmp- name, which nothing ever opens. */
#ifndef MR_ENGINE_IO_PUBLISH_H
#define MR_ENGINE_IO_PUBLISH_H

#include "engine/io/io.h"

struct mr_publish;

enum mr_publish_kind { MR_PUBLISH_FILE, MR_PUBLISH_DIRECTORY };

/* Begin: picks the temporary name and, for a directory, makes it. Fails with MR_ERROR_USAGE when
 * `path` exists and `force` is false ("exists; use --force to replace it"), so that hours of work
 * are not spent before the refusal. With `force` a file replaces regular files only, a directory
 * only stores (it has a manifest) and empty directories; anything else is MR_ERROR_USAGE. A
 * symbolic link is replaced itself, not what it points at. Removes stale leftovers of the same name
 * whose pid is dead or our own: one publication of a name at a time in a process. A store that stands there
 * is locked until the end (engine/io/store_lock.h). */
enum mr_status mr_publish_begin(struct mr_io *io, const char *path, enum mr_publish_kind kind,
                                bool force, struct mr_publish **out,
                                struct mr_error *err) MR_WARN_UNUSED;

/* Where to write: the temporary file, or the temporary directory. Lives until commit/abandon. */
const char *mr_publish_path(const struct mr_publish *publish);

/* Files must be synced and closed by the caller. Syncs the directory (kind directory), renames with
 * NO_REPLACE, or exchanges and removes the old one with force, and syncs the parent. Files in the old
 * store that are none of a store's (engine/store/store_files.h) are moved into the new one. Frees `publish`
 * either way. */
enum mr_status mr_publish_commit(struct mr_publish *publish, struct mr_error *err) MR_WARN_UNUSED;

/* A path beside the final place for another temporary directory, which is removed with the first one; the
 * caller makes it. Lives until commit/abandon. */
enum mr_status mr_publish_beside(struct mr_publish *publish, const char **path,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* Instead of replacing the store at the final name, put the files in: those of data first, then the
 * manifest in the place of the one there, which is the one step that readers notice. Syncs the directory
 * before and after. Names of data files are new ones. To be abandoned afterwards, whatever happened. */
enum mr_status mr_publish_commit_into(struct mr_publish *publish,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* Remove what was written. Takes NULL. */
void mr_publish_abandon(struct mr_publish *publish);

#endif
