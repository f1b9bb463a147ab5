#include "engine/tile_apply.h"

#include <assert.h>

#include "engine/memory.h"

uint64_t mr_tile_applier_memory(const struct mr_store_info *info)
{
    (void)info;
    return 4096;
}

enum mr_status mr_tile_applier_create(struct mr_memory *memory, const struct mr_store_info *info,
                                      struct mr_tile_applier **out, struct mr_error *err)
{
    void *pointer = NULL;
    enum mr_status status = mr_memory_alloc(memory, "tile kernels", sizeof **out, &pointer, err);
    if (status != MR_OK) {
        return status;
    }
    struct mr_tile_applier *applier = pointer;
    applier->info = info;
    applier->memory = memory;
    applier->shape = mr_kernel_shape(info);
    applier->kernels = mr_key_kernels_best();
    applier->width = 1;
    *out = applier;
    return MR_OK;
}

void mr_tile_applier_destroy(struct mr_tile_applier *applier)
{
    if (applier != NULL) {
        mr_memory_free(applier->memory, applier);
    }
}

void mr_tile_applier_begin(struct mr_tile_applier *applier, enum mr_value value, unsigned width)
{
    assert(width >= 1 && width <= 16 && (width & (width - 1)) == 0);
    assert(width == 1 || value != MR_VALUE_U64);
    applier->value = value;
    applier->width = width;
    mr_tile_applier_forget(applier);
}

void mr_tile_applier_forget(struct mr_tile_applier *applier)
{
    (void)applier; /* keys tiles derive nothing */
}

bool mr_tile_apply(struct mr_tile_applier *applier, const struct mr_tile *tile, const void *x,
                   void *accumulator)
{
    const mr_stream_kernel add =
        applier->kernels->add_stream[applier->value][mr_width_index(applier->width)];
    const uint8_t *end = tile->data + tile->data_bytes;
    switch ((enum mr_tile_encoding)tile->encoding) {
    case MR_TILE_KEYS:
        return add(&applier->shape, tile->data, end, tile->n_entries, x, accumulator) == end;
    }
    return false;
}
