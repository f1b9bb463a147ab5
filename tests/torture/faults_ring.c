/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of liburing that fail, and reads over io_uring that complete badly. A read is chosen while
 * its request waits in the ring. After the submission the library waits for its completion and
 * writes the bad result into the ring, before the program looks there. */
#include <errno.h>
#include <liburing.h>
#include <stdlib.h>
#include <time.h>

#include "tests/torture/faults.h"

#define API __attribute__((visibility("default")))
#define NEXT(TYPE, NAME, PARAMETERS)                                                               \
    static TYPE(*next) PARAMETERS;                                                                 \
    if (next == NULL) {                                                                            \
        *(void **)&next = fault_next(#NAME);                                                       \
    }

enum { MAX_CHOSEN = 64, SHORT_UNIT = 4096 };

API int io_uring_queue_init(unsigned entries, struct io_uring *ring, unsigned flags)
{
    NEXT(int, io_uring_queue_init, (unsigned, struct io_uring *, unsigned))
    return fault_strikes(FAULT_RING, "io_uring_queue_init", NULL) ? -EPERM
                                                                  : next(entries, ring, flags);
}

API struct io_uring_probe *io_uring_get_probe_ring(struct io_uring *ring)
{
    NEXT(struct io_uring_probe *, io_uring_get_probe_ring, (struct io_uring *))
    return fault_strikes(FAULT_RING, "io_uring_get_probe_ring", NULL) ? NULL : next(ring);
}

API int io_uring_register_buffers(struct io_uring *ring, const struct iovec *vectors, unsigned n)
{
    NEXT(int, io_uring_register_buffers, (struct io_uring *, const struct iovec *, unsigned))
    return fault_strikes(FAULT_RING, "io_uring_register_buffers", NULL) ? -ENOMEM
                                                                        : next(ring, vectors, n);
}

static bool chooses(const struct io_uring_sqe *sqe)
{
    if (sqe->opcode != IORING_OP_READ && sqe->opcode != IORING_OP_READ_FIXED) {
        return false;
    }
    return (fault_is_planned(FAULT_RING_EIO) && fault_strikes(FAULT_RING_EIO, "read EIO", NULL)) ||
           (fault_is_planned(FAULT_RING_AGAIN) &&
            fault_strikes(FAULT_RING_AGAIN, "read again", NULL)) ||
           (fault_is_planned(FAULT_RING_SHORT) && sqe->len >= 2 * SHORT_UNIT &&
            fault_strikes(FAULT_RING_SHORT, "read short", NULL));
}

static int bad_result(int result)
{
    static const int again[] = {-EINTR, -EAGAIN, -ECANCELED};
    static unsigned turn;
    if (fault_is_planned(FAULT_RING_EIO)) {
        return -EIO;
    }
    if (fault_is_planned(FAULT_RING_AGAIN)) {
        return again[turn++ % 3];
    }
    return result >= 2 * SHORT_UNIT ? result / 2 / SHORT_UNIT * SHORT_UNIT : result;
}

/* Waits for the completion of the request and makes it bad. */
static void spoil(struct io_uring *ring, uint64_t user_data)
{
    const struct timespec moment = {.tv_nsec = 20000};
    for (;;) {
        unsigned tail = io_uring_smp_load_acquire(ring->cq.ktail);
        for (unsigned at = *ring->cq.khead; at != tail; at++) {
            struct io_uring_cqe *cqe = &ring->cq.cqes[at & *ring->cq.kring_mask];
            if (cqe->user_data == user_data) {
                cqe->res = bad_result(cqe->res);
                return;
            }
        }
        (void)nanosleep(&moment, NULL);
    }
}

API int io_uring_submit_and_wait(struct io_uring *ring, unsigned wanted)
{
    uint64_t chosen[MAX_CHOSEN];
    unsigned n = 0;
    NEXT(int, io_uring_submit_and_wait, (struct io_uring *, unsigned))
    if (fault_strikes(FAULT_RING, "io_uring_submit_and_wait", NULL)) {
        return -EPERM;
    }
    for (unsigned at = ring->sq.sqe_head; at != ring->sq.sqe_tail && n < MAX_CHOSEN; at++) {
        const struct io_uring_sqe *sqe = &ring->sq.sqes[at & *ring->sq.kring_mask];
        if (chooses(sqe)) {
            chosen[n++] = sqe->user_data;
        }
    }
    int result = next(ring, wanted);
    for (unsigned i = 0; i < n && result > 0; i++) {
        spoil(ring, chosen[i]);
    }
    return result;
}
