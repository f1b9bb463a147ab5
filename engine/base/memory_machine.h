/* SPDX-License-Identifier: Apache-2.0 */
/* What the machine gives a process: memory, seen from another root directory, so that tests can
 * imitate a machine, and stacks. */
#ifndef MR_ENGINE_BASE_MEMORY_MACHINE_H
#define MR_ENGINE_BASE_MEMORY_MACHINE_H

#include <stdint.h>

#include "engine/base/error.h"

/* Like mr_memory_of_machine, but reads `root`/proc/meminfo, `root`/proc/self/cgroup,
 * `root`/proc/self/mountinfo and the cgroup files below `root`. "" is the real machine. */
uint64_t mr_memory_of_machine_below(const char *root);

/* Refuses a limit of stacks below 256 KiB, of this thread or of those of OpenMP: they would
 * overflow without a message. Errors: BUDGET, with what to set. */
enum mr_status mr_memory_check_stacks(struct mr_error *err) MR_WARN_UNUSED;

#endif
