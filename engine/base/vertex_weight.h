/* One entry of a sparse vector over vertices: teleport weights, page scores. */
#ifndef MR_ENGINE_BASE_VERTEX_WEIGHT_H
#define MR_ENGINE_BASE_VERTEX_WEIGHT_H

#include <stdint.h>

struct mr_vertex_weight {
    uint32_t vertex;
    double weight;
};

#endif
