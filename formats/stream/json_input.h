/* SPDX-License-Identifier: Apache-2.0 */
/* JSON of unknown origin; its memory is charged before it is taken. Internal to formats/. */
#ifndef MR_FORMATS_STREAM_JSON_INPUT_H
#define MR_FORMATS_STREAM_JSON_INPUT_H

#include <jansson.h>

#include "engine/base/memory.h"
#include "formats/stream/lines.h"

struct mr_json_input {
    json_t *root; /* NULL: the text is not JSON */
    char reason[MR_LINES_QUOTE_BYTES]; /* why the text is not JSON, quoted */
    struct mr_memory *memory;
    uint64_t charged_bytes;
};

/* Parse `text[bytes]` with jansson's decoding `flags` and JSON_ALLOW_NUL. Text that is not JSON is
 * not an error: `root` is then NULL. Errors: BUDGET. Call mr_json_input_free afterwards in any
 * case. The charge is an upper bound, counted from the text at about 1 GB/s: the three bytes "{},"
 * make an object of some 250. */
enum mr_status mr_json_input_parse(struct mr_memory *memory, const char *text, size_t bytes,
                                   size_t flags, struct mr_json_input *json,
                                   struct mr_error *err) MR_WARN_UNUSED;
void mr_json_input_free(struct mr_json_input *json);

/* The most bytes that jansson allocates while it parses `text[bytes]`. */
uint64_t mr_json_input_bound(const char *text, size_t bytes);

#endif
