/* SPDX-License-Identifier: Apache-2.0 */
/* Character references in the values of HTML attributes. Internal to formats/. */
#ifndef MR_FORMATS_CRAWL_HTML_REFERENCES_H
#define MR_FORMATS_CRAWL_HTML_REFERENCES_H

#include <stddef.h>

/* Decode the references ("&amp;", "&#228;") of `text[bytes]` to `out[room]` and return the length;
 * SIZE_MAX where the room does not suffice. Characters above 127 become percent-encoded UTF-8,
 * because the text is a URL in an encoding that is not known yet. */
size_t mr_html_decode(const char *text, size_t bytes, char *out, size_t room);

#endif
