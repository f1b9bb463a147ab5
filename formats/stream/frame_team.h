/* SPDX-License-Identifier: Apache-2.0 */
/* The frames of a zstd file: the team's own threads decode them ahead and hand them out in order.
 *
 *     file      | frame 0 | frame 1 | frame 2 | ...   cut by the sizes of their blocks
 *     thread 0  | read 0 | decode 0 ......... | read 2 | ...
 *     thread 1           | read 1 | decode 1 ......... | ...
 *
 * Threads read in turn and decode at the same time. Some frames are handed out undecoded: damaged
 * ones, ones that are too large, and any frame when memory is short. The caller decodes such a
 * frame as a stream, and so finds the same bytes and the same errors as without a team. Source: RFC
 * 8878, section 3.1.1. */
#ifndef MR_FORMATS_STREAM_FRAME_TEAM_H
#define MR_FORMATS_STREAM_FRAME_TEAM_H

#include <stdbool.h>

#include <zstd.h>

#include "engine/base/context.h"

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
