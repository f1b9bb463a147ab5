/* SPDX-License-Identifier: Apache-2.0 */
/* The checksums that Hadoop keeps beside a file on a local disk. For sequence_file.c:
 *
 *     DIRECTORY/NAME        the file
 *     DIRECTORY/.NAME.crc   "crc" and a byte 0, the bytes of a piece as a big-endian number, and
 *                           the CRC-32 of each piece; the last piece may be shorter
 *
 * SequenceFiles have no checksums of their own, and no mark at their end: without this file a plain
 * one that was cut between records, or whose URLs changed, is a good one.
 * Source: ChecksumFileSystem.java of Apache Hadoop. */
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <zlib.h>

#include "engine/base/memory.h"
#include "engine/io/io.h"
#include "formats/crawl/sequence_file.h"

enum { HEAD_BYTES = 8, SUM_BYTES = 4 };

static enum mr_status differ(const struct mr_hadoop_sums *sums, struct mr_error *err)
{
    return mr_error_offset(err, MR_ERROR_INPUT, mr_input_name(sums->file), sums->offset,
                           "its bytes from here on are not those whose checksums are in %s; copy "
                           "both files again, or remove that one if it is of another file",
                           mr_input_name(sums->input));
}

static uint32_t number(const unsigned char raw[4])
{
    return (uint32_t)raw[0] << 24 | (uint32_t)raw[1] << 16 | (uint32_t)raw[2] << 8 | raw[3];
}

/* Takes `n` bytes; `*got` is false at the end. */
static enum mr_status take(struct mr_hadoop_sums *sums, unsigned char *out, size_t n, bool *got,
                           struct mr_error *err)
{
    enum mr_status status = MR_OK;
    size_t part = 1;

    *got = true;
    for (size_t at = 0; at < n && *got && status == MR_OK; at += part) {
        status = mr_input_read(sums->input, out + at, n - at, &part, err);
        *got = part > 0;
    }
    return status;
}

enum mr_status mr_hadoop_sums_open(const struct mr_context *context, const struct mr_input *file,
                                   struct mr_hadoop_sums *sums, struct mr_error *err)
{
    const char *path = mr_input_name(file), *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    char beside[PATH_MAX];
    unsigned char head[HEAD_BYTES] = {0};
    bool got;

    *sums = (struct mr_hadoop_sums){.file = file};
    if (mr_input_codec(file) != MR_INPUT_PLAIN ||
        snprintf(beside, sizeof beside, "%.*s.%s.crc", (int)(name - path), path, name) >=
            (int)sizeof beside ||
        !mr_io_exists(beside)) {
        return MR_OK;
    }
    enum mr_status status = mr_input_open(context, beside, &sums->input, err);
    if (status == MR_OK) {
        status = take(sums, head, HEAD_BYTES, &got, err);
    }
    sums->piece = number(head + 4);
    if (status == MR_OK && (memcmp(head, "crc", 4) != 0 || sums->piece == 0)) {
        return mr_error_file(err, MR_ERROR_INPUT, beside, 0,
                             "has no checksums of Hadoop; copy it and %s again, or remove it",
                             name);
    }
    return status;
}

void mr_hadoop_sums_close(struct mr_hadoop_sums *sums)
{
    mr_input_close(sums->input);
}

/* Compares the sum of the piece that ends here. */
static enum mr_status end_piece(struct mr_hadoop_sums *sums, struct mr_error *err)
{
    unsigned char sum[SUM_BYTES];
    bool got;
    const enum mr_status status = take(sums, sum, SUM_BYTES, &got, err);

    if (status == MR_OK && (!got || number(sum) != sums->sum)) {
        return differ(sums, err);
    }
    sums->offset += sums->filled;
    sums->filled = 0;
    sums->sum = 0;
    return status;
}

enum mr_status mr_hadoop_sums_check(struct mr_hadoop_sums *sums, const unsigned char *bytes,
                                    size_t n, struct mr_error *err)
{
    unsigned char more;
    bool got = false;
    enum mr_status status = MR_OK;

    if (sums->input == NULL) {
        return MR_OK;
    }
    if (n == 0) {
        status = sums->filled > 0 ? end_piece(sums, err) : MR_OK;
        if (status == MR_OK) {
            status = take(sums, &more, 1, &got, err);
        }
        return status == MR_OK && got ? differ(sums, err) : status;
    }
    while (n > 0 && status == MR_OK) {
        const uint32_t left = sums->piece - sums->filled;
        const uint32_t part = n < left ? (uint32_t)n : left;
        sums->sum = (uint32_t)crc32(sums->sum, bytes, part);
        sums->filled += part;
        bytes += part;
        n -= part;
        status = sums->filled == sums->piece ? end_piece(sums, err) : MR_OK;
    }
    return status;
}
