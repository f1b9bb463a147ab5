/* SPDX-License-Identifier: Apache-2.0 */
/* What a ranking has room for: its least memory, the depth of its acceleration. How long it takes.
 */
#include "algorithms/base/relaxation.h"

#include "engine/base/count_text.h"
#include "engine/base/memory.h"
#include "engine/pass/pass.h"

uint64_t mr_ranking_available(const struct mr_context *context, const struct mr_store_info *info)
{
    const uint64_t available = mr_memory_available(context->memory);
    const uint64_t held = MR_MEMORY_RESERVE_BYTES + info->index_bytes;
    return available > UINT64_MAX - held ? UINT64_MAX : available + held;
}

enum mr_status mr_ranking_require(const struct mr_context *context,
                                  const struct mr_store_info *info, uint64_t needs,
                                  struct mr_error *err)
{
    const uint64_t available = mr_ranking_available(context, info);
    char enough[32];
    if (needs <= available) {
        return MR_OK;
    }
    const uint64_t limit = mr_memory_limit(context->memory);
    return mr_error_set(err, MR_ERROR_BUDGET, "this ranking needs --memory %s or more",
                        mr_size_option(limit + (needs - available), limit, enough));
}

unsigned mr_relaxation_fit(const struct mr_context *context, const struct mr_store_info *info,
                           const uint64_t needs[MR_RELAXATION_DEPTHS], uint64_t second_thread)
{
    const uint64_t available = mr_ranking_available(context, info);
    const unsigned last = MR_RELAXATION_DEPTHS - 1;
    const uint64_t room = needs[last] + second_thread <= available ? second_thread : 0;
    unsigned i = 0;

    while (i < last && (needs[i] > available || room > available - needs[i])) {
        i++;
    }
    return mr_relaxation_depths[i];
}

void mr_relaxation_note(const struct mr_context *context, unsigned depth, uint64_t best_needs)
{
    char enough[32];

    mr_size_option(best_needs, mr_memory_limit(context->memory), enough);
    mr_context_note(context,
                    "the acceleration has depth %u; depth %u, the links and sweeps over those "
                    "inside bands take --memory %s",
                    depth, mr_relaxation_depths[0], enough);
}
