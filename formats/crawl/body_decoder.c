/* SPDX-License-Identifier: Apache-2.0 */
/* The content codings of HTTP for http_response.c: gzip and deflate by zlib, br by Brotli's
 * decoder, zstd by libzstd. A decoder is made when the first body needs it and serves all later
 * ones. */

#include <brotli/decode.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>
#include <zstd_errors.h>

#include "engine/base/memory.h"
#include "formats/crawl/http_response.h"

enum {
    OUT_BYTES = 64 << 10,
    ANY_WINDOW = 15 + 32, /* zlib: a gzip or a zlib header */
    RAW_WINDOW = -15, /* "deflate" of old servers lacks the header of zlib */
    ZSTD_WINDOW_LOG = 23, /* the largest that RFC 9659 allows on the web */
    HEAD_BYTES = 2 /* that decide about a coding */
};

/* What libraries allocate at most: zlib 48 KiB; zstd its window and buffers; Brotli a ring of 16
 * MiB with its tables. */
#define INFLATE_BYTES ((uint64_t)48 << 10)
#define ZSTD_BYTES    ((uint64_t)9 << 20)
#define BROTLI_BYTES  ((uint64_t)34 << 20)

static const char decoder_name[] = "decoder of pages";

struct mr_body_decoder {
    const struct mr_context *context;
    mr_body_take take;
    void *data;
    enum mr_body_coding coding;
    bool is_open; /* the decoder of this coding is ready */
    bool is_damaged, is_done;
    bool ignores_rest; /* the bytes behind the end are no gzip member */
    bool is_out_of_memory; /* the decoder needs more than there is; the body may be good */
    uint64_t decoded_bytes; /* of this body */
    char head[HEAD_BYTES]; /* [head_bytes]: bytes held back until the coding is known */
    size_t head_bytes;
    z_stream zlib;
    bool has_zlib;
    BrotliDecoderState *brotli;
    ZSTD_DCtx *zstd;
    uint64_t charged_bytes;
    char *out; /* [OUT_BYTES] */
};

enum mr_status mr_body_decoder_open(const struct mr_context *context, mr_body_take take, void *data,
                                    struct mr_body_decoder **out, struct mr_error *err)
{
    struct mr_body_decoder *decoder = calloc(1, sizeof *decoder);

    *out = decoder;
    if (decoder == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a reader");
    }
    decoder->context = context;
    decoder->take = take;
    decoder->data = data;
    return mr_memory_array(context->memory, decoder_name, OUT_BYTES, &decoder->out, err);
}

void mr_body_decoder_close(struct mr_body_decoder *decoder)
{
    if (decoder != NULL) {
        if (decoder->has_zlib) {
            (void)inflateEnd(&decoder->zlib);
        }
        if (decoder->brotli != NULL) {
            BrotliDecoderDestroyInstance(decoder->brotli);
        }
        (void)ZSTD_freeDCtx(decoder->zstd);
        mr_memory_discharge(decoder->context->memory, decoder_name, decoder->charged_bytes);
        mr_memory_free(decoder->context->memory, decoder->out);
        free(decoder);
    }
}

void mr_body_decoder_begin(struct mr_body_decoder *decoder, enum mr_body_coding coding)
{
    decoder->coding = coding;
    decoder->is_open = coding == MR_BODY_PLAIN;
    decoder->is_damaged = decoder->is_done = decoder->ignores_rest = false;
    decoder->decoded_bytes = 0;
    decoder->head_bytes = 0;
}

bool mr_body_decoder_is_damaged(const struct mr_body_decoder *decoder)
{
    return decoder->is_damaged;
}

static enum mr_status charge(struct mr_body_decoder *decoder, uint64_t bytes, struct mr_error *err)
{
    const enum mr_status status =
        mr_memory_charge(decoder->context->memory, decoder_name, bytes, err);
    decoder->charged_bytes += status == MR_OK ? bytes : 0;
    return status;
}

static enum mr_status no_decoder(struct mr_error *err)
{
    return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a decoder of pages");
}

static enum mr_status open_zlib(struct mr_body_decoder *decoder, int window, struct mr_error *err)
{
    if (decoder->has_zlib) {
        return inflateReset2(&decoder->zlib, window) == Z_OK ? MR_OK : no_decoder(err);
    }
    const enum mr_status status = charge(decoder, INFLATE_BYTES, err);
    if (status != MR_OK) {
        return status;
    }
    decoder->has_zlib = inflateInit2(&decoder->zlib, window) == Z_OK;
    return decoder->has_zlib ? MR_OK : no_decoder(err);
}

static enum mr_status open_brotli(struct mr_body_decoder *decoder, struct mr_error *err)
{
    if (decoder->brotli != NULL) {
        BrotliDecoderDestroyInstance(decoder->brotli);
    } else {
        const enum mr_status status = charge(decoder, BROTLI_BYTES, err);
        if (status != MR_OK) {
            return status;
        }
    }
    decoder->brotli = BrotliDecoderCreateInstance(NULL, NULL, NULL);
    if (decoder->brotli == NULL) {
        mr_memory_discharge(decoder->context->memory, decoder_name, BROTLI_BYTES);
        decoder->charged_bytes -= BROTLI_BYTES;
        return no_decoder(err);
    }
    return MR_OK;
}

static enum mr_status open_zstd(struct mr_body_decoder *decoder, struct mr_error *err)
{
    if (decoder->zstd == NULL) {
        const enum mr_status status = charge(decoder, ZSTD_BYTES, err);
        if (status != MR_OK) {
            return status;
        }
        decoder->zstd = ZSTD_createDCtx();
    }
    return decoder->zstd != NULL &&
                   !ZSTD_isError(ZSTD_DCtx_reset(decoder->zstd, ZSTD_reset_session_only)) &&
                   !ZSTD_isError(
                       ZSTD_DCtx_setParameter(decoder->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG))
               ? MR_OK
               : no_decoder(err);
}

/* The first two bytes of the body are known: choose and open the decoder. */
static enum mr_status open_coding(struct mr_body_decoder *decoder, struct mr_error *err)
{
    const unsigned char a = (unsigned char)decoder->head[0], b = (unsigned char)decoder->head[1];
    const bool is_gzip = a == 0x1F && b == 0x8B;
    const bool is_zlib = (a & 15) == 8 && (a * 256u + b) % 31 == 0;

    decoder->is_open = true;
    switch (decoder->coding) {
    case MR_BODY_GZIP:
        if (is_gzip) {
            return open_zlib(decoder, ANY_WINDOW, err);
        }
        break;
    case MR_BODY_DEFLATE:
        if (a != '<' && a > ' ') { /* "<" begins a page, and no deflate that servers send */
            return open_zlib(decoder, is_gzip || is_zlib ? ANY_WINDOW : RAW_WINDOW, err);
        }
        break;
    case MR_BODY_BROTLI:
        if (a != '<') {
            return open_brotli(decoder, err);
        }
        break;
    case MR_BODY_ZSTD:
        if (a == 0x28 && b == 0xB5) {
            return open_zstd(decoder, err);
        }
        break;
    case MR_BODY_UNKNOWN:
        decoder->is_damaged = (a < ' ' && strchr("\t\n\r\f", a) == NULL) || a > 126 || a == 0;
        break;
    default:
        break;
    }
    decoder->coding = MR_BODY_PLAIN; /* the archive has decoded the body */
    return MR_OK;
}

/* Decode once. Returns false when the decoder needs more bytes or can go on no more. */
static bool decode_zlib(struct mr_body_decoder *decoder, const char **data, size_t *bytes,
                        size_t *got)
{
    z_stream *z = &decoder->zlib;
    z->next_in = (z_const Bytef *)*data;
    z->avail_in = (uInt)*bytes;
    z->next_out = (Bytef *)decoder->out;
    z->avail_out = OUT_BYTES;
    const int code = inflate(z, Z_NO_FLUSH);
    *data = (const char *)z->next_in;
    *bytes = z->avail_in;
    *got = OUT_BYTES - z->avail_out;
    decoder->is_done = code == Z_STREAM_END;
    decoder->is_damaged = code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR;
    decoder->is_out_of_memory = code == Z_MEM_ERROR;
    return code == Z_OK && (*bytes > 0 || z->avail_out == 0);
}

static bool decode_brotli(struct mr_body_decoder *decoder, const char **data, size_t *bytes,
                          size_t *got)
{
    const uint8_t *in = (const uint8_t *)*data;
    uint8_t *out = (uint8_t *)decoder->out;
    size_t room = OUT_BYTES;
    const BrotliDecoderResult result =
        BrotliDecoderDecompressStream(decoder->brotli, bytes, &in, &room, &out, NULL);
    *data = (const char *)in;
    *got = OUT_BYTES - room;
    decoder->is_done = result == BROTLI_DECODER_RESULT_SUCCESS;
    decoder->is_damaged = result == BROTLI_DECODER_RESULT_ERROR;
    if (decoder->is_damaged) {
        const BrotliDecoderErrorCode code = BrotliDecoderGetErrorCode(decoder->brotli);
        decoder->is_out_of_memory = code <= BROTLI_DECODER_ERROR_ALLOC_CONTEXT_MODES &&
                                    code >= BROTLI_DECODER_ERROR_ALLOC_BLOCK_TYPE_TREES;
    }
    return result == BROTLI_DECODER_RESULT_NEEDS_MORE_OUTPUT;
}

static bool decode_zstd(struct mr_body_decoder *decoder, const char **data, size_t *bytes,
                        size_t *got)
{
    ZSTD_inBuffer in = {*data, *bytes, 0};
    ZSTD_outBuffer out = {decoder->out, OUT_BYTES, 0};
    const size_t code = ZSTD_decompressStream(decoder->zstd, &out, &in);
    *data += in.pos;
    *bytes -= in.pos;
    *got = out.pos;
    decoder->is_damaged = ZSTD_isError(code) != 0;
    decoder->is_out_of_memory =
        decoder->is_damaged && ZSTD_getErrorCode(code) == ZSTD_error_memory_allocation;
    decoder->is_done = code == 0;
    return !decoder->is_damaged && !decoder->is_done && (*bytes > 0 || out.pos == OUT_BYTES);
}

static enum mr_status pass_on(struct mr_body_decoder *decoder, const char *data, size_t bytes,
                              struct mr_error *err)
{
    const uint64_t room = MR_HTTP_BODY_MAX_BYTES - decoder->decoded_bytes;
    if (bytes >= room) {
        bytes = (size_t)room;
        decoder->is_damaged = true;
    }
    decoder->decoded_bytes += bytes;
    return bytes > 0 ? decoder->take(decoder->data, data, bytes, err) : MR_OK;
}

/* After the end of a gzip member: begin the next one, if `data` begins with one. The second byte of
 * its mark may still be to come. */
static bool begin_member(struct mr_body_decoder *decoder, const char *data, size_t bytes)
{
    const bool is_next = decoder->coding == MR_BODY_GZIP && !decoder->ignores_rest &&
                         (unsigned char)data[0] == 0x1F &&
                         (bytes == 1 || (unsigned char)data[1] == 0x8B) &&
                         inflateReset2(&decoder->zlib, ANY_WINDOW) == Z_OK;
    decoder->ignores_rest = decoder->is_done = !is_next;
    return is_next;
}

static enum mr_status decode(struct mr_body_decoder *decoder, const char *data, size_t bytes,
                             struct mr_error *err)
{
    enum mr_status status = MR_OK;
    bool goes_on = bytes > 0;

    if (decoder->coding == MR_BODY_PLAIN) {
        return decoder->is_damaged ? MR_OK : pass_on(decoder, data, bytes, err);
    }
    while (goes_on && status == MR_OK && !decoder->is_damaged) {
        size_t got = 0;
        if (decoder->is_done && !begin_member(decoder, data, bytes)) {
            break; /* bytes behind the end are ignored, as browsers do */
        }
        goes_on = decoder->coding == MR_BODY_BROTLI ? decode_brotli(decoder, &data, &bytes, &got)
                  : decoder->coding == MR_BODY_ZSTD ? decode_zstd(decoder, &data, &bytes, &got)
                                                    : decode_zlib(decoder, &data, &bytes, &got);
        status =
            decoder->is_out_of_memory ? no_decoder(err) : pass_on(decoder, decoder->out, got, err);
        goes_on |= decoder->is_done && bytes > 0;
        if (status == MR_OK) {
            status = mr_context_poll(decoder->context, err);
        }
    }
    return status;
}

enum mr_status mr_body_decoder_feed(struct mr_body_decoder *decoder, const char *data, size_t bytes,
                                    struct mr_error *err)
{
    if (decoder->is_open) {
        return decode(decoder, data, bytes, err);
    }
    while (decoder->head_bytes < HEAD_BYTES && bytes > 0) {
        decoder->head[decoder->head_bytes++] = *data++;
        bytes--;
    }
    if (decoder->head_bytes < HEAD_BYTES) {
        return MR_OK;
    }
    enum mr_status status = open_coding(decoder, err);
    if (status == MR_OK) {
        status = decode(decoder, decoder->head, HEAD_BYTES, err);
    }
    return status == MR_OK ? decode(decoder, data, bytes, err) : status;
}

void mr_body_decoder_end(struct mr_body_decoder *decoder)
{
    if (decoder->coding != MR_BODY_PLAIN && decoder->is_open && !decoder->is_done) {
        decoder->is_damaged = true; /* it is cut off */
    }
}
