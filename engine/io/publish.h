/* SPDX-License-Identifier: Apache-2.0 */
/* Atomic publication: an output that has its final name is complete.
 *
 * A file or store directory is written under NAME.tmp-PID beside its final location, synced and
 * renamed; then its parent directory is synced. A crash leaves at most a .tmp- name, which no
 * reader opens. */
#ifndef MR_ENGINE_IO_PUBLISH_H
#define MR_ENGINE_IO_PUBLISH_H

#include "engine/io/io.h"

struct mr_publish;

#define MR_PUBLISH_GROUP_MAX 16u

/* A NAMELESS file is never committed. It gets a temporary name, and a file at the path stays. */
enum mr_publish_kind { MR_PUBLISH_FILE, MR_PUBLISH_DIRECTORY, MR_PUBLISH_NAMELESS };

/* Chooses the temporary name, makes an empty file or directory of this name, and locks it until the
 * end (engine/io/leftover.h). The caller opens the file with MR_OPEN_TRUNCATE. Returns
 * MR_ERROR_USAGE if `path` exists and `force` is false ("exists; use --force to replace it"),
 * before the caller starts hours of work. With `force` a file replaces only regular files, and a
 * directory replaces only stores (directories with a manifest) and empty directories; any other
 * target is MR_ERROR_USAGE, and so is a place inside a store. A symbolic link is replaced itself,
 * not its target. Removes leftovers of this name that no process holds. A process may publish one
 * name only once at a time. Locks a store at `path` until the end (engine/io/store_lock.h). */
enum mr_status mr_publish_begin(struct mr_io *io, const char *path, enum mr_publish_kind kind,
                                bool force, struct mr_publish **out,
                                struct mr_error *err) MR_WARN_UNUSED;

/* May a store replace what is at `path`? Nothing, a dangling link, a store, an empty directory. */
bool mr_publish_replaces(const char *path);

/* The path to write to: the temporary file or directory. It lives until commit or abandon. */
const char *mr_publish_path(const struct mr_publish *publish);

/* Publishes. The caller has synced and closed all files. Syncs the directory (kind directory),
 * renames with NO_REPLACE or, with force, exchanges the names and removes the old store, and syncs
 * the parent. Files in the old store that do not belong to a store (engine/io/store_files.h)
 * move into the new one. Frees `publish` in any case. */
enum mr_status mr_publish_commit(struct mr_publish *publish, struct mr_error *err) MR_WARN_UNUSED;

/* Outputs that belong together: all of them appear, or none. A zeroed group is empty. */
struct mr_publish_group {
    struct mr_publish *waiting[MR_PUBLISH_GROUP_MAX];
    unsigned n;
};

/* Publishes `publish`, or lets it wait in `group` if that is not NULL. Frees `publish`
 * after an error. */
enum mr_status mr_publish_commit_with(struct mr_publish *publish, struct mr_publish_group *group,
                                      struct mr_error *err) MR_WARN_UNUSED;

/* Publishes all waiting outputs in the order in which they came. After an error the old ones are
 * back and the new ones are gone. A crash between two renames leaves the earlier ones published.
 * Empties `group` in any case. */
enum mr_status mr_publish_group_commit(struct mr_publish_group *group,
                                       struct mr_error *err) MR_WARN_UNUSED;

/* Removes the waiting outputs. */
void mr_publish_group_abandon(struct mr_publish_group *group);
/* Commits if `status` is MR_OK; otherwise abandons and returns `status`. */
enum mr_status mr_publish_group_end(struct mr_publish_group *group, enum mr_status status,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* A path beside the final location for a second temporary directory, which the caller makes and
 * which is removed with the first one. It lives until commit or abandon. */
enum mr_status mr_publish_beside(struct mr_publish *publish, const char **path,
                                 struct mr_error *err) MR_WARN_UNUSED;

/* Removes everything that was written. Takes NULL. */
void mr_publish_abandon(struct mr_publish *publish);

#endif
