/* libFuzzer: the decoders of corner tiles. tests/fuzz/corners.h says what is checked. */
#include "tests/fuzz/corners.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    fuzz_corners(data, bytes);
    return 0;
}
