/* SPDX-License-Identifier: Apache-2.0 */
/* Scans of a store: by one reader, or by several threads. Components and harmonic centrality read
 * edges with a team, many times over; the pass of the rankings (engine/pass) adds up values instead
 * and has a fixed order of sums. Each thread has a reader (edges.c), which lives as long as the
 * team, and takes one unit after the other. */
#include "engine/scan/edges.h"

#include <stdlib.h>

#include "engine/base/bytes.h"
#include "engine/base/memory.h"
#include "engine/base/team.h"

#define UNIT_EDGES ((uint64_t)1 << 20)

struct unit {
    uint32_t first_band, n_bands;
    uint64_t n_edges;
};

struct mr_edges_team {
    const struct mr_context *context;
    struct mr_store *store;
    struct unit *units; /* [n_units] */
    uint64_t n_units;
    struct mr_edges_reader **readers; /* [n_readers] */
    unsigned n_readers;
};

struct edges_reading {
    struct mr_edges_team *team;
    const struct mr_scan *scan;
    mr_edges_callback callback;
    void *data;
    struct mr_progress progress;
};

uint64_t mr_edges_stripes(const struct mr_store_info *info)
{
    return (uint64_t)info->n_bands << (info->band_bits - info->stripe_bits);
}

static void cut_into_units(struct mr_edges_team *team)
{
    const struct mr_store_info *info = mr_store_get_info(team->store);
    const struct mr_band_entry *bands = mr_store_bands(team->store);

    for (uint32_t b = 0; b < info->n_bands; b++) {
        if (b == 0 || team->units[team->n_units - 1].n_edges >= UNIT_EDGES) {
            team->units[team->n_units++] = (struct unit){.first_band = b};
        }
        team->units[team->n_units - 1].n_bands++;
        team->units[team->n_units - 1].n_edges += bands[b].n_edges;
    }
}

/* Readers beyond the first are welcome where there is room for them. */
static enum mr_status open_readers(struct mr_edges_team *team, uint64_t leave_bytes,
                                   uint64_t beside_bytes, struct mr_error *err)
{
    const struct mr_store_info *info = mr_store_get_info(team->store);
    const uint64_t available = mr_memory_available(team->context->memory);
    const uint64_t room = (available - mr_min_u64(available, leave_bytes)) / 2 /
                          (mr_edges_reader_memory(info) + beside_bytes);
    const uint64_t most = mr_min_u64(mr_min_u64(team->context->threads, team->n_units), room);

    /* An array of pointers. NOLINTNEXTLINE(bugprone-sizeof-expression) */
    team->readers = calloc(team->context->threads, sizeof *team->readers);
    if (team->readers == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a team of readers");
    }
    do {
        const enum mr_status status = mr_edges_reader_open(team->context, team->store, false,
                                                           &team->readers[team->n_readers], err);
        if (status != MR_OK) {
            return status;
        }
        team->n_readers++;
    } while (team->n_readers < most);
    return MR_OK;
}

enum mr_status mr_edges_team_open(const struct mr_context *context, struct mr_store *store,
                                  uint64_t leave_bytes, uint64_t beside_bytes,
                                  struct mr_edges_team **out, struct mr_error *err)
{
    struct mr_edges_team *team = calloc(1, sizeof *team);

    *out = team;
    if (team == NULL) {
        return mr_error_set(err, MR_ERROR_BUDGET, "out of memory for a team of readers");
    }
    team->context = context;
    team->store = store;
    enum mr_status status =
        mr_memory_array(context->memory, "units of edges",
                        (uint64_t)mr_store_get_info(store)->n_bands + 1, &team->units, err);
    if (status == MR_OK) {
        cut_into_units(team);
        status = open_readers(team, leave_bytes, beside_bytes, err);
    }
    return status;
}

unsigned mr_edges_team_readers(const struct mr_edges_team *team)
{
    return team->n_readers;
}

void mr_edges_team_close(struct mr_edges_team *team)
{
    if (team != NULL) {
        for (unsigned i = 0; i < team->n_readers; i++) {
            mr_edges_reader_close(team->readers[i]);
        }
        free(team->readers);
        mr_memory_free(team->context->memory, team->units);
        free(team);
    }
}

static enum mr_status read_unit(const struct edges_reading *reading, struct mr_edges_reader *reader,
                                const struct unit *unit, struct mr_edges_figures *figures,
                                struct mr_error *err)
{
    const struct mr_scan run = {.first_band = unit->first_band,
                                .n_bands = unit->n_bands,
                                .active_bands = reading->scan->active_bands,
                                .active_stripes = reading->scan->active_stripes,
                                .figures = figures};
    return mr_edges_reader_read(reader, &run, reading->callback, reading->data, err);
}

static void add_figures(struct edges_reading *reading, const struct mr_edges_figures *more,
                        uint64_t n_edges)
{
    const struct mr_context *context = reading->team->context;

    if (reading->scan->figures != NULL) {
        mr_edges_figures_add(reading->scan->figures, more);
    }
    reading->progress.done += n_edges;
    reading->progress.edges += more->edges;
    reading->progress.bytes += more->bytes_read;
    if (context->progress != NULL && reading->scan->stage != NULL) {
        context->progress(context->progress_data, &reading->progress);
    }
}

/* A mr_team_work. */
static enum mr_status read_units(void *data, struct mr_team *jobs, unsigned worker,
                                 struct mr_error *err)
{
    struct edges_reading *reading = data;
    const struct mr_scan *scan = reading->scan;
    const struct mr_store_info *info = mr_store_get_info(reading->team->store);
    uint64_t job;

    while (mr_team_next(jobs, &job)) {
        const struct unit *unit = &reading->team->units[job];
        const uint64_t first = (uint64_t)unit->first_band << info->band_bits;
        const uint64_t end = mr_min_u64(
            info->n_vertices, (uint64_t)(unit->first_band + unit->n_bands) << info->band_bits);
        struct mr_edges_figures figures = {0};

        if (scan->begin != NULL) {
            scan->begin(reading->data, (uint32_t)first, (uint32_t)(end - first));
        }
        const enum mr_status status =
            read_unit(reading, reading->team->readers[worker], unit, &figures, err);
        if (status != MR_OK) {
            return status;
        }
        if (scan->end != NULL) {
            scan->end(reading->data, (uint32_t)first, (uint32_t)(end - first));
        }
#pragma omp critical(mr_edges_team_figures)
        add_figures(reading, &figures, unit->n_edges);
    }
    return MR_OK;
}

enum mr_status mr_edges_team_read(struct mr_edges_team *team, const struct mr_scan *scan,
                                  mr_edges_callback callback, void *data, struct mr_error *err)
{
    struct edges_reading reading = {.team = team,
                                    .scan = scan,
                                    .callback = callback,
                                    .data = data,
                                    .progress = {.stage = scan->stage,
                                                 .total = mr_store_get_info(team->store)->n_edges,
                                                 .unit = "edges",
                                                 .error_bound = -1}};
    return mr_team_run(team->context, team->n_units, team->n_readers, read_units, &reading, err);
}

enum mr_status mr_edges_read(const struct mr_context *context, struct mr_store *store,
                             const struct mr_scan *scan, mr_edges_callback callback, void *data,
                             struct mr_error *err)
{
    struct mr_edges_reader *reader = NULL;
    struct mr_edges_team *team = NULL;
    enum mr_status status;

    if (scan != NULL && scan->by_team) {
        status = mr_edges_team_open(context, store, 0, 0, &team, err);
        if (status == MR_OK) {
            status = mr_edges_team_read(team, scan, callback, data, err);
        }
        mr_edges_team_close(team);
        return status;
    }
    status =
        mr_edges_reader_open(context, store, scan != NULL && scan->n_stripes > 0, &reader, err);
    if (status == MR_OK) {
        status = mr_edges_reader_read(reader, scan, callback, data, err);
    }
    mr_edges_reader_close(reader);
    return status;
}
