/* SPDX-License-Identifier: Apache-2.0 */
/* Applies the order of the vertices: by degree if that was asked for, and the core first. If the
 * order differs from that of the names, this file makes it, renumbers the spooled edges, and writes
 * the order to the store. It also groups vertices by their names, for classes of edges, since
 * groups depend on the order. */
#include <string.h>

#include "engine/base/memory.h"
#include "engine/builder/internal.h"

static enum mr_status order_by_degree(struct mr_build *build, uint64_t n_vertices,
                                      struct mr_error *err)
{
    enum mr_status status = MR_OK;
    if (n_vertices * MR_DEGREE_ORDER_BYTES > mr_memory_available(build->context->memory) / 2) {
        /* edges can wait on disk; the order needs memory */
        status = mr_spool_evict(build->spool, err);
    }
    if (status == MR_OK) {
        const struct mr_spool_scan scan = mr_build_scan(build, "order");
        status = mr_degree_order_make(build->context, &scan, n_vertices, &build->order, err);
    }
    return status;
}

/* Put the core in front, of the order by degree if there is one. */
static enum mr_status put_core_first(struct mr_build *build, uint64_t n_vertices,
                                     struct mr_error *err)
{
    const struct mr_spool_scan scan = mr_build_scan(build, "order");
    enum mr_status status =
        mr_core_order_find(build->context, &scan, n_vertices, &build->core, err);
    const bool has_lists = build->order.vertices != NULL;
    if (status == MR_OK && has_lists) {
        mr_core_order_apply(&build->core, &build->order);
    }
    if (status == MR_OK && !has_lists && !mr_core_map_is_identity(&build->core)) {
        return mr_numbering_core_first(build->numbering, build->spool, &build->core, err);
    }
    mr_core_map_free(build->context->memory, &build->core);
    return status;
}

enum mr_status mr_build_make_order(struct mr_build *build, struct mr_error *err)
{
    const uint64_t n_vertices = mr_numbering_count(build->numbering);
    enum mr_status status = MR_OK;
    if (build->options.order != MR_ORDER_KEEP) {
        status = order_by_degree(build, n_vertices, err);
    }
    if (status == MR_OK && build->options.core_first) {
        status = put_core_first(build, n_vertices, err);
    }
    if (status == MR_OK && build->order.vertices != NULL) {
        status = mr_numbering_reorder(build->numbering, build->spool, build->order.vertices, err);
    }
    return status;
}

/* Copies lists of the order that this build made. */
static enum mr_status copy_lists(void *data, enum mr_order_list list, uint64_t first, uint32_t n,
                                 uint32_t *values, struct mr_error *err)
{
    const struct mr_degree_order *order = data;
    (void)err;
    memcpy(values, (list == MR_ORDER_VERTICES ? order->vertices : order->positions) + first,
           n * sizeof *values);
    return MR_OK;
}

/* The store whose order this build copies, or NULL. */
static struct mr_store *order_of(const struct mr_build *build)
{
    struct mr_store *like = build->options.like;
    return like != NULL && mr_store_get_info(like)->order_id != 0 && !build->options.in_positions
               ? like
               : NULL;
}

enum mr_status mr_build_write_order(struct mr_build *build, struct mr_error *err)
{
    struct mr_store *like = order_of(build);
    struct mr_vertex_order *copied = NULL;
    enum mr_status status = MR_OK;
    if (like != NULL) {
        status = mr_vertex_order_open(build->context, like, &copied, err);
        if (status == MR_OK) {
            status = mr_store_writer_order(build->store, mr_store_get_info(like)->order_kind,
                                           mr_vertex_order_copy, copied, err);
        }
        mr_vertex_order_close(copied);
    } else if (build->order.vertices != NULL) {
        status =
            mr_store_writer_order(build->store, MR_ORDER_BY_LISTS, copy_lists, &build->order, err);
    } else if (build->core.words != NULL) {
        status = mr_store_writer_order(build->store, MR_ORDER_CORE_FIRST, mr_vertex_order_of_core,
                                       &build->core, err);
    }
    mr_memory_free(build->context->memory, build->order.positions);
    build->order.positions = NULL;
    return status;
}

/* ---- Groups ---- */

/* The vertex of each position, as a list. */
static enum mr_status list_core(struct mr_build *build, struct mr_error *err)
{
    const enum mr_status status =
        mr_memory_array(build->context->memory, "order of vertices", build->grid.n_vertices + 1,
                        &build->groups_order, err);
    for (uint64_t p = 0; status == MR_OK && p < build->grid.n_vertices; p++) {
        build->groups_order[p] = mr_core_map_vertex(&build->core, (uint32_t)p);
    }
    return status;
}

enum mr_status mr_build_begin_groups(struct mr_build *build, struct mr_error *err)
{
    const struct mr_build_options *options = &build->options;
    struct mr_store *like = order_of(build);
    enum mr_status status =
        mr_name_groups_create(build->context, build->grid.n_vertices, options->name_group,
                              options->name_group_data, &build->groups, err);
    if (status == MR_OK && like != NULL) {
        status = mr_vertex_order_load(build->context, like, MR_ORDER_VERTICES, &build->groups_order,
                                      err);
    }
    if (status == MR_OK && build->core.words != NULL) {
        status = list_core(build, err);
    }
    if (status == MR_OK) {
        mr_name_groups_reorder(build->groups, build->groups_order != NULL ? build->groups_order
                                                                          : build->order.vertices);
    }
    return status;
}

/* All names are written: prepare the classes for the band pipeline. */
enum mr_status mr_build_end_groups(struct mr_build *build, struct mr_error *err)
{
    enum mr_status status = mr_name_groups_finish(build->groups, err);
    mr_memory_free(build->context->memory, build->groups_order);
    build->groups_order = NULL;
    build->classes.groups = mr_name_groups_of(build->groups);
    if (status == MR_OK) {
        status = mr_memory_array(build->context->memory, "out-degrees of internal links",
                                 build->grid.n_vertices + 1, &build->classes.out_degrees, err);
    }
    return status;
}
