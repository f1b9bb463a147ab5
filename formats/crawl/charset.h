/* SPDX-License-Identifier: Apache-2.0 */
/* Encodings of pages: labels, and URLs in them. Internal to formats/. */
#ifndef MR_FORMATS_CRAWL_CHARSET_H
#define MR_FORMATS_CRAWL_CHARSET_H

#include <stdbool.h>
#include <stddef.h>

struct mr_charset;

/* Open returns NULL when out of memory. Close takes NULL. One thread at a time. */
struct mr_charset *mr_charset_open(void);
void mr_charset_close(struct mr_charset *charset);

/* Choose the encoding that `label[bytes]` names on the web. Without a label, or with one that
 * nobody knows, a URL is UTF-8 where its bytes are, and windows-1252 elsewhere. */
void mr_charset_choose(struct mr_charset *charset, const char *label, size_t bytes);

/* A URL in that encoding as browsers send it (the URL standard, section 4.4): the part before "?"
 * in UTF-8, bytes above 127 behind it percent-encoded as they are. Returns `url` itself where
 * nothing changes; otherwise a text that is valid until the next call. NULL where it is too long.
 */
const char *mr_charset_url(struct mr_charset *charset, const char *url, size_t bytes,
                           size_t *out_bytes);

/* UTF-16 that becomes UTF-8 piece by piece, for pages that no other code can read. */
struct mr_utf16 {
    bool is_big_endian;
    bool has_byte; /* `byte` is the first of two */
    unsigned char byte;
    unsigned high; /* the first half of a pair, or 0 */
};
/* Convert bytes from `*data` on, as many as `out` has room for, and move `*data` and `*bytes`.
 * Returns how many bytes were written. `room` is at least 4. */
size_t mr_utf16_convert(struct mr_utf16 *utf16, const char **data, size_t *bytes, char *out,
                        size_t room);

#endif
