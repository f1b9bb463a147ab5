/* SPDX-License-Identifier: Apache-2.0 */
/* Which instruction sets kernels may use. All kernels give the same bits; MILLRACE_KERNELS=portable
 * or avx2 in the environment keeps to a smaller set, so that tests can compare the kernels on one
 * machine. */
#ifndef MR_ENGINE_BASE_KERNELS_H
#define MR_ENGINE_BASE_KERNELS_H

#include <stdbool.h>

enum mr_kernel_set { MR_KERNELS_PORTABLE, MR_KERNELS_AVX2, MR_KERNELS_AVX512 };

/* May kernels of `set` be used? The caller asks what the machine has. Any other value of the
 * variable allows all. Thread-safe as long as nobody changes the environment. */
bool mr_kernels_allow(enum mr_kernel_set set);

/* Of loops that are compiled twice, those that this machine takes. */
#if defined(__x86_64__)
#define MR_KERNELS_AVX2_OR(avx2, portable)                                                         \
    (mr_kernels_allow(MR_KERNELS_AVX2) && __builtin_cpu_supports("avx2") ? (avx2) : (portable))
#else
#define MR_KERNELS_AVX2_OR(avx2, portable) (portable)
#endif

#endif
