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

#include "engine/base/bytes.h"
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

enum mr_status mr_hadoop_sums_open(const struct mr_context *context, const struct mr_input *file,
                                   struct mr_hadoop_sums *sums, struct mr_error *err)
{
    const char *path = mr_input_name(file), *slash = strrchr(path, '/');
    const char *name = slash != NULL ? slash + 1 : path;
    char beside[PATH_MAX];
    unsigned char head[HEAD_BYTES] = {0};
    size_t got;

    *sums = (struct mr_hadoop_sums){.file = file};
    if (mr_input_codec(file) != MR_INPUT_PLAIN ||
        snprintf(beside, sizeof beside, "%.*s.%s.crc", (int)(name - path), path, name) >=
            (int)sizeof beside ||
        !mr_io_exists(beside)) {
        return MR_OK;
    }
    enum mr_status status = mr_input_open(context, beside, &sums->input, err);
    if (status == MR_OK) {
        status = mr_input_fill(sums->input, head, HEAD_BYTES, &got, err);
    }
    sums->piece = mr_get_u32_big(head + 4);
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
    size_t got;
    const enum mr_status status = mr_input_fill(sums->input, sum, SUM_BYTES, &got, err);

    if (status == MR_OK && (got < SUM_BYTES || mr_get_u32_big(sum) != sums->sum)) {
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
    size_t got = 0;
    enum mr_status status = MR_OK;

    if (sums->input == NULL) {
        return MR_OK;
    }
    if (n == 0) {
        status = sums->filled > 0 ? end_piece(sums, err) : MR_OK;
        if (status == MR_OK) {
            status = mr_input_fill(sums->input, &more, 1, &got, err);
        }
        return status == MR_OK && got > 0 ? differ(sums, err) : status;
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
