/* SPDX-License-Identifier: Apache-2.0 */
/* The counterpart in the whole-pass benchmark: the same graph as a plain CSR in memory, pulled by
 * vertex.
 *
 * The loop is that of pr_spmv in the GAP benchmark suite (Beamer, Asanovic, Patterson 2015),
 * written again here. It reads contributions by source at random, keeps the sum in a register, and
 * gives vertices to threads in chunks. It uses the store's vertex ids, so that the builder's order
 * of vertices helps both sides. */
#ifndef MR_BENCH_PASS_CSR_H
#define MR_BENCH_PASS_CSR_H

#include "engine/store/store.h"

struct bench_csr {
    uint64_t n_vertices, n_edges;
    uint64_t *offsets; /* [n_vertices + 2]: in-edges of v are [offsets[v], offsets[v + 1]) */
    uint32_t *sources; /* [n_edges], ascending for each vertex */
    uint32_t *out_degrees; /* [n_vertices] */
};

/* Read the edges of `store` twice. All arrays are charged to the context's budget, 4 bytes per edge
 * and 12 per vertex, on huge pages where the system has them. Free with bench_csr_free. */
enum mr_status bench_csr_load(const struct mr_context *context, struct mr_store *store,
                              struct bench_csr *csr, struct mr_error *err) MR_WARN_UNUSED;
void bench_csr_free(struct mr_memory *memory, struct bench_csr *csr);

/* The bytes that one pull reads, without x. */
uint64_t bench_csr_bytes(const struct bench_csr *csr);

/* y[v] = sum of x[u] over the edges u -> v, in ascending u, on `threads` threads. Float values are
 * summed in float, as GAP does. x and y have n_vertices entries and do not overlap. */
void bench_csr_pull_float(const struct bench_csr *csr, unsigned threads, const float *x, float *y);
void bench_csr_pull_double(const struct bench_csr *csr, unsigned threads, const double *x,
                           double *y);

/* Float values summed in double. This pull is not timed; both sides are compared with it. */
void bench_csr_pull_exact(const struct bench_csr *csr, unsigned threads, const float *x, double *y);

#endif
