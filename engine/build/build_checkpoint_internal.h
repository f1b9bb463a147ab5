/* What a checkpoint's directory and its manifest share. Internal to engine/build/build_checkpoint.c, resume_manifest.c. */
#ifndef MR_ENGINE_BUILD_BUILD_CHECKPOINT_INTERNAL_H
#define MR_ENGINE_BUILD_BUILD_CHECKPOINT_INTERNAL_H

#include "engine/build/build_checkpoint.h"

struct mr_build_checkpoint {
    const struct mr_context *context;
    struct mr_store_lock *lock;
    char *text;
    bool is_whole;
    char *manifest, *links, *names, *ids; /* paths */
    struct mr_spool_kept spool;
    struct mr_numbering_kept numbering;
    uint64_t names_hash, ids_hash;
    uint64_t notes[MR_BUILD_NOTES];
    struct mr_spool_kept_chunk *chunks; /* [spool.n_chunks], as read; or NULL */
    struct mr_dictionary_run *runs; /* [numbering.n_runs], likewise */
    char directory[];
};

/* Write the manifest of `spool` and `numbering`, which are on the disk, and are what `checkpoint` says. */
enum mr_status mr_build_manifest_write(const struct mr_build_checkpoint *checkpoint,
                                       const struct mr_spool *spool,
                                       const struct mr_numbering *numbering,
                                       struct mr_error *err) MR_WARN_UNUSED;

/* Read the one that is there into `checkpoint`. Whatever is no whole manifest is nothing: `*is_whole` is false.
 * Errors: USAGE for that of another build. */
enum mr_status mr_build_manifest_read(struct mr_build_checkpoint *checkpoint, bool *is_whole,
                                      struct mr_error *err) MR_WARN_UNUSED;

#endif
