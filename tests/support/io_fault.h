/* A back end that makes another one fail on purpose: for crash and error tests. Thread-safe; with
 * several threads it is open which of them meets the at-th operation. */
#ifndef MR_TESTS_SUPPORT_IO_FAULT_H
#define MR_TESTS_SUPPORT_IO_FAULT_H

#include "engine/io/io.h"

enum mr_fault_kind {
    MR_FAULT_NONE,
    MR_FAULT_ERROR, /* the operation returns `error_number` and does nothing (close closes) */
    MR_FAULT_SHORT, /* a read or write moves half, the next one returns error_number; with
                            * error_number 0 the rest goes well. Other operations: as ERROR */
    MR_FAULT_CRASH, /* writes half of the data, then the process ends: _exit(99) */
    MR_FAULT_FLIP /* a read goes well and returns other bytes than are there: all bits flipped. Other
                            * operations: as NONE */
};

enum mr_fault_operation {
    MR_FAULT_ON_READ = 1,
    MR_FAULT_ON_WRITE = 2,
    MR_FAULT_ON_SYNC = 4, /* sync, and close of a file open for writing */
    MR_FAULT_ON_NAME = 8, /* open for writing, rename, unlink, make_dir, remove_dir, sync_dir */
    MR_FAULT_ON_CHANGE = MR_FAULT_ON_WRITE | MR_FAULT_ON_SYNC | MR_FAULT_ON_NAME
};

struct mr_fault_plan {
    enum mr_fault_kind kind;
    unsigned operations; /* mask of enum mr_fault_operation that count */
    uint64_t at; /* fails at the at-th counted operation, from 1; 0: never */
    bool and_after; /* every later one too (a disk that stays full) */
    int error_number; /* EIO, ENOSPC ... */
};

/* `inner` becomes owned by the result, also on failure. */
enum mr_status mr_io_create_fault(struct mr_io *inner, const struct mr_fault_plan *plan,
                                  struct mr_io **out, struct mr_error *err) MR_WARN_UNUSED;
/* Counted operations so far: run once without a fault to learn how many there are. */
uint64_t mr_io_fault_count(const struct mr_io *io);

#endif
