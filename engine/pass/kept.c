/* SPDX-License-Identifier: Apache-2.0 */
/* The pass that an open store keeps. To make a pass takes as long as a ranking of some 10,000
 * links: a ring, buffers, thousands of fresh pages, links that are read and decoded. So a small one
 * that has all in memory goes to its store when it is closed, and the next one with the same
 * options is this one. It keeps no queue, which may have a thread or a ring. */
#include "engine/base/memory.h"
#include "engine/pass/internal.h"

/* Would a new pass be the same? It would have all in memory, too. */
static bool is_for(const struct mr_pass *pass, const struct mr_context *context,
                   const struct mr_pass_options *options)
{
    const struct mr_context *c = &pass->made_for;
    const struct mr_pass_options *o = &pass->options;
    const uint64_t available = mr_memory_available(context->memory);
    return c->memory == context->memory && c->io == context->io && c->backend == context->backend &&
           c->threads == context->threads && o->no_pinning == options->no_pinning &&
           o->decode_pinned == options->decode_pinned && o->relaxes == options->relaxes &&
           o->sweeps == options->sweeps && o->may_skip == options->may_skip &&
           o->scales_weights == options->scales_weights && options->leave_bytes <= available &&
           pass->bytes <= available - options->leave_bytes;
}

struct mr_pass *mr_pass_take_kept(const struct mr_context *context, struct mr_store *store,
                                  const struct mr_pass_options *options)
{
    struct mr_kept *kept = mr_store_keep(store, NULL);
    struct mr_pass *pass = (struct mr_pass *)kept;
    if (kept == NULL) {
        return NULL;
    }
    if (!is_for(pass, context, options)) {
        kept->destroy(kept);
        return NULL;
    }
    mr_memory_wake(context->memory, pass->bytes);
    pass->context = context;
    pass->figures = pass->opened;
    return pass;
}

bool mr_pass_keep(struct mr_pass *pass)
{
    struct mr_memory *memory = pass->context->memory;
    if (pass->bytes == 0 || pass->bytes > MR_STORE_KEEPS_BYTES || pass->order.status != MR_OK ||
        pass->pinned_degrees == NULL || pass->pinned_blocks < pass->info->n_blocks ||
        memory != mr_store_memory(pass->store)) {
        return false;
    }
    const uint64_t before = mr_memory_available(memory);
    for (unsigned i = 0; i < pass->n_workers; i++) {
        mr_queue_destroy(pass->workers[i].queue);
        pass->workers[i].queue = NULL;
    }
    pass->bytes -= mr_memory_available(memory) - before;
    if (!mr_memory_idle(memory, pass->bytes)) {
        return false;
    }
    pass->made_for = *pass->context;
    pass->context = &pass->made_for;
    struct mr_kept *other = mr_store_keep(pass->store, &pass->kept);
    if (other != NULL) {
        other->destroy(other);
    }
    return true;
}
