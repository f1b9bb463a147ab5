/* SPDX-License-Identifier: Apache-2.0 */
/* The public certificates. For PageRank a padded copy of the caller's scores goes into the proof,
 * which overwrites it. For harmonic centrality a few vertices are drawn, searches in breadth give
 * their exact values, and the errors are compared with the deviation that is stated
 * (1.04/sqrt(m) for HyperBall). */
#include <math.h>

#include "algorithms/harmonic/harmonic.h"
#include "algorithms/pagerank/pagerank.h"
#include "engine/base/memory.h"
#include "engine/base/random.h"
#include "engine/base/sized_struct.h"
#include "engine/base/sort.h"

static enum mr_status check_scores(const double *scores, uint64_t n, struct mr_error *err)
{
    for (uint64_t v = 0; v < n; v++) {
        if (scores[v] < 0 || isinf(scores[v])) {
            return mr_error_set(err, MR_ERROR_INPUT,
                                "the score %g of vertex %llu is not finite and at least 0",
                                scores[v], (unsigned long long)v);
        }
    }
    return MR_OK;
}

static double score_of(double score)
{
    return isnan(score) ? 0 : score;
}

enum mr_status mr_scores_certify(const struct mr_context *context, struct mr_store *store,
                                 const double *scores, const struct mr_certify_options *options,
                                 struct mr_certify_figures *figures, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(store);
    struct mr_certify_options taken = MR_CERTIFY_OPTIONS_INIT;
    struct mr_certify_figures proof;
    struct mr_pass_figures passes;
    double *copy = NULL;

    enum mr_status status = mr_sized_copy(options, &taken, sizeof taken, err);
    taken.n_teleport = taken.teleport != NULL ? taken.n_teleport : 0;
    if (status == MR_OK) {
        status =
            mr_memory_array(context->memory, "scores", mr_pass_vector_length(info), &copy, err);
    }
    if (status == MR_OK) {
        status = check_scores(scores, info->n_vertices, err);
    }
    for (uint64_t v = 0; v < info->n_vertices && status == MR_OK; v++) {
        copy[v] = score_of(scores[v]);
    }
    if (status == MR_OK) {
        status = mr_proof_find(context, store, &taken, copy, &proof, &passes, err);
    }
    if (status == MR_OK) {
        mr_sized_give(&proof, sizeof proof, figures);
    }
    mr_memory_free(context->memory, copy);
    return status;
}

/* ---- Harmonic centrality ---- */

/* Draws different vertices, ascending. Returns how many. */
static uint64_t draw_sample(uint64_t n_vertices, uint64_t wanted, uint64_t seed, uint32_t *sample)
{
    uint64_t n = 0;

    if (wanted >= n_vertices) {
        for (; n < n_vertices; n++) {
            sample[n] = (uint32_t)n;
        }
        return n;
    }
    /* draws until enough are different: at most as many again while the sample is small */
    for (uint64_t i = 0; n < wanted; i++) {
        sample[n++] =
            mr_random_below(mr_random_at(mr_random_mix(seed), 1, i), (uint32_t)n_vertices);
        if (n == wanted) {
            mr_sort_u32_in_place(sample, n);
            n = mr_unique_u32(sample, n, sample);
        }
    }
    return n;
}

static void compare(const double *scores, const uint32_t *sample, const double *exact,
                    double stated, struct mr_certify_harmonic_figures *figures)
{
    for (uint64_t i = 0; i < figures->sample; i++) {
        const double score = score_of(scores[sample[i]]);
        const double error = exact[i] > 0 ? score / exact[i] - 1 : score > 0 ? INFINITY : 0;
        figures->n_unreached += exact[i] == 0;
        figures->within_1 += fabs(error) <= stated;
        figures->within_2 += fabs(error) <= 2 * stated;
        figures->within_3 += fabs(error) <= 3 * stated;
        figures->mean_error += fabs(error) / (double)figures->sample;
        figures->mean_signed_error += error / (double)figures->sample;
        if (i == 0 || fabs(error) > figures->largest_error) {
            figures->largest_error = fabs(error);
            figures->largest_vertex = sample[i];
        }
    }
}

enum mr_status mr_scores_certify_harmonic(const struct mr_context *context, struct mr_store *store,
                                          const double *scores, double relative_error,
                                          uint64_t sample_size, uint64_t seed,
                                          struct mr_certify_harmonic_figures *figures,
                                          struct mr_error *err)
{
    const uint64_t n_vertices = mr_store_get_info(store)->n_vertices;
    const uint64_t room = sample_size < n_vertices ? sample_size : n_vertices;
    struct mr_certify_harmonic_figures found = {0};
    uint32_t *sample = NULL;
    double *exact = NULL;
    uint64_t *reach = NULL;

    if (!(relative_error >= 0 && relative_error <= 1) || sample_size == 0 ||
        sample_size > MR_HARMONIC_SAMPLE_MAX) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "the relative error %g is not between 0 and 1, or the sample of %llu "
                            "pages not between 1 and %u",
                            relative_error, (unsigned long long)sample_size,
                            MR_HARMONIC_SAMPLE_MAX);
    }
    if (n_vertices == 0) {
        return mr_error_set(err, MR_ERROR_INPUT,
                            "the store has no pages, so there is nothing to "
                            "check");
    }
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("sample of pages", room + 1, &sample),
        MR_WANTED("exact centralities", room + 1, &exact),
        MR_WANTED("reach of pages", room + 1, &reach),
    };
    enum mr_status status = check_scores(scores, n_vertices, err);
    if (status == MR_OK) {
        status = mr_memory_arrays(context->memory, arrays, err);
    }
    if (status == MR_OK) {
        found.sample = draw_sample(n_vertices, sample_size, seed, sample);
        status = mr_harmonic_of_pages(context, store, sample, found.sample, exact, reach, err);
    }
    if (status == MR_OK) {
        compare(scores, sample, exact, relative_error, &found);
        mr_sized_give(&found, sizeof found, figures);
    }
    mr_memory_free(context->memory, reach);
    mr_memory_free(context->memory, exact);
    mr_memory_free(context->memory, sample);
    return status;
}
