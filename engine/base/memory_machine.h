/* SPDX-License-Identifier: Apache-2.0 */
/* mr_memory_of_machine with another root directory, so that tests can imitate a machine. */
#ifndef MR_ENGINE_BASE_MEMORY_MACHINE_H
#define MR_ENGINE_BASE_MEMORY_MACHINE_H

#include <stdint.h>

/* Like mr_memory_of_machine, but reads `root`/proc/meminfo, `root`/proc/self/cgroup,
 * `root`/proc/self/mountinfo and the cgroup files below `root`. "" is the real machine. */
uint64_t mr_memory_of_machine_below(const char *root);

#endif
