/* SPDX-License-Identifier: Apache-2.0 */
/* Key streams like those of real graphs, made from a fixed seed. The micro benchmarks run on
 * them. */
#ifndef MR_BENCH_STREAMS_H
#define MR_BENCH_STREAMS_H

#include <stddef.h>
#include <stdint.h>

/* A sequence of tiles with about 2^18 keys in all. */
struct bench_stream {
    const char *name;
    unsigned band_bits; /* a key is source << band_bits | destination */
    unsigned stripe_bits;
    size_t n_tiles, n_keys, n_bytes;
    size_t *key_ends; /* [n_tiles]: tile i has keys [key_ends[i - 1], key_ends[i]) */
    size_t *byte_ends; /* [n_tiles]: the same for `bytes` */
    uint32_t *keys; /* [n_keys], ascending in each tile */
    uint8_t *bytes; /* [n_bytes], encoded; MR_KEYS_SLACK_BYTES more can be read behind them */
};

enum bench_kind {
    BENCH_DENSE, /* all differences below 128: one byte each, the decoders' best case */
    BENCH_WEB, /* URL order: runs near the diagonal, one jump per source; about 1.2 bytes a key */
    BENCH_KRON, /* scrambled Kronecker tiles of kron-22 density; about 2.4 bytes */
    BENCH_UNIFORM, /* 2^14 random keys a tile: mostly three bytes each */
    /* 32 random keys a tile, as in a scrambled graph with billions of vertices: four bytes each */
    BENCH_SPARSE,
    BENCH_KINDS
};

/* Make a stream of this shape; band_bits + stripe_bits <= 32, and both are >= 12. Exits with a
 * message when memory runs out. */
struct bench_stream bench_stream_make(enum bench_kind kind, unsigned band_bits,
                                      unsigned stripe_bits);
void bench_stream_free(struct bench_stream *stream);

#endif
