/* SPDX-License-Identifier: Apache-2.0 */
/* The back end of read queues over io_uring. Every start is submitted at once. Completions come in
 * any order and are recorded in their slots. A short read is submitted again for the rest.
 *
 * A slot has at most one request at a time, so a ring with one entry per slot never overflows. */
#include <assert.h>
#include <errno.h>
#include <liburing.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <time.h>

#include "engine/base/bytes.h"
#include "engine/io/io.h"
#include "engine/io/queue_backend.h"

/* A request's length has 32 bits, and one request moves at most 0x7ffff000 bytes. prepare()
 * continues longer ones. */
#define MAX_REQUEST_BYTES ((uint64_t)1 << 30)

enum {
    /* of a transient failure, one millisecond apart, before it becomes an error */
    MAX_RETRIES = 1000,
    MAX_INIT_RETRIES = 20, /* of making a ring; then the other back end takes over */
};

struct request {
    bool exists; /* prepared or in the kernel */
    unsigned retries; /* of this slot's read, for transient errors */
};

struct uring_queue {
    const struct mr_queue_slots *slots;
    struct io_uring ring;
    struct request *requests; /* [slots->count] */
    unsigned n_in_kernel; /* submitted and not yet completed */
    unsigned retries; /* of io_uring_enter, in a row */
    int broken_errno; /* errno after io_uring_enter failed for good; otherwise 0 */
    bool registered;
    bool falls_back; /* to plain reads, once it is broken */
};

static void pause_briefly(void)
{
    const struct timespec millisecond = {.tv_nsec = 1000000};
    (void)nanosleep(&millisecond, NULL);
}

static void complete(struct uring_queue *queue, unsigned index)
{
    queue->requests[index].exists = false;
    queue->slots->at[index].complete = true;
}

/* Puts a request for the missing bytes of a slot into the ring, without submitting it. */
static void prepare(struct uring_queue *queue, unsigned index, bool blocking)
{
    struct mr_queue_slot *slot = &queue->slots->at[index];
    struct io_uring_sqe *sqe = io_uring_get_sqe(&queue->ring);
    int fd = mr_file_descriptor(slot->file);
    unsigned bytes = (unsigned)mr_min_u64(slot->bytes - slot->done, MAX_REQUEST_BYTES);

    assert(sqe != NULL);
    if (queue->registered) {
        io_uring_prep_read_fixed(sqe, fd, slot->data + slot->done, bytes, slot->offset + slot->done,
                                 (int)index);
    } else {
        io_uring_prep_read(sqe, fd, slot->data + slot->done, bytes, slot->offset + slot->done);
    }
    if (blocking) {
        sqe->flags |= IOSQE_ASYNC; /* run it on a kernel thread that may block */
    }
    io_uring_sqe_set_data64(sqe, index);
    queue->requests[index].exists = true;
}

/* A thread that exits cancels its requests, and a queue may change threads between uses. EAGAIN
 * means that the kernel would have had to block. */
static bool is_transient(int result)
{
    return result == -EINTR || result == -EAGAIN || result == -ECANCELED;
}

/* What becomes of a read when the ring is broken. */
static void read_without(const struct uring_queue *queue, struct mr_queue_slot *slot)
{
    if (queue->falls_back) {
        mr_queue_slot_read(slot);
    } else {
        slot->os_errno = queue->broken_errno;
    }
}

static void book(struct uring_queue *queue, unsigned index, int result)
{
    struct request *request = &queue->requests[index];
    struct mr_queue_slot *slot = &queue->slots->at[index];
    bool again = is_transient(result) && request->retries++ < MAX_RETRIES;

    if ((again || !mr_queue_slot_moved(slot, result)) && queue->broken_errno == 0) {
        prepare(queue, index, again);
        return;
    }
    if (slot->done < slot->bytes && queue->broken_errno != 0 && slot->os_errno == 0) {
        read_without(queue, slot);
    }
    complete(queue, index);
}

/* Records all available completions. */
static void reap(struct uring_queue *queue)
{
    struct io_uring_cqe *cqe;
    while (io_uring_peek_cqe(&queue->ring, &cqe) == 0) {
        unsigned index = (unsigned)io_uring_cqe_get_data64(cqe);
        int result = cqe->res;
        io_uring_cqe_seen(&queue->ring, cqe);
        queue->n_in_kernel--;
        book(queue, index, result);
    }
}

/* Gives up the ring after io_uring_enter failed for good, for example in a sandbox that was closed
 * after the start. Waits first until the kernel has released every buffer. */
static void give_up(struct uring_queue *queue, int os_errno)
{
    queue->broken_errno = os_errno;
    for (reap(queue); queue->n_in_kernel > 0; reap(queue)) {
        pause_briefly();
    }
    for (unsigned i = 0; i < queue->slots->count; i++) {
        if (queue->requests[i].exists) {
            read_without(queue, &queue->slots->at[i]);
            complete(queue, i);
        }
    }
}

/* Submits all prepared requests and waits for `n_wanted` completions. Requests that the kernel does
 * not accept now are submitted again at the next call. */
static void enter(struct uring_queue *queue, unsigned n_wanted)
{
    int result = io_uring_submit_and_wait(&queue->ring, n_wanted);
    if (result >= 0) {
        queue->n_in_kernel += (unsigned)result;
        queue->retries = 0;
    } else if (result == -EINTR) {
        return; /* a signal: the caller asks again */
    } else if ((result == -EAGAIN || result == -EBUSY) && queue->retries++ < MAX_RETRIES) {
        /* The kernel lacks memory, or room for completions. Both pass. */
        if (n_wanted > 0) {
            pause_briefly();
        }
    } else {
        give_up(queue, -result);
    }
}

static void uring_start(void *self, unsigned index)
{
    struct uring_queue *queue = self;
    struct mr_queue_slot *slot = &queue->slots->at[index];
    void *io_self;
    const struct mr_io_table *table = mr_io_table_of(mr_file_io(slot->file), &io_self);

    queue->requests[index] = (struct request){.exists = false};
    slot->os_errno =
        table->before_read(io_self, mr_file_descriptor(slot->file), slot->bytes, slot->offset);
    if (slot->os_errno == 0 && queue->broken_errno != 0) {
        read_without(queue, slot);
        slot->complete = true;
        return;
    }
    if (slot->os_errno != 0) {
        slot->complete = true;
        return;
    }
    prepare(queue, index, false);
    enter(queue, 0);
}

static void uring_wait(void *self, unsigned index)
{
    struct uring_queue *queue = self;
    const struct mr_queue_slot *slot = &queue->slots->at[index];

    reap(queue);
    while (!slot->complete) {
        enter(queue, 1);
        reap(queue);
    }
}

static void uring_destroy(void *self)
{
    struct uring_queue *queue = self;
    if (queue->registered) {
        /* io_uring_queue_exit would also unregister, but later: the next queue may need the locked
         * memory at once. */
        (void)io_uring_unregister_buffers(&queue->ring);
    }
    io_uring_queue_exit(&queue->ring);
    free(queue->requests);
    free(queue);
}

/* Pins the slots once instead of at every read. The kernel refuses it if RLIMIT_MEMLOCK is small (8
 * MiB by default); reads then use unregistered buffers. */
static bool register_buffers(struct uring_queue *queue)
{
    unsigned count = queue->slots->count;
    struct iovec *vectors = calloc(count, sizeof *vectors);
    if (vectors == NULL) {
        return false;
    }
    for (unsigned i = 0; i < count; i++) {
        vectors[i].iov_base = queue->slots->at[i].data;
        vectors[i].iov_len = queue->slots->slot_bytes;
    }
    bool registered = io_uring_register_buffers(&queue->ring, vectors, count) == 0;
    free(vectors);
    return registered;
}

/* Returns 0 or an errno. The ring itself counts as locked memory, and the kernel frees the memory
 * of a closed ring with a delay. A user with a small RLIMIT_MEMLOCK who makes several queues in a
 * row therefore gets ENOMEM for some milliseconds. */
static int init_ring(struct io_uring *ring, unsigned n_entries)
{
    int result = io_uring_queue_init(n_entries, ring, 0);
    for (int retry = 0; result == -ENOMEM && retry < MAX_INIT_RETRIES; retry++) {
        pause_briefly();
        result = io_uring_queue_init(n_entries, ring, 0);
    }
    return -result;
}

/* IORING_OP_READ exists since Linux 5.6, one year later than io_uring. */
static bool can_read(struct io_uring *ring)
{
    struct io_uring_probe *probe = io_uring_get_probe_ring(ring);
    bool supported = probe != NULL && io_uring_opcode_supported(probe, IORING_OP_READ);
    io_uring_free_probe(probe);
    return supported;
}

/* Submits an operation that does nothing, and waits for it. A sandbox may allow making a ring and
 * forbid using it. Returns 0 or an errno. */
static int try_out(struct io_uring *ring)
{
    struct io_uring_cqe *cqe = NULL;
    io_uring_prep_nop(io_uring_get_sqe(ring));
    int result = io_uring_submit(ring);
    while (result == -EINTR || result == 0) {
        result = io_uring_submit(ring);
    }
    if (result < 0) {
        return -result;
    }
    do {
        result = io_uring_wait_cqe(ring, &cqe);
    } while (result == -EINTR);
    if (result == 0) {
        io_uring_cqe_seen(ring, cqe);
    }
    return -result;
}

enum mr_status mr_queue_uring_create(const struct mr_queue_slots *slots, bool falls_back,
                                     const struct mr_queue_backend_table **table, void **self,
                                     bool *registered_buffers, struct mr_error *err)
{
    static const struct mr_queue_backend_table uring_table = {
        .start = uring_start, .wait = uring_wait, .destroy = uring_destroy};

    struct uring_queue *queue = calloc(1, sizeof *queue);
    struct request *requests = calloc(slots->count, sizeof *requests);
    if (queue == NULL || requests == NULL) {
        free(requests);
        free(queue);
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a read queue");
    }
    queue->slots = slots;
    queue->falls_back = falls_back;
    queue->requests = requests;
    int failure = init_ring(&queue->ring, slots->count);
    if (failure == 0) {
        failure = can_read(&queue->ring) ? try_out(&queue->ring) : ENOSYS;
        if (failure != 0) {
            io_uring_queue_exit(&queue->ring);
        }
    }
    if (failure != 0) {
        free(requests);
        free(queue);
        return mr_error_file(err, MR_ERROR_RUNTIME, NULL, failure, "io_uring is not available");
    }
    queue->registered = register_buffers(queue);
    *registered_buffers = queue->registered;
    *table = &uring_table;
    *self = queue;
    return MR_OK;
}
