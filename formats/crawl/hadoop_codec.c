/* SPDX-License-Identifier: Apache-2.0 */
/* The codecs of Hadoop's SequenceFiles for sequence_file.c. A block is read as a whole and decoded
 * into memory that grows as it fills: the sizes that a file claims are never trusted. */
#include "formats/crawl/sequence_file.h"

#include <bzlib.h>
#include <dlfcn.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"

enum { FIRST_ROOM = 64 << 10, ANY_WINDOW = 15 + 32, ZSTD_WINDOW_LOG = 27 };

static const char block_name[] = "block of a sequence file";

void mr_buffer_free(const struct mr_context *context, struct mr_buffer *block)
{
    mr_memory_free(context->memory, block->data);
    *block = (struct mr_buffer){0};
}

enum mr_status mr_buffer_reserve(const struct mr_context *context, struct mr_buffer *block,
                                 uint64_t bytes, struct mr_error *err)
{
    uint64_t room = block->room == 0 ? FIRST_ROOM : block->room;

    if (bytes <= block->room - block->bytes) {
        return MR_OK;
    }
    while (room - block->bytes < bytes) {
        room *= 2;
    }
    const enum mr_status status =
        mr_memory_resize(context->memory, block_name, &block->data, room, err);
    block->room = status == MR_OK ? room : block->room;
    return status;
}

/* A decoder at work; the functions below advance `in` and `out`. */
struct hadoop_decoder {
    const char *in;
    size_t in_bytes;
    char *out;
    size_t out_bytes;
    bool ends; /* a stream is complete */
    bool is_bad;
    z_stream zlib;
    bz_stream bzip2;
    ZSTD_DCtx *zstd;
};

static unsigned at_most(size_t bytes)
{
    return bytes < (1u << 30) ? (unsigned)bytes : 1u << 30;
}

static void step_zlib(struct hadoop_decoder *work)
{
    z_stream *z = &work->zlib;
    z->next_in = (z_const Bytef *)work->in;
    z->avail_in = at_most(work->in_bytes);
    z->next_out = (Bytef *)work->out;
    z->avail_out = at_most(work->out_bytes);
    const int code = inflate(z, Z_NO_FLUSH);
    work->in_bytes -= (size_t)((const char *)z->next_in - work->in);
    work->in = (const char *)z->next_in;
    work->out_bytes -= (size_t)((char *)z->next_out - work->out);
    work->out = (char *)z->next_out;
    work->ends = code == Z_STREAM_END;
    work->is_bad = code != Z_OK && code != Z_STREAM_END && code != Z_BUF_ERROR;
    if (work->ends && work->in_bytes > 0) {
        work->is_bad |= inflateReset(z) != Z_OK;
    }
}

static void step_bzip2(struct hadoop_decoder *work)
{
    bz_stream *z = &work->bzip2;
    char *in = (char *)(uintptr_t)work->in;
    z->next_in = in;
    z->avail_in = at_most(work->in_bytes);
    z->next_out = work->out;
    z->avail_out = at_most(work->out_bytes);
    const int code = BZ2_bzDecompress(z);
    work->in_bytes -= (size_t)(z->next_in - in);
    work->in = z->next_in;
    work->out_bytes -= (size_t)(z->next_out - work->out);
    work->out = z->next_out;
    work->ends = code == BZ_STREAM_END;
    work->is_bad = code != BZ_OK && code != BZ_STREAM_END;
    if (work->ends && work->in_bytes > 0) {
        (void)BZ2_bzDecompressEnd(z);
        *z = (bz_stream){0};
        work->is_bad |= BZ2_bzDecompressInit(z, 0, 0) != BZ_OK;
    }
}

static void step_zstd(struct hadoop_decoder *work)
{
    ZSTD_inBuffer in = {work->in, work->in_bytes, 0};
    ZSTD_outBuffer out = {work->out, work->out_bytes, 0};
    const size_t code = ZSTD_decompressStream(work->zstd, &out, &in);
    work->in += in.pos;
    work->in_bytes -= in.pos;
    work->out += out.pos;
    work->out_bytes -= out.pos;
    work->is_bad = ZSTD_isError(code) != 0;
    work->ends = code == 0;
}

static bool begin(struct hadoop_decoder *work, enum mr_hadoop_codec codec)
{
    if (codec == MR_HADOOP_ZLIB) {
        return inflateInit2(&work->zlib, ANY_WINDOW) == Z_OK;
    }
    if (codec == MR_HADOOP_BZIP2) {
        return BZ2_bzDecompressInit(&work->bzip2, 0, 0) == BZ_OK;
    }
    work->zstd = ZSTD_createDCtx();
    return work->zstd != NULL &&
           !ZSTD_isError(ZSTD_DCtx_setParameter(work->zstd, ZSTD_d_windowLogMax, ZSTD_WINDOW_LOG));
}

static void end(struct hadoop_decoder *work, enum mr_hadoop_codec codec)
{
    if (codec == MR_HADOOP_ZLIB) {
        (void)inflateEnd(&work->zlib);
    } else if (codec == MR_HADOOP_BZIP2) {
        (void)BZ2_bzDecompressEnd(&work->bzip2);
    }
    (void)ZSTD_freeDCtx(work->zstd);
}

/* What the libraries allocate: 48 KiB; 4 MB for blocks of 900 KB; a window of 128 MiB at most, of
 * which only what the data fill is ever touched. */
static uint64_t charge_of(enum mr_hadoop_codec codec)
{
    return codec == MR_HADOOP_ZLIB ? (uint64_t)48 << 10 : (uint64_t)4 << 20;
}

static enum mr_status decode_all(const struct mr_context *context, struct hadoop_decoder *work,
                                 enum mr_hadoop_codec codec, struct mr_buffer *out,
                                 const char **reason, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    while (status == MR_OK && *reason == NULL && !(work->ends && work->in_bytes == 0)) {
        status = mr_buffer_reserve(context, out, 1, err);
        if (status == MR_OK) {
            status = mr_context_poll(context, err);
        }
        if (status != MR_OK) {
            break;
        }
        work->out = (char *)out->data + out->bytes;
        work->out_bytes = out->room - out->bytes;
        const size_t in_before = work->in_bytes, out_before = work->out_bytes;
        work->ends = false;
        if (codec == MR_HADOOP_ZLIB) {
            step_zlib(work);
        } else if (codec == MR_HADOOP_BZIP2) {
            step_bzip2(work);
        } else {
            step_zstd(work);
        }
        out->bytes += out_before - work->out_bytes;
        if (work->is_bad) {
            *reason = "its compressed data are damaged";
        } else if (out->bytes > MR_BUFFER_MAX_BYTES) {
            *reason = "its data are longer than 1 GiB";
        } else if (!work->ends && work->in_bytes == in_before && work->out_bytes == out_before) {
            *reason = "its compressed data end too early";
        }
    }
    return status;
}

/* ---- Snappy ---- */

/* snappy-c.h */
typedef int (*snappy_length)(const char *in, size_t in_bytes, size_t *out_bytes);
typedef int (*snappy_decode)(const char *in, size_t in_bytes, char *out, size_t *out_bytes);

/* Loads the library, which stays. */
static enum mr_status load_snappy(snappy_length *length, snappy_decode *decode,
                                  struct mr_error *err)
{
    void *library = dlopen("libsnappy.so.1", RTLD_NOW);

    *length = NULL;
    *decode = NULL;
    if (library != NULL) {
        *(void **)length = dlsym(library, "snappy_uncompressed_length");
        *(void **)decode = dlsym(library, "snappy_uncompress");
    }
    return *length != NULL && *decode != NULL
               ? MR_OK
               : mr_error_set(err, MR_ERROR_INPUT,
                              "its codec is Snappy, whose library libsnappy.so.1 is not here; "
                              "install it (Debian: libsnappy1v5)");
}

static bool take_length(const uint8_t **at, const uint8_t *end, size_t *length)
{
    if (end - *at < 4) {
        return false;
    }
    *length = mr_get_u32_big(*at);
    *at += 4;
    return true;
}

/* Hadoop's BlockDecompressorStream: the bytes of a block, then pieces until it is full, each with
 * its compressed length. */
static enum mr_status decode_snappy(const struct mr_context *context, const struct mr_buffer *in,
                                    struct mr_buffer *out, const char **reason,
                                    struct mr_error *err)
{
    const uint8_t *at = in->data, *const end = at + in->bytes;
    snappy_length length_of;
    snappy_decode decode;
    uint64_t full = 0;

    enum mr_status status = load_snappy(&length_of, &decode, err);
    while (status == MR_OK && *reason == NULL && at < end) {
        size_t bytes, piece = 0;
        if (out->bytes == full) {
            *reason = take_length(&at, end, &bytes) ? NULL : "its compressed data end too early";
            full += *reason == NULL ? bytes : 0;
            continue;
        }
        if (!take_length(&at, end, &piece) || piece > (size_t)(end - at) ||
            length_of((const char *)at, piece, &bytes) != 0 || bytes > full - out->bytes) {
            *reason = "its compressed data are damaged";
        } else if (out->bytes + bytes > MR_BUFFER_MAX_BYTES) {
            *reason = "its data are longer than 1 GiB";
        } else {
            status = mr_buffer_reserve(context, out, bytes, err);
        }
        if (status == MR_OK && *reason == NULL) {
            if (decode((const char *)at, piece, (char *)out->data + out->bytes, &bytes) != 0) {
                *reason = "its compressed data are damaged";
            }
            out->bytes += bytes;
            at += piece;
        }
    }
    if (status == MR_OK && *reason == NULL && out->bytes != full) {
        *reason = "its compressed data end too early";
    }
    return status;
}

enum mr_status mr_hadoop_decode(const struct mr_context *context, enum mr_hadoop_codec codec,
                                const struct mr_buffer *in, struct mr_buffer *out,
                                const char **reason, struct mr_error *err)
{
    struct hadoop_decoder work = {.in = in->data, .in_bytes = in->bytes};

    *reason = NULL;
    out->bytes = 0;
    if (codec == MR_HADOOP_PLAIN || in->bytes == 0) {
        const enum mr_status status = mr_buffer_reserve(context, out, in->bytes + 1, err);
        if (status == MR_OK && in->bytes > 0) {
            memcpy(out->data, in->data, in->bytes);
            out->bytes = in->bytes;
        }
        return status;
    }
    if (codec == MR_HADOOP_SNAPPY) {
        return decode_snappy(context, in, out, reason, err);
    }
    enum mr_status status = mr_memory_charge(context->memory, block_name, charge_of(codec), err);
    if (status != MR_OK) {
        return status;
    }
    status = begin(&work, codec)
                 ? decode_all(context, &work, codec, out, reason, err)
                 : mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a decoder of blocks");
    end(&work, codec);
    mr_memory_discharge(context->memory, block_name, charge_of(codec));
    return status;
}
