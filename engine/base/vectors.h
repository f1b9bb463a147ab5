/* SPDX-License-Identifier: Apache-2.0 */
/* Vector types for loops that are compiled once for each instruction set: N values in memory,
 * aligned like a single value. Internal to the library.
 *
 * MR_VECTORS(2) defines doubles_2, floats_2, words_2 (unsigned) and longs_2, and load_double_2. Ask
 * for no longer vectors than the instruction set has: gcc passes longer ones in memory. */
#ifndef MR_ENGINE_BASE_VECTORS_H
#define MR_ENGINE_BASE_VECTORS_H

#include <stdalign.h>
#include <stdint.h>

#define MR_VECTOR_OF(type, name, N)                                                                \
    typedef type name##_##N                                                                        \
        __attribute__((vector_size(sizeof(type) * (N)), aligned(alignof(type)), may_alias))

#define MR_VECTORS(N)                                                                              \
    MR_VECTOR_OF(double, doubles, N);                                                              \
    MR_VECTOR_OF(float, floats, N);                                                                \
    MR_VECTOR_OF(uint64_t, words, N);                                                              \
    MR_VECTOR_OF(int64_t, longs, N);                                                               \
    static inline __attribute__((always_inline)) doubles_##N load_double_##N(const double *values) \
    {                                                                                              \
        return *(const doubles_##N *)values;                                                       \
    }

#endif
