/* SPDX-License-Identifier: Apache-2.0 */
/* Recognising the names of a store's files, the counterpart of mr_store_file_path, which makes
 * these names. The sweep, the publication and the removal of a store ask here before they remove or
 * move a file. The scheme is strict (a number has no leading zero, for example), so that other
 * people's files rarely fit it. */
#include "engine/io/store_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/format.h"
#include "engine/io/store_lock.h"

/* Skips `prefix` at `*at`. */
static bool skip(const char **at, const char *prefix)
{
    const size_t bytes = strlen(prefix);
    if (strncmp(*at, prefix, bytes) != 0) {
        return false;
    }
    *at += bytes;
    return true;
}

/* Skips a number at `*at` that fits 32 bits and is written as printf writes it. */
static bool skip_number(const char **at, uint32_t *number)
{
    const size_t digits = strspn(*at, "0123456789");
    uint64_t value = 0;
    if (digits == 0 || digits > 10 || (digits > 1 && **at == '0')) {
        return false;
    }
    for (size_t i = 0; i < digits; i++) {
        value = 10 * value + (uint64_t)((*at)[i] - '0');
    }
    *at += digits;
    *number = (uint32_t)value;
    return value <= UINT32_MAX;
}

bool mr_store_is_data_file(const char *name, uint32_t *generation)
{
    static const char *const prefixes[] = {MR_INDEX_PREFIX, MR_DEGREES_PREFIX, MR_NAMES_PREFIX,
                                           MR_ORDER_PREFIX, MR_FACTS_PREFIX};
    const char *at = name;
    uint32_t number = 0, link_class = 0;
    (void)skip(&at, MR_WEIGHTS_PREFIX);
    const bool is_links = skip(&at, MR_LINKS_PREFIX);
    bool is_data = is_links;
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0] && !is_data; i++) {
        is_data = skip(&at, prefixes[i]);
    }
    if (!is_data || !skip_number(&at, &number)) {
        return false;
    }
    if (is_links && skip(&at, ".") &&
        !(skip_number(&at, &link_class) && link_class > 0 && link_class < MR_CLASSES_MAX)) {
        return false;
    }
    if (generation != NULL) {
        *generation = number;
    }
    return *at == '\0';
}

/* STEM.edges.tmp-PID: the name that build.c's scratch file has for a moment. */
static bool is_scratch(const char *name)
{
    const char *at = strrchr(name, '-');
    static const char infix[] = ".edges.tmp-";
    uint32_t pid = 0;
    if (at == NULL) {
        return false;
    }
    const size_t bytes = (size_t)(++at - name);
    return bytes >= sizeof infix - 1 &&
           memcmp(at - (sizeof infix - 1), infix, sizeof infix - 1) == 0 &&
           skip_number(&at, &pid) && *at == '\0';
}

bool mr_store_owns_file(const char *name)
{
    return mr_store_is_data_file(name, NULL) || strcmp(name, MR_MANIFEST_NAME) == 0 ||
           strcmp(name, MR_WEIGHTS_PREFIX MR_MANIFEST_NAME) == 0 ||
           strcmp(name, MR_LOCK_NAME) == 0 || is_scratch(name);
}

bool mr_store_is_at(const char *path)
{
    static const char magic[] = MR_MANIFEST_MAGIC;
    char manifest[4096], begin[sizeof magic - 1];

    if (snprintf(manifest, sizeof manifest, "%s/" MR_MANIFEST_NAME, path) >= (int)sizeof manifest) {
        return false;
    }
    /* Do not wait if it is a pipe. */
    const int fd = (int)TEMP_FAILURE_RETRY(open(manifest, O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    const bool is_store =
        fd >= 0 && TEMP_FAILURE_RETRY(pread(fd, begin, sizeof begin, 0)) == (ssize_t)sizeof begin &&
        memcmp(begin, magic, sizeof begin) == 0;
    if (fd >= 0) {
        (void)close(fd);
    }
    return is_store;
}

bool mr_store_holds(const char *path)
{
    char *ancestor = strdup(path);
    bool found = false;

    while (ancestor != NULL && !found) {
        found = mr_store_is_at(ancestor);
        char *slash = strrchr(ancestor, '/');
        if (slash == NULL || slash == ancestor) {
            break;
        }
        *slash = '\0';
    }
    free(ancestor);
    return found;
}
