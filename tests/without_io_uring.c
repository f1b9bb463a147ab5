/* SPDX-License-Identifier: Apache-2.0 */
/* Run a program that may not use io_uring, as in a container:
 *
 *     without_io_uring [--enter] PROGRAM ARGUMENT...
 *
 * A seccomp filter answers io_uring_setup with EPERM; with --enter it is io_uring_enter, so that a
 * ring can be made and not used. The filter holds for this process alone and needs no rights. Exit
 * code 77 where the kernel has no such filters. */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { EXIT_SKIPPED = 77 };

int main(int argc, char **argv)
{
    const bool only_enter = argc > 2 && strcmp(argv[1], "--enter") == 0;
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, only_enter ? SYS_io_uring_enter : SYS_io_uring_setup, 0,
                 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {.len = sizeof filter / sizeof filter[0], .filter = filter};

    if (argc < 2) {
        (void)fprintf(stderr, "usage: without_io_uring [--enter] PROGRAM ARGUMENT...\n");
        return 2;
    }
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) != 0) {
        (void)fprintf(stderr, "without_io_uring: seccomp: %s\n", strerror(errno));
        return EXIT_SKIPPED;
    }
    argv += only_enter;
    (void)execvp(argv[1], argv + 1);
    (void)fprintf(stderr, "without_io_uring: %s: %s\n", argv[1], strerror(errno));
    return 1;
}
