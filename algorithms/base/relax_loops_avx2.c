/* SPDX-License-Identifier: Apache-2.0 */
#define RELAX_LOOPS mr_relax_loops_avx2
#include "algorithms/base/relax_loops_any.h"
