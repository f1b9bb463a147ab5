/* SPDX-License-Identifier: Apache-2.0 */
#define BALLS_LOOPS          mr_balls_loops_avx512
#define VECTOR_BYTES         64
#define VECTOR_MAXIMUM(a, b) _mm512_max_epu8((__m512i)(a), (__m512i)(b))
#include "algorithms/harmonic/balls_loops_any.h"
