/* The frames of a zstd file, decoded ahead by threads of their own and handed out in order.
 *
 *     file      | frame 0 | frame 1 | frame 2 | ...     cut at the sizes of their blocks, without decoding
 *     thread 0  | read 0 | decode 0 ......... | read 2 | ...
 *     thread 1           | read 1 | decode 1 ......... | ...
 *
 * Reading is in turn, decoding at the same time. Whatever is out of the ordinary (damage, a frame too large to be held,
 * no memory) is handed out undecoded: the caller decodes it as a stream, and finds the same as if there were no
 * team. Source: RFC 8878, section 3.1.1. */
#ifndef MR_FORMATS_STREAM_FRAME_TEAM_H
#define MR_FORMATS_STREAM_FRAME_TEAM_H

#include <stdbool.h>

#include "engine/base/context.h"

struct mr_frame_team;

/* Where the bytes of the file come from; called by one thread at a time, but not always the same. */
struct mr_frame_feed {
    void *data;
    /* Have `wanted` (<= MR_FRAME_FILL_BYTES) bytes at `*at`, or all there are; `*held` may be more. */
    enum mr_status (*fill)(void *data, size_t wanted, const uint8_t **at, size_t *held,
                           struct mr_error *err);
    void (*skip)(void *data, size_t bytes); /* of those held */
    uint64_t (*offset)(void *data); /* in the file, of the next one */
};
#define MR_FRAME_FILL_BYTES ((size_t)160 << 10)

struct mr_frame {
    uint64_t offset; /* in the file */
    const uint8_t
        *packed; /* as it lies there; not all of it where not is_whole: the feed has the rest */
    size_t packed_bytes;
    bool is_whole;
    const uint8_t *data; /* decoded; NULL: the caller has to */
    size_t data_bytes;
};

/* Threads of `context` that decode what `feed` gives, which begins with a frame; nobody else uses it until the team
 * is destroyed. NULL without an error where memory is short: frames of some MiB, twice as many as threads, take at
 * most an eighth of it. Destroy takes NULL. */
enum mr_status mr_frame_team_create(const struct mr_context *context,
                                    const struct mr_frame_feed *feed, struct mr_frame_team **out,
                                    struct mr_error *err) MR_WARN_UNUSED;
void mr_frame_team_destroy(struct mr_frame_team *team);

/* The next frame, valid until the next call; skippable ones are left out. NULL when the team has ended: what the
 * feed has left, if anything, is the caller's. After one that is not whole comes NULL. */
enum mr_status mr_frame_team_next(struct mr_frame_team *team, const struct mr_frame **frame,
                                  struct mr_error *err) MR_WARN_UNUSED;

#endif
