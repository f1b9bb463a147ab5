/* SPDX-License-Identifier: Apache-2.0 */
/* The state of a long computation in a file, to continue from after an interruption.
 *
 * A checkpoint is a list of byte strings and a text that says whose state it is: the graph, the
 * parameters and everything else that the bytes depend on. A rename publishes it, and checksums
 * cover all of it, so a reader gets the whole state or an error. The parts are copies of memory;
 * only machines with the same byte order and types can read them. Layout, little-endian:
 *
 *     0   8   "MRCHKPT\n"
 *     8   4   format version, 1
 *     12  4   n, number of parts, at most 16
 *     16  4   b, bytes of the text, at most 4096
 *     20  4   0
 *     24  16n for each part: its size in bytes, its XXH3
 *         b   the text
 *         8   XXH3 of all of the above
 *         then the parts */
#ifndef MR_ENGINE_IO_CHECKPOINT_H
#define MR_ENGINE_IO_CHECKPOINT_H

#include "engine/io/io.h"

#define MR_CHECKPOINT_MAX_PARTS 16u
#define MR_CHECKPOINT_MAX_TEXT  4096u

struct mr_checkpoint_part {
    void *bytes; /* mr_checkpoint_write only reads them */
    uint64_t n_bytes;
};

/* Checks that `path` is free, or has a checkpoint, intact or damaged, of any format version.
 * Errors: USAGE if it is another file; RUNTIME if it cannot be read. */
enum mr_status mr_checkpoint_may_replace(const char *path, struct mr_error *err) MR_WARN_UNUSED;

/* Writes `path`; replaces an existing checkpoint. Errors: USAGE if the file at `path` is not a
 * checkpoint; otherwise as mr_publish and mr_file. After an error the existing file is intact. */
enum mr_status mr_checkpoint_write(struct mr_io *io, const char *path, const char *text,
                                   const struct mr_checkpoint_part *parts, unsigned n_parts,
                                   struct mr_error *err) MR_WARN_UNUSED;

/* Fills the parts from `path`. The file's text must equal `text`, and its parts must have the same
 * number and sizes; with no parts only the text is compared. Errors: USAGE if the file does not
 * exist or belongs to another run, which the message names; INPUT if it is no checkpoint or has a
 * newer format; CORRUPT if it is damaged. After an error the parts are unspecified. */
enum mr_status mr_checkpoint_read(struct mr_io *io, const char *path, const char *text,
                                  const struct mr_checkpoint_part *parts, unsigned n_parts,
                                  struct mr_error *err) MR_WARN_UNUSED;

#endif
