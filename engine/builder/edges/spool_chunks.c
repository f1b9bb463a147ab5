/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the chunks of a sealed spool, in any order, and discards them one by one. spool.c writes
 * them. A chunk in memory can be read without a copy. Each chunk has a location of its own, so
 * threads read without a lock. */
#include <assert.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/builder/edges/spool_internal.h"

bool mr_spool_has_weights(const struct mr_spool *spool)
{
    return spool->has_weights;
}

uint64_t mr_spool_resident_edges(const struct mr_spool *spool)
{
    uint64_t n_edges = 0;
    assert(spool->is_sealed);
    for (uint64_t i = 0; i < spool->n_chunks; i++) {
        n_edges += spool->locations[i].slab != NULL ? spool->locations[i].n_edges : 0;
    }
    return n_edges;
}

enum mr_status mr_spool_evict(struct mr_spool *spool, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    assert(spool->is_sealed);
    for (uint64_t i = 0; status == MR_OK && i < spool->n_chunks; i++) {
        struct spool_location *location = &spool->locations[i];
        if (location->slab == NULL) {
            continue;
        }
        status = mr_context_poll(spool->context, err);
        if (status == MR_OK) {
            status = mr_scratch_file_write(spool->file, location->memory,
                                           mr_spool_location_bytes(spool, location),
                                           i * MR_SPOOL_CHUNK_BYTES, err);
        }
        if (status == MR_OK) {
            atomic_fetch_add(&spool->disk_bytes, mr_spool_location_bytes(spool, location));
            mr_spool_release_slab(spool, location->slab);
            location->slab = NULL;
        }
    }
    return status;
}

static struct mr_spool_chunk chunk_at(const struct mr_spool *spool,
                                      const struct spool_location *location, uint64_t index,
                                      char *memory)
{
    return (struct mr_spool_chunk){
        .index = index,
        .n_edges = location->n_edges,
        .is_numbered = location->is_numbered,
        .narrow = location->is_wide ? NULL : (void *)memory,
        .wide = location->is_wide ? (void *)memory : NULL,
        .weights =
            spool->has_weights
                ? (float *)(void *)(memory + mr_spool_weights_offset(spool, location->is_wide))
                : NULL,
    };
}

enum mr_status mr_spool_read(struct mr_spool *spool, uint64_t index, void *buffer,
                             struct mr_spool_chunk *chunk, struct mr_error *err)
{
    assert(spool->is_sealed && index < spool->n_chunks);
    const struct spool_location *location = &spool->locations[index];
    enum mr_status status = MR_OK;
    if (location->slab != NULL) {
        memcpy(buffer, location->memory, mr_spool_location_bytes(spool, location));
    } else {
        status = mr_scratch_file_read(spool->file, buffer, mr_spool_location_bytes(spool, location),
                                      index * MR_SPOOL_CHUNK_BYTES, err);
    }
    *chunk = chunk_at(spool, location, index, buffer);
    return status;
}

void mr_spool_order(const struct mr_spool *spool, uint64_t *order)
{
    /* writers finish chunks nearly in the order in which they began them */
    enum { MAX_STEPS = 64 };
    assert(spool->is_sealed);
    for (uint64_t i = 0; i < spool->n_chunks; i++) {
        uint64_t at = i;
        for (; at > 0 && i - at < MAX_STEPS &&
               spool->locations[order[at - 1]].first > spool->locations[i].first;
             at--) {
            order[at] = order[at - 1];
        }
        order[at] = i;
    }
}

bool mr_spool_is_resident(const struct mr_spool *spool, uint64_t index)
{
    return spool->locations[index].slab != NULL;
}

enum mr_status mr_spool_take(struct mr_spool *spool, uint64_t index, void *buffer,
                             struct mr_spool_chunk *chunk, struct mr_error *err)
{
    const struct spool_location *location = &spool->locations[index];
    if (location->slab == NULL) {
        return mr_spool_read(spool, index, buffer, chunk, err);
    }
    *chunk = chunk_at(spool, location, index, location->memory);
    chunk->spare = buffer;
    return MR_OK;
}

enum mr_status mr_spool_chunk_check(const struct mr_spool_chunk *chunk, uint64_t max_id,
                                    struct mr_error *err)
{
    const size_t n_ids = chunk->spare == NULL ? 2 * (size_t)chunk->n_edges : 0;
    const uint32_t *narrow = chunk->narrow != NULL ? *chunk->narrow : NULL;
    const uint64_t *wide = chunk->wide != NULL ? *chunk->wide : NULL;
    uint32_t narrow_max = 0;
    uint64_t wide_max = 0;
    for (size_t i = 0; narrow != NULL && i < n_ids; i++) {
        narrow_max = narrow[i] > narrow_max ? narrow[i] : narrow_max;
    }
    for (size_t i = 0; wide != NULL && i < n_ids; i++) {
        wide_max = mr_max_u64(wide_max, wide[i]);
    }
    return narrow_max <= max_id && wide_max <= max_id ? MR_OK : mr_scratch_changed(err);
}

void mr_spool_settle(struct mr_spool *spool, uint64_t index, uint32_t n_edges)
{
    struct spool_location *location = &spool->locations[index];
    assert(location->slab != NULL && n_edges <= location->n_edges);
    location->n_edges = n_edges;
    location->is_wide = false;
    location->is_numbered = true;
}

void mr_spool_discard(struct mr_spool *spool, uint64_t index)
{
    struct spool_location *location = &spool->locations[index];
    if (location->slab != NULL) {
        mr_spool_release_slab(spool, location->slab);
        location->slab = NULL;
    } else {
        mr_scratch_file_discard(spool->file, index * MR_SPOOL_CHUNK_BYTES,
                                mr_spool_location_bytes(spool, location));
        atomic_fetch_sub(&spool->disk_bytes, mr_spool_location_bytes(spool, location));
    }
}
