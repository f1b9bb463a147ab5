#include "engine/edge_count.h"

#include <assert.h>
#include <string.h>

#include <xxhash.h>

#include "engine/build.h"
#include "engine/bytes.h"
#include "engine/memory.h"

/* Below this a table of counts lies in the L2 cache. */
#define CACHED_CELLS ((uint64_t)1 << 17)
#define MAX_CELLS    ((uint64_t)1 << 20)

/* Columns that a heavy band of a huge graph should be cut into. */
#define WANTED_COLUMNS ((uint64_t)16)

/* Edges fall into one of so many classes, of each of which the lowest hash is kept. Repeated edges change
 * nothing. Of two graphs that differ in one edge of a hundred, one pair in 30,000 has the same. */
#define N_LOWEST 1024u

/* A worker's share: its cells, and what it has seen. Edges go to the tables of cells in turn: in most inputs the
 * next one is in the same cell, and adding to a word has to wait until the last sum is there. */
struct share {
    uint32_t *cells[2];
    uint64_t n_pending; /* edges in `cells` */
    uint64_t n_edges;
    uint64_t n_near;
    uint64_t weights_hash;
    uint64_t bound; /* the highest of `lowest`, or more: hashes from here on change nothing */
    uint64_t lowest[N_LOWEST];
};

struct count {
    const struct mr_edge_grid *grid;
    uint64_t *cells; /* of all workers */
    struct share *shares; /* [n_workers] */
};

uint64_t mr_edge_count_max_cells(const struct mr_context *context, uint64_t n_bands)
{
    uint64_t wanted = mr_max_u64(CACHED_CELLS, mr_min_u64(MAX_CELLS, WANTED_COLUMNS * n_bands));
    /* One table in common, one for a worker and one for the plan, in a quarter of what is left. */
    uint64_t affordable = mr_memory_available(context->memory) / 4 / (3 * sizeof(uint64_t));
    return mr_min_u64(wanted, affordable);
}

/* The finaliser of splitmix64: every bit of the edge moves half of the result's. */
static inline uint64_t hash_edge(uint32_t source, uint32_t target)
{
    uint64_t z = ((uint64_t)source << 32 | target) + 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
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

/* The cells of a worker into those of all. */
static void collect(const struct count *count, struct share *share)
{
    for (uint64_t c = 0; c < count->grid->n_cells; c++) {
        const uint64_t n = (uint64_t)share->cells[0][c] + share->cells[1][c];
        if (n > 0) {
            (void)__atomic_fetch_add(&count->cells[c], n, __ATOMIC_RELAXED);
            share->cells[0][c] = share->cells[1][c] = 0;
        }
    }
    share->n_pending = 0;
}

static inline void see(const struct mr_edge_grid *grid, uint32_t source, uint32_t target,
                       uint64_t bound, uint32_t *cells, uint64_t *lowest, uint64_t *n_near)
{
    cells[mr_edge_grid_cell(grid, source, target)]++;
    *n_near += (source ^ target) >> MR_BUILD_NEAR_BITS == 0;
    const uint64_t hash = hash_edge(source, target);
    if (hash < bound && hash < lowest[hash % N_LOWEST]) {
        lowest[hash % N_LOWEST] = hash;
    }
}

static enum mr_status visit(void *data, unsigned worker, const uint32_t (*pairs)[2],
                            const float *weights, size_t n_pairs, struct mr_error *err)
{
    struct count *count = data;
    struct share *share = &count->shares[worker];
    const struct mr_edge_grid grid = *count->grid;
    uint32_t *even = share->cells[0], *odd = share->cells[1];
    uint64_t *lowest = share->lowest, n_near = 0, bound = 0;
    const uint64_t old_bound = share->bound;
    size_t i = 0;
    (void)err;
    assert(n_pairs <= UINT32_MAX);
    if (share->n_pending > UINT32_MAX - n_pairs) {
        collect(count, share);
    }
    for (; i + 2 <= n_pairs; i += 2) {
        see(&grid, pairs[i][0], pairs[i][1], old_bound, even, lowest, &n_near);
        see(&grid, pairs[i + 1][0], pairs[i + 1][1], old_bound, odd, lowest, &n_near);
    }
    if (i < n_pairs) {
        see(&grid, pairs[i][0], pairs[i][1], old_bound, even, lowest, &n_near);
    }
    for (i = 0; i < N_LOWEST; i++) {
        bound = mr_max_u64(bound, lowest[i]);
    }
    share->bound = bound;
    share->n_pending += n_pairs;
    share->n_edges += n_pairs;
    share->n_near += n_near;
    share->weights_hash += weights == NULL ? 0 : hash_weights(pairs, weights, n_pairs);
    return MR_OK;
}

/* Of what all workers have seen together. */
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
    uint64_t table_bytes = mr_max_u64(1, grid->n_cells) * sizeof(uint64_t);
    struct mr_spool_scan pass = *scan;
    void *cells = NULL, *tables = NULL, *shares = NULL;

    *counts = (struct mr_edge_counts){.cells = NULL};
    enum mr_status status = mr_memory_alloc(memory, "edge counts", table_bytes, &cells, err);
    if (status != MR_OK) {
        return status;
    }
    pass.n_workers = mr_spool_scan_workers(context, table_bytes); /* two halves */
    status = mr_memory_alloc(memory, "edge counts", pass.n_workers * table_bytes, &tables, err);
    if (status == MR_OK) {
        status = mr_memory_alloc(memory, "edge counts", pass.n_workers * sizeof(struct share),
                                 &shares, err);
    }
    struct count count = {.grid = grid, .cells = cells, .shares = shares};
    for (unsigned w = 0; status == MR_OK && w < pass.n_workers; w++) {
        struct share *share = &count.shares[w];
        share->cells[0] = (uint32_t *)tables + 2 * w * (table_bytes / sizeof(uint64_t));
        share->cells[1] = share->cells[0] + table_bytes / sizeof(uint64_t);
        share->bound = UINT64_MAX;
        memset(share->lowest, 0xff, sizeof share->lowest);
    }
    if (status == MR_OK) {
        status = mr_spool_scan_pairs(context, &pass, visit, &count, err);
    }
    counts->cells = cells;
    for (unsigned w = 0; status == MR_OK && w < pass.n_workers; w++) {
        collect(&count, &count.shares[w]);
        counts->n_edges += count.shares[w].n_edges;
        counts->n_near += count.shares[w].n_near;
        counts->weights_hash += count.shares[w].weights_hash;
    }
    if (status == MR_OK) {
        counts->hash = hash_of(count.shares, pass.n_workers);
    }
    mr_memory_free(memory, shares);
    mr_memory_free(memory, tables);
    if (status != MR_OK) {
        mr_memory_free(memory, cells);
        counts->cells = NULL;
    }
    return status;
}
