/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers sparse ids out of core: the k-th smallest is vertex k, as in an id set. The numbering
 * uses it where the ids do not fit in memory.
 *
 *     create -> apply, next
 *
 * The ids are numbered window by window, from the smallest on; a window is what half of the memory
 * left can hold. Each window reads the spool twice: to find its ids, and to write the vertices of
 * all edges to temporary disk, 8 bytes per edge, with those of the window filled in. Temporary
 * disk: 8 bytes per id, 8 per edge, and 8 more per edge while there is more than one window. */
#ifndef MR_ENGINE_BUILDER_VERTICES_ID_FILE_H
#define MR_ENGINE_BUILDER_VERTICES_ID_FILE_H

#include "engine/builder/edges/spool_scan.h"

struct mr_id_file;

struct mr_id_file_options {
    const char *directory, *stem; /* as in scratch_file.h; they outlive the file */
    struct mr_scratch_use *use; /* outlives the file */
    uint64_t window_ids; /* the most ids of a window; 0: what the memory allows; for tests */
};

/* Number the ids of the sealed `spool`, all of whose chunks go to disk. MR_ERROR_INPUT if there are
 * more than 2^32 - 1 ids. Destroy takes NULL. */
enum mr_status mr_id_file_create(const struct mr_context *context, struct mr_spool *spool,
                                 const struct mr_id_file_options *options, struct mr_id_file **out,
                                 struct mr_error *err) MR_WARN_UNUSED;
void mr_id_file_destroy(struct mr_id_file *file);

uint64_t mr_id_file_count(const struct mr_id_file *file);
bool mr_id_file_is_identity(const struct mr_id_file *file); /* the ids are 0..n-1 */

/* Replace the ids of a chunk, which is not in memory, by vertices: `pairs` [chunk->n_edges] is the
 * chunk's own buffer. Thread-safe. */
enum mr_status mr_id_file_apply(const struct mr_id_file *file, const struct mr_spool_chunk *chunk,
                                uint32_t (*pairs)[2], struct mr_error *err) MR_WARN_UNUSED;

/* Get the next ids in ascending order, up to `room` of them. `*n_ids` is 0 past the last. Set
 * `*cursor` to 0 before the first call. */
enum mr_status mr_id_file_next(const struct mr_id_file *file, uint64_t *cursor, uint64_t *ids,
                               size_t room, size_t *n_ids, struct mr_error *err) MR_WARN_UNUSED;

#endif
