/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the disk and the cores and chooses plain or compressed blocks. `millrace build --codec
 * auto` calls it once before it writes. Both measurements use the product's own code (blocks,
 * kernels, queue) on a fixed sample, so that they predict a pass and not a benchmark. */
#include "engine/tile/codec_choice.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "engine/base/bytes.h"
#include "engine/base/clock.h"
#include "engine/base/memory.h"
#include "engine/io/io.h"
#include "engine/io/queue.h"
#include "engine/store/block.h"
#include "engine/tile/key_kernels.h"
#include "engine/tile/keys.h"

enum { SAMPLE_BLOCKS = 4, DISK_READS = 256, QUEUE_DEPTH = 8, BAND_BITS = 16, ROUNDS = 5 };
/* Keys of one block of the sample. */
enum { N_KEYS = 1 << 17 };

struct sample {
    uint8_t *plain[SAMPLE_BLOCKS], *zstd[SAMPLE_BLOCKS];
    uint32_t plain_bytes[SAMPLE_BLOCKS], zstd_bytes[SAMPLE_BLOCKS]; /* bytes as stored */
    uint32_t *keys; /* [N_KEYS + slack] */
    uint8_t *scratch;
    float *x;
    double *sums;
    uint8_t *memory;
};

static uint32_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

/* Make keys with differences as in a tile of a web graph: mostly one byte long; three quarters of
 * the runs repeat a run from shortly before. */
static void make_keys(uint32_t *keys, uint64_t *state)
{
    uint32_t i = 0, key = 0;
    while (i < N_KEYS) {
        uint32_t length = 16 + next_random(state) % 64, back = 0;
        if (i > 4096 && next_random(state) % 4 != 0) {
            back = 64 + next_random(state) % 4000;
        }
        for (; length > 0 && i < N_KEYS; length--, i++) {
            uint32_t difference = next_random(state) >> (31 - next_random(state) % 10);
            if (back > 0) {
                difference = keys[i - back] - (i == back ? 0 : keys[i - back - 1]);
            }
            key += difference;
            keys[i] = key;
        }
    }
}

static enum mr_status allocate_sample(const struct mr_context *context, struct sample *sample,
                                      struct mr_error *err)
{
    const uint64_t keys_bytes = (N_KEYS + MR_KEYS_SLACK_KEYS) * sizeof(uint32_t);
    const uint64_t width = (uint64_t)1 << BAND_BITS;
    void *memory = NULL;
    enum mr_status status =
        mr_memory_alloc(context->memory, "codec measurement",
                        (2 * SAMPLE_BLOCKS + 1) * (uint64_t)MR_BLOCK_MAX_BYTES + 4096 + keys_bytes +
                            width * (sizeof(float) + sizeof(double)),
                        &memory, err);
    if (status != MR_OK) {
        return status;
    }
    uint8_t *at = sample->memory = memory;
    sample->sums = (double *)memory;
    at += width * sizeof(double);
    sample->x = (float *)(void *)at;
    at += width * sizeof(float);
    sample->keys = (uint32_t *)(void *)at;
    at += keys_bytes;
    for (unsigned i = 0; i < SAMPLE_BLOCKS; i++, at += 2 * MR_BLOCK_MAX_BYTES) {
        sample->plain[i] = at;
        sample->zstd[i] = at + MR_BLOCK_MAX_BYTES;
    }
    sample->scratch = at;
    return MR_OK;
}

static enum mr_status make_sample(struct mr_block_codec *plain, struct mr_block_codec *zstd,
                                  struct sample *sample, struct mr_error *err)
{
    uint64_t state = 1;
    enum mr_status status = MR_OK;
    for (unsigned i = 0; i < SAMPLE_BLOCKS && status == MR_OK; i++) {
        struct mr_block_header header = {.kind = MR_BLOCK_LINKS, .graph_id = 1};
        make_keys(sample->keys, &state);
        /* 2^17 keys of mostly one byte and at most two bytes take less than a block. */
        const uint32_t raw_bytes =
            (uint32_t)(mr_keys_encode(sample->keys, N_KEYS, 0, sample->scratch) - sample->scratch);
        status = mr_block_seal(plain, &header, sample->scratch, raw_bytes, MR_BLOCK_ALIGN,
                               sample->plain[i], err);
        sample->plain_bytes[i] = header.stored_bytes;
        if (status == MR_OK) {
            status = mr_block_seal(zstd, &header, sample->scratch, raw_bytes, MR_BLOCK_ALIGN,
                                   sample->zstd[i], err);
            sample->zstd_bytes[i] = header.stored_bytes;
        }
    }
    return status;
}

/* Nanoseconds per edge of opening, decoding and adding up the blocks: the best of a few rounds. */
static enum mr_status time_blocks(struct mr_block_codec *codec, struct sample *sample,
                                  uint8_t *const *blocks, const uint32_t *block_bytes, double *ns,
                                  struct mr_error *err)
{
    const struct mr_kernel_shape shape = {
        .band_bits = BAND_BITS, .target_mask = 0xffff, .source_mask = 0xffff};
    const mr_stream_kernel add = mr_key_kernels_best()->add_stream[MR_VALUE_FLOAT][0];
    *ns = 0;
    for (unsigned round = 0; round < ROUNDS; round++) {
        const uint64_t start = mr_now_ns();
        for (unsigned i = 0; i < SAMPLE_BLOCKS; i++) {
            struct mr_block_header header;
            const uint8_t *raw = NULL;
            enum mr_status status =
                mr_block_open(codec, blocks[i], block_bytes[i], MR_BLOCK_LINKS, 1, sample->scratch,
                              "codec measurement", 0, &header, &raw, err);
            if (status != MR_OK) {
                return status;
            }
            (void)add(&shape, raw, raw + header.raw_bytes, N_KEYS, sample->x, sample->sums);
        }
        const double taken = (double)(mr_now_ns() - start) / (SAMPLE_BLOCKS * (double)N_KEYS);
        *ns = round == 0 || taken < *ns ? taken : *ns;
    }
    return MR_OK;
}

/* Write the file, which has no name from the start, and read it back through a queue. */
static enum mr_status time_disk(const struct mr_context *context, struct mr_file *file,
                                uint8_t *data, double *bytes_per_second, struct mr_error *err)
{
    struct mr_queue *queue = NULL;
    enum mr_status status = MR_OK;
    for (uint64_t i = 0; i < DISK_READS && status == MR_OK; i++) {
        mr_put_u64(data, i);
        status = mr_file_write(file, data, MR_BLOCK_MAX_BYTES, i * MR_BLOCK_MAX_BYTES, err);
    }
    if (status == MR_OK) {
        status = mr_file_sync(file, err);
    }
    if (status == MR_OK) {
        status =
            mr_queue_create(context, MR_QUEUE_AUTO, QUEUE_DEPTH, MR_BLOCK_MAX_BYTES, &queue, err);
    }
    const uint64_t start = mr_now_ns();
    uint64_t pushed = 0;
    for (uint64_t popped = 0; popped < DISK_READS && status == MR_OK; popped++) {
        for (; pushed < DISK_READS && mr_queue_has_room(queue) && status == MR_OK; pushed++) {
            status =
                mr_queue_push(queue, file, pushed * MR_BLOCK_MAX_BYTES, MR_BLOCK_MAX_BYTES, 0, err);
        }
        uint8_t *block = NULL;
        uint64_t tag;
        if (status == MR_OK) {
            status = mr_queue_pop(queue, &block, &tag, NULL, err);
        }
    }
    *bytes_per_second = 1e9 * DISK_READS * MR_BLOCK_MAX_BYTES / (double)(mr_now_ns() - start);
    mr_queue_destroy(queue);
    return status;
}

static enum mr_status measure_disk(const struct mr_context *context, const char *directory,
                                   uint8_t *data, double *bytes_per_second, struct mr_error *err)
{
    char path[4096];
    struct mr_file *file = NULL;
    const int length =
        snprintf(path, sizeof path, "%s/.millrace-speed-%ld", directory, (long)getpid());
    if (length < 0 || (size_t)length >= sizeof path) {
        return mr_error_file(err, MR_ERROR_USAGE, directory, 0, "path is too long");
    }
    enum mr_status status =
        mr_file_open(context->io, path,
                     MR_OPEN_READ | MR_OPEN_WRITE | MR_OPEN_TRUNCATE | MR_OPEN_DIRECT, &file, err);
    if (status != MR_OK) {
        return status;
    }
    status = mr_io_unlink(context->io, path, err);
    if (status == MR_OK) {
        status = time_disk(context, file, data, bytes_per_second, err);
    }
    mr_file_abandon(file);
    return status;
}

static double bytes_per_link(const uint32_t block_bytes[SAMPLE_BLOCKS])
{
    double sum = 0;
    for (unsigned i = 0; i < SAMPLE_BLOCKS; i++) {
        sum += block_bytes[i];
    }
    return sum / (SAMPLE_BLOCKS * (double)N_KEYS);
}

static void decide(const struct mr_context *context, int zstd_level, struct mr_codec_choice *c)
{
    const double ns_per_byte = 1e9 / c->disk_bytes_per_second;
    const double plain_read = c->plain_bytes * ns_per_byte, zstd_read = c->zstd_bytes * ns_per_byte;
    const double plain_work = c->keys_ns / context->threads;
    const double zstd_work = (c->keys_ns + c->zstd_ns) / context->threads;
    c->plain_pass_ns = plain_read > plain_work ? plain_read : plain_work;
    c->zstd_pass_ns = zstd_read > zstd_work ? zstd_read : zstd_work;
    c->zstd_level = c->zstd_pass_ns < c->plain_pass_ns ? zstd_level : 0;
}

enum mr_status mr_codec_choose(const struct mr_context *context, const char *directory,
                               int zstd_level, struct mr_codec_choice *choice, struct mr_error *err)
{
    struct sample sample = {0};
    struct mr_block_codec *plain = NULL, *zstd = NULL;
    double zstd_ns = 0;
    memset(choice, 0, sizeof *choice);
    enum mr_status status = allocate_sample(context, &sample, err);
    if (status == MR_OK) {
        status = mr_block_codec_create(context->memory, 0, &plain, err);
    }
    if (status == MR_OK) {
        status = mr_block_codec_create(context->memory, zstd_level, &zstd, err);
    }
    if (status == MR_OK) {
        status = make_sample(plain, zstd, &sample, err);
    }
    if (status == MR_OK) {
        status =
            time_blocks(plain, &sample, sample.plain, sample.plain_bytes, &choice->keys_ns, err);
    }
    if (status == MR_OK) {
        status = time_blocks(zstd, &sample, sample.zstd, sample.zstd_bytes, &zstd_ns, err);
    }
    if (status == MR_OK) {
        /* The memory of the sums is page-aligned, as direct writes need it. */
        status =
            measure_disk(context, directory, sample.memory, &choice->disk_bytes_per_second, err);
    }
    if (status == MR_OK) {
        choice->zstd_ns = zstd_ns > choice->keys_ns ? zstd_ns - choice->keys_ns : 0;
        choice->plain_bytes = bytes_per_link(sample.plain_bytes);
        choice->zstd_bytes = bytes_per_link(sample.zstd_bytes);
        decide(context, zstd_level, choice);
    }
    mr_block_codec_destroy(zstd);
    mr_block_codec_destroy(plain);
    mr_memory_free(context->memory, sample.memory);
    return status;
}
