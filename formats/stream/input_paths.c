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
#include "formats/stream/query.h"
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
    items[found->n++] = (struct mr_input_path){.path = copy, .bytes = bytes};
    return MR_OK;
}

/* Other programs take graphs of several files by what the names of all begin with. */

/* WebGraph's, which have a reader that finds the files. Labels stand in place of .graph. */
static bool find_webgraph(const char *base, char path[PATH_MAX])
{
    static const char *const suffixes[][2] = {{".graph", ".graph"}, {".labels", ".properties"}};
    char properties[PATH_MAX];

    (void)snprintf(properties, sizeof properties, "%s.properties", base);
    for (size_t i = 0; i < 2; i++) {
        (void)snprintf(path, PATH_MAX, "%s%s", base, suffixes[i][0]);
        if (mr_io_exists(path) && mr_io_exists(properties)) {
            (void)snprintf(path, PATH_MAX, "%s%s", base, suffixes[i][1]);
            return true;
        }
    }
    return false;
}

static enum mr_status refuse_missing(const char *path, struct mr_error *err)
{
    static const char *const suffixes[] = {".mill", ".graph", ".e", ".config", ".nodes"};
    char whole[PATH_MAX];

    for (size_t i = 0; i < sizeof suffixes / sizeof suffixes[0]; i++) {
        (void)snprintf(whole, sizeof whole, "%s%s", path, suffixes[i]);
        if (mr_io_exists(whole)) {
            return mr_error_file(err, MR_ERROR_INPUT, path, 0,
                                 "no such file, but the beginning of some; say %s", whole);
        }
    }
    const enum mr_status status = mr_not_links_refuse_address(path, err);
    if (status == MR_OK && path[0] == '\0') {
        return mr_error_set(err, MR_ERROR_INPUT, "an input has an empty name");
    }
    return status == MR_OK ? mr_error_file(err, MR_ERROR_INPUT, path, 0, "does not exist; %s",
                                           path[0] == '~' ? "the shell left ~ as it is, so write "
                                                            "$HOME"
                                                          : "check the name")
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

/* Is there a file or directory `name` in `directory`? `path` [PATH_MAX] is its path. */
static bool has(const char *directory, const char *name, char *path)
{
    return snprintf(path, PATH_MAX, "%s/%s", directory, name) < PATH_MAX && mr_io_exists(path);
}

/* Hadoop's MapFile is a directory of two SequenceFiles. */
static bool is_map_file(const char *path)
{
    char index[PATH_MAX], data[PATH_MAX], mark[4] = "";

    if (!has(path, "index", index) || !has(path, "data", data)) {
        return false;
    }
    FILE *file = fopen(index, "re");
    const size_t n = file != NULL ? fread(mark, 1, 3, file) : 0;
    if (file != NULL) {
        (void)fclose(file);
    }
    return n == 3 && strcmp(mark, "SEQ") == 0;
}

/* The directories in Nutch's segments and databases with links or fetches. The last one has the
 * list of a segment that is to be fetched, in files. */
static const char *const nutch_parts[] = {"parse_data", "crawl_fetch", "current", "crawl_generate"};
enum { N_NUTCH_PARTS = 4, CRAWL_FETCH = 1, CRAWL_GENERATE = 3 };

static bool is_nutch(const char *path)
{
    char part[PATH_MAX];
    bool found = is_map_file(path);

    for (size_t i = 0; i < N_NUTCH_PARTS && !found; i++) {
        found = has(path, nutch_parts[i], part);
    }
    return found;
}

/* How the entries of a directory are added. */
typedef enum mr_status (*add_entry)(struct mr_input_paths *found, const char *path, bool of_links,
                                    struct mr_error *err);

/* Adds the entries in the order of their names. `*n` is how many there are. */
static enum mr_status add_entries(struct mr_input_paths *found, const char *path, bool of_links,
                                  add_entry add_one, int *n, struct mr_error *err)
{
    struct dirent **entries = NULL;
    char entry[PATH_MAX];
    enum mr_status status = MR_OK;

    *n = scandir(path, &entries, is_part, by_name);
    if (*n < 0) {
        return mr_error_file(err, MR_ERROR_INPUT, path, errno, "cannot read it");
    }
    for (int i = 0; i < *n; i++) {
        if (status == MR_OK && !has(path, entries[i]->d_name, entry)) {
            status = mr_error_file(err, MR_ERROR_INPUT, path, errno, "cannot read %s in it",
                                   entries[i]->d_name);
        }
        status = status == MR_OK ? add_one(found, entry, of_links, err) : status;
        free(entries[i]);
    }
    free(entries);
    return status;
}

static enum mr_status add_map_file(struct mr_input_paths *found, const char *path, bool of_links,
                                   struct mr_error *err)
{
    char data[PATH_MAX];
    struct stat info;

    (void)of_links;
    return is_map_file(path) && has(path, "data", data) && stat(data, &info) == 0
               ? add(found, data, (uint64_t)info.st_size, err)
               : mr_error_file(err, MR_ERROR_INPUT, path, 0,
                               "is no part of a file of Nutch, which is a directory with the "
                               "files index and data");
}

static enum mr_status add_list(struct mr_input_paths *found, const char *path, bool of_links,
                               struct mr_error *err)
{
    struct stat info;

    (void)of_links;
    return stat(path, &info) == 0 && S_ISREG(info.st_mode)
               ? add(found, path, (uint64_t)info.st_size, err)
               : mr_error_file(err, MR_ERROR_INPUT, path, 0, "is no file of Nutch");
}

/* A part, a database, or a segment. */
static enum mr_status add_nutch(struct mr_input_paths *found, const char *path, bool of_links,
                                struct mr_error *err)
{
    char part[PATH_MAX];
    enum mr_status status = MR_OK;
    int n;

    if (is_map_file(path)) {
        return add_map_file(found, path, of_links, err);
    }
    for (size_t i = of_links ? 0 : CRAWL_FETCH; i < CRAWL_GENERATE && status == MR_OK; i++) {
        if (has(path, nutch_parts[i], part)) {
            status = add_entries(found, part, of_links, add_map_file, &n, err);
        }
    }
    if (status == MR_OK && !of_links && !has(path, nutch_parts[CRAWL_FETCH], part) &&
        has(path, nutch_parts[CRAWL_GENERATE], part)) {
        status = add_entries(found, part, of_links, add_list, &n, err);
    }
    return status;
}

/* A file, or one of several segments. */
static enum mr_status add_file(struct mr_input_paths *found, const char *path, bool of_links,
                               struct mr_error *err)
{
    struct stat info = {0};

    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        return is_nutch(path) ? add_nutch(found, path, of_links, err)
                              : mr_error_file(err, MR_ERROR_INPUT, path, 0,
                                              "is a directory inside an input; name those with "
                                              "the files to read, such as %.*s/*/",
                                              (int)(strrchr(path, '/') - path), path);
    }
    return add(found, path, S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0, err);
}

/* A part of a table of Parquet files: one of them, or a directory such as year=2026. */
static bool is_parquet(const char *path)
{
    const char *name = strrchr(path, '/');
    const size_t bytes = strlen(path);
    struct stat info;

    return (bytes > 8 && strcmp(path + bytes - 8, ".parquet") == 0) ||
           (name != NULL && strchr(name, '=') != NULL && stat(path, &info) == 0 &&
            S_ISDIR(info.st_mode));
}

static bool has_parquet(const char *path)
{
    DIR *directory = opendir(path);
    const struct dirent *entry;
    char part[PATH_MAX];
    bool is_found = false;

    while (directory != NULL && !is_found && (entry = readdir(directory)) != NULL) {
        is_found = is_part(entry) && has(path, entry->d_name, part) && is_parquet(part);
    }
    if (directory != NULL) {
        (void)closedir(directory);
    }
    return is_found;
}

/* The pattern of the whole table has all of its parts. */
static enum mr_status check_part(struct mr_input_paths *found, const char *path, bool of_links,
                                 struct mr_error *err)
{
    (void)found;
    (void)of_links;
    return is_parquet(path) ? MR_OK
                            : mr_error_file(err, MR_ERROR_INPUT, path, 0,
                                            "is beside Parquet files in a directory; name the "
                                            "files to read, such as %.*s/*.parquet",
                                            (int)(strrchr(path, '/') - path), path);
}

static enum mr_status add_directory(struct mr_input_paths *found, const char *path, bool of_links,
                                    struct mr_error *err)
{
    char parts[PATH_MAX];
    int n = 0;

    if (mr_store_probe(path)) {
        return mr_error_file(err, MR_ERROR_USAGE, path, 0,
                             of_links
                                 ? "is a store, and stands alone; 'millrace append' adds files "
                                   "to it, 'millrace export' writes its links to a file"
                                 : "is a store, and a file of scores or a list is wanted here; "
                                   "'millrace pagerank STORE -o FILE' makes scores");
    }
    if (is_nutch(path)) {
        return add_nutch(found, path, of_links, err);
    }
    if (has_parquet(path)) {
        (void)snprintf(parts, sizeof parts, "%s/**/*.parquet", path);
        const enum mr_status status = add_entries(found, path, of_links, check_part, &n, err);
        return status == MR_OK ? add(found, parts, 0, err) : status;
    }
    const enum mr_status status = add_entries(found, path, of_links, add_file, &n, err);
    return n != 0 ? status
                  : mr_error_file(err, MR_ERROR_INPUT, path, 0,
                                  "is %sa directory without files to read; those whose names "
                                  "begin with _ or . are left out",
                                  of_links ? "no store, and " : "");
}

/* ---- Paths ---- */

static enum mr_status add_path(struct mr_input_paths *found, const char *path, bool of_links,
                               struct mr_error *err)
{
    char whole[PATH_MAX];
    struct stat info;

    if (strcmp(path, "-") == 0) {
        return add(found, path, 0, err);
    }
    if (stat(path, &info) != 0) {
        return (errno == ENOENT || errno == ENAMETOOLONG) && mr_query_is(path)
                   ? add(found, path, 0, err)
               : errno == ENOENT && of_links && find_webgraph(path, whole)
                   ? add_path(found, whole, of_links, err)
               : errno == ENOENT ? refuse_missing(path, err)
                                 : mr_error_file(err, MR_ERROR_INPUT, path, errno, "cannot open");
    }
    return S_ISDIR(info.st_mode)
               ? add_directory(found, path, of_links, err)
               : add(found, path, S_ISREG(info.st_mode) ? (uint64_t)info.st_size : 0, err);
}

enum mr_status mr_input_paths_find(const char *const *paths, size_t n, bool of_links,
                                   struct mr_input_paths *found, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    *found = (struct mr_input_paths){0};
    for (size_t i = 0; i < n && status == MR_OK; i++) {
        const size_t before = found->n;
        status = add_path(found, paths[i], of_links, err);
        for (size_t k = before; k < found->n; k++) {
            found->items[k].folder = strcmp(found->items[k].path, paths[i]) != 0 ? i + 1 : 0;
        }
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
