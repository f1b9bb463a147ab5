/* SPDX-License-Identifier: Apache-2.0 */
/* Decompression of one piece of memory into another that grows, by the codecs of Hadoop. The
 * library of Snappy is loaded when a file needs it, since it brings that of C++ along, which would
 * double the time in which the program starts. Internal to formats/. */
#ifndef MR_FORMATS_CRAWL_HADOOP_CODEC_H
#define MR_FORMATS_CRAWL_HADOOP_CODEC_H

#include "engine/base/context.h"

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

#endif
