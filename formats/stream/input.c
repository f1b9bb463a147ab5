/* SPDX-License-Identifier: Apache-2.0 */
/* An input: a raw source, a buffer of its bytes, and a decoder. All readers of text and binary
 * formats take their bytes from here.
 *
 * Members of a gzip file are decoded one after the other. Frames of a zstd file are decoded one
 * after the other or by several threads (formats/stream/frame_team.c), with the dictionary of the
 * first frame, if it has one. Between two members or
 * frames `inside` is false; only there may the input end. The first raw buffer is filled before
 * anything is decoded, because the magic number in it shows the compression. */
#define ZLIB_CONST
#include "formats/stream/input.h"

#include <assert.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/zstd_status.h"
#include "formats/stream/input_internal.h"
#include "formats/stream/not_links.h"
#include "formats/stream/text_form.h"

enum {
    RAW_BYTES = 256 << 10,
    FILE_BYTES = 32 << 10, /* programs that compress blocks of one text make no smaller ones */
    TEAM_MIN_BYTES = 256 << 10, /* compressed bytes that make threads worth while */
    INFLATE_BYTES = 48 << 10, /* zlib's own figure for a 32 KiB window, rounded up */
    GZIP_WINDOW_BITS = 15 + 16, /* the largest window, gzip wrapping */
    CHARACTER_BYTES = 4, /* the longest in UTF-8 */
};

/* What a zstd decoder allocates beside the window. ZSTD_sizeof_DCtx says 478 KiB after frames of
 * levels 1..22, whatever the window. */
#define ZSTD_DECODER_BYTES ((uint64_t)512 << 10)

static const char decoder_name[] = "decompression";

struct mr_input {
    const struct mr_context *context;
    struct mr_source *source;
    enum mr_input_coding codec;
    uint8_t *raw; /* [RAW_BYTES] */
    size_t raw_at, raw_end;
    /* [MR_INPUT_PEEK_BYTES + CHARACTER_BYTES], or NULL; a read takes these bytes first */
    char *peeked;
    size_t peeked_at, peeked_end;
    struct mr_error late; /* of the bytes behind the peeked ones; the read after these returns it */
    enum mr_text_form form; /* of the decompressed bytes */
    char *wide; /* [MR_INPUT_PEEK_BYTES] of another form, which is converted to `peeked`; or NULL */
    size_t wide_bytes;
    bool begun; /* the codec is known */
    uint64_t n_frames; /* frames begun in this file, by the caller's thread */
    bool inside; /* inside a member or frame */
    bool inflating; /* `inflater` is initialised */
    uint64_t n_decoded, member_at; /* gzip: bytes decoded so far, and before this member */
    size_t member_raw; /* where this member begins in `raw`, or where what is left of it does */
    bool is_cut; /* gzip: the file ends in the middle of a member */
    uint64_t part_bytes; /* decoded of this member or frame */
    char last; /* of them */
    bool is_open, is_joined; /* one below FILE_BYTES ended in a line; and another one followed */
    z_stream inflater;
    ZSTD_DCtx *zstd;
    ZSTD_DDict *dictionary; /* of the first frame of the file, or NULL */
    uint64_t dictionary_bytes; /* charged for it */
    /* Used from the second zstd frame of a file on; see decode_ahead. */
    struct mr_frame_team *team; /* NULL: not started, or ended */
    bool team_is_over;
    const struct mr_frame *frame; /* the frame in work */
    size_t frame_at; /* position in its data, or in `packed` where the frame is decoded here */
    uint64_t team_offset; /* offset in the file of the frame in work */
    uint64_t charged_bytes; /* for the decoder */
};

/* ---- Raw bytes ---- */

/* Offset in the file of the next byte to be decoded. */
static uint64_t raw_offset(const struct mr_input *input)
{
    if (input->team != NULL) { /* the team's threads read the file */
        return input->team_offset;
    }
    return mr_source_done(input->source) - (input->raw_end - input->raw_at);
}

static enum mr_status damaged(const struct mr_input *input, struct mr_error *err,
                              const char *reason)
{
    return mr_error_offset(err, MR_ERROR_INPUT, mr_source_name(input->source), raw_offset(input),
                           "%s; get the file again or decompress what can be saved", reason);
}

/* Have `wanted` bytes at raw_at, or all that are left. A gzip member stays in the buffer from its
 * beginning, up to half of the buffer, for mr_input_recover. */
static enum mr_status fill_raw(struct mr_input *input, size_t wanted, struct mr_error *err)
{
    if (input->raw_end - input->raw_at >= wanted) {
        return MR_OK;
    }
    const bool keeps = input->inside && input->codec == MR_INPUT_GZIP &&
                       input->raw_end - input->member_raw <= RAW_BYTES / 2;
    const size_t from = keeps ? input->member_raw : input->raw_at;
    memmove(input->raw, input->raw + from, input->raw_end - from);
    input->raw_at -= from;
    input->raw_end -= from;
    input->member_raw = 0;
    while (input->raw_end - input->raw_at < wanted) {
        size_t got;
        enum mr_status status = mr_source_read(input->source, input->raw + input->raw_end,
                                               RAW_BYTES - input->raw_end, &got, err);
        if (status != MR_OK) {
            return status;
        }
        if (got == 0) {
            break;
        }
        input->raw_end += got;
    }
    return MR_OK;
}

/* ---- gzip ---- */

static enum mr_status charge(struct mr_input *input, uint64_t bytes, struct mr_error *err)
{
    if (bytes <= input->charged_bytes) {
        return MR_OK;
    }
    enum mr_status status =
        mr_memory_charge(input->context->memory, decoder_name, bytes - input->charged_bytes, err);
    if (status == MR_OK) {
        input->charged_bytes = bytes;
    }
    return status;
}

static enum mr_status begin_member(struct mr_input *input, struct mr_error *err)
{
    const uint8_t *p = input->raw + input->raw_at;
    input->member_at = input->n_decoded;
    input->member_raw = input->raw_at;
    if (input->raw_end - input->raw_at < 2 || p[0] != 0x1f || p[1] != 0x8b) {
        return damaged(input, err, "the bytes after the gzip data are not a gzip member");
    }
    int code;
    if (input->inflating) {
        code = inflateReset(&input->inflater);
    } else {
        enum mr_status status = charge(input, INFLATE_BYTES, err);
        if (status != MR_OK) {
            return status;
        }
        code = inflateInit2(&input->inflater, GZIP_WINDOW_BITS);
    }
    if (code != Z_OK) {
        return mr_error_file(err, MR_ERROR_BUDGET, mr_source_name(input->source), 0,
                             "no memory to decompress it");
    }
    input->inflating = true;
    input->inside = true;
    return MR_OK;
}

static enum mr_status decode_gzip(struct mr_input *input, char *buffer, size_t capacity,
                                  size_t *got, struct mr_error *err)
{
    z_stream *z = &input->inflater;
    const uint8_t *from = input->raw + input->raw_at;

    z->next_in = from;
    z->avail_in = (uInt)(input->raw_end - input->raw_at);
    z->next_out = (Bytef *)buffer;
    z->avail_out = (uInt)mr_min_u64(capacity, 1u << 30);
    uInt room = z->avail_out;
    int code = inflate(z, Z_NO_FLUSH);
    input->raw_at += (size_t)(z->next_in - from);
    *got = room - z->avail_out;
    input->n_decoded += *got;
    if (code == Z_STREAM_END) {
        input->inside = false;
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
        char reason[96] = "damaged gzip data";
        if (z->msg != NULL) {
            (void)snprintf(reason, sizeof reason, "damaged gzip data (%s)", z->msg);
        }
        return damaged(input, err, reason);
    }
    return MR_OK;
}

bool mr_input_can_recover(const struct mr_input *input, uint64_t *certain)
{
    *certain = input->is_cut ? input->n_decoded : input->member_at;
    return input->codec == MR_INPUT_GZIP;
}

/* The damage may hide the end of its member. The search therefore begins at the beginning of that
 * member, as far as the buffer still has it. */
enum mr_status mr_input_recover(struct mr_input *input, struct mr_error *err)
{
    input->inside = input->is_cut = input->is_open = false;
    input->part_bytes = 0;
    input->raw_at = input->member_raw;
    for (;;) {
        input->raw_at += input->raw_at < input->raw_end;
        const enum mr_status status = fill_raw(input, 4, err);
        const uint8_t *p = input->raw + input->raw_at;
        if (status != MR_OK || input->raw_end - input->raw_at < 4) {
            input->raw_at = input->raw_end;
            return status;
        }
        if (p[0] == 0x1f && p[1] == 0x8b && p[2] == Z_DEFLATED && (p[3] & 0xe0) == 0) {
            return MR_OK;
        }
    }
}

/* ---- zstd ---- */

static enum mr_status begin_frame(struct mr_input *input, const uint8_t *data, size_t bytes,
                                  struct mr_error *err)
{
    struct mr_zstd_frame frame;
    enum mr_status status;

    if (!mr_zstd_frame_parse(data, bytes, &frame)) {
        return damaged(input, err, "no zstd frame begins here");
    }
    status = charge(input, frame.window_bytes + ZSTD_DECODER_BYTES, err);
    if (status != MR_OK) {
        return status;
    }
    if (input->zstd == NULL) {
        input->zstd = ZSTD_createDCtx();
        /* The budget limits the window, not zstd's default of at most 128 MiB. */
        ZSTD_bounds bounds = ZSTD_dParam_getBounds(ZSTD_d_windowLogMax);
        if (input->zstd == NULL || ZSTD_isError(bounds.error) ||
            ZSTD_isError(
                ZSTD_DCtx_setParameter(input->zstd, ZSTD_d_windowLogMax, bounds.upperBound)) ||
            ZSTD_isError(ZSTD_DCtx_refDDict(input->zstd, input->dictionary))) {
            return mr_error_file(err, MR_ERROR_BUDGET, mr_source_name(input->source), 0,
                                 "no memory to decompress it");
        }
    }
    input->inside = true;
    return MR_OK;
}

/* Does a frame with a dictionary begin here? */
static bool begins_dictionary(const struct mr_input *input)
{
    const uint8_t *p = input->raw + input->raw_at;
    return input->raw_end - input->raw_at >= 8 && mr_get_u32(p) == MR_ZSTD_DICTIONARY_MAGIC &&
           mr_get_u32(p + 4) <= MR_ZSTD_DICTIONARY_MAX_BYTES;
}

/* Read the frame with the dictionary that begins here. */
static enum mr_status read_dictionary(struct mr_input *input, struct mr_error *err)
{
    const size_t bytes = mr_get_u32(input->raw + input->raw_at + 4);
    uint8_t *content = NULL;
    enum mr_status status =
        mr_memory_alloc(input->context->memory, "zstd dictionary", bytes + 1, &content, err);

    input->raw_at += 8;
    for (size_t used = 0; status == MR_OK && used < bytes;) {
        status = fill_raw(input, 1, err);
        const size_t part = (size_t)mr_min_u64(input->raw_end - input->raw_at, bytes - used);
        if (status == MR_OK && part == 0) {
            status = damaged(input, err, "ends in the middle of a zstd frame");
        }
        if (status == MR_OK) {
            memcpy(content + used, input->raw + input->raw_at, part);
            input->raw_at += part;
            used += part;
        }
    }
    if (status == MR_OK) {
        status = mr_zstd_dictionary(input->context, mr_source_name(input->source), content, bytes,
                                    &input->dictionary, &input->dictionary_bytes, err);
    }
    mr_memory_free(input->context->memory, content);
    return status;
}

static void advance(struct mr_input *input, size_t bytes)
{
    if (input->team != NULL) {
        input->frame_at += bytes;
        input->team_offset += bytes;
    } else {
        input->raw_at += bytes;
    }
}

/* Decode some of `data` [bytes], the next bytes of the raw buffer or of a frame of the team. */
static enum mr_status decode_zstd(struct mr_input *input, const uint8_t *data, size_t bytes,
                                  char *buffer, size_t capacity, size_t *got, struct mr_error *err)
{
    ZSTD_inBuffer in = {data, bytes, 0};
    ZSTD_outBuffer out = {buffer, capacity, 0};
    size_t code = ZSTD_decompressStream(input->zstd, &out, &in);

    advance(input, in.pos);
    *got = out.pos;
    if (mr_zstd_status(code) == MR_ERROR_BUDGET) {
        return mr_error_file(err, MR_ERROR_BUDGET, mr_source_name(input->source), ENOMEM,
                             "cannot decompress");
    }
    if (ZSTD_getErrorCode(code) == ZSTD_error_dictionary_wrong) {
        return mr_error_offset(
            err, MR_ERROR_INPUT, mr_source_name(input->source), raw_offset(input),
            "was compressed with a dictionary that its first frame does not have; "
            "decompress it: zstd -d -D DICTIONARY FILE");
    }
    if (ZSTD_isError(code)) {
        char reason[96];
        (void)snprintf(reason, sizeof reason, "damaged zstd data (%s)", ZSTD_getErrorName(code));
        return damaged(input, err, reason);
    }
    input->inside = code != 0;
    return MR_OK;
}

/* ---- zstd, by several threads ---- */

static enum mr_status reader_fill(void *data, size_t wanted, const uint8_t **at, size_t *held,
                                  struct mr_error *err)
{
    struct mr_input *input = data;
    const enum mr_status status = fill_raw(input, wanted, err);
    *at = input->raw + input->raw_at;
    *held = input->raw_end - input->raw_at;
    return status;
}

static void reader_skip(void *data, size_t bytes)
{
    struct mr_input *input = data;
    input->raw_at += bytes;
}

static uint64_t reader_offset(void *data)
{
    const struct mr_input *input = data;
    return mr_source_done(input->source) - (input->raw_end - input->raw_at);
}

/* Called where a second frame begins: start a team if the rest of the file is large enough. */
static enum mr_status begin_team(struct mr_input *input, struct mr_error *err)
{
    const struct mr_frame_reader reader = {
        .data = input, .fill = reader_fill, .skip = reader_skip, .offset = reader_offset};
    input->team_offset = raw_offset(input);
    input->team_is_over = true;
    if (input->context->threads < 2 || !mr_source_is_regular(input->source) ||
        mr_source_total(input->source) - input->team_offset < TEAM_MIN_BYTES) {
        return MR_OK;
    }
    return mr_frame_team_create(input->context, &reader, input->dictionary, &input->team, err);
}

static void end_team(struct mr_input *input)
{
    mr_frame_team_destroy(input->team);
    input->team = NULL;
    input->frame = NULL;
}

/* Decode a frame, or the beginning of one, that the team handed out undecoded. Decoding as a stream
 * finds what is wrong with it. */
static enum mr_status decode_packed(struct mr_input *input, char *buffer, size_t capacity,
                                    size_t *got, struct mr_error *err)
{
    const struct mr_frame *frame = input->frame;
    enum mr_status status = MR_OK;

    if (!input->inside && frame->packed_bytes > 0) {
        status = begin_frame(input, frame->packed, frame->packed_bytes, err);
    }
    if (status == MR_OK && input->inside) {
        const size_t before = input->frame_at;
        status = decode_zstd(input, frame->packed + before, frame->packed_bytes - before, buffer,
                             capacity, got, err);
        if (status == MR_OK && frame->is_whole && input->inside && *got == 0 &&
            input->frame_at == before) { /* no block is marked as the last one */
            status = damaged(input, err, "a zstd frame has no end");
        }
    }
    if (status != MR_OK) {
        return status;
    }
    if (!input->inside && frame->is_whole) {
        input->frame = NULL;
    } else if (!frame->is_whole && input->frame_at == frame->packed_bytes) {
        end_team(input); /* the rest of the frame is in the file */
    }
    return MR_OK;
}

/* Take bytes of the next frame. `*got` is 0 where the team has ended, and after a frame without
 * content. */
static enum mr_status decode_ahead(struct mr_input *input, char *buffer, size_t capacity,
                                   size_t *got, struct mr_error *err)
{
    if (input->frame == NULL) {
        enum mr_status status = mr_frame_team_next(input->team, &input->frame, err);
        input->frame_at = 0;
        if (status != MR_OK) {
            return status;
        }
        if (input->frame == NULL) {
            end_team(input);
            return MR_OK;
        }
        input->team_offset = input->frame->offset;
    }
    const struct mr_frame *frame = input->frame;
    if (frame->data == NULL) {
        return decode_packed(input, buffer, capacity, got, err);
    }
    *got = (size_t)mr_min_u64(capacity, frame->data_bytes - input->frame_at);
    memcpy(buffer, frame->data + input->frame_at, *got);
    input->frame_at += *got;
    if (input->frame_at == frame->data_bytes) {
        input->team_offset = frame->offset + frame->packed_bytes;
        input->frame = NULL;
    }
    return MR_OK;
}

/* ---- Both compressions ---- */

/* Looks for a small member or frame that ends within a line: it was a file of its own, whose last
 * line another file goes on. */
static void note_part(struct mr_input *input, const char *buffer, size_t got)
{
    if (got > 0) {
        input->is_joined |= input->is_open;
        input->is_open = false;
        input->part_bytes += got;
        input->last = buffer[got - 1];
    }
    if (input->team != NULL ? input->frame == NULL : !input->inside) {
        const bool has_end = strchr("\n\r", input->last) != NULL; /* NUL: of UTF-16 */
        input->is_open |= input->part_bytes > 0 && input->part_bytes < FILE_BYTES && !has_end;
        input->part_bytes = 0;
    }
}

/* Decode until there is a byte, or the input ends between two members. A step may give no byte:
 * headers, skippable frames and empty members have none. Such a step is repeated. A step inside a
 * member with neither input nor output is an error, so that a decoder that is stuck at the end of
 * the file is noticed. */
static enum mr_status decode(struct mr_input *input, char *buffer, size_t capacity, size_t *got,
                             struct mr_error *err)
{
    bool gzip = input->codec == MR_INPUT_GZIP;
    enum mr_status status = MR_OK;

    *got = 0;
    while (status == MR_OK && *got == 0) {
        if (input->team != NULL) {
            status = decode_ahead(input, buffer, capacity, got, err);
            note_part(input, buffer, *got);
            continue;
        }
        /* The longest frame header is 18 bytes. */
        status = fill_raw(input, input->inside ? 1 : MR_ZSTD_FRAME_HEADER_MAX, err);
        if (status != MR_OK) {
            break;
        }
        size_t held = input->raw_end - input->raw_at;
        if (!input->inside) {
            if (held == 0) {
                break;
            }
            if (!gzip && input->n_frames == 0 && input->dictionary == NULL &&
                begins_dictionary(input)) {
                status = read_dictionary(input, err);
                input->n_frames++;
                continue;
            }
            if (!gzip && input->n_frames > 0 && !input->team_is_over) {
                status = begin_team(input, err);
                continue;
            }
            status = gzip ? begin_member(input, err)
                          : begin_frame(input, input->raw + input->raw_at, held, err);
            input->n_frames++;
            continue;
        }
        status =
            gzip ? decode_gzip(input, buffer, capacity, got, err)
                 : decode_zstd(input, input->raw + input->raw_at, held, buffer, capacity, got, err);
        note_part(input, buffer, *got);
        /* Without input a decoder may still hand out bytes that it held back, so only a step
         * without bytes is the end. */
        if (status == MR_OK && held == 0 && *got == 0 && input->inside) {
            input->is_cut = true;
            status = damaged(input, err,
                             gzip ? "ends in the middle of gzip data"
                                  : "ends in the middle of a zstd frame");
        }
    }
    return status;
}

/* ---- Opening ---- */

static bool begins_with(const struct mr_input *input, const char *bytes, size_t n_bytes)
{
    return input->raw_end >= n_bytes && memcmp(input->raw, bytes, n_bytes) == 0;
}

static enum mr_status detect(struct mr_input *input, struct mr_error *err)
{
    enum mr_status status = fill_raw(input, MR_ZSTD_FRAME_HEADER_MAX, err);
    if (status != MR_OK) {
        return status;
    }
    if (begins_with(input, "\x1f\x8b", 2)) {
        input->codec = MR_INPUT_GZIP;
    } else if (input->raw_end >= 4 && mr_zstd_frame_magic(mr_get_u32(input->raw))) {
        input->codec = MR_INPUT_ZSTD;
    } else {
        input->codec = MR_INPUT_PLAIN;
    }
    return status;
}

/* Detect the compression at the first read, not at opening: mr_input_make_rewindable may be called
 * in between, and standard input may be empty at first. */
static enum mr_status begin(struct mr_input *input, struct mr_error *err)
{
    if (input->begun) {
        return MR_OK;
    }
    input->begun = true;
    return detect(input, err);
}

enum mr_status mr_input_open(const struct mr_context *context, const char *path,
                             struct mr_input **out, struct mr_error *err)
{
    struct mr_input *input = calloc(1, sizeof *input);
    enum mr_status status;

    *out = input;
    if (input == NULL) {
        return mr_error_file(err, MR_ERROR_BUDGET, path, ENOMEM, "cannot open");
    }
    input->context = context;
    status = mr_source_open(context, path, &input->source, err);
    return status == MR_OK
               ? mr_memory_alloc(context->memory, "input buffer", RAW_BYTES, &input->raw, err)
               : status;
}

void mr_input_close(struct mr_input *input)
{
    if (input == NULL) {
        return;
    }
    end_team(input);
    if (input->inflating) {
        (void)inflateEnd(&input->inflater);
    }
    (void)ZSTD_freeDCtx(input->zstd);
    (void)ZSTD_freeDDict(input->dictionary);
    mr_memory_discharge(input->context->memory, decoder_name,
                        input->charged_bytes + input->dictionary_bytes);
    mr_memory_free(input->context->memory, input->peeked);
    mr_memory_free(input->context->memory, input->wide);
    mr_memory_free(input->context->memory, input->raw);
    mr_source_close(input->source);
    free(input);
}

/* ---- Reading ---- */

/* First take the bytes in the raw buffer, then read straight into the caller's buffer. */
static enum mr_status read_plain(struct mr_input *input, char *buffer, size_t capacity, size_t *got,
                                 struct mr_error *err)
{
    size_t held = input->raw_end - input->raw_at;
    if (held == 0) {
        return mr_source_read(input->source, buffer, capacity, got, err);
    }
    *got = held < capacity ? held : capacity;
    memcpy(buffer, input->raw + input->raw_at, *got);
    input->raw_at += *got;
    return MR_OK;
}

static enum mr_status read_bytes(struct mr_input *input, char *buffer, size_t capacity, size_t *got,
                                 struct mr_error *err)
{
    *got = 0;
    if (input->late.status != MR_OK) {
        if (err != NULL && err->status == MR_OK) {
            *err = input->late;
        }
        input->late.status = MR_OK;
        return MR_ERROR_INPUT;
    }
    return input->codec == MR_INPUT_PLAIN ? read_plain(input, buffer, capacity, got, err)
                                          : decode(input, buffer, capacity, got, err);
}

/* Converts more text to the bytes behind the peeked ones. `*is_end`: there is none. */
static enum mr_status convert(struct mr_input *input, bool *is_end, struct mr_error *err)
{
    const size_t room = MR_INPUT_PEEK_BYTES + CHARACTER_BYTES - input->peeked_end;
    const char *from = input->wide;
    size_t got = 0;
    enum mr_status status = MR_OK;

    if (input->wide_bytes < MR_INPUT_PEEK_BYTES) {
        status = read_bytes(input, input->wide + input->wide_bytes,
                            MR_INPUT_PEEK_BYTES - input->wide_bytes, &got, err);
        input->wide_bytes += got;
    }
    const char *const end = input->wide + input->wide_bytes;
    const size_t wrote =
        mr_text_convert(input->form, &from, end, input->peeked + input->peeked_end, room);
    input->wide_bytes = (size_t)(end - from);
    *is_end = got == 0 && from == input->wide;
    if (status == MR_OK && (wrote == SIZE_MAX || (*is_end && input->wide_bytes > 0))) {
        return mr_error_file(err, MR_ERROR_INPUT, mr_source_name(input->source), 0,
                             "damaged UTF-16: half a character; get the file again");
    }
    memmove(input->wide, from, input->wide_bytes);
    input->peeked_end += status == MR_OK ? wrote : 0;
    return status;
}

/* Finds out how the text is stored whose first bytes are peeked, and converts these. */
static enum mr_status find_form(struct mr_input *input, struct mr_error *err)
{
    bool is_end = false;
    enum mr_status status = MR_OK;

    input->form = mr_text_form_of(input->peeked, input->peeked_end);
    if (input->form == MR_TEXT_AS_IS) {
        return MR_OK;
    }
    status = mr_memory_alloc(input->context->memory, "input buffer", MR_INPUT_PEEK_BYTES,
                             &input->wide, err);
    if (status != MR_OK) {
        return status;
    }
    memcpy(input->wide, input->peeked, input->peeked_end);
    input->wide_bytes = input->peeked_end;
    input->peeked_end = 0;
    while (status == MR_OK && input->peeked_end < MR_INPUT_PEEK_BYTES && !is_end) {
        status = convert(input, &is_end, err);
    }
    return status;
}

static enum mr_status look(struct mr_input *input, struct mr_error *err)
{
    struct mr_error late = {.status = MR_OK};
    size_t got = 1;
    enum mr_status status = begin(input, err);

    if (status == MR_OK) {
        status = mr_memory_alloc(input->context->memory, "input buffer",
                                 MR_INPUT_PEEK_BYTES + CHARACTER_BYTES, &input->peeked, err);
    }
    if (status != MR_OK) {
        return status;
    }
    while (status == MR_OK && got > 0 && input->peeked_end < MR_INPUT_PEEK_BYTES) {
        status = read_bytes(input, input->peeked + input->peeked_end,
                            MR_INPUT_PEEK_BYTES - input->peeked_end, &got, &late);
        input->peeked_end += got;
    }
    if (status == MR_ERROR_INPUT && input->peeked_end > 0) {
        input->late = late;
        status = MR_OK;
    } else if (status != MR_OK && err != NULL && err->status == MR_OK) {
        *err = late;
    }
    if (status == MR_OK) {
        status = mr_not_links_refuse_data(mr_source_name(input->source), input->peeked,
                                          input->peeked_end, err);
    }
    status = status == MR_OK ? find_form(input, err) : status;
    if (status != MR_OK) {
        mr_memory_free(input->context->memory, input->peeked);
        input->peeked = NULL;
        input->peeked_end = 0;
    }
    return status;
}

enum mr_status mr_input_read(struct mr_input *input, void *buffer, size_t capacity, size_t *got,
                             struct mr_error *err)
{
    bool is_end = false;
    enum mr_status status = MR_OK;

    assert(capacity > 0);
    *got = 0;
    if (input->peeked == NULL) { /* decides about the compression and the form */
        status = look(input, err);
    }
    if (status == MR_OK && input->wide != NULL && input->peeked_at == input->peeked_end) {
        input->peeked_at = input->peeked_end = 0;
        while (status == MR_OK && input->peeked_end == 0 && !is_end) {
            status = convert(input, &is_end, err);
        }
    }
    if (status != MR_OK) {
        return status;
    }
    if (input->peeked_at < input->peeked_end || input->wide != NULL) {
        size_t held = input->peeked_end - input->peeked_at;
        *got = held < capacity ? held : capacity;
        memcpy(buffer, input->peeked + input->peeked_at, *got);
        input->peeked_at += *got;
        return MR_OK;
    }
    return read_bytes(input, buffer, capacity, got, err);
}

enum mr_status mr_input_check_lines(const struct mr_input *input, struct mr_error *err)
{
    return !input->is_joined
               ? MR_OK
               : mr_error_file(err, MR_ERROR_INPUT, mr_source_name(input->source), 0,
                               "was put together of compressed files, one of which lacks its last "
                               "line end; put the texts together with line ends (awk 1 FILE...), "
                               "or say %s FILE | millrace ... - if a line goes on in the next file",
                               input->codec == MR_INPUT_GZIP ? "gzip -dc" : "zstd -dc");
}

enum mr_status mr_input_fill(struct mr_input *input, void *buffer, size_t bytes, size_t *got,
                             struct mr_error *err)
{
    size_t more = 1;
    enum mr_status status = MR_OK;

    for (*got = 0; *got < bytes && more > 0 && status == MR_OK; *got += more) {
        status = mr_input_read(input, (char *)buffer + *got, bytes - *got, &more, err);
    }
    return status;
}

size_t mr_input_take(struct mr_input *input, size_t capacity, uint64_t *offset)
{
    const bool is_read =
        input->begun && input->peeked_at == input->peeked_end && input->raw_at == input->raw_end;
    return is_read && mr_input_codec(input) == MR_INPUT_PLAIN
               ? mr_source_take(input->source, capacity, offset)
               : 0;
}

enum mr_status mr_input_read_at(struct mr_input *input, void *buffer, size_t bytes, uint64_t offset,
                                struct mr_error *err)
{
    return mr_source_read_at(input->source, buffer, bytes, offset, err);
}

enum mr_status mr_input_peek(struct mr_input *input, const char **data, size_t *bytes,
                             struct mr_error *err)
{
    const enum mr_status status = input->peeked == NULL ? look(input, err) : MR_OK;

    *data = input->peeked;
    *bytes = input->peeked_end < MR_INPUT_PEEK_BYTES ? input->peeked_end : MR_INPUT_PEEK_BYTES;
    return status;
}

enum mr_status mr_input_make_rewindable(struct mr_input *input, struct mr_error *err)
{
    assert(!input->begun);
    return mr_source_keep(input->source, err);
}

enum mr_status mr_input_rewind(struct mr_input *input, struct mr_error *err)
{
    end_team(input);
    input->team_is_over = false;
    input->n_frames = 0;
    enum mr_status status = mr_source_rewind(input->source, err);
    if (status != MR_OK) {
        return status;
    }
    input->raw_at = input->raw_end = 0;
    mr_memory_free(input->context->memory, input->peeked); /* a peek may look again */
    mr_memory_free(input->context->memory, input->wide);
    input->peeked = input->wide = NULL;
    input->peeked_at = input->peeked_end = 0;
    input->late.status = MR_OK;
    input->wide_bytes = 0;
    input->inside = input->is_open = input->is_joined = false;
    input->part_bytes = 0;
    if (input->zstd != NULL) {
        (void)ZSTD_DCtx_reset(input->zstd, ZSTD_reset_session_only);
    }
    return MR_OK;
}

const char *mr_input_name(const struct mr_input *input)
{
    return mr_source_name(input->source);
}

enum mr_input_coding mr_input_codec(const struct mr_input *input)
{
    return input->form != MR_TEXT_AS_IS ? MR_INPUT_CONVERTED : input->codec;
}

void mr_input_position(const struct mr_input *input, uint64_t *done, uint64_t *total)
{
    *done = raw_offset(input);
    *total = mr_source_total(input->source);
}

struct mr_query *mr_input_query(const struct mr_input *input)
{
    return mr_source_query(input->source);
}
