/* SPDX-License-Identifier: Apache-2.0 */
/* Read queues: the order of reads, their slots and their memory. A pass reads its blocks through
 * one queue per thread. queue_uring.c and queue_pread.c carry the reads out; the split keeps
 * ordering and errors the same for both. */
#include "engine/io/queue.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/base/bytes.h"
#include "engine/base/clock.h"
#include "engine/base/memory.h"
#include "engine/io/queue_backend.h"

struct mr_queue {
    struct mr_memory *memory;
    uint8_t *buffers; /* of all slots, from `memory` */
    struct mr_queue_slots slots;
    uint64_t next_push, next_pop; /* sequence numbers, see queue_backend.h */
    enum mr_queue_backend used;
    bool registered_buffers;
    const struct mr_queue_backend_table *table;
    void *backend; /* NULL until created */
};

static unsigned slot_of(const struct mr_queue *queue, uint64_t sequence)
{
    return (unsigned)(sequence % queue->slots.count);
}

uint64_t mr_queue_memory(unsigned depth, uint64_t slot_bytes)
{
    uint64_t bytes;
    if (mr_add_overflows(slot_bytes, MR_QUEUE_SLACK_BYTES, &bytes) ||
        mr_mul_overflows(bytes, (uint64_t)depth + 1, &bytes) ||
        bytes > UINT64_MAX - MR_QUEUE_ALIGNMENT) {
        return UINT64_MAX;
    }
    return mr_round_up(bytes, MR_QUEUE_ALIGNMENT);
}

static enum mr_status make_slots(struct mr_queue *queue, unsigned depth, uint64_t slot_bytes,
                                 struct mr_error *err)
{
    queue->slots.count = depth + 1;
    queue->slots.slot_bytes = slot_bytes;
    queue->slots.at = calloc(queue->slots.count, sizeof *queue->slots.at);
    if (queue->slots.at == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a read queue");
    }
    enum mr_status status = mr_memory_array(
        queue->memory, "read buffers", mr_queue_memory(depth, slot_bytes), &queue->buffers, err);
    if (status != MR_OK) {
        return status;
    }
    for (unsigned i = 0; i < queue->slots.count; i++) {
        queue->slots.at[i].data = queue->buffers + i * (slot_bytes + MR_QUEUE_SLACK_BYTES);
    }
    return MR_OK;
}

static enum mr_status make_backend(struct mr_queue *queue, const struct mr_context *context,
                                   enum mr_queue_backend backend, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    if (backend != MR_QUEUE_PREAD) {
        struct mr_error reason = {.status = MR_OK};
        status = mr_queue_uring_create(&queue->slots, backend != MR_QUEUE_URING, &queue->table,
                                       &queue->backend, &queue->registered_buffers, &reason);
        if (status == MR_OK) {
            queue->used = MR_QUEUE_URING;
            return MR_OK;
        }
        if (backend == MR_QUEUE_URING) {
            return mr_error_file(err, status, NULL, reason.os_errno,
                                 "io_uring is not available here; use --io pread or auto");
        }
        mr_context_note(context, "%s; reading with pread", reason.message);
    }
    status = mr_queue_pread_create(&queue->slots, &queue->table, &queue->backend, err);
    queue->used = MR_QUEUE_PREAD;
    return status;
}

enum mr_status mr_queue_create(const struct mr_context *context, unsigned depth,
                               uint64_t slot_bytes, struct mr_queue **out, struct mr_error *err)
{
    assert(depth >= 1 && depth <= MR_QUEUE_MAX_DEPTH);
    assert(slot_bytes > 0 && slot_bytes % MR_QUEUE_ALIGNMENT == 0);
    struct mr_queue *queue = calloc(1, sizeof *queue);
    *out = queue;
    if (queue == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a read queue");
    }
    queue->memory = context->memory;
    enum mr_status status = make_slots(queue, depth, slot_bytes, err);
    if (status == MR_OK) {
        status = make_backend(queue, context, context->backend, err);
    }
    return status;
}

void mr_queue_destroy(struct mr_queue *queue)
{
    if (queue == NULL) {
        return;
    }
    if (queue->backend != NULL) {
        mr_queue_drain(queue);
        queue->table->destroy(queue->backend);
    }
    mr_memory_free(queue->memory, queue->buffers);
    free(queue->slots.at);
    free(queue);
}

enum mr_queue_backend mr_queue_get_backend(const struct mr_queue *queue, bool *registered_buffers)
{
    *registered_buffers = queue->registered_buffers;
    return queue->used;
}

unsigned mr_queue_pending(const struct mr_queue *queue)
{
    return (unsigned)(queue->next_push - queue->next_pop);
}

unsigned mr_queue_room(const struct mr_queue *queue)
{
    return queue->slots.count - 1 - mr_queue_pending(queue);
}

bool mr_queue_has_room(const struct mr_queue *queue)
{
    return mr_queue_room(queue) > 0;
}

const uint8_t *mr_queue_next_data(const struct mr_queue *queue)
{
    return mr_queue_pending(queue) == 0 ? NULL
                                        : queue->slots.at[slot_of(queue, queue->next_pop)].data;
}

enum mr_status mr_queue_push(struct mr_queue *queue, struct mr_file *file, uint64_t offset,
                             uint64_t bytes, uint64_t tag, struct mr_error *err)
{
    assert(mr_queue_has_room(queue));
    assert(!mr_file_is_direct(file) ||
           (offset % MR_QUEUE_ALIGNMENT == 0 && bytes % MR_QUEUE_ALIGNMENT == 0));
    if (bytes == 0 || bytes > queue->slots.slot_bytes) {
        /* The index of a file gives the extent: return a status, even if the caller has checked
         * it. */
        return mr_error_offset(err, MR_ERROR_CORRUPT, mr_file_path(file), offset,
                               "a block of %llu bytes where at most %llu are possible",
                               (unsigned long long)bytes,
                               (unsigned long long)queue->slots.slot_bytes);
    }
    unsigned index = slot_of(queue, queue->next_push);
    struct mr_queue_slot *slot = &queue->slots.at[index];
    *slot = (struct mr_queue_slot){
        .data = slot->data, .file = file, .offset = offset, .bytes = bytes, .tag = tag};
    queue->next_push++;
    queue->table->start(queue->backend, index);
    return MR_OK;
}

enum mr_status mr_queue_pop(struct mr_queue *queue, uint8_t **data, uint64_t *tag,
                            uint64_t *wait_ns, struct mr_error *err)
{
    assert(mr_queue_pending(queue) > 0);
    unsigned index = slot_of(queue, queue->next_pop);
    uint64_t begin_ns = wait_ns != NULL ? mr_now_ns() : 0;
    queue->table->wait(queue->backend, index);
    queue->next_pop++;
    if (wait_ns != NULL) {
        *wait_ns = mr_now_ns() - begin_ns;
    }
    const struct mr_queue_slot *slot = &queue->slots.at[index];
    assert(slot->complete);
    *tag = slot->tag;
    *data = slot->data;
    if (slot->done < slot->bytes) {
        return mr_file_read_error(slot->file, slot->offset, slot->bytes, slot->done, slot->os_errno,
                                  err);
    }
    return MR_OK;
}

void mr_queue_drain(struct mr_queue *queue)
{
    for (uint64_t sequence = queue->next_pop; sequence < queue->next_push; sequence++) {
        queue->table->wait(queue->backend, slot_of(queue, sequence));
    }
    /* Go back, not forward: the caller still holds the slot before next_pop. */
    queue->next_push = queue->next_pop;
}
