/* What a build has read, in a directory, so that a build that was interrupted later goes on from there.
 *
 *     DIR/checkpoint.links      the spool (engine/build/edges/spool.h), all of it
 *     DIR/checkpoint.names      runs of names (engine/build/vertices/dictionary.h), where vertices are named by edges
 *     DIR/checkpoint.ids        declared ids, where there are any
 *     DIR/checkpoint.manifest   what the others are, written last, by a rename, once they are on the disk
 *     DIR/LOCK                  while a build uses it (engine/io/store_lock.h)
 *
 * Without a manifest that is whole the other files are nothing; with it they do not change any more until the store
 * is published and all are removed. The manifest says what the files depend on, as lines of text that a build which
 * goes on has to have as well, and has the checksum of each chunk of links and of each other file. Layout
 * (little-endian; the links are memory as it was, so that it is for machines like the one that wrote it):
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

/* Make or lock the directory, and read what it holds. `text` is lines, each ended by a line feed. Errors: USAGE where
 * it is of a build with another text, saying of which, or holds other files; RUNTIME where another process
 * has it; CORRUPT where files are not what the manifest says. */
enum mr_status mr_build_checkpoint_open(const struct mr_context *context, const char *directory,
                                        const char *text, struct mr_build_checkpoint **out,
                                        struct mr_error *err) MR_WARN_UNUSED;

/* Unlock, after removing all of it where it is not whole, or where the store is `is_done`. Takes NULL. */
void mr_build_checkpoint_close(struct mr_build_checkpoint *checkpoint, bool is_done);

/* It was whole when opened; or has been saved since. */
bool mr_build_checkpoint_is_whole(const struct mr_build_checkpoint *checkpoint);

/* For the options of a dictionary and of a spool. */
const char *mr_build_checkpoint_names(const struct mr_build_checkpoint *checkpoint);
const char *mr_build_checkpoint_links(const struct mr_build_checkpoint *checkpoint);

/* Of one that was whole when opened: the spool, what `numbering` (a new one) has to know, and the notes. */
enum mr_status mr_build_checkpoint_restore(struct mr_build_checkpoint *checkpoint,
                                           struct mr_numbering *numbering,
                                           struct mr_scratch_use *use, struct mr_spool **spool,
                                           struct mr_error *err) MR_WARN_UNUSED;
const uint64_t *mr_build_checkpoint_notes(const struct mr_build_checkpoint *checkpoint);

/* All was read: `spool` is sealed. One sync of each file. */
enum mr_status mr_build_checkpoint_save(struct mr_build_checkpoint *checkpoint,
                                        struct mr_spool *spool, struct mr_numbering *numbering,
                                        const uint64_t notes[MR_BUILD_NOTES],
                                        struct mr_error *err) MR_WARN_UNUSED;

#endif
