/* SPDX-License-Identifier: Apache-2.0 */
/* Weights of classes of links, before a ranking with --internal-weight or --external-weight. Two
 * passes over the degrees add up the weight of each vertex's links. */

#include <math.h>

#include "engine/base/memory.h"
#include "engine/pass/pass.h"

struct strength_sums {
    double *strengths; /* out-degrees first, then strengths */
    double weights[MR_CLASSES_MAX];
    bool is_internal; /* the degrees that come */
};

static void take_degrees(void *data, const struct mr_pass_band *band)
{
    const struct strength_sums *job = data;
    double *strengths = job->strengths + band->first_vertex;
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const double degree = (double)band->out_degree[i];
        strengths[i] = job->is_internal ? job->weights[MR_LINK_EXTERNAL] * (strengths[i] - degree) +
                                              job->weights[MR_LINK_INTERNAL] * degree
                                        : degree;
    }
}

static enum mr_status read_degrees(const struct mr_context *context, struct mr_store *store,
                                   struct strength_sums *job, struct mr_error *err)
{
    const struct mr_pass_task task = {
        .out_degrees = true, .degrees_only = true, .callback = take_degrees, .callback_data = job};
    return mr_pass_run_once(context, store, &task, NULL, err);
}

enum mr_status mr_store_weigh_classes(const struct mr_context *context, struct mr_store *store,
                                      const double weights[MR_CLASSES_MAX], struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    const double largest = fmax(weights[0], weights[1]);
    struct mr_store *internal = NULL;
    void *strengths = NULL;

    if (!isfinite(largest) || !(weights[0] > 0 && weights[1] > 0)) { /* fmax skips a NaN */
        return mr_error_set(err, MR_ERROR_USAGE,
                            "the weights of classes are %g and %g; they must be finite and above 0",
                            weights[0], weights[1]);
    }
    if (info->n_classes != MR_CLASSES_MAX || info->classes != MR_CLASSES_ALL) {
        return mr_error_file(err, MR_ERROR_USAGE, mr_store_path(store), 0,
                             "there are not two classes of links to be weighed");
    }
    enum mr_status status = mr_store_open_classes(context, mr_store_path(store),
                                                  1u << MR_LINK_INTERNAL, &internal, err);
    if (status == MR_OK && mr_store_get_info(internal)->store_id != info->store_id) {
        status = mr_error_file(err, MR_ERROR_RUNTIME, mr_store_path(store), 0,
                               "another store has taken its place; try again");
    }
    if (status == MR_OK) {
        status = mr_memory_alloc(context->memory, "out-strengths",
                                 (info->n_vertices + 1) * sizeof(double), &strengths, err);
    }
    struct strength_sums job = {.strengths = strengths,
                                .weights = {weights[0] / largest, weights[1] / largest}};
    if (status == MR_OK) {
        status = read_degrees(context, store, &job, err);
    }
    job.is_internal = true;
    if (status == MR_OK) {
        status = read_degrees(context, internal, &job, err);
    }
    mr_store_close(internal);
    if (status != MR_OK) {
        mr_memory_free(context->memory, strengths);
        return status;
    }
    mr_store_set_class_weights(store, job.weights, strengths);
    return MR_OK;
}
