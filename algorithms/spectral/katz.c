/* SPDX-License-Identifier: Apache-2.0 */
/* Katz centrality by the iteration x <- b + a A' x, with the proof that spectral.h derives. */
#include <math.h>

#include "algorithms/base/sum.h"
#include "algorithms/base/weight_walk.h"
#include "algorithms/spectral/internal.h"
#include "engine/base/count_text.h"
#include "engine/base/value.h"

/* Without an attenuation it is this share of the largest one that is sure to be small enough. */
#define USUAL_SHARE 0.85
/* The run gives up after so many passes in a row in which the change grew. */
enum { MOST_GROWTHS = 100 };

/* How far a run from seeds goes with the scores of all first. */
#define SHARE_OF_ALL 0.125

struct katz {
    struct mr_iteration iteration;
    const struct mr_katz_options *options;
    double attenuation;
    double largest_seed, seed_sum; /* of the seeds divided by the largest one */
    bool is_of_all; /* b is 1 for all */
    double sum_of_all; /* a bound on the sum of the scores for b = 1 */
    bool proves; /* rounding is part of the sums */
    double corner_rounding; /* of an edge in a corner tile */
};

/* ---- Passes ---- */

/* b: 1, or the share of a seed. */
static double start_of(const struct katz *katz, struct mr_weight_walk *walk, uint32_t vertex)
{
    if (katz->is_of_all) {
        return 1;
    }
    const struct mr_vertex_weight *seed = mr_weight_walk_at(walk, vertex);
    return seed == NULL ? 0 : seed->weight / katz->largest_seed / katz->seed_sum;
}

/* A bound on the rounding in `after`: an edge is an addition and perhaps a product, and in a corner
 * tile it adds an error that depends on its stripe. */
static double rounding_of(const struct katz *katz, const struct mr_pass_band *band, uint32_t i,
                          double linked, double after)
{
    const double edges = band->in_degree[i];
    const double per_sum = band->in_strength != NULL || band->out_strength != NULL ? 2 : 1;

    return 0x1p-53 * ((per_sum * edges + 8) * linked + 6 * after) + edges * katz->corner_rounding;
}

static void fill_band(void *data, const struct mr_pass_band *band)
{
    const struct katz *katz = data;
    const struct mr_iteration *iteration = &katz->iteration;
    const double *acc = band->accumulator;
    const double *x = iteration->x + band->first_vertex;
    double *next = iteration->next + band->first_vertex;
    struct mr_weight_walk walk =
        mr_weight_walk_begin(katz->options->seeds, katz->options->n_seeds, band->first_vertex);
    struct mr_sum before = {0}, after = {0}, change = {0}, rounding = {0};
    struct mr_iterate_sums sums = {0};

    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const double linked = katz->attenuation * acc[i];
        const double value = start_of(katz, &walk, band->first_vertex + i) + linked;
        const double moved = fabs(value - x[i]);
        const double off = katz->proves ? rounding_of(katz, band, i, linked, value) : 0;
        mr_sum_add(&before, x[i]);
        mr_sum_add(&after, value);
        mr_sum_add(&change, moved);
        mr_sum_add(&rounding, off);
        sums.largest_change = fmax(sums.largest_change, moved + off);
        sums.largest_rounding = fmax(sums.largest_rounding, off);
        sums.relative_rounding = fmax(sums.relative_rounding, value > 0 ? off / value : 0);
        next[i] = value;
    }
    sums.before = mr_sum_value(&before);
    sums.after = mr_sum_value(&after);
    sums.change = mr_sum_value(&change);
    sums.rounding = mr_sum_value(&rounding);
    iteration->sums[band->band] = sums;
}

/* x = b. */
static void set_start(struct katz *katz)
{
    struct mr_iteration *iteration = &katz->iteration;
    const struct mr_katz_options *o = katz->options;
    struct mr_weight_walk walk = mr_weight_walk_begin(o->seeds, o->n_seeds, 0);
    struct mr_sum sum = {0};

    if (!katz->is_of_all) {
        katz->largest_seed = mr_weights_largest(o->seeds, o->n_seeds, iteration->info->n_vertices);
        for (uint64_t i = 0; i < o->n_seeds; i++) {
            mr_sum_add(&sum, o->seeds[i].weight / katz->largest_seed);
        }
        katz->seed_sum = mr_sum_value(&sum);
    }
    for (uint64_t v = 0; v < iteration->info->n_vertices; v++) {
        iteration->x[v] = start_of(katz, &walk, (uint32_t)v);
    }
    for (uint64_t b = 0; b < iteration->info->n_bands; b++) {
        iteration->sums[b].after = (double)(1u << iteration->info->band_bits); /* b is at most 1 */
    }
    katz->proves = false;
}

/* ---- The proof ---- */

/* Of the iterate after the pass with these sums; INFINITY where nothing is proven. The last factors
 * cover the rounding of the sums and of these few operations. True if no more is wanted. */
static bool prove(struct katz *katz, const struct mr_iterate_sums *sums,
                  struct mr_katz_result *result)
{
    const double p = sums->largest_change * (1 + 0x1p-40), scale = (1 + 0x1p-40) / (1 - p);

    result->error_bound = result->relative_error = (double)INFINITY;
    if (katz->is_of_all) {
        katz->sum_of_all = p < 1 ? sums->before * scale : (double)INFINITY;
        result->relative_error = p < 1 ? (p + sums->relative_rounding) * scale : (double)INFINITY;
    }
    if (katz->is_of_all && katz->options->seeds != NULL) {
        return p <= SHARE_OF_ALL;
    }
    if (sums->after > 0) {
        result->error_bound =
            (sums->largest_change * katz->sum_of_all + sums->rounding * (1 + 0x1p-40)) /
            sums->after;
    }
    return result->error_bound <= katz->options->tolerance;
}

static enum mr_status refuse_attenuation(const struct katz *katz, double growth,
                                         struct mr_error *err)
{
    return mr_error_set(err, MR_ERROR_USAGE,
                        "attenuation %g: seems to be above 1 / the largest eigenvalue of the "
                        "links, since walks grow %.3g times with each link; take less than %.2g",
                        katz->attenuation, growth, katz->attenuation / growth);
}

/* Passes until the bound is proven. A first bound leaves rounding out, which takes degrees. Where
 * rounding is most of the change, further passes gain nothing. */
static enum mr_status iterate(struct katz *katz, struct mr_katz_result *result,
                              struct mr_error *err)
{
    struct mr_iteration *iteration = &katz->iteration;
    double change = (double)INFINITY;
    unsigned growths = 0;
    bool is_stuck = false;

    while (result->passes < katz->options->max_passes && !is_stuck) {
        struct mr_iterate_sums sums;
        katz->corner_rounding =
            katz->attenuation * MR_PASS_LINK_ERROR * mr_iteration_largest_band(iteration);
        const enum mr_status status =
            mr_iteration_run(iteration, katz->proves, fill_band, katz, &sums, err);
        if (status != MR_OK) {
            return status;
        }
        result->passes++;
        const double grown = sums.change / change;
        change = sums.change;
        growths = grown >= 1 ? growths + 1 : 0;
        if (growths > MOST_GROWTHS || !isfinite(change)) {
            return refuse_attenuation(katz, grown, err);
        }
        const bool is_enough = prove(katz, &sums, result);
        result->score_sum = sums.after;
        if (is_enough && katz->proves) {
            return MR_OK;
        }
        is_stuck = katz->proves && sums.largest_change < 2 * sums.largest_rounding;
        katz->proves |= is_enough;
    }
    if (!katz->proves) { /* the bound leaves rounding out */
        result->error_bound = result->relative_error = (double)INFINITY;
    }
    char passes[64], bound[32];
    return mr_error_set(err, MR_NOT_CONVERGED,
                        "after %s the error bound is %s, above the tolerance %.2e; "
                        "raise --tolerance or --max-passes, or take a lower --attenuation",
                        mr_count_of_text(result->passes, "pass", passes),
                        mr_bound_text(result->error_bound, bound), katz->options->tolerance);
}

static enum mr_status rank(struct katz *katz, struct mr_katz_result *result, struct mr_error *err)
{
    struct mr_iteration *iteration = &katz->iteration;
    double largest = 0;

    if (katz->options->attenuation > 0) {
        katz->attenuation = katz->options->attenuation;
    } else {
        const enum mr_status status = mr_iteration_largest_row(iteration, &largest, err);
        if (status != MR_OK) {
            return status;
        }
        katz->attenuation = USUAL_SHARE / (largest > 0 ? largest : 1);
    }
    result->attenuation = katz->attenuation;
    katz->is_of_all = true;
    set_start(katz);
    enum mr_status status = iterate(katz, result, err);
    if (status == MR_OK && katz->options->seeds != NULL) {
        katz->is_of_all = false;
        set_start(katz);
        status = iterate(katz, result, err);
    }
    result->converged = status == MR_OK;
    return status;
}

enum mr_status mr_katz(const struct mr_context *context, struct mr_store *store,
                       const struct mr_katz_options *options, struct mr_katz_result *result,
                       struct mr_error *err)
{
    struct katz katz = {.options = options};

    *result = (struct mr_katz_result){.memory = context->memory,
                                      .tolerance = options->tolerance,
                                      .error_bound = (double)INFINITY,
                                      .relative_error = (double)INFINITY};
    enum mr_status status = mr_iteration_open(context, store, &katz.iteration, err);
    if (status == MR_OK && katz.iteration.info->n_vertices > 0) {
        status = rank(&katz, result, err);
    } else {
        result->converged = true;
        result->error_bound = result->relative_error = 0;
    }
    if (options->seeds != NULL) {
        result->relative_error = (double)NAN;
    }
    if (status == MR_OK || status == MR_NOT_CONVERGED) {
        result->figures = mr_pass_get_figures(katz.iteration.pass);
        const enum mr_status taken =
            mr_iteration_copy_scores(&katz.iteration, 1, &result->scores, err);
        status = taken == MR_OK ? status : taken;
    }
    mr_iteration_close(&katz.iteration);
    if (status != MR_OK && status != MR_NOT_CONVERGED) {
        *result = (struct mr_katz_result){0};
    }
    return status;
}
