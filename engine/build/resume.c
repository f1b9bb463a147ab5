/* SPDX-License-Identifier: Apache-2.0 */
/* Builds with a checkpoint: the text that a build must share with its checkpoint, the disk that a
 * checkpoint takes, and the moment of saving. build.c and finish.c call these functions;
 * build_checkpoint.c works on the files. */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/build/internal.h"
#include "engine/io/io.h"
#include "millrace/version.h"

char *mr_build_checkpoint_text(const struct mr_build_options *options)
{
    const char *more = options->checkpoint_text != NULL ? options->checkpoint_text : "";
    char vertices[64], *text = NULL;
    if (options->ids == MR_IDS_DENSE) {
        (void)snprintf(vertices, sizeof vertices, "%" PRIu64 " pages", options->n_vertices);
    } else if (options->ids == MR_IDS_SPARSE) {
        (void)snprintf(vertices, sizeof vertices, "pages are numbers");
    } else {
        (void)snprintf(vertices, sizeof vertices, "pages are names of kind %u",
                       options->name_key_number);
    }
    return asprintf(&text, "millrace " MR_VERSION "\n%s\n%s\n%s\n%s", vertices,
                    options->transpose ? "links reversed" : "links as they are",
                    options->weights ? "weights" : "no weights", more) < 0
               ? NULL
               : text;
}

enum mr_status mr_build_open_checkpoint(struct mr_build *build, struct mr_error *err)
{
    char *text = mr_build_checkpoint_text(&build->options);
    if (text == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a checkpoint");
    }
    const enum mr_status status = mr_build_checkpoint_open(
        build->context, build->options.checkpoint, text, &build->checkpoint, err);
    free(text);
    build->is_read = status == MR_OK && mr_build_checkpoint_is_whole(build->checkpoint);
    return status;
}

bool mr_build_is_read(const struct mr_build *build, uint64_t notes[MR_BUILD_NOTES])
{
    if (build->is_read) {
        memcpy(notes, mr_build_checkpoint_notes(build->checkpoint),
               MR_BUILD_NOTES * sizeof notes[0]);
    }
    return build->is_read;
}

enum mr_status mr_build_save(struct mr_build *build, const uint64_t notes[MR_BUILD_NOTES],
                             struct mr_error *err)
{
    assert(build->checkpoint != NULL && !build->is_read);
    enum mr_status status = mr_context_poll(build->context, err);
    if (status == MR_OK) {
        status = mr_spool_seal(build->spool, err);
    }
    return status == MR_OK ? mr_build_checkpoint_save(build->checkpoint, build->spool,
                                                      build->numbering, notes, err)
                           : status;
}

uint64_t mr_build_checkpoint_bytes(const struct mr_context *context, uint64_t n_edges,
                                   bool undirected, uint64_t *sorted)
{
    enum { EDGE_BYTES = 8 };
    uint64_t spooled = UINT64_MAX;
    *sorted = UINT64_MAX;
    if (!mr_mul_overflows(n_edges, EDGE_BYTES, &spooled) &&
        !mr_mul_overflows(spooled, undirected ? 2 : 1, sorted) &&
        *sorted <= mr_memory_available(context->memory) / 8 * 7) {
        *sorted = 0;
    }
    return spooled;
}

enum mr_status mr_build_expect_checkpoint(const struct mr_build *build, uint64_t n_edges,
                                          bool is_guess, uint64_t *sorted, struct mr_error *err)
{
    const char *directory = build->options.checkpoint;
    const uint64_t needed =
        mr_build_checkpoint_bytes(build->context, n_edges, build->options.undirected, sorted);
    uint64_t free_bytes;
    enum mr_status status = mr_io_free_bytes(directory, &free_bytes, err);
    if (status == MR_OK && needed > free_bytes && !is_guess) {
        status = mr_error_file(err, MR_ERROR_BUDGET, directory, 0,
                               "needs about %" PRIu64 " bytes of disk for a checkpoint of %" PRIu64
                               " links, and %" PRIu64
                               " are free; make room, or name a directory on another disk",
                               needed, n_edges, free_bytes);
    }
    if (status == MR_OK) {
        mr_context_note(build->context,
                        "about %" PRIu64 " links, for which the checkpoint %s takes %" PRIu64
                        " bytes; %" PRIu64 " are free",
                        n_edges, directory, needed, free_bytes);
    }
    return status;
}
