/* SPDX-License-Identifier: Apache-2.0 */
/* Writing the blocks of degrees and strengths of a new store, band by band. The builder calls it
 * after the edges of each band (in-degrees) and after all bands (out-degrees). */
#include <assert.h>

#include "engine/base/bytes.h"
#include "engine/tile/degrees.h"
#include "engine/writer/internal.h"

/* `strengths` is NULL if edges have no weights. */
static enum mr_status write_degrees(struct mr_store_writer *writer, enum mr_block_kind kind,
                                    uint32_t band, const uint32_t *degrees, const double *strengths,
                                    uint32_t n, uint64_t *first_block, uint64_t *end_block,
                                    struct mr_error *err)
{
    *first_block = writer->draft.degrees.count;
    uint32_t first_vertex = band << writer->shape.band_bits;
    uint64_t number = 0;
    for (uint32_t done = 0; done < n;) {
        uint32_t n_encoded;
        uint32_t raw_bytes =
            mr_degrees_encode(degrees + done, strengths == NULL ? NULL : strengths + done, n - done,
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
        if (status == MR_OK) {
            status =
                mr_store_writer_block(writer, MR_FILE_DEGREES, writer->degree_block, &header, err);
        }
        if (status != MR_OK) {
            return status;
        }
        done += n_encoded;
    }
    *end_block = writer->draft.degrees.count;
    return MR_OK;
}

enum mr_status mr_store_writer_in_degrees(struct mr_store_writer *writer, unsigned set,
                                          uint32_t band, const uint32_t *degrees,
                                          const double *strengths, uint32_t n, struct mr_error *err)
{
    const enum mr_block_kind kind =
        writer->shape.is_weighted ? MR_BLOCK_IN_STRENGTHS : MR_BLOCK_IN_DEGREES;
    struct mr_degree_facts *facts = &writer->draft.facts[set];
    struct mr_band_entry *run = &writer->draft.runs[set][band];
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
    struct mr_band_entry *run = &writer->draft.runs[set][band];
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
