/* SPDX-License-Identifier: Apache-2.0 */
/* The tags of an HTML page, from its bytes in pieces of any size. Internal to formats/.
 *
 * The rules are those of the tokenizer of the HTML standard (section 13.2.5). It takes the same
 * time for every byte, and the same memory for every page: hostile pages cannot make it slow or
 * large. It makes no tree; the little that a tree would add is in html_tokens.c. Text is not kept.
 */
#ifndef MR_FORMATS_CRAWL_HTML_TOKENS_H
#define MR_FORMATS_CRAWL_HTML_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

/* The elements whose start tags are reported. */
enum mr_html_element {
    MR_HTML_OTHER,
    MR_HTML_A,
    MR_HTML_AREA,
    MR_HTML_AUDIO,
    MR_HTML_BASE,
    MR_HTML_BODY,
    MR_HTML_EMBED,
    MR_HTML_FORM,
    MR_HTML_FRAME,
    MR_HTML_IFRAME,
    MR_HTML_IMAGE,
    MR_HTML_INPUT,
    MR_HTML_LINK,
    MR_HTML_META,
    MR_HTML_OBJECT,
    MR_HTML_SCRIPT,
    MR_HTML_SOURCE,
    MR_HTML_VIDEO
};

/* The attributes whose values are kept. */
enum mr_html_attribute {
    MR_HTML_ACTION,
    MR_HTML_CHARSET,
    MR_HTML_CONTENT,
    MR_HTML_DATA,
    MR_HTML_HREF,
    MR_HTML_HTTP_EQUIV,
    MR_HTML_IMAGESRCSET,
    MR_HTML_METHOD,
    MR_HTML_NAME,
    MR_HTML_POSTER,
    MR_HTML_REL,
    MR_HTML_SRC,
    MR_HTML_SRCSET,
    MR_HTML_TYPE,
    MR_HTML_N_ATTRIBUTES
};

/* A value: [bytes], in the encoding of the page, terminated by a NUL that is not counted. Character
 * references above 127 are percent-encoded UTF-8, because the values of interest are URLs. A NUL is
 * a U+FFFD that is encoded so. `text` is NULL where the tag lacks the attribute. */
struct mr_html_value {
    const char *text;
    size_t bytes;
    bool is_cut; /* it does not fit into MR_HTML_TAG_BYTES: only its beginning is there */
};

struct mr_html_tag {
    enum mr_html_element element;
    struct mr_html_value values[MR_HTML_N_ATTRIBUTES];
};

/* Longest sum of the values of a tag; the value that exceeds it is cut, later ones are missing. */
#define MR_HTML_TAG_BYTES (96u << 10)

typedef void (*mr_html_take)(void *data, const struct mr_html_tag *tag);

struct mr_html;

/* `take` is called for every start tag of an element of the list above. Open returns NULL when out
 * of memory (200 KiB). Close takes NULL. */
struct mr_html *mr_html_open(mr_html_take take, void *data);
void mr_html_close(struct mr_html *html);

/* Begin a new page. */
void mr_html_begin(struct mr_html *html);
/* Take the next bytes of the page. The bytes must be in an encoding that agrees with ASCII below
 * 128 outside of characters of several bytes. */
void mr_html_feed(struct mr_html *html, const char *data, size_t bytes);

/* ---- Character references, for html_tokens.c alone ---- */

/* Decode the references ("&amp;", "&#228;") of `text[bytes]` to `out[room]` and return the length;
 * SIZE_MAX where the room does not suffice. Characters above 127 become percent-encoded UTF-8,
 * because the text is a URL in an encoding that is not known yet. */
size_t mr_html_decode(const char *text, size_t bytes, char *out, size_t room);

#define MR_HTML_ENTITY_NAME_BYTES 31 /* of the longest name */
#define MR_HTML_ENTITY_BYTES      8 /* room for the characters of any reference */

/* Write the characters of "&name;" in UTF-8 to `out[MR_HTML_ENTITY_BYTES]` and return their number
 * of bytes; 0 where HTML has no such name. Without a semicolon only the names count that HTML
 * allows without one, such as "amp". */
size_t mr_html_entity(const char *name, size_t bytes, bool has_semicolon, char *out);

#endif
