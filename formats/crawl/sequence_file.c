/* SPDX-License-Identifier: Apache-2.0 */
/* Reads Hadoop's SequenceFiles for nutch_sequence.c:
 *
 *     header  "SEQ" VERSION KEY-CLASS VALUE-CLASS COMPRESSED BLOCKS [CODEC] [METADATA] SYNC(16)
 *     record  LENGTH(4) KEY-LENGTH(4) KEY VALUE; where the values are compressed, each by itself
 *     block   -1(4) SYNC(16) N(vint), then four pieces, each a vint of its compressed bytes and
 * these: lengths of keys, keys, lengths of values, values
 *
 * Between records there are marks, -1(4) SYNC(16). Every length is checked against the bytes that
 * are there before anything is allocated for it. */
#include "formats/crawl/sequence_file.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "formats/table/lines.h"

enum {
    BUFFER_BYTES = 256 << 10,
    SYNC_BYTES = 16,
    MAX_METADATA = 4096,
    MAP_DEPTH = 4, /* maps inside maps */
    MAX_TEXT_BYTES = 64 << 10 /* of a text in the header */
};
#define MAX_PIECE_BYTES ((uint64_t)1 << 30)

struct mr_sequence_file {
    const struct mr_context *context;
    struct mr_input *input;
    struct mr_hadoop_sums sums;
    unsigned char *buffer; /* [BUFFER_BYTES] */
    size_t at, end;
    uint64_t offset; /* of buffer + at in the input */
    uint64_t record; /* offset of what is being read */
    char key_class[MR_SEQUENCE_CLASS_BYTES], value_class[MR_SEQUENCE_CLASS_BYTES];
    bool is_compressed, has_blocks;
    enum mr_hadoop_codec codec;
    unsigned char sync[SYNC_BYTES];
    struct mr_buffer raw; /* bytes as they are in the file */
    struct mr_buffer pieces[4]; /* of a block; of a record: [1] its key, [3] its value */
    uint64_t n_left; /* records of the block still to come */
    struct mr_sequence_bytes key_lengths, keys, value_lengths, values;
};

bool mr_sequence_begins(const char *data, size_t bytes)
{
    return bytes >= 4 && memcmp(data, "SEQ", 3) == 0 && data[3] >= 4 && data[3] <= 6;
}

const char *mr_sequence_key_class(const struct mr_sequence_file *file)
{
    return file->key_class;
}

const char *mr_sequence_value_class(const struct mr_sequence_file *file)
{
    return file->value_class;
}

/* ---- The bytes of a record ---- */

uint8_t mr_sequence_byte(struct mr_sequence_bytes *bytes)
{
    if (bytes->at == bytes->end) {
        bytes->is_bad = true;
        return 0;
    }
    return *bytes->at++;
}

bool mr_sequence_version(struct mr_sequence_bytes *bytes, uint8_t oldest, uint8_t newest)
{
    const uint8_t version = mr_sequence_byte(bytes);
    const bool is_read = version >= oldest && version <= newest;

    bytes->is_bad = bytes->is_bad || version == 0;
    bytes->other_version = is_read ? 0 : version;
    return is_read;
}

int32_t mr_sequence_int(struct mr_sequence_bytes *bytes)
{
    uint32_t value = 0;
    for (int i = 0; i < 4; i++) {
        value = value << 8 | mr_sequence_byte(bytes);
    }
    return bytes->is_bad ? 0 : (int32_t)value;
}

/* Bytes behind the first of a vlong. */
static unsigned vlong_more(uint8_t first)
{
    const int c = first < 0x80 ? first : first - 0x100;
    return c >= -112 ? 0 : (unsigned)(c >= -120 ? -112 - c : -120 - c);
}

static int64_t read_vlong(struct mr_sequence_bytes *bytes)
{
    const uint8_t first = mr_sequence_byte(bytes);
    const unsigned more = vlong_more(first);
    uint64_t value = 0;

    if (more == 0) {
        return (int8_t)first;
    }
    for (unsigned i = 0; i < more; i++) {
        value = value << 8 | mr_sequence_byte(bytes);
    }
    if (bytes->is_bad) {
        return 0;
    }
    return (int64_t)((int8_t)first < -120 ? ~value : value);
}

void mr_sequence_skip(struct mr_sequence_bytes *bytes, int64_t n)
{
    if (n < 0 || n > bytes->end - bytes->at) {
        bytes->is_bad = true;
        bytes->at = bytes->end;
    } else {
        bytes->at += n;
    }
}

const char *mr_sequence_text(struct mr_sequence_bytes *bytes, size_t *text_bytes)
{
    const int64_t n = read_vlong(bytes);
    const char *text = (const char *)bytes->at;

    mr_sequence_skip(bytes, n);
    *text_bytes = bytes->is_bad ? 0 : (size_t)n;
    return text;
}

/* ---- Maps ---- */

/* The classes of a map that are not Hadoop's own, by number; NULL where there is none. */
struct map_classes {
    struct mr_span of[INT8_MAX + 1];
};

static void skip_map(struct mr_sequence_bytes *bytes, unsigned depth,
                     struct mr_sequence_facts *facts);

/* Nutch's ProtocolStatus: version, code, time, and texts with their lengths, which version 1
 * compresses. */
static void skip_status(struct mr_sequence_bytes *bytes, struct mr_span *redirect)
{
    const uint8_t version = mr_sequence_byte(bytes);

    mr_sequence_skip(bytes, 1 + 8);
    const int32_t n = mr_sequence_int(bytes);
    bytes->is_bad |= version < 1 || version > 2 || n < -1; /* -1: no texts */
    for (int32_t i = 0; i < n && !bytes->is_bad; i++) {
        const int32_t length = mr_sequence_int(bytes);
        const char *text = (const char *)bytes->at;
        mr_sequence_skip(bytes, length == -1 ? 0 : length); /* -1: no text */
        if (version == 2 && i == 0 && length > 0 && !bytes->is_bad) {
            *redirect = (struct mr_span){text, (size_t)length};
        }
    }
}

/* Skips a value of a class with a name of its own. */
static void skip_named(struct mr_sequence_bytes *bytes, struct mr_span class,
                       struct mr_sequence_facts *facts)
{
    static const struct {
        const char *name;
        int64_t bytes; /* -1: a ProtocolStatus */
    } known[] = {{"org.apache.nutch.protocol.ProtocolStatus", -1},
                 {"org.apache.hadoop.io.ByteWritable", 1},
                 {"org.apache.hadoop.io.DoubleWritable", 8},
                 {"org.apache.hadoop.io.ShortWritable", 2}};

    for (size_t i = 0; i < sizeof known / sizeof known[0] && class.text != NULL; i++) {
        if (class.bytes == strlen(known[i].name) &&
            memcmp(class.text, known[i].name, class.bytes) == 0) {
            if (known[i].bytes < 0) {
                skip_status(bytes, &facts->redirect);
            } else {
                mr_sequence_skip(bytes, known[i].bytes);
            }
            return;
        }
    }
    bytes->other_class = bytes->is_bad ? bytes->other_class : class;
    bytes->is_bad = true;
}

static void skip_value(struct mr_sequence_bytes *bytes, const struct map_classes *classes,
                       unsigned depth, struct mr_sequence_facts *facts)
{
    enum {
        BOOLEAN = -126,
        BYTES,
        FLOAT,
        INT,
        LONG,
        MAP,
        MD5,
        NONE,
        SORTED_MAP = -117,
        TEXT,
        VINT = -114,
        VLONG
    };
    static const int64_t sizes[] = {1, 0, 4, 4, 8, 0, 16, 0}; /* from BOOLEAN to NONE */
    const int8_t class = (int8_t)mr_sequence_byte(bytes);
    size_t ignored;

    if (class == MAP || class == SORTED_MAP) {
        skip_map(bytes, depth + 1, facts);
    } else if (class == TEXT) {
        (void)mr_sequence_text(bytes, &ignored);
    } else if (class == VINT || class == VLONG) {
        (void)read_vlong(bytes);
    } else if (class >= BOOLEAN && class <= NONE) {
        mr_sequence_skip(bytes, class == BYTES ? mr_sequence_int(bytes) : sizes[class - BOOLEAN]);
    } else {
        skip_named(bytes, class > 0 ? classes->of[class] : (struct mr_span){0}, facts);
    }
}

/* The names of its own classes by number, then pairs of values. */
static void skip_map(struct mr_sequence_bytes *bytes, unsigned depth,
                     struct mr_sequence_facts *facts)
{
    static const char generated[] = "\x8c\x05_ngt_"; /* a Text */
    struct map_classes classes = {0};
    const int8_t n_classes = (int8_t)mr_sequence_byte(bytes);

    bytes->is_bad |= depth > MAP_DEPTH || n_classes < 0;
    for (int8_t i = 0; i < n_classes && !bytes->is_bad; i++) {
        const int8_t class = (int8_t)mr_sequence_byte(bytes);
        const int64_t high = mr_sequence_byte(bytes), length = high << 8 | mr_sequence_byte(bytes);
        const char *name = (const char *)bytes->at;
        mr_sequence_skip(bytes, length); /* Java's writeUTF */
        bytes->is_bad |= class <= 0;
        if (!bytes->is_bad) {
            classes.of[class] = (struct mr_span){name, (size_t)length};
        }
    }
    const int32_t n = mr_sequence_int(bytes);
    bytes->is_bad |= n < 0;
    for (int32_t i = 0; i < n && !bytes->is_bad; i++) {
        const unsigned char *key = bytes->at;
        skip_value(bytes, &classes, depth, facts);
        facts->is_generated |=
            bytes->at - key == sizeof generated - 1 && memcmp(key, generated, 7) == 0;
        skip_value(bytes, &classes, depth, facts);
    }
}

void mr_sequence_metadata(struct mr_sequence_bytes *bytes, struct mr_sequence_facts *facts)
{
    const uint8_t follows = mr_sequence_byte(bytes);

    bytes->is_bad |= follows > 1;
    if (follows == 1 && !bytes->is_bad) {
        skip_map(bytes, 0, facts);
    }
}

/* ---- The file ---- */

static enum mr_status bad(const struct mr_sequence_file *file, const char *what,
                          struct mr_error *err)
{
    return mr_error_offset(err, MR_ERROR_INPUT, mr_input_name(file->input), file->record,
                           "the Hadoop SequenceFile is damaged here: %s; copy it again", what);
}

enum mr_status mr_sequence_refuse(const struct mr_sequence_file *file,
                                  const struct mr_sequence_record *record, const char *what,
                                  struct mr_error *err)
{
    const char *name = mr_input_name(file->input);
    const struct mr_span class = record->value.other_class;
    char quote[MR_LINES_QUOTE_BYTES];

    if (class.text != NULL) {
        return mr_error_offset(err, MR_ERROR_INPUT, name, record->offset,
                               "the record or block that begins here has metadata of the class %s, "
                               "which Millrace does not know; build reads the text that 'nutch "
                               "readseg -dump SEGMENT DIR' writes, --fetched that of 'nutch readdb "
                               "CRAWLDB -dump DIR'",
                               mr_lines_quote(class.text, class.bytes, quote));
    }
    return record->value.other_version != 0
               ? mr_error_offset(err, MR_ERROR_INPUT, name, record->offset,
                                 "the record or block that begins here has values of version %u; "
                                 "%s",
                                 record->value.other_version, what)
               : mr_error_offset(err, MR_ERROR_INPUT, name, record->offset,
                                 "the record or block that begins here is damaged: %s; copy the "
                                 "file again",
                                 what);
}

static const char cut_off[] = "it is cut off";

/* Copy the next `bytes` bytes to `out`. `*is_end`, if not NULL: the file ends before the first. */
static enum mr_status take(struct mr_sequence_file *file, void *out, uint64_t bytes, bool *is_end,
                           struct mr_error *err)
{
    char *to = out;

    while (bytes > 0) {
        if (file->at == file->end) {
            size_t got = 0;
            enum mr_status status = mr_context_poll(file->context, err);
            if (status == MR_OK) {
                status = mr_input_read(file->input, file->buffer, BUFFER_BYTES, &got, err);
            }
            if (status == MR_OK) {
                status = mr_hadoop_sums_check(&file->sums, file->buffer, got, err);
            }
            if (status != MR_OK) {
                return status;
            }
            file->at = 0;
            file->end = got;
            if (got == 0) {
                if (is_end != NULL && to == out) {
                    *is_end = true;
                    return MR_OK;
                }
                return bad(file, cut_off, err);
            }
        }
        const size_t here = file->end - file->at;
        const size_t part = bytes < here ? (size_t)bytes : here;
        memcpy(to, file->buffer + file->at, part);
        file->at += part;
        file->offset += part;
        to += part;
        bytes -= part;
    }
    return MR_OK;
}

static enum mr_status take_int(struct mr_sequence_file *file, int32_t *value, bool *is_end,
                               struct mr_error *err)
{
    unsigned char raw[4] = {0};
    struct mr_sequence_bytes bytes = {.at = raw, .end = raw + 4};
    const enum mr_status status = take(file, raw, 4, is_end, err);
    *value = mr_sequence_int(&bytes);
    return status;
}

static enum mr_status take_vlong(struct mr_sequence_file *file, int64_t *value,
                                 struct mr_error *err)
{
    unsigned char raw[9] = {0};
    enum mr_status status = take(file, raw, 1, NULL, err);

    *value = 0;
    if (status == MR_OK) {
        status = take(file, raw + 1, vlong_more(raw[0]), NULL, err);
    }
    if (status == MR_OK) {
        struct mr_sequence_bytes bytes = {.at = raw, .end = raw + 1 + vlong_more(raw[0])};
        *value = read_vlong(&bytes);
    }
    return status;
}

/* A text of the header; `out` may be NULL. */
static enum mr_status take_text(struct mr_sequence_file *file, char *out, size_t room,
                                struct mr_error *err)
{
    char piece[256];
    int64_t bytes;
    enum mr_status status = take_vlong(file, &bytes, err);

    if (status == MR_OK &&
        (bytes < 0 || bytes > MAX_TEXT_BYTES || (out != NULL && (size_t)bytes >= room))) {
        return bad(file, "the length of a text in its header", err);
    }
    if (out != NULL && status == MR_OK) {
        out[bytes] = '\0';
        return take(file, out, (uint64_t)bytes, NULL, err);
    }
    while (status == MR_OK && bytes > 0) {
        const int64_t part = bytes < (int64_t)sizeof piece ? bytes : (int64_t)sizeof piece;
        status = take(file, piece, (uint64_t)part, NULL, err);
        bytes -= part;
    }
    return status;
}

/* Replace `block` by the next `bytes` bytes of the file. The room grows with what is read. */
static enum mr_status take_block(struct mr_sequence_file *file, struct mr_buffer *block,
                                 uint64_t bytes, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    block->bytes = 0;
    while (bytes > 0 && status == MR_OK) {
        const uint64_t part = bytes < BUFFER_BYTES ? bytes : BUFFER_BYTES;
        status = mr_buffer_reserve(file->context, block, part, err);
        if (status == MR_OK) {
            status = take(file, (char *)block->data + block->bytes, part, NULL, err);
        }
        if (status == MR_OK) {
            block->bytes += part;
            bytes -= part;
        }
    }
    return status;
}

static enum mr_status choose_codec(struct mr_sequence_file *file, const char *class,
                                   struct mr_error *err)
{
    static const struct {
        const char *name;
        enum mr_hadoop_codec codec;
    } codecs[] = {{"DefaultCodec", MR_HADOOP_ZLIB},   {"DeflateCodec", MR_HADOOP_ZLIB},
                  {"GzipCodec", MR_HADOOP_ZLIB},      {"BZip2Codec", MR_HADOOP_BZIP2},
                  {"ZStandardCodec", MR_HADOOP_ZSTD}, {"SnappyCodec", MR_HADOOP_SNAPPY}};
    const char *dot = strrchr(class, '.');
    const char *name = dot != NULL ? dot + 1 : class;
    char quote[MR_LINES_QUOTE_BYTES];

    for (size_t i = 0; i < sizeof codecs / sizeof codecs[0]; i++) {
        if (strcmp(name, codecs[i].name) == 0) {
            file->codec = codecs[i].codec;
            return MR_OK;
        }
    }
    return mr_error_file(
        err, MR_ERROR_INPUT, mr_input_name(file->input), 0,
        "is compressed with the codec %s; DefaultCodec, GzipCodec, BZip2Codec, "
        "ZStandardCodec and SnappyCodec are read; write it again with one of them, or as text "
        "(nutch readseg -dump, readlinkdb -dump)",
        mr_lines_quote(class, strlen(class), quote));
}

static enum mr_status read_header(struct mr_sequence_file *file, struct mr_error *err)
{
    unsigned char magic[4], flags[2];
    char codec[MR_SEQUENCE_CLASS_BYTES];
    int32_t n_pairs = 0;

    enum mr_status status = take(file, magic, 4, NULL, err);
    if (status == MR_OK && !mr_sequence_begins((const char *)magic, 4)) {
        return bad(file, "it does not begin with SEQ and a version from 4 to 6", err);
    }
    if (status == MR_OK) {
        status = take_text(file, file->key_class, sizeof file->key_class, err);
    }
    if (status == MR_OK) {
        status = take_text(file, file->value_class, sizeof file->value_class, err);
    }
    if (status == MR_OK) {
        status = take(file, flags, 2, NULL, err);
    }
    if (status != MR_OK) {
        return status;
    }
    file->is_compressed = flags[0] != 0;
    file->has_blocks = flags[1] != 0;
    file->codec = file->is_compressed ? MR_HADOOP_ZLIB : MR_HADOOP_PLAIN;
    if (flags[0] > 1 || flags[1] > 1 || (file->has_blocks && !file->is_compressed)) {
        return bad(file, "the flags of its header", err);
    }
    if (file->is_compressed && magic[3] >= 5) {
        status = take_text(file, codec, sizeof codec, err);
        if (status == MR_OK) {
            status = choose_codec(file, codec, err);
        }
    }
    if (status == MR_OK && magic[3] >= 6) {
        status = take_int(file, &n_pairs, NULL, err);
        if (status == MR_OK && (n_pairs < 0 || n_pairs > MAX_METADATA)) {
            return bad(file, "the number of its metadata", err);
        }
    }
    for (int64_t i = 0; i < 2 * (int64_t)n_pairs && status == MR_OK; i++) {
        status = take_text(file, NULL, 0, err);
    }
    return status == MR_OK ? take(file, file->sync, SYNC_BYTES, NULL, err) : status;
}

enum mr_status mr_sequence_open(const struct mr_context *context, struct mr_input *input,
                                struct mr_sequence_file **out, struct mr_error *err)
{
    struct mr_sequence_file *file = calloc(1, sizeof *file);

    *out = file;
    if (file == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a reader");
    }
    file->context = context;
    file->input = input;
    enum mr_status status =
        mr_memory_alloc(context->memory, "sequence file", BUFFER_BYTES, &file->buffer, err);
    if (status == MR_OK) {
        status = mr_hadoop_sums_open(context, input, &file->sums, err);
    }
    if (status == MR_OK) {
        status = read_header(file, err);
    }
    return status;
}

void mr_sequence_close(struct mr_sequence_file *file)
{
    if (file != NULL) {
        mr_hadoop_sums_close(&file->sums);
        mr_memory_free(file->context->memory, file->buffer);
        mr_buffer_free(file->context, &file->raw);
        for (size_t i = 0; i < sizeof file->pieces / sizeof file->pieces[0]; i++) {
            mr_buffer_free(file->context, &file->pieces[i]);
        }
        free(file);
    }
}

/* ---- Records ---- */

static struct mr_sequence_bytes bytes_of(const struct mr_buffer *block)
{
    const unsigned char *at = block->data != NULL ? block->data : (const void *)"";
    return (struct mr_sequence_bytes){.at = at, .end = at + block->bytes};
}

static enum mr_status take_sync(struct mr_sequence_file *file, struct mr_error *err)
{
    unsigned char sync[SYNC_BYTES];
    const enum mr_status status = take(file, sync, SYNC_BYTES, NULL, err);
    return status == MR_OK && memcmp(sync, file->sync, SYNC_BYTES) != 0
               ? bad(file, "its mark between records", err)
               : status;
}

static enum mr_status decode(struct mr_sequence_file *file, struct mr_buffer *out,
                             struct mr_error *err)
{
    const char *reason;
    const enum mr_status status =
        mr_hadoop_decode(file->context, file->codec, &file->raw, out, &reason, err);
    return status == MR_OK && reason != NULL ? bad(file, reason, err) : status;
}

static enum mr_status next_plain(struct mr_sequence_file *file, struct mr_sequence_record *record,
                                 bool *found, struct mr_error *err)
{
    int32_t length = -1, key_length;
    bool is_end = false;
    enum mr_status status = MR_OK;

    while (status == MR_OK && length == -1) {
        file->record = file->offset;
        status = take_int(file, &length, &is_end, err);
        if (status != MR_OK || is_end) {
            return status;
        }
        if (length == -1) {
            status = take_sync(file, err);
        }
    }
    if (status == MR_OK) {
        status = take_int(file, &key_length, NULL, err);
    }
    if (status != MR_OK) {
        return status;
    }
    if (length < 0 || key_length < 0 || key_length > length) {
        return bad(file, "the lengths of a record", err);
    }
    status = take_block(file, &file->pieces[1], (uint64_t)key_length, err);
    if (status == MR_OK) {
        status = take_block(file, &file->raw, (uint64_t)(length - key_length), err);
    }
    if (status == MR_OK) {
        status = decode(file, &file->pieces[3], err);
    }
    *found = status == MR_OK;
    record->key = bytes_of(&file->pieces[1]);
    record->value = bytes_of(&file->pieces[3]);
    return status;
}

static enum mr_status take_blocks(struct mr_sequence_file *file, bool *is_end, struct mr_error *err)
{
    int32_t escape;
    int64_t n = 0;

    file->record = file->offset;
    enum mr_status status = take_int(file, &escape, is_end, err);
    if (status != MR_OK || *is_end) {
        return status;
    }
    if (escape != -1) {
        return bad(file, "no block begins here", err);
    }
    status = take_sync(file, err);
    if (status == MR_OK) {
        status = take_vlong(file, &n, err);
    }
    for (size_t i = 0; i < 4 && status == MR_OK; i++) {
        int64_t bytes;
        status = take_vlong(file, &bytes, err);
        if (status == MR_OK && (bytes < 0 || (uint64_t)bytes > MAX_PIECE_BYTES)) {
            return bad(file, "the length of a block", err);
        }
        if (status == MR_OK) {
            status = take_block(file, &file->raw, (uint64_t)bytes, err);
        }
        if (status == MR_OK) {
            status = decode(file, &file->pieces[i], err);
        }
    }
    if (status == MR_OK && (n < 0 || (uint64_t)n > file->pieces[0].bytes)) {
        return bad(file, "the number of records of a block", err);
    }
    file->n_left = (uint64_t)n;
    file->key_lengths = bytes_of(&file->pieces[0]);
    file->keys = bytes_of(&file->pieces[1]);
    file->value_lengths = bytes_of(&file->pieces[2]);
    file->values = bytes_of(&file->pieces[3]);
    return status;
}

/* Cut the next record off `all`. */
static struct mr_sequence_bytes cut(struct mr_sequence_bytes *lengths,
                                    struct mr_sequence_bytes *all)
{
    const unsigned char *at = all->at;
    mr_sequence_skip(all, read_vlong(lengths));
    all->is_bad |= lengths->is_bad;
    return (struct mr_sequence_bytes){.at = at, .end = all->at};
}

enum mr_status mr_sequence_next(struct mr_sequence_file *file, struct mr_sequence_record *record,
                                bool *found, struct mr_error *err)
{
    bool is_end = false;
    enum mr_status status = MR_OK;

    *found = false;
    *record = (struct mr_sequence_record){0};
    if (!file->has_blocks) {
        status = next_plain(file, record, found, err);
        record->offset = file->record;
        return status;
    }
    while (status == MR_OK && file->n_left == 0 && !is_end) {
        status = take_blocks(file, &is_end, err);
    }
    if (status != MR_OK || is_end) {
        return status;
    }
    file->n_left--;
    record->offset = file->record;
    record->key = cut(&file->key_lengths, &file->keys);
    record->value = cut(&file->value_lengths, &file->values);
    const bool is_rest = file->keys.at < file->keys.end || file->values.at < file->values.end ||
                         file->key_lengths.at < file->key_lengths.end ||
                         file->value_lengths.at < file->value_lengths.end;
    if (file->keys.is_bad || file->values.is_bad || (file->n_left == 0 && is_rest)) {
        return bad(file, "the lengths of a block's records", err);
    }
    *found = true;
    return MR_OK;
}
