/* SPDX-License-Identifier: Apache-2.0 */
/* Private to the library of faults (tests/torture): a shared object that LD_PRELOAD puts between
 * the program and the C library. It makes one call of the program fail, reports what leaks, and
 * records what the program changes on disk.
 *
 *     faults.c         the plan: which call fails; the report
 *     faults_memory.c  allocations, threads, leaks
 *     faults_files.c   files and names
 *     faults_ring.c    io_uring
 *     record.c         the record of changes for power_loss.py
 *
 * The environment says what to do:
 *
 *     MILLRACE_FAULT         CLASS:N the N-th call of the class fails, CLASS:N+ so do all later
 * ones MILLRACE_FAULT_SITES   K: only the first K calls from each place (call stack) count; 0: all
 *     MILLRACE_FAULT_LIST    D: nothing fails; all calls are listed, told apart by their D nearest
 *                            callers in the program
 *     MILLRACE_FAULT_REPORT  file that gets the report
 *     MILLRACE_FAULT_RECORD  stem of the files that get the record
 *     MILLRACE_FAULT_CLOCK   S or S:K: at each call the clock stands S seconds later than before;
 * the K-th call also interrupts the program
 *
 * Nothing is counted before main begins and after it returns. */
#ifndef MR_TESTS_TORTURE_FAULTS_H
#define MR_TESTS_TORTURE_FAULTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum fault_class {
    FAULT_NONE,
    FAULT_ALLOC, /* an allocation has no memory */
    FAULT_EIO, /* an operation on a file fails with EIO */
    FAULT_ENOSPC, /* one that takes space fails with ENOSPC */
    FAULT_EINTR, /* one that waits is interrupted */
    FAULT_SHORT, /* a transfer moves half */
    FAULT_THREAD, /* a thread cannot be made */
    FAULT_RING, /* a call of liburing fails */
    FAULT_RING_EIO, /* a read over io_uring completes with EIO */
    FAULT_RING_AGAIN, /* one completes with EINTR, EAGAIN or ECANCELED, in turn */
    FAULT_RING_SHORT, /* one moves half */
    N_FAULT_CLASSES
};

/* True if this call of class `class` fails. `what` and `path` (which may be NULL) go into the
 * report. */
bool fault_strikes(enum fault_class class, const char *what, const char *path);
bool fault_is_planned(enum fault_class class);
/* Turns counting off in this thread while the library itself works. */
void fault_pause(void);
void fault_resume(void);
bool fault_is_paused(void);
/* Adds a line to the report. */
void fault_report(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The address as an offset in the program, or 0 if it lies elsewhere. */
uintptr_t fault_offset_in_program(const void *address);
/* The next definition of a function, after this library's. */
void *fault_next(const char *name);
void fault_memory_begin(void);
/* Reports what the program has allocated and not freed. */
void fault_memory_end(void);

bool record_is_on(void);
void record_begin(void);
/* Changes are recorded in the order in which they happen: these two enclose the change and
 * its record. */
void record_lock(void);
void record_unlock(void);
void record_line(const char *format, ...) __attribute__((format(printf, 1, 2)));
void record_write(int fd, const void *data, size_t bytes, uint64_t offset);

#endif
