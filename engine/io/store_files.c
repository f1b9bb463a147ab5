/* SPDX-License-Identifier: Apache-2.0 */
/* Recognising the names of a store's files, the counterpart of mr_store_file_path, which makes
 * these names. The publication and the removal of a store ask here before they remove or move a
 * file. */
#include "engine/io/store_files.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/format.h"
#include "engine/io/store_lock.h"

/* STEM.edges.tmp-PID: the name that build.c's scratch file has for a moment. */
static bool is_scratch(const char *name)
{
    static const char infix[] = ".edges.tmp-";
    const char *at = strrchr(name, '-');
    if (at == NULL) {
        return false;
    }
    const size_t bytes = (size_t)(++at - name);
    const size_t digits = strspn(at, "0123456789");
    return bytes >= sizeof infix - 1 &&
           memcmp(at - (sizeof infix - 1), infix, sizeof infix - 1) == 0 && digits > 0 &&
           at[digits] == '\0';
}

bool mr_store_owns_file(const char *name)
{
    static const char *const names[] = {MR_INDEX_NAME,   MR_LINKS_NAME,   MR_INTERNAL_NAME,
                                        MR_DEGREES_NAME, MR_NAMES_NAME,   MR_ORDER_NAME,
                                        MR_FACTS_NAME,   MR_MANIFEST_NAME};
    const size_t prefix = strlen(MR_WEIGHTS_PREFIX);
    if (strcmp(name, MR_LOCK_NAME) == 0 || is_scratch(name)) {
        return true;
    }
    name += strncmp(name, MR_WEIGHTS_PREFIX, prefix) == 0 ? prefix : 0;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
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
