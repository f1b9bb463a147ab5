/* SPDX-License-Identifier: Apache-2.0 */
/* A back end that makes another one fail on purpose, for crash and error tests. Thread-safe. With
 * several threads, any of them may meet the at-th operation. */
#ifndef MR_TESTS_SUPPORT_IO_FAULT_H
#define MR_TESTS_SUPPORT_IO_FAULT_H

#include "engine/io/io.h"

enum mr_fault_kind {
    MR_FAULT_NONE,
    MR_FAULT_ERROR, /* the operation returns `error_number` and does nothing (but close closes) */
    /* A read or write moves half, and the next one returns `error_number`; if that is 0, the rest
     * succeeds. Other operations: as ERROR. */
    MR_FAULT_SHORT,
    MR_FAULT_CRASH, /* write half of the data, then end the process: _exit(99) */
    /* A read succeeds and returns wrong bytes: all bits are flipped. Other operations: as NONE. */
    MR_FAULT_FLIP
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
    unsigned operations; /* the operations to count, a mask of enum mr_fault_operation */
    uint64_t at; /* the counted operation that fails, from 1; 0: none */
    bool and_after; /* all later ones fail too, as on a disk that stays full */
    int error_number; /* EIO, ENOSPC ... */
};

/* The result owns `inner`, which is destroyed also after an error. */
enum mr_status mr_io_create_fault(struct mr_io *inner, const struct mr_fault_plan *plan,
                                  struct mr_io **out, struct mr_error *err) MR_WARN_UNUSED;
/* The number of operations counted so far. A run without a fault tells how many there are. */
uint64_t mr_io_fault_count(const struct mr_io *io);

#endif
