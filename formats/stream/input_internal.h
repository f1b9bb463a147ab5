/* SPDX-License-Identifier: Apache-2.0 */
/* What input.c decompresses, and how:
 *
 *     source.c       raw bytes of a regular file, a pipe, a device, or standard input
 *     zstd_frame.c   the headers of zstd frames, and dictionaries
 *     frame_team.c   frames that threads decode ahead
 *
 * Regular files are read by position through the I/O table, everything else by read(2), because a
 * pipe allows nothing else. One thread at a time uses a source. Internal to formats/stream. */
#ifndef MR_FORMATS_STREAM_INPUT_INTERNAL_H
#define MR_FORMATS_STREAM_INPUT_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zstd.h>

#include "engine/base/context.h"

struct mr_query;
struct mr_source;

/* Open `path`; "-" is standard input (file descriptor 0, not closed at the end). The context and
 * its I/O table outlive the source. Errors: RUNTIME when it cannot be opened, INPUT for a
 * directory, BUDGET. */
enum mr_status mr_source_open(const struct mr_context *context, const char *path,
                              struct mr_source **out, struct mr_error *err) MR_WARN_UNUSED;
/* NULL is allowed. Removes the copy that mr_source_keep made. */
void mr_source_close(struct mr_source *source);

/* Read up to `capacity` (> 0) bytes to `buffer`; `*got` is 0 only at the end. Error: INTERRUPTED
 * when a signal arrives and the context's cancel flag is set. */
enum mr_status mr_source_read(struct mr_source *source, void *buffer, size_t capacity, size_t *got,
                              struct mr_error *err) MR_WARN_UNUSED;

/* The same in two steps. `take` counts the next bytes, up to `capacity` (> 0), as read, and sets
 * `*offset` to their location; it returns their number: 0 at the end, and where the source is not
 * regular. `read_at` then reads them; several threads may do so at once. */
size_t mr_source_take(struct mr_source *source, size_t capacity, uint64_t *offset);
enum mr_status mr_source_read_at(struct mr_source *source, void *buffer, size_t bytes,
                                 uint64_t offset, struct mr_error *err) MR_WARN_UNUSED;

/* Prepare for mr_source_rewind; before the first read. Bytes that cannot be read again (of pipes
 * and standard input) are copied, while they are read, to a file without a name in context->tmp_dir
 * (NULL: the current directory). */
enum mr_status mr_source_keep(struct mr_source *source, struct mr_error *err) MR_WARN_UNUSED;
/* Go back to the first byte. A pipe must have been read to its end. */
enum mr_status mr_source_rewind(struct mr_source *source, struct mr_error *err) MR_WARN_UNUSED;

/* The path, or "standard input" for "-", for messages. Lives as long as the source. */
const char *mr_source_name(const struct mr_source *source);
uint64_t mr_source_done(const struct mr_source *source); /* bytes read so far */
/* read by position: a read never waits */
bool mr_source_is_regular(const struct mr_source *source);
uint64_t mr_source_total(const struct mr_source *source); /* 0: unknown */
struct mr_query *mr_source_query(const struct mr_source *source); /* NULL: it is none */

/* ---- Frames (frame_team.c, zstd_frame.c) ----
 *
 * The frames of a zstd file: the team's own threads decode them ahead and hand them out in order.
 *
 *     file      | frame 0 | frame 1 | frame 2 | ...   cut by the sizes of their blocks
 *     thread 0  | read 0 | decode 0 ......... | read 2 | ...
 *     thread 1           | read 1 | decode 1 ......... | ...
 *
 * Threads read in turn and decode at the same time. Some frames are handed out undecoded: damaged
 * ones, ones that are too large, and any frame when memory is short. The caller decodes such a
 * frame as a stream, and so finds the same bytes and the same errors as without a team. Source: RFC
 * 8878, section 3.1.1. */

/* ---- Headers and dictionaries (zstd_frame.c) ----
 *
 * The header of a zstd frame, which states how large a window its decoder needs.
 *
 * libzstd tells this only through functions outside its stable interface. Source: RFC 8878, section
 * 3.1. Dictionaries that stand in a file: "WARC-zstd" of the IIPC. */

#define MR_ZSTD_FRAME_HEADER_MAX     18 /* magic number and longest header */
#define MR_ZSTD_DICTIONARY_MAGIC     0x184d2a5du /* of the skippable frame that has a dictionary */
#define MR_ZSTD_DICTIONARY_MAX_BYTES (16u << 20)

struct mr_zstd_frame {
    bool skippable;
    uint64_t window_bytes; /* 0 for a skippable frame, like the fields below */
    size_t header_bytes; /* with the magic number */
    bool has_checksum; /* 4 bytes behind the last block */
};

/* Does a little-endian `magic` begin a frame, a skippable one included? */
bool mr_zstd_frame_magic(uint32_t magic);

/* Parse the header at `data[bytes]`. False when it is not a frame, or the header is cut off. */
bool mr_zstd_frame_parse(const uint8_t *data, size_t bytes, struct mr_zstd_frame *frame);

/* Make a dictionary of the content of such a frame, which may be compressed itself. `*out` is NULL
 * if it is none; `name` is that of the file. Memory: three times the dictionary, then
 * `*charged_bytes`, which the caller discharges as "decompression". Errors: INPUT for damage and
 * for more than MR_ZSTD_DICTIONARY_MAX_BYTES; BUDGET. */
enum mr_status mr_zstd_dictionary(const struct mr_context *context, const char *name,
                                  const uint8_t *content, size_t bytes, ZSTD_DDict **out,
                                  uint64_t *charged_bytes, struct mr_error *err) MR_WARN_UNUSED;

struct mr_frame_team;

/* Where the bytes of the file come from. Threads call these functions one at a time, but not always
 * the same thread. */
struct mr_frame_reader {
    void *data;
    /* Have `wanted` (<= MR_FRAME_FILL_BYTES) bytes at `*at`, or all that are left; `*held` may be
     * more. */
    enum mr_status (*fill)(void *data, size_t wanted, const uint8_t **at, size_t *held,
                           struct mr_error *err);
    void (*skip)(void *data, size_t bytes); /* skip bytes of those held */
    uint64_t (*offset)(void *data); /* offset in the file of the next byte */
};
#define MR_FRAME_FILL_BYTES ((size_t)160 << 10)

struct mr_frame {
    uint64_t offset; /* offset in the file */
    const uint8_t
        *packed; /* bytes of the frame as in the file; if not is_whole, the file has the rest */
    size_t packed_bytes;
    bool is_whole;
    const uint8_t *data; /* decoded bytes; NULL: the caller decodes `packed` */
    size_t data_bytes;
};

/* Start threads of `context` that decode the bytes of `reader` with `dictionary`, which outlives
 * them; NULL: there is none. The first byte begins a frame.
 * Nobody else uses the reader until the team is destroyed. `*out` is NULL without an error where
 * memory is short: the team takes at most an eighth of the available memory for its frames of some
 * MiB, twice as many as threads. Errors: BUDGET. Destroy takes NULL. */
enum mr_status mr_frame_team_create(const struct mr_context *context,
                                    const struct mr_frame_reader *reader,
                                    const ZSTD_DDict *dictionary, struct mr_frame_team **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_frame_team_destroy(struct mr_frame_team *team);

/* The next frame, valid until the next call; skippable frames are left out. NULL when the team has
 * ended: then the caller decodes what is left of the file, if anything. After a frame that is not
 * whole comes NULL. */
enum mr_status mr_frame_team_next(struct mr_frame_team *team, const struct mr_frame **frame,
                                  struct mr_error *err) MR_WARN_UNUSED;

#endif
