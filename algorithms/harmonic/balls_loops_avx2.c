/* SPDX-License-Identifier: Apache-2.0 */
#define BALLS_LOOPS          mr_balls_loops_avx2
#define VECTOR_BYTES         32
#define VECTOR_MAXIMUM(a, b) _mm256_max_epu8((__m256i)(a), (__m256i)(b))
#include "algorithms/harmonic/balls_loops_any.h"
