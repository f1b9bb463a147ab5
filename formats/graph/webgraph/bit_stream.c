/* SPDX-License-Identifier: Apache-2.0 */
/* Fills the buffer of a bit stream, and decodes codes that are too long for a word. Both are rare,
 * so that they are functions; the common codes are inline in the header.
 * formats/graph/webgraph/bv_lists.c reads through it. */
#include "formats/graph/webgraph/bit_stream.h"

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "formats/stream/input.h"

enum { BUFFER_BYTES = 256 << 10, PADDING_BYTES = 128, AHEAD_BYTES = 16, WORD_BITS = 64 };

enum mr_status mr_bits_open(struct mr_bits *bits, const struct mr_context *context,
                            struct mr_file *file, bool little, struct mr_error *err)
{
    *bits = (struct mr_bits){.memory = context->memory, .file = file, .little = little};
    enum mr_status status = mr_file_size(file, &bits->file_bytes, err);
    if (status == MR_OK) {
        status = mr_memory_array(context->memory, "bit stream", BUFFER_BYTES + PADDING_BYTES,
                                 &bits->buffer, err);
    }
    bits->data = bits->buffer;
    if (status == MR_OK) {
        mr_bits_seek(bits, 0);
    }
    return status;
}

void mr_bits_close(struct mr_bits *bits)
{
    if (bits->buffer != NULL) {
        mr_memory_free(bits->memory, bits->buffer);
    }
    bits->buffer = NULL;
}

/* Fills the buffer from byte `first` of the file. */
static void fill(struct mr_bits *bits, uint64_t first)
{
    const uint64_t left = first < bits->file_bytes ? bits->file_bytes - first : 0;
    const uint64_t bytes = mr_min_u64(left, BUFFER_BYTES);

    bits->base = 8 * first;
    if (bits->status == MR_OK) {
        bits->status = mr_input_file_read(bits->file, mr_file_path(bits->file), bits->buffer, bytes,
                                          first, &bits->error);
    }
    const bool good = bits->status == MR_OK;
    memset(bits->buffer + (good ? bytes : 0), 0xff, PADDING_BYTES);
    /* At the end of the file there is nothing to fill from; codes run into the padding. */
    bits->limit = !good ? 0 : bytes < left ? 8 * (bytes - AHEAD_BYTES) : 8 * bytes;
}

void mr_bits_seek(struct mr_bits *bits, uint64_t position)
{
    const uint64_t first = mr_min_u64(position >> 3, bits->file_bytes);

    if (bits->limit == 0 || position < bits->base || position - bits->base > bits->limit) {
        fill(bits, first);
    }
    bits->over = position > 8 * bits->file_bytes;
    bits->at = bits->over ? 0 : position - bits->base;
}

void mr_bits_refill(struct mr_bits *bits)
{
    const uint64_t position = bits->base + bits->at;

    if (position <= 8 * bits->file_bytes && bits->status == MR_OK) {
        fill(bits, position >> 3);
        bits->at = position & 7;
        if (bits->at <= bits->limit) {
            return;
        }
    }
    /* From here on the stream has only ones. */
    bits->over = true;
    memset(bits->buffer, 0xff, PADDING_BYTES);
    bits->base = 8 * bits->file_bytes;
    bits->limit = 0;
    bits->at = 0;
}

static uint64_t take_bits(struct mr_bits *bits, unsigned n)
{
    uint64_t value = 0;

    for (unsigned done = 0; done < n;) {
        const unsigned part = n - done < 32 ? n - done : 32;
        const uint64_t window = mr_bits_window(bits, bits->little);
        const uint64_t cut = mr_bits_cut(window, 0, part, bits->little);

        value = bits->little ? value | cut << done : value << part | cut;
        bits->at += part;
        done += part;
    }
    return value;
}

static uint64_t take_unary(struct mr_bits *bits)
{
    uint64_t value = 0;

    for (;;) {
        unsigned zeros = mr_bits_zeros(mr_bits_window(bits, bits->little), bits->little);
        if (zeros <= 56) {
            bits->at += zeros + 1;
            return value + zeros;
        }
        bits->at += 57;
        value += 57;
    }
}

/* Takes `n` bits after a leading one. Refuses more bits than a word has. */
static uint64_t take_rest(struct mr_bits *bits, uint64_t n)
{
    return n >= WORD_BITS - 1 ? UINT64_MAX
                              : (((uint64_t)1 << n) | take_bits(bits, (unsigned)n)) - 1;
}

/* Takes a number below 2^(hk) (2^k - 1) and gives it the value of zeta_k. */
static uint64_t take_zeta(struct mr_bits *bits, unsigned k)
{
    const uint64_t h = take_unary(bits);

    if (k == 0 || h * k + k >= WORD_BITS - 1) {
        return UINT64_MAX;
    }
    const uint64_t left = (uint64_t)1 << (h * k);
    const uint64_t m = take_bits(bits, (unsigned)(h * k + k - 1));
    return m < left ? m + left - 1 : (m << 1 | take_bits(bits, 1)) - 1;
}

static uint64_t take_golomb(struct mr_bits *bits, uint64_t modulus)
{
    const uint64_t quotient = take_unary(bits);
    const unsigned length = modulus == 0 ? 0 : 63 - (unsigned)__builtin_clzll(modulus);
    const uint64_t limit = modulus == 0 ? 0 : ((uint64_t)2 << length) - modulus;
    uint64_t rest = take_bits(bits, length), product;

    if (modulus == 0) {
        return quotient;
    }
    if (rest >= limit) {
        rest = (rest << 1 | take_bits(bits, 1)) - limit;
    }
    return mr_mul_overflows(quotient, modulus, &product) || product > UINT64_MAX / 2
               ? UINT64_MAX
               : product + rest;
}

static uint64_t take_nibble(struct mr_bits *bits)
{
    uint64_t value = 0, stop;
    unsigned groups = 0;

    do {
        stop = take_bits(bits, 1);
        value = value << 3 | take_bits(bits, 3);
    } while (stop == 0 && ++groups < 21);
    return stop == 0 ? UINT64_MAX : value;
}

/* In little-endian streams the leading one of each block comes first. Source: Elias, "Universal
 * codeword sets and representations of the integers" (1975). */
static uint64_t take_omega(struct mr_bits *bits)
{
    uint64_t n = 1;

    while (mr_bits_cut(mr_bits_window(bits, bits->little), 0, 1, bits->little) == 1) {
        if (n >= WORD_BITS - 1 || bits->over) {
            return UINT64_MAX;
        }
        const unsigned length = (unsigned)n;
        n = take_bits(bits, length + 1);
        if (bits->little) {
            n = n >> 1 | (uint64_t)1 << length;
        }
    }
    bits->at++;
    return n - 1;
}

uint64_t mr_bits_long(struct mr_bits *bits, struct mr_code code)
{
    uint64_t length;

    switch (code.kind) {
    case MR_CODE_UNARY:
        return take_unary(bits);
    case MR_CODE_GAMMA:
        return take_rest(bits, take_unary(bits));
    case MR_CODE_DELTA:
        return take_rest(bits, take_rest(bits, take_unary(bits)));
    case MR_CODE_ZETA:
        return take_zeta(bits, code.k);
    case MR_CODE_GOLOMB:
        return take_golomb(bits, code.k);
    case MR_CODE_NIBBLE:
        return take_nibble(bits);
    case MR_CODE_OMEGA:
        return take_omega(bits);
    case MR_CODE_PI:
        /* Source: Apostolico and Drovandi, "Graph compression by BFS" (2009), in the form of
         * webgraph-rs. */
        length = take_unary(bits);
        return take_rest(bits, length >= WORD_BITS ? WORD_BITS
                                                   : length << code.k | take_bits(bits, code.k));
    }
    return UINT64_MAX;
}
