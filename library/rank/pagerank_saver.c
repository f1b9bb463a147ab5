/* SPDX-License-Identifier: Apache-2.0 */
#include "library/rank/pagerank_saver.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include <xxhash.h>

#include "engine/base/clock.h"
#include "engine/io/checkpoint.h"
#include "millrace/version.h"

#define WORTH_A_SAVE_S  10.0 /* shorter runs save no checkpoint without --checkpoint */
#define SAVE_INTERVAL_S 60.0 /* time between checkpoints */

/* Writes everything that the state depends on to saver->text. */
static void describe_state(struct mr_pagerank_saver *saver, const struct mr_store_info *info,
                           const struct mr_pagerank_options *options)
{
    const uint64_t teleport =
        options->teleport == NULL
            ? 0
            : XXH3_64bits(options->teleport, options->n_teleport * sizeof *options->teleport);
    (void)snprintf(saver->text, sizeof saver->text,
                   "store %016" PRIx64 ", damping %.17g, dangling %d%s, precision %d, iterations "
                   "%" PRIu64 ", tolerance %.17g, inner %" PRIu64 ", acceleration %" PRIu64
                   ", teleport %016" PRIx64 ", links %u %.17g %.17g, millrace %s",
                   info->store_id, options->damping, (int)options->dangling,
                   options->heritrix ? ", heritrix" : "", (int)options->precision,
                   options->iterations, options->heritrix ? options->tolerance : 0, options->inner,
                   options->acceleration, teleport, info->classes, info->class_weights[0],
                   info->class_weights[1], MR_VERSION);
}

/* The solver calls this between two passes. Saves the state at intervals and when the run is
 * asked to stop. */
static enum mr_status save_state(void *data, const struct mr_checkpoint_part *parts,
                                 unsigned n_parts, struct mr_error *err)
{
    struct mr_pagerank_saver *saver = data;
    const struct mr_context *context = saver->context;
    const double now = mr_now();
    const bool is_asked = mr_context_cancelled(context);
    const bool is_due = saver->only_at_interruption
                            ? is_asked && now - saver->began >= WORTH_A_SAVE_S
                            : is_asked || now - saver->saved_at >= SAVE_INTERVAL_S;
    if (is_due) {
        const enum mr_status status =
            mr_checkpoint_write(context->io, saver->path, saver->text, parts, n_parts, err);
        if (status != MR_OK) {
            return status;
        }
        saver->saved_at = mr_now();
        saver->is_ours = true;
    }
    return mr_context_poll(context, err);
}

static enum mr_status restore_state(void *data, const struct mr_checkpoint_part *parts,
                                    unsigned n_parts, struct mr_error *err)
{
    struct mr_pagerank_saver *saver = data;
    const enum mr_status status =
        mr_checkpoint_read(saver->context->io, saver->path, saver->text, parts, n_parts, err);
    saver->is_ours = status == MR_OK;
    return status;
}

/* Moves the checkpoint of another run to a name of its own, PATH.1, PATH.2, ...: that run may go on
 * from it. */
static enum mr_status keep_other(const struct mr_pagerank_saver *saver, struct mr_error *err)
{
    char *kept = NULL;

    for (unsigned n = 1; n == 1 || mr_io_exists(kept); n++) {
        free(kept);
        if (asprintf(&kept, "%s.%u", saver->path, n) < 0) {
            return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a path");
        }
    }
    const enum mr_status status =
        mr_io_rename(saver->context->io, saver->path, kept, MR_RENAME_NO_REPLACE, err);
    if (status == MR_OK) {
        mr_context_note(saver->context,
                        "the checkpoint %s is of another graph or of other options, and is now "
                        "%s; the ranking begins anew",
                        saver->path, kept);
    }
    free(kept);
    return status;
}

enum mr_status mr_pagerank_saver_begin(struct mr_pagerank_saver *saver,
                                       const struct mr_store *links,
                                       const struct mr_pagerank_options *options,
                                       struct mr_pagerank_hooks *hooks, struct mr_error *err)
{
    enum mr_status status = MR_OK;

    saver->began = saver->saved_at = mr_now();
    describe_state(saver, mr_store_get_info(links), options);
    if (saver->resumes && saver->may_begin) {
        status = mr_checkpoint_read(saver->context->io, saver->path, saver->text, NULL, 0, err);
        saver->resumes = status != MR_ERROR_USAGE;
    }
    if (status == MR_ERROR_USAGE) {
        mr_error_clear(err);
        status = keep_other(saver, err);
    }
    hooks->state_data = saver;
    hooks->save = save_state;
    hooks->restore = saver->resumes ? restore_state : NULL;
    return status;
}

enum mr_status mr_pagerank_saver_end(const struct mr_pagerank_saver *saver, enum mr_status status,
                                     struct mr_error *err)
{
    if (status == MR_OK && saver->is_ours) {
        status = mr_io_unlink(saver->context->io, saver->path, err);
    } else if (status == MR_INTERRUPTED && saver->is_ours) {
        mr_error_clear(err);
        status = mr_error_set(err, MR_INTERRUPTED,
                              "interrupted; the state is in %s: --resume continues", saver->path);
    }
    return status;
}

enum mr_status mr_pagerank_saver_check(const char *path, bool may_exist, struct mr_error *err)
{
    const enum mr_status status = mr_checkpoint_may_replace(path, err);

    return status == MR_OK && !may_exist && mr_io_exists(path)
               ? mr_error_file(err, MR_ERROR_USAGE, path, 0,
                               "exists; --resume continues from it, --force starts again")
               : status;
}
