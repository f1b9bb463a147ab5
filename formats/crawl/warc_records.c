/* SPDX-License-Identifier: Apache-2.0 */
/* Splits WARC and ARC files into records for warc_links.c. It reads the input through one buffer,
 * which holds at least a whole header. It copies the body of a metadata record into memory. The
 * body of a response stays where it is: it may be long, and its readers take it in pieces.
 *
 * ARC is what the Internet Archive wrote before WARC. A header is one line: URL, address, date,
 * type, any other fields, and the length of the body. The first record describes the file. Source:
 * "ARC File Format" of the Internet Archive, versions 1 and 2. */
#include "formats/crawl/warc_records.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/base/memory.h"
#include "formats/crawl/http_response.h"
#include "formats/stream/decimal.h"

#define BUFFER_BYTES ((size_t)MR_WARC_HEADER_MAX_BYTES)

struct mr_warc_records {
    const struct mr_context *context;
    struct mr_input *input;
    char *buffer; /* [BUFFER_BYTES] */
    size_t at, end; /* [at, end) are the bytes not used yet */
    uint64_t offset; /* offset of buffer + at in the input */
    bool at_end; /* the input has no more bytes */
    char *header; /* [MR_WARC_HEADER_MAX_BYTES]: the record's header, while its body is read */
    char *body; /* [body_room]; grows with the longest body */
    size_t body_room;
    bool is_arc, is_known; /* which of the formats it is, once that is known */
    uint64_t left; /* bytes of the record's body that are not used yet */
    uint64_t record; /* offset of the record */
};

enum mr_status mr_warc_records_open(const struct mr_context *context, struct mr_input *input,
                                    struct mr_warc_records **out, struct mr_error *err)
{
    struct mr_warc_records *records = calloc(1, sizeof *records);
    void *buffers = NULL;

    *out = NULL;
    if (records == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a reader");
    }
    records->context = context;
    records->input = input;
    const enum mr_status status =
        mr_memory_alloc(context->memory, "WARC header",
                        BUFFER_BYTES + (uint64_t)MR_WARC_HEADER_MAX_BYTES, &buffers, err);
    if (status != MR_OK) {
        free(records);
        return status;
    }
    records->buffer = buffers;
    records->header = records->buffer + BUFFER_BYTES;
    *out = records;
    return MR_OK;
}

void mr_warc_records_close(struct mr_warc_records *records)
{
    if (records != NULL) {
        mr_memory_free(records->context->memory, records->buffer);
        mr_memory_free(records->context->memory, records->body);
        free(records);
    }
}

/* Append more bytes to those in the buffer. The bytes in the buffer may move to its front. */
static enum mr_status fill(struct mr_warc_records *records, struct mr_error *err)
{
    size_t got = 0;
    /* once per fill, because bodies may be long */
    enum mr_status status = mr_context_poll(records->context, err);

    if (status != MR_OK) {
        return status;
    }
    if (records->at > 0) {
        memmove(records->buffer, records->buffer + records->at, records->end - records->at);
        records->end -= records->at;
        records->at = 0;
    }
    status = mr_input_read(records->input, records->buffer + records->end,
                           BUFFER_BYTES - records->end, &got, err);
    records->end += got;
    records->at_end = got == 0;
    return status;
}

static void use(struct mr_warc_records *records, size_t bytes)
{
    records->at += bytes;
    records->offset += bytes;
}

static enum mr_status bad(const struct mr_warc_records *records, uint64_t offset, const char *what,
                          struct mr_error *err)
{
    return mr_error_offset(err, MR_ERROR_INPUT, mr_input_name(records->input), offset,
                           "%s (in the decompressed file); if it is a WARC file, get it again",
                           what);
}

/* Skip the empty lines between records. */
static enum mr_status skip_gap(struct mr_warc_records *records, struct mr_error *err)
{
    for (;;) {
        while (records->at < records->end &&
               (records->buffer[records->at] == '\r' || records->buffer[records->at] == '\n')) {
            use(records, 1);
        }
        if (records->at < records->end || records->at_end) {
            return MR_OK;
        }
        const enum mr_status status = fill(records, err);
        if (status != MR_OK) {
            return status;
        }
    }
}

static bool is_value(const char *value, size_t bytes, const char *expected)
{
    return value != NULL && bytes >= strlen(expected) &&
           strncasecmp(value, expected, strlen(expected)) == 0;
}

/* The bytes of the body that are in the buffer, after a read if there are none. */
static enum mr_status next_piece(struct mr_warc_records *records, const char **data, size_t *bytes,
                                 struct mr_error *err)
{
    *bytes = 0;
    if (records->left == 0) {
        return MR_OK;
    }
    if (records->at == records->end) {
        enum mr_status status = fill(records, err);
        if (status == MR_OK && records->at_end) {
            status = bad(records, records->record, "the record that begins here is cut off", err);
        }
        if (status != MR_OK) {
            return status;
        }
    }
    const size_t here = records->end - records->at;
    *data = records->buffer + records->at;
    *bytes = records->left < here ? (size_t)records->left : here;
    use(records, *bytes);
    records->left -= *bytes;
    return MR_OK;
}

enum mr_status mr_warc_records_body(struct mr_warc_records *records, const char **data,
                                    size_t *bytes, struct mr_error *err)
{
    return next_piece(records, data, bytes, err);
}

/* Skip the rest of a body. */
static enum mr_status skip_body(struct mr_warc_records *records, struct mr_error *err)
{
    const char *data;
    size_t bytes;
    enum mr_status status = MR_OK;

    while (status == MR_OK && records->left > 0) {
        status = next_piece(records, &data, &bytes, err);
    }
    return status;
}

/* Copy the body of a metadata record into memory. */
static enum mr_status save_body(struct mr_warc_records *records, struct mr_warc_record *record,
                                struct mr_error *err)
{
    const uint64_t length = records->left;
    enum mr_status status = MR_OK;
    const char *data;
    size_t bytes, used = 0;

    if (length > MR_WARC_BODY_MAX_BYTES) {
        return bad(records, record->offset, "a metadata record of more than 32 MiB", err);
    }
    if (length + 1 > records->body_room) {
        const uint64_t room = mr_min_u64(length + length / 2, MR_WARC_BODY_MAX_BYTES) + 1;
        struct mr_error problem = {0};
        void *body = records->body;
        status = mr_memory_resize(records->context->memory, "WARC record", &body, room, &problem);
        if (status != MR_OK) {
            return mr_error_offset(err, status, mr_input_name(records->input), record->offset, "%s",
                                   problem.message);
        }
        records->body = body;
        records->body_room = room;
    }
    while (status == MR_OK && records->left > 0) {
        status = next_piece(records, &data, &bytes, err);
        if (status == MR_OK) {
            memcpy(records->body + used, data, bytes);
            used += bytes;
        }
    }
    record->body = records->body;
    record->body_bytes = used;
    return status;
}

/* ---- Headers ---- */

static bool is_http_url(const char *url, size_t bytes)
{
    return bytes > 7 && strncasecmp(url, "http", 4) == 0;
}

static enum mr_status read_record(struct mr_warc_records *records, struct mr_warc_record *record,
                                  size_t bytes, struct mr_error *err)
{
    uint64_t length = 0;

    memcpy(records->header, records->buffer + records->at, bytes);
    use(records, bytes);
    const char *header = records->header;
    const struct mr_http_text content = mr_http_field(header, bytes, "Content-Length");
    const char *at = content.text;
    if (at == NULL || mr_decimal_parse(&at, at + content.bytes, &length) != MR_DECIMAL_OK ||
        at != content.text + content.bytes) {
        return bad(records, record->offset,
                   "the record that begins here has no Content-Length that is a number", err);
    }
    const struct mr_http_text kind = mr_http_field(header, bytes, "WARC-Type");
    const struct mr_http_text type = mr_http_field(header, bytes, "Content-Type");
    const struct mr_http_text target = mr_http_field(header, bytes, "WARC-Target-URI");
    record->is_metadata = is_value(kind.text, kind.bytes, "metadata");
    record->is_response =
        is_value(kind.text, kind.bytes, "response") || is_value(kind.text, kind.bytes, "revisit");
    record->is_json = is_value(type.text, type.bytes, "application/json");
    record->is_http = is_value(type.text, type.bytes, "application/http");
    record->target = target.text;
    record->target_bytes = target.bytes;
    if (record->target_bytes > 2 && record->target[0] == '<') {
        record->target++; /* some early writers put the URI between "<" and ">" */
        record->target_bytes -= 2;
    }
    records->left = length;
    return record->is_metadata ? save_body(records, record, err) : MR_OK;
}

/* ---- ARC ---- */

bool mr_arc_begins(const char *data, size_t bytes)
{
    return bytes >= 11 && memcmp(data, "filedesc://", 11) == 0;
}

/* The line "URL ADDRESS DATE TYPE ... LENGTH". */
static enum mr_status read_arc_record(struct mr_warc_records *records,
                                      struct mr_warc_record *record, size_t bytes,
                                      struct mr_error *err)
{
    uint64_t length = 0;

    memcpy(records->header, records->buffer + records->at, bytes);
    use(records, bytes);
    const char *line = records->header, *end = line + bytes;
    while (end > line && (unsigned char)end[-1] <= ' ') {
        end--;
    }
    const char *blank = memchr(line, ' ', (size_t)(end - line));
    const char *number =
        blank != NULL ? (const char *)memrchr(line, ' ', (size_t)(end - line)) + 1 : end;
    if (number == end || number == blank + 1 ||
        mr_decimal_parse(&number, end, &length) != MR_DECIMAL_OK || number != end) {
        return bad(records, record->offset,
                   "the line that begins here does not end with the length of an ARC record", err);
    }
    record->target = line;
    record->target_bytes = (size_t)(blank - line);
    record->is_http = is_http_url(line, record->target_bytes);
    record->is_response = !mr_arc_begins(line, record->target_bytes);
    records->left = length;
    return MR_OK;
}

/* Bytes of the header that begins in the buffer; 0 while the buffer does not hold all of it. */
static size_t header_bytes(const struct mr_warc_records *records)
{
    const char *begin = records->buffer + records->at;
    const size_t here = records->end - records->at;
    const char *end =
        records->is_arc ? memchr(begin, '\n', here) : memmem(begin, here, "\r\n\r\n", 4);
    return end == NULL ? 0 : (size_t)(end - begin) + (records->is_arc ? 1 : 4);
}

enum mr_status mr_warc_records_next(struct mr_warc_records *records, struct mr_warc_record *record,
                                    bool *found, struct mr_error *err)
{
    size_t bytes = 0;

    *found = false;
    enum mr_status status = skip_body(records, err);
    if (status == MR_OK) {
        status = skip_gap(records, err);
    }
    if (status != MR_OK || records->at == records->end) {
        return status;
    }
    *record = (struct mr_warc_record){.offset = records->offset};
    records->record = records->offset;
    while (status == MR_OK && !records->at_end && records->end - records->at < 16) {
        status = fill(records, err);
    }
    if (status == MR_OK && !records->is_known) {
        records->is_known = true;
        records->is_arc = mr_arc_begins(records->buffer + records->at, records->end - records->at);
    }
    while (status == MR_OK && (bytes = header_bytes(records)) == 0) {
        if (records->at_end || (records->at == 0 && records->end == BUFFER_BYTES)) {
            return bad(records, record->offset,
                       records->is_arc ? "no ARC record begins here" : "no WARC record begins here",
                       err);
        }
        status = fill(records, err);
    }
    if (status != MR_OK) {
        return status;
    }
    if (!records->is_arc && (bytes < 7 || memcmp(records->buffer + records->at, "WARC/", 5) != 0)) {
        return bad(records, record->offset, "no WARC record begins here", err);
    }
    *found = true;
    return records->is_arc ? read_arc_record(records, record, bytes, err)
                           : read_record(records, record, bytes, err);
}
