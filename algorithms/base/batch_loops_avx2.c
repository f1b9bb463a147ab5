/* SPDX-License-Identifier: Apache-2.0 */
#define BATCH_LOOPS mr_batch_loops_avx2
#define LANES       8
#include "algorithms/base/batch_loops_any.h"
