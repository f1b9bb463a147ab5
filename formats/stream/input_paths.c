/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/stream/input_paths.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "engine/io/io.h"
#include "formats/stream/not_links.h"
#include "millrace/store.h"

const char *mr_input_path_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}

static enum mr_status add(struct mr_input_paths *found, const char *path, uint64_t bytes,
                          struct mr_error *err)
{
    const size_t n = found->n;
    struct mr_input_path *items =
        (n & (n - 1)) != 0 ? found->items : realloc(found->items, (2 * n + 1) * sizeof *items);
    char *copy = strdup(path);

    found->items = items != NULL ? items : found->items;
    if (items == NULL || copy == NULL) {
        free(copy);
        return mr_error_file(err, MR_ERROR_BUDGET, path, 0, "out of memory for names of inputs");
    }
    items[found->n++] = (struct mr_input_path){copy, bytes};
    return MR_OK;
}

/* Other programs take graphs of several files by what the names of all begin with. */
static enum mr_status refuse_missing(const char *path, struct mr_error *err)
{
    static const char *const suffixes[] = {".graph", ".e", ".config", ".nodes"};
    char whole[PATH_MAX];

    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        (void)snprintf(whole, sizeof whole, "%s%s", path, suffixes[i]);
        if (mr_io_exists(whole)) {
            return mr_error_file(err, MR_ERROR_INPUT, path, 0,
                                 "no such file, but the beginning of some; say %s", whole);
        }
    }
    const enum mr_status status = mr_not_links_refuse_address(path, err);
    return status == MR_OK
               ? mr_error_file(err, MR_ERROR_INPUT, path, 0, "does not exist; check the name")
               : status;
}

/* ---- Directories ---- */

static int is_part(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && entry->d_name[0] != '_';
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static enum mr_status add_part(struct mr_input_paths *found, const char *directory,
                               const char *name, struct mr_error *err)
{
    char path[PATH_MAX];
    struct stat info;
    const int bytes = snprintf(path, sizeof path, "%s/%s", directory, name);

    if (bytes >= (int)sizeof path || stat(path, &info) != 0) {
        return mr_error_file(err, MR_ERROR_INPUT, directory, errno, "cannot read %s in it", name);
    }
    if (S_ISDIR(info.st_mode)) {
        return mr_error_file(err, MR_ERROR_INPUT, directory, 0,
                             "has directories, such as %s; name those with the files to read",
                             name);
    }
    return add(found, path, S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0, err);
}

static enum mr_status add_directory(struct mr_input_paths *found, const char *path,
                                    struct mr_error *err)
{
    struct dirent **entries = NULL;
    enum mr_status status = MR_OK;

    if (mr_store_probe(path)) {
        return mr_error_file(err, MR_ERROR_USAGE, path, 0,
                             "is a store, and stands alone; 'millrace append' adds files to it, "
                             "'millrace export' writes its links to a file");
    }
    const int n = scandir(path, &entries, is_part, by_name);
    if (n < 0) {
        return mr_error_file(err, MR_ERROR_INPUT, path, errno, "cannot read it");
    }
    for (int i = 0; i < n; i++) {
        status = status == MR_OK ? add_part(found, path, entries[i]->d_name, err) : status;
        free(entries[i]);
    }
    free(entries);
    return n > 0 ? status
                 : mr_error_file(err, MR_ERROR_INPUT, path, 0,
                                 "is no store, and a directory without files to read; those "
                                 "whose names begin with _ or . are left out");
}

/* ---- Paths ---- */

static enum mr_status add_path(struct mr_input_paths *found, const char *path, struct mr_error *err)
{
    struct stat info;

    if (strcmp(path, "-") == 0) {
        return add(found, path, 0, err);
    }
    if (stat(path, &info) != 0) {
        return errno == ENOENT ? refuse_missing(path, err)
                               : mr_error_file(err, MR_ERROR_INPUT, path, errno, "cannot open");
    }
    return S_ISDIR(info.st_mode)
               ? add_directory(found, path, err)
               : add(found, path, S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0, err);
}

enum mr_status mr_input_paths_find(const char *const *paths, size_t n, struct mr_input_paths *found,
                                   struct mr_error *err)
{
    enum mr_status status = MR_OK;

    *found = (struct mr_input_paths){0};
    for (size_t i = 0; i < n && status == MR_OK; i++) {
        status = add_path(found, paths[i], err);
    }
    return status;
}

void mr_input_paths_free(struct mr_input_paths *found)
{
    for (size_t i = 0; i < found->n; i++) {
        free(found->items[i].path);
    }
    free(found->items);
    *found = (struct mr_input_paths){0};
}
