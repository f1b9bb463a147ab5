/* SPDX-License-Identifier: Apache-2.0 */
/* Groups vertices by their names, such as the pages of a host. Edges inside a group are internal.
 *
 *     create -> add (each name, in order) -> finish -> of
 *
 * Memory: 4 bytes per vertex; until finished, also 24 for each run of vertices of one group,
 * counted double. */
#ifndef MR_ENGINE_NAMES_NAME_GROUPS_H
#define MR_ENGINE_NAMES_NAME_GROUPS_H

#include "engine/store/core_map.h"

struct mr_name_groups;

/* Writes the name of the group of `name[name_bytes]` to `out[MR_NAME_GROUP_MAX_BYTES]` and returns
 * its length. 0: the name is a group by itself. Called from one thread; it may change `data`. */
typedef size_t (*mr_name_group)(void *data, const char *name, size_t name_bytes, char *out);
#define MR_NAME_GROUP_MAX_BYTES 1024u

/* `core`: the vertex of each name, a sealed map that is valid until finish; NULL or without words:
 * names come in vertex order. */
enum mr_status mr_name_groups_create(const struct mr_context *context, uint64_t n_vertices,
                                     const struct mr_core_map *core, mr_name_group group,
                                     void *data, struct mr_name_groups **out,
                                     struct mr_error *err) MR_WARN_UNUSED;
void mr_name_groups_destroy(struct mr_name_groups *groups);

enum mr_status mr_name_groups_add(struct mr_name_groups *groups, const char *name,
                                  size_t name_bytes, struct mr_error *err) MR_WARN_UNUSED;

/* Finish after the last name. Runs with equal group names become one group. */
enum mr_status mr_name_groups_finish(struct mr_name_groups *groups,
                                     struct mr_error *err) MR_WARN_UNUSED;

/* After finish: [n_vertices], equal numbers for vertices of one group. Valid until destroy. */
const uint32_t *mr_name_groups_of(const struct mr_name_groups *groups);

#endif
