/* SPDX-License-Identifier: Apache-2.0 */
/* Harmonic centrality, closeness, reach, and the neighbourhood function, along incoming paths: the
 * harmonic centrality of v is the sum over all u that reach v of 1/d(u, v), as Common Crawl has it.
 *
 * Each vertex has a set: those that reach it within t steps. One reading of the edges turns the
 * sets of t into those of t + 1. HyperBall (Boldi and Vigna, "In-core computation of geometric
 * centralities with HyperBall", 2013) keeps a HyperLogLog counter of m registers for each set; the
 * exact mode keeps the sets as bits.
 *
 * Registers, and bits, do not depend on each other. So a run goes in slices: as many bytes per
 * vertex as the budget holds, in two arrays. Where one slice has all registers, estimates are made
 * at each distance. What several slices add at each distance is written to a temporary file, summed
 * over the slices in integers; estimates are made of the sums at the end. A slice ends when nothing
 * changes. Edges are decoded once, to lists, if the budget holds them; else they are read at each
 * distance, but for blocks without a changed source. The result has the same bits for any memory
 * and any number of threads. */
#ifndef MR_ALGORITHMS_HARMONIC_HARMONIC_H
#define MR_ALGORITHMS_HARMONIC_HARMONIC_H

#include "engine/names/names.h"
#include "engine/scan/edges.h"
#include "engine/store/store.h"

enum {
    MR_HARMONIC_LEAST_LOG2M = 4,
    MR_HARMONIC_MOST_LOG2M = 14,
    MR_HARMONIC_AUTO_LOG2M = 1, /* 6; exact for at most MR_HARMONIC_SMALL vertices */
    MR_HARMONIC_SMALL = 4096
};

struct mr_harmonic_options {
    unsigned log2m; /* 4..14: counters of 2^log2m registers; 0: exact; or MR_HARMONIC_AUTO_LOG2M */
    uint64_t seed; /* of the hash function */
    /* [n_sources] vertices, ascending, each once: only paths from these count; NULL: all */
    const uint32_t *sources;
    uint64_t n_sources;
    unsigned slice_bytes; /* bytes per vertex of a slice; 0: as many as the budget holds */
    bool no_lists; /* read edges at each distance, whatever the budget holds; for tests */
};

struct mr_harmonic {
    struct mr_memory *memory;
    uint64_t n_vertices;
    double *harmonic; /* [n_vertices] */
    double *closeness; /* [n_vertices]: 1 / sum of distances; 0 if nothing else reaches it */
    double *reach; /* [n_vertices]: how many reach it, itself included if it counts */
    double *neighbourhood; /* [n_distances]: pairs (u, v) with d(u, v) <= t, for t = 0, 1, ... */
    uint64_t n_distances; /* behind `neighbourhood`, as in struct mr_rank_array */
    uint64_t log2m; /* that was taken; 0: exact */
    /* One standard deviation of a counter: 1.04 / sqrt(m); exact: 0. That of reach; of harmonic and
     * of pairs, which are sums of counters with weights above 0, at most. */
    double relative_error;
    double closeness_error; /* at most, as measured on real graphs (docs/harmonic.md) */
    uint64_t n_slices, slice_bytes;
    struct mr_edges_figures read;
    double readings; /* edges read, in readings of the whole graph */
    uint64_t temporary_bytes; /* peak */
};

/* The memory that mr_harmonic_find charges: the least with n_threads 0, else what it can make use
 * of with so many threads. More distances than usual take more. */
uint64_t mr_harmonic_memory(const struct mr_store_info *info,
                            const struct mr_harmonic_options *options, unsigned n_threads);
/* The temporary disk if that much memory is available: 0 if one slice has all registers, else what
 * most web graphs take, where a counter changes at about eight distances. */
uint64_t mr_harmonic_disk(const struct mr_store_info *info,
                          const struct mr_harmonic_options *options, uint64_t available,
                          unsigned n_threads);

/* Compute all of it. `names` tells the positions of vertices, which the hash function takes; NULL:
 * their numbers. Free with mr_harmonic_free; the result is zero after an error. Memory: 2 bytes per
 * register of a slice and vertex, or 24 bytes per vertex (exact: 56 more) if that is more. Disk: 12
 * bytes for each vertex and each distance at which its counter changes. Errors: CORRUPT, RUNTIME,
 * BUDGET, INTERRUPTED. */
enum mr_status mr_harmonic_find(const struct mr_context *context, struct mr_store *store,
                                struct mr_names *names, const struct mr_harmonic_options *options,
                                struct mr_harmonic *result, struct mr_error *err) MR_WARN_UNUSED;
void mr_harmonic_free(struct mr_harmonic *result);

/* ---- A few vertices, exactly, to check estimates of all (of_pages.c) ---- */

/* Search in breadth against the edges from `vertices` [n], each below n_vertices, none twice.
 * harmonic[n]: for each the sum of 1/d(u, v) over all u that reach it, in one rounding of exact
 * integers; reach[n]: how many reach it, itself included. 64 vertices at a time: 16 bytes of memory
 * per vertex of the store, and a reading of the edges per distance, of active bands only; one
 * thread. Errors: CORRUPT, RUNTIME, BUDGET, INTERRUPTED. */
enum mr_status mr_harmonic_of_pages(const struct mr_context *context, struct mr_store *store,
                                    const uint32_t *vertices, uint64_t n, double *harmonic,
                                    uint64_t *reach, struct mr_error *err) MR_WARN_UNUSED;

#endif
