/* SPDX-License-Identifier: Apache-2.0 */
/* Measures rankings of an open store one after the other: personalised PageRank of three seeds.
 *
 *     bench_small STORE [THREADS] [QUERIES]
 *
 * small_graphs.py leaves the store of a small graph, and measures the same in Python. */
#include <stdio.h>
#include <stdlib.h>

#include "engine/base/clock.h"
#include "engine/base/random.h"
#include "millrace/millrace.h"

enum { SEEDS = 3, QUERIES = 1000 };

static int compare(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* One seed of each third of the vertices, so that they ascend. */
static enum mr_status query(const struct mr_context *context, struct mr_store *store,
                            uint64_t n_vertices, uint64_t number, struct mr_error *err)
{
    struct mr_vertex_weight seeds[SEEDS];
    const uint32_t third = (uint32_t)(n_vertices / SEEDS);
    for (uint32_t i = 0; i < SEEDS; i++) {
        seeds[i].vertex = i * third + mr_random_below(mr_random_at(1, i, number), third);
        seeds[i].weight = 1;
    }
    const struct mr_named_value teleport = {.name = "teleport", .pages = seeds, .count = SEEDS};
    struct mr_ranking *ranking = NULL;
    const enum mr_status status =
        mr_rank(context, store, NULL, "pagerank", &teleport, 1, &ranking, err);
    mr_ranking_free(ranking);
    return status;
}

int main(int argc, char **argv)
{
    struct mr_context_options options = MR_CONTEXT_OPTIONS_INIT;
    struct mr_store_figures figures = {.struct_size = sizeof figures};
    struct mr_context *context = NULL;
    struct mr_store *store = NULL;
    struct mr_error err = {0};
    char text[1536];

    if (argc < 2) {
        (void)fputs("usage: bench_small STORE [THREADS] [QUERIES]\n", stderr);
        return 2;
    }
    options.threads = argc > 2 ? (unsigned)strtoul(argv[2], NULL, 10) : 0;
    const uint64_t n = argc > 3 ? 1 + strtoull(argv[3], NULL, 10) : QUERIES;
    double *seconds = calloc(n, sizeof *seconds), sum = 0;
    enum mr_status status = seconds != NULL ? mr_context_create(&options, &context, &err)
                                            : mr_error_set(&err, MR_ERROR_BUDGET, "memory");
    if (status == MR_OK) {
        status = mr_store_open(context, argv[1], &store, &err);
    }
    if (status == MR_OK) {
        mr_store_describe(store, &figures);
    }
    for (uint64_t i = 0; i < n && status == MR_OK; i++) {
        const double start = mr_now();
        status = query(context, store, figures.n_vertices, i, &err);
        seconds[i] = mr_now() - start;
        sum += seconds[i];
    }
    if (status == MR_OK) {
        const double first = seconds[0];
        qsort(seconds, n, sizeof *seconds, compare);
        (void)printf("median %.3f ms, least %.3f, first %.3f, %llu queries in %.2f s\n",
                     1e3 * seconds[n / 2], 1e3 * seconds[0], 1e3 * first, (unsigned long long)n,
                     sum);
    } else {
        (void)fprintf(stderr, "%s\n", mr_error_text(&err, text, sizeof text));
    }
    mr_store_close(store);
    mr_context_destroy(context);
    free(seconds);
    return status == MR_OK ? 0 : 1;
}
