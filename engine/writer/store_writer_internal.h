/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the store writer share: store_writer.c, degree_writer.c, finish_store.c.
 * Internal to them. */
#ifndef MR_ENGINE_WRITER_STORE_WRITER_INTERNAL_H
#define MR_ENGINE_WRITER_STORE_WRITER_INTERNAL_H

#include "engine/io/io.h"
#include "engine/store/block.h"
#include "engine/writer/index_draft.h"
#include "engine/writer/store_writer.h"

struct mr_store_writer {
    const struct mr_context *context;
    struct mr_store_writer *weights; /* of the weighted set; NULL if there is none */
    struct mr_band_shape shape;
    struct mr_store_info manifest; /* its figures, updated as the files grow */
    struct mr_index_draft draft;
    char *directory;
    struct mr_file *files[MR_N_FILES];
    uint32_t next_band[MR_CLASSES_MAX]; /* the next band to end */
    uint32_t next_in_band[MR_DEGREE_SETS_MAX], next_out_band[MR_DEGREE_SETS_MAX];
    struct mr_block_codec *codec; /* for blocks of degrees */
    uint8_t *degree_stream; /* [MR_BLOCK_RAW_MAX_BYTES] */
    uint8_t *degree_block; /* [MR_BLOCK_MAX_BYTES] */
};

/* Creates one of its files: writer->files[which]. */
enum mr_status mr_store_writer_open(struct mr_store_writer *writer, enum mr_store_file which,
                                    struct mr_error *err) MR_WARN_UNUSED;

/* Writes after the first `*end` bytes of the file; `*end` grows. */
enum mr_status mr_store_writer_append(struct mr_file *file, const uint8_t *data, uint64_t bytes,
                                      uint64_t *end, struct mr_error *err) MR_WARN_UNUSED;

/* Syncs and closes `*file` and sets it to NULL; does nothing if it is NULL. */
enum mr_status mr_store_writer_close(struct mr_file **file, struct mr_error *err) MR_WARN_UNUSED;

#endif
