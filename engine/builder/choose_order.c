/* SPDX-License-Identifier: Apache-2.0 */
/* Applies the order of the vertices, which is that of the names or has the core first: finds the
 * core, renumbers the spooled edges, and writes the order to the store. It also groups vertices by
 * their names, for classes of edges, since groups depend on the order. */
#include "engine/base/memory.h"
#include "engine/builder/internal.h"

static enum mr_status mark_sources(void *data, unsigned worker, const uint32_t (*pairs)[2],
                                   const float *weights, size_t n_pairs, struct mr_error *err)
{
    struct mr_core_map *core = data;
    (void)worker;
    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        mr_core_map_add(core, pairs[i][0]);
    }
    return MR_OK;
}

/* Find the vertices that have out-edges, and number them first, unless they come first already. The
 * scan runs before the edges are counted, since the numbers decide in which band an edge is. */
static enum mr_status put_core_first(struct mr_build *build, struct mr_error *err)
{
    const struct mr_spool_scan scan = mr_build_scan(build, "order");
    enum mr_status status =
        mr_core_map_create(build->context->memory, build->numbering->n_vertices, &build->core, err);
    if (status == MR_OK) {
        status = mr_spool_scan_pairs(build->context, &scan, mark_sources, &build->core, err);
    }
    if (status == MR_OK) {
        mr_core_map_seal(&build->core);
        if (!mr_core_map_is_identity(&build->core)) {
            return mr_numbering_core_first(build->numbering, build->spool, &build->core, err);
        }
    }
    mr_core_map_free(build->context->memory, &build->core);
    return status;
}

enum mr_status mr_build_make_order(struct mr_build *build, struct mr_error *err)
{
    struct mr_store *like = build->options.like;
    return build->options.core_first ? put_core_first(build, err)
           : like != NULL && mr_store_get_info(like)->order_id != 0
               ? mr_core_map_load(build->context, like, &build->core, err)
               : MR_OK;
}

enum mr_status mr_build_write_order(struct mr_build *build, struct mr_error *err)
{
    return build->core.words != NULL ? mr_store_writer_order(build->store, &build->core, err)
                                     : MR_OK;
}

/* ---- Groups ---- */

enum mr_status mr_build_begin_groups(struct mr_build *build, struct mr_error *err)
{
    const struct mr_build_options *options = &build->options;
    return mr_name_groups_create(build->context, build->grid.n_vertices, &build->core,
                                 options->name_group, options->name_group_data, &build->groups,
                                 err);
}

/* All names are written: prepare the classes for the band pipeline. */
enum mr_status mr_build_end_groups(struct mr_build *build, struct mr_error *err)
{
    enum mr_status status = mr_name_groups_finish(build->groups, err);
    if (status == MR_OK) {
        status = mr_memory_array(build->context->memory, "out-degrees of internal links",
                                 build->grid.n_vertices + 1, &build->internal_out, err);
    }
    return status;
}
