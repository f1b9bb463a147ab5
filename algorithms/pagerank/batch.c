/* SPDX-License-Identifier: Apache-2.0 */
/* Many vectors side by side, 8 or 16 of them, with all links in memory. personalised.c runs a batch
 * here where memory has room; else it ranks one vector after the other.
 *
 * The equation is linear, so a vector is solved for by corrections: d = a P^T d + r, where r is the
 * residual of what there is so far. Corrections are floats; the solution and its residual are
 * doubles. Each correction brings the residual down to a millionth, so that two do for 1e-9.
 *
 * Pieces and waves follow from the store, and each vector goes by its own numbers alone: the same
 * bits for any threads, in any company. */
#include <math.h>
#include <string.h>

#include "algorithms/base/relaxation.h"
#include "algorithms/pagerank/batch_internal.h"
#include "engine/base/clock.h"
#include "engine/base/memory.h"
#include "engine/base/team.h"
#include "engine/scan/edges.h"

enum { RUNS = 64 }; /* pieces of a wave */

/* What share of the foretold bound a certificate is expected to find, before the first. */
#define FIRST_RATIO 0.375

/* A sweep more than bands of one vector have: a piece is in the cache, and each pass goes through
 * all values. c3m takes 29 passes with two sweeps, 22 with three, and a quarter less time. */
static unsigned sweeps_of(const struct mr_store_info *info)
{
    return mr_relaxation_sweeps(info) > 1 ? 3 : 1;
}

/* ---- Memory ---- */

static void set_shape(struct mr_batch *b, const struct mr_store_info *info, unsigned n_vectors)
{
    b->info = info;
    b->width = n_vectors > MR_BATCH_MAX_WIDTH / 2 ? MR_BATCH_MAX_WIDTH : MR_BATCH_MAX_WIDTH / 2;
    b->sweeps = sweeps_of(info);
    b->n = info->n_vertices;
    b->n_core = mr_min_u64(b->n, mr_pass_source_length(info));
    b->n_pieces = mr_div_up(b->n_core, MR_BATCH_PIECE);
    b->n_all_pieces = b->n_pieces + mr_div_up(b->n - b->n_core, MR_BATCH_PIECE);
    b->n_runs = mr_min_u64(RUNS, b->n_pieces);
    b->n_waves = mr_div_up(b->n_pieces, b->n_runs);
}

/* Floats of a value beside its share. */
enum { N_FLOATS = 2 + MR_BATCH_SLOTS + MR_BATCH_DEPTH, N_VALUE_ARRAYS = 3 };

/* Scores of pages outside the core take the place of the floats in the end. */
static void list_values(struct mr_batch *b, struct mr_memory_wanted arrays[N_VALUE_ARRAYS])
{
    const uint64_t n_core = b->n_core * b->width; /* a multiple of 8 */
    const struct mr_memory_wanted all[N_VALUE_ARRAYS] = {
        MR_WANTED("rank vectors", mr_max_u64(b->n * b->width, n_core + n_core / 2 * N_FLOATS),
                  &b->x),
        MR_WANTED("sums of pieces", b->n_pieces, &b->piece_sums),
        MR_WANTED("sums of pieces", b->n_all_pieces * b->width, &b->sums),
    };
    memcpy(arrays, all, sizeof all);
}

static void place_floats(struct mr_batch *b)
{
    const uint64_t n_core = b->n_core * b->width;
    float *at = (float *)(b->x + n_core);
    b->right = at;
    b->correction = at + n_core;
    for (unsigned k = 0; k < MR_BATCH_SLOTS; k++) {
        b->fresh[k] = at + (2 + k) * n_core;
    }
    for (unsigned k = 0; k < MR_BATCH_DEPTH; k++) {
        b->change[k] = at + (2 + MR_BATCH_SLOTS + k) * n_core;
    }
}

uint64_t mr_batch_memory(const struct mr_store_info *info, unsigned n_vectors)
{
    struct mr_batch b = {0};
    struct mr_memory_wanted links[MR_BATCH_LINK_ARRAYS], values[N_VALUE_ARRAYS];
    const struct mr_pass_options reading = {.no_pinning = true};
    set_shape(&b, info, n_vectors);
    mr_batch_list_links(&b, links);
    list_values(&b, values);
    const uint64_t meanwhile =
        mr_max_u64(mr_pass_minimum_memory(info, &reading), mr_edges_reader_memory(info));
    return MR_MEMORY_RESERVE_BYTES + info->index_bytes +
           mr_memory_of_arrays(links, MR_BATCH_LINK_ARRAYS) +
           mr_max_u64(mr_memory_of_arrays(values, N_VALUE_ARRAYS), 2 * meanwhile);
}

bool mr_batch_fits(const struct mr_store_info *info, const struct mr_pagerank_options *options,
                   uint64_t n_vectors)
{
    return n_vectors >= MR_BATCH_LEAST && options->dangling != MR_DANGLING_UNIFORM &&
           options->damping <= 0.95 && options->acceleration == MR_ACCELERATION_AUTO &&
           options->inner == 0 && !options->no_pinning && !info->is_weighted &&
           !info->weighs_classes;
}

static void release(struct mr_batch *b)
{
    void *const arrays[] = {b->rows, b->sources, b->degrees, b->x, b->piece_sums, b->sums};
    for (unsigned i = 0; i < sizeof arrays / sizeof *arrays; i++) {
        mr_memory_free(b->context->memory, arrays[i]);
    }
}

/* ---- Batches ---- */

/* The solution is 0, and the first right side is what the teleport gives. */
static void begin_piece(struct mr_batch *b, uint64_t piece)
{
    struct mr_batch_walk walk;
    double start[MR_BATCH_MAX_WIDTH];
    mr_batch_walk_begin(&walk, b, piece * MR_BATCH_PIECE);
    for (uint64_t v = piece * MR_BATCH_PIECE; v < mr_batch_end_of_piece(b, piece); v++) {
        mr_batch_walk_start(&walk, v, start);
        for (unsigned j = 0; j < b->width; j++) {
            b->x[v * b->width + j] = 0;
            b->right[v * b->width + j] = (float)start[j];
        }
    }
}

static void begin_batch(struct mr_batch *b, const struct mr_rank_vector *teleports, unsigned n)
{
    const double jump = 1 - b->job->options->damping;
    b->n_passes = 0;
    for (unsigned j = 0; j < b->width; j++) {
        b->terms[j] = mr_rank_terms_of(j < n ? &teleports[j] : NULL, b->n);
        if (j < n) {
            b->terms[j].teleport_scale = jump;
            b->terms[j].constant = teleports[j].pages == NULL ? jump / (double)b->n : 0;
        }
        b->vectors[j] = (struct mr_batch_vector){
            .is_final = j >= n, .scale = 1, .norm = jump, .ratio = FIRST_RATIO, .best = INFINITY};
    }
#pragma omp parallel for num_threads(                                                              \
    mr_team_threads(mr_min_u64(b->context->threads, b->n_pieces))) schedule(static)
    for (uint64_t piece = 0; piece < b->n_pieces; piece++) {
        begin_piece(b, piece);
    }
}

static void give_outcomes(const struct mr_batch *b, unsigned n,
                          struct mr_personalised_vector *outcomes)
{
    for (unsigned j = 0; j < n; j++) {
        const struct mr_batch_vector *v = &b->vectors[j];
        struct mr_personalised_vector *outcome = &outcomes[j];
        outcome->converged = v->proof.error_bound <= b->job->tolerance;
        outcome->error_bound = v->proof.error_bound;
        outcome->residual = v->proof.residual;
        outcome->rounding_bound = v->proof.rounding_bound;
        outcome->score_sum = v->proof.score_sum;
        outcome->sum = b->job->options->dangling != MR_DANGLING_NONE ? 1 : outcome->score_sum;
        outcome->passes = v->stood_at;
    }
}

static bool all_final(const struct mr_batch *b)
{
    bool all = true;
    for (unsigned j = 0; j < b->width; j++) {
        all = all && b->vectors[j].is_final;
    }
    return all;
}

static enum mr_status run_batch(struct mr_batch *b, const struct mr_rank_vector *teleports,
                                unsigned n, struct mr_personalised_vector *outcomes,
                                struct mr_pass_figures *figures, struct mr_error *err)
{
    const uint64_t began = mr_now_ns();
    enum mr_status status = MR_OK;
    uint64_t n_certificates = 0;
    begin_batch(b, teleports, n);
    while (status == MR_OK && !all_final(b)) {
        status = mr_batch_correct(b, err);
        if (status == MR_OK) {
            mr_batch_certify(b);
            n_certificates++;
        }
    }
    if (status == MR_OK) {
        mr_batch_score(b);
        give_outcomes(b, n, outcomes);
    }
    figures->passes += b->n_passes;
    figures->edge_visits += n_certificates * b->info->n_edges +
                            (b->n_passes - n_certificates) * b->info->n_core_edges * b->sweeps;
    figures->seconds += (double)(mr_now_ns() - began) * 1e-9;
    return status;
}

enum mr_status mr_batch_run(const struct mr_context *context, struct mr_store *store,
                            const struct mr_batch_job *job, struct mr_personalised_vector *outcomes,
                            struct mr_personalised_result *result, struct mr_error *err)
{
    struct mr_batch b = {.context = context, .job = job, .loops = mr_batch_loops_best()};
    struct mr_memory_wanted values[N_VALUE_ARRAYS];
    set_shape(&b, mr_store_get_info(store), job->width);
    enum mr_status status = mr_batch_read_links(&b, store, &result->figures, err);
    if (status == MR_OK) {
        list_values(&b, values);
        status = mr_memory_arrays(context->memory, values, err);
    }
    if (status == MR_OK) {
        place_floats(&b);
    }
    for (uint64_t first = 0; first < job->n && status == MR_OK; first += job->width) {
        const unsigned n = (unsigned)mr_min_u64(job->width, job->n - first);
        status = run_batch(&b, job->teleports + first, n, outcomes + first, &result->figures, err);
        if (status == MR_OK) {
            result->n_batches++;
            status = job->sink(job->sink_data, first, n, b.width, b.x, err);
        }
    }
    release(&b);
    result->wave = b.n_runs;
    result->inner = b.sweeps;
    result->acceleration = MR_BATCH_DEPTH;
    result->figures.threads = context->threads;
    return status;
}
