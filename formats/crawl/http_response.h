/* SPDX-License-Identifier: Apache-2.0 */
/* An HTTP response as a WARC or ARC record holds it: its headers, then its body in pieces, without
 * chunks and without compression. Internal to formats/.
 *
 * Memory: 256 KiB for headers, 64 KiB for decoded bytes of each coding, and per decoder what its
 * library takes (8 MiB for zstd, 16 MiB and more for Brotli), all charged to the budget. A body is
 * cut off behind MR_HTTP_BODY_MAX_BYTES decoded bytes. */
#ifndef MR_FORMATS_CRAWL_HTTP_RESPONSE_H
#define MR_FORMATS_CRAWL_HTTP_RESPONSE_H

#include <stdbool.h>

#include "engine/base/bytes.h"
#include "engine/base/context.h"

#define MR_HTTP_HEADER_MAX_BYTES (256u << 10)
#define MR_HTTP_BODY_MAX_BYTES   ((uint64_t)64 << 20)

/* Texts are inside the headers. */
struct mr_http_head {
    long status; /* 0: the status line is missing or is not one */
    struct mr_span type, charset; /* Content-Type: "text/html", and its parameter */
    struct mr_span location, refresh;
    bool nofollow; /* X-Robots-Tag says nofollow or none */
};

typedef enum mr_status (*mr_http_take)(void *data, const char *body, size_t bytes,
                                       struct mr_error *err);

struct mr_http;

/* `take` gets the pieces of the body. Errors: BUDGET. Close takes NULL. */
enum mr_status mr_http_open(const struct mr_context *context, mr_http_take take, void *data,
                            struct mr_http **out, struct mr_error *err) MR_WARN_UNUSED;
void mr_http_close(struct mr_http *http);

/* Begin a new response. */
void mr_http_begin(struct mr_http *http);
/* Say at the beginning that the response has no headers: all its bytes are a body of this
 * Content-Type. Errors: BUDGET. */
enum mr_status mr_http_give_type(struct mr_http *http, struct mr_span type,
                                 struct mr_error *err) MR_WARN_UNUSED;
/* Take the next bytes of the response. Errors: BUDGET; those of `take`. A response that is damaged
 * is no error: its bytes from there on are ignored, and mr_http_is_damaged says so. */
enum mr_status mr_http_feed(struct mr_http *http, const char *data, size_t bytes,
                            struct mr_error *err) MR_WARN_UNUSED;
/* The response has no more bytes. Errors: as mr_http_feed. */
enum mr_status mr_http_end(struct mr_http *http, struct mr_error *err) MR_WARN_UNUSED;
bool mr_http_is_damaged(const struct mr_http *http);

/* The headers; NULL as long as they are not complete. Its texts live until the next begin. */
const struct mr_http_head *mr_http_headers(const struct mr_http *http);

/* Bytes of the headers with the empty line behind them, whether lines end in CR LF or LF; 0 as long
 * as that line is missing. No earlier call found it in the first `from` bytes. */
size_t mr_http_head_end(const char *head, size_t bytes, size_t from);

/* Join lines that are folded: a line that begins with a blank goes on with the one before it. */
void mr_http_unfold(char *head, size_t bytes);

/* Is there a line of a header called `name` in `head[bytes]`, in any case, perhaps with blanks
 * before the colon? Its value without blanks around it; of several the first. */
struct mr_span mr_http_field(const char *head, size_t bytes, const char *name);
/* The same of the lines from `*at` on, which moves behind the line that is found. */
struct mr_span mr_http_next_field(const char **at, const char *end, const char *name);

/* ---- Bodies (body_decoder.c) ---- */

enum mr_body_coding {
    MR_BODY_PLAIN,
    MR_BODY_GZIP, /* one member or several */
    MR_BODY_DEFLATE,
    MR_BODY_BROTLI,
    MR_BODY_ZSTD,
    MR_BODY_UNKNOWN /* one that is not decoded: the body is damaged, unless it begins with text */
};

typedef enum mr_status (*mr_body_take)(void *data, const char *body, size_t bytes,
                                       struct mr_error *err);

struct mr_body_decoder;
enum mr_status mr_body_decoder_open(const struct mr_context *context, mr_body_take take, void *data,
                                    struct mr_body_decoder **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_body_decoder_close(struct mr_body_decoder *decoder); /* NULL is allowed */

/* Begin a new body. Its first bytes decide whether it has the coding at all. */
void mr_body_decoder_begin(struct mr_body_decoder *decoder, enum mr_body_coding coding);
/* Errors: BUDGET; those of `take`. Bytes after damage, after the end of the coding, and beyond
 * MR_HTTP_BODY_MAX_BYTES are ignored. */
enum mr_status mr_body_decoder_feed(struct mr_body_decoder *decoder, const char *data, size_t bytes,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_body_decoder_end(struct mr_body_decoder *decoder);
bool mr_body_decoder_is_damaged(const struct mr_body_decoder *decoder);

#endif
