/* Splits a WARC file into records for warc_links.c. It reads the input through one buffer, which
 * holds at least a whole header. It copies the body of a metadata record into memory and skips
 * other bodies, because a WARC file consists mostly of pages, and the links are in the metadata. */
#include "formats/crawl/warc_records.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/base/memory.h"
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

/* Bytes of the header with its empty line; 0 while the buffer does not hold all of it. */
static size_t header_bytes(const struct mr_warc_records *records)
{
    const char *begin = records->buffer + records->at;
    const char *end = memmem(begin, records->end - records->at, "\r\n\r\n", 4);
    return end != NULL ? (size_t)(end - begin) + 4 : 0;
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

/* The value of a field in the header; NULL when it is missing. */
static const char *field(const char *header, size_t bytes, const char *name, size_t *value_bytes)
{
    const size_t name_bytes = strlen(name);
    const char *end = header + bytes;

    for (const char *line = header; line < end;) {
        const char *stop = memchr(line, '\n', (size_t)(end - line));
        stop = stop != NULL ? stop : end;
        if ((size_t)(stop - line) > name_bytes && strncasecmp(line, name, name_bytes) == 0 &&
            line[name_bytes] == ':') {
            const char *value = line + name_bytes + 1;
            const char *value_end = stop > value && stop[-1] == '\r' ? stop - 1 : stop;
            while (value < value_end && (*value == ' ' || *value == '\t')) {
                value++;
            }
            while (value_end > value && (value_end[-1] == ' ' || value_end[-1] == '\t')) {
                value_end--;
            }
            *value_bytes = (size_t)(value_end - value);
            return value;
        }
        line = stop + 1;
    }
    return NULL;
}

static bool is_value(const char *value, size_t bytes, const char *expected)
{
    return value != NULL && bytes >= strlen(expected) &&
           strncasecmp(value, expected, strlen(expected)) == 0;
}

#define STATUS_LINE_BYTES 16 /* "HTTP/1.1 404 ..." */

/* The status of a line such as "HTTP/1.1 404 Not Found": 404. 0: it is not such a line. */
static long status_of(const char *line, size_t bytes)
{
    const char *at = bytes > 5 && memcmp(line, "HTTP/", 5) == 0 ? memchr(line, ' ', bytes) : NULL;
    const char *end = line + bytes;
    uint64_t value;

    while (at != NULL && at < end && *at == ' ') {
        at++;
    }
    return at != NULL && mr_decimal_parse(&at, end, &value) == MR_DECIMAL_OK && value < 1000
               ? (long)value
               : 0;
}

/* Read the `length` bytes of a body. With `save` they go to memory; otherwise they are skipped,
 * except the status line of a response. */
static enum mr_status read_body(struct mr_warc_records *records, uint64_t length, bool save,
                                struct mr_warc_record *record, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    char line[STATUS_LINE_BYTES];
    size_t used = 0;

    if (save && length > MR_WARC_BODY_MAX_BYTES) {
        return bad(records, record->offset, "a metadata record of more than 32 MiB", err);
    }
    if (save && length + 1 > records->body_room) {
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
    for (uint64_t left = length; left > 0;) {
        if (records->at == records->end) {
            status = fill(records, err);
            if (status == MR_OK && records->at_end) {
                status =
                    bad(records, record->offset, "the record that begins here is cut off", err);
            }
            if (status != MR_OK) {
                return status;
            }
        }
        const size_t here = records->end - records->at;
        const size_t part = left < here ? (size_t)left : here;
        if (save) {
            memcpy(records->body + used, records->buffer + records->at, part);
            used += part;
        } else if (used < sizeof line) {
            const size_t room = sizeof line - used;
            memcpy(line + used, records->buffer + records->at, part < room ? part : room);
            used += part < room ? part : room;
        }
        use(records, part);
        left -= part;
    }
    record->body = save ? records->body : NULL;
    record->body_bytes = save ? used : 0;
    record->http_status = save || !record->is_response ? 0 : status_of(line, used);
    return MR_OK;
}

static enum mr_status read_record(struct mr_warc_records *records, struct mr_warc_record *record,
                                  size_t bytes, struct mr_error *err)
{
    size_t value_bytes = 0, type_bytes = 0;
    uint64_t length = 0;

    memcpy(records->header, records->buffer + records->at, bytes);
    use(records, bytes);
    const char *header = records->header;
    const char *value = field(header, bytes, "Content-Length", &value_bytes);
    const char *at = value;
    if (value == NULL || mr_decimal_parse(&at, value + value_bytes, &length) != MR_DECIMAL_OK ||
        at != value + value_bytes) {
        return bad(records, record->offset,
                   "the record that begins here has no Content-Length that is a number", err);
    }
    value = field(header, bytes, "WARC-Type", &value_bytes);
    record->is_metadata = is_value(value, value_bytes, "metadata");
    record->is_response = is_value(value, value_bytes, "response");
    value = field(header, bytes, "Content-Type", &type_bytes);
    record->is_json = is_value(value, type_bytes, "application/json");
    record->target = field(header, bytes, "WARC-Target-URI", &record->target_bytes);
    if (record->target != NULL && record->target_bytes > 2 && record->target[0] == '<') {
        record->target++; /* some early writers put the URI between "<" and ">" */
        record->target_bytes -= 2;
    }
    return read_body(records, length, record->is_metadata, record, err);
}

enum mr_status mr_warc_records_next(struct mr_warc_records *records, struct mr_warc_record *record,
                                    bool *found, struct mr_error *err)
{
    size_t bytes = 0;

    *found = false;
    enum mr_status status = skip_gap(records, err);
    if (status != MR_OK || records->at == records->end) {
        return status;
    }
    *record = (struct mr_warc_record){.offset = records->offset};
    while (status == MR_OK && (bytes = header_bytes(records)) == 0) {
        if (records->at_end || (records->at == 0 && records->end == BUFFER_BYTES)) {
            return bad(records, record->offset, "no WARC record begins here", err);
        }
        status = fill(records, err);
    }
    if (status != MR_OK) {
        return status;
    }
    if (bytes < 7 || memcmp(records->buffer + records->at, "WARC/", 5) != 0) {
        return bad(records, record->offset, "no WARC record begins here", err);
    }
    *found = true;
    return read_record(records, record, bytes, err);
}
