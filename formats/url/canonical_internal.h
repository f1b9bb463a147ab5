/* SPDX-License-Identifier: Apache-2.0 */
/* The tools that the canonicalisation profiles share: strings, escapes, paths, hosts, session ids.
 *
 * Map: canonical_text.c defines the mr_text functions. canonical_heritrix.c defines the profiles
 * "heritrix" and "wayback". canonical_surt.c defines the profile "surt". canonical.c lists the
 * profiles and calls them. web_url.c uses the strings, and links_resolve.c its URLs. Nothing else
 * includes this header. */
#ifndef MR_FORMATS_URL_CANONICAL_INTERNAL_H
#define MR_FORMATS_URL_CANONICAL_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/url/canonical.h"

/* A string that a profile edits in place. The caller makes room for three times the longest name,
 * because an escape turns one byte into three. */
struct mr_text {
    char *data; /* [room] */
    size_t bytes, room;
    bool overflowed; /* something did not fit: the contents are worthless */
    bool is_out_of_memory; /* mr_text_idna alone allocates */
};

void mr_text_set(struct mr_text *text, const char *data, size_t bytes);
void mr_text_append(struct mr_text *text, const char *data, size_t bytes);
void mr_text_byte(struct mr_text *text, char byte);
void mr_text_cut(struct mr_text *text, size_t begin, size_t end); /* remove [begin, end) */
/* ignores the case of letters */
bool mr_text_starts(const struct mr_text *text, const char *prefix);
void mr_text_lowercase(struct mr_text *text);
void mr_text_clean(struct mr_text *url); /* controls and blanks around, tabs and line ends in it */
size_t mr_text_scheme(const struct mr_text *url); /* bytes of "scheme:"; 0: there is none */
/* returns `bytes` when the byte is absent */
size_t mr_text_find(const struct mr_text *text, char byte, size_t from);

/* Decode each %XX once, or `repeatedly` until nothing changes. A "%" without two hexadecimal digits
 * stays. */
void mr_text_unescape(struct mr_text *text, bool repeatedly);
/* Write %XX (capital digits) for bytes up to 32, for bytes from 127 on, and for the bytes in
 * `also`. */
void mr_text_escape(struct mr_text *text, const char *also);

/* Remove the segments "." and "..". A ".." removes the segment before it as well; where there is
 * none, it stays. With `merge_slashes`, remove empty segments too, except the last one. The path
 * begins with "/". */
void mr_text_dot_segments(struct mr_text *path, bool merge_slashes);

/* Turn the host into its IDNA form when it holds bytes above 127 and libidn2 accepts it; otherwise
 * leave it unchanged. The form is UTS 46, not transitional, which is what browsers use. */
void mr_text_idna(struct mr_text *host);

/* Remove session ids from `text`: for each call at most one, the last one of the given kinds. The
 * strict form ends at the end of the text or at "&"; the "&" is removed with it. The loose form, of
 * the Wayback Machine, ends after its 32 (or 24) bytes, whatever follows. At least `min_prefix`
 * bytes stand before the id. */
enum mr_session_kind {
    MR_SESSION_JAVA = 1, /* jsessionid=, 32 letters and digits */
    MR_SESSION_PHP = 2, /* phpsessid= */
    MR_SESSION_SID = 4, /* sid= */
    MR_SESSION_ASP = 8, /* aspsessionid and 8 letters =, 24 letters */
    MR_SESSION_COLDFUSION = 16 /* cfid=...&cftoken=... */
};
void mr_text_session(struct mr_text *text, unsigned kinds, bool loose, size_t min_prefix);

/* Remove a session id in the path before a name in .aspx: "/(S(24 letters and digits))/" when
 * `nested`, otherwise "/(24 letters and digits)/". */
void mr_text_path_session(struct mr_text *path, bool nested);

/* Clean the end of a query as Heritrix's FixupQueryString does: remove a trailing "?", "?&" or "&",
 * and turn "?&x" into "?x". */
void mr_text_fixup_query(struct mr_text *url);

/* Number of bytes of "www." or "www", digits, "." at text->data + at; 0 when there is none. */
size_t mr_text_www(const struct mr_text *text, size_t at);

/* The profiles. Each edits `url`, which holds the name, and may use the second text as workspace.
 * Returns false when the name must stay as it is. */
bool mr_canonical_heritrix(uint32_t rules, struct mr_text *url);
bool mr_canonical_wayback(uint32_t rules, struct mr_text *url, struct mr_text *path);
bool mr_canonical_surt(uint32_t rules, struct mr_text *url, struct mr_text *part);

/* The rules. The value of each is the number of its bit. */
enum { MR_NONE_HOST, MR_NONE_DOT_SEGMENTS, MR_NONE_FRAGMENT };
enum {
    MR_HERITRIX_LOWERCASE,
    MR_HERITRIX_USERINFO,
    MR_HERITRIX_WWW,
    MR_HERITRIX_SESSION_IDS,
    MR_HERITRIX_CFID,
    MR_HERITRIX_QUERY,
    MR_HERITRIX_EXTRA_SLASHES
};
enum {
    MR_WAYBACK_LOWERCASE,
    MR_WAYBACK_USERINFO,
    MR_WAYBACK_WWW,
    MR_WAYBACK_SESSION_IDS,
    MR_WAYBACK_PATH_SESSION_IDS,
    MR_WAYBACK_CFID,
    MR_WAYBACK_QUERY,
    MR_WAYBACK_DEFAULT_PORT,
    MR_WAYBACK_FRAGMENT,
    MR_WAYBACK_IDN,
    MR_WAYBACK_UNESCAPE,
    MR_WAYBACK_DOT_SEGMENTS,
    MR_WAYBACK_PLUS,
    MR_WAYBACK_SLASHES,
    MR_WAYBACK_SCHEME
};
enum {
    MR_SURT_FRAGMENT,
    MR_SURT_UNESCAPE,
    MR_SURT_IDN,
    MR_SURT_HOST_DOTS,
    MR_SURT_IP,
    MR_SURT_DOT_SEGMENTS,
    MR_SURT_WWW,
    MR_SURT_USERINFO,
    MR_SURT_DEFAULT_PORT,
    MR_SURT_LOWERCASE,
    MR_SURT_PATH_SESSION_IDS,
    MR_SURT_TRAILING_SLASH,
    MR_SURT_SESSION_IDS,
    MR_SURT_SORT_QUERY,
    MR_SURT_EMPTY_QUERY,
    MR_SURT_SCHEME,
    MR_SURT_REVERSE
};
static inline bool mr_rule(uint32_t rules, unsigned rule)
{
    return (rules >> rule & 1) != 0;
}

/* ---- URLs as browsers spell them (web_url.c) ----
 *
 * URLs of http, https and ftp as browsers spell them (WHATWG URL standard, url.spec.whatwg.org). */

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
