/* SPDX-License-Identifier: Apache-2.0 */
/* The certificates of a batch: one pass over all links finds what each vector misses its equation
 * by, what that proves, and so the right side of its next correction. In the end shares become
 * scores. Sums are added up piece by piece: the same bits for any threads. */
#include <math.h>
#include <string.h>

#include "algorithms/pagerank/batch_internal.h"
#include "engine/base/team.h"

enum { PATIENCE = 3 }; /* certificates without progress, before a vector is given up */

/* Pages [first, end) of the core or of the frontier, in parts between those that some vector
 * teleports to. */
static void certify_pages(struct mr_batch *b, uint64_t first, uint64_t end,
                          enum mr_batch_purpose purpose, const double *scale,
                          struct mr_batch_totals *totals)
{
    struct mr_batch_walk walk;
    double start[MR_BATCH_MAX_WIDTH];
    mr_batch_walk_begin(&walk, b, first);
    while (first < end) {
        const bool is_one = walk.next == first;
        const uint64_t part_end = is_one ? first + 1 : mr_min_u64(end, walk.next);
        mr_batch_walk_start(&walk, first, start);
        const struct mr_batch_certificate certificate = {.pages =
                                                             mr_batch_pages_of(b, first, part_end),
                                                         .x = b->x,
                                                         .start = start,
                                                         .scale = scale,
                                                         .right = b->right,
                                                         .totals = totals};
        b->loops->certify(&certificate, purpose);
        first = part_end;
    }
}

static void certify_piece(struct mr_batch *b, uint64_t piece, enum mr_batch_purpose purpose,
                          const double *scale)
{
    struct mr_batch_totals totals;
    const bool is_core = piece < b->n_pieces;
    const uint64_t first =
        is_core ? piece * MR_BATCH_PIECE : b->n_core + (piece - b->n_pieces) * MR_BATCH_PIECE;
    const uint64_t end = mr_min_u64(first + MR_BATCH_PIECE, is_core ? b->n_core : b->n);
    memset(&totals, 0, sizeof totals);
    certify_pages(b, first, end, purpose, scale, &totals);
    for (unsigned j = 0; j < b->width; j++) {
        b->sums[j * b->n_all_pieces + piece] =
            (struct mr_rank_sums){.mass = mr_sum_value(&totals.mass[j]),
                                  .above = mr_sum_value(&totals.above[j]),
                                  .below = mr_sum_value(&totals.below[j]),
                                  .rounding = 0x1p-53 * totals.rounding[j]};
    }
}

/* The residual of the solution as stored is the right side of the next correction, in units of
 * about what the last change was. */
static void set_scale(struct mr_batch_vector *v)
{
    int exponent = -24;
    if (v->change > 0) {
        (void)frexp(v->change, &exponent);
    }
    v->scale = ldexp(v->scale, exponent);
}

/* What a certificate says of one vector: is there no more to be had? */
static void judge(const struct mr_batch *b, struct mr_batch_vector *v,
                  const struct mr_rank_sums *sums)
{
    const struct mr_certificate_rules rules = {
        .damping = b->job->options->damping,
        .is_normalised = b->job->options->dangling != MR_DANGLING_NONE,
        .is_single = b->job->options->precision == MR_PRECISION_SINGLE};
    const struct mr_certificate proven = mr_certify(&rules, sums);
    v->failures = !(proven.error_bound <= 0.5 * v->best) ? v->failures + 1 : 0;
    v->best = fmin(v->best, proven.error_bound);
    if (v->foretold > 0) {
        const double seen = (proven.error_bound - proven.rounding_bound) / v->foretold;
        v->ratio = seen > 1 ? seen : fmax(fmin(1, v->ratio), seen);
    }
    v->norm = (sums->above + sums->below) / v->scale;
    v->proof = proven;
    v->is_final = proven.error_bound <= b->job->tolerance || v->failures >= PATIENCE ||
                  b->n_passes >= b->job->max_passes;
}

void mr_batch_certify(struct mr_batch *b)
{
    double scale[MR_BATCH_MAX_WIDTH];
    for (unsigned j = 0; j < b->width; j++) {
        set_scale(&b->vectors[j]);
        scale[j] = 1 / b->vectors[j].scale;
    }
#pragma omp parallel for num_threads(mr_team_threads(b->context->threads)) schedule(dynamic, 1)
    for (uint64_t piece = 0; piece < b->n_all_pieces; piece++) {
        certify_piece(b, piece, piece < b->n_pieces ? MR_BATCH_RESIDUAL : MR_BATCH_FRONTIER, scale);
    }
    b->n_passes++;
    for (unsigned j = 0; j < b->width; j++) {
        if (!b->vectors[j].is_final) {
            const struct mr_rank_sums sums =
                mr_rank_add_up(b->sums + j * b->n_all_pieces, b->n_all_pieces);
            judge(b, &b->vectors[j], &sums);
        }
    }
    mr_batch_report(b, true);
}

/* ---- Scores ---- */

static void finish_core(struct mr_batch *b, const double *scale)
{
#pragma omp parallel for num_threads(                                                              \
    mr_team_threads(mr_min_u64(b->context->threads, b->n_pieces))) schedule(static)
    for (uint64_t piece = 0; piece < b->n_pieces; piece++) {
        for (uint64_t v = piece * MR_BATCH_PIECE; v < mr_batch_end_of_piece(b, piece); v++) {
            for (unsigned j = 0; j < b->width; j++) {
                b->x[v * b->width + j] *= (double)b->degrees[v] * scale[j];
            }
        }
    }
}

void mr_batch_score(struct mr_batch *b)
{
    double scale[MR_BATCH_MAX_WIDTH];
    for (unsigned j = 0; j < b->width; j++) {
        const double mass = b->vectors[j].proof.score_sum;
        scale[j] = b->job->options->dangling != MR_DANGLING_NONE && mass > 0 ? 1 / mass : 1;
    }
#pragma omp parallel for num_threads(                                                              \
    mr_team_threads(mr_min_u64(b->context->threads, b->n_all_pieces))) schedule(dynamic, 1)
    for (uint64_t piece = b->n_pieces; piece < b->n_all_pieces; piece++) {
        certify_piece(b, piece, MR_BATCH_SCORES, scale);
    }
    finish_core(b, scale);
    for (uint64_t i = 0; i < b->n * b->width && b->job->options->precision == MR_PRECISION_SINGLE;
         i++) {
        const float score = (float)b->x[i];
        memcpy((uint8_t *)b->x + i * sizeof score, &score, sizeof score);
    }
}
