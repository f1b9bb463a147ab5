/* SPDX-License-Identifier: Apache-2.0 */
/* A checkpoint: a directory with the input of a build, so that a later process can continue an
 * interrupted build.
 *
 *     DIR/checkpoint.links      the spool (engine/build/edges/spool.h)
 *     DIR/checkpoint.names      runs of names (engine/build/vertices/dictionary.h), if any
 *     DIR/checkpoint.ids        declared ids, if there are any
 *     DIR/checkpoint.manifest   describes the others; written last, by a rename
 *     DIR/checkpoint.finished   names the store that is about to be published; removed last
 *     DIR/LOCK                  exists while a build uses the directory (engine/io/store_lock.h)
 *
 * Without a whole manifest the other files mean nothing. With it they do not change until the store
 * is published and all of them are removed. The manifest has lines of text that say what the files
 * depend on; a build that continues must have the same lines. It also has a checksum of each chunk
 * of edges and of each other file. Layout (little-endian; the edges are raw memory, so only a
 * machine of the same byte order can continue):
 *
 *     0    8   "MRBUILD\n"
 *     8    4   format version, 1
 *     12   4   0x01020304 in the machine's own byte order
 *     16   8   bytes of the manifest
 *     24   8   t, bytes of the text
 *     32   24  of the spool: edges, self-loops, largest id
 *     56   8   c, chunks
 *     64   8   1: chunks have room for weights, 2: weights, 4: declared vertices are frozen
 *     72   8   numbers given to names
 *     80   8   r, runs of names
 *     88   8   declared ids
 *     96   16  XXH3 of the file of names, of the file of ids; 0 where there is none
 *     112  64  notes of the caller
 *          16c per chunk: XXH3 (8), edges (4), 1 where ids take 8 bytes (4)
 *          24r per run: begin, end, entries
 *          t   the text
 *          8   XXH3 of all of the above
 *
 * Internal to the builder. */
#ifndef MR_ENGINE_BUILD_BUILD_CHECKPOINT_H
#define MR_ENGINE_BUILD_BUILD_CHECKPOINT_H

#include "engine/build/build.h"
#include "engine/build/edges/spool.h"
#include "engine/build/vertices/numbering.h"

struct mr_build_checkpoint;

/* Create or lock the directory and read what it holds. `text` is a sequence of lines, each ended by
 * a line feed. Errors: USAGE if the directory belongs to a build with another text (the message
 * shows the difference) or holds other files; RUNTIME if another process uses it; CORRUPT if files
 * do not match the manifest. */
enum mr_status mr_build_checkpoint_open(const struct mr_context *context, const char *directory,
                                        const char *text, struct mr_build_checkpoint **out,
                                        struct mr_error *err) MR_WARN_UNUSED;

/* Unlock the directory. Removes it first if it is not whole, or if the store `is_done`. Takes
 * NULL. */
void mr_build_checkpoint_close(struct mr_build_checkpoint *checkpoint, bool is_done);

/* True if the checkpoint was whole when it was opened, or was saved since. */
bool mr_build_checkpoint_is_whole(const struct mr_build_checkpoint *checkpoint);

/* Paths for the options of a dictionary and of a spool. */
const char *mr_build_checkpoint_names(const struct mr_build_checkpoint *checkpoint);
const char *mr_build_checkpoint_links(const struct mr_build_checkpoint *checkpoint);

/* For a checkpoint that was whole when it was opened: open the spool and fill `numbering`, which is
 * new. */
enum mr_status mr_build_checkpoint_restore(struct mr_build_checkpoint *checkpoint,
                                           struct mr_numbering *numbering,
                                           struct mr_scratch_use *use, struct mr_spool **spool,
                                           struct mr_error *err) MR_WARN_UNUSED;
/* Write down that the store of these options is complete and has this id. Follows before the store
 * gets its name, so that a process that is killed from here on until the directory is removed
 * leaves a store that the next one recognises (mr_build_was_finished). */
enum mr_status mr_build_checkpoint_finish(const struct mr_build_checkpoint *checkpoint,
                                          const struct mr_build_options *options, uint64_t store_id,
                                          const struct mr_build_summary *summary,
                                          struct mr_error *err) MR_WARN_UNUSED;
const uint64_t *mr_build_checkpoint_notes(const struct mr_build_checkpoint *checkpoint);

/* Save the checkpoint after all input is read. `spool` is sealed. Syncs each file once. */
enum mr_status mr_build_checkpoint_save(struct mr_build_checkpoint *checkpoint,
                                        struct mr_spool *spool, struct mr_numbering *numbering,
                                        const uint64_t notes[MR_BUILD_NOTES],
                                        struct mr_error *err) MR_WARN_UNUSED;

#endif
