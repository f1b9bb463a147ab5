/* SPDX-License-Identifier: Apache-2.0 */
/* A back end that makes the operations of another one fail at a chosen count. Crash and error tests
 * put it between the engine and the real files. */
#include "tests/support/io_fault.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <unistd.h>

enum { CRASH_EXIT_CODE = 99, DIRECT_ALIGNMENT = 4096 };

struct fault {
    struct mr_io *inner; /* owned: destroyed with this back end */
    struct mr_fault_plan plan;
    _Atomic uint64_t count;
};

/* The fate of one operation. */
enum verdict { VERDICT_PASS, VERDICT_FAIL, VERDICT_HALF, VERDICT_CRASH, VERDICT_FLIP };

static enum verdict judge(struct fault *fault, enum mr_fault_operation operation)
{
    const struct mr_fault_plan *plan = &fault->plan;

    if ((plan->operations & (unsigned)operation) == 0) {
        return VERDICT_PASS;
    }
    uint64_t number = atomic_fetch_add(&fault->count, 1) + 1;
    if (plan->kind == MR_FAULT_NONE || plan->at == 0 || number < plan->at) {
        return VERDICT_PASS;
    }
    bool moves = operation == MR_FAULT_ON_READ || operation == MR_FAULT_ON_WRITE;
    if (plan->kind == MR_FAULT_SHORT && moves) {
        if (number == plan->at) {
            return VERDICT_HALF;
        }
        bool fails = plan->error_number != 0 && (number == plan->at + 1 || plan->and_after);
        return fails ? VERDICT_FAIL : VERDICT_PASS;
    }
    if (number > plan->at && !plan->and_after) {
        return VERDICT_PASS;
    }
    if (plan->kind == MR_FAULT_FLIP) {
        return operation == MR_FAULT_ON_READ ? VERDICT_FLIP : VERDICT_PASS;
    }
    return plan->kind == MR_FAULT_CRASH ? VERDICT_CRASH : VERDICT_FAIL;
}

/* For operations that happen completely or not at all: 0 to go on, else the errno to return. */
static int admit(struct fault *fault, enum mr_fault_operation operation)
{
    switch (judge(fault, operation)) {
    case VERDICT_PASS:
    case VERDICT_FLIP:
        return 0;
    case VERDICT_CRASH:
        _exit(CRASH_EXIT_CODE);
    case VERDICT_FAIL:
    case VERDICT_HALF:
    default:
        return fault->plan.error_number != 0 ? fault->plan.error_number : EIO;
    }
}

/* Half of a transfer, but at least one byte (zero would mean the end of the file), and whole direct
 * blocks if there are several. */
static uint64_t half_of(uint64_t bytes)
{
    uint64_t half = bytes / 2;
    if (half >= DIRECT_ALIGNMENT) {
        return half - half % DIRECT_ALIGNMENT;
    }
    return half > 0 ? half : bytes;
}

static const struct mr_io_table *inner_table(struct fault *fault, void **inner_self)
{
    return mr_io_table_of(fault->inner, inner_self);
}

static int fault_open(void *self, const char *path, unsigned flags, int *fd, bool *direct)
{
    void *inner;
    const struct mr_io_table *table = inner_table(self, &inner);
    int failure = (flags & MR_OPEN_WRITE) != 0 ? admit(self, MR_FAULT_ON_NAME) : 0;
    return failure != 0 ? failure : table->open(inner, path, flags, fd, direct);
}

static int64_t flip(char *data, int64_t n_read)
{
    for (int64_t i = 0; i < n_read; i++) {
        data[i] = (char)~data[i];
    }
    return n_read;
}

static int64_t fault_read_at(void *self, int fd, void *data, uint64_t bytes, uint64_t offset)
{
    struct fault *fault = self;
    void *inner;
    const struct mr_io_table *table = inner_table(fault, &inner);

    switch (judge(fault, MR_FAULT_ON_READ)) {
    case VERDICT_CRASH:
        _exit(CRASH_EXIT_CODE);
    case VERDICT_FAIL:
        return -(int64_t)fault->plan.error_number;
    case VERDICT_HALF:
        return table->read_at(inner, fd, data, half_of(bytes), offset);
    case VERDICT_FLIP:
        return flip(data, table->read_at(inner, fd, data, bytes, offset));
    case VERDICT_PASS:
    default:
        return table->read_at(inner, fd, data, bytes, offset);
    }
}

static int64_t fault_write_at(void *self, int fd, const void *data, uint64_t bytes, uint64_t offset)
{
    struct fault *fault = self;
    void *inner;
    const struct mr_io_table *table = inner_table(fault, &inner);

    switch (judge(fault, MR_FAULT_ON_WRITE)) {
    case VERDICT_CRASH:
        (void)table->write_at(inner, fd, data, half_of(bytes), offset);
        _exit(CRASH_EXIT_CODE);
    case VERDICT_FAIL:
        return -(int64_t)fault->plan.error_number;
    case VERDICT_HALF:
        return table->write_at(inner, fd, data, half_of(bytes), offset);
    case VERDICT_FLIP: /* for reads only */
    case VERDICT_PASS:
    default:
        return table->write_at(inner, fd, data, bytes, offset);
    }
}

static int fault_sync(void *self, int fd)
{
    void *inner;
    const struct mr_io_table *table = inner_table(self, &inner);
    int failure = admit(self, MR_FAULT_ON_SYNC);
    return failure != 0 ? failure : table->sync(inner, fd);
}

static int fault_close(void *self, int fd)
{
    void *inner;
    const struct mr_io_table *table = inner_table(self, &inner);
    int mode = fcntl(fd, F_GETFL);
    bool writable = mode >= 0 && (mode & O_ACCMODE) != O_RDONLY;
    int failure = writable ? admit(self, MR_FAULT_ON_SYNC) : 0;
    /* The file is closed in any case, as the kernel does on errors, so that tests do not run out of
     * files. */
    int inner_failure = table->close(inner, fd);
    return failure != 0 ? failure : inner_failure;
}

static int fault_start_sync(void *self, int fd, uint64_t offset, uint64_t bytes)
{
    void *inner;
    const struct mr_io_table *table = inner_table(self, &inner);
    return table->start_sync(inner, fd, offset, bytes); /* not counted, as fault_punch */
}

static int fault_punch(void *self, int fd, uint64_t offset, uint64_t bytes)
{
    void *inner;
    const struct mr_io_table *table = inner_table(self, &inner);
    /* not counted, because callers ignore its result */
    return table->punch(inner, fd, offset, bytes);
}

static int fault_rename(void *self, const char *from, const char *to, enum mr_rename_mode mode)
{
    void *inner;
    const struct mr_io_table *table = inner_table(self, &inner);
    int failure = admit(self, MR_FAULT_ON_NAME);
    return failure != 0 ? failure : table->rename(inner, from, to, mode);
}

static int fault_unlink(void *self, const char *path)
{
    void *inner;
    const struct mr_io_table *table = inner_table(self, &inner);
    int failure = admit(self, MR_FAULT_ON_NAME);
    return failure != 0 ? failure : table->unlink(inner, path);
}

static int fault_make_dir(void *self, const char *path)
{
    void *inner;
    const struct mr_io_table *table = inner_table(self, &inner);
    int failure = admit(self, MR_FAULT_ON_NAME);
    return failure != 0 ? failure : table->make_dir(inner, path);
}

static int fault_remove_dir(void *self, const char *path)
{
    void *inner;
    const struct mr_io_table *table = inner_table(self, &inner);
    int failure = admit(self, MR_FAULT_ON_NAME);
    return failure != 0 ? failure : table->remove_dir(inner, path);
}

static int fault_sync_dir(void *self, const char *path)
{
    void *inner;
    const struct mr_io_table *table = inner_table(self, &inner);
    int failure = admit(self, MR_FAULT_ON_NAME);
    return failure != 0 ? failure : table->sync_dir(inner, path);
}

static int fault_before_read(void *self, int fd, uint64_t bytes, uint64_t offset)
{
    void *inner;
    const struct mr_io_table *table = inner_table(self, &inner);
    int failure = admit(self, MR_FAULT_ON_READ);
    return failure != 0 ? failure : table->before_read(inner, fd, bytes, offset);
}

static void fault_destroy(void *self)
{
    struct fault *fault = self;
    mr_io_destroy(fault->inner);
    free(fault);
}

enum mr_status mr_io_create_fault(struct mr_io *inner, const struct mr_fault_plan *plan,
                                  struct mr_io **out, struct mr_error *err)
{
    static const struct mr_io_table table = {
        .open = fault_open,
        .read_at = fault_read_at,
        .write_at = fault_write_at,
        .sync = fault_sync,
        .close = fault_close,
        .start_sync = fault_start_sync,
        .punch = fault_punch,
        .rename = fault_rename,
        .unlink = fault_unlink,
        .make_dir = fault_make_dir,
        .remove_dir = fault_remove_dir,
        .sync_dir = fault_sync_dir,
        .before_read = fault_before_read,
        .destroy = fault_destroy,
    };
    assert(plan->error_number > 0 || plan->kind != MR_FAULT_ERROR);
    *out = NULL;
    struct fault *fault = malloc(sizeof *fault);
    if (fault == NULL) {
        mr_io_destroy(inner);
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for the fault injection");
    }
    fault->inner = inner;
    fault->plan = *plan;
    atomic_init(&fault->count, 0);
    return mr_io_create(&table, fault, out, err);
}

uint64_t mr_io_fault_count(const struct mr_io *io)
{
    void *self;
    const struct mr_io_table *table = mr_io_table_of(io, &self);
    assert(table->destroy == fault_destroy);
    (void)table;
    return atomic_load(&((struct fault *)self)->count);
}
