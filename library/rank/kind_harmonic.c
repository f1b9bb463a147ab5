/* SPDX-License-Identifier: Apache-2.0 */
/* Harmonic centrality (Boldi, Vigna 2014), closeness and reach, along incoming paths, by HyperBall
 * (Boldi, Vigna 2013) or exactly. */
#include "algorithms/harmonic/harmonic.h"

#include <assert.h>
#include <stdio.h>

#include "engine/base/bytes.h"
#include "engine/base/count_text.h"
#include "engine/base/memory.h"
#include "library/rank/kinds.h"

struct harmonic_options {
    uint64_t log2m;
    bool exact;
    struct mr_rank_array sources;
    uint64_t seed;
};

static_assert(offsetof(struct mr_harmonic, n_distances) -
                      offsetof(struct mr_harmonic, neighbourhood) ==
                  offsetof(struct mr_rank_array, n),
              "the neighbourhood function is a struct mr_rank_array");

static struct mr_harmonic_options taken(const struct harmonic_options *options)
{
    return (struct mr_harmonic_options){.log2m = options->exact ? 0 : (unsigned)options->log2m,
                                        .seed = options->seed};
}

enum { NAMES_BYTES = 5 << 20 }; /* of names that tell positions */

static void plan(const struct mr_ranking_job *job, struct mr_rank_costs *plan)
{
    const struct mr_harmonic_options options = taken(job->options);
    const uint64_t result = 3 * (job->info->n_vertices + 1) * sizeof(double);
    const uint64_t limit = job->extras.memory_limit > 0 ? job->extras.memory_limit
                                                        : mr_memory_limit(job->context->memory);
    const uint64_t held = mr_rank_least_memory(job, NAMES_BYTES, 0);

    plan->least_bytes =
        mr_rank_least_memory(job, mr_harmonic_memory(job->info, &options, 0), result);
    plan->memory_bytes = mr_rank_least_memory(
        job, mr_harmonic_memory(job->info, &options, job->context->threads), result);
    plan->temporary_bytes = mr_harmonic_disk(job->info, &options, limit - mr_min_u64(limit, held),
                                             job->context->threads);
    plan->passes = 10;
}

/* The vertices of the entries that weigh more than 0. Free `*sources` with mr_memory_free. */
static enum mr_status take_sources(const struct mr_ranking_job *job, uint32_t **sources,
                                   struct mr_harmonic_options *options, struct mr_error *err)
{
    const struct mr_rank_array *given = &((const struct harmonic_options *)job->options)->sources;
    const struct mr_vertex_weight *entries = given->items;

    *sources = NULL;
    if (entries == NULL) {
        return MR_OK;
    }
    const enum mr_status status =
        mr_memory_array(job->context->memory, "sources", given->n, sources, err);
    for (uint64_t i = 0; i < given->n && status == MR_OK; i++) {
        if (entries[i].weight > 0) {
            (*sources)[options->n_sources++] = entries[i].vertex;
        }
    }
    options->sources = *sources;
    return status;
}

/* The ranking takes over an array of the result. */
static void take_column(struct mr_ranking *ranking, const char *name, double **values)
{
    mr_ranking_add(ranking, name, MR_SCORES_DOUBLE, *values);
    *values = NULL;
}

static enum mr_status run_harmonic(struct mr_ranking_job *job, struct mr_error *err)
{
    struct mr_harmonic_options options = taken(job->options);
    struct mr_harmonic *result = job->figures;
    uint32_t *sources = NULL;

    enum mr_status status = take_sources(job, &sources, &options, err);
    if (status == MR_OK) {
        status = mr_harmonic_find(job->context, job->store, job->names, &options, result, err);
    }
    if (status == MR_OK) {
        take_column(job->ranking, "harmonic", &result->harmonic);
        take_column(job->ranking, "closeness", &result->closeness);
        take_column(job->ranking, "reach", &result->reach);
    }
    mr_memory_free(job->context->memory, sources);
    return status;
}

static void say(const void *figures, char *text, size_t text_bytes)
{
    const struct mr_harmonic *result = figures;
    char slices[64];

    (void)snprintf(text, text_bytes,
                   "harmonic: distances up to %llu, relative error %.2g, %s, %.1f readings of the "
                   "links",
                   (unsigned long long)(result->n_distances > 0 ? result->n_distances - 1 : 0),
                   result->relative_error, mr_count_of_text(result->n_slices, "slice", slices),
                   result->readings);
}

static void free_figures(void *figures)
{
    mr_harmonic_free(figures);
}

#define OPTION(name) offsetof(struct harmonic_options, name)
#define FIGURE(name) offsetof(struct mr_harmonic, name)
const struct mr_ranking_kind mr_kind_harmonic = {
    .name = "harmonic",
    .summary = "rank pages by harmonic centrality (HyperBall), from disk",
    .text = "Computes the harmonic centrality of every page: the sum of 1/distance over all pages "
            "that reach it along links. HyperBall estimates it with a counter for each page; the "
            "memory says how many registers of the counters are in it at a time, and changes "
            "nothing but the time. A figure is the neighbourhood function: how many pairs of pages "
            "are within each distance. Closeness is 1 over the sum of distances, reach the number "
            "of pages that reach the page, itself included. The relative error of the counters is "
            "that of reach, and bounds that of harmonic; that of closeness, a difference of "
            "counters, was up to 1.6 times as large on real graphs; twice as much is stated.",
    .examples = "  millrace harmonic web.mill -o harmonic.tsv --log2m 10\n"
                "  millrace harmonic web.mill --score-columns harmonic,reach -o both.tsv\n",
    .columns =
        (const struct mr_rank_column[]){
            {.name = "harmonic"}, {.name = "closeness"}, {.name = "reach"}, {0}},
    .n_written = 1,
    .options =
        (const struct mr_rank_option[]){
            {"log2m", MR_RANK_COUNT, OPTION(log2m), "B",
             "Counters have 2^B registers of a byte, and a relative error of 1.04/sqrt(2^B): 13% "
             "at 6, "
             "3.3% at 10, 0.8% at 14. Default 6; up to 4,096 pages --exact.",
             .usual = MR_HARMONIC_AUTO_LOG2M, .least = MR_HARMONIC_LEAST_LOG2M,
             .most = MR_HARMONIC_MOST_LOG2M, .often = true},
            {"exact", MR_RANK_FLAG, OPTION(exact),
             .help = "Search in breadth from every page instead: exact, for small graphs and few "
                     "sources.",
             .excludes = "log2m", .often = true},
            {"sources", MR_RANK_PAGES, OPTION(sources), "FILE",
             .help =
                 "Count only paths from the pages named in FILE, one per line. Default: from all.",
             .often = true},
            {"random-seed", MR_RANK_COUNT, OPTION(seed), "N",
             "Seed of the hash function of the counters. Default 1.", .usual = 1, .also = "seed",
             .most = 0x1p64},
            {0}},
    .figures =
        (const struct mr_rank_figure[]){
            {"log2m", MR_RANK_COUNT, FIGURE(log2m),
             .help = "counters have 2^log2m registers; 0: exact"},
            {"relative_error", MR_RANK_REAL, FIGURE(relative_error),
             .help = "standard deviation of a counter: that of reach, and at least that of "
                     "harmonic and of pairs; 0: exact"},
            {"closeness_error", MR_RANK_REAL, FIGURE(closeness_error),
             .help = "standard deviation of closeness, at most, as measured on real graphs: twice "
                     "relative_error; 0: exact"},
            {"distances", MR_RANK_COUNT, FIGURE(n_distances),
             .help = "entries of the neighbourhood function"},
            {"neighbourhood", MR_RANK_REALS, FIGURE(neighbourhood),
             .help = "pairs of pages within each distance 0, 1, 2, ..."},
            {"slices", MR_RANK_COUNT, FIGURE(n_slices),
             .help = "slices of counters, one after the other"},
            {"slice_bytes", MR_RANK_COUNT, FIGURE(slice_bytes),
             .help = "bytes of a slice for each page"},
            {"readings", MR_RANK_REAL, FIGURE(readings), .help = "readings of all links"},
            {"bytes_read", MR_RANK_COUNT, FIGURE(read.bytes_read),
             .help = "bytes of links read from disk"},
            {"blocks_skipped", MR_RANK_COUNT, FIGURE(read.blocks_skipped),
             .help = "blocks that were not read, since no source had changed"},
            {"temporary_bytes", MR_RANK_COUNT, FIGURE(temporary_bytes),
             .help = "temporary disk, at most"},
            {0}},
    .work = &(const struct mr_ranking_work){.options_bytes = sizeof(struct harmonic_options),
                                            .figures_bytes = sizeof(struct mr_harmonic),
                                            .plan = plan,
                                            .run = run_harmonic,
                                            .say = say,
                                            .free_figures = free_figures},
};
