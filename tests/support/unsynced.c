/* SPDX-License-Identifier: Apache-2.0 */
/* A library that goes between a test and the C library (LD_PRELOAD): files and folders are not
 * written to the disk. Tests make thousands of stores, and wait for the disk longer than they
 * compute. What a sync is for, the loss of power, is tested by tests/torture/power_loss.py; tests
 * of crashes and of full disks run without this library (cmake/MillraceTest.cmake). */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What has no disk answers as ever: a pipe, a bad descriptor. */
static int skip(int fd, long number)
{
    struct stat status;
    if (fstat(fd, &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode))) {
        return 0;
    }
    return (int)syscall(number, fd);
}

int fsync(int fd)
{
    return skip(fd, SYS_fsync);
}

int fdatasync(int fd)
{
    return skip(fd, SYS_fdatasync);
}

int sync_file_range(int fd, off_t offset, off_t bytes, unsigned flags)
{
    (void)fd;
    (void)offset;
    (void)bytes;
    (void)flags;
    return 0;
}
