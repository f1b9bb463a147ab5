/* SPDX-License-Identifier: Apache-2.0 */
/* Eigenvector centrality by power iteration on A' + I. Each pass divides by what the one before has
 * grown to, so that nothing overflows and no scan over the vertices is needed. */
#include <math.h>

#include "algorithms/base/sum.h"
#include "algorithms/spectral/internal.h"
#include "engine/base/count_text.h"

/* Of a cycle of edges the values double in each pass, so that their sum over the edges comes near
 * that of all, or above it. Without a cycle it falls as 1 / passes. */
enum { ENOUGH_PASSES = 300 };

struct eigenvector {
    struct mr_iteration iteration;
    double factor; /* of the values before the pass: their sum becomes 1 */
    double expected; /* what (A' + I) grows them by, as far as known */
};

/* Sums: `before` is that of the values over the links, `after` of the new ones. */
static void fill_band(void *data, const struct mr_pass_band *band)
{
    const struct eigenvector *run = data;
    const struct mr_iteration *iteration = &run->iteration;
    const double *acc = band->accumulator;
    const double *x = iteration->x + band->first_vertex;
    double *next = iteration->next + band->first_vertex;
    struct mr_sum linked = {0}, after = {0}, change = {0};

    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const double old = x[i] * run->factor, sum = acc[i] * run->factor;
        const double value = (sum + old) / run->expected;
        mr_sum_add(&linked, sum);
        mr_sum_add(&after, value);
        mr_sum_add(&change, fabs(value - old));
        next[i] = value;
    }
    iteration->sums[band->band] = (struct mr_iterate_sums){.before = mr_sum_value(&linked),
                                                           .after = mr_sum_value(&after),
                                                           .change = mr_sum_value(&change)};
}

static enum mr_status iterate(struct eigenvector *run, const struct mr_eigenvector_options *options,
                              struct mr_eigenvector_result *result, struct mr_error *err)
{
    const struct mr_store_info *info = run->iteration.info;

    run->factor = 1 / (double)info->n_vertices; /* of values that are 1 */
    run->expected = 1;
    while (result->passes < options->max_passes) {
        struct mr_iterate_sums sums;
        const enum mr_status status =
            mr_iteration_run(&run->iteration, false, fill_band, run, &sums, err);
        if (status != MR_OK) {
            return status;
        }
        result->passes++;
        result->eigenvalue = sums.before;
        /* |new / sum - old| <= |new - old| + |1 - sum| */
        result->change = sums.change + fabs(1 - sums.after);
        run->factor = 1 / sums.after;
        run->expected = 1 + sums.before;
        if (!(sums.before > 0)) { /* no edges */
            result->converged = true;
            result->change = 0;
            return MR_OK;
        }
        if (result->passes >= ENOUGH_PASSES && !info->is_weighted && sums.before < 0.5) {
            return mr_error_set(
                err, MR_ERROR_INPUT,
                "the links seem to have no cycle; their largest eigenvalue is then 0 "
                "and has no vector: take katz or pagerank");
        }
        if (result->change <= options->tolerance) {
            result->converged = true;
            return MR_OK;
        }
    }
    char passes[64];
    return mr_error_set(err, MR_NOT_CONVERGED,
                        "after %s the last one still moved the scores by %.2e, more than "
                        "the tolerance %.2e; raise --tolerance or --max-passes",
                        mr_count_of_text(result->passes, "pass", passes), result->change,
                        options->tolerance);
}

/* What the values are multiplied by, for the norm that is asked for. */
static double scale_of(const struct eigenvector *run, enum mr_spectral_norm norm, double eigenvalue)
{
    const uint64_t n = run->iteration.info->n_vertices;
    struct mr_sum squares = {0};
    double largest = 0;

    if (!(eigenvalue > 0)) {
        return 0;
    }
    for (uint64_t v = 0; v < n && norm != MR_SPECTRAL_L1; v++) {
        const double value = run->iteration.x[v] * run->factor;
        mr_sum_add(&squares, value * value);
        largest = fmax(largest, value);
    }
    return run->factor / (norm == MR_SPECTRAL_L1   ? 1
                          : norm == MR_SPECTRAL_L2 ? sqrt(mr_sum_value(&squares))
                                                   : largest);
}

enum mr_status mr_eigenvector(const struct mr_context *context, struct mr_store *store,
                              const struct mr_eigenvector_options *options,
                              struct mr_eigenvector_result *result, struct mr_error *err)
{
    struct eigenvector run = {.factor = 1};

    *result =
        (struct mr_eigenvector_result){.memory = context->memory, .tolerance = options->tolerance};
    enum mr_status status = mr_iteration_open(context, store, &run.iteration, err);
    const uint64_t n = run.iteration.info->n_vertices;
    for (uint64_t v = 0; v < n && status == MR_OK; v++) {
        run.iteration.x[v] = 1;
    }
    if (status == MR_OK && n > 0) {
        status = iterate(&run, options, result, err);
    } else {
        result->converged = true;
    }
    if (status == MR_OK || status == MR_NOT_CONVERGED) {
        result->figures = mr_pass_get_figures(run.iteration.pass);
        const enum mr_status taken = mr_iteration_copy_scores(
            &run.iteration, scale_of(&run, options->norm, result->eigenvalue), &result->scores,
            err);
        status = taken == MR_OK ? status : taken;
    }
    mr_iteration_close(&run.iteration);
    if (status != MR_OK && status != MR_NOT_CONVERGED) {
        *result = (struct mr_eigenvector_result){0};
    }
    return status;
}
