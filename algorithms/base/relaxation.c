/* The depth of the acceleration that a run has room for. */
#include "algorithms/base/relaxation.h"

#include "engine/base/memory.h"

unsigned mr_relaxation_fit(const struct mr_context *context, const struct mr_store_info *info,
                           const uint64_t needs[MR_RELAXATION_DEPTHS])
{
    const uint64_t available =
        mr_memory_available(context->memory) + MR_MEMORY_RESERVE_BYTES + info->index_bytes;
    unsigned i = 0;
    while (i + 1 < MR_RELAXATION_DEPTHS && needs[i] > available) {
        i++;
    }
    if (i > 0) {
        mr_context_note(
            context, "the acceleration has depth %u, since depth %u needs --memory %lluMi or more",
            mr_relaxation_depths[i], mr_relaxation_depths[0],
            (unsigned long long)mr_div_up(needs[0], UINT64_C(1) << 20));
    }
    return mr_relaxation_depths[i];
}
