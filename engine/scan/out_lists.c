/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the edges of a store, which are by target, into lists by source: one reading counts, the
 * next one fills. Lists that do not fit into memory are filled part by part, each a run of sources,
 * and written to a temporary file, from which pread gets single lists. */
#include "engine/scan/out_lists.h"

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/scan/edges.h"

static const char array_name[] = "lists of links";

uint64_t mr_out_lists_ends_memory(const struct mr_store_info *info)
{
    return mr_round_up((info->n_sources + 2) * sizeof(uint64_t), 4096);
}

static uint64_t edge_bytes(bool is_weighted)
{
    return sizeof(uint32_t) + (is_weighted ? sizeof(float) : 0);
}

uint64_t mr_out_lists_edges_memory(const struct mr_store_info *info)
{
    return info->n_edges * edge_bytes(info->is_weighted) + 2 * 4096;
}

/* ---- Filling ---- */

/* The sources [first, end), whose edges begin at `base`. */
struct list_part {
    struct mr_out_lists *lists;
    uint64_t first, end, base;
};

static enum mr_status wrong_links(const struct mr_out_lists *lists, struct mr_error *err)
{
    return mr_error_file(err, MR_ERROR_CORRUPT, lists->path, 0,
                         "the links are others than the figures of the store say; restore the "
                         "store from a copy or build it again");
}

/* While lists are filled, ends[v + 1] is where the next edge of v goes. */
static enum mr_status count(void *data, const uint32_t (*pairs)[2], const float *weights,
                            size_t n_pairs, struct mr_error *err)
{
    struct mr_out_lists *lists = data;
    (void)weights;
    for (size_t i = 0; i < n_pairs; i++) {
        if (pairs[i][0] >= lists->n_sources) {
            return wrong_links(lists, err);
        }
        lists->ends[(size_t)pairs[i][0] + 2]++;
    }
    return MR_OK;
}

static enum mr_status fill(void *data, const uint32_t (*pairs)[2], const float *weights,
                           size_t n_pairs, struct mr_error *err)
{
    const struct list_part *part = data;
    struct mr_out_lists *lists = part->lists;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint64_t source = pairs[i][0];
        if (source - part->first < part->end - part->first) {
            const uint64_t at = lists->ends[source + 1]++ - part->base;
            lists->targets[at] = pairs[i][1];
            if (weights != NULL) {
                lists->weights[at] = weights[i];
            }
        }
    }
    return MR_OK;
}

static enum mr_status find_ends(struct mr_out_lists *lists, struct mr_store *store,
                                struct mr_error *err)
{
    const enum mr_status status = mr_edges_read(lists->context, store, NULL, count, lists, err);

    for (uint64_t v = 0; v < lists->n_sources && status == MR_OK; v++) {
        lists->longest = mr_max_u64(lists->longest, lists->ends[v + 2]);
        lists->ends[v + 2] += lists->ends[v + 1];
    }
    return status == MR_OK && lists->ends[lists->n_sources + 1] != lists->n_edges
               ? wrong_links(lists, err)
               : status;
}

static enum mr_status fill_part(struct mr_store *store, struct list_part *part,
                                struct mr_error *err)
{
    const unsigned bits = mr_store_get_info(store)->stripe_bits;
    const uint32_t first = (uint32_t)(part->first >> bits);
    const struct mr_scan scan = {.first_stripe = first,
                                 .n_stripes = (uint32_t)((part->end - 1) >> bits) + 1 - first};
    const bool is_all = part->end - part->first == part->lists->n_sources;
    return mr_edges_read(part->lists->context, store, is_all ? NULL : &scan, fill, part, err);
}

static enum mr_status allocate(struct mr_out_lists *lists, uint64_t n, struct mr_error *err)
{
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED(array_name, n, &lists->targets),
        MR_WANTED(array_name, lists->is_weighted ? n : 0, &lists->weights),
    };
    return mr_memory_arrays(lists->context->memory, arrays, err);
}

static void release(struct mr_out_lists *lists)
{
    mr_memory_free(lists->context->memory, lists->targets);
    mr_memory_free(lists->context->memory, lists->weights);
    lists->targets = NULL;
    lists->weights = NULL;
}

/* ---- The file ---- */

static enum mr_status write_part(struct mr_out_lists *lists, uint64_t base, uint64_t n,
                                 struct mr_error *err)
{
    const enum mr_status status =
        mr_scratch_file_write(lists->file, lists->targets, 4 * n, 4 * base, err);

    return status == MR_OK && lists->is_weighted
               ? mr_scratch_file_write(lists->file, lists->weights, 4 * n,
                                       4 * (lists->n_edges + base), err)
               : status;
}

/* Parts have up to `most` edges, or one list. */
static enum mr_status fill_file(struct mr_out_lists *lists, struct mr_store *store, uint64_t most,
                                struct mr_error *err)
{
    const uint64_t room = mr_max_u64(most, lists->longest);
    const uint64_t *starts = lists->ends + 1; /* of the lists that are not filled yet */
    struct list_part part = {.lists = lists};
    enum mr_status status =
        mr_scratch_file_open(lists->context, NULL, "lists", &lists->use, &lists->file, err);

    if (status == MR_OK) {
        status = allocate(lists, room, err);
    }
    while (status == MR_OK && part.end < lists->n_sources) {
        part.first = part.end;
        part.base = starts[part.first];
        while (part.end < lists->n_sources && starts[part.end + 1] - part.base <= room) {
            part.end++;
        }
        const uint64_t n = starts[part.end] - part.base;
        status = fill_part(store, &part, err);
        if (status == MR_OK && n > 0) {
            status = write_part(lists, part.base, n, err);
        }
    }
    release(lists);
    return status;
}

/* ---- Opening ---- */

enum mr_status mr_out_lists_open(const struct mr_context *context, struct mr_store *store,
                                 uint64_t room_bytes, struct mr_out_lists *lists,
                                 struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);

    *lists = (struct mr_out_lists){.context = context,
                                   .path = mr_store_path(store),
                                   .n_edges = info->n_edges,
                                   .n_sources = info->n_sources,
                                   .is_weighted = info->is_weighted};
    enum mr_status status =
        mr_memory_array(context->memory, "ends of lists", info->n_sources + 2, &lists->ends, err);
    if (status == MR_OK) {
        status = find_ends(lists, store, err);
    }
    if (status != MR_OK || info->n_edges == 0) {
        return status;
    }
    if (room_bytes < UINT64_MAX) {
        return fill_file(lists, store, room_bytes / edge_bytes(info->is_weighted), err);
    }
    struct list_part all = {.lists = lists, .end = info->n_sources};
    status = allocate(lists, info->n_edges, err);
    return status == MR_OK ? fill_part(store, &all, err) : status;
}

void mr_out_lists_close(struct mr_out_lists *lists)
{
    if (lists->context != NULL) {
        release(lists);
        mr_memory_free(lists->context->memory, lists->ends);
        mr_scratch_file_close(lists->file);
    }
    *lists = (struct mr_out_lists){0};
}

enum mr_status mr_out_lists_get(const struct mr_out_lists *lists, uint32_t vertex, uint32_t *room,
                                float *weights_room, const uint32_t **targets,
                                const float **weights, struct mr_error *err)
{
    const uint64_t first = lists->ends[vertex], n = lists->ends[vertex + 1] - first;

    *weights = lists->weights == NULL ? weights_room : lists->weights + first;
    if (lists->targets != NULL) {
        *targets = lists->targets + first;
        return MR_OK;
    }
    *targets = room;
    const enum mr_status status = mr_scratch_file_read(lists->file, room, 4 * n, 4 * first, err);
    return status == MR_OK && lists->is_weighted
               ? mr_scratch_file_read(lists->file, weights_room, 4 * n,
                                      4 * (lists->n_edges + first), err)
               : status;
}
