/* SPDX-License-Identifier: Apache-2.0 */
/* Links that count for less than one: those of a class whose weight is not 1. They go to an
 * accumulator of their own, which is added times the weight. */
#include <assert.h>
#include <string.h>

#include "engine/pass/internal.h"

static double *accumulator_of(struct pass_worker *worker, double weight)
{
    worker->class_weight = weight;
    memset(worker->class_sum, 0, worker->pass->band_width * MR_ACCUMULATOR_BYTES);
    return worker->class_sum;
}

void *mr_class_target(struct pass_worker *worker, const struct mr_block_entry *block,
                      void *accumulator)
{
    if (worker->class_sum == NULL) {
        return accumulator;
    }
    const double weight = worker->pass->class_weights[block->link_class];
    if (weight == worker->class_weight) {
        return worker->class_sum;
    }
    mr_class_flush(worker, accumulator);
    return weight == 1 ? accumulator : accumulator_of(worker, weight);
}

void mr_class_flush(struct pass_worker *worker, void *accumulator)
{
    const size_t n = worker->pass->band_width;
    double *to = accumulator;
    if (worker->class_weight == 0) {
        return;
    }
    assert(worker->pass->run->value != MR_VALUE_U64);
    for (size_t i = 0; i < n; i++) {
        to[i] += worker->class_weight * worker->class_sum[i];
    }
    worker->class_weight = 0;
}
