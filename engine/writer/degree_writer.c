/* SPDX-License-Identifier: Apache-2.0 */
/* Writing the blocks of degrees and strengths of a new store, band by band. The builder calls it
 * after the edges of each band (in-degrees) and after all bands (out-degrees). Degrees are LEB128
 * numbers, because most of them are small. */
#include <assert.h>

#include "engine/base/bytes.h"
#include "engine/tile/keys.h"
#include "engine/writer/store_writer_internal.h"

/* Encodes as many degrees as fit a block, as LEB128 numbers, and then the strengths of these
 * vertices, if there are any. Returns the number of bytes. */
static uint32_t encode_degrees(const uint32_t *degrees, const double *strengths, uint32_t n,
                               uint32_t *n_encoded, uint8_t *out)
{
    const uint32_t extra = strengths == NULL ? 0 : sizeof *strengths;
    uint8_t *p = out;
    uint32_t i = 0;
    while (i < n && (uint64_t)(p - out) + MR_LEB_MAX_BYTES + (i + 1) * (uint64_t)extra <=
                        MR_BLOCK_RAW_MAX_BYTES) {
        p = mr_leb_put(p, degrees[i++]);
    }
    for (uint32_t k = 0; strengths != NULL && k < i; k++, p += sizeof *strengths) {
        mr_put_f64(p, strengths[k]);
    }
    *n_encoded = i;
    return (uint32_t)(p - out);
}

/* `strengths` is NULL if edges have no weights. */
static enum mr_status write_degrees(struct mr_store_writer *writer, enum mr_block_kind kind,
                                    uint32_t band, const uint32_t *degrees, const double *strengths,
                                    uint32_t n, uint64_t *first_block, uint64_t *end_block,
                                    struct mr_error *err)
{
    struct mr_draft_blocks *blocks = &writer->draft.degrees;
    *first_block = blocks->count;
    uint32_t first_vertex = band << writer->shape.band_bits;
    uint64_t number = 0;
    for (uint32_t done = 0; done < n;) {
        uint32_t n_encoded;
        uint32_t raw_bytes =
            encode_degrees(degrees + done, strengths == NULL ? NULL : strengths + done, n - done,
                           &n_encoded, writer->degree_stream);
        struct mr_block_header header = {
            .kind = kind,
            .graph_id = writer->shape.graph_id,
            .band = band,
            .first = first_vertex + done,
            .last = first_vertex + done + n_encoded - 1,
            .n_entries = n_encoded,
            .number = number++,
        };
        enum mr_status status = mr_block_seal(writer->codec, &header, writer->degree_stream,
                                              raw_bytes, MR_BLOCK_ALIGN, writer->degree_block, err);
        struct mr_block_entry block = {
            .offset = writer->manifest.degrees_bytes,
            .stored_bytes = header.stored_bytes,
            .raw_bytes = header.raw_bytes,
            .first = header.first,
            .last = header.last,
            .n_entries = header.n_entries,
        };
        if (status == MR_OK) {
            status =
                mr_store_writer_append(writer->files[MR_FILE_DEGREES], writer->degree_block,
                                       header.stored_bytes, &writer->manifest.degrees_bytes, err);
        }
        if (status == MR_OK) {
            status = mr_draft_blocks_add(writer->context->memory, blocks, &block, err);
        }
        if (status != MR_OK) {
            return status;
        }
        done += n_encoded;
    }
    *end_block = blocks->count;
    return MR_OK;
}

enum mr_status mr_store_writer_in_degrees(struct mr_store_writer *writer, unsigned set,
                                          uint32_t band, const uint32_t *degrees,
                                          const double *strengths, uint32_t n, struct mr_error *err)
{
    const enum mr_block_kind kind =
        writer->shape.is_weighted ? MR_BLOCK_IN_STRENGTHS : MR_BLOCK_IN_DEGREES;
    struct mr_degree_facts *facts = &writer->draft.facts[set];
    struct mr_draft_run *run = &writer->draft.runs[set][band];
    assert(band == writer->next_in_band[set]);
    writer->next_in_band[set]++;
    for (uint32_t i = 0; i < n; i++) {
        facts->max_in_degree = mr_max_u64(facts->max_in_degree, degrees[i]);
    }
    return write_degrees(writer, kind, band, degrees, strengths, n, &run->first_in_block,
                         &run->end_in_block, err);
}

enum mr_status mr_store_writer_out_degrees(struct mr_store_writer *writer, unsigned set,
                                           uint32_t band, const uint32_t *degrees,
                                           const double *strengths, uint32_t n,
                                           struct mr_error *err)
{
    const enum mr_block_kind kind =
        writer->shape.is_weighted ? MR_BLOCK_OUT_STRENGTHS : MR_BLOCK_OUT_DEGREES;
    struct mr_degree_facts *facts = &writer->draft.facts[set];
    struct mr_draft_run *run = &writer->draft.runs[set][band];
    assert(band == writer->next_out_band[set]);
    writer->next_out_band[set]++;
    for (uint32_t i = 0; i < n; i++) {
        facts->max_out_degree = mr_max_u64(facts->max_out_degree, degrees[i]);
        facts->n_dangling += degrees[i] == 0;
        if (degrees[i] > 0 && set == 0) {
            writer->manifest.n_sources = ((uint64_t)band << writer->shape.band_bits) + i + 1;
        }
        writer->manifest.weights.total += strengths == NULL ? 0 : strengths[i];
    }
    return write_degrees(writer, kind, band, degrees, strengths, n, &run->first_out_block,
                         &run->end_out_block, err);
}
