#define RANK_LOOPS mr_rank_loops_avx2
#include "algorithms/base/rank_loops_any.h"
