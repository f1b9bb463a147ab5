/* SPDX-License-Identifier: Apache-2.0 */
/* A correction of a batch: a page's corrections are floats in one line of the cache. They are
 * relaxed in waves of pieces: the pieces of a wave read the values from before it, and their own
 * newest ones. Then comes Anderson acceleration of depth 2 on the outcomes of the latest passes
 * themselves, which takes a third of the time of a pass. */
#include <math.h>
#include <string.h>

#include "algorithms/base/relaxation.h"
#include "algorithms/pagerank/batch_internal.h"
#include "engine/base/team.h"

enum { STUCK_MOVES = 32 }; /* passes without a smaller change, before a certificate is made */

/* What a correction leaves of a residual, at the least: floats have no more. */
#define FLOOR 0x1p-18

/* A certificate that fails costs three passes. */
#define SAFETY 1.5

/* ---- Relaxation ---- */

/* The piece of a run in a wave, or one behind its last: then the run has none. */
static bool piece_of(const struct mr_batch *b, uint64_t run, uint64_t wave, uint64_t *piece)
{
    *piece = run * b->n_pieces / b->n_runs + wave;
    return *piece < (run + 1) * b->n_pieces / b->n_runs;
}

static void relax_piece(struct mr_batch *b, uint64_t piece)
{
    const unsigned newest = (unsigned)(b->n_moves % MR_BATCH_SLOTS);
    struct mr_batch_relaxation r = {
        .pages = mr_batch_pages_of(b, piece * MR_BATCH_PIECE, mr_batch_end_of_piece(b, piece)),
        .sweeps = b->sweeps,
        .right = b->right,
        .x = b->correction,
        .fresh = b->fresh[newest],
        .change = b->change[b->n_moves % MR_BATCH_DEPTH],
        .n_older = (unsigned)mr_min_u64(b->n_moves, MR_BATCH_DEPTH),
        .sums = &b->piece_sums[piece],
    };
    for (unsigned k = 0; k < r.n_older; k++) {
        r.older[k] = b->change[(b->n_moves - 1 - k) %
                               MR_BATCH_DEPTH]; /* the oldest one becomes the newest */
    }
    b->loops->relax(&r);
}

/* Each vector that moves: what it takes of the outcomes of the latest passes. */
static void begin_mix(const struct mr_batch *b, struct mr_batch_mix *mix)
{
    *mix = (struct mr_batch_mix){.width = b->width, .x = b->correction};
    mix->n_older = (unsigned)mr_min_u64(b->n_moves, MR_BATCH_DEPTH);
    for (unsigned k = 0; k <= mix->n_older; k++) {
        mix->fresh[k] = b->fresh[(b->n_moves - k) % MR_BATCH_SLOTS];
    }
    for (unsigned j = 0; j < b->width; j++) {
        mix->factor[0][j] = 1;
        mix->moves[j] = b->vectors[j].is_still ? 0 : UINT32_MAX;
    }
}

static enum mr_status relax(struct mr_batch *b, struct mr_error *err)
{
    struct mr_batch_mix plain;
    enum mr_status status = MR_OK;
    begin_mix(b, &plain);
    plain.n_older = 0;
    for (uint64_t wave = 0; wave < b->n_waves && status == MR_OK; wave++) {
#pragma omp parallel num_threads(mr_team_threads(b->context->threads))
        {
            uint64_t piece;
#pragma omp for schedule(dynamic, 1)
            for (uint64_t run = 0; run < b->n_runs; run++) {
                if (piece_of(b, run, wave, &piece)) {
                    relax_piece(b, piece);
                }
            }
#pragma omp for schedule(dynamic, 1)
            for (uint64_t run = 0; run < b->n_runs; run++) {
                if (piece_of(b, run, wave, &piece)) {
                    struct mr_batch_mix mix = plain;
                    mix.first = piece * MR_BATCH_PIECE;
                    mix.end = mr_batch_end_of_piece(b, piece);
                    b->loops->mix(&mix);
                }
            }
        }
        status = mr_context_poll(b->context, err);
    }
    return status;
}

/* ---- Acceleration ---- */

/* The factors of the outcomes of `n_older` passes before the newest one that bring the change
 * nearest to 0: least squares of two unknowns at the most. */
static void find_factors(const struct mr_batch_vector *v, const unsigned slot[MR_BATCH_SLOTS],
                         double factor[MR_BATCH_SLOTS])
{
    const double(*p)[MR_BATCH_SLOTS] = v->products;
    double m[MR_BATCH_DEPTH][MR_BATCH_DEPTH], right[MR_BATCH_DEPTH], determinant;
    for (unsigned i = 0; i < MR_BATCH_DEPTH; i++) {
        const unsigned a = slot[0], b = slot[1 + i];
        right[i] = p[a][a] - p[a][b];
        for (unsigned k = 0; k < MR_BATCH_DEPTH; k++) {
            const unsigned c = slot[1 + k];
            m[i][k] = p[a][a] - p[a][b] - p[a][c] + p[b][c];
        }
        m[i][i] *= 1 + 1e-6;
    }
    factor[1] = factor[2] = 0;
    determinant = v->n_older > 1 ? m[0][0] * m[1][1] - m[0][1] * m[1][0] : 0;
    if (determinant > 0) {
        factor[1] = (right[0] * m[1][1] - right[1] * m[0][1]) / determinant;
        factor[2] = (right[1] * m[0][0] - right[0] * m[1][0]) / determinant;
    } else if (v->n_older > 0 && m[0][0] > 0) {
        factor[1] = right[0] / m[0][0];
    }
    if (!isfinite(factor[1]) || !isfinite(factor[2])) {
        factor[1] = factor[2] = 0;
    }
    factor[0] = 1 - factor[1] - factor[2];
}

/* What the pass did, of vector j. */
static void add_up(struct mr_batch *b, unsigned j)
{
    struct mr_batch_vector *v = &b->vectors[j];
    const unsigned newest = (unsigned)(b->n_moves % MR_BATCH_SLOTS);
    const unsigned n_older = (unsigned)mr_min_u64(b->n_moves, MR_BATCH_DEPTH);
    double products[MR_BATCH_SLOTS] = {0}, mass = 0;
    v->change = 0;
    for (uint64_t piece = 0; piece < b->n_pieces; piece++) {
        const struct mr_batch_sums *sums = &b->piece_sums[piece];
        for (unsigned k = 0; k <= n_older; k++) {
            products[k] += sums->products[k][j];
        }
        v->change += sums->change[j];
        mass += sums->mass[j];
    }
    for (unsigned k = 0; k <= n_older; k++) {
        const unsigned slot = (unsigned)((b->n_moves - k) % MR_BATCH_SLOTS);
        v->products[newest][slot] = v->products[slot][newest] = products[k];
    }
    v->mass = v->proof.score_sum + v->scale * mass;
}

/* A pass whose change is larger than the least so far: the acceleration begins anew, and after
 * some plain passes if that happens again. */
static void look_for_harm(struct mr_batch_vector *v, double harmless)
{
    const bool is_harm = v->change > harmless * v->least_change;
    v->least_change = is_harm ? v->change : fmin(v->change, v->least_change);
    if (is_harm) {
        v->pause = mr_relaxation_pause(v->harms++);
    }
    if (is_harm || v->pause > 0) {
        v->n_older = 0;
    }
    v->pause -= !is_harm && v->pause > 0;
}

static void accelerate(struct mr_batch *b)
{
    const double harmless = fmax(1, 0.15 / (1 - b->job->options->damping)); /* as in solve.c */
    struct mr_batch_mix mix;
    unsigned slot[MR_BATCH_SLOTS];
    begin_mix(b, &mix);
    for (unsigned k = 0; k < MR_BATCH_SLOTS; k++) {
        slot[k] = (unsigned)((b->n_moves + MR_BATCH_SLOTS - k) % MR_BATCH_SLOTS);
    }
    for (unsigned j = 0; j < b->width; j++) {
        struct mr_batch_vector *v = &b->vectors[j];
        double factor[MR_BATCH_SLOTS];
        if (v->is_still) {
            continue;
        }
        look_for_harm(v, harmless);
        find_factors(v, slot, factor);
        for (unsigned k = 0; k < MR_BATCH_SLOTS; k++) {
            mix.factor[k][j] = (float)factor[k];
        }
        v->n_older = v->n_older < MR_BATCH_DEPTH ? v->n_older + 1 : MR_BATCH_DEPTH;
    }
    if (mix.n_older == 0) {
        return;
    }
#pragma omp parallel for num_threads(mr_team_threads(b->context->threads)) schedule(static)
    for (uint64_t piece = 0; piece < b->n_pieces; piece++) {
        struct mr_batch_mix part = mix;
        part.first = piece * MR_BATCH_PIECE;
        part.end = mr_batch_end_of_piece(b, piece);
        b->loops->mix(&part);
    }
}

/* After a pass: does the vector stand still from here on? */
static bool is_due(const struct mr_batch *b, struct mr_batch_vector *v)
{
    const struct mr_pagerank_options *o = b->job->options;
    const double a = o->damping, change = v->scale * v->change;
    const bool is_normalised = o->dangling != MR_DANGLING_NONE;
    v->foretold = change == 0 ? 0
                              : (is_normalised ? 2 : 1) * a * change /
                                    ((1 - a) * (is_normalised ? v->mass : 1));
    if (v->change < v->lowest) {
        v->lowest = v->change;
        v->lowest_at = b->n_passes;
    }
    return SAFETY * v->ratio * v->foretold <= b->job->tolerance || v->change <= FLOOR * v->norm ||
           b->n_passes - v->lowest_at >= STUCK_MOVES;
}

void mr_batch_report(const struct mr_batch *b, bool is_certified)
{
    const struct mr_context *context = b->context;
    double worst = 0;
    for (unsigned j = 0; j < b->width; j++) {
        const struct mr_batch_vector *v = &b->vectors[j];
        worst = fmax(worst,
                     is_certified || v->is_final ? v->proof.error_bound : v->ratio * v->foretold);
    }
    if (context->progress != NULL) {
        const struct mr_progress progress = {.stage = "rank",
                                             .done = b->n_passes,
                                             .unit = "passes",
                                             .passes = (unsigned)b->n_passes,
                                             .error_bound = worst};
        context->progress(context->progress_data, &progress);
    }
}

/* ---- Corrections ---- */

static void begin_correction(struct mr_batch *b)
{
    b->n_moves = 0;
#pragma omp parallel for num_threads(mr_team_threads(b->context->threads)) schedule(static)
    for (uint64_t piece = 0; piece < b->n_pieces; piece++) {
        const uint64_t first = piece * MR_BATCH_PIECE;
        memset(b->correction + first * b->width, 0,
               (mr_batch_end_of_piece(b, piece) - first) * b->width * sizeof *b->correction);
    }
    for (unsigned j = 0; j < b->width; j++) {
        struct mr_batch_vector *v = &b->vectors[j];
        v->is_still = v->is_final;
        v->n_older = 0;
        v->pause = 0;
        v->least_change = v->lowest = INFINITY;
        v->lowest_at = b->n_passes;
    }
}

/* Passes until each vector stands still. */
static enum mr_status relax_all(struct mr_batch *b, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    bool any = true;
    begin_correction(b);
    while (status == MR_OK && any && b->n_passes + 1 < b->job->max_passes) {
        status = relax(b, err);
        b->n_passes++;
        any = false;
        for (unsigned j = 0; j < b->width; j++) {
            struct mr_batch_vector *v = &b->vectors[j];
            if (!v->is_still) {
                add_up(b, j);
                v->is_still = is_due(b, v);
                v->stood_at = b->n_passes;
            }
            any |= !v->is_still;
        }
        accelerate(b);
        b->n_moves++;
        mr_batch_report(b, false);
    }
    return status;
}

/* Corrections to the solution. A score is at least 0, so what is less comes nearer to it as 0. */
static void apply(struct mr_batch *b)
{
    double scale[MR_BATCH_MAX_WIDTH];
    for (unsigned j = 0; j < b->width; j++) {
        scale[j] = b->vectors[j].is_final ? 0 : b->vectors[j].scale;
    }
#pragma omp parallel for num_threads(mr_team_threads(b->context->threads)) schedule(static)
    for (uint64_t piece = 0; piece < b->n_pieces; piece++) {
        for (uint64_t v = piece * MR_BATCH_PIECE; v < mr_batch_end_of_piece(b, piece); v++) {
            double *x = b->x + v * b->width;
            const float *correction = b->correction + v * b->width;
            for (unsigned j = 0; j < b->width; j++) {
                const double sum = x[j] + scale[j] * (double)correction[j];
                x[j] = sum > 0 ? sum : 0;
            }
        }
    }
}

enum mr_status mr_batch_correct(struct mr_batch *b, struct mr_error *err)
{
    const enum mr_status status = relax_all(b, err);
    if (status == MR_OK) {
        apply(b);
    }
    return status;
}
