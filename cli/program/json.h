/* JSON objects that remember whether anything failed, so that callers check once. */
#ifndef MR_CLI_PROGRAM_JSON_H
#define MR_CLI_PROGRAM_JSON_H

#include <jansson.h>
#include <stdbool.h>
#include <stdio.h>

#include "engine/base/error.h"

struct mr_json {
    json_t *object; /* owned; keys stay in the order they were added */
    bool failed; /* out of memory once */
};

struct mr_json mr_json_create(void);
void mr_json_destroy(struct mr_json *json);

void mr_json_count(struct mr_json *json, const char *key, uint64_t value);
void mr_json_real(struct mr_json *json, const char *key, double value); /* not finite: null */
void mr_json_flag(struct mr_json *json, const char *key, bool value);
/* NULL: null. Bytes that are no UTF-8 (file names may have them) are written as %XX. */
void mr_json_text(struct mr_json *json, const char *key, const char *value);
/* 16 hexadecimal digits: JSON readers round numbers beyond 2^53. */
void mr_json_id(struct mr_json *json, const char *key, uint64_t value);
void mr_json_texts(struct mr_json *json, const char *key, const char *const *values, size_t n);
/* Takes `value` over, NULL (out of memory) included. */
void mr_json_add(struct mr_json *json, const char *key, json_t *value);

/* `value` as a JSON string, like mr_json_text. NULL when out of memory. */
json_t *mr_json_string(const char *value, size_t bytes);

/* The object as indented text with a newline at the end, to be freed with free(). */
enum mr_status mr_json_dump(const struct mr_json *json, char **text,
                            struct mr_error *err) MR_WARN_UNUSED;
/* The same to `out`. */
enum mr_status mr_json_print(const struct mr_json *json, FILE *out,
                             struct mr_error *err) MR_WARN_UNUSED;

#endif
