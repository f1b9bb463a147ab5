/* SPDX-License-Identifier: Apache-2.0 */
/* A machine without libcurl: preloaded (LD_PRELOAD), dlopen does not find it. For
 * cli/crawl_inputs_test.sh. */
#include <dlfcn.h>
#include <stddef.h>
#include <string.h>

__attribute__((visibility("default"))) void *dlopen(const char *file, int mode)
{
    void *(*next)(const char *, int) = NULL;

    if (file != NULL && strncmp(file, "libcurl", 7) == 0) {
        return NULL;
    }
    *(void **)(&next) = dlsym(RTLD_NEXT, "dlopen");
    return next != NULL ? next(file, mode) : NULL;
}
