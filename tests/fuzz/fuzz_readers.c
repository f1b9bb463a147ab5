/* SPDX-License-Identifier: Apache-2.0 */
/* The libFuzzer target for the readers of formats. MILLRACE_FUZZ names the reader. `./dev fuzz
 * READER SECONDS` runs it. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/fuzz/readers.h"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes);

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *reader = getenv("MILLRACE_FUZZ");

    (void)argc;
    (void)argv;
    if (reader == NULL || !fuzz_choose(reader) || !fuzz_begin()) {
        (void)fprintf(stderr, "MILLRACE_FUZZ must name a reader: a format of build --format\n");
        exit(2);
    }
    (void)atexit(fuzz_end);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t bytes)
{
    fuzz_one(data, bytes);
    return 0;
}
