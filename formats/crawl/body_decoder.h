/* SPDX-License-Identifier: Apache-2.0 */
/* Decompresses the body of an HTTP response, piece by piece. Internal to formats/; http_response.h
 * tells what it takes. */
#ifndef MR_FORMATS_CRAWL_BODY_DECODER_H
#define MR_FORMATS_CRAWL_BODY_DECODER_H

#include <stdbool.h>

#include "engine/base/context.h"

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
