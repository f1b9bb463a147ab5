/* What the canonicalisation profiles are made of. Internal to canonical*.c. */
#ifndef MR_FORMATS_URL_CANONICAL_INTERNAL_H
#define MR_FORMATS_URL_CANONICAL_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/url/canonical.h"

/* A string that is worked on, with room for three times the longest name: each byte escaped. */
struct mr_text {
    char *data; /* [room] */
    size_t bytes, room;
    bool overflowed; /* something did not fit; the contents are worthless */
};

void mr_text_set(struct mr_text *text, const char *data, size_t bytes);
void mr_text_append(struct mr_text *text, const char *data, size_t bytes);
void mr_text_byte(struct mr_text *text, char byte);
void mr_text_cut(struct mr_text *text, size_t begin, size_t end); /* remove [begin, end) */
bool mr_text_starts(const struct mr_text *text, const char *prefix); /* any case of letters */
void mr_text_lowercase(struct mr_text *text);
size_t mr_text_find(const struct mr_text *text, char byte, size_t from); /* `bytes`: not there */

static inline bool mr_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static inline bool mr_is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static inline char mr_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/* Decode %XX once; `repeatedly` until nothing changes. What is no %XX stays. */
void mr_text_unescape(struct mr_text *text, bool repeatedly);
/* Make %XX (capitals) of bytes up to 32, of 127 and above, and of those in `also`. */
void mr_text_escape(struct mr_text *text, const char *also);

/* Remove "." and "..": the latter with the segment before it, or kept where there is none. With
 * `merge_slashes` empty segments but the last go too. The path begins with "/". */
void mr_text_dot_segments(struct mr_text *path, bool merge_slashes);

/* The host to IDNA form when it holds bytes above 127 and libidn2 accepts it (UTS 46, transitional,
 * which is nearest to the IDNA 2003 that the tools use); else unchanged. */
void mr_text_idna(struct mr_text *host);

/* Session ids. The strict form must end at "&", which goes with it, or at the end; the loose one of
 * the Wayback Machine ends after its 32 (or 24) bytes, whatever follows. `min_prefix` bytes stand
 * before it. Of several the last one goes, for each kind one. */
enum mr_session_kind {
    MR_SESSION_JAVA = 1, /* jsessionid=, 32 letters and digits */
    MR_SESSION_PHP = 2, /* phpsessid= */
    MR_SESSION_SID = 4, /* sid= */
    MR_SESSION_ASP = 8, /* aspsessionid and 8 letters =, 24 letters */
    MR_SESSION_COLDFUSION = 16 /* cfid=...&cftoken=... */
};
void mr_text_session(struct mr_text *text, unsigned kinds, bool loose, size_t min_prefix);

/* "/(S(24 letters and digits))/" (`nested`) or "/(24 letters and digits)/" before a name in .aspx. */
void mr_text_path_session(struct mr_text *path, bool nested);

/* How FixupQueryString ends a query: a trailing "?", "?&" or "&" goes, "?&x" becomes "?x". */
void mr_text_fixup_query(struct mr_text *url);

/* Remove "www." and "www" digits "." in front of text->data + at; how many bytes. */
size_t mr_text_www(const struct mr_text *text, size_t at);

/* The profiles. Each works on `url`, which holds the name, and may use `scratch` and `other`; false
 * when the name stays as it is. */
bool mr_canonical_heritrix(uint32_t rules, struct mr_text *url);
bool mr_canonical_wayback(uint32_t rules, struct mr_text *url, struct mr_text *path);
bool mr_canonical_surt(uint32_t rules, struct mr_text *url, struct mr_text *part);

/* Rules in their order of bits. */
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

#endif
