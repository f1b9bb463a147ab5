/* Which vertex each place becomes (engine/store/vertex_order.h): those with most links first. Whether that pays.
 * Internal to the builder. */
#ifndef MR_ENGINE_BUILD_VERTICES_DEGREE_ORDER_H
#define MR_ENGINE_BUILD_VERTICES_DEGREE_ORDER_H

#include "engine/build/edges/spool_scan.h"

struct mr_degree_order {
    struct mr_order_figures figures;
    /* Budgeted allocations [n_vertices + 1]; NULL where vertices stay at their places. */
    uint32_t *vertices; /* of places */
    uint32_t *places; /* of vertices */
};

/* Memory for each vertex while an order is made. */
#define MR_DEGREE_ORDER_BYTES 12u

/* Is a graph with these figures to be ordered by degree? A fixed function. */
bool mr_degree_order_pays(const struct mr_order_figures *figures, uint64_t n_vertices);

/* Count the links of each place of the sealed spool's numbered vertices, in and out together and as often as they
 * were handed in, and order by that number, the highest first, places ascending among equals. `is_auto`: where
 * that pays. NULL lists also where the order is that of the places. One pass over the spool; memory: 12 bytes a
 * vertex, 8 afterwards. The same for any number of threads. */
enum mr_status mr_degree_order_make(const struct mr_context *context,
                                    const struct mr_spool_scan *scan, uint64_t n_vertices,
                                    bool is_auto, struct mr_degree_order *order,
                                    struct mr_error *err) MR_WARN_UNUSED;

#endif
