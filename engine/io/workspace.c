/* SPDX-License-Identifier: Apache-2.0 */
/* The workspace of a run: rankings and exports of inputs that are no stores build temporary stores
 * in it. One directory with one lock holds them all, so that whatever a killed process leaves is
 * found and removed by the next run that makes a workspace in the same place. */
#include "engine/io/workspace.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/io/io.h"
#include "engine/io/leftover.h"

static const char prefix[] = "millrace-work-";

enum { TRIES = 100, NAME_BYTES = sizeof prefix + 32 };

struct mr_workspace {
    struct mr_io *io; /* not owned */
    int lock; /* -1: none */
    char path[];
};

const char *mr_workspace_parent(const struct mr_context *context)
{
    const char *fallback = getenv("TMPDIR");
    if (context->tmp_dir != NULL) {
        return context->tmp_dir;
    }
    return fallback != NULL && fallback[0] != '\0' ? fallback : "/var/tmp";
}

/* Returns PARENT/NAME, which the caller frees, or NULL. */
static char *path_in(const char *parent, const char *name)
{
    const size_t bytes = strlen(parent) + strlen(name) + 2;
    char *path = malloc(bytes);
    if (path != NULL) {
        (void)snprintf(path, bytes, "%s/%s", parent, name);
    }
    return path;
}

/* Removes the stores in a workspace, and the workspace if nothing else is in it. */
static void remove_workspace(struct mr_io *io, const char *path)
{
    DIR *listing = opendir(path);
    void *self;
    if (listing == NULL) {
        return;
    }
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0) {
            continue;
        }
        char *store = path_in(path, entry->d_name);
        if (store != NULL) {
            mr_io_remove_store_dir(io, store);
            if (strstr(entry->d_name, ".tmp-") != NULL) { /* of publish.h, killed before unlink */
                (void)mr_io_table_of(io, &self)->unlink(self, store);
            }
            free(store);
        }
    }
    (void)closedir(listing);
    (void)mr_io_table_of(io, &self)->remove_dir(self, path);
}

/* The process id in the name of a workspace, millrace-work-PID-N; 0: it is another name. */
static pid_t owner_of(const char *name)
{
    if (strncmp(name, prefix, sizeof prefix - 1) != 0) {
        return 0;
    }
    const char *at = name + sizeof prefix - 1;
    const size_t n_digits = strspn(at, "0123456789");
    const size_t n_last = at[n_digits] == '-' ? strspn(at + n_digits + 1, "0123456789") : 0;
    if (n_digits == 0 || n_digits > 9 || n_last == 0 || at[n_digits + 1 + n_last] != '\0') {
        return 0;
    }
    return (pid_t)strtol(at, NULL, 10);
}

static void remove_leftovers(struct mr_io *io, const char *parent)
{
    DIR *listing = opendir(parent);
    if (listing == NULL) {
        return;
    }
    for (struct dirent *entry = readdir(listing); entry != NULL; entry = readdir(listing)) {
        const pid_t owner = owner_of(entry->d_name);
        char *path = owner > 0 ? path_in(parent, entry->d_name) : NULL;
        int lock = -1;
        if (path != NULL && mr_leftover_is_free(path, owner, &lock)) {
            remove_workspace(io, path);
            mr_leftover_close(lock);
        }
        free(path);
    }
    (void)closedir(listing);
}

enum mr_status mr_workspace_open(const struct mr_context *context, struct mr_workspace **out,
                                 struct mr_error *err)
{
    const char *parent = mr_workspace_parent(context);
    const size_t room = strlen(parent) + NAME_BYTES;
    struct mr_workspace *workspace = calloc(1, sizeof *workspace + room);
    struct mr_error reason = {.status = MR_OK};
    enum mr_status status = MR_ERROR_RUNTIME;

    *out = NULL;
    if (workspace == NULL) {
        return mr_error_file(err, MR_ERROR_BUDGET, parent, ENOMEM, "cannot make a temporary file");
    }
    workspace->io = context->io;
    remove_leftovers(context->io, parent);
    for (unsigned i = 0; i < TRIES && status != MR_OK; i++) {
        (void)snprintf(workspace->path, room, "%s/%s%ld-%u", parent, prefix, (long)getpid(), i);
        reason = (struct mr_error){.status = MR_OK};
        status = mr_leftover_make_dir(context->io, workspace->path, &workspace->lock, &reason);
        if (status != MR_OK && reason.os_errno != EEXIST) {
            break;
        }
    }
    if (status != MR_OK) {
        free(workspace);
        return mr_error_file(err, status, parent, reason.os_errno,
                             "cannot make a directory for temporary stores there; name another "
                             "directory with --tmp");
    }
    *out = workspace;
    return MR_OK;
}

const char *mr_workspace_path(const struct mr_workspace *workspace)
{
    return workspace->path;
}

void mr_workspace_close(struct mr_workspace *workspace)
{
    if (workspace != NULL) {
        remove_workspace(workspace->io, workspace->path);
        mr_leftover_close(workspace->lock);
        free(workspace);
    }
}
