/* SPDX-License-Identifier: Apache-2.0 */
/* Score files as CSV and JSON. A score file usually has lines with tabs. If its path ends in .csv,
 * .jsonl or .json, this file writes the rows as CSV or JSON, for programs that read nothing else.
 * On the way in, it rewrites such rows to lines with tabs, so that formats/score/score_reader.c
 * sees one kind of line only. The first line tells the kind: an object or a bracket is JSON, a
 * comma without a tab is CSV. */
#include "formats/score/score_table.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/stream/csv_field.h"
#include "formats/stream/json_input.h"

/* ---- Out ---- */

enum mr_score_kind mr_score_kind_of(const char *path)
{
    static const struct {
        const char *suffix;
        enum mr_score_kind kind;
    } kinds[] = {{".csv", MR_SCORE_CSV},
                 {".jsonl", MR_SCORE_JSONL},
                 {".ndjson", MR_SCORE_JSONL},
                 {".jl", MR_SCORE_JSONL},
                 {".json", MR_SCORE_JSON}};

    for (size_t i = 0; path != NULL && i < sizeof kinds / sizeof kinds[0]; i++) {
        if (mr_output_has_suffix(path, kinds[i].suffix)) {
            return kinds[i].kind;
        }
    }
    return MR_SCORE_TSV;
}

/* Write [at, end), which has nothing odd. Quotes are doubled in CSV; in JSON a backslash goes
 * before quotes and backslashes. */
static enum mr_status put_quoted(struct mr_output *output, bool json, const char *at,
                                 const char *end, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    for (const char *p = at; p < end && status == MR_OK; p++) {
        if (*p == '"' || (json && *p == '\\')) {
            status = mr_output_write(output, at, (size_t)(p - at), err);
            if (status == MR_OK) {
                status = mr_output_write(output, json ? "\\" : "\"", 1, err);
            }
            at = p;
        }
    }
    return status == MR_OK ? mr_output_write(output, at, (size_t)(end - at), err) : status;
}

enum mr_status mr_score_name_write(struct mr_output *output, enum mr_score_kind kind,
                                   const char *name, size_t name_bytes, uint64_t *escaped,
                                   struct mr_error *err)
{
    const bool json = kind >= MR_SCORE_JSONL;
    const enum mr_name_form form = json ? MR_NAME_UTF8 : MR_NAME_LINE;
    const char *const end = name + name_bytes;
    bool any = false;

    if (!json && memchr(name, '"', name_bytes) == NULL && memchr(name, ',', name_bytes) == NULL) {
        return mr_output_name_escaped(output, name, name_bytes, form, escaped, err);
    }
    enum mr_status status = mr_output_write(output, "\"", 1, err);
    while (status == MR_OK && name < end) {
        char code[3 * MR_NAME_CODE_BYTES];
        size_t bytes = 0;
        const char *odd = mr_name_find_odd(name, end, form, &bytes);
        status = put_quoted(output, json, name, odd, err);
        name = odd;
        if (status == MR_OK && odd < end) {
            status =
                put_quoted(output, json, code, code + mr_name_codes(odd, bytes, form, code), err);
            name += bytes;
            any = true;
        }
    }
    *escaped += any;
    return status == MR_OK ? mr_output_write(output, "\"", 1, err) : status;
}

/* ---- In ---- */

struct mr_score_lines {
    const struct mr_context *context;
    struct mr_input *input;
    struct mr_lines *lines;
    enum mr_score_kind kind;
    bool begun;
    bool has_row; /* `row` comes next: the header was made out of it */
    char *row; /* [row_bytes], a line with tabs; of [MR_LINE_MAX_BYTES] */
    size_t row_bytes;
    char header[1024];
};

enum mr_status mr_score_lines_open(const struct mr_context *context, struct mr_input *input,
                                   struct mr_score_lines **out, struct mr_error *err)
{
    struct mr_score_lines *lines = calloc(1, sizeof *lines);

    *out = NULL;
    if (lines == NULL) {
        return mr_error_file(err, MR_ERROR_BUDGET, mr_input_name(input), 0,
                             "out of memory for a reader");
    }
    lines->context = context;
    lines->input = input;
    const enum mr_status status = mr_lines_open(context, input, &lines->lines, err);
    if (status != MR_OK) {
        free(lines);
        return status;
    }
    *out = lines;
    return MR_OK;
}

void mr_score_lines_close(struct mr_score_lines *lines)
{
    if (lines != NULL) {
        mr_lines_close(lines->lines);
        free(lines->row);
        free(lines);
    }
}

static enum mr_status bad_line(const struct mr_score_lines *lines, const char *reason,
                               struct mr_error *err)
{
    return mr_error_line(err, MR_ERROR_INPUT, mr_input_name(lines->input),
                         mr_lines_number(lines->lines), "%s", reason);
}

static enum mr_score_kind kind_of(const char *line, size_t bytes)
{
    return bytes > 0 && (line[0] == '{' || (line[0] == '[' && bytes == 1))         ? MR_SCORE_JSONL
           : memchr(line, '\t', bytes) == NULL && memchr(line, ',', bytes) != NULL ? MR_SCORE_CSV
                                                                                   : MR_SCORE_TSV;
}

/* Add a field to the row. False: it does not fit, or has a tab in it. */
static bool add_field(struct mr_score_lines *lines, const char *text, size_t bytes)
{
    const bool tab = lines->row_bytes > 0;
    if (lines->row_bytes + tab + bytes > MR_LINE_MAX_BYTES || memchr(text, '\t', bytes) != NULL) {
        return false;
    }
    if (tab) {
        lines->row[lines->row_bytes++] = '\t';
    }
    memcpy(lines->row + lines->row_bytes, text, bytes);
    lines->row_bytes += bytes;
    return true;
}

static enum mr_status take_csv(struct mr_score_lines *lines, const char *line, size_t bytes,
                               struct mr_error *err)
{
    const char *const end = line + bytes, *text;
    bool raw;

    lines->row_bytes = 0;
    for (const char *at = line; at != NULL;) {
        if (!mr_csv_field(&at, end, ',', &text, &bytes, &raw)) {
            return bad_line(lines, "its quotes do not match", err);
        }
        const size_t before = lines->row_bytes;
        if (!add_field(lines, text, bytes)) {
            return bad_line(lines, "a name with a tab in it, or too long", err);
        }
        if (raw) { /* its doubled quotes become single */
            char *to = lines->row + before + (before > 0), *from = to;
            for (char *const stop = lines->row + lines->row_bytes; from < stop; from++) {
                *to++ = *from;
                from += *from == '"';
            }
            lines->row_bytes = (size_t)(to - lines->row);
        }
    }
    return MR_OK;
}

/* Writes the row of an object: "name", then every number, in the order of the keys. The keys are
 * the header. */
static const char *take_object(struct mr_score_lines *lines, json_t *root)
{
    const json_t *name = json_object_get(root, "name");
    const char *key;
    json_t *value;
    size_t used = (size_t)snprintf(lines->header, sizeof lines->header, "name");

    lines->row_bytes = 0;
    if (!json_is_string(name) || json_string_length(name) == 0 ||
        !add_field(lines, json_string_value(name), json_string_length(name))) {
        return "no \"name\" of a page";
    }
    json_object_foreach(root, key, value)
    {
        char number[32];
        if (!json_is_number(value)) {
            continue;
        }
        const int n = snprintf(number, sizeof number, "%.17g", json_number_value(value));
        if (!add_field(lines, number, (size_t)n) || used + strlen(key) + 2 > sizeof lines->header) {
            return "too long";
        }
        used += (size_t)snprintf(lines->header + used, sizeof lines->header - used, "\t%s", key);
    }
    return used > 4 ? NULL : "no score among its values";
}

static enum mr_status take_json(struct mr_score_lines *lines, const char *line, size_t bytes,
                                struct mr_error *err)
{
    struct mr_json_input json;
    const char *reason;

    bytes -= bytes > 0 && line[bytes - 1] == ',';
    enum mr_status status = mr_json_input_parse(lines->context->memory, line, bytes, 0, &json, err);
    if (status != MR_OK) {
        return status;
    }
    reason = json.root == NULL           ? json.reason
             : json_is_object(json.root) ? take_object(lines, json.root)
                                         : "no JSON object";
    if (reason != NULL) {
        status = bad_line(lines, reason, err);
    }
    mr_json_input_free(&json);
    return status;
}

static enum mr_status begin(struct mr_score_lines *lines, const char *line, size_t bytes,
                            struct mr_error *err)
{
    lines->begun = true;
    lines->kind = kind_of(line, bytes);
    if (lines->kind == MR_SCORE_TSV) {
        return MR_OK;
    }
    lines->row = malloc(MR_LINE_MAX_BYTES);
    return lines->row != NULL ? MR_OK
                              : mr_error_file(err, MR_ERROR_BUDGET, mr_input_name(lines->input), 0,
                                              "out of memory for a line");
}

static bool is_bracket(const char *line, size_t bytes)
{
    return bytes == 1 && (*line == '[' || *line == ']');
}

enum mr_status mr_score_lines_next(struct mr_score_lines *lines, const char **line, size_t *bytes,
                                   struct mr_error *err)
{
    const bool first = !lines->begun;
    enum mr_status status = MR_OK;

    if (lines->has_row) {
        lines->has_row = false;
        *line = lines->row;
        *bytes = lines->row_bytes;
        return MR_OK;
    }
    do {
        status = mr_lines_next(lines->lines, line, bytes, err);
        if (status == MR_OK && *line != NULL && !lines->begun) {
            status = begin(lines, *line, *bytes, err);
        }
    } while (status == MR_OK && *line != NULL && lines->kind == MR_SCORE_JSONL &&
             is_bracket(*line, *bytes));
    if (status != MR_OK || *line == NULL || lines->kind == MR_SCORE_TSV) {
        return status;
    }
    status = lines->kind == MR_SCORE_CSV ? take_csv(lines, *line, *bytes, err)
                                         : take_json(lines, *line, *bytes, err);
    lines->has_row = first && lines->kind == MR_SCORE_JSONL;
    *line = lines->has_row ? lines->header : lines->row;
    *bytes = lines->has_row ? strlen(lines->header) : lines->row_bytes;
    return status;
}

uint64_t mr_score_lines_number(const struct mr_score_lines *lines)
{
    return mr_lines_number(lines->lines);
}

size_t mr_score_lines_pending(const struct mr_score_lines *lines)
{
    return mr_lines_pending(lines->lines);
}
