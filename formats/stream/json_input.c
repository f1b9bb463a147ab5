/* SPDX-License-Identifier: Apache-2.0 */
/* Parses JSON with jansson, under the memory budget. Readers of crawlers' files parse each line or
 * record with it. jansson allocates by itself, so this file first computes from the text how much
 * jansson can take at most, and charges that. */
#include "formats/stream/json_input.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* Bytes that jansson 2.14 takes with glibc's malloc: for a value (the struct of a string, the
 * smallest text, its entry in an array, the old entries while they are copied); for a pair with its
 * share of twice the hash buckets; for an empty array; for an empty object. A text is held once;
 * the token that is being read, up to three times. */
enum {
    VALUE_BYTES = 104,
    PAIR_BYTES = 128,
    ARRAY_BYTES = 128,
    OBJECT_BYTES = 240,
    TEXT_COPIES = 4
};
enum { PARSER_BYTES = 4096 };

uint64_t mr_json_input_bound(const char *text, size_t bytes)
{
    uint64_t bound = PARSER_BYTES + VALUE_BYTES + TEXT_COPIES * (uint64_t)bytes;
    bool in_string = false;

    for (size_t i = 0; i < bytes; i++) {
        if (text[i] == '"') {
            in_string = !in_string;
        } else if (in_string) {
            i += text[i] == '\\';
        } else if (text[i] == ',') {
            bound += VALUE_BYTES;
        } else if (text[i] == ':') {
            bound += PAIR_BYTES;
        } else if (text[i] == '[') {
            bound += VALUE_BYTES + ARRAY_BYTES;
        } else if (text[i] == '{') {
            bound += VALUE_BYTES + OBJECT_BYTES;
        }
    }
    return bound;
}

enum mr_status mr_json_input_parse(struct mr_memory *memory, const char *text, size_t bytes,
                                   size_t flags, struct mr_json_input *json, struct mr_error *err)
{
    const uint64_t bound = mr_json_input_bound(text, bytes);
    json_error_t reason;

    *json = (struct mr_json_input){.memory = memory};
    const enum mr_status status = mr_memory_charge(memory, "JSON", bound, err);
    if (status != MR_OK) {
        return status;
    }
    json->charged_bytes = bound;
    errno = 0; /* jansson may call a want of memory a fault of the text, or lose a value */
    json->root = json_loadb(text, bytes, flags | JSON_ALLOW_NUL, &reason);
    if (errno == ENOMEM ||
        (json->root == NULL && json_error_code(&reason) == json_error_out_of_memory)) {
        mr_json_input_free(json);
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for JSON");
    }
    if (json->root == NULL) {
        /* jansson's reason repeats bytes of the text, so it is quoted. */
        (void)mr_lines_quote(reason.text, strlen(reason.text), json->reason);
    }
    return MR_OK;
}

void mr_json_input_free(struct mr_json_input *json)
{
    json_decref(json->root);
    mr_memory_discharge(json->memory, "JSON", json->charged_bytes);
    json->root = NULL;
    json->charged_bytes = 0;
}
