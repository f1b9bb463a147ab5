/* SPDX-License-Identifier: Apache-2.0 */
/* Encodes degrees for the writer of a store, and decodes them for passes, queries and mr_check.
 * Most degrees are small, so they are LEB128 numbers: the differences of a key stream, whose keys
 * are the running sums. */
#include "engine/tile/degrees.h"

#include "engine/base/bytes.h"
#include "engine/io/io.h"
#include "engine/tile/keys.h"

uint32_t mr_degrees_encode(const uint32_t *degrees, const double *strengths, uint32_t n,
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

/* The strengths at the end of the payload. Returns where they begin, NULL if it is too short. */
static const uint8_t *decode_strengths(const struct mr_block_header *header, const uint8_t *raw,
                                       double *strengths)
{
    const uint64_t n = header->n_entries;
    if (header->raw_bytes / sizeof *strengths < n) {
        return NULL;
    }
    const uint8_t *begin = raw + header->raw_bytes - n * sizeof *strengths;
    for (uint64_t i = 0; i < n; i++) {
        strengths[i] = mr_get_f64(begin + i * sizeof *strengths);
    }
    return begin;
}

/* Returns the end, NULL if [in, end) does not have `n` numbers of 32 bits. */
static const uint8_t *decode_numbers(const uint8_t *in, const uint8_t *end, uint64_t n,
                                     uint32_t *degrees)
{
    const mr_keys_decoder decode = mr_keys_best_decoder();
    uint32_t keys[MR_KEYS_BATCH + MR_KEYS_SLACK_KEYS], previous = 0;
    for (uint64_t done = 0; done < n;) {
        const uint32_t batch = (uint32_t)mr_min_u64(n - done, MR_KEYS_BATCH);
        in = decode(in, end, previous, keys, batch);
        if (in == NULL) {
            return NULL;
        }
        degrees[done] = keys[0] - previous;
        for (uint32_t i = 1; i < batch; i++) {
            degrees[done + i] = keys[i] - keys[i - 1];
        }
        previous = keys[batch - 1];
        done += batch;
    }
    return in;
}

enum mr_status mr_degrees_decode(struct mr_block_location place, const struct mr_block_entry *entry,
                                 const struct mr_block_header *header, const uint8_t *raw,
                                 uint32_t *degrees, double *strengths, struct mr_error *err)
{
    const uint8_t *end =
        strengths != NULL ? decode_strengths(header, raw, strengths) : raw + header->raw_bytes;
    if (end == NULL || decode_numbers(raw, end, header->n_entries, degrees) != end) {
        return mr_error_offset(err, MR_ERROR_CORRUPT, mr_file_path(place.file), entry->offset,
                               "the degrees do not decode; restore the store from a copy or build "
                               "it again");
    }
    return MR_OK;
}
