/* SPDX-License-Identifier: Apache-2.0 */
#define ACCELERATION_LOOPS mr_acceleration_loops_avx2
#include "algorithms/base/acceleration_loops_any.h"
