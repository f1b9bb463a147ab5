/* SPDX-License-Identifier: Apache-2.0 */
/* The counting pass of a build: counts the edges of each grid cell, and hashes the set of edges for
 * the id of the graph. The plan of the sort (edge_plan.c) is made from the counts. Each worker
 * counts into a table of its own, so no two threads write to the same word. */
#include "engine/builder/edges/edge_count.h"

#include <string.h>

#include <xxhash.h>

#include "engine/base/bytes.h"
#include "engine/base/edge.h"
#include "engine/base/memory.h"
#include "engine/base/random.h"

/* A table of at most this many counts stays in the L2 cache. */
#define CACHED_CELLS ((uint64_t)1 << 17)
#define MAX_CELLS    ((uint64_t)1 << 20)

/* Columns to cut a heavy band of a huge graph into. */
#define WANTED_COLUMNS ((uint64_t)16)

/* The hash of the set of edges: each edge falls into one of this many classes by its hash, and the
 * lowest hash of each class counts. Repeated edges change nothing. If two graphs differ in one edge
 * of a hundred, their hashes are equal in one case of 30,000. */
#define N_LOWEST 1024u

/* What one worker has counted: its cells, and the lowest hashes. */
struct share {
    const struct mr_edge_grid *grid;
    uint64_t *cells;
    uint64_t n_edges;
    uint64_t n_near;
    uint64_t weights_hash;
    uint64_t bound; /* at least the highest of `lowest`: hashes from here on change nothing */
    uint64_t lowest[N_LOWEST];
};

uint64_t mr_edge_count_max_cells(const struct mr_context *context, uint64_t n_bands)
{
    uint64_t wanted = mr_max_u64(CACHED_CELLS, mr_min_u64(MAX_CELLS, WANTED_COLUMNS * n_bands));
    /* Three tables (one shared, one per worker, one for the plan) may take a quarter of the memory
     * left. */
    uint64_t affordable = mr_memory_available(context->memory) / 4 / (3 * sizeof(uint64_t));
    return mr_min_u64(wanted, affordable);
}

/* Each bit of the edge changes half of the bits of the result on average. */
static inline uint64_t hash_edge(uint32_t source, uint32_t target)
{
    return mr_random_mix(((uint64_t)source << 32 | target) + MR_RANDOM_GOLDEN);
}

static uint64_t hash_weights(const uint32_t (*pairs)[2], const float *weights, size_t n_pairs)
{
    uint64_t hash = 0;
    for (size_t i = 0; i < n_pairs; i++) {
        uint32_t bits;
        memcpy(&bits, &weights[i], sizeof bits);
        const uint64_t edge = hash_edge(pairs[i][0], pairs[i][1]);
        hash += hash_edge((uint32_t)(edge >> 32), bits) ^ edge;
    }
    return hash;
}

/* Count consecutive edges of one cell in a register first: an addition to a word in memory waits
 * for the one before it. */
static inline void see(struct share *share, const uint32_t (*pairs)[2], size_t n_pairs, bool follow)
{
    const struct mr_edge_grid grid = *share->grid;
    const uint64_t bound = share->bound;
    uint64_t *lowest = share->lowest, *cell = share->cells, n_near = 0, highest = 0, n_counted = 0;
    struct mr_edge_spot spot = {0};
    for (size_t i = 0; i < n_pairs; i++) {
        uint32_t source = pairs[i][0], target = pairs[i][1];
        if (!follow) {
            share->cells[mr_edge_grid_cell(&grid, source, target)]++;
        } else if (i == 0 || !mr_edge_grid_is_near(&grid, &spot, source, target)) {
            *cell += i - n_counted;
            n_counted = i;
            spot = mr_edge_grid_spot(&grid, source, target);
            cell = &share->cells[mr_edge_grid_cell(&grid, source, target)];
        }
        n_near += (source ^ target) >> MR_NEAR_BITS == 0;
        const uint64_t hash = hash_edge(source, target);
        if (hash < bound && hash < lowest[hash % N_LOWEST]) {
            lowest[hash % N_LOWEST] = hash;
        }
    }
    *cell += follow ? n_pairs - n_counted : 0;
    for (size_t i = 0; i < N_LOWEST; i++) {
        highest = mr_max_u64(highest, lowest[i]);
    }
    share->bound = highest;
    share->n_edges += n_pairs;
    share->n_near += n_near;
}

static enum mr_status visit(void *data, unsigned worker, const uint32_t (*pairs)[2],
                            const float *weights, size_t n_pairs, struct mr_error *err)
{
    struct share *share = &((struct share *)data)[worker];
    (void)err;
    if (mr_edge_grid_follow(share->grid, pairs, n_pairs)) {
        see(share, pairs, n_pairs, true);
    } else {
        see(share, pairs, n_pairs, false);
    }
    share->weights_hash += weights == NULL ? 0 : hash_weights(pairs, weights, n_pairs);
    return MR_OK;
}

/* Combine the lowest hashes of all workers. */
static uint64_t hash_of(const struct share *shares, unsigned n_workers)
{
    uint8_t bytes[8 * N_LOWEST];
    for (unsigned i = 0; i < N_LOWEST; i++) {
        uint64_t lowest = UINT64_MAX;
        for (unsigned w = 0; w < n_workers; w++) {
            lowest = mr_min_u64(lowest, shares[w].lowest[i]);
        }
        mr_put_u64(bytes + 8 * (size_t)i, lowest);
    }
    return XXH3_64bits(bytes, sizeof bytes);
}

enum mr_status mr_edge_count(const struct mr_context *context, const struct mr_spool_scan *scan,
                             const struct mr_edge_grid *grid, struct mr_edge_counts *counts,
                             struct mr_error *err)
{
    struct mr_memory *memory = context->memory;
    const uint64_t n_cells = mr_max_u64(1, grid->n_cells);
    struct mr_spool_scan pass = *scan;
    uint64_t *tables = NULL;
    struct share *shares = NULL;

    *counts = (struct mr_edge_counts){.cells = NULL};
    enum mr_status status = mr_memory_array(memory, "link counts", n_cells, &counts->cells, err);
    if (status != MR_OK) {
        return status;
    }
    pass.n_workers = mr_spool_scan_workers(context, n_cells * sizeof *tables);
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("link counts", pass.n_workers * n_cells, &tables),
        MR_WANTED("link counts", pass.n_workers, &shares),
    };
    status = mr_memory_arrays(memory, arrays, err);
    for (unsigned w = 0; status == MR_OK && w < pass.n_workers; w++) {
        struct share *share = &shares[w];
        share->grid = grid;
        share->cells = tables + w * n_cells;
        share->bound = UINT64_MAX;
        memset(share->lowest, 0xff, sizeof share->lowest);
    }
    if (status == MR_OK) {
        status = mr_spool_scan_pairs(context, &pass, visit, shares, err);
    }
    for (unsigned w = 0; status == MR_OK && w < pass.n_workers; w++) {
        for (uint64_t c = 0; c < grid->n_cells; c++) {
            counts->cells[c] += shares[w].cells[c];
        }
        counts->n_edges += shares[w].n_edges;
        counts->n_near += shares[w].n_near;
        counts->weights_hash += shares[w].weights_hash;
    }
    if (status == MR_OK) {
        counts->hash = hash_of(shares, pass.n_workers);
    }
    mr_memory_free(memory, shares);
    mr_memory_free(memory, tables);
    if (status != MR_OK) {
        mr_memory_free(memory, counts->cells);
        counts->cells = NULL;
    }
    return status;
}
