/* SPDX-License-Identifier: Apache-2.0 */
/* Splits WARC and ARC files into records for warc_links.c. It reads the input through one buffer,
 * which holds at least a whole header. The body of a response stays where it is: it may be long,
 * and its readers take it in pieces.
 *
 * A length that is wrong leads into the middle of another record, and a record that is cut off
 * lacks its end. Either shows behind the record, where no empty line and no other record follows.
 * The search for the next record then begins inside the bad one, as far as the buffer still has it.
 * Where bad records are skipped, one that is longer than it says (some tools count characters and
 * not bytes) is read to the next one, and counted.
 *
 * ARC is what the Internet Archive wrote before WARC. A header is one line: URL, address, date,
 * type, any other fields, and the length of the body. The first record describes the file. Source:
 * "ARC File Format" of the Internet Archive, versions 1 and 2. */
#include "formats/crawl/warc_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/base/decimal.h"
#include "engine/base/memory.h"
#include "formats/graph/edge_batch.h"
#include "formats/table/time_text.h"

#define BUFFER_BYTES ((size_t)MR_WARC_HEADER_MAX_BYTES)

/* How many bad records of a file are noted, and how long a line of ARC is in a search. */
enum { NOTED_RECORDS = 3, ARC_LINE_BYTES = 8 << 10 };

struct mr_warc_records {
    const struct mr_context *context;
    const struct mr_graph_request *request;
    struct mr_input *input;
    char *buffer; /* [BUFFER_BYTES] */
    size_t at, end; /* [at, end) are the bytes not used yet */
    size_t begin; /* used bytes from here on are kept: a search for a record begins there */
    uint64_t offset; /* offset of buffer + at in the input */
    bool at_end; /* the input has no more bytes */
    char *header; /* [MR_WARC_HEADER_MAX_BYTES]: the record's header, while its body is read */
    char *body; /* [body_room]; grows with the longest body */
    size_t body_room;
    bool is_arc, is_known; /* which of the formats it is, once that is known */
    uint64_t left; /* bytes of the record's body that are not used yet */
    uint64_t record; /* offset of the record */
    uint64_t body_end; /* offset behind its body; UINT64_MAX: in its header */
    uint64_t n_noted; /* bad records that have been noted, and those after them */
    bool is_lost; /* the record is bad, and the next one is to be searched for */
    bool has_inner; /* a record may begin inside the body */
    bool is_long; /* the record is longer than it says; its body goes on to the next one */
    uint64_t good; /* offset of the damage since the last record; UINT64_MAX: none */
};

enum mr_status mr_warc_records_open(const struct mr_graph_request *request,
                                    struct mr_warc_records **out, struct mr_error *err)
{
    const struct mr_context *context = request->context;
    struct mr_warc_records *records = calloc(1, sizeof *records);

    *out = records;
    if (records == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a reader");
    }
    records->context = context;
    records->request = request;
    records->input = request->input;
    records->good = UINT64_MAX;
    const enum mr_status status =
        mr_memory_array(context->memory, "WARC header",
                        BUFFER_BYTES + (uint64_t)MR_WARC_HEADER_MAX_BYTES, &records->buffer, err);
    records->header = status == MR_OK ? records->buffer + BUFFER_BYTES : NULL;
    return status;
}

void mr_warc_records_close(struct mr_warc_records *records)
{
    if (records != NULL) {
        mr_memory_free(records->context->memory, records->buffer);
        mr_memory_free(records->context->memory, records->body);
        free(records);
    }
}

static void use(struct mr_warc_records *records, size_t bytes)
{
    records->at += bytes;
    records->offset += bytes;
}

/* ---- Damage ---- */

enum mr_status mr_warc_records_bad(struct mr_warc_records *records, uint64_t offset,
                                   const char *reason, struct mr_error *err)
{
    const struct mr_edge_text_options *text = records->request->text;
    const char *name = mr_input_name(records->input);
    const uint64_t n = ++records->request->summary->bad_lines;

    if (text->bad_lines == MR_BAD_LINES_FAIL) {
        return mr_error_offset(err, MR_ERROR_INPUT, name, offset,
                               "%s (in the decompressed file); skip such records with --bad-lines "
                               "skip",
                               reason);
    }
    if (text->max_bad != 0 && n > text->max_bad) {
        return mr_error_offset(err, MR_ERROR_INPUT, name, offset,
                               "%s (in the decompressed file), and so the input has more than %llu "
                               "bad records; raise --max-bad or mend the input",
                               reason, (unsigned long long)text->max_bad);
    }
    if (records->n_noted++ < NOTED_RECORDS) {
        mr_context_note(records->context, "%s: offset %llu: %s; %s", name,
                        (unsigned long long)offset, reason,
                        records->is_long ? "read to the next one" : "skipped");
    }
    return MR_OK;
}

/* The bytes from `good` on are no record. Go back to the byte behind the beginning of the record,
 * or to the first one that the buffer still has, so that the search finds what the record hides. */
static enum mr_status lose(struct mr_warc_records *records, uint64_t good, const char *reason,
                           struct mr_error *err)
{
    records->is_lost = true;
    records->left = 0;
    records->good = mr_min_u64(records->good, good);
    records->offset -= records->at - records->begin;
    records->at = records->begin;
    const char *at = records->buffer + records->at;
    const size_t here = records->end - records->at;
    const char *line = records->is_arc ? memchr(at, '\n', here) : at;
    use(records, line != NULL && here > 0 ? (size_t)(line - at) + 1 : here);
    return mr_warc_records_bad(records, good, reason, err);
}

/* Damaged gzip data: go on at the next member. Records of earlier members have been handed out, and
 * their bytes are right. Where one member holds many records, earlier ones may be wrong as well,
 * and nothing shows which. */
static enum mr_status recover(struct mr_warc_records *records, const struct mr_error *problem,
                              struct mr_error *err)
{
    uint64_t certain;
    char reason[256];

    if (!mr_input_can_recover(records->input, &certain) || certain < records->record) {
        if (err != NULL && err->status == MR_OK) {
            *err = *problem;
        }
        return MR_ERROR_INPUT;
    }
    (void)snprintf(reason, sizeof reason, "the record that begins here is damaged: %.*s",
                   (int)strcspn(problem->message, ";"), problem->message);
    enum mr_status status = MR_OK;
    if (!records->is_lost) {
        const bool is_whole = records->left == 0 && certain >= records->body_end;
        status = lose(records, is_whole ? certain : records->record, reason, err);
    }
    use(records, records->end - records->at); /* the next member begins with a record */
    records->begin = records->at;
    return status == MR_OK ? mr_input_recover(records->input, err) : status;
}

/* Append more bytes to those in the buffer. The bytes in the buffer may move to its front. */
static enum mr_status fill(struct mr_warc_records *records, struct mr_error *err)
{
    struct mr_error problem = {.status = MR_OK};
    size_t got = 0;
    /* once per fill, because bodies may be long */
    enum mr_status status = mr_context_poll(records->context, err);

    if (status != MR_OK) {
        return status;
    }
    if (records->end == BUFFER_BYTES) {
        const size_t from =
            records->at - records->begin < BUFFER_BYTES / 2 ? records->begin : records->at;
        memmove(records->buffer, records->buffer + from, records->end - from);
        records->end -= from;
        records->at -= from;
        records->begin = 0;
    }
    status = mr_input_read(records->input, records->buffer + records->end,
                           BUFFER_BYTES - records->end, &got, &problem);
    while (status == MR_ERROR_INPUT && problem.status == MR_ERROR_INPUT) {
        status = recover(records, &problem, err);
        mr_error_clear(&problem);
        if (status == MR_OK) {
            status = mr_input_read(records->input, records->buffer + records->end,
                                   BUFFER_BYTES - records->end, &got, &problem);
        }
    }
    records->end += got;
    records->at_end = status == MR_OK && got == 0;
    if (problem.status != MR_OK && err != NULL && err->status == MR_OK) {
        *err = problem;
    }
    return status;
}

/* Skip the empty lines between records. Returns how many bytes they are. */
static enum mr_status skip_gap(struct mr_warc_records *records, size_t *gap, struct mr_error *err)
{
    *gap = 0;
    for (;;) {
        while (records->at < records->end &&
               (records->buffer[records->at] == '\r' || records->buffer[records->at] == '\n')) {
            use(records, 1);
            ++*gap;
        }
        if (records->at < records->end || records->at_end) {
            return MR_OK;
        }
        const enum mr_status status = fill(records, err);
        if (status != MR_OK || records->is_lost) {
            return status;
        }
    }
}

static bool is_value(struct mr_span value, const char *expected)
{
    return value.bytes >= strlen(expected) &&
           strncasecmp(value.text, expected, strlen(expected)) == 0;
}

/* ---- Bodies ---- */

static size_t bytes_before(const struct mr_warc_records *records, bool *is_found);

/* Does a WARC record begin here? "WARC/1.0", or another version, and the end of the line. */
static bool begins_warc(const char *at, size_t bytes)
{
    size_t i = 5;

    if (bytes < 6 || memcmp(at, "WARC/", 5) != 0) {
        return false;
    }
    while (i < bytes && ((at[i] >= '0' && at[i] <= '9') || at[i] == '.')) {
        i++;
    }
    return i > 5 && i < bytes && (at[i] == '\r' || at[i] == '\n');
}

/* Have 64 bytes, or all that are left. */
static enum mr_status look_ahead(struct mr_warc_records *records, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    while (status == MR_OK && !records->at_end && !records->is_lost &&
           records->end - records->at < 64) {
        status = fill(records, err);
    }
    return status;
}

/* Behind the bytes that the header announces: is the body longer? Neither two line ends nor a
 * record nor the end of the file are here. */
static enum mr_status look_behind(struct mr_warc_records *records, struct mr_error *err)
{
    const enum mr_status status = look_ahead(records, err);
    const char *at = records->buffer + records->at, *const end = records->buffer + records->end;
    unsigned n_ends = 0;

    while (at < end && (*at == '\r' || *at == '\n')) {
        n_ends += *at++ == '\n';
    }
    if (status != MR_OK || records->is_lost || n_ends > 1 || at == end ||
        begins_warc(at, (size_t)(end - at))) {
        return status;
    }
    if (records->has_inner) { /* the record is shorter, and its body has the next one */
        return lose(records, records->record,
                    "the record that begins here is longer or shorter than its Content-Length says",
                    err);
    }
    records->is_long = true;
    records->body_end = UINT64_MAX;
    return mr_warc_records_bad(records, records->record,
                               "the record that begins here is longer than its Content-Length says",
                               err);
}

/* Does a line with the version of a record stand in these bytes? */
static bool has_header(const char *data, size_t bytes)
{
    const char *at = data, *const end = data + bytes;

    while ((at = memmem(at, (size_t)(end - at), "WARC/1.", 7)) != NULL) {
        at += 7;
        if (end - at > 1 && *at >= '0' && *at <= '9' && (at[1] == '\r' || at[1] == '\n')) {
            return true;
        }
    }
    return false;
}

enum mr_status mr_warc_records_body(struct mr_warc_records *records, const char **data,
                                    size_t *bytes, struct mr_error *err)
{
    const bool skips = records->request->text->bad_lines == MR_BAD_LINES_SKIP;
    enum mr_status status = MR_OK;
    bool is_found;

    *bytes = 0;
    if (records->left == 0 && skips && !records->is_arc && !records->is_lost) {
        status = records->is_long ? look_ahead(records, err) : look_behind(records, err);
    } else if (records->left > 0 && records->at == records->end) {
        status = fill(records, err);
        if (status == MR_OK && records->at_end && !records->is_lost) {
            status = lose(records, records->record, "the record that begins here is cut off", err);
        }
    }
    if (status != MR_OK) {
        return status;
    }
    const size_t here = records->end - records->at;
    *data = records->buffer + records->at;
    if (records->is_long && !records->is_lost) {
        *bytes = bytes_before(records, &is_found);
        use(records, *bytes);
        records->body_end = *bytes == 0 ? records->offset : UINT64_MAX;
        return MR_OK;
    }
    *bytes = records->left < here ? (size_t)records->left : here;
    records->has_inner |= skips && !records->is_arc && *bytes > 0 && has_header(*data, *bytes);
    use(records, *bytes);
    records->left -= *bytes;
    return MR_OK;
}

/* Skip the rest of a body. */
static enum mr_status skip_body(struct mr_warc_records *records, struct mr_error *err)
{
    const char *data;
    size_t bytes;
    enum mr_status status = MR_OK;

    while (status == MR_OK && records->left > 0) {
        status = mr_warc_records_body(records, &data, &bytes, err);
    }
    return status;
}

/* Have room for a body in memory. */
static enum mr_status reserve(struct mr_warc_records *records, uint64_t length,
                              struct mr_error *err)
{
    struct mr_error problem = {0};

    if (length < records->body_room) {
        return MR_OK;
    }
    const uint64_t room = mr_min_u64(length + length / 2, MR_WARC_BODY_MAX_BYTES) + 1;
    const enum mr_status status =
        mr_memory_resize(records->context->memory, "WARC record", &records->body, room, &problem);
    if (status != MR_OK) {
        return mr_error_offset(err, status, mr_input_name(records->input), records->record, "%s",
                               problem.message);
    }
    records->body_room = room;
    return MR_OK;
}

enum mr_status mr_warc_records_save(struct mr_warc_records *records, const char **out,
                                    size_t *out_bytes, struct mr_error *err)
{
    static const char too_long[] = "a metadata record of more than 32 MiB";
    const uint64_t length = records->left;
    enum mr_status status = MR_OK;
    const char *data;
    size_t bytes = 1, used = 0;

    *out = NULL;
    *out_bytes = 0;
    if (length > MR_WARC_BODY_MAX_BYTES) {
        return mr_warc_records_bad(records, records->record, too_long, err);
    }
    status = reserve(records, length, err);
    while (status == MR_OK && bytes > 0) {
        status = mr_warc_records_body(records, &data, &bytes, err);
        if (status == MR_OK && used + bytes > MR_WARC_BODY_MAX_BYTES) {
            return mr_warc_records_bad(records, records->record, too_long, err);
        }
        status = status == MR_OK ? reserve(records, used + bytes, err) : status;
        if (status == MR_OK && bytes > 0) {
            memcpy(records->body + used, data, bytes);
            used += bytes;
        }
    }
    /* The bytes behind a body that is whole may be what is lost. */
    *out = records->is_lost && used < length ? NULL : records->body;
    *out_bytes = used;
    return status;
}

/* ---- Headers ---- */

static bool is_http_url(struct mr_span url)
{
    return url.bytes > 7 && strncasecmp(url.text, "http", 4) == 0;
}

static enum mr_warc_kind kind_of(struct mr_span kind, struct mr_span type)
{
    const bool is_response = is_value(kind, "response") || is_value(kind, "revisit");

    if (is_response || is_value(kind, "resource")) {
        return is_value(type, "application/http") || (is_response && type.bytes == 0)
                   ? MR_WARC_RESPONSE
                   : MR_WARC_RESOURCE;
    }
    if (is_value(kind, "metadata")) {
        return is_value(type, "application/json") ? MR_WARC_JSON : MR_WARC_FIELDS;
    }
    return is_value(kind, "conversion") ? MR_WARC_TEXT : MR_WARC_OTHER;
}

enum mr_warc_kind mr_warc_header_kind(const char *header, size_t bytes)
{
    return kind_of(mr_http_field(header, bytes, "WARC-Type"),
                   mr_http_field(header, bytes, "Content-Type"));
}

/* Is there a header inside of this one? Then the record was cut off, and another follows. */
static bool hides_record(const char *header, size_t bytes)
{
    for (size_t i = 1; i < bytes; i++) {
        const char *found = memmem(header + i, bytes - i, "WARC/", 5);
        i = found != NULL ? (size_t)(found - header) : bytes;
        if (i < bytes && begins_warc(header + i, bytes - i)) {
            return true;
        }
    }
    return false;
}

uint32_t mr_warc_time(const char *text, size_t bytes)
{
    double seconds = 0;
    return text != NULL && mr_time_parse(text, bytes, &seconds) ? (uint32_t)seconds : 0;
}

void mr_warc_revisit(struct mr_capture *capture, const char *text, size_t bytes)
{
    const uint32_t confirms = mr_warc_time(text, bytes);

    capture->confirms = confirms != capture->time ? confirms : capture->time == 0;
    if (capture->digest == MR_DIGEST_UNKNOWN) {
        capture->digest = MR_DIGEST_SAME;
    }
}

/* A URL may stand in <>, as the grammar of WARC/1.0 says, and wget does. */
static struct mr_span without_brackets(struct mr_span url)
{
    if (url.bytes > 2 && url.text[0] == '<' && url.text[url.bytes - 1] == '>') {
        url.text++;
        url.bytes -= 2;
    }
    return url;
}

static enum mr_status read_record(struct mr_warc_records *records, struct mr_warc_record *record,
                                  size_t bytes, struct mr_error *err)
{
    uint64_t length = 0;

    memcpy(records->header, records->buffer + records->at, bytes);
    use(records, bytes);
    mr_http_unfold(records->header, bytes);
    const char *header = records->header;
    const struct mr_span content = mr_http_field(header, bytes, "Content-Length");
    const char *at = content.text;
    if (hides_record(header, bytes)) {
        return lose(records, record->offset, "the record that begins here is cut off", err);
    }
    if (at == NULL || mr_decimal_parse(&at, at + content.bytes, &length) != MR_DECIMAL_OK ||
        at != content.text + content.bytes) {
        return lose(records, record->offset,
                    "the record that begins here has no Content-Length that is a number", err);
    }
    record->type = mr_http_field(header, bytes, "Content-Type");
    record->kind = kind_of(mr_http_field(header, bytes, "WARC-Type"), record->type);
    record->target = mr_http_field(header, bytes, "WARC-Target-URI");
    const struct mr_span date = mr_http_field(header, bytes, "WARC-Date");
    const struct mr_span digest = mr_http_field(header, bytes, "WARC-Payload-Digest");
    const uint32_t time = mr_warc_time(date.text, date.bytes);
    record->capture = (struct mr_capture){.time = time,
                                          .confirms = time,
                                          .digest = mr_digest_of_text(digest.text, digest.bytes),
                                          .has_bad_time = date.bytes > 0 && time == 0};
    record->target = without_brackets(record->target);
    if (is_value(mr_http_field(header, bytes, "WARC-Type"), "revisit")) {
        const struct mr_span date_of = mr_http_field(header, bytes, "WARC-Refers-To-Date");
        const struct mr_span other =
            without_brackets(mr_http_field(header, bytes, "WARC-Refers-To-Target-URI"));
        record->is_copy =
            other.bytes > 0 && (other.bytes != record->target.bytes ||
                                memcmp(other.text, record->target.text, other.bytes) != 0);
        if (!record->is_copy) {
            mr_warc_revisit(&record->capture, date_of.text, date_of.bytes);
        }
    }
    records->left = length;
    return MR_OK;
}

/* ---- ARC ---- */

bool mr_arc_begins(const char *data, size_t bytes)
{
    return bytes >= 11 && memcmp(data, "filedesc://", 11) == 0;
}

/* The next field, which may be empty, from `*at` on, which moves behind the blank that ends it. */
static struct mr_span next_arc_field(const char **at, const char *end)
{
    const char *text = *at < end ? *at : end, *blank = memchr(text, ' ', (size_t)(end - text));
    const char *stop = blank != NULL ? blank : end;

    *at = stop + 1;
    return (struct mr_span){.text = text, .bytes = (size_t)(stop - text)};
}

static bool is_arc_date(struct mr_span field)
{
    size_t n = 0;
    while (n < field.bytes && field.text[n] >= '0' && field.text[n] <= '9') {
        n++;
    }
    return n == 14 && field.bytes == 14;
}

/* The line "URL ADDRESS DATE TYPE ... LENGTH"; false if it is none. The URL may have blanks, and
 * the type may be empty: the last field of 14 digits is the date. `*is_dated`: there is one. */
static bool parse_arc(const char *line, const char *end, struct mr_warc_record *record,
                      bool *is_dated, uint64_t *length)
{
    while (end > line && (unsigned char)end[-1] <= ' ') {
        end--;
    }
    const char *last = memrchr(line, ' ', (size_t)(end - line)), *at = line, *behind;
    if (last == NULL) {
        return false;
    }
    struct mr_span url = next_arc_field(&at, last), address = next_arc_field(&at, last);
    struct mr_span date = next_arc_field(&at, last), next = date;
    behind = at;
    *is_dated = is_arc_date(date);
    while (at <= last) {
        address = next;
        next = next_arc_field(&at, last);
        if (is_arc_date(next)) {
            *is_dated = true;
            url.bytes = (size_t)(address.text - url.text) - 1;
            date = next;
            behind = at;
        }
    }
    record->target = url;
    record->type = next_arc_field(&behind, last);
    const uint32_t time = mr_warc_time(date.text, date.bytes);
    record->capture = (struct mr_capture){
        .time = time, .confirms = time, .has_bad_time = date.bytes > 0 && time == 0};
    record->kind = mr_arc_begins(line, url.bytes) ? MR_WARC_OTHER
                   : is_http_url(url)             ? MR_WARC_RESPONSE
                                                  : MR_WARC_RESOURCE;
    return url.bytes > 0 && date.bytes > 0 && mr_decimal_whole(last + 1, end, length);
}

static enum mr_status read_arc_record(struct mr_warc_records *records,
                                      struct mr_warc_record *record, size_t bytes,
                                      struct mr_error *err)
{
    memcpy(records->header, records->buffer + records->at, bytes);
    use(records, bytes);
    bool is_dated;
    return parse_arc(records->header, records->header + bytes, record, &is_dated, &records->left)
               ? MR_OK
               : lose(records, record->offset,
                      "the line that begins here does not end with the length of an ARC record",
                      err);
}

/* Does an ARC record begin here? The date shows it. */
static bool begins_arc(const char *line, size_t bytes)
{
    const char *end = memchr(line, '\n', bytes);
    struct mr_warc_record record;
    uint64_t length;
    bool is_dated;

    return end != NULL && parse_arc(line, end, &record, &is_dated, &length) && is_dated;
}

/* ---- The next record ---- */

static bool begins_record(const struct mr_warc_records *records, const char *at)
{
    const size_t here = (size_t)(records->buffer + records->end - at);
    return records->is_arc ? begins_arc(at, here) : begins_warc(at, here);
}

/* Returns how many bytes in the buffer are before the next record. Where it is not found, the last
 * bytes may begin it. */
static size_t bytes_before(const struct mr_warc_records *records, bool *is_found)
{
    const char *const begin = records->buffer + records->at, *at = begin;
    const char *const end = records->buffer + records->end;
    const size_t tail = records->at_end ? 0 : records->is_arc ? ARC_LINE_BYTES : 16;

    while (at < end && !begins_record(records, at)) {
        at = memchr(at + 1, records->is_arc ? '\n' : 'W', (size_t)(end - at - 1));
        at = at == NULL ? end : at + records->is_arc;
    }
    *is_found = at < end;
    return (size_t)(at - begin) - (*is_found ? 0 : mr_min_u64(tail, (size_t)(end - begin)));
}

/* Search for the next record, which may be the end of the input. */
static enum mr_status find_record(struct mr_warc_records *records, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    bool is_found = false;

    while (status == MR_OK && !is_found) {
        use(records, bytes_before(records, &is_found));
        records->begin = records->at;
        if (records->at_end) {
            break;
        }
        status = is_found ? MR_OK : fill(records, err);
    }
    records->is_lost = false;
    return status;
}

/* Bytes of the header that begins in the buffer; 0 while the buffer does not hold all of it. */
static size_t header_bytes(const struct mr_warc_records *records)
{
    const char *begin = records->buffer + records->at;
    const size_t here = records->end - records->at;

    if (!records->is_arc) {
        return mr_http_head_end(begin, here, 0);
    }
    const char *end = memchr(begin, '\n', here);
    return end == NULL ? 0 : (size_t)(end - begin) + 1;
}

/* Read the header that begins here. `gap` counts the line ends before it. */
static enum mr_status read_header(struct mr_warc_records *records, struct mr_warc_record *record,
                                  size_t gap, struct mr_error *err)
{
    static const char *const none[] = {"no WARC record begins here", "no ARC record begins here"};
    const uint64_t before = records->record;
    enum mr_status status = MR_OK;
    size_t bytes = 0;

    while (status == MR_OK && !records->at_end && records->end - records->at < 16) {
        status = fill(records, err);
    }
    const char *at = records->buffer + records->at;
    const size_t here = records->end - records->at;
    if (!records->is_known) {
        records->is_known = true;
        records->is_arc = mr_arc_begins(at, here);
    }
    const bool is_none = !records->is_arc && (here < 7 || memcmp(at, "WARC/", 5) != 0);
    if (status == MR_OK && is_none && gap < 2 && records->offset > 0 && !records->is_lost) {
        return lose(records, records->record,
                    "the record that begins here is longer or shorter "
                    "than its Content-Length says",
                    err);
    }
    *record = (struct mr_warc_record){.offset = records->offset};
    records->record = records->offset;
    records->begin = records->at;
    records->body_end = UINT64_MAX;
    records->is_long = records->has_inner = false;
    while (status == MR_OK && !is_none && !records->is_lost &&
           (bytes = header_bytes(records)) == 0) {
        if (records->at_end || (records->at == 0 && records->end == BUFFER_BYTES)) {
            return lose(records, record->offset, none[records->is_arc], err);
        }
        status = fill(records, err);
    }
    if (status != MR_OK || records->is_lost) {
        return status;
    }
    if (is_none) {
        return lose(records, record->offset, none[records->is_arc], err);
    }
    status = records->is_arc ? read_arc_record(records, record, bytes, err)
                             : read_record(records, record, bytes, err);
    if (records->is_lost && records->is_arc && gap == 0) {
        records->good = mr_min_u64(records->good, before); /* its length is wrong */
    }
    records->body_end = records->offset + records->left;
    return status;
}

enum mr_status mr_warc_records_next(struct mr_warc_records *records, struct mr_warc_record *record,
                                    bool *found, uint64_t *good, struct mr_error *err)
{
    enum mr_status status = skip_body(records, err);
    size_t gap = 0;

    *found = false;
    do {
        if (status == MR_OK && !records->is_lost) {
            status = skip_gap(records, &gap, err);
        }
        if (status == MR_OK && records->is_lost) {
            gap = 2;
            status = find_record(records, err);
        }
        if (status == MR_OK && records->at < records->end) {
            status = read_header(records, record, gap, err);
            *found = status == MR_OK && !records->is_lost;
        }
    } while (status == MR_OK && records->is_lost);
    *good = records->good;
    records->good = UINT64_MAX;
    return status;
}
