/* SPDX-License-Identifier: Apache-2.0 */
/* The functions that all profiles share: strings of bounded size, escapes, paths, hosts, session
 * ids. canonical_heritrix.c and canonical_surt.c call them on the parts of one URL. They work in
 * place and never allocate, because a build calls them for each name of its input. */
#include <string.h>
#include <strings.h>

#include "engine/base/bytes.h"
#include "formats/url/canonical_internal.h"

static const char hex_digits[] = "0123456789ABCDEF";

void mr_text_append(struct mr_text *text, const char *data, size_t bytes)
{
    if (bytes > text->room - text->bytes) {
        text->overflowed = true;
        return;
    }
    if (bytes > 0) {
        memmove(text->data + text->bytes, data, bytes);
    }
    text->bytes += bytes;
}

void mr_text_set(struct mr_text *text, const char *data, size_t bytes)
{
    text->bytes = 0;
    mr_text_append(text, data, bytes);
}

void mr_text_byte(struct mr_text *text, char byte)
{
    mr_text_append(text, &byte, 1);
}

void mr_text_cut(struct mr_text *text, size_t begin, size_t end)
{
    memmove(text->data + begin, text->data + end, text->bytes - end);
    text->bytes -= end - begin;
}

bool mr_text_starts(const struct mr_text *text, const char *prefix)
{
    size_t bytes = strlen(prefix);
    return text->bytes >= bytes && strncasecmp(text->data, prefix, bytes) == 0;
}

void mr_text_lowercase(struct mr_text *text)
{
    for (size_t i = 0; i < text->bytes; i++) {
        text->data[i] = mr_lower(text->data[i]);
    }
}

size_t mr_text_find(const struct mr_text *text, char byte, size_t from)
{
    const char *found =
        from < text->bytes ? memchr(text->data + from, byte, text->bytes - from) : NULL;
    return found != NULL ? (size_t)(found - text->data) : text->bytes;
}

void mr_text_clean(struct mr_text *url)
{
    size_t begin = 0, to = 0;

    while (url->bytes > 0 && (unsigned char)url->data[url->bytes - 1] <= ' ') {
        url->bytes--;
    }
    while (begin < url->bytes && (unsigned char)url->data[begin] <= ' ') {
        begin++;
    }
    for (; begin < url->bytes; begin++) {
        const char c = url->data[begin];
        if (c != '\t' && c != '\n' && c != '\r') {
            url->data[to++] = c;
        }
    }
    url->bytes = to;
}

size_t mr_text_scheme(const struct mr_text *url)
{
    size_t i = 0;

    if (url->bytes == 0 || !mr_is_letter(url->data[0])) {
        return 0;
    }
    while (i < url->bytes && (mr_is_letter(url->data[i]) || mr_is_digit(url->data[i]) ||
                              memchr("+-.", url->data[i], 3) != NULL)) {
        i++;
    }
    return i < url->bytes && url->data[i] == ':' ? i + 1 : 0;
}

/* ---- Escapes ---- */

/* False when there is nothing to decode. */
static bool unescape_once(struct mr_text *text)
{
    size_t from = mr_text_find(text, '%', 0), to = from;
    bool changed = false;

    while (from < text->bytes) {
        char c = text->data[from++];
        if (c == '%' && text->bytes - from >= 2) {
            int high = mr_hex_value(text->data[from]), low = mr_hex_value(text->data[from + 1]);
            if (high >= 0 && low >= 0) {
                c = (char)(high << 4 | low);
                from += 2;
                changed = true;
            }
        }
        text->data[to++] = c;
    }
    text->bytes = to;
    return changed;
}

void mr_text_unescape(struct mr_text *text, bool repeatedly)
{
    /* A round that changes something makes the text shorter, so the loop ends. */
    while (unescape_once(text) && repeatedly) {
    }
}

void mr_text_escape(struct mr_text *text, const char *also)
{
    size_t extra = 0;
    bool escaped[256] = {false};

    for (unsigned c = 0; c < 256; c++) {
        escaped[c] = c <= 32 || c >= 127;
    }
    for (; *also != '\0'; also++) {
        escaped[(unsigned char)*also] = true;
    }
    for (size_t i = 0; i < text->bytes; i++) {
        extra += escaped[(unsigned char)text->data[i]] ? 2 : 0;
    }
    if (extra > text->room - text->bytes) {
        text->overflowed = true;
        return;
    }
    size_t to = text->bytes + extra;
    for (size_t i = text->bytes; i > 0 && extra > 0; i--) {
        unsigned char c = (unsigned char)text->data[i - 1];
        if (escaped[c]) {
            text->data[--to] = hex_digits[c & 15];
            text->data[--to] = hex_digits[c >> 4];
            text->data[--to] = '%';
        } else {
            text->data[--to] = (char)c;
        }
    }
    text->bytes += extra;
}

/* ---- Paths ---- */

void mr_text_dot_segments(struct mr_text *path, bool merge_slashes)
{
    /* [0, to) holds the segments of the result so far, each with its "/" in front. A ".." removes
     * the last of them, even an empty one, as from a list. */
    size_t to = 0;

    for (size_t at = 0; at < path->bytes;) {
        size_t end = mr_text_find(path, '/', at + 1), bytes = end - at;
        bool is_dot = bytes == 2 && path->data[at + 1] == '.';
        bool is_dots = bytes == 3 && path->data[at + 1] == '.' && path->data[at + 2] == '.';
        if (is_dots && to > 0) {
            do {
                to--;
            } while (path->data[to] != '/');
        } else if (!is_dot) {
            memmove(path->data + to, path->data + at, bytes);
            to += bytes;
        }
        at = end;
    }
    path->bytes = to;
    if (merge_slashes) {
        to = 0;
        for (size_t at = 0; at < path->bytes; at++) {
            if (path->data[at] != '/' || to == 0 || path->data[to - 1] != '/') {
                path->data[to++] = path->data[at];
            }
        }
        path->bytes = to;
    }
    if (path->bytes == 0) {
        mr_text_byte(path, '/');
    }
}

/* ---- Hosts ---- */

size_t mr_text_www(const struct mr_text *text, size_t at)
{
    size_t i = at + 3;

    if (text->bytes < i || strncasecmp(text->data + at, "www", 3) != 0) {
        return 0;
    }
    while (i < text->bytes && mr_is_digit(text->data[i])) {
        i++;
    }
    return i < text->bytes && text->data[i] == '.' ? i + 1 - at : 0;
}

/* ---- Session ids ---- */

static const char *skip_word(const char *p, const char *end, const char *word)
{
    size_t bytes = strlen(word);
    return (size_t)(end - p) >= bytes && strncasecmp(p, word, bytes) == 0 ? p + bytes : NULL;
}

/* Skip exactly `count` letters, or letters and digits; NULL when there are fewer. */
static const char *skip_run(const char *p, const char *end, unsigned count, bool digits)
{
    for (; count > 0; count--, p++) {
        if (p == end || !(mr_is_letter(*p) || (digits && mr_is_digit(*p)))) {
            return NULL;
        }
    }
    return p;
}

static const char *skip_value(const char *p, const char *end)
{
    const char *stop = p;
    while (stop < end && *stop != '&') {
        stop++;
    }
    return stop > p ? stop : NULL;
}

static const char *skip_coldfusion(const char *p, const char *end, bool loose)
{
    p = skip_word(p, end, "cfid=");
    p = p != NULL ? skip_value(p, end) : NULL;
    p = p != NULL ? skip_word(p, end, "&cftoken=") : NULL;
    p = p != NULL ? skip_value(p, end) : NULL;
    if (p != NULL && loose) {
        const char *more = skip_word(p, end, "&jsessionid=");
        more = more != NULL ? skip_value(more, end) : NULL;
        p = more != NULL ? more : p;
    }
    return p;
}

/* The end of a session id of one of `kinds` that begins at `p`; NULL when there is none. */
static const char *skip_session(const char *p, const char *end, unsigned kinds, bool loose)
{
    static const struct {
        unsigned kind;
        const char *word;
    } simple[] = {
        {MR_SESSION_JAVA, "jsessionid="}, {MR_SESSION_PHP, "phpsessid="}, {MR_SESSION_SID, "sid="}};

    for (size_t i = 0; i < sizeof simple / sizeof simple[0]; i++) {
        const char *q = (kinds & simple[i].kind) != 0 ? skip_word(p, end, simple[i].word) : NULL;
        q = q != NULL ? skip_run(q, end, 32, true) : NULL;
        if (q != NULL) {
            return q;
        }
    }
    if ((kinds & MR_SESSION_ASP) != 0) {
        const char *q = skip_word(p, end, "aspsessionid");
        q = q != NULL ? skip_run(q, end, 8, false) : NULL;
        q = q != NULL ? skip_word(q, end, "=") : NULL;
        q = q != NULL ? skip_run(q, end, 24, false) : NULL;
        if (q != NULL) {
            return q;
        }
    }
    return (kinds & MR_SESSION_COLDFUSION) != 0 ? skip_coldfusion(p, end, loose) : NULL;
}

void mr_text_session(struct mr_text *text, unsigned kinds, bool loose, size_t min_prefix)
{
    const char *begin = text->data, *end = begin + text->bytes;

    /* Each kind holds a "=". Most names hold none, so this test is a quick way out. */
    if (memchr(begin, '=', text->bytes) == NULL) {
        return;
    }
    for (const char *p = end; (size_t)(p - begin) > min_prefix;) {
        p--;
        char c = mr_lower(*p);
        if (c != 'j' && c != 'p' && c != 's' && c != 'a' && c != 'c') {
            continue;
        }
        const char *stop = skip_session(p, end, kinds, loose);
        if (stop != NULL && (loose || stop == end || *stop == '&')) {
            stop += stop < end && *stop == '&';
            mr_text_cut(text, (size_t)(p - begin), (size_t)(stop - begin));
            return;
        }
    }
}

/* Does [p, end) hold one or more bytes other than "?" and then ".aspx"? */
static bool names_aspx(const char *p, const char *end)
{
    const char *first = p;
    for (; p < end && *p != '?'; p++) {
        if (p > first && skip_word(p, end, ".aspx") != NULL) {
            return true;
        }
    }
    return false;
}

void mr_text_path_session(struct mr_text *path, bool nested)
{
    const char *begin = path->data, *end = begin + path->bytes;

    if (memchr(begin, '(', path->bytes) == NULL) {
        return;
    }
    for (const char *p = end; p > begin + 1;) {
        p--;
        if (*p != '(' || p[-1] != '/') {
            continue;
        }
        const char *q = p + 1;
        if (nested) {
            const char *last = NULL;
            while (q != NULL && end - q >= 2 && mr_is_letter(q[0]) && q[1] == '(') {
                q = skip_run(q + 2, end, 24, true);
                q = q != NULL ? skip_word(q, end, ")") : NULL;
                last = q;
            }
            q = last;
        } else {
            q = skip_run(q, end, 24, true);
        }
        q = q != NULL ? skip_word(q, end, ")/") : NULL;
        if (q != NULL && names_aspx(q, end)) {
            mr_text_cut(path, (size_t)(p - begin), (size_t)(q - begin));
            return;
        }
    }
}

void mr_text_fixup_query(struct mr_text *url)
{
    const char *mark = memrchr(url->data, '?', url->bytes);
    size_t at = mark != NULL ? (size_t)(mark - url->data) : 0;

    if (at == 0) {
        return;
    }
    if (at + 2 == url->bytes && url->data[at + 1] == '&') {
        url->bytes -= 2;
    } else if (at + 2 < url->bytes && url->data[at + 1] == '&') {
        mr_text_cut(url, at + 1, at + 2);
    } else if (at + 1 == url->bytes || url->data[url->bytes - 1] == '&') {
        url->bytes--;
    }
}
