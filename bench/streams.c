/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the key streams of the micro benchmarks from fixed seeds, encoded by the engine. Their
 * differences between keys have the distributions of real tiles, because decoders depend on nothing
 * else. */
#include "bench/streams.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/random.h"
#include "engine/tile/keys.h"
#include "generators/generate.h"

#define N_KEYS ((size_t)1 << 18)

static const char *const names[BENCH_KINDS] = {"dense", "web", "kron", "uniform", "sparse"};

static void *allocate(size_t bytes)
{
    void *pointer = calloc(1, bytes);

    if (pointer == NULL) {
        (void)fprintf(stderr, "out of memory for a key stream\n");
        exit(1);
    }
    return pointer;
}

static uint64_t next_random(uint64_t *state)
{
    return mr_random_mix(*state += MR_RANDOM_GOLDEN);
}

/* The number of successes in a row with this chance out of 256, at most `most`. */
static uint32_t geometric(uint64_t *state, uint32_t chance, uint32_t most)
{
    uint32_t count = 0;

    while (count < most && next_random(state) % 256 < chance) {
        count++;
    }
    return count;
}

static int compare(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

/* Sort, and drop duplicates. Returns the number of keys left. */
static size_t settle(uint32_t *keys, size_t n_keys)
{
    size_t n = 0;

    qsort(keys, n_keys, sizeof *keys, compare);
    for (size_t i = 0; i < n_keys; i++) {
        if (n == 0 || keys[n - 1] != keys[i]) {
            keys[n++] = keys[i];
        }
    }
    return n;
}

static size_t dense_tile(uint64_t *state, uint32_t *keys, size_t n_keys)
{
    uint32_t key = 0;

    for (size_t i = 0; i < n_keys; i++) {
        keys[i] = key += 1 + (uint32_t)(next_random(state) % 127);
    }
    return n_keys;
}

/* Sources have about ten edges. The first one is near the source, and most of the others come right
 * behind the previous one, like navigation bars and siblings. */
static size_t web_tile(uint64_t *state, const struct bench_stream *stream, uint32_t *keys,
                       size_t n_keys)
{
    const uint32_t width = (uint32_t)1 << stream->band_bits;
    size_t n = 0;

    for (uint32_t source = 0; source >> stream->stripe_bits == 0 && n < n_keys; source++) {
        const uint32_t links = geometric(state, 232, 200);
        uint32_t target = (source + (uint32_t)(next_random(state) % 256)) % width;

        for (uint32_t i = 0; i < links && target < width && n < n_keys; i++) {
            keys[n++] = source << stream->band_bits | target;
            target += 1;
            if (next_random(state) % 100 < 30) {
                target += geometric(state, 248, 400);
            }
        }
    }
    return n;
}

/* A Kronecker graph over the tile's own ids: 31 thousand edges in 2^16 x 2^16, as in kron-22, or
 * the same density in another shape. */
static size_t kron_tile(uint64_t *state, const struct bench_stream *stream, uint32_t *keys,
                        size_t n_keys)
{
    const unsigned scale =
        stream->band_bits > stream->stripe_bits ? stream->band_bits : stream->stripe_bits;
    const struct mr_generator_options options = {
        .scale = scale, .edge_factor = 16, .seed = next_random(state)};
    const uint32_t targets = ((uint32_t)1 << stream->band_bits) - 1;
    const uint32_t sources = ((uint32_t)1 << stream->stripe_bits) - 1;
    struct mr_edge *edges = allocate(n_keys * sizeof *edges);

    mr_kron_edges(&options, 0, n_keys, edges);
    for (size_t i = 0; i < n_keys; i++) {
        keys[i] = ((uint32_t)edges[i].source & sources) << stream->band_bits |
                  ((uint32_t)edges[i].target & targets);
    }
    free(edges);
    return settle(keys, n_keys);
}

static size_t uniform_tile(uint64_t *state, const struct bench_stream *stream, uint32_t *keys,
                           size_t n_keys)
{
    const unsigned unused = 32 - stream->band_bits - stream->stripe_bits;

    for (size_t i = 0; i < n_keys; i++) {
        keys[i] = (uint32_t)next_random(state) >> unused;
    }
    return settle(keys, n_keys);
}

static size_t make_tile(enum bench_kind kind, uint64_t *state, const struct bench_stream *stream,
                        uint32_t *keys, size_t n_keys)
{
    switch (kind) {
    case BENCH_DENSE:
        return dense_tile(state, keys, n_keys);
    case BENCH_WEB:
        return web_tile(state, stream, keys, n_keys);
    case BENCH_KRON:
        return kron_tile(state, stream, keys, n_keys);
    default:
        return uniform_tile(state, stream, keys, n_keys);
    }
}

struct bench_stream bench_stream_make(enum bench_kind kind, unsigned band_bits,
                                      unsigned stripe_bits)
{
    static const size_t tile_keys[BENCH_KINDS] = {(size_t)1 << 17, (size_t)1 << 17, (size_t)1 << 15,
                                                  (size_t)1 << 14, 32};
    const size_t n_tiles = N_KEYS / tile_keys[kind];
    struct bench_stream stream = {.name = names[kind],
                                  .band_bits = band_bits,
                                  .stripe_bits = stripe_bits,
                                  .n_tiles = n_tiles};
    uint64_t state = 1 + (uint64_t)kind;

    stream.key_ends = allocate(n_tiles * sizeof *stream.key_ends);
    stream.byte_ends = allocate(n_tiles * sizeof *stream.byte_ends);
    stream.keys = allocate(N_KEYS * sizeof *stream.keys);
    stream.bytes = allocate(N_KEYS * MR_LEB_MAX_BYTES + MR_KEYS_SLACK_BYTES);
    for (size_t tile = 0; tile < n_tiles; tile++) {
        uint32_t *keys = stream.keys + stream.n_keys;
        const size_t n = make_tile(kind, &state, &stream, keys, tile_keys[kind]);

        stream.n_bytes =
            (size_t)(mr_keys_encode(keys, n, 0, stream.bytes + stream.n_bytes) - stream.bytes);
        stream.n_keys += n;
        stream.key_ends[tile] = stream.n_keys;
        stream.byte_ends[tile] = stream.n_bytes;
    }
    return stream;
}

void bench_stream_free(struct bench_stream *stream)
{
    free(stream->key_ends);
    free(stream->byte_ends);
    free(stream->keys);
    free(stream->bytes);
    memset(stream, 0, sizeof *stream);
}
