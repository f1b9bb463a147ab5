/* SPDX-License-Identifier: Apache-2.0 */
/* Saves and restores the vertices of a build with a checkpoint: declared ids in a file of their
 * own, names through the dictionary. Edges give all other ids, so those are not saved. */
#include <assert.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/build/vertices/numbering_internal.h"
#include "engine/io/io.h"

/* Ids to write or read at a time. */
enum { BATCH_IDS = 8192, ID_BYTES = 8 };

/* Allocate a buffer for ids, followed by a buffer for their bytes. */
static enum mr_status alloc_batch(const struct mr_context *context, uint64_t **ids, uint8_t **bytes,
                                  struct mr_error *err)
{
    void *pointer = NULL;
    const enum mr_status status = mr_memory_alloc(
        context->memory, "declared ids", 2 * (uint64_t)BATCH_IDS * ID_BYTES, &pointer, err);
    *ids = pointer;
    *bytes = status == MR_OK ? (uint8_t *)(*ids + BATCH_IDS) : NULL;
    return status;
}

static enum mr_status write_ids(const struct mr_numbering *numbering, struct mr_file *file,
                                struct mr_error *err)
{
    uint64_t cursor = 0, offset = 0, *ids;
    uint8_t *bytes;
    enum mr_status status = alloc_batch(numbering->context, &ids, &bytes, err);
    for (size_t n;
         status == MR_OK && (n = mr_id_set_next(numbering->ids, &cursor, ids, BATCH_IDS)) > 0;) {
        for (size_t i = 0; i < n; i++) {
            mr_put_u64(bytes + i * ID_BYTES, ids[i]);
        }
        status = mr_file_write(file, bytes, n * ID_BYTES, offset, err);
        offset += n * ID_BYTES;
    }
    mr_memory_free(numbering->context->memory, ids);
    return status == MR_OK ? mr_file_sync(file, err) : status;
}

static enum mr_status read_ids(struct mr_numbering *numbering, struct mr_file *file, uint64_t n_ids,
                               struct mr_error *err)
{
    uint64_t *ids;
    uint8_t *bytes;
    enum mr_status status = alloc_batch(numbering->context, &ids, &bytes, err);
    for (uint64_t done = 0, n; status == MR_OK && done < n_ids; done += n) {
        n = mr_min_u64(n_ids - done, BATCH_IDS);
        status = mr_file_read(file, bytes, n * ID_BYTES, done * ID_BYTES, err);
        for (uint64_t i = 0; status == MR_OK && i < n; i++) {
            ids[i] = mr_get_u64(bytes + i * ID_BYTES);
        }
        if (status == MR_OK) {
            status = mr_id_set_add_u64(numbering->ids, ids, n, err);
        }
    }
    mr_memory_free(numbering->context->memory, ids);
    return status;
}

static enum mr_status keep_ids(struct mr_numbering *numbering, const char *path,
                               struct mr_numbering_kept *kept, struct mr_error *err)
{
    struct mr_file *file = NULL;
    enum mr_status status = MR_OK;
    if (numbering->has_declared) { /* without edges nothing has frozen the declared ids */
        status = mr_numbering_freeze(numbering, err);
    }
    kept->is_frozen = numbering->is_frozen;
    if (status != MR_OK || !kept->is_frozen) {
        return status;
    }
    kept->n_ids = mr_id_set_count(numbering->ids);
    status =
        mr_file_open(numbering->context->io, path, MR_OPEN_WRITE | MR_OPEN_TRUNCATE, &file, err);
    if (status == MR_OK) {
        status = write_ids(numbering, file, err);
    }
    if (status != MR_OK) {
        mr_file_abandon(file);
        return status;
    }
    return mr_file_close(file, err);
}

enum mr_status mr_numbering_sync(struct mr_numbering *numbering, const char *ids_path,
                                 struct mr_numbering_kept *kept, struct mr_error *err)
{
    *kept = (struct mr_numbering_kept){.is_frozen = numbering->is_frozen};
    if (numbering->kind == MR_IDS_SPARSE) {
        return keep_ids(numbering, ids_path, kept, err);
    }
    if (numbering->kind != MR_IDS_TEXT || numbering->is_frozen) {
        return MR_OK;
    }
    const enum mr_status status = mr_dictionary_sync(numbering->dictionary, err);
    kept->n_names = mr_dictionary_count(numbering->dictionary);
    kept->n_runs = mr_dictionary_runs(numbering->dictionary);
    return status;
}

enum mr_status mr_numbering_restore(struct mr_numbering *numbering, const char *ids_path,
                                    const struct mr_numbering_kept *kept,
                                    const struct mr_dictionary_run *runs, struct mr_error *err)
{
    struct mr_file *file = NULL;
    if (numbering->kind == MR_IDS_TEXT && !kept->is_frozen) {
        return mr_dictionary_restore(numbering->dictionary, kept->n_names, runs, kept->n_runs, err);
    }
    if (numbering->kind != MR_IDS_SPARSE || !kept->is_frozen) {
        return MR_OK;
    }
    enum mr_status status =
        mr_file_open(numbering->context->io, ids_path, MR_OPEN_READ, &file, err);
    if (status == MR_OK) {
        status = read_ids(numbering, file, kept->n_ids, err);
    }
    mr_file_abandon(file);
    return status == MR_OK ? mr_numbering_freeze(numbering, err) : status;
}

const struct mr_dictionary *mr_numbering_dictionary(const struct mr_numbering *numbering)
{
    return numbering->dictionary;
}
