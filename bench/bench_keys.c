/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the decoding of key streams, in batches as in the pass: every decoder that this machine
 * can run, on streams from the best case to those of a scrambled graph with billions of
 * vertices. */
#include <stdio.h>

#include "bench/shim.h"
#include "bench/streams.h"
#include "engine/tile/keys.h"

struct decoding {
    const struct bench_stream *stream;
    mr_keys_decoder decode;
};

/* Decode one tile through the batch buffer. Returns false when it does not decode. */
static bool decode_tile(const struct decoding *decoding, size_t tile, uint32_t *batch)
{
    const struct bench_stream *stream = decoding->stream;
    const size_t first_byte = tile == 0 ? 0 : stream->byte_ends[tile - 1];
    const uint8_t *in = stream->bytes + first_byte, *end = stream->bytes + stream->byte_ends[tile];
    size_t left = stream->key_ends[tile] - (tile == 0 ? 0 : stream->key_ends[tile - 1]);
    uint32_t previous = 0;

    while (left > 0) {
        const size_t n = left < MR_KEYS_BATCH ? left : MR_KEYS_BATCH;

        in = decoding->decode(in, end, previous, batch, n);
        if (in == NULL) {
            return false;
        }
        previous = batch[n - 1];
        left -= n;
        bench_keep(batch);
    }
    return in == end;
}

static void run_decode(struct bench_state *state, const void *data)
{
    static uint32_t batch[MR_KEYS_BATCH + MR_KEYS_SLACK_KEYS];
    const struct decoding *decoding = data;
    const struct bench_stream *stream = decoding->stream;

    while (bench_next(state)) {
        for (size_t tile = 0; tile < stream->n_tiles; tile++) {
            if (!decode_tile(decoding, tile, batch)) {
                bench_fail(state, "a stream does not decode");
                return;
            }
        }
    }
    bench_set_items(state, stream->n_keys);
    bench_set_bytes(state, stream->n_bytes);
    bench_set_counter(state, "bytes/key", (double)stream->n_bytes / (double)stream->n_keys);
}

int main(int argc, char **argv)
{
    static struct bench_stream streams[BENCH_KINDS];
    static struct decoding decodings[BENCH_KINDS][8];
    char name[64];

    for (int kind = 0; kind < BENCH_KINDS; kind++) {
        streams[kind] = bench_stream_make((enum bench_kind)kind, 16, 16);
        for (unsigned i = 0; i < 8; i++) {
            const char *decoder = NULL;

            decodings[kind][i].stream = &streams[kind];
            decodings[kind][i].decode = mr_keys_decoder_at(i, &decoder);
            if (decodings[kind][i].decode == NULL) {
                break;
            }
            (void)snprintf(name, sizeof name, "decode/%s/%s", streams[kind].name, decoder);
            bench_register(name, run_decode, &decodings[kind][i]);
        }
    }
    int result = bench_run(argc, argv, "key");
    for (int kind = 0; kind < BENCH_KINDS; kind++) {
        bench_stream_free(&streams[kind]);
    }
    return result;
}
