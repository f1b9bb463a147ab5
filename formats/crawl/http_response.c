/* SPDX-License-Identifier: Apache-2.0 */
/* Takes HTTP responses apart for page_links.c: headers, then the body through the two layers that
 * HTTP has around it, chunks and content codings. Archives differ: many tools remove the chunks or
 * the compression and keep the header that announces it. The first bytes of the body therefore
 * decide whether a layer that the headers name is there. */
#include "formats/crawl/http_response.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/base/bytes.h"
#include "engine/base/decimal.h"
#include "engine/base/memory.h"

/* Codings of one body at most: no server sends more, and each takes a buffer. */
enum { MAX_CODINGS = 5 };

enum chunk_state { SIZE_FIRST, SIZE, SIZE_REST, DATA, DATA_END, DONE, NO_CHUNKS };

struct mr_http {
    const struct mr_context *context;
    mr_http_take take;
    void *data;
    /* The innermost coding first. [n_decoders] are open; [n_codings] of them decode this body. */
    struct mr_body_decoder *decoders[MAX_CODINGS];
    unsigned n_decoders, n_codings;
    char *header; /* [MR_HTTP_HEADER_MAX_BYTES] */
    size_t header_bytes;
    bool has_head, is_damaged;
    struct mr_http_head head;
    enum chunk_state chunks;
    uint64_t chunk_left; /* bytes of this chunk; digits of its size so far */
    char size_line[20]; /* the first size, until it is clear that it is one */
    size_t size_bytes;
};

static enum mr_status pass_on(void *data, const char *body, size_t bytes, struct mr_error *err)
{
    return mr_body_decoder_feed(data, body, bytes, err);
}

/* Open one more decoder. It gives its bytes to the one that was opened before it, the first one to
 * the caller; so the outermost coding of a body is the last that is opened. */
static enum mr_status open_decoder(struct mr_http *http, struct mr_error *err)
{
    const unsigned n = http->n_decoders;
    const enum mr_status status =
        n == 0
            ? mr_body_decoder_open(http->context, http->take, http->data, &http->decoders[0], err)
            : mr_body_decoder_open(http->context, pass_on, http->decoders[n - 1],
                                   &http->decoders[n], err);
    http->n_decoders += http->decoders[n] != NULL;
    return status;
}

enum mr_status mr_http_open(const struct mr_context *context, mr_http_take take, void *data,
                            struct mr_http **out, struct mr_error *err)
{
    struct mr_http *http = calloc(1, sizeof *http);

    *out = http;
    if (http == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a reader");
    }
    http->context = context;
    http->take = take;
    http->data = data;
    enum mr_status status = mr_memory_alloc(context->memory, "HTTP headers",
                                            MR_HTTP_HEADER_MAX_BYTES, &http->header, err);
    if (status == MR_OK) {
        status = open_decoder(http, err);
    }
    return status;
}

void mr_http_close(struct mr_http *http)
{
    if (http != NULL) {
        for (unsigned i = 0; i < http->n_decoders; i++) {
            mr_body_decoder_close(http->decoders[i]);
        }
        mr_memory_free(http->context->memory, http->header);
        free(http);
    }
}

void mr_http_begin(struct mr_http *http)
{
    http->header_bytes = 0;
    http->has_head = http->is_damaged = false;
    http->head = (struct mr_http_head){0};
    http->chunks = NO_CHUNKS;
    http->chunk_left = 0;
    http->size_bytes = 0;
    http->n_codings = 1;
    mr_body_decoder_begin(http->decoders[0], MR_BODY_PLAIN);
}

const struct mr_http_head *mr_http_headers(const struct mr_http *http)
{
    return http->has_head ? &http->head : NULL;
}

bool mr_http_is_damaged(const struct mr_http *http)
{
    bool is_damaged = http->is_damaged;

    for (unsigned i = 0; i < http->n_codings; i++) {
        is_damaged |= mr_body_decoder_is_damaged(http->decoders[i]);
    }
    return is_damaged;
}

/* ---- Headers ---- */

static struct mr_span trimmed(const char *text, const char *end)
{
    while (text < end && (unsigned char)*text <= ' ') {
        text++;
    }
    while (end > text && (unsigned char)end[-1] <= ' ') {
        end--;
    }
    return (struct mr_span){.text = text, .bytes = (size_t)(end - text)};
}

void mr_http_unfold(char *head, size_t bytes)
{
    for (size_t i = 1; i + 1 < bytes; i++) {
        if (head[i] == '\n' && (head[i + 1] == ' ' || head[i + 1] == '\t') && head[i - 1] != '\n') {
            head[i] = ' ';
            head[i - 1] = head[i - 1] == '\r' ? ' ' : head[i - 1];
        }
    }
}

struct mr_span mr_http_next_field(const char **at, const char *end, const char *name)
{
    const size_t name_bytes = strlen(name);

    while (*at < end) {
        const char *line = *at, *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop != NULL ? stop : end;
        *at = stop + 1;
        if ((size_t)(stop - line) > name_bytes && strncasecmp(line, name, name_bytes) == 0) {
            const char *colon = line + name_bytes;
            while (colon < stop && (*colon == ' ' || *colon == '\t')) {
                colon++;
            }
            if (colon < stop && *colon == ':') {
                return trimmed(colon + 1, stop);
            }
        }
    }
    return (struct mr_span){0};
}

struct mr_span mr_http_field(const char *head, size_t bytes, const char *name)
{
    return mr_http_next_field(&head, head + bytes, name);
}

static bool has_word(struct mr_span text, const char *word)
{
    const size_t bytes = strlen(word);
    for (size_t i = 0; i + bytes <= text.bytes; i++) {
        if (strncasecmp(text.text + i, word, bytes) == 0) {
            return true;
        }
    }
    return false;
}

/* The status of a line such as "HTTP/1.1 404 Not Found": 404. 0: it is not such a line. */
static long status_of(const char *line, size_t bytes)
{
    const char *at = bytes > 5 && memcmp(line, "HTTP/", 5) == 0 ? memchr(line, ' ', bytes) : NULL;
    const char *end = line + bytes;
    uint64_t value;

    while (at != NULL && at < end && *at == ' ') {
        at++;
    }
    return at != NULL && mr_decimal_parse(&at, end, &value) == MR_DECIMAL_OK && value < 1000
               ? (long)value
               : 0;
}

/* The parameter "charset" of "text/html; charset=utf-8". */
static struct mr_span charset_of(struct mr_span type)
{
    const char *end = type.bytes > 0 ? type.text + type.bytes : NULL;

    for (size_t i = 0; i + 8 <= type.bytes; i++) {
        if (strncasecmp(type.text + i, "charset=", 8) == 0) {
            const char *at = type.text + i + 8;
            at += at < end && (*at == '"' || *at == '\'');
            const char *stop = at;
            while (stop < end && *stop != ';' && *stop != '"' && *stop != '\'' && *stop != ' ' &&
                   *stop != ',') {
                stop++;
            }
            return (struct mr_span){.text = at, .bytes = (size_t)(stop - at)};
        }
    }
    return (struct mr_span){0};
}

static enum mr_body_coding coding_of(struct mr_span text)
{
    static const struct {
        const char *name;
        enum mr_body_coding coding;
    } codings[] = {
        {"gzip", MR_BODY_GZIP},          {"x-gzip", MR_BODY_GZIP}, {"deflate", MR_BODY_DEFLATE},
        {"br", MR_BODY_BROTLI},          {"zstd", MR_BODY_ZSTD},   {"compress", MR_BODY_UNKNOWN},
        {"x-compress", MR_BODY_UNKNOWN}, {"dcb", MR_BODY_UNKNOWN}, {"dcz", MR_BODY_UNKNOWN}};
    for (size_t i = 0; i < sizeof codings / sizeof codings[0]; i++) {
        if (text.bytes == strlen(codings[i].name) &&
            strncasecmp(text.text, codings[i].name, text.bytes) == 0) {
            return codings[i].coding;
        }
    }
    return MR_BODY_PLAIN; /* "identity", and words that servers make up */
}

/* Begin a decoder for each coding of a header, in the order in which the server applied them:
 * "Content-Encoding: A, B", or a line for each. */
static enum mr_status read_codings(struct mr_http *http, const char *name, struct mr_error *err)
{
    const char *at = http->header, *end = at + http->header_bytes;
    struct mr_span list;
    enum mr_status status = MR_OK;

    while (status == MR_OK && (list = mr_http_next_field(&at, end, name)).text != NULL) {
        const char *stop = list.text + list.bytes, *comma;
        for (const char *item = list.text; item < stop && status == MR_OK; item = comma + 1) {
            comma = memchr(item, ',', (size_t)(stop - item));
            comma = comma != NULL ? comma : stop;
            const enum mr_body_coding coding = coding_of(trimmed(item, comma));
            const unsigned n = http->n_codings;
            if (coding == MR_BODY_PLAIN || n == MAX_CODINGS) {
                http->is_damaged |= coding != MR_BODY_PLAIN;
                continue;
            }
            if (n == http->n_decoders) {
                status = open_decoder(http, err);
            }
            if (status == MR_OK) {
                mr_body_decoder_begin(http->decoders[n], coding);
                http->n_codings++;
            }
        }
    }
    return status;
}

static enum mr_status read_head(struct mr_http *http, struct mr_error *err)
{
    const char *head = http->header;
    const size_t bytes = http->header_bytes;
    struct mr_http_head *out = &http->head;

    mr_http_unfold(http->header, bytes);
    const struct mr_span type = mr_http_field(head, bytes, "Content-Type");
    const struct mr_span robots = mr_http_field(head, bytes, "X-Robots-Tag");
    const char *semicolon = type.bytes > 0 ? memchr(type.text, ';', type.bytes) : NULL;

    out->status = status_of(head, bytes);
    out->charset = charset_of(type);
    out->type = semicolon != NULL ? trimmed(type.text, semicolon) : type;
    out->location = mr_http_field(head, bytes, "Location");
    out->refresh = mr_http_field(head, bytes, "Refresh");
    out->nofollow = has_word(robots, "nofollow") || has_word(robots, "none");
    if (has_word(mr_http_field(head, bytes, "Transfer-Encoding"), "chunked")) {
        http->chunks = SIZE_FIRST;
    }
    http->has_head = true;
    enum mr_status status = read_codings(http, "Content-Encoding", err);
    return status == MR_OK ? read_codings(http, "Transfer-Encoding", err) : status;
}

enum mr_status mr_http_give_type(struct mr_http *http, struct mr_span type, struct mr_error *err)
{
    static const char name[] = "Content-Type: ";
    const size_t room = MR_HTTP_HEADER_MAX_BYTES - sizeof name;
    const size_t bytes = type.bytes < room ? type.bytes : room;

    memcpy(http->header, name, sizeof name - 1);
    if (bytes > 0) {
        memcpy(http->header + sizeof name - 1, type.text, bytes);
    }
    http->header_bytes = sizeof name - 1 + bytes;
    return read_head(http, err);
}

size_t mr_http_head_end(const char *head, size_t bytes, size_t from)
{
    const char *end = head + bytes;

    for (const char *at = head + (from > 3 ? from - 3 : 0);
         (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++) {
        if (at + 1 < end && at[1] == '\n') {
            return (size_t)(at - head) + 2;
        }
        if (at + 2 < end && at[1] == '\r' && at[2] == '\n') {
            return (size_t)(at - head) + 3;
        }
    }
    return 0;
}

/* ---- Chunks ---- */

/* A byte of the line with the size of a chunk. */
static void size_byte(struct mr_http *http, char c)
{
    const int digit = mr_hex_value(c);

    if (http->chunks == SIZE && digit >= 0) {
        if (http->chunk_left >> 40 != 0) {
            http->is_damaged = true;
            http->chunks = DONE;
        }
        http->chunk_left = http->chunk_left << 4 | (unsigned)digit;
        http->size_bytes++;
    } else if (c == '\n') {
        http->chunks = http->chunk_left > 0 ? DATA : DONE;
        http->is_damaged |= http->size_bytes == 0;
    } else if (http->chunks == SIZE && http->size_bytes == 0) {
        http->is_damaged |= c != '\r'; /* the bytes are no chunks any more */
        http->chunks = c == '\r' ? SIZE_REST : DONE;
    } else {
        http->chunks = SIZE_REST; /* an extension, or CR */
    }
}

static struct mr_body_decoder *outermost(struct mr_http *http)
{
    return http->decoders[http->n_codings - 1];
}

/* The first line of the body is kept until it is clear whether it is a size. Returns how many bytes
 * were taken. */
static enum mr_status first_size(struct mr_http *http, char c, struct mr_error *err)
{
    const bool is_digit = mr_hex_value(c) >= 0;
    const bool ends = c == '\r' || c == '\n' || c == ';' || c == ' ';

    http->size_line[http->size_bytes++] = c;
    if (is_digit && http->size_bytes < sizeof http->size_line) {
        return MR_OK;
    }
    const size_t bytes = http->size_bytes;
    http->size_bytes = 0;
    if (ends && bytes > 1) {
        http->chunks = SIZE;
        for (size_t i = 0; i < bytes; i++) {
            size_byte(http, http->size_line[i]);
        }
        return MR_OK;
    }
    http->chunks = NO_CHUNKS; /* whoever wrote the record has removed the chunks */
    return mr_body_decoder_feed(outermost(http), http->size_line, bytes, err);
}

static enum mr_status feed_body(struct mr_http *http, const char *data, size_t bytes,
                                struct mr_error *err)
{
    enum mr_status status = MR_OK;
    const char *end = data + bytes;

    while (data < end && status == MR_OK && http->chunks != DONE) {
        switch (http->chunks) {
        case NO_CHUNKS:
            return mr_body_decoder_feed(outermost(http), data, (size_t)(end - data), err);
        case SIZE_FIRST:
            status = first_size(http, *data++, err);
            break;
        case DATA: {
            const size_t here = (size_t)(end - data);
            const size_t part = http->chunk_left < here ? (size_t)http->chunk_left : here;
            status = mr_body_decoder_feed(outermost(http), data, part, err);
            data += part;
            http->chunk_left -= part;
            http->chunks = http->chunk_left == 0 ? DATA_END : DATA;
            break;
        }
        case DATA_END:
            if (*data == '\n') {
                http->chunks = SIZE;
                http->size_bytes = 0;
            } else if (*data != '\r') {
                http->is_damaged = true;
                http->chunks = DONE;
            }
            data++;
            break;
        default:
            size_byte(http, *data++);
        }
    }
    return status;
}

enum mr_status mr_http_feed(struct mr_http *http, const char *data, size_t bytes,
                            struct mr_error *err)
{
    if (http->has_head) {
        return feed_body(http, data, bytes, err);
    }
    const size_t before = http->header_bytes;
    const size_t room = MR_HTTP_HEADER_MAX_BYTES - before;
    const size_t part = bytes < room ? bytes : room;
    memcpy(http->header + before, data, part);
    http->header_bytes += part;
    const size_t end = mr_http_head_end(http->header, http->header_bytes, before);
    if (end == 0) {
        http->is_damaged |= part < bytes || part == 0; /* longer than any server's headers */
        return MR_OK;
    }
    http->header_bytes = end;
    const enum mr_status status = read_head(http, err);
    const size_t used = end - before;
    return status == MR_OK ? feed_body(http, data + used, bytes - used, err) : status;
}

enum mr_status mr_http_end(struct mr_http *http, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    if (!http->has_head && http->header_bytes > 0) {
        status = read_head(http, err); /* a response without a body may lack the empty line */
    }
    http->is_damaged |= http->chunks == DATA;
    for (unsigned i = 0; i < http->n_codings; i++) {
        mr_body_decoder_end(http->decoders[i]);
    }
    return status;
}
