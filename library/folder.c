/* SPDX-License-Identifier: Apache-2.0 */
/* Publishes a directory of results (folder.h). The renames are a list, so that after an error they
 * are undone in reverse. A result that is replaced waits in DIR/_millrace_unfinished until all is
 * done. */
#include "library/folder.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/io/io.h"
#include "engine/io/store_files.h"
#include "formats/stream/output.h"

static const char success[] = "_SUCCESS";
/* Among unfinished results: they are about to get their names. */
static const char mark_name[] = "_COMMIT";
static const char commit_mark[] = MR_FOLDER_UNFINISHED "/_COMMIT";

enum { NAMES_BYTES = 512 }; /* of what is in the directory, at most */

struct result {
    const char *name;
    bool replaces;
    struct mr_store_lock *lock; /* of a store that is replaced */
};

/* DIRECTORY/NAME; a path that is too long is cut, and no such file is there. */
static const char *join(char path[PATH_MAX], const char *directory, const char *name)
{
    (void)snprintf(path, PATH_MAX, "%s/%s", directory, name);
    return path;
}

/* Lists a directory. Free each of the entries and the list. */
static int list(const char *path, struct dirent ***entries)
{
    int n_kept = 0;
    const int n = scandir(path, entries, NULL, alphasort);

    for (int i = 0; i < n; i++) {
        struct dirent *entry = (*entries)[i];
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            free(entry);
        } else {
            (*entries)[n_kept++] = entry;
        }
    }
    return n < 0 ? n : n_kept;
}

/* Removes a file or a directory with all that is in it, best effort. Other people's files in stores
 * go to the stores of the same names in `heir`, or to `heir` itself if it is one; NULL: nowhere. */
static void remove_tree(struct mr_io *io, const char *path, const char *heir)
{
    struct dirent **entries = NULL;
    char child[PATH_MAX], to[PATH_MAX];
    struct stat info;
    enum mr_status ignored = MR_OK;

    if (lstat(path, &info) == 0 && !S_ISDIR(info.st_mode)) {
        ignored = mr_io_unlink(io, path, NULL);
        (void)ignored;
        return;
    }
    const bool inherits = heir != NULL && mr_store_is_at(path);
    const int n = list(path, &entries);
    /* These go first: what a kill leaves is no store if it has no manifest. */
    for (int i = 0; i < n && inherits; i++) {
        if (!mr_store_owns_file(entries[i]->d_name)) {
            ignored = mr_io_rename(io, join(child, path, entries[i]->d_name),
                                   join(to, heir, entries[i]->d_name), MR_RENAME_NO_REPLACE, NULL);
        }
    }
    for (int i = 0; i < n; i++) {
        if (!inherits || mr_store_owns_file(entries[i]->d_name)) {
            (void)join(to, heir == NULL ? "" : heir, entries[i]->d_name);
            remove_tree(io, join(child, path, entries[i]->d_name), heir == NULL ? NULL : to);
        }
        free(entries[i]);
    }
    (void)ignored;
    if (n >= 0) {
        free(entries);
        mr_io_remove_store_dir(io, path);
    }
}

enum mr_status mr_folder_open(const struct mr_context *context, const char *path, bool beside,
                              bool anew, struct mr_folder *folder, struct mr_error *err)
{
    char work[PATH_MAX], mark[PATH_MAX];

    if (strlen(path) + NAMES_BYTES > PATH_MAX) {
        return mr_error_file(err, MR_ERROR_RUNTIME, path, ENAMETOOLONG, "cannot write there");
    }
    *folder = (struct mr_folder){.context = context,
                                 .path = path,
                                 .work = strdup(join(work, path, MR_FOLDER_UNFINISHED)),
                                 .beside = beside};
    if (folder->work == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for file names");
    }
    folder->made = mkdir(path, 0777) == 0;
    if (!folder->made && errno != EEXIST) {
        return mr_error_file(err, MR_ERROR_RUNTIME, path, errno, "cannot make it");
    }
    enum mr_status status = mr_store_lock_hold(path, &folder->lock, err);
    if (status == MR_OK && anew) {
        remove_tree(context->io, work, path);
    }
    if (status == MR_OK && beside && mr_io_exists(join(mark, path, commit_mark))) {
        status = mr_io_unlink(context->io, mark, err);
    }
    if (status == MR_OK && beside && !mr_io_exists(work)) {
        status = mr_io_make_dir(context->io, work, err);
    }
    if (!beside) {
        memcpy(folder->work, path, strlen(path) + 1); /* `work` is longer: a path below this one */
    }
    return status;
}

bool mr_folder_is_cut_off(const char *path)
{
    char work[PATH_MAX], mark[PATH_MAX];
    struct dirent **entries = NULL;

    if (strlen(path) + NAMES_BYTES > PATH_MAX) {
        return false;
    }
    const int n = list(join(work, path, MR_FOLDER_UNFINISHED), &entries);
    for (int i = 0; i < n; i++) {
        free(entries[i]);
    }
    free(entries);
    return n == 0 || mr_io_exists(join(mark, path, commit_mark));
}

void mr_folder_close(struct mr_folder *folder, bool stays)
{
    char mark[PATH_MAX], whole[PATH_MAX];
    /* Some results have their names and could not give them back. The mark lets the next run
     * replace them. */
    const bool is_half = mr_io_exists(join(mark, folder->path, commit_mark)) &&
                         !mr_io_exists(join(whole, folder->path, success));

    if (folder->beside && folder->lock != NULL && !stays && !is_half) {
        remove_tree(folder->context->io, folder->work, NULL);
    } else if (folder->beside && folder->lock != NULL) {
        (void)rmdir(folder->work); /* if nothing was written */
    }
    mr_store_lock_release(folder->lock);
    if (folder->made) {
        (void)rmdir(folder->path); /* rmdir fails, and the directory stays, if it is not empty */
    }
    free(folder->work);
    *folder = (struct mr_folder){0};
}

enum mr_status mr_folder_begin(const struct mr_folder *folder, struct mr_error *err)
{
    char path[PATH_MAX];

    return !folder->beside && mr_io_exists(join(path, folder->path, success))
               ? mr_io_unlink(folder->context->io, path, err)
               : MR_OK;
}

void mr_folder_final_names(char *text)
{
    static const char part[] = "/" MR_FOLDER_UNFINISHED "/";

    for (char *at; (at = strstr(text, part)) != NULL;) {
        memmove(at, at + sizeof part - 2, strlen(at + sizeof part - 2) + 1);
    }
}

/* ---- Publishing ---- */

/* Gives a result its name, or takes it back. An old result of that name changes places with it. */
static enum mr_status rename_result(const struct mr_folder *folder, const struct result *result,
                                    bool undo, struct mr_error *err)
{
    char ready[PATH_MAX], final[PATH_MAX];

    (void)join(ready, folder->work, result->name);
    (void)join(final, folder->path, result->name);
    return mr_io_rename(folder->context->io, undo ? final : ready, undo ? ready : final,
                        result->replaces ? MR_RENAME_EXCHANGE : MR_RENAME_NO_REPLACE, err);
}

static enum mr_status write_empty(const struct mr_folder *folder, const char *name,
                                  struct mr_error *err)
{
    char path[PATH_MAX];

    return mr_output_file(folder->context, join(path, folder->path, name), true, "", 0, err);
}

/* Gives all results their names; after an error none. Where some cannot give them back, the mark
 * stays. */
static enum mr_status rename_all(const struct mr_folder *folder, const struct result *results,
                                 int n_results, struct mr_error *err)
{
    struct mr_io *io = folder->context->io;
    char path[PATH_MAX];
    const struct result mark = {.name = success};
    const bool has_mark = mr_io_exists(join(path, folder->path, success));
    int n = 0;

    enum mr_status status = write_empty(folder, commit_mark, err);
    if (status == MR_OK) {
        status = mr_io_sync_dir(io, folder->work, err);
    }
    if (status == MR_OK && has_mark) {
        status = rename_result(folder, &mark, true, err);
    }
    const bool took_mark = has_mark && status == MR_OK;
    while (status == MR_OK && n < n_results) {
        status = rename_result(folder, &results[n], false, err);
        n += status == MR_OK;
    }
    if (status == MR_OK) {
        status = mr_io_sync_dir(io, folder->path, err);
    }
    enum mr_status ignored = MR_OK;
    if (status == MR_OK) {
        status = write_empty(folder, success, err);
        /* It may have its name although its directory cannot be synced. */
        ignored =
            status == MR_OK ? MR_OK : mr_io_unlink(io, join(path, folder->path, success), NULL);
    }
    bool undone = true;
    while (status != MR_OK && n-- > 0) {
        undone = rename_result(folder, &results[n], true, NULL) == MR_OK && undone;
    }
    if (status != MR_OK && took_mark) {
        undone = rename_result(folder, &mark, false, NULL) == MR_OK && undone;
    }
    if (status != MR_OK && undone) {
        ignored = mr_io_unlink(io, join(path, folder->path, commit_mark), NULL);
    }
    (void)ignored;
    return status;
}

enum mr_status mr_folder_commit(struct mr_folder *folder, struct mr_error *err)
{
    struct mr_io *io = folder->context->io;
    char path[PATH_MAX], old[PATH_MAX];
    struct dirent **entries = NULL;
    enum mr_status status = MR_OK;

    if (!folder->beside) {
        return write_empty(folder, success, err);
    }
    const int n = list(folder->work, &entries);
    struct result *results = n < 0 ? NULL : calloc((size_t)n + 1, sizeof *results);
    if (results == NULL) {
        status = mr_error_file(err, MR_ERROR_BUDGET, folder->work, errno, "cannot list it");
    }
    int n_results = 0;
    for (int i = 0; i < n && status == MR_OK; i++) {
        if (strncmp(entries[i]->d_name, mark_name, strlen(mark_name)) == 0) {
            continue; /* what an earlier run could not remove */
        }
        struct result *result = &results[n_results++];
        result->name = entries[i]->d_name;
        result->replaces = mr_io_exists(join(path, folder->path, result->name));
        if (mr_store_is_at(path)) {
            status = mr_store_lock_hold(path, &result->lock, err);
        }
    }
    if (status == MR_OK) {
        status = rename_all(folder, results, n_results, err);
    }
    for (int i = 0; i < n_results; i++) {
        if (status == MR_OK) {
            remove_tree(io, join(old, folder->work, results[i].name),
                        join(path, folder->path, results[i].name));
        }
        mr_store_lock_release(results[i].lock);
    }
    for (int i = 0; i < n; i++) {
        free(entries[i]);
    }
    free(results);
    free(entries);
    return status;
}
