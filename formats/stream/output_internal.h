/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of outputs share:
 *
 *     output.c        opening, encoders, writing, commit
 *     output_parts.c  rows that several threads make at the same time
 *
 * Internal to formats/stream. */
#ifndef MR_FORMATS_STREAM_OUTPUT_INTERNAL_H
#define MR_FORMATS_STREAM_OUTPUT_INTERNAL_H

#define ZLIB_CONST
#include <zlib.h>
#include <zstd.h>

#include "engine/base/team.h"
#include "formats/stream/output.h"

enum { MR_OUTPUT_BUFFER_BYTES = 256 << 10 };

enum mr_output_codec { MR_OUTPUT_PLAIN, MR_OUTPUT_GZIP, MR_OUTPUT_ZSTD };

struct mr_output;

typedef enum mr_status (*mr_output_sink)(struct mr_output *part, const void *data, size_t bytes,
                                         struct mr_error *err);

struct mr_output {
    const struct mr_context *context;
    struct mr_publish *publish; /* NULL where the output is not a regular file */
    struct mr_file *file; /* NULL for standard output */
    struct mr_table_file *table; /* takes the bytes in place of `file`; or NULL */
    uint64_t written; /* bytes in the file */
    enum mr_output_codec codec;
    char *buffer; /* [MR_OUTPUT_BUFFER_BYTES] */
    size_t used;
    uint8_t *packed; /* [MR_OUTPUT_BUFFER_BYTES], NULL when PLAIN */
    bool has_frame; /* a frame is complete */
    bool is_open; /* the encoder has bytes of a frame that is not complete */
    z_stream deflater;
    bool deflating; /* `deflater` is initialised */
    ZSTD_CCtx *zstd;
    uint64_t charged_bytes;
    /* Of a part: takes its bytes, compressed already, where others go to a file; and what waits for
     * its turn. */
    mr_output_sink sink;
    struct mr_output *whole;
    struct mr_team *turns; /* of the threads that write parts */
    uint64_t number; /* of the part */
    uint8_t *held; /* [MR_OUTPUT_HELD_BYTES] */
    size_t n_held;
    char name[];
};

enum { MR_OUTPUT_HELD_BYTES = 2 << 20 };

/* A part of `whole` for one thread: what is written to it is compressed as `whole` is, and goes to
 * the sink. Errors: BUDGET. mr_output_abandon releases it. */
enum mr_status mr_output_part_open(struct mr_output *whole, mr_output_sink sink,
                                   struct mr_output **out, struct mr_error *err) MR_WARN_UNUSED;
/* Bytes that are compressed already go to the file, or to the sink. */
enum mr_status mr_output_put(struct mr_output *output, const void *data, size_t bytes,
                             struct mr_error *err) MR_WARN_UNUSED;
/* All that was written so far goes to the file, or to the sink; compressed, as a frame that ends
 * there. */
enum mr_status mr_output_end_frame(struct mr_output *output, struct mr_error *err) MR_WARN_UNUSED;

#endif
