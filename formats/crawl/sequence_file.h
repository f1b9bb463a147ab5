/* SPDX-License-Identifier: Apache-2.0 */
/* Hadoop's SequenceFile, versions 4 to 6: records of a key and a value, plain, or compressed one by
 * one or in blocks. Internal to formats/.
 *
 * Codecs: DefaultCodec and DeflateCodec (zlib), GzipCodec, BZip2Codec, ZStandardCodec, SnappyCodec.
 * Memory: the longest record or block, decompressed and not. Source: SequenceFile.java of Apache
 * Hadoop. */
#ifndef MR_FORMATS_CRAWL_SEQUENCE_FILE_H
#define MR_FORMATS_CRAWL_SEQUENCE_FILE_H

#include "engine/base/bytes.h"
#include "engine/base/context.h"
#include "formats/crawl/fetch_log.h"
#include "formats/stream/input.h"

#define MR_SEQUENCE_CLASS_BYTES 256

/* Bytes of a record that are read one after the other. */
struct mr_sequence_bytes {
    const unsigned char *at, *end;
    bool is_bad; /* something was read beyond the end, or is no number */
    uint8_t other_version; /* one that is not read; 0: none was seen */
    struct mr_span other_class; /* of a value whose bytes nobody can count here; or NULL */
};

struct mr_sequence_record {
    uint64_t offset; /* in the file, of the record or its block */
    struct mr_sequence_bytes key, value;
};

struct mr_sequence_file;

/* Does it begin like a SequenceFile? */
bool mr_sequence_begins(const char *data, size_t bytes);

/* Read the header of `input`, which is borrowed and outlives the file. Errors: INPUT for a header
 * that is damaged, and for a codec that is not read; BUDGET. Close takes NULL. */
enum mr_status mr_sequence_open(const struct mr_context *context, struct mr_input *input,
                                struct mr_sequence_file **out, struct mr_error *err) MR_WARN_UNUSED;
void mr_sequence_close(struct mr_sequence_file *file);

/* Names of the Java classes of keys and values. */
const char *mr_sequence_key_class(const struct mr_sequence_file *file);
const char *mr_sequence_value_class(const struct mr_sequence_file *file);

/* The next record, valid until the next call; `*found` is false at the end. Errors: INPUT, with the
 * offset. */
enum mr_status mr_sequence_next(struct mr_sequence_file *file, struct mr_sequence_record *record,
                                bool *found, struct mr_error *err) MR_WARN_UNUSED;

/* Read from the bytes of a record, as Java's DataInput and Hadoop's WritableUtils do. After a
 * mistake all of them return 0 or an empty text. A text is a vint of its bytes, then UTF-8. */
uint8_t mr_sequence_byte(struct mr_sequence_bytes *bytes);
int32_t mr_sequence_int(struct mr_sequence_bytes *bytes);
const char *mr_sequence_text(struct mr_sequence_bytes *bytes, size_t *text_bytes);
void mr_sequence_skip(struct mr_sequence_bytes *bytes, int64_t n);

/* What the metadata of a page say. */
struct mr_sequence_facts {
    struct mr_span
        redirect; /* the first text of its ProtocolStatus: a redirect's target; or NULL */
    bool is_generated; /* it is on a list of pages to fetch, since the last fetch */
};

/* Skips a byte that says whether a MapWritable follows, and that map. Adds what it says to `facts`.
 * Sets bytes->other_class, too, if the map has a value of a class whose bytes nobody can count
 * here. */
void mr_sequence_metadata(struct mr_sequence_bytes *bytes, struct mr_sequence_facts *facts);

/* Were all bytes read, and no more? */
static inline bool mr_sequence_is_done(const struct mr_sequence_bytes *bytes)
{
    return !bytes->is_bad && bytes->at == bytes->end;
}

/* Reads a version byte. If it is not in oldest..newest, returns false and sets
 * bytes->other_version; or bytes->is_bad if the byte is 0 or missing. */
bool mr_sequence_version(struct mr_sequence_bytes *bytes, uint8_t oldest, uint8_t newest);

/* Refuses a record. `what` names the damaged part. If the value has another version, `what` says
 * which versions Millrace reads and what to do instead. The message names another class. Errors:
 * INPUT, with the offset. */
enum mr_status mr_sequence_refuse(const struct mr_sequence_file *file,
                                  const struct mr_sequence_record *record, const char *what,
                                  struct mr_error *err) MR_WARN_UNUSED;

/* ---- The checksums of Hadoop (hadoop_sums.c) ----
 *
 * Open looks for the file of checksums beside `file`, which is borrowed; without one, and for a
 * compressed input, every check is good. Check takes the bytes of the file from its beginning on,
 * and 0 bytes at its end. Errors: INPUT, with the offset of the piece that differs; those of
 * mr_input_open. Close takes what was not opened, too. */

struct mr_hadoop_sums {
    const struct mr_input *file;
    struct mr_input *input; /* NULL: there are none */
    uint64_t offset; /* where the piece begins */
    uint32_t piece, filled, sum; /* bytes of a piece, those there are, and their sum */
};
enum mr_status mr_hadoop_sums_open(const struct mr_context *context, const struct mr_input *file,
                                   struct mr_hadoop_sums *sums,
                                   struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_hadoop_sums_check(struct mr_hadoop_sums *sums, const unsigned char *bytes,
                                    size_t n, struct mr_error *err) MR_WARN_UNUSED;
void mr_hadoop_sums_close(struct mr_hadoop_sums *sums);

/* ---- The codecs of Hadoop (hadoop_codec.c): one piece of memory is decompressed into another that
 * grows. The library of Snappy is loaded when a file needs it, since it brings that of C++
 * along, which would double the time in which the program starts. ---- */

enum mr_hadoop_codec {
    MR_HADOOP_PLAIN,
    MR_HADOOP_ZLIB, /* zlib or gzip, by its first bytes */
    MR_HADOOP_BZIP2,
    MR_HADOOP_ZSTD,
    MR_HADOOP_SNAPPY
};

/* Bytes on the budget: data[bytes] of room[room]. Set it to zero before the first use. */
struct mr_buffer {
    void *data;
    uint64_t bytes, room;
};
void mr_buffer_free(const struct mr_context *context, struct mr_buffer *block);

/* Make room for `bytes` more behind those there are; the room doubles. Errors: BUDGET. */
enum mr_status mr_buffer_reserve(const struct mr_context *context, struct mr_buffer *block,
                                 uint64_t bytes, struct mr_error *err) MR_WARN_UNUSED;

/* Replace `out` by what `in` holds: one or several streams of the codec, complete. `*reason` is
 * NULL, or says what is wrong with `in` (the status is then OK). Decompressed bytes above
 * MR_BUFFER_MAX_BYTES are wrong. Errors: BUDGET; INPUT where there is no library of Snappy. */
#define MR_BUFFER_MAX_BYTES ((uint64_t)1 << 30)
enum mr_status mr_hadoop_decode(const struct mr_context *context, enum mr_hadoop_codec codec,
                                const struct mr_buffer *in, struct mr_buffer *out,
                                const char **reason, struct mr_error *err) MR_WARN_UNUSED;

/* ---- Fetches in records of Nutch (fetch_sequence.c) ----
 *
 * The fetches in a SequenceFile of Nutch: the files called data of a crawldb (crawldb/current) and
 * of a segment's crawl_fetch. */

struct mr_crawl_datum {
    uint8_t status; /* as Nutch writes it */
    uint32_t digest; /* of the signature of this fetch, as in struct mr_capture */
    bool is_due; /* it is of a crawldb, whose times are those of the next fetches */
    struct mr_span redirect; /* where the page leads to */
};

/* Take a CrawlDatum, and the state, the time and the tries of its fetch. Returns what is wrong with
 * it, or NULL. */
const char *mr_crawl_datum_take(struct mr_sequence_bytes *value, struct mr_crawl_datum *datum,
                                struct mr_row *fetch);

/* As mr_fetch_log_read; the line of a fetch is the number of its record, from 1. Errors: INPUT with
 * the offset of a record or block that is damaged, and for a SequenceFile of other values. */
enum mr_status mr_fetch_sequence_read(const struct mr_context *context, struct mr_input *input,
                                      enum mr_fetch_wanted wanted, mr_row_take take, void *data,
                                      struct mr_error *err) MR_WARN_UNUSED;

#endif
