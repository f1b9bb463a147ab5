/* SPDX-License-Identifier: Apache-2.0 */
/* The libFuzzer target for the decoders of corner tiles. tests/fuzz/corner_cases.h describes the
 * checks. */
#include "tests/fuzz/corner_cases.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    fuzz_corners(data, bytes);
    return 0;
}
