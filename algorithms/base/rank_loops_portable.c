#define RANK_LOOPS mr_rank_loops_portable
#include "algorithms/base/rank_loops_any.h"

const struct mr_rank_loops *mr_rank_loops_best(void)
{
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        return &mr_rank_loops_avx2;
    }
#endif
    return &mr_rank_loops_portable;
}
