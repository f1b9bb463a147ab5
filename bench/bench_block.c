/* SPDX-License-Identifier: Apache-2.0 */
/* Measures what a block costs before its keys can be decoded: checksum, header, decompression. The
 * engine seals the blocks. Together they are larger than L2, as in a pass. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/shim.h"
#include "bench/streams.h"
#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/store/block.h"
#include "engine/tile/keys.h"

enum { N_COPIES = 64 }; /* 16 MiB of plain blocks */

static const enum bench_kind kinds[] = {BENCH_WEB, BENCH_KRON};
static const int levels[] = {0, 1, 3, 9};
enum { N_KINDS = sizeof kinds / sizeof kinds[0], N_LEVELS = sizeof levels / sizeof levels[0] };

struct blocks {
    struct mr_memory *memory;
    int level;
    unsigned n_copies;
    uint32_t stored_bytes, raw_bytes;
    uint64_t n_keys; /* keys of one block, up to the last whole tile */
    uint8_t *data; /* [n_copies * MR_BLOCK_MAX_BYTES] */
};

/* Fill a block with as much of a stream as fits. Each copy is the same block at another address. */
static bool make_blocks(struct mr_memory *memory, const struct bench_stream *stream, int level,
                        unsigned n_copies, struct blocks *out)
{
    struct mr_block_header header = {.kind = MR_BLOCK_LINKS, .graph_id = 1};
    struct mr_block_codec *codec = NULL;
    void *data = NULL;

    out->memory = memory;
    out->level = level;
    out->n_copies = n_copies;
    out->raw_bytes = (uint32_t)mr_min_u64(stream->n_bytes, MR_BLOCK_RAW_MAX_BYTES);
    out->n_keys = stream->n_keys * out->raw_bytes / stream->n_bytes;
    if (mr_memory_alloc(memory, "blocks", (uint64_t)n_copies * MR_BLOCK_MAX_BYTES, &data, NULL) !=
            MR_OK ||
        mr_block_codec_create(memory, level, &codec, NULL) != MR_OK) {
        mr_memory_free(memory, data);
        return false;
    }
    out->data = data;
    header.n_entries = out->n_keys;
    bool good = mr_block_seal(codec, &header, stream->bytes, out->raw_bytes, MR_BLOCK_ALIGN,
                              out->data, NULL) == MR_OK;
    out->stored_bytes = header.stored_bytes;
    for (unsigned i = 1; i < n_copies; i++) {
        memcpy(out->data + (size_t)i * MR_BLOCK_MAX_BYTES, out->data, MR_BLOCK_MAX_BYTES);
    }
    mr_block_codec_destroy(codec);
    return good;
}

static void run_open(struct bench_state *state, const void *data)
{
    const struct blocks *blocks = data;
    struct mr_block_codec *codec = NULL;
    uint8_t *scratch = malloc(MR_BLOCK_RAW_MAX_BYTES + MR_KEYS_SLACK_BYTES);
    unsigned next = 0;

    if (scratch == NULL || mr_block_codec_create(blocks->memory, 0, &codec, NULL) != MR_OK) {
        bench_fail(state, "out of memory");
    }
    while (bench_next(state)) {
        struct mr_block_header header;
        const uint8_t *raw = NULL;
        const uint8_t *block = blocks->data + (size_t)next * MR_BLOCK_MAX_BYTES;

        if (mr_block_open(codec, block, blocks->stored_bytes, MR_BLOCK_LINKS, 1, scratch, "bench",
                          0, &header, &raw, NULL) != MR_OK) {
            bench_fail(state, "a block does not open");
            break;
        }
        bench_keep(raw);
        next = next + 1 == blocks->n_copies ? 0 : next + 1;
    }
    bench_set_items(state, blocks->n_keys);
    bench_set_bytes(state, blocks->raw_bytes);
    bench_set_counter(state, "bits/key", 8.0 * blocks->stored_bytes / (double)blocks->n_keys);
    mr_block_codec_destroy(codec);
    free(scratch);
}

static void run_seal(struct bench_state *state, const void *data)
{
    const struct blocks *blocks = data;
    const uint8_t *raw = blocks->data + MR_BLOCK_HEADER_BYTES; /* level 0: plain */
    struct mr_block_codec *codec = NULL;
    uint8_t *out = malloc(MR_BLOCK_MAX_BYTES);

    if (out == NULL || mr_block_codec_create(blocks->memory, 9, &codec, NULL) != MR_OK) {
        bench_fail(state, "out of memory");
    }
    while (bench_next(state)) {
        struct mr_block_header header = {.kind = MR_BLOCK_LINKS, .graph_id = 1};

        if (mr_block_seal(codec, &header, raw, blocks->raw_bytes, MR_BLOCK_ALIGN, out, NULL) !=
            MR_OK) {
            bench_fail(state, "a block does not seal");
            break;
        }
        bench_keep(out);
    }
    bench_set_items(state, blocks->n_keys);
    bench_set_bytes(state, blocks->raw_bytes);
    mr_block_codec_destroy(codec);
    free(out);
}

/* The checksum alone: of a plain block in L2, then in memory. Then the additional cost of zstd. */
static bool add_all(struct mr_memory *memory, const struct bench_stream *stream,
                    struct blocks *blocks)
{
    char name[64];

    if (!make_blocks(memory, stream, 0, 1, &blocks[N_LEVELS])) {
        return false;
    }
    (void)snprintf(name, sizeof name, "open/%s/plain-in-l2", stream->name);
    bench_register(name, run_open, &blocks[N_LEVELS]);
    for (unsigned i = 0; i < N_LEVELS; i++) {
        if (!make_blocks(memory, stream, levels[i], N_COPIES, &blocks[i])) {
            return false;
        }
        if (levels[i] == 0) {
            (void)snprintf(name, sizeof name, "open/%s/plain", stream->name);
        } else {
            (void)snprintf(name, sizeof name, "open/%s/zstd-%d", stream->name, levels[i]);
        }
        bench_register(name, run_open, &blocks[i]);
    }
    (void)snprintf(name, sizeof name, "seal/%s/zstd-9", stream->name);
    bench_register(name, run_seal, &blocks[0]);
    return true;
}

int main(int argc, char **argv)
{
    static struct blocks blocks[N_KINDS][N_LEVELS + 1];
    struct bench_stream streams[N_KINDS] = {{0}};
    struct mr_memory *memory = NULL;
    int result = 1;

    bool good = mr_memory_create(UINT64_MAX, &memory, NULL) == MR_OK;
    for (unsigned kind = 0; kind < N_KINDS && good; kind++) {
        streams[kind] = bench_stream_make(kinds[kind], 16, 16);
        good = add_all(memory, &streams[kind], blocks[kind]);
    }
    if (good) {
        result = bench_run(argc, argv, "key");
    } else {
        (void)fprintf(stderr, "bench_block: blocks cannot be made\n");
    }
    for (unsigned kind = 0; kind < N_KINDS; kind++) {
        for (unsigned i = 0; i < N_LEVELS + 1 && memory != NULL; i++) {
            mr_memory_free(memory, blocks[kind][i].data);
        }
        bench_stream_free(&streams[kind]);
    }
    mr_memory_destroy(memory);
    return result;
}
