/* Key streams as tiles of real graphs have them, made from a fixed seed: what the micro benchmarks
 * run on. */
#ifndef MR_BENCH_STREAMS_H
#define MR_BENCH_STREAMS_H

#include <stddef.h>
#include <stdint.h>

/* Tiles one after the other, about 2^18 keys together. */
struct bench_stream {
    const char *name;
    unsigned band_bits; /* a key is source << band_bits | destination */
    unsigned stripe_bits;
    size_t n_tiles, n_keys, n_bytes;
    size_t *key_ends; /* [n_tiles]: tile i has keys [key_ends[i - 1], key_ends[i]) */
    size_t *byte_ends; /* [n_tiles]: likewise in `bytes` */
    uint32_t *keys; /* [n_keys], ascending in each tile */
    uint8_t *bytes; /* [n_bytes], encoded, MR_KEYS_SLACK_BYTES readable behind them */
};

enum bench_kind {
    BENCH_DENSE, /* every difference below 128: one byte each, the decoders' best case */
    BENCH_WEB, /* URL order: near-diagonal runs, one jump per source; about 1.2 bytes a key */
    BENCH_KRON, /* scrambled Kronecker tiles of kron-22 density; about 2.4 bytes */
    BENCH_UNIFORM, /* 2^14 random keys a tile: three bytes nearly always */
    BENCH_SPARSE, /* 32 random keys a tile, as a scrambled graph of billions has: four bytes */
    BENCH_KINDS
};

/* Make a stream of the shape, band_bits + stripe_bits <= 32 and both >= 12. Exits with a message when
 * memory runs out. */
struct bench_stream bench_stream_make(enum bench_kind kind, unsigned band_bits,
                                      unsigned stripe_bits);
void bench_stream_free(struct bench_stream *stream);

#endif
