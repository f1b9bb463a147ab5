/* SPDX-License-Identifier: Apache-2.0 */
/* Groups vertices by a part of their names, such as the host, so that the builder can separate
 * internal edges from external ones. Neighbours in name order are often in one group, so it stores
 * runs of vertices and finds equal groups by the hash of the group's name. The names themselves are
 * not stored. */
#include "engine/names/name_groups.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include <xxhash.h>

#include "engine/base/memory.h"

/* Consecutive names of one group. Groups are compared by a 128-bit hash: two of 2^32 groups have
 * equal hashes with a probability below 2^-64. */
struct group_run {
    XXH128_hash_t hash;
    uint32_t number; /* number of the group's first run, once finished */
};

struct mr_name_groups {
    const struct mr_context *context;
    mr_name_group group;
    void *data;
    uint64_t n_vertices, n_added;
    const struct mr_core_map *core; /* the vertex of each name; NULL: ascending */
    uint32_t *of; /* [n_vertices]: number of the run; once finished, of the group's first run */
    struct group_run *runs; /* [n_runs] */
    uint64_t n_runs, capacity;
    bool is_alone; /* the last run is a name that is a group by itself */
    size_t bytes; /* length of its group's name */
    char name[MR_NAME_GROUP_MAX_BYTES], next[MR_NAME_GROUP_MAX_BYTES];
};

enum mr_status mr_name_groups_create(const struct mr_context *context, uint64_t n_vertices,
                                     const struct mr_core_map *core, mr_name_group group,
                                     void *data, struct mr_name_groups **out, struct mr_error *err)
{
    struct mr_name_groups *groups = calloc(1, sizeof *groups);
    *out = groups;
    if (groups == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for groups of names");
    }
    *groups = (struct mr_name_groups){.context = context,
                                      .group = group,
                                      .data = data,
                                      .n_vertices = n_vertices,
                                      .core = core != NULL && core->words != NULL ? core : NULL};
    return mr_memory_array(context->memory, "groups of names", n_vertices + 1, &groups->of, err);
}

void mr_name_groups_destroy(struct mr_name_groups *groups)
{
    if (groups != NULL) {
        mr_memory_free(groups->context->memory, groups->runs);
        mr_memory_free(groups->context->memory, groups->of);
        free(groups);
    }
}

static enum mr_status begin_run(struct mr_name_groups *groups, struct mr_error *err)
{
    const enum mr_status status =
        mr_memory_grow(groups->context->memory, "groups of names", groups->n_runs + 1,
                       &groups->runs, &groups->capacity, err);
    if (status != MR_OK) {
        return status;
    }
    struct group_run *run = &groups->runs[groups->n_runs];
    run->number = (uint32_t)groups->n_runs++;
    /* A name that is a group by itself gets a unique hash: that of its number, with another
     * seed. */
    run->hash = groups->is_alone ? XXH3_128bits_withSeed(&run->number, sizeof run->number, 1)
                                 : XXH3_128bits(groups->name, groups->bytes);
    return MR_OK;
}

enum mr_status mr_name_groups_add(struct mr_name_groups *groups, const char *name,
                                  size_t name_bytes, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    assert(groups->n_added < groups->n_vertices);
    const size_t bytes = groups->group(groups->data, name, name_bytes, groups->next);
    assert(bytes <= MR_NAME_GROUP_MAX_BYTES);
    if (groups->n_runs == 0 || groups->is_alone || bytes != groups->bytes ||
        memcmp(groups->name, groups->next, bytes) != 0) {
        memcpy(groups->name, groups->next, bytes);
        groups->bytes = bytes;
        groups->is_alone = bytes == 0;
        status = begin_run(groups, err);
    }
    const uint64_t vertex = groups->core != NULL
                                ? mr_core_map_vertex(groups->core, (uint32_t)groups->n_added)
                                : groups->n_added;
    groups->of[vertex] = (uint32_t)(groups->n_runs - 1);
    groups->n_added++;
    return status;
}

static int compare(const void *left, const void *right)
{
    const struct group_run *a = left, *b = right;
    const int order = XXH128_cmp(&a->hash, &b->hash);
    return order != 0 ? order : (a->number > b->number) - (a->number < b->number);
}

enum mr_status mr_name_groups_finish(struct mr_name_groups *groups, struct mr_error *err)
{
    uint32_t *first_of = NULL;
    assert(groups->n_added == groups->n_vertices);
    const enum mr_status status = mr_memory_array(groups->context->memory, "groups of names",
                                                  groups->n_runs + 1, &first_of, err);
    if (status != MR_OK) {
        return status;
    }
    if (groups->n_runs > 0) {
        qsort(groups->runs, groups->n_runs, sizeof *groups->runs, compare);
    }
    for (uint64_t i = 0, first = 0; i < groups->n_runs; i++) {
        first = XXH128_isEqual(groups->runs[i].hash, groups->runs[first].hash) ? first : i;
        first_of[groups->runs[i].number] = groups->runs[first].number;
    }
    for (uint64_t v = 0; v < groups->n_vertices; v++) {
        groups->of[v] = first_of[groups->of[v]];
    }
    mr_memory_free(groups->context->memory, first_of);
    mr_memory_free(groups->context->memory, groups->runs);
    groups->runs = NULL;
    groups->n_runs = groups->capacity = 0;
    return MR_OK;
}

const uint32_t *mr_name_groups_of(const struct mr_name_groups *groups)
{
    return groups->of;
}
