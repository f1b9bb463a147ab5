/* SPDX-License-Identifier: Apache-2.0 */
/* The links as one list per target, in memory: decoded once, read at each distance. Lists need no
 * order inside, so each unit of bands is read twice by one thread, to count and to fill. */
#include <string.h>

#include "algorithms/harmonic/internal.h"

enum { BATCH_SOURCES = 512, BATCH_ROWS = 256 };

void mr_harmonic_lists_arrays(struct mr_harmonic_lists *lists, const struct mr_store_info *info,
                              struct mr_memory_wanted arrays[MR_HARMONIC_LISTS_ARRAYS])
{
    const struct mr_memory_wanted all[MR_HARMONIC_LISTS_ARRAYS] = {
        MR_WANTED("lists of links", info->n_vertices + 1, &lists->starts),
        MR_WANTED("lists of links", info->n_edges, &lists->sources),
    };
    memcpy(arrays, all, sizeof all);
}

static enum mr_status count_pairs(void *data, const uint32_t (*pairs)[2], const float *weights,
                                  size_t n_pairs, struct mr_error *err)
{
    const struct mr_harmonic_lists *lists = data;

    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        lists->starts[pairs[i][1]]++;
    }
    return MR_OK;
}

/* Fills lists from their ends. */
static enum mr_status put_pairs(void *data, const uint32_t (*pairs)[2], const float *weights,
                                size_t n_pairs, struct mr_error *err)
{
    const struct mr_harmonic_lists *lists = data;

    (void)weights;
    for (size_t i = 0; i < n_pairs; i++) {
        const uint64_t at = lists->starts[pairs[i][1]] - 1;
        if (at >= lists->n_edges) {
            return mr_error_set(err, MR_ERROR_CORRUPT,
                                "the store changed while its links were read");
        }
        lists->sources[at] = pairs[i][0];
        lists->starts[pairs[i][1]] = at;
    }
    return MR_OK;
}

enum mr_status mr_harmonic_lists_read(struct mr_harmonic_lists *lists, struct mr_memory *memory,
                                      struct mr_edges_team *team, const struct mr_store_info *info,
                                      struct mr_edges_figures *figures, struct mr_error *err)
{
    const struct mr_scan scan = {.stage = "links", .figures = figures};
    struct mr_memory_wanted arrays[MR_HARMONIC_LISTS_ARRAYS];
    uint64_t sum = 0;

    lists->n_edges = info->n_edges;
    mr_harmonic_lists_arrays(lists, info, arrays);
    enum mr_status status = mr_memory_arrays(memory, arrays, err);
    if (status == MR_OK) {
        status = mr_edges_team_read(team, &scan, count_pairs, lists, err);
    }
    for (uint64_t v = 0; v <= info->n_vertices && status == MR_OK; v++) {
        sum += lists->starts[v];
        lists->starts[v] = sum;
    }
    if (status == MR_OK && sum != info->n_edges) {
        status = mr_error_set(err, MR_ERROR_CORRUPT, "the store has %llu links, not %llu",
                              (unsigned long long)sum, (unsigned long long)info->n_edges);
    }
    return status == MR_OK ? mr_edges_team_read(team, &scan, put_pairs, lists, err) : status;
}

void mr_harmonic_lists_free(struct mr_harmonic_lists *lists, struct mr_memory *memory)
{
    mr_memory_free(memory, lists->sources);
    mr_memory_free(memory, lists->starts);
    *lists = (struct mr_harmonic_lists){0};
}

/* ---- One distance ---- */

/* Rows that wait to be united. Their sources' sets are on the way into the cache. */
struct waiting {
    const struct mr_balls *balls;
    struct mr_balls_batch batch;
    size_t n_sources;
    uint32_t sources[BATCH_SOURCES];
    struct mr_balls_row rows[BATCH_ROWS];
};

static void unite_waiting(struct waiting *waiting)
{
    mr_balls_unite(waiting->balls, &waiting->batch);
    waiting->n_sources = 0;
}

static void end_row(struct waiting *waiting, uint32_t target)
{
    waiting->rows[waiting->batch.n_rows++] =
        (struct mr_balls_row){target, (uint32_t)waiting->n_sources};
    if (waiting->batch.n_rows == BATCH_ROWS) {
        unite_waiting(waiting);
    }
}

static inline void add_source(struct waiting *waiting, uint32_t source)
{
    const struct mr_balls *balls = waiting->balls;

    __builtin_prefetch(balls->now + (uint64_t)source * balls->k);
    waiting->sources[waiting->n_sources] = source;
    waiting->n_sources += mr_balls_are_marked(balls->changed, source);
}

/* A list longer than a batch goes in parts, from the set that the parts before have made. */
static void unite_long(struct waiting *waiting, uint32_t target, const uint32_t *sources,
                       uint64_t n_sources)
{
    const struct mr_balls *balls = waiting->balls;

    unite_waiting(waiting);
    mr_balls_copy(balls, target);
    waiting->batch.own = balls->next;
    for (uint64_t i = 0; i < n_sources; i++) {
        add_source(waiting, sources[i]);
        if (waiting->n_sources == BATCH_SOURCES || i + 1 == n_sources) {
            end_row(waiting, target);
            unite_waiting(waiting);
        }
    }
    waiting->batch.own = balls->now;
}

/* Adds the row of a target, unless no source has changed. */
static void add_row(struct waiting *waiting, uint32_t target, const uint32_t *sources,
                    uint64_t n_sources)
{
    if (n_sources > BATCH_SOURCES) {
        unite_long(waiting, target, sources, n_sources);
        return;
    }
    if (n_sources > BATCH_SOURCES - waiting->n_sources) {
        unite_waiting(waiting);
    }
    const size_t before = waiting->n_sources;
    for (uint64_t i = 0; i < n_sources; i++) {
        add_source(waiting, sources[i]);
    }
    if (waiting->n_sources > before) {
        end_row(waiting, target);
    } else {
        mr_balls_copy(waiting->balls, target);
    }
}

void mr_harmonic_lists_unite(const struct mr_harmonic_lists *lists, const struct mr_balls *balls,
                             uint32_t first, uint32_t n)
{
    struct waiting waiting;

    waiting.balls = balls;
    waiting.n_sources = 0;
    waiting.batch = mr_balls_batch_of(balls, waiting.sources, waiting.rows);
    for (uint32_t v = first; v < first + n; v++) {
        const uint64_t start = lists->starts[v];
        add_row(&waiting, v, lists->sources + start, lists->starts[v + 1] - start);
    }
    unite_waiting(&waiting);
}
