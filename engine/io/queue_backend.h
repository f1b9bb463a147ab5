/* SPDX-License-Identifier: Apache-2.0 */
/* The interface between engine/io/queue.c, which orders reads, and its back ends, which carry them
 * out. Internal.
 *
 *          pop order ->
 *   slots  | handed out | oldest pending | ... | newest pending | free ... |     depth + 1 of them
 *   seq      next_pop-1   next_pop               next_push-1
 *
 * A sequence number has the slot seq % (depth + 1). At most `depth` reads are pending, so a push
 * never uses the slot that the last pop handed out. */
#ifndef MR_ENGINE_IO_QUEUE_BACKEND_H
#define MR_ENGINE_IO_QUEUE_BACKEND_H

#include <assert.h>

#include "engine/io/io.h"
#include "engine/io/queue.h"

/* The alignment of buffers, and of reads with O_DIRECT. */
#define MR_QUEUE_ALIGNMENT 4096u

struct mr_queue_slot {
    uint8_t *data; /* slot_bytes + MR_QUEUE_SLACK_BYTES, part of the queue's one allocation */
    struct mr_file *file;
    uint64_t offset;
    uint64_t bytes; /* to read */
    uint64_t done; /* read so far */
    uint64_t tag;
    int os_errno; /* why the read stopped before `bytes`; 0: the file ends */
    bool complete; /* no more bytes will be written to `data`; owned by the back end until wait */
};

struct mr_queue_backend_table {
    /* Starts the read that the slot describes (done 0, not complete). Failures are recorded in the
     * slot. */
    void (*start)(void *self, unsigned slot);
    /* Returns when the slot is complete. */
    void (*wait)(void *self, unsigned slot);
    /* Requires that no read is pending. */
    void (*destroy)(void *self);
};

/* The slots, shared by the queue and its back end: plain data that lives as long as the queue. */
struct mr_queue_slots {
    struct mr_queue_slot *at; /* [count] */
    unsigned count;
    uint64_t slot_bytes;
};

/* `falls_back`: a ring that fails later is replaced by plain reads; otherwise its reads fail. */
enum mr_status mr_queue_uring_create(const struct mr_queue_slots *slots, bool falls_back,
                                     const struct mr_queue_backend_table **table, void **self,
                                     bool *registered_buffers, struct mr_error *err) MR_WARN_UNUSED;
enum mr_status mr_queue_pread_create(const struct mr_queue_slots *slots,
                                     const struct mr_queue_backend_table **table, void **self,
                                     struct mr_error *err) MR_WARN_UNUSED;

/* Reads the missing bytes of the slot at once, in the calling thread. */
void mr_queue_slot_read(struct mr_queue_slot *slot);

/* Records that a read of the slot moved `moved` bytes (>= 0; 0 at the end of the file) or failed
 * (-errno). Returns true if the slot is finished, by success or failure. Both back ends use it. */
static inline bool mr_queue_slot_moved(struct mr_queue_slot *slot, int64_t moved)
{
    if (moved < 0) {
        slot->os_errno = (int)-moved;
        return true;
    }
    slot->done += (uint64_t)moved;
    assert(slot->done <= slot->bytes);
    if (moved == 0 || slot->done == slot->bytes) {
        return true;
    }
    /* A direct read that stops inside a sector has reached the end of the file. The kernel would
     * refuse to continue from there. */
    return mr_file_is_direct(slot->file) && slot->done % MR_QUEUE_ALIGNMENT != 0;
}

#endif
