/* SPDX-License-Identifier: Apache-2.0 */
/* Publication: an output appears under its final name only when it is complete. All commands that
 * write a file or a store use it. The output is written under NAME.tmp-PID, synced and renamed,
 * because a rename is atomic on every file system; a crash leaves at most a temporary name without
 * its lock (leftover.h), which the next run removes. */
#include "engine/io/publish.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/format.h"
#include "engine/io/leftover.h"
#include "engine/io/store_files.h"
#include "engine/io/store_lock.h"

static const char infix[] = ".tmp-";

struct mr_publish {
    struct mr_io *io; /* not owned */
    enum mr_publish_kind kind;
    bool force;
    char *path; /* the final name, without trailing slashes; owned */
    char *temporary; /* owned */
    char *parent; /* owned */
    char *beside; /* another temporary directory, or NULL; owned */
    struct mr_store_lock *lock; /* the lock of the store at the final name, if there is a store */
    int held; /* the lock of the temporary name, or -1; see leftover.h */
};

static void release(struct mr_publish *publish)
{
    mr_store_lock_release(publish->lock);
    mr_leftover_close(publish->held);
    free(publish->beside);
    free(publish->parent);
    free(publish->temporary);
    free(publish->path);
    free(publish);
}

/* Joins `length` bytes of `head` and `tail`. Returns NULL if there is no memory. */
static char *join(const char *head, size_t length, const char *tail)
{
    size_t tail_bytes = strlen(tail) + 1;
    char *text = malloc(length + tail_bytes);
    if (text != NULL) {
        memcpy(text, head, length);
        memcpy(text + length, tail, tail_bytes);
    }
    return text;
}

/* The last component of `path`, which has no trailing slash. */
static const char *name_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

static enum mr_status make_names(struct mr_publish *publish, const char *path, struct mr_error *err)
{
    char suffix[32];
    size_t length = strlen(path);

    while (length > 1 && path[length - 1] == '/') {
        length--;
    }
    publish->path = join(path, length, "");
    if (publish->path == NULL) {
        return mr_error_file(err, MR_ERROR_BUDGET, path, ENOMEM, "cannot begin to write");
    }
    const char *name = name_of(publish->path);
    if (name[0] == '\0' || strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        return mr_error_file(err, MR_ERROR_USAGE, path, 0, "names no file; give a new name");
    }
    size_t parent_length = (size_t)(name - publish->path);
    while (parent_length > 1 && path[parent_length - 1] == '/') {
        parent_length--;
    }
    publish->parent = parent_length == 0 ? join(".", 1, "") : join(path, parent_length, "");
    (void)snprintf(suffix, sizeof suffix, "%s%ld", infix, (long)getpid());
    publish->temporary = join(publish->path, length, suffix);
    if (publish->parent == NULL || publish->temporary == NULL) {
        return mr_error_file(err, MR_ERROR_BUDGET, path, ENOMEM, "cannot begin to write");
    }
    return MR_OK;
}

/* Removes a file, a link, or a store directory; best effort. */
static void remove_any(struct mr_io *io, const char *path)
{
    struct stat status;
    if (lstat(path, &status) != 0) {
        return;
    }
    if (S_ISDIR(status.st_mode)) {
        mr_io_remove_store_dir(io, path);
    } else {
        enum mr_status ignored = mr_io_unlink(io, path, NULL);
        (void)ignored;
    }
}

static bool has_manifest(const char *path)
{
    char manifest[4096];
    const int bytes = snprintf(manifest, sizeof manifest, "%s/%s", path, MR_MANIFEST_NAME);
    return bytes > 0 && bytes < (int)sizeof manifest && mr_io_exists(manifest);
}

/* Moves other people's files from `old`, the directory of the replaced store, into the new store at
 * the final name, where their owners expect them. Files that cannot be moved stay in `old`, which
 * then is not removed. */
static void carry_over(const struct mr_publish *publish, const char *old)
{
    char from[4096], to[4096];
    unsigned n_moved = 0, n_before;
    DIR *listing = has_manifest(publish->path) ? opendir(old) : NULL;
    if (listing == NULL) {
        return;
    }
    do { /* a listing may skip names while others disappear */
        n_before = n_moved;
        rewinddir(listing);
        for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
            const char *name = entry->d_name;
            if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0 || mr_store_owns_file(name) ||
                snprintf(from, sizeof from, "%s/%s", old, name) >= (int)sizeof from ||
                snprintf(to, sizeof to, "%s/%s", publish->path, name) >= (int)sizeof to) {
                continue;
            }
            n_moved +=
                mr_io_rename(publish->io, from, to, MR_RENAME_NO_REPLACE, NULL) == MR_OK ? 1 : 0;
        }
    } while (n_moved > n_before);
    (void)closedir(listing);
    if (n_moved > 0) {
        enum mr_status ignored = mr_io_sync_dir(publish->io, publish->path, NULL);
        (void)ignored;
    }
}

/* The last process id in `name`, if it is NAME.tmp-PID or NAME.tmp-PID.tmp-PID; otherwise 0. A name
 * that does not end in digits is somebody's data, such as the ".old" of exchange_slowly in
 * io_real.c. */
static pid_t owner_of(const char *name, const char *final_name)
{
    size_t length = strlen(final_name);
    if (strncmp(name, final_name, length) != 0) {
        return 0;
    }
    pid_t pid = 0;
    for (const char *at = name + length; pid == 0 || *at != '\0';) {
        if (strncmp(at, infix, sizeof infix - 1) != 0) {
            return 0;
        }
        const char *digits = at + sizeof infix - 1;
        const size_t n_digits = strspn(digits, "0123456789");
        if (n_digits == 0 || n_digits > 10) {
            return 0;
        }
        pid = (pid_t)strtol(digits, NULL, 10);
        if (pid <= 0) {
            return 0;
        }
        at = digits + n_digits;
    }
    return pid;
}

/* NAME.tmp-0PID is the second directory of the publication that has NAME.tmp-PID, whose lock counts
 * for both. Changes `path` to the name with the lock. */
static void to_locked_name(char *path)
{
    char *digits = strrchr(path, '-') + 1;
    if (digits[0] == '0') {
        memmove(digits, digits + 1, strlen(digits));
    }
}

/* Removes the temporary name `name` if no process holds it. */
static void remove_if_stale(const struct mr_publish *publish, const char *name, pid_t owner)
{
    const char *final_name = name_of(publish->path);
    const size_t length = (size_t)(final_name - publish->path);
    char *path = join(publish->path, length, name);
    char *locked = path != NULL ? join(publish->path, length, name) : NULL;
    int lock = -1;

    if (locked != NULL) {
        to_locked_name(locked);
        const bool is_alone = strcmp(locked, path) != 0 && !mr_io_exists(locked);
        if (is_alone || mr_leftover_is_free(locked, owner, &lock)) {
            carry_over(publish, path);
            remove_any(publish->io, path);
        }
        mr_leftover_close(lock);
    }
    free(locked);
    free(path);
}

static void remove_stale(const struct mr_publish *publish)
{
    DIR *listing = opendir(publish->parent);
    if (listing == NULL) {
        return;
    }
    const char *final_name = name_of(publish->path);
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        const pid_t owner = owner_of(entry->d_name, final_name);
        if (owner > 0) {
            remove_if_stale(publish, entry->d_name, owner);
        }
    }
    (void)closedir(listing);
}

static bool is_empty_directory(const char *path)
{
    DIR *listing = opendir(path);
    if (listing == NULL) {
        return false;
    }
    unsigned n_names = 0;
    while (n_names <= 2 && readdir(listing) != NULL) {
        n_names++;
    }
    (void)closedir(listing);
    return n_names <= 2; /* "." and ".." */
}

/* A store holds its own files alone: a file of another that got among them could replace one. */
static enum mr_status check_place(const struct mr_publish *publish, struct mr_error *err)
{
    char *parent = realpath(publish->parent, NULL);
    const bool is_inside = parent != NULL && mr_store_holds(parent);

    free(parent);
    return is_inside ? mr_error_file(err, MR_ERROR_USAGE, publish->path, 0,
                                     "is inside a store, which may hold only its own files; "
                                     "choose another path")
                     : MR_OK;
}

bool mr_publish_replaces(const char *path)
{
    struct stat status;
    return stat(path, &status) != 0 ||
           (S_ISDIR(status.st_mode) && (has_manifest(path) || is_empty_directory(path)));
}

/* Checks that the file or directory at the final name may be replaced. --force may replace the
 * output of an earlier run, but not a home directory or /dev/null. */
static enum mr_status check_target(const struct mr_publish *publish, struct mr_error *err)
{
    const char *path = publish->path;
    struct stat status;

    if (!mr_io_exists(path)) {
        return MR_OK;
    }
    const bool is_dangling = stat(path, &status) != 0;
    if (!is_dangling && publish->kind == MR_PUBLISH_FILE && !S_ISREG(status.st_mode)) {
        return mr_error_file(err, MR_ERROR_USAGE, path, 0,
                             "is not a regular file and is not replaced; give another name");
    }
    if (!is_dangling && publish->kind == MR_PUBLISH_DIRECTORY && !mr_publish_replaces(path)) {
        return mr_error_file(err, MR_ERROR_USAGE, path, 0,
                             "is not a store and is not replaced; give another name");
    }
    return publish->force
               ? MR_OK
               : mr_error_file(err, MR_ERROR_USAGE, path, 0, "exists; use --force to replace it");
}

enum mr_status mr_publish_begin(struct mr_io *io, const char *path, enum mr_publish_kind kind,
                                bool force, struct mr_publish **out, struct mr_error *err)
{
    *out = NULL;
    struct mr_publish *publish = calloc(1, sizeof *publish);
    if (publish == NULL) {
        return mr_error_file(err, MR_ERROR_BUDGET, path, ENOMEM, "cannot begin to write");
    }
    publish->io = io;
    publish->held = -1;
    publish->kind = kind;
    publish->force = force;
    enum mr_status status = make_names(publish, path, err);
    if (status != MR_OK) {
        goto out;
    }
    if (kind != MR_PUBLISH_NAMELESS) {
        status = check_place(publish, err);
        status = status == MR_OK ? check_target(publish, err) : status;
    }
    if (status != MR_OK) {
        goto out;
    }
    if (kind == MR_PUBLISH_DIRECTORY && has_manifest(publish->path)) {
        status = mr_store_lock_hold(publish->path, &publish->lock, err);
        if (status != MR_OK) {
            goto out;
        }
    }
    if (access(publish->parent, W_OK | X_OK) != 0) {
        status = mr_error_file(err, MR_ERROR_RUNTIME, publish->parent, errno, "cannot write there");
        goto out;
    }
    remove_stale(publish);
    if (access(publish->temporary, F_OK) == 0) { /* its name has the number of this process */
        status = mr_error_file(err, MR_ERROR_USAGE, path, 0,
                               "is an output of this process already; name another file");
        goto out;
    }
    status = kind == MR_PUBLISH_DIRECTORY
                 ? mr_leftover_make_dir(io, publish->temporary, &publish->held, err)
                 : mr_leftover_make_file(publish->temporary, &publish->held, err);
out:
    if (status != MR_OK) {
        release(publish);
        return status;
    }
    *out = publish;
    return MR_OK;
}

const char *mr_publish_path(const struct mr_publish *publish)
{
    return publish->temporary;
}

enum mr_status mr_publish_beside(struct mr_publish *publish, const char **path,
                                 struct mr_error *err)
{
    char suffix[32];
    (void)snprintf(suffix, sizeof suffix, "%s0%ld", infix, (long)getpid());
    free(publish->beside);
    publish->beside = join(publish->path, strlen(publish->path), suffix);
    *path = publish->beside;
    return publish->beside != NULL ? MR_OK
                                   : mr_error_file(err, MR_ERROR_BUDGET, publish->path, ENOMEM,
                                                   "cannot begin to write");
}

/* Renames the finished output to its final name. */
static enum mr_status rename_to_final(const struct mr_publish *publish, enum mr_rename_mode mode,
                                      struct mr_error *err)
{
    struct mr_error reason = {.status = MR_OK};
    enum mr_status status =
        mr_io_rename(publish->io, publish->temporary, publish->path, mode, &reason);
    if (status == MR_OK) {
        return MR_OK;
    }
    if (reason.os_errno == EEXIST || reason.os_errno == ENOTEMPTY) {
        return mr_error_file(err, MR_ERROR_USAGE, publish->path, 0,
                             "exists since a moment ago; use --force to replace it");
    }
    if (err != NULL && err->status == MR_OK) {
        *err = reason;
    }
    return status;
}

/* Chooses how to rename, and renames. `*exchanged` says that the old store has the
 * temporary name now. */
static enum mr_status take_name(const struct mr_publish *publish, bool *exchanged,
                                struct mr_error *err)
{
    enum mr_rename_mode mode = MR_RENAME_NO_REPLACE;

    *exchanged = false;
    if (publish->force && publish->kind == MR_PUBLISH_FILE) {
        mode = MR_RENAME_REPLACE; /* atomic on every file system */
    } else if (publish->force && mr_io_exists(publish->path)) {
        mode = MR_RENAME_EXCHANGE;
        *exchanged = true;
    }
    const enum mr_status status = rename_to_final(publish, mode, err);
    *exchanged = *exchanged && status == MR_OK;
    return status;
}

/* Syncs the directory of a name that was just taken. If that fails, the message says which files
 * are there: the new ones are complete, but a power failure may undo their renames. */
static enum mr_status sync_parent(const struct mr_publish *publish, bool keeps_old,
                                  struct mr_error *err)
{
    struct mr_error reason = {.status = MR_OK};
    const enum mr_status status = mr_io_sync_dir(publish->io, publish->parent, &reason);
    if (status == MR_OK) {
        return MR_OK;
    }
    return mr_error_file(err, status, publish->path, reason.os_errno,
                         "is complete and has this name, but its directory cannot be synced, so a "
                         "power failure may undo that%s%s",
                         keeps_old ? "; the old one is " : "", keeps_old ? publish->temporary : "");
}

/* A complete directory is on disk before it gets its name. */
static enum mr_status sync_written(const struct mr_publish *publish, struct mr_error *err)
{
    return publish->kind == MR_PUBLISH_DIRECTORY
               ? mr_io_sync_dir(publish->io, publish->temporary, err)
               : MR_OK;
}

/* The end of a publication that took its name: syncs the name, then removes the old output. Frees
 * `publish`. */
static enum mr_status end_published(struct mr_publish *publish, bool exchanged,
                                    struct mr_error *err)
{
    const enum mr_status status = sync_parent(publish, exchanged, err);
    /* Remove the old store only when the new name is on disk. After a failed sync the old store
     * stays under its temporary name until the next run for this output removes it. */
    if (exchanged && status == MR_OK) {
        carry_over(publish, publish->temporary);
        remove_any(publish->io, publish->temporary);
    }
    if (publish->beside != NULL) {
        remove_any(publish->io, publish->beside);
    }
    release(publish);
    return status;
}

enum mr_status mr_publish_commit(struct mr_publish *publish, struct mr_error *err)
{
    bool exchanged = false;
    enum mr_status status = sync_written(publish, err);

    if (status == MR_OK) {
        status = take_name(publish, &exchanged, err);
    }
    if (status != MR_OK) {
        mr_publish_abandon(publish);
        return status;
    }
    return end_published(publish, exchanged, err);
}

/* ---- Groups ---- */

enum mr_status mr_publish_commit_with(struct mr_publish *publish, struct mr_publish_group *group,
                                      struct mr_error *err)
{
    if (group == NULL) {
        return mr_publish_commit(publish, err);
    }
    assert(group->n < MR_PUBLISH_GROUP_MAX);
    group->waiting[group->n++] = publish;
    return MR_OK;
}

/* Renames the outputs to their final names one after the other; `*n_taken` gets the number of those
 * renamed. `exchanged[i]` says that an old one has the temporary name of output i afterwards. */
static enum mr_status take_names(const struct mr_publish_group *group,
                                 bool exchanged[MR_PUBLISH_GROUP_MAX], unsigned *n_taken,
                                 struct mr_error *err)
{
    enum mr_status status = MR_OK;

    for (*n_taken = 0; *n_taken < group->n; ++*n_taken) {
        const struct mr_publish *publish = group->waiting[*n_taken];
        const enum mr_rename_mode mode = publish->force && mr_io_exists(publish->path)
                                             ? MR_RENAME_EXCHANGE
                                             : MR_RENAME_NO_REPLACE;
        exchanged[*n_taken] = mode == MR_RENAME_EXCHANGE;
        status = rename_to_final(publish, mode, err);
        if (status != MR_OK) {
            break;
        }
    }
    return status;
}

static void give_names_back(const struct mr_publish_group *group, const bool *exchanged,
                            unsigned n_taken)
{
    for (unsigned i = n_taken; i > 0; i--) {
        const struct mr_publish *publish = group->waiting[i - 1];
        enum mr_status ignored = exchanged[i - 1]
                                     ? mr_io_rename(publish->io, publish->temporary, publish->path,
                                                    MR_RENAME_EXCHANGE, NULL)
                                     : mr_io_rename(publish->io, publish->path, publish->temporary,
                                                    MR_RENAME_NO_REPLACE, NULL);
        (void)ignored;
    }
}

enum mr_status mr_publish_group_commit(struct mr_publish_group *group, struct mr_error *err)
{
    bool exchanged[MR_PUBLISH_GROUP_MAX];
    unsigned n_taken = 0;

    if (group->n == 1) {
        group->n = 0;
        return mr_publish_commit(group->waiting[0], err);
    }
    enum mr_status status = MR_OK;
    for (unsigned i = 0; i < group->n && status == MR_OK; i++) {
        status = sync_written(group->waiting[i], err);
    }
    if (status == MR_OK) {
        status = take_names(group, exchanged, &n_taken, err);
    }
    if (status != MR_OK) {
        give_names_back(group, exchanged, n_taken);
        mr_publish_group_abandon(group);
        return status;
    }
    for (unsigned i = 0; i < group->n; i++) {
        const enum mr_status ended = end_published(group->waiting[i], exchanged[i], err);
        status = status == MR_OK ? ended : status;
    }
    group->n = 0;
    return status;
}

void mr_publish_group_abandon(struct mr_publish_group *group)
{
    for (unsigned i = 0; i < group->n; i++) {
        mr_publish_abandon(group->waiting[i]);
    }
    group->n = 0;
}

enum mr_status mr_publish_group_end(struct mr_publish_group *group, enum mr_status status,
                                    struct mr_error *err)
{
    if (status == MR_OK) {
        return mr_publish_group_commit(group, err);
    }
    mr_publish_group_abandon(group);
    return status;
}

void mr_publish_abandon(struct mr_publish *publish)
{
    if (publish != NULL) {
        remove_any(publish->io, publish->temporary);
        if (publish->beside != NULL) {
            remove_any(publish->io, publish->beside);
        }
        release(publish);
    }
}
