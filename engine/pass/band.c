/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a band: its sums are there. In a relaxing run the rows of its diagonal are swept, and
 * the algorithm makes steps of the new values, which are added to x when the wave is over. */
#include <string.h>

#include "engine/pass/internal.h"

/* Of the links of the band's vertices: streamed with them, or by their classes. */
static const double *out_strength_of(const struct mr_pass *pass, const struct band_end *end)
{
    return pass->out_strengths == NULL
               ? end->out_strength
               : pass->out_strengths + ((size_t)end->band << pass->info->band_bits);
}

static const void *values_of(const struct mr_pass *pass, uint64_t first_vertex)
{
    return (const uint8_t *)pass->run->x + first_vertex * pass->vertex_bytes;
}

/* The steps of the vertices from `vertex` on, of the band at a place of the current wave. */
static float *steps_of(const struct mr_pass *pass, uint32_t place, uint64_t vertex)
{
    const uint64_t wave_place = place - pass->order.wave_first;
    const uint64_t at = pass->run->steps_of_wave
                            ? wave_place * pass->band_width + vertex % pass->band_width
                            : vertex;
    return pass->run->steps + at;
}

/* A vertex with a link to itself is solved for: x = c + g x is x = c / (1 - g). */
static void solve_self_links(const struct mr_rows *rows, double *constant, double *gain)
{
    for (uint32_t word = 0; word < (rows->n_vertices + 63) / 64; word++) {
        for (uint64_t left = rows->self_links[word]; left != 0; left &= left - 1) {
            const size_t v = word * (size_t)64 + (size_t)__builtin_ctzll(left);
            const double scale = 1 / (1 - gain[v]);
            gain[v] *= scale;
            constant[v] *= scale;
        }
    }
}

/* New values to worker->relaxed; `sums` are used up. */
static void relax(struct pass_worker *worker, const struct band_end *end,
                  const struct mr_pass_band *band, double *sums)
{
    struct mr_pass *pass = worker->pass;
    const struct mr_pass_task *run = pass->run;
    const size_t n = band->n_vertices;
    double *x = worker->relaxed;
    run->terms(run->callback_data, band, sums, worker->gain);
    if (!mr_pass_sweeps(pass, end->band)) {
        memcpy(x, sums, n * sizeof *x);
        return;
    }
    const struct mr_rows rows =
        mr_pass_keeps_rows(pass, end->band) ? pass->rows[end->band] : mr_rows_of(end->rows);
    if (run->value == MR_VALUE_FLOAT) {
        const float *values = band->values;
        for (size_t i = 0; i < n; i++) {
            x[i] = (double)values[i];
        }
    } else {
        memcpy(x, band->values, n * sizeof *x);
    }
    solve_self_links(&rows, sums, worker->gain);
    for (unsigned s = 0; s < run->sweeps; s++) {
        mr_rows_sweep(&rows, sums, worker->gain, x);
        worker->edge_visits += rows.n_links;
    }
}

void mr_band_finish(struct pass_worker *worker, struct band_end *end, void *sum)
{
    struct mr_pass *pass = worker->pass;
    const struct mr_pass_task *run = pass->run;
    struct mr_pass_band band = {
        .band = end->band,
        .first_vertex = end->band << pass->info->band_bits,
        .n_vertices = (uint32_t)mr_band_vertices(pass->info, end->band),
        .out_degree = run->out_degrees ? mr_out_degrees_of(pass, end) : NULL,
        .in_degree = run->in_degrees ? end->in_degree : NULL,
        .out_strength = run->out_degrees ? out_strength_of(pass, end) : NULL,
        .in_strength = run->in_degrees ? end->in_strength : NULL,
        .accumulator = run->degrees_only ? NULL : sum,
    };
    if (run->relax) {
        band.accumulator = NULL;
        band.values = values_of(pass, band.first_vertex);
        band.relaxed = worker->relaxed;
        band.steps = steps_of(pass, end->place, band.first_vertex);
        relax(worker, end, &band, sum);
    }
    run->callback(run->callback_data, &band);
}

/* A step is rounded: what goes to 0 must not go below. */
static void take_steps(enum mr_value value, void *x, const float *steps, size_t n)
{
    double *restrict doubles = x;
    float *restrict floats = x;
    for (size_t i = 0; value == MR_VALUE_DOUBLE && i < n; i++) {
        const double moved = doubles[i] + (double)steps[i];
        doubles[i] = moved > 0 ? moved : 0;
    }
    for (size_t i = 0; value == MR_VALUE_FLOAT && i < n; i++) {
        const float moved = floats[i] + steps[i];
        floats[i] = moved > 0 ? moved : 0;
    }
}

void mr_band_take_steps(const struct mr_pass *pass, uint32_t place, uint64_t first, uint64_t end)
{
    const struct mr_pass_task *run = pass->run;
    const uint64_t n_vertices = pass->info->n_vertices;
    const uint64_t n = first >= n_vertices ? 0 : mr_min_u64(end, n_vertices) - first;
    take_steps(run->value, (uint8_t *)run->x + first * pass->vertex_bytes,
               steps_of(pass, place, first), n);
}
