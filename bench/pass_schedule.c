/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/pass_schedule.h"

#include <stdlib.h>

#include "engine/pass/pass.h"
#include "engine/tile/rows.h"

struct simulation {
    const struct mr_store *store;
    const struct mr_store_info *info;
    const struct bench_schedule *schedule;
    double *free_at; /* [n_threads] */
    unsigned n_threads;
    double gate; /* nobody starts before */
    double work, end;
};

static double links_of(const struct mr_store *store, uint64_t first, uint64_t end)
{
    const struct mr_block_entry *blocks = mr_store_link_blocks(store);
    double links = 0;

    for (uint64_t i = first; i < end; i++) {
        links += (double)blocks[i].n_entries;
    }
    return links;
}

/* `thread` goes on with work of so much cost. */
static void run_on(struct simulation *simulation, unsigned thread, double cost)
{
    simulation->free_at[thread] += cost;
    simulation->work += cost;
    if (simulation->free_at[thread] > simulation->end) {
        simulation->end = simulation->free_at[thread];
    }
}

/* The thread that is free first takes a unit, when the wave has begun. If it is the one of its band
 * that is done last so far, `*last` is the thread. */
static void run_unit(struct simulation *simulation, double cost, unsigned *last, double *done)
{
    unsigned first = 0;

    for (unsigned i = 1; i < simulation->n_threads; i++) {
        if (simulation->free_at[i] < simulation->free_at[first]) {
            first = i;
        }
    }
    if (simulation->free_at[first] < simulation->gate) {
        simulation->free_at[first] = simulation->gate;
    }
    run_on(simulation, first, cost);
    if (simulation->free_at[first] >= *done) {
        *last = first;
        *done = simulation->free_at[first];
    }
}

/* Costs, in links of a pass. */
#define UNIT_COST  0.25 /* of a vertex */
#define END_COST   2.0
#define STEP_COST  2.0
#define SWEEP_COST (2.0 / 3) /* of a link */

static bool is_swept(const struct simulation *simulation, uint32_t b)
{
    return simulation->schedule->sweeps > 0 && simulation->schedule->wave > 0 &&
           mr_rows_fit(simulation->info, &mr_store_bands(simulation->store)[b]);
}

static void run_band(struct simulation *simulation, uint32_t b)
{
    const struct mr_band_entry *band = &mr_store_bands(simulation->store)[b];
    const uint64_t *ends = mr_store_segment_ends(simulation->store);
    const double width = (double)((uint64_t)1 << simulation->info->band_bits);
    double done = 0;
    unsigned last = 0;
    uint64_t block = band->first_block, segment = band->first_segment;
    uint64_t diagonal = is_swept(simulation, b) ? band->end_block : band->first_diagonal;

    do {
        const uint64_t end = segment < band->end_segment ? ends[segment] : block;
        double links = links_of(simulation->store, block, end);

        block = end;
        segment++;
        if (segment >= band->end_segment && diagonal < band->end_block) {
            diagonal = mr_pass_diagonal_end(simulation->store, b, diagonal);
            links += links_of(simulation->store, band->first_diagonal, diagonal);
        }
        run_unit(simulation, links + UNIT_COST * width, &last, &done);
    } while (segment < band->end_segment);
    while (diagonal < band->end_block) {
        const uint64_t first = diagonal;

        diagonal = mr_pass_diagonal_end(simulation->store, b, first);
        const double links = links_of(simulation->store, first, diagonal);
        run_unit(simulation, links + UNIT_COST * width, &last, &done);
    }
    if (simulation->schedule->wave > 0) {
        const double swept = is_swept(simulation, b) ? (double)band->n_diagonal_edges : 0;

        /* The thread that completes the sums ends the band: it has no other unit yet. */
        run_on(simulation, last,
               END_COST * width + SWEEP_COST * simulation->schedule->sweeps * swept);
    }
}

/* All threads take their share of what ends a wave. */
static void end_wave(struct simulation *simulation, uint32_t n_bands)
{
    const double cost = STEP_COST * (double)((uint64_t)n_bands << simulation->info->band_bits);

    simulation->work += cost;
    simulation->gate = simulation->end = simulation->end + cost / simulation->n_threads;
}

double bench_schedule_efficiency(const struct mr_store *store, unsigned n_threads,
                                 const struct bench_schedule *schedule)
{
    struct simulation simulation = {.store = store,
                                    .info = mr_store_get_info(store),
                                    .schedule = schedule,
                                    .n_threads = n_threads};
    const uint32_t n_bands = schedule->n_bands > 0 ? schedule->n_bands : simulation.info->n_bands;

    simulation.free_at = calloc(n_threads, sizeof(double));
    if (simulation.free_at == NULL) {
        return 0;
    }
    for (uint32_t b = 0, first = 0; b < n_bands; b++) {
        const uint32_t wave = schedule->wave > 0 ? schedule->wave : n_bands;
        run_band(&simulation, mr_pass_band_at(n_bands, wave, b));
        if (schedule->wave > 0 && (b + 1 - first == schedule->wave || b + 1 == n_bands)) {
            end_wave(&simulation, b + 1 - first);
            first = b + 1;
        }
    }
    free(simulation.free_at);
    return simulation.work / (simulation.end * n_threads);
}
