/* SPDX-License-Identifier: Apache-2.0 */
/* The mark of a finished store, in the directory of a checkpoint. A build publishes its store and
 * then removes the checkpoint. If it is killed in between, the store has its name and the directory
 * stays. The mark has the id of the store and a hash of the options, and is written before the
 * store gets its name. So the same build, run again, recognises its store instead of refusing it,
 * and removes what is left. The mark is raw memory, as the edges of the checkpoint are. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/checksum.h"
#include "engine/build/build_checkpoint_internal.h"
#include "engine/build/internal.h"
#include "engine/io/io.h"
#include "engine/store/manifest.h"

static const char magic[8] = {'M', 'R', 'D', 'O', 'N', 'E', '1', '\n'};

struct mark {
    char magic[8];
    uint64_t store_id;
    uint64_t options_hash;
    uint64_t notes[MR_BUILD_NOTES];
    struct mr_build_summary summary;
    uint64_t checksum; /* of all of the above */
};

/* A hash of all that the store depends on; 0 when out of memory. */
static uint64_t hash_options(const struct mr_build_options *options)
{
    char *read = mr_build_checkpoint_text(options), *text = NULL;
    uint64_t hash = 0;
    const int bytes = read == NULL ? -1
                                   : asprintf(&text, "%s%d %d %d %d %d %d %d %u %u", read,
                                              (int)options->class_rule, options->undirected,
                                              options->keep_duplicates, options->drop_self_loops,
                                              options->zstd_level, (int)options->encoding,
                                              (int)options->order * 2 + options->core_first,
                                              options->band_bits, options->stripe_bits);

    if (bytes >= 0) {
        hash = mr_checksum(text, (size_t)bytes) | 1;
        free(text);
    }
    free(read);
    return hash;
}

enum mr_status mr_build_checkpoint_finish(const struct mr_build_checkpoint *checkpoint,
                                          const struct mr_build_options *options, uint64_t store_id,
                                          const struct mr_build_summary *summary,
                                          struct mr_error *err)
{
    struct mark mark;

    memset(&mark, 0, sizeof mark); /* the padding too: it is written */
    memcpy(mark.magic, magic, sizeof magic);
    mark.store_id = store_id;
    mark.options_hash = hash_options(options);
    memcpy(mark.notes, checkpoint->notes, sizeof mark.notes);
    mark.summary = *summary;
    mark.checksum = mr_checksum(&mark, offsetof(struct mark, checksum));
    if (mark.options_hash == 0) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a checkpoint");
    }
    return mr_build_checkpoint_publish(checkpoint, checkpoint->finished, &mark, sizeof mark, err);
}

/* Reads the mark in `directory`. Returns false if there is none, or no whole one. */
static bool read_mark(const char *directory, struct mark *mark)
{
    char path[4096];
    size_t bytes = 0;
    const int length = snprintf(path, sizeof path, "%s/" MR_BUILD_FINISHED_NAME, directory);

    return length > 0 && length < (int)sizeof path &&
           mr_io_read_start(path, mark, sizeof *mark, &bytes) == 0 && bytes == sizeof *mark &&
           memcmp(mark->magic, magic, sizeof magic) == 0 &&
           mark->checksum == mr_checksum(mark, offsetof(struct mark, checksum));
}

/* Does the store at `path` have this id? */
static bool has_id(const char *path, uint64_t store_id)
{
    char manifest_path[4096];
    uint8_t bytes[MR_MANIFEST_BYTES];
    struct mr_manifest manifest;
    size_t n_bytes = 0;

    return mr_store_file_path(path, false, MR_FILE_MANIFEST, 0, 0, manifest_path,
                              sizeof manifest_path, NULL) == MR_OK &&
           mr_io_read_start(manifest_path, bytes, sizeof bytes, &n_bytes) == 0 &&
           n_bytes == sizeof bytes &&
           mr_manifest_parse(bytes, n_bytes, manifest_path, &manifest, NULL) == MR_OK &&
           manifest.store_id == store_id;
}

bool mr_build_may_be_finished(const char *checkpoint, const char *path)
{
    struct mark mark;
    return read_mark(checkpoint, &mark) && has_id(path, mark.store_id);
}

enum mr_status mr_build_was_finished(const struct mr_context *context, const char *path,
                                     const struct mr_build_options *options,
                                     struct mr_build_summary *summary,
                                     uint64_t notes[MR_BUILD_NOTES], bool *was,
                                     struct mr_error *err)
{
    struct mr_build_checkpoint *checkpoint = NULL;
    struct mark mark;

    *was = false;
    if (options->checkpoint == NULL || !read_mark(options->checkpoint, &mark) ||
        !has_id(path, mark.store_id) || mark.options_hash != hash_options(options)) {
        return MR_OK;
    }
    char *text = mr_build_checkpoint_text(options);
    if (text == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a checkpoint");
    }
    const enum mr_status status =
        mr_build_checkpoint_open(context, options->checkpoint, text, &checkpoint, err);
    free(text);
    if (status == MR_OK) {
        mr_build_checkpoint_close(checkpoint, true);
        *was = true;
        *summary = mark.summary;
        memcpy(notes, mark.notes, sizeof mark.notes);
    }
    return status;
}
