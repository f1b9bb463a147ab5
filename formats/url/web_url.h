/* SPDX-License-Identifier: Apache-2.0 */
/* URLs of http, https and ftp as browsers spell them (WHATWG URL standard, url.spec.whatwg.org).
 * Internal to formats/url. */
#ifndef MR_FORMATS_URL_WEB_URL_H
#define MR_FORMATS_URL_WEB_URL_H

#include "formats/url/canonical_internal.h"

/* A URL: text [0, authority) is "http://", then come user, host and port, [path, query) is the
 * path, and from `query` on the query with its "?". The caller gives `text` its room. */
struct mr_web_url {
    struct mr_text text;
    size_t authority, path, query;
    unsigned scheme;
};

/* How much of a URL gets the spelling of browsers. */
enum mr_web_spelling {
    MR_WEB_PAGE, /* all: path and query are encoded, an empty path is "/", the fragment goes */
    MR_WEB_SEGMENTS, /* not the bytes of path and query, the fragment, and an empty path */
    MR_WEB_HOST /* scheme, user, host, port and the slashes around them: the rest is as given */
};

/* Parse `input`, which may be relative to `base` (NULL: it is absolute), into `out`. Scheme and
 * host become small letters; the host becomes ASCII (UTS 46, not transitional), and numbers an IPv4
 * address; default ports go; a backslash is a slash; dot segments are resolved. `input` is edited.
 * False: `input` is no URL of http, https or ftp, or does not fit into the room. Differences to the
 * standard: bytes that are not UTF-8 are encoded as they are; labels that begin with "xn--" are not
 * decoded; libidn2 refuses hosts that IDNA 2008 has no letters for. Thread-safe. */
bool mr_web_url_parse(struct mr_text *input, const struct mr_web_url *base,
                      enum mr_web_spelling spelling, struct mr_web_url *out) MR_WARN_UNUSED;

/* A quick test, some 30 ns: false where `name` cannot change by this spelling, which is not
 * MR_WEB_PAGE. */
bool mr_web_url_may_change(const char *name, size_t bytes, enum mr_web_spelling spelling);

#endif
