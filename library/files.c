/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the files that a call reads and writes, and checks that they do not conflict. The
 * program lists those of a command from its tables of options (cli/program/command.c), public
 * functions those of their arguments. When the engine begins an output, it checks the file again
 * and refuses a file that appeared in between. */
#include "library/files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/io/publish.h"
#include "engine/io/store_files.h"
#include "formats/stream/output.h"
#include "formats/table/properties.h"

enum { WHAT_BYTES = 64 };

struct used_file {
    enum mr_file_use use;
    char what[WHAT_BYTES]; /* "--log" */
    char *path; /* owned */
};

struct mr_files {
    struct used_file *entries; /* [n] */
    size_t n, room;
    bool failed; /* out of memory */
};

/* ---- The list ---- */

struct mr_files *mr_files_create(void)
{
    return calloc(1, sizeof(struct mr_files));
}

/* Takes ownership of `path`; NULL counts as out of memory. */
static void add_entry(struct mr_files *files, enum mr_file_use use, const char *what, char *path)
{
    if (path != NULL && files->n == files->room) {
        const size_t room = 2 * files->room + 16;
        struct used_file *entries = realloc(files->entries, room * sizeof *entries);
        if (entries == NULL) {
            free(path);
            path = NULL;
        } else {
            files->entries = entries;
            files->room = room;
        }
    }
    if (path == NULL) {
        files->failed = true;
        return;
    }
    struct used_file *entry = &files->entries[files->n++];
    entry->use = use;
    entry->path = path;
    (void)snprintf(entry->what, sizeof entry->what, "%s", what);
}

/* Formats with several files of one stem. A reader of one of the files, or of the stem, reads
 * all. */
static const char *const families[][4] = {{".graph", ".properties", ".offsets", NULL},
                                          {".properties", ".v", ".e", NULL},
                                          {".config", ".idx", ".adj", NULL},
                                          {".nodes", ".edges", NULL}};

static bool ends_with_one_of(const char *path, const char *const *suffixes)
{
    const size_t length = strlen(path);
    for (; *suffixes != NULL; suffixes++) {
        const size_t bytes = strlen(*suffixes);
        if (length > bytes && strcmp(path + length - bytes, *suffixes) == 0) {
            return true;
        }
    }
    return false;
}

static void add_family(struct mr_files *files, const char *what, const char *path)
{
    struct stat info;
    const bool is_stem = stat(path, &info) != 0;

    for (size_t i = 0; i < sizeof families / sizeof families[0]; i++) {
        if (!is_stem && !ends_with_one_of(path, families[i])) {
            continue;
        }
        for (size_t k = 0; families[i][k] != NULL; k++) {
            add_entry(files, MR_FILE_READ, what,
                      mr_path_sibling(path, families[i], families[i][k]));
        }
    }
}

/* A pipe or a device. */
static bool is_special(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

void mr_files_add(struct mr_files *files, enum mr_file_use use, const char *what, const char *path,
                  const char *suffix)
{
    char *whole = NULL;
    if (files == NULL || path == NULL) {
        return;
    }
    if (asprintf(&whole, "%s%s", path, suffix != NULL ? suffix : "") < 0) {
        whole = NULL;
    }
    add_entry(files, use, what, whole);
    if (use == MR_FILE_READ && strcmp(path, "-") != 0) {
        add_family(files, what, path);
    }
    if (use == MR_FILE_SCORES && !mr_output_is_standard(path) && !is_special(path)) {
        char label[WHAT_BYTES];
        (void)snprintf(label, sizeof label, "the metadata of %s", what);
        mr_files_add(files, MR_FILE_UPDATED, label, path, ".meta.json");
    }
}

/* ---- Looking at files ---- */

/* What the file system says about the file of an entry: its inode, its directory and its name
 * there. The file itself need not exist yet. */
struct file_location {
    const struct used_file *entry;
    bool exists; /* true also for a symbolic link to nothing */
    bool is_special; /* a pipe or a device */
    struct stat target; /* zeroed where no file exists */
    char *parent; /* real path of the directory, owned; NULL where it does not exist */
    struct stat parent_info;
    const char *name; /* the last component, in entry->path */
    size_t name_bytes;
};

static bool is_same_file(const struct stat *a, const struct stat *b)
{
    return a->st_ino != 0 && a->st_ino == b->st_ino && a->st_dev == b->st_dev;
}

/* Returns the directory of `path`, which the caller frees, and sets `*name` to the last
 * component. Returns NULL when out of memory. */
static char *parent_of(const char *path, const char **name, size_t *name_bytes)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/') {
        end--;
    }
    size_t start = end;
    while (start > 0 && path[start - 1] != '/') {
        start--;
    }
    *name = path + start;
    *name_bytes = end - start;
    if (start == 0) {
        return strdup(".");
    }
    while (start > 1 && path[start - 1] == '/') {
        start--;
    }
    return strndup(path, start);
}

static void stat_input(const struct used_file *entry, struct file_location *location)
{
    *location = (struct file_location){.entry = entry};
    const int failure = strcmp(entry->path, "-") == 0 ? fstat(STDIN_FILENO, &location->target)
                                                      : stat(entry->path, &location->target);
    const mode_t mode = location->target.st_mode;
    location->is_special = S_ISFIFO(mode) || S_ISSOCK(mode);
    /* Several options may read one device, so these never conflict. */
    if (failure != 0 || !(S_ISREG(mode) || S_ISDIR(mode) || location->is_special)) {
        location->target = (struct stat){0};
    }
}

static enum mr_status stat_output(const struct used_file *entry, struct file_location *location,
                                  struct mr_error *err)
{
    struct stat link;

    *location = (struct file_location){.entry = entry};
    location->exists = lstat(entry->path, &link) == 0;
    location->is_special = is_special(entry->path);
    if (location->is_special) {
        return MR_OK;
    }
    if (stat(entry->path, &location->target) != 0) {
        location->target = (struct stat){0};
    }
    char *parent = parent_of(entry->path, &location->name, &location->name_bytes);
    if (parent == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the names of files");
    }
    enum mr_status status = MR_OK;
    location->parent = realpath(parent, NULL);
    if (location->parent == NULL || stat(location->parent, &location->parent_info) != 0) {
        status = errno == ENOENT || errno == ENOTDIR
                     ? mr_error_file(err, MR_ERROR_RUNTIME, entry->path, 0,
                                     "the directory %s is not there; make it first", parent)
                     : mr_error_file(err, MR_ERROR_RUNTIME, parent, errno, "cannot write there");
    } else if (!S_ISDIR(location->parent_info.st_mode)) {
        status = mr_error_file(err, MR_ERROR_RUNTIME, entry->path, 0,
                               "%s is no directory; name another directory", parent);
    }
    free(parent);
    return status == MR_OK && location->name_bytes == 0
               ? mr_error_file(err, MR_ERROR_USAGE, entry->path, 0,
                               "names no file; give a new name")
               : status;
}

/* ---- Refusals ---- */

/* Refuses the last of `inputs` [n] if it and another one are standard input, or one pipe. */
static enum mr_status refuse_second_reading(const struct file_location *inputs, size_t n,
                                            struct mr_error *err)
{
    const struct file_location *input = &inputs[n - 1];
    const char *path = input->entry->path;
    const bool is_standard = strcmp(path, "-") == 0;

    for (size_t i = 0; i + 1 < n && (is_standard || input->is_special); i++) {
        if (is_standard && strcmp(inputs[i].entry->path, "-") == 0) {
            return mr_error_set(err, MR_ERROR_USAGE,
                                "standard input can be read only once; name - once");
        }
        if (input->is_special && is_same_file(&input->target, &inputs[i].target)) {
            return mr_error_set(err, MR_ERROR_USAGE,
                                "%s and %s are one pipe, which can be read only once; name it once",
                                inputs[i].entry->path, path);
        }
    }
    return MR_OK;
}

/* Standard output takes one output, and no file that is read again. `before`: another output that
 * goes there, or NULL. */
static enum mr_status refuse_standard_output(const struct used_file *entry,
                                             const struct used_file *before, struct mr_error *err)
{
    return entry->use == MR_FILE_UPDATED
               ? mr_error_set(err, MR_ERROR_USAGE, "%s %s: needs a file of its own", entry->what,
                              entry->path)
           : before != NULL ? mr_error_set(err, MR_ERROR_USAGE,
                                           "%s and %s would both go to standard output; name a "
                                           "file for one of them",
                                           before->what, entry->what)
                            : MR_OK;
}

/* By where it is, and where it leads: a log is written through a link. */
static enum mr_status refuse_in_store(const struct file_location *location, struct mr_error *err)
{
    const char *path = location->entry->path;
    bool found = mr_store_holds(location->parent);
    char *real = found || location->target.st_ino == 0 ? NULL : realpath(path, NULL);

    if (real != NULL && location->entry->use != MR_FILE_DIRECTORY) {
        char *slash = strrchr(real, '/');
        slash[slash == real ? 1 : 0] = '\0';
    }
    found = found || (real != NULL && mr_store_holds(real));
    free(real);
    return found ? mr_error_file(err, MR_ERROR_USAGE, path, 0,
                                 "is inside a store, which may hold only its own files; choose "
                                 "another path for %s",
                                 location->entry->what)
                 : MR_OK;
}

static enum mr_status refuse_input(const struct file_location *output,
                                   const struct file_location *inputs, size_t n_inputs,
                                   struct mr_error *err)
{
    for (size_t i = 0; i < n_inputs; i++) {
        if (is_same_file(&output->target, &inputs[i].target)) {
            const char *input = inputs[i].entry->path;
            return mr_error_file(err, MR_ERROR_USAGE, output->entry->path, 0,
                                 "is also an input (%s); name another file for %s",
                                 strcmp(input, "-") == 0 ? "standard input" : input,
                                 output->entry->what);
        }
    }
    return MR_OK;
}

static bool collide(const struct file_location *a, const struct file_location *b)
{
    if (a->entry->use == MR_FILE_DIRECTORY && b->entry->use == MR_FILE_DIRECTORY) {
        return false; /* --tmp may be the directory of the results */
    }
    return is_same_file(&a->target, &b->target) ||
           (is_same_file(&a->parent_info, &b->parent_info) && a->name_bytes == b->name_bytes &&
            memcmp(a->name, b->name, a->name_bytes) == 0);
}

static enum mr_status refuse_collision(const struct file_location *outputs, size_t n,
                                       struct mr_error *err)
{
    for (size_t i = 0; i < n; i++) {
        if (!outputs[n].is_special && !outputs[i].is_special && collide(&outputs[n], &outputs[i])) {
            return mr_error_file(err, MR_ERROR_USAGE, outputs[n].entry->path, 0,
                                 "%s and %s would write the same file; give each its own",
                                 outputs[i].entry->what, outputs[n].entry->what);
        }
    }
    return MR_OK;
}

static enum mr_status check_existing(const struct file_location *location, bool force,
                                     struct mr_error *err)
{
    const enum mr_file_use use = location->entry->use;
    const bool is_file = use == MR_FILE_WRITE || use == MR_FILE_SCORES;
    const char *path = location->entry->path;

    if (is_file && S_ISDIR(location->target.st_mode)) {
        return mr_error_file(err, MR_ERROR_USAGE, path, 0,
                             "is a directory; name a file to write to");
    }
    if (use == MR_FILE_DIRECTORY && location->exists && !S_ISDIR(location->target.st_mode)) {
        return mr_error_file(err, MR_ERROR_USAGE, path, 0, "is no directory; name another for %s",
                             location->entry->what);
    }
    /* The command refuses what a store does not replace, unless it writes a text instead. */
    const bool is_store = use == MR_FILE_STORE && mr_publish_replaces(path);
    if ((is_file || is_store) && location->exists && !force) {
        const char *what = location->entry->what;
        return strncmp(what, "--", 2) == 0
                   ? mr_error_file(err, MR_ERROR_USAGE, path, 0,
                                   "exists, and %s writes it; name another file, or use --force to "
                                   "replace it",
                                   what)
                   : mr_error_file(err, MR_ERROR_USAGE, path, 0,
                                   "exists; use --force to replace it");
    }
    return MR_OK;
}

/* An output is made in its directory and renamed there, so the directory must be writable. */
static enum mr_status check_directory(const struct file_location *location, struct mr_error *err)
{
    const bool is_within = location->entry->use == MR_FILE_DIRECTORY && location->exists;
    const char *path = is_within ? location->entry->path : location->parent;

    return access(path, W_OK | X_OK) == 0
               ? MR_OK
               : mr_error_file(err, MR_ERROR_RUNTIME, path, errno, "cannot write there");
}

/* ---- The check ---- */

/* Checks the last of `outputs` [n] against all inputs and the outputs before it. */
static enum mr_status check_output(const struct file_location *inputs, size_t n_inputs,
                                   const struct file_location *outputs, size_t n, bool force,
                                   struct mr_error *err)
{
    const struct file_location *output = &outputs[n - 1];
    const bool is_in_place = output->entry->use == MR_FILE_UPDATE;

    if (output->is_special) {
        return MR_OK;
    }
    enum mr_status status = is_in_place ? MR_OK : refuse_in_store(output, err);
    if (status == MR_OK) {
        status = refuse_input(output, inputs, n_inputs, err);
    }
    if (status == MR_OK) {
        status = refuse_collision(outputs, n - 1, err);
    }
    if (status == MR_OK && !is_in_place) {
        status = check_existing(output, force, err);
    }
    return status == MR_OK && !is_in_place ? check_directory(output, err) : status;
}

/* Checks standard output where it is a file: no input and no other output may be that file. */
static enum mr_status check_standard_output(const struct file_location *inputs, size_t n_inputs,
                                            struct file_location *outputs, size_t n_outputs,
                                            struct mr_error *err)
{
    static char name[] = "standard output";
    const struct used_file entry = {.use = MR_FILE_WRITE, .what = "standard output", .path = name};
    struct file_location *output = &outputs[n_outputs];

    *output = (struct file_location){.entry = &entry};
    if (fstat(STDOUT_FILENO, &output->target) != 0 || !S_ISREG(output->target.st_mode)) {
        return MR_OK;
    }
    const enum mr_status status = refuse_input(output, inputs, n_inputs, err);
    return status == MR_OK ? refuse_collision(outputs, n_outputs, err) : status;
}

static enum mr_status check_all(const struct mr_files *files, bool force, bool prints,
                                struct mr_error *err)
{
    struct file_location *locations =
        files == NULL || files->failed ? NULL : calloc(2 * files->n + 1, sizeof *locations);
    struct file_location *inputs = locations,
                         *outputs = locations == NULL ? NULL : locations + files->n;
    const struct used_file *printed = NULL;
    size_t n_inputs = 0, n_outputs = 0;
    enum mr_status status = MR_OK;

    if (locations == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the names of files");
    }
    for (size_t i = 0; i < files->n && status == MR_OK; i++) {
        if (files->entries[i].use == MR_FILE_READ) {
            stat_input(&files->entries[i], &inputs[n_inputs++]);
            status = refuse_second_reading(inputs, n_inputs, err);
        }
    }
    for (size_t i = 0; i < files->n && status == MR_OK; i++) {
        const struct used_file *entry = &files->entries[i];
        if (entry->use != MR_FILE_READ && mr_output_is_standard(entry->path)) {
            status = refuse_standard_output(entry, printed, err);
            printed = entry;
        } else if (entry->use != MR_FILE_READ) {
            status = stat_output(entry, &outputs[n_outputs++], err);
            status = status == MR_OK
                         ? check_output(inputs, n_inputs, outputs, n_outputs, force, err)
                         : status;
        }
    }
    if (status == MR_OK && (prints || printed != NULL)) {
        status = check_standard_output(inputs, n_inputs, outputs, n_outputs, err);
    }
    for (size_t i = 0; i < n_outputs; i++) {
        free(outputs[i].parent);
    }
    free(locations);
    return status;
}

enum mr_status mr_files_end(struct mr_files *files, enum mr_status status, bool force, bool prints,
                            struct mr_error *err)
{
    status = status == MR_OK ? check_all(files, force, prints, err) : status;
    for (size_t i = 0; files != NULL && i < files->n; i++) {
        free(files->entries[i].path);
    }
    if (files != NULL) {
        free(files->entries);
    }
    free(files);
    return status;
}
