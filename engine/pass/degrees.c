/* SPDX-License-Identifier: Apache-2.0 */
/* Degrees of a band: the keys of a block's stream are their running sums. */
#include "engine/base/bytes.h"
#include "engine/pass/internal.h"

/* Strengths at the end of a block of degrees; NULL when it is too short for them. */
static const uint8_t *decode_strengths(const struct mr_block_header *header, const uint8_t *raw,
                                       double scale, double *strengths)
{
    const uint64_t n = header->n_entries;
    if (header->raw_bytes / sizeof *strengths < n) {
        return NULL;
    }
    const uint8_t *begin = raw + header->raw_bytes - n * sizeof *strengths;
    for (uint64_t i = 0; i < n; i++) {
        strengths[i] = mr_get_f64(begin + i * sizeof *strengths) * scale;
    }
    return begin;
}

enum mr_status mr_degrees_decode(struct pass_worker *worker, const struct mr_block_header *header,
                                 const uint8_t *raw, const struct mr_block_entry *entry,
                                 uint32_t *degrees, double *strengths, struct mr_error *err)
{
    struct mr_pass *pass = worker->pass;
    const uint32_t first = header->first - (header->band << pass->info->band_bits);
    const uint8_t *in = raw, *end = raw + header->raw_bytes;
    if (strengths != NULL) {
        end = decode_strengths(header, raw, pass->weight_scale, strengths + first);
        in = end == NULL ? NULL : in;
    }
    uint32_t previous = 0;
    for (uint64_t done = 0; done < header->n_entries && in != NULL;) {
        uint32_t n = (uint32_t)mr_min_u64(header->n_entries - done, MR_KEYS_BATCH);
        in = pass->decode(in, end, previous, worker->keys, n);
        if (in == NULL) {
            break;
        }
        uint32_t *out = degrees + first + done;
        out[0] = worker->keys[0] - previous;
        for (uint32_t i = 1; i < n; i++) {
            out[i] = worker->keys[i] - worker->keys[i - 1];
        }
        previous = worker->keys[n - 1];
        done += n;
    }
    if (in == NULL || in != end) {
        return mr_error_offset(err, MR_ERROR_CORRUPT,
                               mr_file_path(mr_store_location(pass->store, MR_FILE_DEGREES).file),
                               entry->offset,
                               "degrees do not decode; the store is damaged: build it again");
    }
    const bool is_out =
        header->kind == MR_BLOCK_OUT_DEGREES || header->kind == MR_BLOCK_OUT_STRENGTHS;
    worker->n_degrees[is_out] += header->n_entries;
    worker->degree_sums[is_out] += previous;
    return MR_OK;
}
