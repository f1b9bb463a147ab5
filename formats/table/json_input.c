/* SPDX-License-Identifier: Apache-2.0 */
/* Parses JSON with jansson, under the memory budget. Readers of crawlers' files parse each line or
 * record with it. jansson allocates by itself, so this file first computes from the text how much
 * jansson can take at most, and charges that. */
#include "formats/table/json_input.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "formats/table/table.h"

/* Bytes that jansson 2.14 takes with glibc's malloc: for a value (the struct of a string, the
 * smallest text, its entry in an array, the old entries while they are copied); for a pair with its
 * share of twice the hash buckets; for an empty array; for an empty object. A text is held once;
 * the token that is being read, up to three times. */
enum {
    VALUE_BYTES = 104,
    PAIR_BYTES = 128,
    ARRAY_BYTES = 128,
    OBJECT_BYTES = 240,
    TEXT_COPIES = 4,
    PARSER_BYTES = 4096
};

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

/* ---- Records ---- */

/* {"index": {...}} and the like: what Elasticsearch does with the next line. */
static bool is_action(const json_t *root)
{
    static const char *const actions[] = {"index", "create", "update", "delete"};

    for (size_t i = 0; i < sizeof actions / sizeof actions[0] && json_object_size(root) == 1; i++) {
        if (json_is_object(json_object_get(root, actions[i]))) {
            return true;
        }
    }
    return false;
}

const json_t *mr_json_answer(const json_t *root)
{
    const json_t *list = json_object_get(json_object_get(root, "hits"), "hits");
    list = list != NULL ? list : json_object_get(json_object_get(root, "response"), "docs");
    return json_is_array(list) ? list : NULL;
}

json_t *mr_json_record(json_t *root)
{
    static const char *const wrappers[] = {"_source", "doc", "request", "known", "discovered"};
    const char *format = json_string_value(json_object_get(root, "format"));

    if (is_action(root) || (format != NULL && strncmp(format, "json-pages-", 11) == 0)) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof wrappers / sizeof wrappers[0]; i++) {
        json_t *inner = json_object_get(root, wrappers[i]);
        if (json_is_object(inner) && mr_json_find(root, " url uri ") == NULL) {
            json_t *const info = json_object_get(inner, "info"); /* of URLFrontier */
            return i >= 3 && json_is_object(info) ? info : inner;
        }
    }
    return root;
}

json_t *mr_json_find(const json_t *object, const char *words)
{
    const char *key, *best = NULL;
    json_t *value, *found = NULL;

    json_object_foreach((json_t *)(uintptr_t)object, key, value)
    {
        const char *place = json_is_null(value) ? NULL : mr_table_place(key, strlen(key), words);
        if (place != NULL && (best == NULL || place < best)) {
            best = place;
            found = value;
        }
    }
    return found;
}

const char *mr_json_as_text(const json_t *value, char digits[32], size_t *bytes)
{
    if (json_is_array(value) && json_array_size(value) == 1) {
        value = json_array_get(value, 0);
    }
    if (json_is_integer(value)) {
        *bytes = (size_t)snprintf(digits, 32, "%" JSON_INTEGER_FORMAT, json_integer_value(value));
        return digits;
    }
    if (json_is_real(value)) {
        *bytes = (size_t)snprintf(digits, 32, "%.17g", json_real_value(value));
        return digits;
    }
    *bytes = json_string_length(value);
    return json_string_value(value);
}

const char *mr_json_keys(json_t *object, char list[MR_LINES_QUOTE_BYTES])
{
    char quote[MR_LINES_QUOTE_BYTES];
    const char *key;
    json_t *value;
    size_t used = 0;

    list[0] = '\0';
    json_object_foreach(object, key, value)
    {
        (void)mr_lines_quote(key, strlen(key), quote);
        if (used + strlen(quote) + 8 > MR_LINES_QUOTE_BYTES) {
            (void)snprintf(list + used, MR_LINES_QUOTE_BYTES - used, ", ...");
            break;
        }
        used += (size_t)snprintf(list + used, MR_LINES_QUOTE_BYTES - used, "%s%s",
                                 used > 0 ? ", " : "", quote);
    }
    return list;
}

static const char *skip_space(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\r' || *at == '\n')) {
        at++;
    }
    return at;
}

bool mr_json_begins(const char *text, size_t bytes)
{
    const char *at = text, *const end = text + bytes;

    at = skip_space(at + (bytes >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0 ? 3 : 0), end);
    if (at < end && *at == '[') {
        at = skip_space(at + 1, end);
    }
    if (at == end || *at != '{') {
        return false;
    }
    at = skip_space(at + 1, end);
    return at < end && (*at == '"' || *at == '}');
}
