/* SPDX-License-Identifier: Apache-2.0 */
/* Publishes a directory of results (folder.h). The renames are a list, so that after an error they
 * are undone in reverse. A result that is replaced waits in DIR/_unfinished until all is done. */
#include "cli/program/folder.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/program/meta.h"
#include "engine/io/io.h"
#include "engine/io/store_files.h"
#include "engine/store/store.h"
#include "formats/stream/output.h"

static const char unfinished[] = "_unfinished", success[] = "_SUCCESS";

enum way { IN, SWAP, OUT }; /* to DIR; exchange with DIR; from DIR */

struct item {
    char *name; /* owned */
    enum way way;
    struct mr_store_lock *lock; /* of a store that is replaced */
};

struct items {
    struct item *list; /* [n] */
    size_t n;
};

static enum mr_status no_memory(struct mr_error *err)
{
    return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for file names");
}

static char *join(const char *directory, const char *name)
{
    char *path = NULL;
    return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

static int is_entry(const struct dirent *entry)
{
    return strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
}

/* ---- Removing ---- */

/* Removes a file or a directory with all that is in it; best effort. */
static void remove_tree(struct mr_io *io, const char *path)
{
    struct dirent **entries = NULL;
    struct stat info;

    if (path == NULL || lstat(path, &info) != 0) {
        return;
    }
    if (!S_ISDIR(info.st_mode)) {
        enum mr_status ignored = mr_io_unlink(io, path, NULL);
        (void)ignored;
        return;
    }
    const int n = scandir(path, &entries, is_entry, alphasort);
    for (int i = 0; i < n; i++) {
        char *child = join(path, entries[i]->d_name);
        remove_tree(io, child);
        free(child);
        free(entries[i]);
    }
    free(entries);
    mr_io_remove_store_dir(io, path);
}

/* Moves other people's files from a store that was replaced into the new one. */
static void carry_over(const struct mr_folder *folder, const char *store)
{
    char *from = join(folder->work, store), *to = join(folder->path, store);
    struct dirent **entries = NULL;
    const int n = from != NULL && to != NULL && mr_store_is_at(from)
                      ? scandir(from, &entries, is_entry, alphasort)
                      : 0;

    for (int i = 0; i < n; i++) {
        char *old = join(from, entries[i]->d_name), *new = join(to, entries[i]->d_name);
        if (old != NULL && new != NULL && !mr_store_owns_file(entries[i]->d_name)) {
            enum mr_status ignored =
                mr_io_rename(folder->session->context.io, old, new, MR_RENAME_NO_REPLACE, NULL);
            (void)ignored;
        }
        free(old);
        free(new);
        free(entries[i]);
    }
    free(entries);
    free(from);
    free(to);
}

/* ---- Opening ---- */

enum mr_status mr_folder_open(struct mr_session *session, const char *path, bool beside,
                              struct mr_folder *folder, struct mr_error *err)
{
    char *work = join(path, unfinished);

    *folder = (struct mr_folder){.session = session, .path = path, .beside = beside};
    folder->work = beside ? work : strdup(path);
    folder->made = mkdir(path, 0777) == 0;
    const int failure = folder->made ? 0 : errno;
    enum mr_status status = work == NULL || folder->work == NULL ? no_memory(err) : MR_OK;
    if (status == MR_OK && failure != 0 && failure != EEXIST) {
        status = mr_error_file(err, MR_ERROR_RUNTIME, path, failure, "cannot make it");
    }
    if (status == MR_OK) {
        status = mr_store_lock_take(path, &folder->lock, err);
    }
    if (status == MR_OK) {
        remove_tree(session->context.io, work);
        status = beside ? mr_io_make_dir(session->context.io, work, err) : MR_OK;
    }
    if (!beside) {
        free(work);
    }
    return status;
}

void mr_folder_close(struct mr_folder *folder)
{
    if (folder->beside && folder->lock != NULL) {
        remove_tree(folder->session->context.io, folder->work);
    }
    mr_store_lock_release(folder->lock);
    if (folder->made) {
        (void)rmdir(folder->path); /* rmdir fails, and the directory stays, if it is not empty */
    }
    free(folder->work);
    *folder = (struct mr_folder){0};
}

enum mr_status mr_folder_begin(struct mr_folder *folder, struct mr_error *err)
{
    char *path = join(folder->path, success);
    enum mr_status status = path == NULL ? no_memory(err) : MR_OK;

    if (status == MR_OK && !folder->beside && mr_io_exists(path)) {
        status = mr_io_unlink(folder->session->context.io, path, err);
    }
    free(path);
    return status;
}

/* ---- Publishing ---- */

static bool has(const struct items *items, const char *name)
{
    for (size_t i = 0; i < items->n; i++) {
        if (strcmp(items->list[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static enum mr_status add(struct items *items, const char *name, enum way way, struct mr_error *err)
{
    struct item *list = realloc(items->list, (items->n + 1) * sizeof *list);
    char *copy = list == NULL ? NULL : strdup(name);

    items->list = list == NULL ? items->list : list;
    if (copy == NULL) {
        return no_memory(err);
    }
    items->list[items->n++] = (struct item){.name = copy, .way = way};
    return MR_OK;
}

/* Adds a result that is ready. Metadata gets its final paths, and the store that is replaced is
 * locked. */
static enum mr_status add_new(const struct mr_folder *folder, const char *name, struct items *items,
                              struct mr_error *err)
{
    char *from = join(folder->work, name), *to = join(folder->path, name);
    enum mr_status status = from == NULL || to == NULL
                                ? no_memory(err)
                                : add(items, name, mr_io_exists(to) ? SWAP : IN, err);

    if (status == MR_OK && mr_store_is_at(to)) {
        status = mr_store_lock_take(to, &items->list[items->n - 1].lock, err);
    }
    if (status == MR_OK) {
        status = mr_meta_move(folder->session, from, folder->work, folder->path, err);
    }
    free(from);
    free(to);
    return status;
}

/* Adds the results that are ready, or what is in DIR and goes. */
static enum mr_status add_all(const struct mr_folder *folder, bool (*owns)(const char *name),
                              bool ready, struct items *items, struct mr_error *err)
{
    const char *directory = ready ? folder->work : folder->path;
    struct dirent **entries = NULL;
    const int n = scandir(directory, &entries, is_entry, alphasort);
    enum mr_status status =
        n < 0 ? mr_error_file(err, MR_ERROR_RUNTIME, directory, errno, "cannot read the directory")
              : MR_OK;

    for (int i = 0; i < n; i++) {
        const char *name = entries[i]->d_name;
        const bool goes = !ready && (strcmp(name, success) == 0 || (owns != NULL && owns(name)));
        if (status == MR_OK && ready) {
            status = add_new(folder, name, items, err);
        } else if (status == MR_OK && goes && !has(items, name)) {
            status = add(items, name, OUT, err);
        }
        free(entries[i]);
    }
    free(entries);
    return status;
}

static enum mr_status rename_item(const struct mr_folder *folder, const struct item *item,
                                  bool undo, struct mr_error *err)
{
    char *ready = join(folder->work, item->name), *final = join(folder->path, item->name);
    const bool out = (item->way == OUT) != undo;
    const enum mr_status status =
        ready == NULL || final == NULL
            ? no_memory(err)
            : mr_io_rename(folder->session->context.io, out ? final : ready, out ? ready : final,
                           item->way == SWAP ? MR_RENAME_EXCHANGE : MR_RENAME_NO_REPLACE, err);

    free(ready);
    free(final);
    return status;
}

static enum mr_status write_success(const struct mr_folder *folder, struct mr_error *err)
{
    struct mr_output *output = NULL;
    char *path = join(folder->path, success);
    const enum mr_status status =
        path == NULL ? no_memory(err)
                     : mr_output_open(&folder->session->context, path, true, &output, err);

    free(path);
    return status == MR_OK ? mr_output_commit(output, err) : status;
}

/* What goes is renamed first, so that _SUCCESS is gone before any result changes. */
static int old_first(const void *left, const void *right)
{
    const struct item *a = left, *b = right;
    return a->way != b->way ? (int)b->way - (int)a->way : strcmp(a->name, b->name);
}

/* Renames all of them; after an error none. */
static enum mr_status rename_all(const struct mr_folder *folder, const struct items *items,
                                 struct mr_error *err)
{
    struct mr_io *io = folder->session->context.io;
    enum mr_status status = mr_io_sync_dir(io, folder->work, err);
    size_t n = 0;

    while (status == MR_OK && n < items->n) {
        status = rename_item(folder, &items->list[n], false, err);
        n += status == MR_OK;
    }
    if (status == MR_OK) {
        status = mr_io_sync_dir(io, folder->path, err);
    }
    if (status == MR_OK) {
        status = write_success(folder, err);
    }
    while (status != MR_OK && n-- > 0) {
        enum mr_status ignored = rename_item(folder, &items->list[n], true, NULL);
        (void)ignored;
    }
    return status;
}

enum mr_status mr_folder_commit(struct mr_folder *folder, bool (*owns)(const char *name),
                                struct mr_error *err)
{
    struct items items = {0};
    enum mr_status status = MR_OK;

    if (!folder->beside) {
        return write_success(folder, err);
    }
    status = add_all(folder, owns, true, &items, err);
    if (status == MR_OK) {
        status = add_all(folder, owns, false, &items, err);
    }
    if (status == MR_OK) {
        qsort(items.list, items.n, sizeof *items.list, old_first);
        status = rename_all(folder, &items, err);
    }
    for (size_t i = 0; i < items.n; i++) {
        if (status == MR_OK && items.list[i].way == SWAP) {
            carry_over(folder, items.list[i].name);
        }
        mr_store_lock_release(items.list[i].lock);
        free(items.list[i].name);
    }
    free(items.list);
    return status;
}
