/* SPDX-License-Identifier: Apache-2.0 */
/* A read queue: one thread's stream of blocks from disk, in order, with several reads in flight.
 *
 * Each worker of a pass owns one queue, so there are no locks. While mr_queue_has_room, the worker
 * pushes the extents that it will need, in the order of their use. mr_queue_pop waits for the
 * oldest read and hands out its buffer until the next pop. There are two back ends: io_uring with
 * registered buffers, and one helper thread that calls read_at. Registered buffers, O_DIRECT and
 * io_uring itself are each optional; the queue works without each of them. mr_queue_get_backend
 * says which are in use. */
#ifndef MR_ENGINE_IO_QUEUE_H
#define MR_ENGINE_IO_QUEUE_H

#include <stdbool.h>

#include "engine/base/context.h"
#include "engine/io/io.h"

struct mr_queue;

/* The bytes that such a queue charges to the budget as "read buffers": (depth + 1) * (slot_bytes +
 * MR_QUEUE_SLACK_BYTES), rounded up to pages. The extra slot is the one that the last pop handed
 * out. Returns UINT64_MAX on overflow. */
/* readable after the end of every slot, with unspecified content */
#define MR_QUEUE_SLACK_BYTES 4096u
uint64_t mr_queue_memory(unsigned depth, uint64_t slot_bytes);

/* Creates a queue with up to `depth` (1 .. MR_QUEUE_MAX_DEPTH) reads in flight, each of at most
 * `slot_bytes` (> 0, a multiple of 4096), and with the back end that the context names:
 * MR_QUEUE_URING fails if io_uring is not available; AUTO then uses pread. One thread at a time
 * uses a queue. mr_queue_destroy waits for reads in flight and takes NULL. Only mr_queue_create
 * uses `context` itself; its memory must live until mr_queue_destroy. */
#define MR_QUEUE_MAX_DEPTH 1024u
enum mr_status mr_queue_create(const struct mr_context *context, unsigned depth,
                               uint64_t slot_bytes, struct mr_queue **out,
                               struct mr_error *err) MR_WARN_UNUSED;
void mr_queue_destroy(struct mr_queue *queue);

/* The back end in use, never AUTO, and whether its buffers are registered. */
enum mr_queue_backend mr_queue_get_backend(const struct mr_queue *queue, bool *registered_buffers);

/* True if fewer than `depth` reads are pending. The slot that the last pop handed out does not
 * count. */
bool mr_queue_has_room(const struct mr_queue *queue);
/* How many pushes there is room for. */
unsigned mr_queue_room(const struct mr_queue *queue);
/* How many reads are pushed and not popped. */
unsigned mr_queue_pending(const struct mr_queue *queue);

/* The buffer of the oldest pending read, complete or not; NULL if none is pending. For prefetching
 * into the cache: its content may not be used. */
const uint8_t *mr_queue_next_data(const struct mr_queue *queue);

/* Starts reading `bytes` at `offset` of `file`, which stays open until the pop. Both are multiples
 * of 4096 if the file is direct. The pop returns `tag`. Requires room and 0 < bytes <= slot_bytes.
 * Errors of the read itself are reported by its pop. */
enum mr_status mr_queue_push(struct mr_queue *queue, struct mr_file *file, uint64_t offset,
                             uint64_t bytes, uint64_t tag, struct mr_error *err) MR_WARN_UNUSED;

/* Waits for the oldest read. `*data` has `bytes` bytes as pushed and MR_QUEUE_SLACK_BYTES more that
 * are readable, aligned to 4096. It belongs to the caller until the next pop, even if the caller
 * pushes `depth` reads. Short reads are continued. A file that ends early is MR_ERROR_CORRUPT, an
 * I/O error is MR_ERROR_RUNTIME; both count as popped. `*wait_ns` (may be NULL) gets the time spent
 * waiting. Requires pending > 0. */
enum mr_status mr_queue_pop(struct mr_queue *queue, uint8_t **data, uint64_t *tag,
                            uint64_t *wait_ns, struct mr_error *err) MR_WARN_UNUSED;

/* Waits for all reads in flight and forgets them. The buffer of the last pop stays valid. */
void mr_queue_drain(struct mr_queue *queue);

#endif
