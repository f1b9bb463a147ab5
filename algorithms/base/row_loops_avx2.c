/* SPDX-License-Identifier: Apache-2.0 */
/* Vectors of four doubles. */
#define VECTOR_BYTES 32
#define ROW_LOOPS    mr_row_loops_avx2
#include "algorithms/base/row_loops_any.h"
