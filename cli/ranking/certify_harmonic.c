/* SPDX-License-Identifier: Apache-2.0 */
/* Checks estimates of harmonic centrality, whoever made them: a few pages are drawn, searches in
 * breadth give their exact values, and the errors of the file are compared with the deviation that
 * its maker states (1.04/sqrt(m) for HyperBall). */
#include "cli/ranking/certify_harmonic.h"

#include <math.h>

#include "algorithms/harmonic/of_pages.h"
#include "cli/program/meta.h"
#include "engine/base/clock.h"
#include "engine/base/count_text.h"
#include "engine/base/memory.h"
#include "engine/base/random.h"
#include "engine/base/sort.h"

enum { DEVIATIONS = 3 };

struct findings {
    uint64_t n; /* pages of the sample */
    uint64_t within[DEVIATIONS]; /* 1, 2, 3 stated deviations */
    uint64_t n_zero; /* pages that no other page reaches */
    double mean, bias, largest; /* relative errors: absolute, with sign, the largest */
    uint32_t largest_at;
    double stated, seconds;
};

static enum mr_status find_stated_error(struct mr_session *session,
                                        const struct mr_harmonic_check *options, double *stated,
                                        struct mr_error *err)
{
    *stated = options->relative_error;
    if (!isnan(*stated)) {
        return MR_OK;
    }
    json_t *meta = NULL;
    const enum mr_status status = mr_meta_read(session, options->path, &meta, err);
    if (status != MR_OK) {
        return status;
    }
    const json_t *value = json_object_get(meta, "relative_error");
    const bool found = json_is_number(value);
    *stated = json_number_value(value);
    json_decref(meta);
    return found ? MR_OK
                 : mr_error_file(err, MR_ERROR_USAGE, options->path, 0,
                                 "has no .meta.json with a relative_error; say --relative-error E, "
                                 "for HyperBall 1.04/sqrt(registers): 0.0325 for --log2m 10");
}

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
                    struct findings *findings)
{
    for (uint64_t i = 0; i < findings->n; i++) {
        const double score = scores[sample[i]];
        const double error = exact[i] > 0 ? score / exact[i] - 1 : score > 0 ? INFINITY : 0;
        findings->n_zero += exact[i] == 0;
        for (int k = 0; k < DEVIATIONS; k++) {
            findings->within[k] += fabs(error) <= (k + 1) * findings->stated;
        }
        findings->mean += fabs(error) / (double)findings->n;
        findings->bias += error / (double)findings->n;
        if (i == 0 || fabs(error) > findings->largest) {
            findings->largest = fabs(error);
            findings->largest_at = sample[i];
        }
    }
}

static enum mr_status print_text(const struct mr_graph *graph, const struct findings *findings,
                                 struct mr_error *err)
{
    static const double expected[DEVIATIONS] = {68.3, 95.4, 99.7};
    const char *name = NULL;
    size_t bytes = 0;
    char a[32], b[32];

    printf("%-16s %s of %s pages, searched in breadth; no page reaches %s of them\n", "sample",
           mr_count_text(findings->n, a),
           mr_count_text(mr_store_get_info(graph->store)->n_vertices, b),
           mr_count_text(findings->n_zero, (char[32]){0}));
    printf("%-16s %.3g, one standard deviation\n", "stated error", findings->stated);
    for (int k = 0; k < DEVIATIONS; k++) {
        printf("within %-9d %s pages, %.1f%%; of independent errors %.1f%% are\n", k + 1,
               mr_count_text(findings->within[k], a),
               100 * (double)findings->within[k] / (double)findings->n, expected[k]);
    }
    printf("%-16s %.3g on average, %.3g with its sign\n", "error", findings->mean, findings->bias);
    const enum mr_status status =
        mr_names_get(graph->names, findings->largest_at, &name, &bytes, err);
    if (status == MR_OK) {
        printf("%-16s %.3g, of %.*s\n", "largest", findings->largest, (int)bytes, name);
    }
    return status;
}

static enum mr_status print_json(struct mr_session *session, const struct mr_graph *graph,
                                 const char *path, const struct findings *findings,
                                 struct mr_error *err)
{
    static const char *const keys[DEVIATIONS] = {"within_1", "within_2", "within_3"};
    struct mr_json json = mr_json_create();

    mr_json_text(&json, "scores", path);
    mr_meta_store(&json, mr_store_path(graph->store), mr_store_get_info(graph->store));
    mr_json_count(&json, "sample", findings->n);
    mr_json_count(&json, "sample_unreached", findings->n_zero);
    mr_json_real(&json, "relative_error", findings->stated);
    for (int k = 0; k < DEVIATIONS; k++) {
        mr_json_count(&json, keys[k], findings->within[k]);
    }
    mr_json_real(&json, "mean_error", findings->mean);
    mr_json_real(&json, "mean_signed_error", findings->bias);
    mr_json_real(&json, "largest_error", findings->largest);
    mr_json_real(&json, "seconds", findings->seconds);
    mr_meta_run(&json, session);
    const enum mr_status status = mr_json_print(&json, stdout, err);
    mr_json_destroy(&json);
    return status;
}

enum mr_status mr_certify_harmonic(struct mr_session *session, const struct mr_graph *graph,
                                   const struct mr_harmonic_check *options, const double *scores,
                                   bool as_json, struct mr_error *err)
{
    struct mr_memory *memory = session->context.memory;
    const uint64_t n_vertices = mr_store_get_info(graph->store)->n_vertices;
    const uint64_t room = options->sample < n_vertices ? options->sample : n_vertices;
    struct findings findings = {0};
    uint32_t *sample = NULL;
    double *exact = NULL;
    uint64_t *reach = NULL;
    const double began = mr_now();
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("sample of pages", room + 1, &sample),
        MR_WANTED("exact centralities", room + 1, &exact),
        MR_WANTED("reach of pages", room + 1, &reach),
    };

    enum mr_status status = find_stated_error(session, options, &findings.stated, err);
    if (status == MR_OK) {
        status = mr_memory_arrays(memory, arrays, err);
    }
    if (status == MR_OK) {
        findings.n = draw_sample(n_vertices, options->sample, options->seed, sample);
        status = mr_harmonic_of_pages(&session->context, graph->store, sample, findings.n, exact,
                                      reach, err);
    }
    if (status == MR_OK) {
        compare(scores, sample, exact, &findings);
        findings.seconds = mr_now() - began;
        mr_session_leave_terminal(session, NULL);
        status = as_json ? print_json(session, graph, options->path, &findings, err)
                         : print_text(graph, &findings, err);
    }
    mr_memory_free(memory, reach);
    mr_memory_free(memory, exact);
    mr_memory_free(memory, sample);
    return status;
}
