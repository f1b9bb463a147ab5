/* JSON that somebody else wrote, in memory that is charged before it is taken. Internal to formats/. */
#ifndef MR_FORMATS_STREAM_JSON_INPUT_H
#define MR_FORMATS_STREAM_JSON_INPUT_H

#include <jansson.h>

#include "engine/base/memory.h"
#include "formats/stream/lines.h"

struct mr_json_input {
    json_t *root; /* NULL: it is no JSON */
    char reason[MR_LINES_QUOTE_BYTES]; /* why not, quoted */
    struct mr_memory *memory;
    uint64_t charged_bytes;
};

/* Parse `text[bytes]` with jansson's decoding `flags`, JSON_ALLOW_NUL always. What is no JSON is no
 * error: look at `root`. Errors: BUDGET. Free what was parsed, whatever came of it. Three bytes, "{},", make an
 * object of some 250: the charge is an upper bound, counted from the text at about 1 GB/s. */
enum mr_status mr_json_input_parse(struct mr_memory *memory, const char *text, size_t bytes,
                                   size_t flags, struct mr_json_input *json,
                                   struct mr_error *err) MR_WARN_UNUSED;
void mr_json_input_free(struct mr_json_input *json);

/* What jansson allocates at most while it parses `text[bytes]`. */
uint64_t mr_json_input_bound(const char *text, size_t bytes);

#endif
