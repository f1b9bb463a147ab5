/* The state of a long computation in a file, to go on from after an interruption.
 *
 * A checkpoint is a list of byte strings and a text that says whose state it is: the graph, the parameters,
 * whatever the bytes depend on. It is published by a rename and carries checksums, so that it is there
 * whole or not at all. Layout (little-endian; the parts are memory as it was, so it is for machines like
 * the one that wrote it):
 *
 *     0   8   "MRCHKPT\n"
 *     8   4   format version, 1
 *     12  4   n, number of parts, at most 16
 *     16  4   b, bytes of the text, at most 4096
 *     20  4   0
 *     24  16n per part: bytes, XXH3 of them
 *         b   the text
 *         8   XXH3 of all of the above
 *         then the parts
 */
#ifndef MR_ENGINE_IO_CHECKPOINT_H
#define MR_ENGINE_IO_CHECKPOINT_H

#include "engine/io/io.h"

#define MR_CHECKPOINT_MAX_PARTS 16u
#define MR_CHECKPOINT_MAX_TEXT  4096u

struct mr_checkpoint_part {
    void *bytes; /* only read by write */
    uint64_t n_bytes;
};

/* Is there a checkpoint at `path`, whole or damaged, of any format? */
bool mr_checkpoint_is_at(const char *path);

/* Write `path`, replacing a checkpoint that is there. Errors: USAGE when it is anything else; as of mr_publish and
 * mr_file; what was there is then whole. */
enum mr_status mr_checkpoint_write(struct mr_io *io, const char *path, const char *text,
                                   const struct mr_checkpoint_part *parts, unsigned n_parts,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* Fill the parts from `path`, whose text must be `text` and whose parts must be as many and as long. Errors:
 * USAGE when it is not there, or is of something else, saying of what; INPUT when it is no checkpoint or of
 * a newer format; CORRUPT when it is damaged. The parts are then unspecified. */
enum mr_status mr_checkpoint_read(struct mr_io *io, const char *path, const char *text,
                                  const struct mr_checkpoint_part *parts, unsigned n_parts,
                                  struct mr_error *err) MR_WARN_UNUSED;

#endif
