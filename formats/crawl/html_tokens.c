/* SPDX-License-Identifier: Apache-2.0 */
/* Splits HTML into tags for page_links.c: the tokenizer of the HTML standard, reduced to what links
 * need. Libraries were measured first (docs/notes/constants.md): those of Debian 12 build a tree
 * or compare all attributes of a tag with each other, so that a page of 1 MB can keep them busy for
 * minutes. Here a page of any content takes time in proportion to its bytes.
 *
 * The tree decides in two places how text is split, and a few bits stand for it: the text of
 * elements like <script> has no tags, and inside <svg> and <math> the rules are those of XML. */
#include "formats/crawl/html_tokens.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"

enum state {
    TEXT,
    TAG_OPEN, /* after "<" */
    END_TAG_OPEN, /* after "</" */
    TAG_NAME,
    BEFORE_ATTRIBUTE,
    ATTRIBUTE_NAME,
    AFTER_ATTRIBUTE,
    BEFORE_VALUE,
    QUOTED_VALUE,
    BARE_VALUE,
    AFTER_VALUE,
    DECLARATION, /* after "<!" */
    BOGUS_COMMENT, /* up to ">" */
    COMMENT,
    CDATA,
    RAW, /* the text of <script>, <title> and the like */
    RAW_OPEN, /* after "<" in it */
    RAW_END_NAME, /* after "</" in it */
    RAW_BANG, /* after "<!" or "<!-" in a script */
    RAW_SCRIPT_NAME, /* after "<" and a letter in a script that has a comment */
    PLAINTEXT
};

enum { NAME_BYTES = 16, NO_ATTRIBUTE = MR_HTML_N_ATTRIBUTES };

struct mr_html {
    mr_html_take take;
    void *data;
    enum state state;
    bool is_end_tag;
    char name[NAME_BYTES]; /* of the tag, the attribute or the declaration; [name_bytes] */
    size_t name_bytes; /* NAME_BYTES: the name is longer than any that matters */
    char raw[NAME_BYTES]; /* the element whose text is raw */
    size_t raw_bytes;
    unsigned escape; /* 1: in a script after "<!--"; 2: after another "<script" there */
    unsigned dashes; /* how many "-" the latest bytes are */
    bool is_fresh; /* the comment has had only "-" so far */
    bool has_bang; /* the latest bytes of the comment are "--!" */
    bool is_inside; /* of <svg> or <math> */
    bool is_foreign; /* inside of them, and not in a part that is HTML again */
    bool is_closed; /* the latest byte of the tag is "/" */
    char quote;
    const struct element *element;
    unsigned attribute; /* that is being read; NO_ATTRIBUTE: one that is not kept */
    size_t value_begin;
    bool is_cut; /* the value is too long */
    size_t used; /* of text */
    struct mr_html_tag tag;
    size_t begins[MR_HTML_N_ATTRIBUTES];
    char text[MR_HTML_TAG_BYTES];
    char decoded[MR_HTML_TAG_BYTES];
};

/* What a start tag does to the text after it. */
enum kind {
    PLAIN,
    IS_RAW, /* no tags up to the end tag */
    IS_SCRIPT,
    IS_LAST, /* no tags at all */
    IS_FOREIGN,
    IS_HTML_AGAIN, /* inside foreign elements: HTML */
    BREAKS_OUT /* an element that ends <svg> and <math> */
};

static const struct element {
    char name[NAME_BYTES];
    enum mr_html_element element;
    enum kind kind;
} elements[] = {
    {"a", MR_HTML_A, PLAIN},
    {"area", MR_HTML_AREA, PLAIN},
    {"audio", MR_HTML_AUDIO, PLAIN},
    {"base", MR_HTML_BASE, PLAIN},
    {"body", MR_HTML_BODY, BREAKS_OUT},
    {"br", MR_HTML_OTHER, BREAKS_OUT},
    {"center", MR_HTML_OTHER, BREAKS_OUT},
    {"desc", MR_HTML_OTHER, IS_HTML_AGAIN},
    {"div", MR_HTML_OTHER, BREAKS_OUT},
    {"embed", MR_HTML_EMBED, BREAKS_OUT},
    {"foreignobject", MR_HTML_OTHER, IS_HTML_AGAIN},
    {"form", MR_HTML_FORM, PLAIN},
    {"frame", MR_HTML_FRAME, PLAIN},
    {"h1", MR_HTML_OTHER, BREAKS_OUT},
    {"h2", MR_HTML_OTHER, BREAKS_OUT},
    {"h3", MR_HTML_OTHER, BREAKS_OUT},
    {"head", MR_HTML_OTHER, BREAKS_OUT},
    {"iframe", MR_HTML_IFRAME, IS_RAW},
    {"img", MR_HTML_IMAGE, BREAKS_OUT},
    {"input", MR_HTML_INPUT, PLAIN},
    {"li", MR_HTML_OTHER, BREAKS_OUT},
    {"link", MR_HTML_LINK, PLAIN},
    {"math", MR_HTML_OTHER, IS_FOREIGN},
    {"meta", MR_HTML_META, BREAKS_OUT},
    {"noembed", MR_HTML_OTHER, IS_RAW},
    {"noframes", MR_HTML_OTHER, IS_RAW},
    {"object", MR_HTML_OBJECT, PLAIN},
    {"ol", MR_HTML_OTHER, BREAKS_OUT},
    {"p", MR_HTML_OTHER, BREAKS_OUT},
    {"plaintext", MR_HTML_OTHER, IS_LAST},
    {"pre", MR_HTML_OTHER, BREAKS_OUT},
    {"script", MR_HTML_SCRIPT, IS_SCRIPT},
    {"source", MR_HTML_SOURCE, PLAIN},
    {"span", MR_HTML_OTHER, BREAKS_OUT},
    {"style", MR_HTML_OTHER, IS_RAW},
    {"svg", MR_HTML_OTHER, IS_FOREIGN},
    {"table", MR_HTML_OTHER, BREAKS_OUT},
    {"textarea", MR_HTML_OTHER, IS_RAW},
    {"title", MR_HTML_OTHER, IS_RAW},
    {"ul", MR_HTML_OTHER, BREAKS_OUT},
    {"video", MR_HTML_VIDEO, PLAIN},
    {"xmp", MR_HTML_OTHER, IS_RAW},
};

static const char *const attributes[MR_HTML_N_ATTRIBUTES] = {
    "action", "charset", "content", "data", "href", "http-equiv", "imagesrcset",
    "method", "name",    "poster",  "rel",  "src",  "srcset",     "type"};

struct mr_html *mr_html_open(mr_html_take take, void *data)
{
    struct mr_html *html = calloc(1, sizeof *html);
    if (html != NULL) {
        html->take = take;
        html->data = data;
    }
    return html;
}

void mr_html_close(struct mr_html *html)
{
    free(html);
}

void mr_html_begin(struct mr_html *html)
{
    html->state = TEXT;
    html->is_inside = html->is_foreign = false;
    html->escape = html->dashes = 0;
    html->name_bytes = html->raw_bytes = 0;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f';
}

static void add_to_name(struct mr_html *html, char c)
{
    if (html->name_bytes < NAME_BYTES) {
        html->name[html->name_bytes++] = mr_lower(c);
    }
}

static bool name_is(const struct mr_html *html, const char *name)
{
    return html->name_bytes == strlen(name) && memcmp(html->name, name, html->name_bytes) == 0;
}

/* ---- Values ---- */

static void add_to_value(struct mr_html *html, const char *data, size_t bytes)
{
    if (html->attribute == NO_ATTRIBUTE) {
        return;
    }
    if (bytes >= MR_HTML_TAG_BYTES - html->used) {
        bytes = MR_HTML_TAG_BYTES - html->used - 1;
        html->is_cut = true;
    }
    memcpy(html->text + html->used, data, bytes);
    html->used += bytes;
}

/* A NUL in a value stands for U+FFFD. */
static void add_piece(struct mr_html *html, const char *data, size_t bytes)
{
    while (html->attribute != NO_ATTRIBUTE && bytes > 0) {
        const char *nul = memchr(data, '\0', bytes);
        const size_t part = nul != NULL ? (size_t)(nul - data) : bytes;
        add_to_value(html, data, part);
        if (nul == NULL) {
            return;
        }
        add_to_value(html, "%ef%bf%bd", 9);
        data += part + 1;
        bytes -= part + 1;
    }
}

static void end_value(struct mr_html *html)
{
    if (html->attribute == NO_ATTRIBUTE) {
        return;
    }
    const size_t begin = html->value_begin;
    size_t bytes = html->used - begin;
    if (memchr(html->text + begin, '&', bytes) != NULL) {
        bytes =
            mr_html_decode(html->text + begin, bytes, html->decoded, MR_HTML_TAG_BYTES - begin - 1);
        if (bytes == SIZE_MAX) { /* it becomes too long: its beginning stays as it is */
            bytes = html->used - begin;
            html->is_cut = true;
        } else {
            memcpy(html->text + begin, html->decoded, bytes);
        }
    }
    html->text[begin + bytes] = '\0';
    html->used = begin + bytes + 1;
    html->tag.values[html->attribute] =
        (struct mr_html_value){.text = html->text + begin, .bytes = bytes, .is_cut = html->is_cut};
    html->attribute = NO_ATTRIBUTE;
}

/* ---- Tags ---- */

static void begin_tag(struct mr_html *html, bool is_end_tag)
{
    html->is_end_tag = is_end_tag;
    html->is_closed = false;
    html->name_bytes = 0;
    html->used = 0;
    html->element = NULL;
    html->attribute = NO_ATTRIBUTE;
    html->state = TAG_NAME;
}

/* The name of the tag is complete. */
static void name_tag(struct mr_html *html)
{
    size_t low = 0, high = sizeof elements / sizeof elements[0];

    while (low < high && html->name_bytes < NAME_BYTES) {
        const size_t middle = (low + high) / 2;
        const char *name = elements[middle].name;
        int order = strncmp(html->name, name, html->name_bytes);
        order = order != 0 ? order : -(name[html->name_bytes] != '\0');
        if (order == 0) {
            html->element = &elements[middle];
            break;
        }
        low = order > 0 ? middle + 1 : low;
        high = order > 0 ? high : middle;
    }
    if (html->element != NULL && html->element->element != MR_HTML_OTHER) {
        html->tag = (struct mr_html_tag){.element = html->element->element};
    }
}

/* The name of an attribute is complete: its value is kept if the name is known and new. */
static void name_attribute(struct mr_html *html)
{
    html->attribute = NO_ATTRIBUTE;
    if (html->is_end_tag || html->element == NULL || html->element->element == MR_HTML_OTHER) {
        return;
    }
    for (unsigned i = 0; i < MR_HTML_N_ATTRIBUTES; i++) {
        if (name_is(html, attributes[i]) && html->tag.values[i].text == NULL &&
            html->used < MR_HTML_TAG_BYTES) {
            html->attribute = i;
            html->value_begin = html->used;
            html->is_cut = false;
            return;
        }
    }
}

static void begin_raw(struct mr_html *html)
{
    html->raw_bytes = strlen(html->element->name);
    memcpy(html->raw, html->element->name, html->raw_bytes);
    html->escape = html->dashes = 0;
    html->state = RAW;
}

/* The tag is complete. */
static void end_tag(struct mr_html *html)
{
    const struct element *element = html->element;
    const enum kind kind = element != NULL ? element->kind : PLAIN;

    end_value(html); /* an attribute without a value has the empty one */
    html->state = TEXT;
    html->raw_bytes = 0;
    if (html->is_end_tag) {
        if (kind == IS_FOREIGN) {
            html->is_inside = html->is_foreign = false;
        } else if (kind == IS_HTML_AGAIN) {
            html->is_foreign = html->is_inside;
        }
        return;
    }
    if (element == NULL) {
        return;
    }
    if (kind == IS_FOREIGN && !html->is_closed) {
        html->is_inside = html->is_foreign = true;
    } else if (kind == BREAKS_OUT && html->is_foreign) {
        html->is_inside = html->is_foreign = false;
    } else if (kind == IS_HTML_AGAIN && !html->is_closed) {
        html->is_foreign = false;
    } else if (kind == IS_LAST && !html->is_foreign) {
        html->state = PLAINTEXT;
    } else if ((kind == IS_RAW || kind == IS_SCRIPT) && !html->is_foreign) {
        begin_raw(html);
    }
    if (element->element != MR_HTML_OTHER) {
        html->take(html->data, &html->tag);
    }
}

/* ---- States ---- */

/* A run of bytes of a value up to one that ends it. Returns how many bytes were taken. */
static size_t take_value(struct mr_html *html, const char *at, const char *end)
{
    const char *stop = at;

    if (html->state == QUOTED_VALUE) {
        stop = memchr(at, html->quote, (size_t)(end - at));
        stop = stop != NULL ? stop : end;
    } else {
        while (stop < end && !is_blank(*stop) && *stop != '>') {
            stop++;
        }
    }
    add_piece(html, at, (size_t)(stop - at));
    if (stop == end) {
        return (size_t)(stop - at);
    }
    end_value(html);
    if (html->state == QUOTED_VALUE) {
        html->state = AFTER_VALUE;
        return (size_t)(stop - at) + 1;
    }
    html->state = BEFORE_ATTRIBUTE; /* it sees the byte again */
    return (size_t)(stop - at);
}

/* A byte between the attributes of a tag. */
static void between_attributes(struct mr_html *html, char c)
{
    if (c == '>') {
        end_tag(html);
    } else if (c == '/' || is_blank(c)) {
        html->is_closed = c == '/';
        end_value(html); /* of an attribute without "=" */
        html->state = BEFORE_ATTRIBUTE;
    } else {
        end_value(html);
        html->is_closed = false;
        html->name_bytes = 0;
        add_to_name(html, c); /* "=" is part of the name here */
        html->state = ATTRIBUTE_NAME;
    }
}

/* A byte inside a tag, except in values. */
static void in_tag(struct mr_html *html, char c)
{
    switch (html->state) {
    case TAG_NAME:
        if (c != '>' && c != '/' && !is_blank(c)) {
            add_to_name(html, c);
            return;
        }
        name_tag(html);
        between_attributes(html, c);
        return;
    case ATTRIBUTE_NAME:
        if (c != '>' && c != '/' && c != '=' && !is_blank(c)) {
            add_to_name(html, c);
            return;
        }
        name_attribute(html);
        html->state = c == '=' ? BEFORE_VALUE : AFTER_ATTRIBUTE;
        if (c == '>' || c == '/') {
            between_attributes(html, c);
        }
        return;
    case AFTER_ATTRIBUTE:
        if (c == '=') {
            html->state = BEFORE_VALUE;
        } else if (!is_blank(c)) {
            between_attributes(html, c);
        }
        return;
    case BEFORE_VALUE:
        if (c == '"' || c == '\'') {
            html->quote = c;
            html->state = QUOTED_VALUE;
        } else if (c == '>') {
            end_tag(html);
        } else if (!is_blank(c)) {
            html->state = BARE_VALUE;
            add_piece(html, &c, 1);
        }
        return;
    default:
        between_attributes(html, c);
    }
}

/* A byte after "<", "</" or "<!". False: the byte is to be seen again in the new state. */
static bool open_markup(struct mr_html *html, char c)
{
    if (html->state == TAG_OPEN) {
        if (c == '!') {
            html->name_bytes = 0;
            html->state = DECLARATION;
            return true;
        }
        if (c == '/') {
            html->state = END_TAG_OPEN;
            return true;
        }
        if (mr_is_letter(c)) {
            begin_tag(html, false);
            return false;
        }
        html->state = c == '?' ? BOGUS_COMMENT : TEXT;
        return c == '?';
    }
    if (html->state == END_TAG_OPEN) {
        if (mr_is_letter(c)) {
            begin_tag(html, true);
            return false;
        }
        html->state = c == '>' ? TEXT : BOGUS_COMMENT;
        return true;
    }
    add_to_name(html, c); /* DECLARATION */
    if (name_is(html, "--")) {
        html->dashes = 2;
        html->is_fresh = true;
        html->has_bang = false;
        html->state = COMMENT;
    } else if (name_is(html, "[cdata[")) {
        html->dashes = 0;
        html->state = html->is_foreign ? CDATA : BOGUS_COMMENT;
    } else if (strncmp("[cdata[", html->name, html->name_bytes) != 0 &&
               strncmp("--", html->name, html->name_bytes) != 0) {
        html->state = BOGUS_COMMENT;
        return false;
    }
    return true;
}

static void in_comment(struct mr_html *html, char c)
{
    if (c == '>' && (html->dashes >= 2 || html->has_bang)) {
        html->state = TEXT;
    } else if (c == '-') {
        html->dashes++;
        html->has_bang = false;
    } else {
        html->has_bang = c == '!' && html->dashes >= (html->is_fresh ? 4 : 2);
        html->dashes = 0;
        html->is_fresh = false;
    }
}

/* A byte of raw text, in the states from RAW on. False: the byte is to be seen again. */
static bool in_raw(struct mr_html *html, char c)
{
    const bool ends = c == '>' || c == '/' || is_blank(c);

    switch (html->state) {
    case RAW:
        if (c == '<') {
            html->name_bytes = 0;
            html->state = RAW_OPEN;
        } else if (c == '>' && html->dashes >= 2) {
            html->escape = 0;
        }
        html->dashes = c == '-' ? html->dashes + 1 : 0;
        return true;
    case RAW_OPEN: {
        const bool is_script = memcmp(html->raw, "script", 6) == 0 && html->raw_bytes == 6;
        html->state = c == '/'                                            ? RAW_END_NAME
                      : c == '!' && is_script && html->escape == 0        ? RAW_BANG
                      : mr_is_letter(c) && is_script && html->escape == 1 ? RAW_SCRIPT_NAME
                                                                          : RAW;
        return html->state == RAW_END_NAME || html->state == RAW_BANG;
    }
    case RAW_BANG:
        if (c != '-') {
            html->state = RAW;
            html->dashes = 0;
            return false;
        }
        if (++html->dashes == 2) {
            html->escape = 1;
            html->state = RAW;
        }
        return true;
    case RAW_SCRIPT_NAME:
        if (mr_is_letter(c)) {
            add_to_name(html, c);
            return true;
        }
        html->escape = ends && name_is(html, "script") ? 2 : html->escape;
        html->state = RAW;
        return ends;
    default: /* RAW_END_NAME */
        if (mr_is_letter(c)) {
            add_to_name(html, c);
            return true;
        }
        html->state = RAW;
        if (!ends || html->name_bytes != html->raw_bytes ||
            memcmp(html->name, html->raw, html->raw_bytes) != 0) {
            return false;
        }
        if (html->escape == 2) {
            html->escape = 1;
            return true;
        }
        begin_tag(html, true);
        between_attributes(html, c);
        return true;
    }
}

/* The first byte in [at, end) that matters in this state; the bytes before it do not. */
static const char *skip(const struct mr_html *html, const char *at, const char *end)
{
    char wanted = '\0';

    if (html->state == TEXT || (html->state == RAW && html->escape == 0)) {
        wanted = '<';
    } else if (html->state == BOGUS_COMMENT) {
        wanted = '>';
    } else if (html->state == PLAINTEXT) {
        return end;
    }
    if (wanted != '\0') {
        const char *found = memchr(at, wanted, (size_t)(end - at));
        at = found != NULL ? found : end;
    }
    return at;
}

void mr_html_feed(struct mr_html *html, const char *data, size_t bytes)
{
    const char *at = data, *const end = data + bytes;

    while ((at = skip(html, at, end)) < end) {
        const char c = *at;
        bool is_taken = true;

        switch (html->state) {
        case TEXT:
            html->state = TAG_OPEN;
            break;
        case TAG_OPEN:
        case END_TAG_OPEN:
        case DECLARATION:
            is_taken = open_markup(html, c);
            break;
        case QUOTED_VALUE:
        case BARE_VALUE:
            at += take_value(html, at, end);
            continue;
        case BOGUS_COMMENT:
            html->state = TEXT;
            break;
        case COMMENT:
            in_comment(html, c);
            break;
        case CDATA:
            html->state = c == '>' && html->dashes >= 2 ? TEXT : CDATA;
            html->dashes = c == ']' ? html->dashes + 1 : 0;
            break;
        case RAW:
        case RAW_OPEN:
        case RAW_END_NAME:
        case RAW_BANG:
        case RAW_SCRIPT_NAME:
            is_taken = in_raw(html, c);
            break;
        default:
            in_tag(html, c);
        }
        at += is_taken;
    }
}
