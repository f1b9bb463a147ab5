/* SPDX-License-Identifier: Apache-2.0 */
/* Declarations that the directory of a checkpoint (build_checkpoint.c), its manifest
 * (resume_manifest.c) and its mark (resume_finished.c) share. Internal to the builder. */
#ifndef MR_ENGINE_BUILD_BUILD_CHECKPOINT_INTERNAL_H
#define MR_ENGINE_BUILD_BUILD_CHECKPOINT_INTERNAL_H

#include "engine/build/build_checkpoint.h"

struct mr_build_checkpoint {
    const struct mr_context *context;
    struct mr_store_lock *lock;
    char *text;
    bool is_whole;
    char *manifest, *links, *names, *ids, *finished; /* paths */
    struct mr_spool_kept spool;
    struct mr_numbering_kept numbering;
    uint64_t names_hash, ids_hash;
    uint64_t notes[MR_BUILD_NOTES];
    struct mr_spool_kept_chunk *chunks; /* [spool.n_chunks], from the manifest; or NULL */
    struct mr_dictionary_run *runs; /* [numbering.n_runs], from the manifest; or NULL */
    char directory[];
};

#define MR_BUILD_FINISHED_NAME "checkpoint.finished"

/* Write a file of the checkpoint, sync it, and rename it to `path`. */
enum mr_status mr_build_checkpoint_publish(const struct mr_build_checkpoint *checkpoint,
                                           const char *path, const void *data, uint64_t bytes,
                                           struct mr_error *err) MR_WARN_UNUSED;

/* Write the manifest. The files of `spool` and `numbering` are on the disk and match
 * `checkpoint`. */
enum mr_status mr_build_manifest_write(const struct mr_build_checkpoint *checkpoint,
                                       const struct mr_spool *spool,
                                       const struct mr_numbering *numbering,
                                       struct mr_error *err) MR_WARN_UNUSED;

/* Read the manifest into `checkpoint`. A manifest that is missing or not whole sets `*is_whole` to
 * false. Errors: USAGE if it belongs to another build. */
enum mr_status mr_build_manifest_read(struct mr_build_checkpoint *checkpoint, bool *is_whole,
                                      struct mr_error *err) MR_WARN_UNUSED;

#endif
