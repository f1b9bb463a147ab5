/* SPDX-License-Identifier: Apache-2.0 */
/* The CSR pull that the whole-pass benchmark compares with: builds the arrays from a store in two
 * readings of its edges, and runs the loop of GAP's pr_spmv. */
#include "bench/pass_csr.h"

#include <string.h>

#include "engine/base/memory.h"
#include "engine/scan/edges.h"

/* Number of vertices that a thread takes at a time. GAP takes 16384. Smaller chunks take the same
 * time on kron-22, and on graphs of a few hundred thousand vertices the threads end together. */
#define PULL_CHUNK 2048

/* First reading: count in-degrees, two entries further up, and out-degrees. */
static enum mr_status count_edges(void *data, const uint32_t (*pairs)[2], const float *weights,
                                  size_t n_pairs, struct mr_error *err)
{
    struct bench_csr *csr = data;

    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        csr->out_degrees[pairs[i][0]]++;
        csr->offsets[(uint64_t)pairs[i][1] + 2]++;
    }
    return MR_OK;
}

/* Second reading: offsets[v + 1] begins at the start of v's row and ends at its end. */
static enum mr_status fill_edges(void *data, const uint32_t (*pairs)[2], const float *weights,
                                 size_t n_pairs, struct mr_error *err)
{
    struct bench_csr *csr = data;

    (void)weights;
    (void)err;
    for (size_t i = 0; i < n_pairs; i++) {
        csr->sources[csr->offsets[(uint64_t)pairs[i][1] + 1]++] = pairs[i][0];
    }
    return MR_OK;
}

/* A store gives the sources of a vertex in ascending order, except that those in the vertex's own
 * band come last. Rotate these to their position. Returns false when the row is different. */
static bool order_row(uint32_t *row, uint64_t n)
{
    uint64_t tail = 1, place = 0;

    while (tail < n && row[tail - 1] <= row[tail]) {
        tail++;
    }
    if (tail >= n) {
        return true;
    }
    while (row[place] <= row[tail]) {
        place++;
    }
    for (uint64_t i = tail + 1; i < n; i++) {
        if (row[i - 1] > row[i]) {
            return false;
        }
    }
    if (row[n - 1] > row[place]) {
        return false;
    }
    /* Three reversals exchange [place, tail) and [tail, n). */
    for (int turn = 0; turn < 3; turn++) {
        uint64_t a = turn == 1 ? tail : place, b = turn == 0 ? tail : n;

        for (; a + 1 < b; a++, b--) {
            uint32_t swapped = row[a];
            row[a] = row[b - 1];
            row[b - 1] = swapped;
        }
    }
    return true;
}

static enum mr_status order_rows(const struct mr_context *context, struct bench_csr *csr,
                                 struct mr_error *err)
{
    bool good = true;

#pragma omp parallel for num_threads((int)context->threads) schedule(dynamic, PULL_CHUNK)          \
    reduction(&& : good)
    for (uint64_t v = 0; v < csr->n_vertices; v++) {
        const uint64_t first = csr->offsets[v];

        good = order_row(csr->sources + first, csr->offsets[v + 1] - first) && good;
    }
    return good ? MR_OK
                : mr_error_set(err, MR_ERROR_RUNTIME, "the links of a vertex are out of order");
}

enum mr_status bench_csr_load(const struct mr_context *context, struct mr_store *store,
                              struct bench_csr *csr, struct mr_error *err)
{
    const uint64_t n = mr_store_get_info(store)->n_vertices, m = mr_store_get_info(store)->n_edges;

    memset(csr, 0, sizeof *csr);
    csr->n_vertices = n;
    csr->n_edges = m;
    const struct mr_memory_wanted arrays[] = {
        MR_WANTED("CSR offsets", n + 2, &csr->offsets),
        MR_WANTED("CSR sources", m + 1, &csr->sources),
        MR_WANTED("out-degrees", n + 1, &csr->out_degrees),
    };
    enum mr_status status = mr_memory_arrays(context->memory, arrays, err);

    if (status == MR_OK) {
        status = mr_edges_read(context, store, NULL, count_edges, csr, err);
    }
    for (uint64_t v = 0; v < n && status == MR_OK; v++) {
        csr->offsets[v + 2] += csr->offsets[v + 1];
    }
    if (status == MR_OK) {
        status = mr_edges_read(context, store, NULL, fill_edges, csr, err);
    }
    if (status == MR_OK) {
        status = order_rows(context, csr, err);
    }
    if (status != MR_OK) {
        bench_csr_free(context->memory, csr);
    }
    return status;
}

void bench_csr_free(struct mr_memory *memory, struct bench_csr *csr)
{
    mr_memory_free(memory, csr->offsets);
    mr_memory_free(memory, csr->sources);
    mr_memory_free(memory, csr->out_degrees);
    memset(csr, 0, sizeof *csr);
}

uint64_t bench_csr_bytes(const struct bench_csr *csr)
{
    return csr->n_edges * sizeof *csr->sources + csr->n_vertices * sizeof *csr->offsets;
}

void bench_csr_pull_float(const struct bench_csr *csr, unsigned threads, const float *restrict x,
                          float *restrict y)
{
    const uint64_t *restrict offsets = csr->offsets;
    const uint32_t *restrict sources = csr->sources;

#pragma omp parallel for num_threads((int)threads) schedule(dynamic, PULL_CHUNK)
    for (uint64_t v = 0; v < csr->n_vertices; v++) {
        float sum = 0;

        for (uint64_t e = offsets[v]; e < offsets[v + 1]; e++) {
            sum += x[sources[e]];
        }
        y[v] = sum;
    }
}

void bench_csr_pull_double(const struct bench_csr *csr, unsigned threads, const double *restrict x,
                           double *restrict y)
{
    const uint64_t *restrict offsets = csr->offsets;
    const uint32_t *restrict sources = csr->sources;

#pragma omp parallel for num_threads((int)threads) schedule(dynamic, PULL_CHUNK)
    for (uint64_t v = 0; v < csr->n_vertices; v++) {
        double sum = 0;

        for (uint64_t e = offsets[v]; e < offsets[v + 1]; e++) {
            sum += x[sources[e]];
        }
        y[v] = sum;
    }
}

void bench_csr_pull_exact(const struct bench_csr *csr, unsigned threads, const float *restrict x,
                          double *restrict y)
{
    const uint64_t *restrict offsets = csr->offsets;
    const uint32_t *restrict sources = csr->sources;

#pragma omp parallel for num_threads((int)threads) schedule(dynamic, PULL_CHUNK)
    for (uint64_t v = 0; v < csr->n_vertices; v++) {
        double sum = 0;

        for (uint64_t e = offsets[v]; e < offsets[v + 1]; e++) {
            sum += x[sources[e]];
        }
        y[v] = sum;
    }
}
