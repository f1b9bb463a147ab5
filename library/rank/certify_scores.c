/* SPDX-License-Identifier: Apache-2.0 */
/* The public certificates. For PageRank the scores, of a file or a copy of the caller's, go into
 * the proof, which overwrites them. For harmonic centrality a few vertices are drawn, searches in
 * breadth give their exact values, and the errors are compared with the deviation that is stated
 * (1.04/sqrt(m) for HyperBall). */
#include <math.h>

#include "algorithms/harmonic/harmonic.h"
#include "algorithms/pagerank/pagerank.h"
#include "engine/base/memory.h"
#include "engine/base/random.h"
#include "engine/base/sized_struct.h"
#include "engine/base/sort.h"
#include "formats/score/scores.h"

/* Reads the scores, or copies them, to the vector of a pass. Vertices without a score get 0.
 * Refuses a file that gives all of them 0, unless `may_be_zero`. */
static enum mr_status take_scores(const struct mr_context *context, struct mr_store *store,
                                  struct mr_names *names, const struct mr_scores_side *side,
                                  uint64_t max_unknown, bool may_be_zero, double **scores,
                                  struct mr_scores_found *found, struct mr_error *err)
{
    const uint64_t n = mr_store_get_info(store)->n_vertices;
    const bool is_file = side->scores == NULL;
    bool is_any = may_be_zero || !is_file;

    if (n == 0) {
        return mr_error_file(err, MR_ERROR_INPUT, mr_store_path(store), 0,
                             "has no pages, so there is nothing to prove");
    }
    if (!is_file && side->n_vertices != n) {
        return mr_error_set(err, MR_ERROR_USAGE, "%llu scores for a store of %llu pages",
                            (unsigned long long)side->n_vertices, (unsigned long long)n);
    }
    enum mr_status status = mr_memory_array(
        context->memory, "scores", mr_pass_vector_length(mr_store_get_info(store)), scores, err);
    if (status == MR_OK && is_file) {
        status =
            mr_scores_read_from(context, side->path, side->column, names, n,
                                "a score below 0, which no ranking has", *scores, found, NULL, err);
    }
    if (status == MR_OK && found->n_unknown > max_unknown) {
        status = mr_error_file(err, MR_ERROR_INPUT, side->path, 0,
                               "%llu of its names are not pages of %s; name the graph that the "
                               "scores are of, or leave them out with --max-unknown",
                               (unsigned long long)found->n_unknown, mr_store_path(store));
    }
    for (uint64_t v = 0; v < n && status == MR_OK; v++) {
        const double score = is_file ? (*scores)[v] : side->scores[v];
        if (score < 0 || isinf(score)) {
            status = mr_error_set(err, MR_ERROR_INPUT,
                                  "the score %g of vertex %llu is not finite and at least 0", score,
                                  (unsigned long long)v);
        }
        found->n_found += !is_file && !isnan(score);
        (*scores)[v] = isnan(score) ? 0 : score;
        is_any = is_any || score > 0;
    }
    return status != MR_OK || is_any
               ? status
               : mr_error_file(err, MR_ERROR_INPUT, side->path, 0,
                               "gives no page of %s a score above 0; use scores of this graph",
                               mr_store_path(store));
}

enum mr_status mr_scores_certify(const struct mr_context *context, struct mr_store *store,
                                 struct mr_names *names, const struct mr_scores_side *scores,
                                 const struct mr_certify_options *options,
                                 struct mr_certify_figures *figures, struct mr_error *err)
{
    struct mr_certify_options taken = MR_CERTIFY_OPTIONS_INIT;
    struct mr_scores_found found = {0};
    struct mr_certify_figures proof;
    double *copy = NULL;

    enum mr_status status = mr_sized_copy(options, &taken, sizeof taken, err);
    taken.n_teleport = taken.teleport != NULL ? taken.n_teleport : 0;
    if (status == MR_OK) {
        status = take_scores(context, store, names, scores, taken.max_unknown, false, &copy, &found,
                             err);
    }
    if (status == MR_OK) {
        status = mr_proof_find(context, store, &taken, copy, &proof, err);
    }
    if (status == MR_OK) {
        proof.n_found = found.n_found;
        proof.n_unknown = found.n_unknown;
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
        const double score = scores[sample[i]];
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
                                          struct mr_names *names,
                                          const struct mr_scores_side *scores, uint64_t max_unknown,
                                          double relative_error, uint64_t sample_size,
                                          uint64_t seed,
                                          struct mr_certify_harmonic_figures *figures,
                                          struct mr_error *err)
{
    const uint64_t n_vertices = mr_store_get_info(store)->n_vertices;
    const uint64_t room = sample_size < n_vertices ? sample_size : n_vertices;
    struct mr_certify_harmonic_figures found = {0};
    struct mr_scores_found match = {0};
    uint32_t *sample = NULL;
    double *values = NULL, *exact = NULL;
    uint64_t *reach = NULL;

    if (!(relative_error >= 0 && relative_error <= 1) || sample_size == 0 ||
        sample_size > MR_HARMONIC_SAMPLE_MAX) {
        return mr_error_set(err, MR_ERROR_USAGE,
                            "the relative error %g is not between 0 and 1, or the sample of %llu "
                            "pages not between 1 and %u",
                            relative_error, (unsigned long long)sample_size,
                            MR_HARMONIC_SAMPLE_MAX);
    }
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("sample of pages", room + 1, &sample),
        MR_WANTED("exact centralities", room + 1, &exact),
        MR_WANTED("reach of pages", room + 1, &reach),
    };
    enum mr_status status =
        take_scores(context, store, names, scores, max_unknown, true, &values, &match, err);
    if (status == MR_OK) {
        status = mr_memory_arrays(context->memory, arrays, err);
    }
    if (status == MR_OK) {
        found.sample = draw_sample(n_vertices, sample_size, seed, sample);
        status = mr_harmonic_of_pages(context, store, sample, found.sample, exact, reach, err);
    }
    if (status == MR_OK) {
        compare(values, sample, exact, relative_error, &found);
        mr_sized_give(&found, sizeof found, figures);
    }
    mr_memory_free(context->memory, reach);
    mr_memory_free(context->memory, exact);
    mr_memory_free(context->memory, sample);
    mr_memory_free(context->memory, values);
    return status;
}
