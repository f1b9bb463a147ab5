/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of an output that all threads make. Internal to formats.
 *
 * The rows are cut into parts of a fixed number. Threads take the parts in ascending order, each
 * collects the text of its part in memory, and the parts go to the file in their order. In a
 * compressed output each part is compressed by its thread, as a frame of zstd or a member of gzip:
 * so the bytes are the same for any number of threads. A part that is larger than the memory for it
 * waits for its turn and then goes to the file directly. */
#ifndef MR_FORMATS_STREAM_OUTPUT_PARTS_H
#define MR_FORMATS_STREAM_OUTPUT_PARTS_H

#include "formats/stream/output.h"

struct mr_output_rows {
    uint64_t n_rows, rows_per_part; /* the latter at least 1 */
    bool one_by_one; /* by one thread */
    void *data; /* of the caller */
    /* What one thread needs to write rows, a cursor for example. Called by the thread that calls
     * mr_output_write_rows. `close` may be NULL; threads have ended then, so that it can add up
     * counts. */
    enum mr_status (*open)(void *data, void **worker, struct mr_error *err);
    void (*close)(void *data, void *worker);
    /* Write rows [first, end). One worker gets parts in ascending order. */
    enum mr_status (*write)(void *worker, struct mr_output *output, uint64_t first, uint64_t end,
                            struct mr_error *err);
};

/* Write all rows. Takes as many threads as the context has, fewer where the budget has no room for
 * 2.3 MiB each (8.5 with zstd). Errors: those of the calls above, of the disk, INTERRUPTED. */
enum mr_status mr_output_write_rows(struct mr_output *output, const struct mr_output_rows *rows,
                                    struct mr_error *err) MR_WARN_UNUSED;

#endif
