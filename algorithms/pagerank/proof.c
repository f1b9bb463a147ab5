/* SPDX-License-Identifier: Apache-2.0 */
/* Proves how far given scores are from PageRank. The certificate of our own ranking does the same
 * for the vector that the solver has in memory; here the vector comes from a file. The scores of
 * the best pages are kept aside first, because the pass needs shares in the place of scores. */
#include "algorithms/pagerank/pagerank.h"

#include <math.h>

#include "algorithms/base/certificate.h"
#include "algorithms/base/sum.h"
#include "algorithms/base/weight_walk.h"
#include "algorithms/pagerank/until.h"
#include "engine/base/memory.h"

struct proving {
    const struct mr_store_info *info;
    double *x; /* scores, then shares */
    double start; /* what each vertex gets without links, or all of them with a teleport */
    double even; /* what each vertex gets beside it from dangling ones */
    const struct mr_certify_options *options;
    double teleport_sum; /* of the weights times 2^-teleport_exponent */
    int teleport_exponent;
    struct mr_rank_sums *sums; /* [n_bands] */
};

/* ---- The best scores ---- */

/* What the bound E proves. The errors of all pages add up to E at the most. So a page whose score
 * is more than E above another one's is truly above it. Scores are divided by their sum, which is
 * known to a relative error far below 2^-40; the factor covers that and the subtraction. */
static void prove_best(const struct mr_best_page *best, uint64_t n_vertices,
                       struct mr_certify_figures *proof)
{
    const double gap = proof->error_bound * proof->score_sum * (1 + 0x1p-40);

    if (proof->top >= n_vertices) { /* there is no page outside */
        proof->top_proven = proof->top;
    } else {
        while (proof->top_proven < proof->top &&
               best[proof->top_proven].score - best[proof->top].score > gap) {
            proof->top_proven++;
        }
    }
    while (proof->order_proven < proof->top &&
           (proof->order_proven + 1 == n_vertices ||
            best[proof->order_proven].score - best[proof->order_proven + 1].score > gap)) {
        proof->order_proven++;
    }
}

/* ---- The pass ---- */

static double degree_or_1(const struct mr_pass_band *band, uint32_t i)
{
    if (band->out_degree[i] == 0) {
        return 1;
    }
    return band->out_strength == NULL ? (double)band->out_degree[i] : band->out_strength[i];
}

/* Scores become shares; sums of what share times degree is then. */
static void make_shares(void *data, const struct mr_pass_band *band)
{
    struct proving *proving = data;
    struct mr_sum mass = {0}, dangling = {0};

    for (uint32_t i = 0; i < band->n_vertices; i++) {
        double *x = &proving->x[band->first_vertex + i];
        const double degree = degree_or_1(band, i);
        *x /= degree;
        mr_sum_add(&mass, *x * degree);
        mr_sum_add(&dangling, band->out_degree[i] == 0 ? *x : 0);
    }
    proving->sums[band->band] =
        (struct mr_rank_sums){.mass = mr_sum_value(&mass), .dangling = mr_sum_value(&dangling)};
}

/* 1 without a teleport; proving->start is then divided by n already. */
static double teleport_share(const struct proving *proving, struct mr_weight_walk *walk,
                             uint32_t vertex)
{
    if (proving->options->teleport == NULL) {
        return 1;
    }
    const struct mr_vertex_weight *weight = mr_weight_walk_at(walk, vertex);
    return weight == NULL
               ? 0
               : ldexp(weight->weight, -proving->teleport_exponent) / proving->teleport_sum;
}

/* The residual and a bound on the rounding of its computation (docs/solver.md). */
static void add_residual(void *data, const struct mr_pass_band *band)
{
    struct proving *proving = data;
    const struct mr_certify_options *o = proving->options;
    struct mr_weight_walk walk =
        mr_weight_walk_begin(o->teleport, o->n_teleport, band->first_vertex);
    const double *sums = band->accumulator;
    struct mr_sum mass = {0}, above = {0}, below = {0};
    double rounding = 0, shares = 0;

    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const double share = proving->x[band->first_vertex + i];
        const double rank = share * degree_or_1(band, i);
        const double linked = o->damping * sums[i];
        const double start =
            proving->start * teleport_share(proving, &walk, band->first_vertex + i) + proving->even;
        shares += share;
        mr_sum_add(&mass, rank);
        mr_sum_add(&above, fmax(start + linked - rank, 0));
        mr_sum_add(&below, fmax(rank - (start + linked), 0));
        rounding += ((double)band->in_degree[i] + 5) * linked + 9 * start + 3 * rank;
        if (band->out_strength != NULL) { /* weights are multiplied, and their sum was rounded */
            rounding += linked + o->damping * (double)band->out_degree[i] * rank;
        }
    }
    proving->sums[band->band] = (struct mr_rank_sums){.mass = mr_sum_value(&mass),
                                                      .above = mr_sum_value(&above),
                                                      .below = mr_sum_value(&below),
                                                      .rounding = 0x1p-53 * rounding,
                                                      .shares = shares};
}

static enum mr_status run_pass(const struct mr_context *context, struct mr_store *links,
                               struct proving *proving, struct mr_certify_figures *proof,
                               struct mr_error *err)
{
    const struct mr_pass_options pass_options = {.no_pinning = true};
    struct mr_pass_task task = {.value = MR_VALUE_DOUBLE,
                                .x = proving->x,
                                .out_degrees = true,
                                .degrees_only = true,
                                .callback = make_shares,
                                .callback_data = proving};
    struct mr_pass *pass = NULL;

    enum mr_status status = mr_pass_open(context, links, &pass_options, &pass, err);
    if (status == MR_OK) {
        status = mr_pass_run(pass, &task, err);
    }
    if (status == MR_OK) {
        const struct mr_rank_sums sums = mr_rank_add_up(proving->sums, proving->info->n_bands);
        const double a = proving->options->damping;
        const bool is_even = proving->options->teleport != NULL && proving->options->is_uniform;
        const double n = (double)proving->info->n_vertices,
                     among = proving->options->teleport == NULL ? n : 1;
        proving->start = ((1 - a) * sums.mass + (is_even ? 0 : a * sums.dangling)) / among;
        proving->even = is_even ? a * sums.dangling / n : 0;
        task.in_degrees = true;
        task.degrees_only = false;
        task.callback = add_residual;
        status = mr_pass_run(pass, &task, err);
    }
    if (status == MR_OK) {
        const struct mr_certificate_rules rules = {
            .damping = proving->options->damping,
            .is_normalised = true,
            .corner_shares = mr_certificate_corner_shares(links, proving->sums)};
        const struct mr_rank_sums sums = mr_rank_add_up(proving->sums, proving->info->n_bands);
        const struct mr_certificate certificate = mr_certify(&rules, &sums);
        proof->residual = certificate.residual;
        /* A share times its degree is the score within 2^-53 of itself; scaled, within twice
         * that. */
        proof->rounding_bound = certificate.rounding_bound + 0x1p-51;
        proof->error_bound = certificate.error_bound + 0x1p-51;
    }
    mr_pass_close(pass);
    return status;
}

/* Multiplies the scores by a power of two, which is exact unless a score is below 2^-1000 of the
 * largest: then no sum overflows, and no share loses digits that matter. Keeps the best ones. */
static enum mr_status take_scores(struct proving *proving, struct mr_best_page *best,
                                  uint64_t n_best, struct mr_certify_figures *proof, int *exponent,
                                  struct mr_error *err)
{
    const uint64_t n = proving->info->n_vertices;
    struct mr_sum sum = {0};
    double largest = 0;

    for (uint64_t v = 0; v < n; v++) {
        largest = fmax(largest, proving->x[v]);
    }
    if (!(largest > 0)) {
        return mr_error_set(err, MR_ERROR_INPUT,
                            "no page of the graph has a score above 0; use scores of this graph");
    }
    (void)frexp(largest, exponent);
    for (uint64_t v = 0; v < n; v++) {
        proving->x[v] = ldexp(proving->x[v], -*exponent);
        mr_sum_add(&sum, proving->x[v]);
    }
    mr_until_best(proving->x, n, best, n_best);
    proof->score_sum = mr_sum_value(&sum);
    return MR_OK;
}

/* Like the scores, the weights are multiplied by a power of two, so that their sum does not
 * overflow. */
static enum mr_status take_options(struct proving *proving, struct mr_error *err)
{
    const struct mr_certify_options *o = proving->options;
    const double largest =
        mr_weights_largest(o->teleport, o->n_teleport, proving->info->n_vertices);
    struct mr_sum sum = {0};

    if (!(o->damping > 0 && o->damping < 1)) {
        return mr_error_set(err, MR_ERROR_USAGE, "--damping %g is not above 0 and below 1",
                            o->damping);
    }
    if (o->teleport == NULL) {
        return MR_OK;
    }
    if (!(largest > 0)) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "teleport weights must be finite, not negative, ascending by vertex, "
                            "and not all 0");
    }
    (void)frexp(largest, &proving->teleport_exponent);
    for (uint64_t i = 0; i < o->n_teleport; i++) {
        mr_sum_add(&sum, ldexp(o->teleport[i].weight, -proving->teleport_exponent));
    }
    proving->teleport_sum = mr_sum_value(&sum);
    return MR_OK;
}

enum mr_status mr_proof_find(const struct mr_context *context, struct mr_store *links,
                             const struct mr_certify_options *options, double *scores,
                             struct mr_certify_figures *proof, struct mr_error *err)
{
    struct proving proving = {.info = mr_store_get_info(links), .x = scores, .options = options};
    const uint64_t n = proving.info->n_vertices;
    struct mr_best_page *best = NULL;
    int exponent = 0; /* scores are multiplied by 2^-exponent */

    *proof = (struct mr_certify_figures){.top = options->top < n ? options->top : n};
    const uint64_t n_best = proof->top < n ? proof->top + 1 : n;
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("best scores", n_best + 1, &best),
        MR_WANTED("sums of bands", (uint64_t)proving.info->n_bands + 1, &proving.sums),
    };
    enum mr_status status = take_options(&proving, err);
    if (status == MR_OK) {
        status = mr_memory_arrays(context->memory, arrays, err);
    }
    if (status == MR_OK) {
        status = take_scores(&proving, best, n_best, proof, &exponent, err);
    }
    if (status == MR_OK) {
        status = run_pass(context, links, &proving, proof, err);
    }
    if (status == MR_OK) {
        prove_best(best, n, proof);
        proof->score_sum = ldexp(proof->score_sum, exponent);
    }
    mr_memory_free(context->memory, proving.sums);
    mr_memory_free(context->memory, best);
    return status;
}
