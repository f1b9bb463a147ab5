/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the index of names: the first name of every block. It checks all of the index when it is
 * opened, so that each lookup can decode it without checks. names.c and name_join.c search it for
 * the block of a name. */

#include <assert.h>
#include <inttypes.h>

#include "engine/base/bytes.h"
#include "engine/names/name_block.h"

static enum mr_status damaged(const char *path, uint64_t offset, struct mr_error *err)
{
    return mr_error_file(err, MR_ERROR_CORRUPT, path, 0,
                         "the index of names is wrong at byte %" PRIu64 " of it; restore the store "
                         "from a copy or build it again",
                         offset);
}

static enum mr_status open_numbers(struct mr_name_index *index, uint64_t index_bytes,
                                   const char *path, struct mr_error *err)
{
    if (index_bytes % 8 != 0 || index_bytes / 8 != index->n_blocks) {
        return damaged(path, index_bytes, err);
    }
    for (uint64_t block = 1; block < index->n_blocks; block++) {
        if (mr_name_index_number(index, block) <= mr_name_index_number(index, block - 1)) {
            return damaged(path, 8 * block, err);
        }
    }
    return MR_OK;
}

static enum mr_status open_text(struct mr_name_index *index, uint64_t index_bytes, const char *path,
                                char *name, struct mr_error *err)
{
    uint64_t n_groups = mr_div_up(index->n_blocks, MR_NAME_INDEX_GROUP);
    const uint8_t *at = index->bytes;
    uint32_t name_bytes = 0;

    if (n_groups > index_bytes / 8) {
        return damaged(path, index_bytes, err);
    }
    index->offsets = index->bytes + (index_bytes - 8 * n_groups);
    for (uint64_t block = 0; block < index->n_blocks; block++) {
        uint64_t offset = (uint64_t)(at - index->bytes);

        if (block % MR_NAME_INDEX_GROUP == 0) {
            if (mr_get_u64(index->offsets + 8 * (block / MR_NAME_INDEX_GROUP)) != offset) {
                return damaged(path, offset, err);
            }
            name_bytes = 0;
        }
        at = mr_name_get(at, index->offsets, name, &name_bytes);
        if (at == NULL) {
            return damaged(path, offset, err);
        }
    }
    return at == index->offsets ? MR_OK : damaged(path, (uint64_t)(at - index->bytes), err);
}

enum mr_status mr_name_index_open(struct mr_name_index *index, enum mr_name_kind kind,
                                  const uint8_t *bytes, uint64_t index_bytes, uint64_t n_blocks,
                                  const char *path, char *name, struct mr_error *err)
{
    static const uint8_t nothing[1];

    *index = (struct mr_name_index){
        .bytes = index_bytes == 0 ? nothing : bytes, /* never NULL: pointers are compared */
        .n_blocks = n_blocks,
    };
    if (kind == MR_NAMES_TEXT) {
        return open_text(index, index_bytes, path, name, err);
    }
    return open_numbers(index, index_bytes, path, err);
}

uint64_t mr_name_index_number(const struct mr_name_index *index, uint64_t block)
{
    return mr_get_u64(index->bytes + 8 * block);
}

uint32_t mr_name_index_text(const struct mr_name_index *index, uint64_t block, char *name)
{
    uint64_t group = block / MR_NAME_INDEX_GROUP;
    const uint8_t *at = index->bytes + mr_get_u64(index->offsets + 8 * group);
    uint32_t name_bytes = 0;

    for (uint64_t i = group * MR_NAME_INDEX_GROUP; i <= block; i++) {
        at = mr_name_get(at, index->offsets, name, &name_bytes);
        assert(at != NULL); /* mr_name_index_open has checked all names */
    }
    return name_bytes;
}
