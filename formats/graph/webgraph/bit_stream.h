/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a file as a stream of bits, and decodes the instantaneous codes of WebGraph.
 *
 * Big-endian streams have the first bit in the highest position of each byte (every Java WebGraph),
 * little-endian streams in the lowest. The functions take the order as a constant that the compiler
 * folds away, so that no code tests it at run time. A code is read from one unaligned 64-bit word,
 * shifted so that it holds at least 57 bits of the stream. The length of the code is the number of
 * leading zeros, which is one instruction and needs no table. Longer codes go through mr_bits_long.
 *
 * After the end of the file a stream has ones, so that every code ends; mr_bits_is_over tells. */
#ifndef MR_FORMATS_GRAPH_WEBGRAPH_BIT_STREAM_H
#define MR_FORMATS_GRAPH_WEBGRAPH_BIT_STREAM_H

#include <assert.h>
#include <endian.h>
#include <stdbool.h>
#include <string.h>

#include "engine/base/context.h"
#include "engine/io/io.h"

#define MR_BITS_INLINE static inline __attribute__((always_inline))

enum mr_code_kind {
    MR_CODE_UNARY,
    MR_CODE_GAMMA,
    MR_CODE_DELTA,
    MR_CODE_ZETA, /* k */
    MR_CODE_GOLOMB, /* modulus k */
    MR_CODE_NIBBLE,
    MR_CODE_OMEGA,
    MR_CODE_PI /* k */
};

struct mr_code {
    enum mr_code_kind kind;
    unsigned k;
};

struct mr_bits {
    const uint8_t *data; /* the buffer; bytes up to limit / 8 + 64 can be read */
    uint64_t at; /* next bit, counted from the beginning of the buffer */
    uint64_t limit; /* after this bit the buffer must be filled first */
    uint64_t base; /* the bit of the file at which the buffer begins */
    bool little;
    bool over; /* the buffer was filled for bits after the end */
    enum mr_status status; /* status of the failed reading of the file; the stream is then over */
    struct mr_error error;
    struct mr_memory *memory;
    struct mr_file *file; /* borrowed */
    uint64_t file_bytes;
    uint8_t *buffer;
};

/* Open a stream over `file` at bit 0. The file is regular, open and read by position, so that any
 * number of streams may share it. Memory: 256 KiB, charged. Close takes a zeroed stream. */
enum mr_status mr_bits_open(struct mr_bits *bits, const struct mr_context *context,
                            struct mr_file *file, bool little, struct mr_error *err) MR_WARN_UNUSED;
void mr_bits_close(struct mr_bits *bits);

/* Continue at bit `position`. A position after the end is allowed; the stream is then over. */
void mr_bits_seek(struct mr_bits *bits, uint64_t position);

static inline uint64_t mr_bits_position(const struct mr_bits *bits)
{
    return bits->base + bits->at;
}

/* Was a bit after the end of the file read? */
static inline bool mr_bits_is_over(const struct mr_bits *bits)
{
    return bits->over || mr_bits_position(bits) > 8 * bits->file_bytes;
}

/* Fill the buffer so that it has 64 bits from `at` on. */
void mr_bits_refill(struct mr_bits *bits);

/* Decode any code bit by bit, for codes that do not fit into a word. UINT64_MAX for a value above
 * 2^63. */
uint64_t mr_bits_long(struct mr_bits *bits, struct mr_code code);

/* The stream from `at` on, at least 57 bits of it. The first bit is the highest of the word
 * (big-endian) or the lowest (little-endian). */
MR_BITS_INLINE uint64_t mr_bits_window(struct mr_bits *bits, bool little)
{
    uint64_t word;

    if (__builtin_expect(bits->at > bits->limit, 0)) {
        mr_bits_refill(bits);
    }
    memcpy(&word, bits->data + (bits->at >> 3), sizeof word);
    return little ? le64toh(word) >> (bits->at & 7) : be64toh(word) << (bits->at & 7);
}

/* The `n` bits of `window` after its first `skip`; skip + n <= 57, n < 64. */
MR_BITS_INLINE uint64_t mr_bits_cut(uint64_t window, unsigned skip, unsigned n, bool little)
{
    assert(skip + n <= 57 && skip <= 57);
    return little ? (window >> skip) & (((uint64_t)1 << n) - 1) : (window << skip) >> 1 >> (63 - n);
}

/* The number of zeros before the first one; 64 if there is no one. */
MR_BITS_INLINE unsigned mr_bits_zeros(uint64_t window, bool little)
{
    if (window == 0) {
        return 64;
    }
    return (unsigned)(little ? __builtin_ctzll(window) : __builtin_clzll(window));
}

MR_BITS_INLINE uint64_t mr_bits_unary(struct mr_bits *bits, bool little)
{
    const unsigned zeros = mr_bits_zeros(mr_bits_window(bits, little), little);

    if (__builtin_expect(zeros > 56, 0)) {
        return mr_bits_long(bits, (struct mr_code){MR_CODE_UNARY, 0});
    }
    bits->at += zeros + 1;
    return zeros;
}

MR_BITS_INLINE uint64_t mr_bits_gamma(struct mr_bits *bits, bool little)
{
    const uint64_t window = mr_bits_window(bits, little);
    const unsigned length = mr_bits_zeros(window, little);

    if (__builtin_expect(length > 27, 0)) {
        return mr_bits_long(bits, (struct mr_code){MR_CODE_GAMMA, 0});
    }
    bits->at += 2 * length + 1;
    return ((uint64_t)1 << length) - 1 + mr_bits_cut(window, length + 1, length, little);
}

/* zeta_k, k > 0: h in unary, then a number below 2^(hk) (2^k - 1) in minimal binary. Source: Boldi
 * and Vigna, "Codes for the World Wide Web", Internet Mathematics 2 (2005). */
MR_BITS_INLINE uint64_t mr_bits_zeta(struct mr_bits *bits, unsigned k, bool little)
{
    const uint64_t window = mr_bits_window(bits, little);
    const unsigned h = mr_bits_zeros(window, little);
    const unsigned n = h * k + k - 1;

    if (__builtin_expect(k == 0 || k > 56 || h * (k + 1) + k + 1 > 57, 0)) {
        return mr_bits_long(bits, (struct mr_code){MR_CODE_ZETA, k});
    }
    const uint64_t left = (uint64_t)1 << (h * k);
    const uint64_t m = mr_bits_cut(window, h + 1, n, little);
    if (m < left) {
        bits->at += h + 1 + n;
        return m + left - 1;
    }
    bits->at += h + 1 + n + 1;
    return (m << 1 | mr_bits_cut(window, h + 1 + n, 1, little)) - 1;
}

/* Decodes any code. */
MR_BITS_INLINE uint64_t mr_bits_code(struct mr_bits *bits, struct mr_code code, bool little)
{
    switch (code.kind) {
    case MR_CODE_UNARY:
        return mr_bits_unary(bits, little);
    case MR_CODE_GAMMA:
        return mr_bits_gamma(bits, little);
    case MR_CODE_ZETA:
        return mr_bits_zeta(bits, code.k, little);
    default:
        return mr_bits_long(bits, code);
    }
}

/* 0, 1, 2, 3, 4 -> 0, -1, 1, -2, 2, as a number modulo 2^64. */
static inline uint64_t mr_bits_signed(uint64_t code)
{
    return (code >> 1) ^ (0 - (code & 1));
}

#endif
