/* SPDX-License-Identifier: Apache-2.0 */
/* The libFuzzer target that compares the decoders of key streams with each other. The input is the
 * number of keys as a u16 (little-endian), then the stream. All decoders of this machine must
 * return the same end and the same keys, and touch nothing outside the arrays; the kernels must end
 * where the decoders end. */
#include <stdlib.h>
#include <string.h>

#include "engine/tile/key_kernels.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

static void check(bool is_right)
{
    if (!is_right) {
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    static const struct mr_kernel_shape shape = {
        .band_bits = 10, .target_mask = (1u << 10) - 1, .source_mask = (1u << 8) - 1};
    static float x[1u << 8];
    static double sums[1u << 10];
    const struct mr_key_kernels *kernels = mr_key_kernels_best();
    if (bytes < 2) {
        return 0;
    }
    const size_t n_keys = (size_t)data[0] | (size_t)data[1] << 8, n_bytes = bytes - 2;
    uint8_t *stream = malloc(n_bytes + MR_KEYS_SLACK_BYTES);
    uint32_t *first = calloc(n_keys + MR_KEYS_SLACK_KEYS, sizeof *first);
    uint32_t *other = calloc(n_keys + MR_KEYS_SLACK_KEYS, sizeof *other);
    check(stream != NULL && first != NULL && other != NULL);
    memcpy(stream, data + 2, n_bytes);
    /* the content behind the stream must not matter */
    memset(stream + n_bytes, data[0], MR_KEYS_SLACK_BYTES);
    const uint8_t *end = kernels->decode(stream, stream + n_bytes, 0, first, n_keys);
    for (unsigned i = 0; (kernels = mr_key_kernels_at(i)) != NULL; i++) {
        check(kernels->decode(stream, stream + n_bytes, 0, other, n_keys) == end);
        check(end == NULL || memcmp(first, other, n_keys * sizeof *first) == 0);
        check(kernels->add_stream[MR_VALUE_FLOAT](&shape, stream, stream + n_bytes, n_keys, x,
                                                  sums) == end);
    }
    free(stream);
    free(first);
    free(other);
    return 0;
}
