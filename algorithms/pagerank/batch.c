/* SPDX-License-Identifier: Apache-2.0 */
/* Many vectors side by side, 8 or 16 of them, with all links in memory as rows: the sources of each
 * page. personalised.c runs a batch here where memory has room; else it ranks one vector after the
 * other.
 *
 * The equation is linear, so a vector is solved for by corrections: d = a P^T d + r, where r is the
 * residual of what there is so far. A page's corrections are floats in one line of the cache; the
 * solution and its residual are doubles. Each correction brings the residual down to a millionth,
 * so that two do for 1e-9. A correction is relaxed in waves of pieces: the pieces of a wave read
 * the values from before it, and their own newest ones. Then comes Anderson acceleration of depth 2
 * on the outcomes of the latest passes themselves, which takes a third of the time of a pass.
 *
 * Pieces and waves follow from the store, sums are added up piece by piece, and each vector goes by
 * its own numbers alone: the same bits for any threads, in any company. */
#include "algorithms/pagerank/batch.h"

#include <math.h>
#include <string.h>

#include "algorithms/base/batch_loops.h"
#include "algorithms/base/relaxation.h"
#include "engine/base/bytes.h"
#include "engine/base/clock.h"
#include "engine/base/memory.h"
#include "engine/base/team.h"
#include "engine/scan/edges.h"

enum {
    WIDTH = MR_BATCH_MAX_WIDTH,
    DEPTH = MR_BATCH_DEPTH,
    SLOTS = DEPTH + 1,
    PIECE = 1 << 11, /* pages: their corrections stay in the second cache from sweep to sweep */
    RUNS = 64, /* pieces of a wave */
    STUCK_MOVES = 32, /* passes without a smaller change, before a certificate is made */
    PATIENCE = 3 /* certificates without progress, before a vector is given up */
};

/* What a correction leaves of a residual, at the least: floats have no more. */
#define FLOOR 0x1p-18

/* What share of the foretold bound a certificate is expected to find, before the first. */
#define FIRST_RATIO 0.375

/* A certificate that fails costs three passes. */
#define SAFETY 1.5

/* Where one vector stands. */
struct vector {
    bool is_still; /* its correction does not move */
    bool is_final;
    uint64_t stood_at; /* passes, when it came to stand still last */
    double scale; /* of its correction: a power of two */
    double norm; /* of what is corrected, times 1 / scale */
    double change; /* of the latest pass, of the correction */
    double lowest; /* of all changes */
    uint64_t lowest_at; /* passes */
    double least_change; /* since the acceleration began anew */
    uint64_t pause, harms; /* of the acceleration, as in solve.c */
    unsigned n_older; /* passes that the acceleration may use */
    double products[SLOTS][SLOTS]; /* of the changes in the ring */
    double mass; /* of the solution so far, and of the correction */
    double foretold, ratio, best;
    unsigned failures;
    struct mr_rank_proof proof;
};

struct solver {
    const struct mr_context *context;
    const struct mr_store_info *info;
    const struct mr_batch_job *job;
    const struct mr_batch_loops *loops;
    unsigned width;
    uint64_t n, n_core; /* pages; those that are relaxed */
    uint64_t n_pieces, n_all_pieces; /* of the core, of all pages */
    uint64_t n_runs, n_waves;

    uint64_t *rows; /* [n + 1] */
    uint32_t *sources; /* [n_edges + MR_BATCH_AHEAD] */
    uint32_t *degrees; /* [n], at least 1 */
    double *x; /* [n * width]: shares of the core */
    float *right, *correction; /* [n_core * width] */
    float *fresh[SLOTS], *change[DEPTH]; /* of the latest passes */
    struct mr_batch_sums *piece_sums; /* [n_pieces] */
    struct mr_rank_sums *sums; /* [n_all_pieces * width] */

    struct mr_slots slots; /* the teleports */
    struct vector vectors[WIDTH];
    uint64_t n_moves; /* passes of the correction so far */
    uint64_t n_passes; /* all of the batch */
};

/* A sweep more than bands of one vector have: a piece is in the cache, and each pass goes through
 * all values. c3m takes 29 passes with two sweeps, 22 with three, and a quarter less time. */
static unsigned sweeps_of(const struct mr_store_info *info)
{
    return mr_relaxation_sweeps(info) > 1 ? 3 : 1;
}

/* ---- Memory ---- */

static uint64_t core_of(const struct mr_store_info *info)
{
    return mr_min_u64(info->n_vertices, mr_pass_source_length(info));
}

static void set_shape(struct solver *s, const struct mr_store_info *info, unsigned width)
{
    s->info = info;
    s->width = width;
    s->n = info->n_vertices;
    s->n_core = core_of(info);
    s->n_pieces = mr_div_up(s->n_core, PIECE);
    s->n_all_pieces = s->n_pieces + mr_div_up(s->n - s->n_core, PIECE);
    s->n_runs = mr_min_u64(RUNS, s->n_pieces);
    s->n_waves = mr_div_up(s->n_pieces, s->n_runs);
}

enum { N_LINK_ARRAYS = 3, N_VALUE_ARRAYS = 5 + SLOTS + DEPTH };

static void list_links(struct solver *s, struct mr_memory_wanted wanted[N_LINK_ARRAYS])
{
    const struct mr_memory_wanted arrays[N_LINK_ARRAYS] = {
        MR_WANTED("rows of links", s->n + 1, &s->rows),
        MR_WANTED("links", s->info->n_edges + MR_BATCH_AHEAD, &s->sources),
        MR_WANTED("degrees", s->n, &s->degrees),
    };
    memcpy(wanted, arrays, sizeof arrays);
}

static void list_values(struct solver *s, struct mr_memory_wanted wanted[N_VALUE_ARRAYS])
{
    const uint64_t n_core = s->n_core * s->width;
    const struct mr_memory_wanted first[] = {
        MR_WANTED("rank vectors", s->n * s->width, &s->x),
        MR_WANTED("residuals", n_core, &s->right),
        MR_WANTED("corrections", n_core, &s->correction),
        MR_WANTED("sums of pieces", s->n_pieces, &s->piece_sums),
        MR_WANTED("sums of pieces", s->n_all_pieces * s->width, &s->sums),
    };
    memcpy(wanted, first, sizeof first);
    for (unsigned k = 0; k < SLOTS; k++) {
        wanted[5 + k] =
            (struct mr_memory_wanted)MR_WANTED("latest corrections", n_core, &s->fresh[k]);
    }
    for (unsigned k = 0; k < DEPTH; k++) {
        wanted[5 + SLOTS + k] =
            (struct mr_memory_wanted)MR_WANTED("latest changes", n_core, &s->change[k]);
    }
}

uint64_t mr_batch_memory(const struct mr_store_info *info, unsigned n_vectors)
{
    struct solver s = {0};
    struct mr_memory_wanted links[N_LINK_ARRAYS], values[N_VALUE_ARRAYS];
    const struct mr_pass_options reading = {.no_pinning = true};
    set_shape(&s, info, n_vectors > WIDTH / 2 ? WIDTH : WIDTH / 2);
    list_links(&s, links);
    list_values(&s, values);
    const uint64_t meanwhile =
        mr_max_u64(mr_pass_minimum_memory(info, &reading), mr_edges_reader_memory(info));
    return MR_MEMORY_RESERVE_BYTES + info->index_bytes + mr_memory_of_arrays(links, N_LINK_ARRAYS) +
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

static void release(struct solver *s)
{
    struct mr_memory *memory = s->context->memory;
    struct mr_memory_wanted links[N_LINK_ARRAYS], values[N_VALUE_ARRAYS];
    list_links(s, links);
    list_values(s, values);
    for (unsigned i = 0; i < N_LINK_ARRAYS; i++) {
        mr_memory_free(memory, *(void **)links[i].out);
    }
    for (unsigned i = 0; i < N_VALUE_ARRAYS; i++) {
        mr_memory_free(memory, *(void **)values[i].out);
    }
}

/* ---- Links ---- */

/* In-degrees to where the rows of the next pages will end. */
static void take_degrees(void *data, const struct mr_pass_band *band)
{
    struct solver *s = data;
    for (uint32_t i = 0; i < band->n_vertices; i++) {
        const uint64_t v = band->first_vertex + (uint64_t)i;
        s->rows[v + 1] = band->in_degree[i];
        s->degrees[v] = band->out_degree[i] > 0 ? band->out_degree[i] : 1;
    }
}

/* A row that has fewer or more links than the degrees say is left for the check. */
static enum mr_status add_links(void *data, const uint32_t (*pairs)[2], const float *weights,
                                size_t n_pairs, struct mr_error *err)
{
    struct solver *s = data;
    (void)weights;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint64_t at = s->rows[(uint64_t)pairs[i][1] + 1]++;
        if (at >= s->info->n_edges) {
            return mr_error_set(err, MR_ERROR_CORRUPT,
                                "links and degrees of the store differ; build it again");
        }
        s->sources[at] = pairs[i][0];
    }
    return MR_OK;
}

static enum mr_status read_degrees(struct solver *s, struct mr_store *store,
                                   struct mr_pass_figures *figures, struct mr_error *err)
{
    const struct mr_pass_options options = {.no_pinning = true};
    const struct mr_pass_task task = {.value = MR_VALUE_DOUBLE,
                                      .x = s->x,
                                      .out_degrees = true,
                                      .in_degrees = true,
                                      .degrees_only = true,
                                      .callback = take_degrees,
                                      .callback_data = s};
    struct mr_pass *pass = NULL;
    enum mr_status status = mr_pass_open(s->context, store, &options, &pass, err);
    if (status == MR_OK) {
        status = mr_pass_run(pass, &task, err);
        *figures = mr_pass_get_figures(pass);
    }
    mr_pass_close(pass);
    return status;
}

static enum mr_status read_links(struct solver *s, struct mr_store *store,
                                 struct mr_pass_figures *figures, struct mr_error *err)
{
    struct mr_memory_wanted wanted[N_LINK_ARRAYS];
    struct mr_edges_figures read = {0};
    const struct mr_scan scan = {.by_team = true, .stage = "read", .figures = &read};
    uint64_t first = 0;
    list_links(s, wanted);
    enum mr_status status = mr_memory_alloc_arrays(s->context->memory, wanted, N_LINK_ARRAYS, err);
    if (status == MR_OK) {
        status = read_degrees(s, store, figures, err);
    }
    for (uint64_t v = 0; v < s->n && status == MR_OK;
         v++) { /* the row of v begins at rows[v + 1] */
        const uint64_t length = s->rows[v + 1];
        s->rows[v + 1] = first;
        first += length;
    }
    if (status == MR_OK) {
        status = mr_edges_read(s->context, store, &scan, add_links, s, err);
    }
    figures->pinned_bytes = read.bytes_read;
    figures->decoded_bytes = s->info->n_edges * sizeof *s->sources;
    return status;
}

/* ---- Relaxation ---- */

static struct mr_batch_pages pages_of(const struct solver *s, uint64_t first, uint64_t end)
{
    return (struct mr_batch_pages){.first = first,
                                   .end = end,
                                   .width = s->width,
                                   .rows = s->rows,
                                   .sources = s->sources,
                                   .degree = s->degrees,
                                   .damping = s->job->options->damping};
}

static uint64_t end_of_piece(const struct solver *s, uint64_t piece)
{
    return mr_min_u64((piece + 1) * PIECE, s->n_core);
}

/* The piece of a run in a wave, or one behind its last: then the run has none. */
static bool piece_of(const struct solver *s, uint64_t run, uint64_t wave, uint64_t *piece)
{
    *piece = run * s->n_pieces / s->n_runs + wave;
    return *piece < (run + 1) * s->n_pieces / s->n_runs;
}

static void relax_piece(struct solver *s, uint64_t piece)
{
    const unsigned newest = (unsigned)(s->n_moves % SLOTS);
    struct mr_batch_relaxation r = {
        .pages = pages_of(s, piece * PIECE, end_of_piece(s, piece)),
        .sweeps = sweeps_of(s->info),
        .right = s->right,
        .x = s->correction,
        .fresh = s->fresh[newest],
        .change = s->change[s->n_moves % DEPTH],
        .n_older = (unsigned)mr_min_u64(s->n_moves, DEPTH),
        .sums = &s->piece_sums[piece],
    };
    for (unsigned k = 0; k < r.n_older; k++) {
        r.older[k] =
            s->change[(s->n_moves - 1 - k) % DEPTH]; /* the oldest one becomes the newest */
    }
    s->loops->relax(&r);
}

/* Each vector that moves: what it takes of the outcomes of the latest passes. */
static void begin_mix(const struct solver *s, struct mr_batch_mix *mix)
{
    *mix = (struct mr_batch_mix){.width = s->width, .x = s->correction};
    mix->n_older = (unsigned)mr_min_u64(s->n_moves, DEPTH);
    for (unsigned k = 0; k <= mix->n_older; k++) {
        mix->fresh[k] = s->fresh[(s->n_moves - k) % SLOTS];
    }
    for (unsigned j = 0; j < s->width; j++) {
        mix->factor[0][j] = 1;
        mix->moves[j] = s->vectors[j].is_still ? 0 : UINT32_MAX;
    }
}

static enum mr_status relax(struct solver *s, struct mr_error *err)
{
    struct mr_batch_mix plain;
    enum mr_status status = MR_OK;
    begin_mix(s, &plain);
    plain.n_older = 0;
    for (uint64_t wave = 0; wave < s->n_waves && status == MR_OK; wave++) {
#pragma omp parallel num_threads(mr_team_threads(s->context->threads))
        {
            uint64_t piece;
#pragma omp for schedule(dynamic, 1)
            for (uint64_t run = 0; run < s->n_runs; run++) {
                if (piece_of(s, run, wave, &piece)) {
                    relax_piece(s, piece);
                }
            }
#pragma omp for schedule(dynamic, 1)
            for (uint64_t run = 0; run < s->n_runs; run++) {
                if (piece_of(s, run, wave, &piece)) {
                    struct mr_batch_mix mix = plain;
                    mix.first = piece * PIECE;
                    mix.end = end_of_piece(s, piece);
                    s->loops->mix(&mix);
                }
            }
        }
        status = mr_context_poll(s->context, err);
    }
    return status;
}

/* ---- Acceleration ---- */

/* The factors of the outcomes of `n_older` passes before the newest one that bring the change
 * nearest to 0: least squares of two unknowns at the most. */
static void find_factors(const struct vector *v, const unsigned slot[SLOTS], double factor[SLOTS])
{
    const double(*p)[SLOTS] = v->products;
    double m[DEPTH][DEPTH], right[DEPTH], determinant;
    for (unsigned i = 0; i < DEPTH; i++) {
        const unsigned a = slot[0], b = slot[1 + i];
        right[i] = p[a][a] - p[a][b];
        for (unsigned k = 0; k < DEPTH; k++) {
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
static void add_up(struct solver *s, unsigned j)
{
    struct vector *v = &s->vectors[j];
    const unsigned newest = (unsigned)(s->n_moves % SLOTS);
    const unsigned n_older = (unsigned)mr_min_u64(s->n_moves, DEPTH);
    double products[SLOTS] = {0}, mass = 0;
    v->change = 0;
    for (uint64_t piece = 0; piece < s->n_pieces; piece++) {
        const struct mr_batch_sums *sums = &s->piece_sums[piece];
        for (unsigned k = 0; k <= n_older; k++) {
            products[k] += sums->products[k][j];
        }
        v->change += sums->change[j];
        mass += sums->mass[j];
    }
    for (unsigned k = 0; k <= n_older; k++) {
        const unsigned slot = (unsigned)((s->n_moves - k) % SLOTS);
        v->products[newest][slot] = v->products[slot][newest] = products[k];
    }
    v->mass = v->proof.score_sum + v->scale * mass;
}

/* A pass whose change is larger than the least so far: the acceleration begins anew, and after
 * some plain passes if that happens again. */
static void look_for_harm(struct vector *v, double harmless)
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

static void accelerate(struct solver *s)
{
    const double harmless = fmax(1, 0.15 / (1 - s->job->options->damping)); /* as in solve.c */
    struct mr_batch_mix mix;
    unsigned slot[SLOTS];
    begin_mix(s, &mix);
    for (unsigned k = 0; k < SLOTS; k++) {
        slot[k] = (unsigned)((s->n_moves + SLOTS - k) % SLOTS);
    }
    for (unsigned j = 0; j < s->width; j++) {
        struct vector *v = &s->vectors[j];
        double factor[SLOTS];
        if (v->is_still) {
            continue;
        }
        look_for_harm(v, harmless);
        find_factors(v, slot, factor);
        for (unsigned k = 0; k < SLOTS; k++) {
            mix.factor[k][j] = (float)factor[k];
        }
        v->n_older = v->n_older < DEPTH ? v->n_older + 1 : DEPTH;
    }
    if (mix.n_older == 0) {
        return;
    }
#pragma omp parallel for num_threads(mr_team_threads(s->context->threads)) schedule(static)
    for (uint64_t piece = 0; piece < s->n_pieces; piece++) {
        struct mr_batch_mix part = mix;
        part.first = piece * PIECE;
        part.end = end_of_piece(s, piece);
        s->loops->mix(&part);
    }
}

/* After a pass: does the vector stand still from here on? */
static bool is_due(const struct solver *s, struct vector *v)
{
    const struct mr_pagerank_options *o = s->job->options;
    const double a = o->damping, change = v->scale * v->change;
    const bool is_normalised = o->dangling != MR_DANGLING_NONE;
    v->foretold = change == 0 ? 0
                              : (is_normalised ? 2 : 1) * a * change /
                                    ((1 - a) * (is_normalised ? v->mass : 1));
    if (v->change < v->lowest) {
        v->lowest = v->change;
        v->lowest_at = s->n_passes;
    }
    return SAFETY * v->ratio * v->foretold <= s->job->tolerance || v->change <= FLOOR * v->norm ||
           s->n_passes - v->lowest_at >= STUCK_MOVES;
}

static void report(const struct solver *s, bool is_certified)
{
    const struct mr_context *context = s->context;
    double worst = 0;
    for (unsigned j = 0; j < s->width; j++) {
        const struct vector *v = &s->vectors[j];
        worst = fmax(worst,
                     is_certified || v->is_final ? v->proof.error_bound : v->ratio * v->foretold);
    }
    if (context->progress != NULL) {
        const struct mr_progress progress = {.stage = "rank",
                                             .done = s->n_passes,
                                             .unit = "passes",
                                             .passes = (unsigned)s->n_passes,
                                             .error_bound = worst};
        context->progress(context->progress_data, &progress);
    }
}

/* ---- Corrections ---- */

static void begin_correction(struct solver *s)
{
    s->n_moves = 0;
    memset(s->correction, 0, s->n_core * s->width * sizeof *s->correction);
    for (unsigned j = 0; j < s->width; j++) {
        struct vector *v = &s->vectors[j];
        v->is_still = v->is_final;
        v->n_older = 0;
        v->pause = 0;
        v->least_change = v->lowest = INFINITY;
        v->lowest_at = s->n_passes;
    }
}

/* Passes until each vector stands still. */
static enum mr_status correct(struct solver *s, struct mr_error *err)
{
    enum mr_status status = MR_OK;
    bool any = true;
    begin_correction(s);
    while (status == MR_OK && any && s->n_passes + 1 < s->job->max_passes) {
        status = relax(s, err);
        s->n_passes++;
        any = false;
        for (unsigned j = 0; j < s->width; j++) {
            struct vector *v = &s->vectors[j];
            if (!v->is_still) {
                add_up(s, j);
                v->is_still = is_due(s, v);
                v->stood_at = s->n_passes;
            }
            any |= !v->is_still;
        }
        accelerate(s);
        s->n_moves++;
        report(s, false);
    }
    return status;
}

/* Corrections to the solution. A score is at least 0, so what is less comes nearer to it as 0. */
static void apply(struct solver *s)
{
    double scale[WIDTH];
    for (unsigned j = 0; j < s->width; j++) {
        scale[j] = s->vectors[j].is_final ? 0 : s->vectors[j].scale;
    }
#pragma omp parallel for num_threads(mr_team_threads(s->context->threads)) schedule(static)
    for (uint64_t piece = 0; piece < s->n_pieces; piece++) {
        for (uint64_t v = piece * PIECE; v < end_of_piece(s, piece); v++) {
            double *x = s->x + v * s->width;
            const float *correction = s->correction + v * s->width;
            for (unsigned j = 0; j < s->width; j++) {
                const double sum = x[j] + scale[j] * (double)correction[j];
                x[j] = sum > 0 ? sum : 0;
            }
        }
    }
}

/* ---- Certificates ---- */

/* Pages [first, end) of the core or of the frontier, in parts between those that some vector
 * teleports to. */
static void certify_pages(struct solver *s, uint64_t first, uint64_t end,
                          enum mr_batch_purpose purpose, const double *scale,
                          struct mr_batch_totals *totals)
{
    const struct mr_pass_band at = {.first_vertex = (uint32_t)first};
    struct mr_slot_walks walks = mr_slot_walks_begin(&s->slots, &at);
    double start[WIDTH];
    while (first < end) {
        const bool is_one = walks.next == first;
        const uint64_t part_end = is_one ? first + 1 : mr_min_u64(end, walks.next);
        mr_slot_walks_start(&walks, first, s->width, start);
        const struct mr_batch_certificate certificate = {.pages = pages_of(s, first, part_end),
                                                         .x = s->x,
                                                         .start = start,
                                                         .scale = scale,
                                                         .right = s->right,
                                                         .totals = totals};
        s->loops->certify(&certificate, purpose);
        first = part_end;
    }
}

static void certify_piece(struct solver *s, uint64_t piece, enum mr_batch_purpose purpose,
                          const double *scale)
{
    struct mr_batch_totals totals;
    struct mr_rank_sums *sums = s->sums + piece * s->width;
    const bool is_core = piece < s->n_pieces;
    const uint64_t first = is_core ? piece * PIECE : s->n_core + (piece - s->n_pieces) * PIECE;
    const uint64_t end = mr_min_u64(first + PIECE, is_core ? s->n_core : s->n);
    memset(&totals, 0, sizeof totals);
    certify_pages(s, first, end, purpose, scale, &totals);
    for (unsigned j = 0; j < s->width; j++) {
        sums[j] = (struct mr_rank_sums){.mass = mr_sum_value(&totals.mass[j]),
                                        .above = mr_sum_value(&totals.above[j]),
                                        .below = mr_sum_value(&totals.below[j]),
                                        .rounding = 0x1p-53 * totals.rounding[j]};
    }
}

/* The residual of the solution as stored is the right side of the next correction, in units of
 * about what the last change was. */
static void set_scale(struct vector *v)
{
    int exponent = -24;
    if (v->change > 0) {
        (void)frexp(v->change, &exponent);
    }
    v->scale = ldexp(v->scale, exponent);
}

/* What a certificate says of one vector: is there no more to be had? */
static void judge(const struct solver *s, struct vector *v, const struct mr_rank_sums *sums)
{
    const struct mr_certificate_rules rules = {
        .damping = s->job->options->damping,
        .is_normalised = s->job->options->dangling != MR_DANGLING_NONE,
        .is_single = s->job->options->precision == MR_PRECISION_SINGLE};
    const struct mr_certificate proven = mr_certify(&rules, sums);
    v->failures = !(proven.error_bound <= 0.5 * v->best) ? v->failures + 1 : 0;
    v->best = fmin(v->best, proven.error_bound);
    if (v->foretold > 0) {
        const double seen = (proven.error_bound - proven.rounding_bound) / v->foretold;
        v->ratio = seen > 1 ? seen : fmax(fmin(1, v->ratio), seen);
    }
    v->norm = (sums->above + sums->below) / v->scale;
    v->proof = (struct mr_rank_proof){.error_bound = proven.error_bound,
                                      .residual = proven.residual,
                                      .rounding_bound = proven.rounding_bound,
                                      .score_sum = sums->mass};
    v->is_final = proven.error_bound <= s->job->tolerance || v->failures >= PATIENCE ||
                  s->n_passes >= s->job->max_passes;
}

static void certify(struct solver *s)
{
    double scale[WIDTH];
    for (unsigned j = 0; j < s->width; j++) {
        set_scale(&s->vectors[j]);
        scale[j] = 1 / s->vectors[j].scale;
    }
#pragma omp parallel for num_threads(mr_team_threads(s->context->threads)) schedule(dynamic, 1)
    for (uint64_t piece = 0; piece < s->n_all_pieces; piece++) {
        certify_piece(s, piece, piece < s->n_pieces ? MR_BATCH_RESIDUAL : MR_BATCH_FRONTIER, scale);
    }
    s->n_passes++;
    for (unsigned j = 0; j < s->width; j++) {
        if (!s->vectors[j].is_final) {
            const struct mr_rank_sums sums = mr_rank_add_up(s->sums + j, s->n_all_pieces, s->width);
            judge(s, &s->vectors[j], &sums);
        }
    }
    report(s, true);
}

/* ---- Batches ---- */

/* The first right side is what the teleport gives. */
static void begin_piece(struct solver *s, uint64_t piece)
{
    const struct mr_pass_band at = {.first_vertex = (uint32_t)(piece * PIECE)};
    struct mr_slot_walks walks = mr_slot_walks_begin(&s->slots, &at);
    double start[WIDTH];
    for (uint64_t v = piece * PIECE; v < end_of_piece(s, piece); v++) {
        mr_slot_walks_start(&walks, v, s->width, start);
        for (unsigned j = 0; j < s->width; j++) {
            s->right[v * s->width + j] = (float)start[j];
        }
    }
}

static void begin_batch(struct solver *s, const struct mr_teleport_vector *teleports, unsigned n)
{
    const double jump = 1 - s->job->options->damping;
    s->n_passes = 0;
    s->slots = (struct mr_slots){.width = s->width};
    memset(s->x, 0, s->n * s->width * sizeof *s->x);
    for (unsigned j = 0; j < s->width; j++) {
        struct mr_slot *slot = &s->slots.slots[j];
        mr_slots_put(&s->slots, j, j < n ? &teleports[j] : NULL, s->n);
        if (j < n) {
            slot->teleport_scale = jump;
            slot->constant = teleports[j].weights == NULL ? jump / (double)s->n : 0;
        }
        s->vectors[j] = (struct vector){
            .is_final = j >= n, .scale = 1, .norm = jump, .ratio = FIRST_RATIO, .best = INFINITY};
    }
#pragma omp parallel for num_threads(                                                              \
    mr_team_threads(mr_min_u64(s->context->threads, s->n_pieces))) schedule(static)
    for (uint64_t piece = 0; piece < s->n_pieces; piece++) {
        begin_piece(s, piece);
    }
}

static void finish_core(struct solver *s, const double *scale)
{
#pragma omp parallel for num_threads(                                                              \
    mr_team_threads(mr_min_u64(s->context->threads, s->n_pieces))) schedule(static)
    for (uint64_t piece = 0; piece < s->n_pieces; piece++) {
        for (uint64_t v = piece * PIECE; v < end_of_piece(s, piece); v++) {
            for (unsigned j = 0; j < s->width; j++) {
                s->x[v * s->width + j] *= (double)s->degrees[v] * scale[j];
            }
        }
    }
}

/* Shares become scores, of all pages. */
static void finish(struct solver *s)
{
    double scale[WIDTH];
    for (unsigned j = 0; j < s->width; j++) {
        const double mass = s->vectors[j].proof.score_sum;
        scale[j] = s->job->options->dangling != MR_DANGLING_NONE && mass > 0 ? 1 / mass : 1;
    }
#pragma omp parallel for num_threads(                                                              \
    mr_team_threads(mr_min_u64(s->context->threads, s->n_all_pieces))) schedule(dynamic, 1)
    for (uint64_t piece = s->n_pieces; piece < s->n_all_pieces; piece++) {
        certify_piece(s, piece, MR_BATCH_SCORES, scale);
    }
    finish_core(s, scale);
    for (uint64_t i = 0; i < s->n * s->width && s->job->options->precision == MR_PRECISION_SINGLE;
         i++) {
        const float score = (float)s->x[i];
        memcpy((uint8_t *)s->x + i * sizeof score, &score, sizeof score);
    }
}

static void give_outcomes(const struct solver *s, unsigned n,
                          struct mr_personalised_vector *outcomes)
{
    for (unsigned j = 0; j < n; j++) {
        const struct vector *v = &s->vectors[j];
        struct mr_personalised_vector *outcome = &outcomes[j];
        outcome->converged = v->proof.error_bound <= s->job->tolerance;
        outcome->error_bound = v->proof.error_bound;
        outcome->residual = v->proof.residual;
        outcome->rounding_bound = v->proof.rounding_bound;
        outcome->score_sum = v->proof.score_sum;
        outcome->sum = s->job->options->dangling != MR_DANGLING_NONE ? 1 : outcome->score_sum;
        outcome->passes = v->stood_at;
    }
}

static bool all_final(const struct solver *s)
{
    bool all = true;
    for (unsigned j = 0; j < s->width; j++) {
        all = all && s->vectors[j].is_final;
    }
    return all;
}

static enum mr_status run_batch(struct solver *s, const struct mr_teleport_vector *teleports,
                                unsigned n, struct mr_personalised_vector *outcomes,
                                struct mr_pass_figures *figures, struct mr_error *err)
{
    const uint64_t began = mr_now_ns();
    enum mr_status status = MR_OK;
    uint64_t n_certificates = 0;
    begin_batch(s, teleports, n);
    while (status == MR_OK && !all_final(s)) {
        status = correct(s, err);
        if (status == MR_OK) {
            apply(s);
            certify(s);
            n_certificates++;
        }
    }
    if (status == MR_OK) {
        finish(s);
        give_outcomes(s, n, outcomes);
    }
    figures->passes += s->n_passes;
    figures->edge_visits += n_certificates * s->info->n_edges + (s->n_passes - n_certificates) *
                                                                    s->info->n_core_edges *
                                                                    sweeps_of(s->info);
    figures->seconds += (double)(mr_now_ns() - began) * 1e-9;
    return status;
}

enum mr_status mr_batch_run(const struct mr_context *context, struct mr_store *store,
                            const struct mr_batch_job *job, struct mr_personalised_vector *outcomes,
                            struct mr_personalised_result *result, struct mr_error *err)
{
    struct solver s = {.context = context, .job = job, .loops = mr_batch_loops_best()};
    struct mr_memory_wanted values[N_VALUE_ARRAYS];
    set_shape(&s, mr_store_get_info(store), job->width > WIDTH / 2 ? WIDTH : WIDTH / 2);
    enum mr_status status = read_links(&s, store, &result->figures, err);
    if (status == MR_OK) {
        list_values(&s, values);
        status = mr_memory_alloc_arrays(context->memory, values, N_VALUE_ARRAYS, err);
    }
    for (uint64_t first = 0; first < job->n && status == MR_OK; first += job->width) {
        const unsigned n = (unsigned)mr_min_u64(job->width, job->n - first);
        status = run_batch(&s, job->teleports + first, n, outcomes + first, &result->figures, err);
        if (status == MR_OK) {
            result->n_batches++;
            status = job->sink(job->sink_data, first, n, s.width, s.x, err);
        }
    }
    release(&s);
    result->wave = s.n_runs;
    result->inner = sweeps_of(s.info);
    result->acceleration = DEPTH;
    result->figures.threads = context->threads;
    return status;
}
