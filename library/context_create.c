/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the contexts of the public API: a struct mr_context together with everything that it points
 * to, from options with defaults. The program millrace makes its own of one.
 */
#include "engine/base/context.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/memory.h"
#include "engine/base/sized_struct.h"
#include "engine/base/team.h"
#include "engine/io/io.h"

struct owned_context {
    struct mr_context context; /* first, so that the handle has its address */
    volatile sig_atomic_t stop;
    char *tmp_dir;
};

/* The default share of the machine's free memory, in quarters. */
#define DEFAULT_SHARE_QUARTERS 3u

static enum mr_status fill(struct owned_context *owned, const struct mr_context_options *options,
                           struct mr_error *err)
{
    struct mr_context *context = &owned->context;
    const uint64_t limit = options->memory_bytes > 0
                               ? options->memory_bytes
                               : mr_memory_of_machine() / 4 * DEFAULT_SHARE_QUARTERS;

    if (options->threads > MR_THREADS_MAX) {
        return mr_error_set(err, MR_ERROR_USAGE, "%u threads; there can be 1 to %u",
                            options->threads, MR_THREADS_MAX);
    }
    context->threads = options->threads > 0 ? options->threads : mr_team_default_threads();
    context->cancel = &owned->stop;
    context->progress = options->progress;
    context->progress_data = options->progress_data;
    context->note = options->note;
    context->note_data = options->note_data;
    if (options->tmp_dir != NULL) {
        if (!mr_io_is_directory(options->tmp_dir)) {
            return mr_error_file(err, MR_ERROR_USAGE, options->tmp_dir, 0,
                                 "no such directory; make it first");
        }
        owned->tmp_dir = strdup(options->tmp_dir);
        if (owned->tmp_dir == NULL) {
            return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a context");
        }
        context->tmp_dir = owned->tmp_dir;
    }
    const enum mr_status status = mr_memory_create(limit, &context->memory, err);
    return status == MR_OK ? mr_io_create_real(&context->io, err) : status;
}

enum mr_status mr_context_create(const struct mr_context_options *options, struct mr_context **out,
                                 struct mr_error *err)
{
    struct mr_context_options taken = MR_CONTEXT_OPTIONS_INIT;
    struct owned_context *owned = NULL;

    *out = NULL;
    enum mr_status status = mr_sized_copy(options, &taken, sizeof taken, err);
    if (status != MR_OK) {
        return status;
    }
    owned = calloc(1, sizeof *owned);
    if (owned == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a context");
    }
    status = fill(owned, &taken, err);
    if (status != MR_OK) {
        mr_context_destroy(&owned->context);
        return status;
    }
    *out = &owned->context;
    return MR_OK;
}

void mr_context_destroy(struct mr_context *context)
{
    if (context == NULL) {
        return;
    }
    struct owned_context *owned = (struct owned_context *)context;
    mr_io_destroy(context->io);
    mr_memory_destroy(context->memory);
    free(owned->tmp_dir);
    free(owned);
}

void mr_context_stop(struct mr_context *context, bool stops)
{
    __atomic_store_n(&((struct owned_context *)context)->stop, stops, __ATOMIC_RELAXED);
}

uint64_t mr_context_memory_limit(const struct mr_context *context)
{
    return mr_memory_limit(context->memory);
}

uint64_t mr_context_memory_peak(const struct mr_context *context)
{
    return mr_memory_peak(context->memory);
}
