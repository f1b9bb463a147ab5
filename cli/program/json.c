/* SPDX-License-Identifier: Apache-2.0 */
/* Writes JSON with jansson: the output of --json and the metadata beside score files. Commands
 * add members one by one. An object remembers that memory ran out, so that only mr_json_dump and
 * mr_json_print_and_destroy return an error. */
#include "cli/program/json.h"
#include "engine/base/count_text.h"
#include "formats/score/scores.h"
#include "formats/stream/double_text.h"

#include <errno.h>
#include <math.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/* ---- The reserve ---- */

enum { RESERVE_BYTES = 4 << 20, RESERVE_UNIT = 64 };

static _Alignas(RESERVE_UNIT) char reserve[RESERVE_BYTES]; /* nobody touches it before */
static atomic_size_t reserve_used;

static void *take_memory(size_t bytes)
{
    void *memory = malloc(bytes);
    if (memory == NULL && bytes < RESERVE_BYTES) {
        const size_t units = (bytes + RESERVE_UNIT - 1) & ~(size_t)(RESERVE_UNIT - 1);
        const size_t at = atomic_fetch_add(&reserve_used, units);
        memory = at < RESERVE_BYTES && units <= RESERVE_BYTES - at ? reserve + at : NULL;
        errno = ENOMEM;
    }
    return memory;
}

static void give_memory(void *memory)
{
    const uintptr_t at = (uintptr_t)memory, begin = (uintptr_t)reserve;
    if (at < begin || at >= begin + RESERVE_BYTES) {
        free(memory);
    }
}

void mr_json_keep_reserve(void)
{
    json_set_alloc_funcs(take_memory, give_memory);
}

/* ---- Objects ---- */

struct mr_json mr_json_create(void)
{
    json_t *object = json_object();
    return (struct mr_json){.object = object, .failed = object == NULL};
}

struct mr_json mr_json_create_event(const char *event)
{
    struct mr_json json = mr_json_create();
    char now[32];

    mr_json_text(&json, "time", mr_time_text((uint64_t)time(NULL), now));
    mr_json_text(&json, "event", event);
    return json;
}

void mr_json_destroy(struct mr_json *json)
{
    json_decref(json->object);
    json->object = NULL;
}

json_t *mr_json_finish(struct mr_json *json)
{
    json_t *object = json->failed ? NULL : json_incref(json->object);
    mr_json_destroy(json);
    return object;
}

void mr_json_add(struct mr_json *json, const char *key, json_t *value)
{
    if (json_object_set_new(json->object, key, value) != 0) {
        json->failed = true;
    }
}

void mr_json_count(struct mr_json *json, const char *key, uint64_t value)
{
    if (value > INT64_MAX) {
        mr_json_real(json, key, (double)value);
        return;
    }
    mr_json_add(json, key, json_integer((json_int_t)value));
}

void mr_json_real(struct mr_json *json, const char *key, double value)
{
    mr_json_add(json, key, isfinite(value) ? json_real(value) : json_null());
}

void mr_json_flag(struct mr_json *json, const char *key, bool value)
{
    mr_json_add(json, key, json_boolean(value));
}

json_t *mr_json_string(const char *value, size_t bytes)
{
    char *escaped = malloc(MR_NAME_CODE_BYTES * bytes + 1);
    if (escaped == NULL) {
        return NULL;
    }
    json_t *string = json_stringn(escaped, mr_name_escape(value, bytes, MR_NAME_UTF8, escaped));
    free(escaped);
    return string;
}

void mr_json_text(struct mr_json *json, const char *key, const char *value)
{
    mr_json_add(json, key, value == NULL ? json_null() : mr_json_string(value, strlen(value)));
}

void mr_json_cells(struct mr_json *json, const struct mr_row_column *columns, size_t n_columns,
                   const struct mr_cell *cells)
{
    for (size_t i = 0; i < n_columns; i++) {
        if (columns[i].absent) {
            continue;
        }
        if (columns[i].type == MR_CELL_COUNT) {
            mr_json_count(json, columns[i].name, cells[i].count);
        } else if (columns[i].type <= MR_CELL_LABEL) {
            mr_json_add(json, columns[i].name, mr_json_string(cells[i].text, cells[i].bytes));
        } else {
            mr_json_real(json, columns[i].name, cells[i].real);
        }
    }
}

void mr_json_id(struct mr_json *json, const char *key, uint64_t value)
{
    char text[17];
    (void)snprintf(text, sizeof text, "%016llx", (unsigned long long)value);
    mr_json_text(json, key, text);
}

void mr_json_texts(struct mr_json *json, const char *key, const char *const *values, size_t n)
{
    json_t *array = json_array();
    for (size_t i = 0; i < n; i++) {
        if (json_array_append_new(array, mr_json_string(values[i], strlen(values[i]))) != 0) {
            json->failed = true;
        }
    }
    mr_json_add(json, key, array);
}

/* Writes the numbers of JSON text with as few digits as are read back: 0.85, not
 * 0.84999999999999998. */
static void shorten_numbers(char *text)
{
    char number[MR_DOUBLE_TEXT_BYTES], *to = text;
    bool in_string = false;

    while (*text != '\0') {
        size_t bytes = in_string ? 0 : strspn(text, "-+.0123456789e"), shorter = 0;
        if (bytes > 15 && memchr(text, '.', bytes) != NULL) {
            shorter = mr_double_shortest(strtod(text, NULL), number);
        }
        number[shorter] = '\0';
        if (strpbrk(number, ".e") != NULL && shorter < bytes) { /* a real one stays real */
            memcpy(to, number, shorter);
            to += shorter;
            text += bytes;
            continue;
        }
        in_string ^= *text == '"';
        bytes += bytes == 0;
        bytes += in_string && *text == '\\'; /* and what is behind it */
        memmove(to, text, bytes);
        to += bytes;
        text += bytes;
    }
    *to = '\0';
}

static enum mr_status dump(const struct mr_json *json, size_t flags, char **text,
                           struct mr_error *err)
{
    /* Not json_dumps: jansson 2.14 drops a key without a word where its buffer cannot grow. */
    const size_t bytes = json->failed ? 0 : json_dumpb(json->object, NULL, 0, flags);
    *text = bytes == 0 ? NULL : malloc(bytes + 2);
    if (*text != NULL && json_dumpb(json->object, *text, bytes, flags) == bytes) {
        memcpy(*text + bytes, "\n", 2);
        shorten_numbers(*text);
        return MR_OK;
    }
    free(*text);
    *text = NULL;
    return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for JSON");
}

enum mr_status mr_json_dump(const struct mr_json *json, char **text, struct mr_error *err)
{
    return dump(json, JSON_INDENT(2) | JSON_REAL_PRECISION(17), text, err);
}

void mr_json_line_and_destroy(struct mr_json *json, FILE *out)
{
    char *text = NULL;
    if (dump(json, JSON_REAL_PRECISION(6), &text, NULL) == MR_OK) {
        (void)fputs(text, out);
        (void)fflush(out);
    }
    free(text);
    mr_json_destroy(json);
}

enum mr_status mr_json_print_and_destroy(struct mr_json *json, struct mr_error *err)
{
    char *text = NULL;
    const enum mr_status status = mr_json_dump(json, &text, err);
    if (status == MR_OK) {
        (void)fputs(text, stdout); /* mr_session_close finds a failure when it flushes */
    }
    free(text);
    mr_json_destroy(json);
    return status;
}

void mr_json_texts_given(struct mr_json *json, const char *key, const char *const *values, size_t n)
{
    if (n > 1) {
        mr_json_texts(json, key, values, n);
    } else {
        mr_json_text(json, key, n == 1 ? values[0] : NULL);
    }
}
