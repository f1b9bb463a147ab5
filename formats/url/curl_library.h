/* SPDX-License-Identifier: Apache-2.0 */
/* libcurl's URL parser, loaded when the first link is resolved. Internal to formats/url. */
#ifndef MR_FORMATS_URL_CURL_LIBRARY_H
#define MR_FORMATS_URL_CURL_LIBRARY_H

#include <curl/curl.h>

#include "engine/base/error.h"

/* The functions that Millrace calls. */
struct mr_curl_library {
    CURLU *(*create)(void);
    CURLU *(*copy)(const CURLU *url);
    void (*destroy)(CURLU *url);
    CURLUcode (*get)(const CURLU *url, CURLUPart part, char **text, unsigned flags);
    CURLUcode (*set)(CURLU *url, CURLUPart part, const char *text, unsigned flags);
    void (*release)(void *text);
};

/* Loads the library, or finds the loaded one; it stays loaded until the process ends. Any thread
 * may call it. Errors: RUNTIME where it is not installed, BUDGET. Time: some 4 ms for the first
 * call. */
enum mr_status mr_curl_library_load(struct mr_curl_library *library,
                                    struct mr_error *err) MR_WARN_UNUSED;

#endif
