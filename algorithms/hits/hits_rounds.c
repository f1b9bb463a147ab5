/* SPDX-License-Identifier: Apache-2.0 */
/* One application of the operator of HITS, as two passes: hubs to authorities over the store,
 * authorities to hubs over its transpose. hits_solve.c calls it for plain rounds and for Lanczos.
 * The callback of a band scales, measures and stores at once, so that no scan over the vertices is
 * needed. */
#include "algorithms/hits/internal.h"

#include <math.h>
#include <string.h>

#include "algorithms/base/sum.h"
#include "algorithms/base/weight_walk.h"

/* One pass, which computes a vector from the values of the other one. */
struct hits_pass {
    struct mr_hits_solver *solver;
    struct mr_hits_vector *to;
    double factor; /* stored = sum * factor */
    /* normalised old value = stored old value * old_factor; 0: there is no old vector */
    double old_factor;
    bool is_measured;
    double *relevant; /* store r times the new value here too; or NULL */
};

/* A norm in the course of its summation. */
struct norm {
    enum mr_hits_norm kind;
    struct mr_sum sum;
    double largest;
};

static inline void norm_add(struct norm *norm, double x)
{
    if (norm->kind == MR_HITS_MAX) {
        norm->largest = fmax(norm->largest, x);
    } else {
        mr_sum_add(&norm->sum, norm->kind == MR_HITS_L2 ? x * x : x);
    }
}

static double norm_value(const struct norm *norm)
{
    return norm->kind == MR_HITS_MAX ? norm->largest : mr_sum_value(&norm->sum);
}

static void measure_band(const struct hits_pass *job, const struct mr_pass_band *band)
{
    const double *sums = band->accumulator;
    double *values = job->to->values + band->first_vertex;
    struct norm norm = {.kind = job->solver->options->norm},
                change = {.kind = job->solver->options->norm};

    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const double value = sums[i] * job->factor;
        norm_add(&norm, value);
        norm_add(&change, fabs(value - values[i] * job->old_factor));
        values[i] = value;
    }
    job->solver->band_sums[band->band] =
        (struct mr_hits_sums){norm_value(&norm), norm_value(&change)};
}

static void take_band(void *data, const struct mr_pass_band *band)
{
    const struct hits_pass *job = data;
    const struct mr_hits_solver *solver = job->solver;
    double *values = job->to->values + band->first_vertex;

    if (job->is_measured) {
        measure_band(job, band);
    } else {
        memcpy(values, band->accumulator, band->n_vertices * sizeof *values);
    }
    if (job->relevant == NULL) {
        return;
    }
    struct mr_weight_walk walk = mr_weight_walk_begin(
        solver->options->relevance, solver->options->n_relevance, band->first_vertex);
    double *relevant = job->relevant + band->first_vertex;
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const struct mr_vertex_weight *w = mr_weight_walk_at(&walk, band->first_vertex + i);
        relevant[i] = w != NULL ? w->weight * solver->inverse_relevance * values[i] : 0;
    }
}

static struct mr_hits_sums combine(const struct mr_hits_solver *solver, uint32_t n_bands)
{
    struct norm norm = {.kind = solver->options->norm}, change = {.kind = solver->options->norm};
    const bool is_l2 = solver->options->norm == MR_HITS_L2;

    norm.kind = change.kind =
        is_l2 ? MR_HITS_L1 : solver->options->norm; /* the squares are summed in L1 */
    for (uint32_t b = 0; b < n_bands; b++) {
        norm_add(&norm, solver->band_sums[b].norm);
        norm_add(&change, solver->band_sums[b].change);
    }
    struct mr_hits_sums sums = {norm_value(&norm), norm_value(&change)};
    if (is_l2) {
        sums = (struct mr_hits_sums){sqrt(sums.norm), sqrt(sums.change)};
    }
    return sums;
}

static enum mr_status run_pass(struct mr_hits_solver *solver, bool is_forward, double *x,
                               struct hits_pass *job, struct mr_error *err)
{
    struct mr_pass *pass = is_forward ? solver->forward : solver->backward;
    const struct mr_pass_task run = {.value = MR_VALUE_DOUBLE,
                                     .x = x,
                                     .end_band = solver->n_bands[is_forward ? 0 : 1],
                                     .callback = take_band,
                                     .callback_data = job};
    job->solver = solver;
    return mr_pass_run(pass, &run, err);
}

/* A measured pass. Let f be the factor, s the norm of the stored vector, and old the old vector
 * with norm 1. The vector moved by at most
 *
 *     |new / s - old| <= |new - old| + |1 / s - 1| |new| = |new - old| + |1 - s| */
static enum mr_status step(struct mr_hits_solver *solver, bool is_forward, double *x,
                           double *relevant, double x_norm, struct mr_error *err)
{
    struct mr_hits_vector *to = is_forward ? &solver->authorities : &solver->hubs;
    struct hits_pass job = {.to = to,
                            .factor = to->last_factor,
                            .old_factor = to->norm > 0 ? 1 / to->norm : 0,
                            .is_measured = true,
                            .relevant = relevant};

    /* The input vector has norm x_norm, not 1. */
    job.factor /= x_norm;
    const enum mr_status status = run_pass(solver, is_forward, x, &job, err);
    if (status != MR_OK) {
        return status;
    }
    const struct mr_hits_sums sums = combine(solver, solver->n_bands[is_forward ? 0 : 1]);
    to->change = to->norm > 0 ? sums.change + fabs(1 - sums.norm) : (double)INFINITY;
    to->norm = sums.norm;
    if (sums.norm > 0) {
        to->last_factor /= sums.norm;
    }
    return MR_OK;
}

enum mr_status mr_hits_authorities(struct mr_hits_solver *solver, struct mr_error *err)
{
    const double factor = solver->authorities.last_factor;

    const enum mr_status status =
        step(solver, true, solver->hubs.values, solver->relevant, solver->hubs.norm, err);
    solver->authority_length = solver->authorities.norm / factor;
    return status;
}

enum mr_status mr_hits_hubs(struct mr_hits_solver *solver, struct mr_error *err)
{
    double *x = solver->relevant != NULL ? solver->relevant : solver->authorities.values;
    const double length = solver->authority_length;

    if (solver->eigenvalue > 0) {
        solver->hubs.last_factor = length / solver->eigenvalue;
    }
    const double hub_factor = solver->hubs.last_factor;
    const enum mr_status status = step(solver, false, x, NULL, solver->authorities.norm, err);
    solver->rounds++;
    solver->eigenvalue = solver->hubs.norm / hub_factor * length;
    return status;
}

enum mr_status mr_hits_apply(struct mr_hits_solver *solver, struct mr_error *err)
{
    struct hits_pass job = {.to = &solver->authorities, .relevant = solver->relevant};

    enum mr_status status = run_pass(solver, true, solver->hubs.values, &job, err);
    if (status != MR_OK) {
        return status;
    }
    job = (struct hits_pass){.to = &solver->hubs};
    double *x = solver->relevant != NULL ? solver->relevant : solver->authorities.values;
    solver->authorities.norm = 0; /* the stored vector is no old vector to compare with */
    solver->rounds++;
    return run_pass(solver, false, x, &job, err);
}
