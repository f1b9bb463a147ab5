/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes successor lists into a WebGraph bit stream, big-endian, with the default codes.
 * bv_lists.h is the decoder. */
#ifndef MR_FORMATS_GRAPH_WEBGRAPH_BV_ENCODER_H
#define MR_FORMATS_GRAPH_WEBGRAPH_BV_ENCODER_H

#include "formats/stream/output.h"

/* ---- Bits ----
 *
 * Writes a big-endian stream of bits into an output, with the codes of WebGraph. */

enum { MR_BIT_WRITER_BYTES = 4096 };

struct mr_bit_writer {
    struct mr_output *output;
    uint64_t pending; /* the lowest n_pending bits are not in the buffer yet */
    unsigned n_pending; /* < 8 */
    size_t used;
    uint64_t n_bits; /* written so far */
    enum mr_status status; /* the first failure; nothing is written after it */
    struct mr_error error;
    uint8_t buffer[MR_BIT_WRITER_BYTES];
};

void mr_bit_writer_flush(struct mr_bit_writer *writer);

/* Fill the stream with zeros up to a multiple of 64 bits, as the reader in Rust needs it, and flush
 * it. */
void mr_bit_writer_end(struct mr_bit_writer *writer);

/* Writes the lowest `n` (<= 56) bits of `value`, highest first. */
static inline void mr_bit_writer_put(struct mr_bit_writer *writer, uint64_t value, unsigned n)
{
    writer->pending = writer->pending << n | (value & (((uint64_t)1 << n) - 1));
    writer->n_pending += n;
    writer->n_bits += n;
    while (writer->n_pending >= 8) {
        writer->n_pending -= 8;
        writer->buffer[writer->used++] = (uint8_t)(writer->pending >> writer->n_pending);
        if (writer->used == MR_BIT_WRITER_BYTES) {
            mr_bit_writer_flush(writer);
        }
    }
}

static inline unsigned mr_bit_length(uint64_t value)
{
    return 63 - (unsigned)__builtin_clzll(value); /* floor(log2(value)); value > 0 */
}

static inline void mr_bit_writer_unary(struct mr_bit_writer *writer, uint64_t value)
{
    for (; value >= 48; value -= 48) {
        mr_bit_writer_put(writer, 0, 48);
    }
    mr_bit_writer_put(writer, 1, (unsigned)value + 1);
}

static inline void mr_bit_writer_gamma(struct mr_bit_writer *writer, uint64_t value)
{
    const unsigned length = mr_bit_length(value + 1);
    mr_bit_writer_unary(writer, length);
    mr_bit_writer_put(writer, value + 1, length);
}

static inline void mr_bit_writer_zeta(struct mr_bit_writer *writer, uint64_t value, unsigned k)
{
    const unsigned h = mr_bit_length(value + 1) / k;
    const uint64_t left = (uint64_t)1 << (h * k);
    mr_bit_writer_unary(writer, h);
    if (value + 1 - left < left) {
        mr_bit_writer_put(writer, value + 1 - left, h * k + k - 1);
    } else {
        mr_bit_writer_put(writer, value + 1, h * k + k);
    }
}

/* The number of bits that these codes take. */
static inline unsigned mr_bits_of_gamma(uint64_t value)
{
    return 2 * mr_bit_length(value + 1) + 1;
}

static inline unsigned mr_bits_of_zeta(uint64_t value, unsigned k)
{
    const unsigned h = mr_bit_length(value + 1) / k;
    const uint64_t left = (uint64_t)1 << (h * k);
    return h + 1 + h * k + k - (value + 1 - left < left);
}

/* -1, 1, -2, 2 -> 1, 2, 3, 4; the value is between -2^62 and 2^62. */
static inline uint64_t mr_bits_of_signed(int64_t value)
{
    return value < 0 ? 2 * (uint64_t)-value - 1 : 2 * (uint64_t)value;
}

struct mr_bv_encoder;

/* What WebGraph takes unless told otherwise: lists that may be referred to, the longest chain of
 * references, the least run of successors that is an interval. */
enum { MR_BV_WINDOW = 7, MR_BV_MAX_REFERENCES = 3, MR_BV_MIN_INTERVAL = 4 };

/* Begin a stream into `output`, which is borrowed. A list may refer to one of the `window` lists
 * before it, at the end of a chain of up to `max_references`. Destroy takes NULL. Errors: BUDGET.
 */
enum mr_status mr_bv_encoder_create(const struct mr_context *context, struct mr_output *output,
                                    uint64_t window, uint64_t max_references,
                                    struct mr_bv_encoder **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_bv_encoder_destroy(struct mr_bv_encoder *encoder);

/* Encode the list of the next node: `successors[n]`, strictly ascending. Tries each list of the
 * window as a reference and takes the one that gives the fewest bits, as WebGraph does. `*bits` is
 * the size of the list in the stream. Time: O((window + 1) n). */
enum mr_status mr_bv_encoder_add(struct mr_bv_encoder *encoder, const uint32_t *successors,
                                 size_t n, uint64_t *bits, struct mr_error *err) MR_WARN_UNUSED;
/* Fill the last byte with zeros and write it. */
enum mr_status mr_bv_encoder_finish(struct mr_bv_encoder *encoder,
                                    struct mr_error *err) MR_WARN_UNUSED;

#endif
