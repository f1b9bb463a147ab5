/* SPDX-License-Identifier: Apache-2.0 */
/* JSON objects that remember a failure, so that callers check only once, at the end. */
#ifndef MR_CLI_PROGRAM_JSON_H
#define MR_CLI_PROGRAM_JSON_H

#include <jansson.h>
#include <stdbool.h>

#include "millrace/error.h"

struct mr_cell;
struct mr_row_column;

struct mr_json {
    json_t *object; /* owned; keys stay in the order they were added */
    bool failed; /* an earlier call ran out of memory */
};

/* Gives jansson a reserve for when the machine has no memory. jansson 2.14 writes past a buffer
 * when its copy of a text cannot grow. With the reserve the copy grows, and the caller sees ENOMEM
 * in errno. For the start of the program: it holds for the whole process. */
void mr_json_keep_reserve(void);

struct mr_json mr_json_create(void);
/* The same with the members time, now, and event: the beginning of a line of --log-json. */
struct mr_json mr_json_create_event(const char *event);
void mr_json_destroy(struct mr_json *json);
/* Ends it, and returns the object, which the caller owns; NULL if an earlier call failed. */
json_t *mr_json_finish(struct mr_json *json);

void mr_json_count(struct mr_json *json, const char *key, uint64_t value);
void mr_json_real(struct mr_json *json, const char *key, double value); /* null if not finite */
void mr_json_flag(struct mr_json *json, const char *key, bool value);
/* Adds null for NULL, and a text in the form MR_NAME_UTF8 of formats/stream/name_text.h. */
void mr_json_text(struct mr_json *json, const char *key, const char *value);
/* Adds 16 hexadecimal digits as a text, because JSON readers round numbers above 2^53. */
void mr_json_id(struct mr_json *json, const char *key, uint64_t value);
/* Adds null for no text, one as a text, and more as an array. */
void mr_json_texts_given(struct mr_json *json, const char *key, const char *const *values,
                         size_t n);
void mr_json_texts(struct mr_json *json, const char *key, const char *const *values, size_t n);
/* Takes ownership of `value`. NULL counts as out of memory. */
void mr_json_add(struct mr_json *json, const char *key, json_t *value);

/* Adds the cells of a row of a table. */
void mr_json_cells(struct mr_json *json, const struct mr_row_column *columns, size_t n_columns,
                   const struct mr_cell *cells);

/* Returns `value` [bytes] as a JSON string, as mr_json_text writes it; the caller owns it.
 * Returns NULL when out of memory. */
json_t *mr_json_string(const char *value, size_t bytes);

/* Writes the object as indented text with a newline at the end. The caller frees `*text` with
 * free(). Errors: BUDGET. */
enum mr_status mr_json_dump(const struct mr_json *json, char **text,
                            struct mr_error *err) MR_WARN_UNUSED;
/* Prints the object to `out` as one line, and destroys the object. An object without memory is left
 * out: a log cannot wait. */
void mr_json_line_and_destroy(struct mr_json *json, FILE *out);
/* Prints the indented text to standard output, and destroys the object, also after an error.
 * mr_json_destroy may follow. */
enum mr_status mr_json_print_and_destroy(struct mr_json *json, struct mr_error *err) MR_WARN_UNUSED;

#endif
