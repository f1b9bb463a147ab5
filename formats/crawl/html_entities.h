/* SPDX-License-Identifier: Apache-2.0 */
/* The named character references of HTML. Internal to formats/. */
#ifndef MR_FORMATS_CRAWL_HTML_ENTITIES_H
#define MR_FORMATS_CRAWL_HTML_ENTITIES_H

#include <stdbool.h>
#include <stddef.h>

#define MR_HTML_ENTITY_NAME_BYTES 31 /* of the longest name */
#define MR_HTML_ENTITY_BYTES      8 /* room for the characters of any reference */

/* Write the characters of "&name;" in UTF-8 to `out[MR_HTML_ENTITY_BYTES]` and return their number
 * of bytes; 0 where HTML has no such name. Without a semicolon only the names count that HTML
 * allows without one, such as "amp". */
size_t mr_html_entity(const char *name, size_t bytes, bool has_semicolon, char *out);

#endif
