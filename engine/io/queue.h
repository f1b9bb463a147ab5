/* A read queue: one thread's stream of blocks from disk, in order, several in flight.
 *
 * Each worker of a pass owns one queue, so nothing is locked. The worker pushes the extents it will
 * need, in the order it will need them, as long as mr_queue_has_room; pop waits for the oldest and
 * hands out its buffer until the next pop. Back ends: io_uring with registered buffers, or one
 * helper thread calling read_at. Registered buffers, O_DIRECT and io_uring itself are each optional
 * and given up separately; mr_queue_traits says what is in use. */
#ifndef MR_ENGINE_IO_QUEUE_H
#define MR_ENGINE_IO_QUEUE_H

#include <stdbool.h>

#include "engine/base/context.h"
#include "engine/io/io.h"

struct mr_queue;

enum mr_queue_backend { MR_QUEUE_AUTO, MR_QUEUE_URING, MR_QUEUE_PREAD };

struct mr_queue_traits {
    enum mr_queue_backend backend; /* never AUTO: what is in use */
    bool registered_buffers;
};

/* Bytes a queue of this shape charges to the budget, as "read buffers": (depth + 1) * (slot_bytes +
 * MR_QUEUE_SLACK_BYTES), rounded up to pages; the one more is what the last pop handed out.
 * Saturates at UINT64_MAX. */
#define MR_QUEUE_SLACK_BYTES 4096u /* readable past the end of every slot, content unspecified */
uint64_t mr_queue_memory(unsigned depth, uint64_t slot_bytes);

/* Up to `depth` (1 .. MR_QUEUE_MAX_DEPTH) reads in flight, each at most `slot_bytes` (> 0, a
 * multiple of 4096). With MR_QUEUE_URING the creation fails where io_uring is not to be had; with
 * AUTO it falls back to pread. One thread uses a queue at a time. Destroy waits for reads in
 * flight; NULL is allowed. `context` itself is needed during create, its memory until destroy. */
#define MR_QUEUE_MAX_DEPTH 1024u
enum mr_status mr_queue_create(const struct mr_context *context, enum mr_queue_backend backend,
                               unsigned depth, uint64_t slot_bytes, struct mr_queue **out,
                               struct mr_error *err) MR_WARN_UNUSED;
void mr_queue_destroy(struct mr_queue *queue);

struct mr_queue_traits mr_queue_traits(const struct mr_queue *queue);

/* Room for another push: fewer than depth pending? (What the last pop handed out is apart.) */
bool mr_queue_has_room(const struct mr_queue *queue);
/* Pushes that there is room for. */
unsigned mr_queue_room(const struct mr_queue *queue);
/* Reads pushed and not yet popped. */
unsigned mr_queue_pending(const struct mr_queue *queue);

/* Where the oldest pending read goes, done or not; NULL: none is pending. To be fetched into the cache, not
 * to be read. */
const uint8_t *mr_queue_next_data(const struct mr_queue *queue);

/* Start reading `bytes` at `offset` (multiples of 4096 where the file is direct) of `file`, which
 * stays open until popped. `tag` comes back with pop. Requires room and 0 < bytes <= slot_bytes.
 * What goes wrong with the read is reported by its pop. */
enum mr_status mr_queue_push(struct mr_queue *queue, struct mr_file *file, uint64_t offset,
                             uint64_t bytes, uint64_t tag, struct mr_error *err) MR_WARN_UNUSED;

/* Wait for the oldest read. `*data` (4096-aligned, `bytes` long as pushed, MR_QUEUE_SLACK_BYTES
 * more readable) belongs to the caller until the next pop, push of depth reads notwithstanding.
 * Short reads are continued; a file that ends early is MR_ERROR_CORRUPT, an I/O error
 * MR_ERROR_RUNTIME; either way the read counts as popped. `*wait_ns` (nullable) gets the time spent
 * waiting. Requires pending > 0. */
enum mr_status mr_queue_pop(struct mr_queue *queue, uint8_t **data, uint64_t *tag,
                            uint64_t *wait_ns, struct mr_error *err) MR_WARN_UNUSED;

/* Wait for everything in flight and forget it. What the last pop handed out stays. */
void mr_queue_drain(struct mr_queue *queue);

#endif
