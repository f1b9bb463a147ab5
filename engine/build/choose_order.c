/* Applies the order of the vertices. If the order differs from that of the names, this file makes
 * it, renumbers the spooled edges, and writes the order to the store. It also groups vertices by
 * their names, for classes of edges, since groups depend on the order. */
#include <string.h>

#include "engine/base/memory.h"
#include "engine/build/internal.h"

enum mr_status mr_build_make_order(struct mr_build *build, struct mr_error *err)
{
    const uint64_t n_vertices = mr_numbering_count(build->numbering);
    enum mr_status status = MR_OK;
    if (n_vertices * MR_DEGREE_ORDER_BYTES > mr_memory_available(build->context->memory) / 2) {
        /* edges can wait on disk; the order needs memory */
        status = mr_spool_evict(build->spool, err);
    }
    if (status == MR_OK) {
        const struct mr_spool_scan scan = mr_build_scan(build, "order");
        status = mr_degree_order_make(build->context, &scan, n_vertices,
                                      build->options.order == MR_ORDER_AUTO, &build->order, err);
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
            status = mr_store_writer_order(build->store, mr_vertex_order_copy, copied, err);
        }
        mr_vertex_order_close(copied);
    } else if (build->order.vertices != NULL) {
        status = mr_store_writer_order(build->store, copy_lists, &build->order, err);
    }
    mr_memory_free(build->context->memory, build->order.positions);
    build->order.positions = NULL;
    return status;
}

/* ---- Groups ---- */

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
    if (status == MR_OK) {
        mr_name_groups_reorder(build->groups,
                               like != NULL ? build->groups_order : build->order.vertices);
    }
    return status;
}

/* All names are written: prepare the classes for the band pipeline. */
enum mr_status mr_build_end_groups(struct mr_build *build, struct mr_error *err)
{
    void *degrees = NULL;
    enum mr_status status = mr_name_groups_finish(build->groups, err);
    mr_memory_free(build->context->memory, build->groups_order);
    build->groups_order = NULL;
    if (status == MR_OK) {
        status = mr_memory_alloc(build->context->memory, "out-degrees of internal links",
                                 (build->grid.n_vertices + 1) * sizeof(uint32_t), &degrees, err);
    }
    build->classes = (struct mr_pipeline_classes){.groups = mr_name_groups_of(build->groups),
                                                  .out_degrees = degrees};
    return status;
}
