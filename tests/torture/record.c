/* SPDX-License-Identifier: Apache-2.0 */
/* The record of changes: each change that the program makes to a disk, in order, as a line of text;
 * the bytes of writes in a second file. power_loss.py reads it and makes the disks that a power
 * loss could leave. The record lies below the table of file operations, so that it has every
 * change, whoever makes it. */
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/torture/faults.h"

static int lines = -1, bytes_file = -1;
static uint64_t written;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;

static int open_file(const char *stem, const char *suffix)
{
    char path[4096];
    (void)snprintf(path, sizeof path, "%s.%s", stem, suffix);
    return (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
}

bool record_is_on(void)
{
    return lines >= 0 && !fault_is_paused();
}

void record_begin(void)
{
    const char *stem = getenv("MILLRACE_FAULT_RECORD");
    if (stem != NULL) {
        bytes_file = open_file(stem, "bytes");
        lines = open_file(stem, "lines");
    }
}

void record_lock(void)
{
    if (lines >= 0) {
        (void)pthread_mutex_lock(&mutex);
    }
}

void record_unlock(void)
{
    if (lines >= 0) {
        (void)pthread_mutex_unlock(&mutex);
    }
}

void record_line(const char *format, ...)
{
    char line[8400];
    va_list arguments;
    if (!record_is_on()) {
        return;
    }
    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    if (length > 0 && (size_t)length < sizeof line) {
        (void)syscall(SYS_write, lines, line, (size_t)length);
    }
}

void record_write(int fd, const void *data, size_t bytes, uint64_t offset)
{
    struct stat status;
    if (!record_is_on() || fstat(fd, &status) != 0 || !S_ISREG(status.st_mode)) {
        return;
    }
    (void)syscall(SYS_write, bytes_file, data, bytes);
    record_line("write %d %llu %llu %llu\n", fd, (unsigned long long)offset,
                (unsigned long long)bytes, (unsigned long long)written);
    written += bytes;
}
