/* SPDX-License-Identifier: Apache-2.0 */
/* For unit tests: a temporary directory below $TMPDIR or /tmp, and small operations in it. */
#ifndef MR_TESTS_SUPPORT_TEST_DIR_H
#define MR_TESTS_SUPPORT_TEST_DIR_H

#include <dirent.h>
#include <ftw.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/random.h"

struct test_dir {
    char path[PATH_MAX / 4];
};

/* Below `parent`, or $TMPDIR, or /tmp. Returns false when it cannot be made. */
static inline bool test_dir_make(struct test_dir *dir, const char *parent)
{
    const char *tmp = parent != NULL ? parent : getenv("TMPDIR");
    (void)snprintf(dir->path, sizeof dir->path, "%s/millrace-test-XXXXXX",
                   tmp != NULL ? tmp : "/tmp");
    return mkdtemp(dir->path) != NULL;
}

static inline int test_dir_remove_one(const char *path, const struct stat *status, int type,
                                      struct FTW *walk)
{
    (void)status, (void)type, (void)walk;
    return remove(path);
}

static inline void test_dir_remove(const struct test_dir *dir)
{
    (void)nftw(dir->path, test_dir_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* Writes DIR/NAME to `path`, and returns `path`; NULL if it is too long. */
static inline const char *test_dir_path(const struct test_dir *dir, const char *name,
                                        char path[PATH_MAX])
{
    const size_t dir_bytes = strlen(dir->path), name_bytes = strlen(name);
    if (dir_bytes + 1 + name_bytes >= PATH_MAX) {
        return NULL;
    }
    memcpy(path, dir->path, dir_bytes);
    path[dir_bytes] = '/';
    memcpy(path + dir_bytes + 1, name, name_bytes + 1);
    return path;
}

/* The number of names in a directory, without "." and "..". */
static inline unsigned test_dir_count(const char *path)
{
    unsigned count = 0;
    DIR *listing = opendir(path);
    while (listing != NULL && readdir(listing) != NULL) {
        count++;
    }
    if (listing != NULL) {
        (void)closedir(listing);
    }
    return count >= 2 ? count - 2 : 0;
}

/* Writes a file without the code under test. */
static inline bool test_dir_write(const char *path, const void *data, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    if (file == NULL) {
        return false;
    }
    bool wrote = fwrite(data, 1, bytes, file) == bytes;
    return fclose(file) == 0 && wrote;
}

/* Returns whether the content of the file is exactly `data`. */
static inline bool test_dir_equals(const char *path, const void *data, size_t bytes)
{
    char *found = malloc(bytes + 1);
    FILE *file = fopen(path, "rb");
    bool same = file != NULL && found != NULL && fread(found, 1, bytes + 1, file) == bytes &&
                memcmp(found, data, bytes) == 0;
    if (file != NULL) {
        (void)fclose(file);
    }
    free(found);
    return same;
}

/* Random numbers; each test chooses its seed. */
static inline uint64_t test_random(uint64_t *state)
{
    return mr_random_mix(*state += MR_RANDOM_GOLDEN);
}

/* A function of random numbers below n, the same in every run. */
#define TEST_RANDOM(seed)                                                                          \
    static uint64_t state = seed;                                                                  \
    static inline uint32_t random_below(uint32_t n)                                                \
    {                                                                                              \
        return (uint32_t)(test_random(&state) % n);                                                \
    }

#endif
