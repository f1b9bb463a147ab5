#include "bench/pass_schedule.h"

#include <stdlib.h>

#include "engine/pass/pass.h"
#include "engine/tile/keep.h"

struct simulation {
    const struct mr_store *store;
    const struct mr_store_info *info;
    double *free_at; /* [n_threads] */
    double *finished_at; /* [n_bands]: all bands up to this one are finished */
    unsigned n_threads, window;
    bool is_relaxing;
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

/* The thread that is free first takes a unit that may start at `gate`. Returns when it is done. */
static double run_unit(struct simulation *simulation, double gate, double cost)
{
    unsigned first = 0;

    for (unsigned i = 1; i < simulation->n_threads; i++) {
        if (simulation->free_at[i] < simulation->free_at[first]) {
            first = i;
        }
    }
    const double start = simulation->free_at[first];

    simulation->free_at[first] = (start > gate ? start : gate) + cost;
    simulation->work += cost;
    return simulation->free_at[first];
}

/* Behind the segment of the diagonal that begins with `first`; where it is kept, it is all one. */
static uint64_t diagonal_end(const struct simulation *simulation, uint32_t b, uint64_t first)
{
    const struct mr_band_entry *band = &mr_store_bands(simulation->store)[b];
    const bool is_kept = simulation->is_relaxing && mr_kept_tiles_fit(simulation->info, band);

    return is_kept ? band->end_block : mr_pass_diagonal_end(simulation->store, b, first);
}

static void run_band(struct simulation *simulation, uint32_t b)
{
    const struct mr_band_entry *band = &mr_store_bands(simulation->store)[b];
    const uint64_t *ends = mr_store_segment_ends(simulation->store);
    const double overhead = (double)((uint64_t)1 << simulation->info->band_bits) / 4;
    const double gate =
        b < simulation->window ? 0 : simulation->finished_at[b - simulation->window];
    double done = b == 0 ? 0 : simulation->finished_at[b - 1];
    double links = 0;
    uint64_t block = band->first_block, segment = band->first_segment;
    uint64_t diagonal = band->first_diagonal;

    do {
        const uint64_t end = segment < band->end_segment ? ends[segment] : block;

        links = links_of(simulation->store, block, end);
        block = end;
        segment++;
        if (segment >= band->end_segment) {
            diagonal = diagonal_end(simulation, b, diagonal);
            links += links_of(simulation->store, band->first_diagonal, diagonal);
        }
        const double at = run_unit(simulation, gate, links + overhead);

        done = at > done ? at : done;
    } while (segment < band->end_segment);
    while (diagonal < band->end_block) {
        const uint64_t first = diagonal;

        diagonal = diagonal_end(simulation, b, first);
        links = links_of(simulation->store, first, diagonal);
        const double at = run_unit(simulation, gate, links + overhead);

        done = at > done ? at : done;
    }
    simulation->finished_at[b] = done;
    simulation->end = done > simulation->end ? done : simulation->end;
}

double bench_schedule_efficiency(const struct mr_store *store, unsigned n_threads, unsigned window)
{
    struct simulation simulation = {.store = store,
                                    .info = mr_store_info(store),
                                    .n_threads = n_threads,
                                    .is_relaxing = window != 0,
                                    .window = window == 0 ? 2 * n_threads + 2 : window};
    double efficiency = 0;

    simulation.free_at = calloc(n_threads, sizeof(double));
    simulation.finished_at = calloc(simulation.info->n_bands, sizeof(double));
    if (simulation.free_at != NULL && simulation.finished_at != NULL) {
        for (uint32_t b = 0; b < simulation.info->n_bands; b++) {
            run_band(&simulation, b);
        }
        efficiency = simulation.work / (simulation.end * n_threads);
    }
    free(simulation.free_at);
    free(simulation.finished_at);
    return efficiency;
}
