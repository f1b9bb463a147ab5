/* SPDX-License-Identifier: Apache-2.0 */
/* Loads libcurl for links_resolve.c. libcurl brings 23 other libraries, for transfers that Millrace
 * never makes. Linking it would load all of them when any command starts, which takes 4 ms of 6;
 * only readers of crawls need it. docs/notes/url-libraries.md compares other parsers. */
#include "formats/url/curl_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdbool.h>

/* The builds of Debian with OpenSSL, GnuTLS and NSS. All have the same parser. */
static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4", "libcurl-nss.so.4"};

/* Stores the address of a function at `function`, a pointer to a pointer to a function. */
static bool find(void *handle, const char *name, void *function)
{
    *(void **)function = dlsym(handle, name);
    return *(void **)function != NULL;
}

enum mr_status mr_curl_library_load(struct mr_curl_library *library, struct mr_error *err)
{
    void *handle = NULL;

    for (size_t i = 0; i < sizeof names / sizeof names[0] && handle == NULL; i++) {
        errno = 0;
        handle = dlopen(names[i], RTLD_LAZY | RTLD_LOCAL | RTLD_NODELETE);
        if (handle == NULL && errno == ENOMEM) {
            return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for libcurl");
        }
    }
    if (handle == NULL) {
        return mr_error_set(err, MR_ERROR_RUNTIME,
                            "links of pages are resolved with libcurl, which cannot be loaded: "
                            "libcurl.so.4; install it (libcurl4 in Debian), or give links that are "
                            "resolved");
    }
    if (!find(handle, "curl_url", &library->create) ||
        !find(handle, "curl_url_dup", &library->copy) ||
        !find(handle, "curl_url_cleanup", &library->destroy) ||
        !find(handle, "curl_url_get", &library->get) ||
        !find(handle, "curl_url_set", &library->set) ||
        !find(handle, "curl_free", &library->release)) {
        return mr_error_set(
            err, MR_ERROR_RUNTIME,
            "libcurl is older than 7.62 and has no URL parser; install a newer one");
    }
    return MR_OK;
}
