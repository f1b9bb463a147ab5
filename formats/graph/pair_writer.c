/* SPDX-License-Identifier: Apache-2.0 */
/* Writes generated edges to a file, for `generate`. The generator calls `pack` on many threads and
 * `take` in order on one. Therefore rendering and zstd run in `pack`, one frame per unit, and the
 * bytes of the file do not depend on the number of threads. */
#include "formats/graph/pair_writer.h"

#include <assert.h>
#include <stdlib.h>

#include <zstd.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/zstd_status.h"
#include "formats/stream/output.h"

enum {
    DECIMAL_MAX_BYTES = 20,
    ZSTD_LEVEL = 3,
    ZSTD_BYTES = 4 << 20 /* memory of an encoder: 3.6 MiB at level 3 */
};

/* One for each thread. */
struct worker {
    ZSTD_CCtx *zstd;
    struct mr_byte_list raw; /* the bytes to compress */
};

struct mr_pair_writer {
    const struct mr_context *context;
    struct mr_pair_writer_options options;
    struct mr_output *output;
    bool packs; /* `pack` makes zstd frames */
    uint64_t charged_bytes;
    uint64_t n_pairs;
    struct worker workers[]; /* [context->threads] */
};

static void release(struct mr_pair_writer *writer)
{
    for (unsigned i = 0; i < writer->context->threads; i++) {
        (void)ZSTD_freeCCtx(writer->workers[i].zstd);
        mr_byte_list_free(&writer->workers[i].raw);
    }
    mr_memory_discharge(writer->context->memory, "compression", writer->charged_bytes);
    free(writer);
}

static enum mr_status open_encoders(struct mr_pair_writer *writer, struct mr_error *err)
{
    unsigned threads = writer->context->threads;
    enum mr_status status = mr_memory_charge(writer->context->memory, "compression",
                                             (uint64_t)threads * ZSTD_BYTES, err);
    if (status != MR_OK) {
        return status;
    }
    writer->charged_bytes = (uint64_t)threads * ZSTD_BYTES;
    for (unsigned i = 0; i < threads; i++) {
        ZSTD_CCtx *zstd = writer->workers[i].zstd = ZSTD_createCCtx();
        if (zstd == NULL ||
            ZSTD_isError(ZSTD_CCtx_setParameter(zstd, ZSTD_c_compressionLevel, ZSTD_LEVEL)) ||
            ZSTD_isError(ZSTD_CCtx_setParameter(zstd, ZSTD_c_checksumFlag, 1))) {
            return mr_error_set(err, MR_ERROR_BUDGET, "no memory to compress pairs");
        }
    }
    return MR_OK;
}

enum mr_status mr_pair_writer_open(const struct mr_context *context, const char *path,
                                   const struct mr_pair_writer_options *options,
                                   struct mr_pair_writer **out, struct mr_error *err)
{
    *out = NULL;
    assert(options->struct_size == sizeof *options);
    size_t bytes = sizeof(struct mr_pair_writer) + context->threads * sizeof(struct worker);
    struct mr_pair_writer *writer = calloc(1, bytes);
    if (writer == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a writer of pairs");
    }
    writer->context = context;
    writer->options = *options;
    writer->packs = mr_output_has_zstd_suffix(path);
    for (unsigned i = 0; i < context->threads; i++) {
        writer->workers[i].raw.memory = context->memory;
    }
    enum mr_status status = MR_OK;
    if (writer->packs) {
        status = open_encoders(writer, err);
    }
    if (status == MR_OK) {
        status = writer->packs
                     ? mr_output_open_packed(context, path, options->force, &writer->output, err)
                     : mr_output_open(context, path, options->force, &writer->output, err);
    }
    if (status != MR_OK) {
        release(writer);
        return status;
    }
    *out = writer;
    return MR_OK;
}

/* ---- Pairs to bytes ---- */

static uint8_t *put_decimal(uint8_t *to, uint64_t number)
{
    uint8_t digits[DECIMAL_MAX_BYTES];
    unsigned n = 0;
    do {
        digits[n++] = (uint8_t)('0' + number % 10);
        number /= 10;
    } while (number > 0);
    while (n > 0) {
        *to++ = digits[--n];
    }
    return to;
}

static uint8_t *put_end(const struct mr_pair_writer *writer, uint8_t *to, uint64_t vertex)
{
    const struct mr_pair_writer_options *options = &writer->options;
    if (options->namer == NULL) {
        return put_decimal(to, vertex);
    }
    return to + options->namer(options->namer_data, (uint32_t)vertex, (char *)to);
}

static enum mr_status render(const struct mr_pair_writer *writer, const struct mr_edge *edges,
                             size_t n_edges, struct mr_byte_list *raw, struct mr_error *err)
{
    const bool is_u32 = writer->options.format == MR_PAIRS_U32;
    const size_t most = is_u32                          ? 8
                        : writer->options.namer == NULL ? 2 * (DECIMAL_MAX_BYTES + 1)
                                                        : 2 * (MR_PAIR_NAME_MAX_BYTES + 1);
    /* Reserves room part by part, because names are much shorter than the longest allowed one. */
    const size_t part = 1024;

    for (size_t done = 0; done < n_edges;) {
        size_t n = mr_min_u64(part, n_edges - done);
        enum mr_status status = mr_byte_list_reserve(raw, n * most, err);
        if (status != MR_OK) {
            return status;
        }
        uint8_t *to = raw->bytes + raw->n_bytes;
        for (const struct mr_edge *edge = edges + done; edge < edges + done + n; edge++) {
            if (is_u32) {
                mr_put_u32(to, (uint32_t)edge->source);
                mr_put_u32(to + 4, (uint32_t)edge->target);
                to += 8;
            } else {
                to = put_end(writer, to, edge->source);
                *to++ = '\t';
                to = put_end(writer, to, edge->target);
                *to++ = '\n';
            }
        }
        raw->n_bytes = (size_t)(to - raw->bytes);
        done += n;
    }
    return MR_OK;
}

static enum mr_status pack(void *data, unsigned worker, const struct mr_edge *edges, size_t n_edges,
                           struct mr_byte_list *packed, struct mr_error *err)
{
    struct mr_pair_writer *writer = data;
    if (!writer->packs) {
        return render(writer, edges, n_edges, packed, err);
    }
    struct worker *self = &writer->workers[worker];
    self->raw.n_bytes = 0;
    enum mr_status status = render(writer, edges, n_edges, &self->raw, err);
    if (status != MR_OK || self->raw.n_bytes == 0) {
        return status;
    }
    size_t bound = ZSTD_compressBound(self->raw.n_bytes);
    status = mr_byte_list_reserve(packed, bound, err);
    if (status != MR_OK) {
        return status;
    }
    size_t bytes =
        ZSTD_compress2(self->zstd, packed->bytes, bound, self->raw.bytes, self->raw.n_bytes);
    if (ZSTD_isError(bytes)) {
        return mr_error_set(err, mr_zstd_status(bytes), "zstd failed: %s",
                            ZSTD_getErrorName(bytes));
    }
    packed->n_bytes = bytes;
    return MR_OK;
}

static enum mr_status take(void *data, const struct mr_edge *edges, size_t n_edges,
                           const struct mr_byte_list *packed, struct mr_error *err)
{
    struct mr_pair_writer *writer = data;
    (void)edges;
    writer->n_pairs += n_edges;
    return packed->n_bytes == 0
               ? MR_OK
               : mr_output_write(writer->output, packed->bytes, packed->n_bytes, err);
}

struct mr_edge_sink mr_pair_writer_sink(struct mr_pair_writer *writer)
{
    return (struct mr_edge_sink){.data = writer, .pack = pack, .take = take};
}

uint64_t mr_pair_writer_pairs(const struct mr_pair_writer *writer)
{
    return writer->n_pairs;
}

enum mr_status mr_pair_writer_commit(struct mr_pair_writer *writer, struct mr_error *err)
{
    enum mr_status status = mr_output_commit(writer->output, err);
    release(writer);
    return status;
}

void mr_pair_writer_abandon(struct mr_pair_writer *writer)
{
    if (writer != NULL) {
        mr_output_abandon(writer->output);
        release(writer);
    }
}
