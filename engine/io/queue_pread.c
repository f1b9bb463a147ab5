/* SPDX-License-Identifier: Apache-2.0 */
/* The back end of read queues without io_uring: one helper thread reads the slots in the order of
 * their pushes.
 *
 * This order keeps the hand-over simple: two counters under one mutex, `started` written by the
 * owner and `finished` by the helper. A slot belongs to the helper from its start until `finished`
 * passes it. */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "engine/io/io.h"
#include "engine/io/queue_backend.h"

struct pread_queue {
    const struct mr_queue_slots *slots;
    pthread_t helper;
    pthread_mutex_t mutex; /* guards everything below, and the slots' `complete` */
    pthread_cond_t to_helper;
    pthread_cond_t to_owner;
    unsigned *order; /* [slots->count] ring: the slot of each start */
    uint64_t started;
    uint64_t finished;
    bool stop;
};

void mr_queue_slot_read(struct mr_queue_slot *slot)
{
    void *self;
    const struct mr_io_table *table = mr_io_table_of(mr_file_io(slot->file), &self);
    int fd = mr_file_descriptor(slot->file);
    int64_t moved;

    do {
        moved = table->read_at(self, fd, slot->data + slot->done, slot->bytes - slot->done,
                               slot->offset + slot->done);
    } while (!mr_queue_slot_moved(slot, moved));
}

static void *help(void *self)
{
    struct pread_queue *queue = self;
    sigset_t all;

    /* Signals must interrupt the system calls of the program's own threads. */
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, NULL);
    (void)pthread_mutex_lock(&queue->mutex);
    for (;;) {
        while (queue->finished == queue->started && !queue->stop) {
            (void)pthread_cond_wait(&queue->to_helper, &queue->mutex);
        }
        if (queue->finished == queue->started) {
            break;
        }
        struct mr_queue_slot *slot =
            &queue->slots->at[queue->order[queue->finished % queue->slots->count]];
        (void)pthread_mutex_unlock(&queue->mutex);
        mr_queue_slot_read(slot);
        (void)pthread_mutex_lock(&queue->mutex);
        slot->complete = true;
        queue->finished++;
        (void)pthread_cond_signal(&queue->to_owner);
    }
    (void)pthread_mutex_unlock(&queue->mutex);
    return NULL;
}

static void pread_start(void *self, unsigned slot)
{
    struct pread_queue *queue = self;
    (void)pthread_mutex_lock(&queue->mutex);
    queue->order[queue->started % queue->slots->count] = slot;
    queue->started++;
    (void)pthread_cond_signal(&queue->to_helper);
    (void)pthread_mutex_unlock(&queue->mutex);
}

static void pread_wait(void *self, unsigned slot)
{
    struct pread_queue *queue = self;
    (void)pthread_mutex_lock(&queue->mutex);
    while (!queue->slots->at[slot].complete) {
        (void)pthread_cond_wait(&queue->to_owner, &queue->mutex);
    }
    (void)pthread_mutex_unlock(&queue->mutex);
}

static void release(struct pread_queue *queue)
{
    (void)pthread_cond_destroy(&queue->to_owner);
    (void)pthread_cond_destroy(&queue->to_helper);
    (void)pthread_mutex_destroy(&queue->mutex);
    free(queue->order);
    free(queue);
}

static void pread_destroy(void *self)
{
    struct pread_queue *queue = self;
    (void)pthread_mutex_lock(&queue->mutex);
    queue->stop = true;
    (void)pthread_cond_signal(&queue->to_helper);
    (void)pthread_mutex_unlock(&queue->mutex);
    (void)pthread_join(queue->helper, NULL);
    release(queue);
}

enum mr_status mr_queue_pread_create(const struct mr_queue_slots *slots,
                                     const struct mr_queue_backend_table **table, void **self,
                                     struct mr_error *err)
{
    static const struct mr_queue_backend_table pread_table = {
        .start = pread_start, .wait = pread_wait, .destroy = pread_destroy};

    struct pread_queue *queue = calloc(1, sizeof *queue);
    unsigned *order = calloc(slots->count, sizeof *order);
    if (queue == NULL || order == NULL) {
        free(order);
        free(queue);
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a read queue");
    }
    queue->slots = slots;
    queue->order = order;
    /* With default attributes these functions allocate nothing and cannot fail on Linux. */
    (void)pthread_mutex_init(&queue->mutex, NULL);
    (void)pthread_cond_init(&queue->to_helper, NULL);
    (void)pthread_cond_init(&queue->to_owner, NULL);
    int failure = pthread_create(&queue->helper, NULL, help, queue);
    if (failure != 0) {
        release(queue);
        return mr_error_file(err, MR_ERROR_RUNTIME, NULL, failure, "cannot start a reading thread");
    }
    *table = &pread_table;
    *self = queue;
    return MR_OK;
}
